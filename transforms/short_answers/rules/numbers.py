"""Numbers as digits and as words, with and without thousands separators."""

import re
from decimal import Decimal

from transforms.short_answers.rules import cues

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
_TENS = ["_", "_", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SCALES = ((10**9, "billion"), (10**6, "million"), (1000, "thousand"), (100, "hundred"))
_LETTERS = {"k": 1000, "m": 10**6, "b": 10**9}
_WORDS = {word: value for value, word in enumerate(_SMALL)} | {
    word: value * 10 for value, word in enumerate(_TENS) if word != "_"
}

DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
"""A number in digits. "1,1" is none: it is a list of two."""

MAX_SPELLED = 100
"""Largest number that is written out. Of the released lists (even images) 82 % write out a
count up to 10, a quarter one up to 99, one in twelve one up to 999."""

MAX_SMALL = 20
"""Largest number that is written out where it is not said to be a count."""

_MAX_DIGITS = 12
_SIGNED = re.compile(rf"(?:[-−]|minus |negative )({DIGITS})", re.I | re.A)
# What may follow a number and make another of it: "four point three", "2 and a half", "4 1/2".
_SCALED = re.compile(
    r"(?:hundred|thousand|million|billion|[kmb]|lakh|crore|dozen|point|and|to|or|½|\d)\b",
    re.I | re.A,
)
_ABBREVIATED = re.compile(rf"({DIGITS}) ?(k|m|b|thousand|million|billion)(\+?)", re.I | re.A)


def spell(value: int) -> list[str]:
    """Returns the ways to write out a number below 10^12, the usual one first.

    The ways differ in "and" after the hundreds only: "one hundred and five".
    """
    return list(dict.fromkeys((_spell(value, " and "), _spell(value, " "))))


def _spell(value: int, joiner: str) -> str:
    if value < 20:
        return _SMALL[value]
    if value < 100:
        return _TENS[value // 10] + (f"-{_SMALL[value % 10]}" if value % 10 else "")
    size, name = next(scale for scale in _SCALES if value >= scale[0])
    head, rest = divmod(value, size)
    text = f"{_spell(head, joiner)} {name}"
    if not rest:
        return text
    return text + (joiner if rest < 100 else " ") + _spell(rest, joiner)


def read_words(text: str) -> int | None:
    """Returns the whole number that is written out, or None.

    Only what `spell` would write counts, hyphens and commas aside: "two three" is no number,
    and "twenty seventeen" is a year that nobody counts to.
    """
    words = re.sub(r"[-,]", " ", text.lower()).split()
    if not words or len(words) > 20 or not set(words) <= _WORDS.keys() | _JOINING:
        return None
    total = group = 0
    for word in words:
        if word in _WORDS:
            group += _WORDS[word]
        elif word == "hundred":
            group *= 100
        elif word != "and":
            total += group * _SCALE_OF[word]
            group = 0
    value = total + group
    spelled = [way.replace("-", " ").split() for way in spell(value)] if value < 10**12 else []
    return value if words in spelled else None


_SCALE_OF = {name: size for size, name in _SCALES}
_JOINING = _SCALE_OF.keys() | {"and"}


def read_digits(text: str) -> Decimal | None:
    """Returns the value of a number in digits, or None."""
    if not text.isascii() or len(text) > 40 or not re.fullmatch(DIGITS, text):
        return None
    return Decimal(text.replace(",", ""))


def separated(text: str) -> list[str]:
    """Returns a number in digits with and without thousands separators.

    The first is the given one. Four digits and more are separated; a leading zero tells a
    code from a number, and a code is never touched.
    """
    whole, dot, part = text.partition(".")
    plain = whole.replace(",", "")
    ways = [text, plain + dot + part]
    if len(plain) >= 4 and plain[0] != "0" and len(plain) <= _MAX_DIGITS:
        ways.append(f"{int(plain):,}{dot}{part}")
    return list(dict.fromkeys(ways))


def without_zeros(text: str) -> list[str]:
    """Returns a decimal number as given, and whole where its decimals are zeros."""
    whole, _, part = text.partition(".")
    return [text, whole] if whole and part and not part.strip("0") else [text]


def split_number(text: str) -> tuple[str, str] | None:
    """Returns the number that a text begins with, and the words behind it, or None.

    The longest number counts: "ten thousand hours" is not ten of anything.
    """
    words = text.split(" ")
    for length in range(min(len(words), 12), 0, -1):
        head, rest = " ".join(words[:length]), " ".join(words[length:])
        if read_words(head) is not None or read_digits(head) is not None:
            return None if _SCALED.match(rest) else (head, rest)
        if _ABBREVIATED.fullmatch(head):
            # "749 thousand three followers"
            return None if rest.lower().partition(" ")[0] in _WORDS else (head, rest)
    return None


def number_forms(text: str, spelled_to: int = MAX_SPELLED) -> list[str]:
    """Returns the forms of a whole number in digits or words, the given one first."""
    found = _ABBREVIATED.fullmatch(text)
    if found and read_words(text) is None:
        return _abbreviated(text, found)
    value = read_words(text)
    if value is not None:
        digits = separated(str(value))
        ways = [text, *reversed(digits), *spell(value), *_rounded(value)]
        return [*ways, *(way.replace("-", " ") for way in spell(value) if value > 20)]
    digits = separated(text)
    number = read_digits(text)
    # Digits with a leading zero name something; nobody counts "007".
    if number is None or not re.fullmatch(r"0|[1-9][\d,]*", text):
        return digits
    return [
        *digits,
        *(spell(int(number))[:1] if number <= spelled_to else []),
        *(_rounded(int(number)) if spelled_to > MAX_SMALL else []),
    ]


def _rounded(value: int) -> list[str]:
    """Returns "11 thousand" and "11K" for whole thousands."""
    if value < 1000 or value % 1000 or value >= 10**6:
        return []
    return [f"{value // 1000} thousand", f"{value // 1000}K"]


def forms(answer: str, question: str) -> list[str]:
    """Returns the forms of an answer that is a number and nothing else; [] for others."""
    found = _ABBREVIATED.fullmatch(answer)
    # "5K" may be a run and "4k" a resolution: letters are thousands of what is counted only.
    if found and (len(found[2]) > 1 or cues.asks_count(question)):
        return _abbreviated(answer, found)
    signed = _SIGNED.fullmatch(answer)
    if signed:
        return [answer, *(f"{sign}{signed[1]}" for sign in ("-", "minus ", "negative "))]
    if re.fullmatch(r"0*\.0+", answer) and not cues.names_something(question):
        return [answer, "0", "zero"]
    if read_words(answer) is not None:
        return number_forms(answer)
    if read_digits(answer) is None:
        return []
    if cues.asks_count(question):
        return number_forms(answer)
    if not cues.names_something(question):
        # One number among others ("How old …?", "the quota"): small ones are written out.
        ways = number_forms(answer, MAX_SMALL)
        return ways if len(answer) < 4 or "," in answer else [answer]
    # A number that may be a year or a code keeps its digits; separators say that it is none.
    return separated(answer)[:2] if "," in answer else [answer]


def _abbreviated(answer: str, found: re.Match[str]) -> list[str]:
    """Returns the forms of "13K" or "1.5 million": long, short, and in digits alone."""
    number, unit, plus = found[1], found[2].lower(), found[3]
    size = _SCALE_OF.get(unit) or _LETTERS[unit]
    name = next(name for value, name in _SCALES if value == size)
    value = Decimal(number.replace(",", "")) * size
    ways = [answer, f"{number} {name}{plus}", f"{number}{name[0].upper().replace('T', 'K')}{plus}"]
    if value == value.to_integral_value() and value < 10**_MAX_DIGITS:
        ways += [f"{int(value):,}{plus}", f"{int(value)}{plus}"]
    return ways
