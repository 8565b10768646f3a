"""Answered questions taken apart into the raw events of a campaign, with trouble put in.

What must come out again is computed from what was put in, never by the rule under test:
each piece of trouble says itself what becomes of it.
"""

import dataclasses
import datetime
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from schemas.annotations import (
    PAYLOAD_COLUMNS,
    AnnotationEvent,
    AnnotationPass,
    AnswerElement,
    AnswerState,
    ComposedQuestion,
    ElementOrigin,
    EventSource,
    EventStatus,
    GivenAnswer,
)
from schemas.geometry import Bounds, Size
from schemas.questions import NO_ANSWER, Answer, Question, UiElement

T = TypeVar("T")

START = datetime.datetime(2026, 1, 5, tzinfo=datetime.UTC)
CUTOFF = START + datetime.timedelta(days=100)
MOST_QUESTIONS = 9
_MARK = "‡"
"""In all texts that trouble brings, and in no other."""

_DAY_OF = {
    AnnotationPass.QUESTION_1: 1,
    AnnotationPass.QUESTION_2: 11,
    AnnotationPass.QUESTION_3_NA: 31,
    AnnotationPass.ANSWER: 41,
}
_COMPOSERS = {
    AnnotationPass.QUESTION_1: "first",
    AnnotationPass.QUESTION_2: "second",
    AnnotationPass.QUESTION_3_NA: "third",
}
_UNSURE = (EventStatus.CANCELLED, EventStatus.DRAFT, EventStatus.WITHDRAWN)


class Chooser(Protocol):
    """Where choices come from; `pipelines.sample.choosing.Choices` is one."""

    def pick(self, options: Sequence[T]) -> T: ...

    def chance(self, percent: int) -> bool: ...

    def shuffled(self, options: Sequence[T]) -> list[T]: ...


@dataclasses.dataclass(frozen=True)
class Expected:
    """A question as it must come out."""

    text: str
    answers: tuple[Answer, ...]
    level: str
    question_from: str
    n_annotations: int
    n_invalid: int


@dataclasses.dataclass
class Disassembled:
    """The events of some screens, and what must come of them."""

    events: list[AnnotationEvent] = dataclasses.field(default_factory=list)
    expected: dict[str, list[Expected]] = dataclasses.field(default_factory=dict)
    """By screen id; a screen of which nothing stays has none."""
    fates: Counter = dataclasses.field(default_factory=Counter)
    """Rejects by (kind, reason), and events set aside or merged by (kind, outcome)."""
    troubles: Counter = dataclasses.field(default_factory=Counter)


