"""Tests of the quality gate (ScreenQA A.4)."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.annotations import AnnotationPass, EventStatus
from schemas.campaigns import AnnotationPolicy
from transforms.annotation.gates import OPEN_GATE
from transforms.annotation.quality import make_gate, measure_quality

POLICY = AnnotationPolicy()
ANNOTATOR = "a_000000000002"


def measured(make, results, policy=POLICY):
    tasks = [make.training(ok, hour=n, number=n) for n, ok in enumerate(results)]
    return next(measure_quality(ANNOTATOR, tasks, policy))


@pytest.mark.parametrize(
    ("results", "hour"),
    [
        ([True] * 9 + [False], 9),
        ([False] + [True] * 9, 9),
        ([False] * 2 + [True] * 18, 19),
        ([False] * 2 + [True] * 8, None),
        ([True] * 20, 9),
        ([True] * 3, 2),
        ([True, False], None),
    ],
)
def test_events_count_from_the_task_that_brings_the_share_to_nine_tenths(make, results, hour):
    quality = measured(make, results)
    assert quality.counts_from == (None if hour is None else make.at(hour))
    assert (quality.n_tasks, quality.n_correct) == (len(results), sum(results))


def test_quality_below_95_percent_is_a_warning_and_takes_nothing_back(make):
    quality = measured(make, [True] * 30 + [False] * 2 + [True] * 8)
    assert quality.rolling_share == pytest.approx(0.9)
    assert quality.is_below_quality
    assert quality.counts_from == make.at(9)
    assert not measured(make, [False] * 2 + [True] * 20).is_below_quality


def test_each_pass_has_its_gold_tasks(make):
    tasks = [
        *(make.training(True, hour=n, number=n) for n in range(3)),
        make.training(False, of_pass=AnnotationPass.PREFILTER, number=9),
    ]
    found = {q.of_pass: q.counts_from for q in measure_quality(ANNOTATOR, tasks, POLICY)}
    assert found == {AnnotationPass.PREFILTER: None, AnnotationPass.ANSWER: make.at(2)}


def test_without_training_events_everybody_counts(make):
    assert OPEN_GATE.lets_in(make.answer("q"))
    assert make_gate([]) == OPEN_GATE


def test_who_was_not_trained_does_not_count_in_a_pass_that_others_were_trained_for(make):
    gate = make_gate([measured(make, [True])])
    assert gate.lets_in(make.answer("q", who="2", hour=0))
    assert not gate.lets_in(make.answer("q", who="3"))
    assert gate.lets_in(make.rating(who="3"))


def test_other_events_than_submitted_training_are_passed_over(make):
    cancelled = dataclasses.replace(make.training(True), status=EventStatus.CANCELLED)
    assert list(measure_quality(ANNOTATOR, [cancelled, make.rating()], POLICY)) == []


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_neither_order_nor_copies_of_events_matter(make, results, order):
    tasks = [make.training(ok, hour=n, number=n) for n, ok in enumerate(results)]
    shuffled = tasks + tasks[:3]
    order.shuffle(shuffled)
    assert list(measure_quality(ANNOTATOR, shuffled, POLICY)) == list(
        measure_quality(ANNOTATOR, tasks, POLICY)
    )
