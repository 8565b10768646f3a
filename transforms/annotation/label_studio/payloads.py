"""What an annotation says in each pass, read by the names of the controls."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar

from schemas.annotations import (
    AnnotationPass,
    AnswerElement,
    AnswerState,
    ComposedQuestion,
    ElementOrigin,
    ElementReview,
    GivenAnswer,
    LabelledElement,
    LabelledScreen,
    Language,
    PrefilterRating,
    ScreenReview,
    ShortAnswersReview,
    ShownShortAnswers,
    Verdict,
    VhSync,
)
from schemas.geometry import Bounds, Size, same_shape
from schemas.rejects import Reason, RejectedRecordError
from transforms.annotation.fitting import demote_moved, demotion_flag
from transforms.annotation.invariants import check_state, drop_repeated_leaves, rank_elements
from transforms.annotation.label_studio import controls
from transforms.annotation.label_studio.regions import read_box, region_id_of, vh_index_of
from transforms.annotation.label_studio.results import Results
from transforms.annotation.label_studio.tasks_read import VARIANT
from transforms.annotation.taxonomy import ELEMENT_CLASSES

Choice = TypeVar("Choice", AnswerState, Language, VhSync, Verdict)

Payload: TypeAlias = (
    PrefilterRating
    | ComposedQuestion
    | GivenAnswer
    | LabelledScreen
    | ElementReview
    | ScreenReview
    | ShortAnswersReview
)


@dataclasses.dataclass(frozen=True, slots=True)
class Shown:
    """What the annotator had before them, as far as the export tells."""

    size: Size | None
    """Size of the picture as displayed; None if untold."""
    leaves: Mapping[int, Bounds]
    """Leaves that were offered, in pixels; empty if untold."""
    target_event_id: str | None
    """Event under review; None in other passes."""
    short_answers: ShownShortAnswers | None = None
    """Short answers to be judged; None in other passes."""


@dataclasses.dataclass(frozen=True, slots=True)
class Said:
    """What an annotation says: one payload, or one a question; with the repairs of each."""

    payloads: tuple[tuple[Payload, tuple[str, ...]], ...]
    size: Size | None
    """Size of the picture that boxes were drawn on; None without boxes."""


def read_payloads(results: Results, pass_: AnnotationPass, shown: Shown) -> Said:
    """Returns what the results of a submitted annotation say.

    Raises:
        RejectedRecordError: With the reason of annotation.md §2.3 that applies.
    """
    return _READERS[pass_](results, shown)


def _read_prefilter(results: Results, _: Shown) -> Said:
    note, flags = results.one_text(controls.NOTE)
    rating = PrefilterRating(
        language=_choice(Language, results.required_choice(controls.LANGUAGE)),
        vh_sync=_choice(VhSync, results.required_choice(controls.VH_SYNC)),
        note=note,
    )
    return _one(rating, flags)


def _read_questions(results: Results, _: Shown) -> Said:
    status = results.required_choice(controls.SCREEN_STATUS)
    texts = results.texts(controls.QUESTION)
    if status == controls.HAS_QUESTIONS:
        return _questions(texts)
    if status not in (controls.NO_INTERESTING_CONTENT, controls.NOTHING_TO_ADD):
        raise _bad_label(status)
    if any(text.strip() for text in texts):
        raise RejectedRecordError(
            Reason.AMBIGUOUS_STATUS, f"{status}, and yet {len(texts)} questions"
        )
    is_skipped = status == controls.NO_INTERESTING_CONTENT
    return _one(ComposedQuestion(0, None, skipped_screen=is_skipped), [])


def _read_third_question(results: Results, _: Shown) -> Said:
    return _questions(results.texts(controls.QUESTION))


def _questions(texts: list[str]) -> Said:
    """Returns one question a text; its place in the list is its ordinal, blank ones counted."""
    composed: list[tuple[Payload, tuple[str, ...]]] = []
    for ordinal, text in enumerate(texts):
        trimmed = text.strip()  # The editor does not (observed in 1.23.2).
        if trimmed:
            flags = ("text_trimmed",) if trimmed != text else ()
            composed.append((ComposedQuestion(ordinal, trimmed, skipped_screen=False), flags))
    if not composed:
        raise RejectedRecordError(Reason.TEXT_EMPTY, "there is no question")
    return Said(tuple(composed), None)


def _read_answer(results: Results, shown: Shown) -> Said:
    state = _choice(AnswerState, results.required_choice(controls.ANSWER_STATUS))
    full_answer, flags = results.one_text(controls.FULL_ANSWER)
    correction, more = results.one_text(controls.QUESTION_CORRECTION)
    flags += [flag for flag in more if flag not in flags]
    elements, size = [], None
    for region in _labelled(results):
        if _answer_label(region):
            element, rank, size, repairs = _read_element(results, region, shown, size)
            elements.append((element, rank))
            flags += repairs
    kept, dropped = drop_repeated_leaves(element for element, _ in elements)
    ranks = {id(element): rank for element, rank in elements}
    ranked, were_ranked = rank_elements([(element, ranks[id(element)]) for element in kept])
    answer = GivenAnswer(state, full_answer, correction, tuple(ranked))
    check_state(answer)
    flags += dropped
    if not were_ranked:
        flags.append("rank_incomplete")
    if state is AnswerState.ANSWERABLE and not ranked:
        flags.append("no_elements")
    return _one(answer, flags, size)


def _answer_label(region: dict[str, Any]) -> bool:
    """Returns whether a region is part of the answer; a leaf left over says nothing."""
    labels = _labels(region)
    for label in labels:
        if label not in (controls.ANSWER_LABEL, controls.VH_CANDIDATE):
            raise _bad_label(label)
    return controls.ANSWER_LABEL in labels


def _read_element(
    results: Results, region: dict[str, Any], shown: Shown, size: Size | None
) -> tuple[AnswerElement, float | None, Size, list[str]]:
    region_id = region_id_of(region)
    bounds, own_size, flags = read_box(region)
    _check_size(own_size, size, shown.size)
    text = results.region_text(controls.ELEMENT_TEXT, region_id)
    if not text:
        flags.append(f"empty_element_text:{region_id}")
    index = vh_index_of(region)
    origin = ElementOrigin.VH if index >= 0 else ElementOrigin.DRAWN
    element = AnswerElement(0, text, bounds, index, region_id, origin)
    if shown.leaves:
        demoted = demote_moved(element, shown.leaves)
        if demoted is not element:
            flags.append(demotion_flag(element))
        element = demoted
    return element, _rank(results, region_id), own_size, flags


def _rank(results: Results, region_id: str) -> float | None:
    for item in results.of(controls.ELEMENT_RANK):
        rank = item["value"].get("number")
        is_number = isinstance(rank, int | float) and not isinstance(rank, bool) and rank == rank
        if item.get("id") == region_id and is_number:
            return rank
    return None


def _read_labelled(results: Results, shown: Shown) -> Said:
    elements, size, flags = _labelled_elements(results, shown)
    return _one(LabelledScreen(elements), flags, size)


def _read_review(results: Results, shown: Shown) -> Said:
    verdict = _choice(Verdict, results.required_choice(controls.REVIEW_VERDICT))
    if shown.target_event_id is None:
        raise RejectedRecordError(
            Reason.REVIEW_TARGET_MISSING, "the task does not say what was reviewed"
        )
    elements, size, flags = _labelled_elements(results, shown)
    reasons = results.choices(controls.REVIEW_REASON)
    return _one(ElementReview(shown.target_event_id, verdict, reasons, elements), flags, size)


def _labelled_elements(
    results: Results, shown: Shown
) -> tuple[tuple[LabelledElement, ...], Size | None, list[str]]:
    elements, flags, size = [], [], None
    interactive = {item.get("id"): item["value"] for item in results.of(controls.INTERACTIVE)}
    for region in _labelled(results):
        region_id = region_id_of(region)
        labels = _labels(region)
        if not labels:
            continue
        if len(labels) > 1 or labels[0] not in ELEMENT_CLASSES:
            raise _bad_label(", ".join(map(str, labels)))
        bounds, own_size, repairs = read_box(region)
        _check_size(own_size, size, shown.size)
        size = own_size
        flags += repairs
        parent = region.get("parentID")
        elements.append(
            LabelledElement(
                region_id=region_id,
                label=labels[0],
                bounds=bounds,
                text=results.region_text(controls.ELEMENT_TEXT, region_id),
                interactive=_interactive(interactive.get(region_id, {})),
                parent_region_id=parent if isinstance(parent, str) and parent else None,
            )
        )
    return tuple(elements), size, flags


def _read_screen_review(results: Results, _: Shown) -> Said:
    correct = results.choice(controls.CORRECT)
    review = ScreenReview(
        pii=_yes(results.required_choice(controls.PII)),
        unsafe=_yes(results.required_choice(controls.UNSAFE)),
        correct=None if correct is None else _yes(correct),
    )
    return _one(review, [])


def _read_short_answers_review(results: Results, shown: Shown) -> Said:
    """Returns which short answers are wrong; that none is must have been said, not left unsaid."""
    assert shown.short_answers is not None
    status = results.required_choice(controls.SHORT_ANSWERS_STATUS)
    if status not in (controls.ALL_RIGHT, controls.SOME_WRONG):
        raise _bad_label(status)
    judged = shown.short_answers.short_answers
    by_key = {f"{VARIANT}{place}": text for place, text in enumerate(judged, start=1)}
    ticked = results.choices(controls.WRONG_SHORT_ANSWERS)
    for key in ticked:
        if key not in by_key:
            raise _bad_label(key)
    if status == controls.ALL_RIGHT and ticked:
        raise RejectedRecordError(
            Reason.AMBIGUOUS_STATUS, f"{status}, and yet {len(ticked)} are ticked"
        )
    if status == controls.SOME_WRONG and not ticked:
        raise RejectedRecordError(Reason.MISSING_STATUS, f"{status}, and yet none is ticked")
    kept = tuple(text for key, text in by_key.items() if key not in ticked)
    rejected = tuple(text for key, text in by_key.items() if key in ticked)
    verdict = (Verdict.FIXED if kept else Verdict.REJECTED) if rejected else Verdict.ACCEPTED
    return _one(ShortAnswersReview(verdict, kept, rejected, shown.short_answers), [])


def _labelled(results: Results) -> list[dict[str, Any]]:
    """Returns the result of each region that says what it is, in the order of drawing."""
    regions: dict[str, dict[str, Any]] = {}
    for item in results.of(controls.ELEMENT):
        regions.setdefault(region_id_of(item), item)
    return list(regions.values())


def _labels(region: dict[str, Any]) -> list[Any]:
    labels = region["value"].get("rectanglelabels")
    return labels if isinstance(labels, list) else []


def _check_size(size: Size, earlier: Size | None, shown: Size | None) -> None:
    if (earlier is not None and size != earlier) or (shown and not same_shape(size, shown)):
        expected = earlier or shown
        raise RejectedRecordError(
            Reason.IMAGE_SIZE_MISMATCH,
            f"a box on {tuple(size)}, the picture has {tuple(expected or ())}",
        )


def _choice(of: type[Choice], raw: str) -> Choice:
    try:
        return of(raw)
    except ValueError:
        raise _bad_label(raw) from None


def _yes(raw: str) -> bool:
    if raw not in ("yes", "no"):
        raise _bad_label(raw)
    return raw == "yes"


def _interactive(value: dict[str, Any]) -> bool | None:
    chosen = value.get("choices") or [None]
    return {"interactive": True, "static": False}.get(chosen[0])


def _bad_label(raw: str) -> RejectedRecordError:
    return RejectedRecordError(Reason.BAD_LABEL, f"{raw!r:.60}")


def _one(payload: Payload, flags: list[str], size: Size | None = None) -> Said:
    return Said(((payload, tuple(flags)),), size)


_READERS: dict[AnnotationPass, Callable[[Results, Shown], Said]] = {
    AnnotationPass.PREFILTER: _read_prefilter,
    AnnotationPass.QUESTION_1: _read_questions,
    AnnotationPass.QUESTION_2: _read_questions,
    AnnotationPass.QUESTION_3_NA: _read_third_question,
    AnnotationPass.ANSWER: _read_answer,
    AnnotationPass.ELEMENT: _read_labelled,
    AnnotationPass.ELEMENT_REVIEW: _read_review,
    AnnotationPass.SCREEN_REVIEW: _read_screen_review,
    AnnotationPass.VERIFY_SHORT_ANSWERS: _read_short_answers_review,
}