def squeezed(text: str) -> str:
    """Returns a text as questions are published: in NFC, its blanks single."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def take_apart(
    questions: Iterable[Question], choices: Chooser, *, trouble: int = 40, leaves: bool = True
) -> Disassembled:
    """Returns the events of a campaign that came to these questions, in a shuffled order.

    Args:
        questions: Answered ones, no two of a screen alike; at most nine a screen are taken.
        choices: Where all decisions come from.
        trouble: Chance, in percent, of each kind of trouble.
        leaves: Whether the build will find the leaves that the answers name; without, it
            takes all boxes for drawn ones.
    """
    found = Disassembled()
    by_screen: dict[str, list[Question]] = {}
    for question in questions:
        by_screen.setdefault(question.screen_id, []).append(question)
    for screen_id, of_screen in by_screen.items():
        screen = _Screen(screen_id, found, choices, trouble, leaves)
        screen.take_apart(of_screen[:MOST_QUESTIONS])
    found.events = choices.shuffled(found.events)
    return found


class _Screen:
    """One screen being taken apart. Every method that adds trouble says what it comes to."""

    def __init__(
        self, screen_id: str, found: Disassembled, choices: Chooser, trouble: int, leaves: bool
    ) -> None:
        self._id = screen_id
        self._found = found
        self._choices = choices
        self._trouble = trouble
        self._leaves = leaves
        self._frame = Size(0, 0)
        self._number = 0
        self._room = {
            AnnotationPass.QUESTION_1: 5,
            AnnotationPass.QUESTION_2: 3,
            AnnotationPass.QUESTION_3_NA: 1,
        }

    def take_apart(self, questions: Sequence[Question]) -> None:
        expected = []
        for question in questions:
            self._frame = question.frame or Size(0, 0)
            expected.append(self._question(question))
        self._found.expected[self._id] = expected
        extras: list[Callable[[], None]] = [
            self._nobody_answers,
            self._all_call_it_invalid,
            self._nobody_agrees,
            self._about_no_question,
        ]
        for extra in self._choices.shuffled(extras):
            if self._happens(extra.__name__):
                extra()
        if self._happens("corrected_into_another"):
            self._corrected_into(expected[0])

    # The questions themselves

    def _question(self, question: Question) -> Expected:
        text = squeezed(question.text)
        given = [self._given(answer) for answer in question.answers]
        told = [self._told(answer) for answer in question.answers]
        composed, corrections, origin = self._wording(text, given)
        asked = self._compose(self._free_pass(), composed)
        assert asked is not None
        answers = [
            self._answer(asked, f"annotator {n}", dataclasses.replace(a, question_correction=c))
            for n, (a, c) in enumerate(zip(given, corrections, strict=True))
        ]
        self._disturb(asked, answers)
        n_invalid = self._calls_invalid(asked)
        n_other = self._disagrees(asked, given)
        return Expected(
            text=text,
            answers=tuple(told),
            level="partial" if n_other else "single" if len(given) == 1 else "full",
            question_from=origin,
            n_annotations=len(given) + n_invalid + n_other,
            n_invalid=n_invalid,
        )

    def _wording(
        self, text: str, given: Sequence[GivenAnswer]
    ) -> tuple[str, list[str | None], str]:
        """Returns the question as composed, its corrections, and how it was found again."""
        usual = "single" if len(given) == 1 else "consensus"
        draft = f"{text} {_MARK} draft"
        # All have the same sentence, so that they agree whatever they ask.
        agree = len({squeezed(answer.full_answer or "") for answer in given}) == 1
        agree = agree and given[0].full_answer is not None and len(given) > 1
        kind = self._choices.pick(("as it is", "blanks", "all correct", "most", "all differ"))
        if not self._happens("wording"):
            kind = "as it is"
        if kind == "blanks":
            corrections = [self._choices.pick((None, f"  {text} ", "")) for _ in given]
            return f" {text}  ", corrections, usual
        if kind == "all correct":
            return draft, [text] * len(given), usual
        if kind == "most" and agree and len(given) > 2:
            return draft, [None, *[text] * (len(given) - 1)], usual
        if kind == "all differ" and agree:
            others = [f"{text} {_MARK} {n}" for n in range(len(given) - 1)]
            return draft, [*others, text], "latest"
        return text, [None] * len(given), usual

    def _given(self, answer: Answer) -> GivenAnswer:
        if answer.full_answer == NO_ANSWER:
            return GivenAnswer(AnswerState.NOT_ANSWERABLE, None, None, ())
        elements = tuple(_element(rank, e) for rank, e in enumerate(answer.ui_elements, start=1))
        return GivenAnswer(AnswerState.ANSWERABLE, answer.full_answer, None, elements)

    def _told(self, answer: Answer) -> Answer:
        if self._leaves:
            return answer
        drawn = tuple(dataclasses.replace(e, vh_index=-1) for e in answer.ui_elements)
        return dataclasses.replace(answer, ui_elements=drawn)

    # Trouble with the answers of a question that stays

    def _calls_invalid(self, asked: AnnotationEvent) -> int:
        if not self._happens("calls it invalid"):
            return 0
        invalid = GivenAnswer(AnswerState.INVALID_QUESTION, None, None, ())
        self._answer(asked, "sceptic", invalid)
        self._count("answer", "invalid_question")
        return 1

    def _disagrees(self, asked: AnnotationEvent, given: Sequence[GivenAnswer]) -> int:
        """Adds somebody who reads another question and answers something else."""
        # Against one answer there is no majority, and none of two stays.
        if len(given) < 2 or not self._happens("disagrees"):
            return 0
        self._answer(asked, "dissenter", self._stray(f"{_MARK} Another question?"))
        self._count("answer", "disagreeing_answer_removed")
        return 1

    def _stray(self, correction: str | None) -> GivenAnswer:
        """Returns an answer that no other agrees with, whatever it says."""
        self._number += 1
        element = UiElement(f"{_MARK} {self._number}", Bounds(0, 0, 9, 9), -1)
        full = f"{_MARK} It is {self._number}."
        given = self._given(Answer(full, (element,)))
        return dataclasses.replace(given, question_correction=correction)

    def _disturb(self, asked: AnnotationEvent, answers: Sequence[AnnotationEvent]) -> None:
        """Adds events that change nothing."""
        for event in (asked, *answers):
            if self._happens("copy"):
                self._add(_elsewhere(event))
                self._count("annotation_event", "merged")
            if self._happens("revision"):
                self._add(_older(event))
                self._count("annotation_event", "superseded_revision")
        for event in answers:
            if self._happens("first try"):
                self._first_try(event)
        if self._happens("asked again"):
            self._ask_again(asked)
        self._add_what_does_not_count(asked)

    def _add_what_does_not_count(self, asked: AnnotationEvent) -> None:
        if self._happens("late"):
            self._answer(asked, "latecomer", self._stray(None), at=CUTOFF + _hours(1))
            self._count("annotation_event", "late_event")
        if self._happens("not handed in"):
            status = self._choices.pick(_UNSURE)
            event = self._answer(asked, "waverer", self._stray(None), add=False)
            self._add(dataclasses.replace(event, status=status, answer=None))
            self._count("annotation_event", status.value)
        if self._happens("own question"):
            self._answer(asked, _COMPOSERS[asked.pass_], self._stray(None))
            self._count("annotation_event", "composer_answered_own_question")

    def _first_try(self, event: AnnotationEvent) -> None:
        assert event.answer is not None
        early = dataclasses.replace(
            event,
            event_id=f"{event.event_id}/first",
            submitted_at=event.submitted_at - datetime.timedelta(days=1),
            updated_at=None,
            answer=self._stray(f"{_MARK} hasty"),
        )
        self._add(early)
        self._count("annotation_event", "superseded_by_same_annotator")

    def _ask_again(self, asked: AnnotationEvent) -> None:
        """Lets a colleague compose the very same question, and answer it: not allowed."""
        assert asked.question is not None
        text = squeezed(asked.question.text or "").replace(" ", "  ")
        again = self._compose(asked.pass_, f"{text} ", who=f"colleague {self._number}", extra=True)
        assert again is not None
        self._count("annotation_event", "merged")
        self._answer(again, f"colleague {self._number - 1}", self._stray(None))
        self._count("annotation_event", "composer_answered_own_question")

    # Questions of which nothing stays

    def _nobody_answers(self) -> None:
        asked = self._compose_extra("Nobody answers this?")
        if asked is not None:
            self._count("question", "question_unanswered")

    def _all_call_it_invalid(self) -> None:
        asked = self._compose_extra("What is that?")
        if asked is None:
            return
        for who in self._choices.pick((("a",), ("a", "b", "c"))):
            self._answer(asked, who, GivenAnswer(AnswerState.INVALID_QUESTION, None, None, ()))
            self._count("answer", "all_invalid")
        self._count("question", "all_invalid")

    def _nobody_agrees(self) -> None:
        asked = self._compose_extra("Who sees what?")
        if asked is None:
            return
        people = self._choices.pick((("a", "b"), ("a", "b", "c"), ("a", "b", "c", "d")))
        for who in people:
            self._answer(asked, who, self._stray(f"{_MARK} What does {who} see?"))
            self._count("answer", "no_agreement")
        self._count("question", "no_agreement")

    def _about_no_question(self) -> None:
        asked = self._compose(AnnotationPass.QUESTION_1, f"{_MARK} Lost?", add=False, extra=True)
        assert asked is not None
        self._answer(asked, "a", self._stray(None))
        self._count("annotation_event", "orphan_question")

    def _corrected_into(self, other: Expected) -> None:
        """Adds a later question that its only annotator turns into one that there is."""
        asked = self._compose_extra("Almost the same?")
        if asked is None:
            return
        self._answer(asked, "a", self._stray(f" {other.text}"))
        self._count("question", "duplicate_question")
        self._count("answer", "with_question")

    # Making events

    def _compose_extra(self, text: str) -> AnnotationEvent | None:
        if not any(self._room.values()):
            return None
        return self._compose(self._free_pass(), f"{_MARK} {text}")

    def _free_pass(self) -> AnnotationPass:
        return next(pass_ for pass_, room in self._room.items() if room)

    def _compose(
        self,
        pass_: AnnotationPass,
        text: str,
        *,
        who: str | None = None,
        add: bool = True,
        extra: bool = False,
    ) -> AnnotationEvent | None:
        self._number += 1
        if not extra:
            self._room[pass_] -= 1
        at = START + datetime.timedelta(days=_DAY_OF[pass_], minutes=self._number)
        event = self._event(
            pass_,
            ComposedQuestion(self._number, text, skipped_screen=False),
            who or _COMPOSERS[pass_],
            at,
        )
        # Each is an annotation of its own; none replaces another of the same person.
        event = dataclasses.replace(event, question_id=f"{self._id}:{pass_.value}:{self._number}")
        if add:
            self._add(event)
        return event

    def _answer(
        self,
        asked: AnnotationEvent,
        who: str,
        given: GivenAnswer,
        *,
        at: datetime.datetime | None = None,
        add: bool = True,
    ) -> AnnotationEvent:
        self._number += 1
        day = START + datetime.timedelta(days=_DAY_OF[AnnotationPass.ANSWER], minutes=self._number)
        event = self._event(AnnotationPass.ANSWER, given, who, at or day)
        event = dataclasses.replace(event, question_id=asked.question_id)
        if add:
            self._add(event)
        return event

    def _event(
        self,
        pass_: AnnotationPass,
        payload: object,
        who: str,
        at: datetime.datetime,
    ) -> AnnotationEvent:
        payloads = dict.fromkeys(PAYLOAD_COLUMNS.values())
        payloads[PAYLOAD_COLUMNS[pass_]] = payload
        return AnnotationEvent(
            schema_version="1.0",
            event_id=f"{self._id}/{self._number}",
            pass_=pass_,
            status=EventStatus.SUBMITTED,
            screen_id=self._id,
            question_id=None,
            annotator_id="a_" + who.encode().hex()[-12:].rjust(12, "0"),
            submitted_at=at,
            updated_at=at + _hours(1),
            updated_by_other=False,
            lead_time_s=None,
            supersedes=None,
            image_width=self._frame.width,
            image_height=self._frame.height,
            source=EventSource("test", *[None] * 11),
            flags=(),
            **payloads,
        )

    def _happens(self, what: str) -> bool:
        happens = self._choices.chance(self._trouble)
        self._found.troubles[what] += happens
        return happens

    def _add(self, event: AnnotationEvent) -> None:
        self._found.events.append(event)

    def _count(self, kind: str, fate: str) -> None:
        self._found.fates[kind, fate] += 1


def _element(rank: int, element: UiElement) -> AnswerElement:
    is_leaf = element.vh_index >= 0
    return AnswerElement(
        rank=rank,
        text=element.text,
        bounds=element.bounds,
        vh_index=element.vh_index,
        region_id=f"r{rank}",
        origin=ElementOrigin.VH if is_leaf else ElementOrigin.DRAWN,
    )


def _elsewhere(event: AnnotationEvent) -> AnnotationEvent:
    return dataclasses.replace(
        event, source=dataclasses.replace(event.source, file="copy.json", record_index=7)
    )


def _older(event: AnnotationEvent) -> AnnotationEvent:
    """Returns an event as it was before it was changed, which nobody must see again."""
    changes = {}
    if event.question is not None:
        changes["question"] = dataclasses.replace(event.question, text=f"{_MARK} old?")
    else:
        changes["answer"] = GivenAnswer(AnswerState.ANSWERABLE, f"{_MARK} old.", None, ())
    return dataclasses.replace(event, updated_at=event.submitted_at, **changes)


def _hours(count: int) -> datetime.timedelta:
    return datetime.timedelta(hours=count)
