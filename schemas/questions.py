"""Questions and answers: as a source gives them, and grouped under their screen."""

import dataclasses

import pyarrow as pa

from schemas.agreements import AgreementLevel, QuestionOrigin
from schemas.annotations import QUESTION_PASSES, AnnotationEvent
from schemas.columns import column, records
from schemas.geometry import Bounds, Size
from schemas.readings import Prefilter, SyncEvidence
from schemas.records import Record
from schemas.screens import App, Screen, ScreenRef
from schemas.settlements import ScreenAnnotations
from schemas.short_answers import ShortAnswerOrigin

NO_ANSWER = "<no answer>"
"""What an annotator says whose screen does not answer the question (ScreenQA README)."""

RECORD_KINDS = ("answers", "short_answers", "question")
"""Kinds of records that a question is made of, in the order in which they lead."""


@dataclasses.dataclass(frozen=True, slots=True)
class UiElement(Record):
    """One element of an answer."""

    text: str = column(pa.string(), "Visible text, or a description of an icon.", blank=True)
    bounds: Bounds = column(
        pa.list_(pa.int32()),
        "Left, top, right, bottom in pixels of the image; right and bottom exclusive.",
    )
    vh_index: int = column(
        pa.int32(),
        "Index of the element's leaf in the view hierarchy (depth first, root 0); -1 if drawn.",
        low=-1,
    )


@dataclasses.dataclass(frozen=True, slots=True)
class Answer(Record):
    """One annotator's answer."""

    full_answer: str = column(
        pa.string(), f"The answer as a sentence; `{NO_ANSWER}` if the screen does not answer."
    )
    ui_elements: tuple[UiElement, ...] = column(
        records(UiElement), "The elements that hold the answer, by relevance or reading order."
    )


@dataclasses.dataclass(frozen=True, slots=True)
class QuestionAgreement(Record):
    """How the annotators of one question agreed (ScreenQA A.5)."""

    annotation_pass: str = column(
        pa.string(),
        "Pass that composed it: `question_1`, `question_2` or `question_3_na`.",
        values=QUESTION_PASSES,
    )
    n_annotations: int = column(
        pa.int32(), "Answers given, those calling it invalid included.", low=1
    )
    n_invalid: int = column(pa.int32(), "Answers that called the question invalid.", low=0)
    level: str = column(
        pa.string(),
        "`full`, `partial` or `single`, by the chosen rule.",
        values=(AgreementLevel.FULL, AgreementLevel.PARTIAL, AgreementLevel.SINGLE),
    )
    answer_only_level: str = column(
        pa.string(),
        "The same (`full`, `partial`, `single`), or `none`, if an equal question does not count "
        "as agreement.",
        values=(
            AgreementLevel.FULL,
            AgreementLevel.PARTIAL,
            AgreementLevel.NONE,
            AgreementLevel.SINGLE,
        ),
    )
    question_from: str = column(
        pa.string(),
        "How its wording was found: `consensus`, `latest` or `single`.",
        values=QuestionOrigin,
    )


@dataclasses.dataclass(frozen=True, slots=True)
class Provenance(Record):
    """Where a row's leading record lies."""

    source: str = column(pa.string(), "Name of the manifest's source.")
    file: str = column(pa.string(), "File inside the source.")
    position: int = column(pa.int64(), "Index of the record in the file, from 0.", low=0)


@dataclasses.dataclass(frozen=True, slots=True)
class Question(Record):
    """A question on a screen with what is known of its answers.

    A reader fills `answers` or `short_answers`, whichever its file holds; merging unites
    the records of one question. `kinds` names the record kinds that lead in it, so that
    each input record's fate can be counted. `frame` is the size of the picture that the
    boxes were measured on, where the record tells it. `short_answers_from` is what made the
    short answers; None where a source released them, or there are none.
    """

    screen_id: str
    text: str
    answers: tuple[Answer, ...]
    short_answers: tuple[str, ...]
    frame: Size | None
    official_split: str | None
    kinds: tuple[str, ...]
    provenance: Provenance
    agreement: QuestionAgreement | None = None
    short_answers_from: ShortAnswerOrigin | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class AskedScreen(Record):
    """A screen with all questions asked on it: the unit that flows through the build.

    `ref` is None in a build without pictures, `screen` is so until the screen's files are
    checked, and `split` is empty until splits are assigned. In a build from raw events,
    `events` are those of the screen until they are settled, `annotations` what they came
    to until the answers are compared, and `questions` what then stays. `evidence` is what
    other data sets say on the hierarchy, until it is read; `prefilter` both automatic
    verdicts once they are given, None where they are off. `rejected_variants` are the short
    answers that people found wrong, by question id, until short answers are made.
    """

    screen_id: str
    ref: ScreenRef | None
    app: App | None
    questions: tuple[Question, ...]
    screen: Screen | None = None
    split: str = ""
    events: tuple[AnnotationEvent, ...] = ()
    annotations: ScreenAnnotations | None = None
    evidence: tuple[SyncEvidence, ...] = ()
    prefilter: Prefilter | None = None
    rejected_variants: tuple[tuple[str, frozenset[str]], ...] = ()
