"""Screens that are the same, or nearly: by bytes, by pixels, by layout and words.

Likeness is reported, as groups, and nothing is left out because of it: only the very same
pixels tie screens together (`transforms.splits`).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy

from schemas.builds import ScreenEntry
from schemas.manifest import DuplicatePolicy
from transforms.identifying import id_order

_BITS = 64
_BLOCK = 1 << 18
"""Pairs of one band that are compared at a time: 2 MB of hashes, however full the band is."""


class DuplicateGroup(NamedTuple):
    """Screens that are the same, or each nearly the same as another of the group.

    `members` are sorted by id. `bits` is the largest difference, of 64, between the layouts
    and between the words of two members that were found alike; 0 for the very same.
    """

    members: tuple[ScreenEntry, ...]
    layout_bits: int = 0
    text_bits: int = 0

    @property
    def crosses_apps(self) -> bool:
        """Whether two members are of different apps, as far as these are known."""
        return len({member.app for member in self.members if member.app}) > 1

    @property
    def crosses_splits(self) -> bool:
        """Whether two members lie in different splits."""
        return len({member.split for member in self.members}) > 1


def same_groups(
    entries: Iterable[ScreenEntry], key_of: Callable[[ScreenEntry], str]
) -> list[DuplicateGroup]:
    """Returns the groups of two or more screens with the same key; empty keys group nothing.

    A screen whose questions lie in several splits is one screen, not its own duplicate.
    """
    by_key: dict[str, list[ScreenEntry]] = defaultdict(list)
    for entry in entries:
        if key_of(entry):
            by_key[key_of(entry)].append(entry)
    return _sorted_groups(
        DuplicateGroup(_ordered(members))
        for members in by_key.values()
        if len({member.screen_id for member in members}) > 1
    )


def near_groups(entries: Sequence[ScreenEntry], policy: DuplicatePolicy) -> list[DuplicateGroup]:
    """Returns the groups of screens that are alike in layout and words, and not the same.

    Two screens are alike if their layout hashes and the hashes of their words differ in no
    more bits than the policy says; a group is what likeness connects. Screens without a
    layout hash (too little contrast) are like no other, and neither are screens without words
    on a screen with words: an empty form and a filled one have one layout. Of screens with the
    very same pixels one stands for all.
    """
    alike = _by_looks(entries)
    looks = list(alike)
    layouts = numpy.array([int(layout, 16) for layout, _ in looks], numpy.uint64)
    words = numpy.array([int(text or "0", 16) for _, text in looks], numpy.uint64)
    wordless = numpy.array([not text for _, text in looks], bool)
    groups = _Groups(len(looks))
    for one, other in _candidates(layouts, policy.layout_bits):
        layout_bits = numpy.bitwise_count(layouts[one] ^ layouts[other])
        text_bits = numpy.bitwise_count(words[one] ^ words[other])
        near = (
            (layout_bits <= policy.layout_bits)
            & (text_bits <= policy.text_bits)
            & (wordless[one] == wordless[other])
        )
        groups.join(one, other, numpy.triu(near, 1), (layout_bits, text_bits))
    return _sorted_groups(
        DuplicateGroup(_ordered(entry for index in members for entry in alike[looks[index]]), *bits)
        for members, bits in groups.found()
        if sum(len(alike[looks[index]]) for index in members) > 1
    )


def duplicate_report(entries: Iterable[ScreenEntry], policy: DuplicatePolicy) -> dict[str, Any]:
    """Returns all groups of duplicates as plain values for `duplicates.json`.

    What has the same bytes has the same pixels; `pixels` are groups of several files,
    `hierarchies` of one tree under several pictures.
    """
    pictured = [entry for entry in entries if entry.sha256]
    return {
        "bytes": _plain(same_groups(pictured, lambda entry: entry.sha256)),
        "pixels": _plain(
            [
                group
                for group in same_groups(pictured, lambda entry: entry.pixels)
                if len({member.sha256 for member in group.members}) > 1
            ]
        ),
        "hierarchies": _plain(
            [
                group
                for group in same_groups(pictured, lambda entry: entry.tree_hash)
                if len({member.pixels or member.sha256 for member in group.members}) > 1
            ]
        ),
        "near": _plain(near_groups(pictured, policy)),
    }


def duplicate_counts(report: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """Returns the counts of a report without its groups, for `BUILD.json`."""
    return {
        kind: {name: count for name, count in found.items() if name != "members"}
        for kind, found in report.items()
    }


def _candidates(layouts: Any, bits: int) -> Iterator[tuple[Any, Any]]:
    """Yields blocks of pairs that may differ in so few bits, some pairs more than once.

    Cut into one more band than bits may differ, two such hashes agree in some band; so only
    those that share a band are compared. A block is a column of indices and a row that begins
    with the same ones: what lies above its diagonal are pairs.
    """
    for low, high in pairwise(_BITS * band // (bits + 1) for band in range(bits + 2)):
        values = (layouts >> numpy.uint64(low)) & numpy.uint64((1 << (high - low)) - 1)
        order = numpy.argsort(values, kind="stable")
        bounds = numpy.flatnonzero(numpy.diff(values[order])) + 1
        for same in numpy.split(order, bounds):
            rows_at_once = _BLOCK // max(len(same), 1) or 1
            for start in range(0, len(same) - 1, rows_at_once):
                yield same[start : start + rows_at_once, None], same[None, start:]


class _Groups:
    """What hangs together by the pairs so far; as large as the things, however many pairs.

    Screens of one app may all be alike: then the pairs are as many as their number's square.
    """

    def __init__(self, size: int) -> None:
        self._labels = numpy.arange(size)
        self._bits = numpy.zeros((2, size), numpy.int64)
        self._waiting: list[tuple[Any, Any]] = []
        self._count = 0

    def join(self, one: Any, other: Any, near: Any, bits: tuple[Any, Any]) -> None:
        """Takes in a block of pairs, of which some are near, and by how many bits they differ."""
        if not near.any():
            return
        rows = one[:, 0]
        for most, found in zip(self._bits, bits, strict=True):
            most[rows] = numpy.maximum(most[rows], numpy.where(near, found, 0).max(axis=1))
        apart = near & (self._labels[one] != self._labels[other])
        found_rows, columns = numpy.nonzero(apart)
        if len(found_rows):
            self._waiting.append((rows[found_rows], other[0, columns]))
            self._count += len(found_rows)
        # Joining a few costs as much as joining many.
        if self._count >= _BLOCK:
            self._settle()

    def found(self) -> Iterator[tuple[list[int], tuple[int, int]]]:
        """Yields the members of each group, and by how many bits two near ones differ most."""
        self._settle()
        order = numpy.argsort(self._labels, kind="stable")
        bounds = numpy.flatnonzero(numpy.diff(self._labels[order])) + 1
        for members in numpy.split(order, bounds):
            if len(members):
                layout_bits, text_bits = self._bits[:, members].max(axis=1)
                yield members.tolist(), (int(layout_bits), int(text_bits))

    def _settle(self) -> None:
        if not self._waiting:
            return
        # Slow to import, and needed at the end of a build only.
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        one, other = map(numpy.concatenate, zip(*self._waiting, strict=True))
        size = len(self._labels)
        pairs = self._labels[one], self._labels[other]
        graph = coo_array((numpy.ones(len(one), bool), pairs), (size, size))
        self._labels = connected_components(graph, directed=False)[1][self._labels]
        self._waiting, self._count = [], 0


def _by_looks(entries: Iterable[ScreenEntry]) -> dict[tuple[str, str], list[ScreenEntry]]:
    """Returns the screens by their hashes; of those of one picture only the first by id."""
    pictures = set()
    alike: dict[tuple[str, str], list[ScreenEntry]] = defaultdict(list)
    for entry in _ordered(entries):
        picture = entry.pixels or entry.sha256
        if entry.layout_hash and picture not in pictures:
            pictures.add(picture)
            alike[entry.layout_hash, entry.text_hash].append(entry)
    return alike


def _ordered(members: Iterable[ScreenEntry]) -> tuple[ScreenEntry, ...]:
    return tuple(sorted(members, key=_place))


def _place(entry: ScreenEntry) -> tuple[tuple[int, str], str]:
    return id_order(entry.screen_id), entry.split


def _sorted_groups(groups: Iterable[DuplicateGroup]) -> list[DuplicateGroup]:
    return sorted(groups, key=lambda group: _place(group.members[0]))


def _plain(groups: Sequence[DuplicateGroup]) -> dict[str, Any]:
    return {
        "groups": len(groups),
        "screens": sum(len({m.screen_id for m in group.members}) for group in groups),
        "across_apps": sum(group.crosses_apps for group in groups),
        "across_splits": sum(group.crosses_splits for group in groups),
        "members": [
            {
                "screens": [[m.screen_id, m.app, m.split] for m in group.members],
                "layout_bits": group.layout_bits,
                "text_bits": group.text_bits,
            }
            for group in groups
        ],
    }
