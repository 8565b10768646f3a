"""Raw events settled, split and compared: the round trip, and the books over all of it."""

import dataclasses
import json
import pathlib

import pytest
from disassembling import CUTOFF, Disassembled, squeezed, take_apart
from hypothesis import given, settings
from hypothesis import strategies as st
from pure_campaign import KnownScreen, PureCampaign, again

from pipelines.sample.choosing import Choices
from schemas.agreements import AgreementMode
from schemas.annotations import AnnotationPass, AnswerState, Language, VhSync
from schemas.campaigns import AnnotationPolicy, OverQuota
from schemas.geometry import Bounds, Size
from schemas.manifest import SplitBy, SplitPolicy, Twins, UnknownApp
from schemas.questions import NO_ANSWER, Answer, AskedScreen, Provenance, Question, UiElement
from schemas.rejects import Reason
from transforms.annotation.campaigns import agree_asked, settle_asked
from transforms.sources.screenqa import read_answers, read_short_answers

REAL = pathlib.Path(__file__).resolve().parents[4] / "shared" / "data" / "screenqa"
PICTURE = Size(1080, 1920)
POLICY = AnnotationPolicy(cutoff=CUTOFF)
ALONE = SplitPolicy(unknown_app=UnknownApp.OWN_GROUP)

needs_real = pytest.mark.skipif(
    not (REAL / "answers_and_bboxes").is_dir(),
    reason="needs the folder shared/data beside the checkout",
)


# The round trip: answered questions taken apart into events, with trouble, come back


def question(screen_id, text, answers, frame=PICTURE):
    origin = Provenance("made", "made.json", 0)
    return Question(screen_id, text, tuple(answers), (), frame, None, ("answers",), origin)


def hold_round_trip(taken: Disassembled, *, pictures: bool = False) -> PureCampaign:
    """Asserts that exactly the expected comes back, and that nothing else is said."""
    screens = [KnownScreen(screen_id, app=None) for screen_id in taken.expected]
    campaign = PureCampaign(taken.events, screens, policy=POLICY, splits=ALONE, pictures=pictures)
    assert campaign.problems == []
    assert set(campaign.questions) == set(taken.expected)
    for screen_id, expected in taken.expected.items():
        found = campaign.questions[screen_id]
        assert [(q.text, q.answers) for q in found] == [(e.text, e.answers) for e in expected]
        for one, other in zip(found, expected, strict=True):
            assert one.agreement is not None
            assert (
                one.agreement.level,
                one.agreement.question_from,
                one.agreement.n_annotations,
                one.agreement.n_invalid,
            ) == (other.level, other.question_from, other.n_annotations, other.n_invalid)
    assert campaign.fates == taken.fates
    return campaign


TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0‡"), min_size=1, max_size=12
).filter(lambda text: text.strip() and text.strip() != NO_ANSWER)
SENTENCES = st.one_of(st.sampled_from(["It is Visa.", "It is  Visa."]), TEXTS)


@st.composite
def boxes(draw):
    left, top = draw(st.integers(0, 1000)), draw(st.integers(0, 1800))
    width, height = draw(st.integers(1, 80)), draw(st.integers(1, 120))
    return Bounds(left, top, left + width, top + height)


@st.composite
def given_answers(draw):
    if draw(st.integers(0, 5)) == 0:
        return Answer(NO_ANSWER, ())
    indices = draw(st.lists(st.integers(0, 40), max_size=3, unique=True))
    elements = [
        UiElement(draw(st.text(max_size=4)), draw(boxes()), draw(st.sampled_from([-1, index])))
        for index in indices
    ]
    return Answer(draw(SENTENCES), tuple(elements))


@st.composite
def answered(draw):
    """Gives questions on up to three screens, no two on one screen alike."""
    found = []
    for screen_id in draw(st.lists(st.integers(1, 99), min_size=1, max_size=3, unique=True)):
        texts = draw(st.lists(TEXTS, min_size=1, max_size=9, unique_by=squeezed))
        for text in texts:
            same = draw(given_answers())
            answers = draw(
                st.lists(st.one_of(st.just(same), given_answers()), min_size=1, max_size=4)
            )
            found.append(question(str(screen_id), text, answers))
    return found


SEEDS = st.integers(0, 1 << 30)


@settings(max_examples=150, deadline=None)
@given(questions=answered(), seed=SEEDS, trouble=st.sampled_from([0, 15, 40, 80, 100]))
def test_what_was_taken_apart_comes_back(questions, seed, trouble):
    taken = take_apart(questions, Choices("round trip", seed), trouble=trouble)
    hold_round_trip(taken)


@settings(max_examples=75, deadline=None)
@given(questions=answered(), seed=SEEDS)
def test_it_comes_back_with_pictures_where_no_leaf_is_known_and_all_boxes_are_drawn(
    questions, seed
):
    taken = take_apart(questions, Choices("pictures", seed), leaves=False)
    hold_round_trip(taken, pictures=True)


