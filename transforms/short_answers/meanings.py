"""What the words of an answer can mean, so that two forms of one answer are seen to be one.

A text becomes tokens, and each token a set of readings: "09" of "09/24" is the number 9 and the
ninth month, "m" is metres, minutes or millions. One text says what another one says if their
readings meet. This errs on the side of "it does": the checks are for what is nowhere.

The rules (`transforms/short_answers/rules/`) read whole answers of one exact form and write
others; here any words amid any others are read, and nothing is written. Neither uses the other,
so that each can be held against the other.

Readings are texts: `n:204` a number, `m:9` a month, `w:minut` a word's stem, `=on` a pole,
`d:50` a discount.
"""

import functools
import re
import unicodedata
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from transforms.short_answers.number_words import ORDINALS, SCALES, SMALL, SPELLING, spelled_run
from transforms.short_answers.word_tables import (
    ABBREVIATIONS,
    FILLERS,
    LOOSE_MONTHS,
    MONTHS,
    MORE_UNITS,
    NOTHING,
    OPPOSITES,
    POLES,
    STATING_SIGNS,
    UNITS,
    US_STATES,
)

_POLES = frozenset(pole for pair in OPPOSITES for pole in pair)
_OPPOSITE = {pole: other for pair in OPPOSITES for pole, other in (pair, pair[::-1])}
_SHORT_SCALES = {"k": 1000, "m": 10**6, "b": 10**9, "bn": 10**9, "mn": 10**6}
_CENTS = frozenset({"cent", "cents", "¢"})
_TO_TWELVE = frozenset(map(str, range(1, 13)))
_WITH_CENTS = frozenset({"dollar", "dollars", "euro", "euros"})

_FRACTIONS = {"½": " 1/2", "¼": " 1/4", "¾": " 3/4", "⅓": " 1/3", "⅔": " 2/3"}
_SAME_SIGNS = str.maketrans("‘’‚‛“”„‟`´‐‑‒–—−", "''''\"\"\"\"''------") | {
    ord(sign): None for sign in "™®©\u200b\u200e\u200f\ufeff"
}
_TOKEN = re.compile(
    r"(?P<mixed>[0-9]+ [1-7]/[2-8](?![0-9/]))"
    r"|(?P<date>(?<![0-9.])[0-9]{1,4}(?P<mark>[/.-])[0-9]{1,2}(?P=mark)[0-9]{2,4}(?![0-9])"
    r"|(?<![0-9.])[0-9]{1,2}/[0-9]{1,2}(?![0-9/]))"
    r"|(?P<clock>(?<![0-9])[0-9]{1,3}:[0-9]{2}(?::[0-9]{2})?(?![0-9]))"
    r"|(?P<number>(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3}(?:\.[0-9]{3}){2,}|[0-9]+)(?:\.[0-9]+)?"
    r"|\.[0-9]+)(?:st|nd|rd|th)?(?![0-9])"
    r"|(?P<word>[^\W\d_]+(?:'[^\W\d_]+)*)"
    r"|(?P<sign>[^\w\s])"
)


_DOTTED = re.compile(r"\b([apu])\.\s?([ms])\b\.?")
_BYTES = re.compile(r"(?<=[0-9])(\s?)([KMGT])([Bb])(?![^\W\d_])")
_BYTES_A_SECOND = re.compile(r"(?<=[0-9])(\s?)([KMGT])Bps\b")
_EITHER_A_SECOND = re.compile(r"(?<=[0-9])(\s?[KMGT])BPS\b")
_PREFIXES = {"K": "kilo", "M": "mega", "G": "giga", "T": "tera"}
_ORDINAL_SIGN = re.compile(r"(?<=[0-9])\s?º")
_CURRENCIES = "$€£¥₹"
_PRICED = re.compile(rf"(.*-)(?:us)?[{_CURRENCIES}] ?\Z", re.DOTALL)
_HALF_DAY = re.compile(r"(?<=:[0-9]{2})\s?([ap])\b")


