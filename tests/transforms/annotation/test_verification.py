"""Tests of what people found wrong: what goes, and how much it is."""

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.annotations import AnnotationPass, AnswerKind, EventStatus, ShortAnswersReview, Verdict
from schemas.campaigns import AnnotationPolicy
from schemas.questions import AskedScreen, Provenance, Question
from schemas.rejects import Outcome, Reason, Reject, Tally
from schemas.screens import ScreenRef
from transforms.annotation.answers import FINDING
from transforms.annotation.gates import OPEN_GATE
from transforms.annotation.verification import (
    Stratum,
    error_rate,
    live_reviews,
    plain_rates,
    rejected_variants,
    settle_verifications,
    unknown_questions,
    wilson,
)
from transforms.fates import EVENT, question_id_of

POLICY = AnnotationPolicy()
NUMBER, TEXT = AnswerKind.NUMBER, AnswerKind.TEXT


def bounds(share):
    return [pytest.approx(bound, abs=5e-4) for bound in share]


# What goes


def test_what_one_reviewer_rejects_goes(make):
    events = [
        make.verification("Visa", "a card", wrong=("a card",)),
        make.verification("5", question="q2"),
    ]
    assert rejected_variants(events) == {"q1": frozenset({"a card"})}


@pytest.mark.parametrize(
    ("n_wrong", "n_right", "goes"),
    [(1, 0, True), (1, 1, False), (2, 1, True), (1, 2, False), (2, 2, False), (0, 3, False)],
)
def test_most_reviewers_decide_and_a_tie_keeps(make, n_wrong, n_right, goes):
    people = map(str, range(1, 10))
    events = [make.verification("5", "6", wrong=("6",), who=next(people)) for _ in range(n_wrong)]
    events += [make.verification("5", "6", who=next(people)) for _ in range(n_right)]
    assert bool(rejected_variants(events)) is goes


def test_a_persons_latest_word_on_a_short_answer_counts(make):
    first = make.verification("5", "6", wrong=("6",), hour=50)
    assert rejected_variants([make.verification("5", "6", hour=51), first]) == {}
    # Looking later at what is left, or at another model's, takes nothing back.
    assert rejected_variants([first, make.verification("5", hour=51)]) == {"q1": {"6"}}


def test_texts_are_compared_after_normalizing(make):
    events = [make.verification("Caf\u00e9  au lait", wrong=("Caf\u00e9  au lait",), who="1")]
    assert rejected_variants(events) == {"q1": {"Caf\u00e9 au lait"}}
    again = make.verification("Cafe\u0301 au lait", who="2")
    assert rejected_variants([*events, again]) == {}


def test_other_events_and_what_was_not_submitted_say_nothing(make):
    cancelled = make.verification("5", wrong=("5",), status=EventStatus.CANCELLED)
    assert rejected_variants([make.rating(), make.review(), cancelled]) == {}


def test_a_review_of_before_says_what_is_right(make):
    old = ShortAnswersReview(Verdict.ACCEPTED, ("5",))
    pass_ = AnnotationPass.VERIFY_SHORT_ANSWERS
    event = make.event(pass_, old, "old", who="2", question_id="q1")
    assert rejected_variants([event]) == {}
    assert error_rate([event]) == ()
    assert rejected_variants([event, make.verification("5", wrong=("5",))]) == {}  # A tie.


# How much is wrong


@pytest.mark.parametrize(
    ("wrong", "n", "low", "high"),
    # By the formula of Wilson (1927), by hand; also in Brown, Cai and DasGupta (2001).
    [(0, 10, 0, 0.2775), (1, 10, 0.0179, 0.4042), (5, 50, 0.0435, 0.2136), (10, 10, 0.7225, 1)],
)
def test_wilsons_interval(wrong, n, low, high):
    assert bounds(wilson(wrong, n)) == [wrong / n, low, high]


def reviews(make, counts, **more):
    """Returns reviews of questions, each of (wrong, all) short answers, one a question."""
    kind = more.get("kind", TEXT)
    found = []
    for number, (wrong, total) in enumerate(counts):
        texts = [f"{kind} {number} {n}" for n in range(total)]
        question = f"{kind}-{number:02}"
        some = {"wrong": tuple(texts[:wrong]), "question": question}
        found.append(make.verification(*texts, **some, **more))
    return found


def test_the_rates_of_one_stratum_by_hand(make):
    # 10 questions of 2 short answers, one of them with 1 wrong: 1 of 20, 1 of 10.
    (rates,) = error_rate(reviews(make, [(1, 2)] + [(0, 2)] * 9))
    (stratum,) = rates.strata
    assert (stratum.size, stratum.questions, stratum.questions_wrong) == (100, 10, 1)
    assert (stratum.variants, stratum.variants_wrong) == (20, 1)
    assert bounds(stratum.question_share) == [0.1, 0.0179, 0.4042]
    # Residuals: 0.9 once, -0.1 nine times; v = 10/9 * (0.81 + 0.09) / 400 = 0.0025;
    # 0.05 * 0.95 / 0.0025 = 19 effective ones; Wilson of 0.95 in 19.
    assert stratum.variant_share == wilson(0.05 * 19, 19)
    assert bounds(stratum.variant_share) == [0.05, 0.0086, 0.2428]
    # Of one stratum, the whole is that stratum.
    assert bounds(rates.question_share) == [0.1, 0.0179, 0.4042]


