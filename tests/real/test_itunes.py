"""The App Store's recorded answers; skipped where there are none. They stay out of the repository.

The table was counted in the files' text, with a search for the sizes at the end of the
addresses and for kinds, and by reading the seven records of iOS apps.
"""

import pathlib
import re
from typing import NamedTuple

import pytest

from schemas.app_stores import StoreApp, StoreRequest
from schemas.manifest import ItunesPlan, StoreDevice
from schemas.rejects import Reason, Reject, Tally
from transforms.sources.itunes_api import (
    NoAnswerError,
    parse_answer,
    parse_app,
    pick_apps,
    sized_url,
    thumb_width,
    wanted_shots,
)

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data" / "itunes"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="needs the folder shared/data beside the checkout"
)


class Counted(NamedTuple):
    """What is in one file. `declared` is the count that it claims itself."""

    declared: int
    records: int
    mac: int
    ios: int
    mac_screenshots: int
    iphone_screenshots: int
    ipad_screenshots: int


FILES = {
    "0f11ad-search-slack.json": Counted(39, 39, 37, 2, 173, 9, 8),
    "19316c-search-search_notability.json": Counted(1, 1, 1, 0, 5, 0, 0),
    "2c0bfb-search-things.json": Counted(50, 12, 10, 2, 52, 9, 8),
    "348f92-search-things-3.json": Counted(11, 11, 8, 3, 51, 23, 20),
    "4d90f9-search-nonexistent.json": Counted(0, 0, 0, 0, 0, 0, 0),
    "5aef9b-lookup-lookup.json": Counted(1, 1, 1, 0, 4, 0, 0),
    "9a683b-search-nonexistent.json": Counted(0, 0, 0, 0, 0, 0, 0),
}

# track id: bundle id, category, iPhone and iPad screenshots, file.
APPS = {
    "1492913323": ("com.peroxaan.Talon", "Developer Tools", 3, 3, "0f11ad"),
    "1473469253": ("com.veern.Veern", "Utilities", 6, 5, "0f11ad"),
    "1128190780": ("com.yahenskyi.random", "Lifestyle", 6, 6, "2c0bfb"),
    "1289070327": ("com.kevinreutter.Callisto", "Productivity", 3, 2, "2c0bfb, 348f92"),
    "1459685997": ("com.easyPlanner", "Productivity", 10, 9, "348f92"),
    "1468243432": ("com.easyPlanner.gold", "Productivity", 10, 9, "348f92"),
}


def answers():
    return [
        (
            StoreRequest(f"https://itunes.apple.com/{name}", "us"),
            parse_answer((DATA / name).read_bytes()),
        )
        for name in FILES
    ]


def picked(plan):
    return list(pick_apps(answers(), plan, "itunes"))


def test_no_file_was_left_out_of_the_table():
    assert {path.name for path in DATA.glob("*.json")} == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_the_table_is_what_a_search_of_the_text_finds(name):
    text = (DATA / name).read_text()
    counted = FILES[name]
    for pattern, expected in (
        (r'"trackId": ?\d+', counted.records),
        (r'"kind": ?"mac-software"', counted.mac),
        (r'"kind": ?"software"', counted.ios),
        (r'/800x500bb\.(?:png|jpg)"', counted.mac_screenshots),
        (r'/(?:392x696|406x228)bb\.(?:png|jpg)"', counted.iphone_screenshots),
        (r'/(?:552x414|576x768)bb\.(?:png|jpg)"', counted.ipad_screenshots),
        (rf'"resultCount": ?{counted.declared}\b', 1),
    ):
        assert len(re.findall(pattern, text)) == expected, pattern


