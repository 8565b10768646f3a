"""Lengths of time: "3:33", "3 min 33 s", "3 minutes and 33 seconds"."""

import re
from collections.abc import Sequence

from transforms.short_answers.rules import cues, numbers

_NAMES = {
    "year": r"years?|yrs?|y",
    "month": r"months?|mos?",
    "week": r"weeks?|wks?|w",
    "day": r"days?|d",
    "hour": r"hours?|hrs?|h",
    "minute": r"minutes?|mins?|m",
    "second": r"seconds?|secs?|s",
}
_SHORT = {"hour": "hr", "minute": "min", "second": "sec"}
# A number in words stands off from its unit, or " old" would be "ol" days.
_NUMBER = r"\d[\d,]*(?:\.\d+)?[ -]?|[a-z]+(?:-[a-z]+)?[ -]"
_PART = rf"(?P<n{{0}}>{_NUMBER})(?P<u{{0}}>{'|'.join(_NAMES.values())})\.?"
_WORDED = re.compile(
    r"(?:" + _PART.format(1) + r")(?:(?:,? and |, | ?)" + _PART.format(2) + r")?"
    r"(?:(?:,? and |, | ?)" + _PART.format(3) + r")?(?P<tail> (?:ago|left|remaining|long|old))?",
    re.I | re.A,
)
_COLON = re.compile(r"(?:(?P<hour>\d{1,3}) ?: ?)?(?P<minute>\d{1,3}) ?: ?(?P<second>[0-5]\d)")

Parts = list[tuple[str, str]]
"""Numbers in digits and names of units, the largest unit first."""


def read_worded(text: str) -> tuple[Parts, str] | None:
    """Returns the parts of a length of time in words, and what follows it, or None."""
    found = _WORDED.fullmatch(text) if len(text) <= 80 else None
    if not found:
        return None
    parts: Parts = []
    for index in "123":
        number, unit = found["n" + index], found["u" + index]
        if not number:
            continue
        digits = _digits(number.rstrip(" -"))
        if digits is None:
            return None
        name = _unit(unit)
        # "1y 5m" has months.
        if unit.lower() == "m" and parts and parts[-1][1] == "year":
            name = "month"
        parts.append((digits, name))
    order = [list(_NAMES).index(unit) for _, unit in parts]
    if order != sorted(set(order)):
        return None
    # "5 m" alone is metres as likely as minutes; beside hours or seconds or "ago" it is not.
    if len(parts) == 1 and len(found["u1"]) == 1 and not found["tail"] and found["u1"] != "h":
        return None
    return parts, (found["tail"] or "").lower()


def _unit(spelling: str) -> str:
    return next(
        name for name, pattern in _NAMES.items() if re.fullmatch(pattern, spelling, re.I | re.A)
    )


def _digits(number: str) -> str | None:
    if number[0].isdigit():
        return number if numbers.read_digits(number) is not None else None
    if number.lower() in ("a", "an"):
        return "1"
    value = numbers.read_words(number)
    return None if value is None else str(value)


def read_colon(text: str, question: str) -> Parts | None:
    """Returns the parts of a playing time such as "3:33" or "1:17:46", or None.

    Two numbers are minutes and seconds for something recorded, or if the first is 0; three are
    plain.
    """
    found = _COLON.fullmatch(text)
    if not found or not cues.asks_length(question):
        return None
    # "0:33" is no hours and 33 minutes only where such lengths are asked for.
    short = int(found["minute"]) == 0 and not cues.asks_travel_or_rest(question)
    played = cues.asks_playing_time(question) or (
        int(found["minute"]) >= 10 and cues.asks_long_playing_time(question)
    )
    if found["hour"] is None and not (short or played):
        return None
    if found["hour"] is not None and int(found["minute"]) > 59:
        return None
    names = ("hour", "minute", "second")
    return [(str(int(found[name])), name) for name in names if found[name] is not None]


def read_hours(text: str) -> Parts | None:
    """Returns the parts of "1:45" as hours and minutes, whatever it may be, or None."""
    found = re.fullmatch(r"(\d{1,3}) ?: ?([0-5]\d)", text, re.A)
    return [(str(int(found[1])), "hour"), (str(int(found[2])), "minute")] if found else None


