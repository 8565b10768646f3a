"""A first look at all rows of a build: their plain columns only, to choose screens by."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.errors import UserError
from pipelines.finished_builds import IMAGE_COLUMN, FinishedBuild, named, refuse_undeclared
from pipelines.recipes.configurations import SCREENS
from pipelines.reporting.choosing import Candidate
from schemas.builds import Shard
from schemas.columns import IMAGE
from schemas.records import Record

_PLAIN = ("category", "any_no_answer", "origin", "language", "hierarchy_sync")
_INSIDE = {"agreement": ("level", "answer_only_level", "annotation_pass")}
"""Fields of nested columns that are plain; each is a column of its own in the file."""


@dataclasses.dataclass(frozen=True, slots=True)
class Place(Record):
    """A row group of a shard. `path` is relative to the build's folder."""

    path: str
    row_group: int


@dataclasses.dataclass(frozen=True, slots=True)
class Scan:
    """What a first look found.

    `places` are the row groups that hold rows of a screen, `pictures` the first that holds
    its picture, by screen id.
    """

    candidates: tuple[Candidate, ...]
    places: Mapping[str, tuple[Place, ...]]
    pictures: Mapping[str, Place]


def scan(build: FinishedBuild, on_rows: Callable[[int], object]) -> Scan:
    """Returns all screens of a build with what they are examples of, and where they lie.

    Only plain columns are read, a row group at a time.

    Args:
        build: The build.
        on_rows: Called with the number of rows after each row group.

    Raises:
        UserError: If a shard is missing or damaged.
    """
    traits: dict[str, set[tuple[str, str]]] = {}
    places: dict[str, dict[Place, None]] = {}
    pictures = dict(_separate_pictures(build))
    for shard in build.shards_of(build.name):
        for place, table, has_picture in _row_groups(build, shard):
            for screen_id, found in _traits_of(table, shard.split):
                traits.setdefault(screen_id, set()).update(found)
                places.setdefault(screen_id, {})[place] = None
                if has_picture:
                    pictures.setdefault(screen_id, place)
            on_rows(table.num_rows)
    candidates = tuple(Candidate(key, frozenset(found)) for key, found in traits.items())
    return Scan(candidates, {key: tuple(found) for key, found in places.items()}, pictures)


def _separate_pictures(build: FinishedBuild) -> Iterator[tuple[str, Place]]:
    """Yields where the picture of each screen is in a build that keeps pictures by screen."""
    if SCREENS in build.row_types and build.name != SCREENS:
        for shard in build.shards_of(SCREENS):
            for place, table, _ in _row_groups(build, shard):
                for screen_id in table["screen_id"].to_pylist():
                    yield screen_id, place


def _row_groups(build: FinishedBuild, shard: Shard) -> Iterator[tuple[Place, pa.Table, bool]]:
    path = build.path(shard.path)
    with named(path), pq.ParquetFile(path) as file:
        schema = file.schema_arrow
        refuse_undeclared(build, shard, schema)
        columns = _plain_columns(schema)
        has_picture = IMAGE_COLUMN in schema.names and schema.field(IMAGE_COLUMN).type == IMAGE
        for index in range(file.num_row_groups):
            table = file.read_row_group(index, columns=columns)
            table.validate(full=True)  # Whether texts are UTF-8.
            if table["screen_id"].null_count:
                raise UserError(
                    f"{path}: has a row without the id of a screen; run `screenset check "
                    f"{build.folder}`"
                )
            yield Place(shard.path, index), table, has_picture


def _plain_columns(schema: pa.Schema) -> list[str]:
    inside = [f"{name}.{field}" for name, fields in _INSIDE.items() for field in fields]
    return ["screen_id", *(name for name in (*_PLAIN, *inside) if _has(schema, name))]


def _has(schema: pa.Schema, path: str) -> bool:
    name, _, field = path.partition(".")
    if name not in schema.names:
        return False
    kind = schema.field(name).type
    return not field or (pa.types.is_struct(kind) and kind.get_field_index(field) >= 0)


def _traits_of(table: pa.Table, split: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yields the screen of each row and what the row makes it an example of."""
    columns: dict[str, list[Any]] = {}
    for name in table.column_names[1:]:
        if pa.types.is_struct(table.schema.field(name).type):
            for field, values in _flattened(table[name]):
                columns[field] = values
        else:
            columns[name] = table[name].to_pylist()
    for place, screen_id in enumerate(table["screen_id"].to_pylist()):
        found = [("split", split)]
        for name, values in columns.items():
            if values[place] is not None:
                found.append((name, str(values[place])))
        yield screen_id, found


def _flattened(column: pa.ChunkedArray) -> Iterator[tuple[str, list[Any]]]:
    rows = column.to_pylist()
    for field in column.type:
        yield field.name, [None if row is None else row[field.name] for row in rows]
