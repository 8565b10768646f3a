"""Tests of asking the App Store and of reading and picking what it answers."""

import contextlib
import json
from urllib.parse import parse_qs, urlsplit

import pytest
from fake_store import body, listed, record
from hypothesis import given
from hypothesis import strategies as st

from schemas.app_stores import Shot, StoreApp, StoreRequest
from schemas.geometry import Size
from schemas.manifest import ItunesPlan, StoreDevice
from schemas.rejects import Reason, Reject, RejectedRecordError, Tally
from transforms.sources.itunes_api import (
    NoAnswerError,
    StoreAnswer,
    check_address,
    check_width,
    parse_answer,
    parse_app,
    pick_apps,
    requests_of,
    response_name,
    sized_url,
    thumb_width,
    unfilled_quota,
    wanted_shots,
)

IPHONE_PHOTO = "https://is2-ssl.mzstatic.com/image/thumb/Purple/v4/a/pr_source.png"

US = StoreRequest("https://itunes.apple.com/search?term=a&country=us", "us")
DE = StoreRequest("https://itunes.apple.com/search?term=a&country=de", "de")


def answer(*records):
    return StoreAnswer(records, len(records))


def picked(plan, *answers):
    items = list(pick_apps(answers, plan, "store"))
    apps = [item.track_id for item in items if isinstance(item, StoreApp)]
    rejects = {item.id: item.reason for item in items if isinstance(item, Reject)}
    counts = {}
    for item in items:
        if isinstance(item, Tally):
            counts[item.outcome] = counts.get(item.outcome, 0) + item.count
    return apps, rejects, counts


# What to ask.


def test_a_term_is_searched_in_each_storefront_the_leading_one_first():
    plan = ItunesPlan(countries=("us", "de"), terms=("to do", "café"), results_per_search=200)
    assert [request.url for request in requests_of(plan)] == [
        "https://itunes.apple.com/search"
        f"?term={term}&media=software&entity=software&limit=200&country={country}"
        for country in ("us", "de")
        for term in ("to+do", "caf%C3%A9")
    ]
    assert [request.country for request in requests_of(plan)] == ["us", "us", "de", "de"]


def test_named_apps_are_looked_up_before_anything_is_searched():
    plan = ItunesPlan(terms=("a",), ids=("7", "8"), bundle_ids=("com.x.y",))
    assert [request.url.partition("&media")[0] for request in requests_of(plan)] == [
        "https://itunes.apple.com/lookup?id=7,8&country=us",
        "https://itunes.apple.com/lookup?bundleId=com.x.y&country=us",
        "https://itunes.apple.com/search?term=a",
    ]


def test_genres_limit_searches():
    urls = [request.url for request in requests_of(ItunesPlan(terms=("a",), genres=("1", "2")))]
    assert [parse_qs(urlsplit(url).query)["genreId"] for url in urls] == [["1"], ["2"]]


def test_many_ids_go_in_few_calls_and_each_once():
    ids = tuple(str(number) for number in range(1, 121))
    found = requests_of(ItunesPlan(ids=ids))
    asked = [parse_qs(urlsplit(request.url).query)["id"][0].split(",") for request in found]
    assert [len(batch) for batch in asked] == [50, 50, 20]
    assert [one for batch in asked for one in batch] == list(ids)
    assert max(len(request.url) for request in found) < 2000


def test_nothing_is_asked_twice():
    assert len(requests_of(ItunesPlan(terms=("a", "a"), countries=("us", "us")))) == 1


def test_a_stored_answer_has_a_name_that_follows_from_the_request():
    assert response_name(US) == response_name(StoreRequest(US.url, "us"))
    assert response_name(US) != response_name(DE)
    assert response_name(US).startswith("responses/")


# What it answers.


@pytest.mark.parametrize(
    "raw",
    [
        b'{"resultCount": 1, "results": [{"a": 1}]}',
        b'\n\n\n{"resultCount": 1, "results": [{"a": 1}]}\n\n\n',
        b'\xef\xbb\xbf\n{"resultCount": 1, "results": [{"a": 1}]}',
        b'\r\n\xef\xbb\xbf{"results": [{"a": 1}], "resultCount": 1}',
    ],
)
def test_a_body_is_read_whatever_stands_around_it(raw):
    assert parse_answer(raw) == StoreAnswer(({"a": 1},), 1)


