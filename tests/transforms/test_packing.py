"""Tests of records as bytes for the trip through a shuffle."""

import pytest

from schemas.geometry import Bounds, Size
from schemas.questions import Answer, AskedScreen, Provenance, Question, UiElement
from schemas.screens import App, AppRow, ImageFacts, Screen, ScreenRef
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


@pytest.mark.parametrize(
    "record",
    [
        REF,
        AppRow("7", "com.a", 3),
        QUESTION,
        AskedScreen("7", None, None, (QUESTION,)),
        AskedScreen("7", REF, App("com.a", None), (QUESTION,), Screen(FACTS, "", 0), "train"),
    ],
)
def test_a_record_travels_as_bytes_and_comes_back_equal(record):
    packed = pack(record)
    assert type(packed) is bytes
    assert unpack(packed) == record
