"""Which shard holds which screens: from sizes alone, never from workers."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from schemas.manifest import ShardPolicy
from transforms.identifying import stable_fraction

BUCKETS = 4096
"""Screens are dealt to this many buckets by their id; a shard is a run of whole buckets."""

_SALT = "shard"


class Load(NamedTuple):
    """What a part of a split weighs."""

    size_bytes: int
    rows: int


class ShardPlace(NamedTuple):
    """A shard's number, from 0, and how many shards its split has."""

    number: int
    total: int


def bucket_of(screen_id: str) -> int:
    """Returns the bucket of a screen, 0 to `BUCKETS` - 1, by its id alone."""
    return int(stable_fraction(_SALT, screen_id) * BUCKETS)


def plan_shards(loads: Mapping[int, Load], policy: ShardPolicy) -> dict[int, ShardPlace]:
    """Returns the shard of each bucket of one split.

    Buckets are packed in order until the next one would exceed the policy's bytes or
    rows; one that exceeds them by itself gets a shard of its own. So no shard is empty,
    numbers have no gaps, and the plan follows from the loads alone.
    """
    numbers: dict[int, int] = {}
    current = Load(0, 0)
    number = 0
    for bucket in sorted(loads):
        load = loads[bucket]
        size_bytes, rows = current.size_bytes + load.size_bytes, current.rows + load.rows
        if current.rows and (size_bytes > policy.target_bytes or rows > policy.max_rows):
            number += 1
            size_bytes, rows = load
        current = Load(size_bytes, rows)
        numbers[bucket] = number
    return {bucket: ShardPlace(number_of, number + 1) for bucket, number_of in numbers.items()}


def plan_splits(
    loads: Mapping[tuple[str, int], tuple[int, int]], policy: ShardPolicy
) -> dict[tuple[str, int], tuple[int, int]]:
    """Returns the shard, as (number, total), of each (split, bucket) of a configuration.

    Plain tuples on both sides: the table is large and travels to every worker.
    """
    by_split: dict[str, dict[int, Load]] = {}
    for (split, bucket), (size_bytes, rows) in loads.items():
        by_split.setdefault(split, {})[bucket] = Load(size_bytes, rows)
    return {
        (split, bucket): (place.number, place.total)
        for split, buckets in by_split.items()
        for bucket, place in plan_shards(buckets, policy).items()
    }


def add_loads(loads: Iterable[Load]) -> Load:
    """Returns the sum of loads."""
    size_bytes = rows = 0
    for load in loads:
        size_bytes += load.size_bytes
        rows += load.rows
    return Load(size_bytes, rows)
