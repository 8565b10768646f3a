"""The rows of a finished build, a few hundred at a time, and of them only what is asked for."""

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.errors import UserError
from pipelines.work_folder import FINISHED
from schemas.builds import Shard
from schemas.manifest import SPLITS

_BATCH_ROWS = 512

Row = dict[str, Any]


def question_shards(built: str, columns: Sequence[str]) -> dict[str, list[str]]:
    """Returns the paths of a build's shards of questions, by split.

    Args:
        built: Folder of the build.
        columns: Columns that they must have.

    Raises:
        UserError: If `built` is no finished build of questions, or a shard is damaged.
    """
    shards: dict[str, list[str]] = {split: [] for split in SPLITS}
    for shard in _finished_shards(built):
        path = os.path.join(built, shard.path)
        with _named(path), pq.ParquetFile(path) as file:
            lacking = sorted(set(columns) - set(file.schema_arrow.names))
            if lacking:
                raise UserError(f"{path}: has no column {lacking[0]}, which rows of questions have")
            if file.metadata.num_rows != shard.rows:
                raise UserError(f"{path}: does not hold the {shard.rows:,} rows of {FINISHED}")
        shards.setdefault(shard.split, []).append(path)
    return {split: paths for split, paths in shards.items() if paths}


def rows_of(path: str, columns: Sequence[str]) -> Iterator[Row]:
    """Yields the rows of a shard with the columns of these names that it has.

    Raises:
        UserError: If it is no whole Parquet file.
    """
    with _named(path):
        file = pq.ParquetFile(path)
    with file:
        known = [name for name in columns if name in file.schema_arrow.names]
        batches = file.iter_batches(batch_size=_BATCH_ROWS, columns=known)
        while True:
            with _named(path):
                batch = next(batches, None)
            if batch is None:
                return
            yield from batch.to_pylist()


def dataset_of(built: str) -> str:
    """Returns the name of the data set that a finished build is of.

    Raises:
        UserError: If `built` is no finished build.
    """
    return _finished(built)[0]


def _finished_shards(built: str) -> list[Shard]:
    name, shards = _finished(built)
    found = [shard for shard in shards if shard.configuration == name]
    if not found:
        raise UserError(f"{built} is no build with rows of questions")
    return found


def _finished(built: str) -> tuple[str, list[Shard]]:
    try:
        with open(os.path.join(built, FINISHED), encoding="utf-8") as file:
            summary = json.load(file)
        return summary["dataset"], [Shard(**shard) for shard in summary["shards"]]
    except OSError as error:
        raise UserError(
            f"{built} is no finished build: its {FINISHED} cannot be read: {error.strerror}"
        ) from error
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(f"{built} is no finished build: its {FINISHED} is damaged") from error


@contextlib.contextmanager
def _named(path: str) -> Iterator[None]:
    """Turns what can be wrong with a shard into a sentence that names it."""
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise UserError(f"{path}: is no whole Parquet file: {error}") from error
