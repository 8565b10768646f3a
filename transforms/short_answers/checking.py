"""Automatic checks of short answers, before people verify some of them (ScreenQA 4.5).

A model's variants are held against what it was given. What a check cannot tell it lets pass:
a right variant that is lost narrows what is accepted for good, a wrong one is what people
look for in the samples that they verify.
"""

import collections
import dataclasses
import functools
import re
from collections.abc import Iterable, Iterator, Sequence

from schemas.questions import NO_ANSWER
from schemas.short_answers import AnswerInput, DroppedVariant, ShortAnswerPolicy, VariantReason
from transforms.identifying import clean_text, normalize_text
from transforms.metrics.squad import squad_form
from transforms.short_answers.meanings import TAKEN_OFF, Token, poles_of, readings_of, tokens_of
from transforms.short_answers.word_tables import OPPOSITES, VERBS

LONGEST_VARIANT = 500
"""No policy allows more characters; longer texts are not even normalized, and shown cut."""

MAX_QUESTION_WORDS = 3
"""Most words that a variant may take from the question alone. Released variants name what was
counted or chosen ('"NEWS" tab', "5,500 more points")."""

_MIN_PHONE = 7
_WITH_AREA = 10
_ABSTENTIONS = frozenset(
    {"no answer", "not answerable", "unanswerable", "cannot be answered", "no answer found"}
)
_YEAR = re.compile("n:(?:19|20)[0-9]{2}")
_DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2212"
_RANGE = re.compile(
    rf"[0-9][^{_DASHES}0-9]{{0,6}}(?:[{_DASHES}]|\bto\b)[^{_DASHES}0-9]{{0,6}}[0-9]"
)
_OPEN_END = re.compile(r"[0-9]\+")
_PHONE = re.compile(r"[0-9+() -]+")
# "1" is not all of "1,1".
_TWICE = re.compile(r"([0-9]+), ?\1")
_OUT_OF = re.compile(r"[0-9.]+ ?/ ?[0-9]+")
_RATING = frozenset({"w:rated", "w:rating", "w:ratings"})
# Where these are said, "-50%" is as much as "50%".
_DISCOUNT = re.compile(
    r"\b(?:discount|off|sale|save|saving|reduc|promo|deduct|decreas|declin|drop|down|fall|fell|"
    r"lost|loss|lower)",
    re.I,
)
# What a kind of question lets an answer say by itself: "4.3 stars", "45 years old".
_IMPLIED = {
    "w:rated": ("w:star",),
    "w:rating": ("w:star",),
    "w:ratings": ("w:star",),
    "w:age": ("w:year", "w:old"),
    "w:old": ("w:year", "w:old"),
}
_HALVES = frozenset({"=am", "=pm"})
_NEGATIONS = frozenset({"w:not", "=no", "=off", "=closed", "n:0"})
_AFFIRMATIONS = frozenset({"=on", "=open", "w:available"})
# "Is X enabled?" is answered by "yes" as well as by "enabled".
_YES_NO = re.compile(r"(?:is|are|was|were|do|does|did|can|could|has|have|will)\b", re.I)