def test_every_sort_of_trouble_was_put_in_at_some_time():
    """Else the round trip would say less than it seems to."""
    asked = [
        question(str(n), f"What is {k}?", [Answer(f"It is {k}.", ())] * (1 + k % 4))
        for n in range(40)
        for k in range(1 + n % 9)
    ]
    taken = take_apart(asked, Choices("all troubles"))
    hold_round_trip(taken)
    assert all(taken.troubles.values()), taken.troubles
    assert len(taken.troubles) == 15
    assert {reason for kind, reason in taken.fates if kind == "annotation_event"} == {
        "merged", "superseded_revision", "superseded_by_same_annotator", "late_event",
        "cancelled", "draft", "withdrawn", "composer_answered_own_question", "orphan_question",
    }  # fmt: skip
    assert {reason for kind, reason in taken.fates if kind in ("question", "answer")} == {
        "invalid_question", "disagreeing_answer_removed", "question_unanswered", "all_invalid",
        "no_agreement", "duplicate_question", "with_question",
    }  # fmt: skip
    origins = {e.question_from for of_screen in taken.expected.values() for e in of_screen}
    assert origins == {"consensus", "latest", "single"}


def sample_questions(sample):
    """Returns the demo's released questions, the one that was asked twice as one."""
    found = {}
    for split in ("train", "validation", "test"):
        path = sample / "screenqa" / "answers_and_bboxes" / f"{split}.json"
        for read in read_answers(str(path), Provenance("demo", path.name, 0), split):
            assert isinstance(read, Question)
            found.setdefault((read.screen_id, squeezed(read.text)), read)
    return list(found.values())


@pytest.mark.parametrize("seed", range(5))
def test_the_demo_comes_back(sample, seed):
    taken = take_apart(sample_questions(sample), Choices("demo", seed))
    hold_round_trip(taken)
    assert sum(len(expected) for expected in taken.expected.values()) > 80


@needs_real
@pytest.mark.parametrize("seed", range(3))
def test_real_answers_with_boxes_come_back(seed):
    origin = Provenance("real", "real.json", 0)
    path = REAL / "answers_and_bboxes" / "issue2_37374.json"
    questions = list(read_answers(str(path), origin, "validation"))
    partial = json.loads((REAL / "answers_and_bboxes" / "partial_median_boxes.json").read_text())
    for record in partial:
        element = UiElement(record["element_text"], Bounds(*record["median_bounds"]), -1)
        answers = [Answer(text, (element,)) for text in record["short_ground_truth"]]
        frame = Size(record["image_width"], record["image_height"])
        questions.append(question(str(record["image_id"]), record["question"], answers, frame))
    hold_round_trip(take_apart(questions, Choices("real boxes", seed), trouble=60))


@needs_real
def test_real_questions_of_validation_come_back():
    """Every tenth screen of ScreenQA's validation split, its short answers as answers."""
    origin = Provenance("real", "validation.json", 0)
    path = REAL / "short_answers" / "validation.json"
    questions = [
        question(read.screen_id, read.text, [Answer(text, ()) for text in read.short_answers])
        for read in read_short_answers(str(path), origin, "validation")
        if int(read.screen_id) % 10 == 3
    ]
    assert len(questions) > 500
    hold_round_trip(take_apart(questions, Choices("real"), trouble=30))


# Order and repetition change nothing


@settings(max_examples=40, deadline=None)
@given(questions=answered(), seed=SEEDS)
def test_the_order_of_events_changes_nothing(questions, seed):
    taken = take_apart(questions, Choices("order", seed))
    once = PureCampaign(taken.events, policy=POLICY, splits=ALONE)
    turned = PureCampaign(taken.events[::-1], policy=POLICY, splits=ALONE)
    assert turned.questions == once.questions
    assert turned.agreements == once.agreements
    assert turned.tallies == once.tallies
    assert sorted(map(repr, turned.rejected)) == sorted(map(repr, once.rejected))


@settings(max_examples=40, deadline=None)
@given(questions=answered(), seed=SEEDS)
def test_settling_and_comparing_what_is_settled_changes_nothing(questions, seed):
    taken = take_apart(questions, Choices("again", seed))
    once = PureCampaign(taken.events, policy=POLICY, splits=ALONE)
    for settled, agreements in once.settled:
        resettled = list(settle_asked(again(settled), [], {}, POLICY, False))
        (asked,) = (item for item in resettled if isinstance(item, AskedScreen))
        split = dataclasses.replace(asked, split=settled.split)
        (pair,) = (item for item in agree_asked(split, POLICY) if isinstance(item, tuple))
        assert pair[0].questions == settled.questions
        assert pair[1] == agreements


