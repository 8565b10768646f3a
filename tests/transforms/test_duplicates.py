"""Tests of finding screens that are the same, or nearly."""

import dataclasses
import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.builds import ScreenEntry
from schemas.manifest import DuplicatePolicy
from transforms import duplicates
from transforms.duplicates import (
    DuplicateGroup,
    duplicate_counts,
    duplicate_report,
    near_groups,
    same_groups,
)
from transforms.identifying import id_order

POLICY = DuplicatePolicy()
LAYOUT, WORDS = 0x0F0F_1234_5678_9ABC, 0xFEDC_BA98_7654_3210


def hashed(number):
    return f"{number:016x}"


def flipped(number, *bits):
    for bit in bits:
        number ^= 1 << bit
    return number


def entry(screen_id, layout=LAYOUT, words=WORDS, *, app="", split="train", file="", pixels=""):
    return ScreenEntry(
        split=split,
        screen_id=str(screen_id),
        app=app,
        sha256=file or f"file {screen_id}",
        layout_hash="" if layout is None else hashed(layout),
        pixels=pixels or file or f"pixels {screen_id}",
        text_hash="" if words is None else hashed(words),
    )


def near(*entries, **policy):
    """Returns ids, layout bits and text bits of each group."""
    found = near_groups(entries, DuplicatePolicy(**policy))
    return [
        ([member.screen_id for member in group.members], group.layout_bits, group.text_bits)
        for group in found
    ]


# The same


def test_screens_of_one_key_are_a_group_in_the_order_of_ids():
    entries = [entry(10, file="a"), entry(3, file="b"), entry(9, file="a"), entry(2, file="b")]
    assert same_groups(entries, lambda e: e.sha256) == [
        DuplicateGroup((entries[3], entries[1])),
        DuplicateGroup((entries[2], entries[0])),
    ]


def test_a_screen_in_two_splits_is_not_its_own_duplicate():
    both = [entry(7, file="a", split="test"), entry(7, file="a", split="train")]
    assert same_groups(both, lambda e: e.sha256) == []
    assert near(*both) == []
    (group,) = same_groups([*both, entry(8, file="a")], lambda e: e.sha256)
    assert [m.screen_id for m in group.members] == ["7", "7", "8"]


def test_an_empty_key_groups_nothing():
    assert same_groups([entry(1), entry(2)], lambda e: "") == []


# Nearly the same


def test_screens_are_near_up_to_the_bits_of_the_policy():
    first = entry(1)
    for layout_bits, text_bits in itertools.product(range(6), range(9)):
        layout = flipped(LAYOUT, *range(3, 3 + 11 * layout_bits, 11))
        words = flipped(WORDS, *range(0, 7 * text_bits, 7))
        is_near = layout_bits <= 3 and text_bits <= 6
        expected = [(["1", "2"], layout_bits, text_bits)] if is_near else []
        assert near(first, entry(2, layout, words)) == expected


def test_what_likeness_connects_is_one_group_with_its_largest_difference():
    """1 and 3 are unlike one another, and each like 2."""
    steps = [LAYOUT, flipped(LAYOUT, 0, 20, 40), flipped(LAYOUT, 0, 20, 40, 50, 60)]
    words = [WORDS, flipped(WORDS, 1), flipped(WORDS, 1, 2, 3, 4, 5)]
    entries = [entry(n, *looks) for n, looks in enumerate(zip(steps, words, strict=True), 1)]
    assert near(entries[0], entries[2]) == []
    assert near(*entries) == [(["1", "2", "3"], 3, 4)]


def test_difference_is_that_of_likes_and_not_of_ends():
    chain = [flipped(LAYOUT, *range(0, 16 * n, 8)) for n in range(4)]
    assert near(*(entry(n, layout) for n, layout in enumerate(chain))) == [
        (["0", "1", "2", "3"], 2, 0)
    ]


def test_a_screen_of_little_contrast_is_like_no_other():
    assert near(entry(1, None), entry(2, None), layout_bits=8, text_bits=64) == []


def test_a_form_without_words_is_not_like_one_with_words():
    empty = [entry(1, words=None), entry(2, words=None)]
    assert near(*empty) == [(["1", "2"], 0, 0)]
    # Even if all words may differ, and even from a hash without any bit.
    assert near(empty[0], entry(3), text_bits=64) == []
    assert near(empty[0], entry(3, words=0), text_bits=64) == []


