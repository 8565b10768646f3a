"""The automatic prefilter and raters together: which screens stay, and what becomes of the rest."""

import dataclasses
from collections import Counter

import apache_beam as beam
import pytest
from apache_beam.runners.portability.fn_api_runner import fn_runner
from apache_beam.testing.util import assert_that, equal_to
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_screens import (
    ENGLISH,
    IN_SYNC,
    OUT_OF_SYNC,
    SPANISH,
    asked,
    event,
    rating,
    training,
)

from schemas.annotations import (
    AnnotationPass,
    AnswerState,
    ComposedQuestion,
    GivenAnswer,
    ScreenReview,
)
from schemas.campaigns import AnnotationPolicy
from schemas.manifest import PrefilterPolicy, SplitPolicy, UnknownApp, Use
from schemas.questions import AskedScreen
from schemas.rejects import Outcome, Reason, Reject, Tally
from schemas.settlements import ScreenAnnotations, ScreenFacts
from transforms.accounting import fates_by_kind, unbalanced
from transforms.annotation.campaigns import RateAsked, agree_asked, rate_asked, settle_asked
from transforms.annotation.gates import OPEN_GATE
from transforms.annotation.label_studio.rounds import is_fit, screen_duties
from transforms.annotation.quality import measure_quality
from transforms.annotation.questions import question_id
from transforms.annotation.settling import settle_screen
from transforms.fates import EVENT, question_tallies
from transforms.funnel import SCREENS, funnel_rows
from transforms.prefiltering import Raters, drop_refused, judge_app
from transforms.splits import settle_twins

POLICY = AnnotationPolicy()
REMOVE = PrefilterPolicy(language=Use.REMOVE, hierarchy_sync=Use.REMOVE)
FIRST = AnnotationPass.QUESTION_1
WHY = (Reason.SCREEN_NOT_ENGLISH, "score 0.00: it is in Spanish")


def judged(screen_id="7", texts=ENGLISH, *, sync=IN_SYNC, events=(), raters=True):
    """Returns a screen that the prefilter has judged."""
    screen = asked(screen_id, texts, sync=sync, events=events)
    (found,) = judge_app([screen], REMOVE, Raters(POLICY, OPEN_GATE) if raters else None)
    return found


def question(text="What is it?", screen_id="7", *, who="5", hour=2):
    payload = ComposedQuestion(0, text, skipped_screen=False)
    name = f"question-{screen_id}-{who}-{hour}:q0"
    found = event(FIRST, payload, name, screen_id, who=who, hour=hour)
    return dataclasses.replace(found, question_id=question_id(screen_id, FIRST, 0, text))


def answer(to, *, who="6", hour=3):
    payload = GivenAnswer(AnswerState.NOT_ANSWERABLE, None, None, ())
    name = f"answer-{to.screen_id}-{who}-{hour}"
    found = event(AnnotationPass.ANSWER, payload, name, to.screen_id, who=who, hour=hour)
    return dataclasses.replace(found, question_id=to.question_id)


def review(screen_id="7", *, pii=False, unsafe=False, who="8"):
    payload = ScreenReview(pii, unsafe, None)
    return event(AnnotationPass.SCREEN_REVIEW, payload, f"review-{screen_id}-{who}", screen_id)


def rated(screen, policy=POLICY, qualities=()):
    return list(rate_asked(screen, qualities, {}, policy))


def outcome(results):
    """Returns the screen that was kept, or the reason of its reject."""
    kept = [result for result in results if isinstance(result, AskedScreen)]
    reasons = [r.reason for r in results if isinstance(r, Reject) and r.kind == "screen"]
    assert len(kept) + len(reasons) == 1
    return kept[0] if kept else reasons[0]


# Screens that need no questions


def test_a_screen_without_events_is_kept_as_it_is():
    assert rated(judged()) == [judged()]


