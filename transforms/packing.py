"""Records as bytes for the trip through a shuffle.

A runner decodes and encodes anew what it groups; bytes it only copies. So a record is
packed once and unpacked once on its way.
"""

import copyreg
import datetime
import pickle
from typing import Any

from schemas import (
    agreements,
    annotations,
    geometry,
    questions,
    readings,
    screens,
    settlements,
    short_answers,
)

_PROTOCOL = 5
_FIRST_CODE = 1000

_PACKED_TYPES: tuple[type, ...] = (
    datetime.datetime,
    datetime.timezone,
    datetime.timedelta,
    geometry.Bounds,
    geometry.Size,
    annotations.AnnotationEvent,
    annotations.EventSource,
    annotations.AnnotationPass,
    annotations.EventStatus,
    annotations.PrefilterRating,
    annotations.Language,
    annotations.VhSync,
    annotations.ComposedQuestion,
    annotations.GivenAnswer,
    annotations.AnswerState,
    annotations.AnswerElement,
    annotations.ElementOrigin,
    annotations.TrainingResult,
    annotations.ScreenReview,
    annotations.ShortAnswersReview,
    annotations.ShownShortAnswers,
    annotations.AnswerKind,
    annotations.Verdict,
    questions.AskedScreen,
    questions.Question,
    questions.QuestionAgreement,
    questions.Provenance,
    questions.Answer,
    questions.UiElement,
    screens.ScreenRef,
    screens.Origin,
    screens.AppRow,
    screens.App,
    screens.Screen,
    screens.ImageFacts,
    readings.ScreenReading,
    readings.LanguageFinding,
    readings.LanguageVerdict,
    readings.SyncFinding,
    readings.SyncVerdict,
    readings.SyncEvidence,
    readings.Prefilter,
    readings.HumanRating,
    settlements.ScreenAnnotations,
    settlements.SettledQuestion,
    agreements.Agreement,
    agreements.AgreementLevel,
    agreements.ClauseCounts,
    agreements.QuestionOrigin,
    short_answers.ShortAnswerOrigin,
)
# A short code in place of a class's name, which is half of a small record's bytes. The list
# is the same in every process of a build; its order may change between releases.
for _code, _packed_type in enumerate(_PACKED_TYPES, start=_FIRST_CODE):
    copyreg.add_extension(_packed_type.__module__, _packed_type.__qualname__, _code)


def pack(record: Any) -> bytes:
    """Returns a record of ours as bytes."""
    return pickle.dumps(record, _PROTOCOL)


def unpack(packed: bytes) -> Any:
    """Returns the record that `pack` was given.

    Only for what came from a step of the same build: bytes from outside could run code.
    """
    return pickle.loads(packed)
