"""Tests of reasons and fates."""

import pickle
import re

import pytest

from schemas.rejects import Outcome, Reason, Reject, RejectedRecordError, Tally


@pytest.mark.parametrize("reason", Reason)
def test_each_reason_is_named_like_its_value_and_explained_by_a_sentence(reason):
    assert reason.value == reason.name.lower()
    assert re.fullmatch(r"[A-Z].+\.", reason.sentence)


def test_a_reason_is_its_value_wherever_text_is_wanted():
    assert f"{Reason.BOX_EMPTY}" == "box_empty"
    assert Reason("box_empty") is Reason.BOX_EMPTY


def test_no_two_reasons_have_one_sentence():
    assert len({reason.sentence for reason in Reason}) == len(Reason)


@pytest.mark.parametrize(
    "value",
    [
        Reason.IMAGE_BLANK,
        Reject("screen", "7", "check_image", Reason.IMAGE_BLANK, "grey", "rico"),
        Tally("screen", Outcome.KEPT, 3),
    ],
)
def test_what_crosses_processes_comes_back_equal(value):
    assert pickle.loads(pickle.dumps(value)) == value


def test_a_reason_is_one_object_in_every_process():
    assert pickle.loads(pickle.dumps(Reason.IMAGE_BLANK)) is Reason.IMAGE_BLANK


def test_the_error_carries_its_reason_and_detail_across_processes():
    error = pickle.loads(pickle.dumps(RejectedRecordError(Reason.ID_MALFORMED, "'x y'")))
    assert (error.reason, error.detail) == (Reason.ID_MALFORMED, "'x y'")
