"""Tests of the published rows of questions."""

import dataclasses

import pyarrow as pa

from schemas.columns import IMAGE, arrow_schema, may_be_null, misdeclared_columns, plain_values
from schemas.examples import IllustratedQuestionRow, QuestionRow
from schemas.geometry import Bounds
from schemas.questions import Answer, Provenance, UiElement
from schemas.screens import StoredImage
from schemas.short_answers import RELEASED

COLUMNS = {
    "screen_id": "7",
    "width": 1080,
    "height": 1920,
    "app": "com.a",
    "category": None,
    "question": "How many?",
    "question_id": "7:0123456789ab",
    "answers": (Answer("It is 5.", (UiElement("5", Bounds(1, 2, 3, 4), -1),)),),
    "short_answers": ("5", "five"),
    "short_answers_from": RELEASED,
    "answerable": True,
    "any_no_answer": False,
    "agreement": None,
    "origin": "captured",
    "split": "train",
    "provenance": Provenance("answers", "train.json", 3),
}


def test_both_declarations_of_each_column_agree():
    assert misdeclared_columns(QuestionRow) == []
    assert misdeclared_columns(IllustratedQuestionRow) == []


def test_a_picture_is_all_that_the_illustrated_row_has_more():
    plain = [f.name for f in dataclasses.fields(QuestionRow)]
    illustrated = [f.name for f in dataclasses.fields(IllustratedQuestionRow)]
    assert illustrated == [*plain, "image", "image_reencoded"]
    assert arrow_schema(IllustratedQuestionRow).field("image").type == IMAGE


def test_rows_go_to_arrow_and_back():
    image = StoredImage(b"bytes", "7.png")
    rows = [
        QuestionRow(**COLUMNS),
        IllustratedQuestionRow(**COLUMNS, image=image, image_reencoded=True),
    ]
    for row in rows:
        plain = plain_values(row)
        table = pa.Table.from_pylist([plain], arrow_schema(type(row)))
        table.validate(full=True)
        assert table.to_pylist() == [plain]


def test_only_what_may_be_unknown_is_nullable():
    nullable = [f.name for f in arrow_schema(QuestionRow) if may_be_null(f)]
    assert nullable == [
        "width",
        "height",
        "app",
        "category",
        "short_answers_from",
        "agreement",
        "origin",
    ]