# The books: one fate for every event, question and answer


@st.composite
def troubled(draw, make):
    """Gives events and screens with any trouble at all, and how they are built."""
    people = st.sampled_from("123456")
    events = []
    ids = draw(st.lists(st.sampled_from("1234"), min_size=1, unique=True))
    for screen_id in ids:
        composed = draw(
            st.lists(
                st.tuples(
                    st.sampled_from(["question_1", "question_2", "question_3_na"]),
                    people,
                    st.integers(0, 6),
                    st.sampled_from(["A?", "A  ?", "B?", "C?", "D?", "E?", "F?"]),
                ),
                max_size=8,
            )
        )
        found = [
            make.question(text, pass_=AnnotationPass(p), who=w, hour=h, ordinal=n)
            for n, (p, w, h, text) in enumerate(composed)
        ]
        for n in range(draw(st.integers(0, 10))):
            wanted = draw(st.sampled_from([e.question_id for e in found] or ["none"]))
            state = draw(st.sampled_from([*AnswerState, AnswerState.ANSWERABLE]))
            correction = draw(st.sampled_from([None, None, "A?", "B?", "Z?"]))
            full = draw(st.sampled_from(["Yes.", "No."]))
            more = {"state": state, "correction": correction, "full": full}
            if draw(st.integers(0, 9)) == 0:
                more |= {"image_width": 99, "image_height": 5}
            who, hour = draw(people), draw(st.integers(5, 9))
            found.append(make.answer(wanted, who=who, hour=hour, event_id=f"a{n % 8}", **more))
        if draw(st.booleans()):
            foreign = draw(st.sampled_from(Language))
            found.append(make.rating(foreign, draw(st.sampled_from(VhSync))))
        if draw(st.booleans()):
            found.append(make.review(pii=draw(st.booleans()), unsafe=draw(st.booleans())))
        if draw(st.booleans()):
            found.append(make.training(draw(st.booleans()), who=draw(people)))
        if draw(st.booleans()):
            found.append(make.skip(who=draw(people)))
        # Ids are those of one screen; on the next one they are others.
        events += [
            dataclasses.replace(e, screen_id=screen_id, event_id=f"{screen_id}/{e.event_id}")
            for e in found
        ]
    events += [events[n % len(events)] for n in draw(st.lists(SEEDS, max_size=3)) if events]
    screens = [
        KnownScreen(
            screen_id,
            app=draw(st.sampled_from([None, "p", "q", "r"])),
            picture=draw(st.sampled_from(["", "", "twin"])),
            is_blank=draw(st.integers(0, 9)) == 0,
        )
        for screen_id in draw(st.lists(st.sampled_from("12345"), unique=True))
    ]
    return events, screens


@settings(max_examples=200, deadline=None)
@given(
    data=st.data(),
    pictures=st.booleans(),
    by=st.sampled_from([SplitBy.APP, SplitBy.SCREEN]),
    unknown=st.sampled_from(UnknownApp),
    twins=st.sampled_from(Twins),
    mode=st.sampled_from(AgreementMode),
    over=st.sampled_from(OverQuota),
    drop=st.booleans(),
    seed=st.sampled_from("abcdef"),
)
def test_every_record_has_one_fate_under_any_trouble_and_policy(
    make, data, pictures, by, unknown, twins, mode, over, drop, seed
):
    events, screens = data.draw(troubled(make))
    policy = AnnotationPolicy(
        cutoff=make.at(8), over_quota=over, agreement=mode, drop_reviewed_screens=drop
    )
    splits = SplitPolicy(by, seed, (0.4, 0.3, 0.3), unknown, twins)
    campaign = PureCampaign(events, screens, policy=policy, splits=splits, pictures=pictures)
    assert campaign.problems == []


def asked_about(make, screen_id, *, n_answers=3):
    """Returns events of one question with some answers, on a screen of this id."""
    composed = make.question("When is delivery ?")
    answers = [make.answer(composed, who=str(n + 2), hour=30 + n) for n in range(n_answers)]
    return [
        dataclasses.replace(e, screen_id=screen_id, event_id=f"{screen_id}/{e.event_id}")
        for e in (composed, *answers)
    ]


def test_a_train_screen_whose_picture_is_in_test_goes_with_its_questions_and_answers(make):
    events = asked_about(make, "1") + asked_about(make, "2")
    apps = {}
    for name in map(str, range(99)):
        campaign = PureCampaign(asked_about(make, "1"), [KnownScreen("1", name)], pictures=True)
        apps.setdefault(campaign.settled[0][0].split, name)
    screens = [
        KnownScreen("1", apps["train"], picture="same"),
        KnownScreen("2", apps["test"], picture="same"),
    ]
    campaign = PureCampaign(events, screens, pictures=True)
    assert list(campaign.questions) == ["2"]
    assert campaign.rejects == {("screen", "twin_in_eval"): 1, ("question", "screen_rejected"): 1}
    assert campaign.tallies["answer", "with_question"] == 3
    assert campaign.problems == []


