"""What happens to records that cannot be kept, and to those that can.

Every input record has exactly one fate: kept, merged into a named survivor, rejected with
a reason, or (a record of a look-up side of a join that nothing asked for) orphaned. The
counts of all fates are compared with the counts of all reads at the end of every build.
"""

import dataclasses
import enum

from schemas.records import Record


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

    BLOCKED = "blocked", "The manifest's block list names the screen or its app."
    SCREEN_NOT_ENGLISH = (
        "screen_not_english",
        "The texts of the screen's app are not in English, as the automatic prefilter finds.",
    )
    HIERARCHY_OUT_OF_SYNC = (
        "hierarchy_out_of_sync",
        "The hierarchy does not fit the picture, as the automatic prefilter finds.",
    )

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
    QUESTION_UNANSWERED = "question_unanswered", "Nobody has answered the question yet."
    DUPLICATE_QUESTION = (
        "duplicate_question",
        "After corrections another question of the screen reads the same and has more answers.",
    )
    ALL_INVALID = "all_invalid", "Every annotator marked the question as invalid."
    NO_AGREEMENT = "no_agreement", "No two answers of the question agree."
    SHORT_ANSWERS_FAILED = (
        "short_answers_failed",
        "No usable short answer was made of the question's answers.",
    )
    DISAGREEING_ANSWER_REMOVED = (
        "disagreeing_answer_removed",
        "The answer disagrees with those that agree.",
    )

    BOX_EMPTY = "box_empty", "A box has no width or no height."
    BOX_INVERTED = "box_inverted", "A box's right is left of its left, or its bottom above its top."
    BOX_OUTSIDE = "box_outside", "More than half of a box lies outside its picture."
    ANSWERS_UNUSABLE = "answers_unusable", "Every answer of the question was rejected."

    BAD_JSON = "bad_json", "A line of a file is no JSON text."
    UNSUPPORTED_FORMAT = "unsupported_format", "The record is of a format that nothing here reads."
    MISSING_KEY = "missing_key", "A value that must be there is missing or null."
    MISSING_COMPLETED_BY = "missing_completed_by", "The annotation does not say who made it."
    UNKNOWN_USER = "unknown_user", "The annotation's author cannot be told from the user map."
    UNKNOWN_CONTROL = (
        "unknown_control",
        "A result comes from a control that the pass's labeling configuration does not have.",
    )
    MISSING_REGION_ID = "missing_region_id", "A result on a region does not say on which."
    MISSING_STATUS = "missing_status", "Work was submitted without the choice that it must make."
    AMBIGUOUS_STATUS = (
        "ambiguous_status",
        "A choice was made more than once, or what follows contradicts it.",
    )
    MULTIPLE_FULL_ANSWERS = (
        "multiple_full_answers",
        "The full answer, or another text of which there is one, was given more than once.",
    )
    MULTIPLE_REGION_TEXTS = "multiple_region_texts", "One region bears more than one text."
    MISSING_FULL_ANSWER = "missing_full_answer", "The question was answered without a sentence."
    CONTRADICTORY_ANSWER = (
        "contradictory_answer",
        "The question is said to have no answer, and yet there is one.",
    )
    ROTATED_BOX = "rotated_box", "A box, or the picture under it, is turned."
    PERCENT_OUT_OF_RANGE = (
        "percent_out_of_range",
        "A percentage lies beyond 150: pixels, or a hundredfold.",
    )
    BAD_LABEL = "bad_label", "A label or choice is none of those that the pass offers."

    ORPHAN_QUESTION = (
        "orphan_question",
        "The answered question was never composed, or was itself rejected.",
    )
    COMPOSER_ANSWERED_OWN_QUESTION = (
        "composer_answered_own_question",
        "Whoever composed a question may not answer it (ScreenQA 4.3).",
    )
    SAME_ANNOTATOR_BOTH_PASSES = (
        "same_annotator_both_passes",
        "The second question pass is for another annotator than the first (ScreenQA 4.2).",
    )
    PASS_ORDER_VIOLATION = (
        "pass_order_violation",
        "A question of the second pass is no later than all of the first (ScreenQA 4.2).",
    )
    MAX_QUESTIONS_EXCEEDED = (
        "max_questions_exceeded",
        "The pass has its number of questions on the screen already: 5, 3 and 1.",
    )
    PREFILTERED_SCREEN = (
        "prefiltered_screen",
        "The screen is not in English or out of sync with its hierarchy (ScreenQA 4.1).",
    )
    SCREEN_PII = "screen_pii", "A reviewer saw personal data on the screen."
    SCREEN_UNSAFE = "screen_unsafe", "A reviewer saw unsafe content on the screen."
    SUPERSEDED_REVISION = "superseded_revision", "A newer revision of the same event exists."
    SUPERSEDED_BY_SAME_ANNOTATOR = (
        "superseded_by_same_annotator",
        "The same person did the same unit of work again, later.",
    )
    OVER_QUOTA = "over_quota", "The question has its number of answers, all of them earlier."
    LATE_EVENT = "late_event", "The event was submitted after the cut-off."
    ANNOTATOR_UNTRAINED = (
        "annotator_untrained",
        "The person had not reached the quality bar of the training by then (ScreenQA A.4).",
    )
    REVIEW_TARGET_MISSING = "review_target_missing", "The reviewed event does not exist."
    REVIEWER_IS_AUTHOR = "reviewer_is_author", "People may not review their own work."

    APP_KIND_FOREIGN = "app_kind_foreign", "The store's record is no iPhone or iPad app."
    APP_WITHOUT_SCREENSHOTS = (
        "app_without_screenshots",
        "The store lists no screenshots of the app for any of the wanted devices.",
    )
    CATEGORY_UNWANTED = "category_unwanted", "The app's category has no quota."
    OVER_CATEGORY_QUOTA = (
        "over_category_quota",
        "The app's category has its number of apps, all of them found earlier.",
    )
    SCREENSHOT_URL_FOREIGN = (
        "screenshot_url_foreign",
        "The screenshot's address is none of the store's picture servers.",
    )
    SCREENSHOT_MISSING = "screenshot_missing", "The store did not hand out the screenshot."
    SCREENSHOT_TOO_SMALL = (
        "screenshot_too_small",
        "The screenshot came as a thumbnail, or is narrower than allowed.",
    )
    CAPTURE_FILE_MISSING = (
        "capture_file_missing",
        "The table of captured screens names a picture that is not there.",
    )
    CAPTURE_UNLISTED = (
        "capture_unlisted",
        "A captured picture is in no row of its folder's table.",
    )
    CAPTURE_PATH_OUTSIDE = (
        "capture_path_outside",
        "The table of captured screens names a file outside of its folder.",
    )


ASKED_FOR = frozenset({Reason.BLOCKED, Reason.SCREEN_NOT_ENGLISH, Reason.HIERARCHY_OUT_OF_SYNC})
"""Reasons that the manifest itself asks for: they count against no ceiling but their own."""


def reason_sentence(reason: str) -> str:
    """Returns the sentence of a reason; an empty text for one of another version."""
    return Reason(reason).sentence if reason in set(Reason) else ""


class RejectedRecordError(Exception):
    """Raised by a pure function for a record that is wrong in a known way."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


@dataclasses.dataclass(frozen=True, slots=True)
class Reject(Record):
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
class Tally(Record):
    """So many records of a kind met an outcome; also counts repairs (`kind` is `repairs`)."""

    kind: str
    outcome: str
    count: int
