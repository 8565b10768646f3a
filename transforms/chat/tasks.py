"""The four tasks of ScreenQA (section 3): what a model is asked, and which replies are right.

A question with several right answers makes one example, its answer chosen by a digest of a
seed and the question's id, or one example an answer (ScreenQA D.2). Nothing here knows how a
format spells a reply; that is the business of `transforms.chat.formats`.
"""

import dataclasses
import enum
import hashlib
from collections.abc import Sequence
from typing import TypeVar

from schemas.geometry import Size
from schemas.questions import NO_ANSWER, Answer, UiElement

DEFAULT_SEED = "screenset"

Item = TypeVar("Item")


class ChatTask(enum.StrEnum):
    """The tasks, as their folders are called."""

    SQA_S = "sqa_s"
    """A short answer."""
    SQA_L = "sqa_l"
    """An answer as a sentence."""
    SQA_UIC = "sqa_uic"
    """The texts of the elements that hold the answer."""
    SQA_UIC_BB = "sqa_uic_bb"
    """The same with their boxes."""


class Pick(enum.StrEnum):
    """What becomes of several right answers to one question."""

    ONE = "one"
    ALL = "all"


@dataclasses.dataclass(frozen=True, slots=True)
class ChatChoice:
    """Which right answers make examples.

    `short_answers` is for the accepted short forms, `answers` for the annotators of the other
    tasks (one in train, three in validation and test, D.2).
    """

    short_answers: Pick = Pick.ONE
    answers: Pick = Pick.ONE
    seed: str = DEFAULT_SEED


@dataclasses.dataclass(frozen=True, slots=True)
class ChatQuestion:
    """What a published row says of one question. `size` is the picture's, None if unknown."""

    question_id: str
    text: str
    short_answers: tuple[str, ...]
    answers: tuple[Answer, ...]
    size: Size | None


@dataclasses.dataclass(frozen=True, slots=True)
class Located:
    """Elements with the picture that their boxes are on; none means no answer."""

    elements: tuple[UiElement, ...]
    size: Size


Target = str | tuple[str, ...] | Located
"""What is right: a text, the texts of elements, or elements with boxes."""


def targets(question: ChatQuestion, task: ChatTask, choice: ChatChoice) -> list[Target]:
    """Returns the right replies of a task that are to make an example each.

    A question that the screen does not answer has one too: `<no answer>`, or no element
    (section 3). None at all come of a question of which the build does not know what the task
    asks for, such as one without short answers. Equal ones come once.
    """
    if task is ChatTask.SQA_S:
        # Sorted, since the stored order means nothing and differs between releases.
        variants = sorted(set(question.short_answers))
        return list(_picked(variants, question, choice.short_answers, choice.seed))
    known = [
        target
        for answer in question.answers
        if (target := _target(answer, task, question.size)) is not None
    ]
    # Picked before equal ones are united: an answer of two annotators is as likely as it was.
    return list(dict.fromkeys(_picked(known, question, choice.answers, choice.seed)))


def chosen(items: Sequence[Item], seed: str, question_id: str) -> Item:
    """Returns one of some items, by SHA-256 of a seed and a question's id.

    The same two choose the same item in every process and on every machine.
    """
    digest = hashlib.sha256(f"{seed}\0{question_id}".encode("utf-8", "surrogatepass")).digest()
    return items[int.from_bytes(digest[:8], "big") % len(items)]


def _picked(items: Sequence[Item], question: ChatQuestion, pick: Pick, seed: str) -> Sequence[Item]:
    if pick is Pick.ALL or not items:
        return items
    return [chosen(items, seed, question.question_id)]


def _target(answer: Answer, task: ChatTask, size: Size | None) -> Target | None:
    """Returns what an annotator's answer is for a task; None if it does not say.

    An answer without elements that does not say `<no answer>` would teach, as an empty list,
    that there is none; so it says nothing about elements.
    """
    if task is ChatTask.SQA_L:
        return answer.full_answer
    unanswerable = answer.full_answer == NO_ANSWER
    elements = () if unanswerable else answer.ui_elements
    if not elements and not unanswerable:
        return None
    if task is ChatTask.SQA_UIC:
        return tuple(element.text for element in elements)
    return None if size is None else Located(elements, size)
