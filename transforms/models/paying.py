"""Making calls that cost something: in time, within limits and budget, stored at once."""

import asyncio
import hashlib
from collections.abc import Sequence

from schemas.models import ModelPolicy, ModelReply, ModelRequest
from transforms.models.admission import Door, Sleep
from transforms.models.cache import ReplyCache
from transforms.models.limits import Grant, ModelLimiter
from transforms.models.pricing import most_output_tokens, prompt_tokens
from transforms.models.protocol import (
    AskingStoppedError,
    Provider,
    RefusedRequestError,
    ServiceDownError,
    TryLaterError,
)
from transforms.models.replying import unavailable
from transforms.models.spending import BudgetSpentError, Ledger

PATIENCE = 8
"""How often one call is tried while the service says, or seems to mean, later."""

_FIRST_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 60.0
_GRACE_S = 5.0
_DOWN_AFTER = 5


class Payer:
    """Makes the calls of one worker.

    Attributes:
        paid: How many calls brought a reply.
        works: Whether the policy is known to work, since a reply to it was seen.
    """

    def __init__(
        self,
        policy: ModelPolicy,
        provider: Provider,
        cache: ReplyCache,
        limiter: ModelLimiter,
        ledger: Ledger,
        sleep: Sleep,
    ) -> None:
        """Makes a payer; the arguments are those of `calling.Caller`."""
        self.paid = 0
        self.works = False
        self._policy = policy
        self._provider = provider
        self._cache = cache
        self._limiter = limiter
        self._ledger = ledger
        self._sleep = sleep
        self._door = Door(limiter, policy.limits.concurrency, sleep)
        self._open = 0
        self._ended = asyncio.Event()
        self._down = 0
        self._trying = asyncio.Lock()

    def stop(self) -> None:
        """Lets no further call begin."""
        self._door.close()

    async def pay(self, request: ModelRequest, images: Sequence[bytes]) -> ModelReply:
        """Returns the reply to a request, stored already.

        If none came in `PATIENCE` tries, what stands for it (`ReplyOutcome.UNAVAILABLE`),
        which is not stored.

        Raises:
            AskingStoppedError: If no request will be answered any more.
        """
        if not self._cache.is_writable:
            await self._try_writing()
        what = ""
        for failures in range(PATIENCE):
            try:
                reply = await self._call(request, images, failures)
            except TryLaterError as error:
                what = error.what
                await self._heed(error, request.key, failures)
                continue
            except RefusedRequestError as error:
                if self.works and error.perhaps_only_this:
                    return unavailable(error.what)
                raise
            self.works = True
            self._down = 0
            self.paid += 1
            return reply
        return self._given_up(what)

    async def _try_writing(self) -> None:
        async with self._trying:
            if self._cache.is_writable:
                return
            if self._cache.is_local:
                self._cache.try_writing()
            else:
                await asyncio.to_thread(self._cache.try_writing)

    async def _call(
        self, request: ModelRequest, images: Sequence[bytes], failures: int
    ) -> ModelReply:
        """Makes one call, and stores what it brings before anybody sees it."""
        most = prompt_tokens(request) + most_output_tokens(request)
        grant = await self._door.enter(most, failures)
        turned_away = False
        try:
            await self._begin(request)
            self._open += 1
            try:
                reply = await self._ask(request, images)
                # Still inside the door, so that no more than may be under way can be lost.
                await asyncio.to_thread(self._cache.put, request, reply)
                self._ledger.pay(request, reply)
            finally:
                self._open -= 1
                self._ended.set()
        except TryLaterError as error:
            turned_away = error.crowded
            raise
        finally:
            self._door.leave(turned_away=turned_away)
        self._correct(grant, most, reply)
        return reply

    async def _begin(self, request: ModelRequest) -> None:
        """Enters a call into the ledger.

        Calls under way count with the most that they may cost. Before they are the reason
        to stop, they are waited for: most will have cost less.
        """
        while True:
            self._ended.clear()
            try:
                self._ledger.begin(request)
                return
            except BudgetSpentError:
                if not self._open:
                    raise
            await self._ended.wait()

    async def _ask(self, request: ModelRequest, images: Sequence[bytes]) -> ModelReply:
        """Makes a call that was begun; what is not refused may have to be paid for."""
        try:
            return await self._in_time(request, images)
        except TryLaterError as error:
            if error.perhaps_paid:
                self._ledger.lose(request)
            else:
                self._ledger.free(request)
            raise
        except AskingStoppedError:
            self._ledger.free(request)
            raise

    async def _in_time(self, request: ModelRequest, images: Sequence[bytes]) -> ModelReply:
        if tuple(hashlib.sha256(image).hexdigest() for image in images) != request.images:
            raise ValueError("the pictures are not those of the request")
        seconds = self._policy.timeout_s + _GRACE_S
        try:
            async with asyncio.timeout(seconds):
                return await self._provider.ask(request, images)
        except TimeoutError:
            raise TryLaterError(f"no reply within {seconds:g} s", perhaps_paid=True) from None

    def _correct(self, grant: Grant, most: int, reply: ModelReply) -> None:
        used = reply.prompt_tokens + reply.output_tokens
        if used:
            self._limiter.correct(grant, most - used)

    async def _heed(self, error: TryLaterError, key: str, failures: int) -> None:
        """Waits before the next try: as the server orders, else longer each time.

        What the server orders holds for all workers; so does a pause because calls came
        too fast. Other faults may be of one connection, and stop no other call.
        """
        pause = _pause(key, failures) if error.delay_s is None else error.delay_s
        if error.delay_s is not None or error.crowded:
            self._limiter.hold_for(pause)
        elif failures + 1 < PATIENCE:
            await self._sleep(pause)

    def _given_up(self, what: str) -> ModelReply:
        self._down += 1
        if self._down >= _DOWN_AFTER:
            raise ServiceDownError(
                f"{self._down} questions one after the other got no reply in {PATIENCE} tries "
                f"each ({what}). All replies are stored; the same command asks for the rest"
            )
        return unavailable(what)


def _pause(key: str, failures: int) -> float:
    """Returns the seconds before the next try: doubled each time, and parted by the key."""
    longest = min(_FIRST_PAUSE_S * 2**failures, _LONGEST_PAUSE_S)
    drawn = int.from_bytes(hashlib.sha256(f"{key}{failures}".encode()).digest()[:4]) / 2**32
    return longest * (1 + drawn) / 2
