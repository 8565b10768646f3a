"""Tests of the limits that all workers keep together."""

import json
import multiprocessing
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.models import Limits
from transforms.models.limits import ModelLimiter
from transforms.models.protocol import QuotaGoneError

NOON = 20_000 * 86_400 + 43_200.0


class Clock:
    """Stands still until it is moved."""

    def __init__(self, now: float = NOON) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def limiter_at(path, clock, **limits) -> ModelLimiter:
    return ModelLimiter(str(path), Limits(**limits), clock=clock)


def moments(limiter, clock, count, tokens=1):
    """Returns when each of `count` calls begins if each waits as it is told."""
    found = []
    while len(found) < count:
        delay = limiter.take(tokens).delay_s
        if delay:
            clock.now += delay
        else:
            found.append(clock.now)
    return found


@pytest.fixture
def path(tmp_path):
    return tmp_path / "limits"


def test_without_limits_nobody_waits_and_little_is_kept(path):
    clock = Clock()
    assert moments(limiter_at(path, clock), clock, 500) == [NOON] * 500
    assert path.stat().st_size < 300


def test_calls_above_a_minutes_wait_for_the_next(path):
    clock = Clock()
    found = moments(limiter_at(path, clock, per_minute=20), clock, 41)
    assert found[19] == NOON
    assert found[20] == pytest.approx(NOON + 60)
    assert found[40] == pytest.approx(NOON + 120)


@given(
    pauses=st.lists(st.floats(0, 30), min_size=1, max_size=60),
    per_minute=st.integers(1, 7),
    tokens=st.lists(st.integers(0, 40), min_size=60, max_size=60),
)
def test_no_minute_ever_holds_more_than_the_limits(tmp_path_factory, pauses, per_minute, tokens):
    clock = Clock()
    path = tmp_path_factory.mktemp("limits") / "limits"
    limiter = limiter_at(path, clock, per_minute=per_minute, tokens_per_minute=50)
    begun = []
    for pause, need in zip(pauses, tokens, strict=False):
        clock.now += pause
        begun += [(moment, need) for moment in moments(limiter, clock, 1, need)]
    for start, _ in begun:
        inside = [need for moment, need in begun if start <= moment < start + 60 - 1e-3]
        assert len(inside) <= per_minute
        assert sum(inside) <= 50


def test_at_a_high_rate_next_to_nothing_is_given_away(path):
    clock = Clock()
    limiter = limiter_at(path, clock, per_minute=600)
    begun = []
    while clock.now < NOON + 300:
        delay = limiter.take(1).delay_s
        begun += [clock.now] if not delay else []
        clock.now += max(delay, 0.05)
    assert 0.985 * 3000 <= len(begun) <= 3000


def test_tokens_are_put_right_once_the_reply_is_there(path):
    clock = Clock()
    limiter = limiter_at(path, clock, tokens_per_minute=100)
    grant = limiter.take(90)
    assert limiter.take(20).delay_s == 60
    limiter.correct(grant, 75)
    assert limiter.take(20).delay_s == 0
    clock.now += 61
    limiter.correct(grant, 15)  # Long over: of no importance.
    assert limiter.take(100).delay_s == 0


def test_a_call_larger_than_a_minute_has_one_to_itself(path):
    clock = Clock()
    limiter = limiter_at(path, clock, tokens_per_minute=100)
    assert limiter.take(500).delay_s == 0
    assert limiter.take(1).delay_s == 60
    clock.now += 60
    assert limiter.take(500).delay_s == 0


def test_the_days_calls_end_with_a_sentence_and_come_back_at_midnight_utc(path):
    clock = Clock()
    limiter = limiter_at(path, clock, per_day=3)
    moments(limiter, clock, 3)
    with pytest.raises(QuotaGoneError, match=r"the 3 calls a day .* after midnight UTC"):
        limiter.take(1)
    clock.now = NOON + 43_199
    with pytest.raises(QuotaGoneError):
        limiter_at(path, clock, per_day=3).take(1)
    clock.now = NOON + 43_200
    assert limiter.take(1).delay_s == 0


def test_a_hold_counts_for_all_and_is_never_shortened(path):
    clock = Clock()
    first, second = limiter_at(path, clock), limiter_at(path, clock, per_minute=5)
    first.hold_for(58)
    first.hold_for(3)
    assert second.take(1).delay_s == 58
    clock.now += 57.9
    assert second.take(1).delay_s == pytest.approx(0.1)
    clock.now += 0.1
    assert second.take(1).delay_s == 0


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf")])
def test_a_hold_for_no_time_is_refused(path, seconds):
    with pytest.raises(ValueError, match="no time to wait"):
        limiter_at(path, Clock()).hold_for(seconds)


@pytest.mark.parametrize("name", ["per_minute", "tokens_per_minute", "per_day", "concurrency"])
def test_a_limit_that_lets_nothing_through_is_refused(path, name):
    with pytest.raises(ValueError, match="below 1"):
        limiter_at(path, Clock(), **{name: 0})


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"[]",
        b"\x00\xff",
        b'{"slices": [[1, 2, 3]], "day": 0, "day_calls": 0, "held_at": 0, "held_until": 0}',
        b'{"slices": [], "day": 1e999, "day_calls": 0, "held_at": 0, "held_until": 0}',
        b'{"slices": [], "day": 0, "day_calls": 0, "held_at": NaN, "held_until": 0}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_state_counts_as_a_full_minute_and_is_mended(path, content):
    path.write_bytes(content)
    clock = Clock()
    limiter = limiter_at(path, clock, per_minute=5)
    assert limiter.take(1).delay_s == pytest.approx(60)
    clock.now += 61
    path.write_bytes(content)
    assert limiter_at(path, clock).take(1).delay_s == 0
    assert json.loads(path.read_bytes())["day_calls"] == 1


def test_a_clock_set_back_makes_nobody_wait_longer_than_asked(path):
    clock = Clock()
    limiter = limiter_at(path, clock, per_minute=1)
    limiter.take(1)
    limiter.hold_for(300)
    clock.now -= 86_400
    assert limiter.take(1).delay_s == 300
    limiter.hold_for(10)
    clock.now += 300
    assert limiter.take(1).delay_s == 0


def _call(path: str, count: int, results) -> None:
    """Calls in a process of its own; a minute is played in six tenths of a second."""
    limiter = ModelLimiter(path, Limits(per_minute=20), clock=lambda: time.time() * 100)
    begun = []
    while len(begun) < count:
        delay = limiter.take(1).delay_s
        if delay:
            time.sleep(delay / 100)
        else:
            begun.append(time.time() * 100)
    results.put(begun)


def test_two_processes_keep_the_limit_together(path):
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    start = time.time() * 100
    workers = [context.Process(target=_call, args=(str(path), 24, results)) for _ in range(2)]
    for worker in workers:
        worker.start()
    begun = sorted(moment for _ in workers for moment in results.get())
    for worker in workers:
        worker.join()
    assert begun[20] >= start + 60
    assert begun[40] >= start + 120