def test_not_found_is_an_answer_without_results():
    assert parse_answer(b'\n\n\n{\n "resultCount":0,\n "results": []\n}\n\n\n') == answer()


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "an empty body"),
        (b"\n\n\n", "an empty body"),
        (b"\xef\xbb\xbf", "an empty body"),
        (b"<!DOCTYPE html>", "a web page"),
        (b'\n\n<?xml version="1.0"?>', "a web page"),
        (b'{"resultCount": 1, "results": [{"ki', "a text that is no whole JSON"),
        (b"[" * 100_000, "a text that is no whole JSON"),
        (b"null", "JSON without results"),
        (b"[]", "JSON without results"),
        (b'{"resultCount": 0}', "JSON without results"),
        (b'{"resultCount": 0, "results": null}', "JSON without results"),
        (b'{"errorMessage": "Invalid value", "results": []}', "the error 'Invalid value'"),
        (b"\xff\xfe{\x00}\x00", "bytes that are no text"),
        (b"8" * 5000, "a text that is no whole JSON"),
    ],
)
def test_what_is_no_answer_is_never_an_empty_result(raw, said):
    with pytest.raises(NoAnswerError, match=said):
        parse_answer(raw)


@given(st.binary(max_size=80))
def test_no_bytes_are_read_in_any_other_way(raw):
    with contextlib.suppress(NoAnswerError):
        assert isinstance(parse_answer(raw), StoreAnswer)


@given(cut=st.integers(1, 200))
def test_no_part_of_an_answer_is_an_answer(cut):
    whole = body([record(1)]).strip()
    with pytest.raises(NoAnswerError):
        parse_answer(whole[: -min(cut, len(whole))])


@pytest.mark.parametrize("count", ['"1"', "true", "null", "1.5", "[]"])
def test_a_count_of_another_type_is_none(count):
    raw = f'{{"resultCount": {count}, "results": []}}'.encode()
    assert parse_answer(raw) == StoreAnswer((), None)


# What a record says.


def test_an_app_is_read_with_what_it_needs():
    assert parse_app(record(5), "de") == StoreApp(
        track_id="5",
        bundle_id="com.example.app5",
        name="App 5",
        category="Weather",
        countries=("de",),
        genres=("Weather", "Travel"),
        languages=("EN", "ZH"),
        version="1.2",
        iphone_screenshots=(listed("5-1"), listed("5-2")),
        ipad_screenshots=(),
    )


def test_all_that_is_not_needed_may_be_missing():
    needed = ("kind", "trackId", "bundleId", "trackName", "primaryGenreName")
    bare = {key: value for key, value in record(5).items() if key in needed}
    app = parse_app(bare, "us")
    assert (app.genres, app.languages, app.version, app.iphone_screenshots) == ((), (), "", ())


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"kind": "mac-software"}, Reason.APP_KIND_FOREIGN),
        ({"kind": "tvSoftware"}, Reason.APP_KIND_FOREIGN),
        ({"kind": "ebook"}, Reason.APP_KIND_FOREIGN),
        ({"kind": None}, Reason.APP_KIND_FOREIGN),
        ({"kind": ["software"]}, Reason.APP_KIND_FOREIGN),
        ({"wrapperType": "artist"}, Reason.APP_KIND_FOREIGN),
        ({"trackId": None}, Reason.RECORD_MALFORMED),
        ({"trackId": "5"}, Reason.RECORD_MALFORMED),
        ({"trackId": True}, Reason.RECORD_MALFORMED),
        ({"trackId": 5.0}, Reason.RECORD_MALFORMED),
        ({"trackId": -5}, Reason.RECORD_MALFORMED),
        ({"trackId": 10**30}, Reason.RECORD_MALFORMED),
        ({"bundleId": None}, Reason.RECORD_MALFORMED),
        ({"bundleId": 5}, Reason.RECORD_MALFORMED),
        ({"bundleId": "../../etc"}, Reason.RECORD_MALFORMED),
        ({"bundleId": " "}, Reason.TEXT_EMPTY),
        ({"trackName": None}, Reason.RECORD_MALFORMED),
        ({"trackName": ""}, Reason.TEXT_EMPTY),
        ({"primaryGenreName": None}, Reason.RECORD_MALFORMED),
        ({"primaryGenreName": []}, Reason.RECORD_MALFORMED),
        ({"screenshotUrls": "https://x"}, Reason.RECORD_MALFORMED),
        ({"screenshotUrls": [5]}, Reason.RECORD_MALFORMED),
    ],
)
def test_a_record_that_is_no_usable_app_is_rejected(values, reason):
    with pytest.raises(RejectedRecordError) as caught:
        parse_app(record(5, **values), "us")
    assert caught.value.reason is reason


