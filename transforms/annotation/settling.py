"""All events of one screen brought to what counts, each event with exactly one fate.

The order of the steps is that of the passes: prefilter, questions, answers, reviews
(annotation.md §2.2, §2.3). What the answers come to is left to the agreement rule, which
depends on the split, which comes in between.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence

from schemas.annotations import QUESTION_PASSES, AnnotationEvent, AnnotationPass
from schemas.campaigns import AnnotationPolicy
from schemas.rejects import Outcome, Reason, Reject, RejectedRecordError, Tally
from schemas.settlements import (
    PrefilterVerdict,
    ReviewVerdict,
    ScreenAnnotations,
    ScreenFacts,
)
from transforms.annotation.answers import FINDING, check_third_pass, settle_answers
from transforms.annotation.fitting import fit_event
from transforms.annotation.gates import OPEN_GATE, Gate
from transforms.annotation.questions import near_duplicates, settle_questions
from transforms.annotation.revisions import Fates, live_events
from transforms.annotation.verdicts import judge_prefilter, judge_review
from transforms.fates import EVENT, event_reject

_ASKING = (*QUESTION_PASSES, AnnotationPass.ANSWER)
_BOXED = (AnnotationPass.ELEMENT, AnnotationPass.ELEMENT_REVIEW)

Refusal = tuple[Reason, str]
"""Why a screen's questions and answers go, and what was found."""


def settle_screen(
    events: Iterable[AnnotationEvent],
    facts: ScreenFacts | None,
    policy: AnnotationPolicy,
    gate: Gate = OPEN_GATE,
) -> Iterator[ScreenAnnotations | Reject | Tally]:
    """Yields what the events of one screen come to, and the fates of all of them.

    Their order changes nothing, and settling the events of the result again gives the same
    result. A screen that the prefilter or a review drops is yielded without questions, so
    that it can be counted.

    Args:
        events: All events of the screen, in any order, copies and revisions included.
        facts: What the sources know of the screen; None if they have no such screen: then
            all but training events are rejected with `SCREEN_MISSING`.
        policy: The campaign's decisions.
        gate: Since when whose work counts.
    """
    live = yield from live_events(events, policy, gate)
    training = [event for event in live if event.pass_ is AnnotationPass.TRAINING]
    working = [event for event in live if event.pass_ is not AnnotationPass.TRAINING]
    if facts is None:
        if training:
            yield Tally(EVENT, Outcome.KEPT, len(training))
        yield from reject_events(working, Reason.SCREEN_MISSING, "no source has this screen")
        return
    result = yield from _settle_known(working, training, facts, policy)
    if result.events:
        yield Tally(EVENT, Outcome.KEPT, len(result.events))
    if result.events or result.refusal:
        yield result


def _settle_known(
    working: Sequence[AnnotationEvent],
    training: Sequence[AnnotationEvent],
    facts: ScreenFacts,
    policy: AnnotationPolicy,
) -> Generator[Reject | Tally, None, ScreenAnnotations]:
    prefilter, review = judge_prefilter(working), judge_review(working)
    if prefilter is not None:
        yield from (Tally(FINDING, f"prefilter_tied_{name}", 1) for name in prefilter.ties)
    asking = [event for event in working if event.pass_ in _ASKING]
    refusal = _refusal(prefilter, review, policy) or (facts.refusal if not prefilter else None)
    if refusal is not None:
        yield from reject_events(asking, *refusal)
        asking = []
    asked = yield from settle_questions(asking, policy)
    questions = yield from settle_answers(asking, asked, facts)
    yield from check_third_pass(questions)
    pairs = near_duplicates(questions, policy)
    if pairs:
        yield Tally(FINDING, "near_duplicate_questions", len(pairs))
    rest = yield from _settle_rest([e for e in working if e.pass_ not in _ASKING], facts)
    return ScreenAnnotations(
        screen_id=facts.screen_id,
        prefilter=prefilter,
        review=review,
        lacks_content=asked.lacks_content,
        questions=questions,
        near_duplicates=pairs,
        others=tuple(sorted((*training, *rest, *asked.findings), key=_time_order)),
        refusal=refusal,
    )


def reject_events(
    events: Iterable[AnnotationEvent], reason: Reason, detail: str
) -> Iterator[Reject]:
    """Yields a reject for each event, such as those of a screen that was itself rejected."""
    for event in events:
        yield event_reject(event, "settle_screen", reason, f"screen {event.screen_id}: {detail}")


def _refusal(
    prefilter: PrefilterVerdict | None, review: ReviewVerdict | None, policy: AnnotationPolicy
) -> Refusal | None:
    if prefilter is not None and not prefilter.keeps:
        flags = {"non_english": prefilter.non_english, "out_of_sync": prefilter.out_of_sync}
        found = " and ".join(name for name, is_set in flags.items() if is_set)
        return Reason.PREFILTERED_SCREEN, found
    if review is None or not policy.drop_reviewed_screens:
        return None
    if review.pii:
        return Reason.SCREEN_PII, "a reviewer saw personal data"
    if review.unsafe:
        return Reason.SCREEN_UNSAFE, "a reviewer saw unsafe content"
    return None


def _settle_rest(events: Iterable[AnnotationEvent], facts: ScreenFacts) -> Fates:
    """Keeps ratings and reviews of the screen, and element work that holds (I17)."""
    found = list(events)
    authors = {e.event_id: e.annotator_id for e in found if e.pass_ is AnnotationPass.ELEMENT}
    kept = []
    for event in found:
        try:
            if event.review is not None:
                _check_target(event, authors)
            kept.append(fit_event(event, facts) if event.pass_ in _BOXED else event)
        except RejectedRecordError as error:
            yield event_reject(event, "settle_screen", error.reason, error.detail)
    return kept


def _check_target(event: AnnotationEvent, authors: dict[str, str]) -> None:
    assert event.review is not None
    target = event.review.target_event_id
    if target not in authors:
        raise RejectedRecordError(Reason.REVIEW_TARGET_MISSING, f"no live event {target}")
    if authors[target] == event.annotator_id:
        raise RejectedRecordError(Reason.REVIEWER_IS_AUTHOR, f"wrote {target}")


def _time_order(event: AnnotationEvent) -> tuple[object, ...]:
    return event.submitted_at, event.event_id
