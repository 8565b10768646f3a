"""Annotation events: what one person submitted once, whatever tool it came from.

`AnnotationEvent` is the neutral format `annotation_event` 1.0, kept as JSON lines or as
Parquet. Every tool is read by an adapter that makes these events.
"""

import dataclasses
import datetime
import enum
from typing import Any

import pyarrow as pa

from schemas.columns import arrow_schema, column, plain_values, record, records
from schemas.geometry import Bounds
from schemas.records import Record
from schemas.short_answers import ShortAnswerOrigin

SCHEMA_VERSION = "1.0"

_BOUNDS = pa.list_(pa.int32())  # Not of fixed size: few Parquet readers can read those.
_BOUNDS_DOC = "Left, top, right, bottom in pixels as displayed; right and bottom exclusive."
_TEXT = pa.string()
_TEXTS = pa.list_(_TEXT)
_TIME = pa.timestamp("us", tz="UTC")


def _nullable(arrow: pa.DataType, doc: str) -> Any:
    return column(arrow, doc, nullable=True)


def _choice(of: type[enum.StrEnum], doc: str) -> Any:
    return column(_TEXT, f"{doc}: {', '.join(f'`{value}`' for value in of)}.")


class AnnotationPass(enum.StrEnum):
    """A round of human work (ScreenQA 4.1 to 4.5, MUIAnno 3.3, WebQuest 3)."""

    PREFILTER = "prefilter"
    QUESTION_1 = "question_1"
    QUESTION_2 = "question_2"
    QUESTION_3_NA = "question_3_na"
    ANSWER = "answer"
    ELEMENT = "element"
    ELEMENT_REVIEW = "element_review"
    VERIFY_SHORT_ANSWERS = "verify_short_answers"
    SCREEN_REVIEW = "screen_review"
    TRAINING = "training"


QUESTION_PASSES = (
    AnnotationPass.QUESTION_1,
    AnnotationPass.QUESTION_2,
    AnnotationPass.QUESTION_3_NA,
)
"""The passes that compose questions, in their order."""


class EventStatus(enum.StrEnum):
    """What became of the unit of work; only submitted events are merged."""

    SUBMITTED = "submitted"
    CANCELLED = "cancelled"
    DRAFT = "draft"
    WITHDRAWN = "withdrawn"


class Language(enum.StrEnum):
    """Whether the app is in English (ScreenQA 4.1)."""

    ENGLISH = "english"
    NON_ENGLISH = "non_english"


class VhSync(enum.StrEnum):
    """Whether the view hierarchy fits the picture; only `out_of_sync` drops (ScreenQA A.1)."""

    IN_SYNC = "in_sync"
    IN_SYNC_OCCLUDED = "in_sync_occluded"
    IN_SYNC_GHOSTING = "in_sync_ghosting"
    OUT_OF_SYNC = "out_of_sync"
    NOT_APPLICABLE = "not_applicable"


class AnswerState(enum.StrEnum):
    """What the annotator made of the question (ScreenQA 4.3)."""

    ANSWERABLE = "answerable"
    NOT_ANSWERABLE = "not_answerable"
    INVALID_QUESTION = "invalid_question"


class ElementOrigin(enum.StrEnum):
    """Where an answer's box came from; a demoted one was a leaf until it was moved off it."""

    VH = "vh"
    DRAWN = "drawn"
    VH_DEMOTED = "vh_demoted"


class Verdict(enum.StrEnum):
    """What a reviewer did with another's work."""

    ACCEPTED = "accepted"
    FIXED = "fixed"
    REJECTED = "rejected"


class AnswerKind(enum.StrEnum):
    """What sort of answer a question has, as far as its form tells: strata of verification."""

    LIST = "list"
    """Several elements hold it."""
    YES_NO = "yes_no"
    DATE_TIME = "date_time"
    NUMBER = "number"
    PICTURE = "picture"
    """Its elements bear no text of their own: an icon, described by the annotator."""
    TEXT = "text"


@dataclasses.dataclass(frozen=True, slots=True)
class EventSource(Record):
    """Where an event was recorded."""

    tool: str = column(_TEXT, "Name of the annotation tool, such as `label_studio`.")
    tool_version: str | None = _nullable(_TEXT, "Its version; null if unknown.")
    instance: str | None = _nullable(_TEXT, "Name of the installation; null if unknown.")
    project_id: str | None = _nullable(_TEXT, "Project; null if none.")
    task_id: str | None = _nullable(_TEXT, "Task; null if none.")
    annotation_id: str | None = _nullable(_TEXT, "Annotation; null if none.")
    unique_id: str | None = _nullable(_TEXT, "The tool's id that survives exports; null if none.")
    import_id: str | None = _nullable(_TEXT, "Id before a re-import; null if never re-imported.")
    file: str | None = _nullable(_TEXT, "File that was read; null if none.")
    file_sha256: str | None = _nullable(_TEXT, "SHA-256 of that file; null if no file.")
    record_index: int | None = _nullable(pa.int64(), "Place in the file, from 0; null if no file.")
    label_config_sha256: str | None = _nullable(
        _TEXT, "SHA-256 of the labeling configuration; null if unknown."
    )


