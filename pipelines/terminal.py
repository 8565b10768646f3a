"""What people see: tables, sentences, progress. Colour and motion on a terminal only."""

import os
import sys
import threading
import time
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TextIO

_LINE_EVERY_S = 10.0
_BAR_CELLS = 24


def table(header: Sequence[str], rows: Iterable[Sequence[object]], right: str = "") -> str:
    """Returns rows as an aligned text table; numbers get thousands commas.

    Args:
        header: Column names.
        rows: Cells; None is shown as a dash.
        right: A character a column, `>` for flush right; missing ones mean flush left.
    """
    texts = [[_cell(value) for value in row] for row in rows]
    widths = [max(_width(row[i]) for row in [list(header), *texts]) for i in range(len(header))]
    sides = right.ljust(len(header), "<")

    def line(cells: Sequence[str]) -> str:
        padded = [
            " " * (width - _width(cell)) + cell
            if side == ">"
            else cell + " " * (width - _width(cell))
            for cell, width, side in zip(cells, widths, sides, strict=True)
        ]
        return "  ".join(padded).rstrip()

    rule = "  ".join("─" * width for width in widths)
    return "\n".join([line(list(header)), rule, *map(line, texts)])


def counted(count: int, one: str, many: str = "") -> str:
    """Returns a number with what it counts: 1 screen, 2 screens."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def bold(text: str, stream: TextIO | None = None) -> str:
    """Returns `text` in bold if `stream` (standard output) is a terminal that has it."""
    return f"\x1b[1m{text}\x1b[0m" if _is_terminal(stream or sys.stdout) else text


def safe(text: str) -> str:
    """Returns text from a source without control characters that a terminal would obey."""
    return "".join(
        c if c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Cs") else "\ufffd"
        for c in text
    )


def duration(seconds: float) -> str:
    """Returns a time span as 7 s, 3 min 05 s or 2 h 10 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def size(size_bytes: float) -> str:
    """Returns a number of bytes as 840 B, 1.2 MB or 3.4 GB."""
    for unit in ("B", "kB", "MB"):
        if size_bytes < 1000:
            return f"{size_bytes:.0f} {unit}" if unit == "B" else f"{size_bytes:.1f} {unit}"
        size_bytes /= 1000
    return f"{size_bytes:.1f} GB"


class ProgressDisplay:
    """Shows how far long work is: a bar on a terminal, a plain line now and then elsewhere.

    `read` returns the records done so far by step; `totals` says how many there will be,
    for the steps in their order. The time left is judged by all steps together.
    """

    def __init__(
        self,
        read: Callable[[], Mapping[str, int]],
        totals: Mapping[str, int],
        stream: TextIO | None = None,
    ) -> None:
        self._read = read
        self._totals = {step: total for step, total in totals.items() if total}
        self._stream = stream or sys.stderr
        self._live = _is_terminal(self._stream)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._show, name="progress", daemon=True)
        self._started = time.monotonic()

    def __enter__(self) -> "ProgressDisplay":
        """Begins to show progress."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the display and clears its line."""
        self._stop.set()
        self._thread.join()
        if self._live:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def line(self) -> str:
        """Returns the present state as one line."""
        done = self._read()
        step = next(
            (s for s, total in self._totals.items() if done.get(s, 0) < total),
            next(reversed(self._totals), ""),
        )
        total = sum(self._totals.values())
        sum_done = sum(min(done.get(s, 0), t) for s, t in self._totals.items())
        elapsed = time.monotonic() - self._started
        share = sum_done / total if total else 0.0
        filled = int(share * _BAR_CELLS)
        bar = "█" * filled + "░" * (_BAR_CELLS - filled)
        left = f" · {duration(elapsed / share * (1 - share))} left" if 0.02 < share < 1 else ""
        count = f"{min(done.get(step, 0), self._totals.get(step, 0)):,}"
        return f"{bar} {share:4.0%} · {step} {count} of {self._totals.get(step, 0):,}{left}"

    def _show(self) -> None:
        last_line, last_said = self._started, ""
        while not self._stop.wait(0.2 if self._live else 0.5):
            if self._live:
                columns = os.get_terminal_size(self._stream.fileno()).columns or 80
                self._stream.write(f"\r{self.line()[: max(columns - 1, 1)]}\x1b[K")
                self._stream.flush()
            elif time.monotonic() - last_line >= _LINE_EVERY_S:
                last_line, said = time.monotonic(), self.line().partition(" ")[2].strip()
                if said != last_said:
                    self._stream.write(f"{said}\n")
                    self._stream.flush()
                last_said = said


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _is_terminal(stream: TextIO) -> bool:
    return stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
