"""Numbers in words amid other words: "two hundred and four", "198 thousand and 410"."""

from collections.abc import Sequence
from decimal import Decimal

_FIRST = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_NTH = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
)
# The misspelled ones are in released answers.
SMALL = (
    {word: value for value, word in enumerate(_FIRST.split())}
    | {word: 10 * value for value, word in enumerate(_TENS.split(), start=2)}
    | {"fourty": 40, "ninty": 90, "dozen": 12}
)
ORDINALS = {word: value for value, word in enumerate(_NTH.split(), start=1)} | {
    "twentieth": 20,
    "thirtieth": 30,
    "once": 1,
    "twice": 2,
}
SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
SPELLING = frozenset({*SMALL, *SCALES})
"""Words that a spelled number has one of."""

_BEFORE_ORDINALS = frozenset(
    {"and", *SCALES, *(word for word, value in SMALL.items() if value >= 20)}
)


class _Sum:
    """The numbers that a run of words adds up to."""

    def __init__(self) -> None:
        self.values: list[Decimal] = []
        self.total: Decimal | None = None
        self.group: Decimal | None = None

    def scale(self, size: int) -> None:
        group = Decimal(1) if self.group is None else self.group
        if size == 100:
            self.group = group * 100
        else:
            self.total, self.group = (self.total or 0) + group * size, None

    def add(self, value: Decimal) -> None:
        if self.group is not None and not _extends(self.group, value):
            self.end()
        self.group = (self.group or 0) + value

    def end(self) -> None:
        if self.total is not None or self.group is not None:
            self.values.append((self.total or Decimal(0)) + (self.group or 0))
        self.total = self.group = None

    @property
    def takes_and(self) -> bool:
        return self.total is not None or (self.group or 0) >= 100


def spelled_run(words: Sequence[str], start: int) -> tuple[int, list[Decimal]]:
    """Returns how many words from `start` on spell numbers, and these.

    Digits belong to it before a scale and after one: "198 thousand and 410".
    """
    total = _Sum()
    index = start
    while index < len(words):
        word = words[index]
        if word == "and" and index > start and total.takes_and:
            if not _is_small(words, index + 1):
                break
        elif word in SCALES:
            total.scale(SCALES[word])
        else:
            value = _small_value(words, index, start)
            if value is None:
                break
            total.add(value)
        index += 1
    total.end()
    return index - start, total.values


def _small_value(words: Sequence[str], index: int, start: int) -> Decimal | None:
    word = words[index]
    before = words[index - 1] if index > start else ""
    if word in SMALL:
        return Decimal(SMALL[word])
    # "Twenty-second" is one number, "one second" is none.
    if word in ORDINALS and before in _BEFORE_ORDINALS:
        return Decimal(ORDINALS[word])
    if not word[:1].isdecimal() or len(word) > 15:
        return None
    after = words[index + 1] if index + 1 < len(words) else ""
    follows = before in ("and", *SCALES) and _is_small(words, index)
    return Decimal(word) if after in SCALES or follows else None


def _is_small(words: Sequence[str], index: int) -> bool:
    if index >= len(words):
        return False
    return words[index] in SMALL or (words[index].isdecimal() and len(words[index]) <= 3)


def _extends(group: Decimal, value: Decimal) -> bool:
    if group >= 100 and group % 100 == 0:
        return value < 100
    return group % 100 >= 20 and group % 10 == 0 and 0 < value < 10
