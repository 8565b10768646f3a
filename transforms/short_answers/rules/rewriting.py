"""All short forms of an answer that people would accept, as far as rules can tell.

ScreenQA 4.5 and A.6 had a model rephrase each annotated answer "as short as possible, without
extra words from the question", using "all provided elements in each answer". Rules change the
form alone and say nothing that no element and no full answer says; of two readings they take
none. What the released lists do was looked up on even image ids; `benchmarks/rules_recovery.md`
has the shares on odd ones. No released answer is in here: tables hold closed classes only.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from schemas.questions import NO_ANSWER
from transforms.short_answers.rules import (
    counts,
    currency,
    dates,
    descriptions,
    durations,
    lists,
    moments,
    numbers,
    on_off,
    ordinals,
    phones,
    places,
    quotes,
    ratings,
    times,
    units,
)

RULES_VERSION = "rules-1"
"""Rises when the rules give other forms; rows carry it."""

MAX_FORMS = 12
"""Most forms of one answer. Released lists hold up to 17, nine in ten at most 6, and those are
the union over up to three annotators."""

MAX_ANSWER = 2_000
"""Most characters of an answer or question that is looked at; the released answers' longest has
1,007. A longer answer is its own only form."""

_KINDS: tuple[Callable[[str, str], list[str]], ...] = (
    moments.forms,
    dates.forms,
    dates.name_forms,
    moments.span_forms,
    phones.forms,
    currency.forms,
    ratings.forms,
    durations.forms,
    times.forms,
    units.forms,
    counts.forms,
    ordinals.forms,
    numbers.forms,
    on_off.forms,
    places.forms,
    lists.forms,
    descriptions.forms,
    quotes.forms,
)
"""The first kind that an answer is of gives its forms: the ones that need least of the question
to be sure come first."""

_VALUES = _KINDS[: _KINDS.index(counts.forms)]
_MAX_WINDOW = 7
_MAX_PARTS = 60


def forms_of(answer: str, question: str = "") -> list[str]:
    """Returns the forms of one short answer, the given one first, `MAX_FORMS` at most.

    Case is changed in closed classes alone (states of switches, months, units). Nothing is put
    in but what the question counts ("3" → "3 reviews" after "How many reviews …?"), which is
    the paper's own example.
    """
    if answer == NO_ANSWER or len(answer) > MAX_ANSWER:
        return [answer]
    plain = " ".join(answer.split())
    asked = " ".join(question[:MAX_ANSWER].split())
    ways = next(filter(None, (forms(plain, asked) for forms in _KINDS)), [])
    return _bounded([answer, *(ways if plain else [])])


def rule_variants(question: str, elements: Sequence[str], full_answer: str) -> list[str]:
    """Returns the variants of one annotated answer, `MAX_FORMS` at most.

    Each uses all elements. The full answer orders and joins them, tells how an uncertain one
    is meant ("4/6" beside "June 4"), and may write them in another case ("Male", "male").

    Args:
        question: As it was asked.
        elements: Texts of the selected elements, in the annotator's order.
        full_answer: The annotator's sentence.

    Returns:
        Variants, the plainest first; empty only where neither an element nor the full answer
        has any text, since nothing can be said then.
    """
    full = " ".join(full_answer[:MAX_ANSWER].split())
    texts = [text for text in (" ".join(element.split()) for element in elements) if text]
    if full == NO_ANSWER and not texts:
        return [NO_ANSWER]
    if not texts:
        return [full] if full else []
    if sum(map(len, texts)) > MAX_ANSWER or len(texts) > _MAX_PARTS:
        return [", ".join(texts)]
    asked = " ".join(question[:MAX_ANSWER].split())
    if len(texts) == 1:
        return _single_variants(asked, texts[0], full)
    return _joined_variants(asked, texts, full)


def _bounded(ways: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(ways))[:MAX_FORMS]


# One element


def _single_variants(question: str, text: str, full: str) -> list[str]:
    given = [text, *_spelled_in(full, text)]
    # The first window is the longest at its place: "June 4, 2015" and not "June 4".
    meant = next((window for window in _windows(full) if _tells(window, text, question)), None)
    bases = given if meant is None else [*given, meant]
    groups = [forms_of(base, question) for base in bases]
    return _bounded([*given, *(form for group in groups for form in group)])


def _spelled_in(full: str, text: str) -> list[str]:
    """Returns the element's text as the full answer writes it, where its case differs."""
    found = re.search(rf"(?<!\w){re.escape(text)}(?!\w)", full, re.I)
    return [found[0]] if found and found[0] != text else []


