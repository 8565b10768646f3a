"""The door that every call of a worker goes through, one after the other."""

import asyncio
import heapq
import itertools
from collections.abc import Awaitable, Callable

from transforms.models.limits import Grant, ModelLimiter
from transforms.models.protocol import AskingStoppedError

Sleep = Callable[[float], Awaitable[object]]

_SHORTEST_NAP_S = 0.001
_LONGEST_NAP_S = 1.0


class DoorClosedError(AskingStoppedError):
    """No call begins any more; the reason is another error, of the call that closed the door."""


class Door:
    """Lets calls begin as the limiter allows, and so many at once as the service stands.

    Calls that failed before go first: with a service that turns away six of sixteen, the
    unlucky would else use up their tries. When it turns calls away, half as many are let in
    at once, and one more with each that succeeds, so that a break that it ordered does not
    end in the same crowd.
    """

    def __init__(self, limiter: ModelLimiter, concurrency: int, sleep: Sleep) -> None:
        """Makes a door.

        Args:
            limiter: Says when the next call may begin.
            concurrency: How many calls may be under way at once.
            sleep: Waits that many seconds.
        """
        self._limiter = limiter
        self._most = concurrency
        self._width = concurrency
        self._inside = 0
        self._sleep = sleep
        self._order = itertools.count()
        self._queue: list[tuple[int, int, asyncio.Future[None]]] = []
        self._taken = False
        self._left = asyncio.Event()
        self._closed = False

    async def enter(self, tokens: int, failures: int) -> Grant:
        """Returns once a call may begin. Whoever entered must `leave`.

        Args:
            tokens: How many the call may need.
            failures: How often this call failed before.

        Raises:
            DoorClosedError: If nobody is let in any more.
            QuotaGoneError: If the limiter says so.
        """
        turn = asyncio.get_running_loop().create_future()
        heapq.heappush(self._queue, (-failures, next(self._order), turn))
        self._call_next()
        try:
            await turn
            while self._inside >= self._width and not self._closed:
                self._left.clear()
                await self._left.wait()
            grant = await self._grant(tokens)
            self._inside += 1
            return grant
        finally:
            if turn.done() and not turn.cancelled():
                self._taken = False
                self._call_next()

    def leave(self, *, turned_away: bool) -> None:
        """Makes room for another call.

        Args:
            turned_away: Whether the service found that there are too many.
        """
        self._inside -= 1
        width = self._width // 2 if turned_away else self._width + 1
        self._width = min(max(width, 1), self._most)
        self._left.set()

    def close(self) -> None:
        """Lets nobody in any more, neither those who wait nor those to come."""
        self._closed = True
        self._left.set()

    def _call_next(self) -> None:
        """Lets the first of the queue to the door, if nobody stands there."""
        while self._queue and not self._taken:
            turn = heapq.heappop(self._queue)[-1]
            if not turn.done():  # Else whoever waited was cancelled.
                self._taken = True
                turn.set_result(None)

    async def _grant(self, tokens: int) -> Grant:
        while True:
            if self._closed:
                raise DoorClosedError("asking was stopped")
            grant = self._limiter.take(tokens)
            if grant.delay_s == 0:
                return grant
            # In naps, since a hold may be lengthened meanwhile, and the door closed.
            await self._sleep(min(max(grant.delay_s, _SHORTEST_NAP_S), _LONGEST_NAP_S))