_TELLING = frozenset({"not", "minus", "negative", "half", "a", "an", *LOOSE_MONTHS})


TAKEN_OFF = "d:"
"""Begins the reading of a negative part or price as what is taken off."""


class Token(NamedTuple):
    """A word, number or sign, and what it can mean.

    `kind` is `number`, `month`, `word`, `unit` (a word that an answer may do without), `sign`
    or `filler`. A number that is `idle` is a zero that says nothing, such as minutes of 8:00.
    """

    text: str
    kind: str
    readings: frozenset[str]
    idle: bool = False


def tokens_of(text: str) -> tuple[Token, ...]:
    """Returns the tokens of a text, with the readings that its neighbours give to each."""
    folded = _fold(text)
    tokens = [token for found in _TOKEN.finditer(folded) for token in _tokens_at(found, folded)]
    words = {token.text for token in tokens}
    if not words.isdisjoint(SPELLING):
        tokens = list(_numbers_read(tokens))
    if words.isdisjoint(_TELLING) and all(token.kind != "number" for token in tokens):
        return tuple(tokens)
    return tuple(_with_neighbours(tokens))


def readings_of(tokens: Sequence[Token]) -> frozenset[str]:
    """Returns all readings of some tokens."""
    return frozenset().union(*(token.readings for token in tokens))


def poles_of(tokens: Sequence[Token]) -> frozenset[str]:
    """Returns what an answer says as one of two opposites: on or off, a.m. or p.m.

    "On" is a switch's state at the end only: "on Sunday". "10 % off" is none.
    """
    poles: set[str] = set()
    has_number = any(token.kind == "number" for token in tokens)
    for index, token in enumerate(tokens):
        if token.text in ("on", "off") and (has_number or index < len(tokens) - 1):
            continue
        # "No charge" denies no "yes".
        if token.readings & {"=yes", "=no"} and len(tokens) > 1:
            continue
        if token.kind != "filler" or token.text == "on":
            poles |= token.readings & _POLES
    return frozenset(poles)


# Signs and words


def _fold(text: str) -> str:
    for sign, spelled in _FRACTIONS.items():
        text = text.replace(sign, spelled)
    if not text.isascii():
        # The ordinal sign is written for a degree.
        text = _ORDINAL_SIGN.sub("°", text)
        text = unicodedata.normalize("NFKC", text.translate(_SAME_SIGNS)).translate(_SAME_SIGNS)
        text = "".join(
            str(unicodedata.decimal(char)) if char.isdecimal() else char for char in text
        )
    # What cases tell is told before they go: "MB" are bytes, "Mb" bits, "mb" either.
    if "b" in text or "B" in text:
        text = _EITHER_A_SECOND.sub(lambda found: f"{found[1].casefold()}b/s", text)
        text = _BYTES.sub(_bytes_spelled, _BYTES_A_SECOND.sub(r"\1\2B/s", text))
    text = text.casefold().replace("n't", " not")
    text = _DOTTED.sub(r"\1\2", text) if "." in text else text
    return _HALF_DAY.sub(r" \1m", text) if ":" in text else text


def _bytes_spelled(found: re.Match[str]) -> str:
    blank, prefix, letter = found.groups()
    return f"{blank or ' '}{_PREFIXES[prefix]}{'byte' if letter == 'B' else 'bit'}"


