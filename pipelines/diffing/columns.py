"""Which columns differ between two schemas, down to the fields of nested rows."""

import json
from typing import Any

import pyarrow as pa

from pipelines.diffing.paths import Path, paths_of
from pipelines.errors import UserError
from schemas.columns import stored_features
from schemas.differences import ColumnDifference, ColumnDifferenceKind


def column_differences(
    names: tuple[str, str], before: pa.Schema, after: pa.Schema
) -> list[ColumnDifference]:
    """Returns the columns that are added, removed, or of another type or feature, by path.

    What is inside an added or removed nested row is not told apart. Metadata that nothing
    loads by, such as a column's sentence, is not compared.

    Args:
        names: What the configuration is called before and after.
        before: Its schema before.
        after: Its schema after.

    Raises:
        UserError: If the Hub's features in a schema cannot be read.
    """
    mine, theirs = ({p.name: p for p in paths_of(schema)} for schema in (before, after))
    found: list[ColumnDifference] = []
    closed: list[str] = []
    for name in sorted(mine.keys() | theirs.keys()):
        if any(name.startswith(prefix) for prefix in closed):
            continue
        one, other = mine.get(name), theirs.get(name)
        kind = _kind(one, other)
        if kind is None:
            continue
        found.append(ColumnDifference(*names, name, kind, _text(one), _text(other)))
        closed += [f"{name}."] if one is None or other is None else []
    told = {column.path.partition(".")[0].partition("[]")[0] for column in found}
    found += [c for c in _features(names, before, after) if c.path not in told]
    return sorted(found, key=lambda column: (column.path, column.kind))


def _kind(one: Path | None, other: Path | None) -> ColumnDifferenceKind | None:
    if one is None:
        return ColumnDifferenceKind.ADDED
    if other is None:
        return ColumnDifferenceKind.REMOVED
    return ColumnDifferenceKind.TYPE if _text(one) != _text(other) else None


def _text(path: Path | None) -> str:
    if path is None:
        return ""
    if path.container:
        return "records" if path.name.endswith("[]") else "record"
    return str(path.arrow)


def _features(
    names: tuple[str, str], before: pa.Schema, after: pa.Schema
) -> list[ColumnDifference]:
    """Returns the columns of both sides that the Hub's library shows differently."""
    mine, theirs = _hub_features(before), _hub_features(after)
    return [
        ColumnDifference(
            *names,
            name,
            ColumnDifferenceKind.FEATURE,
            json.dumps(mine.get(name), sort_keys=True),
            json.dumps(theirs.get(name), sort_keys=True),
        )
        for name in before.names
        if name in after.names and mine.get(name) != theirs.get(name)
    ]


def _hub_features(schema: pa.Schema) -> dict[str, Any]:
    try:
        return stored_features(schema) or {}
    except (ValueError, RecursionError) as error:
        raise UserError("the features for the Hub are damaged in a shard") from error
