"""Shows how downloads go on: a bar with rate and time left, plain lines elsewhere."""

import threading
import time
from collections.abc import Callable
from typing import TextIO

from pipelines.terminal import ProgressDisplay, duration, safe, size

_BAR_CELLS = 24


class TransferDisplay(ProgressDisplay):
    """A display for one transfer at a time; what it is told may come from many threads.

    Args:
        stream: Where to; standard error by default.
        clock: Returns seconds, as `time.monotonic` does.
    """

    def __init__(
        self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(dict, {}, stream)
        self._clock = clock
        self._lock = threading.Lock()
        self._label = ""
        self._done = self._total = 0
        self._began, self._first = clock(), -1

    def begin(self, label: str) -> None:
        """Says what the next transfer is called."""
        with self._lock:
            self._label, self._done, self._total = label, 0, 0
            self._began, self._first = self._clock(), -1

    def moved(self, url: str, done_bytes: int, total_bytes: int | None) -> None:
        """Takes the state of the present transfer."""
        del url  # The label says it.
        with self._lock:
            self._done, self._total = done_bytes, total_bytes or 0
            if self._first < 0:
                # What an earlier run left must not count as this one's speed.
                self._began, self._first = self._clock(), done_bytes

    def note(self, sentence: str) -> None:
        """Shows a sentence that stays."""
        text = safe(sentence)
        with self._lock:
            self._stream.write(f"\r\x1b[K{text}\n" if self._live else f"{text}\n")
            self._stream.flush()

    def line(self) -> str:
        """Returns the present state as one line."""
        with self._lock:
            label, done, total = self._label, self._done, self._total
            elapsed = self._clock() - self._began
            rate = (done - max(self._first, 0)) / elapsed if elapsed >= 1 else 0.0
        share = min(done / total, 1.0) if total else 0.0
        filled = int(share * _BAR_CELLS)
        bar = "█" * filled + "░" * (_BAR_CELLS - filled)
        amount = f"{size(done)} of {size(total)}" if total else size(done) if done else "waiting"
        # Rounded down: 100 % is said of what is whole only.
        percent = f"{min(done, total) * 100 // total:3}% · " if total else ""
        speed = f" · {size(rate)}/s" if rate > 0 else ""
        left = f" · {duration((total - done) / rate)} left" if rate > 0 and done < total else ""
        return f"{bar} {percent}{label} {amount}{speed}{left}"