def _windows(full: str) -> Iterator[str]:
    """Yields runs of words of the full answer, longer ones first at each place."""
    words = full.split()
    for start in range(len(words)):
        for length in range(min(_MAX_WINDOW, len(words) - start), 0, -1):
            yield " ".join(words[start : start + length]).strip(" .,;\"'()")


def _tells(window: str, text: str, question: str) -> bool:
    """Whether a run of the full answer says how the element is meant.

    It does where it is a value of a kind that the element alone is not surely of, and holds
    the element's number, or is the date that the element may be.
    """
    if window == text or not window:
        return False
    date = dates.read_date(text, "date")
    if date is not None:
        meant = dates.read_date(window, "")
        return meant is not None and _same_day(date, meant)
    if numbers.read_digits(text) is not None:
        found = re.search(rf"(?<![\w.,]){re.escape(text)}(?![\w]|[.,]\d)", window)
        return bool(found) and any(len(forms(window, question)) > 1 for forms in _VALUES)
    return _is_length(text, window)


def _same_day(date: dates.Date, meant: dates.Date) -> bool:
    days = {(date.month, date.day)} | ({(date.day, date.month)} if date.uncertain else set())
    years = {year[-2:] for year in (date.year, meant.year) if year}
    return not meant.uncertain and (meant.month, meant.day) in days and len(years) < 2


def _is_length(text: str, window: str) -> bool:
    """Whether "1:44" is the length of time that the full answer words."""
    parts = durations.read_colon(text, "duration of the song")
    worded = durations.read_worded(window)
    if parts is None or worded is None or worded[1]:
        return False
    return durations.worded_forms(parts) == durations.worded_forms(worded[0])


# Several elements


def _joined_variants(question: str, texts: Sequence[str], full: str) -> list[str]:
    date = dates.join_parts(texts)
    if date is not None:
        return _bounded(dates.date_forms(date, question))
    places = _find_all(texts, full)
    ordered = [text for _, text in sorted(zip(places, texts, strict=True))] if places else texts
    span = _span(ordered, places, full)
    if span is None:
        # Nothing joins them but the annotator: unrelated things, a list.
        return _bounded(lists.list_forms(ordered, question))
    text, is_list = span
    if is_list:
        return _bounded(lists.list_forms(_completed(ordered, full), question))
    return _bounded([text, *forms_of(text, question)])


def _find_all(texts: Sequence[str], full: str) -> list[int]:
    """Returns where each text begins in the full answer, no two on the same letters; [] if not."""
    taken: list[tuple[int, int]] = []
    starts = []
    for text in texts:
        for found in re.finditer(rf"(?<!\w){re.escape(text)}(?!\w)", full, re.I):
            if all(found.end() <= start or end <= found.start() for start, end in taken):
                taken.append(found.span())
                starts.append(found.start())
                break
        else:
            return []
    return starts


_LISTED = re.compile(r'(?:[\s"“”\'’,;&]|\band\b|\bor\b)*')


def _span(texts: Sequence[str], starts: Sequence[int], full: str) -> tuple[str, bool] | None:
    """Returns the run of the full answer that the elements make up, and whether it lists them.

    Only blanks and commas between them: they are parts of one thing ("Jon Brown", "Paris,
    France"). Quotation marks, "and" or "or" anywhere: they are several. Other words: None.
    """
    if not starts:
        return None
    order = sorted(starts)
    gaps = [
        full[start + len(text) : following]
        for start, following, text in zip(order, order[1:], texts, strict=False)
    ]
    if not all(_LISTED.fullmatch(gap) for gap in gaps):
        return None
    listed = any(re.search(r'["“”;&]|\band\b|\bor\b', gap) for gap in gaps)
    return full[order[0] : order[-1] + len(texts[-1])], listed or (
        len(gaps) > 1 and all("," in gap for gap in gaps)
    )


def _completed(texts: Sequence[str], full: str) -> list[str]:
    """Returns the items of the full answer's list in quotation marks, if it holds all elements.

    Table 9 has elements for two applications, and the full answer and the variants name three.
    """
    quoted = re.findall(r'["“]([^"“”]{1,300}?)[.,]?["”]', full)
    folded = [item.casefold() for item in quoted]
    if len(quoted) > len(texts) and all(text.casefold() in folded for text in texts):
        listed = re.search(r'["“][^"“”]+["”](?:,? (?:and |or )?["“][^"“”]+["”])+', full)
        items = re.findall(r'["“]([^"“”]+)["”]', listed[0]) if listed else []
        if len(items) > len(texts) and {t.casefold() for t in texts} <= {
            i.casefold() for i in items
        }:
            return items
    return list(texts)
