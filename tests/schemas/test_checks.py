"""Reports of checks: what counts as passed."""

import pickle

import pytest

from schemas.checks import CheckOutcome, CheckReport, CheckResult


def report(*outcomes: CheckOutcome) -> CheckReport:
    results = tuple(CheckResult(f"rule_{i}", "", o, "1 row") for i, o in enumerate(outcomes))
    return CheckReport("screenqa", "1.0.0", "", "", True, results)


@pytest.mark.parametrize(
    ("outcomes", "passed"),
    [
        ((CheckOutcome.PASSED,), True),
        ((CheckOutcome.PASSED, CheckOutcome.NOT_APPLICABLE), True),
        ((CheckOutcome.PASSED, CheckOutcome.FAILED), False),
        ((CheckOutcome.PASSED, CheckOutcome.ERRORED), False),
        ((CheckOutcome.NOT_APPLICABLE,), False),
        ((), False),
    ],
)
def test_a_report_has_passed_if_something_held_and_nothing_else_is_wrong(outcomes, passed):
    assert report(*outcomes).passed is passed


def test_a_report_travels_between_processes():
    whole = report(CheckOutcome.PASSED, CheckOutcome.ERRORED)
    assert pickle.loads(pickle.dumps(whole)) == whole
