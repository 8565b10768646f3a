"""Downloads from servers that fail in every way known to us."""

import email.utils
import gzip
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import types

import faulty_server as fake
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.errors import UserError
from pipelines.fetching.downloading import (
    Content,
    DigestError,
    Downloader,
    DownloadError,
    Expected,
    Receipt,
    check_file,
)
from pipelines.fetching.headers import retry_after
from pipelines.fetching.mirrors import file_name
from pipelines.fetching.partial_files import version_of
from pipelines.fetching.requesting import clean_url

BODY = b"id,name\n" + b"".join(b"%06d,row\n" % number for number in range(60_000))
OTHER = BODY.replace(b"row", b"now")
HTML = b"<!DOCTYPE html>\n<html><head><title>Quota exceeded</title></head><body>Sorry</body></html>"


class Watcher:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.moves: list[tuple[str, int, int | None]] = []

    def moved(self, url, done_bytes, total_bytes):
        self.moves.append((url, done_bytes, total_bytes))

    def note(self, sentence):
        self.notes.append(sentence)


@pytest.fixture
def server():
    with fake.serving() as server:
        yield server


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def watcher() -> Watcher:
    return Watcher()


@pytest.fixture
def downloader(waits, watcher):
    return Downloader(sleep=waits.append, progress=watcher)


@pytest.fixture
def path(tmp_path) -> pathlib.Path:
    return tmp_path / "data" / "rows.csv"


def digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def nothing_is_there(path: pathlib.Path) -> None:
    assert not path.exists()
    assert not list(path.parent.glob("*")), "nothing half is left behind that is wrong"


def test_a_file_arrives_whole_with_a_receipt(server, downloader, path):
    url = server.play("/rows.csv", fake.file(BODY))
    assert downloader.fetch(url, str(path)) == Receipt(url, digest(BODY), len(BODY))
    assert path.read_bytes() == BODY
    assert os.listdir(path.parent) == ["rows.csv"]
    assert server.asked[0][1]["accept-encoding"] == "identity"


@pytest.mark.parametrize("reset", [True, False])
def test_a_connection_that_breaks_off_is_gone_on_with(server, downloader, path, waits, reset):
    plays = [fake.file(BODY, stop=100_000, reset=reset)] * 3
    url = server.play("/rows.csv", *plays, fake.file(BODY))
    downloader.fetch(url, str(path))
    assert path.read_bytes() == BODY
    assert server.ranges()[0] is None
    assert len([asked for asked in server.ranges() if asked]) >= 2
    assert len(waits) == 3


def test_tries_count_anew_once_it_got_further(server, waits, path):
    body = BODY * 6
    url = server.play("/rows.csv", *[fake.file(body, stop=300_000)] * 8, fake.file(body))
    Downloader(sleep=waits.append, tries=2).fetch(url, str(path))
    assert path.read_bytes() == body


def test_a_server_that_never_gets_further_is_given_up(server, downloader, path):
    url = server.play("/rows.csv", fake.stubborn(BODY, stop=100_000))
    with pytest.raises(DownloadError, match=r"broke off.*\(6 tries\)|failed.*\(6 tries\)"):
        downloader.fetch(url, str(path))
    assert not path.exists()
    assert len(server.asked) == 6


def test_a_later_run_goes_on_where_an_earlier_one_stopped(server, waits, path):
    url = server.play("/rows.csv", fake.file(BODY, stop=200_000), fake.status(404))
    with pytest.raises(DownloadError, match="404 Not Found"):
        Downloader(sleep=waits.append).fetch(url, str(path))
    assert sorted(os.listdir(path.parent)) == ["rows.csv.part", "rows.csv.part.json"]
    server.play("/rows.csv", fake.file(BODY))
    Downloader(sleep=waits.append).fetch(url, str(path))
    assert path.read_bytes() == BODY
    assert server.ranges()[-1] == "bytes=200000-"
    assert server.asked[-1][1]["if-range"] == '"one"'


@pytest.mark.parametrize("obeys_if_range", [True, False])
def test_a_file_that_changed_meanwhile_is_never_spliced(server, downloader, path, obeys_if_range):
    changed = fake.file(OTHER, etag='"two"', obeys_if_range=obeys_if_range)
    url = server.play("/rows.csv", fake.file(BODY, stop=200_000), changed)
    assert downloader.fetch(url, str(path)).sha256 == digest(OTHER)
    assert path.read_bytes() == OTHER


def test_a_changed_file_that_is_shorter_begins_anew(server, downloader, path):
    short = fake.file(OTHER[:1000], etag='"two"', obeys_if_range=False)
    url = server.play("/rows.csv", fake.file(BODY, stop=200_000), short)
    downloader.fetch(url, str(path))
    assert path.read_bytes() == OTHER[:1000]


def test_a_change_that_no_header_tells_of_is_found_by_the_digest(server, downloader, path, watcher):
    sly = fake.file(OTHER, obeys_if_range=False)
    url = server.play("/rows.csv", fake.file(BODY, stop=200_000), sly)
    downloader.fetch(url, str(path), Expected(sha256=digest(OTHER)))
    assert path.read_bytes() == OTHER
    assert any("beginning anew" in note for note in watcher.notes)


def test_wrong_bytes_after_every_beginning_are_refused(server, downloader, path):
    sly = [fake.file(BODY, stop=200_000), fake.file(OTHER, obeys_if_range=False)]
    url = server.play("/rows.csv", *sly, *sly, *sly)
    with pytest.raises(DigestError):
        downloader.fetch(url, str(path), Expected(sha256=digest(b"neither")))
    nothing_is_there(path)


