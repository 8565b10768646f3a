"""Tests of which shard holds which screens."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.manifest import ShardPolicy
from transforms.shard_planning import (
    BUCKETS,
    Load,
    ShardPlace,
    add_loads,
    bucket_of,
    plan_shards,
    plan_splits,
)

POLICY = ShardPolicy(target_bytes=100, max_rows=10)
loads = st.builds(Load, st.integers(0, 150), st.integers(1, 15))
buckets = st.dictionaries(st.integers(0, BUCKETS - 1), loads, max_size=30)


def test_a_screen_keeps_its_bucket_in_every_release():
    # Changing this changes the bytes of every shard: a new major version of all data sets.
    assert [bucket_of(screen_id) for screen_id in ("0", "1", "2", "com.a:0:17")] == [
        2903,
        1197,
        3999,
        3878,
    ]


def test_screens_are_dealt_evenly():
    quarters = [0] * 4
    for number in range(2000):
        quarters[bucket_of(str(number)) * 4 // BUCKETS] += 1
    assert all(400 < count < 600 for count in quarters)


@given(st.text(max_size=20))
def test_every_screen_has_a_bucket(screen_id):
    assert 0 <= bucket_of(screen_id) < BUCKETS


@pytest.mark.parametrize(
    ("sizes", "numbers"),
    [
        ([], []),
        ([(10, 1)], [0]),
        ([(50, 1), (50, 1)], [0, 0]),
        ([(50, 1), (51, 1)], [0, 1]),
        ([(1, 5), (1, 5)], [0, 0]),
        ([(1, 5), (1, 6)], [0, 1]),
        ([(999, 99)], [0]),
        ([(1, 1), (999, 99), (1, 1)], [0, 1, 2]),
        ([(999, 1), (1, 1)], [0, 1]),
    ],
)
def test_buckets_fill_a_shard_up_to_its_bounds(sizes, numbers):
    planned = plan_shards({7 * n: Load(*size) for n, size in enumerate(sizes)}, POLICY)
    total = len(set(numbers))
    assert planned == {7 * n: ShardPlace(number, total) for n, number in enumerate(numbers)}


@given(buckets)
def test_every_bucket_is_placed_and_numbers_have_no_gaps(by_bucket):
    places = plan_shards(by_bucket, POLICY)
    numbers = [places[bucket].number for bucket in sorted(by_bucket)]
    assert places.keys() == by_bucket.keys()
    assert numbers == sorted(numbers)
    assert set(numbers) == set(range(len(set(numbers))))
    assert {place.total for place in places.values()} <= {len(set(numbers))}


@given(buckets)
def test_a_shard_is_within_its_bounds_unless_one_bucket_alone_exceeds_them(by_bucket):
    places = plan_shards(by_bucket, POLICY)
    for _, members in itertools.groupby(sorted(by_bucket), key=lambda b: places[b].number):
        held = [by_bucket[bucket] for bucket in members]
        total = add_loads(held)
        assert total.rows > 0
        assert len(held) == 1 or (total.size_bytes <= 100 and total.rows <= 10)


@given(buckets)
def test_two_shards_in_a_row_would_not_fit_into_one(by_bucket):
    places = plan_shards(by_bucket, POLICY)
    for before, after in itertools.pairwise(sorted(by_bucket)):
        if places[before].number != places[after].number:
            shard = [by_bucket[b] for b in by_bucket if places[b].number == places[before].number]
            joined = add_loads([*shard, by_bucket[after]])
            assert joined.size_bytes > 100 or joined.rows > 10


@given(buckets, st.randoms(use_true_random=False))
def test_the_plan_does_not_depend_on_the_order_of_loads(by_bucket, random):
    shuffled = list(by_bucket.items())
    random.shuffle(shuffled)
    assert plan_shards(dict(shuffled), POLICY) == plan_shards(by_bucket, POLICY)


def test_each_split_is_planned_by_itself():
    table = {("train", 1): (90, 1), ("test", 2): (5, 1), ("train", 9): (90, 1)}
    assert plan_splits(table, POLICY) == {
        ("train", 1): (0, 2),
        ("train", 9): (1, 2),
        ("test", 2): (0, 1),
    }


def test_loads_add_up():
    assert add_loads([]) == Load(0, 0)
    assert add_loads(iter([Load(1, 2), Load(3, 4)])) == Load(4, 6)