@pytest.mark.parametrize("raw", [None, 5, "x", []])
def test_a_record_that_is_no_object_is_rejected(raw):
    assert picked(ItunesPlan(), (US, answer(raw))) == (
        [],
        {"": Reason.RECORD_MALFORMED},
        {"read": 1},
    )


def test_text_that_no_table_can_hold_is_mended():
    raw = json.loads('{"trackName": "Half \\ud83d emoji\\u0000"}')
    assert parse_app(record(5, **raw), "us").name == "Half \ufffd emoji"


def test_a_category_has_one_spelling():
    assert parse_app(record(5, primaryGenreName="Book"), "us").category == "Books"


# Which apps to take.


def test_an_app_of_two_storefronts_is_that_of_the_leading_one():
    items = list(
        pick_apps(
            [(US, answer(record(5))), (DE, answer(record(5, trackName="Fünf"), record(6)))],
            ItunesPlan(),
            "store",
        )
    )
    apps = [item for item in items if isinstance(item, StoreApp)]
    assert [(app.name, app.countries) for app in apps] == [
        ("App 5", ("us", "de")),
        ("App 6", ("de",)),
    ]


def test_every_record_has_one_fate():
    records = [record(1), record(1), record(2, kind="ebook"), record(3, screenshotUrls=[])]
    apps, rejects, counts = picked(ItunesPlan(), (US, answer(*records)), (DE, answer(record(1))))
    assert apps == ["1"]
    assert rejects == {"2": Reason.APP_KIND_FOREIGN, "3": Reason.APP_WITHOUT_SCREENSHOTS}
    assert counts == {"read": 5, "merged": 2, "kept": 1}


def test_a_reject_says_in_which_answer_its_record_stands():
    items = list(pick_apps([(US, answer(record(1), record(2, kind="x")))], ItunesPlan(), "store"))
    assert [item for item in items if isinstance(item, Reject)] == [
        Reject(
            "store_app",
            "2",
            "parse_app",
            Reason.APP_KIND_FOREIGN,
            "kind 'x', wrapper type 'software'",
            f"store/{response_name(US)}:1",
        )
    ]


def test_another_listing_of_the_same_bundle_is_left_out():
    twin = record(6, bundleId="com.example.app5")
    apps, rejects, _ = picked(ItunesPlan(), (US, answer(record(5), twin)))
    assert (apps, rejects) == (["5"], {"6": Reason.ID_DUPLICATE})


def test_a_storefront_with_screenshots_stands_in_for_one_without():
    apps, rejects, counts = picked(
        ItunesPlan(), (US, answer(record(5, screenshotUrls=[]))), (DE, answer(record(5)))
    )
    assert (apps, rejects) == (["5"], {"5": Reason.APP_WITHOUT_SCREENSHOTS})
    assert counts == {"read": 2, "kept": 1}


def test_a_count_that_lies_is_counted():
    _, _, counts = picked(ItunesPlan(), (US, StoreAnswer((record(5),), 50)))
    assert counts["store_result_counts_wrong"] == 1


