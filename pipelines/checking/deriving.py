"""Scalar columns derived from declared ones, for Great Expectations; and what is filled.

Great Expectations misjudges nested columns: bounds on the length of lists pass or fail
whatever the lists, and each run pickles them. So every declared column, however deep, becomes
a few numbers a row: how many nulls, blanks and unlisted texts it has there, its smallest and
its largest number.
"""

import dataclasses
import enum
from collections.abc import Iterator, Mapping, Sequence

import numpy
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipelines.checking.facts import Filled
from pipelines.checking.nested import Level, Levels, as_mask
from schemas.columns import DeclaredColumn


class Measure(enum.StrEnum):
    """What is measured of a declared column in each row."""

    NULLS = "nulls"
    BLANKS = "blanks"
    UNLISTED = "unlisted"
    UNNUMBERED = "unnumbered"
    """Values that are no number (NaN), which every bound would let pass."""
    LOWEST = "lowest"
    HIGHEST = "highest"


BOUNDS = (Measure.LOWEST, Measure.HIGHEST)
"""Measures that are numbers of the column, null where a row has none; others are counts."""


@dataclasses.dataclass(frozen=True, slots=True)
class Derived:
    """One derived column: what is measured at which path, by which declaration."""

    path: str
    measure: Measure
    declared: DeclaredColumn

    @property
    def name(self) -> str:
        """Its name in the table of derived columns."""
        return f"{self.path}:{self.measure}"


def derived_columns(columns: Sequence[DeclaredColumn]) -> list[Derived]:
    """Returns what is to be measured of declared columns, only what is ruled by something."""
    return [derived for declared in columns for derived in _measures_of(declared)]


def derive(levels: Levels, wanted: Sequence[Derived]) -> dict[str, pa.Array]:
    """Returns the derived columns of a batch by name, a number a row.

    Counts are 16 bits wide and stop at 65,535.
    """
    return {d.name: _derived(levels, d) for d in wanted if levels.has(d.path)}


def filled_rows(
    levels: Levels, columns: Sequence[DeclaredColumn]
) -> dict[str, NDArray[numpy.bool_]]:
    """Returns, by path, which rows of a batch hold anything in a column that may hold nothing.

    That is a column that may be null, or is a list; a list holds something if it has an item.
    """
    return {
        declared.path: levels.counts(declared.path, _holding(levels.at(declared.path))) > 0
        for declared in columns
        if may_hold_nothing(declared) and levels.has(declared.path)
    }


def may_hold_nothing(declared: DeclaredColumn) -> bool:
    """Whether a column may be null, or an empty list."""
    return declared.nullable or pa.types.is_list(declared.arrow)


def count_filled(
    filled: Mapping[str, NDArray[numpy.bool_]], groups: NDArray[numpy.int64]
) -> dict[str, Filled]:
    """Returns in how many rows and groups each column is filled.

    Args:
        filled: Which rows are, by path.
        groups: The number of each row's group.
    """
    return {
        path: Filled(int(rows.sum()), len(numpy.unique(groups[rows])))
        for path, rows in filled.items()
    }


def _measures_of(declared: DeclaredColumn) -> Iterator[Derived]:
    if not declared.nullable:
        yield Derived(declared.path, Measure.NULLS, declared)
    kind, path = declared.arrow, declared.path
    if pa.types.is_list(kind) and not pa.types.is_struct(kind.value_type):
        kind, path = kind.value_type, f"{path}[]"
        yield Derived(path, Measure.NULLS, declared)
    if pa.types.is_string(kind) and not declared.rules.blank:
        yield Derived(path, Measure.BLANKS, declared)
    if declared.rules.values:
        yield Derived(path, Measure.UNLISTED, declared)
    if pa.types.is_floating(kind):
        yield Derived(path, Measure.UNNUMBERED, declared)
    if declared.rules.low is not None:
        yield Derived(path, Measure.LOWEST, declared)
    if declared.rules.high is not None:
        yield Derived(path, Measure.HIGHEST, declared)


def _derived(levels: Levels, derived: Derived) -> pa.Array:
    level = levels.at(derived.path)
    if derived.measure in BOUNDS:
        return _extreme(level, levels.size, derived.measure)
    values = level.values
    if derived.measure is Measure.NULLS:
        mask = as_mask(values.is_null())
    elif derived.measure is Measure.BLANKS:
        mask = as_mask(pc.equal(pc.binary_length(pc.utf8_trim_whitespace(values)), 0))
    elif derived.measure is Measure.UNLISTED:
        listed = pc.is_in(values, pa.array(derived.declared.rules.values, values.type))
        mask = as_mask(pc.and_(values.is_valid(), pc.invert(listed)))
    else:
        mask = as_mask(pc.is_nan(values))
    counts = levels.counts(derived.path, mask)
    return pa.array(numpy.minimum(counts, 65_535).astype(numpy.uint16))


def _extreme(level: Level, size: int, measure: Measure) -> pa.Array:
    """Returns the smallest or largest number of each row; null where it has none."""
    valid = as_mask(level.values.is_valid())
    numbers = level.values.drop_null().to_numpy(zero_copy_only=False).astype(numpy.float64)
    rows = level.rows[valid]
    extremes = numpy.zeros(size)
    lacking = numpy.ones(size, bool)
    if len(rows):
        # Rows come in order, so that those of one row are neighbours.
        starts = numpy.flatnonzero(numpy.diff(rows, prepend=-1))
        reduce = numpy.fmin if measure is Measure.LOWEST else numpy.fmax
        extremes[rows[starts]] = reduce.reduceat(numbers, starts)
        lacking[rows[starts]] = False
    return pa.array(extremes, mask=lacking)


def _holding(level: Level) -> NDArray[numpy.bool_]:
    if pa.types.is_list(level.values.type):
        return as_mask(pc.greater(pc.list_value_length(level.values), 0))
    return as_mask(level.values.is_valid())
