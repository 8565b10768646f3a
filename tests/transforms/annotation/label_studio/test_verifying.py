"""Tests of the task of judging short answers, and of the way back to an event."""

import dataclasses
import json
import re
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.annotations import AnnotationPass, Verdict
from schemas.geometry import Size
from schemas.rejects import Reason
from transforms.annotation.event_reading import event_line, parse_event
from transforms.annotation.label_studio.controls import labeling_config
from transforms.annotation.label_studio.tasks import TaskScreen, shown_text, verify_task

SCREEN = TaskScreen("9000001", "/data/local-files/?d=rico/9000001.png", Size(1080, 1920), ())
WRONG, STATUS = "wrong_short_answers", "short_answers_status"
VARIABLE = re.compile(r"\$[\w[\].{}]+", re.ASCII)
"""What the editor of label-studio 1.23.2 takes for the name of a value (`parseValue`)."""

HOSTILE = (
    "$24.90",
    "$question",
    "<img src=x onerror=alert(1)>",
    "all_right",
    "v1",
    'quoted "text", [brackets]',
    "two\nlines",
    "",
)


@pytest.fixture
def task(make):
    def make_task(*texts):
        return verify_task(SCREEN, question_id="9000001:abc", shown=make.shown(*texts))

    return make_task


@pytest.fixture
def judged(studio, task):
    """Returns what comes back of a task when these results were submitted."""

    def judge(texts, *results, **changes):
        data = json.loads(json.dumps(task(*texts)))["data"] | changes
        return studio.read([{
            "id": 1, "project": 5, "data": data, "predictions": [], "drafts": [],
            "annotations": [studio.annotation(*results)],
        }])  # fmt: skip

    return judge


def test_all_is_right_only_if_somebody_said_so(studio, judged, make):
    read = judged(("Visa", "a Visa"), studio.choice(STATUS, "all_right"))
    (event,) = read.submitted
    assert (event.pass_, event.question_id) == ("verify_short_answers", "9000001:abc")
    review = event.short_answers
    assert (review.verdict, review.rejected) == (Verdict.ACCEPTED, ())
    assert review.short_answers == ("Visa", "a Visa")
    assert review.shown == make.shown("Visa", "a Visa")


@pytest.mark.parametrize(
    ("ticked", "verdict", "kept", "rejected"),
    [
        (["v2"], Verdict.FIXED, ("Visa", "card"), ("a Visa",)),
        (["v3", "v1"], Verdict.FIXED, ("a Visa",), ("Visa", "card")),
        (["v2", "v2"], Verdict.FIXED, ("Visa", "card"), ("a Visa",)),
        (["v1", "v2", "v3"], Verdict.REJECTED, (), ("Visa", "a Visa", "card")),
    ],
)
def test_what_is_ticked_is_rejected(studio, judged, ticked, verdict, kept, rejected):
    results = studio.choice(STATUS, "some_wrong"), studio.choice(WRONG, *ticked)
    (event,) = judged(("Visa", "a Visa", "card"), *results).submitted
    review = event.short_answers
    assert (review.verdict, review.short_answers, review.rejected) == (verdict, kept, rejected)
    assert parse_event(json.loads(event_line(event))) == event


@pytest.mark.parametrize(
    ("status", "ticked", "reason"),
    [
        (None, ["v1"], Reason.MISSING_STATUS),
        ("some_wrong", None, Reason.MISSING_STATUS),
        ("some_wrong", [], Reason.MISSING_STATUS),
        ("all_right", ["v1"], Reason.AMBIGUOUS_STATUS),
        ("some_wrong", ["v3"], Reason.BAD_LABEL),
        ("some_wrong", ["v0"], Reason.BAD_LABEL),
        ("some_wrong", ["Visa"], Reason.BAD_LABEL),
        ("some_wrong", [["v1"]], Reason.RECORD_MALFORMED),
        ("fine", None, Reason.BAD_LABEL),
    ],
)
def test_a_verdict_that_does_not_hold_together_is_rejected(studio, judged, status, ticked, reason):
    results = [] if status is None else [studio.choice(STATUS, status)]
    results += [] if ticked is None else [studio.choice(WRONG, *ticked)]
    read = judged(("Visa", "a Visa"), *results)
    assert (read.reasons, read.events) == ([reason], [])


