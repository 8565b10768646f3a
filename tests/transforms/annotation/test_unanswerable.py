"""Tests of planning the third question pass (ScreenQA 4.4)."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.annotations import AnnotationPass, AnswerState
from schemas.campaigns import AnnotationPolicy
from schemas.settlements import ScreenAnnotations, ScreenFacts
from transforms.annotation.settling import settle_screen
from transforms.annotation.unanswerable import (
    ScreenState,
    missing_unanswerable,
    plan_third_pass,
    screen_state,
)


def state(screen_id, split="train", n_questions=2, n_unanswerable=0, n_pending=0):
    third = n_pending > 0
    return ScreenState(str(screen_id), split, n_questions, n_unanswerable, n_pending, third)


@pytest.mark.parametrize(
    ("questions", "unanswerable", "needed"),
    [
        (82_000, 3_600, 5112),  # The paper's pass took about 5k.
        (90, 0, 10),
        (100, 10, 0),
        (100, 9, 2),
        (100, 50, 0),
        (0, 0, 0),
    ],
)
def test_each_question_adds_to_both_sides_of_the_share(questions, unanswerable, needed):
    assert missing_unanswerable(questions, unanswerable, 0.1) == needed


@given(st.integers(0, 10**6), st.integers(0, 10**5), st.sampled_from([0.0, 0.05, 0.1, 0.3]))
def test_no_fewer_would_do(questions, unanswerable, share):
    unanswerable = min(unanswerable, questions)
    n = missing_unanswerable(questions, unanswerable, share)
    percent = round(share * 100)
    assert 100 * (unanswerable + n) >= percent * (questions + n)
    assert n == 0 or 100 * (unanswerable + n - 1) < percent * (questions + n - 1)


@pytest.mark.parametrize("share", [-0.1, 1.0])
def test_a_share_that_cannot_be_reached_is_a_mistake(share):
    with pytest.raises(ValueError, match="cannot be reached"):
        missing_unanswerable(1, 0, share)


def test_each_split_has_its_plan():
    states = [state(n, split) for split in ("test", "train") for n in range(90)]
    plans = list(plan_third_pass(states, 0.1, "seed"))
    assert [plan.split for plan in plans] == ["train", "test"]
    for plan in plans:
        assert (plan.n_questions, plan.n_wanted, len(plan.screen_ids)) == (180, 20, 20)
        assert (plan.share, plan.expected_share) == (0.0, 0.1)
        assert plan.n_short == 0


def test_only_screens_with_questions_and_none_without_an_answer_are_taken():
    states = [state(1, n_unanswerable=1), state(2, n_pending=1), state(3, n_questions=0), state(4)]
    (plan,) = plan_third_pass(states, 0.9, "seed")
    assert plan.screen_ids == ("4",)
    assert plan.n_short == plan.n_wanted - 1


def test_a_question_that_nobody_answered_yet_is_expected_and_not_reached():
    (plan,) = plan_third_pass([state(n) for n in range(4)] + [state(9, n_pending=1)], 0.1, "s")
    assert (plan.n_wanted, plan.share, plan.expected_share) == (0, 0.0, 0.1)


def test_without_questions_there_is_no_share():
    (plan,) = plan_third_pass([state(1, n_questions=0)], 0.1, "s")
    assert (plan.share, plan.expected_share) == (None, None)


@given(st.randoms(use_true_random=False))
def test_the_same_seed_takes_the_same_screens_in_any_order(order):
    states = [state(n) for n in range(100)]
    (plan,) = plan_third_pass(states, 0.1, "seed")
    order.shuffle(states)
    assert list(plan_third_pass(states, 0.1, "seed")) == [plan]


def test_another_seed_takes_others_and_a_larger_share_takes_the_same_and_more():
    states = [state(n) for n in range(100)]
    (plan,) = plan_third_pass(states, 0.1, "seed")
    (other,) = plan_third_pass(states, 0.1, "other")
    (larger,) = plan_third_pass(states, 0.2, "seed")
    assert set(plan.screen_ids) != set(other.screen_ids)
    assert set(plan.screen_ids) < set(larger.screen_ids)


def annotations(events):
    found = settle_screen(events, ScreenFacts("9000001"), AnnotationPolicy())
    return next(item for item in found if isinstance(item, ScreenAnnotations))


def test_a_composers_claim_is_no_answer(make):
    third = make.question("Who?", pass_=AnnotationPass.QUESTION_3_NA, who="3", hour=9)
    asked = make.question("When?")
    assert screen_state(annotations([asked, third]), "train") == ScreenState(
        "9000001", "train", 2, 0, 1, True
    )
    denied = make.answer(third, state=AnswerState.NOT_ANSWERABLE)
    found = screen_state(annotations([asked, third, denied]), "train")
    assert (found.n_unanswerable, found.n_pending, found.is_eligible) == (1, 0, False)


def test_a_screen_that_had_its_third_question_is_not_asked_again_though_it_was_answered(make):
    third = make.question("Who?", pass_=AnnotationPass.QUESTION_3_NA, who="3", hour=9)
    found = screen_state(annotations([third, make.answer(third)]), "train")
    assert not found.is_eligible
    assert dataclasses.replace(found, has_third_pass=False).is_eligible
