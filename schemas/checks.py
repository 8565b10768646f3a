"""What `screenset check` found, as `check.json` holds it."""

import dataclasses
import enum

from schemas.records import Record

LONGEST_LIST = 20
"""Most findings of one rule that are written down; all are counted."""


class CheckOutcome(enum.StrEnum):
    """What came of holding a build against one rule."""

    PASSED = "passed"
    FAILED = "failed"
    ERRORED = "errored"
    """The rule itself broke: nothing is known of the data, so the build has not passed."""
    NOT_APPLICABLE = "not_applicable"


@dataclasses.dataclass(frozen=True, slots=True)
class CheckResult(Record):
    """What came of one rule.

    `rule` is its stable name, `title` a sentence of what must hold. `looked_at` says how much
    it was held against (`86,000 rows`); nothing looked at is never passed. `findings` are
    sentences that each name the place (shard, row, column), `LONGEST_LIST` at most, and
    `n_findings` is how many there are. `note` says why it is not applicable, what broke, or
    what is worth knowing although it passed; empty without.
    """

    rule: str
    title: str
    outcome: CheckOutcome
    looked_at: str
    findings: tuple[str, ...] = ()
    n_findings: int = 0
    note: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class CheckReport(Record):
    """The whole of a check.

    `build_sha256` is the digest of the `BUILD.json` that was checked: a report speaks of that
    build only. `images_decoded` is whether every picture was decoded.
    """

    dataset: str
    version: str
    fingerprint: str
    build_sha256: str
    images_decoded: bool
    results: tuple[CheckResult, ...]

    @property
    def passed(self) -> bool:
        """Whether something was checked, and nothing failed or broke."""
        outcomes = {result.outcome for result in self.results}
        wrong = outcomes & {CheckOutcome.FAILED, CheckOutcome.ERRORED}
        return CheckOutcome.PASSED in outcomes and not wrong
