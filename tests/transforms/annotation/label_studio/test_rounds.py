"""Tests of what a pass has still to do on a screen, and of who gets it."""

import pytest

from schemas.annotations import AnnotationPass
from schemas.campaigns import AnnotationPolicy
from schemas.geometry import Size
from schemas.settlements import PrefilterVerdict, ReviewVerdict, ScreenAnnotations
from transforms.annotation.label_studio.rounds import (
    Duty,
    duty_task,
    hand_out,
    is_fit,
    labels_text,
    screen_duties,
    third_pass_duties,
)
from transforms.annotation.label_studio.tasks import TaskScreen

POLICY = AnnotationPolicy()
FIT = PrefilterVerdict(1, non_english=False, out_of_sync=False, ties=())
FOREIGN = PrefilterVerdict(1, non_english=True, out_of_sync=False, ties=())


def found(prefilter=None, review=None, questions=(), others=()):
    return ScreenAnnotations(
        screen_id="9",
        prefilter=prefilter,
        review=review,
        lacks_content=False,
        questions=questions,
        near_duplicates=(),
        others=others,
    )


def duties(pass_, annotations, *, is_rated=False, policy=POLICY):
    return list(screen_duties(pass_, "9", annotations, policy, is_rated=is_rated))


def test_the_prefilter_takes_what_nobody_rated():
    pass_ = AnnotationPass.PREFILTER
    assert duties(pass_, None, is_rated=True) == [Duty(pass_, "9", "prefilter")]
    assert duties(pass_, found(), is_rated=True) == [Duty(pass_, "9", "prefilter")]
    assert duties(pass_, found(FIT), is_rated=True) == []
    assert duties(pass_, found(FOREIGN), is_rated=True) == []


@pytest.mark.parametrize(
    ("annotations", "is_rated", "fit"),
    [
        (None, False, True),
        (None, True, False),
        (found(), True, False),
        (found(FIT), True, True),
        (found(FOREIGN), True, False),
        (found(FIT, ReviewVerdict(1, pii=True, unsafe=False, correct=None)), True, False),
        (found(FIT, ReviewVerdict(1, pii=False, unsafe=True, correct=None)), True, False),
        (found(FIT, ReviewVerdict(1, pii=False, unsafe=False, correct=False)), True, True),
    ],
)
def test_a_screen_goes_on_if_prefilter_and_review_let_it(annotations, is_rated, fit):
    assert is_fit(annotations, POLICY, is_rated=is_rated) is fit
    pass_ = AnnotationPass.QUESTION_1
    assert bool(duties(pass_, annotations, is_rated=is_rated)) is fit


def test_a_campaign_may_keep_what_reviewers_found_unsafe():
    policy = AnnotationPolicy(drop_reviewed_screens=False)
    review = ReviewVerdict(1, pii=True, unsafe=True, correct=None)
    assert is_fit(found(FIT, review), policy, is_rated=True)


def test_the_second_pass_needs_a_question_of_the_first():
    assert duties(AnnotationPass.QUESTION_2, found(FIT)) == []
    assert duties(AnnotationPass.QUESTION_2, None) == []


def test_the_third_pass_shows_all_questions():
    pass_ = AnnotationPass.QUESTION_3_NA
    assert list(third_pass_duties(["2", "3"], {"2": ("Why?",), "3": ()})) == [
        Duty(pass_, "2", "question_3_na", previous=("Why?",)),
        Duty(pass_, "3", "question_3_na"),
    ]


def test_work_is_shared_out_evenly_and_the_same_every_time():
    pass_ = AnnotationPass.ELEMENT
    work = [Duty(pass_, str(n), "element") for n in range(30)]
    done = list(hand_out(work, ["a", "b", "c"], "seed"))
    shares = [sum(duty.assignee == who for duty in done) for who in "abc"]
    assert shares == [10, 10, 10]
    assert done == list(hand_out(work, ["c", "a", "b"], "seed"))


def test_nobody_gets_what_they_may_not_do():
    pass_ = AnnotationPass.ELEMENT_REVIEW
    work = [Duty(pass_, str(n), "element_review", busy=("a", "b")) for n in range(4)]
    assert {duty.assignee for duty in hand_out(work, ["a", "b", "c"], "seed")} == {"c"}
    with pytest.raises(ValueError, match="screen 0 needs an annotator for element_review"):
        list(hand_out(work, ["a", "b"], "seed"))


def test_without_annotators_and_where_somebody_is_named_all_stays():
    work = [Duty(AnnotationPass.ELEMENT, "1", "element")]
    assert list(hand_out(work, [], "seed")) == work
    named = [Duty(AnnotationPass.ANSWER, "1", "answer_A", assignee="z")]
    assert list(hand_out(named, ["a"], "seed")) == named


def test_a_verification_shows_what_it_was_drawn_with(make):
    pass_ = AnnotationPass.VERIFY_SHORT_ANSWERS
    shown = make.shown("Visa", "a Visa")
    duty = Duty(pass_, "9", pass_.value, assignee="a", question_id="9:abc", shown=shown)
    data = duty_task(duty, TaskScreen("9", "9.jpg", Size(9, 9), ()))["data"]
    assert (data["pass"], data["question_id"], data["assignee"]) == (pass_.value, "9:abc", "a")
    assert data["shown"]["short_answers"] == ["Visa", "a Visa"]


def test_a_screen_without_questions_has_a_text_to_show():
    assert labels_text(()) == "(no questions)"
