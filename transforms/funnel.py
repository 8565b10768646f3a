"""The funnel of a build: screens and questions by stage, as the paper's Table 3 has it."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from schemas.rejects import Outcome, Tally

SCREENS, QUESTIONS = "funnel_screens", "funnel_questions"
"""Kinds of tallies whose outcome is a stage."""

STAGES = {
    "original": "in the sources",
    "unusable": "removed: broken picture or hierarchy",
    "non_english": "removed: not in English",
    "out_of_sync": "removed: hierarchy out of sync",
    "reviewed_out": "removed: personal data or unsafe",
    "to_questions": "to question annotation",
    "question_1": "question pass 1",
    "question_2": "question pass 2",
    "lack_of_content": "lack of content",
    "to_answers": "to answer annotation",
    "question_3_na": "question pass 3, not answerable",
    "asked": "with questions",
    "unsplit": "dropped: unknown app, or picture in another split",
    "unanswered": "not answered yet",
    "all_invalid": "dropped: invalid question",
    "no_agreement": "dropped: no agreement",
    "duplicate": "dropped: same after corrections",
    "unshortened": "dropped: no short answer",
    "train": "train",
    "validation": "validation",
    "test": "test",
}
"""Stages in the order of the table, with what a person reads. Flags of a removed screen are
not exclusive, so removed rows may add up to more than what is missing (ScreenQA 4.1)."""


class FunnelRow(NamedTuple):
    """One stage; None where a stage has no count of a kind."""

    stage: str
    screens: int | None
    questions: int | None


def at_stage(stage: str, *, screens: int = 0, questions: int = 0) -> Iterator[Tally]:
    """Yields the tallies of so many screens and questions at a stage."""
    if screens:
        yield Tally(SCREENS, stage, screens)
    if questions:
        yield Tally(QUESTIONS, stage, questions)


def funnel_rows(
    tallies: Mapping[tuple[str, str], int], statistics: Mapping[str, Mapping[str, int]]
) -> list[FunnelRow]:
    """Returns the rows that a build has counts for, in the order of the stages.

    Args:
        tallies: All counts of the build by (kind, outcome).
        statistics: Its statistics by split, for the rows of the splits.
    """
    screens = {stage: tallies.get((SCREENS, stage)) for stage in STAGES}
    questions = {stage: tallies.get((QUESTIONS, stage)) for stage in STAGES}
    screens["original"] = tallies.get(("screen", Outcome.READ), screens["original"])
    for split, counts in statistics.items():
        if split in STAGES:
            screens[split], questions[split] = counts.get("screens"), counts.get("questions")
    return [
        FunnelRow(stage, screens[stage], questions[stage])
        for stage in STAGES
        if screens[stage] is not None or questions[stage] is not None
    ]
