"""Telephone numbers of ten digits: with hyphens, brackets, blanks, or digits alone."""

import re

from transforms.short_answers.rules import cues

_PHONE = re.compile(
    r"(?P<country>\+?1[ -]?)?(?P<area>\(\d{3}\) ?|\d{3}[ .-]?)(?P<first>\d{3})[ .-]?(?P<last>\d{4})"
)
_SURE = r"phone|contact|mobile|cell|call|calling|called|dial|helpline|toll|fax|whatsapp"
_ASKED = rf"{_SURE}|number|support"


def forms(answer: str, question: str) -> list[str]:
    """Returns the forms of an answer that is a North American telephone number; [] for others.

    The country's code comes and goes in the released lists, and nobody needs it at home.
    """
    found = _PHONE.fullmatch(answer)
    if not found or not cues.mentions(question, _ASKED):
        return []
    # Ten digits in a row may be any number.
    if answer.isdigit() and not cues.mentions(question, _SURE):
        return []
    area = re.sub(r"\D", "", found["area"])
    first, last = found["first"], found["last"]
    hyphened, bracketed = f"{area}-{first}-{last}", f"({area}) {first}-{last}"
    spaced, glued = f"{area} {first} {last}", f"{area}{first}{last}"
    if not found["country"]:
        return [answer, hyphened, bracketed, spaced, glued]
    ways = [answer, f"1-{hyphened}", f"+1 {hyphened}", f"+1 {bracketed}", f"+1 {spaced}"]
    return [*ways, hyphened, bracketed, f"+1{glued}"]
