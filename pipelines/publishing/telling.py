"""What people read of a publication: the checklist, the files, the end."""

from collections.abc import Sequence

from pipelines.publishing.findings import Finding
from pipelines.publishing.plan import ChangeKind, Plan
from pipelines.terminal import bold, counted, safe, size, table

_MOST_UNCHANGED = 20
_DIGEST_SIGNS = 12
_ORDER = (ChangeKind.DELETED, ChangeKind.CHANGED, ChangeKind.NEW)


def report_text(*, title: str, findings: Sequence[Finding], plan: Plan, ends: str) -> str:
    """Returns the whole report.

    Args:
        title: What goes where.
        findings: The checklist.
        plan: What becomes of each file.
        ends: What was done, or would be.
    """
    parts = [bold(safe(title)), checklist_text(findings), files_text(plan), sum_text(plan)]
    return "\n\n".join([*parts, safe(ends)])


def checklist_text(findings: Sequence[Finding]) -> str:
    """Returns the checklist, a line a finding."""
    width = max((len(finding.subject) for finding in findings), default=0)
    return "\n".join(
        f"  {finding.mark} {finding.subject:<{width}}  {safe(' '.join(finding.text.split()))}"
        for finding in findings
    )


def files_text(plan: Plan) -> str:
    """Returns a table of what becomes of each file; of those unchanged only the first few."""
    listed = [change for change in plan.changes if change.kind is not ChangeKind.UNCHANGED]
    same = [change for change in plan.changes if change.kind is ChangeKind.UNCHANGED]
    ordered = sorted(listed, key=lambda change: (_ORDER.index(change.kind), change.path))
    rows = [
        (
            change.kind.value,
            size(change.size_bytes),
            change.file.sha256[:_DIGEST_SIGNS] if change.file else None,
            safe(change.path),
        )
        for change in [*ordered, *same[:_MOST_UNCHANGED]]
    ]
    text = table(("change", "size", "sha256", "file"), rows, "<><<")
    hidden = len(same) - _MOST_UNCHANGED
    return text + (f"\n… and {counted(hidden, 'more unchanged file')}" if hidden > 0 else "")


def sum_text(plan: Plan) -> str:
    """Returns the sums: 12 files to send (3.0 MB), 1 to delete, 4 unchanged."""
    moved = sum(file.size_bytes for file in plan.sent) - plan.sent_bytes
    there = f", and {size(moved)} that lie there under another name" if moved else ""
    sums = [f"{counted(len(plan.sent), 'file')} to send ({size(plan.sent_bytes)}{there})"]
    for kind in (ChangeKind.NEW, ChangeKind.CHANGED):
        if plan.count(kind):
            sums.append(f"{plan.count(kind):,} {kind.value}")
    sums += [f"{len(plan.deleted):,} to delete"] if plan.deleted else []
    unchanged = plan.count(ChangeKind.UNCHANGED)
    sums += [f"{unchanged:,} unchanged, not sent again"] if unchanged else []
    return ", ".join(sums)
