"""Tests of the agreement on labels and the tally of questions."""

import datetime
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.agreements import (
    Agreement,
    AgreementLevel,
    ClauseCounts,
    QuestionOrigin,
)
from schemas.annotations import (
    AnnotationEvent,
    AnnotationPass,
    AnswerState,
    EventSource,
    EventStatus,
    GivenAnswer,
)
from transforms.annotation.estimates import Statistic, bootstrap_interval
from transforms.annotation.statistics import (
    LabelShare,
    alpha_nominal,
    answerability,
    group_labels,
    invalid_mark,
    label_shares,
    measure_labels,
    pairwise_percent,
    specific_agreement,
    tally_agreements,
)

# Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C: four observers.
KRIPPENDORFF = [
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
]
YES, NO = "answerable", "not_answerable"


def units(rows):
    """Returns the units of annotators' rows of labels, `.` being none."""
    columns = zip(*(row.split() for row in rows), strict=True)
    return Counter(tuple(None if x == "." else x for x in column) for column in columns)


def event(screen_id, question_id, state):
    return AnnotationEvent(
        schema_version="1.0",
        event_id="e",
        pass_=AnnotationPass.ANSWER,
        status=EventStatus.SUBMITTED,
        screen_id=screen_id,
        question_id=question_id,
        annotator_id="a",
        submitted_at=datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
        updated_at=None,
        updated_by_other=False,
        lead_time_s=None,
        supersedes=None,
        image_width=1080,
        image_height=1920,
        source=EventSource("test", *[None] * 11),
        prefilter=None,
        question=None,
        answer=None if state is None else GivenAnswer(AnswerState(state), None, None, ()),
        element=None,
        review=None,
        short_answers=None,
        screen_review=None,
        training=None,
        flags=(),
    )


def test_alpha_is_krippendorffs_on_his_example():
    assert alpha_nominal(units(KRIPPENDORFF)).value == pytest.approx(0.743421, abs=5e-7)


def test_alpha_of_a_fourfold_table_is_what_its_formula_gives():
    # 40 both yes, 40 both no, 20 split: o = 20 units, n = 200, n_c = 100 each.
    table = {(YES, YES): 40, (NO, NO): 40, (YES, NO): 20}
    assert alpha_nominal(table).value == pytest.approx(1 - 199 * 40 / (200**2 - 2 * 100**2))


def test_alpha_is_negative_for_those_who_always_differ():
    assert alpha_nominal({("a", "b"): 10}).value == pytest.approx(1 - 19 * 20 / 200)


def test_one_disagreement_among_twenty_gives_alpha_near_zero_beside_95_percent():
    table = {(YES, YES): 19, (YES, NO): 1}
    assert pairwise_percent(table) == Statistic(95.0)
    assert abs(alpha_nominal(table).value) < 0.01
    agreement = specific_agreement(table, YES)
    assert agreement.positive.value == pytest.approx(38 / 39)
    assert agreement.negative == Statistic(0.0)


@pytest.mark.parametrize("table", [{}, {("a",): 3}, {("a", None): 1, (None, "b"): 1}])
def test_without_a_unit_of_two_labels_there_is_a_reason_and_no_nan(table):
    reason = "no unit has two labels"
    assert alpha_nominal(table) == pairwise_percent(table) == Statistic(None, reason)
    assert specific_agreement(table, "a").positive.value is None
    assert specific_agreement(table, "a").negative.value is None


def test_alpha_of_one_label_only_has_a_reason():
    result = alpha_nominal({("a", "a", "a"): 5, ("b", None): 2})
    assert result == Statistic(None, "only one label occurs, so chance would agree as well")


def test_percent_counts_every_pair_once():
    # 3 of 3 pairs in the first unit, 1 of 3 in the second, 1 of 1 in the third.
    assert pairwise_percent({(YES,) * 3: 1, (YES, YES, NO): 1, (NO, NO, None): 1}) == Statistic(
        100 * 5 / 7
    )


def test_specific_agreement_is_that_of_the_fourfold_table():
    # a = 80, b + c = 15, d = 5.
    result = specific_agreement({(YES, YES): 80, (YES, NO): 15, (NO, NO): 5}, YES)
    assert result.positive.value == pytest.approx(160 / 175)
    assert result.negative.value == pytest.approx(10 / 25)


def test_specific_agreement_takes_all_other_labels_as_one():
    result = specific_agreement({("a", "a"): 1, ("b", "c"): 1}, "a")
    assert result.positive == result.negative == Statistic(1.0)


def test_specific_agreement_on_what_nobody_says_has_a_reason():
    result = specific_agreement({(YES, YES): 4}, NO)
    assert result.positive == Statistic(
        None, "nobody says not_answerable where another could agree"
    )
    assert result.negative == Statistic(1.0)


def test_shares_count_all_labels_but_missing_ones():
    shares = label_shares({(YES, NO, None): 2, (YES,): 1})
    assert shares == (LabelShare(YES, 3, 0.6), LabelShare(NO, 2, 0.4))


def test_labels_are_grouped_by_unit_and_screen():
    events = [
        event("s1", "q1", YES),
        event("s1", "q2", YES),
        event("s1", "q1", NO),
        event("s2", "q1", "invalid_question"),
        event("s1", "q2", NO),
    ]
    tables = group_labels(events, unit_of=lambda e: e.question_id, label_of=answerability)
    assert tables == {"s1": {(YES, NO): 2}, "s2": {(None,): 1}}
    reordered = group_labels(events[::-1], unit_of=lambda e: e.question_id, label_of=answerability)
    assert reordered == tables


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("answerable", ("answerable", "valid")),
        ("not_answerable", ("not_answerable", "valid")),
        ("invalid_question", (None, "invalid")),
        (None, (None, None)),
    ],
)
def test_an_answer_has_a_label_for_answerability_and_one_for_the_invalid_mark(state, expected):
    given = event("s", "q", state)
    assert (answerability(given), invalid_mark(given)) == expected