def test_a_picture_used_many_times_stands_in_a_group_once():
    same = [entry(n, file="a") for n in range(1, 50)]
    assert near(*same) == []
    other = entry(50, flipped(LAYOUT, 3))
    assert near(*same, other) == [(["1", "50"], 1, 0)]
    # Of files that differ it is the pixels that tell.
    files = [entry(n, file=f"file {n}", pixels="a") for n in range(1, 5)]
    assert near(*files) == []


def test_pictures_that_differ_and_have_equal_hashes_are_near():
    assert near(entry(2), entry(1)) == [(["1", "2"], 0, 0)]


def test_nothing_is_near_where_there_is_nothing():
    assert near() == []
    assert near(entry(1)) == []


def test_hashes_of_all_and_of_no_bits_are_hashes():
    zero, ones = 0, (1 << 64) - 1
    assert near(entry(1, ones, ones), entry(2, ones ^ 1 << 63, ones)) == [(["1", "2"], 1, 0)]
    assert near(entry(1, zero, zero), entry(2, 1 << 63, zero)) == [(["1", "2"], 1, 0)]
    assert near(entry(1, zero, zero), entry(2, ones, zero)) == []
    assert near(entry(1, zero, zero), entry(2, ones, ones), layout_bits=64, text_bits=64) == [
        (["1", "2"], 64, 64)
    ]


# Against comparing all with all


def by_brute_force(entries, policy):
    """Returns the groups as `near_groups` does, every pair looked at."""
    standing = {}
    for found in sorted(entries, key=lambda e: (id_order(e.screen_id), e.split)):
        if found.layout_hash:
            standing.setdefault(found.pixels, found)
    screens = list(standing.values())
    groups = {at: {at} for at in range(len(screens))}
    worst = {}
    for one, other in itertools.combinations(range(len(screens)), 2):
        a, b = screens[one], screens[other]
        bits = [
            (int(getattr(a, name) or "0", 16) ^ int(getattr(b, name) or "0", 16)).bit_count()
            for name in ("layout_hash", "text_hash")
        ]
        alike = bits[0] <= policy.layout_bits and bits[1] <= policy.text_bits
        if alike and bool(a.text_hash) == bool(b.text_hash):
            worst[one, other] = bits
            united = groups[one] | groups[other]
            groups.update(dict.fromkeys(united, united))
    found = []
    for members in {tuple(sorted(group)) for group in groups.values() if len(group) > 1}:
        differences = [bits for pair, bits in worst.items() if set(pair) <= set(members)]
        largest = [max(bits[part] for bits in differences) for part in (0, 1)]
        found.append(DuplicateGroup(tuple(screens[at] for at in members), *largest))
    return sorted(found, key=lambda group: id_order(group.members[0].screen_id))


@st.composite
def screens_with_neighbours(draw):
    """Gives screens of which many differ from an earlier one in a few bits."""
    entries = []
    for number in range(draw(st.integers(0, 14))):
        layout = draw(st.sampled_from([0, LAYOUT]) | st.integers(0, (1 << 64) - 1))
        words = draw(st.none() | st.sampled_from([0, WORDS]))
        if entries and draw(st.integers(0, 3)):
            near_to = draw(st.sampled_from(entries))
            places = st.lists(st.integers(0, 63), max_size=9)
            if near_to.layout_hash:
                layout = flipped(int(near_to.layout_hash, 16), *draw(places))
            if near_to.text_hash:
                words = flipped(int(near_to.text_hash, 16), *draw(places))
        if draw(st.integers(0, 9)) == 0:
            layout = None
        pixels = draw(st.sampled_from(["", "", "", "a", "b"]))
        entries.append(entry(number, layout, words, pixels=pixels))
        if draw(st.integers(0, 9)) == 0:
            entries.append(entry(number, layout, words, pixels=pixels, split="test"))
    return entries


