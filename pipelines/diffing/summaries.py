"""What two builds say of themselves, held side by side."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from pipelines.diffing.shards import roles
from pipelines.diffing.sides import Side
from schemas.builds import ALL, Shard
from schemas.differences import Change, SplitCounts
from schemas.splits import split_order

_SETTINGS = ("recipe", "images", "limit", "manifest", "splits", "provides", "checks", "card")
_SHORT_ANSWERS = ("provider", "model", "prompt_version")


def split_counts(before: Side, after: Side) -> tuple[SplitCounts, ...]:
    """Returns rows and screens of each configuration's splits, the main configuration first."""
    counts = []
    mine, theirs = roles(before), roles(after)
    for role in sorted(mine.keys() | theirs.keys()):  # The main one's is empty, and so first.
        names = mine.get(role, ""), theirs.get(role, "")
        old, new = _by_split(before, mine.get(role)), _by_split(after, theirs.get(role))
        for split in sorted(old.keys() | new.keys(), key=split_order):
            a, b = old.get(split, (0, 0)), new.get(split, (0, 0))
            counts.append(SplitCounts(*names, split, a[0], b[0], a[1], b[1]))
    return tuple(counts)


def configuration_changes(before: Side, after: Side) -> tuple[Change, ...]:
    """Returns the configurations that one side alone has, with their rows."""
    mine, theirs = roles(before), roles(after)
    gone = [
        Change(name, _rows(before, name), None) for role, name in mine.items() if role not in theirs
    ]
    come = [
        Change(name, None, _rows(after, name)) for role, name in theirs.items() if role not in mine
    ]
    return tuple(sorted([*gone, *come], key=lambda change: change.name))


def statistic_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Change, ...]:
    """Returns the counts of `stats.json` that differ, none is 0.

    Those of all splits come first, and plain counts before histograms.
    """
    changes = changes_of(_flat(before), _flat(after), missing=0)
    return tuple(
        sorted(changes, key=lambda c: (not c.name.startswith(f"{ALL}."), c.name.count(".")))
    )


def reject_changes(before: Side, after: Side) -> tuple[Change, ...]:
    """Returns the numbers of rejects that differ, by kind and reason."""
    one, other = (_flat(side.said("rejects")) for side in (before, after))
    return tuple(changes_of(one, other, missing=0))


def source_changes(before: Side, after: Side) -> tuple[Change, ...]:
    """Returns what differs of the sources: among it their digests and licences."""
    one, other = (_flat(side.said("sources")) for side in (before, after))
    return tuple(changes_of(one, other, missing=None))


def setting_changes(before: Side, after: Side) -> tuple[Change, ...]:
    """Returns what differs of the manifest's settings, as far as a build repeats them."""
    one, other = (_settings(side) for side in (before, after))
    return tuple(changes_of(one, other, missing=None))


def changes_of(
    before: Mapping[str, Any], after: Mapping[str, Any], *, missing: Any
) -> Iterator[Change]:
    """Yields the named values that differ, by name; `missing` is what a side has without one."""
    for name in sorted(before.keys() | after.keys()):
        one, other = before.get(name, missing), after.get(name, missing)
        if one != other:
            yield Change(name, one, other)


def _settings(side: Side) -> dict[str, Any]:
    made = side.said("short_answers")
    chosen = {name: side.build.summary.get(name) for name in _SETTINGS}
    return _flat({**chosen, "short_answers": {name: made.get(name) for name in _SHORT_ANSWERS}})


def _flat(value: Any, name: str = "") -> dict[str, Any]:
    """Returns nested values under names with dots; a list is one value."""
    if not isinstance(value, Mapping):
        return {name: value}
    flat: dict[str, Any] = {}
    for key, inner in value.items():
        flat.update(_flat(inner, f"{name}.{key}" if name else str(key)))
    return flat


def _by_split(side: Side, configuration: str | None) -> dict[str, tuple[int, int]]:
    rows: Counter[str] = Counter()
    screens: Counter[str] = Counter()
    for shard in _shards(side, configuration):
        rows[shard.split] += shard.rows
        screens[shard.split] += shard.screens
    return {split: (rows[split], screens[split]) for split in rows}


def _rows(side: Side, configuration: str) -> int:
    return sum(shard.rows for shard in _shards(side, configuration))


def _shards(side: Side, configuration: str | None) -> list[Shard]:
    return [] if configuration is None else side.build.shards_of(configuration)
