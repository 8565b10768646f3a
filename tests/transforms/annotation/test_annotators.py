"""Tests of the figures of each annotator."""

import datetime

from schemas.annotations import (
    AnnotationEvent,
    AnnotationPass,
    AnswerState,
    EventSource,
    EventStatus,
    GivenAnswer,
)
from transforms.annotation.agreement import settle_question
from transforms.annotation.annotators import measure_annotators
from transforms.annotation.estimates import Statistic

SUBMITTED, CANCELLED = EventStatus.SUBMITTED, EventStatus.CANCELLED
INVALID = GivenAnswer(AnswerState.INVALID_QUESTION, None, None, ())


def event(event_id, annotator_id, given, *, status=SUBMITTED, lead_time_s=None):
    return AnnotationEvent(
        schema_version="1.0",
        event_id=event_id,
        pass_=AnnotationPass.ANSWER,
        status=status,
        screen_id="s1",
        question_id="q1",
        annotator_id=annotator_id,
        submitted_at=datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
        updated_at=None,
        updated_by_other=False,
        lead_time_s=lead_time_s,
        supersedes=None,
        image_width=1080,
        image_height=1920,
        source=EventSource("test", *[None] * 11),
        prefilter=None,
        question=None,
        answer=given,
        element=None,
        review=None,
        short_answers=None,
        screen_review=None,
        training=None,
        flags=(),
    )


def says(full_answer, *, q=None):
    return GivenAnswer(AnswerState.ANSWERABLE, full_answer, q, ())


def measure(*questions):
    """Returns the figures by annotator after settling each question's events."""
    settled = [settle_question("Q?", events) for events in questions]
    figures = measure_annotators([e for events in questions for e in events], settled)
    return {one.annotator_id: one for one in figures}


def test_agreement_counts_answers_and_not_equal_questions():
    figures = measure(
        [event("1", "ann", says("x")), event("2", "bob", says("x")), event("3", "cy", says("y"))],
        [event("4", "ann", says("x")), event("5", "cy", says("x"))],
    )
    assert (figures["ann"].agreement, figures["ann"].n_pairs) == (Statistic(2 / 3), 3)
    assert (figures["bob"].agreement, figures["bob"].n_pairs) == (Statistic(1 / 2), 2)
    assert (figures["cy"].agreement, figures["cy"].n_pairs) == (Statistic(1 / 3), 3)


def test_removed_answers_count_against_their_author():
    figures = measure(
        [
            event("1", "ann", says("x", q="1?")),
            event("2", "bob", says("x", q="2?")),
            event("3", "cy", says("y", q="3?")),
        ]
    )
    assert figures["cy"].agreement == Statistic(0.0)
    assert figures["ann"].agreement == Statistic(0.5)


def test_an_invalid_mark_is_counted_and_compared_with_nobody():
    figures = measure(
        [event("1", "ann", INVALID), event("2", "bob", says("x"))],
        [event("3", "ann", INVALID), event("4", "cy", INVALID)],
    )
    assert [figures[name].n_invalid for name in ("ann", "bob", "cy")] == [2, 0, 1]
    reason = "nobody else answered the same questions"
    for one in figures.values():
        assert (one.n_pairs, one.agreement) == (0, Statistic(None, reason))


def test_skips_are_a_share_of_what_was_submitted_or_skipped():
    events = [
        event("1", "ann", says("x")),
        event("2", "ann", None, status=CANCELLED),
        event("3", "ann", None, status=EventStatus.DRAFT),
        event("4", "bob", None, status=EventStatus.DRAFT),
    ]
    ann, bob = measure_annotators(events, [])
    assert (ann.n_submitted, ann.n_skipped, ann.skip_share) == (1, 1, Statistic(0.5))
    assert bob.skip_share == Statistic(None, "nothing submitted or skipped")


def test_lead_time_is_the_median_of_submitted_events_that_tell():
    events = [
        event("1", "ann", says("x"), lead_time_s=10.0),
        event("2", "ann", says("x"), lead_time_s=500.0),
        event("3", "ann", says("x"), lead_time_s=20.0),
        event("4", "ann", says("x")),
        event("5", "ann", None, status=CANCELLED, lead_time_s=1.0),
        event("6", "bob", says("x")),
    ]
    ann, bob = measure_annotators(events, [])
    assert ann.lead_time_s == Statistic(20.0)
    assert bob.lead_time_s == Statistic(None, "no lead time told")


def test_annotators_come_by_id_whatever_the_order_of_events():
    events = [event("1", "bob", says("x")), event("2", "ann", says("x"))]
    settled = [settle_question("Q?", events)]
    figures = measure_annotators(events, settled)
    assert [one.annotator_id for one in figures] == ["ann", "bob"]
    assert measure_annotators(events[::-1], settled) == figures
