"""Tests of the agreement rule (ScreenQA 4.3 and A.5)."""

import datetime
import itertools
import json
import pathlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.agreements import (
    AgreementLevel,
    AgreementMode,
    Clause,
    ClauseCounts,
    Edge,
    QuestionOrigin,
    Removal,
    RemovalReason,
)
from schemas.annotations import (
    AnnotationEvent,
    AnnotationPass,
    AnswerElement,
    AnswerState,
    ElementOrigin,
    EventSource,
    EventStatus,
    GivenAnswer,
)
from schemas.geometry import Bounds
from transforms.annotation.agreement import close_agreement, settle_question

CASES = pathlib.Path(__file__).parents[4] / "shared" / "cases"
needs_cases = pytest.mark.skipif(not CASES.is_dir(), reason=f"no case files at {CASES}")

START = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
Q0, M, M2, M3 = (
    "When is delivery ?",
    "When is the delivery?",
    "When will it be delivered?",
    "What is the delivery date?",
)


def event(event_id, answer, *, day=0, updated_day=None):
    updated_at = None if updated_day is None else START + datetime.timedelta(days=updated_day)
    return AnnotationEvent(
        schema_version="1.0",
        event_id=event_id,
        pass_=AnnotationPass.ANSWER,
        status=EventStatus.SUBMITTED,
        screen_id="9000001",
        question_id="9000001:question_1:0:0123abcd",
        annotator_id=f"a_{event_id}",
        submitted_at=START + datetime.timedelta(days=day),
        updated_at=updated_at,
        updated_by_other=False,
        lead_time_s=None,
        supersedes=None,
        image_width=1080,
        image_height=1920,
        source=EventSource("test", *[None] * 11),
        prefilter=None,
        question=None,
        answer=answer,
        element=None,
        review=None,
        short_answers=None,
        screen_review=None,
        training=None,
        flags=(),
    )


def element(text, bounds, vh_index=-1):
    origin = ElementOrigin.DRAWN if vh_index < 0 else ElementOrigin.VH
    return AnswerElement(1, text, Bounds(*bounds), vh_index, "r", origin)


def answer(full, *elements, q=None):
    return GivenAnswer(AnswerState.ANSWERABLE, full, q, elements)


def no_answer(q=None):
    return GivenAnswer(AnswerState.NOT_ANSWERABLE, None, q, ())


INVALID = GivenAnswer(AnswerState.INVALID_QUESTION, None, None, ())
D = element("Oct. 15, 2024", (600, 650, 1040, 730), 10)
DD = element("Oct. 15, 2024", (602, 662, 870, 716))
V = element("Visa", (600, 830, 1040, 910), 13)
OCT = element("Oct.", (600, 662, 690, 716))
FIFTEEN = element("15,", (700, 662, 760, 716))
YEAR = element("2024", (770, 662, 870, 716))


def ok(left, top):
    return element("OK", (left, top, left + 50, top + 50))


def events_of(answers):
    """Returns the events e1, e2… that were submitted a day after each other."""
    return [event(f"e{n}", given, day=n) for n, given in enumerate(answers, start=1)]


def settle(answers, mode=AgreementMode.PAPER):
    """Returns what becomes of answers to Q0 that were given in this order."""
    return settle_question(Q0, events_of(answers), mode=mode)


