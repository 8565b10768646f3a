"""Tests of settling the events of one screen (annotation.md §2.2 and §2.3)."""

import dataclasses
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.annotations import (
    AnnotationPass,
    AnswerState,
    ComposedQuestion,
    ElementOrigin,
    ElementReview,
    EventSource,
    EventStatus,
    LabelledElement,
    LabelledScreen,
    Language,
    Verdict,
    VhSync,
)
from schemas.campaigns import AnnotationPolicy, OverQuota
from schemas.geometry import Bounds
from schemas.rejects import Outcome, Reason, Reject, Tally
from schemas.settlements import ScreenAnnotations, ScreenFacts
from transforms.annotation.agreement import settle_question
from transforms.annotation.answers import FINDING, answer_counts, limit_answers
from transforms.annotation.gates import OPEN_GATE
from transforms.annotation.quality import make_gate, measure_quality
from transforms.annotation.questions import question_id
from transforms.annotation.settling import settle_screen
from transforms.fates import EVENT

POLICY = AnnotationPolicy()
SECOND = AnnotationPass.QUESTION_2
THIRD = AnnotationPass.QUESTION_3_NA
UNANSWERABLE = AnswerState.NOT_ANSWERABLE


class Settled:
    """The three outputs of settling, and the books over them."""

    def __init__(self, events, facts=None, policy=POLICY, gate=OPEN_GATE, *, known=True):
        facts = facts or ScreenFacts("9000001")
        found = list(settle_screen(events, facts if known else None, policy, gate))
        self.rejects = sorted((item.id, item.reason) for item in found if isinstance(item, Reject))
        self.reasons = [reason for _, reason in self.rejects]
        self.tallies = Counter()
        for item in found:
            if isinstance(item, Tally):
                self.tallies[item.kind, item.outcome] += item.count
        results = [item for item in found if isinstance(item, ScreenAnnotations)]
        self.result = results[0] if results else None
        fates = sum(count for (kind, _), count in self.tallies.items() if kind == EVENT)
        assert fates + len(self.rejects) == len(events), "an event has no fate, or several"

    @property
    def questions(self):
        return [question.text for question in self.result.questions]

    def answers(self, at=0):
        return [event.event_id for event in self.result.questions[at].answers]


@pytest.fixture
def asked(make):
    return make.question("When is delivery ?")


def test_a_question_comes_with_its_composer_pass_and_answers(make, asked):
    answers = [make.answer(asked, who=who, hour=30 + int(who)) for who in "432"]
    settled = Settled([*answers, asked])
    (question,) = settled.result.questions
    assert question.question_id == asked.question_id
    assert (question.composers, question.ordinal) == ((make.who("1"),), 0)
    assert [event.annotator_id for event in question.answers] == [make.who(w) for w in "234"]
    assert settled.tallies == {(EVENT, Outcome.KEPT): 4}
    assert settle_question(question.text, question.answers).level == "full"


def test_corrections_are_told_by_whom(make, asked):
    corrected = make.answer(asked, correction="When is the delivery?")
    (question,) = Settled([asked, corrected, make.answer(asked, who="3")]).result.questions
    assert [(c.event_id, c.text) for c in question.corrections] == [
        (corrected.event_id, "When is the delivery?")
    ]


# Copies, revisions, statuses, time


def test_copies_of_an_event_are_merged_wherever_they_lay(make, asked):
    lying = [
        dataclasses.replace(asked, source=dataclasses.replace(asked.source, file=f, record_index=i))
        for f, i in (("a.json", 0), ("b.json", 7))
    ]
    settled = Settled([*lying, asked])
    assert settled.tallies[EVENT, Outcome.MERGED] == 2
    assert settled.tallies["repairs", "duplicates_exact"] == 2


def test_the_newest_revision_of_an_event_counts(make, asked):
    old = make.answer(asked, full="It is ...", event_id="e", updated_at=make.at(31))
    new = make.answer(asked, full="It is Visa.", event_id="e", updated_at=make.at(32))
    settled = Settled([new, asked, old])
    assert settled.rejects == [("e", Reason.SUPERSEDED_REVISION)]
    assert settled.result.questions[0].answers == (new,)


