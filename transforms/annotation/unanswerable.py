"""The third question pass: on how many screens, on which, and what share it reaches.

ScreenQA 4.4 samples screens without a question that has no answer, until about a tenth of
each split's questions have at least one annotator who finds no answer.
"""

import dataclasses
import math
from collections.abc import Iterable, Iterator
from fractions import Fraction

from schemas.annotations import AnnotationPass
from schemas.records import Record
from schemas.settlements import ScreenAnnotations
from schemas.splits import SPLITS
from transforms.annotation.answers import is_unanswerable
from transforms.identifying import id_order, stable_fraction


@dataclasses.dataclass(frozen=True, slots=True)
class ScreenState(Record):
    """How far a screen is on its way to a question without an answer."""

    screen_id: str
    split: str
    n_questions: int
    n_unanswerable: int
    """Questions that at least one annotator finds not answerable."""
    n_pending: int
    """Questions of the third pass that nobody has answered yet: a claim, not an answer."""
    has_third_pass: bool
    """Whether the third pass has its question here, whatever its answers said."""

    @property
    def is_eligible(self) -> bool:
        """Whether the third pass may take it: it has questions, and none such yet."""
        return self.n_questions > 0 and not self.n_unanswerable and not self.has_third_pass


@dataclasses.dataclass(frozen=True, slots=True)
class ThirdPassPlan(Record):
    """What the third pass is to do in one split, and where the split stands."""

    split: str
    n_questions: int
    n_unanswerable: int
    n_pending: int
    n_wanted: int
    """Further questions without an answer that the target share takes."""
    screen_ids: tuple[str, ...]
    """Screens to compose them on; fewer than wanted if there are no more such screens."""
    target_share: float
    share: float | None
    """Share (0 to 1) reached today; None without questions."""
    expected_share: float | None
    """Share once all pending and planned questions are found not answerable."""

    @property
    def n_short(self) -> int:
        """How many screens are lacking."""
        return self.n_wanted - len(self.screen_ids)


def screen_state(annotations: ScreenAnnotations, split: str) -> ScreenState:
    """Returns how far a screen is, from its live annotations."""
    unanswerable = [
        question
        for question in annotations.questions
        if any(is_unanswerable(event) for event in question.answers)
    ]
    third = [q for q in annotations.questions if q.pass_ is AnnotationPass.QUESTION_3_NA]
    return ScreenState(
        screen_id=annotations.screen_id,
        split=split,
        n_questions=len(annotations.questions),
        n_unanswerable=len(unanswerable),
        n_pending=sum(not question.answers for question in third),
        has_third_pass=bool(third),
    )


def missing_unanswerable(n_questions: int, n_unanswerable: int, share: float) -> int:
    """Returns how many questions without an answer must be added to reach a share.

    Each adds to both sides: (N + n) / (Q + n) = s gives n = (s·Q − N) / (1 − s), rounded up
    so that the share is reached (I13). Exact, since 0.1 is no binary fraction.

    Raises:
        ValueError: The share is not within 0 and 1, 1 excluded.
    """
    if not 0 <= share < 1:
        raise ValueError(f"a share of {share} cannot be reached")
    exact = Fraction(str(share))
    return max(0, math.ceil((exact * n_questions - n_unanswerable) / (1 - exact)))


def plan_third_pass(
    states: Iterable[ScreenState], share: float, seed: str
) -> Iterator[ThirdPassPlan]:
    """Yields the plan of each split that has screens, train first.

    Screens are drawn by a hash of their id and the seed, so that the same screens come out
    whatever their order, and a larger sample holds the smaller one.
    """
    by_split: dict[str, list[ScreenState]] = {}
    for state in states:
        by_split.setdefault(state.split, []).append(state)
    known = {split: place for place, split in enumerate(SPLITS)}
    for split in sorted(by_split, key=lambda name: (known.get(name, len(known)), name)):
        yield _plan(split, by_split[split], share, seed)


def _plan(split: str, states: list[ScreenState], share: float, seed: str) -> ThirdPassPlan:
    n_questions = sum(state.n_questions for state in states)
    n_unanswerable = sum(state.n_unanswerable for state in states)
    n_pending = sum(state.n_pending for state in states)
    wanted = missing_unanswerable(n_questions, n_unanswerable + n_pending, share)
    eligible = [state.screen_id for state in states if state.is_eligible]
    eligible.sort(key=lambda screen_id: (stable_fraction(seed, "third pass", screen_id), screen_id))
    chosen = sorted(eligible[:wanted], key=id_order)
    return ThirdPassPlan(
        split=split,
        n_questions=n_questions,
        n_unanswerable=n_unanswerable,
        n_pending=n_pending,
        n_wanted=wanted,
        screen_ids=tuple(chosen),
        target_share=share,
        share=_share(n_unanswerable, n_questions),
        expected_share=_share(n_unanswerable + n_pending + len(chosen), n_questions + len(chosen)),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