# Level, numbers of the kept answers, question, its origin, level of the answers alone.
WORKED_CASES = {
    "1 nobody edits, three different answers": (
        [answer("It is D.", D), answer("Visa.", V), no_answer()],
        ("full", [1, 2, 3], Q0, "consensus", "none"),
    ),
    "2 two edit alike": (
        [answer("D.", D, q=M), answer("D.", D, q=M), answer("D.", D)],
        ("full", [1, 2, 3], M, "consensus", "full"),
    ),
    "3 three edits, one leaf": (
        [answer("A.", D, q=M), answer("B.", D, q=M2), answer("C.", D, q=M3)],
        ("full", [1, 2, 3], M3, "latest", "full"),
    ),
    "4 three edits, nothing in common": (
        [answer("A.", D, q=M), answer("B.", V, q=M2), no_answer(q=M3)],
        ("none", [], None, None, "none"),
    ),
    "5 leaf and drawn box": (
        [answer("A.", D, q=M), answer("B.", DD, q=M2), answer("C.", V, q=M3)],
        ("partial", [1, 2], M2, "latest", "partial"),
    ),
    "7 permuted parts": (
        [
            answer("A.", OCT, FIFTEEN, YEAR, q=M),
            answer("B.", YEAR, OCT, FIFTEEN, q=M2),
            answer("C.", FIFTEEN, YEAR, OCT, q=M3),
        ],
        ("full", [1, 2, 3], M3, "latest", "full"),
    ),
    "8 one part more": (
        [
            answer("A.", OCT, FIFTEEN, q=M),
            answer("B.", OCT, FIFTEEN, YEAR, q=M2),
            answer("C.", OCT, FIFTEEN, q=M3),
        ],
        ("partial", [1, 3], M3, "latest", "partial"),
    ),
    "10 same text far apart": (
        [answer("A.", ok(0, 0), q=M), answer("B.", ok(500, 0), q=M2), answer("C.", ok(9, 9), q=M3)],
        ("partial", [1, 3], M3, "latest", "partial"),
    ),
    "11 boxes only touch": (
        [answer("A.", ok(0, 0), q=M), answer("B.", ok(50, 0), q=M2)],
        ("none", [], None, None, "none"),
    ),
    "13 both texts empty": (
        [
            answer("A.", element("", (0, 0, 50, 50)), q=M),
            answer("B.", element("", (0, 0, 50, 50)), q=M2),
        ],
        ("none", [], None, None, "none"),
    ),
    "14 two find no answer": (
        [no_answer(q=M), no_answer(q=M2), answer("D.", D, q=M3)],
        ("partial", [1, 2], M2, "latest", "partial"),
    ),
    "16 one calls it invalid": (
        [INVALID, answer("D.", D), answer("D.", D)],
        ("full", [2, 3], Q0, "consensus", "full"),
    ),
    "18 all call it invalid": (
        [INVALID, INVALID, INVALID],
        ("all_invalid", [], None, None, "all_invalid"),
    ),
    "19 invalid, and two that differ": (
        [INVALID, answer("A.", D, q=M), answer("B.", V, q=M2)],
        ("none", [], None, None, "none"),
    ),
    "20 one of three edits": (
        [answer("D.", D), answer("D.", D), answer("D.", D, q=M)],
        ("full", [1, 2, 3], Q0, "consensus", "full"),
    ),
    "22 one answer": (
        [answer("D.", D, q=M)],
        ("single", [1], M, "single", "single"),
    ),
    "23 edit of blanks only": (
        [answer("A.", D, q="When  is delivery ? "), answer("B.", V)],
        ("full", [1, 2], Q0, "consensus", "none"),
    ),
    "25 two against two": (
        [
            answer("A.", D, q=M),
            answer("B.", D, q=M2),
            answer("C.", V, q=M3),
            answer("D.", V, q="Q4?"),
        ],
        ("none", [], None, None, "none"),
    ),
    "two empty lists of elements": (
        [answer("Yes.", q=M), answer("No.", q=M2)],
        ("none", [], None, None, "none"),
    ),
    "an invalid mark and one answer": (
        [INVALID, answer("D.", D, q=M)],
        ("single", [2], M, "single", "single"),
    ),
    "the third answer joins two": (
        [answer("A.", D, q=M), answer("B.", V, q=M2), answer("B.", D, q=M3)],
        ("full", [1, 2, 3], M3, "latest", "full"),
    ),
    "a removed answer has no say in the question": (
        [answer("A.", D, q=M), answer("B.", D), answer("C.", V, q=M3)],
        ("partial", [1, 2], M, "latest", "partial"),
    ),
    "the latest who edits is not the latest": (
        [answer("A.", D, q=M2), answer("A.", D)],
        ("full", [1, 2], M2, "latest", "full"),
    ),
    "an edit of blanks is never the latest edit": (
        [answer("A.", D, q=M), answer("A.", D, q=f" {Q0}")],
        ("full", [1, 2], M, "latest", "full"),
    ),
    "two readings lead": (
        [answer("A.", D, q=q) for q in (M, M2, M, M2, M3)],
        ("full", [1, 2, 3, 4, 5], M2, "latest", "full"),
    ),
    "an edit and the original lead": (
        [answer("A.", D, q=q) for q in (M, M, None, None)],
        ("full", [1, 2, 3, 4], M, "latest", "full"),
    ),
    "three against two": (
        [
            answer("A.", D, q="1?"),
            answer("B.", V, q="2?"),
            answer("C.", D, q="3?"),
            answer("B.", q="4?"),
            answer("E.", DD, q="5?"),
        ],
        ("partial", [1, 3, 5], "5?", "latest", "partial"),
    ),
    "the largest group of one is none": (
        [answer(f"{n}.", q=f"{n}?") for n in range(4)],
        ("none", [], None, None, "none"),
    ),
}


