"""What a section of the report is made of. Templates turn it into HTML; nothing here does.

Cells of a table are what their column says: a count, a share from 0 to 1, or text.
"""

import dataclasses
from collections.abc import Iterable
from typing import ClassVar

Cell = str | int | float | None

_MOST_ROWS = 400


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """One column. `kind` is `text`, `count`, `share`, or `bar`: a share with a bar beside it."""

    title: str
    kind: str = "text"


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells. `caption` says what it shows; a row of one cell is a heading of its own."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    kind: ClassVar[str] = "table"

    @property
    def longest(self) -> float:
        """The largest share of its bars, which is as wide as a bar may be."""
        places = [i for i, column in enumerate(self.columns) if column.kind in ("bar", "bar2")]
        shares = (row[i] for row in self.rows if len(row) > 1 for i in places)
        return max((share for share in shares if isinstance(share, int | float)), default=0.0)


@dataclasses.dataclass(frozen=True, slots=True)
class Text:
    """A paragraph; `tone` is empty, `soft`, `good`, `warn` or `bad`."""

    text: str
    tone: str = ""
    kind: ClassVar[str] = "text"


@dataclasses.dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside a section."""

    text: str
    kind: ClassVar[str] = "heading"


@dataclasses.dataclass(frozen=True, slots=True)
class Chart:
    """A drawing (SVG that `charts` made), what it shows, and the same in numbers."""

    name: str
    title: str
    svg: str
    table: Table
    kind: ClassVar[str] = "chart"


@dataclasses.dataclass(frozen=True, slots=True)
class KeyFigure:
    """A number that stands alone. Both are text as shown."""

    value: str
    meaning: str


Part = Table | Text | Heading | Chart


@dataclasses.dataclass(frozen=True, slots=True)
class Fold:
    """Parts that are hidden until the reader asks for them."""

    title: str
    parts: tuple[Part, ...]
    kind: ClassVar[str] = "fold"


@dataclasses.dataclass(frozen=True, slots=True)
class Section:
    """A section of the report. `name` is its anchor."""

    name: str
    title: str
    parts: tuple[Part | Fold, ...]


def shares(counts: Iterable[int]) -> list[float | None]:
    """Returns each count as a share of their sum; None where there is nothing to share."""
    found = list(counts)
    total = sum(found)
    return [count / total if total else None for count in found]


def folded_rows(
    rows: tuple[tuple[Cell, ...], ...], columns: tuple[Column, ...], shown: int, what: str
) -> tuple[Table | Fold, ...]:
    """Returns a table of the first rows, and what is beyond them in a fold.

    A page has no room for thousands: of those, the fold tells how many there are.
    """
    first = Table(columns, rows[:shown])
    if len(rows) <= shown:
        return (first,)
    parts: tuple[Part, ...] = (Table(columns, rows[shown:_MOST_ROWS]),)
    if len(rows) > _MOST_ROWS:
        parts = (*parts, Text(f"{len(rows) - _MOST_ROWS:,} more are not listed.", "soft"))
    return first, Fold(f"{len(rows) - shown:,} more {what}", parts)
