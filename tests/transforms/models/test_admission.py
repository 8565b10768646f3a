"""Tests of the door that calls go through."""

import asyncio

import pytest

from schemas.models import Limits
from transforms.models.admission import Door, DoorClosedError
from transforms.models.limits import ModelLimiter
from transforms.models.protocol import QuotaGoneError


class Street:
    """A door, the limiter behind it, and a clock that only sleeping moves."""

    def __init__(self, tmp_path, concurrency=4, **limits):
        self.now = 1_796_000_000.0
        limiter = ModelLimiter(str(tmp_path / "limits"), Limits(**limits), clock=lambda: self.now)
        self.limiter = limiter
        self.door = Door(limiter, concurrency, self.sleep)
        self.entered: list[str] = []

    async def sleep(self, seconds):
        await asyncio.sleep(0)
        self.now += seconds

    async def go(self, name, failures=0):
        await self.door.enter(1, failures)
        self.entered.append(name)


async def settle():
    for _ in range(50):
        await asyncio.sleep(0)


def test_no_more_are_inside_than_may_be(tmp_path):
    async def run():
        street = Street(tmp_path, concurrency=2)
        goers = [asyncio.create_task(street.go(name)) for name in "abcd"]
        await settle()
        assert street.entered == ["a", "b"]
        street.door.leave(turned_away=False)
        await settle()
        assert street.entered == ["a", "b", "c"]
        street.door.leave(turned_away=False)
        await asyncio.gather(*goers)

    asyncio.run(run())


def test_those_that_failed_before_go_first(tmp_path):
    async def run():
        street = Street(tmp_path, concurrency=1)
        await street.go("first")
        goers = [
            asyncio.create_task(street.go(name, failures))
            for name, failures in [("at the door", 0), ("new", 0), ("failed", 1), ("twice", 2)]
        ]
        for _ in range(4):
            await settle()
            street.door.leave(turned_away=False)
        await asyncio.gather(*goers)
        assert street.entered == ["first", "at the door", "twice", "failed", "new"]

    asyncio.run(run())


def test_when_the_service_turns_calls_away_fewer_are_let_in_then_more_again(tmp_path):
    async def run():
        street = Street(tmp_path, concurrency=4)
        for _ in range(4):
            await street.go("x")
        for _ in range(4):
            street.door.leave(turned_away=True)
        goers = [asyncio.create_task(street.go("y")) for _ in range(8)]
        counts = []
        for _ in range(4):
            await settle()
            counts.append(street.entered.count("y"))
            street.door.leave(turned_away=False)
        # One at first; each that succeeds makes room for itself and one more, up to four.
        assert counts == [1, 3, 5, 7]
        await asyncio.gather(*goers)

    asyncio.run(run())


def test_the_limit_is_kept_and_waiting_ends_in_time(tmp_path):
    async def run():
        street = Street(tmp_path, concurrency=9, per_minute=2)
        start = street.now
        await asyncio.gather(*(street.go(name) for name in "abcde"))
        assert 120 <= street.now - start < 121

    asyncio.run(run())


def test_once_closed_nobody_gets_in_neither_those_who_wait(tmp_path):
    async def run():
        street = Street(tmp_path, concurrency=1)
        await street.go("a")
        goers = [asyncio.create_task(street.go(name)) for name in "bc"]
        await settle()
        street.door.close()
        goers.append(asyncio.create_task(street.go("d")))
        results = await asyncio.gather(*goers, return_exceptions=True)
        assert [type(result) for result in results] == [DoorClosedError] * 3
        assert street.entered == ["a"]

    asyncio.run(run())


def test_one_who_waits_during_a_hold_learns_soon_that_the_door_was_closed(tmp_path):
    async def run():
        street = Street(tmp_path)
        street.limiter.hold_for(1800)
        start = street.now
        goer = asyncio.create_task(street.go("a"))
        await asyncio.sleep(0)
        street.door.close()
        with pytest.raises(DoorClosedError):
            await goer
        assert street.now - start <= 2

    asyncio.run(run())


def test_a_day_without_calls_left_is_said_to_the_one_at_the_door_and_lets_on_the_next(tmp_path):
    async def run():
        street = Street(tmp_path, per_day=1)
        results = await asyncio.gather(*(street.go(n) for n in "abc"), return_exceptions=True)
        assert [type(result) for result in results] == [type(None), QuotaGoneError, QuotaGoneError]

    asyncio.run(run())


def test_one_who_goes_away_is_passed_over(tmp_path):
    async def run():
        street = Street(tmp_path, concurrency=1)
        await street.go("a")
        goers = [asyncio.create_task(street.go(name)) for name in "bcd"]
        await settle()
        goers[0].cancel()  # At the door.
        goers[1].cancel()  # In the queue.
        await settle()
        street.door.leave(turned_away=False)
        await asyncio.wait(goers)
        assert street.entered == ["a", "d"]

    asyncio.run(run())
