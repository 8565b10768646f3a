"""One task of an export: what was shown and asked, whoever answered."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from schemas.annotations import AnnotationPass, ShownShortAnswers
from schemas.geometry import Size
from schemas.rejects import Reason, RejectedRecordError
from transforms.annotation.event_decoding import decoder
from transforms.annotation.invariants import PASSES_ON_QUESTIONS
from transforms.annotation.label_studio.formats import pass_of
from transforms.annotation.label_studio.regions import sizes_in
from transforms.identifying import clean_text, normalize_id

FIRST_PASS = "pass1:"
"""Start of the model version of a prediction that shows the work under review."""


VARIANT = "v"
"""Start of the name under which a short answer is ticked; its place, from 1, follows."""

_decode_shown = decoder(ShownShortAnswers)


@dataclasses.dataclass(frozen=True, slots=True)
class ReadTask:
    """A task's own values. What is missing is found out when an annotation needs it."""

    index: int
    task_id: str | None
    project_id: str | None
    pass_: AnnotationPass | None
    raw_screen_id: Any
    question_id: str | None
    composers: tuple[Any, ...]
    known_size: Size | None
    """Size of the picture as displayed, as the caller or the task says."""
    shown_size: Size | None
    """That, or else the first size that a result of the task tells."""
    predicted: tuple[Any, ...]
    """Results of its predictions, where the export holds more than their ids."""
    target_event_id: str | None
    raw_shown: Any = None
    """The short answers that were to be judged, as the task's data tell."""

    def identity(self) -> tuple[AnnotationPass, str]:
        """Returns the pass and the screen.

        Raises:
            RejectedRecordError: `MISSING_KEY` if one is untold or the question is in a pass
                about questions, `ID_MALFORMED`.
        """
        if self.pass_ is None:
            raise RejectedRecordError(Reason.MISSING_KEY, "data.pass is missing")
        if self.raw_screen_id is None:
            raise RejectedRecordError(Reason.MISSING_KEY, "data.screen_id is missing")
        if self.pass_ in PASSES_ON_QUESTIONS and self.question_id is None:
            raise RejectedRecordError(Reason.MISSING_KEY, "data.question_id is missing")
        return self.pass_, normalize_id(self.raw_screen_id)

    def asked_about(self) -> str | None:
        """Returns the question that the task is about; None in passes that look at screens."""
        return self.question_id if self.pass_ in PASSES_ON_QUESTIONS else None

    def shown_short_answers(self) -> ShownShortAnswers | None:
        """Returns the short answers that were to be judged; None in other passes.

        Raises:
            RejectedRecordError: `MISSING_KEY` or `RECORD_MALFORMED` if the task does not tell.
        """
        if self.pass_ is not AnnotationPass.VERIFY_SHORT_ANSWERS:
            return None
        if self.raw_shown is None:
            raise RejectedRecordError(Reason.MISSING_KEY, "data.shown is missing")
        return _decode_shown(self.raw_shown, "data.shown")

    def target_of(self, annotation: dict[str, Any]) -> str | None:
        """Returns the event that an annotation reviews, as the task or its prediction says."""
        if self.target_event_id is not None:
            return self.target_event_id
        prediction = annotation.get("prediction")
        version = prediction.get("model_version") if isinstance(prediction, dict) else None
        if isinstance(version, str) and version.startswith(FIRST_PASS):
            return version.removeprefix(FIRST_PASS)
        return None


def read_task(
    raw: dict[str, Any],
    index: int,
    pass_: AnnotationPass | None,
    sizes: Mapping[str, Size],
) -> ReadTask:
    """Returns the task of an export's item; `sizes` are by screen id, and go before all else."""
    data = raw.get("data")
    data = data if isinstance(data, dict) else {}
    predictions = raw.get("predictions")
    predicted = [
        result
        for prediction in (predictions if isinstance(predictions, list) else ())
        if isinstance(prediction, dict)  # The easy export writes ids.
        for result in _list(prediction.get("result"))
    ]
    known_size = _known_size(data, sizes)
    composers = (data.get("composer"), *_list(data.get("composers")))
    return ReadTask(
        index=index,
        task_id=_text(raw.get("id")),
        project_id=_text(raw.get("project")),
        pass_=pass_of(data, pass_),
        raw_screen_id=data.get("screen_id"),
        question_id=_text(data.get("question_id")),
        composers=tuple(composer for composer in composers if composer is not None),
        known_size=known_size,
        shown_size=known_size or _size_in(raw, predicted),
        predicted=tuple(predicted),
        target_event_id=_text(data.get("target_event_id")),
        raw_shown=data.get("shown"),
    )


def _known_size(data: dict[str, Any], sizes: Mapping[str, Size]) -> Size | None:
    try:
        known = sizes.get(normalize_id(data.get("screen_id")))
    except RejectedRecordError:
        known = None
    if known is not None:
        return known
    told = {"original_width": data.get("image_width"), "original_height": data.get("image_height")}
    return next(iter(sizes_in([told])), None)


def _size_in(raw: dict[str, Any], predicted: list[Any]) -> Size | None:
    """Returns the first size that results tell; which annotation they are of is no matter."""
    for results in (predicted, *map(_results_of, (*raw["annotations"], *_list(raw.get("drafts"))))):
        for size in sizes_in(results):
            return size
    return None


def _results_of(annotation: Any) -> list[Any]:
    return _list(annotation.get("result")) if isinstance(annotation, dict) else []


def _list(raw: Any) -> list[Any]:
    return raw if isinstance(raw, list) else []


def _text(raw: Any) -> str | None:
    return None if raw is None or raw == "" else clean_text(str(raw))
