"""What a question accepts: the short answers of all its annotators (ScreenQA 4.5)."""

from collections.abc import Sequence

from schemas.questions import NO_ANSWER
from transforms.identifying import clean_text, normalize_text


def gold_of(per_answer: Sequence[Sequence[str]], says_no_answer: bool) -> tuple[str, ...]:
    """Returns the union of the short answers that are kept of a question's answers.

    In the order in which they are first seen, answer by answer; `<no answer>` last, if an
    annotator said so (requirements SQA-27: 272 released test questions have it beside others).
    Texts are the same if their normalized texts are, case and signs kept: released questions
    have "NEWS" beside "News" where annotators wrote both, and scores decide for themselves what
    they fold (faults M15).

    Args:
        per_answer: For each answer, the variants that its checks kept.
        says_no_answer: Whether one of the question's answers is that there is none. Variants
            cannot say it: one that does is left out.

    Returns:
        Empty if nothing is left; the caller says what becomes of the question.
    """
    united = dict.fromkeys(
        normalize_text(clean_text(text)) for variants in per_answer for text in variants
    )
    kept = [text for text in united if text and text.casefold() != NO_ANSWER]
    return (*kept, NO_ANSWER) if says_no_answer else tuple(kept)
