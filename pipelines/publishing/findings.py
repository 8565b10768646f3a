"""One line of the checklist before a publication."""

import dataclasses
import enum


class Mark(enum.StrEnum):
    """What a line says: all is well, it must be mended first, or it is worth knowing."""

    GOOD = "✓"
    WRONG = "✗"
    NOTE = "·"


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """One line: what was looked at (one word), and what was found, as a sentence.

    The sentence may hold text from data or from a server; whoever shows it makes it safe.
    """

    mark: Mark
    subject: str
    text: str


def good(subject: str, text: str) -> Finding:
    """Returns a line that says that all is well."""
    return Finding(Mark.GOOD, subject, text)


def wrong(subject: str, text: str) -> Finding:
    """Returns a line that stands in the way of publishing."""
    return Finding(Mark.WRONG, subject, text)


def note(subject: str, text: str) -> Finding:
    """Returns a line that is worth knowing."""
    return Finding(Mark.NOTE, subject, text)


def is_ready(findings: tuple[Finding, ...]) -> bool:
    """Whether nothing stands in the way."""
    return all(finding.mark is not Mark.WRONG for finding in findings)
