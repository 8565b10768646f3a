"""The answers to one screen's questions: whose count, to which question, and how many."""

import dataclasses
from collections.abc import Generator, Iterable, Iterator, Mapping

from schemas.annotations import AnnotationEvent, AnnotationPass, AnswerState
from schemas.campaigns import AnnotationPolicy, OverQuota
from schemas.records import Record
from schemas.rejects import Reason, Reject, RejectedRecordError, Tally
from schemas.settlements import ScreenAnnotations, ScreenFacts, SettledQuestion
from transforms.annotation.fitting import fit_event
from transforms.annotation.questions import AskedQuestions
from transforms.annotation.revisions import Fates, keep_latest
from transforms.fates import event_reject

FINDING = "findings"
"""Kind of tallies of what is worth a look and was left as it is."""

ANSWERS_IN = "questions_by_answers_in_"
"""Start of the kind of tallies that count a split's questions by their number of answers."""


def settle_answers(
    events: Iterable[AnnotationEvent], asked: AskedQuestions, facts: ScreenFacts
) -> Generator[Reject | Tally, None, tuple[SettledQuestion, ...]]:
    """Yields the fates of answer events that go, and returns the questions with their answers.

    `events` are live ones of one screen. An answer to a question that was merged belongs
    to the one that stands for it; who composed either may not answer (I7), and who answered
    both counts once (I8).
    """
    by_question: dict[str, list[AnnotationEvent]] = {q.question_id: [] for q in asked.kept}
    composers = {question.question_id: question.composers for question in asked.kept}
    addressed = yield from _address(
        (event for event in events if event.pass_ is AnnotationPass.ANSWER), asked
    )
    single = yield from keep_latest(addressed, lambda e: (e.question_id, e.annotator_id))
    for event in single:
        assert event.question_id is not None
        try:
            if event.annotator_id in composers[event.question_id]:
                raise RejectedRecordError(
                    Reason.COMPOSER_ANSWERED_OWN_QUESTION, f"composed {event.question_id}"
                )
            by_question[event.question_id].append(fit_event(event, facts))
        except RejectedRecordError as error:
            yield event_reject(event, "settle_answers", error.reason, error.detail)
    return tuple(
        dataclasses.replace(question, answers=tuple(by_question[question.question_id]))
        for question in asked.kept
    )


def check_third_pass(questions: Iterable[SettledQuestion]) -> Iterator[Tally]:
    """Yields a finding if the third pass asked where a question had no answer already (I13).

    It is a rule of sampling, so nothing is dropped.
    """
    found = list(questions)
    third = [q.event.submitted_at for q in found if q.pass_ is AnnotationPass.QUESTION_3_NA]
    earlier = any(
        is_unanswerable(event) and event.submitted_at < max(third)
        for question in found
        if third and question.pass_ is not AnnotationPass.QUESTION_3_NA
        for event in question.answers
    )
    if earlier:
        yield Tally(FINDING, "question_3_na_not_needed", 1)


def is_unanswerable(event: AnnotationEvent) -> bool:
    """Whether an answer event says that the screen does not answer the question."""
    return event.answer is not None and event.answer.state is AnswerState.NOT_ANSWERABLE


def limit_answers(
    annotations: ScreenAnnotations, split: str, policy: AnnotationPolicy
) -> Iterator[ScreenAnnotations | Reject | Tally]:
    """Yields the screen with no more answers a question than its split asks for.

    Only under `OverQuota.EARLIEST`; otherwise all stay. Also counts the questions by how
    many answers they have: three in validation and test, one in train, "with a few
    exceptions" (ScreenQA D.2), which are reported and no error (I14).
    """
    questions = []
    for question in annotations.questions:
        if policy.over_quota is OverQuota.EARLIEST:
            answers = yield from _earliest(question, policy.answers_in(split))
            question = dataclasses.replace(question, answers=tuple(answers))
        questions.append(question)
        yield Tally(ANSWERS_IN + split, str(len(question.answers)), 1)
    yield dataclasses.replace(annotations, questions=tuple(questions))


@dataclasses.dataclass(frozen=True, slots=True)
class AnswerCount(Record):
    """How many questions of a split have so many answers."""

    split: str
    n_answers: int
    n_questions: int
    is_expected: bool
    """Whether it is the number that the split asks for; all others are the exceptions."""


def answer_counts(
    tallies: Mapping[tuple[str, str], int], policy: AnnotationPolicy
) -> tuple[AnswerCount, ...]:
    """Returns the questions of each split by their number of answers, from a build's tallies.

    Args:
        tallies: Counts by (kind, outcome), as `limit_answers` yielded them.
        policy: How many answers are asked for.
    """
    return tuple(
        AnswerCount(split, int(number), count, int(number) == policy.answers_in(split))
        for (kind, number), count in sorted(tallies.items())
        if kind.startswith(ANSWERS_IN)
        for split in [kind.removeprefix(ANSWERS_IN)]
    )


def _address(events: Iterable[AnnotationEvent], asked: AskedQuestions) -> Fates:
    kept = []
    for event in events:
        wanted = event.question_id or ""
        standing = asked.now_at.get(wanted)
        if standing is None:
            reason = asked.refused.get(wanted)
            detail = "no event composed it" if reason is None else f"it was rejected: {reason}"
            detail = f"{wanted}: {detail}"
            yield event_reject(event, "settle_answers", Reason.ORPHAN_QUESTION, detail)
        elif standing == wanted:
            kept.append(event)
        else:
            kept.append(dataclasses.replace(event, question_id=standing))
    return kept


def _earliest(question: SettledQuestion, wanted: int) -> Fates:
    # Calling the question invalid is no answer to it, so it takes nobody's place.
    kept: list[AnnotationEvent] = []
    n_live = 0
    for event in question.answers:
        is_live = event.answer is None or event.answer.state is not AnswerState.INVALID_QUESTION
        if is_live and n_live >= wanted:
            detail = f"{question.question_id} has {wanted} earlier answers"
            yield event_reject(event, "limit_answers", Reason.OVER_QUOTA, detail)
            continue
        n_live += is_live
        kept.append(event)
    return kept
