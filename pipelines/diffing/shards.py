"""The shards of two builds that have to be read: those that are not the same file on both."""

import dataclasses
import hashlib
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.diffing.sides import Side
from pipelines.errors import UserError
from pipelines.finished_builds import IMAGE_COLUMN, batches_of, named
from schemas.builds import Shard
from schemas.columns import hub_features

KEYS = ("question_id", "screen_id")
"""What rows are known by: questions by the first, screens by the second."""


@dataclasses.dataclass(frozen=True, slots=True)
class Reading:
    """The shards of one configuration of one side that are to be read."""

    side: Side
    configuration: str
    key: str
    shards: tuple[Shard, ...]

    def schema(self) -> pa.Schema | None:
        """Returns the schema of its shards; None if none is to be read.

        Raises:
            UserError: If one is damaged, or they have different ones.
        """
        found: pa.Schema | None = None
        for shard in self.shards:
            path = self.side.file(shard.path)
            with named(path):
                schema = pq.read_schema(path)
            self._refuse_strange(shard, schema)
            if found is not None and not schema.equals(found, check_metadata=False):
                raise UserError(
                    f"{self.side.place}: {shard.path} has other columns than shards before it; run "
                    "screenset check"
                )
            found = found or schema
        return found

    def _refuse_strange(self, shard: Shard, schema: pa.Schema) -> None:
        """Refuses a shard whose rows could not be told apart, or whose columns could not."""
        twice = [name for name in schema.names if schema.names.count(name) > 1]
        problem = f"has column {twice[0]:.80} {schema.names.count(twice[0])} times" if twice else ""
        if self.key not in schema.names:
            problem = f"has no column {self.key}, which its rows are known by"
        if problem:
            raise UserError(f"{self.side.place}: {shard.path} {problem}; run screenset check")

    def batches(self, columns: Sequence[str]) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Yields the rows of its shards by splits, a few at a time where they have pictures.

        Raises:
            UserError: If one is damaged.
        """
        for shard in self.shards:
            for batch in batches_of(self.side.file(shard.path), columns):
                yield shard.split, batch

    def pictures(self, ids: Collection[str]) -> dict[str, str]:
        """Returns size and digest of the pictures in the rows of some ids, as text.

        Of a row group without any of them, which is a hundred rows, the pictures stay unread.

        Raises:
            UserError: If a shard is damaged.
        """
        found: dict[str, str] = {}
        for shard in self.shards if ids else ():
            path = self.side.file(shard.path)
            with named(path), pq.ParquetFile(path) as file:
                for group in range(file.num_row_groups):
                    keys = file.read_row_group(group, columns=[self.key]).column(0).to_pylist()
                    wanted = {place: key for place, key in enumerate(keys) if key in ids}
                    if wanted:
                        pictures = file.read_row_group(group, columns=[IMAGE_COLUMN]).column(0)
                        found |= {key: _told(pictures[place]) for place, key in wanted.items()}
        return found


@dataclasses.dataclass(frozen=True, slots=True)
class Pair:
    """A configuration that both sides have. `shared` shards are the same file on both."""

    before: Reading
    after: Reading
    shared: int


def pairs_of(before: Side, after: Side) -> list[Pair]:
    """Returns the configurations that both sides have: the main ones, then those by name.

    Raises:
        UserError: If one side's rows are questions and the other's screens, or a shard is
            missing or not the one that was built.
    """
    # Shards of one digest are not read: so it has to be the digest of what lies there.
    before.refuse_changed()
    after.refuse_changed()
    return [_pair(before, after, role) for role in roles(before) if role in roles(after)]


def roles(side: Side) -> dict[str, str]:
    """Returns the names of a side's configurations by what they are, the main one as ""."""
    return {"" if name == side.build.name else name: name for name in side.build.row_types}


def _pair(before: Side, after: Side, role: str) -> Pair:
    names = roles(before)[role], roles(after)[role]
    keys = [
        next(key for key in KEYS if key in hub_features(side.build.row_types[name]))
        for side, name in zip((before, after), names, strict=True)
    ]
    if keys[0] != keys[1]:
        raise UserError(
            f"{before.place} and {after.place} cannot be compared: one has rows of questions, the "
            "other of screens"
        )
    mine, theirs = (
        side.build.shards_of(name) for side, name in zip((before, after), names, strict=True)
    )
    shared = Counter(map(_content, mine)) & Counter(map(_content, theirs))
    return Pair(
        Reading(before, names[0], keys[0], tuple(_others(mine, shared))),
        Reading(after, names[1], keys[1], tuple(_others(theirs, shared))),
        shared.total(),
    )


def _told(picture: pa.Scalar) -> str:
    if not picture.is_valid or not picture["bytes"].is_valid:
        return "no picture"
    data = picture["bytes"].as_buffer()
    return f"{data.size:,} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}"


def _content(shard: Shard) -> tuple[str, str]:
    return shard.split, shard.sha256


def _others(shards: Sequence[Shard], shared: Counter[tuple[str, str]]) -> Iterator[Shard]:
    left = shared.copy()
    for shard in shards:
        if left[_content(shard)] and shard.sha256:
            left[_content(shard)] -= 1
        else:
            yield shard
