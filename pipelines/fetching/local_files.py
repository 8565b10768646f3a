"""Opens local files that somebody else names: a pipe or a device would be waited for forever."""

import errno
import os
import stat
from typing import BinaryIO


def open_plain(path: str) -> BinaryIO:
    """Opens an ordinary file for reading.

    Raises:
        OSError: If it is none, or cannot be opened.
    """
    file = open(path, "rb", opener=_open_without_waiting)  # noqa: SIM115 - handed on
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.ENXIO, "is no ordinary file", path)
    return file


def reason_of(error: OSError) -> str:
    """Returns what an error of the file system says; those of libraries say nothing in it."""
    return error.strerror or str(error) or type(error).__name__


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
