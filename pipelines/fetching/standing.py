"""What is in the data folder of a download already: nothing, the fetched, or somebody's own."""

import dataclasses
import enum
import os
from collections.abc import Iterator

from pipelines.errors import UserError
from pipelines.fetching.downloading import Content, DigestError, DownloadError, Expected, check_file
from pipelines.fetching.receipts import Fetched, Receipts
from pipelines.fetching.requesting import clean_url
from pipelines.fetching.unpacking import is_unfinished
from schemas.manifest import Download, Source

_CONTENTS = {
    ".json": Content.JSON,
    ".csv": Content.TEXT,
    ".tsv": Content.TEXT,
    ".txt": Content.TEXT,
    ".jsonl": Content.TEXT,
    ".png": Content.IMAGE,
    ".jpg": Content.IMAGE,
    ".jpeg": Content.IMAGE,
    ".zip": Content.ARCHIVE,
    ".tar": Content.ARCHIVE,
    ".gz": Content.ARCHIVE,
    ".tgz": Content.ARCHIVE,
}


class State(enum.StrEnum):
    """How it stands with a download, before or after."""

    WANTED = "to fetch"
    FETCHED = "fetched"
    THERE = "there already"
    UNCHANGED = "unchanged"
    """Fetched before and asked for again: it is still the same."""
    TAKEN = "taken as it is"
    """What somebody put there by hand. A file gets a record now; a folder has none to get."""
    FAILED = "failed"


@dataclasses.dataclass(frozen=True, slots=True)
class Job:
    """One download of a source, and the data folder that it goes into.

    Raises:
        UserError: If its place is not inside that folder.
    """

    source: Source
    download: Download
    data: str

    def __post_init__(self) -> None:
        segments = self.into.split("/")
        if os.path.isabs(self.into) or {"", ".", ".."} & set(segments):
            raise UserError(f"source {self.source.name}: {self.into!r} is no place below --data")

    @property
    def is_archive(self) -> bool:
        """Whether it is to be unpacked."""
        return self.download.unpack is not None

    @property
    def into(self) -> str:
        """The file or the folder that it becomes, relative to the data folder."""
        return (self.download.unpack or self.download.to or "").rstrip("/")

    @property
    def target(self) -> str:
        """The path of that."""
        return os.path.join(self.data, *self.into.split("/"))

    @property
    def scope(self) -> str:
        """What the paths of its files begin with, relative to the data folder."""
        return f"{self.into}/{self.download.members}" if self.is_archive else self.into

    @property
    def url(self) -> str:
        """Where it comes from, without secrets."""
        return clean_url(self.download.url)

    @property
    def sha256(self) -> str | None:
        """The digest that the manifest asks for, in lower case."""
        return self.download.sha256.lower() if self.download.sha256 else None

    def expected(self, before: Fetched | None = None) -> Expected:
        """Returns what the file must be: as the manifest says, else as it was before."""
        suffix = os.path.splitext(self.into)[1].lower()
        content = Content.ARCHIVE if self.is_archive else _CONTENTS.get(suffix, Content.ANY)
        sha256, size_bytes = self.sha256, self.download.size_bytes
        if before and sha256 is None:
            sha256, size_bytes = before.sha256, size_bytes or before.size_bytes
        return Expected(sha256, size_bytes, content)

    def record(self, receipts: Receipts) -> Fetched | None:
        """Returns what is recorded of it, or None."""
        return receipts.find(self.url, self.into, self.download.members)


def look(job: Job, receipts: Receipts) -> State:
    """Returns how it stands with a download, by names and sizes only.

    Raises:
        DownloadError: If what is there is not what was fetched.
    """
    record = job.record(receipts)
    outdated = record is not None and job.sha256 not in (None, record.sha256)
    if job.is_archive:
        return _look_at_folder(job, record, receipts, outdated=outdated)
    if not os.path.lexists(job.target) or outdated:
        return State.WANTED
    if not os.path.isfile(job.target):
        raise DownloadError(f"{job.target} is there and is no ordinary file")
    if record is None:
        return State.TAKEN
    found = os.path.getsize(job.target)
    if found != record.size_bytes:
        raise _altered(job.target, f"{found:,} bytes", f"{record.size_bytes:,}")
    return State.THERE


