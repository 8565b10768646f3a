"""The raw annotation events of all passes, with what goes wrong in a real campaign."""

import copy
import dataclasses
import datetime
from collections.abc import Iterator, Sequence

from pipelines.sample import roles
from pipelines.sample.campaign import (
    ABSENT_RATERS,
    PREFILTER_RATERS,
    QUESTION_1_RATERS,
    QUESTION_2_RATERS,
    RATERS,
    REVIEWERS,
    TRAINEE,
    Asked,
    question_id,
)
from pipelines.sample.choosing import Choices
from pipelines.sample.events import (
    START,
    Event,
    Writer,
    answer_payload,
    encoded,
    question_payload,
)
from pipelines.sample.judging import ANSWERABLE, NOT_ANSWERABLE, Judgement
from pipelines.sample.roles import CastScreen

# Days after the campaign's start on which each pass is done; a later pass never overlaps.
_TRAINING, _PREFILTER, _QUESTION_1, _QUESTION_2 = 0, 3, 10, 17
_ANSWER, _QUESTION_3_NA, _ANSWER_NA, _SCREEN_REVIEW = 24, 38, 42, 50
_LATE = 420

CUTOFF = START + datetime.timedelta(days=200)
"""When the campaign ended: after all events but the late one."""

FILES = 4
_GOLD_TASKS = 10


def annotation_files(
    screens: Sequence[CastScreen], asked: Sequence[Asked], seed: str
) -> dict[str, bytes]:
    """Returns the events of the campaign as JSON lines, by file name, in a shuffled order."""
    writer = Writer(seed)
    events = [
        *_training(writer, screens[0]),
        *_prefilter(writer, screens, seed),
        *_questions(writer, screens, asked),
        *_answers(writer, asked),
        *_screen_reviews(writer, screens),
        *_mishaps(writer, screens, asked),
    ]
    lines = Choices(seed, "event order").shuffled([encoded(event) for event in events])
    return {
        f"events-{number:05d}.jsonl": "".join(line + "\n" for line in lines[number::FILES]).encode()
        for number in range(FILES)
    }


def _training(writer: Writer, gold: CastScreen) -> Iterator[Event]:
    """Yields ten gold tasks for each person and pass; all but the trainee get at least nine."""
    trained = [
        *((rater, "prefilter") for rater in PREFILTER_RATERS),
        *((rater, "question_1") for rater in QUESTION_1_RATERS),
        *((rater, "question_2") for rater in QUESTION_2_RATERS),
        *((rater, "question_3_na") for rater in ABSENT_RATERS),
        *((rater, "answer") for rater in (*RATERS, TRAINEE)),
        *((rater, "screen_review") for rater in REVIEWERS),
    ]
    for place, (rater, of_pass) in enumerate(trained):
        # The trainee begins with mistakes: the share of right tasks is never high enough.
        wrong = {0, 1, 4, 7} if rater == TRAINEE else {2} if place % 3 == 0 else set()
        for task in range(_GOLD_TASKS):
            content = {"of_pass": of_pass, "correct": task not in wrong}
            yield writer.event(
                "training",
                gold,
                rater,
                unit=f"{of_pass}/{task}",
                day=_TRAINING,
                second=place * 600 + task * 50,
                payload=("training", content),
            )


def _prefilter(writer: Writer, screens: Sequence[CastScreen], seed: str) -> Iterator[Event]:
    for place, screen in enumerate(screens):
        choices = Choices(seed, "prefilter", screen.drawn.id)
        sync = "in_sync"
        if screen.key in roles.OUT_OF_SYNC:
            sync = "out_of_sync"
        elif screen.drawn.layout.endswith(("_search", "compose")):
            sync = "in_sync_occluded"
        elif choices.chance(5):
            sync = "in_sync_ghosting"
        language = "non_english" if screen.key in roles.NON_ENGLISH else "english"
        rating = {"language": language, "vh_sync": sync, "note": None}
        # Every sixth screen is rated twice, so that agreement can be measured.
        for rater in PREFILTER_RATERS if place % 6 == 0 else PREFILTER_RATERS[:1]:
            yield writer.event(
                "prefilter",
                screen,
                rater,
                unit=str(screen.drawn.id),
                day=_PREFILTER,
                second=place * 35,
                payload=("prefilter", rating),
            )


def _questions(
    writer: Writer, screens: Sequence[CastScreen], asked: Sequence[Asked]
) -> Iterator[Event]:
    days = {"question_1": _QUESTION_1, "question_2": _QUESTION_2, "question_3_na": _QUESTION_3_NA}
    for place, one in enumerate(asked):
        yield writer.event(
            one.pass_name,
            one.screen,
            one.composer,
            unit=str(one.screen.drawn.id),
            day=days[one.pass_name],
            second=place * 60,
            suffix=f":q{one.ordinal}",
            question_id=one.question_id,
            payload=question_payload(one.ordinal, one.question.text),
        )
    for place, screen in enumerate(s for s in screens if s.key in roles.LACK_OF_CONTENT):
        for pass_name, rater in (
            ("question_1", QUESTION_1_RATERS[0]),
            ("question_2", QUESTION_2_RATERS[0]),
        ):
            yield writer.event(
                pass_name,
                screen,
                rater,
                unit=str(screen.drawn.id),
                day=days[pass_name] + 1,
                second=place * 60,
                suffix=":q0",
                payload=question_payload(0, None),
            )