def check_variants(
    variants: Sequence[str], answer: AnswerInput, policy: ShortAnswerPolicy
) -> tuple[tuple[str, ...], tuple[DroppedVariant, ...]]:
    """Returns the variants of one answer that are kept, normalized, and the others with reasons.

    Both keep their order. A variant is held to one thing after the other and dropped for the
    first that fails:

    - Its form: `BLANK`, `ABSTENTION` (the answer is an answer), `TOO_LONG`, `DUPLICATE` (by
      case and blanks only: signs tell "1,1" from "11"), `NORMALIZES_TO_NOTHING`. The last
      holds for an element's own text too ("+", "A"): as a gold, its normal form would be
      empty. Every question of the released validation file that has one has others too (run).
    - `CONTRADICTORY`: of two variants that say opposites ("on", "off") the one goes that is
      farther from the elements; what the full answer alone says is farther than what an
      element says. Both go where neither is nearer, unless elements say both.
    - `UNSUPPORTED`: a number, date, unit or word that neither an element nor the full answer
      says. The question supports words, and no numbers. So is a range or score that is
      turned around: "2-3" of "3-2".
    - `ELEMENT_MISSING`: the prompt asks for all elements (A.6). Of one that is a value all
      numbers and months are needed, not its unit or weekday (4.5: "3 reviews", "3"); of a
      label one word of its own.
    - `QUESTION_WORDS`: it is a sentence, or takes more than `MAX_QUESTION_WORDS` from the
      question.
    """
    texts = [normalize_text(clean_text(text[: 4 * LONGEST_VARIANT])) for text in variants]
    reasons = list(_form_problems(texts, answer, policy))
    read = [None if reason else _read(text) for text, reason in zip(texts, reasons, strict=True)]
    source = _Source.of(answer)
    denied = _denied([variant for variant in read if variant], source)
    for index, variant in enumerate(read):
        if variant is not None:
            contradictory = VariantReason.CONTRADICTORY if variant.text in denied else None
            reasons[index] = contradictory or _problem(variant, source)
    judged = list(zip(texts, reasons, strict=True))
    return (
        tuple(text for text, reason in judged if not reason),
        tuple(DroppedVariant(_shown(text), reason) for text, reason in judged if reason),
    )


def _shown(text: str) -> str:
    return text if len(text) <= LONGEST_VARIANT else text[:LONGEST_VARIANT] + "…"


# Form


def _form_problems(
    texts: Sequence[str], answer: AnswerInput, policy: ShortAnswerPolicy
) -> Iterator[VariantReason | None]:
    seen: set[str] = set()
    said = {normalize_text(text[:LONGEST_VARIANT]).casefold() for text in answer.elements}
    for text in texts:
        folded = text.casefold()
        if not text:
            yield VariantReason.BLANK
        elif _abstains(folded, said):
            yield VariantReason.ABSTENTION
        elif len(text) > min(policy.max_chars, LONGEST_VARIANT) or (
            len(text.split()) > policy.max_words
        ):
            yield VariantReason.TOO_LONG
        elif folded in seen:
            yield VariantReason.DUPLICATE
        elif not squad_form(text):
            yield VariantReason.NORMALIZES_TO_NOTHING
        else:
            yield None
        seen.add(folded)


def _abstains(folded: str, said: set[str]) -> bool:
    """Whether a variant is an abstention; a screen may say "No answer" and mean it."""
    if folded == NO_ANSWER:
        return True
    return folded.strip("<>[]\"'. ") in _ABSTENTIONS and folded not in said


# Meaning


class _Text:
    """A text, its tokens, and all that they can mean."""

    def __init__(self, text: str) -> None:
        self.text = normalize_text(text)
        self.tokens = tokens_of(self.text)
        self.readings = readings_of(self.tokens)

    @functools.cached_property
    def joined(self) -> frozenset[str]:
        """Neighbouring words as one word, and as their initials ("Wi-Fi", "New York")."""
        words = [token.text for token in self.tokens]
        runs = [
            words[start : start + length]
            for length in (2, 3, 4)
            for start in range(len(words) - length + 1)
        ]
        initials = ["".join(word[0] for word in run) for run in runs]
        return frozenset(f"w:{word}" for word in (*map("".join, runs), *initials))

    @functools.cached_property
    def digits(self) -> str:
        """Its digits in their order, for phone numbers."""
        return re.sub("[^0-9]", "", self.text)


# The same question, elements and variants come again and again: with each annotator of a
# question, and with the variants of each.
_read = functools.lru_cache(maxsize=4096)(_Text)


