"""Records of one question united."""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from schemas.geometry import Size, same_shape, scale
from schemas.questions import RECORD_KINDS, Answer, AskedScreen, Question
from schemas.rejects import Outcome, Reason, Reject, Tally
from transforms.annotation.verification import unknown_questions
from transforms.fates import question_rejects
from transforms.identifying import id_order, normalize_text
from transforms.rejecting import SplitFlatMap


def merge_questions(
    questions: Iterable[Question], *, official: bool = True
) -> Iterator[Question | Reject | Tally]:
    """Yields the distinct questions of one screen, each with the union of its records.

    Questions are the same if their normalized texts are. The first record (by kind, file
    and position) leads and gives the wording; answers and short answers that it lacks
    follow in the order of the other records (released v1.1 → v1.2: in 12 of 12 duplicates
    the merged answers are the set union, formats.md §2.3). A record is merged if the
    question already has one of its kind; the first of another kind joins as a leader.

    A record whose boxes were measured on a picture of another shape than the leader's
    cannot be united and is rejected with `IMAGE_SIZE_MISMATCH`.

    Args:
        questions: All records on one screen, in any order.
        official: Whether the data set is split as its files are. They may disagree on a
            screen's split; then each keeps its question. Elsewhere one row is enough.
    """
    groups: dict[tuple[str, str | None], list[Question]] = {}
    for question in sorted(questions, key=_record_order):
        key = (normalize_text(question.text), question.official_split if official else None)
        groups.setdefault(key, []).append(question)
    for records in groups.values():
        yield from _unite(records)


def merge_asked(
    asked: AskedScreen, official: bool = True
) -> Iterator[AskedScreen | Reject | Tally]:
    """Yields the screen with its distinct questions, and the fates of the others."""
    questions = []
    for result in merge_questions(asked.questions, official=official):
        if isinstance(result, Question):
            questions.append(result)
        else:
            yield result
    yield from unknown_questions(asked.rejected_variants, questions)
    yield dataclasses.replace(asked, questions=tuple(questions))


class MergeQuestions(SplitFlatMap[AskedScreen, AskedScreen]):
    """Unites the records of each question of each screen.

    `official` says whether the data set is split as its files are.
    """

    def __init__(self, *, official: bool = True) -> None:
        super().__init__(merge_asked, official)


def _record_order(question: Question) -> tuple[int, str, str, int, tuple[int, str]]:
    origin = question.provenance
    return (
        RECORD_KINDS.index(question.kinds[0]),
        origin.source,
        origin.file,
        origin.position,
        id_order(question.screen_id),
    )


def _unite(records: Sequence[Question]) -> Iterator[Question | Reject | Tally]:
    """Yields the union of the records of one question, and the fates of all but the first.

    Within one record equal answers are those of annotators who agree, and all stay; of a
    further record only those are taken that no earlier one has.
    """
    leader = records[0]
    frame, kinds = leader.frame, set(leader.kinds)
    answers, known = list(leader.answers), set(leader.answers)
    short_answers = dict.fromkeys(leader.short_answers)
    for record in records[1:]:
        if not _same_shape(frame, record.frame):
            detail = f"made on {record.frame}, an earlier record on {frame}"
            reason = Reason.IMAGE_SIZE_MISMATCH
            yield from question_rejects(record, "merge_questions", reason, detail)
            continue
        yield from (Tally(kind, Outcome.MERGED, 1) for kind in record.kinds if kind in kinds)
        moved = _moved(record, frame)
        new = [answer for answer in moved if answer not in known]
        if len(new) < len(moved):
            yield Tally("answer", Outcome.MERGED, len(moved) - len(new))
        answers += new
        known.update(new)
        short_answers |= dict.fromkeys(record.short_answers)
        frame = frame or record.frame
        kinds.update(record.kinds)
    yield dataclasses.replace(
        leader,
        answers=tuple(answers),
        short_answers=tuple(short_answers),
        frame=frame,
        kinds=tuple(kind for kind in RECORD_KINDS if kind in kinds),
    )


def _moved(record: Question, frame: Size | None) -> Sequence[Answer]:
    """Returns a record's answers with their boxes on another frame of the same shape."""
    if frame is None or record.frame is None:
        return record.answers
    return [_rescaled(answer, record.frame, frame) for answer in record.answers]


def _rescaled(answer: Answer, frame: Size, target: Size) -> Answer:
    return dataclasses.replace(
        answer,
        ui_elements=tuple(
            dataclasses.replace(element, bounds=scale(element.bounds, frame, target))
            for element in answer.ui_elements
        ),
    )


def _same_shape(one: Size | None, other: Size | None) -> bool:
    return one is None or other is None or same_shape(one, other)
