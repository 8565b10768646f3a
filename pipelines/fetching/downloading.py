"""Downloads that arrive whole, checked and under their right name, or not at all."""

import contextlib
import dataclasses
import errno
import hashlib
import itertools
import os
import shutil
import time
import urllib.parse
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Protocol, TypeVar

from pipelines.fetching import ceilings
from pipelines.fetching.contents import HEAD_BYTES, head_fault, tail_fault
from pipelines.fetching.contents import Content as Content
from pipelines.fetching.headers import parse_count, parse_mark, parse_range, retry_after
from pipelines.fetching.local_files import open_plain, reason_of
from pipelines.fetching.mirrors import Mirror, is_web
from pipelines.fetching.partial_files import PartFile, Version, open_part, version_of
from pipelines.fetching.requesting import Allowed, Answer, Requester, TroubleError, clean_url, says
from pipelines.fetching.requesting import DownloadError as DownloadError
from pipelines.terminal import duration, safe, size

T = TypeVar("T")

_CHUNK_BYTES = 1 << 20
_ADVANCE_BYTES = 256 * 1024
"""A try that brought so much more than any before it makes the count of tries begin anew."""
_MAX_WAIT_S = 600.0
_MAX_BACKOFF_S = 60.0
_FORBIDDEN_TRIES, _FORBIDDEN_WAIT_S = 2, 60.0
"""403 is what some servers say when asked too often, and most say for good."""
_BUSY = (408, 425, 429)
_BUSY_WAIT_S = 5.0
_ROOM_EVERY_BYTES = 16 << 20


class DigestError(DownloadError):
    """A whole file came, and it is not the expected one. `found` and `wanted` tell them apart.

    They are digests, or sizes where these differ already.
    """

    def __init__(self, sentence: str, found: str, wanted: str) -> None:
        super().__init__(sentence)
        self.found, self.wanted = found, wanted


@dataclasses.dataclass(frozen=True, slots=True)
class Expected:
    """What is known of a file before it is there; `sha256` is in hex."""

    sha256: str | None = None
    size_bytes: int | None = None
    content: Content = Content.ANY


@dataclasses.dataclass(frozen=True, slots=True)
class Receipt:
    """What came: its URL without secrets, its digest in hex, its size."""

    url: str
    sha256: str
    size_bytes: int


@dataclasses.dataclass(frozen=True, slots=True)
class Response:
    """A small answer: status, whole body, headers with lower-case names."""

    status: int
    body: bytes
    headers: Mapping[str, str]


class Watcher(Protocol):
    """Somebody who wants to see how downloads go on; called from the downloading threads."""

    def moved(self, url: str, done_bytes: int, total_bytes: int | None) -> None:
        """So much of `url` (without secrets) is there; the total may be unknown."""

    def note(self, sentence: str) -> None:
        """Something is to be known that ends nothing, such as a wait."""


