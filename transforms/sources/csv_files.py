"""CSV as it is found: stray quotes, byte order marks, NULs, rows too long or too short."""

import csv
from collections.abc import Iterable, Iterator

from transforms.files import SourceError

# A stray quote makes one cell of all that follows, until `_rows_in` takes it apart again.
csv.field_size_limit(1 << 28)


def csv_rows(path: str, columns: Iterable[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yields (row number from 0, row) of a CSV file that has at least `columns`.

    Everything stays text: "NA" and "null" are package names and answers, not blanks.
    """
    taken: list[str] = []
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
        rows = csv.reader(_noted_lines(file, taken))
        try:
            header = [name.strip() for name in next(rows, [])]
            lacking = [name for name in columns if name not in header]
            if lacking:
                raise SourceError(f"{path}: has no column {' and no column '.join(lacking)}")
            position = 0
            taken.clear()
            for cells in rows:
                for row in _rows_in(taken, cells, len(header)):
                    yield position, dict(zip(header, row, strict=True))
                    position += 1
                taken.clear()
        except csv.Error as error:
            raise SourceError(f"{path}: line {rows.line_num}: {error}") from error


def _rows_in(lines: list[str], cells: list[str], width: int) -> Iterator[list[str]]:
    """Yields the rows, each of `width` cells, that lie in lines read as one row.

    That is one; but a stray quote at the start of a cell swallows the lines after it, and
    their rows would be lost without a word: then each line is taken by itself.
    """
    found = [cells]
    if len(lines) > 1:
        single = [next(csv.reader([line.rstrip("\r\n")]), []) for line in lines]
        if len(cells) != width or any(len(row) == width for row in single[1:]):
            unquoted = [line.rstrip("\r\n").replace('"', "").split(",") for line in lines]
            pairs = zip(single, unquoted, strict=True)
            found = [row if len(row) == width else plain for row, plain in pairs]
    for row in found:
        if row not in ([], [""]):
            yield (row + [""] * width)[:width]


def _noted_lines(lines: Iterable[str], taken: list[str]) -> Iterator[str]:
    for line in lines:
        taken.append(line.replace("\0", ""))
        yield taken[-1]
