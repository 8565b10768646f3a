"""Parquet shards: planned by size, sorted inside, written whole or not at all."""

import abc
import dataclasses
import hashlib
import io
import json
import os
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq

from schemas.builds import Shard
from schemas.columns import arrow_schema, plain_values, refuse_nulls
from schemas.manifest import ShardPolicy
from schemas.questions import AskedScreen
from transforms.files import file_digest
from transforms.identifying import id_order
from transforms.packing import pack, unpack
from transforms.progress import Progress
from transforms.replacing import write_text
from transforms.shard_planning import Load, bucket_of, plan_splits

WRITTEN = "screens written"

_GROUP_ROWS = {True: 100, False: 10_000}
"""Rows a row group, with and without pictures; the Hub's viewer stops at 286 MiB a group."""

_GROUP_BYTES = 64 * 1024 * 1024


class RowMaker(abc.ABC):
    """Makes the published rows of a screen; reads its files if the rows hold them."""

    row_type: ClassVar[type]
    """The dataclass of the rows, made of `column`s."""

    @abc.abstractmethod
    def load_of(self, asked: AskedScreen) -> Load:
        """Returns about how many bytes and exactly how many rows a screen will make."""

    @abc.abstractmethod
    def rows_of(self, asked: AskedScreen) -> Iterable[Any]:
        """Yields the rows of a screen."""


@dataclasses.dataclass(frozen=True, slots=True)
class ShardFolder:
    """Where shards are written, and where it is noted which of them are finished.

    `notes` holds, for each finished shard, a digest of what went into it and its own: a
    build that was interrupted keeps the shards for which both still hold.
    """

    data: str
    notes: str


class WriteShards(beam.PTransform[beam.PCollection[AskedScreen], beam.PCollection[Shard]]):
    """Writes one configuration's rows into shards named `<split>-NNNNN-of-NNNNN.parquet`.

    The rows of a screen are neighbours, so that compression folds a repeated picture;
    screens are in the order of their ids. Same screens, same bytes, whatever the workers.
    """

    def __init__(
        self,
        configuration: str,
        maker: RowMaker,
        policy: ShardPolicy,
        folder: ShardFolder,
        progress: Progress,
    ) -> None:
        super().__init__()
        self._configuration = configuration
        self._maker = maker
        self._policy = policy
        self._folder = folder
        self._progress = progress

    def expand(self, screens: beam.PCollection[AskedScreen]) -> beam.PCollection[Shard]:
        places = (
            screens
            | "Weigh" >> beam.Map(_weigh, self._maker)
            | "AddLoads" >> beam.CombineGlobally(_AddLoads())  # type: ignore[no-untyped-call]
            | "PlanShards" >> beam.Map(plan_splits, self._policy)
        )
        return (
            screens
            | "PlaceInShard" >> beam.Map(_place, beam.pvalue.AsSingleton(places))
            | "GroupByShard" >> beam.GroupByKey()
            | "WriteShard"
            >> beam.Map(
                _write_group, self._configuration, self._maker, self._folder, self._progress
            )
        )


def write_shard(
    screens: Sequence[AskedScreen],
    name: str,
    configuration: str,
    maker: RowMaker,
    folder: ShardFolder,
    progress: Progress,
) -> Shard:
    """Writes one shard, unless a finished one of the same content is there; returns its facts.

    The file is written under a hidden temporary name and renamed when complete.
    """
    path = os.path.join(configuration, name)
    note = os.path.join(folder.notes, f"{configuration}-{name}.json")
    content = _content_digest(screens, maker)
    finished = _finished_shard(note, content, os.path.join(folder.data, path))
    if finished is not None:
        for _ in screens:
            progress.advance(WRITTEN)
        return finished
    os.makedirs(os.path.join(folder.data, configuration), exist_ok=True)
    temporary = os.path.join(folder.data, configuration, f".{name}.{os.getpid()}")
    with open(temporary, "wb") as file:
        sink = _HashingSink(file)
        rows = _write_rows(screens, maker, sink, progress)
        sink.refuse_lost()
        file.flush()
        os.fsync(file.fileno())
    shard = Shard(
        configuration=configuration,
        split=screens[0].split,
        path=path,
        rows=rows,
        screens=len({asked.screen_id for asked in screens}),
        size_bytes=sink.size,
        sha256=sink.digest.hexdigest(),
    )
    os.replace(temporary, os.path.join(folder.data, path))
    write_text(note, json.dumps({"content": content, "shard": dataclasses.asdict(shard)}))
    return shard


