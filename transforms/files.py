"""The one place where source files are opened, and how large JSON arrays are read."""

import errno
import hashlib
import json
import os
import stat
from collections.abc import Iterator
from typing import Any

from schemas.rejects import Reason, RejectedRecordError

_CHUNK_CHARS = 1 << 20
_MAX_ITEM_CHARS = 64 << 20
_REFUSALS = {
    errno.ENOENT: "is not there",
    errno.ENOTDIR: "is not there",
    errno.EISDIR: "is no ordinary file",
    errno.ENXIO: "is no ordinary file",
    errno.ELOOP: "is no ordinary file",
    errno.EACCES: "may not be read",
    errno.EPERM: "may not be read",
    errno.EIO: "cannot be read from its disk",
}
"""What is wrong with one file when opening or reading it says so; none of it ends a build."""


class SourceError(Exception):
    """Raised when a source as a whole cannot be used; the message is for its user."""


def read_file(path: str, *, max_bytes: int, missing: Reason, too_large: Reason) -> bytes:
    """Returns the bytes of one source file.

    Raises:
        RejectedRecordError: `missing` if nothing or no ordinary file lies there (opening a
            pipe or a device would wait forever), `too_large` above `max_bytes`.
    """
    try:
        with open(path, "rb", opener=_open_without_waiting) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise RejectedRecordError(missing, "is no ordinary file")
            if status.st_size > max_bytes:
                raise RejectedRecordError(too_large, f"has {status.st_size:,} bytes")
            return file.read()
    except OSError as error:
        if error.errno not in _REFUSALS:
            raise
        raise RejectedRecordError(missing, _REFUSALS[error.errno]) from None


def file_digest(path: str) -> str:
    """Returns the SHA-256 of a file in hex."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_json_array(path: str) -> Iterator[Any]:
    """Yields the items of the one JSON array in a file, holding one piece of it at a time.

    A released file has up to 200 MB; read whole, its text and its objects would lie in
    memory together. Lone surrogates in strings come through as they are (the C readers
    of other libraries replace them unseen).

    Raises:
        SourceError: If the file is no UTF-8 or its text is no single JSON array; the
            message gives the item and the character where it went wrong.
    """
    decoder = json.JSONDecoder()
    with open(path, encoding="utf-8-sig") as file:
        window = _Window(file, path)
        if window.peek() != "[":
            raise SourceError(f"{path}: is no JSON array")
        window.position += 1
        count = 0
        if window.peek() == "]":
            window.position += 1
        else:
            while True:
                yield window.take(decoder, count)
                count += 1
                mark = window.peek()
                window.position += 1
                if mark == "]":
                    break
                if mark != ",":
                    found = f"{mark!r}" if mark else "the end of the file"
                    raise SourceError(
                        f"{path}: after item {count:,}: found {found} instead of , or ]"
                    )
        if window.peek():
            raise SourceError(f"{path}: has more text after its JSON array")


class _Window:
    """The part of a JSON text that is being read."""

    def __init__(self, file: Any, path: str) -> None:
        self._file = file
        self._path = path
        self._text = ""
        self.position = 0

    def peek(self) -> str:
        """Returns the next character that is no blank, without taking it; "" at the end."""
        while True:
            while self.position < len(self._text) and self._text[self.position] in " \t\r\n":
                self.position += 1
            if self.position < len(self._text):
                return self._text[self.position]
            if not self._read_more():
                return ""

    def take(self, decoder: json.JSONDecoder, count: int) -> Any:
        """Returns the next JSON value."""
        self.peek()
        while True:
            try:
                value, end = decoder.raw_decode(self._text, self.position)
            except json.JSONDecodeError as error:
                # The value may only be cut off by the window. Doubling keeps this linear.
                size = len(self._text) - self.position
                if size < _MAX_ITEM_CHARS and self._read_more(size):
                    continue
                raise SourceError(f"{self._path}: item {count:,}: {error.msg}") from error
            except ValueError as error:  # A whole number of more than 4,300 digits.
                raise SourceError(f"{self._path}: item {count:,}: {error}") from error
            except RecursionError:
                raise SourceError(f"{self._path}: item {count:,}: nested too deeply") from None
            # A number at the edge may go on: 1 as 12, 1.5, 1e5 or 1e+5. All else is whole.
            at_edge = end + 2 >= len(self._text) and isinstance(value, int | float)
            if at_edge and self._read_more():
                continue
            self.position = end
            return value

    def _read_more(self, at_least: int = 0) -> bool:
        try:
            more = self._file.read(max(_CHUNK_CHARS, at_least))
        except UnicodeDecodeError as error:
            raise SourceError(f"{self._path}: is no UTF-8 text: {error.reason}") from error
        if more:
            self._text = self._text[self.position :] + more
            self.position = 0
        return bool(more)


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
