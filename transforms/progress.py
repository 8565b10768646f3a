"""Counts that workers leave where the launcher can read them while a build runs.

Beam's local runner tells nothing until its end. Each worker process keeps one small file
a step, in a folder of the build in work; the launcher adds them up.
"""

import dataclasses
import mmap
import os
import struct
from collections.abc import Mapping

_COUNT = struct.Struct("<q")
_maps: dict[str, mmap.mmap] = {}


@dataclasses.dataclass(frozen=True, slots=True)
class Progress:
    """Where to count. Without a folder nothing is counted."""

    folder: str | None = None

    def advance(self, step: str) -> None:
        """Counts one more record of `step` done by this process."""
        if self.folder is None:
            return
        path = f"{self.folder}/{step}.{os.getpid()}"
        count = _maps.get(path)
        if count is None:
            count = _maps[path] = _map_new_file(path)
        _COUNT.pack_into(count, 0, _COUNT.unpack_from(count, 0)[0] + 1)

    def close(self) -> None:
        """Closes the files that this process has open, so that counting can start anew."""
        for path in [path for path in _maps if path.startswith(f"{self.folder}/")]:
            _maps.pop(path).close()


def read_progress(folder: str) -> Mapping[str, int]:
    """Returns the records done so far, by step, over all worker processes."""
    totals: dict[str, int] = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            with open(entry.path, "rb") as file:
                data = file.read(_COUNT.size)
            if len(data) == _COUNT.size:  # Else a worker has only just made it.
                step = entry.name.rpartition(".")[0]
                totals[step] = totals.get(step, 0) + _COUNT.unpack(data)[0]
    return totals


def _map_new_file(path: str) -> mmap.mmap:
    # Mapped, since a write a record would cost more than some of the steps that it counts.
    with open(path, "w+b") as file:
        file.write(bytes(_COUNT.size))
        file.flush()
        return mmap.mmap(file.fileno(), _COUNT.size)
