"""Ratings: "4.5 stars", "4.5 out of 5", "4.5"."""

import re

from transforms.short_answers.rules import cues, numbers

_RATING = re.compile(
    rf"(?P<number>{numbers.DIGITS}|[a-z]+)"
    r"(?P<scale>(?: out of | of | ?/ ?)(?P<most>\d+(?:\.\d+)?|five|ten))?"
    r"(?P<stars>[ -]stars?)?(?: rating)?",
    re.I | re.A,
)


def forms(answer: str, question: str) -> list[str]:
    """Returns the forms of an answer that is a rating; [] for others.

    Stars or a scale are put in only where the answer or the question says them: 4.5 may be
    out of 10. They are left out where the question asks for a rating.
    """
    found = _RATING.fullmatch(answer) if len(answer) <= 60 else None
    rated = cues.mentions(question, r"rating|ratings|rated|rate|stars?|review")
    if not found or not rated or (found["number"][0].isalpha() and not found["stars"]):
        return []
    # "How many ratings?" asks for a number of them.
    if cues.asks_count(question) and not (found["stars"] or found["scale"]):
        return []
    number = _digits(found["number"])
    if number is None:
        return []
    starred = bool(found["stars"]) or cues.mentions(question, "stars?")
    ways = [answer]
    for way in numbers.without_zeros(number):
        ways += _scaled(way, _digits(found["most"] or ""), starred)
        if starred:
            ways += [f"{way} star{'' if way == '1' else 's'}"]
        ways.append(way)
    whole = numbers.without_zeros(number)[-1]
    if starred and whole.isdigit() and int(whole) <= 10:
        ways.append(f"{numbers.spell(int(whole))[0]} star{'' if whole == '1' else 's'}")
    return ways


def _digits(text: str) -> str | None:
    if text and text[0].isalpha():
        value = numbers.read_words(text)
        return None if value is None else str(value)
    return text or None


def _scaled(number: str, most: str | None, starred: bool) -> list[str]:
    if not most:
        return []
    ways = [f"{number} out of {most}", f"{number}/{most}"]
    if most.isdigit() and int(most) <= 10:
        ways.append(f"{number} out of {numbers.spell(int(most))[0]}")
    return [*ways, f"{number} out of {most} stars"] if starred else ways
