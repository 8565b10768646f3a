"""What the agreement rule makes of the answers to one question."""

import dataclasses
import enum

import pyarrow as pa

from schemas.columns import column, record, records
from schemas.records import Record


class AgreementMode(enum.StrEnum):
    """Which of A.5's conditions make two answers agree."""

    PAPER = "paper"
    """All of them."""
    ANSWER_ONLY = "answer_only"
    """All but the first, the same question."""


class AgreementLevel(enum.StrEnum):
    """How far the answers of a question agree."""

    FULL = "full"
    PARTIAL = "partial"
    NONE = "none"
    SINGLE = "single"
    ALL_INVALID = "all_invalid"


class Clause(enum.StrEnum):
    """A condition of A.5 that holds between two answers directly."""

    QUESTION = "question"
    FULL_ANSWER = "full_answer"
    ELEMENTS = "elements"


class QuestionOrigin(enum.StrEnum):
    """How the final text of a question was found."""

    CONSENSUS = "consensus"
    LATEST = "latest"
    SINGLE = "single"


class RemovalReason(enum.StrEnum):
    """Why an answer was left out."""

    INVALID_QUESTION = "invalid_question"
    """The annotator called the question invalid; others answered it."""
    ALL_INVALID = "all_invalid"
    """Everybody called the question invalid, so it goes."""
    NO_AGREEMENT = "no_agreement"
    """No group of answers is the largest that agrees, so the question goes."""
    DISAGREEING_ANSWER_REMOVED = "disagreeing_answer_removed"
    """The answer lies outside the largest group that agrees."""


@dataclasses.dataclass(frozen=True, slots=True)
class Edge(Record):
    """Two answers that agree directly; the earlier one first."""

    one: str = column(pa.string(), "Event id of the earlier answer.")
    other: str = column(pa.string(), "Event id of the later answer.")
    clauses: tuple[Clause, ...] = column(
        pa.list_(pa.string()), "Conditions that hold: `question`, `full_answer`, `elements`."
    )


@dataclasses.dataclass(frozen=True, slots=True)
class ClauseCounts(Record):
    """By how many pairs of answers each condition of A.5 is met; a pair may meet several."""

    question: int = column(pa.int32(), "Pairs with the same question after corrections.")
    full_answer: int = column(pa.int32(), "Pairs with the same full sentence.")
    elements: int = column(pa.int32(), "Pairs with the same elements.")
    third_answer: int = column(pa.int32(), "Pairs that agree only through other answers.")


@dataclasses.dataclass(frozen=True, slots=True)
class Removal(Record):
    """One answer that was left out."""

    event_id: str = column(pa.string(), "Event id of the answer.")
    reason: RemovalReason = column(pa.string(), "Why it was left out.")


@dataclasses.dataclass(frozen=True, slots=True)
class Agreement(Record):
    """What the rule makes of one question. Each answer is either kept or removed."""

    n_annotations: int = column(pa.int32(), "Answers given, those called invalid included.")
    n_invalid: int = column(pa.int32(), "Answers that call the question invalid.")
    level: AgreementLevel = column(
        pa.string(), "`full`, `partial`, `none`, `single` or `all_invalid`, in the chosen mode."
    )
    answer_only_level: AgreementLevel = column(
        pa.string(), "The same if an equal question does not count as agreement."
    )
    edges: tuple[Edge, ...] = column(records(Edge), "Pairs that agree directly, by time.")
    clause_counts: ClauseCounts = column(record(ClauseCounts), "Pairs by condition.")
    kept: tuple[str, ...] = column(pa.list_(pa.string()), "Event ids that stay, by time.")
    removed: tuple[Removal, ...] = column(records(Removal), "Answers that go, by time.")
    question: str | None = column(
        pa.string(), "Final text, normalised; null if the question goes.", nullable=True
    )
    question_from: QuestionOrigin | None = column(
        pa.string(),
        "`consensus`, `latest` or `single`; null if the question goes.",
        nullable=True,
    )
