"""Tests of fetching from a store that errs: nothing wrong is stored, nothing is asked twice."""

import gzip
import json
import multiprocessing
import os
import pathlib

import fake_store
import pytest
from fake_store import API, EMPTY_403, HTML, PICTURES, RESET, Reply, listed, png, record, storm

from pipelines.errors import UserError
from pipelines.fetching.downloading import Downloader, DownloadError
from pipelines.fetching.store import Patience, fetch_store
from schemas.manifest import ItunesPlan, Source, SourceKind
from schemas.rejects import Reason, Reject
from schemas.screens import App, Origin, ScreenRef
from transforms.files import SourceError
from transforms.limiting import RateLimiter
from transforms.sources.itunes import list_store, read_store_apps


class FakeClock:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Fetching:
    """One store, one folder, one clock; `run` fetches."""

    def __init__(self, store: fake_store.FakeStore, folder: pathlib.Path) -> None:
        self.store = store
        self.folder = folder
        self.clock = FakeClock()
        self.said: list[str] = []
        self.started = self.clock.now

    @property
    def waited(self) -> float:
        return self.clock.now - self.started

    def run(self, plan: ItunesPlan | None = None, downloader=None, **options):
        plan = plan or ItunesPlan(terms=("tides",))
        source = Source("store", SourceKind.ITUNES, "unknown", path="store", itunes=plan)
        os.makedirs(self.folder, exist_ok=True)
        limiter = RateLimiter(
            str(self.folder.parent / "calls"),
            plan.calls_per_minute,
            clock=self.clock,
            sleep=self.clock.sleep,
        )
        return fetch_store(
            source,
            str(self.folder),
            downloader or Downloader(mirror=self.store.url, tries=3, sleep=lambda _: None),
            limiter=limiter,
            say=self.said.append,
            **options,
        )

    def table(self, name: str):
        return [json.loads(line) for line in (self.folder / name).read_text().splitlines()]

    def files(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file()
        }

    def screens(self):
        items = list(list_store(str(self.folder), "store"))
        return [item for item in items if isinstance(item, ScreenRef)]


class NoNetwork:
    """A downloader without a network."""

    def get(self, url, *, max_bytes):
        raise DownloadError(f"{url}: cannot be reached")

    def fetch(self, url, path, expected, **options):
        raise DownloadError(f"{url}: cannot be reached")


@pytest.fixture
def fetching(tmp_path):
    with fake_store.running_store() as store:
        store.apps["us"] = [record(1), record(2, primaryGenreName="Finance")]
        yield Fetching(store, tmp_path / "store")


def test_apps_and_screenshots_are_fetched_and_listed(fetching):
    report = fetching.run()
    assert str(report) == "2 apps, 4 screenshots"
    assert fetching.screens()[0] == ScreenRef(
        "ios:1:iphone:1",
        "store",
        "screenshots/1/iphone-01.png",
        None,
        "com.example.app1",
        Origin.STORE_LISTING,
    )
    assert list(read_store_apps(str(fetching.folder), "store")) == [
        App("com.example.app1", "Weather"),
        App("com.example.app2", "Finance"),
    ]
    row = fetching.table("screenshots.jsonl")[0]
    assert (row["asked_width"], row["thumb_width"], row["width"], row["height"]) == (
        828,
        392,
        828,
        1792,
    )
    assert row["url"] == listed("1-1", "828x0w.png")
    assert row["listing_url"] == listed("1-1")


def test_answers_are_stored_as_they_came_and_listed_without_time_or_place(fetching):
    fetching.run()
    (row,) = fetching.table("requests.jsonl")
    assert row["url"] == (
        "https://itunes.apple.com/search?term=tides&media=software&entity=software&limit=50"
        "&country=us"
    )
    assert (fetching.folder / row["file"]).read_bytes() == fake_store.body(
        fetching.store.apps["us"]
    )
    for name, data in fetching.files().items():
        assert str(fetching.folder.parent).encode() not in data, name


