"""`screenset fetch`: brings the sources of a manifest, checks them, remembers what came."""

import contextlib
import dataclasses
import difflib
import hashlib
import os
import urllib.parse
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TextIO

from pipelines.errors import UserError
from pipelines.fetching.display import TransferDisplay
from pipelines.fetching.downloading import (
    DigestError,
    Downloader,
    DownloadError,
    Expected,
    Receipt,
    check_file,
)
from pipelines.fetching.mirrors import Mirror, file_name, is_web, mirror_segments
from pipelines.fetching.receipts import Fetched, Receipts
from pipelines.fetching.standing import Job, State, count, look, verify
from pipelines.fetching.unpacking import BrokenArchiveError, UnpackError, unpacked
from pipelines.terminal import safe, size, table
from schemas.manifest import Manifest, Source
from transforms.limiting import RateLimiter

ARCHIVES = "archives"
"""Folder of archives below the data folder, laid out so that it can serve as a mirror."""

STORE_CALLS = ".itunes-calls"
"""File in the data folder by which all processes share the limit of the store's calls."""

_BY_HAND = "put there by hand; move it away to fetch it"

_ROOM = 24
"""Longest folder of an address that a table shows whole, in characters."""

_FAILURES = (DownloadError, UnpackError, UserError, OSError)
"""What ends one download and not the others."""