def test_a_withdrawn_revision_takes_the_event_back(make, asked):
    given_ = make.answer(asked, event_id="e", updated_at=make.at(31))
    gone = dataclasses.replace(
        given_, status=EventStatus.WITHDRAWN, answer=None, updated_at=make.at(40)
    )
    settled = Settled([asked, given_, gone])
    assert settled.rejects == [("e", Reason.SUPERSEDED_REVISION)]
    assert settled.tallies[EVENT, "withdrawn"] == 1
    assert settled.answers() == []


@pytest.mark.parametrize("status", ["cancelled", "draft", "withdrawn"])
def test_what_was_not_submitted_is_counted_and_neither_merged_nor_rejected(make, asked, status):
    event = make.answer(asked, status=EventStatus(status))
    settled = Settled([asked, dataclasses.replace(event, answer=None)])
    assert settled.tallies == {(EVENT, Outcome.KEPT): 1, (EVENT, status): 1}
    assert settled.rejects == []


def test_a_late_event_neither_counts_nor_replaces_one_in_time(make, asked):
    early, late = make.answer(asked, hour=30), make.answer(asked, hour=99)
    policy = AnnotationPolicy(cutoff=make.at(50))
    settled = Settled([late, early, asked], policy=policy)
    assert settled.rejects == [(late.event_id, Reason.LATE_EVENT)]
    assert settled.answers() == [early.event_id]


def test_the_cutoff_itself_is_in_time(make, asked):
    policy = AnnotationPolicy(cutoff=make.at(30))
    assert Settled([make.answer(asked, hour=30), asked], policy=policy).rejects == []


def test_an_event_that_is_named_as_replaced_goes(make, asked):
    first = make.answer(asked, hour=30)
    second = make.answer(asked, hour=40, supersedes=first.event_id)
    settled = Settled([second, first, asked])
    assert settled.rejects == [(first.event_id, Reason.SUPERSEDED_REVISION)]


def test_nobody_can_replace_anothers_event(make, asked):
    theirs = make.answer(asked, who="2")
    other = make.answer(asked, who="3", hour=40, supersedes=theirs.event_id)
    assert Settled([theirs, other, asked]).rejects == []


def test_the_latest_answer_of_a_person_counts(make, asked):
    first, second = make.answer(asked, hour=30), make.answer(asked, hour=31)
    settled = Settled([second, first, asked])
    assert settled.rejects == [(first.event_id, Reason.SUPERSEDED_BY_SAME_ANNOTATOR)]
    assert settled.answers() == [second.event_id]


def test_questions_of_one_annotation_stay_or_go_together(make):
    old = [make.question(f"Old {n}?", ordinal=n, event_id=f"u1:q{n}", hour=1) for n in range(3)]
    new = [make.question("New?", event_id="u2:q0", hour=2)]
    settled = Settled([*old, *new])
    assert settled.questions == ["New?"]
    assert settled.reasons == [Reason.SUPERSEDED_BY_SAME_ANNOTATOR] * 3


def test_without_a_sign_of_what_belongs_together_each_place_in_the_list_stands_alone(make):
    events = [
        make.question("A?", ordinal=0, event_id="e1", hour=1),
        make.question("B?", ordinal=1, event_id="e2", hour=2),
        make.question("B, again?", ordinal=1, event_id="e3", hour=3),
    ]
    settled = Settled(events)
    assert settled.questions == ["A?", "B, again?"]
    assert settled.rejects == [("e2", Reason.SUPERSEDED_BY_SAME_ANNOTATOR)]


def imported(event, annotation_id, import_id=None, **changes):
    source = EventSource("label_studio", None, "main", "5", "1", annotation_id, *[None] * 6)
    source = dataclasses.replace(source, import_id=import_id)
    return dataclasses.replace(event, source=source, **changes)