@pytest.mark.parametrize("case", WORKED_CASES)
def test_worked_cases_come_out_as_the_text_says(case):
    answers, (level, kept, question, question_from, answer_only_level) = WORKED_CASES[case]
    result = settle(answers)
    assert result.level == level
    assert result.kept == tuple(f"e{n}" for n in kept)
    assert (result.question, result.question_from) == (question, question_from)
    assert result.answer_only_level == answer_only_level


@pytest.mark.parametrize("case", WORKED_CASES)
def test_in_answer_only_mode_the_level_is_the_answers_own(case):
    answers, expected = WORKED_CASES[case]
    result = settle(answers, AgreementMode.ANSWER_ONLY)
    assert result.level == result.answer_only_level == expected[-1]
    assert all(Clause.QUESTION not in edge.clauses for edge in result.edges)
    assert result.clause_counts.question == 0


def test_answer_only_mode_drops_the_answer_that_only_the_question_held():
    one_element, two_elements = answer("One.", D), answer("Two.", D, V)
    again = answer("Three.", D)
    assert settle([two_elements, one_element, again]).kept == ("e1", "e2", "e3")
    result = settle([two_elements, one_element, again], AgreementMode.ANSWER_ONLY)
    assert result.kept == ("e2", "e3")
    assert result.removed == (Removal("e1", RemovalReason.DISAGREEING_ANSWER_REMOVED),)
    assert result.question == Q0


def test_equal_times_are_settled_by_event_id():
    answers = [answer("S", D, q=q) for q in (M, M2, M3)]
    same_time = [event(f"e{n}", given) for n, given in enumerate(answers)]
    for order in itertools.permutations(same_time):
        result = settle_question(Q0, order)
        assert (result.question, result.question_from) == (M3, QuestionOrigin.LATEST)
        assert result.kept == ("e0", "e1", "e2")


def test_a_later_change_of_an_answer_does_not_make_it_the_latest():
    early = event("e1", answer("A.", D, q=M), day=1, updated_day=9)
    late = event("e2", answer("A.", D, q=M2), day=2, updated_day=2)
    assert settle_question(Q0, [early, late]).question == M2


def test_edges_name_every_condition_that_holds():
    result = settle([answer("A.", D, q=M), answer("A.", DD, q=M), answer("B.", V, q=M)])
    assert result.edges == (
        Edge("e1", "e2", (Clause.QUESTION, Clause.FULL_ANSWER, Clause.ELEMENTS)),
        Edge("e1", "e3", (Clause.QUESTION,)),
        Edge("e2", "e3", (Clause.QUESTION,)),
    )
    assert result.clause_counts == ClauseCounts(3, 1, 1, 0)


def test_a_pair_that_agrees_through_a_third_answer_is_counted():
    result = settle([answer("A.", D, q=M), answer("B.", D, q=M2), answer("B.", V, q=M3)])
    assert result.level == AgreementLevel.FULL
    assert result.clause_counts == ClauseCounts(0, 1, 1, 1)


def test_an_invalid_answer_joins_nobody():
    bridge = GivenAnswer(AnswerState.INVALID_QUESTION, "A.", M, (D,))
    result = settle([answer("A.", V, q=M2), bridge, answer("B.", D, q=M)])
    assert result.level == AgreementLevel.NONE
    assert result.edges == ()


def test_every_removed_answer_has_its_reason():
    partial = settle([INVALID, answer("A.", D, q=M), answer("A.", D, q=M2), no_answer(q=M3)])
    assert partial.removed == (
        Removal("e1", RemovalReason.INVALID_QUESTION),
        Removal("e4", RemovalReason.DISAGREEING_ANSWER_REMOVED),
    )
    none = settle([INVALID, answer("A.", D, q=M), no_answer(q=M3)])
    assert none.removed == (
        Removal("e1", RemovalReason.INVALID_QUESTION),
        Removal("e2", RemovalReason.NO_AGREEMENT),
        Removal("e3", RemovalReason.NO_AGREEMENT),
    )
    invalid = settle([INVALID, INVALID])
    assert {removal.reason for removal in invalid.removed} == {RemovalReason.ALL_INVALID}


