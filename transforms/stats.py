"""Statistics of a build: counts and histograms per split, added up from screens."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import apache_beam as beam

from schemas.questions import NO_ANSWER, AskedScreen, Question
from transforms.identifying import id_order

Histograms = Counter[tuple[str, str, str]]
"""Counts by (split, statistic, value); the value is empty for plain counts."""


def screen_statistics(asked: AskedScreen) -> Iterator[tuple[str, str, str]]:
    """Yields one (split, statistic, value) for each thing to count on a screen."""
    split = asked.split
    yield split, "screens", ""
    if asked.questions:
        yield split, "questions_per_screen", str(len(asked.questions))
    for statistic, value in prefilter_statistics(asked):
        yield split, statistic, value
    if asked.app is not None:
        yield split, "screens_per_app", asked.app.package
        if asked.app.category is not None:
            yield split, "screens_per_category", asked.app.category
            for _ in asked.questions:
                yield split, "questions_per_category", asked.app.category
    for question in asked.questions:
        for statistic, value in question_statistics(question):
            yield split, statistic, value


def prefilter_statistics(asked: AskedScreen) -> Iterator[tuple[str, str]]:
    """Yields one (statistic, value) for each automatic verdict on a screen, and its origin."""
    if asked.ref is not None:
        yield "screens_by_origin", asked.ref.origin.value
    if asked.prefilter is not None and asked.prefilter.language is not None:
        yield "screens_by_language", asked.prefilter.language.verdict.value
    reading = asked.screen.reading if asked.screen else None
    if reading is not None and reading.sync is not None:
        yield "screens_by_hierarchy_sync", reading.sync.verdict.value


def question_statistics(question: Question) -> Iterator[tuple[str, str]]:
    """Yields one (statistic, value) for each thing to count on a question."""
    yield "questions", ""
    found = found_no_answer(question)
    if any(found):
        yield "questions_with_no_answer", ""
    if found and all(found):
        yield "questions_with_only_no_answer", ""
    if question.answers:
        yield "answers_per_question", str(len(question.answers))
    if question.short_answers:
        yield "short_answers_per_question", str(len(question.short_answers))
    for answer in question.answers:
        yield "answers", ""
        yield "elements_per_answer", str(len(answer.ui_elements))
        origins = {element.vh_index >= 0 for element in answer.ui_elements}
        if origins:
            source = "mixed" if len(origins) == 2 else "hierarchy" if True in origins else "drawn"
            yield "answers_by_box_source", source


def found_no_answer(question: Question) -> list[bool]:
    """Returns, for each answer that is known, whether it says that there is no answer.

    Short answers are looked at too: a released file may hold nothing else.
    """
    texts = [answer.full_answer for answer in question.answers] + list(question.short_answers)
    return [text == NO_ANSWER for text in texts]


def plain_statistics(histograms: Histograms) -> dict[str, dict[str, Any]]:
    """Returns the histograms as nested plain values, sorted, for `stats.json`.

    `apps` is how many apps a split has; their screens are not listed one by one.
    """
    plain: dict[str, dict[str, Any]] = {}
    for (split, statistic, value), count in sorted(histograms.items(), key=_value_order):
        of_split = plain.setdefault(split, {})
        if statistic == "screens_per_app":
            of_split["apps"] = of_split.get("apps", 0) + 1
        elif value:
            of_split.setdefault(statistic, {})[value] = count
        else:
            of_split[statistic] = count
    return {split: dict(sorted(values.items())) for split, values in plain.items()}


class CountStatistics(beam.CombineFn):
    """Adds up the statistics of screens."""

    def create_accumulator(self) -> Histograms:
        return Counter()

    def add_input(self, counts: Histograms, asked: AskedScreen) -> Histograms:
        counts.update(screen_statistics(asked))
        return counts

    def merge_accumulators(self, accumulators: Iterable[Histograms]) -> Histograms:
        total: Histograms = Counter()
        for counts in accumulators:
            total.update(counts)
        return total

    def extract_output(self, counts: Histograms) -> Mapping[str, Any]:
        return plain_statistics(counts)


def _value_order(item: tuple[tuple[str, str, str], int]) -> tuple[str, str, int, str]:
    split, statistic, value = item[0]
    return split, statistic, *id_order(value)