def test_two_verdicts_are_none(studio, judged):
    read = judged(("Visa",), studio.choice(STATUS, "all_right", "some_wrong"))
    assert read.reasons == [Reason.AMBIGUOUS_STATUS]


def test_an_empty_or_skipped_task_passes_nothing(studio, judged, task):
    assert judged(("Visa",)).reasons == [Reason.MISSING_STATUS]
    skipped = studio.annotation(studio.choice(STATUS, "all_right"), was_cancelled=True)
    export = {"id": 1, "annotations": [skipped], "predictions": [], **task("Visa")}
    read = studio.read([export])
    assert read.submitted == []
    assert [event.short_answers for event in read.events] == [None]
    assert read.counts == {"read": 1, "cancelled": 1}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"shown": None}, Reason.MISSING_KEY),
        ({"shown": {"question": "What?"}}, Reason.MISSING_KEY),
        ({"shown": "Visa"}, Reason.RECORD_MALFORMED),
        ({"question_id": None}, Reason.MISSING_KEY),
        ({"screen_id": "../x"}, Reason.ID_MALFORMED),
    ],
)
def test_a_task_that_does_not_tell_what_was_shown_is_rejected(studio, judged, changes, reason):
    assert judged(("Visa",), studio.choice(STATUS, "all_right"), **changes).reasons == [reason]


def test_a_control_of_another_pass_is_unknown(studio, judged):
    results = studio.choice(STATUS, "all_right"), studio.text("note", "hm")
    assert judged(("Visa",), *results).reasons == [Reason.UNKNOWN_CONTROL]


def test_hostile_texts_are_shown_as_texts_and_come_back_as_they_were(studio, judged, task):
    variants = task(*HOSTILE)["data"]["variants"]
    assert all(set(choice) <= {"value", "alias", "hotkey"} for choice in variants)  # No html.
    assert not any(VARIABLE.search(choice["value"]) for choice in variants)
    assert len({choice["alias"] for choice in variants}) == len(HOSTILE)
    ticked = [choice["alias"] for choice in variants[::2]]
    results = studio.choice(STATUS, "some_wrong"), studio.choice(WRONG, *ticked)
    (event,) = judged(HOSTILE, *results).submitted
    assert event.short_answers.rejected == HOSTILE[::2]
    assert event.short_answers.short_answers == HOSTILE[1::2]


@given(st.text())
def test_no_text_is_taken_for_the_name_of_a_value(text):
    shown = shown_text(text)
    assert VARIABLE.search(shown) is None
    assert shown.replace("\u200b", "") == text.replace("\u200b", "") or text == ""
    assert shown


def test_the_first_nine_have_hotkeys_that_no_other_choice_has(task):
    texts = [f"variant {n}" for n in range(12)]
    hotkeys = [choice.get("hotkey") for choice in task(*texts)["data"]["variants"]]
    assert hotkeys == [*"123456789", None, None, None]
    config = ElementTree.fromstring(labeling_config(AnnotationPass.VERIFY_SHORT_ANSWERS))
    assert {tag.get("hotkey") for tag in config.iter()} & set(hotkeys) == {None}


def test_the_configuration_asks_for_a_verdict_and_ticks_what_the_task_brings():
    config = ElementTree.fromstring(labeling_config(AnnotationPass.VERIFY_SHORT_ANSWERS))
    ticks, status = config.iter("Choices")
    assert (ticks.get("name"), ticks.get("choice"), ticks.get("value")) == (
        *(WRONG, "multiple", "$variants"),
    )
    assert (status.get("choice"), status.get("required")) == ("single", "true")


def test_without_a_full_answer_there_is_still_something_to_show(make):
    shown = dataclasses.replace(make.shown("Visa"), full_answers=())
    data = verify_task(SCREEN, question_id="q", shown=shown)["data"]
    assert data["full_answers_text"] == "(no full answer was released)"
