"""A small piece of the web on loopback, for the demo: files by host, and an App Store.

It serves `<root>/<host>/<path>` under `/<host>/<path>`, so that a downloader with it as its
mirror asks it for everything and still knows each file by its own address.
"""

import contextlib
import hashlib
import http.server
import json
import os
import pathlib
import re
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

STORE_HOST = "itunes.apple.com"
STOREFRONTS = "storefronts"
"""Folder, below that of the store's host, of `<country>.json`: all apps of a storefront."""

_CHUNK_BYTES = 1 << 16
_RANGE = re.compile(r"bytes=([0-9]{1,18})-([0-9]{0,18})")


class _Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


@contextlib.contextmanager
def serve(root: pathlib.Path) -> Iterator[str]:
    """Serves a folder on loopback until the block ends; yields the address."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.root = root
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(http.server.ThreadingHTTPServer):
    """A server of the files below `root`."""

    daemon_threads = True
    root: pathlib.Path


class _Handler(http.server.BaseHTTPRequestHandler):
    """Answers requests for the files of its server's folder."""

    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        """Answers one request."""
        parts = urlsplit(self.path)
        host, _, call = parts.path.lstrip("/").partition("/")
        path = _file_of(self.server.root, parts.path)
        if host == STORE_HOST and call in ("search", "lookup"):
            self._send(_answer(self.server.root, call, parse_qs(parts.query)))
        elif path is None:
            self._send(_Reply(404, {}, b""))
        else:
            self._send_file(path)

    def log_message(self, *_: object) -> None:
        """Says nothing: the demo's terminal is for the demo."""

    def _send(self, reply: _Reply) -> None:
        self._begin(reply.status, {**reply.headers, "Content-Length": str(len(reply.body))})
        self.wfile.write(reply.body)

    def _send_file(self, path: pathlib.Path) -> None:
        with path.open("rb") as file:
            total = os.fstat(file.fileno()).st_size
            tag = f'"{hashlib.file_digest(file, "sha256").hexdigest()[:16]}"'
            headers = {"ETag": tag, "Accept-Ranges": "bytes"}
            start, end = 0, total
            if self.headers.get("If-Range", tag) == tag:
                start, end = _range(self.headers.get("Range", ""), total)
            if start >= end and total:
                self._send(_Reply(416, headers | {"Content-Range": f"bytes */{total}"}, b""))
                return
            if end - start != total:
                headers["Content-Range"] = f"bytes {start}-{end - 1}/{total}"
            status = 206 if "Content-Range" in headers else 200
            self._begin(status, headers | {"Content-Length": str(end - start)})
            file.seek(start)
            while chunk := file.read(min(_CHUNK_BYTES, end - file.tell())):
                self.wfile.write(chunk)

    def _begin(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()


def _range(asked: str, total: int) -> tuple[int, int]:
    """Returns the first byte to send, and the first not to send any more."""
    match = _RANGE.fullmatch(asked)
    if not match:
        return 0, total
    end = int(match[2]) + 1 if match[2] else total
    return int(match[1]), min(end, total)


def _file_of(root: pathlib.Path, path: str) -> pathlib.Path | None:
    """Returns the file at a path; a picture at any size is the picture."""
    names = [unquote(name) for name in path.split("/") if name]
    if any(name in (".", "..") or "/" in name or "\0" in name for name in names):
        return None
    file = root.joinpath(*names)
    return next((place for place in (file, file.parent) if place.is_file()), None)


def _answer(root: pathlib.Path, call: str, query: dict[str, list[str]]) -> _Reply:
    """Returns what the store answers: with newlines around it, as the real one does."""
    country = query.get("country", ["us"])[0]
    # The name of a file, so nothing but letters.
    path = root / STORE_HOST / STOREFRONTS / f"{re.sub('[^a-z]', '', country)}.json"
    if not path.is_file():
        said = {"errorMessage": "Invalid value(s) for key(s): [country]"}
        return _Reply(400, {}, json.dumps(said).encode())
    listed = json.loads(path.read_bytes())
    found = [app for app in listed if _matches(app, call, query)]
    if call == "search":
        found = found[: int(query.get("limit", ["50"])[0])]
    text = json.dumps({"resultCount": len(found), "results": found}, ensure_ascii=False)
    headers = {"Content-Type": "text/javascript; charset=utf-8"}
    return _Reply(200, headers, f"\n\n\n{text}\n\n\n".encode())


def _matches(app: dict[str, Any], call: str, query: dict[str, list[str]]) -> bool:
    if call == "lookup":
        ids = query.get("id", [""])[0].split(",")
        bundles = query.get("bundleId", [""])[0].split(",")
        return str(app["trackId"]) in ids or app["bundleId"] in bundles
    said = f"{app['trackName']} {app['description']} {app['primaryGenreName']}".lower()
    genre = query.get("genreId", [None])[0]
    words = query.get("term", [""])[0].lower().split()
    return all(word in said for word in words) and (genre is None or genre in app["genreIds"])