class Downloader:
    """Downloads over a net that breaks, from servers that err. It may be used by threads.

    Args:
        mirror: A folder, or an address, where copies of the web's files are looked for
            first. What comes from it is checked like everything else.
        tries: How often in a row a download may fail without getting any further.
        timeout: Seconds of silence, or of less than 1 kB/s, after which a connection is
            given up and made anew.
        sleep: Waits for a number of seconds.
        clock: Returns seconds, as `time.monotonic` does.
        progress: Who is told how it goes on.

    Raises:
        UserError: If there is no such mirror.
    """

    def __init__(
        self,
        *,
        mirror: str | None = None,
        tries: int = 6,
        timeout: float = 30,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        progress: Watcher | None = None,
    ) -> None:
        self._mirror = Mirror(mirror) if mirror else None
        self._requester = Requester(timeout=timeout, clock=clock)
        self._tries = tries
        self._sleep = sleep
        self._watcher = progress

    def locate(self, url: str) -> str:
        """Returns the path or the URL where the mirror has `url`, else `url` itself."""
        return (self._mirror.find(url) if self._mirror else None) or url

    def fetch(
        self,
        url: str,
        path: str,
        expected: Expected = Expected(),
        *,
        allowed: Allowed | None = None,
    ) -> Receipt:
        """Downloads a file to `path`, going on with what an earlier attempt left.

        Until the file is whole and checked it lies at `<path>.part`; then it gets its name,
        replacing what has it. Copies of a folder mirror are copies, not links: a file
        that is edited in the mirror must not change what was checked here.

        `allowed` judges `url` and all addresses that servers redirect to; a mirror's own one
        is the user's choice.

        Raises:
            DownloadError: If it cannot be had, or is not what was expected.
        """
        place = self.locate(url)
        with self._speaking_of(path):
            if os.path.isdir(path):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
            if allowed and not allowed(url):
                raise DownloadError(f"{clean_url(url)} is not to be downloaded from")
            if not is_web(place):
                return self._copy(url, place, path, expected)
            try:
                return self._download(url, place, path, expected, allowed)
            except DownloadError as error:
                if place == url or error.status not in (404, 410):
                    raise
            self._note(f"the mirror has no {clean_url(url)}; asking for it where it comes from")
            return self._download(url, url, path, expected, allowed)

    def copy(self, url: str, place: str, path: str, expected: Expected = Expected()) -> Receipt:
        """Copies a local file that stands for `url`, checked as if it had been downloaded.

        Raises:
            DownloadError: If it cannot be had, or is not what was expected. The message calls
                it by `place`.
        """
        with self._speaking_of(path):
            return self._copy(url, place, path, expected)

    def get(self, url: str, *, max_bytes: int) -> Response:
        """Returns a small answer, whatever its status; only broken connections are retried.

        Raises:
            DownloadError: If no answer comes, or more than `max_bytes`.
        """
        place = self.locate(url)
        if not is_web(place):
            with self._speaking_of(place), open_plain(place) as file:
                return Response(200, _whole([file.read(max_bytes + 1)], max_bytes, url), {})
        response = self._persist(place, lambda: self._get_once(place, max_bytes), lambda: 0)
        if response.status in (404, 410) and place != url:
            return self._persist(url, lambda: self._get_once(url, max_bytes), lambda: 0)
        return response

    def _get_once(self, url: str, max_bytes: int) -> Response:
        with self._requester.open(url, {}) as answer:
            chunks = answer.chunks
            if _coding(answer, url):
                chunks = _inflated(chunks, url)
            return Response(answer.status, _whole(chunks, max_bytes, url), answer.headers)

    def _download(
        self, url: str, place: str, path: str, expected: Expected, allowed: Allowed | None
    ) -> Receipt:
        with open_part(path, version_of(place, {}, None).origin) as part:

            def receive() -> None:
                self._receive(place, part, expected, allowed)

            self._persist(place, receive, lambda: part.reached)
            # Servers exist that change a file and keep what should tell of it.
            if part.resumed:
                with contextlib.suppress(DownloadError):
                    return _settle(part, url, expected)
                self._note(f"{clean_url(url)}: what was put together is wrong; beginning anew")
                self._persist(place, receive, lambda: part.reached)
            return _settle(part, url, expected)

    def _receive(
        self, url: str, part: PartFile, expected: Expected, allowed: Allowed | None
    ) -> None:
        """Makes one attempt at what is lacking of a file."""
        if part.is_whole:
            return
        asked = part.resume_headers()
        with self._requester.open(url, asked, allowed) as answer:
            if asked and answer.status in (206, 416):
                chunks = self._continue(answer, part, url)
            else:
                chunks = self._begin(answer, part, expected, url)
            checked = 0
            for chunk in chunks:
                if part.version.total_bytes is None and part.size >= checked:
                    checked = part.size + _ROOM_EVERY_BYTES
                    _refuse_endless(part, clean_url(url))
                part.append(chunk)
                _refuse_surplus(part.size, expected, clean_url(url))
                if self._watcher:
                    self._watcher.moved(clean_url(url), part.size, part.version.total_bytes)
        total = part.version.total_bytes
        if total is not None and part.size != total:
            raise TroubleError(f"it broke off after {size(part.size)} of {size(total)}")

    def _continue(self, answer: Answer, part: PartFile, url: str) -> Iterator[bytes]:
        if not _goes_on(answer, part):
            part.restart(Version())
            raise TroubleError("the file changed meanwhile, so it begins anew", wait_s=0)
        part.resumed = True
        total = part.version.total_bytes
        lacking = None if total is None else total - part.size
        _refuse_full_disk(part.path, lacking, clean_url(url))
        return answer.chunks

    def _begin(
        self, answer: Answer, part: PartFile, expected: Expected, url: str
    ) -> Iterator[bytes]:
        """Returns the bytes from the first on, once these look right.

        Nothing of an earlier attempt is thrown away before that.
        """
        _refuse_status(answer, url)
        total = _length(answer, url)
        coded = _coding(answer, url)
        head, chunks = _peek(answer.chunks)
        if coded and not _is_the_file_itself(head, url):
            head, chunks = _peek(_inflated(chunks, url))
            total = None
        fault = head_fault(head, expected.content, url)
        if fault and (head or not total):
            raise DownloadError(f"{clean_url(url)} {fault}")
        _refuse_other_size(total, expected, clean_url(url))
        _refuse_full_disk(part.path, total, clean_url(url))
        headers = {} if coded else answer.headers
        part.restart(version_of(url, headers, total))
        return chunks

    def _copy(self, url: str, place: str, path: str, expected: Expected) -> Receipt:
        with open_part(path, "") as part, open_plain(place) as file:
            total = os.fstat(file.fileno()).st_size
            part.restart(Version())
            _refuse_full_disk(path, total, place)
            while chunk := file.read(_CHUNK_BYTES):
                part.append(chunk)
                if self._watcher:
                    self._watcher.moved(clean_url(url), part.size, total)
            return _settle(part, url, expected, place)

    def _persist(self, url: str, attempt: Callable[[], T], reached: Callable[[], int]) -> T:
        """Returns what an attempt returns, making it again after trouble.

        `reached` returns the most bytes that were ever there.
        """
        failures, mark = 0, reached()
        while True:
            try:
                return attempt()
            except TroubleError as trouble:
                if reached() >= mark + _ADVANCE_BYTES:
                    failures, mark = 0, reached()
                failures += 1
                sentence = f"{clean_url(url)}: {trouble}"
                if failures >= min(self._tries, trouble.tries or self._tries):
                    tries = f" ({failures} tries)" if failures > 1 else ""
                    raise DownloadError(f"{sentence}{tries}", trouble.status) from None
                wait_s = _wait(trouble, failures, url)
            if wait_s >= 1:
                self._note(f"{sentence}; trying again in {duration(wait_s)}")
            self._sleep(wait_s)

    def _note(self, sentence: str) -> None:
        if self._watcher:
            self._watcher.note(sentence)

    @contextlib.contextmanager
    def _speaking_of(self, path: str) -> Iterator[None]:
        """Turns what the file system says into a sentence."""
        try:
            yield
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise DownloadError(f"no space is left on the disk of {path}") from None
            raise DownloadError(f"{error.filename or path}: {reason_of(error)}") from None