def test_all_figures_on_a_label_stand_beside_each_other():
    by_screen = {
        "s1": {(YES, YES, YES): 3, (YES, None, None): 1},
        "s2": {(NO, NO, NO): 1, (YES, YES, NO): 1},
    }
    result = measure_labels(by_screen, label=NO, seed=5, replicates=200)
    whole = {(YES,) * 3: 3, (YES, None, None): 1, (NO,) * 3: 1, (YES, YES, NO): 1}
    assert (result.n_units, result.n_pairable, result.n_missing) == (6, 5, 2)
    assert result.percent.statistic == pairwise_percent(whole)
    assert result.alpha.statistic == alpha_nominal(whole)
    assert result.positive.statistic == specific_agreement(whole, NO).positive
    assert result.negative.statistic == specific_agreement(whole, NO).negative
    assert result.prevalence == label_shares(whole)
    assert result.alpha.interval == bootstrap_interval(
        by_screen, alpha_nominal, seed=5, replicates=200
    )
    assert result.alpha.interval.n_undefined > 0  # Only s1 was drawn: one label.


def agreement(level, answer_only_level, origin=None, clauses=(0, 0, 0, 0)):
    return Agreement(
        n_annotations=3,
        n_invalid=0,
        level=level,
        answer_only_level=answer_only_level,
        edges=(),
        clause_counts=ClauseCounts(*clauses),
        kept=(),
        removed=(),
        question=None,
        question_from=origin,
    )


def test_questions_are_tallied_by_level_clause_and_origin():
    full, partial, none = AgreementLevel.FULL, AgreementLevel.PARTIAL, AgreementLevel.NONE
    single, invalid = AgreementLevel.SINGLE, AgreementLevel.ALL_INVALID
    tally = tally_agreements(
        [
            agreement(full, full, QuestionOrigin.CONSENSUS, (3, 1, 2, 0)),
            agreement(full, none, QuestionOrigin.CONSENSUS, (3, 0, 0, 0)),
            agreement(full, partial, QuestionOrigin.LATEST, (0, 1, 1, 1)),
            agreement(partial, partial, QuestionOrigin.LATEST, (0, 0, 1, 0)),
            agreement(single, single, QuestionOrigin.SINGLE),
            agreement(invalid, invalid),
        ]
    )
    assert (tally.n_questions, tally.n_single, tally.n_all_invalid) == (6, 1, 1)
    assert tally.levels == (
        LabelShare("full", 3, 0.75),
        LabelShare("partial", 1, 0.25),
        LabelShare("none", 0, 0.0),
    )
    assert [share.count for share in tally.answer_only_levels] == [1, 2, 1]
    assert tally.clauses == ClauseCounts(6, 2, 4, 1)
    assert [(share.label, share.count) for share in tally.question_from] == [
        ("consensus", 2),
        ("latest", 2),
        ("single", 1),
    ]


def test_a_tally_of_single_answers_has_no_shares():
    tally = tally_agreements([agreement(AgreementLevel.SINGLE, AgreementLevel.SINGLE)])
    assert tally.levels == ()


labels = st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1, max_size=4).map(tuple)
tables = st.dictionaries(labels, st.integers(1, 5), max_size=8)


@given(st.sets(st.sampled_from("abcdef"), min_size=2), st.integers(2, 5), st.integers(1, 9))
def test_alpha_of_identical_labels_is_one(names, annotators, times):
    assert alpha_nominal({(name,) * annotators: times for name in names}) == Statistic(1.0)


def test_units_that_differ_in_order_only_are_one_unit_to_the_last_digit():
    apart = {("a", "a", "b", "b"): 1, ("a", "b", "a", "b"): 1, ("b", "b", "a", "a"): 5}
    assert alpha_nominal(apart) == alpha_nominal({("a", "a", "b", "b"): 7})


@given(tables, st.permutations(["a", "b", "c"]))
def test_alpha_does_not_know_the_labels_names(table, names):
    renamed = dict(zip(["a", "b", "c", None], [*names, None], strict=True))
    other = {tuple(renamed[x] for x in unit): times for unit, times in table.items()}
    assert alpha_nominal(other) == alpha_nominal(table)


@given(tables, st.randoms())
def test_the_order_of_units_and_annotators_changes_nothing(table, random):
    shuffled = []
    for unit, times in table.items():
        for _ in range(times):
            members = list(unit)
            random.shuffle(members)
            shuffled.append(tuple(members))
    random.shuffle(shuffled)
    other = Counter(shuffled)
    assert alpha_nominal(other) == alpha_nominal(table)
    assert pairwise_percent(other) == pairwise_percent(table)
    assert specific_agreement(other, "a") == specific_agreement(table, "a")


@given(tables)
def test_missing_labels_and_lone_labels_change_no_alpha(table):
    padded = Counter()
    for unit, times in table.items():
        padded[(*unit, None)] += times
    padded[("c", None, None)] += 3
    assert alpha_nominal(padded) == alpha_nominal(table)


@given(tables)
def test_a_figure_has_either_a_value_in_its_range_or_a_reason(table):
    agreement_on_a = specific_agreement(table, "a")
    for statistic, low, high in [
        (alpha_nominal(table), -1, 1),
        (pairwise_percent(table), 0, 100),
        (agreement_on_a.positive, 0, 1),
        (agreement_on_a.negative, 0, 1),
    ]:
        assert (statistic.value is None) == bool(statistic.reason)
        assert statistic.value is None or low <= statistic.value <= high
