"""Records of one question united."""

import dataclasses
from collections.abc import Iterable, Iterator

from schemas.geometry import Size, same_shape, scale
from schemas.questions import RECORD_KINDS, Answer, AskedScreen, Question
from schemas.rejects import Outcome, Reason, Reject, Tally
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
    for leader, *others in groups.values():
        for record in others:
            if _same_shape(leader.frame, record.frame):
                yield from _merge_tallies(leader, record)
                leader = _unite(leader, record)
            else:
                detail = f"made on {record.frame}, an earlier record on {leader.frame}"
                yield from question_rejects(
                    record, "merge_questions", Reason.IMAGE_SIZE_MISMATCH, detail
                )
        yield leader


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


def _merge_tallies(leader: Question, record: Question) -> Iterator[Tally]:
    for kind in record.kinds:
        if kind in leader.kinds:
            yield Tally(kind, Outcome.MERGED, 1)
    folded = len(record.answers) - len(_missing_answers(leader, record))
    if folded:
        yield Tally("answer", Outcome.MERGED, folded)


def _unite(leader: Question, record: Question) -> Question:
    return dataclasses.replace(
        leader,
        answers=leader.answers + _missing_answers(leader, record),
        short_answers=tuple(dict.fromkeys(leader.short_answers + record.short_answers)),
        frame=leader.frame or record.frame,
        kinds=tuple(k for k in RECORD_KINDS if k in leader.kinds or k in record.kinds),
    )


def _missing_answers(leader: Question, record: Question) -> tuple[Answer, ...]:
    """Returns the answers that the leader lacks, on the leader's frame.

    Within one record equal answers are those of annotators who agree, and all stay.
    """
    if leader.frame is None or record.frame is None:
        moved = record.answers
    else:
        moved = tuple(_rescaled(answer, record.frame, leader.frame) for answer in record.answers)
    return tuple(answer for answer in moved if answer not in leader.answers)


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
