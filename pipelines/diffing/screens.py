"""Which screens are in a data set, and in which split."""

from collections import defaultdict
from collections.abc import Mapping

from pipelines.diffing.sides import Place, Side
from schemas.differences import AppMoved, Moved, ScreensDifference
from transforms.identifying import id_order

NO_SCREENS = ScreensDifference((), (), (), (), (), ())
"""Nothing differs."""


def screens_difference(before: Side, after: Side) -> ScreensDifference:
    """Returns what differs in the split lists; lists that are the same files are not read.

    Raises:
        UserError: If a list is missing, or a file of rejects is damaged.
    """
    if before.split_lists() == after.split_lists():
        return NO_SCREENS
    mine, theirs = before.screens(), after.screens()
    return compare_screens(mine, theirs, before.blocked_screens(), after.blocked_screens())


def compare_screens(
    before: Mapping[str, Place],
    after: Mapping[str, Place],
    blocked_before: set[str],
    blocked_after: set[str],
) -> ScreensDifference:
    """Returns the same of what the lists and the rejects hold."""
    added, removed = after.keys() - before.keys(), before.keys() - after.keys()
    both = sorted(before.keys() & after.keys(), key=id_order)
    return ScreensDifference(
        added=_ordered(added),
        removed=_ordered(removed),
        moved=tuple(
            Moved(screen, before[screen][0], after[screen][0])
            for screen in both
            if before[screen][0] != after[screen][0]
        ),
        apps_moved=_apps_moved(before, after),
        taken_down=_ordered(removed & blocked_after),
        restored=_ordered(added & blocked_before),
    )


def _apps_moved(before: Mapping[str, Place], after: Mapping[str, Place]) -> tuple[AppMoved, ...]:
    mine, theirs = _splits_of_apps(before), _splits_of_apps(after)
    return tuple(
        AppMoved(app, tuple(sorted(mine[app])), tuple(sorted(theirs[app])))
        for app in sorted(mine.keys() & theirs.keys())
        if mine[app] != theirs[app]
    )


def _splits_of_apps(screens: Mapping[str, Place]) -> dict[str, set[str]]:
    apps: dict[str, set[str]] = defaultdict(set)
    for split, app in screens.values():
        if app:
            apps[app].add(split)
    return apps


def _ordered(screens: set[str]) -> tuple[str, ...]:
    return tuple(sorted(screens, key=id_order))
