"""Rules of what may not cross splits: screens, apps, pictures, and what looks nearly the same.

All is worked out anew from the shards' rows and the lists in `splits/`; what `BUILD.json` says
of leaks is not believed.
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from pipelines.checking.subjects import Subject, rows_of
from pipelines.checking.verdicts import Rule, Verdict, not_applicable, verdict
from pipelines.terminal import counted
from schemas.builds import DUPLICATES, LeakGroup, ScreenEntry
from schemas.manifest import SplitBy, Twins
from transforms.identifying import id_order
from transforms.leaks import find_crossing

TRAIN = "train"


def no_screen_in_two_splits(subject: Subject) -> Verdict:
    """No screen has rows in two splits.

    Published splits that the manifest takes as they are (`by: official, twins: report`) are
    left as they are, and the screens counted.
    """
    entries = _entries_of_rows(subject)
    crossing = find_crossing(entries, lambda entry: entry.screen_id).crossing
    policy = subject.build.summary["splits"]
    as_published = policy["by"] == SplitBy.OFFICIAL and policy["twins"] == Twins.REPORT
    return _crossing_verdict(entries, crossing, "screen", strict=not as_published)


def no_app_in_two_splits(subject: Subject) -> Verdict:
    """No app has rows in two splits, where splits are made by app; elsewhere they are counted."""
    entries = [entry for entry in _entries_of_rows(subject) if entry.app]
    if not entries:
        return not_applicable("no app is known")
    crossing = find_crossing(entries, lambda entry: entry.app).crossing
    strict = subject.build.summary["splits"]["by"] == SplitBy.APP
    return _crossing_verdict(entries, crossing, "app", strict=strict)


def no_picture_in_train_and_evaluation(subject: Subject) -> Verdict:
    """No picture of validation or test is in train too, unless the manifest asks for a report.

    A picture is the same by its pixels, as the split lists have them, and by its bytes: those
    of the rows where pictures were read, else the lists'.
    """
    if not subject.build.has_pictures:
        return not_applicable("the build has no pictures")
    strict = subject.build.summary["splits"]["twins"] == Twins.DROP_FROM_TRAIN
    entries = _with_read_digests(subject)
    keys: tuple[Callable[[ScreenEntry], str], ...] = (lambda e: e.pixels, lambda e: e.sha256)
    crossing = [
        group
        for key_of in keys
        for group in find_crossing(entries, key_of).crossing
        if TRAIN in dict(group.members) and _several_screens(group)
    ]
    # The same screens by pixels and by bytes are one finding.
    distinct = {group.members: group for group in crossing}
    return _crossing_verdict(entries, list(distinct.values()), "picture", strict=strict)


def few_near_duplicates(subject: Subject) -> Verdict:
    """Few screens of validation and test have a near duplicate in another split.

    Near duplicates are those of `duplicates.json` (alike in layout and words); in which splits
    they lie is taken from the lists. The share that may is the manifest's.
    """
    report = subject.build.report(DUPLICATES)
    if not subject.build.has_pictures or report is None:
        return not_applicable("the build has no pictures")
    splits: dict[str, set[str]] = {}
    for entry in subject.entries:
        splits.setdefault(entry.screen_id, set()).add(entry.split)
    evaluated = {screen for screen, of_it in splits.items() if of_it - {TRAIN}}
    if not evaluated:
        return not_applicable("there is neither validation nor test")
    near: set[str] = set()
    for group in report["near"]["members"]:
        near |= _crossing_screens(group, splits) & evaluated
    allowed = subject.limits.near_duplicate_screens
    told = (
        f"{len(near):,} of {len(evaluated):,} screens of validation and test "
        f"({len(near) / len(evaluated):.1%}) have a near duplicate in another split"
    )
    if len(near) <= allowed * len(evaluated):
        return verdict(len(evaluated), "screen", (), note=told if near else "")
    first = ", ".join(sorted(near, key=id_order)[:5])
    return verdict(
        len(evaluated),
        "screen",
        [
            f"{told}, such as {first}; {allowed:.1%} may (checks.near_duplicate_screens in the "
            f"manifest); {DUPLICATES} lists them"
        ],
    )


def _crossing_screens(group: Any, splits: dict[str, set[str]]) -> set[str]:
    """Returns the screens of a group of near duplicates of which one lies in another split."""
    members = [str(screen) for screen, *_ in group["screens"] if str(screen) in splits]
    return {
        screen
        for screen in members
        if any(splits[other] - splits[screen] for other in members if other != screen)
    }


def _entries_of_rows(subject: Subject) -> list[ScreenEntry]:
    """Returns an entry for each screen, app and split of the rows, of all configurations."""
    found: dict[tuple[str, str, str], None] = {}
    for configuration in subject.build.row_types:
        for facts in subject.of(configuration):
            keys = rows_of(facts).keys
            if len(keys):
                pairs = keys.select(["screen_id", "app"]).group_by(["screen_id", "app"])
                for row in pairs.aggregate([]).to_pylist():
                    split, app = facts.shard.split, row["app"] or ""
                    found.setdefault((split, str(row["screen_id"]), app))
    return [ScreenEntry(*key, sha256="", layout_hash="") for key in found]


def _with_read_digests(subject: Subject) -> list[ScreenEntry]:
    """Returns the entries of the lists, with the digests of the pictures that were read."""
    read: dict[tuple[str, str], str] = {}
    for facts in subject.shards:
        if facts.rows is not None and len(facts.rows.keys):
            keys = facts.rows.keys
            for screen_id, digest in zip(
                keys["screen_id"].to_pylist(), keys["picture"].to_pylist(), strict=True
            ):
                if digest is not None:
                    read[facts.shard.split, screen_id] = digest
    return [
        dataclasses.replace(e, sha256=read.get((e.split, e.screen_id), e.sha256))
        for e in subject.entries
    ]


def _several_screens(group: LeakGroup) -> bool:
    """Whether it is more than one screen that lies in several splits."""
    return len({screen_id for _, ids in group.members for screen_id in ids}) > 1


def _crossing_verdict(
    entries: Sequence[ScreenEntry], crossing: Sequence[LeakGroup], kind: str, *, strict: bool
) -> Verdict:
    sentences = [_sentence(group, kind) for group in crossing]
    if strict or not sentences:
        return verdict(len(entries), "screen", sentences)
    note = f"{counted(len(crossing), kind)} in several splits, as the manifest lets it be"
    return verdict(len(entries), "screen", (), note=f"{note}; such as {sentences[0]}")


def _sentence(group: LeakGroup, kind: str) -> str:
    places = ", ".join(
        f"{split} (screen {', '.join(ids[:3])}{' …' if len(ids) > 3 else ''})"
        for split, ids in group.members
    )
    return f"{kind} {group.key} is in {places}"


LEAK_RULES = (
    Rule("no_screen_in_two_splits", "no screen is in two splits", no_screen_in_two_splits),
    Rule("no_app_in_two_splits", "no app is in two splits", no_app_in_two_splits),
    Rule(
        "no_picture_in_train_and_evaluation",
        "no picture of validation or test is in train",
        no_picture_in_train_and_evaluation,
    ),
    Rule(
        "few_near_duplicates",
        "few screens of validation and test have a near duplicate in another split",
        few_near_duplicates,
    ),
)
