"""Statistics of a build: counts and histograms per split and over all, added up from screens."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import apache_beam as beam

from schemas.builds import ALL
from schemas.questions import NO_ANSWER, Answer, AskedScreen, Question
from schemas.short_answers import RELEASED, ShortAnswerOrigin
from transforms.identifying import id_order
from transforms.metrics.squad import squad_form
from transforms.question_kinds import topic_of, type_of

Histograms = Counter[tuple[str, str, str]]
"""Counts by (split, statistic, value); the value is empty for plain counts."""

_DISTINCT = {"screens_per_app": "apps", "times_asked": "unique_questions"}
"""Statistics of which only the number of their values is told, and under which name."""


class Statistics(NamedTuple):
    """The statistics of each split, and of all splits together."""

    splits: dict[str, dict[str, Any]]
    all: dict[str, Any]


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
    """Yields one (statistic, value) for each thing to count on a question.

    `elements_per_answer` and `answers_by_box_source` are the paper's Figure 3b and section
    5.3, `questions_by_topic` its Tables 4 and 10, `questions_by_type` its Figure 6.
    """
    yield "questions", ""
    yield "times_asked", _digest(squad_form(question.text))
    yield "questions_by_topic", topic_of(question.text).value
    yield "questions_by_type", type_of(question.text).value
    found = found_no_answer(question)
    if any(found):
        yield "questions_with_no_answer", ""
    if found and all(found):
        yield "questions_with_only_no_answer", ""
    if question.answers:
        yield "answers_per_question", str(len(question.answers))
    if question.agreement is not None:
        yield "questions_by_pass", question.agreement.annotation_pass
        yield "questions_by_agreement", question.agreement.level
    if question.short_answers:
        yield "short_answers_per_question", str(len(question.short_answers))
        yield "questions_by_short_answer_provider", short_answer_origin(question).provider
    for answer in question.answers:
        yield from answer_statistics(answer)


def answer_statistics(answer: Answer) -> Iterator[tuple[str, str]]:
    """Yields one (statistic, value) for each thing to count on an answer."""
    yield "answers", ""
    yield "elements_per_answer", str(len(answer.ui_elements))
    origins = {element.vh_index >= 0 for element in answer.ui_elements}
    if origins:
        source = "mixed" if len(origins) == 2 else "hierarchy" if True in origins else "drawn"
        yield "answers_by_box_source", source
        if len(answer.ui_elements) == 1:
            yield "single_box_answers_by_source", source


def short_answer_origin(question: Question) -> ShortAnswerOrigin:
    """Returns what made a question's short answers: a source, if nothing here did."""
    return question.short_answers_from or RELEASED


def found_no_answer(question: Question) -> list[bool]:
    """Returns, for each answer that is known, whether it says that there is no answer.

    Short answers are looked at too: a released file may hold nothing else.
    """
    texts = [answer.full_answer for answer in question.answers] + list(question.short_answers)
    return [text == NO_ANSWER for text in texts]


def plain_statistics(histograms: Histograms) -> Statistics:
    """Returns the histograms as nested plain values, sorted.

    `apps` is how many apps a split has, `unique_questions` how many of its questions differ
    after SQuAD's normalizing (ScreenQA 5.2). Both are less, over all, than the sum of the
    splits, where a split is not app-wise or a question is asked in two.
    """
    over_all: Histograms = Counter()
    for (_, statistic, value), count in histograms.items():
        over_all[ALL, statistic, value] += count
    return Statistics(_nested(histograms), _nested(over_all).get(ALL, {}))


def _nested(histograms: Histograms) -> dict[str, dict[str, Any]]:
    plain: dict[str, dict[str, Any]] = {}
    for (split, statistic, value), count in sorted(histograms.items(), key=_value_order):
        of_split = plain.setdefault(split, {})
        if statistic in _DISTINCT:
            of_split[_DISTINCT[statistic]] = of_split.get(_DISTINCT[statistic], 0) + 1
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
        return plain_statistics(counts)._asdict()


def _value_order(item: tuple[tuple[str, str, str], int]) -> tuple[str, str, int, str]:
    split, statistic, value = item[0]
    return split, statistic, *id_order(value)


def _digest(text: str) -> str:
    # Eight bytes a question instead of its text: of 86,000, two agree by chance in 1 of 5 × 10⁹.
    return hashlib.blake2b(text.encode("utf-8", "backslashreplace"), digest_size=8).hexdigest()
