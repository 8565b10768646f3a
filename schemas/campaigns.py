"""What a campaign decides once: cut-off, quotas, thresholds (annotation.md §2.3, §1a)."""

import dataclasses
import datetime
import enum

from schemas.agreements import AgreementMode
from schemas.annotations import AnnotationPass
from schemas.records import Record


class OverQuota(enum.StrEnum):
    """What becomes of answers beyond a question's number."""

    KEEP = "keep"
    """All stay: the agreement rule takes any number from two on."""
    EARLIEST = "earliest"
    """Only the earliest stay, as many as the split asks for."""


@dataclasses.dataclass(frozen=True, slots=True)
class AnnotationPolicy(Record):
    """A campaign's decisions; the defaults are the paper's."""

    cutoff: datetime.datetime | None = None
    """Last moment at which an event may have been submitted (I16); None for no end."""
    over_quota: OverQuota = OverQuota.KEEP
    answers_in_train: int = 1
    answers_in_evaluation: int = 3
    """Answers a question should have in validation and test (ScreenQA 4.3)."""
    questions_in_pass_1: int = 5
    questions_in_pass_2: int = 3
    questions_in_pass_3: int = 1
    """Questions that a pass may add to one screen (ScreenQA 4.2, 4.4); 9 in total (I9)."""
    near_duplicate_similarity: float = 85.0
    """Similarity, 0 to 100, from which two questions of a screen are reported."""
    drop_reviewed_screens: bool = True
    """Whether a reviewer's finding of personal data or unsafe content drops the screen."""
    training_share: float = 0.90
    """Share of gold tasks that must be right before a person's events count (ScreenQA A.4)."""
    training_tasks: int = 10
    """Gold tasks to be done before the share counts, or all that there are if fewer."""
    quality_share: float = 0.95
    """Rolling share of right gold tasks below which there is a warning (ScreenQA A.4)."""
    quality_window: int = 20
    """Latest gold tasks that the rolling share is taken over."""
    agreement: AgreementMode = AgreementMode.PAPER
    """Which of A.5's conditions make two answers agree."""
    unanswerable_share: float = 0.10
    """Share of questions that someone finds not answerable, in each split (ScreenQA 4.4)."""

    def most_questions(self, pass_: AnnotationPass) -> int:
        """Returns how many questions a pass may add to one screen."""
        return {
            AnnotationPass.QUESTION_1: self.questions_in_pass_1,
            AnnotationPass.QUESTION_2: self.questions_in_pass_2,
            AnnotationPass.QUESTION_3_NA: self.questions_in_pass_3,
        }[pass_]

    def answers_in(self, split: str) -> int:
        """Returns how many answers a question should have in a split."""
        return self.answers_in_train if split == "train" else self.answers_in_evaluation
