"""Tests of reading what was fetched from an App Store."""

import json
import os

import pytest

from schemas.app_stores import Shot, StoreApp, TakenShot
from schemas.geometry import Size
from schemas.manifest import StoreDevice
from schemas.rejects import Reason, Reject, Tally
from schemas.screens import App, Origin, ScreenRef
from transforms.files import SourceError
from transforms.sources.itunes import (
    encode_apps,
    encode_taken,
    list_store,
    picture_name,
    read_store_apps,
    read_taken,
    screen_id_of,
)


def a_shot(track_id="7", device=StoreDevice.IPHONE, number=1, url="https://h/i/828x0w.png"):
    return Shot(
        track_id, f"com.x.a{track_id}", device, number, "https://h/i/1x1bb.png", url, 828, 1
    )


def a_taken(width=828, reason=None, detail="", **values):
    shot = a_shot(**values)
    return TakenShot(shot, picture_name(shot), "ab" * 32, 9, Size(width, 1792), reason, detail)


def missing(**values):
    return TakenShot(a_shot(**values), reason=Reason.SCREENSHOT_MISSING, detail="status 401")


def an_app(track_id="7", bundle_id="com.x.a7", category="Weather"):
    return StoreApp(track_id, bundle_id, "App", category, ("us",), (), ("EN",), "1", ("u",), ())


def write(folder, *taken, apps=()):
    (folder / "screenshots.jsonl").write_text(encode_taken(taken))
    (folder / "apps.jsonl").write_text(encode_apps(apps))
    return str(folder)


def test_screens_are_listed_by_app_device_and_number(tmp_path):
    ipad = a_taken(track_id="10", device=StoreDevice.IPAD, number=12)
    folder = write(tmp_path, ipad, a_taken(number=2), a_taken(number=1))
    assert list(list_store(folder, "store")) == [
        ScreenRef(screen_id, "store", image, None, app, Origin.STORE_LISTING)
        for screen_id, image, app in (
            ("ios:7:iphone:1", "screenshots/7/iphone-01.png", "com.x.a7"),
            ("ios:7:iphone:2", "screenshots/7/iphone-02.png", "com.x.a7"),
            ("ios:10:ipad:12", "screenshots/10/ipad-12.png", "com.x.a10"),
        )
    ] + [Tally("repairs", "screenshots_smaller_than_asked", 0)]


def test_an_id_is_safe_as_the_name_of_a_file():
    assert os.path.basename(screen_id_of(a_shot())) == "ios:7:iphone:1"


def test_what_was_not_to_be_had_is_rejected_with_its_reason(tmp_path):
    small = a_taken(300, Reason.SCREENSHOT_TOO_SMALL, "300 pixels", number=2)
    folder = write(tmp_path, missing(), small)
    assert list(list_store(folder, "store"))[:2] == [
        Reject(
            "screen",
            f"ios:7:iphone:{number}",
            "fetch_store",
            reason,
            detail,
            f"store/screenshots.jsonl:{number - 1}",
        )
        for number, reason, detail in (
            (1, Reason.SCREENSHOT_MISSING, "status 401"),
            (2, Reason.SCREENSHOT_TOO_SMALL, "300 pixels"),
        )
    ]


def test_screens_smaller_than_asked_are_counted(tmp_path):
    folder = write(tmp_path, a_taken(640), a_taken(number=2))
    assert list(list_store(folder, "store"))[-1].count == 1


@pytest.mark.parametrize(
    ("ending", "name"), [("png", "png"), ("JPEG", "jpg"), ("webp", "webp"), ("sh", "png")]
)
def test_a_picture_is_named_by_the_ending_of_its_address(ending, name):
    assert picture_name(a_shot(url=f"http://h/x.{ending}")) == f"screenshots/7/iphone-01.{name}"


def test_the_tables_come_back_as_they_were_written(tmp_path):
    taken = [missing(), a_taken(640, number=2)]
    folder = write(tmp_path, *taken)
    assert list(read_taken(folder)) == taken


