"""Who is good enough, and since when (ScreenQA A.4: 90 % to start, above 95 % all along).

The gate needs all training events of a person, which lie on many screens; so it is
measured by itself, and handed to the settling of screens as a `Gate`.
"""

import dataclasses
import datetime
from collections.abc import Iterable, Iterator

from schemas.annotations import AnnotationEvent, AnnotationPass, EventStatus
from schemas.campaigns import AnnotationPolicy
from schemas.records import Record
from transforms.annotation.gates import Gate
from transforms.annotation.revisions import newest_revision


@dataclasses.dataclass(frozen=True, slots=True)
class AnnotatorQuality(Record):
    """How one person did in the gold tasks of one pass."""

    annotator_id: str
    of_pass: AnnotationPass
    n_tasks: int
    n_correct: int
    counts_from: datetime.datetime | None
    """Moment from which the person's events count; None if never."""
    rolling_share: float
    """Share (0 to 1) of right tasks among the latest ones."""
    is_below_quality: bool
    """Whether that share is below what A.4 reports: a warning, nothing is dropped."""


def measure_quality(
    annotator_id: str, events: Iterable[AnnotationEvent], policy: AnnotationPolicy
) -> Iterator[AnnotatorQuality]:
    """Yields a person's quality in each pass that they were trained for, in order of passes.

    The bar is reached at the first gold task at which the share of right ones among all so
    far is at least `training_share`, and not before `training_tasks` of them: one lucky
    task is no training. Other events than submitted training events are passed over.

    Args:
        annotator_id: The person.
        events: All events of that person, in any order.
        policy: The thresholds.
    """
    by_id: dict[str, list[AnnotationEvent]] = {}
    for event in events:
        if event.training is not None and event.status is EventStatus.SUBMITTED:
            by_id.setdefault(event.event_id, []).append(event)
    tasks = [newest_revision(revisions) for revisions in by_id.values()]
    tasks.sort(key=lambda task: (task.submitted_at, task.event_id))
    for pass_ in AnnotationPass:
        results = [
            (task.submitted_at, task.training.correct)
            for task in tasks
            if task.training is not None and task.training.of_pass is pass_
        ]
        if results:
            yield _quality(annotator_id, pass_, results, policy)


def make_gate(qualities: Iterable[AnnotatorQuality]) -> Gate:
    """Returns the gate of a campaign from the quality of all its annotators."""
    starts = {(found.annotator_id, found.of_pass): found.counts_from for found in qualities}
    return Gate(starts, frozenset(pass_ for _, pass_ in starts))


def _quality(
    annotator_id: str,
    pass_: AnnotationPass,
    results: list[tuple[datetime.datetime, bool]],
    policy: AnnotationPolicy,
) -> AnnotatorQuality:
    needed = min(policy.training_tasks, len(results))
    counts_from = None
    n_correct = 0
    for n_tasks, (moment, is_correct) in enumerate(results, start=1):
        n_correct += is_correct
        is_reached = n_tasks >= needed and n_correct / n_tasks >= policy.training_share
        if counts_from is None and is_reached:
            counts_from = moment
    latest = results[-policy.quality_window :]
    rolling = sum(is_correct for _, is_correct in latest) / len(latest)
    return AnnotatorQuality(
        annotator_id=annotator_id,
        of_pass=pass_,
        n_tasks=len(results),
        n_correct=n_correct,
        counts_from=counts_from,
        rolling_share=rolling,
        is_below_quality=rolling < policy.quality_share,
    )
