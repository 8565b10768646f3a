"""Files that are still being downloaded: locked, resumable, renamed when whole.

Beside `NAME` lies `NAME.part` meanwhile, and in `NAME.part.json` what is needed to go on
with it: which version of the file its bytes are of. Bytes of two versions never meet.
"""

import contextlib
import dataclasses
import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from pipelines.fetching.headers import parse_mark
from pipelines.fetching.local_files import open_plain
from pipelines.fetching.requesting import DownloadError

_CHUNK_BYTES = 1 << 20


@dataclasses.dataclass(frozen=True, slots=True)
class Version:
    """Which version of a file a server sends.

    `origin` is a digest of the URL, since the URL itself may hold a secret. `etag` is a
    strong one. A version without `etag` and `modified` cannot be told from another one.
    """

    origin: str = ""
    etag: str = ""
    modified: str = ""
    total_bytes: int | None = None

    @property
    def is_known(self) -> bool:
        """Whether a server can be asked for more bytes of this very version."""
        return bool(self.etag or self.modified)


def version_of(url: str, headers: Mapping[str, str], total_bytes: int | None) -> Version:
    """Returns the version that an answer's headers (names in lower case) tell of."""
    etag = parse_mark(headers.get("etag", ""))
    return Version(
        hashlib.sha256(url.encode()).hexdigest(),
        # A weak tag says that two files mean the same, not that their bytes are equal.
        "" if etag.startswith("W/") else etag,
        parse_mark(headers.get("last-modified", "")),
        total_bytes,
    )


class PartFile:
    """What has come of a file so far, and the digest of it."""

    def __init__(self, path: str, file: BinaryIO) -> None:
        self.path = path
        self.version = _read_version(_notes(path))
        self.resumed = False
        self._promoted = False
        self._file = file
        self._digest = hashlib.sha256()
        self.size = os.fstat(file.fileno()).st_size
        self.reached = self.size

    @property
    def is_whole(self) -> bool:
        """Whether all bytes of a known version are there."""
        return self.version.is_known and 0 < self.size == self.version.total_bytes

    @property
    def sha256(self) -> str:
        """Digest of the bytes so far, in hex."""
        return self._digest.hexdigest()

    def resume_or_restart(self, origin: str) -> None:
        """Goes on with what an earlier process left of the same URL, or begins anew."""
        known = self.version.is_known and self.version.origin == origin
        total = self.version.total_bytes
        if not known or (total is not None and self.size > total):
            self.restart(Version())
        elif self.size:
            self.resumed = True
            self._file.seek(0)
            while chunk := self._file.read(_CHUNK_BYTES):
                self._digest.update(chunk)

    def resume_headers(self) -> dict[str, str]:
        """Returns the headers that ask for the rest of the version at hand."""
        if not self.size or not self.version.is_known:
            return {}
        return {
            "Range": f"bytes={self.size}-",
            "If-Range": self.version.etag or self.version.modified,
        }

    def restart(self, version: Version) -> None:
        """Throws away what is there; what comes next is of `version`."""
        # In this order: at no moment does a version stand beside bytes of another one.
        self._file.seek(0)
        self._file.truncate()
        self._digest = hashlib.sha256()
        self.size, self.version, self.resumed = 0, version, False
        replace_text(_notes(self.path), json.dumps(dataclasses.asdict(version)))

    def append(self, chunk: bytes) -> None:
        """Adds bytes that came."""
        self._file.write(chunk)
        self._digest.update(chunk)
        self.size += len(chunk)
        self.reached = max(self.reached, self.size)

    def ends(self, count: int) -> tuple[bytes, bytes]:
        """Returns the first and the last `count` bytes."""
        self._file.flush()
        self._file.seek(0)
        head = self._file.read(count)
        self._file.seek(max(self.size - count, 0))
        tail = self._file.read(count)
        self._file.seek(self.size)
        return head, tail

    def promote(self) -> None:
        """Gives the file its name, in one rename, once its bytes are on the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())
        os.replace(f"{self.path}.part", self.path)
        self._promoted = True
        sync_folder(os.path.dirname(self.path))
        _unlink(_notes(self.path))

    def leave(self) -> None:
        """Leaves what came for a later process, if anything did that it can go on with."""
        if not self._promoted and not (self.size and self.version.is_known):
            self.discard()

    def discard(self) -> None:
        """Removes the part and what is known of it."""
        _unlink(f"{self.path}.part")
        _unlink(_notes(self.path))


@contextlib.contextmanager
def open_part(path: str, origin: str) -> Iterator[PartFile]:
    """Opens what is there of the file that is to become `path`; nobody else may meanwhile.

    Raises:
        DownloadError: If another process or thread is at it.
        OSError: If the file cannot be made.
    """
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with _locked(f"{path}.part") as file:
        part = PartFile(path, file)
        part.resume_or_restart(origin)
        try:
            yield part
        finally:
            part.leave()


def replace_text(path: str, text: str) -> None:
    """Writes a small file of text whole."""
    replace_bytes(path, text.encode("utf-8"))


def replace_bytes(path: str, data: bytes) -> None:
    """Writes a small file whole: under another name first, then renamed."""
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        _unlink(temporary)
        raise


def sync_folder(path: str) -> None:
    """Puts a folder's names on the disk, where its file system can."""
    handle = os.open(path or ".", os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def _locked(path: str) -> Iterator[BinaryIO]:
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        with open(handle, "r+b") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                name = os.path.basename(path).removesuffix(".part")
                raise DownloadError(
                    f"another process is downloading {name}; wait for it to end"
                ) from None
            # Whoever held it before may have renamed or removed it.
            if os.path.exists(path) and os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                yield file
                return


def _notes(path: str) -> str:
    return f"{path}.part.json"


def _read_version(path: str) -> Version:
    try:
        with open_plain(path) as file:
            found = json.load(file)
        version = Version(**found)
    except (OSError, ValueError, TypeError, RecursionError):
        return Version()
    total = version.total_bytes
    texts = (version.origin, version.etag, version.modified)
    sound = all(isinstance(text, str) and text == parse_mark(text) for text in texts)
    return version if sound and isinstance(total, int | None) else Version()


def _unlink(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
