"""The tables of screens beside the shards: `splits/<split>.tsv` and `prefilter.tsv`.

Apart from the steps that fill them, so that whoever reads a finished build needs no engine.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence

from schemas.builds import PREFILTER_TABLE, PrefilterEntry, ScreenEntry
from transforms.replacing import write_text

_CONTROL = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)
"""What would end a line, move a terminal or turn a text around."""


def read_entries(data: str, splits: Iterable[str]) -> list[ScreenEntry]:
    """Returns what `splits/<split>.tsv` says of the screens of each split."""
    return [
        ScreenEntry(split, *cells)
        for split in splits
        for cells in _read_table(os.path.join(data, "splits", f"{split}.tsv"))
    ]


def read_prefilter(data: str) -> list[PrefilterEntry]:
    """Returns what `prefilter.tsv` says of each screen; nothing if there is none."""
    path = os.path.join(data, PREFILTER_TABLE)
    return [PrefilterEntry(*cells) for cells in _read_table(path)] if os.path.exists(path) else []


def write_table(path: str, header: Sequence[str], lines: Iterable[str]) -> None:
    """Writes a table whole, as lines that `table_line` made."""
    write_text(path, "\n".join(["\t".join(header), *lines]) + "\n")


def table_line(cells: Iterable[str]) -> str:
    """Returns cells as a line of a table; a sign that would act on its reader is a blank."""
    return "\t".join(_CONTROL.sub(" ", cell) for cell in cells)


def _read_table(path: str) -> Iterator[list[str]]:
    with open(path, encoding="utf-8") as file:
        next(file)
        for line in file:
            yield line.rstrip("\n").split("\t")
