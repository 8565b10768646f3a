"""Tests of the tasks that are written, and of the way from there back to events."""

import dataclasses
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.annotations import AnnotationPass, LabelledElement, LabelledScreen
from schemas.geometry import Bounds, Size
from schemas.screens import ViewLeaf
from transforms.annotation.label_studio.controls import CONTROLS, labeling_config
from transforms.annotation.label_studio.regions import read_box, write_box
from transforms.annotation.label_studio.tasks import (
    TaskScreen,
    answer_task,
    element_review_task,
    element_task,
    local_file_url,
    prefilter_task,
    question_task,
    screen_review_task,
    task_file,
    verify_task,
)

SIZE = Size(1080, 1920)
LEAVES = (
    ViewLeaf(7, "$ 24.90", "android.widget.TextView", None, False, Bounds(600, 470, 1040, 550)),
    ViewLeaf(18, None, "android.widget.ImageView", None, True, Bounds(960, 90, 1040, 170)),
)
SCREEN = TaskScreen("9000001", "/data/local-files/?d=rico/9000001.png", SIZE, LEAVES)


def asked(**changes):
    given_ = {
        "question_id": "9000001:question_1:0:cde6c269",
        "question": "What is the total?",
        "composers": ("a_000000000001",),
        "split": "validation",
        "slot": "A",
        "assignee": "a_000000000002",
    }
    return answer_task(SCREEN, **(given_ | changes))


def exported(studio, task, *results, number=1):
    """Returns a task as Label Studio exports it once somebody started from its prediction."""
    prediction = task.get("predictions", [{}])[0]
    annotation = studio.annotation(*prediction.get("result", ()), *results, prediction=prediction)
    return {
        "id": number,
        "data": task["data"],
        "annotations": [annotation],
        "predictions": [1],
        "drafts": [],
        "project": 5,
    }


def test_leaves_are_offered_as_regions_that_carry_their_index():
    (prediction,) = asked()["predictions"]
    box, text, icon = prediction["result"]
    assert box == {
        "id": "vh_7",
        "to_name": "screen",
        "original_width": 1080,
        "original_height": 1920,
        "image_rotation": 0,
        "meta": {"vh_index": 7, "class": "android.widget.TextView"},
        "from_name": "element",
        "type": "rectanglelabels",
        "value": {
            "x": 55.55555555555556,
            "y": 24.479166666666664,
            "width": 40.74074074074074,
            "height": 4.166666666666666,
            "rotation": 0,
            "rectanglelabels": ["vh_candidate"],
        },
    }
    assert (text["from_name"], text["value"]["text"]) == ("element_text", ["$ 24.90"])
    assert icon["id"] == "vh_18"


def test_the_real_import_file_is_written_alike(studio):
    path = studio.exports / "label_studio/real_1.23.2/answer_import_tasks_with_vh_predictions.json"
    if not path.exists():
        pytest.skip(f"no real import file at {path}")
    theirs = json.loads(path.read_text())[0]["predictions"][0]["result"]
    ours = asked()["predictions"][0]["result"]
    assert [result for result in theirs if result["id"] == "vh_7"] == ours[:2]


def test_a_task_says_what_it_is_about_since_names_and_ids_are_lost():
    assert asked()["data"] == {
        "image": SCREEN.image,
        "pass": "answer",
        "screen_id": "9000001",
        "image_width": 1080,
        "image_height": 1920,
        "question_id": "9000001:question_1:0:cde6c269",
        "question": "What is the total?",
        "composer": "a_000000000001",
        "composers": ["a_000000000001"],
        "split": "validation",
        "slot": "A",
        "assignee": "a_000000000002",
    }
    assert "assignee" not in asked(assignee=None)["data"]


@pytest.mark.parametrize(
    "bounds", [(0, 0, 1081, 9), (-1, 0, 9, 9), (9, 0, 9, 9), (9, 0, 8, 9), (0, 2691, 9, 3072)]
)
def test_a_box_that_is_not_on_the_picture_is_not_written(bounds):
    leaf = dataclasses.replace(LEAVES[0], bounds=Bounds(*bounds))
    screen = dataclasses.replace(SCREEN, leaves=(leaf,))
    with pytest.raises(ValueError, match=r"screen 9000001, region vh_7: .* does not lie"):
        prefilter_task(screen)


sides = st.integers(1, 4000)


@given(st.data(), sides, sides)
def test_every_box_comes_back_to_the_pixel(data, width, height):
    left, right = sorted(
        data.draw(st.lists(st.integers(0, width), min_size=2, max_size=2, unique=True))
    )
    top, bottom = sorted(
        data.draw(st.lists(st.integers(0, height), min_size=2, max_size=2, unique=True))
    )
    box, size = Bounds(left, top, right, bottom), Size(width, height)
    value = json.loads(json.dumps(write_box(box, size)))
    result = {"id": "r", "value": value, "original_width": width, "original_height": height}
    assert read_box(result) == (box, size, [])


