"""Finished builds: what they say of themselves, and their rows, a few hundred at a time."""

import contextlib
import dataclasses
import errno
import functools
import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.build_shape import build_problems, is_count, is_text
from pipelines.errors import UserError
from pipelines.recipes.configurations import row_types_of
from schemas.builds import FINISHED, BuiltFile, Shard
from schemas.columns import arrow_schema, hub_features
from schemas.manifest import SCREENS_RECIPE, Images
from schemas.splits import SPLITS, split_order
from transforms.files import file_digest

IMAGE_COLUMN = "image"
"""The column of pictures, in whatever rows have them."""

DAMAGE = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)
"""What code raises that reckons with what a file says, and finds it to be something else."""

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

    @property
    def is_of_questions(self) -> bool:
        """Whether the main configuration's rows are questions, and not screens."""
        return self.summary["recipe"] != SCREENS_RECIPE

    @property
    def has_pictures(self) -> bool:
        """Whether any configuration holds pictures."""
        return any(map(self.holds_pictures, self.row_types))

    def holds_pictures(self, configuration: str) -> bool:
        """Whether the rows of a configuration hold pictures."""
        row_type = self.row_types.get(configuration)
        return row_type is not None and IMAGE_COLUMN in hub_features(row_type)

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
        return sorted(found, key=lambda shard: (split_order(shard.split), shard.path))

    def report(self, name: str) -> dict[str, Any] | None:
        """Returns what a JSON file of the build holds, such as `stats.json`; None without one.

        Raises:
            UserError: If it cannot be read.
        """
        path = self.path(name)
        if not os.path.exists(path):
            return None
        try:
            value = _read_json(path)
        except OSError as error:
            raise UserError(f"{path}: cannot be read: {error.strerror}") from error
        except ValueError as error:
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
        summary = _read_json(os.path.join(folder, FINISHED))
    except OSError as error:
        if not os.path.isdir(folder):
            raise UserError(f"{folder} is no finished build: no such folder") from error
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
    if not _is_sound(build):
        raise UserError(f"{folder} is no finished build: its {FINISHED} is damaged")
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
    if not build.is_of_questions:
        raise UserError(f"{built} holds screens without questions")
    refuse_changed(build)
    for shard in found:
        path = build.path(shard.path)
        with named(path), pq.ParquetFile(path) as file:
            lacking = sorted(set(columns) - set(file.schema_arrow.names))
            if lacking:
                raise UserError(f"{path}: has no column {lacking[0]}, which rows of questions have")
            refuse_undeclared(build, shard, file.schema_arrow)
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
                if batch is not None:
                    # Whether texts are UTF-8, which their reader would else be told by Python.
                    batch.validate(full=True)
            if batch is None:
                return
            yield batch


def refuse_changed(build: FinishedBuild) -> None:
    """Refuses a build whose shards are not those that were built. Each is read to its end.

    Raises:
        UserError: It names the first one that is missing or changed.
    """
    for shard in build.shards:
        path = build.path(shard.path)
        with named(path):
            is_same = os.path.getsize(path) == shard.size_bytes
            is_same = is_same and file_digest(path) == shard.sha256
        if not is_same:
            raise UserError(
                f"{path}: is not the file that was built; run `screenset check {build.folder}`"
            )


def dataset_of(built: str) -> str:
    """Returns the name of the data set that a finished build is of.

    Raises:
        UserError: If `built` is no finished build.
    """
    return open_build(built).name


def files_in(folder: str) -> Iterator[str]:
    """Yields the paths of all that lies in a folder, relative to it, folders by what is in them.

    A link to a folder is one of them: what lies behind it is not walked, but would be read.
    """
    for parent, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(parent, name))]
        for name in names + links:
            yield os.path.relpath(os.path.join(parent, name), folder)


@contextlib.contextmanager
def named(path: str) -> Iterator[None]:
    """Turns what can be wrong with a shard into a sentence that names it."""
    if os.path.exists(path) and not os.path.isfile(path):
        # Opening a pipe would wait for ever.
        raise UserError(f"{path}: is no ordinary file")
    try:
        yield
    except FileNotFoundError as error:
        raise UserError(f"{path}: is missing") from error
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        said = " ".join(str(error).split())[:300]
        raise UserError(f"{path}: is no whole Parquet file: {said}") from error


