"""Tasks of each pass for Label Studio: what to look at, the leaves to pick from, by whom.

Community edition enforces neither who may answer nor how often; so the composer is left
out when tasks are handed out, and everything is checked again when they come back.
"""

import dataclasses
import json
import urllib.parse
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from schemas.annotations import (
    AnnotationEvent,
    AnnotationPass,
    LabelledElement,
    ShownShortAnswers,
)
from schemas.columns import plain_values
from schemas.geometry import Bounds, Size
from schemas.records import Record
from schemas.screens import ViewLeaf
from transforms.annotation.label_studio import controls
from transforms.annotation.label_studio.regions import write_box
from transforms.annotation.label_studio.tasks_read import FIRST_PASS, VARIANT

Task: TypeAlias = dict[str, Any]
"""One item of an import file."""

LEAVES_VERSION = "rico-vh-leaves-v1"
"""Model version of the predictions that offer leaves."""


_HOTKEYS = "123456789"


@dataclasses.dataclass(frozen=True, slots=True)
class TaskScreen(Record):
    """A screen to be worked on. Ids go into the task's data, since Label Studio keeps no name."""

    screen_id: str
    image: str
    """Address of the picture as Label Studio opens it, such as `local_file_url` makes it."""
    size: Size
    """As displayed, turned by its EXIF orientation."""
    leaves: tuple[ViewLeaf, ...]
    """Visible leaves of its hierarchy, in pixels of that size; empty without one."""


def local_file_url(path: str) -> str:
    """Returns the address of a file below Label Studio's local storage root."""
    return "/data/local-files/?d=" + urllib.parse.quote(path)


def prefilter_task(screen: TaskScreen) -> Task:
    """Returns the task of rating a screen, its hierarchy drawn over it."""
    task = _task(AnnotationPass.PREFILTER, screen)
    return task | _predicted(screen, _leaf_results(screen, controls.LEAVES))


def question_task(pass_: AnnotationPass, screen: TaskScreen, previous: Sequence[str] = ()) -> Task:
    """Returns the task of composing questions; later passes see the earlier questions (A.2)."""
    task = _task(pass_, screen)
    if pass_ is not AnnotationPass.QUESTION_1:
        listed = "\n".join(f"{place}. {text}" for place, text in enumerate(previous, start=1))
        task["data"]["previous_questions_text"] = listed
    return task


def answer_task(
    screen: TaskScreen,
    *,
    question_id: str,
    question: str,
    composers: Sequence[str],
    split: str,
    slot: str,
    assignee: str | None,
) -> Task:
    """Returns the task of answering one question, with the leaves to pick from.

    Args:
        screen: What is asked about.
        question_id: The question's id, by which its answers come together again.
        question: Its text.
        composers: Pseudonyms of who composed it and may not answer it.
        split: The screen's split.
        slot: `A`, `B` or `C`: each is a project of its own, so that nobody sees the others.
        assignee: Who is to answer, None if that is left to the project.
    """
    task = _task(AnnotationPass.ANSWER, screen)
    task["data"] |= {
        "question_id": question_id,
        "question": question,
        "composer": composers[0] if composers else None,
        "composers": list(composers),
        "split": split,
        "slot": slot,
    }
    if assignee is not None:
        task["data"]["assignee"] = assignee
    texts = controls.ELEMENT_TEXT
    return task | _predicted(screen, _leaf_results(screen, controls.ELEMENT, texts))


def element_task(screen: TaskScreen) -> Task:
    """Returns the task of labelling the elements of a screen, which starts from nothing."""
    return _task(AnnotationPass.ELEMENT, screen)


def element_review_task(screen: TaskScreen, labelled: AnnotationEvent) -> Task:
    """Returns the task of reviewing one person's labelling; it starts from that work."""
    assert labelled.element is not None
    task = _task(AnnotationPass.ELEMENT_REVIEW, screen)
    task["data"] |= {"target_event_id": labelled.event_id, "author": labelled.annotator_id}
    results = [
        result
        for element in labelled.element.elements
        for result in _element_results(element, screen)
    ]
    return task | _predicted(screen, results, FIRST_PASS + labelled.event_id)


def screen_review_task(screen: TaskScreen, labels_text: str = "") -> Task:
    """Returns the task of reviewing a screen; `labels_text` is what is to be found correct."""
    task = _task(AnnotationPass.SCREEN_REVIEW, screen)
    task["data"]["labels_text"] = labels_text
    return task