def test_a_version_is_told_by_its_date_where_there_is_no_tag(server, downloader, path):
    date = "Wed, 21 Oct 2015 07:28:00 GMT"
    url = server.play(
        "/rows.csv",
        fake.file(BODY, etag=None, modified=date, stop=200_000),
        fake.file(BODY, etag=None, modified=date),
    )
    downloader.fetch(url, str(path))
    assert path.read_bytes() == BODY
    assert server.asked[1][1]["if-range"] == date


@pytest.mark.parametrize("etag", [None, 'W/"weak"'])
def test_a_file_whose_version_cannot_be_told_is_not_resumed(server, downloader, path, etag):
    url = server.play(
        "/rows.csv", fake.file(BODY, etag=etag, stop=200_000), fake.file(OTHER, etag=etag)
    )
    downloader.fetch(url, str(path))
    assert server.ranges() == [None, None]
    assert path.read_bytes() == OTHER


def test_a_server_that_ignores_ranges_sends_it_from_the_start(server, downloader, path):
    url = server.play("/rows.csv", fake.stubborn(BODY, stop=200_000), fake.stubborn(BODY))
    downloader.fetch(url, str(path))
    assert server.ranges() == [None, "bytes=200000-"]
    assert path.read_bytes() == BODY


def test_a_range_that_cannot_be_had_begins_anew(server, downloader, path):
    url = server.play("/rows.csv", fake.file(BODY, stop=200_000), fake.status(416), fake.file(BODY))
    downloader.fetch(url, str(path))
    assert path.read_bytes() == BODY


def test_a_whole_part_needs_no_further_request(server, downloader, path):
    url = server.play("/rows.csv", fake.file(BODY))
    path.parent.mkdir()
    (path.parent / "rows.csv.part").write_bytes(BODY)
    version = {
        "origin": digest(url.encode()),
        "etag": '"one"',
        "modified": "",
        "total_bytes": len(BODY),
    }
    (path.parent / "rows.csv.part.json").write_text(json.dumps(version))
    downloader.fetch(url, str(path), Expected(sha256=digest(BODY)))
    assert path.read_bytes() == BODY
    assert server.asked == []


@pytest.mark.parametrize("notes", ["", "[]", "{}", '{"etag": 1}', '{"x": 1}', "\0"])
def test_a_part_of_unknown_origin_is_not_gone_on_with(server, downloader, path, notes):
    url = server.play("/rows.csv", fake.file(BODY))
    path.parent.mkdir()
    (path.parent / "rows.csv.part").write_bytes(b"of something else")
    (path.parent / "rows.csv.part.json").write_text(notes)
    downloader.fetch(url, str(path))
    assert path.read_bytes() == BODY
    assert server.ranges() == [None]


def test_a_part_of_another_address_is_not_gone_on_with(server, downloader, path):
    first = server.play("/a", fake.file(OTHER, stop=200_000), fake.status(404))
    with pytest.raises(DownloadError):
        downloader.fetch(first, str(path))
    second = server.play("/b", fake.file(BODY))
    downloader.fetch(second, str(path))
    assert path.read_bytes() == BODY


def test_less_than_declared_is_refused(server, downloader, path):
    url = server.play("/rows.csv", fake.declaring(BODY, len(BODY) + 10))
    with pytest.raises(DownloadError, match="broke off"):
        downloader.fetch(url, str(path))
    assert not path.exists()


@pytest.mark.parametrize(
    "expected",
    [
        Expected(size_bytes=len(BODY)),
        Expected(sha256=digest(BODY)),
    ],
)
def test_more_than_declared_is_cut_and_so_refused(server, downloader, path, expected):
    url = server.play("/rows.csv", fake.declaring(BODY, len(BODY) - 10))
    with pytest.raises(DigestError, match="is not the expected file"):
        downloader.fetch(url, str(path), expected)
    nothing_is_there(path)


def test_json_that_a_wrong_length_cut_is_refused(server, downloader, path):
    body = json.dumps([{"id": number} for number in range(500)]).encode()
    url = server.play("/x.json", fake.declaring(body, len(body) - 10))
    with pytest.raises(DownloadError, match="JSON that breaks off"):
        downloader.fetch(url, str(path), Expected(content=Content.JSON))
    nothing_is_there(path)


def test_another_digest_is_refused_with_both(server, downloader, path):
    url = server.play("/rows.csv", fake.file(OTHER))
    with pytest.raises(DigestError) as refused:
        downloader.fetch(url, str(path), Expected(sha256=digest(BODY)))
    assert digest(OTHER) in str(refused.value)
    assert digest(BODY) in str(refused.value)
    nothing_is_there(path)


def test_a_digest_may_be_written_in_capitals(server, downloader, path):
    url = server.play("/rows.csv", fake.file(BODY))
    downloader.fetch(url, str(path), Expected(sha256=digest(BODY).upper()))
    assert path.exists()


def test_another_size_is_refused_before_the_file_is_downloaded(server, downloader, path, watcher):
    url = server.play("/rows.csv", fake.file(BODY))
    with pytest.raises(DigestError, match=f"{len(BODY):,} bytes, not 12"):
        downloader.fetch(url, str(path), Expected(size_bytes=12))
    assert watcher.moves == []
    nothing_is_there(path)