def check_file(path: str, url: str, expected: Expected) -> Receipt:
    """Returns what a local file is, once it is what was expected.

    Raises:
        DownloadError: If it is not, or cannot be read. The message calls it by `path`.
    """
    digest, head, tail, count = hashlib.sha256(), b"", b"", 0
    try:
        with open_plain(path) as file:
            while chunk := file.read(_CHUNK_BYTES):
                digest.update(chunk)
                head = head or chunk[:HEAD_BYTES]
                tail = (tail + chunk)[-HEAD_BYTES:]
                count += len(chunk)
    except OSError as error:
        raise DownloadError(f"{path}: {reason_of(error)}") from None
    receipt = Receipt(clean_url(url), digest.hexdigest(), count)
    _refuse_other(receipt, head, tail, expected, url, path)
    return receipt


def _settle(part: PartFile, url: str, expected: Expected, place: str | None = None) -> Receipt:
    """Gives a whole file its name if it is what was expected; else it is thrown away.

    `place` is the local file that stands for `url`, if one does.
    """
    receipt = Receipt(clean_url(url), part.sha256, part.size)
    head, tail = part.ends(HEAD_BYTES)
    try:
        _refuse_other(receipt, head, tail, expected, url, place or clean_url(url))
    except DownloadError:
        part.restart(Version())
        raise
    part.promote()
    return receipt