def test_a_reimported_event_is_merged_into_its_original(make, asked):
    original = imported(make.answer(asked, hour=30), "7")
    copy = imported(make.answer(asked, hour=90), "8", "7", flags=("timestamps_lost",))
    settled = Settled([copy, asked, original])
    assert settled.tallies[EVENT, Outcome.MERGED] == 1
    assert settled.answers() == [original.event_id]


def test_a_reimported_event_that_was_changed_is_the_newer_revision_of_its_time(make, asked):
    original = imported(make.answer(asked, hour=30), "7")
    copy = imported(make.answer(asked, hour=90, full="It is a card."), "8", "7")
    settled = Settled([copy, asked, original])
    assert settled.rejects == [(original.event_id, Reason.SUPERSEDED_REVISION)]
    (answer,) = settled.result.questions[0].answers
    assert (answer.answer.full_answer, answer.submitted_at) == ("It is a card.", make.at(30))


def test_where_an_import_took_the_times_the_old_ids_tell_the_latest(make, asked):
    lost = {"flags": ("timestamps_lost",)}
    newer = imported(make.answer(asked, hour=90, event_id="a"), "21", "10", **lost)
    older = imported(make.answer(asked, hour=91, event_id="b"), "22", "9", **lost)
    assert Settled([older, newer, asked]).answers() == ["a"]


# Training


def test_work_before_the_training_was_passed_does_not_count(make, asked):
    tasks = [make.training(n != 3, hour=n, number=n) for n in range(10)]
    gate = make_gate(measure_quality(make.who("2"), tasks, POLICY))
    early = make.answer(asked, hour=5)
    settled = Settled([asked, *tasks, early, make.answer(asked, who="3")], gate=gate)
    assert settled.reasons == [Reason.ANNOTATOR_UNTRAINED] * 2
    assert Settled([asked, make.answer(asked, hour=9)], gate=gate).rejects == []


# Prefilter and review


@pytest.mark.parametrize("sync", ["in_sync", "in_sync_occluded", "in_sync_ghosting"])
def test_covered_elements_and_ghosts_are_in_sync(make, asked, sync):
    settled = Settled([make.rating(sync=VhSync(sync)), asked])
    assert settled.result.prefilter.keeps
    assert settled.questions == [asked.question.text]


def test_a_screen_may_be_foreign_and_out_of_sync_at_once(make, asked):
    rating = make.rating(Language.NON_ENGLISH, VhSync.OUT_OF_SYNC)
    settled = Settled([rating, asked, make.answer(asked)])
    verdict = settled.result.prefilter
    assert (verdict.non_english, verdict.out_of_sync, verdict.keeps) == (True, True, False)
    assert settled.reasons == [Reason.PREFILTERED_SCREEN] * 2
    assert settled.result.questions == ()


def test_most_ratings_decide_and_a_tie_keeps_and_is_reported(make, asked):
    bad, good = VhSync.OUT_OF_SYNC, VhSync.IN_SYNC
    two = [make.rating(sync=bad, who="1"), make.rating(sync=good, who="2")]
    tied = Settled([*two, asked])
    assert tied.result.prefilter.ties == ("out_of_sync",)
    assert tied.tallies[FINDING, "prefilter_tied_out_of_sync"] == 1
    assert tied.questions == [asked.question.text]
    outvoted = Settled([*two, make.rating(sync=bad, who="3"), asked])
    assert outvoted.reasons == [Reason.PREFILTERED_SCREEN]


def test_a_screen_without_ratings_is_taken_to_be_fit(asked):
    assert Settled([asked]).result.prefilter is None


@pytest.mark.parametrize(
    ("found", "reason"), [("pii", Reason.SCREEN_PII), ("unsafe", Reason.SCREEN_UNSAFE)]
)
def test_one_reviewer_who_sees_it_is_enough(make, asked, found, reason):
    reviews = [make.review(who="1"), make.review(who="2", **{found: True})]
    assert Settled([*reviews, asked]).reasons == [reason]
    lenient = AnnotationPolicy(drop_reviewed_screens=False)
    assert Settled([*reviews, asked], policy=lenient).rejects == []


