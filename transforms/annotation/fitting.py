"""Boxes of events brought onto the stored picture, and held against the hierarchy's leaves."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from schemas.annotations import (
    AnnotationEvent,
    AnswerElement,
    ElementOrigin,
    GivenAnswer,
    LabelledElement,
)
from schemas.geometry import Bounds, Size, intersect, scale
from schemas.rejects import RejectedRecordError
from schemas.settlements import ScreenFacts
from transforms.boxes import box_problem, to_picture
from transforms.screens.hierarchies import Hierarchy, bounds_of, frame_width, walk

Boxed = TypeVar("Boxed", AnswerElement, LabelledElement)

LEAF_TOLERANCE = 1
"""Pixels that a box's side may lie off its leaf's and still be the leaf (I4)."""


def leaf_boxes(hierarchy: Hierarchy, picture: Size) -> dict[int, Bounds]:
    """Returns the boxes of a hierarchy's leaves as they lie on the picture, by `vh_index`.

    Visible or not: what an annotator could pick is the tool's affair. A leaf whose box is
    missing, empty or off the picture is left out.

    Raises:
        RejectedRecordError: As `walk` and `frame_width` do.
    """
    width = frame_width(hierarchy, picture)
    frame, target = Size(width, width), Size(picture.width, picture.width)
    boxes = {}
    for index, node, children in walk(hierarchy.root):
        bounds = None if children else bounds_of(node)
        if bounds is None:
            continue
        box = scale(bounds, frame, target)
        if box_problem(box, picture) is None:
            boxes[index] = intersect(box, Bounds(0, 0, *picture))
    return boxes


def fit_event(event: AnnotationEvent, facts: ScreenFacts) -> AnnotationEvent:
    """Returns an event with its boxes in pixels of the stored picture.

    An answer's element that names a leaf is demoted to a drawn one if its hierarchy has no
    such leaf or its box lies more than a pixel off it (I4): the box is what was meant.

    Raises:
        RejectedRecordError: `IMAGE_SIZE_MISMATCH` if the event was made on a picture of
            another shape; `BOX_EMPTY` if a box vanishes on a smaller picture.
    """
    changes: dict[str, Any] = {}
    flags: list[str] = []
    move = _mover(event, facts)
    if event.answer is not None and event.answer.elements:
        changes["answer"], flags = _fit_answer(event.answer, move, facts.leaves)
    elif event.element is not None:
        moved = tuple(_moved(element, move) for element in event.element.elements)
        changes["element"] = dataclasses.replace(event.element, elements=moved)
    elif event.review is not None:
        moved = tuple(_moved(element, move) for element in event.review.elements)
        changes["review"] = dataclasses.replace(event.review, elements=moved)
    if not changes:
        return event
    if facts.image is not None:
        changes["image_width"], changes["image_height"] = facts.image.size
    # Settling twice must not flag twice.
    flags = [flag for flag in flags if flag not in event.flags]
    return dataclasses.replace(event, **changes, flags=(*event.flags, *flags))


def demote_moved(element: AnswerElement, leaves: Mapping[int, Bounds]) -> AnswerElement:
    """Returns an element as drawn if it is not the leaf that it says it is (I4)."""
    if element.vh_index < 0:
        return element
    leaf = leaves.get(element.vh_index)
    if leaf is not None and all(
        abs(edge - of_leaf) <= LEAF_TOLERANCE
        for edge, of_leaf in zip(element.bounds, leaf, strict=True)
    ):
        return element
    return dataclasses.replace(element, vh_index=-1, origin=ElementOrigin.VH_DEMOTED)


def demotion_flag(element: AnswerElement) -> str:
    """Returns the flag of an element's demotion; the element is still as it was."""
    return f"vh_demoted:{element.region_id}:{element.vh_index}"


def _mover(event: AnnotationEvent, facts: ScreenFacts) -> Callable[[Bounds], Bounds]:
    image = facts.image
    if image is None:
        return lambda box: box
    frame = Size(event.image_width, event.image_height) if event.image_width else None
    picture = image.size

    def move(box: Bounds) -> Bounds:
        on_picture = to_picture(box, frame, image)
        problem = box_problem(on_picture, picture)
        if problem is not None:
            raise RejectedRecordError(problem, f"{tuple(box)} of {frame} on {tuple(picture)}")
        return intersect(on_picture, Bounds(0, 0, *picture))

    return move


def _fit_answer(
    answer: GivenAnswer,
    move: Callable[[Bounds], Bounds],
    leaves: Mapping[int, Bounds] | None,
) -> tuple[GivenAnswer, list[str]]:
    flags = []
    elements = []
    for element in answer.elements:
        moved = _moved(element, move)
        if leaves is not None:
            demoted = demote_moved(moved, leaves)
            if demoted is not moved:
                flags.append(demotion_flag(moved))
            moved = demoted
        elements.append(moved)
    return dataclasses.replace(answer, elements=tuple(elements)), flags


def _moved(element: Boxed, move: Callable[[Bounds], Bounds]) -> Boxed:
    bounds = move(element.bounds)
    return element if bounds == element.bounds else dataclasses.replace(element, bounds=bounds)
