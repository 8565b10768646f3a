"""What a pass has still to do: one duty a task, and who is to do it.

It is judged by the live events of a screen alone, so that a campaign can go on from
whatever was imported: done work is not handed out again.
"""

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from schemas.annotations import AnnotationEvent, AnnotationPass, ShownShortAnswers
from schemas.campaigns import AnnotationPolicy
from schemas.records import Record
from schemas.settlements import ScreenAnnotations, SettledQuestion
from transforms.annotation.label_studio.assigning import Assignment, others_than
from transforms.annotation.label_studio.tasks import (
    Task,
    TaskScreen,
    answer_task,
    element_review_task,
    element_task,
    prefilter_task,
    question_task,
    screen_review_task,
    verify_task,
)
from transforms.identifying import stable_fraction


@dataclasses.dataclass(frozen=True, slots=True)
class Duty(Record):
    """One task that is lacking. `busy` are those who may not do it, `file` is where it goes."""

    pass_: AnnotationPass
    screen_id: str
    file: str
    busy: tuple[str, ...] = ()
    assignee: str | None = None
    previous: tuple[str, ...] = ()
    """Questions that the screen has already."""
    answer: Assignment | None = None
    """What is to be answered, in the answer pass."""
    target: AnnotationEvent | None = None
    """What is to be reviewed, in the review of elements."""
    labels: str = ""
    """What is to be found correct, in the review of screens."""
    question_id: str | None = None
    shown: ShownShortAnswers | None = None
    """The question and what is to be judged, in the verification of short answers."""


def screen_duties(
    pass_: AnnotationPass,
    screen_id: str,
    annotations: ScreenAnnotations | None,
    policy: AnnotationPolicy,
    *,
    is_rated: bool,
) -> Iterator[Duty]:
    """Yields what a pass that looks at screens one by one has still to do on one of them.

    Args:
        pass_: A pass other than the answers and the third one, which depend on splits.
        screen_id: The screen.
        annotations: What its events come to; None if it has none.
        policy: The campaign's decisions.
        is_rated: Whether the campaign has a prefilter pass: then what it has not let
            through goes no further, the unrated as well.
    """
    if pass_ is AnnotationPass.PREFILTER:
        if annotations is None or annotations.prefilter is None:
            yield Duty(pass_, screen_id, pass_.value)
    elif is_fit(annotations, policy, is_rated=is_rated):
        yield from _FINDERS[pass_](pass_, screen_id, annotations or _nothing(screen_id))


def is_fit(
    annotations: ScreenAnnotations | None, policy: AnnotationPolicy, *, is_rated: bool
) -> bool:
    """Whether prefilter and screen review leave a screen to later passes."""
    if annotations is None:
        return not is_rated
    if annotations.refusal is not None:
        return False
    review, prefilter = annotations.review, annotations.prefilter
    if policy.drop_reviewed_screens and review is not None and (review.pii or review.unsafe):
        return False
    return not is_rated if prefilter is None else prefilter.keeps


def third_pass_duties(
    screen_ids: Iterable[str], previous: dict[str, tuple[str, ...]]
) -> Iterator[Duty]:
    """Yields the duty of each screen that the third pass takes; they may ask about any."""
    pass_ = AnnotationPass.QUESTION_3_NA
    for screen_id in screen_ids:
        yield Duty(pass_, screen_id, pass_.value, previous=previous[screen_id])


def answer_duties(assignments: Iterable[Assignment]) -> Iterator[Duty]:
    """Yields the duty of each answer that is lacking, with whoever it was assigned to."""
    for found in assignments:
        file = found.file_name().removesuffix(".json")
        screen_id = found.question.screen_id
        yield Duty(AnnotationPass.ANSWER, screen_id, file, assignee=found.assignee, answer=found)


def hand_out(duties: Iterable[Duty], annotators: Sequence[str], seed: str) -> Iterator[Duty]:
    """Yields the duties, each with one of the annotators who may do it.

    Who has least is next, and a hash decides between equals. What is assigned stays so.

    Raises:
        ValueError: Nobody is left who may do one of them.
    """
    load: Counter[str] = Counter()
    for duty in duties:
        if duty.assignee is not None or not annotators:
            yield duty
            continue
        free = others_than(annotators, duty.busy)
        if not free:
            raise ValueError(
                f"screen {duty.screen_id} needs an annotator for {duty.pass_} who did not do "
                "the work before it, and there is none"
            )
        who = min(free, key=lambda who: (load[who], stable_fraction(seed, duty.screen_id, who)))
        load[who] += 1
        yield dataclasses.replace(duty, assignee=who)


