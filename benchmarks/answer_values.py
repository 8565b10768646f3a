"""What a short answer says, whatever its form: the judge of `rules_recovery.py`.

Written apart from the rules that it judges and sharing no code or table with them: an answer
is read to a value (a date, seconds, a decimal, a bag of list items, a bare text), and two
answers are the same when one reading of each agrees and nothing that both state differs. It
is more lenient than the rules on purpose (it reads forms that they never write, and takes
words of the question for optional), since it must also group what people and models wrote.
"""

import dataclasses
import re
import unicodedata
from collections.abc import Iterator, Sequence
from decimal import Decimal

MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = dict(
    zip(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"],
        range(20, 100, 10),
        strict=True,
    )
)
_NTH = [
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
_SCALES = {
    "k": 1000,
    "thousand": 1000,
    "m": 10**6,
    "million": 10**6,
    "b": 10**9,
    "billion": 10**9,
    "crore": 10**7,
    "lakh": 10**5,
}
_UNITS = {
    "second": "s sec secs",
    "minute": "min mins m",
    "hour": "h hr hrs",
    "day": "d",
    "week": "wk wks",
    "month": "mo mos",
    "year": "y yr yrs",
    "millisecond": "ms msec",
    "kilometer": "km kms kilometre kilometres",
    "meter": "m mtr mtrs metre metres",
    "centimeter": "cm cms centimetre centimetres",
    "millimeter": "mm millimetre millimetres",
    "mile": "mi",
    "foot": "ft feet",
    "inch": 'in inches "',
    "yard": "yd yds",
    "kilogram": "kg kgs kilo kilos",
    "gram": "g gm gms gr",
    "milligram": "mg",
    "pound": "lb lbs",
    "ounce": "oz",
    "liter": "l litre litres",
    "milliliter": "ml",
    "byte": "b",
    "kilobyte": "kb",
    "megabyte": "mb",
    "gigabyte": "gb",
    "terabyte": "tb",
    "bit": "bits",
    "calorie": "cal cals",
    "kilocalorie": "kcal",
    "hertz": "hz",
    "kilohertz": "khz",
    "megahertz": "mhz",
    "volt": "v",
    "watt": "w",
    "mile/hour": "mph",
    "kilometer/hour": "kmh kph km/h kmph",
    "meter/second": "m/s",
    "pixel": "px",
    "teaspoon": "tsp",
    "tablespoon": "tbsp",
    "beats/minute": "bpm",
    "frames/second": "fps",
    "percent": "% pct",
    "dollar": "$ usd us$",
    "cent": "¢",
    "euro": "€ eur",
    "poundsterling": "£ gbp",
    "rupee": "₹ rs inr",
    "yen": "¥ jpy",
    "degree": "° º deg",
    "celsius": "°c ℃ c centigrade",
    "fahrenheit": "°f ℉ f",
    "kilobit": "kbit",
    "millibar": "mb mbar",
    "decibel": "db",
    "megabit": "mbit",
    "microtesla": "µt μt ut",
    "kilobit/second": "kbps kb/s",
    "megabit/second": "mbps mb/s",
    "astronomicalunit": "au",
    "star": "★",
}
_UNIT_OF: dict[str, set[str]] = {}
for _name, _others in _UNITS.items():
    for _spelling in [_name, _name + "s", *_others.split()]:
        _UNIT_OF.setdefault(_spelling, set()).add(_name)
MONEY = {"dollar", "euro", "poundsterling", "rupee", "yen", "cent"}
_SECONDS = {
    "second": 1,
    "minute": 60,
    "hour": 3600,
    "day": 86400,
    "week": 604800,
    "month": 2629800,
    "year": 31557600,
    "millisecond": Decimal("0.001"),
}
_ON = {
    "on",
    "enabled",
    "activated",
    "turned on",
    "switched on",
    "checked",
    "ticked",
    "selected",
    "active",
}
_OFF = {
    "off",
    "disabled",
    "deactivated",
    "turned off",
    "switched off",
    "unchecked",
    "unticked",
    "unselected",
    "not selected",
    "not enabled",
    "not checked",
    "deselected",
    "inactive",
    "not on",
    "not activated",
}
_STATES = (
    "AL=Alabama AK=Alaska AZ=Arizona AR=Arkansas CA=California CO=Colorado CT=Connecticut "
    "DE=Delaware FL=Florida GA=Georgia HI=Hawaii ID=Idaho IL=Illinois IN=Indiana IA=Iowa "
    "KS=Kansas KY=Kentucky LA=Louisiana ME=Maine MD=Maryland MA=Massachusetts MI=Michigan "
    "MN=Minnesota MS=Mississippi MO=Missouri MT=Montana NE=Nebraska NV=Nevada "
    "NH=New_Hampshire NJ=New_Jersey NM=New_Mexico NY=New_York NC=North_Carolina "
    "ND=North_Dakota OH=Ohio OK=Oklahoma OR=Oregon PA=Pennsylvania RI=Rhode_Island "
    "SC=South_Carolina SD=South_Dakota TN=Tennessee TX=Texas UT=Utah VT=Vermont VA=Virginia "
    "WA=Washington WV=West_Virginia WI=Wisconsin WY=Wyoming"
)
_STATE_OF = {
    code.lower(): name.replace("_", " ").lower()
    for code, _, name in (pair.partition("=") for pair in _STATES.split())
}
_FILLER = {"a", "an", "the", "of", "at", "in", "is", "for", "to", "with", "and", "from", "by", "on"}
_ASKS_LENGTH = re.compile(r"\b(duration|length|long|last|lasts|left|remaining|elapsed|timer)\b")
_ASKS_DATE = re.compile(r"\b(date|dates|day|when|birthday|dob|expir\w+|until)\b")


@dataclasses.dataclass(frozen=True)
class Reading:
    """One way to take an answer.

    Attributes:
        kind: What the answer is taken for.
        value: What it must share with another to be the same.
        stated: What it may leave unsaid (year, weekday, am or pm, unit), in fixed places.
    """

    kind: str
    value: tuple[object, ...]
    stated: tuple[str | None, ...] = ()

    def agrees(self, other: "Reading") -> bool:
        """Whether both say the same, as far as both say it."""
        return (self.kind, self.value) == (other.kind, other.value) and all(
            a is None or b is None or a == b for a, b in zip(self.stated, other.stated, strict=True)
        )


def same_value(first: str, second: str, question: str) -> Reading | None:
    """Returns the reading of `first` that agrees with one of `second`, or None."""
    others = list(readings(second, question))
    for reading in readings(first, question):
        if any(reading.agrees(other) for other in others):
            return reading
    return None


def readings(text: str, question: str) -> Iterator[Reading]:
    """Yields the ways to take an answer, the most telling first."""
    plain = _plain(text)
    asked = _plain(question)
    special = [
        *_moments(plain, asked),
        *_spans(plain),
        *_durations(plain, asked),
        *_quantities(plain, asked),
        *_phones(plain),
    ]
    yield from special
    name = re.fullmatch(r"(?:on |in |the )*([a-z]{3,9})\.?", plain)
    if name and name[1][:3] in MONTHS + DAYS:
        yield Reading("weekday or month", (name[1][:3],))
    if plain in _ON | _OFF:
        yield Reading("on/off", (plain in _ON,))
    if not special:
        yield from _lists(plain, asked)
    yield Reading("quotes", (" ".join(re.sub(r'"', "", _straight(text)).split()),))
    yield Reading("case", (plain,))
    yield Reading("place", (_expand_states(plain),))
    bare = _without_asked(plain, asked)
    if bare:
        yield Reading("descriptor", (bare,))


def _straight(text: str) -> str:
    text = unicodedata.normalize("NFC", text)
    return re.sub(r"[“”„‟″]|''", '"', re.sub(r"[‘’‛′]", "'", text))


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", _straight(text)).casefold().replace('"', " ")
    return " ".join(text.split()).rstrip(" .").strip()


def _stem(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s"):
        word = word[:-1]
    return word[:-2] + "y" if len(word) > 4 and word.endswith("ie") else word


def _without_asked(plain: str, asked: str) -> str:
    known = {_stem(w) for w in re.findall(r"[\w']+", asked)} | _FILLER
    return " ".join(w for w in re.findall(r"[\w'.+#-]+", plain) if _stem(w) not in known)


# Dates and clock times

_CLOCK = re.compile(
    r"(?<![\d:.])(\d{1,2})(?: ?: ?(\d\d))?(?: ?: ?(\d\d))?(?: ?(o'clock))?"
    r"(?: ?([ap])\.?\s?m?\b\.?)?(?: ?(noon))?(?![\d:/])"
)


def _zone(plain: str) -> tuple[str, str | None]:
    found = re.search(
        r"\b(?:in )?((eastern|central|mountain|pacific) (?:(daylight|standard) )?time)\b", plain
    )
    if found:
        name = found[2][0] + (found[3][0] if found[3] else "") + "t"
        return (plain[: found.start()] + plain[found.end() :]).strip(), name
    found = re.search(r"[ /](?:in )?([ecmp][ds]?t|gmt|utc|ist|cet)\b", plain)
    if found:
        return (plain[: found.start()] + plain[found.end() :]).strip(), found[1]
    return plain, None


def _moments(plain: str, asked: str) -> Iterator[Reading]:
    rest, zone = _zone(plain)
    for clock in [None, *_CLOCK.finditer(rest)]:
        time = None if clock is None else _time_of(clock)
        if clock is not None and time is None:
            continue
        left = rest if clock is None else rest[: clock.start()] + " " + rest[clock.end() :]
        left = re.sub(r"\bat\b|[|]| - | -$|^- ", " ", left).strip(" ,-") if clock else left
        if clock is not None and not re.sub(r"\b(at|by|in|the|o'clock)\b|[ ,.]", "", left):
            yield Reading("time", time[0], (*time[1], zone))
        for date, stated in _dates(left, asked):
            if clock is None:
                yield Reading("date", date, stated)
            else:
                yield Reading("date and time", (*date, *time[0]), (*stated, *time[1], zone))


def _time_of(match: re.Match[str]) -> tuple[tuple[object, ...], tuple[str | None, ...]] | None:
    if match[2] is None and match[4] is None and match[5] is None:
        return None
    hour, minute, second = int(match[1]), int(match[2] or 0), int(match[3] or 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    half = match[5] and match[5] + "m"
    if half is None and (hour > 12 or hour == 0):
        half = "pm" if hour > 12 else "am"
    return (hour % 12, minute, second), (half,)


def _dates(text: str, asked: str) -> Iterator[tuple[tuple[object, ...], tuple[str | None, ...]]]:
    weekday = None
    text = re.sub(r"\((.*?)\)", r" \1 ", text)
    found = re.search(r"\b(mon|tue|wed|thu|fri|sat|sun)[a-z]*\b\.?", text)
    if found and not re.match(r"month", found[0]):
        weekday = found[1]
        text = text[: found.start()] + " " + text[found.end() :]
    for nth, word in enumerate(_NTH, 1):
        text = re.sub(rf"\b{word}\b", str(nth), text)
    text = re.sub(r"(\d)(st|nd|rd|th)\b", r"\1", text)
    text = " ".join(re.sub(r"\b(the|of|on|day|date)\b|,", " ", text).split()).strip(" -")
    names = "|".join(MONTHS)
    month = rf"({names})[a-z]*\.?"
    for pattern, order in (
        (rf"{month} ?(\d{{1,2}})(?: (\d{{4}}|'?\d\d))?", "mdy"),
        (rf"(\d{{1,2}})[ -]?{month}(?:[ -](\d{{4}}|'?\d\d))?", "dmy"),
        (rf"(\d{{4}}) {month} (\d{{1,2}})", "ymd"),
        (r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})", "ymd"),
        (r"(\d{1,2})[/-](\d{1,2})[/-](\d{4}|\d\d)", "mdy"),
        (r"(\d{1,2})\.(\d{1,2})\.(\d{4}|\d\d)", "dmy"),
        (r"(\d{1,2})/(\d{1,2})", "mdy"),
    ):
        match = re.fullmatch(pattern, text)
        if match is None:
            continue
        parts = dict(zip(order, match.groups(), strict=False))
        if "/" in text and parts.get("y") is None and not (weekday or _ASKS_DATE.search(asked)):
            continue
        yield from _checked_date(parts, weekday)


def _checked_date(
    parts: dict[str, str], weekday: str | None
) -> Iterator[tuple[tuple[object, ...], tuple[str | None, ...]]]:
    m = parts["m"]
    month = MONTHS.index(m[:3]) + 1 if m[:3] in MONTHS else int(m)
    day = int(parts["d"])
    if month > 12 and day <= 12:
        month, day = day, month
    if 1 <= month <= 12 and 1 <= day <= 31:
        year = parts.get("y")
        yield (month, day), (year and year[-2:], weekday)


def _spans(plain: str) -> Iterator[Reading]:
    ends = re.fullmatch(r"(?:from |between )?(.{1,40}?)(?: ?[-–—] ?| to | and )(.{1,40})", plain)
    if not ends or (" and " in plain and not plain.startswith("between")):
        return
    for first in _moments(ends[1], ""):
        for last in _moments(ends[2], ""):
            if first.kind == last.kind == "time":
                yield Reading("time span", first.value + last.value, (*first.stated, *last.stated))


# Lengths of time


def _durations(plain: str, asked: str) -> Iterator[Reading]:
    text = _digits_for_words(plain)
    colon = re.fullmatch(
        r"(?:(\d+) ?: ?)?(\d{1,3}) ?: ?(\d\d)(?: (?:seconds|minutes|hours|min|secs?))?", text
    )
    if colon and _ASKS_LENGTH.search(asked):
        hours, minutes, seconds = (int(g or 0) for g in colon.groups())
        yield Reading("duration", (Decimal(hours * 3600 + minutes * 60 + seconds),), (None,))
    text = re.sub(r"^(for|in|about|after) ", "", text)
    tail = re.search(r" (ago|back|left|remaining|long|old)$", text)
    if tail:
        text = text[: tail.start()]
    total = Decimal(0)
    seen = 0
    for part in re.split(r",? and |, | (?=\d)", text):
        match = re.fullmatch(r"(-?\d[\d,]*(?:\.\d+)?|-?\.\d+) ?([a-z]+)\.?", part)
        units = _UNIT_OF.get(match[2], set()) & _SECONDS.keys() if match else set()
        if not units or match is None:
            return
        total += Decimal(match[1].replace(",", "")) * _SECONDS[min(units)]
        seen += 1
    if seen:
        state = tail[1] if tail and tail[1] in ("ago", "back", "old") else None
        yield Reading("duration", (total.normalize(),), ("ago" if state == "back" else state,))


# Numbers with and without units


def _number_words(words: Sequence[str]) -> int | None:
    total = group = 0
    for word in words:
        if word in _SMALL:
            group += _SMALL.index(word)
        elif word in _TENS:
            group += _TENS[word]
        elif word == "hundred":
            group = (group or 1) * 100
        elif word in ("thousand", "million", "billion"):
            total += (group or 1) * _SCALES[word]
            group = 0
        elif word != "and":
            return None
    return total + group


def _digits_for_words(text: str) -> str:
    names = "|".join(sorted([*_SMALL, *_TENS, "hundred"], key=len, reverse=True))
    run = rf"\b(?:{names})\b(?:(?:-|,? and |, | )(?:{names}|thousand|million)\b)*"

    def digits(match: re.Match[str]) -> str:
        value = _number_words(re.findall(r"[a-z]+", match[0].replace("-", " ")))
        return match[0] if value is None else str(value)

    text = re.sub(run, digits, text.replace("fourty", "forty"))
    text = re.sub(r"(\d+) point (\d+(?: \d)*)", lambda m: f"{m[1]}.{m[2].replace(' ', '')}", text)
    text = re.sub(r"\b(\d+) (?:and a half|and 1/2|1/2)", r"\1.5", text)
    text = re.sub(r"\b1/2|½|\bhalf(?: an?)?\b", "0.5", text)
    return re.sub(r"\b(1/4|a quarter|one quarter)\b|¼", "0.25", text)


_NUMBER = re.compile(
    r"(?<![\w.])([-+]?)(\d[\d,]*(?:\.\d+)?|\.\d+)"
    r"(?: ?(k|m|b|thousand|million|billion|crore|lakh)\b)?(\+?)"
)
_CURRENCY_FIRST = re.compile(
    r"([$€£₹¥]|\brs\.?|\b(?:usd|eur|inr|us\$)) ?([-+]?\d[\d,.]*\d|\d)(?: ?(k|m)\b)?"
)
_MORE = r"\b(?:over|more than|above|greater than|or more)\b"


def _with_digits(plain: str) -> str:
    """Returns a text whose numbers, ordinals and words for nothing are digits."""
    text = re.sub(r"\b(minus|negative) ?", "-", _digits_for_words(plain))
    text = re.sub(r"^(no|none|no one|nothing)\b(?! \.)", "0", text) if len(text) < 40 else text
    text = re.sub(r"^(a single|a|an|single) (?=[a-z])", "1 ", text)
    text = " ".join(_CURRENCY_FIRST.sub(r" \2 \3 \1 ", text).split())
    text = re.sub(r"(\d)(st|nd|rd|th)\b", r"\1", text)
    for nth, word in enumerate(_NTH, 1):
        text = re.sub(rf"\b{word}\b", str(nth), text)
    cents = re.fullmatch(r"(?:(\d+) (dollar|euro)s? (?:and )?)?(\d+) cents?", text)
    return f"{cents[1] or 0}.{int(cents[3]):02d} {cents[2] or 'dollar'}" if cents else text


def _quantities(plain: str, asked: str) -> Iterator[Reading]:
    text = _with_digits(plain)
    found = _NUMBER.search(text)
    if not found or re.search(r"\d:\d", text):
        return
    before, after = text[: found.start()], text[found.end() :]
    scale = None
    out_of = re.match(r" ?(?:out of|of|/) ?(\d+(?:\.\d+)?)", after)
    if out_of:
        scale, after = str(Decimal(out_of[1]).normalize()), after[out_of.end() :]
    rest = f"{before} {after}"
    if re.search(r"\d", rest):
        return
    more = "+" if found[4] or re.search(_MORE, rest) else None
    rest = re.sub(_MORE, " ", rest)
    value = Decimal(found[2].replace(",", ""))
    ways = [(value, f"{found[3] or ''} {rest}")]
    if found[3]:
        ways.insert(0, (value * _SCALES[found[3]], rest))
    for number, words in ways:
        for unit in _units_of(words, asked):
            signed = ("-" if found[1] == "-" else "", number.normalize())
            yield Reading("quantity", signed, (unit, scale, more))


def _units_of(rest: str, asked: str) -> list[str | None]:
    """Returns the units that the words beside a number may be; [] if they are something else.

    Words of the question are as good as absent; [None] if nothing else is there.
    """
    known = {_stem(w) for w in re.findall(r"[\w']+", asked)} | _FILLER | {"rating"}
    rest = re.sub(r"\b(u\.?s\.? ?)?dollars?\b", "dollar", rest)
    rest = re.sub(r"\bper (hour|second|minute)", r"/\1", rest)
    rest = rest.replace("s /", "/").replace(" /", "/")
    rest = rest if re.search(r"[°º] ?[cf]\b", rest) else re.sub(r"°|º", " ° ", rest)
    units: set[str] = set()
    for word in re.findall(r"[°º℃℉] ?[cf]?|[%$€£₹¥★]|[\w'/.µμ]+", rest):
        word = word.replace(" ", "").rstrip(".")
        if word in _UNIT_OF:
            units |= _UNIT_OF[word]
        elif word and _stem(word) not in known:
            return []
    if {"celsius", "fahrenheit"} & units:
        units -= {"degree"}
    return sorted(units) or [None]


def _phones(plain: str) -> Iterator[Reading]:
    digits = re.sub(r"\D", "", plain)
    if len(digits) >= 10 and re.fullmatch(r"\+?[\d ().\-/]+", plain):
        yield Reading("phone", (digits[-10:],), (digits[:-10] or None,))


# Lists and texts


def _expand_states(plain: str) -> str:
    return re.sub(r", ([a-z]{2})\b", lambda m: f", {_STATE_OF.get(m[1], m[1])}", plain)


def _lists(plain: str, asked: str) -> Iterator[Reading]:
    items = [i.strip(" .") for i in re.split(r"[,;&/\n]|\band\b|\bor\b", plain)]
    items = [re.sub(r"^(the|a|an) ", "", i) for i in items if i]
    if len(items) > 1:
        yield Reading("list", tuple(sorted(items)))
        bare = [_without_asked(i, asked) for i in items]
        if all(bare):
            yield Reading("list", tuple(sorted(bare)))
