"""The drawn App Store, its server, and the drawn screens that somebody captured."""

import io
import pathlib

import pytest
from PIL import Image

from pipelines.fetching.downloading import Downloader
from pipelines.fetching.store import fetch_store
from pipelines.sample.ios import MISSING_CAPTURE, WIDTH, write_captured, write_store
from pipelines.sample.serving import serve
from schemas.manifest import ImagePolicy, ItunesPlan, Source, SourceKind
from schemas.rejects import Reason, Reject
from schemas.screens import App, ScreenRef
from transforms.screens.images import check_image
from transforms.sources.captured import list_captured, read_captured_apps
from transforms.sources.itunes import list_store, read_store_apps

PLAN = ItunesPlan(
    countries=("us", "gb"),
    terms=("weather", "accounts", "plan"),
    quota={"Weather": 1, "Finance": 1, "Productivity": 2},
    width=WIDTH,
)


def contents(folder: pathlib.Path) -> dict[str, bytes]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    folder = tmp_path_factory.mktemp("web")
    write_store(folder)
    return folder


@pytest.fixture(scope="module")
def fetched(web, tmp_path_factory):
    folder = tmp_path_factory.mktemp("store")
    source = Source("store", SourceKind.ITUNES, "unknown", path="store", itunes=PLAN)
    with serve(web) as address:
        report = fetch_store(source, str(folder), Downloader(mirror=address))
    return folder, report


def test_two_writes_give_the_same_bytes(web, tmp_path):
    write_store(tmp_path / "web")
    write_captured(tmp_path / "first")
    write_captured(tmp_path / "second")
    assert contents(tmp_path / "web") == contents(web)
    assert contents(tmp_path / "first") == contents(tmp_path / "second")


def test_the_store_shows_what_real_stores_do(fetched):
    folder, report = fetched
    assert str(report) == "3 apps, 8 screenshots; lacking to the quota: Productivity 1"
    assert report.records == {"read": 7, "kept": 3, "merged": 1}
    assert {(reject.id, reject.reason) for reject in report.rejects} == {
        ("6990000102", Reason.APP_KIND_FOREIGN),
        ("6990000404", Reason.OVER_CATEGORY_QUOTA),
        ("6990000505", Reason.APP_WITHOUT_SCREENSHOTS),
    }
    screens = [item for item in list_store(str(folder), "store") if isinstance(item, ScreenRef)]
    assert len(screens) == 8
    assert list(read_store_apps(str(folder), "store")) == [
        App("com.tidewick.weather", "Weather"),
        App("com.ledgerleaf.money", "Finance"),
        App("app.corkboarddays.pad", "Productivity"),
    ]


def test_recorded_addresses_are_those_of_the_web(fetched):
    folder, _ = fetched
    for name in ("requests.jsonl", "screenshots.jsonl"):
        text = (folder / name).read_text()
        assert "https://" in text
        assert "127.0.0.1" not in text


def test_the_captured_screens_have_one_mistake(tmp_path):
    write_captured(tmp_path)
    items = list(list_captured(str(tmp_path), "captured"))
    assert [item.screen_id for item in items if isinstance(item, ScreenRef)] == [
        f"{app}:{order}"
        for app in ("com.ledgerleaf.money", "app.quietferry.tickets")
        for order in (1, 2, 3)
    ]
    (reject,) = [item for item in items if isinstance(item, Reject)]
    assert reject.reason is Reason.CAPTURE_FILE_MISSING
    assert MISSING_CAPTURE in reject.detail
    assert list(read_captured_apps(str(tmp_path), "captured")) == [
        App("com.ledgerleaf.money", "Finance"),
        App("app.quietferry.tickets", "Travel"),
    ]


def test_every_picture_stands_the_check(web, tmp_path):
    write_captured(tmp_path)
    pictures = [*web.rglob("*.png"), *tmp_path.rglob("*.png")]
    assert len(pictures) == 14
    facts = [check_image(path.read_bytes(), ImagePolicy()) for path in pictures]
    assert len({fact.sha256 for fact in facts}) == 14
    assert {fact.size.width for fact in facts} == {WIDTH}


def test_a_picture_is_served_at_whatever_size_and_by_parts(web):
    path = next(web.rglob("*.png"))
    whole = path.read_bytes()
    url = "https://" + str(path.relative_to(web)).replace("\\", "/")
    with serve(web) as address:
        downloader = Downloader(mirror=address)
        for name in (url, f"{url}/392x696bb.png", f"{url}/2000x0w.png"):
            assert downloader.get(name, max_bytes=1 << 20).body == whole
    assert Image.open(io.BytesIO(whole)).width == WIDTH
