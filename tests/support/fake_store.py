"""An App Store on loopback that errs on demand, for tests of fetching.

It serves `/<host>/<path>` as a mirror does: `Downloader(mirror=store.url)` takes it for the
whole web.
"""

import contextlib
import dataclasses
import functools
import http.server
import io
import json
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

from PIL import Image

API = "/itunes.apple.com"
PICTURES = "/is1-ssl.mzstatic.com"


@dataclasses.dataclass(frozen=True)
class Reply:
    """What the store says instead of an answer.

    `announced` is the length that it announces if that is another than the body's; `reset`
    breaks the connection instead of answering.
    """

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = dataclasses.field(default_factory=dict)
    announced: int | None = None
    reset: bool = False


EMPTY_403 = Reply(403)
HTML = Reply(200, b"<!DOCTYPE html><html><body>Sorry</body></html>", {"Content-Type": "text/html"})
RESET = Reply(reset=True)


def storm(count: int, retry_after: str | None = None) -> list[Reply]:
    """Returns so many 429s."""
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return [Reply(429, headers=headers)] * count


@functools.cache
def png(width: int = 828, height: int = 1792, shade: int = 0) -> bytes:
    """Returns a small picture that is not of one colour."""
    image = Image.new("RGB", (width, height), (shade, 90, 200))
    image.paste((250, 250, 250), (0, 0, width, height // 3))
    buffer = io.BytesIO()
    image.save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


def listed(name: str, size: str = "392x696bb.png") -> str:
    """Returns the address under which the store lists a picture."""
    return f"https:/{PICTURES}/image/thumb/{name}.png/{size}"


def record(track_id: int, **values: Any) -> dict[str, Any]:
    """Returns a store's record of an app; values of None leave a key out."""
    record = {
        "kind": "software",
        "wrapperType": "software",
        "trackId": track_id,
        "bundleId": f"com.example.app{track_id}",
        "trackName": f"App {track_id}",
        "primaryGenreName": "Weather",
        "genres": ["Weather", "Travel"],
        "genreIds": ["6001", "6003"],
        "languageCodesISO2A": ["EN", "ZH", "ZH"],
        "version": "1.2",
        "screenshotUrls": [listed(f"{track_id}-{number}") for number in (1, 2)],
        "ipadScreenshotUrls": [],
        **values,
    }
    return {key: value for key, value in record.items() if value is not None}


def body(results: list[Any], count: int | None = None) -> bytes:
    """Returns an answer as the store writes it."""
    text = json.dumps({"resultCount": len(results) if count is None else count, "results": results})
    return f"\n\n\n{text}\n\n\n".encode()


class FakeStore:
    """What the store has, and how it errs.

    `apps` are the records of each storefront; a search finds all of them. `pictures` are
    those at paths without their last segment, others are drawn. `faults` are what it says
    first, by the beginning of a path; one reply is used up by each request. `requests` are
    the paths that were asked for.
    """

    def __init__(self) -> None:
        self.url = ""
        self.apps: dict[str, list[Any]] = {"us": []}
        self.pictures: dict[str, bytes] = {}
        self.faults: dict[str, list[Reply]] = {}
        self.requests: list[str] = []
        self.lies_about_count = False
        self._lock = threading.Lock()

    @property
    def calls(self) -> list[str]:
        """The requests of the interface."""
        return [path for path in self.requests if path.startswith(API)]

    @property
    def downloads(self) -> list[str]:
        """The requests of pictures."""
        return [path for path in self.requests if not path.startswith(API)]

    def reply(self, path: str) -> Reply:
        with self._lock:
            self.requests.append(path)
            for beginning, replies in self.faults.items():
                if path.startswith(beginning) and replies:
                    return replies.pop(0)
        if path.startswith(API):
            return Reply(200, self._answer(path))
        return Reply(200, self._picture(path))

    def _answer(self, path: str) -> bytes:
        query = {key: values[0] for key, values in parse_qs(urlsplit(path).query).items()}
        found = self.apps.get(query["country"], [])
        for key, field in (("id", "trackId"), ("bundleId", "bundleId")):
            if key in query:
                wanted = query[key].split(",")
                found = [app for app in found if str(app.get(field)) in wanted]
        return body(found, 50 if self.lies_about_count else None)

    def _picture(self, path: str) -> bytes:
        parent = path.rpartition("/")[0]
        return self.pictures.get(parent) or png(shade=sum(parent.encode()) % 256)


@contextlib.contextmanager
def running_store() -> Iterator[FakeStore]:
    """Runs a store until the block ends."""
    store = FakeStore()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            reply = store.reply(self.path)
            if reply.reset:
                self.close_connection = True
                self.connection.close()
                return
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            announced = len(reply.body) if reply.announced is None else reply.announced
            self.send_header("Content-Length", str(announced))
            if reply.announced is not None:
                self.send_header("Connection", "close")
                self.close_connection = True
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    store.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield store
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
