"""Bringing replies into the store by the service's batch mode: cheaper, and in its own time.

Nothing is used from here: questions are asked as ever afterwards, and find their replies
stored. What did not come back, or not with the key of its question, is then asked singly.
"""

import asyncio
import contextlib
import dataclasses
import hashlib
import json
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from schemas.models import ModelReply, ModelRequest
from transforms.locking import Claim
from transforms.models.admission import Sleep
from transforms.models.cache import ReplyCache, request_of
from transforms.models.cache_folders import DAMAGED
from transforms.models.protocol import (
    AskingStoppedError,
    BatchProvider,
    ServiceDownError,
    TryLaterError,
)
from transforms.models.spending import BudgetSpentError, Ledger

_FIRST_POLL_S = 5.0
_LONGEST_POLL_S = 60.0
_PATIENCE = 8
T = TypeVar("T")


@dataclasses.dataclass(frozen=True, slots=True)
class _Job:
    """A batch that was handed over, as written down in a file until its replies are stored."""

    path: str
    name: str
    requests: Mapping[str, ModelRequest]


class Batcher:
    """Hands questions over in batches, and stores what comes back.

    Each batch is written down as soon as it was handed over: a build that was killed while
    the service worked at it fetches it when it is run again, and pays nothing twice.
    """

    def __init__(
        self,
        provider: BatchProvider,
        cache: ReplyCache,
        ledger: Ledger,
        folder: str,
        claims: str,
        *,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        """Makes a batcher.

        Args:
            provider: Whom to hand questions over to.
            cache: Where replies go.
            ledger: The account that they are entered in.
            folder: Where batches under way are written down.
            claims: The folder where workers say which request they are asking.
            sleep: Waits that many seconds.
        """
        self._provider = provider
        self._cache = cache
        self._ledger = ledger
        self._folder = folder
        self._claims = claims
        self._sleep = sleep
        os.makedirs(folder, exist_ok=True)
        os.makedirs(claims, exist_ok=True)

    async def bring(self, requests: Sequence[ModelRequest]) -> None:
        """Brings into the store what replies the service gives to requests not stored yet.

        What the budget allows is handed over, and once its replies tell what it did cost,
        as much as fits then.

        Raises:
            AskingStoppedError: If the budget is spent, the service is down or refuses, or
                its replies contradict themselves.
        """
        wanted = {request.key: request for request in requests if not request.images}
        for job in self._jobs():
            if wanted.keys() & job.requests.keys():
                await self._finish(job)
        claims = {key: Claim(f"{self._claims}/{key}") for key in wanted}
        try:
            # Those that somebody else is asking come by themselves.
            mine = [k for k in wanted if claims[k].take() and self._cache.get(k) is None]
            if mine and not self._cache.is_writable:
                await asyncio.to_thread(self._cache.try_writing)
            left = [wanted[key] for key in mine]
            while left:
                left = await self._bring_some(left)
        finally:
            for claim in claims.values():
                claim.give_up()

    async def _bring_some(self, requests: Sequence[ModelRequest]) -> list[ModelRequest]:
        """Brings what the budget allows, and returns what it did not allow so far.

        Raises:
            BudgetSpentError: If it allows none.
        """
        left, jobs = list(requests), list[_Job]()
        spent: BudgetSpentError | None = None
        while left and spent is None:
            try:
                job = await self._hand_over(left[: self._provider.batch_size])
            except BudgetSpentError as error:
                if not jobs:
                    raise
                spent = error
            else:
                jobs.append(job)
                left = [request for request in left if request.key not in job.requests]
        for job in jobs:
            await self._finish(job)
        return left

    async def _hand_over(self, wanted: Sequence[ModelRequest]) -> _Job:
        """Hands over the first of some requests, as many as the budget allows.

        Raises:
            BudgetSpentError: If it allows none.
        """

        async def begin() -> tuple[str, list[ModelRequest]]:
            begun = self._begin(wanted)
            try:
                return await self._provider.begin_batch(begun), begun
            except TryLaterError as error:
                for request in begun:
                    if error.perhaps_paid:
                        self._ledger.lose(request)
                    else:
                        self._ledger.free(request)
                raise
            except AskingStoppedError:
                self._free(begun)
                raise

        name, requests = await self._patiently(begin)
        path = f"{self._folder}/{hashlib.sha256(name.encode()).hexdigest()}.json"
        document = {"name": name, "requests": [dataclasses.asdict(r) for r in requests]}
        with open(f"{path}.part", "w", encoding="utf-8") as file:
            json.dump(document, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(f"{path}.part", path)
        return _Job(path, name, {request.key: request for request in requests})

    def _begin(self, requests: Sequence[ModelRequest]) -> list[ModelRequest]:
        """Enters requests into the ledger, and returns those that the budget allows."""
        begun: list[ModelRequest] = []
        try:
            for request in requests:
                self._ledger.begin(request)
                begun.append(request)
        except BudgetSpentError:
            if not begun:
                raise
        except BaseException:
            with contextlib.suppress(OSError):
                self._free(begun)
            raise
        return begun

    def _free(self, requests: Sequence[ModelRequest]) -> None:
        for request in requests:
            self._ledger.free(request)

    async def _finish(self, job: _Job) -> None:
        """Waits for a batch and stores its replies; or until another worker did."""
        claim = Claim(f"{job.path}.claim")
        while not claim.take():
            await self._sleep(_FIRST_POLL_S)
        try:
            if os.path.exists(job.path):
                await self._store(job, await self._replies(job))
                os.unlink(job.path)
        finally:
            claim.give_up()

    async def _replies(self, job: _Job) -> Mapping[str, ModelReply]:
        keys = frozenset(job.requests)
        poll = _FIRST_POLL_S
        while True:
            replies = await self._patiently(lambda: self._provider.read_batch(job.name, keys))
            if replies is not None:
                return replies
            await self._sleep(poll)
            poll = min(poll * 2, _LONGEST_POLL_S)

    async def _store(self, job: _Job, replies: Mapping[str, ModelReply]) -> None:
        for key, request in job.requests.items():
            reply = replies.get(key)
            if reply is None:
                self._ledger.free(request)
            elif self._cache.get(key) is None:
                await asyncio.to_thread(self._cache.put, request, reply)
                self._ledger.pay(request, reply)

    async def _patiently(self, call: Callable[[], Awaitable[T]]) -> T:
        what = ""
        for failures in range(_PATIENCE):
            try:
                return await call()
            except TryLaterError as error:
                what = error.what
                pause = min(2.0**failures, _LONGEST_POLL_S)
                await self._sleep(pause if error.delay_s is None else error.delay_s)
        raise ServiceDownError(
            f"the batch mode of the service does not work ({what}). What was handed over is "
            "written down: the same command fetches it"
        )

    def _jobs(self) -> list[_Job]:
        names = sorted(name for name in os.listdir(self._folder) if name.endswith(".json"))
        return [job for name in names if (job := _read_job(f"{self._folder}/{name}")) is not None]


def _read_job(path: str) -> _Job | None:
    """Returns a batch that was written down; None if another worker just finished it.

    A damaged file is moved aside: its batch is lost, and its questions are asked anew.
    """
    try:
        with open(path, encoding="utf-8") as file:
            document: dict[str, Any] = json.load(file)
        requests = [request_of(fields) for fields in document["requests"]]
        return _Job(path, str(document["name"]), {request.key: request for request in requests})
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, IsADirectoryError):
        folder, _, name = path.rpartition("/")
        os.makedirs(f"{folder}/{DAMAGED}", exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            os.replace(path, f"{folder}/{DAMAGED}/{name}")
        return None
