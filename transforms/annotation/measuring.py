"""Agreement of a whole campaign, put together from small parts that screens leave.

What a screen leaves (`ScreenVotes`) holds tables and no texts, so that the parts of a full
campaign fit into one worker, where the figures and their bootstrap intervals are made.
"""

import array
import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import apache_beam as beam
from apache_beam.typehints.decorators import no_annotations

from schemas.agreements import Agreement
from schemas.annotations import AnnotationEvent, AnnotationPass, EventStatus
from schemas.campaigns import AnnotationPolicy
from schemas.questions import AskedScreen
from schemas.records import Record
from transforms.annotation.annotators import Work, annotator_figures, count_pairs, work_of
from transforms.annotation.box_agreement import BoxPair, box_figures, drawn_boxes, pair_answers
from transforms.annotation.quality import AnnotatorQuality
from transforms.annotation.statistics import (
    Labels,
    answerability,
    group_labels,
    invalid_mark,
    measure_labels,
    tally_agreements,
)
from transforms.annotation.unanswerable import ScreenState, plan_third_pass, screen_state
from transforms.packing import pack, unpack

_MOST_EXAMPLES = 50

WorkTable: TypeAlias = "dict[tuple[str, str, str, bool], array.array[float]]"
"""Seconds of work by (annotator, pass, status, whether the question was called invalid)."""


@dataclasses.dataclass(frozen=True, slots=True)
class ScreenVotes(Record):
    """What one screen adds to the figures of a campaign."""

    screen_id: str
    agreements: tuple[Agreement, ...]
    """Without their edges and event ids."""
    answerable: Mapping[Labels, int]
    invalid: Mapping[Labels, int]
    boxes: Mapping[BoxPair, int]
    drawn: Mapping[float, int]
    pairs: Mapping[str, int]
    agreeing: Mapping[str, int]
    near_duplicates: tuple[tuple[str, str, float], ...]
    state: ScreenState


def votes_of(settled: tuple[AskedScreen, tuple[Agreement, ...]]) -> Iterator[ScreenVotes]:
    """Yields what a screen adds; tables of questions that two or more people answered."""
    asked, agreements = settled
    assert asked.annotations is not None
    answers = [
        event
        for question in asked.annotations.questions
        if len(question.answers) > 1
        for event in question.answers
    ]
    pairs, agreeing = count_pairs(
        (event for question in asked.annotations.questions for event in question.answers),
        agreements,
    )
    yield ScreenVotes(
        screen_id=asked.screen_id,
        agreements=tuple(
            dataclasses.replace(agreement, edges=(), kept=(), removed=())
            for agreement in agreements
        ),
        answerable=_table(answers, answerability),
        invalid=_table(answers, invalid_mark),
        boxes=pair_answers(answers).get(asked.screen_id, {}),
        drawn=drawn_boxes(answers),
        pairs=pairs,
        agreeing=agreeing,
        near_duplicates=tuple(
            (pair.one, pair.other, round(pair.similarity, 1))
            for pair in asked.annotations.near_duplicates
        ),
        state=screen_state(asked.annotations, asked.split),
    )


def works_of(asked: AskedScreen) -> Iterator[Work]:
    """Yields what is counted of each event of a screen, cancelled ones included."""
    yield from map(work_of, asked.events)


def measure_campaign(
    votes: Iterable[ScreenVotes],
    works: Iterable[Work],
    qualities: Iterable[AnnotatorQuality],
    policy: AnnotationPolicy,
    seed: str,
) -> dict[str, Any]:
    """Returns all figures of a campaign as plain values, for `agreement.json`.

    Nothing depends on the order of its parts. The paper reports 97.9, 1.9 and 0.2 % of full,
    partial and no agreement; its rule counts an equal question as agreement, which says
    little of answers: `answer_only_levels` leaves that out (ScreenQA A.5).
    """
    ordered = sorted(votes, key=lambda vote: vote.screen_id)
    pairs: Counter[str] = Counter()
    agreeing: Counter[str] = Counter()
    for vote in ordered:
        pairs.update(vote.pairs)
        agreeing.update(vote.agreeing)
    near = sorted(pair for vote in ordered for pair in vote.near_duplicates)
    states = [vote.state for vote in ordered]
    return {
        "mode": policy.agreement.value,
        "questions": _plain(tally_agreements(a for vote in ordered for a in vote.agreements)),
        "answerability": _plain(
            measure_labels(
                {vote.screen_id: vote.answerable for vote in ordered if vote.answerable},
                label="not_answerable",
            )
        ),
        "invalid_marks": _plain(
            measure_labels(
                {vote.screen_id: vote.invalid for vote in ordered if vote.invalid},
                label="invalid",
            )
        ),
        "boxes": _plain(
            box_figures(
                {vote.screen_id: vote.boxes for vote in ordered if vote.boxes},
                _total(vote.drawn for vote in ordered),
            )
        ),
        "annotators": _by_pass(works, pairs, agreeing),
        "training": _plain(
            sorted(qualities, key=lambda found: (found.annotator_id, found.of_pass))
        ),
        "unanswerable": _plain(list(plan_third_pass(states, policy.unanswerable_share, seed))),
        "near_duplicate_questions": {
            "count": len(near),
            "examples": [list(pair) for pair in near[:_MOST_EXAMPLES]],
        },
    }