@dataclasses.dataclass(frozen=True, slots=True)
class PrefilterRating(Record):
    """What a prefilter rater saw; the two verdicts are independent (ScreenQA Table 3)."""

    language: Language = _choice(Language, "Language of the app")
    vh_sync: VhSync = _choice(VhSync, "Whether the view hierarchy fits the picture")
    note: str | None = _nullable(_TEXT, "Remark; null if none.")


@dataclasses.dataclass(frozen=True, slots=True)
class ComposedQuestion(Record):
    """A question, or the finding that the screen gives none (ScreenQA 4.2)."""

    ordinal: int = column(pa.int32(), "Place among the person's questions here, from 0.")
    text: str | None = _nullable(_TEXT, "The question as written; null if none was composed.")
    skipped_screen: bool = column(pa.bool_(), "Whether the screen lacks content to ask about.")


@dataclasses.dataclass(frozen=True, slots=True)
class AnswerElement(Record):
    """One box of an answer."""

    rank: int = column(pa.int32(), "Place by relevance or reading order, from 1 without gaps.")
    text: str = column(_TEXT, "Visible text or a description of an icon; may be empty.")
    bounds: Bounds = column(_BOUNDS, _BOUNDS_DOC)
    vh_index: int = column(
        pa.int32(), "Index of the leaf in the view hierarchy (depth first, root 0); -1 if drawn."
    )
    region_id: str = column(_TEXT, "The tool's id of the region.")
    origin: ElementOrigin = _choice(ElementOrigin, "Where the box came from")


@dataclasses.dataclass(frozen=True, slots=True)
class GivenAnswer(Record):
    """One person's answer to one question (ScreenQA 4.3)."""

    state: AnswerState = _choice(AnswerState, "What the person made of the question")
    full_answer: str | None = _nullable(_TEXT, "The answer as a sentence; null unless answerable.")
    question_correction: str | None = _nullable(
        _TEXT, "The question as it should read; null if it was left alone."
    )
    elements: tuple[AnswerElement, ...] = column(
        records(AnswerElement), "The boxes that hold the answer, by rank; empty unless answerable."
    )


@dataclasses.dataclass(frozen=True, slots=True)
class LabelledElement(Record):
    """One element of a screen with its class (MUIAnno 3.3)."""

    region_id: str = column(_TEXT, "The tool's id of the region.")
    label: str = column(_TEXT, "One of the 36 classes (MUIAnno Table 3).")
    bounds: Bounds = column(_BOUNDS, _BOUNDS_DOC)
    text: str = column(_TEXT, "Text on the element; empty if it bears none.")
    interactive: bool | None = _nullable(pa.bool_(), "Whether a tap does anything; null if unsaid.")
    parent_region_id: str | None = _nullable(_TEXT, "Region around it; null if none.")


@dataclasses.dataclass(frozen=True, slots=True)
class LabelledScreen(Record):
    """All elements that one person found on a screen."""

    elements: tuple[LabelledElement, ...] = column(records(LabelledElement), "The elements.")


@dataclasses.dataclass(frozen=True, slots=True)
class ElementReview(Record):
    """A second person's view of a labelled screen (MUIAnno 3.3)."""

    target_event_id: str = column(_TEXT, "Event that was reviewed.")
    verdict: Verdict = _choice(Verdict, "What the reviewer did")
    reasons: tuple[str, ...] = column(_TEXTS, "What was wrong; empty if nothing.")
    elements: tuple[LabelledElement, ...] = column(
        records(LabelledElement), "The elements after the review."
    )


@dataclasses.dataclass(frozen=True, slots=True)
class ShownShortAnswers(Record):
    """What a reviewer of short answers had before them, and what it was drawn from."""

    question: str = column(_TEXT, "The question.")
    full_answers: tuple[str, ...] = column(_TEXTS, "Its full answers; empty if not released.")
    short_answers: tuple[str, ...] = column(
        _TEXTS, "The short answers to be judged, without what annotators said themselves."
    )
    made_by: ShortAnswerOrigin | None = _nullable(
        record(ShortAnswerOrigin), "What made them; null if the build did not say."
    )
    kind: AnswerKind = _choice(AnswerKind, "Stratum that the question was drawn from")
    stratum_size: int = column(
        pa.int64(), "Questions of that stratum in the build that was drawn from."
    )


@dataclasses.dataclass(frozen=True, slots=True)
class ShortAnswersReview(Record):
    """A person's view of generated short answers (ScreenQA 4.5).

    A verdict is about what was shown and nothing else. The last two came later: events of
    before leave them out, and say only which short answers are right.
    """

    verdict: Verdict = _choice(
        Verdict, "What the reviewer found: all right, some wrong or all wrong, in this order"
    )
    short_answers: tuple[str, ...] = column(_TEXTS, "The short answers after the review.")
    rejected: tuple[str, ...] = column(
        _TEXTS, "The short answers that were found wrong.", default=()
    )
    shown: ShownShortAnswers | None = column(
        record(ShownShortAnswers), "What was reviewed; null if untold.", nullable=True, default=None
    )