def verify(job: Job, record: Fetched, receipts: Receipts) -> None:
    """Checks what is there against its record: a file by digest, a folder by its counts.

    Raises:
        DownloadError: If it is not what was fetched.
    """
    if job.is_archive:
        files, files_bytes = count(job, receipts)
        # People may have put more into the folder.
        if files < (record.files or 0) or files_bytes < (record.files_bytes or 0):
            raise _altered(
                _own_place(job),
                f"{files:,} files of {files_bytes:,} bytes",
                f"{record.files or 0:,} of {record.files_bytes or 0:,}",
            )
        return
    try:
        check_file(job.target, job.download.url, Expected(record.sha256, record.size_bytes))
    except DigestError as error:
        raise _altered(job.target, error.found, error.wanted) from None


def count(job: Job, receipts: Receipts) -> tuple[int, int]:
    """Returns how many files lie where an archive puts its own, and their bytes together."""
    files = files_bytes = 0
    for path in _own_files(job, receipts):
        files += 1
        files_bytes += os.lstat(path).st_size
    return files, files_bytes


def _look_at_folder(
    job: Job, record: Fetched | None, receipts: Receipts, *, outdated: bool
) -> State:
    if is_unfinished(job.target) or outdated:
        return State.WANTED
    if record is not None:
        return State.THERE if _is_there(job, record, receipts) else State.WANTED
    # With one record there, the rest of a source's archives is to be had as well.
    any_record = any(other.source == job.source.name for other in receipts.all())
    return State.WANTED if any_record or not _source_is_there(job) else State.TAKEN


def _source_is_there(job: Job) -> bool:
    paths = _places(job.source)
    return bool(paths) and all(_holds_something(os.path.join(job.data, path)) for path in paths)


def _is_there(job: Job, record: Fetched, receipts: Receipts) -> bool:
    """Returns whether what an archive brought is still there, by names only."""
    if all(os.path.basename(path).startswith(".") for path in _own_files(job, receipts)):
        return False
    places = [path for path in _places(job.source) if path.startswith(job.scope)]
    if all(_holds_something(os.path.join(job.data, path)) for path in places):
        return True
    # Where nothing is lacking, it never brought what the manifest looks for.
    beside = [other for other in _others(job, receipts) if other.scope == job.scope]
    return count(job, receipts)[0] >= sum(one.files or 0 for one in (record, *beside))


def _places(source: Source) -> list[str]:
    return [source.path] if source.path else list(source.files.values())


def _own_files(job: Job, receipts: Receipts) -> Iterator[str]:
    """Yields the files below an archive's folder that may be its own.

    They are named as it names its members, and no other source has put them there.
    """
    others = _others(job, receipts)
    files = {other.scope for other in others if other.files is None}
    scopes = {other.scope for other in others if other.files is not None}
    # One that is as wide as this one, or wider, cannot be told from it.
    narrower = tuple(scope for scope in scopes - {job.scope} if scope.startswith(job.scope))
    top = os.path.join(job.data, os.path.dirname(job.scope))
    for parent, _, names in os.walk(top):
        folder = os.path.relpath(parent, job.data).replace(os.sep, "/")
        for name in names:
            path = f"{folder}/{name}"
            own = path.startswith(job.scope) and not path.startswith(narrower)
            if own and path not in files:
                yield os.path.join(parent, name)


def _others(job: Job, receipts: Receipts) -> list[Fetched]:
    """Returns what other sources have brought from elsewhere."""
    name, url = job.source.name, job.url
    return [other for other in receipts.all() if other.source != name and other.url != url]


def _own_place(job: Job) -> str:
    """Returns the path of what an archive brought, to be moved away: no more than that."""
    members, path = job.download.members, job.source.path
    if members:
        return f"{job.target}/{members.removesuffix('/')}{'' if members.endswith('/') else '*'}"
    return os.path.join(job.data, path) if path and path.startswith(job.scope) else job.target


def _holds_something(path: str) -> bool:
    if not os.path.isdir(path):
        return os.path.isfile(path)
    with os.scandir(path) as entries:
        return any(not entry.name.startswith(".") for entry in entries)


def _altered(place: str, found: str, wanted: str) -> DownloadError:
    return DownloadError(
        f"{place} was altered since it was fetched: {found}, it was {wanted}; move it away "
        "to fetch it anew"
    )
