"""What the events of one screen come to, before anybody asks how far the answers agree."""

import dataclasses
from collections.abc import Mapping

from schemas.annotations import AnnotationEvent, AnnotationPass
from schemas.geometry import Bounds
from schemas.records import Record
from schemas.rejects import Reason
from schemas.screens import ImageFacts


@dataclasses.dataclass(frozen=True, slots=True)
class ScreenFacts(Record):
    """What the sources know of a screen that events speak of."""

    screen_id: str
    image: ImageFacts | None = None
    """The stored picture; None in a build without pictures, where boxes stay as they are."""
    leaves: Mapping[int, Bounds] | None = None
    """Boxes of the hierarchy's leaves in pixels of the picture, by `vh_index`.

    None where hierarchies are not looked at; empty where the screen has none, so that every
    box is a drawn one.
    """
    refusal: tuple[Reason, str] | None = None
    """Why the automatic prefilter removes the screen, and what it found; raters win over it."""


@dataclasses.dataclass(frozen=True, slots=True)
class PrefilterVerdict(Record):
    """What the raters of a screen found; the two flags are independent (ScreenQA Table 3)."""

    n_ratings: int
    non_english: bool
    out_of_sync: bool
    ties: tuple[str, ...]
    """Flags on which as many raters said yes as no: they are not set, and to be reported."""

    @property
    def keeps(self) -> bool:
        """Whether the screen goes on to the questions."""
        return not self.non_english and not self.out_of_sync


@dataclasses.dataclass(frozen=True, slots=True)
class ReviewVerdict(Record):
    """What the reviewers of a screen found (WebQuest 3)."""

    n_reviews: int
    pii: bool
    """Whether any reviewer saw personal data: one who did is enough."""
    unsafe: bool
    """Whether any reviewer saw unsafe content."""
    correct: bool | None
    """Whether most who said found the labels right; None if nobody said or as many did not."""


@dataclasses.dataclass(frozen=True, slots=True)
class NearDuplicate(Record):
    """Two questions of a screen that read alike; both stay."""

    one: str
    """Question id of the earlier one."""
    other: str
    similarity: float
    """0 to 100; 100 if only case, punctuation or word order differ."""


@dataclasses.dataclass(frozen=True, slots=True)
class Correction(Record):
    """A question as an annotator would have it read."""

    event_id: str
    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class SettledQuestion(Record):
    """A question with its live answers, ready for `agreement.settle_question`."""

    question_id: str
    screen_id: str
    pass_: AnnotationPass
    ordinal: int
    """Place among the composer's questions on the screen, from 0."""
    text: str
    """As composed, trimmed and in Unicode NFC with single blanks."""
    composers: tuple[str, ...]
    """Who composed it, and after them who composed the very same; none of them answers it."""
    merged_ids: tuple[str, ...]
    """Ids of the questions that were the same and went into this one."""
    event: AnnotationEvent
    """The event that composed it."""
    answers: tuple[AnnotationEvent, ...] = ()
    """One an annotator, by time; boxes in pixels of the stored picture."""

    @property
    def corrections(self) -> tuple[Correction, ...]:
        """The corrections that its annotators proposed, by time."""
        return tuple(
            Correction(event.event_id, event.answer.question_correction)
            for event in self.answers
            if event.answer is not None and event.answer.question_correction
        )


@dataclasses.dataclass(frozen=True, slots=True)
class ScreenAnnotations(Record):
    """All live annotations of one screen."""

    screen_id: str
    prefilter: PrefilterVerdict | None
    """None if nobody rated the screen: then it is taken to be fit."""
    review: ReviewVerdict | None
    """None if nobody reviewed it."""
    lacks_content: bool
    """Whether an annotator skipped it and nobody asked about it (ScreenQA 4.2)."""
    questions: tuple[SettledQuestion, ...]
    """In the order of passes and composing."""
    near_duplicates: tuple[NearDuplicate, ...]
    others: tuple[AnnotationEvent, ...]
    """All other live events, by time: ratings, skips, reviews, labelled elements, training."""
    refusal: tuple[Reason, str] | None = None
    """Why the screen's questions go: what raters, reviewers or the automatic prefilter found."""

    @property
    def events(self) -> tuple[AnnotationEvent, ...]:
        """All events that are live: what compares annotators, and settles again to the same."""
        composed = tuple(question.event for question in self.questions)
        answers = tuple(event for question in self.questions for event in question.answers)
        return (*composed, *answers, *self.others)
