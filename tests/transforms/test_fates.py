"""Tests of what happens to all that hangs on a question or a screen."""

from schemas.questions import Answer, AskedScreen, Provenance, Question
from schemas.rejects import Outcome, Reason, Reject, Tally
from schemas.screens import ScreenRef
from transforms.fates import (
    WITH_QUESTION,
    asked_rejects,
    origin_of,
    question_rejects,
    question_tallies,
)

REF = ScreenRef("7", "rico", "7.jpg", "7.json")


def question(text="How many?", kinds=("answers",), answers=2):
    return Question(
        screen_id="7",
        text=text,
        answers=(Answer("It is 5.", ()),) * answers,
        short_answers=("5",) if "short_answers" in kinds else (),
        frame=None,
        official_split=None,
        kinds=kinds,
        provenance=Provenance("screenqa", "train.json", 3),
    )


def test_the_origin_says_source_file_and_position():
    assert origin_of(question()) == "screenqa/train.json:3"


def test_a_rejected_question_takes_its_records_and_answers_along():
    both = question(kinds=("answers", "short_answers"))
    fates = list(question_rejects(both, "fit_boxes", Reason.ANSWERS_UNUSABLE, "why"))
    what = ("7: How many?", "fit_boxes", Reason.ANSWERS_UNUSABLE, "why", "screenqa/train.json:3")
    assert fates == [
        Reject("answers", *what),
        Reject("short_answers", *what),
        Tally("answer", WITH_QUESTION, 2),
    ]


def test_a_rejected_question_without_answers_counts_none():
    short = question(kinds=("short_answers",), answers=0)
    fates = list(question_rejects(short, "join_screen", Reason.SCREEN_MISSING, "why"))
    assert [type(fate) for fate in fates] == [Reject]


def test_a_rejected_screen_takes_its_questions_along():
    asked = AskedScreen("7", REF, None, (question("One?", answers=1), question("Two?", answers=0)))
    origin = "screenqa/train.json:3"
    rejected = (Reason.SCREEN_REJECTED, "image_blank: all grey", origin)
    assert list(asked_rejects(asked, "check_image", Reason.IMAGE_BLANK, "all grey")) == [
        Reject("screen", "7", "check_image", Reason.IMAGE_BLANK, "all grey", "rico"),
        Reject("answers", "7: One?", "check_image", *rejected),
        Tally("answer", WITH_QUESTION, 1),
        Reject("answers", "7: Two?", "check_image", *rejected),
    ]


def test_without_pictures_the_questions_carry_the_reason_themselves():
    asked = AskedScreen("7", None, None, (question(answers=0),))
    assert list(asked_rejects(asked, "assign_split", Reason.APP_UNKNOWN, "no app")) == [
        Reject(
            "answers",
            "7: How many?",
            "assign_split",
            Reason.APP_UNKNOWN,
            "no app",
            "screenqa/train.json:3",
        )
    ]


def test_kept_questions_count_their_records_and_answers():
    questions = [
        question(kinds=("answers", "short_answers")),
        question(kinds=("answers",), answers=1),
        question(kinds=("short_answers",), answers=0),
    ]
    assert {(t.kind, t.outcome): t.count for t in question_tallies(questions)} == {
        ("answers", Outcome.KEPT): 2,
        ("short_answers", Outcome.KEPT): 2,
        ("answer", Outcome.KEPT): 3,
    }
    assert list(question_tallies([])) == []