def test_short_answers_that_are_wrong_together_count_as_one(make):
    apart = error_rate(reviews(make, [(1, 4)] * 5 + [(0, 4)] * 15))[0].variant_share
    together = error_rate(reviews(make, [(4, 4)] * 5 + [(0, 4)] * 15))[0].variant_share
    assert bounds(together) == bounds(wilson(0.25 * 19, 19))  # v = 20/19 * 60 / 6400; 19 left.
    assert together.high - together.low > apart.high - apart.low


def test_where_nothing_is_wrong_each_question_counts_once(make):
    (rates,) = error_rate(reviews(make, [(0, 7)] * 10))
    assert bounds(rates.variant_share) == [0, 0, 0.2775]


def test_strata_are_weighted_by_their_size_by_hand(make):
    found = reviews(make, [(1, 1)] + [(0, 1)] * 9, size=300)
    found += reviews(make, [(0, 1)] * 10, size=100, kind=NUMBER)
    (rates,) = error_rate(found)
    assert [(s.kind, s.size) for s in rates.strata] == [(NUMBER, 100), (TEXT, 300)]
    # 3/4 of 0.1 and 1/4 of 0; low: 0.75 * (0.1 - 0.0179) below, high: root of
    # (0.75 * 0.3042)^2 + (0.25 * 0.2775)^2 = 0.2384 above.
    assert bounds(rates.question_share) == [0.075, 0.075 - 0.0616, 0.075 + 0.2384]


def test_the_share_of_short_answers_weighs_those_with_many_more(make):
    found = reviews(make, [(0, 3)] * 4, size=100) + reviews(make, [(1, 1)] * 4, kind=NUMBER)
    (rates,) = error_rate(found)
    assert rates.question_share.value == pytest.approx(0.5)
    assert rates.variant_share.value == pytest.approx(0.25)  # 100 of 400.


def test_a_question_that_two_people_judged_counts_once(make):
    events = [make.verification("5", "6", wrong=("6",), who=who) for who in "12"]
    (rates,) = error_rate([*events, make.verification("5", "6", who="3")])
    assert (rates.reviews, rates.reviewers, rates.ties) == (3, 3, 0)
    assert (rates.strata[0].questions, rates.strata[0].variants_wrong) == (1, 1)
    (tied,) = error_rate([events[0], make.verification("5", "6", who="3")])
    assert (tied.ties, tied.strata[0].variants_wrong) == (1, 0)


def test_makers_are_kept_apart(make):
    events = [
        make.verification("5", wrong=("5",), maker="rules"),
        make.verification("five", maker="gemini", hour=51),
        make.verification("V", maker=None, question="q2"),
    ]
    untold, gemini, rules = error_rate(events)
    assert untold.made_by is None
    assert (gemini.made_by.provider, gemini.variant_share.value) == ("gemini", 0)
    assert (rules.made_by.provider, rules.variant_share.value) == ("rules", 1)


def test_the_latest_told_size_holds_unless_another_is_given(make):
    old, new = (make.verification("5", question=q, hour=h, size=s) for q, h, s in
                (("q1", 50, 10), ("q2", 60, 20)))  # fmt: skip
    assert error_rate([new, old])[0].strata[0].size == 20
    given_ = {Stratum(new.short_answers.shown.made_by, TEXT): 7}
    assert error_rate([new, old], given_)[0].strata[0].size == 7


def test_nothing_verified_gives_no_figure(make):
    assert error_rate([]) == error_rate([make.rating()]) == ()
    assert error_rate([make.verification()]) == ()  # Nothing was shown.
    assert plain_rates([]) == {
        "rejected_variants": 0, "questions_with_rejected_variants": 0, "makers": [],
    }  # fmt: skip


def test_figures_become_plain_values(make):
    plain = plain_rates([make.verification("5", "6", wrong=("6",), kind=NUMBER)])
    (maker,) = plain["makers"]
    assert plain["rejected_variants"] == plain["questions_with_rejected_variants"] == 1
    assert maker["made_by"] == {"provider": "rules", "model": "1", "prompt_version": ""}
    assert maker["strata"][0]["kind"] == "number"
    assert maker["variant_share"]["value"] == 0.5


