"""What differs in the rows of a configuration, with never more than a few of them in memory.

A first pass keeps, for each row of the one side, its split and eight bytes a path; the other
side is held against that, a batch at a time. A second one reads, without pictures, the values
of the rows that are shown.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pipelines.diffing.ordering import row_order
from pipelines.diffing.paths import (
    ITEMS,
    Path,
    differing,
    paths_of,
    picture_digests,
    signature,
    values_at,
)
from pipelines.diffing.shards import Pair, Reading
from pipelines.diffing.short_answers import SHORT_ANSWER_COLUMNS, short_answer_changes
from pipelines.errors import UserError
from pipelines.finished_builds import IMAGE_COLUMN
from schemas.differences import Example, Moved, RowChange, RowsDifference

EXAMPLES = 3
"""Examples a path."""

_PICTURE, _PROVENANCE = "image.", "provenance."

Facts = tuple[str, bytes]
"""A row's split and its signature."""


class RowSets(NamedTuple):
    """What became of the rows of a configuration, each in the order of ids."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    moved: tuple[Moved, ...]
    changed: tuple[RowChange, ...]


def compare_rows(pair: Pair, paths: Sequence[Path]) -> RowsDifference:
    """Returns what differs in the rows of a configuration.

    Args:
        pair: The configuration on both sides.
        paths: The paths that both sides have.

    Raises:
        UserError: If a shard is damaged, or an id is in two rows of a side.
    """
    by_name = {path.name: path for path in paths}
    found = compare_facts(facts_of(pair.before, paths), facts_of(pair.after, paths), paths)
    changed = found.changed
    examples, wanted = chosen_examples(changed)
    short = {c.id for c in changed if any(p.startswith("short_answers") for p in c.paths)}
    mine, my_short = _values(pair.before, wanted, short)
    theirs, their_short = _values(pair.after, wanted, short)
    pictured = {row_id for path, row_id in examples if by_name[path].column == IMAGE_COLUMN}
    for reading, values in ((pair.before, mine), (pair.after, theirs)):
        for row_id, picture in reading.pictures(pictured).items():
            values[row_id][IMAGE_COLUMN] = picture
    counts = Counter(path for change in changed for path in change.paths)
    return RowsDifference(
        configuration_before=pair.before.configuration,
        configuration_after=pair.after.configuration,
        key=pair.before.key,
        shared_shards=pair.shared,
        added=found.added,
        removed=found.removed,
        moved=found.moved,
        changed=changed,
        by_column=tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0]))),
        only_picture=_only(changed, _PICTURE),
        only_provenance=_only(changed, _PROVENANCE),
        examples=tuple(
            _example(by_name[path], row_id, mine[row_id], theirs[row_id])
            for path, row_id in examples
        ),
        short_answers=short_answer_changes(my_short, their_short),
    )


def no_difference(pair: Pair) -> RowsDifference:
    """Returns what differs where all shards are the same files: nothing."""
    names = pair.before.configuration, pair.after.configuration
    return RowsDifference(*names, pair.before.key, pair.shared, (), (), (), (), (), 0, 0, (), ())


def facts_of(reading: Reading, paths: Sequence[Path]) -> Iterator[tuple[str, Facts]]:
    """Yields the id, split and signature of each row that is to be read.

    Raises:
        UserError: If a shard is damaged, or a row has no id.
    """
    columns = list(dict.fromkeys([reading.key, *(path.column for path in paths)]))
    for split, batch in reading.batches(columns):
        for row in picture_digests(batch).to_pylist():
            row_id = row[reading.key]
            if not isinstance(row_id, str):
                raise UserError(f"{reading.side.place}: a row has no id; run screenset check")
            yield row_id, (split, signature(row, paths))


def compare_facts(
    before: Iterator[tuple[str, Facts]], after: Iterator[tuple[str, Facts]], paths: Sequence[Path]
) -> RowSets:
    """Returns which rows are added, removed, moved and changed.

    A column `split` that says no more than that the row was moved is not told as changed.

    Raises:
        UserError: If an id is in two rows of a side.
    """
    rows: dict[str, Facts] = {}
    for row_id, facts in before:
        if rows.setdefault(row_id, facts) is not facts:
            raise _twice(row_id)
    seen: set[str] = set()
    added, moved, changed = [], [], []
    kept: dict[tuple[str, ...], tuple[str, ...]] = {}
    for row_id, (split, digests) in after:
        if row_id in seen:
            raise _twice(row_id)
        seen.add(row_id)
        if row_id not in rows:
            added.append(row_id)
            continue
        split_before, digests_before = rows.pop(row_id)
        differ = differing(digests_before, digests, paths)
        if split_before != split:
            moved.append(Moved(row_id, split_before, split))
            differ = tuple(path for path in differ if path != "split")
        if differ:
            changed.append(RowChange(row_id, kept.setdefault(differ, differ)))
    return RowSets(
        added=tuple(sorted(added, key=row_order)),
        removed=tuple(sorted(rows, key=row_order)),
        moved=tuple(sorted(moved, key=lambda row: row_order(row.id))),
        changed=tuple(sorted(changed, key=lambda row: row_order(row.id))),
    )


def chosen_examples(
    changed: Sequence[RowChange],
) -> tuple[list[tuple[str, str]], dict[str, list[str]]]:
    """Returns which rows to show for each path, and the paths to show of each of them."""
    ids: dict[str, list[str]] = defaultdict(list)
    for change in changed:
        for path in change.paths:
            if len(ids[path]) < EXAMPLES:
                ids[path].append(change.id)
    examples = [(path, row_id) for path in sorted(ids) for row_id in ids[path]]
    wanted: dict[str, list[str]] = defaultdict(list)
    for path, row_id in examples:
        wanted[row_id].append(path)
    return examples, wanted


def first_difference(one: Any, other: Any, depth: int) -> tuple[Any, Any]:
    """Returns the first of two lists' items that differ, down to `depth` lists deep."""
    if depth and isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for mine, theirs in zip(one, other, strict=True):
            if repr(mine) != repr(theirs):
                return first_difference(mine, theirs, depth - 1)
    return one, other