def duty_task(duty: Duty, screen: TaskScreen) -> Task:
    """Returns the Label Studio task of a duty."""
    task = _bare_task(duty, screen)
    if duty.assignee is not None:
        task["data"]["assignee"] = duty.assignee
    return task


def labels_text(questions: Iterable[SettledQuestion]) -> str:
    """Returns the questions of a screen with their answers, for who reviews the screen.

    Never an empty text: the editor has nothing to show for that.
    """
    lines = []
    for place, question in enumerate(questions, start=1):
        lines.append(f"{place}. {question.text}")
        for event in question.answers:
            answer = event.answer
            assert answer is not None
            lines.append(f"   – {answer.full_answer or answer.state.replace('_', ' ')}")
    return "\n".join(lines) or "(no questions)"


def texts_of(questions: Iterable[SettledQuestion]) -> tuple[str, ...]:
    """Returns the questions' texts."""
    return tuple(question.text for question in questions)


def _bare_task(duty: Duty, screen: TaskScreen) -> Task:
    if duty.answer is not None:
        asked = duty.answer.question
        return answer_task(
            screen,
            question_id=asked.question_id,
            question=asked.text,
            composers=asked.composers,
            split=duty.answer.split,
            slot=duty.answer.slot,
            assignee=duty.assignee,
        )
    if duty.target is not None:
        return element_review_task(screen, duty.target)
    if duty.shown is not None:
        assert duty.question_id is not None
        return verify_task(screen, question_id=duty.question_id, shown=duty.shown)
    if duty.pass_ is AnnotationPass.PREFILTER:
        return prefilter_task(screen)
    if duty.pass_ is AnnotationPass.ELEMENT:
        return element_task(screen)
    if duty.pass_ is AnnotationPass.SCREEN_REVIEW:
        return screen_review_task(screen, duty.labels)
    return question_task(duty.pass_, screen, duty.previous)


def _first_duty(pass_: AnnotationPass, screen_id: str, found: ScreenAnnotations) -> Iterator[Duty]:
    """Yields the duty of a pass that one person does on each screen, whatever came before."""
    if not _is_done(pass_, found):
        yield Duty(pass_, screen_id, pass_.value)


def _second_questions(
    pass_: AnnotationPass, screen_id: str, found: ScreenAnnotations
) -> Iterator[Duty]:
    """Yields the duty of the second annotator; a screen that gave no question gets none."""
    if found.questions and not _is_done(pass_, found):
        first = AnnotationPass.QUESTION_1
        busy = [who for q in found.questions if q.pass_ is first for who in q.composers]
        busy += [event.annotator_id for event in found.others if event.pass_ is first]
        yield Duty(
            pass_,
            screen_id,
            pass_.value,
            busy=tuple(dict.fromkeys(busy)),
            previous=texts_of(found.questions),
        )


def _element_reviews(
    pass_: AnnotationPass, screen_id: str, found: ScreenAnnotations
) -> Iterator[Duty]:
    """Yields the duty of reviewing each labelling that nobody has reviewed."""
    reviewed = {e.review.target_event_id for e in found.others if e.review is not None}
    for event in found.others:
        if event.element is not None and event.event_id not in reviewed:
            yield Duty(pass_, screen_id, pass_.value, (event.annotator_id,), target=event)


def _screen_reviews(
    pass_: AnnotationPass, screen_id: str, found: ScreenAnnotations
) -> Iterator[Duty]:
    if not _is_done(pass_, found):
        yield Duty(pass_, screen_id, pass_.value, labels=labels_text(found.questions))


_FINDERS = {
    AnnotationPass.QUESTION_1: _first_duty,
    AnnotationPass.QUESTION_2: _second_questions,
    AnnotationPass.ELEMENT: _first_duty,
    AnnotationPass.ELEMENT_REVIEW: _element_reviews,
    AnnotationPass.SCREEN_REVIEW: _screen_reviews,
}


def _is_done(pass_: AnnotationPass, found: ScreenAnnotations) -> bool:
    """Whether somebody did this pass on the screen, even if only to say that there is nothing."""
    asked = any(question.pass_ is pass_ for question in found.questions)
    return asked or any(event.pass_ is pass_ for event in found.others)


def _nothing(screen_id: str) -> ScreenAnnotations:
    return ScreenAnnotations(screen_id, None, None, False, (), (), ())
