"""What is in the data folder of a download already: nothing, the fetched, or somebody's own."""

import dataclasses
import enum
import os

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
    TAKEN = "taken as it is"
    """A file that was there without a record: now it has one."""
    LEFT = "left as it is"
    """What an archive would bring is there without a record, and stays without one."""
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
        raise _altered(job, f"{found:,} bytes", f"{record.size_bytes:,}")
    return State.THERE


def verify(job: Job, record: Fetched) -> None:
    """Checks what is there against its record: a file by digest, a folder by its counts.

    Raises:
        DownloadError: If it is not what was fetched.
    """
    if job.is_archive:
        files, files_bytes = _count(job.target)
        # Other archives and people may have put more into the folder.
        if files < (record.files or 0) or files_bytes < (record.files_bytes or 0):
            raise _altered(
                job,
                f"{files:,} files of {files_bytes:,} bytes",
                f"{record.files or 0:,} of {record.files_bytes or 0:,}",
            )
        return
    try:
        check_file(job.target, job.download.url, Expected(record.sha256, record.size_bytes))
    except DigestError as error:
        raise _altered(job, error.found, error.wanted) from None


def _look_at_folder(
    job: Job, record: Fetched | None, receipts: Receipts, *, outdated: bool
) -> State:
    if is_unfinished(job.target) or outdated:
        return State.WANTED
    if record is not None:
        return State.THERE if _holds_something(job.target) else State.WANTED
    # With one record there, the rest of a source's archives is to be had as well.
    any_record = any(other.source == job.source.name for other in receipts.all())
    return State.WANTED if any_record or not _source_is_there(job) else State.LEFT


def _source_is_there(job: Job) -> bool:
    source = job.source
    paths = [source.path] if source.path else list(source.files.values())
    return bool(paths) and all(_holds_something(os.path.join(job.data, path)) for path in paths)


def _holds_something(path: str) -> bool:
    if not os.path.isdir(path):
        return os.path.isfile(path)
    with os.scandir(path) as entries:
        return any(not entry.name.startswith(".") for entry in entries)


def _count(folder: str) -> tuple[int, int]:
    files = files_bytes = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            files += 1
            files_bytes += os.lstat(os.path.join(parent, name)).st_size
    return files, files_bytes


def _altered(job: Job, found: str, wanted: str) -> DownloadError:
    return DownloadError(
        f"{job.target} was altered since it was fetched: {found}, it was {wanted}; move it away "
        "to fetch it anew"
    )