@dataclasses.dataclass(frozen=True, slots=True)
class _Source:
    """What a variant may say: an answer's tokens, and all that they can mean.

    Attributes:
        elements: The elements.
        names: Of each element the tokens that no other one shares, or all that say something.
        others: The full answer and the question.
        by_elements: What the elements say.
        by_full: What the full answer says.
        by_question: What the question says and implies.
        months: Months that are named; empty where none is.
        is_yes_no: Whether the question can be answered by yes or no, which then says all.
        is_discount: Whether "-50%" may be called "50%".
        needed: Which elements a variant has to use: those that the full answer uses. Others
            may be descriptions of icons, such as "switch", or sit beside what was asked.
    """

    elements: tuple[_Text, ...]
    names: tuple[tuple[Token, ...], ...]
    others: tuple[_Text, _Text]
    by_elements: frozenset[str]
    by_full: frozenset[str]
    by_question: frozenset[str]
    months: frozenset[str]
    is_yes_no: bool
    is_discount: bool = False
    needed: tuple[int, ...] = ()

    @classmethod
    def of(cls, answer: AnswerInput) -> "_Source":
        elements = tuple(map(_read, answer.elements))
        full, question = _read(answer.full_answer), _read(answer.question)
        is_discount = any(_DISCOUNT.search(text.text) for text in (question, full, *elements))
        by_elements = _discounted(
            frozenset().union(*(element.readings for element in elements)), is_discount
        )
        by_full = _discounted(full.readings, is_discount)
        is_yes_no = bool(_YES_NO.match(answer.question))
        if is_yes_no:
            by_full |= _yes_or_no(by_elements | by_full)
        implied = {word for asked in question.readings for word in _IMPLIED.get(asked, ())}
        named = [t for text in (full, *elements) for t in text.tokens if t.kind == "month"]
        source = cls(
            elements=elements,
            names=tuple(_names_of(elements)),
            others=(full, question),
            by_elements=by_elements,
            by_full=by_full,
            by_question=question.readings | implied,
            months=_months(readings_of(named)),
            is_yes_no=is_yes_no,
            is_discount=is_discount,
        )
        places = range(len(elements))
        used = [place for place in places if _uses(full, place, source)]
        return dataclasses.replace(source, needed=tuple(used if full.tokens else places))


def _yes_or_no(said: frozenset[str]) -> frozenset[str]:
    yes = {"=yes"} if said & _AFFIRMATIONS else set()
    return frozenset(yes | ({"=no"} if said & _NEGATIONS else set()))


def _discounted(said: frozenset[str], is_discount: bool) -> frozenset[str]:
    """Returns readings with what is taken off as plain numbers, where that may be meant."""
    if not is_discount:
        return said
    return said | {f"n:{each[2:]}" for each in said if each.startswith(TAKEN_OFF)}


def _months(readings: Iterable[str]) -> frozenset[str]:
    return frozenset(reading for reading in readings if reading[:2] == "m:")


def _denied(texts: Iterable[_Text], source: _Source) -> set[str]:
    """Returns the variants that another one denies, and that are not the nearer ones."""
    denied: set[str] = set()
    poles = {text.text: poles_of(text.tokens) for text in texts}
    for pair in OPPOSITES:
        sides = [
            {text for text, said in poles.items() if said & set(pair) == {pole}} for pole in pair
        ]
        if not all(sides):
            continue
        near = [_nearness(pole, source) for pole in pair]
        for own, other in ((0, 1), (1, 0)):
            if near[own] < near[other] or (near[own] == near[other] < 2):
                denied |= sides[own]
    return denied


def _nearness(reading: str, source: _Source) -> int:
    return 2 if reading in source.by_elements else int(reading in source.by_full)


def _problem(variant: _Text, source: _Source) -> VariantReason | None:
    if _denies(variant, source) or _turns(variant, source) or not _is_supported(variant, source):
        return VariantReason.UNSUPPORTED
    if not all(_uses(variant, place, source) for place in source.needed):
        return VariantReason.ELEMENT_MISSING
    if _repeats_question(variant, source):
        return VariantReason.QUESTION_WORDS
    return None


def _denies(variant: _Text, source: _Source) -> bool:
    """Whether a variant alone says the opposite of its answer."""
    said = poles_of(variant.tokens)
    for pair in OPPOSITES:
        for pole, other in (pair, pair[::-1]):
            if said & set(pair) == {pole} and _nearness(pole, source) < _nearness(other, source):
                return True
    return False


def _turns(variant: _Text, source: _Source) -> bool:
    """Whether a variant turns a range or score around: "3-2" to "2-3", "18+" to "18-"."""
    texts = [element.text for element in source.elements]
    if any(map(_OPEN_END.search, texts)) and variant.text.endswith(tuple(_DASHES)):
        return not any(text.endswith(tuple(_DASHES)) for text in texts)
    turned = _bounds(variant)
    return len(turned) == 2 and any(
        _are_turned(_bounds(element), turned)
        for element in source.elements
        if _RANGE.search(element.text) and "w:date" not in source.by_question
    )


