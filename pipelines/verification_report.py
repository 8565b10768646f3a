"""What people found who verified short answers, in sentences."""

from collections.abc import Mapping
from typing import Any

from pipelines.terminal import counted, safe

STRATA = {
    "list": "several elements",
    "yes_no": "yes or no",
    "date_time": "dates and times",
    "number": "numbers",
    "picture": "icons and pictures",
    "text": "texts",
}
"""Kinds of answers that are verified apart, as people call them."""


def verification_lines(found: Mapping[str, Any]) -> list[str]:
    """Returns sentences on how many short answers are wrong, by what made them.

    Args:
        found: What `verification.plain_rates` returns.
    """
    lines = []
    for rates in found["makers"]:
        questions = sum(stratum["questions"] for stratum in rates["strata"])
        of = sum(stratum["size"] for stratum in rates["strata"])
        lines += [
            f"short answers by {_maker(rates['made_by'])}, verified on {questions:,} of {of:,} "
            f"questions by {counted(rates['reviewers'], 'person', 'people')}:",
            f"  wrong: {_share(rates['variant_share'])} of short answers; "
            f"{_share(rates['question_share'])} of questions have a wrong one",
        ]
        lines += [f"  {_stratum(stratum)}" for stratum in rates["strata"]]
        if rates["ties"]:
            tied = counted(rates["ties"], "short answer", "short answers")
            lines.append(f"  as many found right as wrong: {tied}; kept")
    if lines:
        lines.append(
            f"  {counted(found['rejected_variants'], 'short answer', 'short answers')} of "
            f"{counted(found['questions_with_rejected_variants'], 'question', 'questions')} "
            "rejected (95 % intervals: Wilson in a stratum, MOVER over all, by question)"
        )
    return lines


def _stratum(stratum: Mapping[str, Any]) -> str:
    return (
        f"{STRATA[stratum['kind']]}: {stratum['variants_wrong']:,} of {stratum['variants']:,} "
        f"({_share(stratum['variant_share'])}), in {stratum['questions_wrong']:,} of "
        f"{stratum['questions']:,} questions ({_share(stratum['question_share'])})"
    )


def _share(share: Mapping[str, float]) -> str:
    return f"{share['value']:.1%} [{share['low']:.1%}–{share['high']:.1%}]"


def _maker(made_by: Mapping[str, str] | None) -> str:
    if made_by is None:
        return "an untold maker"
    return safe(" ".join(part for part in made_by.values() if part))