def _by_pass(
    works: Iterable[Work], pairs: Mapping[str, int], agreeing: Mapping[str, int]
) -> dict[str, Any]:
    """Returns the figures of all annotators in each pass: times of two are not comparable."""
    of_pass: dict[AnnotationPass, list[Work]] = {}
    for work in works:
        of_pass.setdefault(work.pass_, []).append(work)
    figures = {}
    for pass_ in sorted(of_pass):
        compared = pass_ is AnnotationPass.ANSWER
        found = annotator_figures(
            of_pass[pass_], pairs if compared else {}, agreeing if compared else {}
        )
        figures[pass_.value] = _plain(found)
    return figures


def _table(events: Sequence[AnnotationEvent], label_of: Any) -> Mapping[Labels, int]:
    tables = group_labels(events, unit_of=lambda e: e.question_id or "", label_of=label_of)
    return next(iter(tables.values()), {})


def _total(tables: Iterable[Mapping[float, int]]) -> Counter[float]:
    total: Counter[float] = Counter()
    for table in tables:
        total.update(table)
    return total


def _plain(value: Any) -> Any:
    """Returns dataclasses as dicts and enum members as their texts, all the way down."""
    if dataclasses.is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return str(value) if isinstance(value, str) else value


class MeasureCampaign(beam.PTransform[Any, beam.PCollection[tuple[str, Any]]]):
    """Measures a campaign; applied to (screens with events, agreed screens, qualities)."""

    def __init__(self, policy: AnnotationPolicy, seed: str) -> None:
        super().__init__()
        self._policy = policy
        self._seed = seed

    @no_annotations  # Its input is three PCollections.
    def expand(self, inputs: tuple[Any, Any, Any]) -> beam.PCollection[tuple[str, Any]]:
        screens, agreed, qualities = inputs
        votes = agreed | "Votes" >> beam.FlatMap(_packed_votes)
        works = (
            screens
            | "Works" >> beam.FlatMap(works_of)
            | "AddWorks" >> beam.CombineGlobally(_AddWorks())  # type: ignore[no-untyped-call]
        )
        return (
            votes
            | "ListVotes" >> beam.combiners.ToList()
            | "Measure"
            >> beam.Map(
                _measured,
                beam.pvalue.AsSingleton(works),
                beam.pvalue.AsList(qualities),
                self._policy,
                self._seed,
            )
        )


class _AddWorks(beam.CombineFn):
    """Packs the works of all events by annotator: a row each would be most of the memory."""

    def create_accumulator(self) -> WorkTable:
        return {}

    def add_input(self, table: WorkTable, work: Work) -> WorkTable:
        key = (work.annotator_id, work.pass_.value, work.status.value, work.is_invalid)
        times = table.setdefault(key, array.array("d"))
        # A time that was not told is no number; -1 keeps the count.
        times.append(-1.0 if work.lead_time_s is None else work.lead_time_s)
        return table

    def merge_accumulators(self, tables: Iterable[WorkTable]) -> WorkTable:
        total: WorkTable = {}
        for table in tables:
            for key, times in table.items():
                total.setdefault(key, array.array("d")).extend(times)
        return total

    def extract_output(self, table: WorkTable) -> WorkTable:
        return table


def keep_asked() -> "beam.PTransform[Any, beam.PCollection[AskedScreen]]":
    """Returns the step that keeps what rows are made of: screens with their final questions."""
    return "KeepAsked" >> beam.FlatMap(_asked)


def _measured(
    votes: list[bytes],
    works: WorkTable,
    qualities: list[AnnotatorQuality],
    policy: AnnotationPolicy,
    seed: str,
) -> tuple[str, Any]:
    unpacked = [unpack(vote) for vote in votes]
    return "agreement", measure_campaign(unpacked, _unpacked(works), qualities, policy, seed)


def _packed_votes(settled: tuple[AskedScreen, tuple[Agreement, ...]]) -> Iterator[bytes]:
    return map(pack, votes_of(settled))


def _unpacked(table: WorkTable) -> Iterator[Work]:
    for (annotator_id, pass_, status, is_invalid), times in sorted(table.items()):
        for time in sorted(times):
            told = None if time < 0 else time
            yield Work(annotator_id, AnnotationPass(pass_), EventStatus(status), told, is_invalid)


def _asked(settled: tuple[AskedScreen, tuple[Agreement, ...]]) -> Iterator[AskedScreen]:
    if settled[0].questions:
        yield dataclasses.replace(settled[0], annotations=None)