@pytest.mark.parametrize("layout_bits", range(9))
@settings(max_examples=60)
@given(
    entries=screens_with_neighbours(),
    text_bits=st.integers(0, 64),
    random=st.randoms(use_true_random=False),
)
def test_the_groups_are_those_of_comparing_all_with_all(layout_bits, entries, text_bits, random):
    policy = DuplicatePolicy(layout_bits, text_bits)
    expected = by_brute_force(entries, policy)
    assert near_groups(entries, policy) == expected
    random.shuffle(entries)
    assert near_groups(entries, policy) == expected


def test_many_screens_of_one_band_are_compared_in_pieces(monkeypatch):
    """All share the upper half of their layout hash, so that one band holds them all."""
    entries = [entry(n, 0xABCD << 48 | (n * 2654435761) % (1 << 30), None) for n in range(500)]
    entries += [entry(n + 500, int(e.layout_hash, 16) ^ 1, None) for n, e in enumerate(entries)]
    whole = near_groups(entries, POLICY)
    assert len(whole) > 300
    assert sum(len(group.members) for group in whole) == 1000
    for block in (1, 1000, 1001, 7000, 999_000):
        monkeypatch.setattr(duplicates, "_BLOCK", block)
        assert near_groups(entries, POLICY) == whole


# The report


def members(*groups):
    return [
        {"screens": screens, "layout_bits": layout_bits, "text_bits": text_bits}
        for screens, layout_bits, text_bits in groups
    ]


def test_the_report_tells_bytes_from_pixels_from_looks():
    far = flipped(LAYOUT, *range(30))
    entries = [
        entry(1, app="com.a", split="train", file="a"),
        entry(2, app="com.b", split="test", file="a"),
        entry(3, far, app="com.a", file="b", pixels="p"),
        entry(4, far, app="com.a", file="c", pixels="p"),
        entry(5, flipped(LAYOUT, 0), app="", split="train"),
    ]
    # The third and fourth have one picture: one tree under it is nothing new.
    entries = [
        dataclasses.replace(
            found, tree_hash="t" if found.screen_id in "15" else "u" * (n in (2, 3))
        )
        for n, found in enumerate(entries)
    ]
    report = duplicate_report(entries, POLICY)
    assert report == {
        "hierarchies": {
            "groups": 1,
            "screens": 2,
            "across_apps": 0,
            "across_splits": 0,
            "members": members(([["1", "com.a", "train"], ["5", "", "train"]], 0, 0)),
        },
        "bytes": {
            "groups": 1,
            "screens": 2,
            "across_apps": 1,
            "across_splits": 1,
            "members": members(([["1", "com.a", "train"], ["2", "com.b", "test"]], 0, 0)),
        },
        "pixels": {
            "groups": 1,
            "screens": 2,
            "across_apps": 0,
            "across_splits": 0,
            "members": members(([["3", "com.a", "train"], ["4", "com.a", "train"]], 0, 0)),
        },
        "near": {
            "groups": 1,
            "screens": 2,
            "across_apps": 0,  # Of the fifth screen no app is known.
            "across_splits": 0,
            "members": members(([["1", "com.a", "train"], ["5", "", "train"]], 1, 0)),
        },
    }
    assert duplicate_counts(report)["bytes"] == {
        "groups": 1,
        "screens": 2,
        "across_apps": 1,
        "across_splits": 1,
    }


def test_a_screen_of_two_splits_counts_once_and_crosses():
    entries = [
        entry(1, file="a", split="train"),
        entry(1, file="a", split="test"),
        entry(2, file="a", split="train"),
    ]
    found = duplicate_counts(duplicate_report(entries, POLICY))["bytes"]
    assert found == {"groups": 1, "screens": 2, "across_apps": 0, "across_splits": 1}


def test_without_pictures_nothing_is_a_duplicate():
    bare = [ScreenEntry("train", str(n), "com.a", "", "") for n in range(3)]
    nothing = {"groups": 0, "screens": 0, "across_apps": 0, "across_splits": 0, "members": []}
    assert duplicate_report(bare, POLICY) == dict.fromkeys(
        ("bytes", "pixels", "hierarchies", "near"), nothing
    )


@settings(max_examples=40)
@given(screens_with_neighbours(), st.randoms(use_true_random=False))
def test_the_order_of_screens_changes_no_report(entries, random):
    report = duplicate_report(entries, POLICY)
    random.shuffle(entries)
    assert duplicate_report(iter(entries), POLICY) == report
