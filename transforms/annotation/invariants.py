"""What must hold of every annotation event by itself, and what may be mended (annotation.md §2.2).

Mended is what has one meaning only: ranks with gaps (I3), a leaf named twice (I5), a box
over the picture's edge (I2). Each repair leaves a flag. All else is rejected, never guessed.
"""

import dataclasses
from collections.abc import Iterable
from typing import Any

from schemas.annotations import (
    PAYLOAD_COLUMNS,
    AnnotationEvent,
    AnnotationPass,
    AnswerElement,
    AnswerState,
    ComposedQuestion,
    ElementOrigin,
    EventStatus,
    GivenAnswer,
    LabelledElement,
    ShortAnswersReview,
    Verdict,
)
from schemas.geometry import Bounds, Size, intersect
from schemas.rejects import Reason, RejectedRecordError
from transforms.annotation.taxonomy import ELEMENT_CLASSES
from transforms.boxes import box_problem

PASSES_ON_QUESTIONS = (AnnotationPass.ANSWER, AnnotationPass.VERIFY_SHORT_ANSWERS)
"""The passes whose events are each about a question that is there."""


def check_event(event: AnnotationEvent) -> AnnotationEvent:
    """Returns the event with what could be mended mended, and flagged.

    Raises:
        RejectedRecordError: With the reason of the invariant that does not hold.
    """
    if "@" in event.annotator_id or not event.annotator_id.strip():
        raise RejectedRecordError(Reason.UNKNOWN_USER, "annotator_id is no pseudonym")
    if event.image_width < 0 or event.image_height < 0:
        raise RejectedRecordError(Reason.RECORD_MALFORMED, "the picture has a negative size")
    if event.status is not EventStatus.SUBMITTED:
        return event
    _check_payloads(event)
    if event.question_id is None and event.pass_ in PASSES_ON_QUESTIONS:
        raise RejectedRecordError(Reason.MISSING_KEY, "question_id is missing")
    return _mended(event, Size(event.image_width, event.image_height))


def _mended(event: AnnotationEvent, size: Size) -> AnnotationEvent:
    payload: dict[str, Any] = {}
    flags: list[str] = []
    if event.question is not None:
        check_question(event.question, event.pass_)
    elif event.answer is not None:
        payload["answer"], flags = check_answer(event.answer, size)
    elif event.element is not None:
        labelled, flags = check_labelled(event.element.elements, size)
        payload["element"] = dataclasses.replace(event.element, elements=labelled)
    elif event.review is not None:
        labelled, flags = check_labelled(event.review.elements, size)
        payload["review"] = dataclasses.replace(event.review, elements=labelled)
    elif event.short_answers is not None:
        check_short_answers(event.short_answers)
    if not payload:
        return event
    return dataclasses.replace(event, **payload, flags=(*event.flags, *flags))


def check_question(question: ComposedQuestion, pass_: AnnotationPass) -> None:
    """Checks that a question says something, or that there is none for a stated reason (I11).

    A second annotator may have nothing to add: then there is no text although the screen
    was not skipped.

    Raises:
        RejectedRecordError: `RECORD_MALFORMED`, `TEXT_EMPTY` or `AMBIGUOUS_STATUS`.
    """
    if question.ordinal < 0:
        raise RejectedRecordError(Reason.RECORD_MALFORMED, f"ordinal is {question.ordinal}")
    text = (question.text or "").strip()
    if question.skipped_screen and text:
        raise RejectedRecordError(Reason.AMBIGUOUS_STATUS, "the screen was skipped and asked about")
    nothing_to_add = pass_ is AnnotationPass.QUESTION_2 and question.text is None
    if not text and not question.skipped_screen and not nothing_to_add:
        raise RejectedRecordError(Reason.TEXT_EMPTY, "the question is blank")


def check_state(answer: GivenAnswer) -> None:
    """Checks that state and content of an answer agree (I6).

    Raises:
        RejectedRecordError: `MISSING_FULL_ANSWER` or `CONTRADICTORY_ANSWER`.
    """
    has_text = bool((answer.full_answer or "").strip())
    if answer.state is AnswerState.ANSWERABLE:
        if not has_text:
            raise RejectedRecordError(Reason.MISSING_FULL_ANSWER, "there is no full answer")
    elif has_text or answer.elements:
        what = "a full answer" if has_text else f"{len(answer.elements)} boxes"
        raise RejectedRecordError(
            Reason.CONTRADICTORY_ANSWER, f"the question is {answer.state} and there is {what}"
        )


def check_short_answers(review: ShortAnswersReview) -> None:
    """Checks that a review of short answers is about what was shown, and does not contradict it.

    A review that does not tell what was shown can only be checked against itself.

    Raises:
        RejectedRecordError: `BAD_LABEL` if something is rejected that was not shown, or
            `AMBIGUOUS_STATUS` if verdict and short answers do not agree.
    """
    rejected = set(review.rejected)
    shown = None if review.shown is None else set(review.shown.short_answers)
    if shown is not None and rejected - shown:
        strange = min(rejected - shown)
        raise RejectedRecordError(Reason.BAD_LABEL, f"{strange!r:.60} was not shown")
    problem = ""
    if rejected & set(review.short_answers):
        problem = "a short answer is kept and rejected"
    elif review.verdict is Verdict.ACCEPTED and rejected:
        problem = f"all is right, and {len(rejected)} are rejected"
    elif review.verdict is Verdict.REJECTED and shown is not None and rejected != shown:
        problem = f"all is wrong, and {len(rejected)} of {len(shown)} are rejected"
    if problem:
        raise RejectedRecordError(Reason.AMBIGUOUS_STATUS, problem)


