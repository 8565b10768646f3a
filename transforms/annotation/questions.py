"""The questions of one screen: what three passes composed, within the rules (ScreenQA 4.2, 4.4)."""

import dataclasses
import hashlib
import itertools
from collections.abc import Generator, Iterable, Sequence

from rapidfuzz import fuzz, utils

from schemas.annotations import QUESTION_PASSES, AnnotationEvent, AnnotationPass
from schemas.campaigns import AnnotationPolicy
from schemas.rejects import Outcome, Reason, Reject, Tally
from schemas.settlements import NearDuplicate, SettledQuestion
from transforms.annotation.revisions import Fates
from transforms.fates import EVENT, event_reject
from transforms.identifying import normalize_text


@dataclasses.dataclass(frozen=True, slots=True)
class AskedQuestions:
    """The questions of a screen, without answers, and where the others went."""

    kept: tuple[SettledQuestion, ...]
    now_at: dict[str, str]
    """Id of the question that stands for a composed one, by the latter's id."""
    refused: dict[str, Reason]
    """Why a composed question was rejected, by its id."""
    findings: tuple[AnnotationEvent, ...]
    """Events that composed nothing: skips, and second annotators with nothing to add."""

    @property
    def lacks_content(self) -> bool:
        """Whether the screen was skipped and nobody asked about it."""
        skips = (e for e in self.findings if e.question is not None and e.question.skipped_screen)
        return not self.kept and any(skips)


def question_id(screen_id: str, pass_: AnnotationPass, ordinal: int, text: str) -> str:
    """Returns a question's id: `<screen>:<pass>:<ordinal>:<8 hex digits of its text>`.

    The digits are of the SHA-1 of the text as `normalize_text` leaves it.
    """
    digest = hashlib.sha1(normalize_text(text).encode(), usedforsecurity=False).hexdigest()
    return f"{screen_id}:{pass_.value}:{ordinal}:{digest[:8]}"


def settle_questions(
    events: Iterable[AnnotationEvent], policy: AnnotationPolicy
) -> Generator[Reject | Tally, None, AskedQuestions]:
    """Yields the fates of question events that go, and returns the questions that stay.

    `events` are live ones of one screen. In this order: a second annotator must be another
    one than the first and later (I10); the same question, after normalizing, is merged
    into the earliest (I11); each pass has its number of questions, the earliest stay (I9).
    """
    composing = [event for event in events if event.pass_ in QUESTION_PASSES]
    refused: dict[str, Reason] = {}
    lawful = yield from _drop_unlawful(composing, refused)
    findings = [event for event in lawful if not _text(event)]
    merged = yield from _merge(sorted((e for e in lawful if _text(e)), key=_order))
    kept = []
    counts: dict[AnnotationPass, int] = {}
    for question in merged:
        counts[question.pass_] = counts.get(question.pass_, 0) + 1
        if counts[question.pass_] <= policy.most_questions(question.pass_):
            kept.append(question)
            continue
        for composed_id in (question.question_id, *question.merged_ids):
            refused[composed_id] = Reason.MAX_QUESTIONS_EXCEEDED
        yield event_reject(
            question.event,
            "settle_questions",
            Reason.MAX_QUESTIONS_EXCEEDED,
            f"question {counts[question.pass_]} of {question.pass_}",
        )
    now_at = {old: q.question_id for q in kept for old in (q.question_id, *q.merged_ids)}
    return AskedQuestions(tuple(kept), now_at, refused, tuple(findings))


def near_duplicates(
    questions: Sequence[SettledQuestion], policy: AnnotationPolicy
) -> tuple[NearDuplicate, ...]:
    """Returns the pairs of a screen's questions that read alike; they are only reported.

    Compared are the words, sorted, without case and punctuation: "What is the total
    amount?" is near "the total amount is what".
    """
    plain = [utils.default_process(question.text) for question in questions]
    return tuple(
        NearDuplicate(questions[one].question_id, questions[other].question_id, similarity)
        for one, other in itertools.combinations(range(len(questions)), 2)
        if (
            similarity := fuzz.token_sort_ratio(
                plain[one], plain[other], score_cutoff=policy.near_duplicate_similarity
            )
        )
        > 0
    )


def _drop_unlawful(events: Sequence[AnnotationEvent], refused: dict[str, Reason]) -> Fates:
    first = [event for event in events if event.pass_ is AnnotationPass.QUESTION_1]
    first_annotators = {event.annotator_id for event in first}
    first_is_over = max((event.submitted_at for event in first), default=None)
    kept = []
    for event in events:
        problem = None
        if event.pass_ is AnnotationPass.QUESTION_2:
            if event.annotator_id in first_annotators:
                problem = Reason.SAME_ANNOTATOR_BOTH_PASSES
            elif first_is_over is not None and event.submitted_at <= first_is_over:
                problem = Reason.PASS_ORDER_VIOLATION
        if problem is None:
            kept.append(event)
            continue
        if _text(event):
            refused[_id_of(event)] = problem
        detail = f"pass 1 ended {first_is_over}, this was {event.submitted_at}"
        yield event_reject(event, "settle_questions", problem, detail)
    return kept


def _merge(
    events: Iterable[AnnotationEvent],
) -> Generator[Reject | Tally, None, list[SettledQuestion]]:
    """Unites the events that composed the same question; they come in their order."""
    by_text: dict[str, SettledQuestion] = {}
    for event in events:
        text = _text(event)
        assert event.question is not None
        standing = by_text.get(text)
        if standing is None:
            by_text[text] = SettledQuestion(
                question_id=_id_of(event),
                screen_id=event.screen_id,
                pass_=event.pass_,
                ordinal=event.question.ordinal,
                text=text,
                composers=(event.annotator_id,),
                merged_ids=(),
                event=event,
            )
            continue
        yield Tally(EVENT, Outcome.MERGED, 1)
        by_text[text] = dataclasses.replace(
            standing,
            composers=_with(standing.composers, event.annotator_id),
            merged_ids=_with(standing.merged_ids, _id_of(event)),
        )
    return list(by_text.values())


def _with(known: tuple[str, ...], new: str) -> tuple[str, ...]:
    return known if new in known else (*known, new)


def _text(event: AnnotationEvent) -> str:
    if event.question is None or event.question.skipped_screen:
        return ""
    return normalize_text(event.question.text or "")


def _id_of(event: AnnotationEvent) -> str:
    if event.question_id is not None:
        return event.question_id
    assert event.question is not None
    return question_id(event.screen_id, event.pass_, event.question.ordinal, _text(event))


def _order(event: AnnotationEvent) -> tuple[object, ...]:
    ordinal = event.question.ordinal if event.question is not None else 0
    return QUESTION_PASSES.index(event.pass_), event.submitted_at, ordinal, event.event_id
