"""Short answers: what they are made of, where they come from, why some are left out."""

import dataclasses
import enum

import pyarrow as pa

from schemas.columns import column
from schemas.models import ModelPolicy
from schemas.records import Record


class ShortAnswerProvider(enum.StrEnum):
    """What makes short answers of full ones (ScreenQA 4.5); a model's is named like its own."""

    NONE = "none"
    """Nothing does; a source may have released ones."""
    RULES = "rules"
    """Rules of form, offline."""
    GEMINI = "gemini"
    OPENAI_COMPATIBLE = "openai_compatible"
    AUTO = "auto"
    """Gemini where the environment holds its key, else the rules."""


class VariantReason(enum.StrEnum):
    """Why a proposed short answer is left out."""

    sentence: str

    def __new__(cls, value: str, sentence: str = "") -> "VariantReason":
        """Makes a member that is its value as text and carries its sentence."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.sentence = sentence
        return member

    BLANK = "blank", "It says nothing."
    DUPLICATE = "duplicate", "It differs from an earlier one by case or blanks only."
    TOO_LONG = "too_long", "It is longer than a short answer may be."
    ABSTENTION = "abstention", "It says that there is no answer, and there is one."
    NORMALIZES_TO_NOTHING = (
        "normalizes_to_nothing",
        "Without articles and punctuation nothing is left, so that scores cannot compare it.",
    )
    ELEMENT_MISSING = "element_missing", "It leaves out an element of the answer."
    QUESTION_WORDS = "question_words", "It repeats words of the question that are no answer."
    UNSUPPORTED = "unsupported", "It states what neither an element nor the full answer says."
    CONTRADICTORY = "contradictory", "It says the opposite of another one."
    REJECTED_BY_PEOPLE = "rejected_by_people", "A person who verified it found it wrong."


@dataclasses.dataclass(frozen=True, slots=True)
class AnswerInput(Record):
    """What a short answer is made of (ScreenQA A.6): one annotator's answer to a question."""

    question: str
    elements: tuple[str, ...]
    full_answer: str


@dataclasses.dataclass(frozen=True, slots=True)
class DroppedVariant(Record):
    """A proposed short answer that was left out."""

    text: str
    reason: VariantReason


@dataclasses.dataclass(frozen=True, slots=True)
class ShortAnswerOrigin(Record):
    """Where a row's short answers come from."""

    provider: str = column(pa.string(), "`released`, `rules`, `gemini` or `openai_compatible`.")
    model: str = column(
        pa.string(), "Name of the model, or version of the rules; empty if released.", blank=True
    )
    prompt_version: str = column(
        pa.string(), "Version of the prompt; empty without one.", blank=True
    )


RELEASED = ShortAnswerOrigin("released", "", "")
"""Where short answers come from that a source brought along."""


@dataclasses.dataclass(frozen=True, slots=True)
class ShortAnswerPolicy(Record):
    """What makes short answers, and what they are held to.

    `provider` is one of `ShortAnswerProvider`, or `package.module:name` of a provider of the
    user's own; all but `none` and `rules` ask `model`. `max_words` and `max_chars` bound a
    variant; the longest released ones of the validation file have 64 words and 386 characters.
    `verified_per_stratum` is how many are handed to people for each kind of answer.
    """

    provider: str = ShortAnswerProvider.NONE
    model: ModelPolicy | None = None
    max_words: int = 70
    max_chars: int = 400
    verified_per_stratum: int = 50