@pytest.mark.parametrize("content", Content)
def test_a_page_instead_of_the_file_is_refused(server, downloader, path, content):
    url = server.play("/unique_uis.tar.gz", fake.file(HTML))
    expected = Expected(content=content, size_bytes=468_000_000)
    with pytest.raises(DownloadError, match=r"is an HTML page instead of .*“Quota exceeded”"):
        downloader.fetch(url, str(path), expected)
    nothing_is_there(path)
    assert len(server.asked) == 1


def test_a_page_in_the_midst_of_a_download_costs_nothing_of_it(server, downloader, path):
    url = server.play("/rows.csv", fake.file(BODY, stop=200_000), fake.stubborn(HTML))
    with pytest.raises(DownloadError, match="HTML page"):
        downloader.fetch(url, str(path))
    assert not path.exists()
    server.play("/rows.csv", fake.file(BODY))
    downloader.fetch(url, str(path))
    assert server.ranges()[-1] == "bytes=200000-"
    assert path.read_bytes() == BODY


def test_a_page_may_come_where_a_page_is_asked_for(server, downloader, path):
    url = server.play("/index.html", fake.file(HTML))
    downloader.fetch(url, str(path))
    assert path.read_bytes() == HTML


@pytest.mark.parametrize(
    ("content", "body"),
    [
        (Content.IMAGE, b"text"),
        (Content.IMAGE, b"\x1f\x8b\x08" + bytes(30)),
        (Content.ARCHIVE, b"\x89PNG\r\n\x1a\n" + bytes(30)),
        (Content.ARCHIVE, b"Quota exceeded"),
        (Content.JSON, b"<Error><Code>AccessDenied</Code></Error>"),
        (Content.TEXT, b"\xff\xd8\xff\xe0" + bytes(30)),
    ],
)
def test_other_content_than_meant_is_refused(server, downloader, path, content, body):
    url = server.play("/file", fake.file(body))
    with pytest.raises(DownloadError, match=f"instead of {content.value}"):
        downloader.fetch(url, str(path), Expected(content=content))
    nothing_is_there(path)


@pytest.mark.parametrize(
    ("content", "body"),
    [
        (Content.IMAGE, b"\xff\xd8\xff\xe0" + bytes(30)),
        (Content.IMAGE, b"RIFF\1\2\3\4WEBP" + bytes(30)),
        (Content.ARCHIVE, b"PK\3\4" + bytes(30)),
        (Content.JSON, b"\n\n\n{}\n\n"),
        (Content.JSON, b"\xef\xbb\xbf[1]"),
        (Content.JSON, b"null"),
        (Content.TEXT, "id,näme\n".encode() * 200),
        (Content.TEXT, b"x" + "ä".encode() * 2000),
    ],
)
def test_what_is_meant_is_taken(server, downloader, path, content, body):
    url = server.play("/file", fake.file(body))
    downloader.fetch(url, str(path), Expected(content=content))
    assert path.read_bytes() == body


@pytest.mark.parametrize("play", [fake.file(b""), fake.chunked(b"")])
def test_an_empty_file_is_refused(server, downloader, path, play):
    url = server.play("/rows.csv", play)
    with pytest.raises(DownloadError, match="is empty"):
        downloader.fetch(url, str(path))
    nothing_is_there(path)


@pytest.mark.parametrize("status", [400, 401, 404, 410, 451])
def test_a_refusal_is_not_asked_again(server, downloader, path, status):
    url = server.play("/rows.csv", fake.status(status, b"no"))
    with pytest.raises(DownloadError, match=f"the server says {status}") as refused:
        downloader.fetch(url, str(path))
    assert refused.value.status == status
    assert len(server.asked) == 1
    nothing_is_there(path)


def test_an_empty_403_is_asked_again_once_after_long(server, downloader, path, waits):
    url = server.play("/rows.csv", fake.status(403))
    with pytest.raises(DownloadError, match=r"403 Forbidden \(2 tries\)") as refused:
        downloader.fetch(url, str(path))
    assert refused.value.status == 403
    assert len(server.asked) == 2
    assert 45 <= waits[0] <= 60
    nothing_is_there(path)
    server.play("/rows.csv", fake.status(403), fake.file(BODY))
    downloader.fetch(url, str(path))
    assert path.read_bytes() == BODY


def test_a_storm_of_429_is_waited_out_as_asked(server, downloader, path, waits):
    storm = [fake.status(429, b"slow down", Retry_After=7)] * 3
    url = server.play("/rows.csv", *storm, fake.file(BODY))
    downloader.fetch(url, str(path))
    assert waits == [7.0, 7.0, 7.0]
    assert path.read_bytes() == BODY


def test_a_storm_that_does_not_end_is_given_up(server, downloader, path, waits):
    url = server.play("/rows.csv", fake.status(429, Retry_After=1))
    with pytest.raises(DownloadError, match=r"429 Too Many Requests \(6 tries\)"):
        downloader.fetch(url, str(path))
    assert waits == [1.0] * 5
    nothing_is_there(path)


def test_a_date_to_wait_for_is_by_the_servers_clock(server, downloader, path, waits):
    def play(handler):
        handler.send_response_only(503)
        handler.send_header("Date", email.utils.formatdate(1_000_000_000, usegmt=True))
        handler.send_header("Retry-After", email.utils.formatdate(1_000_000_090, usegmt=True))
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    url = server.play("/rows.csv", play, fake.file(BODY))
    downloader.fetch(url, str(path))
    assert waits == [90.0]