@pytest.mark.parametrize(
    ("texts", "sync", "reason"),
    [
        (SPANISH, IN_SYNC, Reason.SCREEN_NOT_ENGLISH),
        (ENGLISH, OUT_OF_SYNC, Reason.HIERARCHY_OUT_OF_SYNC),
    ],
)
def test_a_screen_that_the_prefilter_refuses_goes_with_its_evidence(texts, sync, reason):
    screen = judged(texts=texts, sync=sync)
    detail = screen.prefilter.refusal[1]
    assert rated(screen) == [Reject("screen", "7", "rate_asked", reason, detail, "rico")]


def test_a_rater_who_finds_it_fit_keeps_a_screen_that_would_be_refused():
    events = (rating(),)
    screen = judged(texts=SPANISH, sync=OUT_OF_SYNC, events=events)
    assert rated(screen) == [
        Tally(EVENT, Outcome.KEPT, 1),
        dataclasses.replace(screen, events=()),
    ]


@pytest.mark.parametrize(
    ("flags", "detail"),
    [
        ({"foreign": True}, "non_english"),
        ({"unsynced": True}, "out_of_sync"),
        ({"foreign": True, "unsynced": True}, "non_english and out_of_sync"),
    ],
)
def test_a_rater_who_finds_it_wanting_drops_a_screen_that_would_be_kept(flags, detail):
    assert rated(judged(events=(rating(**flags),))) == [
        Tally(EVENT, Outcome.KEPT, 1),
        Reject("screen", "7", "rate_asked", Reason.PREFILTERED_SCREEN, detail, "rico"),
    ]


def test_a_rating_that_does_not_count_saves_no_screen():
    qualities = list(measure_quality("a_000000000001", [training(False)], POLICY))
    screen = judged(texts=SPANISH, events=(rating(),), raters=False)
    (event_reject, screen_reject) = rated(screen, qualities=qualities)
    assert (event_reject.kind, event_reject.reason) == (EVENT, Reason.ANNOTATOR_UNTRAINED)
    assert (screen_reject.kind, screen_reject.reason) == ("screen", Reason.SCREEN_NOT_ENGLISH)


def test_reviewers_drop_screens_unless_the_campaign_keeps_them():
    screen = judged(events=(rating(), review(pii=True)))
    assert outcome(rated(screen)) is Reason.SCREEN_PII
    lenient = AnnotationPolicy(drop_reviewed_screens=False)
    assert outcome(rated(screen, lenient)) == dataclasses.replace(screen, events=())
    # Who reviews is not who rates: a review alone leaves it to the prefilter.
    unrated = judged(texts=SPANISH, events=(review(),))
    assert outcome(rated(unrated)) is Reason.SCREEN_NOT_ENGLISH
    unsafe = judged(texts=SPANISH, events=(review(unsafe=True),))
    assert outcome(rated(unsafe)) is Reason.SCREEN_UNSAFE


def test_events_of_other_passes_have_their_fates_and_decide_nothing():
    ask = question()
    screen = judged(events=(ask, answer(ask)))
    assert rated(screen) == [
        Tally(EVENT, Outcome.KEPT, 2),
        dataclasses.replace(screen, events=()),
    ]


def test_events_of_a_screen_that_no_source_has_are_rejected():
    screen = AskedScreen("7", None, None, (), events=(rating(), question()))
    found = rated(screen)
    assert sorted((r.kind, r.reason) for r in found) == [(EVENT, Reason.SCREEN_MISSING)] * 2


def test_the_step_does_so_with_what_training_said():
    screens = [
        judged("1", SPANISH),
        judged("2", SPANISH, events=(rating("2"),)),
        judged("3", events=(rating("3", foreign=True),)),
        judged("4"),
    ]
    with beam.Pipeline(runner=fn_runner.FnApiRunner()) as pipeline:
        qualities = pipeline | "Q" >> beam.Create([])
        split = pipeline | beam.Create(screens) | RateAsked(qualities, {}, POLICY)
        kept = [dataclasses.replace(screen, events=()) for screen in (screens[1], screens[3])]
        assert_that(split.kept, equal_to(kept), "Kept")
        reasons = split.rejects | beam.Map(lambda reject: (reject.id, reject.reason.value))
        dropped = [("1", "screen_not_english"), ("3", "prefiltered_screen")]
        assert_that(reasons, equal_to(dropped), "Rejects")