@pytest.mark.parametrize("pictures", [True, False])
def test_a_screen_without_a_known_app_goes_where_apps_are_split(make, pictures):
    campaign = PureCampaign(asked_about(make, "1"), [KnownScreen("1", None)], pictures=pictures)
    question_reason = "screen_rejected" if pictures else "app_unknown"
    assert campaign.rejects["question", question_reason] == 1
    assert campaign.rejects["screen", "app_unknown"] == int(pictures)
    assert campaign.tallies["answer", "with_question"] == 3
    assert campaign.tallies["funnel_screens", "unsplit"] == 1
    assert campaign.tallies["funnel_questions", "unsplit"] == 1
    assert (campaign.questions, campaign.problems) == ({}, [])


@pytest.mark.parametrize("pictures", [True, False])
@pytest.mark.parametrize(
    ("what", "reason"),
    [("foreign", "prefiltered_screen"), ("pii", "screen_pii"), ("unsafe", "screen_unsafe")],
)
def test_a_refused_screen_is_rejected_with_what_was_asked_about_it(make, pictures, what, reason):
    finding = make.rating(Language.NON_ENGLISH)
    if what != "foreign":
        finding = make.review(**{what: True})
    events = [*asked_about(make, "1"), dataclasses.replace(finding, screen_id="1")]
    campaign = PureCampaign(events, [KnownScreen("1")], pictures=pictures)
    assert campaign.rejects["annotation_event", reason] == 4
    assert campaign.rejects["screen", reason] == int(pictures)
    assert (campaign.questions, campaign.problems) == ({}, [])


def test_a_screen_whose_picture_is_broken_takes_its_events_along(make):
    campaign = PureCampaign(
        asked_about(make, "1"), [KnownScreen("1", is_blank=True)], pictures=True
    )
    assert campaign.rejects == {
        ("screen", "image_blank"): 1,
        ("annotation_event", "screen_rejected"): 4,
    }
    assert campaign.tallies["funnel_screens", "unusable"] == 1
    assert campaign.problems == []


def test_an_unanswered_question_orphans_its_screen(make):
    campaign = PureCampaign(asked_about(make, "1", n_answers=0), [KnownScreen("1")], pictures=True)
    assert campaign.rejects == {("question", "question_unanswered"): 1}
    assert campaign.tallies["screen", "orphaned"] == 1
    assert campaign.tallies["funnel_questions", "unanswered"] == 1
    assert campaign.problems == []


def test_an_answer_over_the_quota_was_an_event_that_counts(make):
    policy = AnnotationPolicy(over_quota=OverQuota.EARLIEST, answers_in_evaluation=1)
    campaign = PureCampaign(asked_about(make, "1"), [KnownScreen("1")], policy=policy)
    (question_,) = campaign.questions["1"]
    assert len(question_.answers) == 1
    assert campaign.rejects == {("answer", "over_quota"): 2}
    assert campaign.tallies["annotation_event", "kept"] == 4
    assert campaign.problems == []


def test_the_answers_of_a_question_that_reads_like_another_go_with_it(make):
    one = make.question("When is delivery ?")
    other = make.question("When's delivery?", ordinal=1)
    events = [
        one,
        other,
        *(make.answer(one, who=w) for w in "23"),
        *(make.answer(other, who=w, correction="When is  delivery ?") for w in "234"),
    ]
    campaign = PureCampaign(events, [KnownScreen("9000001")])
    (kept,) = campaign.questions["9000001"]
    assert len(kept.answers) == 3  # The later question has more answers.
    assert campaign.rejects == {("question", "duplicate_question"): 1}
    assert campaign.rejected[0].reason is Reason.DUPLICATE_QUESTION
    assert campaign.tallies["answer", "with_question"] == 2
    assert campaign.problems == []


def test_answers_are_published_by_rank_and_without_what_only_annotators_know(make):
    composed = make.question("Which cards ?")
    ranked = [make.element("second", rank=2), make.element("first", rank=1, region_id="x")]
    events = [
        composed,
        make.answer(composed, who="2", elements=ranked, full="Both."),
        make.answer(composed, who="3", state=AnswerState.NOT_ANSWERABLE),
    ]
    (kept,) = PureCampaign(events, [KnownScreen("9000001")]).questions["9000001"]
    assert [e.text for e in kept.answers[0].ui_elements] == ["first", "second"]
    assert kept.answers[1] == Answer(NO_ANSWER, ())
    assert kept.agreement is not None
    assert (kept.agreement.level, kept.agreement.answer_only_level) == ("full", "none")
    assert kept.agreement.annotation_pass == "question_1"
