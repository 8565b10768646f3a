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
    cues,
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

_NAME_KINDS = (places.forms, lists.forms, descriptions.forms, quotes.forms)
"""Kinds that a title, name, address or code may be of: it keeps its words and numbers."""

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
    kinds = _NAME_KINDS if cues.asks_name(asked) else _KINDS
    ways = next(filter(None, (forms(plain, asked) for forms in kinds)), [])
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
    meant = None
    if not cues.asks_name(question):
        meant = next((window for window in _windows(full) if _tells(window, text, question)), None)
        if _contradicts(full, text, question):
            # The full answer decides.
            return _bounded(given)
        if meant is not None and _is_in_hours(text, meant):
            return _bounded([*given, *forms_of(meant, question)])
        items = _items_joined_in(full, text) if cues.asks_several(question) else []
        if items:
            return _bounded([*given, *lists.list_forms(items, question)])
    bases = given if meant is None else [*given, meant]
    groups = [forms_of(base, question) for base in bases]
    return _bounded([*given, *(form for group in groups for form in group)])


def _contradicts(full: str, text: str, question: str) -> bool:
    """Whether the full answer says that the element is not what it looks like."""
    if re.fullmatch(r"[\d.]+", text, re.A) and re.search(r"\b(?:version|build)\b", full, re.I):
        return "." in text
    if re.fullmatch(r"[\d.,]+", text, re.A) and re.search(
        rf"[-−]{re.escape(text)}(?!\w)|"
        rf"(?<!\w){re.escape(text)} (?:dozen|hundred|thousand|million|billion|lakh|crore)\b",
        full,
        re.I,
    ):
        return True
    date = dates.read_date(text, "date")
    if date is not None and text[-1:].isdigit() and not dates.names_month(text):
        found = [day for window in _windows(full) if (day := dates.read_date(window, ""))]
        days = {(day.month, day.day) for day in found if not day.uncertain}
        same = [day for day in found if _same_day(date, day)]
        other = len(days) > 1 or (dates.names_month(full) and not same)
        # Numbers that stay in their order are the same day whichever it is.
        return other and not (date.uncertain and date.year)
    parts = durations.read_colon(text, question)
    if parts is None:
        return False
    worded = [read[0] for window in _windows(full) if (read := durations.read_worded(window))]
    hours = durations.read_hours(text)
    said = [durations.worded_forms(way)[0] for way in worded]
    return bool(said) and not any(
        durations.worded_forms(way)[0] in said for way in (parts, hours) if way
    )


def _is_in_hours(text: str, meant: str) -> bool:
    """Whether "1:45" is the "1 hour and 45 minutes" of the full answer."""
    hours, worded = durations.read_hours(text), durations.read_worded(meant)
    if hours is None or worded is None:
        return False
    return durations.worded_forms(hours) == durations.worded_forms(worded[0])


def _items_joined_in(full: str, text: str) -> list[str]:
    """Returns the two items of "A, B" where the full answer has "A and B"; [] elsewhere."""
    items = text.split(", ")
    if len(items) != 2 or not all(item.strip() for item in items):
        return []
    first, last = (re.escape(item) for item in items)
    joined = re.search(rf"(?<!\w)[\"“]?{first}[\"”]? and [\"“]?{last}(?!\w)", full, re.I)
    return items if joined else []


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
    worded = durations.read_worded(window)
    if worded is None or worded[1]:
        return False
    readings = durations.read_colon(text, "duration of the song"), durations.read_hours(text)
    said = durations.worded_forms(worded[0])
    return any(durations.worded_forms(parts) == said for parts in readings if parts)


# Several elements


def _joined_variants(question: str, texts: Sequence[str], full: str) -> list[str]:
    named = cues.asks_name(question)
    date = None if named else dates.join_parts(texts) or _date_made_of(texts, full)
    if date is not None:
        return _bounded(dates.date_forms(date, question))
    value = _glued_in(texts, full)
    if value:
        return _bounded([value, *forms_of(value, question)])
    places = _find_all(texts, full)
    ordered = [text for _, text in sorted(zip(places, texts, strict=True))] if places else texts
    span = _span(ordered, places, full)
    if span is None and any(_PART.fullmatch(text) for text in texts):
        # "May", "5", "to", "June", "6": parts, and no list of them.
        return [_from_first_to_last(ordered, places, full)]
    if span is None:
        # Nothing joins them but the annotator: unrelated things, a list.
        return _bounded(lists.list_forms(ordered, question))
    text, is_list = span
    if is_list:
        items = _completed(ordered, full)
        joiner = lists.joiner_of(text, items)
        return _bounded(lists.list_forms(items, question, joiner))
    return _bounded([text, *forms_of(text, question)])


# What is part of a value and none by itself.
_PART = re.compile(
    r"[$€£₹¥%°:/.,-]|[ap]\.?m\.?|hrs?|mins?|secs?|[hms]|"
    r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}\.?,?",
    re.I | re.A,
)
_MAX_GAP = 30


def _date_made_of(texts: Sequence[str], full: str) -> dates.Date | None:
    """Returns the date of the full answer that the elements are the parts of, or None."""
    if len(texts) > 4:
        return None
    found = (dates.read_date(window, "") for window in _windows(full))
    return next((day for day in found if day and dates.is_made_of(day, texts)), None)


def _glued_in(texts: Sequence[str], full: str) -> str:
    """Returns the value of the full answer that elements in their order make: "5:30 PM"."""
    if len(texts) > _MAX_WINDOW or not any(re.search(r"\d", text) for text in texts):
        return ""
    pattern = r"[ :/.-]{0,2}".join(map(re.escape, texts))
    found = re.search(rf"(?<![\w.,]){pattern}(?!\w|[.,]\d)", full, re.I)
    # "1" and "1" are no 11.
    return found[0] if found and not found[0].isdigit() else ""


def _from_first_to_last(texts: Sequence[str], starts: Sequence[int], full: str) -> str:
    order = sorted(starts)
    if order and order[-1] + len(texts[-1]) - order[0] <= sum(map(len, texts)) + _MAX_GAP:
        return full[order[0] : order[-1] + len(texts[-1])]
    return " ".join(texts)


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
