"""Dates in the forms that the released answers show."""

import calendar
import dataclasses
import re
from collections.abc import Sequence

from transforms.short_answers.rules import cues, ordinals

# calendar's names follow the process's locale once somebody sets one; these must not.
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

_MONTH = (
    r"(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4}|\d\d)"
_NAMED = tuple(
    re.compile(pattern, re.I | re.A)
    for pattern in (
        rf"{_MONTH},? (?:the )?{_DAY}(?:,? {_YEAR})?",
        rf"(?:the )?{_DAY}[ -](?:of )?{_MONTH}(?:,? {_YEAR}|-{_YEAR.replace('year', 'year2')})?",
        rf"(?P<year>\d{{4}}),? {_MONTH},? {_DAY}",
    )
)
_ISO = re.compile(r"(?P<year>\d{4})([-/.])(?P<second>\d{1,2})\2(?P<third>\d{1,2})")
_SLASHED = re.compile(r"(?P<first>\d{1,2})([-/])(?P<second>\d{1,2})(?:\2(?P<year>\d{4}|\d\d))?")
_DOTTED = re.compile(r"(?P<second>\d{1,2})\.(?P<first>\d{1,2})\.(?P<year>\d{4}|\d\d)")
_BEFORE = re.compile(rf"(?P<weekday>{_WEEKDAY})(?:,? (?:the )?|, | - )(?P<rest>.+)", re.I | re.A)
_AFTER = re.compile(rf"(?P<rest>.+?)(?:,? | - |,? \()(?P<weekday>{_WEEKDAY})\)?", re.I | re.A)
_YEAR_FIRST = re.compile(rf"(?P<year>\d{{4}}) (?P<weekday>{_WEEKDAY}),? (?P<rest>.+)", re.I | re.A)

# Two digits of a year are taken for the century that screens of 2017 can mean; those between
# could be of either and stay two digits.
_THIS_CENTURY = range(30)
_LAST_CENTURY = range(70, 100)


@dataclasses.dataclass(frozen=True)
class Date:
    """A day of the calendar.

    Attributes:
        month: From 1.
        day: From 1.
        year: Its digits as far as they are known, two or four; "" without a year.
        weekday: From 0, Monday; None where it was not said.
        uncertain: Whether month and day might be the other way round.
    """

    month: int
    day: int
    year: str = ""
    weekday: int | None = None
    uncertain: bool = False

    @property
    def is_plain_in_numbers(self) -> bool:
        """Whether "m/d" can be taken for no other day than this one."""
        return self.day > 12 or self.day == self.month


def read_date(text: str, question: str) -> Date | None:
    """Returns the date that all of `text` is, or None.

    "9/24" is one only where the question asks for a date or a weekday stands beside it; it
    may be a page or a score. "4/6" may be the 4th of June: such a date is `uncertain`.
    """
    if len(text) > 60:
        return None
    weekday, rest = _split_weekday(" ".join(text.split()))
    asked = cues.asks_date(question)
    if re.fullmatch(r"\d+/\d+", rest) and cues.asks_expiry(question):
        # "05/27" on a card is a month and a year.
        asked = False
    if re.fullmatch(r"\d+\.\d+\.\d+", rest) and cues.mentions(question, "versions?|build"):
        asked = False
    date = _read_named(rest) or _read_numbers(rest, asked, weekday is not None)
    if date is None:
        return None
    return dataclasses.replace(date, weekday=weekday)


def _split_weekday(text: str) -> tuple[int | None, str]:
    found = _YEAR_FIRST.fullmatch(text)
    if found:
        return _weekday_of(found["weekday"]), f"{found['rest']}, {found['year']}"
    found = _BEFORE.fullmatch(text) or _AFTER.fullmatch(text)
    if found:
        return _weekday_of(found["weekday"]), found["rest"]
    return None, text


def _weekday_of(name: str) -> int:
    return [day[:3] for day in _WEEKDAYS].index(name[:3].capitalize())


def _read_named(text: str) -> Date | None:
    for pattern in _NAMED:
        found = pattern.fullmatch(text)
        if found:
            month = [name[:3] for name in _MONTHS].index(found["name"][:3].capitalize()) + 1
            parts = found.groupdict()
            year = parts.get("year") or parts.get("year2") or ""
            return _checked(month, int(found["day"]), year)
    return None


def _read_numbers(text: str, asked: bool, has_weekday: bool) -> Date | None:
    found = _ISO.fullmatch(text)
    if found:
        return _checked(int(found["second"]), int(found["third"]), found["year"])
    found = _DOTTED.fullmatch(text)
    if found:
        # "4.4.12" is a version as well.
        if not asked or (len(found["year"]) == 2 and int(found["second"]) <= 12):
            return None
        # With dots the day comes first wherever dots are in use.
        return _checked(int(found["first"]), int(found["second"]), found["year"])
    found = _SLASHED.fullmatch(text)
    if not found or not (asked or has_weekday):
        return None
    first, second, year = int(found["first"]), int(found["second"]), found["year"] or ""
    if not year and "-" in text:
        return None
    if first > 12:
        return _checked(second, first, year)
    return _checked(first, second, year, uncertain=second <= 12 and first != second)


def _checked(month: int, day: int, year: str, uncertain: bool = False) -> Date | None:
    # 2000 was a leap year: the 29th of February may stand without a year.
    if not 1 <= month <= 12 or not 1 <= day <= calendar.monthrange(2000, month)[1]:
        return None
    return Date(month, day, _full_year(year), None, uncertain)


def _full_year(year: str) -> str:
    if len(year) != 2:
        return year
    if int(year) in _THIS_CENTURY:
        return "20" + year
    return "19" + year if int(year) in _LAST_CENTURY else year


def names_month(text: str) -> bool:
    """Whether a sentence names a month; "may" in small letters is a verb."""
    return bool(_MONTH_NAMED.search(text))


_MONTH_NAMED = re.compile(rf"\b(?:{'|'.join([*_MONTHS, *(m[:3] for m in _MONTHS), 'Sept'])})\b")


def is_made_of(date: Date, parts: Sequence[str]) -> bool:
    """Whether all parts are parts of a date: "5", "Oct", "15" of October 5, 2015."""
    month = _MONTHS[date.month - 1]
    known = {month.lower(), month[:3].lower(), str(date.day), f"{date.day:02d}"}
    known |= {ordinals.nth(date.day), date.year, date.year[-2:], "sept" if date.month == 9 else ""}
    if date.weekday is not None:
        known |= {_WEEKDAYS[date.weekday].lower(), _WEEKDAYS[date.weekday][:3].lower()}
    return all(part.lower().strip(".,") in known - {""} for part in parts)


def join_parts(parts: Sequence[str]) -> Date | None:
    """Returns the date whose parts stand in boxes of their own, as in a date picker.

    ScreenQA 4.5 names "Oct.", "15", "2024"; Table 9 has "1999", "January", "1". The month must
    be a name, since three bare numbers could be in any order, and of two numbers the one with
    four digits is the year.
    """
    names = [part for part in parts if re.fullmatch(_MONTH, part, re.I | re.A)]
    days = [part for part in parts if re.fullmatch(r"\d{1,2}(?:st|nd|rd|th)?,?", part)]
    years = [part for part in parts if re.fullmatch(r"\d{4}", part)]
    weekdays = [part for part in parts if re.fullmatch(rf"{_WEEKDAY},?", part, re.I | re.A)]
    if len(names) != 1 or len(days) != 1 or len(years) > 1 or len(weekdays) > 1:
        return None
    if len(parts) != 2 + len(years) + len(weekdays):
        return None
    date = _read_named(" ".join([names[0], days[0].strip(","), *years]))
    if date is None or not weekdays:
        return date
    return dataclasses.replace(date, weekday=_weekday_of(weekdays[0]))


def date_forms(date: Date, question: str = "") -> list[str]:
    """Returns the forms of a date, those that the released lists hold most often first.

    The year stays: a date without it is less than what was asked for (the lists drop it in
    one of ten). A weekday is left out as well, unless the question asks for the day: the rest
    says it already (they do so in four of five).
    """
    if date.uncertain:
        return _uncertain_forms(date)
    long = _MONTHS[date.month - 1]
    plain = _named_forms(date, long)
    numeric = _numeric_forms(date)
    if date.weekday is None:
        return [*plain[:3], *_short_forms(date), *numeric[:2], *plain[3:], *numeric[2:]]
    day = _WEEKDAYS[date.weekday]
    ways = [f"{day}, {plain[0]}", f"{day}, {plain[1]}"]
    if not re.search(r"\bday\b", question, re.I | re.A):
        ways += plain[:3]
    short = _short_forms(date)
    ways += [f"{day}, {plain[2]}", *(f"{day[:3]}, {way}" for way in short)]
    return ways


def _named_forms(date: Date, month: str) -> list[str]:
    year = date.year
    with_comma, with_blank = (f", {year}", f" {year}") if year else ("", "")
    nth = ordinals.nth(date.day)
    ways = [
        f"{month} {date.day}{with_comma}",
        f"{month} {nth}{with_comma}",
        f"{date.day} {month}{with_blank}",
        f"{nth} {month}{with_blank}",
        f"{date.day} {month}{with_comma}",
        f"{nth} of {month}{with_comma}",
    ]
    return list(dict.fromkeys(ways))


def _short_forms(date: Date) -> list[str]:
    month = _MONTHS[date.month - 1]
    year = f", {date.year}" if date.year else ""
    return [f"{month[:3]} {date.day}{year}"] if month != "May" else []


def _numeric_forms(date: Date) -> list[str]:
    if not date.is_plain_in_numbers:
        return []
    year = f"/{date.year}" if date.year else ""
    ways = [f"{date.month}/{date.day}{year}", f"{date.month:02d}/{date.day:02d}{year}"]
    if len(date.year) == 4:
        ways.append(f"{date.month}/{date.day}/{date.year[2:]}")
    return list(dict.fromkeys(ways))


def _uncertain_forms(date: Date) -> list[str]:
    """Returns numbers in the given order only; which one is the month is not for us to say."""
    year = f"/{date.year}" if date.year else ""
    short = f"/{date.year[2:]}" if len(date.year) == 4 else ""
    ways = [
        f"{date.month}/{date.day}{year}",
        f"{date.month:02d}/{date.day:02d}{year}",
        *([f"{date.month}/{date.day}{short}"] if short else []),
    ]
    return list(dict.fromkeys(ways))


def forms(answer: str, question: str) -> list[str]:
    """Returns the forms of an answer that is a date; [] for others."""
    date = read_date(answer, question)
    return [answer, *date_forms(date, question)] if date else []


_NAME_ALONE = re.compile(rf"(?:(?:on|in) )?(?:{_MONTH}|(?P<weekday>{_WEEKDAY}))", re.I | re.A)


def name_forms(answer: str, question: str) -> list[str]:
    """Returns the forms of an answer that is the name of a month or weekday; [] for others.

    "Sun" and "May" are words of their own, so the question must ask for the one or the other.
    """
    found = _NAME_ALONE.fullmatch(answer)
    if not found or not re.search(r"\b(?:day|weekday|date|month|when)\b", question, re.I | re.A):
        return []
    names = _WEEKDAYS if found["weekday"] else _MONTHS
    given = found["weekday"] or found["name"]
    name = next(name for name in names if name[:3].lower() == given[:3].lower())
    return [answer, name]
