"""Tests of records as bytes for the trip through a shuffle."""

import datetime

import pytest

from schemas.annotations import (
    PAYLOAD_COLUMNS,
    AnnotationEvent,
    AnnotationPass,
    AnswerKind,
    EventSource,
    EventStatus,
    ShortAnswersReview,
    ShownShortAnswers,
    Verdict,
)
from schemas.geometry import Bounds, Size
from schemas.questions import Answer, AskedScreen, Provenance, Question, UiElement
from schemas.screens import App, AppRow, ImageFacts, Screen, ScreenRef
from schemas.short_answers import ShortAnswerOrigin
from transforms.packing import pack, unpack

REF = ScreenRef("7", "rico", "7.jpg", None, "com.a")
QUESTION = Question(
    screen_id="7",
    text="Wie viele ₹?",
    answers=(Answer("It is 5.", (UiElement("5", Bounds(1, 2, 3, 4), -1),)),),
    short_answers=("5",),
    frame=Size(1080, 1920),
    official_split=None,
    kinds=("answers",),
    provenance=Provenance("screenqa", "train.json", 3),
)
FACTS = ImageFacts(Size(9, 8), Size(8, 9), 6, "image/png", True, 99, "ab" * 32, "")
SHOWN = ShownShortAnswers(
    question="Wie viele ₹?",
    full_answers=("It is 5.",),
    short_answers=("5", "$5"),
    made_by=ShortAnswerOrigin("rules", "rules-1", ""),
    kind=AnswerKind.NUMBER,
    stratum_size=9,
)
REVIEW = AnnotationEvent(
    schema_version="1.0",
    event_id="e1",
    pass_=AnnotationPass.VERIFY_SHORT_ANSWERS,
    status=EventStatus.SUBMITTED,
    screen_id="7",
    question_id="7:abc",
    annotator_id="a_0123456789ab",
    submitted_at=datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
    updated_at=None,
    updated_by_other=False,
    lead_time_s=None,
    supersedes=None,
    image_width=0,
    image_height=0,
    source=EventSource("label_studio", *[None] * 11),
    flags=(),
    **dict.fromkeys(PAYLOAD_COLUMNS.values())
    | {"short_answers": ShortAnswersReview(Verdict.FIXED, ("5",), ("$5",), SHOWN)},
)


@pytest.mark.parametrize(
    "record",
    [
        REF,
        AppRow("7", "com.a", 3),
        QUESTION,
        AskedScreen("7", None, None, (QUESTION,)),
        AskedScreen("7", None, None, (), rejected_variants=(("7:abc", frozenset({"$5"})),)),
        REVIEW,
        AskedScreen("7", REF, App("com.a", None), (QUESTION,), Screen(FACTS, "", 0), "train"),
    ],
)
def test_a_record_travels_as_bytes_and_comes_back_equal(record):
    packed = pack(record)
    assert type(packed) is bytes
    assert unpack(packed) == record


def test_the_types_of_a_review_travel_as_short_codes():
    packed = pack(REVIEW)
    for name in (b"ShownShortAnswers", b"ShortAnswersReview", b"AnswerKind", b"ShortAnswerOrigin"):
        assert name not in packed
