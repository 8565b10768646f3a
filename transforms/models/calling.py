"""Asking questions: what is stored first, then as fast as it may be, each paid once."""

import asyncio
import contextlib
import dataclasses
import os
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TypeVar

from schemas.models import ModelPolicy, ModelReply, ModelRequest
from schemas.records import Record
from transforms.locking import Claim
from transforms.models.admission import Sleep
from transforms.models.cache import ReplyCache
from transforms.models.limits import ModelLimiter
from transforms.models.paying import Payer
from transforms.models.pricing import FINAL, Judge, judged
from transforms.models.protocol import Provider
from transforms.models.spending import Ledger

_CLAIM_NAP_S = 0.05
T = TypeVar("T")


@dataclasses.dataclass(frozen=True, slots=True)
class Question(Record):
    """One question of a task. Its request is the first attempt.

    `judge` says whether a text is of the form that was asked for; None takes any. `images`
    are the pictures whose digests the request has.
    """

    request: ModelRequest
    judge: Judge | None = None
    images: tuple[bytes, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Answered(Record):
    """What became of a question: its last request, and what that came to.

    `tries` is how many replies there were, this one included.
    """

    request: ModelRequest
    reply: ModelReply
    tries: int


class Caller:
    """Asks on behalf of one worker. All of it happens on one event loop.

    Attributes:
        failure: What ended all asking; None while nothing did.
    """

    def __init__(
        self,
        policy: ModelPolicy,
        provider: Provider,
        cache: ReplyCache,
        limiter: ModelLimiter,
        ledger: Ledger,
        claims: str,
        *,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        """Makes a caller.

        Args:
            policy: How to ask.
            provider: Whom to ask.
            cache: Where replies are, and go.
            limiter: How fast; shared by all workers.
            ledger: For how much; shared by all workers.
            claims: The folder where workers say which request they are asking.
            sleep: Waits that many seconds.
        """
        self.failure: BaseException | None = None
        self._policy = policy
        self._cache = cache
        self._ledger = ledger
        self._claims = claims
        self._sleep = sleep
        self._payer = Payer(policy, provider, cache, limiter, ledger, sleep)
        self._under_way: dict[str, asyncio.Task[ModelReply]] = {}
        os.makedirs(claims, exist_ok=True)

    @property
    def paid(self) -> int:
        """How many calls this object made that brought a reply."""
        return self._payer.paid

    async def ask(self, question: Question) -> Answered:
        """Returns what becomes of a question.

        A reply of no use (truncated, empty, malformed) is asked for anew, as often as the
        policy says in all; one that was blocked is not. Without any reply after
        `paying.PATIENCE` tries, this question alone comes to nothing (`ReplyOutcome.UNAVAILABLE`).

        Raises:
            AskingStoppedError: If no question will be answered any more.
        """
        tries = 0
        while True:
            request = dataclasses.replace(question.request, attempt=tries)
            reply = await self._reply_to(request, question.images)
            tries += 1
            outcome = judged(reply.outcome, reply.text, question.judge)
            if outcome in FINAL or tries >= self._policy.tries:
                return Answered(request, dataclasses.replace(reply, outcome=outcome), tries)

    def stored(self, question: Question) -> Answered | None:
        """Returns what becomes of a question if that is known from stored replies alone."""
        for attempt in range(self._policy.tries):
            request = dataclasses.replace(question.request, attempt=attempt)
            reply = self._stored_reply(request)
            if reply is None:
                return None
            outcome = judged(reply.outcome, reply.text, question.judge)
            if outcome in FINAL or attempt + 1 == self._policy.tries:
                return Answered(request, dataclasses.replace(reply, outcome=outcome), attempt + 1)
        return None

    def stop(self, reason: BaseException) -> None:
        """Lets no further call begin; those under way end, and are stored."""
        if self.failure is None:
            self.failure = reason
        self._payer.stop()

    async def _reply_to(self, request: ModelRequest, images: Sequence[bytes]) -> ModelReply:
        key = request.key
        reply = await self._unblocked(self._stored_reply, request)
        if reply is not None:
            return reply
        task = self._under_way.get(key)
        if task is None:
            task = asyncio.create_task(self._pay_once(request, images))
            self._under_way[key] = task
            task.add_done_callback(lambda _: self._under_way.pop(key, None))
        # Shielded, since others may wait for the same reply, which is being paid for.
        return await asyncio.shield(task)

    def _stored_reply(self, request: ModelRequest) -> ModelReply | None:
        key = request.key
        reply = self._cache.get(key)
        if reply is not None:
            self._payer.works = True
            if self._ledger.is_open(key):
                self._ledger.pay(request, reply)
        return reply

    async def _pay_once(self, request: ModelRequest, images: Sequence[bytes]) -> ModelReply:
        """Returns the reply to a request that nobody else is asking, or just did."""
        try:
            async with self._claimed(request.key):
                reply = await self._unblocked(self._stored_reply, request)
                if reply is not None:
                    return reply
                await self._unblocked(self._cache.set_aside, request.key)
                return await self._payer.pay(request, images)
        except BaseException as error:
            self.stop(error)
            raise

    @contextlib.asynccontextmanager
    async def _claimed(self, key: str) -> AsyncIterator[None]:
        claim = Claim(f"{self._claims}/{key}")
        while not claim.take():
            await self._sleep(_CLAIM_NAP_S)
        try:
            yield
        finally:
            claim.give_up()

    async def _unblocked(self, look: Callable[..., T], *args: object) -> T:
        """Looks into the store: at once on a disk, in a thread over the net."""
        if self._cache.is_local:
            return look(*args)
        return await asyncio.to_thread(look, *args)


async def ask_all(questions: Sequence[Question], caller: Caller) -> list[Answered]:
    """Returns what becomes of each question, in their order.

    Raises:
        AskingStoppedError: If they cannot all be asked. First all calls that are under way
            end and are stored.
    """
    results = await asyncio.gather(
        *(caller.ask(question) for question in questions), return_exceptions=True
    )
    failures = [result for result in results if isinstance(result, BaseException)]
    if failures:
        raise caller.failure or failures[0]
    return [result for result in results if isinstance(result, Answered)]
