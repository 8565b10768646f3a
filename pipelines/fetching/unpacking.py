"""Archives taken out safely: nothing outside, nothing half, nothing that is no plain file.

A tar is read once from its first byte to its last, however large, and never held. What
comes out lies in the hidden sibling `.NAME.unpacking` until all of it was checked; then it
moves into `NAME`. A run that was killed begins anew.
"""

import bz2
import collections
import contextlib
import dataclasses
import errno
import fcntl
import filecmp
import gzip
import lzma
import os
import re
import shutil
import stat
import struct
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Protocol, Self

from pipelines.fetching import ceilings
from pipelines.fetching.local_files import open_plain, reason_of
from pipelines.terminal import safe, size

_CHUNK_BYTES = 1 << 20
_BLOCKS_BYTES = 64 << 10
"""tarfile copies what is left of so much for every header it reads."""
_MAX_HEADER_BYTES = 1 << 20
_MARK = "moving"
_DRIVE = re.compile(r"[A-Za-z]:")
_BROKEN = (
    ArithmeticError,
    EOFError,
    LookupError,
    MemoryError,
    RuntimeError,
    ValueError,
    lzma.LZMAError,
    struct.error,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What the readers of archives raise for archives that are broken or of unknown kinds. Besides
these it is an OSError that no disk has raised: see `_is_of_disk`."""
_MAX_ENDS = 100
"""tarfile asks on after the end, for ever where a header states an astronomic size."""
_MAX_DEPTH = 100
_MAX_PATH_BYTES = 2000

_LINK, _SPECIAL, _APPLE, _NAME, _TWICE, _ELSEWHERE = (
    "links",
    "devices and pipes",
    "._ files",
    "unsafe names",
    "repeated files",
    "not asked for",
)
DROPPED = (_LINK, _SPECIAL, _APPLE, _NAME, _TWICE, _ELSEWHERE)
"""What members may be left out for."""


class UnpackError(Exception):
    """An archive that cannot or must not be unpacked; the message is for its user."""


class BrokenArchiveError(UnpackError):
    """An archive that will never be unpacked; another copy of it may."""


@dataclasses.dataclass(frozen=True, slots=True)
class Limits:
    """How much may come out of one archive before it is taken for a bomb.

    `ratio` is how many times the archive's own size all that comes out of it may have; it
    counts from 64 MB on, since small files of zeros are harmless.
    """

    members: int = 2_000_000
    member_bytes: int = 4 << 30
    total_bytes: int = 300 << 30
    ratio: int = ceilings.RATIO


@dataclasses.dataclass(frozen=True, slots=True)
class Unpacked:
    """What came out: files, their bytes together, and members left out by reason."""

    files: int
    size_bytes: int
    dropped: Mapping[str, int]


Progress = Callable[[int, int], None]
"""Is told how many bytes of the archive were read, and how many it has."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Member:
    """One entry of an archive of either kind. `kind` is a reason of `DROPPED`, or "file"."""

    name: str
    kind: str
    open: Callable[[], IO[bytes] | None]


@contextlib.contextmanager
def unpacked(
    archive: str,
    folder: str,
    *,
    members: str = "",
    replace: bool = False,
    limits: Limits = Limits(),
    progress: Progress | None = None,
) -> Iterator[Unpacked]:
    """Unpacks an archive into a folder, and yields what came out once it is in its place.

    The block records it. Until it ends the hidden folder stays, which tells `is_unfinished`
    that a killed run has still something to do.

    Args:
        archive: A zip, or a tar, plain or compressed by gzip, bzip2 or xz.
        folder: Where to; it may hold other files already.
        members: Only members whose path begins so are taken out.
        replace: Whether files that are there with other content may be replaced.
        limits: When to take it for a bomb.
        progress: Who is told how it goes on.

    Raises:
        BrokenArchiveError: If it is broken, dangerous or no archive. Nothing was put in its
            place.
        UnpackError: If a file is in the way, if
            the disk is full or another process is at it.
    """
    folder = os.path.realpath(folder)
    with _work_folder(folder) as work:
        try:
            taken = _take_out(archive, work, members, limits, progress)
            _refuse_conflicts(work, folder, replace=replace)
            # What is said to be there must outlive a power cut: one flush for all files.
            os.sync()
            with open(os.path.join(os.path.dirname(work), _MARK), "w", encoding="ascii"):
                _merge(work, folder)
            os.sync()
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            text = "no space is left on the disk" if full else reason_of(error)
            raise UnpackError(f"{error.filename or folder}: {text}") from None
        yield taken


def unpack(
    archive: str,
    folder: str,
    *,
    members: str = "",
    replace: bool = False,
    limits: Limits = Limits(),
    progress: Progress | None = None,
) -> Unpacked:
    """Unpacks an archive into a folder; see `unpacked`."""
    with unpacked(
        archive, folder, members=members, replace=replace, limits=limits, progress=progress
    ) as taken:
        return taken


def is_unfinished(folder: str) -> bool:
    """Returns whether a run that unpacked something into `folder` was killed."""
    return os.path.isdir(_hidden(os.path.realpath(folder)))


def safe_path(name: str) -> str | None:
    """Returns a member's name as a relative path, or None if it is odd on some system.

    Raises:
        UnpackError: If it leads out of the folder. No honest archive has such a name.
    """
    segments = [segment for segment in name.split("/") if segment not in ("", ".")]
    outside = ".." in re.split(r"[/\\]", name) or _DRIVE.match(name)
    if name.startswith(("/", "\\")) or outside:
        raise UnpackError(f"it holds a path that leads outside: {safe(name)[:200]!r}")
    if any(map(_is_odd, segments)) or len(segments) > _MAX_DEPTH:
        return None
    path = "/".join(segments)
    return None if len(path.encode()) > _MAX_PATH_BYTES else path


def _is_odd(segment: str) -> bool:
    # Surrogates stand for bytes that are no UTF-8.
    if any(c == "\\" or unicodedata.category(c) in ("Cc", "Cs") for c in segment):
        return True
    return segment.endswith((".", " ")) or len(segment.encode()) > 255


def _is_apple(path: str) -> bool:
    segments = path.split("/")
    return "__MACOSX" in segments or segments[-1].startswith("._") or segments[-1] == ".DS_Store"


def _hidden(folder: str) -> str:
    parent, name = os.path.split(folder)
    return os.path.join(parent, f".{name}.unpacking")


@contextlib.contextmanager
def _work_folder(folder: str) -> Iterator[str]:
    """Yields an empty folder beside `folder`, on the same disk, held by a lock."""
    root = _hidden(folder)
    try:
        os.makedirs(root, exist_ok=True)
        lock = open(os.path.join(root, "lock"), "a+b")  # noqa: SIM115
    except OSError as error:
        raise UnpackError(f"{root}: {reason_of(error)}") from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UnpackError(f"another process is unpacking into {folder}; wait for it") from None
        work = os.path.join(root, "new")
        shutil.rmtree(work, ignore_errors=True)
        os.mkdir(work)
        try:
            yield work
        except BaseException:
            # Frees the disk. The mark stays: part of an archive has moved already.
            shutil.rmtree(work, ignore_errors=True)
            if not os.path.exists(os.path.join(root, _MARK)):
                shutil.rmtree(root, ignore_errors=True)
            raise
        shutil.rmtree(root)


def _take_out(
    archive: str, work: str, prefix: str, limits: Limits, progress: Progress | None
) -> Unpacked:
    try:
        with open_plain(archive) as file:
            taker = _Taker(work, prefix, limits, os.fstat(file.fileno()).st_size)
            magic = file.read(6)
            file.seek(0)
            read = _zip_members if magic[:4] in (b"PK\3\4", b"PK\5\6") else _tar_members
            for member in read(file, magic, taker):
                taker.take(member)
                if progress:
                    progress(min(file.tell(), taker.archive_bytes), taker.archive_bytes)
    except (*_BROKEN, OSError) as error:
        if isinstance(error, OSError) and _is_of_disk(error):
            raise
        raise BrokenArchiveError(
            f"{_name(archive)} is broken or no archive: {_what(error)}"
        ) from None
    except UnpackError as error:
        raise BrokenArchiveError(f"{_name(archive)}: {error}") from None
    if not taker.files:
        named = f" that begins with {prefix}" if prefix else ""
        raise BrokenArchiveError(f"{_name(archive)} holds no file{named}{taker.seen()}")
    dropped = {reason: taker.dropped[reason] for reason in DROPPED if taker.dropped[reason]}
    return Unpacked(taker.files, taker.size_bytes, dropped)


class _Taker:
    """Writes members into a folder that holds nothing else, and counts."""

    def __init__(self, work: str, prefix: str, limits: Limits, archive_bytes: int) -> None:
        self._work, self._prefix, self._limits = work, prefix, limits
        self.archive_bytes = archive_bytes
        self.files = self.size_bytes = self._members = 0
        self.dropped: collections.Counter[str] = collections.Counter()
        self._tops: dict[str, None] = {}

    def take(self, member: _Member) -> None:
        """Writes one member, or counts why not."""
        self._members += 1
        if self._members > self._limits.members:
            raise UnpackError(f"it holds more than {self._limits.members:,} members")
        path = safe_path(member.name)
        reason = self._reason_to_drop(path, member)
        if reason:
            self.dropped[reason] += 1
        elif path:
            self._write(path, member)

    def refuse_bomb(self, out_bytes: int) -> None:
        """Refuses to go on once more has come out than any honest archive holds."""
        allowed = ceilings.most_unpacked(self.archive_bytes, self._limits.ratio)
        if out_bytes > min(allowed, self._limits.total_bytes):
            raise UnpackError(
                f"more than {size(min(allowed, self._limits.total_bytes))} come out of its "
                f"{size(self.archive_bytes)}; it is taken for a bomb"
            )

    def seen(self) -> str:
        """Returns a clause that names some of what the archive holds instead."""
        return f"; it holds {', '.join(map(safe, self._tops))}" if self._tops else ""

    def _reason_to_drop(self, path: str | None, member: _Member) -> str | None:
        if path is None:
            return _NAME
        if member.kind != "file":
            return member.kind
        if _is_apple(path):
            return _APPLE
        if not path.startswith(self._prefix):
            if len(self._tops) < 5:
                self._tops[path.partition("/")[0]] = None
            return _ELSEWHERE
        return None

    def _write(self, path: str, member: _Member) -> None:
        target = os.path.join(self._work, *path.split("/"))
        source = member.open()
        if source is None:
            raise UnpackError(f"{safe(path)} cannot be read")
        with source:
            try:
                os.makedirs(os.path.dirname(target), exist_ok=True)
                # Fails if it is there already; also where A and a are one name.
                with open(target, "xb") as file:
                    written = self._copy(source, file, path)
            except (FileExistsError, NotADirectoryError):
                self._refuse_other_twin(source, target, path)
                self.dropped[_TWICE] += 1
                return
        self.files += 1
        self.size_bytes += written

    def _copy(self, source: IO[bytes], file: IO[bytes], path: str) -> int:
        written = 0
        while chunk := source.read(_CHUNK_BYTES):
            written += len(chunk)
            if written > self._limits.member_bytes:
                raise UnpackError(f"{safe(path)} has more than {size(self._limits.member_bytes)}")
            self.refuse_bomb(self.size_bytes + written)
            file.write(chunk)
        return written

    def _refuse_other_twin(self, source: IO[bytes], target: str, path: str) -> None:
        if not os.path.isfile(target):
            raise UnpackError(f"{safe(path)} is in it as a file and as a folder")
        with open(target, "rb") as there:
            while chunk := source.read(_CHUNK_BYTES):
                if chunk != there.read(len(chunk)):
                    break
            else:
                if not there.read(1):
                    return
        raise UnpackError(f"{safe(path)} is in it twice, with different content")


class _Readable(Protocol):
    def read(self, count: int, /) -> bytes: ...


class _Counted:
    """A decompressed stream that is counted while it is read; remembers its last block."""

    def __init__(self, stream: _Readable, taker: _Taker) -> None:
        self._stream, self._taker = stream, taker
        self._count = self._ends = 0
        self.last_block = b""

    def read(self, count: int) -> bytes:
        chunk = self._stream.read(count)
        self._count += len(chunk)
        self._ends += not chunk
        if self._ends > _MAX_ENDS:
            raise EOFError
        self._taker.refuse_bomb(self._count)
        self.last_block = (self.last_block + chunk[-512:])[-512:]
        return chunk


class _Header(tarfile.TarInfo):
    """A tar header. Long names and the like are read whole, so they must not be huge."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        try:
            header = super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError:
            # No bytes, or zeros only, are an end; tarfile takes anything else for one, too.
            if buf.strip(b"\0") or 0 < len(buf) < tarfile.BLOCKSIZE:
                raise UnpackError("it is broken or no archive: a header is damaged") from None
            raise
        describes_another = header.type in (
            tarfile.XHDTYPE,
            tarfile.XGLTYPE,
            tarfile.SOLARIS_XHDTYPE,
            tarfile.GNUTYPE_LONGNAME,
            tarfile.GNUTYPE_LONGLINK,
        )
        if header.size < 0 or (describes_another and header.size > _MAX_HEADER_BYTES):
            raise UnpackError("it holds a header of impossible size")
        return header

    def _refuse_holes(self, *_: object) -> Self:
        raise UnpackError(f"{safe(self.name)} is a file with holes, which is not supported")

    # What tarfile calls to read their maps, which may be of any length.
    _proc_sparse = _proc_gnusparse_00 = _proc_gnusparse_01 = _proc_gnusparse_10 = _refuse_holes


def _tar_members(file: IO[bytes], magic: bytes, taker: _Taker) -> Iterator[_Member]:
    counted = _Counted(_decompressed(file, magic), taker)
    # "r|" never seeks. The list of members it keeps would grow with the archive.
    with tarfile.open(fileobj=counted, mode="r|", bufsize=_BLOCKS_BYTES, tarinfo=_Header) as tar:  # type: ignore[call-overload]
        while (member := tar.next()) is not None:
            tar.members.clear()
            if not member.isdir():
                yield _Member(member.name, _tar_kind(member), _opener(tar, member))
    # To the end, where a compressed stream has its check sum.
    while counted.read(_CHUNK_BYTES):
        pass
    if counted.last_block.strip(b"\0"):
        # A plain tar that breaks off between two members shows it by this alone.
        raise UnpackError("it breaks off before its end mark")


def _decompressed(file: IO[bytes], magic: bytes) -> _Readable:
    if magic.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=file)
    if magic.startswith(b"BZh"):
        return bz2.BZ2File(file)
    return lzma.LZMAFile(file) if magic == b"\xfd7zXZ\0" else file


def _opener(tar: tarfile.TarFile, member: tarfile.TarInfo) -> Callable[[], IO[bytes] | None]:
    return lambda: tar.extractfile(member)


def _tar_kind(member: tarfile.TarInfo) -> str:
    if member.issparse():
        raise UnpackError(f"{safe(member.name)} is a file with holes, which is not supported")
    if member.isreg():
        return "file"
    return _LINK if member.issym() or member.islnk() else _SPECIAL


def _zip_members(file: IO[bytes], _: bytes, __: _Taker) -> Iterator[_Member]:
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            if info.is_dir():
                continue
            if info.flag_bits & 1:
                raise UnpackError(f"{safe(info.filename)} is encrypted")
            # zipfile cuts names at a NUL; the uncut one is refused.
            yield _Member(info.orig_filename, _zip_kind(info), _zip_opener(archive, info))


def _zip_opener(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    return lambda: archive.open(info)


def _zip_kind(info: zipfile.ZipInfo) -> str:
    mode = stat.S_IFMT(info.external_attr >> 16)
    if mode in (0, stat.S_IFREG):
        return "file"
    return _LINK if mode == stat.S_IFLNK else _SPECIAL


def _refuse_conflicts(new: str, old: str, *, replace: bool) -> None:
    """Refuses what cannot move from `new` into `old` without destroying something."""
    if not os.path.lexists(old):
        return
    if not os.path.isdir(old) or os.path.islink(old):
        raise UnpackError(f"{old} is there and is no folder")
    for entry in list(os.scandir(new)):
        there = os.path.join(old, entry.name)
        if entry.is_dir():
            _refuse_conflicts(entry.path, there, replace=replace)
        elif os.path.lexists(there) and not _may_replace(entry.path, there, replace=replace):
            raise UnpackError(f"{there} is there with other content; move it away first")


def _may_replace(new: str, old: str, *, replace: bool) -> bool:
    if os.path.islink(old) or not os.path.isfile(old):
        return False
    return replace or filecmp.cmp(new, old, shallow=False)


def _merge(new: str, old: str) -> None:
    """Moves all of `new` into `old`: in one rename where nothing is there yet."""
    if not os.path.lexists(old):
        os.makedirs(os.path.dirname(old), exist_ok=True)
        os.rename(new, old)
        return
    for entry in list(os.scandir(new)):
        there = os.path.join(old, entry.name)
        if entry.is_dir():
            _merge(entry.path, there)
        else:
            os.replace(entry.path, there)


def _name(archive: str) -> str:
    return os.path.basename(archive)


def _is_of_disk(error: OSError) -> bool:
    # Readers of archives raise it without a number, and seek to places that cannot be.
    return error.errno not in (None, errno.EINVAL)


def _what(error: BaseException) -> str:
    if isinstance(error, EOFError):
        return "it breaks off"
    if isinstance(error, OSError):
        return reason_of(error)
    return safe(str(error)).partition("\n")[0] or type(error).__name__