def test_quotas_are_filled_in_the_order_of_finding():
    records = [record(number) for number in (9, 3, 7)] + [record(4, primaryGenreName="Games")]
    plan = ItunesPlan(quota={"Weather": 2, "Finance": 1})
    apps, rejects, _ = picked(plan, (US, answer(*records)))
    assert apps == ["9", "3"]
    assert rejects == {"7": Reason.OVER_CATEGORY_QUOTA, "4": Reason.CATEGORY_UNWANTED}


def test_what_lacks_to_a_quota_is_told():
    plan = ItunesPlan(quota={"Weather": 2, "Finance": 1, "News": 0})
    assert unfilled_quota([parse_app(record(5), "us")], plan) == {"Weather": 1, "Finance": 1}


# Which screenshots to take.


def shots_of(plan=None, **values):
    return wanted_shots(parse_app(record(5, **values), "us"), plan or ItunesPlan())


def test_an_ipad_app_falls_back_to_its_ipad_screenshots():
    shots = shots_of(screenshotUrls=[], ipadScreenshotUrls=[listed("5-1", "576x768bb.png")])
    assert [(shot.device, shot.number, shot.thumb_width) for shot in shots] == [
        (StoreDevice.IPAD, 1, 576)
    ]


def test_devices_are_preferred_in_the_order_of_the_plan():
    plan = ItunesPlan(devices=(StoreDevice.IPAD, StoreDevice.IPHONE))
    ipad = [listed("5-1", "576x768bb.png")]
    assert shots_of(plan, ipadScreenshotUrls=ipad)[0].device is StoreDevice.IPAD
    assert shots_of(plan)[0].device is StoreDevice.IPHONE
    only = ItunesPlan(devices=(StoreDevice.IPAD,))
    assert shots_of(only) == ()


def test_only_so_many_screenshots_are_taken_and_none_twice():
    urls = [listed(name) for name in "abacd"]
    shots = shots_of(ItunesPlan(screens_per_app=3), screenshotUrls=urls)
    assert [shot.listing_url for shot in shots] == [listed(name) for name in "abc"]
    assert [shot.number for shot in shots] == [1, 2, 3]


@pytest.mark.parametrize(
    ("url", "sized", "thumb"),
    [
        (f"{IPHONE_PHOTO}/392x696bb.png", f"{IPHONE_PHOTO}/828x0w.png", 392),
        (f"{IPHONE_PHOTO}/406x228bb.png", f"{IPHONE_PHOTO}/828x0w.png", 406),
        (f"{IPHONE_PHOTO}/800x500bb.jpg", f"{IPHONE_PHOTO}/828x0w.png", 800),
        (f"{IPHONE_PHOTO}/552x414bb.png", f"{IPHONE_PHOTO}/828x0w.png", 552),
        (f"{IPHONE_PHOTO}/100x100wa.webp", f"{IPHONE_PHOTO}/828x0w.png", 100),
        (f"{IPHONE_PHOTO}/100x100.jpg", f"{IPHONE_PHOTO}/828x0w.png", 100),
        # Only the last segment: the size within another one is part of a name.
        (
            "https://is1-ssl.mzstatic.com/i/2208x1242-a.png/406x228bb.png",
            "https://is1-ssl.mzstatic.com/i/2208x1242-a.png/828x0w.png",
            406,
        ),
        ("http://a3.mzstatic.com/us/r1000/096/67/d4/f8/mzl.vjjgulme.png", None, None),
        ("http://a3.mzstatic.com/us/r30/Purple111/v4/sc1024x768.jpeg", None, None),
        (f"{IPHONE_PHOTO}/392x696bb.png?x=1", None, None),
        (f"{IPHONE_PHOTO}/392x696bb.png\n", None, None),
        (f"{IPHONE_PHOTO}/392x696BB.png", None, None),
        (f"{IPHONE_PHOTO}/٣٩٢x696bb.png", None, None),
        (f"{IPHONE_PHOTO}/{'9' * 5000}x1bb.png", None, None),
    ],
)
def test_the_size_is_the_last_segment_of_an_address(url, sized, thumb):
    assert sized_url(url, 828) == (sized or url)
    assert thumb_width(url) == thumb