def test_a_second_run_asks_nothing_and_writes_the_same_bytes(fetching):
    fetching.run()
    before = fetching.files()
    report = fetching.run(downloader=NoNetwork())
    assert report.asked == 0
    assert fetching.files() == before


def test_two_folders_filled_apart_are_the_same(fetching, tmp_path):
    fetching.run()
    other = Fetching(fetching.store, tmp_path / "other")
    other.run(workers=1)
    assert other.files() == fetching.files()


def test_tables_and_pictures_are_whole_or_not_there(fetching):
    fetching.run()
    assert not [name for name in fetching.files() if name.endswith((".tmp", ".part"))]


def test_refresh_asks_again(fetching):
    fetching.run()
    fetching.store.apps["us"].append(record(3))
    assert fetching.run().apps == 2
    assert fetching.run(refresh=True).apps == 3


def test_an_empty_403_is_waited_out_and_never_stored(fetching):
    fetching.store.faults[API] = [EMPTY_403]
    report = fetching.run()
    assert report.apps == 2
    assert 1800 <= fetching.waited < 1900
    assert fetching.said[0] == (
        "the App Store refuses to answer (HTTP status 403); waiting for 30 min 00 s (try 1 of 3)"
    )


def test_a_store_that_goes_on_refusing_is_left_and_all_that_came_is_kept(fetching):
    plan = ItunesPlan(terms=("tides", "waves"))
    fetching.store.faults[f"{API}/search?term=waves"] = [EMPTY_403] * 3
    with pytest.raises(DownloadError, match=r"refuses to answer .HTTP status 403. \(3 times\)"):
        fetching.run(plan)
    assert [name for name in fetching.files() if name.startswith("responses/")] != []
    with pytest.raises(SourceError, match="not fetched to the end"):
        fetching.screens()
    # The last refusal's half hour holds for the next run, and only what lacks is asked.
    calls, waited = len(fetching.store.calls), fetching.waited
    assert fetching.run(plan).asked == 1
    assert fetching.waited - waited >= 1800
    assert len(fetching.store.calls) == calls + 1


def test_a_429_is_obeyed_to_the_second(fetching):
    fetching.store.faults[API] = storm(2, "77")
    fetching.run()
    assert 154 <= fetching.waited < 160


def test_a_429_may_name_a_moment(fetching):
    headers = {
        "Retry-After": "Mon, 30 Nov 2026 06:10:00 GMT",
        "Date": "Mon, 30 Nov 2026 06:05:00 GMT",
    }

    class Dated(Downloader):
        def get(self, url, *, max_bytes):
            response = super().get(url, max_bytes=max_bytes)
            if response.status == 429:  # The server of the tests sends a date of its own.
                response = type(response)(429, b"", {k.lower(): v for k, v in headers.items()})
            return response

    fetching.store.faults[API] = storm(1)
    fetching.run(downloader=Dated(mirror=fetching.store.url))
    assert 300 <= fetching.waited < 310


def test_a_storm_of_429s_is_waited_out_ever_longer_and_in_bounds(fetching):
    fetching.store.faults[API] = storm(4)
    fetching.run()
    assert fetching.waited == 60 + 120 + 240 + 480
    fetching.store.faults[API] = storm(5)
    with pytest.raises(DownloadError, match="5 times"):
        fetching.run(refresh=True)


def test_a_server_that_orders_a_day_of_waiting_ends_the_run(fetching):
    fetching.store.faults[API] = storm(1, "86400")
    with pytest.raises(DownloadError, match="HTTP status 429"):
        fetching.run()
    assert fetching.waited == 0


@pytest.mark.parametrize(
    "fault",
    [
        HTML,
        RESET,
        Reply(200),
        Reply(200, b"\n\n\n"),
        Reply(200, b'{"resultCount": 1, "results": [{"kind": "soft'),
        Reply(200, b'{"resultCount": 2}'),
        Reply(200, b'{"errorMessage": "Too many"}'),
        Reply(200, fake_store.body([record(1)])[:200], announced=2000),
        Reply(500, fake_store.body([record(7)])),
        Reply(503, b"busy"),
        Reply(204),
    ],
)
def test_what_is_no_answer_is_asked_for_again_and_never_stored(fetching, fault):
    fetching.store.faults[API] = [fault]
    fetching.run()
    (stored,) = (fetching.folder / "responses").iterdir()
    assert stored.read_bytes() == fake_store.body(fetching.store.apps["us"])