def test_apps_have_the_category_of_the_store(tmp_path):
    apps = [an_app("30", "com.b", "Finance"), an_app("4", "com.a"), an_app("31", "com.b", "News")]
    items = list(read_store_apps(write(tmp_path, apps=apps), "store"))
    assert items[:2] == [App("com.a", "Weather"), App("com.b", "Finance")]
    assert (items[2].kind, items[2].reason, items[2].origin) == (
        "app_details",
        Reason.ID_DUPLICATE,
        "store/apps.jsonl:2",
    )


def test_a_folder_that_was_not_fetched_to_the_end_says_so(tmp_path):
    with pytest.raises(SourceError, match="not fetched to the end"):
        list(list_store(str(tmp_path), "store"))
    with pytest.raises(SourceError, match="not fetched to the end"):
        list(read_store_apps(str(tmp_path), "store"))


@pytest.mark.parametrize(
    "change",
    [
        {"file": "../../etc/passwd"},
        {"file": "screenshots/7/iphone-02.png"},
        {"file": None},
        {"track_id": "../7"},
        {"track_id": 7},
        {"device": "watch"},
        {"number": -1},
        {"number": True},
        {"width": "8"},
        {"reason": "no_such_reason"},
        {"bundle_id": None},
    ],
)
def test_a_damaged_table_is_refused_with_its_line(tmp_path, change):
    folder = write(tmp_path, a_taken(), a_taken(number=2))
    table = tmp_path / "screenshots.jsonl"
    first, second = table.read_text().splitlines()
    table.write_text(f"{second}\n{json.dumps(json.loads(first) | change)}\n")
    with pytest.raises(SourceError, match=r"line 2: is damaged .* fetch the source again"):
        list(list_store(folder, "store"))


@pytest.mark.parametrize("line", ["", "null", "[]", "{", "[" * 50_000, "\xff"])
def test_a_line_that_is_no_row_is_refused(tmp_path, line):
    folder = write(tmp_path)
    (tmp_path / "apps.jsonl").write_text(f"{line}\n", encoding="latin-1")
    with pytest.raises(SourceError, match="line 1: is damaged"):
        list(read_store_apps(folder, "store"))


def rewritten(folder, name, **change):
    """Changes the first row of a table."""
    first, *others = (folder / name).read_text().splitlines()
    (folder / name).write_text("\n".join([json.dumps(json.loads(first) | change), *others]) + "\n")


def test_text_that_no_table_can_hold_is_mended(tmp_path):
    folder = write(tmp_path, a_taken(), missing(number=2), apps=[an_app()])
    rewritten(tmp_path, "screenshots.jsonl", bundle_id="a\ud800\0", detail="\udfff")
    rewritten(tmp_path, "apps.jsonl", bundle_id="a\ud800", category="\ud800")
    first, *_ = list_store(folder, "store")
    assert first.app == "a\ufffd"
    assert list(read_store_apps(folder, "store")) == [App("a\ufffd", "\ufffd")]
    encode_taken(read_taken(folder)).encode()


@pytest.mark.parametrize(("track_id", "number"), [("9" * 5000, 1), ("7", 10**300)])
def test_a_screenshot_that_makes_no_id_is_rejected(tmp_path, track_id, number):
    folder = write(tmp_path, a_taken(), a_taken(number=2))
    file = picture_name(a_shot(track_id, number=number))
    rewritten(tmp_path, "screenshots.jsonl", track_id=track_id, number=number, file=file)
    reject, screen, _ = list_store(folder, "store")
    assert (reject.id, reject.reason, reject.origin) == (
        track_id[:40],
        Reason.ID_MALFORMED,
        "store/screenshots.jsonl:0",
    )
    assert screen.screen_id == "ios:7:iphone:2"


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
@pytest.mark.parametrize("name", ["screenshots.jsonl", "apps.jsonl"])
def test_what_is_no_file_is_no_table_and_is_not_waited_for(tmp_path, name, make):
    folder = write(tmp_path)
    (tmp_path / name).unlink()
    make(tmp_path / name)
    read = list_store if name == "screenshots.jsonl" else read_store_apps
    with pytest.raises(SourceError, match=rf"{name}.* (is no ordinary file|Is a directory)"):
        list(read(folder, "store"))