def _refuse_other(
    receipt: Receipt, head: bytes, tail: bytes, expected: Expected, url: str, called: str
) -> None:
    """Refuses what is not what was expected of `url`; sentences call it as it is `called`."""
    fault = head_fault(head, expected.content, url) or tail_fault(head, tail, expected.content)
    if fault:
        raise DownloadError(f"{called} {fault}")
    _refuse_other_size(receipt.size_bytes, expected, called)
    if expected.sha256 and receipt.sha256 != expected.sha256.lower():
        raise DigestError(
            f"{called} is not the expected file: its sha256 is {receipt.sha256}, not "
            f"{expected.sha256}",
            f"sha256 {receipt.sha256}",
            f"sha256 {expected.sha256}",
        )


def _refuse_other_size(found: int | None, expected: Expected, called: str) -> None:
    wanted = expected.size_bytes
    if found is not None and wanted is not None and found != wanted:
        raise DigestError(
            f"{called} is not the expected file: it has {found:,} bytes, not {wanted:,}",
            f"{found:,} bytes",
            f"{wanted:,} bytes",
        )


def _refuse_surplus(found: int, expected: Expected, called: str) -> None:
    if expected.size_bytes is not None and found > expected.size_bytes:
        _refuse_other_size(found, expected, called)


def _refuse_status(answer: Answer, url: str) -> None:
    """Refuses any answer that is not the file from its first byte on."""
    status = answer.status
    if status == 200:
        return
    if status == 403:
        base_s, tries = _FORBIDDEN_WAIT_S, _FORBIDDEN_TRIES
    elif status in _BUSY or status >= 500:
        base_s, tries = _BUSY_WAIT_S, None
    else:
        raise DownloadError(f"{clean_url(url)}: {says(status)}", status)
    wait_s = retry_after(answer.headers)
    raise TroubleError(says(status), status=status, wait_s=wait_s, base_s=base_s, tries=tries)


def _refuse_full_disk(path: str, needed: int | None, called: str) -> None:
    free = shutil.disk_usage(os.path.dirname(path) or ".").free
    if needed is not None and needed > free:
        raise DownloadError(
            f"{called} needs {size(needed)} more, but only {size(free)} are free on the "
            f"disk of {path}"
        )


def _refuse_endless(part: PartFile, called: str) -> None:
    """Refuses to go on with what never says how much it is, and throws away what came of it."""
    fault = None
    if part.size > ceilings.MAX_UNSTATED_BYTES:
        fault = f"has more than {size(ceilings.MAX_UNSTATED_BYTES)} without saying how many"
    elif ceilings.spare_bytes(os.path.dirname(part.path)) < _ROOM_EVERY_BYTES:
        fault = f"does not say how much it is, and the disk of {part.path} is nearly full"
    if fault:
        part.restart(Version())
        raise DownloadError(f"{called} {fault}")


