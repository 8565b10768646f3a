"""What happens to records that cannot be kept, and to those that can.

Every input record has exactly one fate: kept, merged into a named survivor, rejected with
a reason, or (a record of a look-up side of a join that nothing asked for) orphaned. The
counts of all fates are compared with the counts of all reads at the end of every build.
"""

import dataclasses
import enum


class Reason(enum.StrEnum):
    """Why a record was left out. A value is a counter name and a row of reports: public.

    Members are named `noun_problem`; each carries one sentence that says when it is used.
    """

    sentence: str

    def __new__(cls, value: str, sentence: str = "") -> "Reason":
        """Makes a member that is its value as text and carries its sentence."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.sentence = sentence
        return member

    RECORD_MALFORMED = "record_malformed", "A key is missing or a value has the wrong type."
    ID_MALFORMED = "id_malformed", "The id is not a whole number or a plain name."
    ID_DUPLICATE = "id_duplicate", "Another record of the same kind already has this id."
    TEXT_EMPTY = "text_empty", "A text that must say something is empty or blank."

    SCREEN_MISSING = "screen_missing", "No screen with this id lies in the sources."
    SCREEN_REJECTED = "screen_rejected", "The screen of this record was itself rejected."
    APP_UNKNOWN = "app_unknown", "An app-wise split needs the screen's app, and no source names it."
    APP_DETAILS_SHIFTED = "app_details_shifted", "The row's columns are shifted by one."
    TWIN_IN_EVAL = "twin_in_eval", "The same picture is in validation or test, so train loses it."

    IMAGE_MISSING = "image_missing", "The screen has a hierarchy but no picture."
    IMAGE_EMPTY = "image_empty", "The picture's file has no bytes."
    IMAGE_UNRECOGNIZED = "image_unrecognized", "The bytes are no JPEG, PNG or WebP picture."
    IMAGE_ANIMATED = "image_animated", "The picture has more than one frame."
    IMAGE_TOO_LARGE = "image_too_large", "The picture has more pixels or bytes than allowed."
    IMAGE_UNREADABLE = "image_unreadable", "The picture breaks off or cannot be decoded."
    IMAGE_BLANK = "image_blank", "The picture is of one colour all over."
    IMAGE_SIZE_MISMATCH = (
        "image_size_mismatch",
        "The record was made on a picture of another shape than the one at hand.",
    )

    HIERARCHY_UNREADABLE = "hierarchy_unreadable", "The hierarchy is no JSON text."
    HIERARCHY_EMPTY = "hierarchy_empty", "The hierarchy's file holds null or no root."
    HIERARCHY_MALFORMED = "hierarchy_malformed", "The hierarchy's JSON has another shape."
    HIERARCHY_TOO_DEEP = "hierarchy_too_deep", "The hierarchy is nested deeper than 500 nodes."
    HIERARCHY_TOO_LARGE = "hierarchy_too_large", "The hierarchy's file is larger than allowed."
    HIERARCHY_FRAME_MISMATCH = (
        "hierarchy_frame_mismatch",
        "The hierarchy was taken in another orientation than the picture.",
    )

    INVALID_QUESTION = "invalid_question", "The annotator marked the question as invalid."
    ALL_INVALID = "all_invalid", "Every annotator marked the question as invalid."
    NO_AGREEMENT = "no_agreement", "No two answers of the question agree."
    DISAGREEING_ANSWER_REMOVED = (
        "disagreeing_answer_removed",
        "The answer disagrees with those that agree.",
    )

    BOX_EMPTY = "box_empty", "A box has no width or no height."
    BOX_INVERTED = "box_inverted", "A box's right is left of its left, or its bottom above its top."
    BOX_OUTSIDE = "box_outside", "More than half of a box lies outside its picture."
    ANSWERS_UNUSABLE = "answers_unusable", "Every answer of the question was rejected."


class RejectedRecordError(Exception):
    """Raised by a pure function for a record that is wrong in a known way."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


@dataclasses.dataclass(frozen=True, slots=True)
class Reject:
    """One record that was left out, as written to `rejects/<kind>.jsonl`."""

    kind: str
    """What sort of record: `screen`, `hierarchy`, `short_answers`, `answer`…"""
    id: str
    """The record's id, as far as it has one."""
    step: str
    """The pure function that refused it."""
    reason: Reason
    detail: str
    """What was found, for a person; no picture bytes, no machine paths."""
    origin: str
    """`source/file:position` of the record where it came from a file of many, else its source."""


class Outcome(enum.StrEnum):
    """What is counted of every record kind. `READ` equals the sum of the others and rejects."""

    READ = "read"
    KEPT = "kept"
    MERGED = "merged"
    ORPHANED = "orphaned"


@dataclasses.dataclass(frozen=True, slots=True)
class Tally:
    """So many records of a kind met an outcome; also counts repairs (`kind` is `repairs`)."""

    kind: str
    outcome: str
    count: int
