"""A difference as a person reads it on a terminal; the JSON has every id, this a few."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pipelines.terminal import counted, safe, table
from schemas.differences import (
    BuildIdentity,
    Change,
    Difference,
    Moved,
    RowsDifference,
    ScreensDifference,
    ShortAnswerChange,
)
from schemas.rejects import Reason

_IDS, _LINES, _WIDTH, _MARK = 5, 12, 56, "…"


def difference_text(difference: Difference) -> str:
    """Returns what differs, the most telling first; texts of the data cannot act on a terminal."""
    parts = [
        _identities(difference.before, difference.after),
        _verdict(difference),
        _counts(difference),
        *_columns(difference),
        *(part for rows in difference.rows for part in _rows(rows)),
        *_screens(difference.screens),
        *_changes("statistics", difference.statistics),
        *_changes("rejects", difference.rejects),
        *_changes("sources", difference.sources),
        *_changes("settings", difference.settings),
    ]
    return "\n\n".join(parts)


def shortened(text: str, width: int = _WIDTH) -> str:
    """Returns a text in one safe line of at most `width` characters."""
    line = safe(text[: width + 1]).replace("\n", " ")
    return line if len(text) <= width else line[: width - 1] + _MARK


def around_difference(before: str, after: str, width: int = _WIDTH) -> tuple[str, str]:
    """Returns two texts shortened so that the first sign in which they differ is seen."""
    same = 0
    for one, other in zip(before, after, strict=False):
        if one != other:
            break
        same += 1
    skipped = max(0, same - width // 3) if max(len(before), len(after)) > width else 0
    lead = _MARK if skipped else ""
    one, other = (shortened(lead + text[skipped:], width) for text in (before, after))
    return one, other


def _identities(before: BuildIdentity, after: BuildIdentity) -> str:
    header = ("", "build", "data set", "version", "fingerprint", "code")
    rows = [
        (
            name,
            shortened(side.place),
            shortened(side.dataset),
            shortened(side.version),
            shortened(side.fingerprint[:12]),
            shortened(f"{side.code_version} {side.code_digest[:12]}"),
        )
        for name, side in (("before", before), ("after", after))
    ]
    return table(header, rows)


def _verdict(difference: Difference) -> str:
    if difference.differs:
        return "They differ."
    own = any((difference.statistics, difference.rejects, difference.sources, difference.settings))
    more = " What the builds say of themselves differs, as follows." if own else ""
    return f"Columns, rows and splits are equal.{more}"


def _counts(difference: Difference) -> str:
    rows = [
        (
            shortened(count.configuration_after or count.configuration_before),
            shortened(count.split),
            *_before_after(count.rows_before, count.rows_after),
            *_before_after(count.screens_before, count.screens_after),
        )
        for count in difference.counts
    ]
    header = ("configuration", "split", "rows", "now", "±", "screens", "now", "±")
    return table(header, rows, "<<>>>>>>")


def _columns(difference: Difference) -> Iterator[str]:
    for change in difference.configurations:
        verb = "added" if change.before is None else "removed"
        rows = counted(change.after if change.before is None else change.before, "row")
        yield f"configuration {verb}: {shortened(change.name)} ({rows})"
    if difference.columns:
        lines = [
            (
                shortened(column.configuration_after),
                shortened(column.path),
                column.kind,
                *around_difference(column.before, column.after),
            )
            for column in difference.columns
        ]
        yield _cut(("configuration", "column", "change", "before", "after"), lines)


def _rows(rows: RowsDifference) -> Iterator[str]:
    name = shortened(rows.configuration_after)
    if not rows.differs:
        return
    shared = f"; {counted(rows.shared_shards, 'shard')} the same" if rows.shared_shards else ""
    lines = [f"rows of {name} by {rows.key}{shared}"]
    lines += _ids("added", rows.added)
    lines += _ids("removed", rows.removed)
    lines += _moves("moved", rows.moved)
    lines += _ids("changed", [change.id for change in rows.changed])
    for what, count in (("picture", rows.only_picture), ("provenance", rows.only_provenance)):
        if count:
            lines.append(f"  of these, {count:,} in nothing but the {what}")
    yield "\n".join(lines)
    if rows.by_column:
        yield _by_column(rows)
    if rows.short_answers:
        yield _short_answers(rows.short_answers)


def _by_column(rows: RowsDifference) -> str:
    """Returns a line a path, with its first example, and the others under it."""
    examples = defaultdict(list)
    for example in rows.examples:
        examples[example.path].append(example)
    lines: list[Sequence[object]] = []
    for path, count in rows.by_column[:_LINES]:
        for number, example in enumerate(examples[path]):
            lead: tuple[object, object] = ("", "") if number else (shortened(path), count)
            values = around_difference(example.before, example.after)
            lines.append((*lead, shortened(example.id), *values))
    more = _more(len(rows.by_column) - _LINES)
    header = ("changed in", "rows", "such as", "before", "after")
    return table(header, lines, "<>") + more


def _short_answers(changes: Sequence[ShortAnswerChange]) -> str:
    sums: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for change in changes:
        counts = sums[change.provider_before, change.provider_after]
        counts["questions"] += 1
        counts["added"] += len(change.added)
        counts["removed"] += len(change.removed)
        counts["other"] += not (change.added or change.removed)
    lines = [
        (
            shortened(before),
            shortened(after),
            counts["questions"],
            counts["added"],
            counts["removed"],
            counts["other"] or None,
        )
        for (before, after), counts in sorted(sums.items())
    ]
    header = (
        "short answers by",
        "now by",
        "questions",
        "variants added",
        "removed",
        "same variants",
    )
    return _cut(header, lines, "<<>>>>")


def _screens(screens: ScreensDifference) -> Iterator[str]:
    lines = [
        *_ids("added", screens.added),
        *_ids("removed", screens.removed),
        *_ids("taken down (on the block list now)", screens.taken_down),
        *_ids("restored (off the block list)", screens.restored),
        *_moves("moved", screens.moved),
    ]
    if lines:
        yield "\n".join(["screens", *lines])
    if screens.apps_moved:
        moved = [
            (shortened(app.app), ", ".join(app.before), ", ".join(app.after))
            for app in screens.apps_moved
        ]
        yield _cut(("app moved", "from", "to"), [tuple(map(shortened, line)) for line in moved])


def _changes(title: str, changes: Sequence[Change]) -> Iterator[str]:
    if not changes:
        return
    # What a block list took out is never left to "and more".
    ordered = sorted(changes, key=lambda c: not c.name.endswith(f".{Reason.BLOCKED}"))
    lines = [
        (shortened(c.name), *around_difference(_shown(c.before), _shown(c.after)))
        for c in (ordered if title == "rejects" else changes)
    ]
    yield _cut((title, "before", "after"), lines)


def _ids(what: str, ids: Sequence[str]) -> list[str]:
    if not ids:
        return []
    shown = ", ".join(shortened(row_id) for row_id in ids[:_IDS])
    return [f"  {what}: {len(ids):,} ({shown}{', …' if len(ids) > _IDS else ''})"]


def _moves(what: str, moved: Iterable[Moved]) -> list[str]:
    by_way: dict[tuple[str, str], list[str]] = defaultdict(list)
    for one in moved:
        by_way[one.before, one.after].append(one.id)
    return [
        line
        for (before, after), ids in sorted(by_way.items())
        for line in _ids(f"{what} from {shortened(before)} to {shortened(after)}", ids)
    ]


def _cut(header: Sequence[str], lines: Sequence[Sequence[object]], right: str = "") -> str:
    return table(header, lines[:_LINES], right) + _more(len(lines) - _LINES)


def _more(count: int) -> str:
    return (
        f"\n… and {counted(count, 'more line', 'more lines')}; --json has all" if count > 0 else ""
    )


def _before_after(before: int, after: int) -> tuple[int, int, str | None]:
    return before, after, f"{after - before:+,}" if after != before else None


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
