"""What reading a shard once found: what of it the rules need, and no more."""

import dataclasses
from collections.abc import Mapping

import pyarrow as pa

from schemas.builds import Shard
from schemas.checks import LONGEST_LIST
from schemas.records import Record


@dataclasses.dataclass(frozen=True, slots=True)
class Fault(Record):
    """What is wrong with one row of a shard, counted from 0."""

    row: int
    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class Faults(Record):
    """What one rule found in the rows of a shard: all counted, the first ones told.

    `looked_at` is how many things of the rule's kind were looked at.
    """

    looked_at: int = 0
    count: int = 0
    first: tuple[Fault, ...] = ()

    def __add__(self, other: "Faults") -> "Faults":
        """Returns both together, in their order."""
        return Faults(
            self.looked_at + other.looked_at,
            self.count + other.count,
            (self.first + other.first)[:LONGEST_LIST],
        )

    def moved(self, by: int) -> "Faults":
        """Returns the faults of a batch as those of its shard, where it begins at row `by`."""
        first = tuple(Fault(fault.row + by, fault.text) for fault in self.first)
        return Faults(self.looked_at, self.count, first)


@dataclasses.dataclass(frozen=True, slots=True)
class Filled(Record):
    """In how many rows, and groups of rows, of a shard a column holds anything."""

    rows: int
    groups: int


@dataclasses.dataclass(frozen=True, slots=True)
class GroupSize(Record):
    """One row group by its footer: its rows, its bytes in memory and in the file."""

    rows: int
    raw_bytes: int
    stored_bytes: int


@dataclasses.dataclass(frozen=True, slots=True)
class Footer(Record):
    """What a shard's footer says. `schema_problems` are sentences."""

    rows: int
    groups: tuple[GroupSize, ...]
    has_page_index: bool
    schema_problems: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class RowFacts(Record):
    """What the rows of a shard came to.

    `keys` has a line a row: `screen_id`, `app`, `question_id` and `text` (a digest of the
    normalized question; both null in rows of screens), `split`, `answers` (those that count
    against the ones due, -1 where none are known), `listed` (those in the row), `no_answer`
    (whether some annotator found none), `file` (of the leading record; null in rows of
    screens), `picture` (SHA-256 of the picture, null where it was not read) and `reencoded`.
    `scalars` are the derived columns of `pipelines.checking.deriving`. `filled` is by path;
    `groups` is how many groups of rows the shard has: apps, and screens without one.
    """

    keys: pa.Table
    scalars: pa.Table
    faults: Mapping[str, Faults]
    filled: Mapping[str, Filled]
    groups: int
    pictures: int
    biggest_cell: int


@dataclasses.dataclass(frozen=True, slots=True)
class ShardFacts(Record):
    """A shard as it was found.

    `size_bytes` is None where no file is. `problem` says why its footer, or its rows, could
    not be read; empty if they were.
    """

    shard: Shard
    size_bytes: int | None = None
    sha256: str = ""
    problem: str = ""
    footer: Footer | None = None
    rows: RowFacts | None = None

    @property
    def path(self) -> str:
        """Path of the shard in the build's folder."""
        return self.shard.path

    def name_of(self, row: int) -> str:
        """Returns how a row is named in findings: by shard, number and id."""
        assert self.rows is not None
        keys = self.rows.keys
        for name in ("question_id", "screen_id"):
            value = keys[name][row].as_py()
            if value is not None:
                return f"{self.path}: row {row} ({value})"
        return f"{self.path}: row {row}"
