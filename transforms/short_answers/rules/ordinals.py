"""Places in a row: "first", "1st", "the first page"."""

import re

from transforms.short_answers.rules import cues

_WORDS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
]
_ORDINAL = re.compile(
    rf"(?:[Tt]he )?(?P<place>\d{{1,4}}(?:st|nd|rd|th)|{'|'.join(_WORDS)})(?P<rest> [a-z]+)?",
    re.I | re.A,
)


def nth(number: int) -> str:
    """Returns a place in digits: "1st", "22nd"."""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def forms(answer: str, question: str) -> list[str]:
    """Returns the forms of an answer that is a place in a row; [] for others.

    What stands in a row is left out where the question names it.
    """
    found = _ORDINAL.fullmatch(answer)
    if not found:
        return []
    place, rest = found["place"].lower(), found["rest"] or ""
    number = int(place[:-2]) if place[0].isdigit() else _WORDS.index(place) + 1
    if place[0].isdigit() and nth(number) != place:
        return []
    named = bool(rest) and cues.mentions(question, re.escape(rest.strip()))
    if rest and not named:
        # "Second indicator" may be one for seconds.
        return []
    ways = [nth(number), *(_WORDS[number - 1 : number] if number else [])]
    return [answer, *(way + rest for way in ways), *(ways if named else [])]
