"""Boxes of answers, brought onto the stored picture and checked."""

import dataclasses
from collections.abc import Iterator

from schemas.geometry import Bounds, Size, intersect, same_shape, scale, turn
from schemas.questions import Answer, AskedScreen, Question, UiElement
from schemas.rejects import Outcome, Reason, Reject, RejectedRecordError, Tally
from schemas.screens import ImageFacts
from transforms.fates import origin_of, question_rejects
from transforms.rejecting import SplitFlatMap

_BOUNDLESS = Size(1 << 20, 1 << 20)


def box_problem(box: Bounds, picture: Size) -> Reason | None:
    """Returns what makes a box unusable on a picture, or None.

    A box may stick out of the picture, and is clipped, as long as at least half of its
    area lies inside: annotation tools let boxes be drawn over the edge.
    """
    if box.is_inverted:
        return Reason.BOX_INVERTED
    if box.area == 0:
        return Reason.BOX_EMPTY
    if 2 * intersect(box, Bounds(0, 0, *picture)).area < box.area:
        return Reason.BOX_OUTSIDE
    return None


def fit_answer(
    answer: Answer, frame: Size | None, image: ImageFacts | None, node_count: int
) -> tuple[Answer, list[str]]:
    """Returns an answer with its boxes in pixels of the stored picture, and the repairs made.

    A `vh_index` that the screen's hierarchy does not have (where there is one) is demoted
    to -1, drawn: its box still says where the element is.

    Args:
        answer: Boxes in pixels of the picture that it was made on.
        frame: Size of that picture; None where the source does not tell, and the picture
            as displayed is meant.
        image: The stored picture; None in a build without pictures.
        node_count: Nodes of the screen's hierarchy, 0 without one.

    Raises:
        RejectedRecordError: `IMAGE_SIZE_MISMATCH` if the frame's shape is that of neither
            the displayed nor the unturned picture; `BOX_INVERTED`, `BOX_EMPTY` or
            `BOX_OUTSIDE` for an unusable box, which makes the whole answer unusable:
            without one of its elements it would be another answer.
    """
    # Without a picture the record's own frame bounds its boxes, if it tells one.
    picture = image.size if image is not None else frame or _BOUNDLESS
    repairs = []
    elements = []
    for element in answer.ui_elements:
        box = element.bounds if image is None else to_picture(element.bounds, frame, image)
        problem = box_problem(box, picture)
        if problem is not None:
            raise RejectedRecordError(
                problem, f"{element.text!r:.80} at {tuple(element.bounds)} on {tuple(picture)}"
            )
        clipped = intersect(box, Bounds(0, 0, *picture))
        if clipped != box:
            repairs.append("boxes_clipped")
        vh_index = element.vh_index
        if node_count and vh_index >= node_count:
            vh_index = -1
            repairs.append("vh_indexes_demoted")
        if (clipped, vh_index) != (element.bounds, element.vh_index):
            element = UiElement(element.text, clipped, vh_index)
        elements.append(element)
    fitted = tuple(elements)
    if fitted == answer.ui_elements:
        return answer, repairs
    return dataclasses.replace(answer, ui_elements=fitted), repairs


def to_picture(box: Bounds, frame: Size | None, image: ImageFacts) -> Bounds:
    """Returns a box as pixels of the stored picture.

    A frame of the displayed picture's size or shape is scaled; one of the size or shape
    that the file had before it was turned upright is turned along with it. Where both
    fit (half turns, squares), the displayed picture is meant: it is what people see.

    Raises:
        RejectedRecordError: `IMAGE_SIZE_MISMATCH` if neither fits.
    """
    if frame is None or frame == image.size:
        return box
    if same_shape(frame, image.size):
        return scale(box, frame, image.size)
    if image.orientation != 1 and same_shape(frame, image.file_size):
        return turn(scale(box, frame, image.file_size), image.file_size, image.orientation)
    raise RejectedRecordError(
        Reason.IMAGE_SIZE_MISMATCH,
        f"made on {frame.width} × {frame.height}, the picture has "
        f"{image.size.width} × {image.size.height}",
    )


def fit_boxes(asked: AskedScreen) -> Iterator[AskedScreen | Reject | Tally]:
    """Yields the screen with all boxes of its answers on the stored picture.

    An unusable answer is rejected on its own; a question that loses its last answer and
    has no short answers is rejected with `ANSWERS_UNUSABLE`.
    """
    image = asked.screen.image if asked.screen is not None else None
    node_count = asked.screen.node_count if asked.screen is not None else 0
    kept = []
    for question in asked.questions:
        answers = []
        problems = []
        for index, answer in enumerate(question.answers):
            try:
                fitted, repairs = fit_answer(answer, question.frame, image, node_count)
            except RejectedRecordError as error:
                problems.append(_answer_reject(question, index, error))
            else:
                answers.append(fitted)
                yield from (Tally("repairs", repair, 1) for repair in repairs)
        if problems and not answers and not question.short_answers:
            reason = (
                Reason.IMAGE_SIZE_MISMATCH
                if all(p.reason is Reason.IMAGE_SIZE_MISMATCH for p in problems)
                else Reason.ANSWERS_UNUSABLE
            )
            yield from question_rejects(question, "fit_boxes", reason, problems[0].detail)
        else:
            yield from problems
            frame = image.size if image is not None else question.frame
            kept.append(dataclasses.replace(question, answers=tuple(answers), frame=frame))
    if kept:
        yield dataclasses.replace(asked, questions=tuple(kept))
    elif asked.ref is not None:
        yield Tally("screen", Outcome.ORPHANED, 1)


class FitBoxes(SplitFlatMap[AskedScreen, AskedScreen]):
    """Brings the boxes of all answers onto the stored pictures."""

    def __init__(self) -> None:
        super().__init__(fit_boxes)


def _answer_reject(question: Question, index: int, error: RejectedRecordError) -> Reject:
    return Reject(
        kind="answer",
        id=f"{question.screen_id}#{index}",
        step="fit_answer",
        reason=error.reason,
        detail=error.detail,
        origin=origin_of(question),
    )
