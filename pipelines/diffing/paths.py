"""Rows taken apart into paths, each with a digest of what the row has there."""

import dataclasses
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from schemas.columns import IMAGE

DIGEST_BYTES = 8
"""Bytes of a digest a path. Two values that differ are taken for equal once in 2⁶⁴ times."""

ITEMS = "[]"


@dataclasses.dataclass(frozen=True, slots=True)
class Path:
    """A column, a field of a nested row, or how many nested rows there are.

    `steps` lead from the column's value to it, `[]` into each item of a list. A `container`
    is a nested row, of which only counts whether it is there, or a list of them, of which
    counts how long it is.
    """

    name: str
    column: str
    steps: tuple[str, ...]
    arrow: pa.DataType
    container: bool


def paths_of(schema: pa.Schema) -> list[Path]:
    """Returns all paths of a schema, each container before what is in it."""
    return [path for field in schema for path in _paths(field.type, field.name, field.name, ())]


def values_at(path: Path, value: Any) -> Any:
    """Returns what a column's value has at a path, below lists as lists of the same shape."""
    return _values(value, path.steps, path.container)


def signature(row: Mapping[str, Any], paths: Iterable[Path]) -> bytes:
    """Returns the digests of what a row has at some paths, one after the other.

    Digests are of `repr`, so that 1, 1.0 and True are three values.
    """
    return b"".join(
        hashlib.blake2b(
            repr(values_at(path, row[path.column])).encode("utf-8", "surrogatepass"),
            digest_size=DIGEST_BYTES,
        ).digest()
        for path in paths
    )


def differing(one: bytes, other: bytes, paths: Sequence[Path]) -> tuple[str, ...]:
    """Returns the names of the paths where two rows differ, by their signatures.

    Where one row has a nested row or more of them, what is inside is not told apart.
    """
    found: list[str] = []
    closed: list[str] = []
    for number, path in enumerate(paths):
        at = slice(number * DIGEST_BYTES, (number + 1) * DIGEST_BYTES)
        if one[at] == other[at] or any(path.name.startswith(inside) for inside in closed):
            continue
        found.append(path.name)
        if path.container:
            closed.append(f"{path.name}.")
    return tuple(found)


def picture_digests(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Returns rows with a digest in place of each picture's bytes, which are not copied."""
    for number, field in enumerate(batch.schema):
        if field.type == IMAGE:
            pictures = batch.column(number)
            texts = pa.array([_picture_digest(p) for p in pictures.field("bytes")], pa.string())
            named = pa.StructArray.from_arrays(
                [texts, pictures.field("path")], ["bytes", "path"], mask=pictures.is_null()
            )
            batch = batch.set_column(number, field.name, named)
    return batch


def _paths(arrow: pa.DataType, name: str, column: str, steps: tuple[str, ...]) -> Iterator[Path]:
    if pa.types.is_struct(arrow):
        yield Path(name, column, steps, arrow, container=True)
        for field in arrow:
            yield from _paths(field.type, f"{name}.{field.name}", column, (*steps, field.name))
    elif pa.types.is_list(arrow) and pa.types.is_struct(arrow.value_type):
        yield Path(name + ITEMS, column, steps, arrow, container=True)
        for field in arrow.value_type:
            inner = (*steps, ITEMS, field.name)
            yield from _paths(field.type, f"{name}{ITEMS}.{field.name}", column, inner)
    else:
        yield Path(name, column, steps, arrow, container=False)


def _values(value: Any, steps: tuple[str, ...], container: bool) -> Any:
    if value is None:
        return None
    if steps:
        step, *rest = steps
        if step == ITEMS:
            return [_values(item, tuple(rest), container) for item in value]
        return _values(value[step], tuple(rest), container)
    if container:
        return len(value) if isinstance(value, list) else True
    return value


def _picture_digest(picture: pa.Scalar) -> str | None:
    buffer = picture.as_buffer()
    return None if buffer is None else hashlib.blake2b(buffer, digest_size=16).hexdigest()
