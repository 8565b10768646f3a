"""The one HTTP client of `huggingface_hub` in this process, with limits of time and of size.

As that library makes it, it has neither: a silent network would hold a command for ever, and an
answer without end would fill the memory.
"""

import dataclasses
import logging
import queue
import ssl
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx2
import huggingface_hub
from huggingface_hub import constants
from huggingface_hub.errors import OfflineModeIsEnabled
from huggingface_hub.utils.tqdm import disable_progress_bars

from pipelines.errors import UserError
from pipelines.publishing.hub_errors import HubError
from pipelines.publishing.translating import is_whole_number
from pipelines.terminal import duration, size

T = TypeVar("T")

LARGEST_ANSWER = 64 << 20
"""Bytes of an answer that is read into memory; files are not."""

_GREATEST_PACKING = 1000
"""Times that what is packed may grow: near the most that deflate can."""

_PROXIES = "HTTP_PROXY, HTTPS_PROXY, ALL_PROXY or NO_PROXY"
_STREAMS = "screenset_streams"


@dataclasses.dataclass(frozen=True, slots=True)
class Limits:
    """Seconds for a connection, and between two pieces of what comes or goes."""

    connect_s: float
    read_s: float


QUICK, PATIENT = Limits(3.0, 10.0), Limits(15.0, 300.0)
"""For a dry run, and for a publication: making a commit may take the Hub minutes."""

Hear = Callable[[httpx2.Response], None]
"""Is shown every answer before it is read, and may raise."""


class Deadline:
    """A time that some calls have together; what takes longer is left behind.

    The limits of a socket are for each read of it, so whoever sends a byte a second is never
    late. A call is made in a thread that nobody has to wait for.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ends = time.monotonic() + seconds

    def call(self, doing: str, call: Callable[[], T]) -> T:
        """Returns what a call returns, and raises what it raises.

        Raises:
            HubError: If the time is over before.
        """
        late = HubError(f"{doing}: the Hub was not done within {duration(self._seconds)}")
        left = self._ends - time.monotonic()
        if left <= 0:
            raise late
        ended: queue.SimpleQueue[Callable[[], T]] = queue.SimpleQueue()
        threading.Thread(target=lambda: ended.put(_outcome(call)), daemon=True).start()
        try:
            outcome = ended.get(timeout=left)
        except queue.Empty:
            raise late from None
        return outcome()


def set_up_client(limits: Limits, hear: Hear | None = None) -> None:
    """Makes `huggingface_hub` use a client with limits from now on, and keep quiet.

    Args:
        limits: The limits of time.
        hear: Is shown every answer.

    Raises:
        UserError: If the environment names a proxy or certificates that cannot be used.
    """

    def make() -> httpx2.Client:
        return _Client(
            follow_redirects=True,
            timeout=httpx2.Timeout(limits.read_s, connect=limits.connect_s),
            headers={"Accept-Encoding": "identity"},
            event_hooks={
                "request": [_refuse_offline],
                "response": [_mend_headers, _limit_size, *([hear] if hear else [])],
            },
        )

    _try(make)
    huggingface_hub.set_client_factory(make)
    huggingface_hub.logging.set_verbosity(logging.CRITICAL)


def hide_progress() -> None:
    """Has `huggingface_hub` show no progress of its own."""
    disable_progress_bars()


class _Client(httpx2.Client):
    """A client that tells its hooks whether an answer is read into memory.

    Some calls of `huggingface_hub` ask for no time limit (`dataset_info`); they get ours.
    """

    def send(self, request: httpx2.Request, *, stream: bool = False, **how: Any) -> httpx2.Response:
        request.extensions[_STREAMS] = stream
        stated = request.extensions.get("timeout") or {}
        limits = {kind: seconds for kind, seconds in stated.items() if seconds is not None}
        request.extensions["timeout"] = {**self.timeout.as_dict(), **limits}
        return super().send(request, stream=stream, **how)


class _LimitedStream(httpx2.SyncByteStream):
    """The bytes of an answer, up to a limit."""

    def __init__(self, stream: httpx2.SyncByteStream, most: int) -> None:
        self._stream, self._most = stream, most

    def __iter__(self) -> Iterator[bytes]:
        come = 0
        for chunk in self._stream:
            come += len(chunk)
            if come > self._most:
                raise _too_large()
            yield chunk

    def close(self) -> None:
        self._stream.close()


def _outcome(call: Callable[[], T]) -> Callable[[], T]:
    """Makes a call; returns what gives its result, or raises its error, elsewhere."""
    try:
        value = call()
    except BaseException as error:  # noqa: BLE001 - raised by the one who waits.
        caught = error

        def fail() -> T:
            raise caught

        return fail
    return lambda: value


def _try(make: Callable[[], httpx2.Client]) -> None:
    """Makes a client once, since the environment's proxies are only looked at by that."""
    try:
        _take_proxies_apart()
        make().close()
    except ImportError:
        raise UserError(
            f"the environment ({_PROXIES}) names a SOCKS proxy, for which the package socksio "
            "is not installed here; install it beside screenset, or name an HTTP proxy"
        ) from None
    except (ValueError, httpx2.InvalidURL):
        # It may hold a password, so it is not repeated.
        raise UserError(
            f"the environment ({_PROXIES}) names a proxy that cannot be used; it has to be like "
            "http://HOST:PORT"
        ) from None
    except (OSError, ssl.SSLError):
        raise UserError(
            "the environment (SSL_CERT_FILE or SSL_CERT_DIR) names certificates that cannot be read"
        ) from None


def _take_proxies_apart() -> None:
    """Raises a ValueError for what the client would only stumble over when it connects."""
    proxies = urllib.request.getproxies()
    for kind in ("http", "https", "all"):
        proxy = proxies.get(kind, "")
        _ = urlsplit(proxy if "://" in proxy else f"http://{proxy}").port


def _refuse_offline(_: httpx2.Request) -> None:
    if constants.is_offline_mode():
        raise OfflineModeIsEnabled("offline")


def _mend_headers(answer: httpx2.Response) -> None:
    """Takes away a wait that is no number, which the library would stumble over."""
    value = answer.headers.get("Retry-After", "").strip()
    if value.isdigit() and not is_whole_number(value):
        del answer.headers["Retry-After"]


def _limit_size(answer: httpx2.Response) -> None:
    """Limits what may be read into memory: all but the files that are streamed to disk."""
    if answer.request.extensions.get(_STREAMS) and answer.is_success:
        return
    is_packed = answer.headers.get("Content-Encoding", "identity") != "identity"
    most = LARGEST_ANSWER // _GREATEST_PACKING if is_packed else LARGEST_ANSWER
    stated = answer.headers.get("Content-Length", "").strip()
    has_body = answer.request.method != "HEAD"
    if has_body and is_whole_number(stated) and (len(stated) > 18 or int(stated) > most):
        raise _too_large()
    stream = answer.stream
    if isinstance(stream, httpx2.SyncByteStream):
        answer.stream = _LimitedStream(stream, most)


def _too_large() -> HubError:
    return HubError(f"the Hub's answer has more than {size(LARGEST_ANSWER)}")