def _answers(writer: Writer, asked: Sequence[Asked]) -> Iterator[Event]:
    for place, one in enumerate(asked):
        for turn, judgement in enumerate(one.verdict.judgements):
            yield _answer(writer, one, judgement, second=place * 240 + turn * 80)


def _answer(
    writer: Writer,
    one: Asked,
    judgement: Judgement,
    *,
    second: int,
    day: int | None = None,
    status: str = "submitted",
    again: str = "",
) -> Event:
    usual = _ANSWER_NA if one.pass_name == "question_3_na" else _ANSWER
    return writer.event(
        "answer",
        one.screen,
        judgement.annotator,
        unit=one.question_id + again,
        day=usual if day is None else day,
        second=second,
        question_id=one.question_id,
        status=status,
        payload=answer_payload(judgement) if status == "submitted" else None,
    )


def _screen_reviews(writer: Writer, screens: Sequence[CastScreen]) -> Iterator[Event]:
    for place, screen in enumerate(s for s in screens if s.is_rated_fit):
        if place % 4 == 0 or screen.drawn.layout == "message":
            content = {"pii": screen.drawn.layout == "message", "unsafe": False, "correct": True}
            yield writer.event(
                "screen_review",
                screen,
                REVIEWERS[0],
                unit=str(screen.drawn.id),
                day=_SCREEN_REVIEW,
                second=place * 45,
                payload=("screen_review", content),
            )


def _mishaps(
    writer: Writer, screens: Sequence[CastScreen], asked: Sequence[Asked]
) -> Iterator[Event]:
    """Yields the events that a merge must drop, replace or count apart, one of each kind."""
    calm = [
        one
        for one in asked
        if len(one.verdict.judgements) == 3
        and all(j.state == ANSWERABLE and j.correction is None for j in one.verdict.judgements)
    ]
    twice, late, revised, replaced, cancelled, draft, untrained = calm[:7]

    # The same event exported twice.
    place = asked.index(twice)
    yield _answer(writer, twice, twice.verdict.judgements[0], second=place * 240)

    # A fourth answer, long after the end.
    yield _answer(writer, late, _by_someone_else(late), second=0, day=_LATE)

    # An older revision of an event: same id, other content.
    place = asked.index(revised)
    judgement = revised.verdict.judgements[1]
    old = _answer(
        writer,
        revised,
        dataclasses.replace(judgement, full_answer="I cannot tell yet."),
        second=place * 240 + 80,
    )
    # Never changed since it was submitted; the valid revision was, some seconds later.
    old["updated_at"] = old["submitted_at"]
    yield old

    # An annotator who answered before and then again: the later answer counts.
    judgement = replaced.verdict.judgements[2]
    hasty = dataclasses.replace(judgement, state=NOT_ANSWERABLE, full_answer=None, elements=())
    yield _answer(writer, replaced, hasty, second=0, day=_ANSWER - 1, again="/first")

    # Work that was never handed in.
    yield _answer(writer, cancelled, _by_someone_else(cancelled), second=900, status="cancelled")
    yield _answer(writer, draft, _by_someone_else(draft), second=1900, status="draft")

    # An answer by someone who failed the training.
    judgement = dataclasses.replace(untrained.verdict.judgements[0], annotator=TRAINEE)
    yield _answer(writer, untrained, judgement, second=2900)

    yield from _about_no_screen(writer, screens[0], untrained)


def _about_no_screen(writer: Writer, screen: CastScreen, model: Asked) -> Iterator[Event]:
    """Yields a question about a screen that does not exist, and its answer."""
    text, screen_id = "What is the current speed?", str(roles.SCREEN_MISSING_ID)
    asked = writer.event(
        "question_1",
        screen,
        QUESTION_1_RATERS[0],
        unit=screen_id,
        day=_QUESTION_1,
        second=0,
        suffix=":q0",
        question_id=question_id(screen_id, "question_1", 0, text),
        payload=question_payload(0, text),
    )
    judgement = dataclasses.replace(
        model.verdict.judgements[0], annotator=RATERS[4], full_answer="The speed is 40 km/h."
    )
    answered = copy.deepcopy(_answer(writer, model, judgement, second=3900, again="/no screen"))
    for event in (asked, answered):
        event |= {
            "screen_id": screen_id,
            "question_id": asked["question_id"],
            "image_width": 1080,
            "image_height": 1920,
        }
        yield event


def _by_someone_else(one: Asked) -> Judgement:
    busy = {one.composer, *(judgement.annotator for judgement in one.verdict.judgements)}
    free = next(rater for rater in RATERS if rater not in busy)
    return dataclasses.replace(one.verdict.judgements[0], annotator=free)
