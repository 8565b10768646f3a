"""What a rule says, and how a finding is put."""

import dataclasses
from collections.abc import Callable, Iterable, Sequence

from pipelines.checking.facts import Fault, Faults, ShardFacts
from pipelines.checking.subjects import Subject
from pipelines.terminal import counted
from schemas.checks import LONGEST_LIST, CheckOutcome


@dataclasses.dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a rule: a `CheckResult` without its name."""

    outcome: CheckOutcome
    looked_at: str
    findings: tuple[str, ...] = ()
    n_findings: int = 0
    note: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its stable name, what must hold, and the function that looks."""

    name: str
    title: str
    judge: Callable[[Subject], Verdict]


def verdict(
    looked_at: int,
    unit: str,
    findings: Iterable[str],
    *,
    many: str = "",
    n_findings: int | None = None,
    note: str = "",
) -> Verdict:
    """Returns what a rule says that looked at so many things.

    Where there was nothing to look at, that is what failed: empty data passes nothing.

    Args:
        looked_at: How many things were looked at.
        unit: What they are, in the singular.
        many: The same in the plural, if that has more than an s.
        findings: A sentence for each thing that is wrong.
        n_findings: How many there are, where `findings` are the first ones only.
        note: What is worth knowing all the same.
    """
    said = list(findings)
    count = len(said) if n_findings is None else n_findings
    if not looked_at and not count:
        said, count = [f"there is no {unit} to look at"], 1
    outcome = CheckOutcome.FAILED if count else CheckOutcome.PASSED
    return Verdict(outcome, counted(looked_at, unit, many), tuple(said[:LONGEST_LIST]), count, note)


def not_applicable(note: str) -> Verdict:
    """Returns what a rule says that the build is not subject to, and why."""
    return Verdict(CheckOutcome.NOT_APPLICABLE, "nothing", note=note)


def errored(note: str) -> Verdict:
    """Returns what is said of a rule that broke."""
    return Verdict(CheckOutcome.ERRORED, "nothing", note=note)


def row_verdict(
    shards: Sequence[ShardFacts], rule: str, unit: str, *, many: str = "", note: str = ""
) -> Verdict:
    """Returns what a rule says whose faults were found while rows were read."""
    found = [(facts, facts.rows.faults.get(rule, Faults())) for facts in shards if facts.rows]
    told = [(facts, fault) for facts, faults in found for fault in faults.first]
    return verdict(
        sum(faults.looked_at for _, faults in found),
        unit,
        [_sentence(facts, fault) for facts, fault in told[:LONGEST_LIST]],
        many=many,
        n_findings=sum(faults.count for _, faults in found),
        note=note,
    )


def _sentence(facts: ShardFacts, fault: Fault) -> str:
    return f"{facts.name_of(fault.row)}: {fault.text}"