def test_a_web_page_for_every_answer_ends_the_run(fetching):
    fetching.store.faults[API] = [HTML] * 5
    with pytest.raises(DownloadError, match="the App Store sent a web page"):
        fetching.run()
    assert list((fetching.folder / "responses").iterdir()) == []


def test_a_wrong_request_is_said_to_be_wrong_at_once(fetching):
    said = b'{"errorMessage": "Invalid value(s) for key(s): [country]"}'
    fetching.store.faults[API] = [Reply(400, said)]
    with pytest.raises(UserError, match="Invalid value"):
        fetching.run(ItunesPlan(countries=("xx",), terms=("tides",)))
    assert len(fetching.store.calls) == 1


def test_not_found_is_an_answer_and_is_stored(fetching):
    fetching.store.apps["us"] = []
    report = fetching.run()
    assert (report.apps, report.records["read"]) == (0, 0)
    assert fetching.run(downloader=NoNetwork()).asked == 0
    assert fetching.screens() == []


def test_a_count_that_lies_is_not_believed(fetching):
    fetching.store.lies_about_count = True
    report = fetching.run()
    assert report.records["store_result_counts_wrong"] == 1
    assert report.records["read"] == 2


def test_a_stored_answer_that_was_damaged_is_asked_for_again(fetching):
    fetching.run()
    (stored,) = (fetching.folder / "responses").iterdir()
    stored.write_bytes(stored.read_bytes()[:50])
    assert fetching.run().asked == 1
    assert "no whole JSON" in fetching.said[-1] + fetching.said[-2]


def test_the_calls_of_a_long_plan_keep_the_limit(fetching):
    plan = ItunesPlan(terms=tuple(f"term {number}" for number in range(9)), calls_per_minute=4)
    fetching.run(plan)
    assert len(fetching.store.calls) == 9
    assert 120 <= fetching.waited < 121
    assert "request 5 of 9 of the App Store may be made in 1 min 00 s" in fetching.said


def test_one_app_in_two_storefronts_is_one_app(fetching):
    fetching.store.apps = {"us": [record(1)], "de": [record(1, trackName="App eins"), record(9)]}
    report = fetching.run(ItunesPlan(countries=("us", "de"), terms=("tides",)))
    assert report.records == {"read": 3, "kept": 2, "merged": 1}
    assert fetching.table("apps.jsonl")[0]["name"] == "App 1"
    assert fetching.table("apps.jsonl")[0]["countries"] == ["us", "de"]


def test_records_left_out_are_written_down_with_their_reason(fetching):
    fetching.store.apps["us"] += [record(3, kind="mac-software"), record(4, screenshotUrls=[])]
    plan = ItunesPlan(terms=("tides",), quota={"Weather": 2})
    report = fetching.run(plan)
    found = {row["id"]: row["reason"] for row in fetching.table("rejects.jsonl")}
    assert found == {
        "2": "category_unwanted",
        "3": "app_kind_foreign",
        "4": "app_without_screenshots",
    }
    assert len(report.rejects) == 3
    assert report.unfilled == {"Weather": 1}
    assert str(report) == "1 apps, 2 screenshots; lacking to the quota: Weather 1"


def test_a_picture_that_cannot_be_had_is_missing_and_the_others_come(fetching):
    path = f"{PICTURES}/image/thumb/1-2.png"
    fetching.store.faults[path] = [Reply(401)]
    report = fetching.run()
    assert (report.screenshots, report.missing) == (4, 1)
    assert len(fetching.screens()) == 3
    (reject,) = [i for i in list_store(str(fetching.folder), "store") if isinstance(i, Reject)]
    assert (reject.kind, reject.id, reject.reason) == (
        "screen",
        "ios:1:iphone:2",
        Reason.SCREENSHOT_MISSING,
    )
    # Without a network the record stays as it is; with one, the picture comes.
    before = fetching.files()
    fetching.run(downloader=NoNetwork())
    assert fetching.files() == before
    assert fetching.run().missing == 0


