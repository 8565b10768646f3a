"""Tests of figures and of their intervals by screen."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.annotation.estimates import (
    Interval,
    Statistic,
    add_tables,
    bootstrap_interval,
    estimate,
    mean,
)

MIXED = {f"s{n}": Counter({float(n % 2): 3}) for n in range(40)}


def test_a_mean_weighs_each_value_by_how_often_it_occurs():
    assert mean({1.0: 3, 0.0: 1}) == Statistic(0.75)


def test_a_mean_of_nothing_has_a_reason():
    assert mean({}) == Statistic(None, "there is nothing to average")
    assert mean({0.5: 0}).value is None


def test_tables_add_up():
    parts = {"a": {"x": 1, "y": 2}, "b": {"y": 3}}
    assert add_tables(parts) == {"x": 1, "y": 5}


def test_the_interval_is_that_of_the_binomial_for_independent_screens():
    interval = bootstrap_interval(MIXED, mean, replicates=4000)
    half_width = 1.96 * math.sqrt(0.5 * 0.5 / 40)
    assert interval.low == pytest.approx(0.5 - half_width, abs=0.02)
    assert interval.high == pytest.approx(0.5 + half_width, abs=0.02)
    assert (interval.reason, interval.n_screens, interval.n_undefined) == (None, 40, 0)


def test_more_answers_on_the_same_screens_do_not_narrow_the_interval():
    thrice = {screen: {v: 3 * n for v, n in table.items()} for screen, table in MIXED.items()}
    assert bootstrap_interval(thrice, mean) == bootstrap_interval(MIXED, mean)


def test_the_same_seed_gives_the_same_interval_in_any_order_of_screens():
    values = {f"s{n:02}": {n * n / 7: 1} for n in range(30)}
    first = bootstrap_interval(values, mean, seed=7)
    again = bootstrap_interval(dict(reversed(values.items())), mean, seed=7)
    assert first == again


def test_a_screen_weighs_as_much_as_lies_on_it():
    alike = {"s1": {1.0: 9, 0.0: 1}, "s2": {1.0: 9, 0.0: 1}}
    interval = bootstrap_interval(alike, mean, replicates=20)
    assert (interval.low, interval.high) == (0.9, 0.9)


def test_another_seed_gives_another_interval():
    values = {f"s{n}": {n * n / 7: 1} for n in range(30)}
    one, other = (bootstrap_interval(values, mean, seed=seed) for seed in (1, 2))
    assert (one.low, one.high) != (other.low, other.high)


def test_a_narrower_confidence_gives_a_narrower_interval():
    wide, narrow = (bootstrap_interval(MIXED, mean, confidence=c) for c in (0.95, 0.5))
    assert wide.low < narrow.low < narrow.high < wide.high


@pytest.mark.parametrize("by_screen", [{}, {"s1": {1.0: 5}}])
def test_fewer_than_two_screens_have_no_interval(by_screen):
    interval = bootstrap_interval(by_screen, mean)
    assert interval == Interval(None, None, "fewer than two screens", len(by_screen), 0)


def test_resamplings_without_a_value_are_counted_and_left_out():
    tables = {"s1": {1.0: 1}, "s2": {}, "s3": {}}
    interval = bootstrap_interval(tables, mean, replicates=500)
    assert (interval.low, interval.high) == (1.0, 1.0)
    assert interval.n_undefined / 500 == pytest.approx((2 / 3) ** 3, abs=0.08)


def test_an_interval_that_never_has_a_value_has_a_reason():
    interval = bootstrap_interval({"s1": {}, "s2": {}}, mean, replicates=10)
    assert interval == Interval(None, None, "no resampling has a value", 2, 10)


def test_an_estimate_is_the_figure_of_all_screens_with_its_interval():
    result = estimate(MIXED, mean, seed=3, replicates=50)
    assert result.statistic == Statistic(0.5)
    assert result.interval == bootstrap_interval(MIXED, mean, seed=3, replicates=50)


tables = st.dictionaries(st.floats(-1e6, 1e6), st.integers(1, 9), min_size=1, max_size=5)


@given(st.dictionaries(st.text(max_size=2), tables, min_size=2, max_size=6))
def test_an_interval_lies_within_the_values(by_screen):
    values = [value for table in by_screen.values() for value in table]
    interval = bootstrap_interval(by_screen, mean, replicates=20)
    slack = 1e-9 * max(map(abs, values))
    assert min(values) - slack <= interval.low <= interval.high <= max(values) + slack


@given(tables)
def test_the_order_of_values_does_not_show_in_the_last_digit_of_a_mean(table):
    assert mean(dict(reversed(table.items()))) == mean(table)
