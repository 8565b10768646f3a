"""Figures with the uncertainty that comes from the screens.

What a figure is made from is a table of how often each item occurs. Tables of parts of the
data add up to the table of the whole, so a figure never depends on how the data were cut,
and a bootstrap over thousands of screens stays cheap. Where a figure has no value its
reason says why; there is no nan.
"""

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import TypeVar

import numpy as np

Item = TypeVar("Item", bound=Hashable)


@dataclasses.dataclass(frozen=True, slots=True)
class Statistic:
    """A figure, or the reason why there is none; exactly one of the two is null."""

    value: float | None
    reason: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Interval:
    """Where a figure lies in most resamplings of the screens."""

    low: float | None
    high: float | None
    reason: str | None
    """Why there are no bounds; null if there are."""
    n_screens: int
    n_undefined: int
    """Resamplings in which the figure has no value; they are left out."""


@dataclasses.dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its interval."""

    statistic: Statistic
    interval: Interval


def mean(values: Mapping[float, int]) -> Statistic:
    """Returns the mean of values that occur so many times each."""
    size = sum(values.values())
    if not size:
        return Statistic(None, "there is nothing to average")
    return Statistic(math.fsum(value * times for value, times in values.items()) / size)


def bootstrap_interval(
    by_screen: Mapping[str, Mapping[Item, int]],
    statistic: Callable[[Mapping[Item, int]], Statistic],
    *,
    seed: int = 0,
    replicates: int = 1000,
    confidence: float = 0.95,
) -> Interval:
    """Returns the percentile interval of a figure over resamplings of whole screens.

    Questions of one screen resemble each other, so drawing single questions would make the
    interval too narrow. The draws depend on `seed` and on the number of screens alone.

    Args:
        by_screen: How often each item occurs on each screen.
        statistic: The figure of the items of some screens together.
        seed: Seed of the draws.
        replicates: How many resamplings.
        confidence: Share of the resamplings that lie in the interval, 0 to 1.
    """
    n_screens = len(by_screen)
    if n_screens < 2:
        return Interval(None, None, "fewer than two screens", n_screens, 0)
    drawn = (statistic(table) for table in _resampled(by_screen, seed, replicates))
    values = [result.value for result in drawn if result.value is not None]
    undefined = replicates - len(values)
    if not values:
        return Interval(None, None, "no resampling has a value", n_screens, undefined)
    low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
    return Interval(low, high, None, n_screens, undefined)


def estimate(
    by_screen: Mapping[str, Mapping[Item, int]],
    statistic: Callable[[Mapping[Item, int]], Statistic],
    *,
    seed: int = 0,
    replicates: int = 1000,
) -> Estimate:
    """Returns a figure of all screens with its 95 % interval by screen."""
    interval = bootstrap_interval(by_screen, statistic, seed=seed, replicates=replicates)
    return Estimate(statistic(add_tables(by_screen)), interval)


def add_tables(by_screen: Mapping[str, Mapping[Item, int]]) -> Counter[Item]:
    """Returns how often each item occurs on all screens together."""
    total: Counter[Item] = Counter()
    for table in by_screen.values():
        for item, times in table.items():
            total[item] += times
    return total


def _resampled(
    by_screen: Mapping[str, Mapping[Item, int]], seed: int, replicates: int
) -> Iterator[dict[Item, int]]:
    places: dict[Item, int] = {}
    entries = [
        (at, places.setdefault(item, len(places)), times)
        for at, screen_id in enumerate(sorted(by_screen))
        for item, times in by_screen[screen_id].items()
    ]
    screen, item_at, times = np.array(entries, dtype=np.int64).reshape(-1, 3).T
    n_screens = len(by_screen)
    random = np.random.default_rng(seed)
    for _ in range(replicates):
        draws = random.integers(0, n_screens, size=n_screens)
        weights = np.bincount(draws, minlength=n_screens)
        totals = np.bincount(item_at, weights=weights[screen] * times, minlength=len(places))
        yield {item: int(n) for item, n in zip(places, totals.tolist(), strict=True) if n}
