"""What can be said of each annotator, to find those who need help."""

import dataclasses
import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from schemas.agreements import Agreement, Clause, RemovalReason
from schemas.annotations import AnnotationEvent, AnnotationPass, AnswerState, EventStatus
from schemas.records import Record
from transforms.annotation.estimates import Statistic


@dataclasses.dataclass(frozen=True, slots=True)
class AnnotatorFigures:
    """One annotator's work in one pass."""

    annotator_id: str
    n_submitted: int
    n_skipped: int
    """Cancelled tasks."""
    skip_share: Statistic
    """Share (0 to 1) of skips of all that was submitted or skipped."""
    n_invalid: int
    """Questions called invalid."""
    n_pairs: int
    """Other people's live answers that an answer can be compared with."""
    agreement: Statistic
    """Share (0 to 1) of those that agree with it directly, by full answer or elements.

    An equal question does not count, and neither does agreement through a third answer: both
    would praise everybody alike.
    """
    lead_time_s: Statistic
    """Median seconds of work of submitted events that tell."""


@dataclasses.dataclass(frozen=True, slots=True)
class Work(Record):
    """What is counted of one event."""

    annotator_id: str
    pass_: AnnotationPass
    status: EventStatus
    lead_time_s: float | None
    is_invalid: bool
    """Whether it calls a question invalid."""


def work_of(event: AnnotationEvent) -> Work:
    """Returns what is counted of an event."""
    state = event.answer.state if event.answer is not None else None
    invalid = state is AnswerState.INVALID_QUESTION
    return Work(event.annotator_id, event.pass_, event.status, event.lead_time_s, invalid)


def count_pairs(
    events: Iterable[AnnotationEvent], agreements: Iterable[Agreement]
) -> tuple[Counter[str], Counter[str]]:
    """Returns, per annotator, pairs with others' live answers, and how many of them agree.

    Args:
        events: The answer events that the agreements name.
        agreements: What the rule made of their questions.
    """
    author = {event.event_id: event.annotator_id for event in events}
    pairs: Counter[str] = Counter()
    agreeing: Counter[str] = Counter()
    for agreement in agreements:
        pairs.update(_pair_authors(agreement, author))
        agreeing.update(_agreeing_authors(agreement, author))
    return pairs, agreeing


def measure_annotators(
    events: Iterable[AnnotationEvent], agreements: Iterable[Agreement]
) -> tuple[AnnotatorFigures, ...]:
    """Returns the figures of each annotator, by id.

    Args:
        events: All events of one pass, cancelled ones included: time and skips of another
            pass are not comparable.
        agreements: What the rule made of the questions of the answer pass; none for others.
    """
    found = list(events)
    return annotator_figures(map(work_of, found), *count_pairs(found, agreements))


def annotator_figures(
    works: Iterable[Work], pairs: Mapping[str, int], agreeing: Mapping[str, int]
) -> tuple[AnnotatorFigures, ...]:
    """Returns the figures of each annotator, by id, from what was counted before."""
    by_annotator: dict[str, list[Work]] = {}
    for work in works:
        by_annotator.setdefault(work.annotator_id, []).append(work)
    return tuple(
        _figures(
            annotator_id,
            theirs,
            n_pairs=pairs.get(annotator_id, 0),
            n_agreeing=agreeing.get(annotator_id, 0),
        )
        for annotator_id, theirs in sorted(by_annotator.items())
    )


def _pair_authors(agreement: Agreement, author: dict[str, str]) -> Iterable[str]:
    invalid = (RemovalReason.INVALID_QUESTION, RemovalReason.ALL_INVALID)
    removed = [removal.event_id for removal in agreement.removed if removal.reason not in invalid]
    for pair in itertools.combinations((*agreement.kept, *removed), 2):
        yield from (author[event_id] for event_id in pair)


def _agreeing_authors(agreement: Agreement, author: dict[str, str]) -> Iterable[str]:
    for edge in agreement.edges:
        if set(edge.clauses) - {Clause.QUESTION}:
            yield from (author[edge.one], author[edge.other])


def _figures(
    annotator_id: str, works: Sequence[Work], *, n_pairs: int, n_agreeing: int
) -> AnnotatorFigures:
    counts = Counter(work.status for work in works)
    n_submitted, n_skipped = counts[EventStatus.SUBMITTED], counts[EventStatus.CANCELLED]
    submitted = [work for work in works if work.status == EventStatus.SUBMITTED]
    times = [work.lead_time_s for work in submitted if work.lead_time_s is not None]
    return AnnotatorFigures(
        annotator_id=annotator_id,
        n_submitted=n_submitted,
        n_skipped=n_skipped,
        skip_share=_share(n_skipped, n_submitted + n_skipped, "nothing submitted or skipped"),
        n_invalid=sum(work.is_invalid for work in submitted),
        n_pairs=n_pairs,
        agreement=_share(n_agreeing, n_pairs, "nobody else answered the same questions"),
        lead_time_s=(
            Statistic(float(np.median(times))) if times else Statistic(None, "no lead time told")
        ),
    )


def _share(part: int, whole: int, reason: str) -> Statistic:
    return Statistic(part / whole) if whole else Statistic(None, reason)
