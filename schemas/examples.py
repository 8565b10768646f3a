"""Published rows of the question configurations (`screenqa`, `complexqa`)."""

import dataclasses

import pyarrow as pa

from schemas.columns import IMAGE, Need, column, record, records
from schemas.questions import NO_ANSWER, Answer, Provenance, QuestionAgreement
from schemas.records import Record
from schemas.screens import Origin, StoredImage
from schemas.short_answers import ShortAnswerOrigin
from schemas.splits import SPLITS


@dataclasses.dataclass(frozen=True, slots=True)
class QuestionRow(Record):
    """One question on one screen, without the picture."""

    screen_id: str = column(pa.string(), "Id of the screen in its source.")
    width: int | None = column(
        pa.int32(),
        "Width of the image in pixels; null if no picture is known.",
        nullable=True,
        low=1,
        needs=Need.PICTURE,
    )
    height: int | None = column(
        pa.int32(),
        "Height of the image in pixels; null if no picture is known.",
        nullable=True,
        low=1,
        needs=Need.PICTURE,
    )
    app: str | None = column(
        pa.string(), "Package of the app; null if unknown.", nullable=True, needs=Need.APP
    )
    category: str | None = column(
        pa.string(),
        "Category of the app in its store; null if unknown.",
        nullable=True,
        needs=Need.CATEGORY,
    )
    question: str = column(pa.string(), "The question as asked.")
    question_id: str = column(
        pa.string(), "Screen id and a digest of the normalized question; unique in the data set."
    )
    answers: tuple[Answer, ...] = column(
        records(Answer),
        "Answers with the elements that hold them, one an annotator; empty if not released.",
        needs=Need.ANSWERS,
    )
    short_answers: tuple[str, ...] = column(
        pa.list_(pa.string()),
        f"Accepted short forms; `{NO_ANSWER}` among them if an annotator found no answer.",
        needs=Need.SHORT_ANSWERS,
    )
    short_answers_from: ShortAnswerOrigin | None = column(
        record(ShortAnswerOrigin),
        "What made the short answers; null without any.",
        nullable=True,
        needs=Need.SHORT_ANSWERS,
    )
    answerable: bool = column(pa.bool_(), "Whether at least one annotator found an answer.")
    any_no_answer: bool = column(pa.bool_(), "Whether at least one annotator found no answer.")
    agreement: QuestionAgreement | None = column(
        record(QuestionAgreement),
        "How its annotators agreed; null in a build from released answers.",
        nullable=True,
        needs=Need.EVENTS,
    )
    origin: str | None = column(
        pa.string(),
        "How the picture came about: `captured` or `store_listing`; null without one.",
        nullable=True,
        values=Origin,
        needs=Need.PICTURE,
    )
    split: str = column(
        pa.string(), "Split of the screen: `train`, `validation` or `test`.", values=SPLITS
    )
    provenance: Provenance = column(record(Provenance), "Where the question's record lies.")


@dataclasses.dataclass(frozen=True, slots=True)
class IllustratedQuestionRow(QuestionRow):
    """One question on one screen, with the picture."""

    image: StoredImage = column(IMAGE, "The screenshot, upright, in its original bytes.")
    image_reencoded: bool = column(
        pa.bool_(), "Whether the image had to be turned or converted, and so was saved as PNG."
    )
