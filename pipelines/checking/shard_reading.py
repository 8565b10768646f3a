"""One shard read once, in batches: its digest, its footer, its rows, and of all that the facts."""

import os
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pipelines.checking.consistency import consistency_columns
from pipelines.checking.deriving import count_filled, derive, derived_columns, filled_rows
from pipelines.checking.facts import Faults, Footer, GroupSize, RowFacts, ShardFacts
from pipelines.checking.nested import Levels
from pipelines.checking.picture_reading import PICTURES_DECODE, PictureReader
from pipelines.checking.row_rules import given_answers, question_texts, row_faults
from pipelines.finished_builds import DAMAGE, IMAGE_COLUMN, column_problems
from schemas.builds import Shard
from schemas.columns import arrow_schema, declared_columns, stored_features
from transforms.files import file_digest

_BATCH_BYTES = 16 * 1024 * 1024
"""About how much of a shard is held at a time, by what its footer says of the average row."""
_BATCH_ROWS = 4096

Advance = Callable[[int], None]
"""Told how many rows more were read."""


class ShardTask(NamedTuple):
    """What is needed to read a shard in any process. `path` is where it lies."""

    path: str
    shard: Shard
    row_type: type
    decode: bool


def read_shard(task: ShardTask, advance: Advance) -> ShardFacts:
    """Returns the facts of a shard. Whatever is wrong with it is among them."""
    shard = task.shard
    if not os.path.isfile(task.path):
        advance(shard.rows)
        return ShardFacts(shard, problem="it is not there")
    size: int | None = None
    footer: Footer | None = None
    rows: RowFacts | None = None
    digest = problem = ""
    try:
        size, digest = os.path.getsize(task.path), file_digest(task.path)
        with pq.ParquetFile(task.path, memory_map=False) as file:
            footer = read_footer(file, task.row_type)
            if _has_types(file, task.row_type):
                # That a shard is empty is found by its footer; no rule of rows can look at it.
                rows = _read_rows(file, task, advance) if footer.rows else None
            else:
                problem = "its columns are not the declared ones"
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        problem = f"it is no whole Parquet file: {str(error)[:200]}"
    except DAMAGE as error:
        # Whoever made this shard must not keep a check from its end, whatever they thought of.
        problem = f"its rows cannot be looked at: {type(error).__name__}: {error}"[:200]
    if rows is None:
        advance(shard.rows)
    return ShardFacts(shard, size, digest, problem, footer, rows)


def read_footer(file: pq.ParquetFile, row_type: type) -> Footer:
    """Returns what a Parquet file's footer says."""
    metadata = file.metadata
    groups, indexed = [], True
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        columns = [group.column(i) for i in range(group.num_columns)]
        stored = sum(column.total_compressed_size for column in columns)
        groups.append(GroupSize(group.num_rows, group.total_byte_size, stored))
        # A group without rows has no pages that an index could point to.
        if group.num_rows:
            indexed = indexed and all(column.has_offset_index for column in columns)
    problems = tuple(_schema_problems(file.schema_arrow, arrow_schema(row_type)))
    return Footer(metadata.num_rows, tuple(groups), indexed, problems)


def _schema_problems(found: pa.Schema, declared: pa.Schema) -> Iterator[str]:
    """Yields a sentence for each thing that keeps the Hub's library from reading shards as one."""
    yield from column_problems(found, declared)
    if _features(found) != _features(declared):
        yield "the features in its metadata, which `datasets` goes by, are not the declared ones"


def _features(schema: pa.Schema) -> Any:
    try:
        return stored_features(schema)
    except (ValueError, AttributeError, RecursionError):
        return None


def _has_types(file: pq.ParquetFile, row_type: type) -> bool:
    return bool(file.schema_arrow.equals(arrow_schema(row_type), check_metadata=False))


class _Collected(NamedTuple):
    """What has been taken from a shard's rows so far."""

    keys: list[pa.Table]
    scalars: list[pa.Table]
    filled: list[dict[str, NDArray[numpy.bool_]]]
    faults: dict[str, Faults]


