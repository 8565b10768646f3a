"""Figures of a whole campaign, put together from what its screens leave."""

import dataclasses
import json

import apache_beam as beam
import pytest
from apache_beam.testing import test_pipeline
from apache_beam.testing.util import assert_that
from disassembling import take_apart
from hypothesis import given, settings
from hypothesis import strategies as st
from pure_campaign import KnownScreen, PureCampaign

from pipelines.sample.choosing import Choices
from schemas.agreements import AgreementMode
from schemas.annotations import AnswerState, EventStatus
from schemas.campaigns import AnnotationPolicy
from schemas.geometry import Size
from schemas.questions import Answer, AskedScreen, Provenance, Question
from transforms.annotation.measuring import (
    MeasureCampaign,
    keep_asked,
    measure_campaign,
    votes_of,
    works_of,
)

SEED = "seed"
POLICY = AnnotationPolicy()


def figures(campaign):
    return measure_campaign(
        campaign.votes(), campaign.works, campaign.qualities, campaign.policy, SEED
    )


def on_screen(events, screen_id):
    return [
        dataclasses.replace(e, screen_id=screen_id, event_id=f"{screen_id}/{e.event_id}")
        for e in events
    ]


@pytest.fixture
def asked(make):
    return make.question("When is delivery ?")


def test_a_screen_leaves_tables_and_no_texts(make, asked):
    events = [asked, *(make.answer(asked, who=w) for w in "234")]
    (votes,) = PureCampaign(events, [KnownScreen("9000001")]).votes()
    assert votes.screen_id == "9000001"
    assert votes.answerable == {("answerable",) * 3: 1}
    assert votes.invalid == {("valid",) * 3: 1}
    assert votes.boxes.total() == 3
    assert "Visa" not in repr(votes)
    assert "answer-" not in repr(votes)  # Nor any id of an event.


def test_a_question_with_one_answer_says_nothing_of_agreement(make, asked):
    campaign = PureCampaign([asked, make.answer(asked)], [KnownScreen("9000001")])
    (votes,) = campaign.votes()
    assert (votes.answerable, votes.invalid, votes.boxes) == ({}, {}, {})
    found = figures(campaign)
    assert found["questions"]["n_single"] == found["questions"]["n_questions"] == 1
    assert found["questions"]["levels"] == []
    assert found["answerability"]["n_units"] == 0
    assert found["answerability"]["alpha"]["statistic"] == {
        "value": None,
        "reason": "no unit has two labels",
    }


def test_levels_by_the_rule_and_by_answers_alone(make):
    """Three who leave the question alone agree by A.5, whatever they answer."""
    asked = make.question("When is delivery ?")
    differing = [
        asked,
        make.answer(asked, who="2", full="Monday.", elements=()),
        make.answer(asked, who="3", full="Tuesday.", elements=()),
        make.answer(asked, who="4", state=AnswerState.NOT_ANSWERABLE),
    ]
    same = [asked, *(make.answer(asked, who=w) for w in "234")]
    events = on_screen(differing, "1") + on_screen(same, "2")
    campaign = PureCampaign(events, [KnownScreen("1"), KnownScreen("2")])
    found = figures(campaign)["questions"]
    assert {share["label"]: share["count"] for share in found["levels"]} == {
        "full": 2, "partial": 0, "none": 0,
    }  # fmt: skip
    assert {share["label"]: share["share"] for share in found["answer_only_levels"]} == {
        "full": 0.5, "partial": 0.0, "none": 0.5,
    }  # fmt: skip
    assert found["clauses"] == {
        "question": 6, "full_answer": 3, "elements": 3, "third_answer": 0,
    }  # fmt: skip


def test_the_mode_is_told_and_changes_who_is_compared(make, asked):
    answers = [make.answer(asked, who=w, full=f, elements=()) for w, f in ("2A", "3B")]
    policy = AnnotationPolicy(agreement=AgreementMode.ANSWER_ONLY)
    campaign = PureCampaign([asked, *answers], [KnownScreen("9000001")], policy=policy)
    found = figures(campaign)
    assert found["mode"] == "answer_only"
    assert [share["count"] for share in found["questions"]["levels"]] == [0, 0, 1]
    assert campaign.questions == {}


def test_annotators_are_told_by_their_work_and_their_agreement(make, asked):
    events = [
        asked,
        make.answer(asked, who="2", lead_time_s=10.0),
        make.answer(asked, who="3", lead_time_s=30.0),
        make.answer(asked, who="4", full="Never.", elements=()),
        make.answer(asked, who="5", state=AnswerState.INVALID_QUESTION),
        dataclasses.replace(
            make.answer(asked, who="5", event_id="skip"), status=EventStatus.CANCELLED, answer=None
        ),
    ]
    campaign = PureCampaign(events, [KnownScreen("9000001")])
    by_pass = figures(campaign)["annotators"]
    assert [a["annotator_id"] for a in by_pass["question_1"]] == [make.who("1")]
    found = {a["annotator_id"]: a for a in by_pass["answer"]}
    assert [found[make.who(w)]["n_pairs"] for w in "2345"] == [2, 2, 2, 0]
    assert [found[make.who(w)]["agreement"]["value"] for w in "234"] == [0.5, 0.5, 0.0]
    assert found[make.who("5")]["agreement"]["value"] is None
    assert found[make.who("5")]["n_invalid"] == found[make.who("5")]["n_skipped"] == 1
    assert found[make.who("5")]["skip_share"]["value"] == 0.5
    assert found[make.who("2")]["lead_time_s"]["value"] == 10.0
    assert make.who("1") not in found  # Composing is another pass.


