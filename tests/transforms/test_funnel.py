"""The funnel: stages in the order of the paper's Table 3, with what was counted at them."""

from schemas.rejects import Tally
from transforms.funnel import QUESTIONS, SCREENS, STAGES, FunnelRow, at_stage, funnel_rows


def counted(*tallies):
    return {(tally.kind, tally.outcome): tally.count for tally in tallies}


def test_a_stage_counts_screens_and_questions_apart():
    assert list(at_stage("asked", screens=1, questions=4)) == [
        Tally(SCREENS, "asked", 1),
        Tally(QUESTIONS, "asked", 4),
    ]


def test_what_is_not_there_is_not_counted():
    assert list(at_stage("asked")) == []
    assert list(at_stage("all_invalid", questions=1)) == [Tally(QUESTIONS, "all_invalid", 1)]


def test_rows_come_in_the_order_of_the_stages_whatever_that_of_the_counts():
    tallies = counted(
        Tally(QUESTIONS, "asked", 8),
        Tally(SCREENS, "asked", 3),
        Tally(SCREENS, "non_english", 1),
        Tally("screen", "read", 5),
    )
    statistics = {"test": {"screens": 1, "questions": 2}, "train": {"screens": 2, "questions": 6}}
    assert funnel_rows(tallies, statistics) == [
        FunnelRow("original", 5, None),
        FunnelRow("non_english", 1, None),
        FunnelRow("asked", 3, 8),
        FunnelRow("train", 2, 6),
        FunnelRow("test", 1, 2),
    ]


def test_a_stage_that_nothing_reached_has_no_row():
    assert funnel_rows({}, {}) == []
    assert funnel_rows(counted(Tally(QUESTIONS, "no_agreement", 2)), {}) == [
        FunnelRow("no_agreement", None, 2)
    ]


def test_other_counts_and_splits_are_no_stages():
    tallies = counted(Tally("annotation_event", "read", 9), Tally("repairs", "clipped", 1))
    assert funnel_rows(tallies, {"held_out": {"screens": 1}}) == []


def test_every_stage_says_what_it_is_in_its_own_words():
    assert len(set(STAGES.values())) == len(STAGES)
    assert all(STAGES.values())
