"""Screens as the check leaves them, and what raters say of them, for tests of the prefilter."""

import datetime

from schemas.annotations import (
    PAYLOAD_COLUMNS,
    AnnotationEvent,
    AnnotationPass,
    EventSource,
    EventStatus,
    Language,
    PrefilterRating,
    TrainingResult,
    VhSync,
)
from schemas.geometry import Size
from schemas.manifest import PrefilterPolicy, Use
from schemas.questions import AskedScreen
from schemas.readings import ScreenReading, SyncFinding, SyncVerdict
from schemas.screens import App, ImageFacts, Screen, ScreenRef
from transforms.screens.language import judge_language
from transforms.screens.texts import count_personal, pool, text_hash

ENGLISH = (
    "Sign in to your account",
    "Forgot your password?",
    "Create a new account",
    "Your recent orders and payments",
)
SPANISH = (
    "Iniciar sesión en tu cuenta",
    "¿Olvidaste tu contraseña?",
    "Crear una cuenta nueva",
    "Tus pedidos y pagos recientes",
)
FEW = ("OK", "Go")
"""Too little to tell a language by."""

START = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)


def finding(verdict: SyncVerdict, score: float) -> SyncFinding:
    return SyncFinding(verdict, score, score, 1.0, f"it is {score:.0%} covered")


IN_SYNC = finding(SyncVerdict.IN_SYNC, 0.91)
OUT_OF_SYNC = finding(SyncVerdict.OUT_OF_SYNC, 0.12)
DOUBTFUL = finding(SyncVerdict.UNDETERMINED, 0.5)


def reading(texts, sync=IN_SYNC, **uses) -> ScreenReading:
    """Returns what a check reads off a hierarchy of these texts, under such a policy."""
    policy = PrefilterPolicy(**uses)
    emails, phones = count_personal(texts)
    judges = policy.language is not Use.OFF
    return ScreenReading(
        language=judge_language(texts, policy) if judges else None,
        sync=sync if policy.hierarchy_sync is not Use.OFF else None,
        text_hash=text_hash(texts),
        sample=pool(texts) if judges else "",
        emails=emails,
        phones=phones,
    )


def asked(
    screen_id, texts=ENGLISH, app=None, *, sync=IN_SYNC, events=(), questions=(), **policy
) -> AskedScreen:
    """Returns a checked screen, read under such a policy."""
    size = Size(1080, 1920)
    image = ImageFacts(size, size, 1, "image/jpeg", False, 1, f"{screen_id:0>64}", "")
    read = reading(texts, sync, **policy)
    return AskedScreen(
        screen_id=screen_id,
        ref=ScreenRef(screen_id, "rico", f"{screen_id}.jpg", None),
        app=App(app, None) if app else None,
        questions=tuple(questions),
        screen=Screen(image, "", 0, read),
        events=tuple(events),
    )


def event(pass_, payload, event_id, screen_id="7", *, who="1", hour=0, status="submitted"):
    """Returns an event of the annotator `who`, so many hours after the start."""
    payloads = dict.fromkeys(PAYLOAD_COLUMNS.values())
    payloads[PAYLOAD_COLUMNS[pass_]] = payload
    return AnnotationEvent(
        schema_version="1.0",
        event_id=event_id,
        pass_=pass_,
        status=EventStatus(status),
        screen_id=screen_id,
        question_id=None,
        annotator_id=f"a_{who:0>12}",
        submitted_at=START + datetime.timedelta(hours=hour),
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


def rating(screen_id="7", *, foreign=False, unsynced=False, who="1", hour=1, **more):
    """Returns a prefilter rating with these flags."""
    language = Language.NON_ENGLISH if foreign else Language.ENGLISH
    sync = VhSync.OUT_OF_SYNC if unsynced else VhSync.IN_SYNC
    name = f"prefilter-{screen_id}-{who}-{hour}"
    payload = PrefilterRating(language, sync, None)
    return event(AnnotationPass.PREFILTER, payload, name, screen_id, who=who, hour=hour, **more)


def training(is_correct, *, who="1", hour=0, screen_id="gold"):
    """Returns a gold task of the prefilter."""
    payload = TrainingResult(AnnotationPass.PREFILTER, is_correct)
    name = f"training-{who}-{hour}"
    return event(AnnotationPass.TRAINING, payload, name, screen_id, who=who, hour=hour)
