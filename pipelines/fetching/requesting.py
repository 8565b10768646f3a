"""One request over HTTP: redirects, silence, and what a broken connection is called."""

import contextlib
import dataclasses
import http
import socket
import ssl
import threading
import urllib.parse
from collections.abc import Callable, Iterator, Mapping

import requests
import urllib3

from pipelines.config import code_version
from pipelines.terminal import safe

_MAX_REDIRECTS = 10
_CHUNK_BYTES = 256 * 1024
_MIN_BYTES_PER_S = 1024
"""What comes more slowly, over as long as silence is borne, counts as silence."""
_CONNECT_S = 20.0

Allowed = Callable[[str], bool]
"""Says whether an address may be asked."""


class DownloadError(Exception):
    """A download that could not be had; the message is one sentence for its user.

    `status` is the HTTP status that ended it, or None.
    """

    def __init__(self, sentence: str, status: int | None = None) -> None:
        super().__init__(sentence)
        self.status = status


class TroubleError(Exception):
    """What may be over at the next try.

    Attributes:
        status: The HTTP status, or None.
        wait_s: Seconds that the server asks to wait, or None.
        base_s: Seconds before the second try; they double with each further one.
        tries: After so many tries in a row it is no use, if that is less than usual.
    """

    def __init__(
        self,
        sentence: str,
        *,
        status: int | None = None,
        wait_s: float | None = None,
        base_s: float = 1.0,
        tries: int | None = None,
    ) -> None:
        super().__init__(sentence)
        self.status, self.wait_s, self.base_s, self.tries = status, wait_s, base_s, tries


@dataclasses.dataclass(frozen=True, slots=True)
class Answer:
    """A status, headers with lower-case names, and the body as it comes over the net.

    `chunks` raises TroubleError where the connection breaks, goes silent or drips.
    """

    status: int
    headers: Mapping[str, str]
    chunks: Iterator[bytes]


class Requester:
    """Asks for URLs, from any thread.

    Args:
        timeout: Seconds of silence that are borne.
        clock: Returns seconds, as `time.monotonic` does.
    """

    def __init__(self, *, timeout: float, clock: Callable[[], float]) -> None:
        self._timeout = timeout
        self._clock = clock
        self._of_thread = threading.local()

    @contextlib.contextmanager
    def open(
        self, url: str, headers: Mapping[str, str], allowed: Allowed | None = None
    ) -> Iterator[Answer]:
        """Yields the answer at the end of all redirects; its body is read inside the block.

        `allowed` judges every address that is redirected to.

        Raises:
            DownloadError: If it is no use to try again.
            TroubleError: If it may be.
        """
        response = self._follow(url, {"Accept-Encoding": "identity", **headers}, allowed)
        try:
            lowered = {name.lower(): value for name, value in response.headers.items()}
            yield Answer(response.status_code, lowered, self._read(response))
        finally:
            response.close()

    def _follow(
        self, url: str, headers: Mapping[str, str], allowed: Allowed | None
    ) -> requests.Response:
        first = url
        for _ in range(_MAX_REDIRECTS + 1):
            response = self._send(url, headers)
            if not response.is_redirect:
                return response
            response.close()
            target = _redirected(url, response.headers["location"])
            if allowed and not allowed(target):
                raise DownloadError(
                    f"{clean_url(url)} redirects to {clean_url(target)}, which is not to be "
                    "downloaded from"
                )
            url = target
        raise DownloadError(f"{clean_url(first)}: more than {_MAX_REDIRECTS} redirects")

    def _send(self, url: str, headers: Mapping[str, str]) -> requests.Response:
        # Messages of requests hold whole URLs, so none of them is passed on.
        try:
            return self._session().get(
                url,
                headers=headers,
                stream=True,
                allow_redirects=False,
                timeout=(min(_CONNECT_S, self._timeout), self._timeout),
            )
        except requests.exceptions.InvalidHeader:
            raise DownloadError(f"{clean_url(url)}: the server's headers are damaged") from None
        except (requests.exceptions.InvalidURL, requests.exceptions.InvalidSchema, ValueError):
            raise DownloadError(f"{clean_url(url)} is no address to download from") from None
        except requests.RequestException as error:
            causes = list(_causes(error))
            if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
                raise DownloadError(
                    f"{clean_url(url)}: the server's certificate is not valid here"
                ) from None
            raise TroubleError(_trouble(causes)) from None

    def _read(self, response: requests.Response) -> Iterator[bytes]:
        since, came = self._clock(), 0
        while True:
            try:
                # Returns what is there, however little: a drip does not block it.
                chunk = response.raw.read1(_CHUNK_BYTES, decode_content=False)
            except (urllib3.exceptions.HTTPError, OSError) as error:
                raise TroubleError(_trouble(list(_causes(error)))) from None
            if not chunk:
                return
            came += len(chunk)
            spent = self._clock() - since
            if spent >= self._timeout:
                if came < _MIN_BYTES_PER_S * spent:
                    raise TroubleError(f"only {came:,} bytes came in {spent:.0f} s")
                since, came = self._clock(), 0
            yield chunk

    def _session(self) -> requests.Session:
        # A session is not safe between threads.
        session: requests.Session | None = getattr(self._of_thread, "session", None)
        if session is None:
            session = self._of_thread.session = _Session()
            session.headers["User-Agent"] = f"screenset/{code_version()}"
        return session


