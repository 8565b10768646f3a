"""Tests of the agreement on boxes."""

import datetime
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.annotations import (
    AnnotationEvent,
    AnnotationPass,
    AnswerElement,
    AnswerState,
    ElementOrigin,
    EventSource,
    EventStatus,
    GivenAnswer,
)
from schemas.geometry import Bounds, iou
from transforms.annotation.box_agreement import (
    BoxPair,
    compare_boxes,
    f1_at_iou,
    match_boxes,
    measure_boxes,
    pair_answers,
)
from transforms.annotation.estimates import Statistic

BOX = Bounds(0, 0, 10, 10)
FAR = Bounds(500, 500, 510, 510)


def wide(width):
    """Returns a box whose IoU with `BOX` is 10 / width."""
    return Bounds(0, 0, width, 10)


def answer(*boxes, text="OK", vh_index=-1, state=AnswerState.ANSWERABLE):
    origin = ElementOrigin.DRAWN if vh_index < 0 else ElementOrigin.VH
    elements = tuple(AnswerElement(1, text, box, vh_index, "r", origin) for box in boxes)
    return GivenAnswer(state, "A.", None, elements)


def event(screen_id, question_id, given):
    return AnnotationEvent(
        schema_version="1.0",
        event_id="e",
        pass_=AnnotationPass.ANSWER,
        status=EventStatus.SUBMITTED,
        screen_id=screen_id,
        question_id=question_id,
        annotator_id="a",
        submitted_at=datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
        updated_at=None,
        updated_by_other=False,
        lead_time_s=None,
        supersedes=None,
        image_width=1080,
        image_height=1920,
        source=EventSource("test", *[None] * 11),
        prefilter=None,
        question=None,
        answer=given,
        element=None,
        review=None,
        short_answers=None,
        screen_review=None,
        training=None,
        flags=(),
    )


@pytest.mark.parametrize(
    ("one", "other", "threshold", "expected"),
    [
        ([BOX], [BOX], 1.0, 1.0),
        ([BOX], [wide(100)], 0.1, 1.0),
        ([BOX], [wide(101)], 0.1, 0.0),
        ([BOX], [wide(20)], 0.5, 1.0),
        ([BOX], [wide(21)], 0.5, 0.0),
        ([BOX], [BOX, FAR], 0.5, 2 / 3),
        ([BOX, FAR], [FAR, BOX], 0.5, 1.0),
        ([BOX, BOX], [BOX], 0.5, 2 / 3),
        ([BOX], [], 0.5, 0.0),
        ([], [], 0.5, 1.0),
    ],
)
def test_f1_counts_boxes_assigned_at_the_threshold_or_above(one, other, threshold, expected):
    assert f1_at_iou(one, other, threshold=threshold) == pytest.approx(expected)


@pytest.mark.parametrize("threshold", [0, -0.1, 1.1, float("nan")])
def test_a_threshold_that_matches_all_or_nothing_is_refused(threshold):
    with pytest.raises(ValueError, match="IoU threshold"):
        f1_at_iou([BOX], [BOX], threshold=threshold)


def test_the_assignment_seeks_the_greatest_sum_and_not_the_most_matches():
    # Sum 0.9 + 0.05 with one match at 0.1 beats 0.4 + 0.4 with two (ScreenQA's code, C4).
    one = [Bounds(0, 0, 100, 1), Bounds(95, 0, 150, 1)]
    other = [Bounds(5, 0, 100, 1), Bounds(148, 0, 230, 1)]
    overlaps = match_boxes(one, other)
    assert overlaps == (iou(one[0], other[0]), iou(one[1], other[1]))
    assert f1_at_iou(one, other, threshold=0.1) == 0.5


def test_of_two_assignments_of_equal_sum_the_same_is_taken_in_any_order():
    # 1/2 + 0 with one match, or 1/4 + 1/4 with two.
    one = [Bounds(2, 0, 6, 1), Bounds(0, 0, 3, 1)]
    other = [Bounds(2, 0, 4, 1), Bounds(5, 0, 6, 1)]
    orders = itertools.product(itertools.permutations(one), itertools.permutations(other))
    pairs = [pair for order in orders for pair in (order, order[::-1])]
    assert len({f1_at_iou(*pair, threshold=0.1) for pair in pairs}) == 1


