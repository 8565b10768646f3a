"""A server on loopback that answers every request alike, and in ways that no Hub does."""

import contextlib
import functools
import itertools
import socket
import threading
from collections.abc import Callable, Iterator

Play = Callable[[socket.socket, threading.Event], None]
"""Plays one answer; the event is set when the test is over."""


def silent(_: socket.socket, over: threading.Event) -> None:
    over.wait()


def dripping_head(link: socket.socket, over: threading.Event) -> None:
    _drip(link, over, itertools.chain(b"HTTP/1.1 200 OK\r\nX-Long: ", itertools.repeat(120)))


def dripping_body(link: socket.socket, over: threading.Event) -> None:
    link.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    _drip(link, over, itertools.repeat(32))


def endless(link: socket.socket, over: threading.Event, *, head: bytes = b"200 OK") -> None:
    """Sends without end, and without having said how much there is."""
    link.sendall(b"HTTP/1.1 " + head + b"\r\nConnection: close\r\n\r\n")
    while not over.is_set():
        link.sendall(b" " * 65536)


def immense(link: socket.socket, over: threading.Event) -> None:
    """Says that there is a terabyte, and begins to send it."""
    link.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n")
    while not over.is_set():
        link.sendall(b" " * 65536)


endless_redirect = functools.partial(endless, head=b"302 Found\r\nLocation: /elsewhere")


def saying(body: bytes, status: str = "200 OK", headers: str = "") -> Play:
    """Returns what answers with a body."""
    said = f"HTTP/1.1 {status}\r\n{headers}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"

    def play(link: socket.socket, _: threading.Event) -> None:
        link.sendall(said.encode("latin-1") + body)

    return play


MISSHAPEN = {
    "page": b"<html>sign in</html>",
    "list": b"[1,2]",
    "null": b"null",
    "empty": b"{}",
    "text": b'"yes"',
    "deep": b"[" * 100_000,
    "no UTF-8": b'{"id": "\xff\xfe"}',
    "nothing": b"",
    "other types": b'{"id": 3, "sha": [], "private": "maybe", "siblings": 7, "tags": {}}',
}
"""Bodies of answers with status 200 that are not what the Hub would say."""


@contextlib.contextmanager
def rude_hub(play: Play) -> Iterator[str]:
    """Serves, and gives the address."""
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as door:
        threading.Thread(target=_serve, args=(door, play, over), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{door.getsockname()[1]}"
        finally:
            over.set()


def _serve(door: socket.socket, play: Play, over: threading.Event) -> None:
    while not over.is_set():
        try:
            link, _ = door.accept()
        except OSError:
            return
        threading.Thread(target=_answer, args=(link, play, over), daemon=True).start()


def _answer(link: socket.socket, play: Play, over: threading.Event) -> None:
    with link, contextlib.suppress(OSError):
        head = b""
        while b"\r\n\r\n" not in head:
            piece = link.recv(65536)
            if not piece:
                return
            head += piece
        play(link, over)


def _drip(link: socket.socket, over: threading.Event, signs: Iterator[int]) -> None:
    for sign in signs:
        if over.wait(0.05):
            return
        link.sendall(bytes([sign]))
