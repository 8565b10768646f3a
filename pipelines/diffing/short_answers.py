"""Which short answers are others, and who made them."""

from collections.abc import Mapping
from typing import Any

from pipelines.diffing.ordering import row_order
from schemas.differences import ShortAnswerChange

SHORT_ANSWER_COLUMNS = ["short_answers", "short_answers_from"]


def short_answer_changes(
    before: Mapping[str, Mapping[str, Any]], after: Mapping[str, Mapping[str, Any]]
) -> tuple[ShortAnswerChange, ...]:
    """Returns what differs in the short answers of questions, in the order of ids.

    Args:
        before: The values of `SHORT_ANSWER_COLUMNS`, by question id.
        after: The same of the other side; questions of one side alone are not looked at.
    """
    changes = []
    for question_id in sorted(before, key=row_order):
        mine, theirs = before[question_id], after[question_id]
        old, new = set(mine["short_answers"] or ()), set(theirs["short_answers"] or ())
        changes.append(
            ShortAnswerChange(
                id=question_id,
                provider_before=provider_of(mine["short_answers_from"]),
                provider_after=provider_of(theirs["short_answers_from"]),
                added=tuple(sorted(new - old, key=str)),
                removed=tuple(sorted(old - new, key=str)),
            )
        )
    return tuple(changes)


def provider_of(origin: Mapping[str, Any] | None) -> str:
    """Returns who made short answers: a provider and its model, `none` if the row says nothing."""
    if origin is None:
        return "none"
    said = [str(origin[name]) for name in ("provider", "model") if origin.get(name)]
    return " ".join(said) or "none"