@pytest.mark.parametrize("asked", ["86400", "999999999"])
def test_a_wait_has_an_end(server, downloader, path, waits, asked):
    url = server.play("/rows.csv", fake.status(503, Retry_After=asked), fake.file(BODY))
    downloader.fetch(url, str(path))
    assert waits == [600.0]


@pytest.mark.parametrize("asked", ["", "soon", "-5", "1.5", "9" * 5000])
def test_a_wait_that_makes_no_sense_is_ours(server, downloader, path, waits, asked):
    url = server.play("/rows.csv", fake.status(503, Retry_After=asked), fake.file(BODY))
    downloader.fetch(url, str(path))
    assert 3 < waits[0] <= 5


def test_waits_double_and_are_the_same_every_time(server, path):
    url = server.play("/rows.csv", fake.status(500))
    runs = []
    for _ in range(2):
        waits: list[float] = []
        with pytest.raises(DownloadError):
            Downloader(sleep=waits.append).fetch(url, str(path))
        runs.append(waits)
    assert runs[0] == runs[1]
    assert runs[0] == sorted(runs[0])
    assert runs[0][-1] > 8 * runs[0][0]


def test_a_drip_is_given_up_and_gone_on_with(server, waits, path):
    ticks = iter(range(10_000_000))
    downloader = Downloader(sleep=waits.append, clock=lambda: float(next(ticks)))
    drip = fake.dripping(BODY, pieces=len(BODY))
    url = server.play("/rows.csv", fake.file(BODY, stop=5000), drip, fake.file(BODY))
    downloader.fetch(url, str(path))
    assert path.read_bytes() == BODY
    assert len(waits) == 2


def test_silence_is_given_up_and_gone_on_with(server, waits, path):
    until = threading.Event()
    url = server.play("/rows.csv", fake.silent(BODY, stop=5000, until=until), fake.file(BODY))
    Downloader(sleep=waits.append, timeout=0.2).fetch(url, str(path))
    until.set()
    assert path.read_bytes() == BODY
    assert server.ranges() == [None, "bytes=5000-"]


def test_a_body_of_unknown_length_arrives(server, downloader, path, watcher):
    url = server.play("/rows.csv", fake.chunked(BODY))
    downloader.fetch(url, str(path))
    assert path.read_bytes() == BODY
    assert {total for _, _, total in watcher.moves} == {None}


@pytest.mark.parametrize("whole_chunks", [True, False])
@pytest.mark.parametrize("stop", [1000, 2500, 500])
def test_chunks_that_break_off_are_no_file(server, downloader, path, whole_chunks, stop):
    url = server.play("/rows.csv", fake.chunked(BODY, stop=stop, whole_chunks=whole_chunks))
    with pytest.raises(DownloadError, match="broke off"):
        downloader.fetch(url, str(path))
    assert not path.exists()


def test_an_encoding_that_nobody_asked_for_is_taken_off(server, downloader, path):
    packed = gzip.compress(BODY)
    headers = {"Content_Encoding": "gzip", "ETag": '"one"'}
    url = server.play("/rows.csv", fake.status(200, packed, **headers))
    expected = Expected(sha256=digest(BODY), size_bytes=len(BODY), content=Content.TEXT)
    downloader.fetch(url, str(path), expected)
    assert path.read_bytes() == BODY


def test_an_encoded_file_that_breaks_off_is_no_file(server, downloader, path):
    packed = gzip.compress(BODY)[:-20]
    url = server.play("/rows.csv", fake.status(200, packed, Content_Encoding="gzip"))
    with pytest.raises(DownloadError, match=r"broke off \(6 tries\)"):
        downloader.fetch(url, str(path))
    assert not path.exists()


def test_an_archive_that_is_labelled_as_encoded_stays_what_it_is(server, downloader, path):
    packed = gzip.compress(BODY)
    url = server.play("/rows.tar.gz", fake.status(200, packed, Content_Encoding="x-gzip"))
    downloader.fetch(url, str(path), Expected(content=Content.ARCHIVE))
    assert path.read_bytes() == packed


def test_an_archive_that_is_encoded_once_more_is_decoded_once(server, downloader, path):
    packed = gzip.compress(BODY)
    url = server.play(
        "/rows.tar.gz", fake.status(200, gzip.compress(packed), Content_Encoding="gzip")
    )
    downloader.fetch(url, str(path), Expected(content=Content.ARCHIVE))
    assert path.read_bytes() == packed


def test_an_unknown_encoding_is_refused(server, downloader, path):
    url = server.play("/rows.csv", fake.status(200, b"??", Content_Encoding="br"))
    with pytest.raises(DownloadError, match="in the encoding br"):
        downloader.fetch(url, str(path))
    nothing_is_there(path)


def test_redirects_are_followed(server, downloader, path):
    server.play("/there.csv", fake.file(BODY))
    url = server.play("/rows.csv", fake.status(302, Location="/there.csv"))
    downloader.fetch(url, str(path))
    assert path.read_bytes() == BODY


def test_redirects_in_a_circle_end(server, downloader, path):
    server.play("/b", fake.status(302, Location="/a"))
    url = server.play("/a", fake.status(302, Location="/b"))
    with pytest.raises(DownloadError, match="more than 10 redirects"):
        downloader.fetch(url, str(path))
    nothing_is_there(path)


