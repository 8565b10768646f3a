"""A limit on calls that all threads and processes of a machine keep together.

A service counts the calls of an address, not those of a worker: limits that each worker
keeps for itself add up, until the service answers nobody.
"""

import contextlib
import json
import math
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from transforms.locking import HeldFile, hold

WINDOW_S = 60.0
_SHORTEST_NAP_S = 0.001
_LONGEST_NAP_S = 30.0


class _State(NamedTuple):
    """When calls were made in the last window, and from when to when none may be made."""

    calls: tuple[float, ...] = ()
    held_at: float = 0.0
    held_until: float = 0.0


class RateLimiter:
    """Lets at most `per_minute` calls begin in any 60 seconds, and none while held.

    The moments of the last minute's calls are kept, not a bucket of tokens: a bucket that
    refills while it is emptied lets nearly twice the limit through in its first minute.
    The state is a small file under a lock, so that any number of threads and processes
    share it, and a hold outlives the process that was told to wait.

    The clock must be the wall clock where there is a file: a monotonic one starts anew with
    the machine, and a hold with it. Should the wall clock be set back, what lies in the
    future by it is taken to be now, so that nobody ever waits longer than was asked.
    """

    def __init__(
        self,
        path: str | None,
        per_minute: int,
        *,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Makes a limiter.

        Args:
            path: The file of the shared state; None keeps it within this object.
            per_minute: How many calls may begin in any 60 seconds.
            clock: Returns seconds.
            sleep: Waits that many seconds.

        Raises:
            ValueError: If no call at all would be allowed.
        """
        if per_minute < 1:
            raise ValueError(f"{per_minute} calls a minute would be none")
        self._path = path
        self._per_minute = per_minute
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._kept = _State()
        self._file: HeldFile | None = None

    def wait(self) -> None:
        """Returns once a call may be made, which is then counted."""
        while True:
            with self._locked() as state:
                now = self._clock()
                delay = self._delay(state, now)
                if delay <= 0:
                    self._keep(state._replace(calls=(*state.calls, now)))
                    return
            # In naps, since a hold may be lengthened meanwhile, and a laptop may sleep. A nap
            # below what a clock can tell would be repeated without end.
            self._sleep(min(max(delay, _SHORTEST_NAP_S), _LONGEST_NAP_S))

    def pending(self) -> float:
        """Returns in how many seconds the next call may be made."""
        with self._locked() as state:
            return max(self._delay(state, self._clock()), 0.0)

    def hold_for(self, seconds: float) -> None:
        """Lets no call begin for so long from now, as a server may order; never shortens."""
        if not 0 <= seconds < math.inf:
            raise ValueError(f"{seconds} seconds is no time to wait")
        with self._locked() as state:
            now = self._clock()
            if now + seconds > state.held_until:
                self._keep(state._replace(held_at=now, held_until=now + seconds))

    def hold_until(self, moment: float) -> None:
        """Lets no call begin before a moment of the limiter's clock; never shortens."""
        self.hold_for(max(moment - self._clock(), 0.0))

    def _delay(self, state: _State, now: float) -> float:
        """Returns the seconds until a call may begin; 0 or less if it may now."""
        free = now
        if len(state.calls) >= self._per_minute:
            free = state.calls[-self._per_minute] + WINDOW_S
        return max(free, state.held_until) - now

    @contextlib.contextmanager
    def _locked(self) -> Iterator[_State]:
        """Holds the lock and gives the state as of now, stored already if that is another."""
        with self._lock:
            if self._path is None:
                self._kept = _as_of(self._kept, self._clock())
                yield self._kept
                return
            with hold(self._path) as self._file:
                now = self._clock()
                data = self._file.read()
                state = _as_of(self._parse(data, now), now)
                # What is taken to be now must not be so again at the next look.
                if data != _encoded(state):
                    self._keep(state)
                yield state

    def _keep(self, state: _State) -> None:
        """Stores a state; to be called while it is locked."""
        if self._file is None:
            self._kept = state
        else:
            # Should the write break off, the text is none, which counts as a full minute.
            self._file.replace(_encoded(state))

    def _parse(self, data: bytes, now: float) -> _State:
        if not data:
            return _State()
        try:
            found = json.loads(data)
            state = _State(
                tuple(_moment(call) for call in found["calls"]),
                _moment(found["held_at"]),
                _moment(found["held_until"]),
            )
        except (ValueError, KeyError, TypeError, RecursionError):
            # Nobody knows what was called: as if the limit had just been reached.
            return _State(calls=(now,) * self._per_minute)
        return state


def _encoded(state: _State) -> bytes:
    return json.dumps(state._asdict()).encode()


def _moment(value: Any) -> float:
    moment = float(value)
    if not math.isfinite(moment):
        raise ValueError(f"{moment} is no moment")
    return moment


def _as_of(state: _State, now: float) -> _State:
    """Returns the state without calls of earlier windows, and with none in the future."""
    calls = tuple(sorted(min(call, now) for call in state.calls if call > now - WINDOW_S))
    held_at, held_until = state.held_at, state.held_until
    if held_at > now:  # The clock was set back: what is left of the hold stays as long.
        held_at, held_until = now, now + held_until - held_at
    return _State(calls, held_at, held_until)