def test_whether_labels_are_right_is_a_majority_of_those_who_say(make, asked):
    reviews = [make.review(who=w, correct=c) for w, c in (("1", True), ("2", None), ("3", False))]
    assert Settled([asked, *reviews]).result.review.correct is None
    assert Settled([asked, *reviews[:2]]).result.review.correct is True


# Questions


def test_a_pass_has_its_number_of_questions_and_the_earliest_stay(make):
    first = [make.question(f"A {n}?", ordinal=n) for n in range(7)]
    second = [make.question(f"B {n}?", pass_=SECOND, ordinal=n, who="2", hour=2) for n in range(4)]
    third = [make.question(f"C {w}?", pass_=THIRD, who=w, hour=int(w)) for w in "34"]
    settled = Settled([*third, *second, *first])
    assert settled.questions == [
        *("A 0?", "A 1?", "A 2?", "A 3?", "A 4?", "B 0?", "B 1?", "B 2?", "C 3?")
    ]
    assert settled.reasons == [Reason.MAX_QUESTIONS_EXCEEDED] * 4


def test_the_second_pass_is_for_another_annotator_and_later(make, asked):
    same = make.question("Who?", pass_=SECOND, who="1", hour=2)
    early = make.question("How?", pass_=SECOND, who="2", hour=1)
    settled = Settled([same, early, asked])
    assert settled.rejects == [
        (same.event_id, Reason.SAME_ANNOTATOR_BOTH_PASSES),
        (early.event_id, Reason.PASS_ORDER_VIOLATION),
    ]


def test_the_same_question_but_for_blanks_is_merged_and_its_answers_come_along(make, asked):
    again = make.question("When  is delivery ? ", pass_=SECOND, who="2", hour=2)
    answers = [make.answer(asked, who="3"), make.answer(again, who="4")]
    settled = Settled([again, *answers, asked])
    (question,) = settled.result.questions
    assert question.merged_ids == (again.question_id,)
    assert question.composers == (make.who("1"), make.who("2"))
    assert {event.question_id for event in question.answers} == {asked.question_id}
    assert settled.tallies[EVENT, Outcome.MERGED] == 1


def test_who_answered_both_of_two_merged_questions_counts_once(make, asked):
    again = make.question("When  is delivery ?", pass_=SECOND, who="2", hour=2)
    answers = [make.answer(asked, who="3", hour=30), make.answer(again, who="3", hour=31)]
    settled = Settled([again, *answers, asked])
    assert settled.rejects == [(answers[0].event_id, Reason.SUPERSEDED_BY_SAME_ANNOTATOR)]


def test_a_merged_question_takes_no_place_of_another(make):
    events = [make.question(f"A {n % 5}?", ordinal=n) for n in range(7)]
    assert Settled(events).rejects == []


def test_near_duplicates_are_reported_and_both_stay(make, asked):
    near = make.question("When is the delivery?", pass_=SECOND, who="2", hour=2)
    far = make.question("Who pays?", pass_=SECOND, who="2", ordinal=1, hour=2)
    settled = Settled([asked, near, far])
    (pair,) = settled.result.near_duplicates
    assert (pair.one, pair.other) == (asked.question_id, near.question_id)
    assert 85 < pair.similarity < 100
    assert settled.tallies[FINDING, "near_duplicate_questions"] == 1
    assert len(settled.questions) == 3


def test_a_skipped_screen_lacks_content(make):
    settled = Settled([make.skip()])
    assert settled.result.lacks_content
    assert settled.tallies == {(EVENT, Outcome.KEPT): 1}


def test_a_screen_that_one_skipped_and_another_asked_about_does_not(make):
    settled = Settled([make.skip(), make.question("Who?", pass_=SECOND, who="2", hour=2)])
    assert not settled.result.lacks_content
    assert settled.questions == ["Who?"]


