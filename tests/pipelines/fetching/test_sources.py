"""`screenset fetch` as a whole: from a manifest and a server to files that can be trusted."""

import hashlib
import io
import json
import os
import pathlib
import shutil
import tarfile
import zipfile

import faulty_server as fake
import pytest

from pipelines.errors import UserError
from pipelines.fetching.display import TransferDisplay
from pipelines.fetching.downloading import Downloader
from pipelines.fetching.sources import (
    STORE_CALLS,
    FetchOptions,
    FetchReport,
    Outcome,
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
    assert "rico: failed; why is said at the end\n" in get.said
    assert "HTML page" not in get.said + report_text(report), "each sentence is read once"


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


MINE = {"combined/0.json": b"{}", "combined/1.json": b"[]"}


@pytest.fixture
def shared(server) -> Manifest:
    """A manifest whose sources put their files into one folder."""
    return made(
        own("droid", server.play("/droid.tgz", fake.file(packed(MINE))), "combined/"),
        own("views", server.play("/views.tgz", fake.file(packed({"views/0": b"0"}))), "views/"),
        Source(
            "apps",
            SourceKind.RICO_UI_DETAILS,
            "unknown",
            path="mine/apps.csv",
            downloads=(Download(server.url("/ui_details.csv"), to="mine/apps.csv"),),
        ),
    )


def own(name: str, url: str, members: str, path: str | None = None) -> Source:
    return Source(
        name,
        SourceKind.RICO_COMBINED,
        "unknown",
        path=path or f"mine/{members}".rstrip("/"),
        downloads=(Download(url, unpack="mine", members=members),),
    )


def test_what_other_sources_put_into_a_folder_does_not_stand_for_an_archive(get, shared, data):
    get(shared)
    shutil.rmtree(data / "mine/combined")
    there = {"droid": "fetched", "views": "there already", "apps": "there already"}
    assert states(get(shared, list_only=True)) == {**there, "droid": "to fetch"}
    assert states(get(shared)) == there
    assert len(os.listdir(data / "mine/combined")) == 2


@pytest.mark.parametrize("wide", ["droid", "both"])
def test_an_archive_that_is_taken_whole_is_told_from_others_of_its_folder(
    get, server, shared, data, wide
):
    body = packed({**MINE, "README.txt": b"read"})
    droid = own("droid", server.play("/droid.tgz", fake.file(body)), "", "mine/combined")
    more = packed({f"views/{number}": b"0" for number in range(5)})
    members = "" if wide == "both" else "views/"
    views = own("views", server.play("/views.tgz", fake.file(more)), members, "mine/views")
    manifest = made(droid, views, shared.sources["apps"])
    get(manifest)
    assert set(states(get(manifest, verify=True)).values()) == {"there already"}
    shutil.rmtree(data / "mine/combined")
    assert states(get(manifest))["droid"] == "fetched"
    assert (data / "mine/combined/1.json").exists()


def test_a_place_that_an_archive_never_brings_does_not_make_it_fetched_for_ever(get, server):
    url = server.play("/droid.tgz", fake.file(packed(MINE)))
    manifest = made(own("droid", url, "", "mine/combind"))
    get(manifest)
    assert states(get(manifest)) == {"droid": "there already"}


def test_verify_counts_and_names_only_what_a_source_brought(get, shared, data):
    get(shared)
    assert get(shared, verify=True).exit_code == 0
    (data / "mine/combined/1.json").unlink()
    (sentence,) = get(shared, verify=True).failures
    assert f"{data / 'mine/combined'} was altered since" in sentence
    assert "1 files of 2 bytes, it was 2 of 4; move it away to fetch it anew" in sentence
    shutil.move(data / "mine/combined", data / "away")
    assert states(get(shared, verify=True))["droid"] == "fetched"


def test_verify_of_an_archive_that_is_taken_whole_does_not_count_others(get, server, shared, data):
    url = server.url("/droid.tgz")
    manifest = made(own("droid", url, "", "mine/combined"), *list(shared.sources.values())[1:])
    get(manifest)
    (data / "mine/combined/1.json").unlink()
    (sentence,) = get(manifest, verify=True).failures
    assert f"{data / 'mine/combined'} was altered since" in sentence
    assert "1 files of 2 bytes, it was 2 of 4" in sentence


ACCEPTED = {"accept_changed": frozenset({"apps"})}


def test_a_changed_file_is_accepted_where_the_old_one_is_still_there(get, manifest, server, data):
    get(manifest)
    changed = CSV + b"1,com.x\n"
    server.play("/ui_details.csv", fake.file(changed, etag='"two"'))
    assert states(get(manifest, "apps")) == {"apps": "there already"}
    assert states(get(manifest, "apps", list_only=True, **ACCEPTED)) == {"apps": "to fetch"}
    assert states(get(manifest, "apps", **ACCEPTED)) == {"apps": "fetched"}
    assert (data / "rico/ui_details.csv").read_bytes() == changed
    assert digest(changed) in (data / "fetched.json").read_text()
    asked = len(server.asked)
    assert states(get(manifest, "apps", **ACCEPTED)) == {"apps": "unchanged"}
    assert len(server.asked) == asked + 1
    assert states(get(manifest, "apps", verify=True)) == {"apps": "there already"}


@pytest.mark.parametrize("play", [fake.file(HTML), fake.status(404), fake.file(b"x" * 90, stop=5)])
def test_what_is_there_stays_until_the_changed_file_is_whole(get, manifest, server, data, play):
    get(manifest)
    before = (data / "fetched.json").read_text()
    server.play("/ui_details.csv", play, fake.status(404))
    assert states(get(manifest, "apps", **ACCEPTED)) == {"apps": "failed"}
    assert (data / "rico/ui_details.csv").read_bytes() == CSV
    assert (data / "fetched.json").read_text() == before


def test_a_file_that_somebody_altered_is_not_replaced_by_accepting(get, manifest, server, data):
    get(manifest)
    mine = CSV.replace(b"0,com", b"1,com")
    (data / "rico/ui_details.csv").write_bytes(mine)
    server.play("/ui_details.csv", fake.file(CSV + b"1,com.x\n"))
    assert "was altered since it was fetched" in get(manifest, "apps", **ACCEPTED).failures[0]
    assert (data / "rico/ui_details.csv").read_bytes() == mine


@pytest.mark.parametrize("keep_archives", [True, False])
def test_a_changed_archive_is_accepted_where_the_old_files_are_still_there(
    get, manifest, server, data, keep_archives
):
    options = {"accept_changed": frozenset({"rico"}), "keep_archives": keep_archives}
    get(manifest, "rico", keep_archives=keep_archives)
    kept = tree(data)
    assert states(get(manifest, "rico", **options)) == {"rico": "unchanged"}
    assert tree(data) == kept
    changed = packed({"combined/0.json": b"[]"})
    server.play("/unique_uis.tar.gz", fake.file(changed[:-9], etag='"two"'))
    assert states(get(manifest, "rico", **options)) == {"rico": "failed"}
    assert (data / "rico/unique_uis/combined/0.json").read_bytes() == b"{}"
    server.play("/unique_uis.tar.gz", fake.file(changed, etag='"three"'))
    report = get(manifest, "rico", **options)
    assert states(report) == {"rico": "fetched"}
    assert "1 files that were there before are not in it and stay" in report_text(report)
    assert (data / "rico/unique_uis/combined/0.json").read_bytes() == b"[]"
    assert digest(changed) in (data / "fetched.json").read_text()


def test_a_file_whose_digest_the_manifest_names_is_not_asked_for_again(get, server):
    manifest = made(apps(server.url("/ui_details.csv"), sha256=digest(CSV)))
    get(manifest)
    asked = len(server.asked)
    report = get(manifest, **ACCEPTED)
    assert "not asked for again: the manifest names its sha256" in report_text(report)
    assert len(server.asked) == asked


def test_accepting_what_is_not_fetched_is_a_mistake(get, manifest):
    with pytest.raises(UserError, match="apps is not among the sources to be fetched"):
        get(manifest, "rico", **ACCEPTED)
    plan = ItunesPlan(terms=("weather",), quota={"Weather": 1}, width=WIDTH)
    store = Source("apps", SourceKind.ITUNES, "unknown", path="ios", itunes=plan)
    with pytest.raises(UserError, match="asked for again by --refresh"):
        get(made(store), **ACCEPTED)


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


def test_a_folder_that_somebody_put_there_is_taken_as_it_is(get, manifest, server, data):
    (data / "rico/unique_uis/combined").mkdir(parents=True)
    (data / "rico/unique_uis/combined/7.json").write_bytes(b"{}")
    report = get(manifest, "rico")
    assert states(report) == {"rico": "taken as it is"}
    (data / "rico/ui_details.csv").write_bytes(CSV)
    (other,) = get(manifest, "apps").outcomes
    assert (other.state, other.detail) == (report.outcomes[0].state, report.outcomes[0].detail)
    assert "put there by hand; move it away to fetch it" in report_text(report)
    assert server.asked == []
    assert tree(data) == {
        "rico/unique_uis/combined/7.json",
        "rico/ui_details.csv",
        *RECEIPTS,
    }
    (record,) = json.loads((data / "fetched.json").read_text())["downloads"]
    assert record["source"] == "apps"


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
    looked_for = f"{tmp_path / 'copies'} holds no ui_details.csv, which would stand for http://"
    assert looked_for in report.failures[0]
    (tmp_path / "copies/ui_details.csv").write_bytes(CSV)
    assert get(manifest, "apps", stand_ins={"apps": str(tmp_path / "copies")}).exit_code == 0
    assert server.asked == []


@pytest.mark.parametrize("way", ["mirror", "file", "folder"])
def test_local_copies_are_called_by_the_paths_the_user_gave(
    get, manifest, data, tmp_path, monkeypatch, way
):
    monkeypatch.chdir(tmp_path)
    copies = pathlib.Path("mir")
    copies.mkdir()
    names = {"rico": "mir/unique_uis.tar.gz", "apps": "mir/ui_details.csv"}
    stand_ins = names if way == "file" else dict.fromkeys(names, "mir")
    options = {"mirror": "mir"} if way == "mirror" else {"stand_ins": stand_ins}
    for path in names.values():
        pathlib.Path(path).write_bytes(HTML)
    report = get(manifest, **options)
    assert [sentence.partition(" is an HTML page")[0] for sentence in report.failures] == [
        f"{name}: {path}" for name, path in names.items()
    ]
    copies.joinpath("unique_uis.tar.gz").write_bytes(ARCHIVE)
    copies.joinpath("ui_details.csv").write_bytes(CSV)
    listed = get(manifest, list_only=True, **options)
    report = get(manifest, **options)
    for name, path in names.items():
        assert f"{name}: taking {path}\n" in get.said
        assert f"  {path}  " in report_text(listed)
        assert f"  {path}" in report_text(report)
    assert "fetching" not in get.said
    assert "http://" not in report_text(report)
    records = json.loads((data / "fetched.json").read_text())["downloads"]
    assert all(record["url"].startswith("http://127.0.0.1") for record in records)
    assert "mir/" not in (data / "fetched.json").read_text()
    copies.joinpath("unique_uis.tar.gz").write_bytes(packed({"combined/0.json": b"[]"}))
    shutil.rmtree(data / "rico/unique_uis")
    (sentence,) = get(manifest, **options).failures
    assert sentence.startswith("rico: mir/unique_uis.tar.gz is another file than before")


def test_the_name_that_is_looked_for_holds_no_secret(get, server, tmp_path):
    manifest = made(apps(server.url("/ui_details.csv?sig=s3cret")))
    (sentence,) = get(manifest, stand_ins={"apps": str(tmp_path)}).failures
    assert "holds no ui_details.csv?sig=…, which" in sentence


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
    head, _, *lines = text.splitlines()
    places = [line[head.index("into") : head.index("from")].strip() for line in lines]
    assert places == ["rico/unique_uis/combined/", "rico/ui_details.csv"]
    get(manifest, "apps")
    assert states(get(manifest, list_only=True)) == {"rico": "to fetch", "apps": "there already"}


def test_every_column_of_a_report_has_a_heading_and_no_line_trailing_blanks(get, manifest):
    get(manifest)
    lines = report_text(get(manifest)).splitlines()
    assert lines[0].endswith("  what came")
    assert [line for line in lines if line != line.rstrip()] == []


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


@pytest.mark.parametrize(
    ("done", "percent"), [(280_100, " 99%"), (281_199, " 99%"), (281_200, "100%"), (0, "  0%")]
)
def test_the_display_never_says_that_all_is_there_before_it_is(done, percent):
    display = TransferDisplay(io.StringIO())
    display.begin("droid")
    display.moved("https://h/a", done, 281_200)
    assert f" {percent} · droid" in display.line()


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


@pytest.mark.parametrize(
    "headers",
    [
        {"Content_Length": "9" * 5000},
        {"Content_Encoding": "\x1b[31mE\x07"},
        {"Location": "file:///\x1b[31mE\x07"},
        {"Location": "http://[::1/x"},
        {"Retry_After": "1 Jan 9999999999999999999999 00:00:00 GMT"},
    ],
)
def test_hostile_headers_fail_one_source_in_a_sentence(get, server, data, headers):
    codes = {"Location": 302, "Retry_After": 503}
    code = codes.get(next(iter(headers)), 200)
    server.play("/unique_uis.tar.gz", fake.status(code, b"abc", **headers))
    archive, table = rico(server.url("/unique_uis.tar.gz")), apps(server.url("/ui_details.csv"))
    report = get(made(archive, table))
    assert [outcome.state for outcome in report.outcomes] == [State.FAILED, State.FETCHED]
    (sentence,) = report.failures
    assert sentence.isprintable()
    assert report_text(report).replace("\n", "").isprintable()


def test_failures_never_move_the_terminal():
    outcome = Outcome("s", "\x1b[1mo", "l\x9b", "i\u202e", State.FAILED, detail="a\x1b[31m\r\nb")
    (sentence,) = FetchReport((outcome,)).failures
    assert sentence == "s: a\ufffd[31m\ufffd b"
    assert report_text(FetchReport((outcome,), True)).replace("\n", "").isprintable()


def test_a_damaged_zip_is_removed_and_fetched_again(get, server, data):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("combined/0.json", b"[1]" * 200)
    damaged = bytearray(buffer.getvalue())
    damaged[60] ^= 0xFF
    server.play("/uis.zip", fake.file(bytes(damaged)), fake.file(buffer.getvalue()))
    manifest = made(rico(server.url("/uis.zip")))
    (sentence,) = get(manifest).failures
    assert "uis.zip is broken or no archive" in sentence
    assert "None" not in sentence
    assert not list(data.rglob("*.zip"))
    assert get(manifest).exit_code == 0
    assert (data / "rico/unique_uis/combined/0.json").read_bytes() == b"[1]" * 200


def test_parameters_of_an_address_are_in_no_name_and_in_no_sentence(get, server, data):
    url = server.play("/..;t=SECRET/uis.tar.gz;SECRET", fake.file(ARCHIVE))
    report = get(made(rico(url)), keep_archives=True)
    assert report.exit_code == 0
    kept = [str(path) for path in data.rglob("*") if "archives" in str(path)]
    shown = [*kept, report_text(report), get.said, (data / "fetched.json").read_text()]
    assert not any("SECRET" in text for text in shown)
    (archive,) = [path for path in kept if "uis.tar.gz" in path]
    assert archive.startswith(str(data / "archives/127.0.0.1"))
    assert "/..;/uis.tar.gz;." in archive


def test_a_pipe_that_stands_for_a_source_is_not_waited_for(get, server, tmp_path, manifest):
    os.mkfifo(tmp_path / "pipe")
    for name in ("apps", "rico"):
        (sentence,) = get(manifest, name, stand_ins={name: str(tmp_path / "pipe")}).failures
        assert sentence.endswith("pipe: is no ordinary file")
