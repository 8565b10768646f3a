"""Sending a plan: contents ahead, then one commit that is made exactly once."""

import collections
import contextlib
import hashlib
import io
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

from huggingface_hub import CommitOperationAdd

from pipelines.errors import BuildError
from pipelines.publishing.contents import Contents, LocalFile
from pipelines.publishing.hub import Hub
from pipelines.publishing.hub_errors import HubError
from pipelines.publishing.plan import Look, Sent
from pipelines.terminal import ProgressDisplay

_STALE = 412
_AT_ONCE = 4
_UNIT = "kB sent"


def send(
    hub: Hub, contents: Contents, look: Callable[[], Look], *, branch: str, message: str
) -> Sent:
    """Brings a branch to hold these contents, by one commit.

    Every try begins with a fresh look. So a commit whose answer was lost is found to be there
    and not made again, and one that somebody else made in between is built upon.

    Args:
        hub: The repository, which is there.
        contents: What goes.
        look: Looks at the repository, and plans anew.
        branch: The branch.
        message: The commit's first line.

    Raises:
        BuildError: If the Hub refuses, is busy for too long, or a file has changed meanwhile.
    """
    attempt = 1
    is_ours = False
    while True:
        seen = look()
        plan, head = seen.plan, seen.remote.head
        if not plan.commits:
            return Sent(head, is_ours, plan)
        if not seen.remote.has_branch:
            hub.create_branch(branch, head)
        additions = upload(hub, plan.sent, branch)
        try:
            made = hub.commit(additions, plan.deleted, message=message, branch=branch, parent=head)
            return Sent(made, True, plan)
        except HubError as error:
            # Whatever the answer was, the work may have been done.
            is_ours = True
            hub.pause(_as_passing(error) if error.status == _STALE else error, attempt)
            attempt += 1


def _as_passing(error: HubError) -> HubError:
    """Returns the error of a commit that came after another one's, as one worth a second try."""
    return HubError(f"somebody else has changed the repository: {error}", passing=True)


def upload(hub: Hub, files: Iterable[LocalFile], branch: str) -> list[CommitOperationAdd]:
    """Sends what lies in LFS, and returns the operations of the commit that is to name it.

    Shards go one a call and a few at a time, in threads that nobody has to wait for:
    `huggingface_hub` would finish all files that it has begun before Ctrl-C ends it, and with
    Xet it tells nothing of a file before it is done.
    """
    stop = threading.Event()
    additions = [_addition(file, stop) for file in files]
    texts = [a for a in additions if isinstance(a.path_or_fileobj, bytes)]
    shards = [a for a in additions if not isinstance(a.path_or_fileobj, bytes)]
    total = sum(addition.upload_info.size for addition in shards)

    def sent() -> dict[str, int]:
        return {_UNIT: sum(addition.sent_bytes for addition in shards) // 1000}

    with ProgressDisplay(sent, {_UNIT: total // 1000}):
        try:
            if texts:
                hub.upload(list(texts), branch)
            _upload_shards(hub, shards, branch, stop)
        finally:
            stop.set()
    return list(additions)


def _upload_shards(hub: Hub, shards: list["_Addition"], branch: str, stop: threading.Event) -> None:
    """Sends shards in daemon threads; the first error ends them all and is raised."""
    waiting = collections.deque(shards)
    ended: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()

    def work() -> None:
        while waiting and not stop.is_set():
            with contextlib.suppress(IndexError):
                shard = waiting.popleft()
                ended.put(_outcome(hub, shard, branch))

    for _ in range(min(_AT_ONCE, len(shards))):
        threading.Thread(target=work, daemon=True).start()
    for _ in shards:
        error = ended.get()
        if error is not None:
            raise error


def _outcome(hub: Hub, shard: "_Addition", branch: str) -> BaseException | None:
    """Sends one shard; returns what went wrong, for the thread that waits to raise."""
    try:
        hub.upload([shard], branch)
    except BaseException as error:  # noqa: BLE001 - raised by the one who waits.
        return error
    shard.sent_bytes = shard.upload_info.size
    return None


class _Addition(CommitOperationAdd):
    """A file to add, that counts how much of it has been sent."""

    sent_bytes = 0
    stop: threading.Event

    @contextlib.contextmanager
    def as_file(self, with_tqdm: bool = False) -> Iterator[BinaryIO]:
        if isinstance(self.path_or_fileobj, str):
            with _CountedFile(self.path_or_fileobj, self) as file:
                yield file
        else:
            with super().as_file() as file:
                yield file


class _CountedFile(io.FileIO):
    """A file that says how far it has been read, and ends where the user has had enough."""

    def __init__(self, path: str, addition: _Addition) -> None:
        super().__init__(path)
        self._addition = addition

    def read(self, size: int | None = -1, /) -> bytes:
        if self._addition.stop.is_set():
            raise BuildError("stopped")
        data = super().read(-1 if size is None else size)
        self._addition.sent_bytes = self.tell()
        return data or b""


def _addition(file: LocalFile, stop: threading.Event) -> _Addition:
    """Returns the operation that adds a file, as it was when it was looked at.

    Texts are held in memory from now on. Shards are not; LFS takes nothing under a digest that
    is not its own.
    """
    addition = _Addition(file.path, file.source if file.is_shard else _content(file))
    addition.upload_info.sha256 = bytes.fromhex(file.sha256)
    if addition.upload_info.size != file.size_bytes:
        raise BuildError(f"{file.path} has changed while it was being published")
    addition.stop = stop
    return addition


def _content(file: LocalFile) -> bytes:
    with open(file.source, "rb") as opened:
        content = opened.read()
    if hashlib.sha256(content).hexdigest() != file.sha256:
        raise BuildError(f"{file.path} has changed while it was being published")
    return content
