"""The names that tie labeling configurations, tasks and exports together.

A control's name in the XML is the contract: exports are read by it. Changing one makes
all projects unreadable that were set up before.
"""

import hashlib
import importlib.resources

from schemas.annotations import AnnotationPass

ELEMENT = "element"
ELEMENT_TEXT = "element_text"
ELEMENT_RANK = "element_rank"
INTERACTIVE = "interactive"
ANSWER_STATUS = "answer_status"
FULL_ANSWER = "full_answer"
QUESTION_CORRECTION = "question_correction"
QUESTION = "question"
SCREEN_STATUS = "screen_status"
LANGUAGE = "language"
VH_SYNC = "vh_sync"
NOTE = "note"
LEAVES = "leaves"
"""Shows prefilter raters the hierarchy's boxes; what is done to them says nothing."""
REVIEW_VERDICT = "review_verdict"
REVIEW_REASON = "review_reason"
PII = "pii"
UNSAFE = "unsafe"
CORRECT = "correct"
WRONG_SHORT_ANSWERS = "wrong_short_answers"
SHORT_ANSWERS_STATUS = "short_answers_status"

IMAGE = "screen"
"""Name of the picture, which all controls point to."""

VH_CANDIDATE = "vh_candidate"
"""Label of a leaf that is offered; left over, it says nothing."""
ANSWER_LABEL = "answer"
"""Label of a box that is part of the answer."""

HAS_QUESTIONS = "has_questions"
NO_INTERESTING_CONTENT = "no_interesting_content"
NOTHING_TO_ADD = "nothing_to_add"

ALL_RIGHT = "all_right"
SOME_WRONG = "some_wrong"

_OF_ELEMENTS = frozenset({ELEMENT, ELEMENT_TEXT, INTERACTIVE})

CONTROLS = {
    AnnotationPass.PREFILTER: frozenset({LANGUAGE, VH_SYNC, NOTE, LEAVES}),
    AnnotationPass.QUESTION_1: frozenset({QUESTION, SCREEN_STATUS}),
    AnnotationPass.QUESTION_2: frozenset({QUESTION, SCREEN_STATUS}),
    AnnotationPass.QUESTION_3_NA: frozenset({QUESTION}),
    AnnotationPass.ANSWER: frozenset(
        {ANSWER_STATUS, ELEMENT, ELEMENT_TEXT, ELEMENT_RANK, FULL_ANSWER, QUESTION_CORRECTION}
    ),
    AnnotationPass.ELEMENT: _OF_ELEMENTS,
    AnnotationPass.ELEMENT_REVIEW: _OF_ELEMENTS | {REVIEW_VERDICT, REVIEW_REASON},
    AnnotationPass.SCREEN_REVIEW: frozenset({PII, UNSAFE, CORRECT}),
    AnnotationPass.VERIFY_SHORT_ANSWERS: frozenset({WRONG_SHORT_ANSWERS, SHORT_ANSWERS_STATUS}),
}
"""The controls of each pass that Label Studio is used for."""

OLD_PASS_NAMES = {
    "questions_pass1": AnnotationPass.QUESTION_1,
    "questions_pass2": AnnotationPass.QUESTION_2,
    "not_answerable": AnnotationPass.QUESTION_3_NA,
    "muianno_elements": AnnotationPass.ELEMENT,
    "muianno_review": AnnotationPass.ELEMENT_REVIEW,
}
"""Names of passes in tasks of the first campaigns."""


def labeling_config(pass_: AnnotationPass) -> str:
    """Returns the XML that a pass's Label Studio project is set up with.

    Raises:
        ValueError: Label Studio is not used for this pass.
    """
    if pass_ not in CONTROLS:
        known = ", ".join(known.value for known in CONTROLS)
        raise ValueError(f"there is no labeling configuration for {pass_}, only for {known}")
    folder = importlib.resources.files(__package__) / "configs"
    return (folder / f"{pass_.value}.xml").read_text(encoding="utf-8")


def config_sha256(config: str) -> str:
    """Returns the SHA-256 of a labeling configuration, in hex."""
    return hashlib.sha256(config.encode()).hexdigest()


def pass_named(name: str) -> AnnotationPass:
    """Returns the pass of a name, if Label Studio is used for it.

    Raises:
        ValueError: It is none of them; the message lists those there are.
    """
    for pass_ in CONTROLS:
        if name == pass_.value:
            return pass_
    raise ValueError(f"{name} is none of {', '.join(pass_.value for pass_ in CONTROLS)}")