def test_work_is_counted_of_events_that_were_not_handed_in_too(make, asked):
    draft = dataclasses.replace(make.answer(asked), status=EventStatus.DRAFT, answer=None)
    screen = AskedScreen("9000001", None, None, (), events=(asked, draft))
    assert [work.status for work in works_of(screen)] == ["submitted", "draft"]


def test_training_and_the_plan_of_the_third_pass_are_told(make, asked):
    tasks = [make.training(n != 3, number=n, hour=n) for n in range(10)]
    campaign = PureCampaign([asked, make.answer(asked, hour=20), *tasks], [KnownScreen("9000001")])
    found = figures(campaign)
    (quality,) = found["training"]
    assert (quality["n_tasks"], quality["n_correct"], quality["of_pass"]) == (10, 9, "answer")
    assert quality["counts_from"] == "2026-01-01T09:00:00+00:00"
    assert quality["is_below_quality"] is True
    (plan,) = found["unanswerable"]
    assert (plan["n_questions"], plan["n_wanted"], plan["screen_ids"]) == (1, 1, ["9000001"])


def test_near_duplicates_are_listed_up_to_fifty(make):
    def alike(screen_id):
        one = make.question("When is the delivery?")
        other = make.question("When is delivery?", ordinal=1)
        return on_screen([one, other], screen_id)

    ids = [str(n) for n in range(60)]
    events = [event for screen_id in ids for event in alike(screen_id)]
    found = figures(PureCampaign(events, [KnownScreen(screen_id) for screen_id in ids]))
    near = found["near_duplicate_questions"]
    assert near["count"] == 60
    assert len(near["examples"]) == 50
    assert near["examples"] == sorted(near["examples"])


def test_a_campaign_without_a_question_gives_reasons_and_no_nan(make):
    found = figures(PureCampaign([make.rating()], [KnownScreen("9000001")]))
    text = json.dumps(found, allow_nan=False)
    assert '"value": null' in text
    assert found["questions"]["n_questions"] == 0
    assert found["unanswerable"] == []


def campaigns(seed):
    origin = Provenance("made", "made.json", 0)
    size = Size(1080, 1920)
    questions = []
    for n in range(30):
        answers = tuple(Answer(f"It is {n % 2}.", ()) for _ in range(n % 4 + 1))
        text, screen_id = f"What is {n}?", str(n % 7)
        questions.append(Question(screen_id, text, answers, (), size, None, ("answers",), origin))
    return take_apart(questions, Choices("measuring", seed)).events


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 99), order=st.randoms(use_true_random=False))
def test_the_order_of_the_parts_changes_nothing(seed, order):
    campaign = PureCampaign(campaigns(seed), [KnownScreen(str(n)) for n in range(7)])
    once = figures(campaign)
    votes, works, qualities = campaign.votes(), list(campaign.works), list(campaign.qualities)
    for parts in (votes, works, qualities):
        order.shuffle(parts)
    assert measure_campaign(votes, works, qualities, POLICY, SEED) == once
    json.dumps(once, allow_nan=False)


def test_the_step_gives_what_its_parts_give():
    campaign = PureCampaign(campaigns(1), [KnownScreen(str(n)) for n in range(7)])
    by_screen = {}
    for event in campaigns(1):
        by_screen.setdefault(event.screen_id, []).append(event)
    screens = [
        AskedScreen(screen_id, None, None, (), events=tuple(events))
        for screen_id, events in by_screen.items()
    ]
    expected = figures(campaign)

    def check(found):
        assert found == [("agreement", expected)], found

    with test_pipeline.TestPipeline() as pipeline:
        parts = (
            pipeline | "Screens" >> beam.Create(screens),
            pipeline | "Agreed" >> beam.Create(campaign.settled),
            pipeline | "Qualities" >> beam.Create(campaign.qualities),
        )
        assert_that(parts | MeasureCampaign(POLICY, SEED), check)


def test_rows_are_made_of_screens_that_still_have_questions(make, asked):
    events = on_screen([asked, make.answer(asked)], "1") + on_screen([asked], "2")
    campaign = PureCampaign(events, [KnownScreen("1"), KnownScreen("2")])
    assert len(campaign.settled) == 2
    (kept,) = campaign.settled | keep_asked()
    assert (kept.screen_id, kept.annotations, len(kept.questions)) == ("1", None, 1)


def test_votes_survive_a_question_that_nobody_answered(make, asked):
    campaign = PureCampaign([asked], [KnownScreen("9000001")])
    (votes,) = [vote for pair in campaign.settled for vote in votes_of(pair)]
    assert votes.agreements == ()
    assert votes.state.n_questions == 1