def _say(number: str, unit: str) -> str:
    return f"{number} {unit}" if number == "1" else f"{number} {unit}s"


def _join(said: Sequence[str]) -> list[str]:
    if len(said) == 1:
        return [said[0]]
    head = ", ".join(said[:-1])
    ways = [
        f"{' '.join(said[:-1])} and {said[-1]}",
        " ".join(said),
        ", ".join(said),
    ]
    if len(said) > 2:
        ways.append(f"{head}, and {said[-1]}")
    return ways


def worded_forms(parts: Parts) -> list[str]:
    """Returns a length of time in words; parts that are zero are left out."""
    parts = [(_plain(number), unit) for number, unit in parts]
    said = [_say(number, unit) for number, unit in parts if number != "0"]
    if not said:
        return [_say("0", parts[-1][1])]
    ways = _join(said)
    whole = [(n, u) for n, u in parts if n != "0"]
    if all(number.isdigit() and int(number) <= 99 for number, _ in whole):
        spelled = [_spell_part(number, unit) for number, unit in whole]
        ways.append(_join(spelled)[0])
    return ways


def _spell_part(number: str, unit: str) -> str:
    return f"{numbers.spell(int(number))[0]} {unit}{'' if number == '1' else 's'}"


def _plain(number: str) -> str:
    return str(int(number)) if re.fullmatch(r"0+\d*", number) else number


def colon_forms(parts: Parts) -> list[str]:
    """Returns a playing time with colons."""
    values = {unit: int(number) for number, unit in parts}
    hour, minute, second = (values.get(unit, 0) for unit in ("hour", "minute", "second"))
    if hour:
        return [f"{hour}:{minute:02d}:{second:02d}", f"{hour:02d}:{minute:02d}:{second:02d}"]
    return [f"{minute}:{second:02d}", f"{minute:02d}:{second:02d}"]


def forms(answer: str, question: str) -> list[str]:
    """Returns the forms of an answer that is a length of time; [] for others."""
    parts = read_colon(answer, question)
    if parts is not None:
        ways = worded_forms(parts)
        zeros = [_say(number, unit) for number, unit in parts]
        # "0 minutes and 3 seconds": people read out what the clock shows.
        return [answer, ways[0], *colon_forms(parts), *ways[1:], _join(zeros)[0]]
    read = read_worded(answer)
    if read is None:
        return []
    parts, tail = read
    # Names of units have no case of their own: "10 HOURS AGO".
    ways = [answer.lower()] if len(parts) == 1 or answer != answer.upper() else []
    ways += [way + tail for way in worded_forms(parts)]
    if tail in (" left", " remaining", " long"):
        # The question that asks how long is left has said so.
        ways += worded_forms(parts) if cues.asks_length(question) else []
    elif tail == " ago" and cues.mentions(question, "ago"):
        ways += worded_forms(parts)
    if len(parts) == 1:
        ways += _single_forms(*parts[0], tail, question)
    units = {unit for _, unit in parts}
    exact = all(number.isdigit() for number, _ in parts)
    if exact and units <= {"hour", "minute", "second"} and "second" in units and not tail:
        ways += colon_forms(parts) if cues.asks_playing_time(question) else []
    return [answer, *ways]


def _single_forms(number: str, unit: str, tail: str, question: str) -> list[str]:
    """Returns further forms of a length with one unit."""
    ways = []
    named = cues.mentions(question, _NAMES[unit]) and cues.asks_count(question)
    if named:
        ways += [f"{number} {unit}{'' if number == '1' else 's'}", number]
    if named and not tail and cues.mentions(question, "ago"):
        ways += [f"{way} ago" for way in worded_forms([(number, unit)])]
    if named and number.isdigit() and int(number) <= numbers.MAX_SPELLED:
        ways.append(numbers.spell(int(number))[0])
    if unit in _SHORT:
        ways.append(f"{number} {_SHORT[unit]}{tail}")
    if tail == " old" and cues.mentions(question, "age|how old"):
        ways += [f"{number} {unit}{'' if number == '1' else 's'}", number]
    elif unit == "year" and not tail and cues.mentions(question, "age|how old"):
        ways += [f"{number} {unit}{'' if number == '1' else 's'} old", number]
    return ways