def _twice(row_id: str) -> UserError:
    return UserError(f"{row_id!r:.120} is the id of two rows of one build; run screenset check")


def _only(changed: Sequence[RowChange], prefix: str) -> int:
    return sum(all(path.startswith(prefix) for path in change.paths) for change in changed)


def _values(
    reading: Reading, wanted: Mapping[str, Sequence[str]], short: set[str]
) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    """Returns the rows of examples, and the short answers of those where they differ.

    Pictures stay unread here.
    """
    shown: dict[str, dict[str, Any]] = {}
    answers: dict[str, dict[str, Any]] = {}
    if not wanted:
        return shown, answers
    schema = reading.schema()
    columns = [] if schema is None else [name for name in schema.names if name != IMAGE_COLUMN]
    for _, batch in reading.batches(columns):
        ids = batch.column(reading.key).to_pylist()
        for place, row_id in enumerate(ids):
            if row_id in wanted:
                shown[row_id] = batch.slice(place, 1).to_pylist()[0]
            if row_id in short:
                row = batch.select(SHORT_ANSWER_COLUMNS).slice(place, 1).to_pylist()[0]
                answers[row_id] = row
    return shown, answers


def _example(
    path: Path, row_id: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Example:
    if path.column == IMAGE_COLUMN:
        return Example(path.name, row_id, before[IMAGE_COLUMN], after[IMAGE_COLUMN])
    depth = path.steps.count(ITEMS)
    one, other = first_difference(
        values_at(path, before[path.column]), values_at(path, after[path.column]), depth
    )
    return Example(path.name, row_id, _as_json(one), _as_json(other))


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def common_paths(one: Any, other: Any) -> list[Path]:
    """Returns the paths that two Arrow schemas have alike but for their types, by name.

    A path that is a value on one side and a nested row on the other is none of them.
    """
    theirs = {path.name: path for path in paths_of(other)}
    return sorted(
        (
            path
            for path in paths_of(one)
            if path.name in theirs and theirs[path.name].container == path.container
        ),
        key=lambda path: path.name,
    )
