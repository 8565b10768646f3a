"""What differs between two finished builds, as `screenset diff` tells and writes it."""

import dataclasses
import enum
from typing import Any

from schemas.records import Record

Plain = Any
"""A value of JSON: None, a truth value, a number, a text, or a list of such."""


@dataclasses.dataclass(frozen=True, slots=True)
class BuildIdentity(Record):
    """Which build one side is.

    `place` is the last part of its folder's path, or its address on the Hub, `revision` the
    commit there, empty for a folder.
    """

    place: str
    revision: str
    dataset: str
    version: str
    recipe: str
    fingerprint: str
    code_version: str
    code_digest: str


@dataclasses.dataclass(frozen=True, slots=True)
class Change(Record):
    """A named value that is another one; None on the side that does not have it."""

    name: str
    before: Plain
    after: Plain


@dataclasses.dataclass(frozen=True, slots=True)
class SplitCounts(Record):
    """Rows and screens of a configuration's split on both sides, different or not.

    A side that does not have the configuration names it with an empty text.
    """

    configuration_before: str
    configuration_after: str
    split: str
    rows_before: int
    rows_after: int
    screens_before: int
    screens_after: int


class ColumnDifferenceKind(enum.StrEnum):
    """What became of a column, or of a field of a nested row."""

    ADDED = "added"
    REMOVED = "removed"
    TYPE = "type"
    """Its Arrow type is another one."""
    FEATURE = "feature"
    """Its Arrow type is the same, and its feature for the Hub's library is another one."""


@dataclasses.dataclass(frozen=True, slots=True)
class ColumnDifference(Record):
    """One column that is not as before. `before` and `after` are types or features as text."""

    configuration_before: str
    configuration_after: str
    path: str
    kind: ColumnDifferenceKind
    before: str
    after: str


@dataclasses.dataclass(frozen=True, slots=True)
class RowChange(Record):
    """A row that both sides have, and the paths of its columns whose values differ.

    A list's items are spelled `[]`; `answers[]` stands for their number, and where that
    differs, nothing inside is told.
    """

    id: str
    paths: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Moved(Record):
    """What lies in another split than before."""

    id: str
    before: str
    after: str


@dataclasses.dataclass(frozen=True, slots=True)
class Example(Record):
    """One value before and after, as JSON; of a picture its size and digest."""

    path: str
    id: str
    before: str
    after: str


@dataclasses.dataclass(frozen=True, slots=True)
class ShortAnswerChange(Record):
    """Other short answers to a question that both sides have.

    A provider is named with its model, `none` where the row names no origin. Without added or
    removed variants their order or their origin is another one.
    """

    id: str
    provider_before: str
    provider_after: str
    added: tuple[str, ...]
    removed: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class RowsDifference(Record):
    """What differs in the rows of one configuration that both sides have.

    `key` is the column that rows are known by. `shared_shards` were not read: they are the
    same file on both sides. `by_column` is how many rows differ in each path, most first.
    All lists are whole and in the order of ids, but for the examples, a few a path.
    """

    configuration_before: str
    configuration_after: str
    key: str
    shared_shards: int
    added: tuple[str, ...]
    removed: tuple[str, ...]
    moved: tuple[Moved, ...]
    changed: tuple[RowChange, ...]
    by_column: tuple[tuple[str, int], ...]
    only_picture: int
    only_provenance: int
    examples: tuple[Example, ...]
    short_answers: tuple[ShortAnswerChange, ...]

    @property
    def differs(self) -> bool:
        """Whether a row is added, removed, changed, or in another split."""
        return bool(self.added or self.removed or self.moved or self.changed)


@dataclasses.dataclass(frozen=True, slots=True)
class AppMoved(Record):
    """An app of both sides whose screens lie in other splits than before."""

    app: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class ScreensDifference(Record):
    """What differs in the split lists.

    `taken_down` are those of the removed screens that the manifest's block list names now,
    `restored` those of the added ones that it named before.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    moved: tuple[Moved, ...]
    apps_moved: tuple[AppMoved, ...]
    taken_down: tuple[str, ...]
    restored: tuple[str, ...]

    @property
    def differs(self) -> bool:
        """Whether another screen is in the data set, or one in another split."""
        return bool(self.added or self.removed or self.moved)


@dataclasses.dataclass(frozen=True, slots=True)
class Difference(Record):
    """All that differs between two builds.

    `configurations` are those that only one side has, with their rows. What a build says of
    itself, from `statistics` on, makes no difference alone: the same rows under another
    version, or of another source, are the same rows.
    """

    before: BuildIdentity
    after: BuildIdentity
    counts: tuple[SplitCounts, ...]
    configurations: tuple[Change, ...]
    columns: tuple[ColumnDifference, ...]
    rows: tuple[RowsDifference, ...]
    screens: ScreensDifference
    statistics: tuple[Change, ...]
    rejects: tuple[Change, ...]
    sources: tuple[Change, ...]
    settings: tuple[Change, ...]

    @property
    def differs(self) -> bool:
        """Whether somebody who loads both gets other columns, rows, or splits."""
        rows = any(rows.differs for rows in self.rows)
        return rows or bool(self.configurations or self.columns or self.screens.differs)
