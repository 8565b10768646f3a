"""How fast a model may be asked: one account of it for all workers of a machine."""

import contextlib
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from schemas.models import Limits
from transforms.limiting import WINDOW_S
from transforms.locking import HeldFile, hold
from transforms.models.protocol import QuotaGoneError

_SLICE_S = 0.25
"""Calls of so long a time are kept as one: of thousands a minute, each would be too many."""

_DAY_S = 86_400


class _Slice(NamedTuple):
    """Calls that began close to one another, and the tokens that they were held to need."""

    first: float
    last: float
    calls: int
    tokens: int


class _State(NamedTuple):
    slices: tuple[_Slice, ...] = ()
    day: int = 0
    day_calls: int = 0
    held_at: float = 0.0
    held_until: float = 0.0


class Grant(NamedTuple):
    """Whether a call may begin: now if `delay_s` is 0, else not before so many seconds."""

    delay_s: float
    slice: float = 0.0


class ModelLimiter:
    """Lets calls begin as `Limits` allow, and none while a server wants none.

    Like `transforms.limiting.RateLimiter`, which counts nothing but calls: the last minute
    is kept, in slices whose calls all count until the last of them is a minute old. So the
    limit is never exceeded, and less than half a percent of it is given away. Tokens are
    those that a call may need at most, put right once its reply is there.

    The file is shared by all workers of a machine, and tells the next build of a hold and
    of the day's calls. Workers of several machines each keep the limits for themselves.
    """

    def __init__(
        self, path: str, limits: Limits, *, clock: Callable[[], float] = time.time
    ) -> None:
        """Makes a limiter.

        Args:
            path: The file of the shared state.
            limits: What to keep.
            clock: Returns the seconds since 1970.

        Raises:
            ValueError: If no call at all would be allowed.
        """
        bounds = (limits.per_minute, limits.tokens_per_minute, limits.per_day, limits.concurrency)
        if any(bound is not None and bound < 1 for bound in bounds):
            raise ValueError("a limit below 1 would allow no call")
        self._path = path
        self._limits = limits
        self._clock = clock

    def take(self, tokens: int) -> Grant:
        """Counts a call if it may begin now, else says how long to wait at least.

        Args:
            tokens: How many it may need, prompt and reply.

        Raises:
            QuotaGoneError: If the day's calls are used up.
        """
        with self._held() as (file, state, now):
            delay = self._delay(state, now, tokens)
            if delay > 0:
                return Grant(delay)
            if self._limits.per_day is not None and state.day_calls >= self._limits.per_day:
                raise QuotaGoneError(
                    f"the {self._limits.per_day:,} calls a day of the manifest (per_day) are "
                    "made. All replies are stored; the same command goes on after midnight UTC"
                )
            slices = _with_call(state.slices, now, tokens)
            state = state._replace(slices=slices, day_calls=state.day_calls + 1)
            file.replace(_encoded(state))
            return Grant(0.0, slices[-1].first)

    def correct(self, grant: Grant, surplus: int) -> None:
        """Takes back `surplus` tokens of a call that needed fewer than it might have."""
        if self._limits.tokens_per_minute is None or not surplus:
            return
        with self._held() as (file, state, _):
            slices = tuple(
                s._replace(tokens=max(s.tokens - surplus, 0)) if s.first == grant.slice else s
                for s in state.slices
            )
            file.replace(_encoded(state._replace(slices=slices)))

    def hold_for(self, seconds: float) -> None:
        """Lets no call begin for so long from now, as a server may order; never shortens."""
        if not 0 <= seconds < math.inf:
            raise ValueError(f"{seconds} seconds is no time to wait")
        with self._held() as (file, state, now):
            if now + seconds > state.held_until:
                state = state._replace(held_at=now, held_until=now + seconds)
                file.replace(_encoded(state))

    def _delay(self, state: _State, now: float, tokens: int) -> float:
        """Returns the seconds until a call may begin; 0 or less if it may now."""
        free = state.held_until
        if self._limits.per_minute is not None:
            room = self._limits.per_minute - 1
            free = max(free, _free_at(state.slices, [s.calls for s in state.slices], room))
        if self._limits.tokens_per_minute is not None:
            # What needs more than a minute's tokens has a minute to itself.
            room = max(self._limits.tokens_per_minute - tokens, 0)
            free = max(free, _free_at(state.slices, [s.tokens for s in state.slices], room))
        return free - now

    @contextlib.contextmanager
    def _held(self) -> Iterator[tuple[HeldFile, _State, float]]:
        """Holds the lock, and gives file, state as of now, and now."""
        with hold(self._path) as file:
            now = self._clock()
            found = self._parse(file.read(), now)
            state = _as_of(found, now)
            if found.held_at > now or any(s.last > now for s in found.slices):
                # What is taken to be now must not be so again at the next look.
                file.replace(_encoded(state))
            yield file, state, now

    def _parse(self, data: bytes, now: float) -> _State:
        if not data:
            return _State()
        try:
            found = json.loads(data)
            return _State(
                tuple(
                    _Slice(_moment(first), _moment(last), int(calls), int(tokens))
                    for first, last, calls, tokens in found["slices"]
                ),
                int(found["day"]),
                int(found["day_calls"]),
                _moment(found["held_at"]),
                _moment(found["held_until"]),
            )
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            # Nobody knows what was called: as if a minute's calls had just been made.
            calls, tokens = self._limits.per_minute or 0, self._limits.tokens_per_minute or 0
            return _State((_Slice(now, now, calls, tokens),))


def _encoded(state: _State) -> bytes:
    return json.dumps(state._asdict()).encode()


def _moment(value: Any) -> float:
    moment = float(value)
    if not math.isfinite(moment):
        raise ValueError(f"{moment} is no moment")
    return moment


def _free_at(slices: Sequence[_Slice], amounts: Sequence[int], room: int) -> float:
    """Returns when so much has left the last minute that no more than `room` is in it."""
    total = sum(amounts)
    free = 0.0
    for one, amount in zip(slices, amounts, strict=True):
        if total <= room:
            break
        total -= amount
        free = one.last + WINDOW_S
    return free


def _with_call(slices: tuple[_Slice, ...], now: float, tokens: int) -> tuple[_Slice, ...]:
    if slices and now - slices[-1].first < _SLICE_S:
        last = slices[-1]
        return (*slices[:-1], _Slice(last.first, now, last.calls + 1, last.tokens + tokens))
    return (*slices, _Slice(now, now, 1, tokens))


def _as_of(state: _State, now: float) -> _State:
    """Returns the state without what is over, and with nothing in the future."""
    slices = tuple(
        s if s.last <= now else s._replace(first=min(s.first, now), last=now)
        for s in state.slices
        if s.last > now - WINDOW_S
    )
    held_at, held_until = state.held_at, state.held_until
    if held_at > now:  # The clock was set back: what is left of the hold stays as long.
        held_at, held_until = now, now + held_until - held_at
    today = int(now // _DAY_S)
    day_calls = state.day_calls if state.day == today else 0
    return _State(slices, today, day_calls, held_at, held_until)
