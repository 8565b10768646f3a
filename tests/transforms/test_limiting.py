"""Tests of the limit that threads and processes keep together."""

import json
import multiprocessing
import os
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.limiting import RateLimiter


class FakeClock:
    """A clock that only sleeping moves; threads may share it."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now
        self.naps: list[float] = []
        self._lock = threading.Lock()

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.naps.append(seconds)
            self.now += seconds


def limiter_at(clock: FakeClock, path=None, per_minute=20) -> RateLimiter:
    return RateLimiter(
        None if path is None else str(path), per_minute, clock=clock, sleep=clock.sleep
    )


@pytest.fixture(params=["file", "memory"])
def state(request, tmp_path):
    return tmp_path / "calls" if request.param == "file" else None


def most_in_a_window(moments: list[float], window: float = 60.0) -> int:
    moments = sorted(moments)
    return max(sum(start <= m < start + window for m in moments) for start in moments)


def calls(limiter: RateLimiter, clock: FakeClock, count: int) -> list[float]:
    moments = []
    for _ in range(count):
        limiter.wait()
        moments.append(clock.now)
    return moments


def test_calls_below_the_limit_do_not_wait(state):
    clock = FakeClock()
    assert calls(limiter_at(clock, state), clock, 20) == [clock.now] * 20
    assert clock.naps == []


def test_the_call_above_the_limit_waits_for_its_window(state):
    clock = FakeClock()
    start = clock.now
    moments = calls(limiter_at(clock, state), clock, 41)
    assert moments[20] == start + 60
    assert moments[40] == start + 120


def test_no_nap_is_so_long_that_a_new_hold_would_go_unseen(state):
    clock = FakeClock()
    calls(limiter_at(clock, state), clock, 21)
    assert max(clock.naps) <= 30


@given(
    pauses=st.lists(st.floats(0, 90), min_size=1, max_size=60),
    per_minute=st.integers(1, 7),
)
def test_no_window_ever_holds_more_than_the_limit(pauses, per_minute):
    clock = FakeClock()
    limiter = limiter_at(clock, per_minute=per_minute)
    moments = []
    for pause in pauses:
        clock.now += pause
        moments += calls(limiter, clock, 1)
    assert most_in_a_window(moments, 60 - 1e-6) <= per_minute


def test_nothing_is_let_through_while_held(state):
    clock = FakeClock()
    limiter = limiter_at(clock, state)
    start = clock.now
    limiter.hold_for(1800)
    assert limiter.pending() == 1800
    assert calls(limiter, clock, 1) == [start + 1800]
    assert limiter.pending() == 0


def test_a_shorter_hold_does_not_shorten_a_longer_one(state):
    clock = FakeClock()
    limiter = limiter_at(clock, state)
    limiter.hold_for(100)
    limiter.hold_for(5)
    limiter.hold_until(clock.now - 5)
    limiter.hold_until(clock.now + 7)
    assert limiter.pending() == 100


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf")])
def test_a_hold_for_no_time_is_refused(seconds):
    with pytest.raises(ValueError, match="no time to wait"):
        limiter_at(FakeClock()).hold_for(seconds)


def test_a_limit_of_none_is_refused():
    with pytest.raises(ValueError, match="would be none"):
        RateLimiter(None, 0)


def test_limiters_of_one_file_share_calls_and_holds(tmp_path):
    clock = FakeClock()
    path = tmp_path / "calls"
    first, second = limiter_at(clock, path), limiter_at(clock, path)
    calls(first, clock, 12)
    calls(second, clock, 8)
    assert first.pending() == second.pending() == 60
    second.hold_for(500)
    assert limiter_at(clock, path).pending() == 500


def test_a_limiter_with_a_lower_limit_forgets_no_calls_of_the_others(tmp_path):
    clock = FakeClock()
    path = tmp_path / "calls"
    calls(limiter_at(clock, path, 20), clock, 19)
    assert limiter_at(clock, path, 5).pending() == 60
    assert limiter_at(clock, path, 20).pending() == 0


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"null",
        b"[]",
        b"\x00\xff",
        b'{"calls": [1e999], "held_at": 0, "held_until": 0}',
        b'{"calls": ["x"], "held_at": 0, "held_until": 0}',
        b'{"calls": 7, "held_at": 0, "held_until": 0}',
        b'{"calls": [], "held_at": NaN, "held_until": 0}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_state_counts_as_a_full_minute_and_is_mended(tmp_path, content):
    path = tmp_path / "calls"
    path.write_bytes(content)
    clock = FakeClock()
    limiter = limiter_at(clock, path)
    assert limiter.pending() == 60
    limiter.wait()
    assert json.loads(path.read_bytes())["calls"] == [clock.now]


def test_a_shorter_state_leaves_nothing_of_a_longer_one(tmp_path):
    clock = FakeClock()
    path = tmp_path / "calls"
    calls(limiter_at(clock, path), clock, 20)
    clock.now += 100
    limiter_at(clock, path).wait()
    assert json.loads(path.read_bytes())["calls"] == [clock.now]


def test_a_clock_set_back_makes_nobody_wait_longer_than_asked(state):
    clock = FakeClock()
    limiter = limiter_at(clock, state)
    calls(limiter, clock, 20)
    limiter.hold_for(300)
    clock.now -= 86_400
    assert limiter.pending() == 300
    limiter.hold_for(10)
    clock.now += 300
    assert limiter.pending() == 0


def test_calls_of_a_future_that_was_taken_back_count_as_just_made(state):
    clock = FakeClock()
    limiter = limiter_at(clock, state)
    calls(limiter, clock, 20)
    clock.now -= 86_400
    assert limiter.pending() == 60
    assert calls(limiter, clock, 1) == [1_000_000 - 86_400 + 60]


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "elsewhere").write_text("precious")
    (tmp_path / "calls").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic"):
        RateLimiter(str(tmp_path / "calls"), 20).wait()
    assert (tmp_path / "elsewhere").read_text() == "precious"


def test_four_threads_together_keep_the_limit(state):
    clock = FakeClock()
    limiter = limiter_at(clock, state)
    moments: list[float] = []

    def work() -> None:
        for _ in range(25):
            limiter.wait()
            moments.append(clock.now)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(moments) == 100
    # A thread may note its moment after another one moved the clock, so the state is asked.
    assert clock.now >= 1_000_000 + 4 * 60


def _call_repeatedly(path: str, count: int, results) -> None:
    """Calls in a process of its own; a real minute is played in six tenths of a second."""
    limiter = RateLimiter(
        path, 20, clock=lambda: time.time() * 100, sleep=lambda seconds: time.sleep(seconds / 100)
    )
    moments = []
    for _ in range(count):
        before = time.time() * 100
        limiter.wait()
        moments.append((before, time.time() * 100))
    results.put(moments)


def test_two_processes_with_two_threads_each_keep_the_limit(tmp_path):
    path = str(tmp_path / "calls")
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    start = time.time() * 100
    workers = [
        context.Process(target=_two_threads, args=(path, results), daemon=True) for _ in range(2)
    ]
    for worker in workers:
        worker.start()
    moments = [moment for _ in range(4) for _, moment in results.get()]
    for worker in workers:
        worker.join()
    assert len(moments) == 48
    # Two full windows were let through, and a third was begun, no earlier than allowed.
    assert sorted(moments)[20] >= start + 60
    assert sorted(moments)[40] >= start + 120
    assert os.path.getsize(path) < 2000


def _two_threads(path: str, results) -> None:
    threads = [
        threading.Thread(target=_call_repeatedly, args=(path, 12, results)) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