def check_answer(answer: GivenAnswer, size: Size) -> tuple[GivenAnswer, list[str]]:
    """Returns an answer with its elements mended, and the repairs made.

    Raises:
        RejectedRecordError: As `check_state` and `check_box` do, or `RECORD_MALFORMED` if
            an element's origin does not fit its `vh_index`.
    """
    check_state(answer)
    flags: list[str] = []
    elements = []
    for element in answer.elements:
        from_leaf = element.origin is ElementOrigin.VH
        if from_leaf != (element.vh_index >= 0) or element.vh_index < -1:
            raise RejectedRecordError(
                Reason.RECORD_MALFORMED,
                f"an element of origin {element.origin} has vh_index {element.vh_index}",
            )
        bounds = check_box(element.bounds, size)
        if bounds != element.bounds:
            flags.append(f"clipped:{element.region_id}")
        elements.append(dataclasses.replace(element, bounds=bounds))
    kept, dropped = drop_repeated_leaves(elements)
    ranked, were_ranked = rank_elements([(element, element.rank) for element in kept])
    flags += dropped
    if not were_ranked:
        flags.append("rank_incomplete")
    return dataclasses.replace(answer, elements=tuple(ranked)), flags


def check_labelled(
    elements: Iterable[LabelledElement], size: Size
) -> tuple[tuple[LabelledElement, ...], list[str]]:
    """Returns labelled elements with their boxes clipped, and the repairs made (I2, I15).

    Raises:
        RejectedRecordError: `BAD_LABEL` for a class that is none of the 36, or as
            `check_box` does.
    """
    kept, flags = [], []
    for element in elements:
        if element.label not in ELEMENT_CLASSES:
            raise RejectedRecordError(Reason.BAD_LABEL, f"{element.label!r:.60} is no class")
        bounds = check_box(element.bounds, size)
        if bounds != element.bounds:
            flags.append(f"clipped:{element.region_id}")
        kept.append(dataclasses.replace(element, bounds=bounds))
    return tuple(kept), flags


def check_box(box: Bounds, size: Size) -> Bounds:
    """Returns the part of a box that lies on its picture (I2).

    Raises:
        RejectedRecordError: `MISSING_KEY` if the picture's size is untold; `BOX_INVERTED`,
            `BOX_EMPTY`, or `BOX_OUTSIDE` if more than half of the box lies outside.
    """
    if not size.width or not size.height:
        raise RejectedRecordError(Reason.MISSING_KEY, "a box without the size of its picture")
    problem = box_problem(box, size)
    if problem is not None:
        raise RejectedRecordError(problem, f"{tuple(box)} on {tuple(size)}")
    return intersect(box, Bounds(0, 0, *size))


def drop_repeated_leaves(
    elements: Iterable[AnswerElement],
) -> tuple[list[AnswerElement], list[str]]:
    """Returns the elements without the second and later ones of a leaf, and a flag for each (I5).

    Label Studio's Ctrl+D copies a region with its `meta`, the leaf's index in it.
    """
    kept: list[AnswerElement] = []
    flags: list[str] = []
    seen = set()
    for element in elements:
        if element.vh_index >= 0 and element.vh_index in seen:
            flags.append(f"duplicate_vh_dropped:{element.region_id}:{element.vh_index}")
            continue
        seen.add(element.vh_index)
        kept.append(element)
    return kept, flags


def rank_elements(
    elements: Iterable[tuple[AnswerElement, float | None]],
) -> tuple[list[AnswerElement], bool]:
    """Returns elements ranked from 1 without gaps, and whether they had been so (I3).

    They are ordered by rank, unless one is missing or two are equal: then the given order
    stays.
    """
    pairs = list(elements)
    ranks = {rank for _, rank in pairs}
    if None not in ranks and len(ranks) == len(pairs):
        pairs.sort(key=lambda pair: pair[1] or 0)
    ranked = [
        dataclasses.replace(element, rank=place) for place, (element, _) in enumerate(pairs, 1)
    ]
    return ranked, ranks == set(range(1, len(pairs) + 1))


def _check_payloads(event: AnnotationEvent) -> None:
    own = PAYLOAD_COLUMNS[event.pass_]
    for name in dict.fromkeys(PAYLOAD_COLUMNS.values()):
        is_there = getattr(event, name) is not None
        if name == own and not is_there:
            raise RejectedRecordError(Reason.MISSING_KEY, f"{name} is missing in {event.pass_}")
        if name != own and is_there:
            raise RejectedRecordError(
                Reason.RECORD_MALFORMED, f"{name} is not for the pass {event.pass_}"
            )
