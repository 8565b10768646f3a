"""`screenset fetch` as a whole: from a manifest and a server to files that can be trusted."""

import hashlib
import io
import json
import os
import pathlib
import shutil
import tarfile

import faulty_server as fake
import pytest

from pipelines.errors import UserError
from pipelines.fetching.display import TransferDisplay
from pipelines.fetching.downloading import Downloader
from pipelines.fetching.sources import (
    STORE_CALLS,
    FetchOptions,
    fetch,
    parse_stand_ins,
    report_text,
)
from pipelines.fetching.standing import State
from pipelines.sample.ios import WIDTH, write_store
from pipelines.sample.serving import serve
from schemas.manifest import Download, ItunesPlan, Manifest, Source, SourceKind

CSV = b"UI Number,App Package Name\n0,com.brc.PeriodTrackerDiary\n"
HTML = b"<html><body>Quota exceeded</body></html>"
FILES = {"combined/0.json": b"{}", "combined/0.jpg": b"\xff\xd8" + bytes(100)}


def packed(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, body in files.items():
            header = tarfile.TarInfo(name)
            header.size = len(body)
            archive.addfile(header, io.BytesIO(body))
    return buffer.getvalue()


ARCHIVE = packed({**FILES, "combined/._0.json": b"\0\5\x16\7"})


def digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


@pytest.fixture
def server():
    with fake.serving() as server:
        server.play("/unique_uis.tar.gz", fake.file(ARCHIVE))
        server.play("/ui_details.csv", fake.file(CSV))
        yield server


@pytest.fixture
def data(tmp_path) -> pathlib.Path:
    return tmp_path / "data"


@pytest.fixture
def get(server, data):
    """Returns a function that fetches sources of a manifest; its progress is in `get.said`."""

    def run(manifest: Manifest, *names: str, **options):
        stream = io.StringIO()

        def connect(**arguments):
            return Downloader(sleep=lambda _: None, **arguments)

        report = fetch(
            manifest, names, str(data), FetchOptions(**options), connect=connect, stream=stream
        )
        run.said = stream.getvalue()
        return report

    return run


@pytest.fixture
def manifest(server) -> Manifest:
    return made(
        rico(server.url("/unique_uis.tar.gz")),
        apps(server.url("/ui_details.csv")),
        Source("by_hand", SourceKind.SCREEN_LIST, "unknown", path="x.txt", url="https://h/x"),
    )


def made(*sources: Source) -> Manifest:
    return Manifest({source.name: source for source in sources}, {})


def rico(url: str, **download) -> Source:
    return Source(
        "rico",
        SourceKind.RICO_COMBINED,
        "unknown (third-party apps)",
        path="rico/unique_uis/combined",
        downloads=(Download(url, unpack="rico/unique_uis", members="combined/", **download),),
    )


def apps(url: str, **download) -> Source:
    return Source(
        "apps",
        SourceKind.RICO_UI_DETAILS,
        "unknown",
        path="rico/ui_details.csv",
        downloads=(Download(url, to="rico/ui_details.csv", **download),),
    )


def states(report) -> dict[str, str]:
    return {outcome.source: outcome.state.value for outcome in report.outcomes}


def tree(data: pathlib.Path) -> set[str]:
    return {str(path.relative_to(data)) for path in data.rglob("*") if path.is_file()}


RECEIPTS = {"fetched.json", ".fetched.json.lock"}
ALL = {
    "rico/unique_uis/combined/0.json",
    "rico/unique_uis/combined/0.jpg",
    "rico/ui_details.csv",
    *RECEIPTS,
}


def test_everything_that_can_be_fetched_is(get, manifest, data):
    report = get(manifest)
    assert states(report) == {"rico": "fetched", "apps": "fetched"}
    assert report.exit_code == 0
    assert tree(data) == ALL
    assert (data / "rico/ui_details.csv").read_bytes() == CSV
    text = report_text(report)
    assert "2 files, 104 B, 1 ._ files left out" in text
    assert "rico: fetching http://127.0.0.1" in get.said


def test_what_was_fetched_is_recorded_without_paths_of_the_machine(get, manifest, data, tmp_path):
    get(manifest)
    text = (data / "fetched.json").read_text()
    assert str(tmp_path) not in text
    records = {record["source"]: record for record in json.loads(text)["downloads"]}
    assert records["rico"]["sha256"] == digest(ARCHIVE)
    assert records["rico"]["into"] == "rico/unique_uis"
    assert records["rico"]["files"] == 2
    assert records["rico"]["dropped"] == {"._ files": 1}
    assert records["apps"]["size_bytes"] == len(CSV)


def test_what_is_there_is_not_fetched_again(get, manifest, server, data):
    get(manifest)
    before = (data / "fetched.json").read_text()
    asked = len(server.asked)
    report = get(manifest)
    assert states(report) == {"rico": "there already", "apps": "there already"}
    assert len(server.asked) == asked
    assert (data / "fetched.json").read_text() == before


def test_only_what_was_asked_for_is_fetched(get, manifest, data):
    assert states(get(manifest, "apps")) == {"apps": "fetched"}
    assert tree(data) == {"rico/ui_details.csv", *RECEIPTS}


def test_names_that_are_wrong_are_mistakes(get, manifest, server):
    with pytest.raises(UserError, match=r"no source ricoo; did you mean rico\?"):
        get(manifest, "ricoo")
    with pytest.raises(UserError, match="does not say how to fetch by_hand; see https://h/x"):
        get(manifest, "by_hand")
    with pytest.raises(UserError, match=r"no source aps; did you mean apps\?"):
        get(manifest, accept_changed=frozenset({"aps"}))
    with pytest.raises(UserError, match="no source nothing"):
        get(manifest, stand_ins={"nothing": "."})
    assert server.asked == []


def test_one_failure_does_not_keep_the_others(get, manifest, server, data):
    server.play("/unique_uis.tar.gz", fake.file(HTML))
    report = get(manifest)
    assert states(report) == {"rico": "failed", "apps": "fetched"}
    assert report.exit_code == 1
    (sentence,) = report.failures
    assert sentence.startswith("rico: http://127.0.0.1")
    assert "is an HTML page instead of an archive" in sentence
    assert tree(data) == {"rico/ui_details.csv", *RECEIPTS}
    assert sentence in get.said


@pytest.mark.parametrize("size_bytes", [None, len(ARCHIVE)])
def test_another_digest_than_the_manifests_is_refused(get, server, data, size_bytes):
    wanted = digest(b"another")
    source = rico(server.url("/unique_uis.tar.gz"), sha256=wanted, size_bytes=size_bytes)
    report = get(made(source))
    assert report.exit_code == 1
    assert digest(ARCHIVE) in report.failures[0]
    assert wanted in report.failures[0]
    assert tree(data) == set()


def test_a_file_that_changed_since_it_was_first_fetched_is_refused(get, manifest, server, data):
    get(manifest)
    (data / "rico/ui_details.csv").unlink()
    changed = CSV.replace(b"0,com", b"1,com")
    server.play("/ui_details.csv", fake.file(changed))
    report = get(manifest)
    (sentence,) = report.failures
    for part in (digest(CSV), digest(changed), "--accept-changed apps"):
        assert part in sentence
    assert not (data / "rico/ui_details.csv").exists()
    assert states(get(manifest, accept_changed=frozenset({"apps"})))["apps"] == "fetched"
    assert (data / "rico/ui_details.csv").read_bytes() == changed
    assert states(get(manifest))["apps"] == "there already"


def test_an_archive_that_changed_is_refused_until_it_is_accepted(get, manifest, server, data):
    get(manifest, "rico")
    shutil.rmtree(data / "rico/unique_uis/combined")
    changed = packed({"combined/0.json": b"[]"})
    server.play("/unique_uis.tar.gz", fake.file(changed))
    assert "--accept-changed rico" in get(manifest, "rico").failures[0]
    assert not (data / "rico/unique_uis/combined").exists()
    get(manifest, "rico", accept_changed=frozenset({"rico"}))
    assert (data / "rico/unique_uis/combined/0.json").read_bytes() == b"[]"


def test_a_manifest_that_names_a_new_digest_gets_the_new_file(get, manifest, server, data):
    get(manifest, "apps")
    changed = CSV + b"1,com.x\n"
    url = server.play("/ui_details.csv", fake.file(changed))
    report = get(made(apps(url, sha256=digest(changed))))
    assert states(report) == {"apps": "fetched"}
    assert (data / "rico/ui_details.csv").read_bytes() == changed


def test_a_file_that_was_altered_is_not_taken_for_the_fetched_one(get, manifest, data):
    get(manifest)
    (data / "rico/ui_details.csv").write_bytes(CSV + b"1,mine\n")
    report = get(manifest)
    assert "was altered since it was fetched" in report.failures[0]
    assert (data / "rico/ui_details.csv").read_bytes() == CSV + b"1,mine\n"


def test_verify_finds_what_sizes_do_not_tell(get, manifest, data):
    get(manifest)
    assert get(manifest, verify=True).exit_code == 0
    (data / "rico/ui_details.csv").write_bytes(CSV.replace(b"0,com", b"1,com"))
    (data / "rico/unique_uis/combined/0.jpg").unlink()
    assert get(manifest).exit_code == 0
    report = get(manifest, verify=True)
    assert "1 files of 2 bytes, it was 2 of 104" in report.failures[0]
    assert digest(CSV) in report.failures[1]


def test_a_file_that_somebody_put_there_is_taken_and_recorded(get, manifest, server, data):
    (data / "rico").mkdir(parents=True)
    (data / "rico/ui_details.csv").write_bytes(CSV)
    assert states(get(manifest, "apps")) == {"apps": "taken as it is"}
    assert server.asked == []
    assert states(get(manifest, "apps")) == {"apps": "there already"}


def test_a_file_that_somebody_put_there_must_be_the_one_the_manifest_names(get, server, data):
    (data / "rico").mkdir(parents=True)
    (data / "rico/ui_details.csv").write_bytes(b"another\n")
    source = apps(server.url("/ui_details.csv"), sha256=digest(CSV))
    report = get(made(source))
    assert "is not the file that the manifest names" in report.failures[0]
    assert (data / "rico/ui_details.csv").read_bytes() == b"another\n"
    assert "fetched.json" not in tree(data)


def test_a_page_that_somebody_saved_there_is_refused(get, manifest, data):
    (data / "rico").mkdir(parents=True)
    (data / "rico/ui_details.csv").write_bytes(HTML)
    assert "HTML page" in get(manifest, "apps").failures[0]


def test_a_folder_that_somebody_put_there_is_left_as_it_is(get, manifest, server, data):
    (data / "rico/unique_uis/combined").mkdir(parents=True)
    (data / "rico/unique_uis/combined/7.json").write_bytes(b"{}")
    assert states(get(manifest, "rico")) == {"rico": "left as it is"}
    assert server.asked == []
    assert tree(data) == {"rico/unique_uis/combined/7.json"}


def test_a_folder_that_holds_something_else_does_not_keep_an_archive(get, manifest, data):
    (data / "rico/unique_uis").mkdir(parents=True)
    (data / "rico/unique_uis/notes.txt").write_bytes(b"mine")
    assert states(get(manifest, "rico")) == {"rico": "fetched"}
    assert (data / "rico/unique_uis/notes.txt").exists()
    assert (data / "rico/unique_uis/combined/0.json").exists()


def test_all_archives_of_a_source_are_fetched_into_one_folder(get, server, data):
    second = server.play("/more.tar.gz", fake.file(packed({"combined/1.json": b"[]"})))
    first = rico(server.url("/unique_uis.tar.gz"))
    more = Download(second, unpack="rico/unique_uis", members="combined/")
    source = Source(
        "rico", first.kind, "unknown", path=first.path, downloads=(*first.downloads, more)
    )
    server.play("/more.tar.gz", fake.status(404), fake.file(packed({"combined/1.json": b"[]"})))
    assert [o.state for o in get(made(source)).outcomes] == [State.FETCHED, State.FAILED]
    assert [o.state for o in get(made(source)).outcomes] == [State.THERE, State.FETCHED]
    assert len(os.listdir(data / "rico/unique_uis/combined")) == 3


def test_an_archive_of_several_sources_is_downloaded_once(get, server, data):
    first = rico(server.url("/unique_uis.tar.gz"))
    second = Download(server.url("/unique_uis.tar.gz"), unpack="pictures", members="combined/0.j")
    other = Source("pictures", SourceKind.SCREEN_LIST, "unknown", downloads=(second,))
    assert get(made(first, other)).exit_code == 0
    assert len(server.asked) == 1
    assert not any(path.startswith("archives/") for path in tree(data))


def test_a_file_that_changed_its_size_is_refused_before_it_is_downloaded(
    get, manifest, server, data
):
    get(manifest, "apps")
    (data / "rico/ui_details.csv").unlink()
    server.play("/ui_details.csv", fake.declaring(b"x" * 2000, 10**12))
    (sentence,) = get(manifest, "apps").failures
    assert f"1,000,000,000,000 bytes, it was {len(CSV)} bytes; --accept-changed apps" in sentence
    assert tree(data) == RECEIPTS


def test_archives_are_kept_where_a_mirror_would_have_them(get, manifest, server, data, tmp_path):
    get(manifest, "rico", keep_archives=True)
    kept = [path for path in tree(data) if path.startswith("archives/")]
    assert [os.path.basename(path) for path in kept] == ["unique_uis.tar.gz"]
    asked = len(server.asked)
    shutil.rmtree(data / "rico")
    shutil.move(data / "archives", tmp_path / "archives")
    assert states(get(manifest, "rico", mirror=str(tmp_path / "archives"))) == {"rico": "fetched"}
    assert len(server.asked) == asked
    assert list((tmp_path / "archives").rglob("*.tar.gz"))


def test_an_archive_that_is_kept_is_not_downloaded_again(get, manifest, server, data):
    get(manifest, "rico", keep_archives=True)
    shutil.rmtree(data / "rico")
    asked = len(server.asked)
    get(manifest, "rico")
    assert len(server.asked) == asked
    assert tree(data) == ALL - {"rico/ui_details.csv"}


def test_a_broken_archive_is_not_kept_for_the_next_run(get, manifest, server, data):
    server.play("/unique_uis.tar.gz", fake.file(ARCHIVE[:-20]))
    assert "is broken" in get(manifest, "rico").failures[0]
    assert tree(data) == set()
    server.play("/unique_uis.tar.gz", fake.file(ARCHIVE))
    assert get(manifest, "rico").exit_code == 0


def test_a_killed_download_goes_on_in_the_next_run(get, manifest, server, data):
    noise = b"".join(hashlib.sha256(bytes([n])).digest() for n in range(200))
    body = packed({**FILES, "combined/1.jpg": noise})
    server.play("/unique_uis.tar.gz", fake.file(body, stop=3000), fake.status(404))
    assert get(manifest, "rico").exit_code == 1
    assert any(path.endswith(".part") for path in tree(data))
    server.play("/unique_uis.tar.gz", fake.file(body))
    assert get(manifest, "rico").exit_code == 0
    assert server.ranges()[-1] == "bytes=3000-"
    assert (data / "rico/unique_uis/combined/1.jpg").read_bytes() == noise
    assert not list(data.rglob("*.part*"))


def test_an_unpacking_that_was_killed_is_done_again(get, manifest, data):
    get(manifest, "rico")
    (data / "rico/.unique_uis.unpacking").mkdir()
    (data / "rico/unique_uis/combined/0.json").unlink()
    assert states(get(manifest, "rico")) == {"rico": "fetched"}
    assert tree(data) == ALL - {"rico/ui_details.csv"}


def test_a_mirror_folder_needs_no_network(get, data, tmp_path):
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror/unique_uis.tar.gz").write_bytes(ARCHIVE)
    (tmp_path / "mirror/ui_details.csv").write_bytes(CSV)
    base = "https://no.such.host.invalid/rico_dataset_v0.1"
    report = get(
        made(rico(f"{base}/unique_uis.tar.gz"), apps(f"{base}/ui_details.csv")),
        mirror=str(tmp_path / "mirror"),
    )
    assert report.exit_code == 0
    assert tree(data) == ALL
    assert (tmp_path / "mirror/unique_uis.tar.gz").exists()
    assert str(tmp_path) not in (data / "fetched.json").read_text()


def test_a_file_stands_for_a_source(get, manifest, server, data, tmp_path):
    (tmp_path / "rico-2017.tgz").write_bytes(ARCHIVE)
    (tmp_path / "saved page.csv").write_bytes(HTML)
    stand_ins = parse_stand_ins(
        [f"rico={tmp_path / 'rico-2017.tgz'}", f"apps={tmp_path / 'saved page.csv'}"]
    )
    report = get(manifest, stand_ins=stand_ins)
    assert states(report) == {"rico": "fetched", "apps": "failed"}
    assert server.asked == []
    assert tree(data) == ALL - {"rico/ui_details.csv"}
    (tmp_path / "saved page.csv").write_bytes(CSV)
    assert get(manifest, stand_ins=stand_ins).exit_code == 0
    assert tree(data) == ALL


def test_a_folder_stands_for_a_source(get, manifest, server, data, tmp_path):
    (tmp_path / "copies").mkdir()
    report = get(manifest, "apps", stand_ins={"apps": str(tmp_path / "copies")})
    assert "holds no file that stands for" in report.failures[0]
    (tmp_path / "copies/ui_details.csv").write_bytes(CSV)
    assert get(manifest, "apps", stand_ins={"apps": str(tmp_path / "copies")}).exit_code == 0
    assert server.asked == []


@pytest.mark.parametrize("item", ["", "rico", "=x", "rico=", "rico=/no/such/place"])
def test_stand_ins_that_are_wrong_are_mistakes(item):
    with pytest.raises(UserError, match="--from"):
        parse_stand_ins([item])


def test_a_list_says_what_would_be_fetched_and_does_nothing(get, manifest, server, data):
    report = get(manifest, list_only=True)
    assert states(report) == {"rico": "to fetch", "apps": "to fetch"}
    assert not data.exists()
    assert server.asked == []
    text = report_text(report)
    for part in ("unique_uis.tar.gz", "unknown (third-party apps)", "to fetch", "licence"):
        assert part in text
    get(manifest, "apps")
    assert states(get(manifest, list_only=True)) == {"rico": "to fetch", "apps": "there already"}


def test_a_manifest_without_downloads_says_so(get):
    report = get(made())
    assert report_text(report) == "The manifest names nothing to fetch."
    assert report.exit_code == 0


def test_the_display_says_how_far_how_fast_and_how_long():
    ticks = iter([0.0, 0.0, 0.0, 10.0, 10.0])
    display = TransferDisplay(io.StringIO(), clock=lambda: next(ticks))
    display.begin("rico")
    display.moved("https://h/a", 2_000_000_000, 6_000_000_000)
    display.moved("https://h/a", 2_100_000_000, 6_000_000_000)
    assert display.line().endswith(" 35% · rico 2.1 GB of 6.0 GB · 10.0 MB/s · 6 min 30 s left")
    display.moved("https://h/a", 2_200_000_000, None)
    assert display.line().endswith("░ rico 2.2 GB · 20.0 MB/s")


@pytest.mark.parametrize("place", ["../x", "/x", "a/../../x", "", "a//b"])
def test_a_place_outside_the_data_folder_is_refused(get, server, place):
    url = server.url("/ui_details.csv")
    source = Source("apps", SourceKind.SCREEN_LIST, "x", downloads=(Download(url, to=place),))
    with pytest.raises(UserError, match="is no place below --data"):
        get(made(source))


def test_a_damaged_record_is_said_before_anything_is_fetched(get, manifest, server, data):
    data.mkdir()
    (data / "fetched.json").write_text("{")
    with pytest.raises(UserError, match="is damaged"):
        get(manifest)
    assert server.asked == []


def test_a_mirror_that_is_not_there_is_a_mistake(get, manifest):
    with pytest.raises(UserError, match="is no folder"):
        get(manifest, mirror="/no/such/folder")


def test_no_secret_of_an_address_is_printed_or_stored(get, server, data):
    base = server.url("").replace("http://", "http://me:hunter2@")
    manifest = made(
        rico(f"{base}/unique_uis.tar.gz?sig=s3cret"), apps(f"{base}/nothing.csv?token=s3cret")
    )
    report = get(manifest)
    assert states(report) == {"rico": "fetched", "apps": "failed"}
    texts = [get.said, report_text(report), *report.failures, (data / "fetched.json").read_text()]
    texts += [str(path) for path in data.rglob("*")]
    for text in texts:
        assert "s3cret" not in text
        assert "hunter2" not in text


def test_a_store_is_asked_through_the_mirror_and_within_one_limit(tmp_path):
    web, data = tmp_path / "web", tmp_path / "data"
    write_store(web)
    plan = ItunesPlan(terms=("weather",), quota={"Weather": 1}, width=WIDTH)
    source = Source("ios", SourceKind.ITUNES, "unknown", path="ios/store", itunes=plan)
    with serve(web) as address:
        options = FetchOptions(mirror=address)
        report = fetch(Manifest({"ios": source}, {}), ["ios"], str(data), options)
    assert report.failures == ()
    assert "1 apps, 3 screenshots" in report_text(report)
    assert (data / STORE_CALLS).exists()
    # All is stored now: the same again needs no server.
    again = fetch(Manifest({"ios": source}, {}), ["ios"], str(data), options)
    assert again.failures == ()
    assert report_text(again) == report_text(report)
