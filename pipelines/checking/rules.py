"""All rules of `screenset check`, in the order in which they are told."""

import pyarrow as pa

from pipelines.checking.across_rows import ROW_RULES
from pipelines.checking.books import BOOK_RULES
from pipelines.checking.build_files import FILE_RULES
from pipelines.checking.card_rule import CARD_RULES
from pipelines.checking.filled import FILLED_RULES
from pipelines.checking.hub_limits import HUB_RULES
from pipelines.checking.leaks import LEAK_RULES
from pipelines.checking.subjects import Subject
from pipelines.checking.suites import SUITE_RULES
from pipelines.checking.verdicts import Rule, Verdict, errored
from pipelines.errors import UserError
from pipelines.finished_builds import DAMAGE
from schemas.checks import CheckResult

RULES: tuple[Rule, ...] = (
    *FILE_RULES,
    *BOOK_RULES,
    *SUITE_RULES,
    *FILLED_RULES,
    *ROW_RULES,
    *LEAK_RULES,
    *HUB_RULES,
    *CARD_RULES,
)

_BREAKING = (UserError, OSError, pa.ArrowException, *DAMAGE)
"""What a rule raises on a build whose own reports are damaged; any other exception is a bug."""


def result_of(rule: Rule, subject: Subject) -> CheckResult:
    """Returns what came of one rule; one that breaks has errored, and says of what."""
    try:
        said: Verdict = rule.judge(subject)
    except _BREAKING as error:
        said = errored(f"{type(error).__name__}: {error}"[:500])
    return CheckResult(
        rule.name,
        rule.title,
        said.outcome,
        said.looked_at,
        said.findings,
        said.n_findings,
        said.note,
    )