# Screens that are asked about


def settled(events, refusal=None):
    """Returns what events come to, and the reasons of those that do not count."""
    facts = ScreenFacts("7", asked("7").screen.image, {}, refusal)
    items = list(settle_screen(events, facts, POLICY, OPEN_GATE))
    (found,) = [item for item in items if isinstance(item, ScreenAnnotations)] or [None]
    return found, [item.reason for item in items if isinstance(item, Reject)]


def test_what_was_asked_on_a_refused_screen_goes_with_it():
    ask = question()
    found, reasons = settled([ask, answer(ask)], WHY)
    assert found.questions == ()
    assert found.refusal == WHY
    assert reasons == [Reason.SCREEN_NOT_ENGLISH] * 2


def test_a_refusal_is_told_of_a_screen_without_any_event_that_counts():
    found, reasons = settled([], WHY)
    assert (found.refusal, found.events, reasons) == (WHY, (), [])
    assert settled([]) == (None, [])


def test_a_rating_overrules_the_refusal():
    found, reasons = settled([rating(), question()], WHY)
    assert found.refusal is None
    assert len(found.questions) == 1
    assert reasons == []
    found, reasons = settled([rating(foreign=True), question()], WHY)
    assert found.refusal == (Reason.PREFILTERED_SCREEN, "non_english")
    assert reasons == [Reason.PREFILTERED_SCREEN]


def test_a_draft_of_a_rating_overrules_nothing():
    found, _ = settled([rating(status="draft"), question()], WHY)
    assert found.refusal == WHY


def funnel(*screens):
    """Returns screens and questions at each stage before the answers are compared."""
    tallies = Counter()
    for screen in screens:
        for result in settle_asked(screen, [], {}, POLICY, needs_screen=True):
            if isinstance(result, Tally):
                tallies[result.kind, result.outcome] += result.count
    assert {kind for kind, _ in tallies} >= {SCREENS}
    return {row.stage: (row.screens, row.questions) for row in funnel_rows(tallies, {})}


def test_the_funnel_has_what_the_prefilter_removes_where_raters_stages_are():
    found = funnel(
        judged("1", SPANISH, events=(question(screen_id="1"),)),
        judged("2", sync=OUT_OF_SYNC, events=(question(screen_id="2"),)),
        judged("3", SPANISH, sync=OUT_OF_SYNC, events=(question(screen_id="3"),)),
        judged("4", events=(rating("4", foreign=True, unsynced=True),)),
        judged("5", events=(rating("5"), review("5", pii=True))),
        judged("6", events=(question(screen_id="6"),)),
        judged("7", SPANISH, events=(rating("7"), question(screen_id="7"))),
    )
    assert {stage: found[stage] for stage in list(found)[:6]} == {
        "non_english": (3, None),  # 1, 3 and, by its rater, 4.
        "out_of_sync": (2, None),  # 2, and 4 as well.
        "reviewed_out": (1, None),
        "to_questions": (2, None),
        "question_1": (2, 2),
        "to_answers": (2, 2),
    }


def test_a_refused_screen_is_a_reject_of_a_campaigns_build():
    ask = question()
    screen = judged(texts=SPANISH, events=(ask,))
    results = list(settle_asked(screen, [], {}, POLICY, needs_screen=True))
    why, detail = screen.prefilter.refusal
    assert results[-1] == Reject("screen", "7", "settle_asked", why, detail, "rico")
    assert [r.reason for r in results if isinstance(r, Reject) and r.kind == EVENT] == [why]