def test_texts_are_compared_after_unicode_and_blanks_are_unified():
    result = settle([answer("Cafe\u0301  bar", D, q=M), answer("Caf\u00e9 bar ", V, q=M2)])
    assert result.edges == (Edge("e1", "e2", (Clause.FULL_ANSWER,)),)
    assert settle([answer("yes", q=M), answer("Yes", q=M2)]).edges == ()


def test_the_stored_question_is_normalised():
    assert settle([answer("A.", D, q=f"  {M}\n")]).question == M


def test_a_looser_normalizing_can_be_tried():
    answers = events_of([answer("It is ON.", q=M), answer("it is on.", q=M2)])
    assert settle_question(Q0, answers).level == AgreementLevel.NONE
    assert settle_question(Q0, answers, normalize=str.lower).level == AgreementLevel.FULL


@pytest.mark.parametrize(
    "events",
    [
        [],
        [event("e1", None)],
        [event("e1", no_answer()), event("e1", no_answer(), day=3)],
    ],
    ids=["no events", "no answer in it", "twice"],
)
def test_a_callers_mistake_is_no_level(events):
    with pytest.raises(ValueError, match="answer"):
        settle_question(Q0, events)


# The case files.


def read_cases(name):
    path = CASES / name
    return json.loads(path.read_text()) if path.is_file() else []


def case_event(annotation):
    elements = tuple(element(e["text"], e["bounds"], e["vh_index"]) for e in annotation["elements"])
    given = GivenAnswer(
        AnswerState(annotation["status"]),
        annotation["full_answer"],
        annotation["question_correction"],
        elements,
    )
    submitted = datetime.datetime.fromisoformat(annotation["submitted_at"])
    return event(annotation["id"], given, day=(submitted - START).days)


AGREEMENT_CASES = {f"{c['case']} {c['name']}": c for c in read_cases("agreement_cases.json")}
MERGE_CASES = {
    case["id"]: case
    for case in (read_cases("metric_cases.json") or {"cases": []})["cases"]
    if case["metric"] == "iaa_merge"
}


@needs_cases
def test_the_case_files_are_not_empty():
    assert len(AGREEMENT_CASES) == 19
    assert len(MERGE_CASES) == 11


@needs_cases
@pytest.mark.parametrize("case", AGREEMENT_CASES.values(), ids=AGREEMENT_CASES)
def test_agreement_cases_come_out_as_stated(case):
    expected = case["expected"]
    result = settle_question(case["question"], map(case_event, case["annotations"]))
    assert result.level == expected["level"]
    assert result.n_annotations == len(case["annotations"])
    assert result.n_invalid == expected["n_invalid"]
    assert [[e.one, e.other, list(e.clauses)] for e in result.edges] == expected.get("edges", [])
    assert list(result.kept) == expected["keep"]
    assert result.question == expected["question"]
    assert result.question_from == expected.get("question_from")
    if "reason" in expected:
        assert expected["reason"] in {removal.reason for removal in result.removed}


@needs_cases
@pytest.mark.parametrize("case", AGREEMENT_CASES.values(), ids=AGREEMENT_CASES)
def test_agreement_cases_come_out_as_stated_for_answers_only(case):
    # The file calls a question that all call invalid `invalid`, the settled name is longer.
    stated = case["answer_only_level"].replace("invalid", "all_invalid")
    events = [case_event(annotation) for annotation in case["annotations"]]
    assert settle_question(case["question"], events).answer_only_level == stated
    result = settle_question(case["question"], events, mode=AgreementMode.ANSWER_ONLY)
    assert result.level == stated
    without_question = [
        [one, other, [clause for clause in clauses if clause != "question"]]
        for one, other, clauses in case["expected"].get("edges", [])
    ]
    edges = [[e.one, e.other, list(e.clauses)] for e in result.edges]
    assert edges == [edge for edge in without_question if edge[2]]


def merge_event(number, annotation):
    elements = tuple(
        element(e["text"], e["bounds"], e["vh_index"]) for e in annotation["ui_elements"]
    )
    full = annotation["full_answer"]
    given = (
        no_answer(q=annotation.get("question"))
        if full == "<no answer>"
        else answer(full, *elements, q=annotation.get("question"))
    )
    return event(f"e{number}", given, day=number)