def _bounds(text: _Text) -> list[tuple[frozenset[str], frozenset[str]]]:
    """Returns the numbers of a text and which half of the day each is in, if that is said."""
    found: list[tuple[frozenset[str], frozenset[str]]] = []
    for token in text.tokens:
        if token.kind == "month":
            return []
        if token.kind == "number" and not token.idle:
            values = frozenset(each for each in token.readings if each[:2] == "n:")
            found.append((values, token.readings & _HALVES))
        elif found and token.text in ("am", "pm"):
            found[-1] = (found[-1][0], token.readings & _HALVES)
    return found


def _are_turned(
    bounds: Sequence[tuple[frozenset[str], frozenset[str]]],
    turned: Sequence[tuple[frozenset[str], frozenset[str]]],
) -> bool:
    if len(bounds) != 2:
        return False
    (first, first_half), (last, last_half) = bounds
    (start, start_half), (end, end_half) = turned
    if start & last and end & first:
        return not (start & first and end & last)
    # Both halves of the day are swapped: "9 PM - 5 AM".
    halves = (first_half, last_half)
    return first_half != last_half and all(halves) and halves == (end_half, start_half)


# Support


def _is_supported(variant: _Text, source: _Source) -> bool:
    said = source.by_elements | source.by_full
    tokens: Sequence[Token] = variant.tokens
    folded = variant.text.casefold()
    if any(
        folded == element.text.casefold() and _are_same(tokens, element.tokens)
        for element in source.elements
    ):
        return True
    if all(token.kind == "filler" for token in tokens):
        return _is_written(variant, source, said)
    if any(_has_digits_of(text, variant) for text in (*source.elements, source.others[0])):
        tokens = [token for token in tokens if token.kind != "number" and token.text != "+"]
    missing = [place for place, token in enumerate(tokens) if not _meets(token, said, source)]
    if not missing:
        return True
    joined = frozenset().union(*(text.joined for text in (*source.elements, *source.others)))
    words = said | source.by_question
    return all(
        tokens[place].kind == "word"
        and (tokens[place].readings & joined or _meets_joined(tokens, place, words))
        for place in missing
    )


def _are_same(tokens: Sequence[Token], others: Sequence[Token]) -> bool:
    """Whether tokens are the same ones: "Mb" is not "MB"."""
    return [token.text for token in tokens] == [token.text for token in others]


def _is_written(variant: _Text, source: _Source, said: frozenset[str]) -> bool:
    """Whether a variant of mere "to", "on" or "→" stands where it could come from."""
    if not variant.tokens:
        texts = (*source.elements, source.others[0])
        return any(variant.text.casefold() in text.text.casefold() for text in texts)
    words = {token.text for token in variant.tokens if token.text.isalpha()} - {"and", "or"}
    return bool(poles_of(variant.tokens) & said) or (
        bool(words) and all(f"w:{word}" in said for word in words)
    )


def _meets(token: Token, said: frozenset[str], source: _Source) -> bool:
    if token.kind == "filler" or token.idle or token.text in VERBS:
        return True
    if token.kind == "number":
        values = _values(token, source)
        # "19:45" says more than "7:45".
        if f"n:{token.text}" not in said and token.readings & _HALVES:
            halves = token.readings & {"=am", "=pm", "w:am", "w:pm"}
            return bool(values & said and halves & (said | source.by_question))
        return bool(values & said)
    if token.kind == "month":
        months = _months(token.readings)
        # "9/24" names no month; where one is named, no other is meant.
        return bool(months & (source.months or said | _as_months(said)))
    if token.text == "not":
        return bool(_NEGATIONS & said)
    # "Kbps" and "Mbps" have no more in common than the second.
    readings = token.readings - {"w:second"} if token.text.endswith("bps") else token.readings
    return bool(readings & (said | source.by_question))


def _values(token: Token, source: _Source) -> set[str]:
    readings = _discounted(token.readings, source.is_discount)
    return {reading for reading in readings if reading[:2] in ("n:", "m:")}


def _as_months(said: frozenset[str]) -> set[str]:
    return {f"m:{month}" for month in range(1, 13) if f"n:{month}" in said}


