"""The released ScreenQA files: answers with boxes, short answers, complex questions."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from pipelines.sample import roles
from pipelines.sample.campaign import Asked
from pipelines.sample.choosing import Choices
from pipelines.sample.judging import NOT_ANSWERABLE, Judgement
from pipelines.sample.roles import CastScreen

NO_ANSWER = "<no answer>"
SPLITS = ("train", "validation", "test")

_ABOUT_NO_SCREEN = "What is the current speed?"

Records = list[dict[str, Any]]


def answers_and_bboxes(asked: Iterable[Asked], split: str) -> Records:
    """Returns the questions of a split with their answers and boxes in pixels."""
    records = [
        {
            "image_id": one.screen.drawn.id,
            "image_width": one.screen.drawn.width,
            "image_height": one.screen.drawn.height,
            "question": one.verdict.final_text,
            "ground_truth": [_ground_truth(judgement) for judgement in _released(one)],
        }
        for one in _of_split(asked, split)
    ]
    if split == "train":
        speed = {"text": "40 km/h", "bounds": [120, 300, 330, 366], "vh_index": 14}
        records.append(
            {
                "image_id": roles.SCREEN_MISSING_ID,
                "image_width": 1080,
                "image_height": 1920,
                "question": _ABOUT_NO_SCREEN,
                "ground_truth": [{"full_answer": "The speed is 40 km/h.", "ui_elements": [speed]}],
            }
        )
    return records


def short_answers(asked: Iterable[Asked], split: str) -> Records:
    """Returns the questions of a split with the short ways to say their answers."""
    records = [
        {
            "image_id": one.screen.drawn.id,
            "question": one.verdict.final_text,
            "ground_truth": _short(one),
        }
        for one in _of_split(asked, split)
    ]
    if split == "train":
        records.append(
            {
                "image_id": roles.SCREEN_MISSING_ID,
                "question": _ABOUT_NO_SCREEN,
                "ground_truth": ["40 km/h", "40"],
            }
        )
    return records


def complex_qa(screens: Iterable[CastScreen], seed: str, *, count: int = 20) -> Records:
    """Returns about `count` questions that need counting or comparing, the last one twice."""
    fit = [
        screen
        for screen in screens
        if screen.is_rated_fit
        and screen.drawn.complex_questions
        and screen.key not in (roles.BLACK, roles.TRUNCATED, roles.HTML_PAGE, roles.TWIN)
    ]
    records = []
    for screen in sorted(
        Choices(seed, "complex").several(fit, count), key=lambda screen: screen.drawn.id
    ):
        question = screen.drawn.complex_questions[0]
        records.append(
            {
                "image_id": screen.drawn.id,
                "question": question.text,
                "ground_truth": list(question.answers),
            }
        )
    return [*records, records[-1]]


def encoded(records: Sequence[dict[str, Any]]) -> bytes:
    """Returns the bytes of a released file: one line, ASCII only, no newline at its end."""
    return json.dumps(records).encode("ascii")


def _of_split(asked: Iterable[Asked], split: str) -> list[Asked]:
    return [
        one for one in asked if one.screen.split == split and one.verdict.final_text is not None
    ]


def _released(one: Asked) -> Sequence[Judgement]:
    """Returns the published answers: one in train, all kept ones elsewhere."""
    return one.kept[:1] if one.screen.split == "train" else one.kept


def _ground_truth(judgement: Judgement) -> dict[str, Any]:
    if judgement.state == NOT_ANSWERABLE:
        return {"full_answer": NO_ANSWER, "ui_elements": []}
    return {
        "full_answer": judgement.full_answer,
        "ui_elements": [
            {"text": e.text, "bounds": list(e.bounds), "vh_index": e.vh_index}
            for e in judgement.elements
        ],
    }


def _short(one: Asked) -> list[str]:
    states = {judgement.state for judgement in _released(one)}
    variants = list(one.question.short_answers) if states - {NOT_ANSWERABLE} else []
    return variants + ([NO_ANSWER] if NOT_ANSWERABLE in states else [])