@needs_cases
@pytest.mark.parametrize("mode", AgreementMode)
@pytest.mark.parametrize("case", MERGE_CASES.values(), ids=MERGE_CASES)
def test_merge_cases_come_out_as_stated(case, mode):
    expected = case["expected"]
    if mode == AgreementMode.ANSWER_ONLY:
        expected = case["references"]["without condition 1 (same question)"]
    events = [merge_event(n, given) for n, given in enumerate(case["args"]["annotations"])]
    result = settle_question(case["args"]["question"], events, mode=mode)
    assert result.level == expected["agreement"]
    assert [int(event_id[1:]) for event_id in result.kept] == expected["kept"]
    assert result.question == expected["question"]


# Properties.

corrections = st.sampled_from([None, None, M, M2, M3, f" {Q0} ", f"{M} "])
element_lists = st.lists(
    st.sampled_from([D, DD, V, OCT, ok(0, 0), ok(9, 9), ok(50, 0)]), max_size=3
)
answers_given = st.one_of(
    st.builds(
        lambda full, elements, q: answer(full, *elements, q=q),
        st.sampled_from(["A.", "B.", "C.", "D.", "A. "]),
        element_lists,
        corrections,
    ),
    st.builds(no_answer, corrections),
    st.just(INVALID),
)
timed = st.lists(st.tuples(answers_given, st.integers(0, 3)), min_size=1, max_size=6).map(
    lambda items: [event(f"e{n}", given, day=day) for n, (given, day) in enumerate(items)]
)
modes = st.sampled_from(AgreementMode)
ids = [f"e{n}" for n in range(6)]
pair_lists = st.lists(st.tuples(st.sampled_from(ids), st.sampled_from(ids)), max_size=8)


@given(pair_lists, st.randoms())
def test_closed_agreement_is_the_smallest_equivalence_over_the_pairs(pairs, random):
    groups = close_agreement(ids, pairs)
    assert sorted(member for group in groups for member in group) == ids
    agree = {(a, a) for a in ids} | set(pairs) | {(b, a) for a, b in pairs}
    for through, a, b in itertools.product(ids, repeat=3):  # Warshall: `through` outermost.
        if (a, through) in agree and (through, b) in agree:
            agree.add((a, b))
    assert {(a, b) for group in groups for a in group for b in group} == agree
    shuffled = [pair[::-1] for pair in pairs]
    random.shuffle(shuffled)
    assert close_agreement(ids, shuffled) == groups


@given(timed, modes, st.randoms())
def test_the_order_of_annotations_changes_nothing(events, mode, random):
    shuffled = list(events)
    random.shuffle(shuffled)
    assert settle_question(Q0, shuffled, mode=mode) == settle_question(Q0, events, mode=mode)


@given(timed, modes)
def test_merging_what_was_kept_changes_nothing(events, mode):
    first = settle_question(Q0, events, mode=mode)
    if not first.kept:
        return
    kept = [e for e in events if e.event_id in first.kept]
    again = settle_question(Q0, kept, mode=mode)
    assert again.kept == first.kept
    assert (again.question, again.question_from) == (first.question, first.question_from)
    assert again.level in (AgreementLevel.FULL, AgreementLevel.SINGLE)
    assert again.removed == ()


@given(timed, modes, st.integers(0, 4))
def test_an_invalid_answer_more_changes_nothing_but_counts(events, mode, day):
    before = settle_question(Q0, events, mode=mode)
    after = settle_question(Q0, [*events, event("x", INVALID, day=day)], mode=mode)
    assert after.n_invalid == before.n_invalid + 1
    assert after.n_annotations == before.n_annotations + 1
    unchanged = (
        *("level", "answer_only_level", "edges", "clause_counts"),
        *("kept", "question", "question_from"),
    )
    for name in unchanged:
        assert getattr(after, name) == getattr(before, name)
    assert [r for r in after.removed if r.event_id != "x"] == list(before.removed)


@given(timed, modes)
def test_every_answer_is_kept_or_removed_and_never_both(events, mode):
    result = settle_question(Q0, events, mode=mode)
    fates = [*result.kept, *(removal.event_id for removal in result.removed)]
    assert sorted(fates) == sorted(e.event_id for e in events)


@given(timed)
def test_answers_alone_never_agree_further_than_with_the_question(events):
    rank = [AgreementLevel.NONE, AgreementLevel.PARTIAL, AgreementLevel.FULL]
    result = settle_question(Q0, events)
    if result.level in (AgreementLevel.SINGLE, AgreementLevel.ALL_INVALID):
        assert result.answer_only_level == result.level
    elif len(events) - result.n_invalid <= 3:  # For more, a tie can hide a larger group.
        assert rank.index(result.answer_only_level) <= rank.index(result.level)