COUNTS = st.lists(
    st.integers(1, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    min_size=1,
    max_size=12,
)
CAMPAIGNS = st.dictionaries(
    st.sampled_from(list(AnswerKind)), st.tuples(COUNTS, st.integers(1, 900)), min_size=1
)


@given(CAMPAIGNS, st.randoms(use_true_random=False))
def test_whatever_was_found_shares_lie_in_their_intervals_in_any_order(make, campaign, order):
    events = [
        event
        for kind, (counts, size) in campaign.items()
        for event in reviews(make, counts, kind=kind, size=size)
    ]
    (rates,) = error_rate(events)
    shares = [rates.question_share, rates.variant_share]
    shares += [share for s in rates.strata for share in (s.question_share, s.variant_share)]
    for share in shares:
        assert 0 <= share.low <= share.value + 1e-12
        assert share.value - 1e-12 <= share.high <= 1
        assert share.low < share.high
    # A question with one wrong short answer has all its short answers on one side.
    assert rates.strata[0].variants_wrong <= rates.strata[0].variants
    assert min(s.question_share.value for s in rates.strata) - 1e-9 <= rates.question_share.value
    order.shuffle(events)
    assert error_rate(events) == (rates,)


@given(COUNTS)
def test_one_stratum_is_the_whole(make, counts):
    (rates,) = error_rate(reviews(make, counts))
    (stratum,) = rates.strata
    for whole, part in (
        (rates.question_share, stratum.question_share),
        (rates.variant_share, stratum.variant_share),
    ):
        assert all(math.isclose(a, b, abs_tol=1e-12) for a, b in zip(whole, part, strict=True))


# Events of a build from released answers


def question(text="Which card?"):
    return Question("9000001", text, (), ("Visa",), None, None, ("short_answers",),
                    Provenance("s", "f", 0))  # fmt: skip


class Settled:
    """What settling yields, with the books of the events."""

    def __init__(self, events, questions=(), ref=None, *, needs_screen=False):
        asked = AskedScreen("9000001", ref, None, tuple(questions), events=tuple(events))
        found = list(settle_verifications(asked, [], POLICY, needs_screen))
        self.screens = [item for item in found if isinstance(item, AskedScreen)]
        self.reasons = [item.reason for item in found if isinstance(item, Reject)]
        self.tallies = {(t.kind, t.outcome): t.count for t in found if isinstance(t, Tally)}
        fates = sum(count for (kind, _), count in self.tallies.items() if kind == EVENT)
        assert fates + len(self.reasons) == len(events)


def test_a_released_question_loses_what_people_rejected(make):
    asked = question()
    event = make.verification("Visa", "card", wrong=("card",), question=question_id_of(asked))
    settled = Settled([event], [asked])
    (screen,) = settled.screens
    assert screen.rejected_variants == ((question_id_of(asked), frozenset({"card"})),)
    assert screen.events == ()
    assert settled.tallies == {(EVENT, Outcome.KEPT): 1}


def test_each_event_of_a_released_build_has_one_fate(make):
    first, again = (make.verification("5", hour=hour) for hour in (50, 51))
    draft = make.verification("5", who="3", status=EventStatus.DRAFT, short_answers=None)
    settled = Settled([first, again, draft, make.rating(), make.training(True)], [question()])
    assert settled.reasons == [Reason.SUPERSEDED_BY_SAME_ANNOTATOR]
    assert settled.tallies == {
        (EVENT, "draft"): 1, (EVENT, Outcome.KEPT): 2, (EVENT, Outcome.ORPHANED): 1,
    }  # fmt: skip


def test_verifications_of_screens_without_questions_are_kept_and_the_screen_set_aside(make):
    ref = ScreenRef("9000001", "rico", "9000001.jpg", None)
    settled = Settled([make.verification("5")], ref=ref, needs_screen=True)
    assert settled.screens == []
    assert settled.tallies == {(EVENT, Outcome.KEPT): 1, ("screen", Outcome.ORPHANED): 1}


def test_verifications_of_a_screen_that_no_source_has_are_rejected(make):
    settled = Settled([make.verification("5"), make.training(True)], needs_screen=True)
    assert settled.reasons == [Reason.SCREEN_MISSING]
    assert settled.tallies == {(EVENT, Outcome.KEPT): 1}


def test_a_screen_without_events_passes_as_it_is():
    assert Settled([], [question()]).screens == [AskedScreen("9000001", None, None, (question(),))]


def test_rejections_of_a_question_that_reads_otherwise_now_are_a_finding():
    asked = question()
    rejected = ((question_id_of(asked), frozenset({"5"})), ("9000001:old", frozenset({"6"})))
    assert list(unknown_questions(rejected, [asked])) == [
        Tally(FINDING, "rejected_short_answers_of_unknown_questions", 1)
    ]
    assert list(unknown_questions(rejected[:1], [asked])) == []


def test_live_reviews_are_those_that_settling_keeps(make):
    first, again = make.verification("5", hour=50), make.verification("5", hour=51)
    assert live_reviews([again, first, make.rating()], POLICY, OPEN_GATE) == [again]


def test_what_verifies_a_build_comes_after_the_cut_off_and_counts(make):
    review = make.verification("5", hour=99)
    policy = dataclasses.replace(POLICY, cutoff=make.at(60))
    assert live_reviews([review, make.rating()], policy, OPEN_GATE) == [review]