def verify_task(screen: TaskScreen, *, question_id: str, shown: ShownShortAnswers) -> Task:
    """Returns the task of judging the short answers of a question.

    What is ticked comes back as `v1`, `v2` and so on, never as the text: two short answers
    may look the same on a page, and a text may be anything.

    Args:
        screen: What the question is about.
        question_id: The question's id in the build.
        shown: What is to be judged. It travels in the task and comes back with the verdict.
    """
    task = _task(AnnotationPass.VERIFY_SHORT_ANSWERS, screen)
    task["data"] |= {
        "question_id": question_id,
        "question": shown.question,
        "full_answers_text": _full_answers_text(shown.full_answers),
        "variants": [
            {"value": shown_text(text), "alias": f"{VARIANT}{place}"}
            | ({"hotkey": _HOTKEYS[place - 1]} if place <= len(_HOTKEYS) else {})
            for place, text in enumerate(shown.short_answers, start=1)
        ],
        "shown": plain_values(shown),
    }
    return task


def shown_text(text: str) -> str:
    """Returns a text as a choice of the task's data can show it.

    The editor takes `$24` or `$question` in a choice for the name of a value of the task, and
    shows that value, or nothing (label-studio 1.23.2, `parseValue`). A sign without width
    after each `$` keeps it from doing so; nobody sees it, and it never comes back.
    """
    return text.replace("$", "$\u200b") or "(empty)"


def _full_answers_text(full_answers: Sequence[str]) -> str:
    """Returns the full answers, a line each; never an empty text, which cannot be shown."""
    return "\n".join(f"– {text}" for text in full_answers) or "(no full answer was released)"


def task_file(tasks: Iterable[Mapping[str, Any]]) -> str:
    """Returns the text of an import file. Numbers are written in full."""
    return json.dumps(list(tasks), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _task(pass_: AnnotationPass, screen: TaskScreen) -> Task:
    return {
        "data": {
            "image": screen.image,
            "pass": pass_.value,
            "screen_id": screen.screen_id,
            "image_width": screen.size.width,
            "image_height": screen.size.height,
        }
    }


def _predicted(
    screen: TaskScreen, results: list[dict[str, Any]], version: str = LEAVES_VERSION
) -> dict[str, Any]:
    if not results:
        return {}
    return {"predictions": [{"model_version": version, "score": 1.0, "result": results}]}


def _leaf_results(
    screen: TaskScreen, control: str, text_control: str | None = None
) -> list[dict[str, Any]]:
    """Returns the results that offer each leaf as a region `vh_<index>`.

    Both the id and `meta.vh_index` survive the editor; a drawn box gets a random id.
    """
    results = []
    for leaf in screen.leaves:
        region = _region(screen, f"vh_{leaf.vh_index}", leaf.bounds)
        region["meta"] = {"vh_index": leaf.vh_index, "class": leaf.view_class}
        label = {"rectanglelabels": [controls.VH_CANDIDATE]}
        results.append(_result(region, control, "rectanglelabels", label))
        if text_control is not None and leaf.text:
            results.append(_result(region, text_control, "textarea", {"text": [leaf.text]}))
    return results


def _element_results(element: LabelledElement, screen: TaskScreen) -> list[dict[str, Any]]:
    region = _region(screen, element.region_id, element.bounds)
    if element.parent_region_id is not None:
        region["parentID"] = element.parent_region_id
    label = {"rectanglelabels": [element.label]}
    results = [_result(region, controls.ELEMENT, "rectanglelabels", label)]
    if element.text:
        text = {"text": [element.text]}
        results.append(_result(region, controls.ELEMENT_TEXT, "textarea", text))
    if element.interactive is not None:
        chosen = {"choices": ["interactive" if element.interactive else "static"]}
        results.append(_result(region, controls.INTERACTIVE, "choices", chosen))
    return results


def _region(screen: TaskScreen, region_id: str, bounds: Bounds) -> dict[str, Any]:
    try:
        value = write_box(bounds, screen.size)
    except ValueError as error:
        raise ValueError(f"screen {screen.screen_id}, region {region_id}: {error}") from error
    return {
        "id": region_id,
        "to_name": controls.IMAGE,
        "original_width": screen.size.width,
        "original_height": screen.size.height,
        "image_rotation": 0,
        "value": value,
    }


def _result(
    region: dict[str, Any], control: str, kind: str, value: dict[str, Any]
) -> dict[str, Any]:
    return region | {"from_name": control, "type": kind, "value": region["value"] | value}
