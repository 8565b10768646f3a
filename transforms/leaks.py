"""What crosses splits that should not: apps, pictures and layouts, here and between data sets."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping

from schemas.builds import LeakGroup, ScreenEntry
from transforms.identifying import id_order


@dataclasses.dataclass(frozen=True, slots=True)
class Crossing:
    """How many groups of two or more screens there are, and which of them cross splits."""

    groups: int
    crossing: tuple[LeakGroup, ...]


def find_crossing(entries: Iterable[ScreenEntry], key_of: Callable[[ScreenEntry], str]) -> Crossing:
    """Returns which groups of screens with one key lie in more than one split.

    Reported as groups and never as pairs: one picture used 30 times is one finding.
    Screens with an empty key belong to no group.
    """
    groups: dict[str, dict[str, list[str]]] = {}
    for entry in entries:
        if key_of(entry):
            groups.setdefault(key_of(entry), {}).setdefault(entry.split, []).append(entry.screen_id)
    several = {key: members for key, members in groups.items() if _size(members) > 1}
    crossing = tuple(
        LeakGroup(
            key,
            tuple(
                (split, tuple(sorted(ids, key=id_order))) for split, ids in sorted(members.items())
            ),
        )
        for key, members in sorted(several.items())
        if len(members) > 1
    )
    return Crossing(len(several), crossing)


def leak_report(
    entries: Iterable[ScreenEntry],
    others: Mapping[str, Mapping[str, str]],
    app_of: Mapping[str, str],
) -> dict[str, object]:
    """Returns all leaks of a build as plain values for `BUILD.json`.

    Args:
        entries: The kept screens, with their splits.
        others: For each other data set, the split of each of its screens by id.
        app_of: App package by screen id, for the screens of other data sets.
    """
    kept = list(entries)
    return {
        "screens": _plain(find_crossing(kept, lambda entry: entry.screen_id)),
        "apps": _plain(find_crossing(kept, lambda entry: entry.app)),
        "pictures": _plain(find_crossing(kept, lambda entry: entry.sha256)),
        "layouts": _plain(find_crossing(kept, lambda entry: entry.layout_hash)),
        "other_datasets": {
            name: _across(kept, splits, app_of) for name, splits in sorted(others.items())
        },
    }


def _across(
    kept: list[ScreenEntry], splits: Mapping[str, str], app_of: Mapping[str, str]
) -> dict[str, object]:
    theirs = [
        ScreenEntry(split, screen_id, app_of.get(screen_id, ""), "", "")
        for screen_id, split in splits.items()
    ]
    app_splits: dict[str, set[str]] = {}
    for entry in theirs:
        if entry.app:
            app_splits.setdefault(entry.app, set()).add(entry.split)
    return {
        "its_own_apps": _plain(find_crossing(theirs, lambda entry: entry.app)),
        "shared_screens": _matrix(
            (entry.split, splits[entry.screen_id]) for entry in kept if entry.screen_id in splits
        ),
        "screens_of_shared_apps": _matrix(
            (entry.split, split) for entry in kept for split in app_splits.get(entry.app, ())
        ),
    }


def _matrix(pairs: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Returns how many screens lie in each (our split, their split)."""
    counts: dict[str, dict[str, int]] = {}
    for ours, other in pairs:
        row = counts.setdefault(ours, {})
        row[other] = row.get(other, 0) + 1
    return {ours: dict(sorted(row.items())) for ours, row in sorted(counts.items())}


def _plain(crossing: Crossing) -> dict[str, object]:
    return {
        "groups": crossing.groups,
        "crossing": len(crossing.crossing),
        "examples": [
            {"key": group.key, **{split: list(ids[:5]) for split, ids in group.members}}
            for group in crossing.crossing[:50]
        ],
    }


def _size(members: Mapping[str, list[str]]) -> int:
    return sum(len(ids) for ids in members.values())
