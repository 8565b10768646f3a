"""What happens to everything that hangs on a question or a screen when its fate is sealed."""

from collections.abc import Iterable, Iterator

from schemas.annotations import AnnotationEvent
from schemas.questions import AskedScreen, Question
from schemas.rejects import ASKED_FOR, Outcome, Reason, Reject, Tally
from transforms.funnel import at_stage
from transforms.identifying import text_digest

WITH_QUESTION = "with_question"
"""Outcome of answers whose question was rejected as a whole."""


EVENT = "annotation_event"
"""Kind of the records that events are."""

EVIDENCE = "sync_evidence"
"""Kind of the records of other data sets that tell of a hierarchy's sync."""


def origin_of(question: Question) -> str:
    """Returns where the question's leading record lies, as `source/file:position`."""
    origin = question.provenance
    return f"{origin.source}/{origin.file}:{origin.position}"


def question_id_of(question: Question) -> str:
    """Returns the id that rows know a question by: its screen's, and a digest of its text."""
    return f"{question.screen_id}:{text_digest(question.text)}"


def question_rejects(
    question: Question, step: str, reason: Reason, detail: str
) -> Iterator[Reject | Tally]:
    """Yields a reject for each record in the question, and counts its answers with it."""
    for kind in question.kinds:
        record_id = f"{question.screen_id}: {question.text}"
        yield Reject(kind, record_id, step, reason, detail, origin_of(question))
    if question.answers:
        yield Tally("answer", WITH_QUESTION, len(question.answers))


def asked_rejects(
    asked: AskedScreen, step: str, reason: Reason, detail: str
) -> Iterator[Reject | Tally]:
    """Yields the rejects of a screen and of all questions on it.

    The questions carry `SCREEN_REJECTED`; and the reason itself in a build without pictures,
    where screens are no records, or if the manifest asked for it.
    """
    if asked.ref is None:
        for question in asked.questions:
            yield from question_rejects(question, step, reason, detail)
        yield from _annotation_rejects(asked, step, reason, detail)
        return
    yield Reject("screen", asked.screen_id, step, reason, detail, asked.ref.source)
    told = (Reason.SCREEN_REJECTED, f"{reason}: {detail}")
    if reason in ASKED_FOR:
        told = (reason, detail)
    yield from _annotation_rejects(asked, step, *told)
    for question in asked.questions:
        yield from question_rejects(question, step, *told)


def _annotation_rejects(
    asked: AskedScreen, step: str, reason: Reason, detail: str
) -> Iterator[Reject | Tally]:
    """Yields the rejects of a screen's events, or of the questions that they came to."""
    for event in asked.events:
        yield event_reject(event, step, reason, detail)
    if asked.events:
        yield from at_stage("unusable", screens=1)
    if asked.annotations is None:
        return
    yield from at_stage("unsplit", screens=1, questions=len(asked.annotations.questions))
    for settled in asked.annotations.questions:
        yield Reject("question", settled.question_id, step, reason, detail, "events")
        if settled.answers:
            yield Tally("answer", WITH_QUESTION, len(settled.answers))


def event_reject(event: AnnotationEvent, step: str, reason: Reason, detail: str) -> Reject:
    """Returns the reject of an event, with its file and place."""
    source = event.source
    origin = source.tool if source.file is None else f"{source.file}:{source.record_index}"
    return Reject(EVENT, event.event_id, step, reason, detail, origin)


def question_tallies(questions: Iterable[Question]) -> Iterator[Tally]:
    """Yields the counts of what questions that were kept are made of."""
    counts: dict[str, int] = {}
    for question in questions:
        for kind in question.kinds:
            counts[kind] = counts.get(kind, 0) + 1
        if question.answers:
            counts["answer"] = counts.get("answer", 0) + len(question.answers)
    for kind, count in counts.items():
        yield Tally(kind, Outcome.KEPT, count)