def _read_rows(file: pq.ParquetFile, task: ShardTask, advance: Advance) -> RowFacts:
    """Reads all columns but the pictures, in large batches, and then the pictures in small ones.

    What is derived of a batch costs nearly the same for few rows and for many, so that batches
    as small as pictures ask for would make it a tenth of the whole.
    """
    columns = declared_columns(task.row_type)
    wanted = derived_columns(columns)
    found = _Collected([], [], [], {})
    names = file.schema_arrow.names
    pictured = task.decode and IMAGE_COLUMN in names
    begin = 0
    for batch in file.iter_batches(
        batch_size=_BATCH_ROWS,
        # Of a picture its name tells whether it is null.
        columns=[f"{name}.path" if name == IMAGE_COLUMN else name for name in names],
    ):
        levels = Levels(batch)
        texts = question_texts(levels)
        for rule, of_batch in row_faults(levels, task.shard.split, texts).items():
            found.faults[rule] = found.faults.get(rule, Faults()) + of_batch.moved(begin)
        found.keys.append(_keys(levels, texts))
        found.scalars.append(pa.table({**derive(levels, wanted), **consistency_columns(levels)}))
        found.filled.append(filled_rows(levels, columns))
        begin += levels.size
        if not pictured:
            advance(levels.size)
    pictures = PictureReader()
    digests: list[str | None] = []
    for batch in _picture_batches(file) if pictured else ():
        levels = Levels(batch)
        of_batch_digests, of_batch = pictures.read(levels)
        so_far = found.faults.get(PICTURES_DECODE, Faults())
        found.faults[PICTURES_DECODE] = so_far + of_batch.moved(len(digests))
        digests += of_batch_digests
        advance(levels.size)
    return _facts(found, pictures, digests if pictured else [None] * begin)


def _picture_batches(file: pq.ParquetFile) -> Iterator[pa.RecordBatch]:
    """Yields a shard's pictures and their sizes, some megabytes at a time."""
    metadata = file.metadata
    whole = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    fitting = max(_BATCH_BYTES * metadata.num_rows // max(whole, 1), 1)
    yield from file.iter_batches(
        batch_size=min(fitting, _BATCH_ROWS), columns=[IMAGE_COLUMN, "width", "height"]
    )


def _keys(levels: Levels, texts: list[str | None]) -> pa.Table:
    size = levels.size
    columns = {name: levels.at(name).values for name in ("screen_id", "app", "split")}
    if levels.has("question_id"):
        columns |= {
            "question_id": levels.at("question_id").values,
            "answers": given_answers(levels),
            "listed": levels.counts("answers[]").astype(numpy.int32),
            "no_answer": levels.at("any_no_answer").values,
            "file": levels.at("provenance.file").values,
        }
    else:
        columns |= {
            "question_id": pa.nulls(size, pa.string()),
            "answers": pa.repeat(pa.scalar(-1, pa.int32()), size),
            "listed": pa.repeat(pa.scalar(0, pa.int32()), size),
            "no_answer": pa.nulls(size, pa.bool_()),
            "file": pa.nulls(size, pa.string()),
        }
    columns["text"] = pa.array(texts, pa.string())
    has_flag = levels.has("image_reencoded")
    flags = levels.at("image_reencoded").values if has_flag else pa.nulls(size, pa.bool_())
    return pa.table({**columns, "reencoded": flags})


def _facts(found: _Collected, pictures: PictureReader, digests: list[str | None]) -> RowFacts:
    keys = pa.concat_tables(found.keys) if found.keys else pa.table({})
    if found.keys:
        keys = keys.append_column("picture", pa.array(digests, pa.string()))
    scalars = pa.concat_tables(found.scalars) if found.scalars else pa.table({})
    paths = found.filled[0] if found.filled else {}
    filled = {path: numpy.concatenate([rows[path] for rows in found.filled]) for path in paths}
    groups = _groups(keys) if found.keys else numpy.zeros(0, numpy.int64)
    return RowFacts(
        keys=keys,
        scalars=scalars,
        faults=found.faults,
        filled=count_filled(filled, groups),
        groups=len(numpy.unique(groups)),
        pictures=pictures.decoded,
        biggest_cell=pictures.biggest,
    )


def _groups(keys: pa.Table) -> NDArray[numpy.int64]:
    """Returns the number of each row's group: its app, or its screen if it has none."""
    screens = pc.binary_join_element_wise("screen", keys["screen_id"], " ", null_handling="replace")
    named = pc.if_else(pc.is_null(keys["app"]), screens, keys["app"])
    coded = named.combine_chunks().dictionary_encode()
    return coded.indices.to_numpy(zero_copy_only=False).astype(numpy.int64)