def test_having_nothing_to_add_is_no_lack_of_content(make):
    nothing = make.event(SECOND, ComposedQuestion(0, None, False), "e:q0", who="2", hour=2)
    assert not Settled([nothing]).result.lacks_content


def test_a_question_without_an_id_gets_the_one_of_its_text(make, asked):
    (question,) = Settled([dataclasses.replace(asked, question_id=None)]).result.questions
    assert question.question_id == "9000001:question_1:0:" + asked.question_id[-8:]
    assert question_id("7", SECOND, 1, " a  b ") == question_id("7", SECOND, 1, "a b")


def test_a_third_pass_that_was_not_needed_is_a_finding(make, asked):
    third = make.question("Who?", pass_=THIRD, who="3", hour=50)
    settled = Settled([asked, make.answer(asked, state=UNANSWERABLE), third])
    assert settled.tallies[FINDING, "question_3_na_not_needed"] == 1
    assert settled.rejects == []


# Answers


def test_nobody_answers_their_own_question(make, asked):
    own = make.answer(asked, who="1")
    assert Settled([asked, own]).rejects == [(own.event_id, Reason.COMPOSER_ANSWERED_OWN_QUESTION)]


def test_an_answer_needs_its_question(make, asked):
    settled = Settled([asked, make.answer("9000001:question_1:7:00000000")])
    assert settled.reasons == [Reason.ORPHAN_QUESTION]


def test_an_answer_goes_with_its_rejected_question(make):
    asked = [make.question(f"A {n}?", ordinal=n) for n in range(6)]
    settled = Settled([*asked, make.answer(asked[5])])
    assert sorted(settled.reasons) == [Reason.MAX_QUESTIONS_EXCEEDED, Reason.ORPHAN_QUESTION]


def test_a_screen_that_no_source_has_takes_its_events_along(make, asked):
    settled = Settled([asked, make.answer(asked), make.training(True)], known=False)
    assert settled.reasons == [Reason.SCREEN_MISSING] * 2
    assert settled.result is None


def limited(settled, split, policy=POLICY):
    found = list(limit_answers(settled.result, split, policy))
    tallies = Counter()
    for item in found:
        if isinstance(item, Tally):
            tallies[item.kind, item.outcome] += item.count
    return (
        next(item for item in found if isinstance(item, ScreenAnnotations)),
        [item.reason for item in found if isinstance(item, Reject)],
        answer_counts(tallies, policy),
    )


def test_answers_over_the_quota_stay_and_are_reported(make, asked):
    settled = Settled([asked, *(make.answer(asked, who=w) for w in "2345")])
    result, reasons, counts = limited(settled, "validation")
    assert (result, reasons) == (settled.result, [])
    assert [(c.split, c.n_answers, c.n_questions, c.is_expected) for c in counts] == [
        ("validation", 4, 1, False)
    ]


def test_the_earliest_stay_if_the_campaign_says_so(make, asked):
    policy = AnnotationPolicy(over_quota=OverQuota.EARLIEST)
    settled = Settled([asked, *(make.answer(asked, who=w, hour=30 - int(w)) for w in "2345")])
    result, reasons, counts = limited(settled, "test", policy)
    assert [e.annotator_id for e in result.questions[0].answers] == [make.who(w) for w in "543"]
    assert reasons == [Reason.OVER_QUOTA]
    assert [(c.n_answers, c.is_expected) for c in counts] == [(3, True)]


def test_one_of_three_answers_is_an_exception_of_its_split_and_no_error(make, asked):
    settled = Settled([asked, make.answer(asked)])
    assert [c.is_expected for c in limited(settled, "test")[2]] == [False]
    assert [c.is_expected for c in limited(settled, "train")[2]] == [True]
    (question,) = settled.result.questions
    assert settle_question(question.text, question.answers).level == "single"