# Whose turn it is


def test_nobody_is_given_a_refused_screen():
    found, _ = settled([], WHY)
    for is_rated in (False, True):
        assert not is_fit(found, POLICY, is_rated=is_rated)
        assert list(screen_duties(FIRST, "7", found, POLICY, is_rated=is_rated)) == []
    # But raters are: their word wins.
    assert (
        len(list(screen_duties(AnnotationPass.PREFILTER, "7", found, POLICY, is_rated=True))) == 1
    )


def test_a_refused_screen_that_was_rated_fit_goes_on():
    found, _ = settled([rating()], WHY)
    assert is_fit(found, POLICY, is_rated=True)
    assert len(list(screen_duties(FIRST, "7", found, POLICY, is_rated=False))) == 1


# Fates

flags = st.booleans()


@st.composite
def any_events(draw, screen_id):
    events = [
        rating(
            screen_id,
            foreign=draw(flags),
            unsynced=draw(flags),
            who=who,
            status=draw(st.sampled_from(["submitted", "submitted", "cancelled", "draft"])),
        )
        for who in draw(st.lists(st.sampled_from("123"), max_size=2, unique=True))
    ]
    if draw(flags):
        events.append(review(screen_id, pii=draw(flags), unsafe=draw(flags)))
    for number in range(draw(st.integers(0, 2))):
        asks = question(f"Question {number}?", screen_id, who=str(4 + number))
        events += [asks, answer(asks)][: draw(st.integers(1, 2))]
    return tuple(events)


@st.composite
def any_screens(draw):
    return [
        judged(
            str(number),
            draw(st.sampled_from([ENGLISH, SPANISH])),
            sync=draw(st.sampled_from([IN_SYNC, OUT_OF_SYNC])),
            events=draw(any_events(str(number))),
        )
        for number in range(draw(st.integers(0, 4)))
    ]


def fates_through(screen, splits, *, with_questions):
    """Yields the fates of a screen and its events through all steps to the last."""
    first = settle_asked(screen, [], {}, POLICY, True) if with_questions else rated(screen)
    for result in first:
        if not isinstance(result, AskedScreen):
            yield result
            continue
        for split in settle_twins([result], splits):
            if not with_questions or not isinstance(split, AskedScreen):
                yield split
                continue
            for agreed in agree_asked(split, POLICY):
                if isinstance(agreed, Tally | Reject):
                    yield agreed
                else:
                    yield from question_tallies(agreed[0].questions)


@pytest.mark.parametrize("with_questions", [False, True])
@settings(max_examples=100)
@given(screens=any_screens())
def test_every_screen_and_event_has_one_fate(with_questions, screens):
    splits = SplitPolicy(unknown_app=UnknownApp.OWN_GROUP)
    tallies, rejects = Counter(), Counter()
    tallies["screen", "read"] = len(screens)
    tallies[EVENT, "read"] = sum(len(screen.events) for screen in screens)
    for screen in screens:
        for result in fates_through(screen, splits, with_questions=with_questions):
            if isinstance(result, Tally):
                tallies[result.kind, str(result.outcome)] += result.count
            elif isinstance(result, Reject):
                rejects[result.kind, str(result.reason)] += 1
    assert unbalanced(fates_by_kind(tallies, rejects)) == []


@settings(max_examples=50)
@given(screens=any_screens())
def test_what_is_dropped_before_questions_is_what_would_be_refused(screens):
    for screen in screens:
        dropped = [r for r in drop_refused(screen) if isinstance(r, Reject)]
        refusal = screen.prefilter.refusal
        assert bool(dropped) == (refusal is not None)
        ratings = [e for e in screen.events if e.prefilter and e.status == "submitted"]
        assert not (ratings and dropped)
        if dropped:
            assert (dropped[0].reason, dropped[0].detail) == refusal
            assert len(dropped) == 1 + len(screen.events)
