"""Tests of the row types of questions."""

from schemas.columns import misdeclared_columns
from schemas.geometry import Bounds
from schemas.questions import RECORD_KINDS, Answer, Provenance, UiElement


def test_both_declarations_of_each_column_agree():
    for row_type in (UiElement, Answer, Provenance):
        assert misdeclared_columns(row_type) == []


def test_answers_lead_before_short_answers():
    assert RECORD_KINDS == ("answers", "short_answers", "question")


def test_answers_of_the_same_words_and_boxes_are_one_value():
    def answer():
        return Answer("It is 5.", (UiElement("5", Bounds(1, 2, 3, 4), 7),))

    assert {answer(), answer()} == {answer()}
