"""How far annotators agree on the boxes of an answer.

Two people's boxes are assigned to each other as ScreenQA's scorer does it
(`code/metrics.py`, 1dfdbcc): one to one, so that the summed IoU is greatest.
"""

import dataclasses
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from schemas.annotations import AnnotationEvent, AnswerState, GivenAnswer
from schemas.geometry import Bounds, iou
from transforms.annotation.elements import have_same_elements
from transforms.annotation.estimates import Estimate, Statistic, add_tables, estimate, mean

IOU_THRESHOLDS = (0.1, 0.5)
"""The benchmark's threshold (ScreenQA 3) and the one of detection work (MUIAnno 3.5)."""


@dataclasses.dataclass(frozen=True, slots=True)
class BoxPair:
    """The boxes of two answers to one question, compared."""

    f1: tuple[float, ...]
    """F1 (0 to 1) at each of `IOU_THRESHOLDS`."""
    matched_iou: float
    """Mean IoU (0 to 1) of the boxes assigned to each other; 0 if one has none."""
    same_elements: bool
    """Whether the elements are the same by A.5, whatever their order."""


@dataclasses.dataclass(frozen=True, slots=True)
class BoxAgreement:
    """How far pairs of annotators agree on boxes.

    Only pairs that both found the question answerable count, for whether it is is measured
    apart, and of those only where at least one drew a box.
    """

    n_pairs: int
    f1: tuple[tuple[float, Estimate], ...]
    """Threshold and mean F1 (0 to 1)."""
    matched_iou: Estimate
    exact_set: Estimate
    """Share (0 to 1) of pairs with the same elements by A.5."""
    drawn: Statistic
    """Share (0 to 1) of all boxes that were drawn by hand."""


def match_boxes(one: Sequence[Bounds], other: Sequence[Bounds]) -> tuple[float, ...]:
    """Returns the IoU of each box of the shorter list with the one assigned to it.

    The order of boxes and of lists changes nothing: among assignments of equal sum, which
    may differ in their number of matches, the sorted boxes decide.
    """
    rows, columns = sorted((sorted(one), sorted(other)))
    if not rows:
        return ()
    # Imported here: half a second that a build without raw events need not spend.
    from scipy.optimize import linear_sum_assignment

    overlaps = np.array([[iou(row, column) for column in columns] for row in rows])
    assigned = linear_sum_assignment(overlaps, maximize=True)
    return tuple(overlaps[assigned].tolist())


def f1_at_iou(one: Sequence[Bounds], other: Sequence[Bounds], *, threshold: float) -> float:
    """Returns the F1 (0 to 1) of two lists of boxes; two empty lists agree fully.

    Boxes match from `threshold` on, as in ScreenQA's code; its text says "higher than". The
    assignment does not know the threshold, as in the code, so it may miss a match.

    Raises:
        ValueError: `threshold` is not above 0, where any two boxes would match, or above 1.
    """
    if not 0 < threshold <= 1:
        raise ValueError(f"an IoU threshold lies above 0 and up to 1: {threshold}")
    return _f1(match_boxes(one, other), len(one) + len(other), threshold)


def compare_boxes(one: GivenAnswer, other: GivenAnswer) -> BoxPair:
    """Returns how two answers' boxes compare."""
    ours = [element.bounds for element in one.elements]
    theirs = [element.bounds for element in other.elements]
    overlaps = match_boxes(ours, theirs)
    return BoxPair(
        f1=tuple(_f1(overlaps, len(ours) + len(theirs), at) for at in IOU_THRESHOLDS),
        matched_iou=sum(sorted(overlaps)) / len(overlaps) if overlaps else 0.0,
        same_elements=have_same_elements(one.elements, other.elements),
    )


def pair_answers(events: Iterable[AnnotationEvent]) -> dict[str, Counter[BoxPair]]:
    """Returns per screen how often each comparison occurs among answers of one question.

    Args:
        events: Submitted answer events, one for each question and annotator.
    """
    by_question: dict[tuple[str, str | None], list[GivenAnswer]] = {}
    for event in events:
        if event.answer is not None and event.answer.state == AnswerState.ANSWERABLE:
            key = (event.screen_id, event.question_id)
            by_question.setdefault(key, []).append(event.answer)
    tables: dict[str, Counter[BoxPair]] = {}
    for (screen_id, _), answers in by_question.items():
        for one, other in itertools.combinations(answers, 2):
            if one.elements or other.elements:
                pair = compare_boxes(one, other)
                tables.setdefault(screen_id, Counter())[pair] += 1
    return tables


def drawn_boxes(events: Iterable[AnnotationEvent]) -> Counter[float]:
    """Returns how many boxes of answers were drawn by hand (1) and how many were picked (0)."""
    return Counter(
        float(element.vh_index < 0)
        for event in events
        if event.answer is not None
        for element in event.answer.elements
    )


def measure_boxes(
    events: Sequence[AnnotationEvent], *, seed: int = 0, replicates: int = 1000
) -> BoxAgreement:
    """Returns all figures on the boxes of submitted answer events."""
    return box_figures(pair_answers(events), drawn_boxes(events), seed=seed, replicates=replicates)


def box_figures(
    pairs: Mapping[str, Mapping[BoxPair, int]],
    is_drawn: Mapping[float, int],
    *,
    seed: int = 0,
    replicates: int = 1000,
) -> BoxAgreement:
    """Returns all figures on boxes from the tables of `pair_answers` and `drawn_boxes`."""

    def figure(value_of: Callable[[BoxPair], float]) -> Estimate:
        values = {screen_id: _project(table, value_of) for screen_id, table in pairs.items()}
        return estimate(values, mean, seed=seed, replicates=replicates)

    def f1_figure(place: int) -> Estimate:
        return figure(lambda pair: pair.f1[place])

    f1 = [f1_figure(place) for place in range(len(IOU_THRESHOLDS))]
    return BoxAgreement(
        n_pairs=add_tables(pairs).total(),
        f1=tuple(zip(IOU_THRESHOLDS, f1, strict=True)),
        matched_iou=figure(lambda pair: pair.matched_iou),
        exact_set=figure(lambda pair: float(pair.same_elements)),
        drawn=mean(is_drawn),
    )


def _f1(overlaps: Iterable[float], n_boxes: int, threshold: float) -> float:
    matches = sum(overlap >= threshold for overlap in overlaps)
    return 2 * matches / n_boxes if n_boxes else 1.0


def _project(table: Mapping[BoxPair, int], value_of: Callable[[BoxPair], float]) -> Counter[float]:
    values: Counter[float] = Counter()
    for pair, times in table.items():
        values[value_of(pair)] += times
    return values