@pytest.mark.parametrize("fault", [HTML, Reply(200, b""), Reply(200, b"%PDF-1.7 ...")])
def test_what_is_no_picture_gets_no_name_of_one(fetching, fault):
    fetching.store.faults[f"{PICTURES}/image/thumb/2-1.png"] = [fault] * 3
    assert fetching.run().missing == 1
    assert not (fetching.folder / "screenshots/2/iphone-01.png").exists()


def test_a_picture_that_is_damaged_inside_is_refused(fetching):
    whole = png()
    middle = len(whole) // 3
    damaged = whole[:middle] + b"\0" * 200 + whole[middle + 200 :]
    fetching.store.pictures[f"{PICTURES}/image/thumb/2-1.png"] = damaged
    assert fetching.run().missing == 1
    assert not (fetching.folder / "screenshots/2/iphone-01.png").exists()


def test_a_picture_that_is_cut_by_the_network_comes_whole(fetching):
    whole = png(shade=7)
    fetching.store.pictures[f"{PICTURES}/image/thumb/2-1.png"] = whole
    fetching.store.faults[f"{PICTURES}/image/thumb/2-1.png"] = [
        Reply(200, whole[:1000], announced=len(whole)),
        RESET,
    ]
    assert fetching.run().missing == 0
    assert (fetching.folder / "screenshots/2/iphone-01.png").read_bytes() == whole


def test_thumbnails_are_kept_apart_and_smaller_pictures_are_kept(fetching):
    fetching.store.pictures[f"{PICTURES}/image/thumb/1-1.png"] = png(392, 696)
    fetching.store.pictures[f"{PICTURES}/image/thumb/1-2.png"] = png(300, 600)
    fetching.store.pictures[f"{PICTURES}/image/thumb/2-1.png"] = png(640, 1136)
    report = fetching.run()
    assert (report.missing, report.smaller) == (2, 1)
    rows = fetching.table("screenshots.jsonl")
    assert [row["reason"] for row in rows] == [
        "screenshot_too_small",
        "screenshot_too_small",
        None,
        None,
    ]
    downloads = len(fetching.store.downloads)
    fetching.run()
    assert len(fetching.store.downloads) == downloads


def test_no_address_outside_of_the_store_is_visited(fetching):
    inside = ["http://169.254.169.254/latest/meta-data/392x696bb.png", "file:///etc/passwd"]
    fetching.store.apps["us"] = [record(1, screenshotUrls=[*inside, listed("1-1")])]
    fetching.run()
    assert [row["reason"] for row in fetching.table("screenshots.jsonl")] == [
        "screenshot_url_foreign",
        "screenshot_url_foreign",
        None,
    ]
    assert len(fetching.store.downloads) == 1


@pytest.mark.parametrize("target", ["/secret.png", "http://is1-ssl.mzstatic.com/image/a.png"])
def test_no_redirect_leads_out_of_the_store(fetching, target):
    fault = Reply(302, headers={"Location": target})
    fetching.store.faults[f"{PICTURES}/image/thumb/1-1.png"] = [fault]
    report = fetching.run()
    assert (report.screenshots, report.missing) == (4, 1)
    row = fetching.table("screenshots.jsonl")[0]
    assert row["reason"] == "screenshot_missing"
    assert "which is not to be downloaded from" in row["detail"]
    assert not (fetching.folder / "screenshots/1/iphone-01.png").exists()
    assert "/secret.png" not in fetching.store.requests


@pytest.mark.parametrize(
    "asked", ["1 Jan 9999999999999999999999 00:00:00 GMT", "Mon, 01 Jan 0001 00:00:00 -0000"]
)
def test_a_moment_that_makes_no_sense_ends_nothing(fetching, asked):
    fetching.store.faults[API] = storm(1, asked)
    fetching.run()
    assert fetching.waited <= 61


