"""A small web server on the loopback that plays faults, one answer after the other."""

import contextlib
import http.server
import os
import socket
import struct
import threading
import time
import unittest.mock
from collections.abc import Callable, Iterator, Mapping


class Handler(http.server.BaseHTTPRequestHandler):
    """Plays the next answer of the path that it is asked for; the last one is repeated."""

    protocol_version = "HTTP/1.1"
    server: "FaultyServer"

    def do_GET(self) -> None:
        self.server.asked.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
        plays = self.server.plays.get(self.path.partition("?")[0])
        if not plays:
            status(404)(self)
        else:
            (plays.pop(0) if len(plays) > 1 else plays[0])(self)

    def log_message(self, *_: object) -> None:
        """Says nothing."""

    def head(self, code: int, headers: Mapping[str, object]) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()

    def send(self, body: bytes) -> None:
        with contextlib.suppress(OSError):
            self.wfile.write(body)

    def hang_up(self, *, reset: bool = False) -> None:
        """Closes the connection in the midst of an answer."""
        self.close_connection = True
        if reset:
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.wfile.close()
            self.rfile.close()
            self.connection.close()


Play = Callable[[Handler], None]


class FaultyServer(http.server.ThreadingHTTPServer):
    """`plays` are the answers by path; `asked` are paths and headers of all requests."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.plays: dict[str, list[Play]] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []

    def handle_error(self, *_: object) -> None:
        """Keeps quiet about clients that hang up."""

    def play(self, path: str, *plays: Play) -> str:
        """Sets the answers of a path and returns its URL."""
        self.plays[path] = list(plays)
        return self.url(path)

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}{path}"

    def ranges(self) -> list[str | None]:
        """Returns which range each request asked for."""
        return [headers.get("range") for _, headers in self.asked]


@contextlib.contextmanager
def serving() -> Iterator[FaultyServer]:
    # Whoever runs the tests behind a proxy has it for the web, not for the loopback.
    direct = {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    with FaultyServer() as server, unittest.mock.patch.dict(os.environ, direct):
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def file(
    body: bytes,
    *,
    etag: str | None = '"one"',
    modified: str | None = None,
    stop: int | None = None,
    reset: bool = False,
    obeys_if_range: bool = True,
) -> Play:
    """A file that can be resumed; the connection ends `stop` bytes into what is sent."""

    def play(handler: Handler) -> None:
        headers: dict[str, object] = {"ETag": etag} if etag else {}
        if modified:
            headers["Last-Modified"] = modified
        asked = handler.headers.get("Range")
        wants = handler.headers.get("If-Range")
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
        if asked and obeys_if_range and wants not in (etag, modified):
            start = 0
        if start >= len(body) > 0 and start:
            handler.head(416, {"Content-Range": f"bytes */{len(body)}", "Content-Length": 0})
            return
        rest = body[start:]
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
        handler.head(206 if start else 200, {"Content-Length": len(rest), **headers})
        handler.send(rest if stop is None else rest[:stop])
        if stop is not None:
            handler.hang_up(reset=reset)

    return play


def stubborn(body: bytes, *, stop: int | None = None) -> Play:
    """A file that is always sent from its beginning, whatever range is asked for."""

    def play(handler: Handler) -> None:
        handler.head(200, {"Content-Length": len(body), "ETag": '"one"'})
        handler.send(body if stop is None else body[:stop])
        if stop is not None:
            handler.hang_up()

    return play


def status(code: int, body: bytes = b"", **headers: object) -> Play:
    """An answer without a file. `Retry_After=…` is the header Retry-After."""

    def play(handler: Handler) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        handler.head(code, {"Content-Length": len(body), **named})
        handler.send(body)

    return play


def declaring(body: bytes, length: int, **headers: object) -> Play:
    """A body with another length than it says."""

    def play(handler: Handler) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        handler.head(200, {"Content-Length": length, **named})
        handler.send(body)
        handler.hang_up()

    return play


def chunked(body: bytes, *, stop: int | None = None, whole_chunks: bool = False) -> Play:
    """A body of unknown length in chunks of 1,000 bytes, cut after `stop` bytes."""

    def play(handler: Handler) -> None:
        handler.head(200, {"Transfer-Encoding": "chunked", "ETag": '"one"'})
        sent = body if stop is None else body[:stop]
        for start in range(0, len(sent), 1000):
            piece = sent[start : start + 1000]
            size = len(piece) if whole_chunks or stop is None else 1000
            handler.send(b"%x\r\n" % size + piece + (b"\r\n" if size == len(piece) else b""))
        if stop is None:
            handler.send(b"0\r\n\r\n")
        else:
            handler.hang_up()

    return play


def dripping(body: bytes, *, pieces: int) -> Play:
    """A file of which single bytes come, one after the other, and then nothing."""

    def play(handler: Handler) -> None:
        handler.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        handler.head(200, {"Content-Length": len(body), "ETag": '"one"'})
        for start in range(pieces):
            try:
                handler.wfile.write(body[start : start + 1])
            except OSError:
                break
            time.sleep(0.001)
        handler.hang_up()

    return play


def silent(body: bytes, *, stop: int, until: threading.Event) -> Play:
    """A file that stays away from some byte on, while the connection stands."""

    def play(handler: Handler) -> None:
        handler.head(200, {"Content-Length": len(body), "ETag": '"one"'})
        handler.send(body[:stop])
        until.wait()
        handler.hang_up()

    return play
