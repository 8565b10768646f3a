"""Makers of annotation events, shared by the tests of this folder."""

import dataclasses
import datetime

import pytest

from schemas.annotations import (
    PAYLOAD_COLUMNS,
    AnnotationEvent,
    AnnotationPass,
    AnswerElement,
    AnswerKind,
    AnswerState,
    ComposedQuestion,
    ElementOrigin,
    EventSource,
    EventStatus,
    GivenAnswer,
    Language,
    PrefilterRating,
    ScreenReview,
    ShortAnswersReview,
    ShownShortAnswers,
    TrainingResult,
    Verdict,
    VhSync,
)
from schemas.geometry import Bounds, Size
from schemas.screens import ImageFacts
from schemas.short_answers import ShortAnswerOrigin
from transforms.annotation.questions import question_id

START = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
SCREEN = "9000001"


class Maker:
    """Makes events of screen 9000001, a picture of 1080 × 1920."""

    screen_id = SCREEN
    start = START
    picture = Size(1080, 1920)

    def at(self, hour):
        return START + datetime.timedelta(hours=hour)

    def who(self, name):
        return f"a_{name:0>12}"

    def event(self, pass_, payload, event_id, *, who="1", hour=0, **changes):
        payloads = dict.fromkeys(PAYLOAD_COLUMNS.values())
        payloads[PAYLOAD_COLUMNS[pass_]] = payload
        event = AnnotationEvent(
            schema_version="1.0",
            event_id=event_id,
            pass_=pass_,
            status=EventStatus.SUBMITTED,
            screen_id=SCREEN,
            question_id=None,
            annotator_id=self.who(who),
            submitted_at=self.at(hour),
            updated_at=None,
            updated_by_other=False,
            lead_time_s=None,
            supersedes=None,
            image_width=1080,
            image_height=1920,
            source=EventSource("test", *[None] * 11),
            flags=(),
            **payloads,
        )
        return dataclasses.replace(event, **changes)

    def question(
        self, text, *, pass_=AnnotationPass.QUESTION_1, ordinal=0, who="1", hour=1, **more
    ):
        event_id = more.pop("event_id", f"{pass_.value}-{who}-{hour}:q{ordinal}")
        payload = ComposedQuestion(ordinal, text, skipped_screen=False)
        named = {"question_id": question_id(SCREEN, pass_, ordinal, text)} | more
        return self.event(pass_, payload, event_id, who=who, hour=hour, **named)

    def skip(self, *, pass_=AnnotationPass.QUESTION_1, who="1", hour=1):
        payload = ComposedQuestion(0, None, skipped_screen=True)
        return self.event(pass_, payload, f"{pass_.value}-{who}-{hour}:q0", who=who, hour=hour)

    def element(self, text="Visa", bounds=(600, 830, 1040, 910), vh_index=-1, **more):
        origin = ElementOrigin.DRAWN if vh_index < 0 else ElementOrigin.VH
        region_id = more.pop("region_id", f"r{text}")
        return AnswerElement(
            more.pop("rank", 1), text, Bounds(*bounds), vh_index, region_id, origin
        )

    def answer(self, asked, *, who="2", hour=30, full="It is Visa.", elements=None, **more):
        state = more.pop("state", AnswerState.ANSWERABLE)
        if state is not AnswerState.ANSWERABLE:
            full, elements = None, ()
        elements = (self.element(),) if elements is None else elements
        payload = GivenAnswer(state, full, more.pop("correction", None), tuple(elements))
        wanted = asked if isinstance(asked, str) else asked.question_id
        event_id = more.pop("event_id", f"answer-{wanted}-{who}-{hour}")
        named = {"question_id": wanted} | more
        return self.event(AnnotationPass.ANSWER, payload, event_id, who=who, hour=hour, **named)

    def rating(self, language=Language.ENGLISH, sync=VhSync.IN_SYNC, *, who="1"):
        payload = PrefilterRating(language, sync, None)
        return self.event(AnnotationPass.PREFILTER, payload, f"prefilter-{who}", who=who)

    def review(self, *, pii=False, unsafe=False, correct=None, who="1"):
        payload = ScreenReview(pii, unsafe, correct)
        return self.event(AnnotationPass.SCREEN_REVIEW, payload, f"review-{who}", who=who)

    def training(self, is_correct, *, of_pass=AnnotationPass.ANSWER, who="2", hour=0, number=0):
        payload = TrainingResult(of_pass, is_correct)
        event_id = f"training-{of_pass.value}-{who}-{number}"
        return self.event(AnnotationPass.TRAINING, payload, event_id, who=who, hour=hour)

    def shown(self, *texts, kind=AnswerKind.TEXT, maker="rules", size=100):
        made_by = None if maker is None else ShortAnswerOrigin(maker, "1", "")
        return ShownShortAnswers("Which card?", ("It is Visa.",), texts, made_by, kind, size)

    def verification(self, *texts, wrong=(), question="q1", who="1", hour=50, **more):
        """Returns a review of some short answers, of which those in `wrong` are wrong."""
        shown = self.shown(
            *texts, **{k: more.pop(k) for k in ("kind", "maker", "size") if k in more}
        )
        kept = tuple(text for text in texts if text not in wrong)
        verdict = (
            Verdict.FIXED if wrong and kept else Verdict.REJECTED if wrong else Verdict.ACCEPTED
        )
        payload = ShortAnswersReview(verdict, kept, tuple(wrong), shown)
        event_id = more.pop("event_id", f"verify-{question}-{who}-{hour}")
        pass_ = AnnotationPass.VERIFY_SHORT_ANSWERS
        named = {"question_id": question} | more
        return self.event(pass_, payload, event_id, who=who, hour=hour, **named)

    def image(self, width=1080, height=1920, *, orientation=1):
        size = Size(width, height)
        stored = Size(height, width) if orientation in (5, 6, 7, 8) else size
        return ImageFacts(size, stored, orientation, "image/png", False, 1, "0" * 64, "")


@pytest.fixture(scope="session")
def make():
    return Maker()
