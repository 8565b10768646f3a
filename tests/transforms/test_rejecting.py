"""Tests of parting results from rejects and tallies."""

import apache_beam as beam
import pytest
from apache_beam.runners.portability.fn_api_runner import fn_runner
from apache_beam.testing.util import assert_that, equal_to

from schemas.rejects import Outcome, Reason, Reject, Tally
from transforms.rejecting import Split, SplitFlatMap


def halve(number, counted_as="number"):
    """Yields half of an even number twice, and rejects an odd one."""
    yield Tally(counted_as, Outcome.READ, 1)
    if number % 2:
        yield Reject("number", str(number), "halve", Reason.RECORD_MALFORMED, "odd", "test")
        return
    yield number // 2
    yield number // 2


def fail(number):
    raise ValueError(f"bug at {number}")
    yield


def add_all(number, others):
    yield number + sum(others)


def summed(tallies):
    counts = {}
    for tally in tallies:
        key = tally.kind, tally.outcome
        counts[key] = counts.get(key, 0) + tally.count
    return counts


def test_results_rejects_and_tallies_part():
    kept, rejects, tallies = [2, 3, 4] | SplitFlatMap(halve)
    assert sorted(kept) == [1, 1, 2, 2]
    assert rejects == [
        Reject("number", "3", "halve", Reason.RECORD_MALFORMED, "odd", "test"),
    ]
    assert summed(tallies) == {("number", "read"): 3}


def test_the_outputs_are_named():
    assert isinstance([2] | SplitFlatMap(halve), Split)


def test_arguments_are_handed_on():
    split = [2, 4] | SplitFlatMap(halve, "pair")
    assert summed(split.tallies) == {("pair", "read"): 2}


def test_a_bug_is_no_reject_and_stops_the_build():
    with pytest.raises(Exception, match="bug at 7"):
        [7] | SplitFlatMap(fail)


def test_arguments_may_be_side_inputs():
    with beam.Pipeline(runner=fn_runner.FnApiRunner()) as pipeline:
        others = pipeline | "Others" >> beam.Create([10, 20])
        split = (
            pipeline
            | "Numbers" >> beam.Create([1, 2])
            | SplitFlatMap(add_all, beam.pvalue.AsIter(others))
        )
        assert_that(split.kept, equal_to([31, 32]))