@pytest.mark.parametrize("target", ["file:///etc/hostname", "ftp://host/x", "data:text/csv,a"])
def test_redirects_out_of_the_web_are_refused(server, downloader, path, target):
    url = server.play("/rows.csv", fake.status(302, Location=target))
    with pytest.raises(DownloadError, match="not of the web"):
        downloader.fetch(url, str(path))
    nothing_is_there(path)


def test_a_redirect_from_https_to_http_is_refused():
    from pipelines.fetching.requesting import _redirected

    with pytest.raises(DownloadError, match="from https to http"):
        _redirected("https://host/a", "http://host/a")
    assert _redirected("http://host/a", "https://other/b") == "https://other/b"


@pytest.mark.parametrize("url", ["ftp://host/x", "no address", "http://", "http://[x/", "file:x"])
def test_what_is_no_address_is_a_sentence(downloader, path, url):
    with pytest.raises(DownloadError):
        downloader.fetch(url, str(path))
    assert not path.exists()


def test_a_server_that_is_not_there_is_a_sentence(server, downloader, path, waits):
    url = server.url("/rows.csv").replace(str(server.server_address[1]), "1")
    with pytest.raises(DownloadError, match=r"Connection refused.*\(6 tries\)"):
        downloader.fetch(url, str(path))
    assert len(waits) == 5


def test_no_secret_of_an_address_is_ever_said(server, downloader, path, watcher, waits):
    base = server.url("/rows.csv").replace("http://", "http://me:hunter2@")
    server.play("/rows.csv", fake.status(500), fake.status(404))
    for url in (f"{base}?token=s3cret&id=7#frag", f"{base}?s3cret"):
        with pytest.raises(DownloadError) as refused:
            downloader.fetch(url, str(path))
        for text in [str(refused.value), *watcher.notes]:
            assert "s3cret" not in text
            assert "hunter2" not in text
    assert clean_url("https://me:pw@host/a?b=c&d") == "https://host/a?b=…&…"
    assert refused.value.__cause__ is None


def test_a_receipt_holds_no_secret(server, downloader, path):
    url = server.play("/rows.csv", fake.file(BODY)) + "?token=s3cret"
    assert "s3cret" not in str(downloader.fetch(url, str(path)))
    assert "s3cret" not in str(server.ranges())


def test_the_part_holds_no_secret(server, downloader, path):
    url = server.play("/rows.csv", fake.file(BODY, stop=9000), fake.status(404)) + "?t=s3cret"
    with pytest.raises(DownloadError):
        downloader.fetch(url, str(path))
    assert "s3cret" not in (path.parent / "rows.csv.part.json").read_text()


def test_only_one_process_writes_a_file(server, downloader, path, waits):
    until = threading.Event()
    url = server.play("/rows.csv", fake.silent(BODY, stop=5000, until=until), fake.file(BODY))
    first = threading.Thread(target=downloader.fetch, args=(url, str(path)))
    first.start()
    while not (path.parent / "rows.csv.part.json").exists():
        time.sleep(0.01)
    with pytest.raises(DownloadError, match=r"another process is downloading rows\.csv"):
        Downloader(sleep=waits.append).fetch(url, str(path))
    until.set()
    first.join()
    assert path.read_bytes() == BODY


def test_a_killed_download_leaves_nothing_under_its_name_and_goes_on(server, downloader, path):
    until = threading.Event()
    url = server.play("/rows.csv", fake.silent(BODY, stop=200_000, until=until), fake.file(BODY))
    code = (
        "import sys; from pipelines.fetching.downloading import Downloader; "
        "Downloader().fetch(sys.argv[1], sys.argv[2])"
    )
    process = subprocess.Popen([sys.executable, "-c", code, url, str(path)])
    part = path.parent / "rows.csv.part"
    while not part.exists() or part.stat().st_size < 100_000:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    until.set()
    assert not path.exists()
    downloader.fetch(url, str(path))
    assert path.read_bytes() == BODY
    assert server.ranges()[-1] is not None
    assert os.listdir(path.parent) == ["rows.csv"]


def test_a_disk_that_is_too_small_is_said_before(server, downloader, path, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _: types.SimpleNamespace(free=1000))
    url = server.play("/rows.csv", fake.file(BODY))
    with pytest.raises(DownloadError, match=r"needs .* more, but only 1\.0 kB are free"):
        downloader.fetch(url, str(path))
    nothing_is_there(path)


def test_a_place_that_cannot_be_written_is_a_sentence(server, downloader, path):
    url = server.play("/rows.csv", fake.file(BODY))
    path.mkdir(parents=True)
    with pytest.raises(DownloadError, match="Is a directory"):
        downloader.fetch(url, str(path))
    path.rmdir()
    path.parent.rmdir()
    path.parent.write_text("a file")
    with pytest.raises(DownloadError, match=r"File exists|Not a directory"):
        downloader.fetch(url, str(path))


def test_what_lay_there_before_is_replaced_by_the_whole_file_only(server, downloader, path):
    path.parent.mkdir()
    path.write_bytes(b"old")
    url = server.play("/rows.csv", fake.file(BODY, stop=1000), fake.status(404))
    with pytest.raises(DownloadError):
        downloader.fetch(url, str(path))
    assert path.read_bytes() == b"old"
    server.play("/rows.csv", fake.file(BODY))
    downloader.fetch(url, str(path))
    assert path.read_bytes() == BODY


