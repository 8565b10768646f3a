"""Screens of the browser: what is shown of each, as the page needs it."""

import dataclasses

from pipelines.reporting.rejected_records import RejectedRecord
from schemas.records import Record


@dataclasses.dataclass(frozen=True, slots=True)
class Box(Record):
    """A box to draw, in pixels of the picture. `style` is a class: `tree`, `drawn` or `leaf`."""

    left: int
    top: int
    width: int
    height: int
    style: str
    label: str
    title: str


@dataclasses.dataclass(frozen=True, slots=True)
class ShownElement(Record):
    """An element of an answer: its text, and whether it is a leaf of the hierarchy."""

    text: str
    is_leaf: bool


@dataclasses.dataclass(frozen=True, slots=True)
class ShownAnswer(Record):
    """One annotator's answer."""

    full_answer: str
    elements: tuple[ShownElement, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class ShownQuestion(Record):
    """A question. `facts` are short remarks; `level` is empty where agreement is not known."""

    text: str
    level: str
    has_no_answer: bool
    facts: tuple[str, ...]
    answers: tuple[ShownAnswer, ...]
    short_answers: tuple[str, ...]
    boxes: tuple[Box, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Picture(Record):
    """A thumbnail: a WebP file in base64, and its size in pixels."""

    base64: str
    width: int
    height: int


@dataclasses.dataclass(frozen=True, slots=True)
class ShownScreen(Record):
    """A screen of the browser.

    `width` and `height` are those of the original picture, which boxes are measured on, 0
    without one. `picture` is None without one, and `note` then says why, or nothing if the
    build holds none. `leaves` are the boxes of a screen that nobody asked anything about,
    `leaf_texts` what they read, `facts` its verdicts. `more_questions` and `more_leaves` are how
    many are left out.
    """

    screen_id: str
    split: str
    app: str | None
    category: str | None
    width: int
    height: int
    picture: Picture | None
    note: str
    facts: tuple[str, ...]
    questions: tuple[ShownQuestion, ...]
    more_questions: int
    leaves: tuple[Box, ...]
    leaf_texts: tuple[str, ...]
    more_leaves: int
    rejected: tuple[RejectedRecord, ...]
