"""What annotators make of a question: the ways in which they agree, correct and contradict."""

import dataclasses
from collections.abc import Sequence

from pipelines.sample.choosing import Choices
from pipelines.sample.screens import DrawnScreen
from pipelines.sample.views import Element, Question

ANSWERABLE = "answerable"
NOT_ANSWERABLE = "not_answerable"
INVALID = "invalid_question"


@dataclasses.dataclass(frozen=True, slots=True)
class MarkedElement:
    """An element of an answer; `bounds` are left, top, right, bottom in pixels."""

    text: str
    bounds: tuple[int, int, int, int]
    vh_index: int


@dataclasses.dataclass(frozen=True, slots=True)
class Judgement:
    """One annotator's answer. `kept` says whether it survives the paper's rule (A.5)."""

    annotator: str
    state: str
    full_answer: str | None = None
    correction: str | None = None
    elements: tuple[MarkedElement, ...] = ()
    kept: bool = True


@dataclasses.dataclass(frozen=True, slots=True)
class Verdict:
    """All answers to one question, and how the question reads in the end; `None`: dropped."""

    judgements: tuple[Judgement, ...]
    final_text: str | None


# What happens to the questions with three answers, in this order; after it they agree.
THREE_ANSWERS = (
    "two_edits",
    "partial",
    "agree",
    "none",
    "mixed",
    "agree",
    "three_edits",
    "one_invalid",
    "agree",
    "all_invalid",
    "one_edit",
    "agree",
    "mixed",
    "partial",
)
# The same for questions with one answer.
ONE_ANSWER = ("agree", "one_edit", "agree", "all_invalid", "agree", "mixed")


def reworded(text: str) -> tuple[str, str, str]:
    """Returns three other ways to ask a question."""
    words = text.removesuffix("?")
    return f"{words} on the screen?", f"{words} in this app?", f"{words} as shown here?"


def marked(
    screen: DrawnScreen, element: Element, *, drawn: bool = False, known: bool = True
) -> MarkedElement:
    """Returns an element as an annotator marked it.

    Args:
        screen: Screen that the element is on.
        element: What was marked.
        drawn: Whether the annotator drew the box although there is a view for it.
        known: Whether the screen's hierarchy could be shown to the annotator.
    """
    index = -1 if drawn or not known else screen.vh_index(element)
    return MarkedElement(element.text, screen.bounds_px(element), index)


def judge(
    screen: DrawnScreen,
    question: Question,
    annotators: Sequence[str],
    case: str,
    choices: Choices,
    *,
    known: bool = True,
) -> Verdict:
    """Returns what the annotators answer in a case of `THREE_ANSWERS` or `ONE_ANSWER`.

    `annotators` are in the order in which they submit.
    """
    if not question.elements:
        absent = tuple(Judgement(name, NOT_ANSWERABLE) for name in annotators)
        return Verdict(absent, question.text)
    answers = []
    for place, name in enumerate(annotators):
        full = question.full_answer if place != 1 else f"It says {question.short_answers[0]}."
        by_hand = place == 2 or choices.chance(20)
        elements = tuple(marked(screen, e, drawn=by_hand, known=known) for e in question.elements)
        answers.append(Judgement(name, ANSWERABLE, full, None, elements))
    other = _another_element(screen, question)
    wrong = (marked(screen, other, known=known),)
    return _apply(case, question.text, answers, wrong, f'It says "{other.text}".')


def _apply(
    case: str,
    text: str,
    answers: list[Judgement],
    wrong: tuple[MarkedElement, ...],
    wrong_answer: str,
) -> Verdict:
    edits = reworded(text)
    if case in ("one_edit", "two_edits"):
        editors = 1 if case == "one_edit" else 2
        edited = [dataclasses.replace(a, correction=edits[0]) for a in answers[:editors]]
        # One of three who corrects is outvoted; one of one is not.
        outvoted = 2 * editors <= len(answers)
        return Verdict((*edited, *answers[editors:]), text if outvoted else edits[0])
    if case in ("three_edits", "partial", "none"):
        pairs = zip(answers, edits, strict=True)
        return _three_edits(
            case,
            [dataclasses.replace(a, correction=edit) for a, edit in pairs],
            wrong,
            wrong_answer,
        )
    if case in ("one_invalid", "all_invalid"):
        invalid = [Judgement(a.annotator, INVALID, kept=False) for a in answers]
        if case == "all_invalid":
            return Verdict(tuple(invalid), None)
        return Verdict((invalid[0], *answers[1:]), text)
    if case == "mixed":
        answers = [*answers[:-1], Judgement(answers[-1].annotator, NOT_ANSWERABLE)]
    return Verdict(tuple(answers), text)


def _three_edits(
    case: str, answers: list[Judgement], wrong: tuple[MarkedElement, ...], wrong_answer: str
) -> Verdict:
    """Returns the cases in which no two annotators ask the same, so that answers decide."""
    first, second, third = answers
    if case == "three_edits":
        return Verdict((first, second, third), third.correction)
    third = dataclasses.replace(third, full_answer=wrong_answer, elements=wrong, kept=False)
    if case == "partial":
        return Verdict((first, second, third), second.correction)
    first = dataclasses.replace(first, kept=False)
    absent = Judgement(second.annotator, NOT_ANSWERABLE, correction=second.correction, kept=False)
    return Verdict((first, absent, third), None)


def _another_element(screen: DrawnScreen, question: Question) -> Element:
    texts = {element.text for element in question.elements}
    return next(
        element
        for element in reversed(screen.elements)
        if element.text not in texts and len(element.text) > 1 and screen.vh_index(element) >= 0
    )