@contextlib.contextmanager
def undamaged(*builds: FinishedBuild) -> Iterator[None]:
    """Turns what goes wrong with what builds say of themselves into a sentence that names them.

    A page shows hundreds of such values; any of them may be missing or of another kind.

    Raises:
        UserError: If one is.
    """
    try:
        yield
    except DAMAGE as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        damaged = [build for build in builds if any(build_problems(build.summary))]
        if damaged:
            said = f"{next(build_problems(damaged[0].summary))}; {said}"
        folders = [build.folder for build in damaged[:1] or builds]
        commands = " and ".join(f"`screenset check {folder}`" for folder in folders)
        raise UserError(f"{' or '.join(folders)}: is damaged ({said}); run {commands}") from error


def open_text(path: str, *, errors: str = "strict", newline: str | None = None) -> TextIO:
    """Opens a text file of a build to read it.

    Raises:
        OSError: If nothing or no ordinary file is there: opening a pipe would wait for ever.
    """
    file = open(path, encoding="utf-8", errors=errors, newline=newline, opener=_opened)  # noqa: SIM115
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "is no ordinary file", path)
    return file


def json_lines(path: str) -> Iterator[dict[str, Any]]:
    """Yields the objects of a file of a build that holds one a line.

    Raises:
        UserError: If it is missing or damaged.
    """
    try:
        with open_text(path) as file:
            for number, line in enumerate(file, 1):
                yield _object_of(line, number)
    except OSError as error:
        raise UserError(f"{path}: is missing or damaged: {error.strerror}") from error
    except ValueError as error:
        raise UserError(f"{path}: is missing or damaged: {error}") from error


def _object_of(line: str, number: int) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"line {number} is no JSON") from error
    if not isinstance(value, dict):
        raise ValueError(f"line {number} holds no object")
    return value


def column_problems(found: pa.Schema, declared: pa.Schema) -> Iterator[str]:
    """Yields a sentence for each thing in which a shard's columns are not the declared ones.

    Their descriptions and rules may differ: an older code may have written them.
    """
    twice = sorted({name for name in found.names if found.names.count(name) > 1})
    yield from (f"has column {name:.80} {found.names.count(name)} times" for name in twice)
    kinds = {field.name: field for field in found}
    for name in sorted(kinds.keys() - set(declared.names)):
        yield f"column {name:.80} is not declared"
    for field in declared:
        kind = kinds.get(field.name)
        if kind is None:
            yield f"column {field.name} is missing"
        elif not kind.equals(field):
            null = "" if kind.nullable else " without nulls"
            yield (
                f"column {field.name} is {kind.type!s:.200}{null}, and declared as "
                f"{field.type!s:.200}"
            )
    if found.names != declared.names and sorted(found.names) == sorted(declared.names):
        yield f"columns are in another order than declared: {', '.join(found.names)}"


def refuse_undeclared(build: FinishedBuild, shard: Shard, found: pa.Schema) -> None:
    """Refuses a shard whose columns are not those of its configuration.

    Raises:
        UserError: It names the first thing in which they are not.
    """
    declared = arrow_schema(build.row_types[shard.configuration])
    for problem in column_problems(found, declared):
        raise UserError(
            f"{build.path(shard.path)}: {problem}; run `screenset check {build.folder}`"
        )


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)


def _read_json(path: str) -> Any:
    """Returns what a JSON file holds.

    Raises:
        OSError: If it is no ordinary file or cannot be read.
        ValueError: If it is no JSON, or nested too deeply to be told.
    """
    with open_text(path) as file:
        try:
            return json.load(file)
        except RecursionError:
            raise ValueError("it is nested too deeply") from None


def _is_sound(build: FinishedBuild) -> bool:
    """Whether names are texts and sizes are counts, in all that a build lists."""
    names = [build.summary[key] for key in ("dataset", "version", "recipe")]
    counts: list[Any] = []
    for shard in build.shards:
        names += [shard.configuration, shard.split, shard.path, shard.sha256]
        counts += [shard.rows, shard.screens, shard.size_bytes]
    for file in build.files:
        names += [file.path, file.sha256]
        counts.append(file.size_bytes)
    return all(map(is_text, names)) and all(map(is_count, counts))


def _refuse_outside(build: FinishedBuild) -> None:
    """Refuses a `BUILD.json` that names files outside its folder."""
    for path in [shard.path for shard in build.shards] + [file.path for file in build.files]:
        if os.path.isabs(path) or ".." in path.split("/") or "\\" in path:
            raise UserError(f"{build.folder}: its {FINISHED} names {path!r}, outside of it")