def test_two_answers_are_compared_in_all_respects():
    assert compare_boxes(answer(BOX), answer(wide(40))) == BoxPair((1.0, 0.0), 0.25, True)
    assert compare_boxes(answer(BOX), answer(FAR)) == BoxPair((0.0, 0.0), 0.0, False)
    assert compare_boxes(answer(BOX, FAR), answer(BOX)) == BoxPair((2 / 3, 2 / 3), 1.0, False)
    assert compare_boxes(answer(BOX), answer()) == BoxPair((0.0, 0.0), 0.0, False)


def test_same_boxes_with_other_texts_are_other_elements():
    pair = compare_boxes(answer(BOX), answer(BOX, text="Cancel"))
    assert pair == BoxPair((1.0, 1.0), 1.0, False)


def test_only_pairs_of_one_question_in_which_somebody_drew_a_box_are_compared():
    events = [
        event("s1", "q1", answer(BOX)),
        event("s1", "q1", answer(BOX)),
        event("s1", "q1", answer()),
        event("s1", "q1", answer(state=AnswerState.NOT_ANSWERABLE)),
        event("s1", "q2", answer(FAR)),
        event("s2", "q3", answer()),
        event("s2", "q3", answer()),
        event("s2", "q3", None),
    ]
    same, with_none = BoxPair((1.0, 1.0), 1.0, True), BoxPair((0.0, 0.0), 0.0, False)
    assert pair_answers(events) == {"s1": {same: 1, with_none: 2}}
    assert pair_answers(events[::-1]) == pair_answers(events)


def test_the_figures_are_means_over_pairs_with_intervals_by_screen():
    events = [
        event("s1", "q1", answer(BOX, vh_index=3)),
        event("s1", "q1", answer(wide(40), vh_index=3)),
        event("s2", "q2", answer(BOX, vh_index=3)),
        event("s2", "q2", answer(FAR, text="Cancel")),
    ]
    result = measure_boxes(events, replicates=200)
    assert result.n_pairs == 2
    assert [(at, f1.statistic.value) for at, f1 in result.f1] == [(0.1, 0.5), (0.5, 0.0)]
    assert result.matched_iou.statistic == Statistic(0.125)
    assert result.exact_set.statistic == Statistic(0.5)
    assert result.drawn == Statistic(0.25)
    low_threshold = result.f1[0][1].interval
    assert (low_threshold.low, low_threshold.high, low_threshold.n_screens) == (0.0, 1.0, 2)


def test_without_pairs_every_figure_has_a_reason():
    result = measure_boxes([event("s1", "q1", answer())])
    assert result.n_pairs == 0
    estimates = [*(f1 for _, f1 in result.f1), result.matched_iou, result.exact_set]
    assert all(one.statistic.value is None and one.statistic.reason for one in estimates)
    assert all(one.interval.low is None and one.interval.reason for one in estimates)
    assert result.drawn.value is None


edges = st.integers(0, 12)
boxes = st.builds(
    lambda left, top, width, height: Bounds(left, top, left + width, top + height),
    *(edges, edges, st.integers(1, 8), st.integers(1, 8)),
)
box_lists = st.lists(boxes, max_size=4)


@given(box_lists, box_lists, st.randoms())
def test_the_order_of_boxes_and_of_answers_changes_nothing(one, other, random):
    shuffled = list(one)
    random.shuffle(shuffled)
    overlaps = sorted(match_boxes(one, other))
    assert sorted(match_boxes(other, shuffled)) == overlaps
    for threshold in (0.1, 0.5):
        f1 = f1_at_iou(one, other, threshold=threshold)
        assert 0 <= f1 <= 1
        assert f1_at_iou(other, shuffled, threshold=threshold) == f1


@given(box_lists, box_lists)
def test_no_other_assignment_has_a_greater_sum(one, other):
    short, long = sorted((one, other), key=len)
    sums = [sum(map(iou, short, chosen)) for chosen in itertools.permutations(long, len(short))]
    assert sum(match_boxes(one, other)) == pytest.approx(max(sums))
