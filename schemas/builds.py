"""What a build says of itself: its shards, its leaks, its summary."""

import dataclasses

from schemas.records import Record


@dataclasses.dataclass(frozen=True, slots=True)
class Shard(Record):
    """One finished Parquet file. `path` is relative to the data set's folder."""

    configuration: str
    split: str
    path: str
    rows: int
    screens: int
    size_bytes: int
    sha256: str


@dataclasses.dataclass(frozen=True, slots=True)
class ScreenEntry(Record):
    """One line of `splits/<split>.tsv`: a kept screen, its app, and what it looks like.

    `sha256` and `layout_hash` are empty in a build without pictures, `app` where unknown.
    """

    split: str
    screen_id: str
    app: str
    sha256: str
    layout_hash: str


@dataclasses.dataclass(frozen=True, slots=True)
class LeakGroup(Record):
    """Screens in different splits that belong together.

    `key` names what they share: an app's package, a picture's digest, a layout's hash.
    `members` are (split, screen ids) pairs, both sorted.
    """

    key: str
    members: tuple[tuple[str, tuple[str, ...]], ...]