def test_get_returns_any_status_and_does_not_ask_again(server, downloader, waits):
    url = server.play("/api", fake.status(403), fake.status(200, b"{}", X_Kind="json"))
    first, second = (downloader.get(url, max_bytes=100) for _ in range(2))
    assert (first.status, first.body) == (403, b"")
    assert (second.status, second.body, second.headers["x-kind"]) == (200, b"{}", "json")
    assert waits == []


def test_get_asks_again_when_the_connection_breaks(server, downloader, waits):
    url = server.play("/api", fake.declaring(b"{", 10), fake.status(200, b"{}"))
    assert downloader.get(url, max_bytes=100).body == b"{}"
    assert len(waits) == 1


def test_get_decodes_what_comes_encoded(server, downloader):
    url = server.play("/api", fake.status(200, gzip.compress(b"{}"), Content_Encoding="gzip"))
    assert downloader.get(url, max_bytes=100).body == b"{}"


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_get_takes_no_more_than_it_may(server, downloader, encoding):
    body = gzip.compress(bytes(10_000_000)) if encoding == "gzip" else bytes(10_000)
    url = server.play("/api", fake.status(200, body, Content_Encoding=encoding))
    with pytest.raises(DownloadError, match="more than 5,000 bytes"):
        downloader.get(url, max_bytes=5000)


@pytest.mark.parametrize("place", ["127.0.0.1:1/files/rows.csv", "files/rows.csv", "rows.csv"])
def test_a_folder_mirror_stands_for_the_web(downloader, tmp_path, path, place):
    copy = tmp_path / "mirror" / place
    copy.parent.mkdir(parents=True)
    copy.write_bytes(BODY)
    mirrored = Downloader(mirror=str(tmp_path / "mirror"))
    url = "http://127.0.0.1:1/files/rows.csv"
    assert mirrored.locate(url) == str(copy)
    assert mirrored.fetch(url, str(path)) == Receipt(url, digest(BODY), len(BODY))
    assert path.read_bytes() == BODY
    assert path.stat().st_ino != copy.stat().st_ino
    assert mirrored.get(url, max_bytes=10**6).body == BODY


def test_what_a_mirror_gives_is_checked_as_well(tmp_path, path):
    (tmp_path / "rows.csv").write_bytes(HTML)
    mirrored = Downloader(mirror=f"file://{tmp_path}")
    with pytest.raises(DownloadError, match=f"^{tmp_path}/rows.csv is an HTML page"):
        mirrored.fetch("http://127.0.0.1:1/rows.csv", str(path), Expected(content=Content.TEXT))
    (tmp_path / "rows.csv").write_bytes(OTHER)
    with pytest.raises(DigestError):
        mirrored.fetch("http://127.0.0.1:1/rows.csv", str(path), Expected(sha256=digest(BODY)))
    nothing_is_there(path)


def test_a_mirror_is_not_left_by_an_address(tmp_path):
    (tmp_path / "secret").write_text("x")
    (tmp_path / "mirror").mkdir()
    mirrored = Downloader(mirror=str(tmp_path / "mirror"))
    for url in ("http://../secret", "http://h/../secret", "http://h/%2e%2e/secret", "http://h/"):
        assert mirrored.locate(url) == url


def test_queries_are_files_of_their_own_in_a_mirror(tmp_path):
    (tmp_path / "host").mkdir()
    (tmp_path / "host" / "search?term=a").write_text("[1]")
    (tmp_path / "search").write_text("[2]")
    mirrored = Downloader(mirror=str(tmp_path))
    assert mirrored.get("http://host/search?term=a", max_bytes=10).body == b"[1]"
    assert mirrored.locate("http://host/search?term=b") == "http://host/search?term=b"


def test_a_mirror_of_the_web_is_asked_first(server, waits, watcher, path):
    origin = server.play("/there/rows.csv", fake.file(OTHER))
    host = origin.removeprefix("http://").partition("/")[0].replace(":", "%3A")
    server.play(f"/mirror/{host}/there/rows.csv", fake.file(BODY), fake.status(404))
    mirrored = Downloader(mirror=server.url("/mirror"), sleep=waits.append, progress=watcher)
    mirrored.fetch(origin, str(path))
    assert path.read_bytes() == BODY
    mirrored.fetch(origin, str(path))
    assert path.read_bytes() == OTHER
    assert any("the mirror has no" in note for note in watcher.notes)
    assert mirrored.get(origin, max_bytes=10**6).body == OTHER


def test_a_mirror_that_is_not_there_is_a_mistake(tmp_path):
    with pytest.raises(UserError, match="is no folder"):
        Downloader(mirror=str(tmp_path / "nowhere"))


def test_progress_says_how_much_of_what(server, downloader, path, watcher):
    url = server.play("/rows.csv", fake.file(BODY))
    downloader.fetch(f"{url}?key=s3cret", str(path))
    assert watcher.moves[-1] == (f"{url}?key=…", len(BODY), len(BODY))


def test_a_local_file_is_checked_where_it_is(tmp_path):
    (tmp_path / "a.csv").write_bytes(BODY)
    receipt = check_file(str(tmp_path / "a.csv"), "http://h/a.csv?k=v", Expected())
    assert receipt == Receipt("http://h/a.csv?k=…", digest(BODY), len(BODY))
    with pytest.raises(DigestError, match=f"^{tmp_path}/a.csv is not the expected file"):
        check_file(str(tmp_path / "a.csv"), "http://h/a.csv", Expected(size_bytes=1))
    with pytest.raises(DownloadError, match="No such file"):
        check_file(str(tmp_path / "b.csv"), "http://h/b.csv", Expected())