class _Session(requests.Session):
    def get_redirect_target(self, resp: requests.Response) -> None:
        """Finds none: requests would read the body of a redirect whole, however long."""


def clean_url(url: str) -> str:
    """Returns a URL without what may be secret, and without what a terminal would obey.

    User and password are left out; of the query and of parameters (`/a;session=…`), only
    the names of values are left.
    """
    try:
        parts = urllib.parse.urlsplit(url)
    except ValueError:
        return "(an address that cannot be read)"
    query = f"?{'&'.join(map(_masked, parts.query.split('&')))}" if parts.query else ""
    host = parts.netloc.rpartition("@")[2]
    path = "/".join(map(_without_parameters, parts.path.split("/")))
    return safe(f"{parts.scheme}://{host}{path}{query}" if host else f"{path}{query}")


def _masked(item: str) -> str:
    return f"{item.partition('=')[0]}=…" if "=" in item else "…"


def _without_parameters(segment: str) -> str:
    name, *parameters = segment.split(";")
    return ";".join([name, *map(_masked, parameters)])


def says(status: int) -> str:
    """Returns the sentence about an HTTP status."""
    try:
        return f"the server says {status} {http.HTTPStatus(status).phrase}"
    except ValueError:
        return f"the server says {status}"


def _redirected(url: str, target: str) -> str:
    try:
        # Servers send UTF-8 here; it is read as Latin-1, as all headers are.
        target = target.encode("latin-1").decode("utf-8")
        target = urllib.parse.urljoin(url, target)
        scheme = urllib.parse.urlsplit(target).scheme.lower()
    except ValueError:
        raise DownloadError(f"{clean_url(url)} redirects to an address that is none") from None
    if scheme not in ("http", "https"):
        raise DownloadError(f"{clean_url(url)} redirects to an address that is not of the web")
    if scheme == "http" and urllib.parse.urlsplit(url).scheme.lower() == "https":
        raise DownloadError(
            f"{clean_url(url)} redirects from https to http, which anyone can alter"
        )
    return target


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yields an error and all that is wrapped in it, the outermost first."""
    waiting, seen = [error], set()
    while waiting:
        cause = waiting.pop(0)
        if id(cause) in seen:
            continue
        seen.add(id(cause))
        yield cause
        inner = [cause.__cause__, cause.__context__, getattr(cause, "reason", None), *cause.args]
        waiting += [item for item in inner if isinstance(item, BaseException)]


def _trouble(causes: list[BaseException]) -> str:
    for cause in causes:
        if isinstance(cause, socket.gaierror):
            return "its name is not known to the network here"
        if isinstance(cause, TimeoutError):
            return "nothing came in time"
        if isinstance(cause, OSError) and cause.strerror:
            return f"the connection failed ({cause.strerror})"
    silent = any(isinstance(cause, urllib3.exceptions.TimeoutError) for cause in causes)
    return "nothing came in time" if silent else "the connection broke off"
