"""Who answers which question: composers left out, three different people where three answer."""

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from schemas.campaigns import AnnotationPolicy
from schemas.records import Record
from schemas.settlements import SettledQuestion
from transforms.identifying import id_order, stable_fraction

SLOTS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Names of the answers that a question is to get: one project each."""


@dataclasses.dataclass(frozen=True, slots=True)
class Assignment(Record):
    """One answer that a question still lacks."""

    question: SettledQuestion
    split: str
    slot: str
    assignee: str | None
    """Pseudonym of who is to give it; None if that is left to the project."""

    def file_name(self, *, by_assignee: bool = False) -> str:
        """Returns the file that its task goes to: one a slot, or one a slot and person."""
        who = f"_{self.assignee}" if by_assignee and self.assignee else ""
        return f"answer_{self.slot}{who}.json"


def assign_answers(
    questions: Iterable[tuple[SettledQuestion, str]],
    annotators: Sequence[str],
    policy: AnnotationPolicy,
    seed: str,
) -> Iterator[Assignment]:
    """Yields the answers that questions still lack, each with a person of its own.

    Who has least to do is next, and a hash decides between equals; so the outcome is the
    same for any order of the questions. Nobody gets a question that they composed, have
    answered or get in another slot.

    Args:
        questions: Questions with their split.
        annotators: Pseudonyms of those who answer; none if it is left to the projects.
        policy: How many answers a split asks for.
        seed: What the hash begins with.

    Raises:
        ValueError: There are too few annotators for a question.
    """
    load: Counter[str] = Counter()
    for question, split in sorted(questions, key=_order):
        wanted = policy.answers_in(split)
        answered = [event.annotator_id for event in question.answers]
        busy = {*question.composers, *answered}
        free = [who for who in dict.fromkeys(annotators) if who not in busy]
        slots = SLOTS[len(answered) : wanted]
        if annotators and len(free) < len(slots):
            raise ValueError(
                f"question {question.question_id} needs {len(slots)} more annotators who "
                f"neither composed nor answered it, and there are {len(free)}"
            )
        free.sort(key=lambda who: (load[who], stable_fraction(seed, question.question_id, who)))
        for place, slot in enumerate(slots):
            assignee = free[place] if annotators else None
            if assignee is not None:
                load[assignee] += 1
            yield Assignment(question, split, slot, assignee)


def others_than(annotators: Sequence[str], busy: Iterable[str]) -> tuple[str, ...]:
    """Returns the annotators who may work on what others have begun: all but those."""
    excluded = set(busy)
    return tuple(who for who in dict.fromkeys(annotators) if who not in excluded)


def _order(asked: tuple[SettledQuestion, str]) -> tuple[object, ...]:
    question, split = asked
    return id_order(question.screen_id), question.question_id, split