def raw(*head: str, body: bytes = b"") -> fake.Play:
    """An answer whose head is sent as it is."""

    def play(handler):
        handler.send("\r\n".join([*head, "", ""]).encode("latin-1") + body)
        handler.hang_up()

    return play


def endless(*headers: str) -> fake.Play:
    """Chunks without an end."""

    def play(handler):
        handler.send("\r\n".join(["HTTP/1.1 200 OK", *headers, "", ""]).encode())
        piece = b"4000\r\n" + b"1,com.app.aaaaa\n" * 1024 + b"\r\n"
        try:
            while True:
                handler.wfile.write(piece)
        except OSError:
            handler.close_connection = True

    return play


@pytest.mark.parametrize("members", [2, 3])
def test_all_members_of_an_encoding_are_taken_off(server, downloader, path, members):
    step = len(BODY) // members + 1
    packed = b"".join(
        gzip.compress(BODY[start : start + step]) for start in range(0, len(BODY), step)
    )
    url = server.play("/rows.csv", fake.status(200, packed, Content_Encoding="gzip"))
    assert downloader.fetch(url, str(path)).sha256 == digest(BODY)
    assert downloader.get(url, max_bytes=1 << 20).body == BODY


@pytest.mark.parametrize(
    ("rest", "sentence"),
    [
        (b"GARBAGE", "goes on after its end"),
        (bytes(8), "goes on after its end"),
        (b"\x1f", "broke off"),
        (gzip.compress(BODY)[:-4], "broke off"),
    ],
)
def test_bytes_after_the_end_of_an_encoding_are_no_file(server, downloader, path, rest, sentence):
    packed = gzip.compress(BODY) + rest
    url = server.play("/rows.csv", fake.status(200, packed, Content_Encoding="gzip"))
    with pytest.raises(DownloadError, match=rf"{sentence} \(6 tries\)"):
        downloader.fetch(url, str(path))
    nothing_is_there(path)


@pytest.mark.parametrize("length", ["9" * 5000, "-1", "many", ""])
def test_a_size_that_is_none_is_a_sentence(server, downloader, path, length):
    head = ("HTTP/1.1 200 OK", f"Content-Length: {length}")
    url = server.play("/rows.csv", raw(*head, body=BODY))
    with pytest.raises(DownloadError, match=r"states a size that is none|headers are damaged"):
        downloader.fetch(url, str(path))
    nothing_is_there(path)


def test_a_range_that_is_none_begins_anew(server, downloader, path):
    rest = len(BODY) - 200_000
    place = f"Content-Range: bytes 200000-{len(BODY) - 1}/{'9' * 5000}"
    head = ("HTTP/1.1 206 Partial", 'ETag: "one"', place, f"Content-Length: {rest}")
    odd = raw(*head, body=BODY[-rest:])
    url = server.play("/rows.csv", fake.file(BODY, stop=200_000), odd, fake.file(BODY))
    downloader.fetch(url, str(path))
    assert path.read_bytes() == BODY


@pytest.mark.parametrize(
    "asked",
    [
        "1 Jan 9999999999999999999999 00:00:00 GMT",
        "Mon, 01 Jan 0001 00:00:00 -0000",
        "1 Jan 2030 99999999999999999999:00:00 GMT",
        "1 Jan 2030 00:00:00 +99999999999",
        "Mon, 01 Jan " + "9" * 5000,
    ],
)
def test_a_date_that_makes_no_sense_ends_nothing(server, downloader, path, asked):
    url = server.play("/rows.csv", fake.status(503, Retry_After=asked), fake.file(BODY))
    downloader.fetch(url, str(path))
    assert path.read_bytes() == BODY


@given(st.text(alphabet="0123456789 :,+-JanMondayGMT", max_size=60))
def test_no_date_to_wait_for_raises(stated):
    wait_s = retry_after({"retry-after": stated, "date": stated[::-1]})
    assert wait_s is None or wait_s >= 0


def test_a_date_without_a_zone_is_not_by_the_clock_here(monkeypatch):
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    time.tzset()
    try:
        headers = {"date": "Wed, 21 Oct 2015 07:28:00 GMT"}
        headers["retry-after"] = "Wed, 21 Oct 2015 07:29:00 -0000"
        assert retry_after(headers) == 60
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_version_that_cannot_be_sent_back_is_none():
    assert version_of("u", {"etag": '"a\r\n b"', "last-modified": "\u20ac"}, 1).is_known is False
    assert version_of("u", {"etag": '"a b"'}, 1).etag == '"a b"'


def test_a_bomb_of_an_encoding_is_stopped(server, downloader, path, waits):
    packed = gzip.compress(bytes(200 << 20), 1)
    url = server.play("/rows.bin", fake.status(200, packed, Content_Encoding="gzip"))
    with pytest.raises(DownloadError, match="taken for a bomb"):
        downloader.fetch(url, str(path))
    assert not waits
    nothing_is_there(path)


def test_what_packs_well_is_no_bomb(server, downloader, path):
    body = BODY + bytes(40 << 20)
    url = server.play("/rows.bin", fake.status(200, gzip.compress(body), Content_Encoding="gzip"))
    assert downloader.fetch(url, str(path)).size_bytes == len(body)


