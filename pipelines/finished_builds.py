"""Finished builds: what they say of themselves, and their rows, a few hundred at a time."""

import contextlib
import dataclasses
import functools
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.errors import UserError
from pipelines.recipes.configurations import row_types_of
from schemas.builds import FINISHED, BuiltFile, Shard
from schemas.manifest import Images
from schemas.splits import SPLITS
from transforms.files import file_digest

IMAGE_COLUMN = "image"
"""The column of pictures, in whatever rows have them."""

_BATCH_ROWS = 512
_PICTURE_ROWS = 32

Row = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class FinishedBuild:
    """A finished build in its folder.

    `summary` is its `BUILD.json` as it was read; `shards` and `files` (all others that the
    build wrote, but for the card) are taken from it. Nothing else has been looked at.
    """

    folder: str
    summary: Mapping[str, Any]
    shards: tuple[Shard, ...]
    files: tuple[BuiltFile, ...]

    @property
    def name(self) -> str:
        """Name of the data set, and of its main configuration."""
        return str(self.summary["dataset"])

    @property
    def version(self) -> str:
        """Version of the data set."""
        return str(self.summary["version"])

    @functools.cached_property
    def row_types(self) -> dict[str, type]:
        """The declared row type of each configuration, the main one first."""
        images = Images(self.summary["images"])
        return row_types_of(self.name, str(self.summary["recipe"]), images)

    @functools.cached_property
    def digest(self) -> str:
        """SHA-256 of its `BUILD.json`, in hex."""
        return file_digest(self.path(FINISHED))

    def path(self, name: str) -> str:
        """Returns the path of a file of the folder."""
        return os.path.join(self.folder, name)

    def shards_of(self, configuration: str) -> list[Shard]:
        """Returns the shards of a configuration, by split and number."""
        found = [shard for shard in self.shards if shard.configuration == configuration]
        return sorted(found, key=lambda shard: (_place_of(shard.split), shard.path))

    def report(self, name: str) -> dict[str, Any] | None:
        """Returns what a JSON file of the build holds, such as `stats.json`; None without one.

        Raises:
            UserError: If it cannot be read.
        """
        path = self.path(name)
        if not os.path.exists(path):
            return None
        try:
            with open(path, encoding="utf-8") as file:
                value = json.load(file)
        except (OSError, ValueError) as error:
            raise UserError(f"{path}: is damaged: {error}") from error
        if not isinstance(value, dict):
            raise UserError(f"{path}: is damaged: it holds no object")
        return value


def open_build(folder: str) -> FinishedBuild:
    """Returns the finished build in a folder.

    Raises:
        UserError: If there is none, its `BUILD.json` is damaged, or another version of
            screenset wrote it.
    """
    try:
        with open(os.path.join(folder, FINISHED), encoding="utf-8") as file:
            summary = json.load(file)
    except OSError as error:
        raise UserError(
            f"{folder} is no finished build: its {FINISHED} cannot be read: {error.strerror}"
        ) from error
    except ValueError as error:
        raise UserError(f"{folder} is no finished build: its {FINISHED} is damaged") from error
    try:
        shards = tuple(Shard(**shard) for shard in summary["shards"])
        if "files" not in summary:
            raise UserError(f"{folder} was built by an earlier version of screenset; build it anew")
        files = tuple(BuiltFile(**file) for file in summary["files"])
        build = FinishedBuild(folder, summary, shards, files)
        _ = build.row_types, build.version
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(f"{folder} is no finished build: its {FINISHED} is damaged") from error
    _refuse_outside(build)
    return build


def question_shards(built: str, columns: Sequence[str]) -> dict[str, list[str]]:
    """Returns the paths of a build's shards of questions, by split.

    Args:
        built: Folder of the build.
        columns: Columns that they must have.

    Raises:
        UserError: If `built` is no finished build of questions, or a shard is damaged.
    """
    build = open_build(built)
    shards: dict[str, list[str]] = {split: [] for split in SPLITS}
    found = build.shards_of(build.name)
    if not found:
        raise UserError(f"{built} is no build with rows of questions")
    for shard in found:
        path = build.path(shard.path)
        with named(path), pq.ParquetFile(path) as file:
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
    for batch in batches_of(path, columns):
        yield from batch.to_pylist()


def batches_of(path: str, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yields the same as record batches: of some hundred rows, of a few with their pictures.

    Raises:
        UserError: If it is no whole Parquet file.
    """
    with named(path):
        file = pq.ParquetFile(path)
    with file:
        known = [name for name in columns if name in file.schema_arrow.names]
        rows = _PICTURE_ROWS if IMAGE_COLUMN in known else _BATCH_ROWS
        batches = file.iter_batches(batch_size=rows, columns=known)
        while True:
            with named(path):
                batch = next(batches, None)
            if batch is None:
                return
            yield batch


def dataset_of(built: str) -> str:
    """Returns the name of the data set that a finished build is of.

    Raises:
        UserError: If `built` is no finished build.
    """
    return open_build(built).name


@contextlib.contextmanager
def named(path: str) -> Iterator[None]:
    """Turns what can be wrong with a shard into a sentence that names it."""
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise UserError(f"{path}: is no whole Parquet file: {error}") from error


def _refuse_outside(build: FinishedBuild) -> None:
    """Refuses a `BUILD.json` that names files outside its folder."""
    for path in [shard.path for shard in build.shards] + [file.path for file in build.files]:
        if os.path.isabs(path) or ".." in path.split("/") or "\\" in path:
            raise UserError(f"{build.folder}: its {FINISHED} names {path!r}, outside of it")


def _place_of(split: str) -> int:
    return SPLITS.index(split) if split in SPLITS else len(SPLITS)