def test_calling_a_question_invalid_takes_no_answers_place(make, asked):
    policy = AnnotationPolicy(over_quota=OverQuota.EARLIEST)
    invalid = make.answer(asked, who="2", hour=29, state=AnswerState.INVALID_QUESTION)
    settled = Settled([asked, invalid, make.answer(asked, who="3")])
    assert limited(settled, "train", policy)[1] == []


# Boxes


def facts(make, *, leaves=None, **size):
    return ScreenFacts("9000001", make.image(**size), leaves)


def settled_element(events, facts_):
    (question,) = Settled(events, facts_).result.questions
    (event,) = question.answers
    return event, event.answer.elements[0]


LEAF = {13: Bounds(600, 830, 1040, 910)}


@pytest.mark.parametrize("off", [0, 1])
def test_a_leaf_within_a_pixel_is_that_leaf(make, asked, off):
    box = (600 + off, 830, 1040, 910 - off)
    answer = make.answer(asked, elements=(make.element(bounds=box, vh_index=13),))
    event, element = settled_element([asked, answer], facts(make, leaves=LEAF))
    assert (element.vh_index, event.flags) == (13, ())


@pytest.mark.parametrize(
    ("index", "box"), [(13, (602, 830, 1040, 910)), (12, (600, 830, 1040, 910))]
)
def test_what_is_no_leaf_or_off_it_is_demoted_to_drawn(make, asked, index, box):
    answer = make.answer(asked, elements=(make.element(bounds=box, vh_index=index),))
    event, element = settled_element([asked, answer], facts(make, leaves=LEAF))
    assert (element.vh_index, element.origin) == (-1, ElementOrigin.VH_DEMOTED)
    assert element.bounds == Bounds(*box)
    assert event.flags == (f"vh_demoted:rVisa:{index}",)


def test_boxes_of_a_smaller_picture_of_the_same_shape_are_scaled(make, asked):
    element = make.element(bounds=(300, 415, 520, 455), vh_index=13)
    answer = make.answer(asked, elements=(element,), image_width=540, image_height=960)
    event, element = settled_element([asked, answer], facts(make, leaves=LEAF))
    assert (element.bounds, element.vh_index) == (LEAF[13], 13)
    assert (event.image_width, event.image_height) == (1080, 1920)


def test_boxes_of_another_picture_are_rejected(make, asked):
    answer = make.answer(asked, image_width=1920, image_height=1080)
    assert Settled([asked, answer], facts(make)).reasons == [Reason.IMAGE_SIZE_MISMATCH]


def test_boxes_made_before_the_picture_was_turned_upright_are_turned(make, asked):
    element = make.element(bounds=(830, 40, 910, 480))
    answer = make.answer(asked, elements=(element,), image_width=1920, image_height=1080)
    _, found = settled_element([asked, answer], facts(make, orientation=6))
    assert found.bounds == Bounds(600, 830, 1040, 910)


# Elements of MUIAnno


def test_a_review_has_a_target_that_another_wrote(make):
    region = LabelledElement("r", "Button", Bounds(0, 0, 9, 9), "", None, None)
    work = make.event(AnnotationPass.ELEMENT, LabelledScreen((region,)), "work", who="1")
    reviews = [
        make.event(
            AnnotationPass.ELEMENT_REVIEW, ElementReview(target, verdict, (), ()), name, who=w
        )
        for name, target, w, verdict in (
            ("good", "work", "2", Verdict.ACCEPTED),
            ("lost", "gone", "2", Verdict.FIXED),
            ("own", "work", "1", Verdict.ACCEPTED),
        )
    ]
    settled = Settled([*reviews, work])
    assert settled.rejects == [
        ("lost", Reason.REVIEW_TARGET_MISSING),
        ("own", Reason.REVIEWER_IS_AUTHOR),
    ]
    assert [event.event_id for event in settled.result.others] == ["good", "work"]


def test_reviews_of_short_answers_are_kept_whatever_their_question_reads_now(make, asked):
    events = [make.verification("Visa", question="9000001:gone"), make.verification("5", who="2")]
    settled = Settled([asked, *events])
    assert settled.reasons == []
    assert settled.result.others == tuple(sorted(events, key=lambda e: e.event_id))


