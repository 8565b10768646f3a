"""Times of day in the forms that the released answers show."""

import dataclasses
import re

from transforms.short_answers.rules import cues

_ZONES = {
    f"{letter}{kind}T": f"{name} {word} Time"
    for letter, name in zip("ECMP", ("Eastern", "Central", "Mountain", "Pacific"), strict=True)
    for kind, word in (("S", "Standard"), ("D", "Daylight"))
}
_ZONE = "|".join([*_ZONES, *_ZONES.values(), "GMT", "UTC", "ET", "CT", "MT", "PT"])
TIME = (
    r"(?P<hour>\d{1,2})(?: ?: ?(?P<minute>[0-5]\d))?(?::(?P<second>[0-5]\d))?"
    r"(?P<clock> ?o'clock)?(?P<gap> ?)(?P<half>[ap]\.?m\.?)?"
)
"""A time of day; whether its parts fit one another is for `read_time` to see."""

_WHOLE = re.compile(rf"{TIME}(?:[ /](?:in )?(?P<zone>{_ZONE}))?", re.I | re.A)


@dataclasses.dataclass(frozen=True)
class Time:
    """A time of day.

    Attributes:
        hour: From 0 to 23; from 0 to 12 where `half` is unknown.
        minute: From 0.
        second: From 0; None where seconds were not said.
        half: "AM" or "PM"; "" where nothing tells.
        zone: As it was written, "" without one.
    """

    hour: int
    minute: int
    second: int | None = None
    half: str = ""
    zone: str = ""


def read_time(text: str, question: str) -> Time | None:
    """Returns the time that all of `text` is, or None.

    Without am or pm "8:05" is one only where the question asks for a time, and it stays
    without: twelve hours are not both halves of the day. 13:00 and later tell their half.
    """
    found = _WHOLE.fullmatch(text) if len(text) <= 60 else None
    if not found or (found["minute"] is None and not found["half"] and not found["clock"]):
        return None
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    second = int(found["second"]) if found["second"] else None
    half = (found["half"] or "").upper().replace(".", "")
    if half:
        # "18:29 PM" and "00:46 am" occur: the hour tells, am or pm repeats it.
        if hour > 23 or (hour > 12 and half == "AM") or (hour == 0 and half == "PM"):
            return None
    elif hour > 23 or not (found["clock"] or cues.asks_time(question)):
        return None
    return _settled(hour, minute, second, half, found["zone"] or "")


def _settled(hour: int, minute: int, second: int | None, half: str, zone: str) -> Time:
    if half == "PM" and hour < 12:
        hour += 12
    elif half == "AM" and hour == 12:
        hour = 0
    elif not half and hour > 12:
        half = "PM"
    elif not half and hour == 0:
        half = "AM"
    return Time(hour, minute, second, half, zone)


def time_forms(time: Time) -> list[str]:
    """Returns the forms of a time; the released lists hold "PM" and "p.m." nearly always."""
    second = "" if time.second is None else f":{time.second:02d}"
    minute = f":{time.minute:02d}{second}"
    if not time.half:
        ways = [f"{time.hour}{minute}", f"{time.hour:02d}{minute}"]
        return list(dict.fromkeys(way + zone for zone in zone_forms(time.zone) for way in ways))
    hour = time.hour % 12 or 12
    dotted = "a.m." if time.half == "AM" else "p.m."
    ways = [f"{hour}{minute} {time.half}", f"{hour}{minute} {dotted}"]
    if time.minute == 0 and time.second is None:
        ways += [f"{hour} {time.half}", f"{hour} {dotted}"]
    ways.append(f"{hour}{minute} {time.half.lower()}")
    if time.hour == 0 or time.hour > 12:
        # "08:00" could be the evening's; "20:00" could not.
        ways.append(f"{time.hour:02d}{minute}")
    return [way + zone for way in ways for zone in zone_forms(time.zone)]


def zone_forms(zone: str) -> list[str]:
    """Returns what follows a time: its zone's code and its name, [""] without one."""
    if not zone:
        return [""]
    codes = {name.lower(): code for code, name in _ZONES.items()}
    other = _ZONES.get(zone.upper()) or codes.get(zone.lower())
    return [f" {zone}", *([f" {other}"] if other else [])]


def forms(answer: str, question: str) -> list[str]:
    """Returns the forms of an answer that is a time of day; [] for others."""
    time = read_time(answer, question)
    if time is None:
        return []
    return [answer, *time_forms(time)]
