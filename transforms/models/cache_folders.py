"""Where stored replies lie: a folder of this machine, or one behind a `scheme://`."""

import contextlib
import errno
import itertools
import os
import stat
import time
from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

DAMAGED = "damaged"
_TEMPORARY = ".part"
_STALE_S = 86_400.0
# Whoever opens a FIFO would else wait until somebody writes into it.
_READING = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
_counter = itertools.count()


class Entry(NamedTuple):
    """One file: its path below the root, and its size."""

    path: str
    size_bytes: int


class Folder(Protocol):
    """Files by their relative path, each of which is there whole or not at all."""

    is_local: bool

    def read(self, path: str) -> bytes | None:
        """Returns what a file holds; None if it is not there, nothing if it is no file."""

    def write(self, path: str, data: bytes) -> None:
        """Makes a file, or replaces it; on return it outlives a crash of the machine."""

    def move(self, path: str, to: str) -> None:
        """Renames a file, over whatever is there; does nothing if it is gone."""

    def remove(self, path: str) -> None:
        """Removes a file; does nothing if it is gone."""

    def entries(self) -> Iterator[Entry]:
        """Yields all finished files, in no order."""

    def sweep(self) -> None:
        """Removes what writers left that were killed."""


def open_folder(root: str) -> Folder:
    """Returns the folder at a path or a `scheme://` address; it need not be there yet."""
    return RemoteFolder(root) if "://" in root else LocalFolder(root)


class LocalFolder:
    """A folder of this machine."""

    is_local = True

    def __init__(self, root: str) -> None:
        self._root = root

    def read(self, path: str) -> bytes | None:
        # Without the layers of open(): this is all that a rebuild does for each question.
        try:
            descriptor = os.open(f"{self._root}/{path}", _READING)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno == errno.ENXIO:  # A socket, which cannot be opened.
                return b""
            raise
        try:
            facts = os.fstat(descriptor)
            return os.read(descriptor, facts.st_size) if stat.S_ISREG(facts.st_mode) else b""
        finally:
            os.close(descriptor)

    def write(self, path: str, data: bytes) -> None:
        target = f"{self._root}/{path}"
        temporary = f"{target}.{os.getpid()}.{next(_counter)}{_TEMPORARY}"
        os.makedirs(os.path.dirname(target), exist_ok=True)
        try:
            with open(temporary, "xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
            raise

    def move(self, path: str, to: str) -> None:
        os.makedirs(os.path.dirname(f"{self._root}/{to}"), exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            os.replace(f"{self._root}/{path}", f"{self._root}/{to}")

    def remove(self, path: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{self._root}/{path}")

    def entries(self) -> Iterator[Entry]:
        for entry in self._files():
            if not entry.name.endswith(_TEMPORARY):
                with contextlib.suppress(FileNotFoundError):
                    path = os.path.relpath(entry.path, self._root)
                    yield Entry(path, entry.stat().st_size)

    def sweep(self) -> None:
        for entry in self._files():
            with contextlib.suppress(FileNotFoundError):
                stale = entry.stat().st_mtime < time.time() - _STALE_S
                if entry.name.endswith(_TEMPORARY) and stale:
                    os.unlink(entry.path)

    def _files(self) -> Iterator["os.DirEntry[str]"]:
        """Yields the files of the folders right below the root, which is where all are."""
        for folder in _scan(self._root):
            if folder.is_dir(follow_symlinks=False):
                yield from (e for e in _scan(folder.path) if e.is_file(follow_symlinks=False))


class RemoteFolder:
    """A folder of any file system that fsspec knows, such as `gs://bucket/folder`.

    Writing an object store's object is all or nothing by itself.
    """

    is_local = False

    def __init__(self, root: str) -> None:
        """Opens the file system.

        Raises:
            ImportError: If its library is not installed (gs:// needs the extra `gcp`).
            ValueError: If there is no such scheme.
        """
        import fsspec  # type: ignore[import-untyped]

        self._files: Any
        self._files, path = fsspec.core.url_to_fs(root.rstrip("/"))
        self._root = path.rstrip("/")

    def read(self, path: str) -> bytes | None:
        try:
            data: bytes = self._files.cat_file(f"{self._root}/{path}")
        except FileNotFoundError:
            return None
        return data

    def write(self, path: str, data: bytes) -> None:
        self._files.pipe_file(f"{self._root}/{path}", data)

    def move(self, path: str, to: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._files.mv(f"{self._root}/{path}", f"{self._root}/{to}")

    def remove(self, path: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._files.rm_file(f"{self._root}/{path}")

    def entries(self) -> Iterator[Entry]:
        self._files.invalidate_cache()
        for name, facts in self._files.find(self._root, detail=True).items():
            yield Entry(name.removeprefix(self._root).lstrip("/"), facts["size"])

    def sweep(self) -> None:
        """Does nothing: what was not written whole is not there."""


def _scan(path: str) -> Iterator["os.DirEntry[str]"]:
    with contextlib.suppress(FileNotFoundError), os.scandir(path) as entries:
        yield from entries