@given(
    head=st.text(alphabet="abc/0129x.-", max_size=30),
    size=st.tuples(st.integers(0, 9999), st.integers(0, 9999)),
    mode=st.text(alphabet="abw", max_size=3),
    ending=st.text(alphabet="abgjnp", min_size=1, max_size=4),
    width=st.integers(1, 5000),
)
def test_any_sized_address_gets_the_width_and_keeps_all_before_it(head, size, mode, ending, width):
    sized = sized_url(f"https://h/{head}/{size[0]}x{size[1]}{mode}.{ending}", width)
    assert sized == f"https://h/{head}/{width}x0w.png"
    assert sized_url(sized, width) == sized
    assert thumb_width(sized) == width


@given(st.text(max_size=60), st.integers(1, 5000))
def test_an_address_without_a_size_stays_as_it_is(url, width):
    if thumb_width(url) is None:
        assert sized_url(url, width) == url


def test_of_an_address_without_a_size_nothing_is_asked():
    old = "http://a3.mzstatic.com/us/r30/Purple111/v4/sc1024x768.jpeg"
    (shot,) = shots_of(screenshotUrls=[old])
    assert (shot.url, shot.asked_width, shot.thumb_width) == (old, None, None)


def a_shot(url="https://is1-ssl.mzstatic.com/i/392x696bb.png", asked=828, thumb=392):
    return Shot("1", "com.x", StoreDevice.IPHONE, 1, url, url, asked, thumb)


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost/1x1bb.png",
        "http://a3.mzstatic.com/us/r1000/mzl.v.png",
        "https://127.0.0.1\\@is1-ssl.mzstatic.com/1x1bb.png",
        "https://127.0.0.1#.mzstatic.com/1x1bb.png",
        "https://is1-ssl.mzstatic.com.evil.example/1x1bb.png",
        "https://evilmzstatic.com/1x1bb.png",
        "https://mzstatic.com@evil.example/1x1bb.png",
        "https://user@is1-ssl.mzstatic.com/1x1bb.png",
        "https://is1-ssl.mzstatic.com:8080/1x1bb.png",
        "https://is1-ssl.mzstatic.com:x/1x1bb.png",
        "file:///etc/passwd",
        "ftp://is1-ssl.mzstatic.com/1x1bb.png",
        "https://[::1/1x1bb.png",
        "",
    ],
)
def test_addresses_elsewhere_are_refused(url):
    with pytest.raises(RejectedRecordError) as caught:
        check_address(a_shot(url))
    assert caught.value.reason is Reason.SCREENSHOT_URL_FOREIGN


@pytest.mark.parametrize(
    "url",
    [listed("1"), "https://a3.mzstatic.com/us/r1000/mzl.v.png", "https://IS1-SSL.MZSTATIC.COM/"],
)
def test_the_picture_servers_of_the_store_are_allowed(url):
    check_address(a_shot(url))


@pytest.mark.parametrize(
    ("size", "asked", "thumb"),
    [
        (Size(828, 1792), 828, 392),
        (Size(640, 1136), 828, 392),
        (Size(393, 696), 828, 392),
        (Size(1242, 2208), 828, 392),
        (Size(392, 696), 392, 392),
        (Size(320, 480), None, None),
    ],
)
def test_pictures_no_larger_than_handed_in_are_kept(size, asked, thumb):
    check_width(a_shot(asked=asked, thumb=thumb), size, 320)


@pytest.mark.parametrize(
    ("size", "asked", "thumb"),
    [
        (Size(392, 696), 828, 392),
        (Size(391, 696), 828, 392),
        (Size(319, 480), None, None),
        (Size(319, 480), 300, 392),
    ],
)
def test_thumbnails_are_rejected(size, asked, thumb):
    with pytest.raises(RejectedRecordError) as caught:
        check_width(a_shot(asked=asked, thumb=thumb), size, 320)
    assert caught.value.reason is Reason.SCREENSHOT_TOO_SMALL