@dataclasses.dataclass(frozen=True, slots=True)
class FetchOptions:
    """How to fetch.

    Attributes:
        mirror: Folder or address where copies are looked for first.
        stand_ins: By name of a source, a file or a folder that stands for its downloads.
        accept_changed: Names of sources that are asked for again where they are there, and may
            differ from what was recorded.
        verify: Whether to read again what is there, instead of only looking at its size.
        keep_archives: Whether archives stay after they were unpacked.
        refresh: Whether to ask an app store again what it has answered before.
        list_only: Whether to only say what would be fetched.
    """

    mirror: str | None = None
    stand_ins: Mapping[str, str] = dataclasses.field(default_factory=dict)
    accept_changed: frozenset[str] = frozenset()
    verify: bool = False
    keep_archives: bool = False
    refresh: bool = False
    list_only: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one download.

    `origin` is its URL without secrets, or the local file that stands for it; `into` is what
    its paths begin with, relative to the data folder; `detail` is a sentence or "".
    """

    source: str
    origin: str
    licence: str
    into: str
    state: State
    size_bytes: int | None = None
    detail: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class FetchReport:
    """What became of all that was asked for."""

    outcomes: tuple[Outcome, ...]
    list_only: bool = False

    @property
    def failures(self) -> tuple[str, ...]:
        """A sentence for each download that failed, safe to be shown."""
        return tuple(
            _shown(f"{outcome.source}: {outcome.detail}")
            for outcome in self.outcomes
            if outcome.state is State.FAILED
        )

    @property
    def exit_code(self) -> int:
        """1 if anything failed, else 0."""
        return 1 if self.failures else 0


def fetch(
    manifest: Manifest,
    names: Sequence[str],
    data: str,
    options: FetchOptions = FetchOptions(),
    *,
    connect: Callable[..., Downloader] = Downloader,
    stream: TextIO | None = None,
) -> FetchReport:
    """Fetches sources into a data folder; a failure of one does not keep the others.

    Args:
        manifest: What there is to fetch.
        names: Names of sources; empty for all that can be fetched.
        data: The folder that the manifest's paths are relative to; made if need be.
        options: How to fetch.
        connect: Makes a downloader from `mirror` and `progress`.
        stream: Where progress is shown; standard error by default.

    Raises:
        UserError: If there is no such source or mirror, if what is to be accepted is not to be
            fetched, or if `fetched.json` is damaged.
    """
    sources = _chosen(manifest, names, options)
    display = TransferDisplay(stream)
    fetcher = _Fetcher(data, options, connect, display, sources)
    if options.list_only:
        return FetchReport(tuple(o for source in sources for o in fetcher.survey(source)), True)
    try:
        os.makedirs(data, exist_ok=True)
    except OSError as error:
        raise UserError(f"--data: cannot make {data}: {error.strerror}") from None
    with display:
        return FetchReport(tuple(o for source in sources for o in fetcher.fetch(source)))


def parse_stand_ins(items: Sequence[str]) -> dict[str, str]:
    """Returns what stands for sources, by name, from `NAME=PATH` for each.

    Raises:
        UserError: If one is not of that form, or its path is not there.
    """
    stand_ins = {}
    for item in items:
        name, _, path = item.partition("=")
        if not name or not path:
            raise UserError(f"--from: {item!r} is not of the form NAME=PATH")
        if not os.path.exists(path):
            raise UserError(f"--from: there is no {path}")
        stand_ins[name] = path
    return stand_ins


def report_text(report: FetchReport) -> str:
    """Returns a report as a table: what became of it, or what would be fetched."""
    if not report.outcomes:
        return "The manifest names nothing to fetch."
    rows = [
        [
            outcome.source,
            outcome.state,
            None if outcome.size_bytes is None else size(outcome.size_bytes),
            *([_shown(outcome.into)] if report.list_only else []),
            _shown(_short(outcome.origin)),
            _shown(outcome.licence if report.list_only else _remark(outcome)),
        ]
        for outcome in report.outcomes
    ]
    last = ["into", "from", "licence"] if report.list_only else ["from", "what came"]
    return table(["source", "state", "size", *last], rows, "<<>")


def _shown(text: str) -> str:
    """Returns text that may come from a server as one line that a terminal does not obey."""
    return " ".join(safe(text).split())


def _short(url: str) -> str:
    """Returns an address with only its ends, as a table has room for."""
    parts = urllib.parse.urlsplit(url)
    folder, _, name = parts.path.rpartition("/")
    if not parts.netloc or len(folder) <= _ROOM:
        return url
    return f"{parts.netloc}/…/{folder.rpartition('/')[2]}/{name}"


class _Fetcher:
    """Fetches the downloads of one source after the other."""

    def __init__(
        self,
        data: str,
        options: FetchOptions,
        connect: Callable[..., Downloader],
        display: TransferDisplay,
        sources: Sequence[Source],
    ) -> None:
        self._data = data
        self._options = options
        self._display = display
        self._receipts = Receipts(data)
        self._receipts.all()  # A damaged file is said before anything is fetched.
        # An archive that several sources are in is downloaded once, and removed after the last.
        self._uses = Counter(d.url for source in sources for d in source.downloads)
        self._spent: dict[str, str] = {}
        self._downloader = connect(mirror=options.mirror, progress=display)
        self._stand_ins = {
            name: connect(mirror=path, progress=display)
            for name, path in options.stand_ins.items()
            if os.path.isdir(path)
        }

    def survey(self, source: Source) -> Iterator[Outcome]:
        """Yields what would be done for a source, doing nothing."""
        for job in self._jobs(source):
            yield self._try(self._look, job)
        if source.itunes:
            yield _store_outcome(source, State.WANTED)

    def fetch(self, source: Source) -> Iterator[Outcome]:
        """Does for a source what is to be done, and yields what became of it."""
        for job in self._jobs(source):
            self._display.begin(source.name)
            outcome = self._try(self._bring, job)
            if outcome.state is State.FAILED:
                self._say_failed(job.source)
            yield outcome
            self._uses[job.download.url] -= 1
            if not self._uses[job.download.url]:
                self._remove_spent(job)
        if source.itunes:
            self._display.begin(source.name)
            yield self._fetch_store(source)

    def _jobs(self, source: Source) -> Iterator[Job]:
        return (Job(source, download, self._data) for download in source.downloads)

    def _try(self, work: Callable[[Job], Outcome], job: Job) -> Outcome:
        try:
            return work(job)
        except _FAILURES as error:
            return self._outcome(job, State.FAILED, detail=_sentence(error))

    def _look(self, job: Job) -> Outcome:
        record = job.record(self._receipts)
        size_bytes = record.size_bytes if record else job.download.size_bytes
        state = look(job, self._receipts)
        if state is State.THERE and self._asks_again(job):
            state = State.WANTED
        return self._outcome(job, state, size_bytes)

    def _bring(self, job: Job) -> Outcome:
        state = look(job, self._receipts)
        if state is State.TAKEN:
            return self._take(job)
        before = job.record(self._receipts) if state is State.THERE else None
        if before:
            asks_again = self._asks_again(job)
            # A file that somebody altered must not be replaced unseen.
            if self._options.verify or (asks_again and not job.is_archive):
                verify(job, before, self._receipts)
            if not asks_again:
                return self._outcome(job, state, before.size_bytes, self._of_what_is_there(job))
        bring = self._unpack if job.is_archive else self._store
        with self._comparing(job) as expected:
            return bring(job, expected, before)

    def _is_accepted(self, job: Job) -> bool:
        return job.source.name in self._options.accept_changed

    def _asks_again(self, job: Job) -> bool:
        # What has the digest that the manifest names cannot have become anything else.
        return self._is_accepted(job) and not job.sha256

    def _of_what_is_there(self, job: Job) -> str:
        if self._is_accepted(job):
            return "not asked for again: the manifest names its sha256"
        return "verified" if self._options.verify else ""

    def _take(self, job: Job) -> Outcome:
        """Leaves what somebody put there; a file is checked and recorded."""
        if job.is_archive:
            return self._outcome(job, State.TAKEN, detail=_BY_HAND)
        try:
            receipt = check_file(job.target, job.download.url, job.expected())
        except DigestError as error:
            raise DownloadError(
                f"{job.target} is there and is not the file that the manifest names: {error.found},"
                f" not {error.wanted}; move it away to fetch it"
            ) from None
        self._receipts.add(_fetched(job, receipt))
        return self._outcome(job, State.TAKEN, receipt.size_bytes, _BY_HAND)

    def _store(self, job: Job, expected: Expected, before: Fetched | None) -> Outcome:
        place = self._place(job)
        self._say(job, place)
        if is_web(place):
            receipt = self._downloader.fetch(job.download.url, job.target, expected)
        else:
            receipt = self._downloader.copy(job.download.url, place, job.target, expected)
        self._receipts.add(_fetched(job, receipt))
        state = State.UNCHANGED if _is_same(receipt, before) else State.FETCHED
        return self._outcome(job, state, receipt.size_bytes)

    def _unpack(self, job: Job, expected: Expected, before: Fetched | None) -> Outcome:
        archive, receipt, is_ours = self._archive(job, expected)
        if _is_same(receipt, before):
            if is_ours:
                self._spent[job.download.url] = archive
            return self._outcome(job, State.UNCHANGED, receipt.size_bytes)
        recorded = job.record(self._receipts) is not None
        self._display.begin(f"unpacking {job.source.name}")
        try:
            with unpacked(
                archive,
                job.target,
                members=job.download.members,
                replace=self._is_accepted(job) or recorded,
                progress=lambda done, total: self._display.moved(job.url, done, total),
            ) as taken:
                record = dataclasses.replace(
                    _fetched(job, receipt),
                    files=taken.files,
                    files_bytes=taken.size_bytes,
                    dropped=dict(taken.dropped),
                )
                self._receipts.add(record)
        except BrokenArchiveError:
            if is_ours:
                self._remove(archive)
            raise
        if is_ours:
            self._spent[job.download.url] = archive
        dropped = "".join(
            f", {count:,} {reason} left out" for reason, count in taken.dropped.items()
        )
        detail = f"{taken.files:,} files, {size(taken.size_bytes)}{dropped}"
        others = count(job, self._receipts)[0] - taken.files if before else 0
        if others > 0:
            detail += f"; {others:,} files that were there before are not in it and stay"
        return self._outcome(job, State.FETCHED, receipt.size_bytes, detail)

    def _archive(self, job: Job, expected: Expected) -> tuple[str, Receipt, bool]:
        """Returns a checked archive, its receipt, and whether it may be removed.

        An archive that lies here or in a folder mirror is read where it is, not copied. What
        an earlier run kept does not tell whether upstream has changed.
        """
        url, place = job.download.url, self._place(job)
        if not is_web(place):
            self._say(job, place)
            return place, check_file(place, url, expected), False
        path = self._archive_path(job)
        if os.path.isfile(path) and (url in self._spent or not self._asks_again(job)):
            with contextlib.suppress(DownloadError):
                return path, check_file(path, url, expected), True
        self._say(job, place)
        return path, self._downloader.fetch(url, path, expected), True

    def _archive_path(self, job: Job) -> str:
        segments = mirror_segments(job.download.url)
        if segments is None:
            raise DownloadError(f"{job.url} is no address of a file")
        # What a query or parameters say may be secret.
        secret = urllib.parse.urlsplit(job.download.url).query
        for position, segment in enumerate(segments):
            name, mark, parameters = segment.partition(";")
            segments[position] = name + mark
            secret += mark + parameters
        if secret:
            segments[-1] += f".{hashlib.sha256(secret.encode()).hexdigest()[:8]}"
        return os.path.join(self._data, ARCHIVES, *segments)

    def _remove_spent(self, job: Job) -> None:
        archive = self._spent.pop(job.download.url, None)
        if archive and not self._options.keep_archives:
            self._remove(archive)

    def _remove(self, archive: str) -> None:
        with contextlib.suppress(OSError):
            os.unlink(archive)
            folder = os.path.dirname(archive)
            top = os.path.dirname(os.path.join(self._data, ARCHIVES))
            while folder != top and not os.listdir(folder):
                os.rmdir(folder)
                folder = os.path.dirname(folder)

    def _place(self, job: Job) -> str:
        """Returns the local file, or the URL, that a download is taken from."""
        return self._stand_in(job) or self._downloader.locate(job.download.url)

    def _called(self, job: Job) -> str:
        """Returns what sentences and tables call that place: a URL is without secrets."""
        try:
            place = self._place(job)
        except DownloadError:
            return job.url
        return job.url if is_web(place) else place

    def _outcome(
        self, job: Job, state: State, size_bytes: int | None = None, detail: str = ""
    ) -> Outcome:
        origin = job.url if state in (State.THERE, State.TAKEN) else self._called(job)
        source = job.source
        return Outcome(source.name, origin, source.licence, job.scope, state, size_bytes, detail)

    def _stand_in(self, job: Job) -> str | None:
        """Returns the local file that the user named for a download, or None."""
        name, url = job.source.name, job.download.url
        path = self._options.stand_ins.get(name)
        if path is None:
            return None
        if os.path.isdir(path):
            found = Mirror(path).find(url)
            if found is None:
                raise DownloadError(
                    f"--from: {path} holds no {file_name(url)}, which would stand for {job.url}"
                )
            return found
        is_one = len(job.source.downloads) == 1
        segments = mirror_segments(url) or [""]
        return path if is_one or os.path.basename(path) == segments[-1] else None

    @contextlib.contextmanager
    def _comparing(self, job: Job) -> Iterator[Expected]:
        """Yields what is expected, and says which digest changed where it did."""
        before = None
        if not self._is_accepted(job):
            before = self._receipts.before(job.url, job.into, job.download.members)
        try:
            yield job.expected(before)
        except DigestError as error:
            if before is None or job.sha256 is not None:
                raise
            raise DownloadError(
                f"{self._called(job)} is another file than before: {error.found}, it was "
                f"{error.wanted}; --accept-changed {job.source.name} takes the new one"
            ) from None

    def _fetch_store(self, source: Source) -> Outcome:
        from pipelines.fetching.store import fetch_store

        told = _store_outcome(source, State.FETCHED)
        folder = os.path.join(self._data, *(source.path or source.name).split("/"))
        downloader = self._stand_ins.get(source.name, self._downloader)
        assert source.itunes is not None
        # The store counts calls by address: one limit for all sources, and for all runs.
        calls = RateLimiter(os.path.join(self._data, STORE_CALLS), source.itunes.calls_per_minute)
        try:
            report = fetch_store(
                source,
                folder,
                downloader,
                limiter=calls,
                refresh=self._options.refresh,
                say=self._display.note,
            )
        except _FAILURES as error:
            self._say_failed(source)
            return dataclasses.replace(told, state=State.FAILED, detail=_sentence(error))
        return dataclasses.replace(told, detail=str(report))

    def _say(self, job: Job, place: str) -> None:
        stated = job.download.size_bytes
        amount = f" ({size(stated)})" if stated else ""
        act = f"fetching {job.url}" if is_web(place) else f"taking {place}"
        self._display.note(f"{job.source.name}: {act}{amount}")

    def _say_failed(self, source: Source) -> None:
        # The report has the sentence; who waits for more downloads need not read it twice.
        self._display.note(f"{source.name}: failed; why is said at the end")


def _chosen(manifest: Manifest, names: Sequence[str], options: FetchOptions) -> list[Source]:
    for name in (*names, *options.stand_ins, *sorted(options.accept_changed)):
        if name not in manifest.sources:
            close = difflib.get_close_matches(name, list(manifest.sources), n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise UserError(f"the manifest has no source {name}{hint}")
    for name in names:
        source = manifest.sources[name]
        if not source.downloads and not source.itunes:
            where = f"; see {source.url}" if source.url else ""
            raise UserError(f"the manifest does not say how to fetch {name}{where}")
    for name in sorted(options.accept_changed):
        if names and name not in names:
            raise UserError(f"--accept-changed: {name} is not among the sources to be fetched")
        if not manifest.sources[name].downloads:
            raise UserError(f"--accept-changed: {name} is asked for again by --refresh, if at all")
    every = [s for s in manifest.sources.values() if s.downloads or s.itunes]
    return [source for source in every if not names or source.name in names]


def _store_outcome(source: Source, state: State) -> Outcome:
    return Outcome(source.name, "App Store", source.licence, source.path or source.name, state)


def _fetched(job: Job, receipt: Receipt) -> Fetched:
    return Fetched(
        source=job.source.name,
        url=job.url,
        into=job.into,
        members=job.download.members,
        sha256=receipt.sha256,
        size_bytes=receipt.size_bytes,
    )


def _is_same(receipt: Receipt, before: Fetched | None) -> bool:
    return before is not None and before.sha256 == receipt.sha256


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'the data folder'}: {error.strerror}"
    return str(error)


def _remark(outcome: Outcome) -> str:
    return "" if outcome.state is State.FAILED else outcome.detail
