"""Quantities with a unit: short and long names, and the unit left out where it was asked for."""

import re

from transforms.short_answers.rules import cues, numbers

_UNITS = {
    "meter": ("m", "metre"),
    "kilometer": ("km", "kms", "kilometre"),
    "centimeter": ("cm", "cms", "centimetre"),
    "millimeter": ("mm", "millimetre"),
    "mile": ("mi",),
    "inch": ("in", "inches"),
    "foot": ("ft", "feet"),
    "yard": ("yd", "yds"),
    "gram": ("g", "gm", "gms"),
    "kilogram": ("kg", "kgs"),
    "milligram": ("mg",),
    "pound": ("lb", "lbs"),
    "ounce": ("oz",),
    "liter": ("L", "l", "litre"),
    "milliliter": ("ml", "mL"),
    "teaspoon": ("tsp",),
    "tablespoon": ("tbsp",),
    "kilobyte": ("KB", "kB"),
    "megabyte": ("MB",),
    "gigabyte": ("GB",),
    "terabyte": ("TB",),
    "calorie": ("cal", "Cal", "cals"),
    "kilocalorie": ("kcal",),
    "millisecond": ("ms",),
    "hertz": ("Hz",),
    "kilohertz": ("kHz", "KHz"),
    "megahertz": ("MHz",),
    "volt": ("V",),
    "pixel": ("px",),
    "mile per hour": ("mph",),
    "kilometer per hour": ("km/h", "kmh", "kph", "kmph"),
    "meter per second": ("m/s",),
    "megabit per second": ("Mbps", "Mb/s"),
    "kilobit per second": ("kbps", "kb/s"),
    "megabyte per second": ("MB/s",),
    "kilobyte per second": ("KB/s",),
    "frame per second": ("fps", "FPS"),
    "beat per minute": ("bpm", "BPM"),
    "decibel": ("dB",),
    "percent": ("%", "per cent"),
    "degree": ("°", "º"),
    "degree Fahrenheit": ("°F", "° F", "º F", "ºF", "℉"),
    "degree Celsius": ("°C", "° C", "º C", "ºC", "℃"),
}
"""Names, and their short forms with the usual one first. Case tells megabits from megabytes.
A bare F or C is none: "4 C" may be a seat."""

_PLURALS = {"inch": "inches", "foot": "feet", "percent": "percent"} | {
    name: name for name in _UNITS if name.endswith("hertz")
}
_WEIGHT = r"weigh\w*|lbs?|heav\w+|mass|load|lift\w*|lose|loss|lost|gain\w*"
_TIGHT = {"%", "°", "°F", "°C"}


def _plural(name: str) -> str:
    first, blank, rest = name.partition(" ")
    return _PLURALS.get(first, first + "s") + blank + rest


_NAME_OF = {
    spelling: name
    for name, short in _UNITS.items()
    for spelling in (name, _plural(name), *short, *(s + "s" for s in short if s.endswith("tre")))
}
# "LBS" and "MPH" say what "lbs" and "mph" do; "KBPS" may be bits or bytes.
_NAME_OF_FOLDED = {
    spelling.lower(): name
    for spelling, name in _NAME_OF.items()
    if len(spelling) > 2 and not re.search(r"b(?:ps|/s)$", spelling, re.I | re.A)
}
_QUANTITY = re.compile(
    rf"(?P<number>[-+−]?(?:{numbers.DIGITS})|[a-z]+(?:-[a-z]+)?)"
    r"(?P<gap>[ -]?)(?P<unit>[^\d\s,][^\d,]{0,24})",
    re.I | re.A,
)


def read_quantity(text: str) -> tuple[str, str] | None:
    """Returns a number, in digits or words, and the name of its unit, or None."""
    found = _QUANTITY.fullmatch(text) if len(text) <= 80 else None
    if not found:
        return None
    number, unit = found["number"], found["unit"].rstrip(".")
    name = _NAME_OF.get(unit) or _NAME_OF_FOLDED.get(unit.lower())
    if name is None or (number[0].isalpha() and numbers.read_words(number) is None):
        return None
    return number, name


def forms(answer: str, question: str) -> list[str]:
    """Returns the forms of an answer that is a quantity with a unit; [] for others.

    The unit is left out only where the question names it.
    """
    read = read_quantity(answer)
    if read is None:
        return _percent_forms(answer, question)
    number, name = read
    if name == "meter" and answer.endswith("m") and not _is_metre(question):
        return []
    # Pounds are money as well.
    if name == "pound" and "pound" in answer.lower() and not cues.mentions(question, _WEIGHT):
        return []
    # Pressure is in millibars, which are "mb" too.
    if name == "megabyte" and cues.mentions(question, "pressure"):
        return []
    return [answer, *_quantity_forms(number, name, question)]


def _is_metre(question: str) -> bool:
    """Whether "m" is metres: not minutes of a length of time, nor millions of a count."""
    if cues.mentions(question, "met(?:er|re)s?|distance|far|tall|height|depth|altitude"):
        return True
    timed = cues.asks_length(question) or cues.asks_time(question)
    return not timed and not cues.mentions(question, "how many|number|count|total")


def _quantity_forms(number: str, name: str, question: str) -> list[str]:
    value = numbers.read_words(number) if number[0].isalpha() else None
    digits = number if value is None else str(value)
    short = _UNITS[name][0]
    ways = []
    for way in numbers.without_zeros(digits):
        ways += [f"{way}{'' if short in _TIGHT else ' '}{short}", _long(way, name)]
    if _is_asked(name, question):
        ways += numbers.without_zeros(digits)
    if digits.isdigit() and int(digits) <= (100 if name == "percent" else 20):
        ways.append(_long(numbers.spell(int(digits))[0], name, int(digits) == 1))
    if short not in _TIGHT and len(short) <= 4:
        ways.append(f"{digits}{short}")
    ways += [_long(way, name) for way in numbers.separated(digits)[1:]]
    return ways


def _percent_forms(answer: str, question: str) -> list[str]:
    """Returns the forms of a bare number after a question for a percentage."""
    if numbers.read_digits(answer) is None or not cues.mentions(question, r"percent(?:age)?"):
        return []
    return [answer, f"{answer}%", f"{answer} percent"]


def _long(number: str, name: str, single: bool = False) -> str:
    return f"{number} {name if single or number.lstrip('-+−') == '1' else _plural(name)}"


def _is_asked(name: str, question: str) -> bool:
    """Whether the question names the unit, so that the number alone will do."""
    if name.startswith("degree"):
        return cues.mentions(question, "temperature|degrees?|setpoint|angle")
    if name == "percent":
        return "%" in question or cues.mentions(question, r"percent\w*|level|battery|humidity")
    short = _UNITS[name]
    spellings = [name, _plural(name), *short, *(f"{way}s" for way in short)]
    return cues.mentions(question, "|".join(map(re.escape, spellings)))