def test_a_picture_in_several_members_of_an_encoding_comes_whole(fetching):
    body = png()
    packed = gzip.compress(body[:2000]) + gzip.compress(body[2000:])
    fault = Reply(200, packed, {"Content-Encoding": "gzip"})
    fetching.store.faults[f"{PICTURES}/image/thumb/1-1.png"] = [fault]
    assert fetching.run().missing == 0
    assert (fetching.folder / "screenshots/1/iphone-01.png").read_bytes() == body


def test_another_width_takes_the_pictures_anew(fetching):
    fetching.run()
    fetching.run(ItunesPlan(terms=("tides",), width=640))
    assert {row["asked_width"] for row in fetching.table("screenshots.jsonl")} == {640}
    assert len(fetching.store.downloads) == 8


def test_a_picture_changed_on_disk_is_taken_anew(fetching):
    fetching.run()
    before = fetching.files()
    (fetching.folder / "screenshots/1/iphone-01.png").write_bytes(png(shade=99))
    fetching.run()
    assert fetching.files() == before


def test_a_network_that_goes_ends_the_run_instead_of_missing_everything(fetching):
    fetching.store.apps["us"] = [record(number) for number in range(1, 9)]

    class GoneLater(Downloader):
        def fetch(self, url, path, expected, **options):
            return NoNetwork().fetch(url, path, expected, **options)

    plan = ItunesPlan(terms=("tides",), screens_per_app=2)
    with pytest.raises(DownloadError, match="for 5 screenshots in a row"):
        fetching.run(plan, downloader=GoneLater(mirror=fetching.store.url))
    assert not (fetching.folder / "screenshots.jsonl").exists()


def test_a_killed_run_goes_on_where_it_was(fetching):
    fetching.store.apps["us"] = [record(number) for number in range(1, 6)]

    class Deadly(Downloader):
        left = 5

        def fetch(self, url, path, expected, **options):
            if self.left == 0:
                os._exit(9)
            self.left -= 1
            return super().fetch(url, path, expected, **options)

    def fetch() -> None:
        fetching.run(downloader=Deadly(mirror=fetching.store.url), workers=1)

    process = multiprocessing.get_context("fork").Process(target=fetch)
    process.start()
    process.join()
    assert process.exitcode == 9
    assert not (fetching.folder / "screenshots.jsonl").exists()
    journal = fetching.folder / ".screenshots.part"
    noted = len(journal.read_text().splitlines())
    assert noted >= 3
    with journal.open("a") as file:
        file.write('{"track_id": "4", "torn')
    first = len(fetching.store.downloads)
    report = fetching.run()
    assert (report.asked, report.missing) == (0, 0)
    assert first + len(fetching.store.downloads[first:]) == 10 + (5 - noted)
    whole = Fetching(fetching.store, fetching.folder.parent / "whole")
    whole.run()
    assert whole.files() == fetching.files()


def test_a_run_that_ends_while_pictures_are_replaced_leaves_no_table_of_the_old_ones(fetching):
    fetching.run()

    class Interrupted(Downloader):
        def fetch(self, url, path, expected, **options):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetching.run(ItunesPlan(terms=("tides",), width=640), Interrupted())
    with pytest.raises(SourceError, match="not fetched to the end"):
        fetching.screens()
    # Going back to what is there needs no network.
    assert fetching.run(downloader=NoNetwork()).missing == 0


def test_a_source_without_a_plan_is_a_mistake(tmp_path):
    source = Source("store", SourceKind.ITUNES, "unknown", path="store")
    with pytest.raises(UserError, match="does not say what to look for"):
        fetch_store(source, str(tmp_path), NoNetwork())


def test_patience_can_be_had_shorter(fetching):
    fetching.store.faults[API] = [EMPTY_403]
    fetching.run(patience=Patience(cool_down_s=9))
    assert fetching.waited == 9
