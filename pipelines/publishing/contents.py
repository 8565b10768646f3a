"""Which files of a finished build go to the Hub, and what they hold.

Only files that the build names in its `BUILD.json`, and the few documents written into it
later, ever go: whatever else lies in the folder stays where it is. Not even `rejects/` goes,
since it names what was taken down, and no HTML page, since the Hub does not show one.
"""

import dataclasses
import os
import stat
from collections.abc import Iterable

from pipelines.finished_builds import FinishedBuild, files_in
from pipelines.terminal import counted, size
from schemas.builds import CARD, CHECK, CROISSANT, FINISHED
from transforms.files import file_digest

REJECTS = "rejects/"
DOCUMENTS = (CARD, CROISSANT, CHECK)
"""What goes beside what the build wrote itself; a new one is no new version of the data."""

_SHARD_SUFFIX = ".parquet"


@dataclasses.dataclass(frozen=True, slots=True)
class LocalFile:
    """A file that goes. `path` is relative to the build, `source` where it lies."""

    path: str
    source: str
    size_bytes: int
    sha256: str

    @property
    def is_shard(self) -> bool:
        """Whether it holds rows; all other files are texts."""
        return self.path.endswith(_SHARD_SUFFIX)


@dataclasses.dataclass(frozen=True, slots=True)
class Contents:
    """What goes, by path; what lies in the folder and stays; what is not as it was built."""

    files: tuple[LocalFile, ...]
    staying: tuple[str, ...]
    problems: tuple[str, ...]

    @property
    def size_bytes(self) -> int:
        """Bytes of all files that go."""
        return sum(file.size_bytes for file in self.files)

    @property
    def texts(self) -> tuple[LocalFile, ...]:
        """The files that go and are no shards."""
        return tuple(file for file in self.files if not file.is_shard)


def gather(build: FinishedBuild, *, with_rejects: bool = False) -> Contents:
    """Returns what of a build goes to the Hub, each file read once for its digest.

    Files that are gone, changed, links or no ordinary files are problems, and do not go.

    Args:
        build: The finished build.
        with_rejects: Whether `rejects/` goes too.
    """
    stated = {shard.path: shard.sha256 for shard in build.shards}
    stated |= {
        file.path: file.sha256
        for file in build.files
        if with_rejects or not file.path.startswith(REJECTS)
    }
    going = sorted({*stated, FINISHED, *_present(build, DOCUMENTS)})
    files, problems = [], []
    for path in going:
        problem = _problem_of(build, path)
        if problem is None:
            file = _read(build, path)
            files.append(file)
            if path in stated and file.sha256 != stated[path]:
                problem = f"{path} is not what was built: its bytes have changed"
        if problem is not None:
            problems.append(problem)
    staying = sorted(set(files_in(build.folder)) - set(going))
    return Contents(tuple(files), tuple(staying), tuple(problems))


def staying_text(paths: Iterable[str]) -> str:
    """Returns which files stay, folders and what they are counted."""
    found: dict[str, int] = {}
    for path in paths:
        top, slash, _ = path.partition("/")
        found[top + slash] = found.get(top + slash, 0) + 1
    return ", ".join(
        f"{name} ({counted(count, 'file')})" if name.endswith("/") else name
        for name, count in found.items()
    )


def contents_text(contents: Contents) -> str:
    """Returns how much goes: 12 files, 3.0 MB, of them 3 shards."""
    shards = sum(file.is_shard for file in contents.files)
    return (
        f"{counted(len(contents.files), 'file')}, {size(contents.size_bytes)}, "
        f"of them {counted(shards, 'shard')}"
    )


def _present(build: FinishedBuild, names: Iterable[str]) -> list[str]:
    return [name for name in names if os.path.lexists(build.path(name))]


def _problem_of(build: FinishedBuild, path: str) -> str | None:
    """Returns what keeps a file from being read."""
    try:
        mode = os.lstat(build.path(path)).st_mode
    except FileNotFoundError:
        return f"{path} is gone"
    if not stat.S_ISREG(mode):
        return f"{path} is no ordinary file"
    return None


def _read(build: FinishedBuild, path: str) -> LocalFile:
    source = os.path.abspath(build.path(path))
    return LocalFile(path, source, os.path.getsize(source), file_digest(source))
