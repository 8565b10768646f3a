"""Small files that threads and processes of a machine read and change in turns."""

import contextlib
import fcntl
import os
from collections.abc import Iterator

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


class HeldFile:
    """A file whose lock is held; good only as long as that is so."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def read(self, start: int = 0) -> bytes:
        """Returns what the file holds from byte `start` on."""
        size = os.fstat(self._descriptor).st_size
        return os.pread(self._descriptor, max(size - start, 0), start)

    def replace(self, data: bytes) -> None:
        """Makes `data` all that the file holds."""
        # In place, since the lock is on this very file. A write that breaks off leaves what
        # its reader must recognize as damaged.
        os.pwrite(self._descriptor, data, 0)
        os.ftruncate(self._descriptor, len(data))

    def append(self, data: bytes) -> None:
        """Adds `data` at the end.

        Raises:
            OSError: If not all of it could be written, such as on a full disk.
        """
        end = os.fstat(self._descriptor).st_size
        if os.pwrite(self._descriptor, data, end) != len(data):
            os.ftruncate(self._descriptor, end)
            raise OSError(f"{len(data)} bytes could not be written whole")


@contextlib.contextmanager
def hold(path: str) -> Iterator[HeldFile]:
    """Locks a file, made if need be, while its content is looked at and changed.

    Locks belong to open files, of which every holder has its own: they part the threads of
    a process as well as processes, and end with whoever held them.
    """
    descriptor = os.open(path, _FLAGS, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield HeldFile(descriptor)
    finally:
        os.close(descriptor)


class Claim:
    """The right to do one thing that nobody else is doing; a file that is there meanwhile."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._descriptor: int | None = None

    def take(self) -> bool:
        """Returns whether the claim is taken now; False if somebody has it."""
        descriptor = os.open(self._path, _FLAGS, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        # Whoever had it may have removed the file after it was opened here; a lock on a file
        # without a name would keep nobody out.
        if os.fstat(descriptor).st_nlink == 0:
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        return True

    def give_up(self) -> None:
        """Lets others have it; does nothing if it was not taken."""
        if self._descriptor is not None:
            # Removed before the lock ends: removed after it, it might be somebody else's.
            os.unlink(self._path)
            os.close(self._descriptor)
            self._descriptor = None
