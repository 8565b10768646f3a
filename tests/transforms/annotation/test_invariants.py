"""Tests of what must hold of an event by itself (annotation.md §2.2)."""

import dataclasses

import pytest

from schemas.annotations import (
    AnnotationPass,
    AnswerState,
    ComposedQuestion,
    GivenAnswer,
    LabelledElement,
    LabelledScreen,
)
from schemas.geometry import Bounds
from schemas.rejects import Reason, RejectedRecordError
from transforms.annotation.invariants import check_event
from transforms.annotation.taxonomy import ELEMENT_CLASSES


def reason_of(event):
    with pytest.raises(RejectedRecordError) as caught:
        check_event(event)
    return caught.value.reason


def regions(event):
    return [(element.region_id, element.rank) for element in check_event(event).answer.elements]


def test_ranks_are_made_to_run_from_one_without_gaps(make):
    elements = (make.element("b", rank=7), make.element("a", rank=2))
    event = check_event(make.answer("q", elements=elements))
    assert [(e.text, e.rank) for e in event.answer.elements] == [("a", 1), ("b", 2)]
    assert event.flags == ("rank_incomplete",)


def test_equal_ranks_leave_the_given_order(make):
    event = make.answer("q", elements=(make.element("b", rank=2), make.element("a", rank=2)))
    assert regions(event) == [("rb", 1), ("ra", 2)]


def test_good_ranks_leave_no_flag(make):
    event = make.answer("q", elements=(make.element("a"), make.element("b", rank=2)))
    assert check_event(event) == event


def test_a_leaf_is_in_an_answer_once(make):
    twice = (make.element("a", vh_index=7), make.element("b", vh_index=7, rank=2))
    event = check_event(make.answer("q", elements=twice))
    assert [e.text for e in event.answer.elements] == ["a"]
    assert event.flags == ("duplicate_vh_dropped:rb:7",)


def test_a_box_over_the_edge_is_clipped(make):
    event = check_event(make.answer("q", elements=(make.element(bounds=(-9, 0, 1090, 20)),)))
    assert event.answer.elements[0].bounds == Bounds(0, 0, 1080, 20)
    assert event.flags == ("clipped:rVisa",)


@pytest.mark.parametrize(
    ("bounds", "reason"),
    [
        ((20, 0, 10, 10), Reason.BOX_INVERTED),
        ((10, 10, 10, 20), Reason.BOX_EMPTY),
        ((1080, 0, 1090, 20), Reason.BOX_OUTSIDE),
    ],
)
def test_a_box_without_a_place_on_the_picture_is_rejected(make, bounds, reason):
    assert reason_of(make.answer("q", elements=(make.element(bounds=bounds),))) is reason


def test_a_box_needs_the_size_of_its_picture(make):
    assert reason_of(make.answer("q", image_width=0, image_height=0)) is Reason.MISSING_KEY


def test_an_answer_without_boxes_does_not(make):
    event = make.answer("q", elements=(), image_width=0, image_height=0)
    assert check_event(event) == event


@pytest.mark.parametrize("full", [None, "", "  "])
def test_an_answer_is_a_sentence(make, full):
    assert reason_of(make.answer("q", full=full)) is Reason.MISSING_FULL_ANSWER


@pytest.mark.parametrize("state", [AnswerState.NOT_ANSWERABLE, AnswerState.INVALID_QUESTION])
def test_no_answer_with_an_answer_is_a_contradiction(make, state):
    for answer in (
        GivenAnswer(state, "It is Visa.", None, ()),
        GivenAnswer(state, None, None, (make.element(),)),
    ):
        event = dataclasses.replace(make.answer("q"), answer=answer)
        assert reason_of(event) is Reason.CONTRADICTORY_ANSWER


def test_a_correction_may_go_with_no_answer(make):
    event = make.answer("q", state=AnswerState.NOT_ANSWERABLE, correction="When is it?")
    assert check_event(event) == event


def test_an_origin_that_does_not_fit_its_index_is_malformed(make):
    element = dataclasses.replace(make.element(), vh_index=3)
    assert reason_of(make.answer("q", elements=(element,))) is Reason.RECORD_MALFORMED


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (ComposedQuestion(0, " ", False), Reason.TEXT_EMPTY),
        (ComposedQuestion(0, None, False), Reason.TEXT_EMPTY),
        (ComposedQuestion(0, "When?", True), Reason.AMBIGUOUS_STATUS),
        (ComposedQuestion(-1, "When?", False), Reason.RECORD_MALFORMED),
    ],
)
def test_a_question_says_something_or_why_not(make, payload, reason):
    assert reason_of(make.event(AnnotationPass.QUESTION_1, payload, "e")) is reason


def test_the_second_annotator_may_have_nothing_to_add(make):
    event = make.event(AnnotationPass.QUESTION_2, ComposedQuestion(0, None, False), "e")
    assert check_event(event) == event


def test_a_class_is_one_of_the_papers_36(make):
    assert len(set(ELEMENT_CLASSES)) == 36
    region = LabelledElement("r", "Buton", Bounds(0, 0, 9, 9), "", None, None)
    event = make.event(AnnotationPass.ELEMENT, LabelledScreen((region,)), "e")
    assert reason_of(event) is Reason.BAD_LABEL
