"""What is shown of a screen, out of its rows."""

import pytest

from pipelines.reporting.gathering import answer_boxes, shown_screen
from pipelines.reporting.rejected_records import RejectedRecord
from pipelines.reporting.samples import Picture


def element(bounds, text="x", vh_index=3) -> dict:
    return {"text": text, "bounds": bounds, "vh_index": vh_index}


def answer(*elements) -> dict:
    return {"full_answer": "It is.", "ui_elements": list(elements)}


def question_row(**changes) -> dict:
    row = {
        "screen_id": "7", "width": 100, "height": 200, "app": None, "category": "Games",
        "question": "What?", "answers": [answer(element([1, 2, 11, 22]))], "short_answers": ["x"],
        "answerable": True, "any_no_answer": False, "agreement": None, "origin": "captured",
        "split": "test",
    }  # fmt: skip
    return row | changes


def test_a_box_of_several_answers_is_one():
    boxes = answer_boxes(
        [
            answer(element([1, 2, 11, 22], "a"), element([5, 5, 6, 6], "b", -1)),
            answer(element([1, 2, 11, 22], "A", -1)),
        ]
    )
    assert [(box.left, box.top, box.width, box.height) for box in boxes] == [
        (1, 2, 10, 20),
        (5, 5, 1, 1),
    ]
    assert boxes[0].title == "a (2 of 2 answers; a leaf to some, drawn by others)"
    assert boxes[1].title == "b (1 of 2 answers; drawn by hand)"
    assert [(box.style, box.label) for box in boxes] == [("tree", "1"), ("drawn", "2")]


@pytest.mark.parametrize("bounds", [None, [], [1, 2], [1, 2, 3, None], [1] * 5])
def test_what_is_no_box_is_not_drawn(bounds):
    assert answer_boxes([answer(element(bounds))]) == []


def test_an_inverted_box_has_no_size():
    # A negative width would be an error in the reader's console.
    (box,) = answer_boxes([answer(element([50, 60, 10, 20]))])
    assert (box.width, box.height) == (0, 0)


def test_answers_without_elements_and_agreement_are_shown():
    row = question_row(answers=[{"full_answer": "<no answer>", "ui_elements": None}])
    screen = shown_screen([row], "", [])
    assert screen.questions[0].boxes == ()
    assert screen.questions[0].level == ""
    assert screen.picture is None


def test_agreement_is_told_where_the_two_rules_differ():
    agreement = {
        "annotation_pass": "question_1", "n_annotations": 3, "n_invalid": 1, "level": "full",
        "answer_only_level": "partial",
    }  # fmt: skip
    row = question_row(agreement=agreement, any_no_answer=True)
    (question,) = shown_screen([row], "", []).questions
    assert question.level == "full"
    assert question.facts == (
        "agreement full",
        "partial by answers alone",
        "asked in the first pass",
        "called invalid by 1 of 3",
        "someone found no answer",
    )


def test_lists_of_any_length_are_bounded_and_what_is_left_out_is_counted():
    rows = [question_row(question=f"Q{n} " + "x" * 30_000) for n in range(40)]
    rejected = [RejectedRecord("question", str(n), "s", "r", "d", "o") for n in range(50)]
    screen = shown_screen(rows, Picture("", 1, 1), rejected)
    assert (len(screen.questions), screen.more_questions) == (16, 24)
    assert len(screen.rejected) == 12
    assert screen.questions[0].text.endswith("more characters)")
    assert len(screen.questions[0].text) < 20_100


def test_a_screen_of_no_questions_has_its_leaves_and_verdicts():
    leaf = {"text": "Go", "bounds": [0, 0, 10, 10], "view_class": "Button", "clickable": True}
    row = {
        "screen_id": "7", "width": 100, "height": 200, "app": "a.b", "category": None,
        "split": "test", "origin": "captured", "language": "english", "language_score": 0.5,
        "hierarchy_sync": "in_sync", "hierarchy_sync_score": None,
        "leaves": [leaf, leaf | {"text": None, "clickable": False}] + [leaf] * 400,
    }  # fmt: skip
    screen = shown_screen([row], "", [])
    assert screen.questions == ()
    assert (len(screen.leaves), screen.more_leaves) == (300, 102)
    assert screen.leaves[0].style == "leaf tap"
    assert screen.leaves[1].style == "leaf"
    assert screen.leaf_texts == ("Go",)
    assert screen.facts == (
        "100 × 200",
        "captured",
        "language: english (0.50)",
        "hierarchy: in sync",
    )