def _goes_on(answer: Answer, part: PartFile) -> bool:
    """Returns whether an answer continues the part: same version, from its end on."""
    known = part.version
    same_tag = not known.etag or answer.headers.get("etag") == known.etag
    # Unlike the tag, the date may be left out of a partial answer.
    modified = parse_mark(answer.headers.get("last-modified", known.modified))
    place = parse_range(answer.headers.get("content-range", ""))
    if answer.status != 206 or place is None or _coding_name(answer):
        return False
    start, total = place
    same_total = None in (total, known.total_bytes) or total == known.total_bytes
    return same_tag and modified == known.modified and same_total and start == part.size


def _length(answer: Answer, url: str) -> int | None:
    if "transfer-encoding" in answer.headers or "content-length" not in answer.headers:
        return None
    stated = parse_count(answer.headers["content-length"])
    if stated is None:
        raise DownloadError(f"{clean_url(url)}: the server states a size that is none")
    return stated


def _wait(trouble: TroubleError, failures: int, url: str) -> float:
    """Returns the seconds to wait: what the server asks, else doubling, a little scattered."""
    if trouble.wait_s is not None:
        return min(trouble.wait_s, _MAX_WAIT_S)
    longest = max(_MAX_BACKOFF_S, trouble.base_s)
    full = min(trouble.base_s * 2.0 ** (failures - 1), longest)
    digest = hashlib.sha256(f"{url} {failures}".encode()).digest()
    return full * (0.75 + 0.25 * digest[0] / 255)


def _coding_name(answer: Answer) -> str:
    name = answer.headers.get("content-encoding", "").strip().lower()
    return "" if name == "identity" else name


def _coding(answer: Answer, url: str) -> bool:
    """Returns whether an answer is compressed, although that was not asked for."""
    name = _coding_name(answer)
    if name not in ("", "gzip", "x-gzip"):
        called = " ".join(safe(name).split())[:40]
        raise DownloadError(f"{clean_url(url)} comes in the encoding {called}, unknown here")
    return bool(name)


def _is_the_file_itself(head: bytes, url: str) -> bool:
    """Returns whether the bytes of an answer "in gzip encoding" are the `.gz` file itself.

    Servers are set up to label every `.gz` so. Only if there is a second gzip inside the
    first, the outer one is an encoding.
    """
    if not urllib.parse.urlsplit(url).path.lower().endswith((".gz", ".tgz")):
        return False
    try:
        return not zlib.decompressobj(31).decompress(head).startswith(b"\x1f\x8b")
    except zlib.error:
        return True


def _inflated(chunks: Iterator[bytes], url: str) -> Iterator[bytes]:
    """Yields what was compressed: all members of it, for one after the other is legal, too."""
    engine, came, gave = zlib.decompressobj(31), 0, 0
    for chunk in chunks:
        came += len(chunk)
        rest = chunk
        while rest:
            is_next = engine.eof
            if is_next:
                engine = zlib.decompressobj(31)
            try:
                data = engine.decompress(rest, _CHUNK_BYTES)
            except zlib.error:
                what = "goes on after its end" if is_next else "cannot be decompressed"
                raise TroubleError(f"what came {what}") from None
            gave += len(data)
            if gave > ceilings.most_unpacked(came):
                raise DownloadError(
                    f"{clean_url(url)}: more than {size(gave - 1)} come out of {size(came)}; "
                    "it is taken for a bomb"
                )
            yield data
            rest = engine.unused_data if engine.eof else engine.unconsumed_tail
    if not engine.eof:
        raise TroubleError("the connection broke off")


def _peek(chunks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Returns the first bytes, and all of them."""
    head = b""
    while len(head) < HEAD_BYTES:
        chunk = next(chunks, None)
        if chunk is None:
            break
        head += chunk
    return head[:HEAD_BYTES], itertools.chain([head] if head else [], chunks)


def _whole(chunks: Iterator[bytes] | list[bytes], max_bytes: int, url: str) -> bytes:
    body = bytearray()
    for chunk in chunks:
        body += chunk
        if len(body) > max_bytes:
            raise DownloadError(f"{clean_url(url)} has more than {max_bytes:,} bytes")
    return bytes(body)
