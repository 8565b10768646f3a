"""Wall, CPU and memory of a command and all processes that it starts (Linux)."""

import dataclasses
import os
import subprocess
import time

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_EVERY_S = 0.02


@dataclasses.dataclass(frozen=True)
class Usage:
    """What one run took. `peak_mb` is the whole tree's largest resident memory."""

    wall_s: float
    cpu_s: float
    peak_mb: float


def measure(command: list[str]) -> Usage:
    """Runs a command to its end and returns what it and its descendants took.

    The tree is sampled, because worker processes may outlive their parent's wait and
    would then be missing from its accounts.

    Raises:
        RuntimeError: If the command fails; with what it printed.
    """
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    cpu: dict[int, float] = {}
    peak = 0
    while process.poll() is None:
        resident = 0
        for pid in _tree(process.pid):
            stat = _read(f"/proc/{pid}/stat").rpartition(") ")[2].split()
            pages = _read(f"/proc/{pid}/statm").split()
            if len(stat) > 12 and len(pages) > 1:
                cpu[pid] = (int(stat[11]) + int(stat[12])) / _TICKS
                resident += int(pages[1]) * _PAGE
        peak = max(peak, resident)
        time.sleep(_EVERY_S)
    wall = time.monotonic() - started
    output = process.stdout.read() if process.stdout else ""
    if process.returncode:
        raise RuntimeError(f"{command} exited with {process.returncode}:\n{output}")
    return Usage(wall, sum(cpu.values()), peak / 1e6)


def _tree(root: int) -> list[int]:
    found = [root]
    for pid in found:
        for task in os.listdir(f"/proc/{pid}/task") if os.path.isdir(f"/proc/{pid}/task") else []:
            children = _read(f"/proc/{pid}/task/{task}/children")
            found += [int(child) for child in children.split()]
    return found


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError):
        return ""  # The process ended between two looks.
