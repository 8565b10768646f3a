"""Archives that are broken, hostile or merely odd: nothing wrong ever comes out."""

import bz2
import gzip
import io
import lzma
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import sys
import tarfile
import tracemalloc
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.fetching.unpacking import (
    BrokenArchiveError,
    Limits,
    UnpackError,
    is_unfinished,
    safe_path,
    unpack,
    unpacked,
)

FILES = {
    "combined/0.json": b"{}",
    "combined/0.jpg": b"\xff\xd8" + bytes(3000),
    "combined/1.json": b"[1]",
}
PACKERS = {
    ".tar": lambda body: body,
    ".tar.gz": gzip.compress,
    ".tar.bz2": bz2.compress,
    ".tar.xz": lzma.compress,
}


def tar(entries, suffix: str = ".tar.gz", *, format: int = tarfile.PAX_FORMAT) -> bytes:
    """Packs names and bytes, or whole headers and bytes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=format) as archive:
        for entry, body in entries:
            header = tarfile.TarInfo(entry) if isinstance(entry, str) else entry
            if body is not None:
                header.size = len(body)
            archive.addfile(header, io.BytesIO(body or b""))
    return PACKERS[suffix](buffer.getvalue())


def zipped(entries) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, body in entries:
            archive.writestr(entry, body)
    return buffer.getvalue()


def header(name: str, kind: bytes, link: str = "") -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname = kind, link
    return made


@pytest.fixture
def folder(tmp_path) -> pathlib.Path:
    return tmp_path / "data" / "rico"


@pytest.fixture
def put(tmp_path):
    """Returns a function that writes an archive and returns its path."""

    def write(body: bytes, name: str = "archive") -> str:
        (tmp_path / name).write_bytes(body)
        return str(tmp_path / name)

    return write


def content(folder: pathlib.Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def nothing_is_there(folder: pathlib.Path) -> None:
    assert not folder.exists()
    assert not folder.parent.exists() or os.listdir(folder.parent) == []


@pytest.mark.parametrize("suffix", PACKERS)
def test_every_kind_of_tar_is_unpacked(put, folder, suffix):
    taken = unpack(put(tar(FILES.items(), suffix)), str(folder))
    assert content(folder) == FILES
    assert (taken.files, taken.size_bytes) == (3, sum(map(len, FILES.values())))
    assert taken.dropped == {}
    assert os.listdir(folder.parent) == ["rico"]


@pytest.mark.parametrize("format", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_every_dialect_of_tar_is_read(put, folder, format):
    long = {"a" * 90 + "/" + "b" * 60: b"x"}
    unpack(put(tar(long.items(), format=format)), str(folder))
    assert content(folder) == long


def test_a_zip_is_unpacked(put, folder):
    assert unpack(put(zipped(FILES.items())), str(folder)).files == 3
    assert content(folder) == FILES


@pytest.mark.parametrize("pack", [tar, zipped])
def test_only_members_that_were_asked_for_come_out(put, folder, pack):
    entries = [*FILES.items(), ("other/x", b"x"), ("./combined/2.json", b"2")]
    taken = unpack(put(pack(entries)), str(folder), members="combined/")
    assert content(folder) == {**FILES, "combined/2.json": b"2"}
    assert taken.dropped == {"not asked for": 1}


@pytest.mark.parametrize("pack", [tar, zipped])
def test_an_archive_without_what_was_asked_for_says_what_it_holds(put, folder, pack):
    with pytest.raises(BrokenArchiveError, match="begins with nothing/; it holds combined"):
        unpack(put(pack(FILES.items())), str(folder), members="nothing/")
    nothing_is_there(folder)


@pytest.mark.parametrize("pack", [tar, zipped])
@pytest.mark.parametrize(
    "name",
    ["../evil", "a/../../evil", "/etc/evil", "..\\evil", "\\evil", "C:\\evil", "c:evil", "a/.."],
)
def test_a_path_that_leads_outside_refuses_the_archive(put, folder, pack, name):
    with pytest.raises(BrokenArchiveError, match="leads outside"):
        unpack(put(pack([("ok", b"ok"), (name, b"evil")])), str(folder))
    nothing_is_there(folder)
    assert not list(folder.parent.parent.glob("evil"))


@pytest.mark.parametrize(
    "name", ["a\\b", "a/b.", "a /b", "new\nline", "bell\a", "x" * 256, "d/" * 1100 + "x"]
)
def test_a_name_that_is_unsafe_somewhere_is_left_out_and_counted(put, folder, name):
    taken = unpack(put(tar([("ok", b"ok"), (name, b"odd")])), str(folder))
    assert content(folder) == {"ok": b"ok"}
    assert taken.dropped == {"unsafe names": 1}


def test_names_that_are_no_text_are_left_out(put, folder):
    body = tar([("ok", b"ok"), ("b\xe4d", b"1")], ".tar", format=tarfile.USTAR_FORMAT)
    damaged = body.replace(b"b\xc3\xa4d", b"b\xe4d\0")
    # The check sum of the header that was changed.
    start = damaged.index(b"b\xe4d")
    block = damaged[start : start + 512]
    total = sum(block[:148]) + 8 * 32 + sum(block[156:])
    damaged = damaged.replace(block[148:156], b"%06o\0 " % total)
    assert unpack(put(damaged), str(folder)).dropped == {"unsafe names": 1}
    assert content(folder) == {"ok": b"ok"}


def test_names_cut_by_a_nul_are_left_out(put, folder):
    body = zipped([("ok", b"ok"), ("aXb", b"odd")]).replace(b"aXb", b"a\0b")
    assert unpack(put(body), str(folder)).dropped == {"unsafe names": 1}
    assert content(folder) == {"ok": b"ok"}


def test_links_and_devices_never_come_out(put, folder):
    entries = [
        (header("combined/out", tarfile.SYMTYPE, "/etc/passwd"), None),
        (header("combined/in", tarfile.SYMTYPE, "0.json"), None),
        (header("combined/hard", tarfile.LNKTYPE, "combined/0.json"), None),
        (header("combined/pipe", tarfile.FIFOTYPE), None),
        (header("combined/disk", tarfile.BLKTYPE), None),
        (header("combined/tty", tarfile.CHRTYPE), None),
        (header("combined/what", b"Z"), None),
    ]
    taken = unpack(put(tar([*FILES.items(), *entries])), str(folder))
    assert content(folder) == FILES
    assert taken.dropped == {"links": 3, "devices and pipes": 4}


def test_a_link_cannot_be_written_through(put, folder, tmp_path):
    entries = [(header("d", tarfile.SYMTYPE, str(tmp_path)), None), ("d/evil", b"evil")]
    unpack(put(tar(entries)), str(folder))
    assert content(folder) == {"d/evil": b"evil"}
    assert not (tmp_path / "evil").exists()


def test_links_in_a_zip_never_come_out(put, folder):
    link = zipfile.ZipInfo("combined/link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    pipe = zipfile.ZipInfo("combined/pipe")
    pipe.external_attr = (stat.S_IFIFO | 0o777) << 16
    taken = unpack(put(zipped([*FILES.items(), (link, "/etc/passwd"), (pipe, "")])), str(folder))
    assert content(folder) == FILES
    assert taken.dropped == {"links": 1, "devices and pipes": 1}


def test_rights_of_an_archive_mean_nothing(put, folder):
    made = tarfile.TarInfo("tool")
    made.mode = 0o6777
    unpack(put(tar([(made, b"#!/bin/sh")])), str(folder))
    assert not (folder / "tool").stat().st_mode & 0o7111


@pytest.mark.parametrize("pack", [tar, zipped])
def test_what_a_mac_adds_is_left_out(put, folder, pack):
    junk = ["combined/._0.json", "__MACOSX/combined/x.json", "combined/.DS_Store"]
    taken = unpack(put(pack([*FILES.items(), *((name, b"\0\5\x16\7") for name in junk)])), folder)
    assert content(folder) == FILES
    assert taken.dropped == {"._ files": 3}


@pytest.mark.parametrize("suffix", PACKERS)
def test_an_archive_that_breaks_off_anywhere_leaves_nothing(put, folder, suffix):
    body = tar([(f"f{n}", os.urandom(600 + n)) for n in range(6)], suffix)
    ends = range(0, len(body) - 1, max(len(body) // 60, 1))
    if suffix == ".tar":
        # A tar is padded with zeros, which nobody misses; of the end mark one block remains.
        ends = [end for end in range(0, len(body), 256) if body[end:].strip(b"\0")]
    for end in ends:
        with pytest.raises(BrokenArchiveError):
            unpack(put(body[:end]), str(folder))
        nothing_is_there(folder)


def test_a_zip_that_breaks_off_leaves_nothing(put, folder):
    body = zipped(FILES.items())
    for end in range(0, len(body), 7):
        with pytest.raises(BrokenArchiveError):
            unpack(put(body[:end]), str(folder))
        nothing_is_there(folder)


@pytest.mark.parametrize("pack", [tar, zipped])
def test_a_flipped_bit_of_content_is_found(put, folder, pack):
    body = bytearray(pack([("f", os.urandom(5000))]))
    body[len(body) // 2] ^= 1
    with pytest.raises(BrokenArchiveError, match="broken"):
        unpack(put(bytes(body)), str(folder))
    nothing_is_there(folder)


def test_a_damaged_header_in_the_midst_of_a_tar_is_no_end(put, folder):
    body = bytearray(tar([("a", b"a" * 512), ("b", b"b"), ("c", b"c")], ".tar", format=0))
    body[1024 + 5] ^= 0xFF
    with pytest.raises(BrokenArchiveError, match="a header is damaged"):
        unpack(put(bytes(body)), str(folder))
    nothing_is_there(folder)


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"PK\3\4", gzip.compress(b"[]", mtime=0), bytes(10_240)]
)
def test_what_is_no_archive_is_a_sentence(put, folder, body):
    with pytest.raises(BrokenArchiveError):
        unpack(put(body), str(folder))
    nothing_is_there(folder)


def test_an_encrypted_zip_is_a_sentence(put, folder):
    body = bytearray(zipped([("f", b"f")]))
    body[6] |= 1
    body[body.index(b"PK\1\2") + 8] |= 1
    with pytest.raises(BrokenArchiveError, match="encrypted"):
        unpack(put(bytes(body)), str(folder))


@pytest.mark.parametrize("pack", [tar, zipped])
def test_a_bomb_of_zeros_is_stopped(put, folder, pack):
    archive = put(pack([("zeros", bytes(80 << 20))]))
    with pytest.raises(BrokenArchiveError, match="taken for a bomb"):
        unpack(archive, str(folder))
    nothing_is_there(folder)


def test_a_bomb_in_members_that_are_left_out_is_stopped(put, folder):
    archive = put(tar([("f", b"f"), ("other", bytes(80 << 20))]))
    with pytest.raises(BrokenArchiveError, match="taken for a bomb"):
        unpack(archive, str(folder), members="f")
    nothing_is_there(folder)


def test_a_bomb_in_a_header_is_stopped(put, folder):
    made = header("x", tarfile.XHDTYPE)
    tracemalloc.start()
    try:
        with pytest.raises(BrokenArchiveError, match="impossible size"):
            unpack(put(tar([(made, bytes(30 << 20))])), str(folder))
    finally:
        tracemalloc.stop()
    nothing_is_there(folder)


def test_a_bomb_of_overlapping_members_is_stopped(put, folder):
    archive = put(zipped([(f"f{n}", bytes(20 << 20)) for n in range(10)]))
    with pytest.raises(BrokenArchiveError, match="taken for a bomb"):
        unpack(archive, str(folder))
    nothing_is_there(folder)


@pytest.mark.parametrize("pack", [tar, zipped])
@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        (Limits(members=2), "more than 2 members"),
        (Limits(member_bytes=2000), "has more than 2.0 kB"),
        (Limits(total_bytes=2000), "more than 2.0 kB come out"),
    ],
)
def test_ceilings_hold(put, folder, pack, limits, sentence):
    with pytest.raises(BrokenArchiveError, match=sentence):
        unpack(put(pack(FILES.items())), str(folder), limits=limits)
    nothing_is_there(folder)


def test_a_tar_is_read_in_little_memory(put, folder):
    archive = put(tar([(f"d/{n:05d}.bin", os.urandom(2000)) for n in range(4000)], ".tar"))
    tracemalloc.start()
    try:
        unpack(archive, str(folder))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert os.path.getsize(archive) > 8_000_000
    assert peak < 3_000_000


@pytest.mark.parametrize("pack", [tar, zipped])
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_comes_twice_must_be_the_same_file(put, folder, pack):
    twins = [("a", b"a"), ("b", b"b"), ("./a", b"a")]
    assert unpack(put(pack(twins)), str(folder)).dropped == {"repeated files": 1}
    shutil.rmtree(folder)
    for other in (b"A", b"aa", b""):
        with pytest.raises(BrokenArchiveError, match="a is in it twice"):
            unpack(put(pack([*twins, ("a", other)])), str(folder))
        nothing_is_there(folder)


@pytest.mark.parametrize("pack", [tar, zipped])
@pytest.mark.parametrize("names", [("a", "a/b"), ("a/b", "a")])
def test_a_file_that_is_a_folder_is_a_sentence(put, folder, pack, names):
    with pytest.raises(BrokenArchiveError, match="as a file and as a folder"):
        unpack(put(pack([(name, b"x") for name in names])), str(folder))
    nothing_is_there(folder)


def test_names_that_differ_in_case_stay_apart_where_they_can(put, folder):
    unpack(put(tar([("a", b"1"), ("A", b"2")])), str(folder))
    assert len(content(folder)) == 2


def test_a_folder_with_files_gets_more(put, folder):
    (folder / "combined").mkdir(parents=True)
    (folder / "combined" / "9.json").write_bytes(b"9")
    (folder / "notes.txt").write_bytes(b"mine")
    unpack(put(tar(FILES.items())), str(folder))
    unpack(put(zipped([("semantic/1.json", b"s")])), str(folder))
    expected = {
        "combined/9.json": b"9",
        "notes.txt": b"mine",
        "semantic/1.json": b"s",
        **FILES,
    }
    assert content(folder) == expected
    assert os.listdir(folder.parent) == ["rico"]


def test_a_file_with_other_content_is_not_overwritten(put, folder):
    archive = put(tar(FILES.items()))
    unpack(archive, str(folder))
    (folder / "combined" / "1.json").write_bytes(b"mine")
    (folder / "combined" / "0.json").unlink()
    with pytest.raises(UnpackError, match=r"1\.json is there with other content"):
        unpack(archive, str(folder))
    assert content(folder)["combined/1.json"] == b"mine"
    assert "combined/0.json" not in content(folder)
    unpack(archive, str(folder), replace=True)
    assert content(folder) == FILES


def test_a_link_in_the_folder_is_not_written_through(put, folder, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    folder.mkdir(parents=True)
    (folder / "combined").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnpackError, match="is no folder"):
        unpack(put(tar(FILES.items())), str(folder))
    assert os.listdir(tmp_path / "elsewhere") == []


def test_the_folder_itself_may_be_a_link_to_another_disk(put, folder, tmp_path):
    (tmp_path / "big").mkdir()
    folder.parent.mkdir()
    folder.symlink_to(tmp_path / "big")
    unpack(put(tar(FILES.items())), str(folder))
    assert content(tmp_path / "big") == FILES
    assert folder.is_symlink()


def test_only_one_process_unpacks_into_a_folder(put, folder):
    archive = put(tar(FILES.items()))
    with unpacked(archive, str(folder)):
        with pytest.raises(UnpackError, match="another process is unpacking"):
            unpack(archive, str(folder))
    assert content(folder) == FILES


def test_a_run_that_is_killed_leaves_nothing_in_place_and_begins_anew(put, folder):
    archive = put(tar(FILES.items()))
    code = (
        "import os, signal, sys; from pipelines.fetching.unpacking import unpack\n"
        "die = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "unpack(sys.argv[1], sys.argv[2], progress=die)"
    )
    done = subprocess.run([sys.executable, "-c", code, archive, str(folder)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert not folder.exists()
    assert os.listdir(folder.parent) == [".rico.unpacking"]
    assert is_unfinished(str(folder))
    unpack(archive, str(folder))
    assert content(folder) == FILES
    assert not is_unfinished(str(folder))
    assert os.listdir(folder.parent) == ["rico"]


def test_a_run_that_is_killed_while_files_move_is_finished_by_the_next(put, folder):
    (folder / "combined").mkdir(parents=True)
    archive = put(tar(FILES.items()))
    code = (
        "import os, signal, sys; from pipelines.fetching import unpacking\n"
        "replace = os.replace\n"
        "def once(*paths):\n"
        "    replace(*paths)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "os.replace = once\n"
        "unpacking.unpack(sys.argv[1], sys.argv[2])"
    )
    done = subprocess.run([sys.executable, "-c", code, archive, str(folder)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(content(folder)) == 1
    assert is_unfinished(str(folder))
    with pytest.raises(BrokenArchiveError):
        unpack(put(b"broken", "other"), str(folder))
    assert is_unfinished(str(folder)), "a failure in between does not make it whole"
    unpack(archive, str(folder))
    assert content(folder) == FILES
    assert not is_unfinished(str(folder))


def test_what_fails_in_the_block_leaves_it_unfinished(put, folder):
    with pytest.raises(ZeroDivisionError):
        with unpacked(put(tar(FILES.items())), str(folder)):
            raise ZeroDivisionError
    assert is_unfinished(str(folder))
    assert content(folder) == FILES


def test_a_full_disk_is_a_sentence(put, folder, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.sync", full)
    with pytest.raises(UnpackError, match="no space is left"):
        unpack(put(tar(FILES.items())), str(folder))
    nothing_is_there(folder)


def test_progress_reaches_the_end_of_the_archive(put, folder):
    seen = []
    archive = put(tar(FILES.items(), ".tar"))
    unpack(archive, str(folder), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][1] == os.path.getsize(archive)
    assert all(done <= total for done, total in seen)


SEGMENTS = st.sampled_from(["a", "b.txt", "..", ".", "", "C:", "\\", "a\\..", "a.", "é", "\0", " "])


@given(st.lists(SEGMENTS, min_size=1).map("/".join) | st.text(max_size=40))
def test_a_safe_path_stays_inside(name):
    try:
        path = safe_path(name)
    except UnpackError:
        return
    if path:
        joined = os.path.normpath(os.path.join("/data/folder", path))
        assert joined.startswith("/data/folder/")
        assert "\\" not in path
        assert "\0" not in path
        assert ".." not in path.split("/")
        path.encode()


@given(st.lists(SEGMENTS | st.text(min_size=1, max_size=8), min_size=1, max_size=5).map("/".join))
def test_whatever_a_tar_names_stays_inside(tmp_path_factory, name):
    root = tmp_path_factory.mktemp("inside")
    archive = root / "archive"
    try:
        archive.write_bytes(tar([("ok", b"ok"), (name, b"content")], ".tar"))
    except (UnicodeEncodeError, ValueError):
        return
    folder = root / "data" / "folder"
    try:
        unpack(str(archive), str(folder))
    except UnpackError:
        assert not folder.exists()
    outside = [path for path in root.rglob("*") if path.is_file() and folder not in path.parents]
    assert outside == [archive]


def paxed(headers: dict[str, str]) -> bytes:
    made = tarfile.TarInfo("combined/0.json")
    made.pax_headers = headers
    return tar([(made, b"{}"), ("combined/1.json", b"[1]")])


@pytest.mark.parametrize(
    "headers",
    [
        {"GNU.sparse.map": "a,b", "GNU.sparse.major": "0", "GNU.sparse.size": "10"},
        {"GNU.sparse.map": "0,1", "GNU.sparse.size": "x"},
        {"GNU.sparse.size": "9" * 5000},
        {"GNU.sparse.realsize": "x"},
        {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "7"},
        {"size": "-5"},
        {"size": "9" * 19},
    ],
)
def test_damaged_pax_headers_are_a_broken_archive(put, folder, headers):
    with pytest.raises(BrokenArchiveError):
        unpack(put(paxed(headers)), str(folder))
    nothing_is_there(folder)


@pytest.mark.parametrize(
    "name", [f"combined/{'a/' * 900}0.json", f"c/{'😀' * 60 + '/'}" * 20 + "0"]
)
def test_names_that_no_disk_has_room_for_are_left_out(put, folder, name):
    taken = unpack(put(zipped([(name, b"{}"), ("combined/1.json", b"[1]")])), str(folder))
    assert (taken.files, taken.dropped) == (1, {"unsafe names": 1})


def test_a_pipe_is_no_archive_and_is_not_waited_for(tmp_path, folder):
    os.mkfifo(tmp_path / "archive")
    with pytest.raises(UnpackError, match="archive: is no ordinary file"):
        unpack(str(tmp_path / "archive"), str(folder))


METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


def zipped_by(method: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for number in range(3):
            archive.writestr(f"combined/{number}.json", b"[%d]" % number * 200)
    return buffer.getvalue()


def test_a_damaged_zip_is_broken_whatever_its_reader_says(put, folder):
    body = bytearray(zipped_by(zipfile.ZIP_BZIP2))
    body[60] ^= 0xFF
    with pytest.raises(BrokenArchiveError, match=r"is broken or no archive: [^N]"):
        unpack(put(bytes(body)), str(folder))
    body = bytearray(zipped_by(zipfile.ZIP_STORED))
    end = body.rindex(b"PK\5\6")
    body[end + 16 : end + 20] = b"\xff\xff\xff\x7f"
    with pytest.raises(BrokenArchiveError, match="is broken or no archive"):
        unpack(put(bytes(body)), str(folder))


ARCHIVES = [
    *map(zipped_by, METHODS),
    tar([(name, FILES[name]) for name in FILES], ".tar"),
    tar([("combined/" + "long" * 60, b"{}")], ".tar", format=tarfile.GNU_FORMAT),
    gzip.decompress(paxed({"comment": "x", "GNU.sparse.map": "0,1", "size": "2"})),
    *(pack(tar([("combined/0.json", b"{}" * 500)], ".tar")) for pack in PACKERS.values()),
]


@given(
    st.sampled_from(ARCHIVES),
    st.lists(
        st.tuples(st.integers(0, 1 << 16), st.sampled_from(b"\0\x7f\x80\xff 9-,=\n")), min_size=1
    ),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_whatever_is_damaged_is_broken_and_nothing_else(tmp_path_factory, body, flips, mend):
    changed = bytearray(body)
    for place, value in flips:
        changed[place % len(body)] = value
    for start in range(0, len(changed) - 511, 512) if mend else ():
        block = changed[start : start + 512]
        if block[257:262] == b"ustar":  # Else its check sum would be all that is ever found.
            block[148:156] = b" " * 8
            changed[start + 148 : start + 156] = b"%06o\0 " % sum(block)
    parent = tmp_path_factory.mktemp("damaged")
    (parent / "archive").write_bytes(changed)
    try:
        unpack(str(parent / "archive"), str(parent / "out"))
    except BrokenArchiveError as error:
        assert "None" not in str(error)  # noqa: PT017
        assert os.listdir(parent) == ["archive"]
    shutil.rmtree(parent)
