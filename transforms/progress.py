"""Counts that workers leave where the launcher can read them while a build runs.

Beam's local runner tells nothing until its end. Each worker process keeps one small file
a step, in a folder of the build in work; the launcher adds them up.
"""

import dataclasses
import os
from collections.abc import Mapping

_DIGITS = 12
_open_files: dict[str, int] = {}
_counts: dict[str, int] = {}


@dataclasses.dataclass(frozen=True, slots=True)
class Progress:
    """Where to count. Without a folder nothing is counted."""

    folder: str | None = None

    def advance(self, step: str) -> None:
        """Counts one more record of `step` done by this process."""
        if self.folder is None:
            return
        path = f"{self.folder}/{step}.{os.getpid()}"
        if path not in _open_files:
            _open_files[path] = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
            _counts[path] = 0
        _counts[path] += 1
        os.pwrite(_open_files[path], b"%0*d" % (_DIGITS, _counts[path]), 0)

    def close(self) -> None:
        """Closes the files that this process has open, so that counting can start anew."""
        for path in [path for path in _open_files if path.startswith(f"{self.folder}/")]:
            os.close(_open_files.pop(path))
            del _counts[path]


def read_progress(folder: str) -> Mapping[str, int]:
    """Returns the records done so far, by step, over all worker processes."""
    totals: dict[str, int] = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            with open(entry.path, encoding="ascii") as file:
                digits = file.read(_DIGITS)
            step = entry.name.rpartition(".")[0]
            totals[step] = totals.get(step, 0) + int(digits or 0)
    return totals
