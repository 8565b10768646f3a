"""A date with a time of day, and spans from one to another."""

import dataclasses
import re

from transforms.short_answers.rules.dates import date_forms, read_date
from transforms.short_answers.rules.times import TIME, Time, read_time, time_forms, zone_forms

_DATE_FIRST = re.compile(
    rf"(?P<date>.{{3,40}}?)(?:,? at |, | - | \| | )(?P<time>{TIME})", re.I | re.A
)
_TIME_FIRST = re.compile(rf"(?P<time>{TIME})(?:,? on |, | - | )(?P<date>.{{3,40}})", re.I | re.A)
_SPAN = re.compile(
    r"(?:from |between )?(?P<first>.{1,30}?)(?: ?[-–—] ?| to | until | and )(?P<last>.{1,30})",
    re.I | re.A,
)


def forms(answer: str, question: str) -> list[str]:
    """Returns the forms of an answer that is a date with a time; [] for others."""
    if len(answer) > 80:
        return []
    for pattern in (_DATE_FIRST, _TIME_FIRST):
        found = pattern.fullmatch(answer)
        date = read_date(found["date"], "date") if found else None
        time = read_time(found["time"], "time") if found else None
        if date is not None and time is not None:
            named = date_forms(date, question)
            clock = time_forms(time)
            return [
                answer,
                f"{named[0]} at {clock[0]}",
                f"{named[0]}, {clock[0]}",
                f"{named[0]} {clock[0]}",
                *([f"{named[0]} - {clock[0]}"] if " - " in answer else []),
                f"{named[0]}, at {clock[0]}",
                f"{clock[0]} on {named[0]}",
                f"{clock[0]}, {named[0]}",
                *(f"{way} at {clock[0]}" for way in named[1:2]),
                *(f"{named[0]} at {way}" for way in clock[1:2] if time.half),
            ]
    return []


def span_forms(answer: str, question: str) -> list[str]:
    """Returns the forms of an answer that is a span of times of day; [] for others.

    Both ends must say their half of the day, or be on the 24-hour clock.
    """
    ends = _read_span(answer)
    if ends is None:
        return []
    zone = ends[1].zone
    first, last = (dataclasses.replace(end, zone="") for end in ends)
    zones = zone_forms(zone)
    # On the hour, "9 AM" follows "9:00 AM" and "9:00 a.m."; both ends are written alike.
    count = 4 if first.minute == last.minute == 0 and first.second == last.second else 2
    ways = [answer]
    for start, end in zip(time_forms(first)[:count], time_forms(last)[:count], strict=True):
        ways += [f"{start} to {end}", f"{start} - {end}", f"from {start} to {end}"]
    ways.append(f"between {time_forms(first)[0]} and {time_forms(last)[0]}")
    if not zone:
        return ways
    return [answer, *(way + ending for way in ways[1:7] for ending in zones)]


def _read_span(text: str) -> tuple[Time, Time] | None:
    found = _SPAN.fullmatch(text) if len(text) <= 80 else None
    if not found:
        return None
    first = read_time(found["first"].strip(), "")
    last = read_time(found["last"].strip(), "")
    if first is None or last is None or not (first.half and last.half):
        return None
    # "6:00 PM and 9:30 AM" is two times, not a span.
    if (" and " in text) != text.lower().startswith("between "):
        return None
    return (first, last) if first.zone in ("", last.zone) else None
