"""The store of replies: one file for each, there before anybody uses the reply.

A file holds the whole request, so that it can be read without the build that made it, and a
digest of itself at its end: whatever else lies there is no reply.
"""

import contextlib
import dataclasses
import datetime
import hashlib
import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from schemas.models import ModelReply, ModelRequest, ReplyOutcome
from transforms.models.cache_folders import DAMAGED, Folder, open_folder
from transforms.models.protocol import StoreFailedError

_KEY = re.compile(r"[0-9a-f]{64}")
_TAIL = b', "sha256": "%s"}\n'
_PROBE = b" " * 16_384
_TAIL_LENGTH = len(_TAIL % (b"0" * 64))
_REPLY_FIELDS = frozenset(f.name for f in dataclasses.fields(ModelReply))
_REQUEST_FIELDS = frozenset(f.name for f in dataclasses.fields(ModelRequest))


class DamagedReplyError(Exception):
    """A file in the store is not as it was written."""


class StoredReply(NamedTuple):
    """One file of the store."""

    key: str
    request: ModelRequest
    reply: ModelReply
    stored_at: datetime.datetime


class ReplyCache:
    """Stores replies by the key of their request.

    Any number of threads and processes may use one root at once. `damaged` counts what was
    moved aside by this object; `is_writable` says whether writing was seen to work.
    """

    def __init__(self, root: str, *, clock: Callable[[], float] = time.time) -> None:
        """Opens a store, which need not be there yet.

        Args:
            root: A folder, or an address such as `gs://bucket/folder`.
            clock: Returns the seconds since 1970 that are written down with replies.
        """
        self.folder: Folder = open_folder(root)
        self.damaged = 0
        self.is_writable = False
        self._root = root
        self._clock = clock

    @property
    def is_local(self) -> bool:
        """Whether reading takes no more than a look at a disk."""
        return self.folder.is_local

    def get(self, key: str) -> ModelReply | None:
        """Returns a stored reply; None if there is none, or only a damaged one.

        Raises:
            StoreFailedError: If that cannot be told.
        """
        with self._named("read"):
            data = self.folder.read(path_of(key))
        if data is None:
            return None
        try:
            return _reply(_checked(key, data)["reply"])
        except DamagedReplyError:
            return None

    def put(self, request: ModelRequest, reply: ModelReply) -> None:
        """Stores a reply. Once this returns, the reply outlives whoever stored it.

        Raises:
            StoreFailedError: If that failed; then nothing may be done with the reply.
        """
        key = request.key
        document = {
            "key": key,
            "stored_at": _moment(self._clock()).isoformat(),
            "request": dataclasses.asdict(request),
            "reply": dataclasses.asdict(reply),
        }
        head = json.dumps(document).encode()[:-1]
        digest = hashlib.sha256(head).hexdigest().encode()
        with self._named("written"):
            self.folder.write(path_of(key), head + _TAIL % digest)

    def try_writing(self) -> None:
        """Writes something, before anybody pays for what could not be stored.

        Raises:
            StoreFailedError: If that failed.
        """
        path = f"probe-{os.getpid()}-{threading.get_ident()}"
        with self._named("written"):
            self.folder.write(path, _PROBE)
        with contextlib.suppress(OSError):
            self.folder.remove(path)
        self.is_writable = True

    def set_aside(self, key: str) -> None:
        """Moves a reply's file to the damaged ones if it is damaged.

        Only for whoever holds the claim on the key: between reading and moving, another one
        might store a good reply.
        """
        with self._named("read"):
            data = self.folder.read(path_of(key))
        if data is None:
            return
        try:
            _reply(_checked(key, data)["reply"])
        except DamagedReplyError:
            with self._named("written"):
                self.folder.move(path_of(key), f"{DAMAGED}/{key}.json")
            self.damaged += 1

    @contextlib.contextmanager
    def _named(self, done: str) -> Iterator[None]:
        """Names the store in what goes wrong with its disk, which may be another than others'."""
        try:
            yield
        except OSError as error:
            raise StoreFailedError(
                f"the cache of replies {self._root} cannot be {done}: "
                f"{error.strerror or error}. Replies that are in it stay; the same command, "
                "once that is mended, asks for the rest"
            ) from None  # A number of an error would be taken for one of the output's disk.


def path_of(key: str) -> str:
    """Returns the path of a reply below the root."""
    return f"{key[:2]}/{key}.json"


def key_of(path: str) -> str | None:
    """Returns the key of the reply at a path, None if it is no path of a reply."""
    folder, _, name = path.partition("/")
    key = name.removesuffix(".json")
    return key if _KEY.fullmatch(key) and path == path_of(key) and folder else None


def parse_stored(key: str, data: bytes) -> StoredReply:
    """Returns what a file of the store says.

    Raises:
        DamagedReplyError: If it is not as it was written.
    """
    document = _checked(key, data)
    try:
        request = request_of(document["request"])
        stored_at = datetime.datetime.fromisoformat(document["stored_at"])
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DamagedReplyError(key) from None
    return StoredReply(key, request, _reply(document["reply"]), stored_at)


def request_of(fields: dict[str, Any]) -> ModelRequest:
    """Returns the request that was written as JSON from its fields."""
    return ModelRequest(**_known(fields, _REQUEST_FIELDS))


def _checked(key: str, data: bytes) -> dict[str, Any]:
    """Returns the document of a file whose digest is right and which is filed rightly."""
    head = data[:-_TAIL_LENGTH]
    digest = hashlib.sha256(head).hexdigest().encode()
    if data[-_TAIL_LENGTH:] != _TAIL % digest:
        raise DamagedReplyError(key)
    try:
        document = json.loads(data)
    except ValueError:
        raise DamagedReplyError(key) from None
    if not isinstance(document, dict) or document.get("key") != key or "reply" not in document:
        raise DamagedReplyError(key)
    return document


def _reply(fields: Any) -> ModelReply:
    try:
        known = _known(fields, _REPLY_FIELDS)
        known["outcome"] = ReplyOutcome(known["outcome"])
        return ModelReply(**known)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DamagedReplyError("reply") from None


def _known(fields: dict[str, Any], names: frozenset[str]) -> dict[str, Any]:
    """Returns the fields that this version knows, lists as tuples."""
    return {name: _frozen(value) for name, value in fields.items() if name in names}


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


def _moment(seconds: float) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(int(seconds), datetime.UTC)