def _meets_joined(tokens: Sequence[Token], index: int, said: frozenset[str]) -> bool:
    """Whether a word and its neighbours are one word elsewhere: "Wi-Fi", "wifi"."""
    words = [token.text for token in tokens]
    return any(
        start >= 0 and "w:" + "".join(words[start : start + length]) in said
        for length in (2, 3, 4)
        for start in range(index - length + 1, index + 1)
    )


def _has_digits_of(text: _Text, part: _Text) -> bool:
    """Whether one text has another one's digits in their order, as many as a phone number's."""
    return len(part.digits) >= _MIN_PHONE and part.digits in text.digits


# Elements


def _uses(variant: _Text, place: int, source: _Source) -> bool:
    """Whether a variant uses one of the elements."""
    element, name = source.elements[place], source.names[place]
    if source.is_yes_no and variant.readings & {"=yes", "=no"}:
        return True
    if _has_digits_of(variant, element) or _has_number_of(element, variant):
        return True
    if _RATING & source.by_question and _OUT_OF.fullmatch(element.text):
        return _says_value(element.tokens[:1], variant.readings, source)
    if _TWICE.fullmatch(element.text) and len(variant.tokens) < 2:
        return False
    if _is_value(element.tokens):
        return _says_value(element.tokens, variant.readings, source)
    # "3 reviews" is nothing without the 3, "SCRIPTS (30)" is a name.
    if name and name[0] is _first_said(element.tokens) and name[0].kind == "number":
        return _says_value(name[:1], variant.readings, source)
    if not name or any(token.readings & variant.readings for token in name):
        return True
    return bool(element.joined & variant.readings or readings_of(name) & variant.joined)


def _has_number_of(element: _Text, variant: _Text) -> bool:
    """Whether a variant says an element's long number; not without the area of a phone's."""
    is_whole = len(variant.digits) >= min(_WITH_AREA, len(element.digits))
    return _has_digits_of(element, variant) and (is_whole or not _PHONE.fullmatch(element.text))


def _names_of(elements: Sequence[_Text]) -> Iterator[tuple[Token, ...]]:
    shared = collections.Counter(reading for text in elements for reading in text.readings)
    for text in elements:
        element = text.tokens
        said = [token for token in element if token.kind != "filler" or "n:1" in token.readings]
        own = [token for token in said if all(shared[each] < 2 for each in token.readings)]
        yield tuple(own or said or element)


def _first_said(element: Sequence[Token]) -> Token | None:
    return next((token for token in element if token.kind != "filler"), None)


def _is_value(element: Sequence[Token]) -> bool:
    kinds = {token.kind for token in element}
    return "word" not in kinds and "sign" not in kinds and not kinds.isdisjoint({"number", "month"})


def _says_value(element: Sequence[Token], said: frozenset[str], source: _Source) -> bool:
    """Whether all that an element's value needs is said: its numbers and months.

    Not needed are zeros beside other numbers ("13h 0m"), one year of each three parts, and the 5
    of "4.3 out of 5": an answer may be as short as the question lets it.
    """
    needed = [
        token
        for before, token in zip((None, *element), element, strict=False)
        if token.kind in ("number", "month")
        and not token.idle
        and (before is None or before.text not in ("of", "/") or token.kind == "month")
    ]
    said = _discounted(said, source.is_discount)
    years = len(needed) // 3
    for token in needed:
        values = _values(token, source)
        if len(needed) > 1 and token.text == "0":
            continue
        if years and any(map(_YEAR.fullmatch, values)):
            years -= 1
            continue
        # A "1" beside "January" is the day.
        if token.kind == "number" and not source.months:
            values |= {f"m:{value[2:]}" for value in values}
        if not values & said:
            return False
    return True


# Words of the question


def _repeats_question(variant: _Text, source: _Source) -> bool:
    added = [
        token
        for token in variant.tokens
        if token.kind not in ("filler", "number", "month")
        and not token.readings & source.by_elements
    ]
    if any(token.text in VERBS for token in added):
        return True
    asked = {token.text for token in added if token.readings & source.by_question}
    return len(asked) > MAX_QUESTION_WORDS