class _HashingSink(io.RawIOBase):
    """Passes bytes on to a file and digests them on the way.

    An error of the file is kept for `refuse_lost`: raised into Arrow, some of its writers
    would abort the whole process.
    """

    def __init__(self, file: Any) -> None:
        self._file = file
        self._error: OSError | None = None
        self.digest = hashlib.sha256()
        self.size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        view = memoryview(data)
        self.digest.update(view)
        self.size += view.nbytes
        if self._error is None:
            try:
                self._file.write(view)
            except OSError as error:
                self._error = error
        return view.nbytes

    def refuse_lost(self) -> None:
        """Raises the error of the file, if there was one."""
        if self._error is not None:
            raise self._error

    def tell(self) -> int:
        return self.size


def _write_rows(
    screens: Sequence[AskedScreen], maker: RowMaker, sink: _HashingSink, progress: Progress
) -> int:
    schema = arrow_schema(maker.row_type)
    with_images = "image" in schema.names
    written = 0
    group: list[Any] = []
    group_bytes = 0
    with pq.ParquetWriter(
        sink,
        schema,
        compression="zstd",
        compression_level=1,
        use_dictionary=[name for name in ("app", "category", "split") if name in schema.names],
        write_page_index=True,
        use_content_defined_chunking=True,
    ) as writer:
        for asked in screens:
            for row in maker.rows_of(asked):
                group.append(plain_values(row))
                group_bytes += len(row.image.bytes) if with_images else 0
                if len(group) >= _GROUP_ROWS[with_images] or group_bytes >= _GROUP_BYTES:
                    written += _write_group_of_rows(writer, group, schema)
                    sink.refuse_lost()
                    group, group_bytes = [], 0
            progress.advance(WRITTEN)
        if group:
            written += _write_group_of_rows(writer, group, schema)
    return written


def _write_group_of_rows(writer: pq.ParquetWriter, group: list[Any], schema: pa.Schema) -> int:
    table = pa.Table.from_pylist(group, schema)
    refuse_nulls(table)
    writer.write_table(table)
    return len(group)


def _content_digest(screens: Iterable[AskedScreen], maker: RowMaker) -> str:
    digest = hashlib.sha256(repr((maker.row_type.__name__, pa.__version__)).encode())
    for asked in screens:
        # Dataclasses print every value they hold, pictures by their digest.
        digest.update(repr(asked).encode("utf-8", "backslashreplace"))
    return digest.hexdigest()


def _finished_shard(note: str, content: str, path: str) -> Shard | None:
    if not os.path.exists(note) or not os.path.exists(path):
        return None
    with open(note, encoding="utf-8") as file:
        noted = json.load(file)  # Written whole or not at all.
    shard = Shard(**noted["shard"])
    return shard if noted["content"] == content and file_digest(path) == shard.sha256 else None


class _AddLoads(beam.CombineFn):
    """Adds up the loads of all buckets in one table; most buckets hold few screens."""

    def create_accumulator(self) -> dict[tuple[str, int], tuple[int, int]]:
        return {}

    def add_input(
        self, table: dict[tuple[str, int], tuple[int, int]], weighed: tuple[str, int, int, int]
    ) -> dict[tuple[str, int], tuple[int, int]]:
        split, bucket, size_bytes, rows = weighed
        so_far = table.get((split, bucket), (0, 0))
        table[split, bucket] = (so_far[0] + size_bytes, so_far[1] + rows)
        return table

    def merge_accumulators(
        self, tables: Iterable[dict[tuple[str, int], tuple[int, int]]]
    ) -> dict[tuple[str, int], tuple[int, int]]:
        total: dict[tuple[str, int], tuple[int, int]] = {}
        for table in tables:
            for (split, bucket), (size_bytes, rows) in table.items():
                self.add_input(total, (split, bucket, size_bytes, rows))
        return total

    def extract_output(
        self, table: dict[tuple[str, int], tuple[int, int]]
    ) -> dict[tuple[str, int], tuple[int, int]]:
        return table


def _weigh(asked: AskedScreen, maker: RowMaker) -> tuple[str, int, int, int]:
    load = maker.load_of(asked)
    return asked.split, bucket_of(asked.screen_id), load.size_bytes, load.rows


def _place(asked: AskedScreen, places: dict[tuple[str, int], tuple[int, int]]) -> tuple[str, bytes]:
    number, total = places[asked.split, bucket_of(asked.screen_id)]
    return f"{asked.split}-{number:05d}-of-{total:05d}.parquet", pack(asked)


def _write_group(
    keyed: tuple[str, Iterable[bytes]],
    configuration: str,
    maker: RowMaker,
    folder: ShardFolder,
    progress: Progress,
) -> Shard:
    name, packed = keyed
    ordered = sorted(map(unpack, packed), key=lambda asked: id_order(asked.screen_id))
    return write_shard(ordered, name, configuration, maker, folder, progress)
