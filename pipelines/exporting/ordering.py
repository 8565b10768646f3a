"""Rows of many shards in one order."""

import heapq
from collections.abc import Iterable, Iterator, Sequence

from pipelines.errors import UserError
from pipelines.finished_builds import Row, rows_of
from transforms.identifying import id_order


def rows_by_id(paths: Iterable[str], columns: Sequence[str]) -> Iterator[Row]:
    """Yields the rows of shards in the order of their screens' ids, as each shard has them.

    A few hundred rows of each shard are in memory. The rows of a screen keep their order.

    Raises:
        UserError: If a shard is damaged, or has a row without a screen's id.
    """
    rows = (_named_rows(path, columns) for path in paths)
    return heapq.merge(*rows, key=lambda row: id_order(row["screen_id"]))


def _named_rows(path: str, columns: Sequence[str]) -> Iterator[Row]:
    for row in rows_of(path, columns):
        if not isinstance(row["screen_id"], str):
            raise UserError(f"{path}: has a row without the id of a screen; run screenset check")
        yield row