@pytest.mark.parametrize("headers", [(), ('ETag: "one"',)])
def test_an_endless_body_has_a_ceiling(server, downloader, path, monkeypatch, waits, headers):
    monkeypatch.setattr("pipelines.fetching.ceilings.MAX_UNSTATED_BYTES", 20 << 20)
    url = server.play("/rows.csv", endless("Transfer-Encoding: chunked", *headers))
    with pytest.raises(DownloadError, match=r"rows\.csv has more than 21\.0 MB without saying"):
        downloader.fetch(url, str(path))
    assert not waits
    nothing_is_there(path)


def test_an_endless_body_leaves_room_on_the_disk(server, downloader, path, monkeypatch, waits):
    usage = types.SimpleNamespace(total=100 << 30, free=(1 << 30) + (40 << 20))

    def disk_usage(folder):
        part = pathlib.Path(folder, "rows.csv.part")
        taken = part.stat().st_size
        return types.SimpleNamespace(total=usage.total, free=usage.free - taken)

    monkeypatch.setattr("shutil.disk_usage", disk_usage)
    url = server.play("/rows.csv", endless("Transfer-Encoding: chunked", 'ETag: "one"'))
    with pytest.raises(DownloadError, match=r"the disk of .* is nearly full"):
        downloader.fetch(url, str(path))
    assert not waits
    nothing_is_there(path)


def test_the_body_of_a_redirect_is_not_read(server, downloader, path):
    server.play("/there.csv", fake.file(BODY))

    def play(handler):
        handler.head(302, {"Location": "/there.csv", "Transfer-Encoding": "chunked"})
        handler.send(b"5\r\nhello\r\n")
        never.wait(20)
        handler.hang_up()

    never = threading.Event()
    url = server.play("/rows.csv", play)
    began = time.monotonic()
    try:
        downloader.fetch(url, str(path))
        assert time.monotonic() - began < 10
    finally:
        never.set()
    assert path.read_bytes() == BODY


@pytest.mark.parametrize("etag", [None, 'W/"weak"'])
def test_a_part_that_nobody_can_go_on_with_is_not_left(server, downloader, path, etag):
    url = server.play("/rows.csv", fake.file(BODY, etag=etag, stop=200_000), fake.status(404))
    with pytest.raises(DownloadError, match="404"):
        downloader.fetch(url, str(path))
    nothing_is_there(path)


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("https://h/a;jsessionid=SECRET", "https://h/a;jsessionid=…"),
        ("https://h/a;SECRET/b;v=SECRET;w/c.csv?x=SECRET", "https://h/a;…/b;v=…;…/c.csv?x=…"),
        ("https://u:SECRET@h/a#SECRET", "https://h/a"),
        (
            "https://h/\x1b[31mred\x07\u202e\x9b.csv",
            "https://h/\ufffd[31mred\ufffd\ufffd\ufffd.csv",
        ),
    ],
)
def test_an_address_is_said_without_secrets_and_without_signals(url, clean):
    assert clean_url(url) == clean
    assert "SECRET" not in file_name(url)


@pytest.mark.parametrize(
    "head",
    [
        ("HTTP/1.1 302 F", "Location: file:///\x1b[31mE\x07"),
        ("HTTP/1.1 302 F", "Location: /gone\x1b[31mE\x07"),
        ("HTTP/1.1 404 \x1b[31mE",),
        ("HTTP/1.1 200 OK", "Content-Encoding: \x1b[31mE\x07", "Content-Length: 3"),
        ("HTTP/1.1 302 F", "Location: http://\xff\xfe/x"),
        ("HTTP/1.1 302 F", "Location: http://[::1/x"),
        ("HTTP/1.1 200 OK", "Content-Length: 3", "Content-Length: 4"),
    ],
)
def test_no_answer_moves_the_terminal_or_ends_the_run(server, downloader, path, head):
    url = server.play("/rows.csv", raw(*head, "Content-Length: 0"))
    with pytest.raises(DownloadError) as caught:
        downloader.fetch(url, str(path))
    assert str(caught.value).isprintable()


def test_redirects_go_only_where_they_may(server, waits, path):
    server.play("/secret.csv", fake.file(BODY))
    url = server.play("/rows.csv", fake.status(302, Location="/secret.csv"))

    def refuses(place: str) -> bool:
        return place.startswith("https://store.invalid/")

    mirrored = Downloader(mirror=server.url("").rstrip("/"), sleep=waits.append)
    server.play("/store.invalid/rows.csv", fake.status(302, Location="/secret.csv"))
    with pytest.raises(DownloadError, match=r"redirects to .*/secret\.csv, which is not to be"):
        mirrored.fetch("https://store.invalid/rows.csv", str(path), allowed=refuses)
    with pytest.raises(DownloadError, match="is not to be downloaded from"):
        Downloader(sleep=waits.append).fetch(url, str(path), allowed=refuses)
    assert [asked for asked, _ in server.asked] == ["/store.invalid/rows.csv"]
    nothing_is_there(path)


def test_a_pipe_is_not_waited_for(downloader, tmp_path, path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    for attempt in (
        lambda: downloader.copy("https://h/a.csv", str(pipe), str(path)),
        lambda: check_file(str(pipe), "https://h/a.csv", Expected()),
    ):
        with pytest.raises(DownloadError, match=r"pipe\.csv: is no ordinary file"):
            attempt()
    nothing_is_there(path)
