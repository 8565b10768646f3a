"""Nested columns of a batch as flat arrays, each item knowing its row; no Python per row."""

from typing import NamedTuple

import numpy
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Rows = NDArray[numpy.int64]


class Level(NamedTuple):
    """The values at one path of a batch, in order, and the row of each, from 0.

    `lists` are, for the items of a list, the place of each one's list among the lists at the
    path above.
    """

    values: pa.Array
    rows: Rows
    lists: Rows | None = None


class Levels:
    """The columns of one batch, flattened on demand; each path is walked once.

    Paths are spelled as in `schemas.columns.DeclaredColumn`, items of plain lists as `path[]`.
    """

    def __init__(self, batch: pa.RecordBatch) -> None:
        self.batch = batch
        self._known: dict[str, Level] = {}

    @property
    def size(self) -> int:
        """Number of the batch's rows."""
        return int(self.batch.num_rows)

    def has(self, path: str) -> bool:
        """Whether the batch has the column that a path begins with."""
        return path.partition(".")[0].partition("[")[0] in self.batch.schema.names

    def at(self, path: str) -> Level:
        """Returns the values at a path.

        Fields of rows that are null themselves are left out, as are the items of null lists.
        """
        if path not in self._known:
            self._known[path] = self._walk(path)
        return self._known[path]

    def counts(self, path: str, mask: NDArray[numpy.bool_] | None = None) -> Rows:
        """Returns how many values at a path each row has, of those in `mask` if given."""
        rows = self.at(path).rows
        return numpy.bincount(rows if mask is None else rows[mask], minlength=self.size)

    def _walk(self, path: str) -> Level:
        if path.endswith("[]"):
            above = self.at(path[:-2])
            lists = as_numpy(pc.list_parent_indices(above.values)).astype(numpy.int64)
            return Level(pc.list_flatten(above.values), above.rows[lists], lists)
        parent, dot, name = path.rpartition(".")
        if not dot:
            return Level(self.batch.column(path), numpy.arange(self.size))
        values, rows, _ = self.at(parent)
        if values.null_count:
            valid = values.is_valid()
            values, rows = values.filter(valid), rows[as_numpy(valid)]
        return Level(pc.struct_field(values, name), rows)


def as_numpy(values: pa.Array) -> NDArray[numpy.generic]:
    """Returns an array without nulls as numpy's."""
    return values.to_numpy(zero_copy_only=False)


def as_mask(values: pa.Array) -> NDArray[numpy.bool_]:
    """Returns an array of truths as numpy's; null is false."""
    return as_numpy(pc.fill_null(values, False)).astype(bool)
