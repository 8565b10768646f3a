"""Tests of finding what crosses splits."""

from schemas.builds import LeakGroup, ScreenEntry
from transforms.leaks import Crossing, find_crossing, leak_report

NOTHING = {"groups": 0, "crossing": 0, "examples": []}


def entry(screen_id, split, app="", sha256="", layout_hash=""):
    return ScreenEntry(split, screen_id, app, sha256, layout_hash)


def app_of(entry):
    return entry.app


def test_a_group_in_one_split_does_not_cross():
    entries = [entry("1", "train", "com.a"), entry("2", "train", "com.a")]
    assert find_crossing(entries, app_of) == Crossing(1, ())


def test_a_screen_alone_is_no_group():
    entries = [entry("1", "train", "com.a"), entry("2", "test", "com.b")]
    assert find_crossing(entries, app_of) == Crossing(0, ())


def test_screens_without_a_key_belong_to_no_group():
    entries = [entry("1", "train"), entry("2", "test")]
    assert find_crossing(entries, app_of) == Crossing(0, ())


def test_a_group_is_one_finding_with_sorted_members_however_often_it_crosses():
    entries = [entry(str(n), "train", "com.a") for n in (10, 9, 2)]
    entries += [entry("3", "test", "com.a"), entry("1", "validation", "com.a")]
    members = (("test", ("3",)), ("train", ("2", "9", "10")), ("validation", ("1",)))
    assert find_crossing(entries, app_of) == Crossing(1, (LeakGroup("com.a", members),))


def test_groups_are_reported_in_the_order_of_their_keys():
    entries = [
        entry("1", "train", "com.b"),
        entry("2", "test", "com.b"),
        entry("3", "train", "com.a"),
        entry("4", "test", "com.a"),
    ]
    found = find_crossing(entries, app_of)
    assert [group.key for group in found.crossing] == ["com.a", "com.b"]


def test_the_report_looks_for_each_kind_of_leak():
    entries = [
        entry("1", "train", "com.a", "aa", "f0"),
        entry("2", "test", "com.a", "aa", "f0"),
        entry("3", "train", "com.b", "bb", ""),
        entry("3", "test", "com.b", "bb", ""),
    ]
    one_and_two = {"test": ["2"], "train": ["1"]}
    three = {"test": ["3"], "train": ["3"]}
    assert leak_report(entries, {}, {}) == {
        "screens": {"groups": 1, "crossing": 1, "examples": [{"key": "3", **three}]},
        "apps": {
            "groups": 2,
            "crossing": 2,
            "examples": [{"key": "com.a", **one_and_two}, {"key": "com.b", **three}],
        },
        "pictures": {
            "groups": 2,
            "crossing": 2,
            "examples": [{"key": "aa", **one_and_two}, {"key": "bb", **three}],
        },
        "layouts": {"groups": 1, "crossing": 1, "examples": [{"key": "f0", **one_and_two}]},
        "other_datasets": {},
    }


def test_a_build_without_leaks_reports_none():
    entries = [entry("1", "train", "com.a", "aa", "f0"), entry("2", "test", "com.b", "bb", "f1")]
    assert leak_report(iter(entries), {}, {}) == {
        "screens": NOTHING,
        "apps": NOTHING,
        "pictures": NOTHING,
        "layouts": NOTHING,
        "other_datasets": {},
    }


def test_examples_are_few_and_counts_are_whole():
    entries = [
        entry(f"{app}{split}{n}", split, f"com.{app}")
        for app in range(60)
        for split in ("test", "train")
        for n in range(7)
    ]
    apps = leak_report(entries, {}, {})["apps"]
    assert (apps["groups"], apps["crossing"], len(apps["examples"])) == (60, 60, 50)
    assert len(apps["examples"][0]["train"]) == 5


def test_other_data_sets_are_compared_by_screen_and_by_app():
    entries = [
        entry("1", "train", "com.a"),
        entry("2", "train", "com.b"),
        entry("3", "test", "com.c"),
        entry("4", "test"),
    ]
    others = {"screen2words": {"1": "test", "3": "test", "7": "train", "8": "test", "9": "train"}}
    apps = {"1": "com.a", "3": "com.c", "7": "com.a", "8": "com.d", "9": "com.d"}
    report = leak_report(entries, others, apps)["other_datasets"]
    assert report == {
        "screen2words": {
            "its_own_apps": {
                "groups": 2,
                "crossing": 2,
                "examples": [
                    {"key": "com.a", "test": ["1"], "train": ["7"]},
                    {"key": "com.d", "test": ["8"], "train": ["9"]},
                ],
            },
            "shared_screens": {"test": {"test": 1}, "train": {"test": 1}},
            "screens_of_shared_apps": {
                "test": {"test": 1},
                "train": {"test": 1, "train": 1},
            },
        }
    }