def test_an_answer_comes_back_with_its_leaf(studio):
    task = asked()
    picked = json.loads(json.dumps(task))
    for result in picked["predictions"][0]["result"][:2]:
        if result["from_name"] == "element":
            result["value"]["rectanglelabels"] = ["answer"]
            result["origin"] = "prediction-changed"
    status = studio.choice("answer_status", "answerable")
    results = (status, studio.text("full_answer", "It is $ 24.90."))
    (event,) = studio.read([exported(studio, picked, *results)]).submitted
    assert (event.screen_id, event.question_id) == ("9000001", task["data"]["question_id"])
    (element,) = event.answer.elements
    assert (element.vh_index, element.bounds, element.text) == (7, LEAVES[0].bounds, "$ 24.90")


def test_ratings_questions_and_reviews_come_back(studio):
    choice, text = studio.choice, studio.text
    tasks = [
        (
            prefilter_task(SCREEN),
            [choice("language", "english"), choice("vh_sync", "in_sync")],
        ),
        (
            question_task(AnnotationPass.QUESTION_1, SCREEN),
            [choice("screen_status", "has_questions"), text("question", "Who?", "When?")],
        ),
        (question_task(AnnotationPass.QUESTION_3_NA, SCREEN, ["Who?"]), [text("question", "Why?")]),
        (screen_review_task(SCREEN), [choice("pii", "no"), choice("unsafe", "no")]),
        (element_task(SCREEN), [studio.box(label="Icon")]),
    ]
    read = studio.read([exported(studio, task, *results) for task, results in tasks])
    assert read.rejects == []
    assert [event.pass_.value for event in read.submitted] == [
        *("prefilter", "question_1", "question_1", "question_3_na", "screen_review", "element")
    ]
    assert {(e.image_width, e.image_height) for e in read.submitted} == {(1080, 1920)}


def test_a_review_starts_from_the_work_and_names_it(studio, make):
    regions = (
        LabelledElement("r1", "Card", Bounds(0, 0, 540, 960), "Pay", True, None),
        LabelledElement("r2", "Icon", Bounds(9, 9, 40, 40), "", False, "r1"),
        LabelledElement("r3", "Logo", Bounds(99, 9, 140, 40), "", None, None),
    )
    work = make.event(AnnotationPass.ELEMENT, LabelledScreen(regions), "ls:main:work:1")
    task = element_review_task(SCREEN, work)
    del task["data"]["target_event_id"]  # The prediction says it as well.
    export = exported(studio, task, studio.choice("review_verdict", "accepted"))
    (event,) = studio.read([export]).submitted
    assert event.review.target_event_id == "ls:main:work:1"
    assert event.review.elements == regions


def test_later_annotators_see_the_earlier_questions():
    task = question_task(AnnotationPass.QUESTION_2, SCREEN, ["What is it?", "When?"])
    assert task["data"]["previous_questions_text"] == "1. What is it?\n2. When?"
    first = question_task(AnnotationPass.QUESTION_1, SCREEN, ["What is it?"])
    assert "previous_questions_text" not in first["data"]


@pytest.mark.parametrize("pass_", CONTROLS)
def test_a_task_holds_all_that_its_configuration_shows(pass_, make):
    work = make.event(AnnotationPass.ELEMENT, LabelledScreen(()), "e")
    task = {
        AnnotationPass.PREFILTER: lambda: prefilter_task(SCREEN),
        AnnotationPass.ANSWER: asked,
        AnnotationPass.ELEMENT: lambda: element_task(SCREEN),
        AnnotationPass.ELEMENT_REVIEW: lambda: element_review_task(SCREEN, work),
        AnnotationPass.SCREEN_REVIEW: lambda: screen_review_task(SCREEN),
        AnnotationPass.VERIFY_SHORT_ANSWERS: lambda: verify_task(
            SCREEN, question_id="9000001:abc", shown=make.shown("Visa")
        ),
    }.get(pass_, lambda: question_task(pass_, SCREEN))()
    shown = set(re.findall(r'"\$(\w+)"', labeling_config(pass_)))
    assert shown <= set(task["data"])
    used = {r["from_name"] for p in task.get("predictions", ()) for r in p["result"]}
    assert used <= CONTROLS[pass_]


def test_a_file_is_a_list_with_numbers_in_full():
    text = task_file([asked()])
    assert json.loads(text) == [asked()]
    assert "55.55555555555556" in text


def test_a_path_is_an_address_below_the_local_storage():
    assert local_file_url("rico/a b&c.png") == "/data/local-files/?d=rico/a%20b%26c.png"