def _stem(word: str) -> str:
    """Returns a word without what makes it plural or a participle: "hikes", "hiking", "hike"."""
    for ending in ("'s", "ies", "es", "s", "ing", "ed", "e"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= 3 and not (ending == "s" and rest[-1] == "s"):
            word = rest + "i" if ending == "ies" else rest
            break
    if len(word) > 3:
        word = word[:-1] + "i" if word[-1] == "y" else word.removesuffix("e")
    return word[:-1] if len(word) > 4 and word[-1] == word[-2] else word


def _table() -> dict[str, frozenset[str]]:
    """Returns what each spelling means besides itself."""
    meanings = [
        (spelling, f"w:{_stem(line.split()[0])}")
        for line in (UNITS + ABBREVIATIONS).split("\n")
        for spelling in line.split()[1:]
    ]
    for pair in US_STATES.split():
        code, _, name = pair.partition("=")
        meanings += [(code, f"w:{_stem(word)}") for word in name.split("_")]
    meanings += [(word, pole) for pole, words in POLES.items() for word in words.split()]
    meanings += [(word, f"n:{value}") for word, value in (SMALL | ORDINALS).items()]
    meanings += [(word, "n:0") for word in NOTHING]
    table: dict[str, set[str]] = {}
    for spelling, meaning in meanings:
        table.setdefault(spelling, set()).add(meaning)
    return {spelling: frozenset(readings) for spelling, readings in table.items()}


_READINGS = _table()
_UNITS = frozenset(
    f"w:{_stem(name)}"
    for name in (*MORE_UNITS, *(line.split()[0] for line in UNITS.split("\n") if line))
)


@functools.lru_cache(maxsize=1 << 14)
def _word(word: str) -> Token:
    readings = frozenset({f"w:{_stem(word)}", f"w:{word}"})
    if word in MONTHS:
        return Token(word, "month", readings | {f"m:{MONTHS[word]}"})
    singular = word[:-1] if word.endswith("s") and len(word) > 2 else word
    for spelling in (word, singular):
        readings |= _READINGS.get(spelling, frozenset())
    if word in FILLERS:
        return Token(word, "filler", readings)
    return Token(word, "unit" if readings & _UNITS else "word", readings)


def _sign(sign: str) -> Token | None:
    """Returns a sign that states something or has a name; None for ornaments."""
    if sign in STATING_SIGNS:
        return _word(sign)._replace(kind="unit")
    return _word(sign)._replace(kind="filler") if sign in _READINGS or sign in FILLERS else None


# Numbers


def _value(digits: str) -> str:
    """Returns a number in digits in one spelling, without making a number of it.

    Python refuses to convert digits by the thousand, and a screen may show as many.
    """
    if digits.count(".") > 1:
        digits = digits.replace(".", "")
    whole, _, part = digits.replace(",", "").partition(".")
    part = part.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{part}" if part else "")


def _number(value: str, *more: str, idle: bool = False) -> Token:
    return Token(value, "number", frozenset((f"n:{value}", *more)), idle)


def _tokens_at(found: re.Match[str], text: str) -> Iterator[Token]:
    if found["word"]:
        yield _word(found[0])
    elif found["sign"]:
        sign = _sign(found[0])
        if sign is not None:
            yield sign
    elif found["number"]:
        yield _signed(_value(found["number"]), text, found.start())
    elif found["date"]:
        yield from _date_parts(re.split("[/.-]", found[0]))
    elif found["clock"]:
        yield from _clock_parts(found[0].split(":"))
    else:
        whole, above, below = re.split("[ /]", found[0])
        part = Decimal(above) / Decimal(below)
        yield _number(_value(f"{int(whole[:9]) + part:f}"))


def _signed(value: str, text: str, start: int) -> Token:
    """Returns a number with its sign; a dash after words or numbers may be no sign.

    "-50%" and "-$20" may tell what is taken off: they read as that too, which is no number
    by itself.
    """
    near = text[max(0, start - 8) : start]
    priced = _PRICED.search(near)
    before = priced[1] if priced else near
    if before[-1:] != "-":
        return _number(value)
    before = before[:-1][-3:]
    if not before.strip() or before[-1] in f"(:,{_CURRENCIES}":
        is_part = priced or "%" in text[start : start + 12]
        return _number(f"-{value}", *([f"{TAKEN_OFF}{value}"] if is_part else []))
    return _number(value, f"n:-{value}") if before[-1] == " " else _number(value)


def _date_parts(parts: Sequence[str]) -> Iterator[Token]:
    if len(parts) == 2 and parts[1].strip("0"):
        for part in parts:
            yield _number(_value(part), *_as_month(part), *_as_fraction(parts))
            if part is parts[0] and not (_as_month(part) or _as_month(parts[1])):
                yield _word("/")
        return
    for place, part in enumerate(parts):
        is_year = place == 2 and len(part) == 2 and len(parts[0]) < 3
        years = {f"n:20{part}", f"n:19{part}"} if is_year else set()
        yield _number(_value(part), *_as_month(part), *years)


def _as_month(part: str) -> list[str]:
    value = _value(part)
    return [f"m:{value}"] if value in _TO_TWELVE else []


def _as_fraction(parts: Sequence[str]) -> list[str]:
    part = Decimal(parts[0]) / Decimal(parts[1])
    return [f"n:{part.normalize():f}"] if part < 1 else []


_CLOCK_UNITS = tuple(f"w:{_stem(name)}" for name in ("clock", "hour", "minute", "second"))


def _clock_parts(parts: Sequence[str]) -> Iterator[Token]:
    hour = int(parts[0])
    more = []
    # A day of 24 hours tells its half itself.
    if 12 < hour < 24:
        more = [f"n:{hour - 12}", "=pm", "w:pm"]
    elif hour == 12:
        more = ["=pm", "w:pm"]
    elif hour == 0:
        more = ["n:12", "=am", "w:am"]
    elif parts[0][0] == "0":
        more = ["=am", "w:am"]
    # It may be a length of time as well.
    yield _number(str(hour), *more, *_CLOCK_UNITS, idle=hour == 0)
    for part in parts[1:]:
        yield _number(_value(part), idle=part == "00")


def _numbers_read(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yields the tokens with numbers in words made numbers: "two hundred and four" is 204."""
    words = [token.text for token in tokens]
    index = 0
    while index < len(tokens):
        taken, values = spelled_run(words, index)
        if not taken:
            yield tokens[index]
        # "Million" may be a shop's name, and "one" a word.
        run = [token for token in tokens[index : index + taken] if token.kind != "number"]
        names = readings_of([token for token in run if taken == 1 or token.text in SCALES])
        for position, value in enumerate(values):
            before, after = values[max(0, position - 1) : position + 1], values[position:][:2]
            yield _number(_value(f"{value:f}"), *_as_one(before), *_as_one(after), *names)
        index += taken or 1


def _as_one(pair: Sequence[Decimal]) -> list[str]:
    """Returns "nineteen ninety-nine" as the year and as the price."""
    if len(pair) < 2 or not 10 <= pair[1] < 100 or pair[0] >= 100:
        return []
    year = [f"n:{pair[0] * 100 + pair[1]:f}"] if pair[0] >= 10 else []
    return [*year, f"n:{_value(f'{pair[0] + pair[1] / 100:f}')}"]


# Neighbours


def _with_neighbours(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yields tokens with what follows told to each: thousands, halves, p.m., cents, "not"."""
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token.kind == "number":
            told, taken = _number_in_place(tokens, index)
        elif token.text in ("minus", "negative") and _kind(tokens, index + 1) == "number":
            told, taken = _number(f"-{tokens[index + 1].text}"), 1
        elif token.text in ("minus", "negative") and _is_price(tokens, index + 1):
            yield tokens[index + 1]
            told, taken = _number(f"-{tokens[index + 2].text}"), 2
        elif token.text == "not" and index + 1 < len(tokens):
            yield token
            told, taken = _denied(tokens[index + 1]), 1
        else:
            told, taken = _word_in_place(tokens, index), 0
        yield told
        index += 1 + taken


def _word_in_place(tokens: Sequence[Token], index: int) -> Token:
    token = tokens[index]
    if token.text == "half":
        return _number("0.5", "n:30", *token.readings)
    if token.text in ("a", "an") and _kind(tokens, index + 1) == "unit":
        return token._replace(readings=token.readings | {"n:1"})
    if token.text in LOOSE_MONTHS and len(tokens) > 1:
        near = tokens[max(0, index - 2) : index + 3]
        if all(other.kind != "number" for other in near):
            readings = frozenset(r for r in token.readings if r[:2] != "m:")
            return token._replace(kind="word", readings=readings)
    return token


def _is_price(tokens: Sequence[Token], index: int) -> bool:
    """Whether a currency's sign and a number come next."""
    is_sign = index < len(tokens) and tokens[index].text in tuple(_CURRENCIES)
    return is_sign and _kind(tokens, index + 1) == "number"


def _kind(tokens: Sequence[Token], index: int) -> str:
    return tokens[index].kind if index < len(tokens) else ""


def _denied(token: Token) -> Token:
    """Returns what follows a "not": not on is off."""
    poles = token.readings & {"=on", "=off", "=open", "=closed"}
    if not poles:
        return token
    others = {_OPPOSITE[pole] for pole in poles}
    return token._replace(kind="word", readings=(token.readings - poles) | others)


def _number_in_place(tokens: Sequence[Token], index: int) -> tuple[Token, int]:
    """Returns a number as its neighbours mean it, and how many of them it took in."""
    token = tokens[index]
    following = [after.text for after in tokens[index + 1 : index + 5]] + [""] * 4
    value = token.text
    if len(value) > 15 or value[0] == "-":
        return token, 0
    if following[:3] == ["and", "a", "half"]:
        return _number(_value(f"{Decimal(value) + Decimal('0.5'):f}")), 3
    if following[0] == "point" and _kind(tokens, index + 2) == "number":
        return _number(_value(f"{value}.{following[1].lstrip('-')}")), 2
    if following[0] in _SHORT_SCALES:
        return _scaled(token, following[0])
    if following[0] in _CENTS and value.isdecimal() and len(value) < 3:
        return _number(_value(f"0.{int(value):02d}")), 0
    skip = 2 if following[1] == "and" else 1
    if following[0] in _WITH_CENTS and _are_cents(following[skip : skip + 2]):
        cents = Decimal(following[skip]) / 100
        return _number(_value(f"{Decimal(value) + cents:f}"), "w:dollar", "w:euro"), skip + 2
    more = _as_hour(value, following[0]) | _as_year(tokens[max(0, index - 2) : index], value)
    return token._replace(readings=token.readings | more), 0


def _scaled(token: Token, letter: str) -> tuple[Token, int]:
    large = _value(f"{Decimal(token.text) * _SHORT_SCALES[letter]:f}")
    if letter in ("k", "bn", "mn"):
        return _number(large), 1
    # "5 m" may be five metres.
    return token._replace(readings=token.readings | {f"n:{large}"}), 0


def _as_hour(value: str, after: str) -> set[str]:
    if after not in ("am", "pm") or value not in _TO_TWELVE:
        return set()
    return {f"n:{int(value) % 12 + (12 if after == 'pm' else 0)}"}


def _as_year(before: Sequence[Token], value: str) -> set[str]:
    """Returns two digits that follow a day and a month as a year: "26 Feb 17"."""
    kinds = sorted(token.kind for token in before)
    is_year = len(value) == 2 and value.isdecimal() and kinds == ["month", "number"]
    # "2017 - Jan 26" has its year already.
    is_year = is_year and all(len(token.text) < 3 or token.kind == "month" for token in before)
    return {f"n:20{value}", f"n:19{value}"} if is_year else set()


def _are_cents(words: Sequence[str]) -> bool:
    """Whether words are the cents of "38 dollars and 50 cents"."""
    number, name = words
    return name in _CENTS and number.isdecimal() and len(number) < 3