@dataclasses.dataclass(frozen=True, slots=True)
class ScreenReview(Record):
    """A person's view of a whole screen or session (WebQuest 3)."""

    pii: bool = column(pa.bool_(), "Whether it shows personal data.")
    unsafe: bool = column(pa.bool_(), "Whether it shows unsafe content.")
    correct: bool | None = _nullable(pa.bool_(), "Whether its labels are right; null if unsaid.")


@dataclasses.dataclass(frozen=True, slots=True)
class TrainingResult(Record):
    """One gold task of a person's training (ScreenQA A.4)."""

    of_pass: AnnotationPass = _choice(AnnotationPass, "Pass that was trained for")
    correct: bool = column(pa.bool_(), "Whether the person got the gold task right.")


@dataclasses.dataclass(frozen=True, slots=True)
class AnnotationEvent(Record):
    """One unit of work. Of the payloads only the one of its pass may be other than null.

    An event that was not submitted has no payload: what a cancelled task left behind is
    never read. The column of `pass_` is called `pass`, which no Python field can be:
    `event_schema` and `event_values` give it that name.
    """

    schema_version: str = column(_TEXT, f"Version of this format: `{SCHEMA_VERSION}`.")
    event_id: str = column(_TEXT, "Id made from the tool's ids, the same at every import.")
    pass_: AnnotationPass = _choice(AnnotationPass, "Round of work that the event belongs to")
    status: EventStatus = _choice(EventStatus, "What became of the unit of work")
    screen_id: str = column(_TEXT, "Id of the screen, without leading zeros for RICO.")
    question_id: str | None = _nullable(
        _TEXT, "Id of the question; null in passes that look at screens."
    )
    annotator_id: str = column(_TEXT, "Pseudonym of the person: `a_` and 12 hex digits.")
    submitted_at: datetime.datetime = column(_TIME, "When it was first submitted, UTC.")
    updated_at: datetime.datetime | None = _nullable(_TIME, "Last change, UTC; null if none.")
    updated_by_other: bool = column(pa.bool_(), "Whether the last editor is another person.")
    lead_time_s: float | None = _nullable(pa.float64(), "Seconds of work; null if untold.")
    supersedes: str | None = _nullable(_TEXT, "Event that this one replaces; null if none.")
    image_width: int = column(
        pa.int32(), "Width of the picture as displayed, pixels; 0 if untold, as there is no box."
    )
    image_height: int = column(
        pa.int32(), "Height of the picture as displayed, pixels; 0 if untold, as there is no box."
    )
    source: EventSource = column(record(EventSource), "Where it was recorded.")
    prefilter: PrefilterRating | None = _nullable(
        record(PrefilterRating), "Null outside `prefilter`."
    )
    question: ComposedQuestion | None = _nullable(
        record(ComposedQuestion), "Null outside the question passes."
    )
    answer: GivenAnswer | None = _nullable(record(GivenAnswer), "Null outside `answer`.")
    element: LabelledScreen | None = _nullable(record(LabelledScreen), "Null outside `element`.")
    review: ElementReview | None = _nullable(
        record(ElementReview), "Null outside `element_review`."
    )
    short_answers: ShortAnswersReview | None = _nullable(
        record(ShortAnswersReview), "Null outside `verify_short_answers`."
    )
    screen_review: ScreenReview | None = _nullable(
        record(ScreenReview), "Null outside `screen_review`."
    )
    training: TrainingResult | None = _nullable(record(TrainingResult), "Null outside `training`.")
    flags: tuple[str, ...] = column(_TEXTS, "Repairs made at import, such as `clipped`.")


PAYLOAD_COLUMNS = {name: name.value for name in AnnotationPass} | {
    AnnotationPass.QUESTION_1: "question",
    AnnotationPass.QUESTION_2: "question",
    AnnotationPass.QUESTION_3_NA: "question",
    AnnotationPass.ELEMENT_REVIEW: "review",
    AnnotationPass.VERIFY_SHORT_ANSWERS: "short_answers",
}
"""The column that holds an event's payload, by its pass."""


def event_schema() -> pa.Schema:
    """Returns the Parquet schema of `annotation_event`."""
    schema = arrow_schema(AnnotationEvent)
    features = schema.metadata[b"huggingface"].replace(b'"pass_"', b'"pass"')
    return pa.schema(
        [f.with_name(f.name.rstrip("_")) for f in schema],
        metadata={**schema.metadata, b"huggingface": features},
    )


def event_values(event: AnnotationEvent) -> dict[str, Any]:
    """Returns `event` as the plain values of one Parquet row or, times apart, JSON line."""
    return {name.rstrip("_"): value for name, value in plain_values(event).items()}