@pytest.mark.parametrize("name", FILES)
def test_records_kinds_and_screenshots_are_as_counted_by_hand(name):
    answer = parse_answer((DATA / name).read_bytes())
    counted = FILES[name]
    assert (answer.declared, len(answer.results)) == (counted.declared, counted.records)
    kinds = [raw["kind"] for raw in answer.results]
    assert (kinds.count("mac-software"), kinds.count("software")) == (counted.mac, counted.ios)
    apps = [parse_app(raw, "us") for raw in answer.results if raw["kind"] == "software"]
    assert sum(len(app.iphone_screenshots) for app in apps) == counted.iphone_screenshots
    assert sum(len(app.ipad_screenshots) for app in apps) == counted.ipad_screenshots


def test_the_apps_are_those_counted_by_hand():
    apps = [item for item in picked(ItunesPlan()) if isinstance(item, StoreApp)]
    assert {
        app.track_id: (
            app.bundle_id,
            app.category,
            len(app.iphone_screenshots),
            len(app.ipad_screenshots),
        )
        for app in apps
    } == {track_id: values[:4] for track_id, values in APPS.items()}
    assert [app.track_id for app in apps] == list(APPS)


def test_every_record_has_one_fate():
    items = picked(ItunesPlan())
    rejects = [item for item in items if isinstance(item, Reject)]
    counts = {}
    for item in items:
        if isinstance(item, Tally):
            counts[item.outcome] = counts.get(item.outcome, 0) + item.count
    assert {reject.reason for reject in rejects} == {Reason.APP_KIND_FOREIGN}
    assert len(rejects) == sum(counted.mac for counted in FILES.values()) == 57
    # One app is in two of the files; one file says 50 and holds 12.
    assert counts == {"read": 64, "kept": 6, "merged": 1, "store_result_counts_wrong": 1}


def test_a_quota_takes_the_first_found_of_each_category():
    plan = ItunesPlan(quota={"Productivity": 1, "Utilities": 1, "Weather": 1})
    items = picked(plan)
    assert [item.track_id for item in items if isinstance(item, StoreApp)] == [
        "1473469253",
        "1289070327",
    ]
    reasons = [item.reason for item in items if isinstance(item, Reject)]
    assert reasons.count(Reason.OVER_CATEGORY_QUOTA) == 2
    assert reasons.count(Reason.CATEGORY_UNWANTED) == 2


@pytest.mark.parametrize("device", StoreDevice)
def test_all_screenshots_are_asked_for_at_the_wanted_width(device):
    plan = ItunesPlan(devices=(device,), screens_per_app=100)
    apps = [item for item in picked(plan) if isinstance(item, StoreApp)]
    shots = [shot for app in apps for shot in wanted_shots(app, plan)]
    assert len(shots) == sum(values[2 + (device is StoreDevice.IPAD)] for values in APPS.values())
    for shot in shots:
        assert shot.url == shot.listing_url.rpartition("/")[0] + "/828x0w.png"
        assert shot.thumb_width in (392, 406, 552, 576)


def test_the_rule_fits_all_addresses_of_pictures_in_the_answers():
    urls = [
        url
        for _, answer in answers()
        for raw in answer.results
        for key in ("screenshotUrls", "ipadScreenshotUrls", "artworkUrl512")
        for url in ([raw[key]] if isinstance(raw.get(key), str) else raw.get(key, []))
    ]
    assert len(urls) == 285 + 41 + 36 + 64
    for url in urls:
        assert sized_url(url, 1242).endswith("/1242x0w.png")
        assert thumb_width(url) in (392, 406, 512, 552, 576, 800)


def test_not_found_is_an_empty_result_and_a_refusal_never_is():
    for name in ("4d90f9-search-nonexistent.json", "9a683b-search-nonexistent.json"):
        assert parse_answer((DATA / name).read_bytes()).results == ()
    with pytest.raises(NoAnswerError):
        parse_answer(b"")


@pytest.mark.parametrize("name", FILES)
def test_no_answer_that_breaks_off_is_one(name):
    whole = (DATA / name).read_bytes().rstrip()
    for share in (0.1, 0.5, 0.9, 0.999):
        with pytest.raises(NoAnswerError):
            parse_answer(whole[: int(len(whole) * share)])