def test_the_same_short_answers_are_judged_once_by_a_person_and_others_again(make):
    first = make.verification("5", "6", hour=50)
    again = make.verification("5", "6", wrong=("6",), hour=51)
    others = make.verification("five", maker="gemini", hour=52)
    settled = Settled([again, others, first])
    assert settled.rejects == [(first.event_id, Reason.SUPERSEDED_BY_SAME_ANNOTATOR)]
    assert settled.result.others == (again, others)


# Properties


@st.composite
def campaigns(draw):
    """Yields a plan of a screen's events with every sort of trouble, as plain values."""
    hours = st.integers(0, 6)
    people = st.sampled_from("123456")
    passes = st.sampled_from([AnnotationPass.QUESTION_1, SECOND, THIRD])
    texts = st.sampled_from(["A?", "A ?", "A  ?", "B?", "C?", "D?", "E?", "F?", "G?"])
    questions = draw(st.lists(st.tuples(passes, people, hours, texts), max_size=9))
    answers = draw(
        st.lists(
            st.tuples(
                st.integers(0, 9),
                people,
                hours,
                st.sampled_from(["answerable", "not_answerable", "invalid_question"]),
                st.sampled_from(["submitted", "submitted", "cancelled", "draft", "withdrawn"]),
                st.sampled_from([-1, 12, 13]),
            ),
            max_size=12,
        )
    )
    ratings = draw(st.lists(st.tuples(people, st.booleans(), st.booleans()), max_size=3))
    copies = draw(st.lists(st.integers(0, 30), max_size=4))
    return questions, answers, ratings, copies


def events_of(make, plan):
    questions, answers, ratings, copies = plan
    events = [
        make.question(
            text, pass_=pass_, who=who, hour=hour, ordinal=n, event_id=f"u{who}{hour}:q{n}"
        )
        for n, (pass_, who, hour, text) in enumerate(questions)
    ]
    wanted = [event.question_id for event in events] or ["none"]
    for n, (at, who, hour, state, status, index) in enumerate(answers):
        answer = make.answer(
            wanted[at % len(wanted)],
            who=who,
            hour=hour,
            event_id=f"a{n % 8}",
            state=AnswerState(state),
            elements=(make.element(vh_index=index),),
            status=EventStatus(status),
            updated_at=make.at(hour + n % 3),
        )
        payload = answer.answer if status == "submitted" else None
        events.append(dataclasses.replace(answer, answer=payload))
    for who, foreign, unsynced in ratings:
        language = Language.NON_ENGLISH if foreign else Language.ENGLISH
        sync = VhSync.OUT_OF_SYNC if unsynced else VhSync.IN_SYNC
        events.append(make.rating(language, sync, who=who))
    return events + [events[at % len(events)] for at in copies if events]


@settings(max_examples=150, deadline=None)
@given(plan=campaigns(), order=st.randoms(use_true_random=False))
def test_the_order_of_events_changes_nothing(make, plan, order):
    events = events_of(make, plan)
    facts_ = facts(make, leaves=LEAF)
    once = Settled(events, facts_)
    order.shuffle(events)
    again = Settled(events, facts_)
    assert again.result == once.result
    assert again.rejects == once.rejects
    assert again.tallies == once.tallies


@settings(max_examples=150, deadline=None)
@given(plan=campaigns())
def test_settling_what_is_settled_changes_nothing(make, plan):
    facts_ = facts(make, leaves=LEAF)
    once = Settled(events_of(make, plan), facts_)
    if once.result is None:
        return
    again = Settled(list(once.result.events), facts_)
    assert again.rejects == []

    def own(result):  # Who composed what was merged is only known from what was merged.
        return [
            dataclasses.replace(q, composers=q.composers[:1], merged_ids=())
            for q in result.questions
        ]

    assert own(again.result) == own(once.result)
    assert again.result.others == once.result.others
    assert again.result.prefilter == once.result.prefilter
