"""Tests of the places where replies lie."""

import os
import time

import fsspec
import pytest

from transforms.models.cache_folders import Entry, open_folder


@pytest.fixture(params=["local", "remote"])
def root(request, tmp_path):
    if request.param == "local":
        yield str(tmp_path / "store")
    else:
        yield "memory://store/below"
        fsspec.filesystem("memory").store.clear()


def test_files_are_written_read_replaced_moved_and_removed(root):
    folder = open_folder(root)
    assert folder.is_local == ("://" not in root)
    assert folder.read("ab/one.json") is None
    assert list(folder.entries()) == []
    folder.write("ab/one.json", b"first")
    folder.write("ab/one.json", b"second")
    folder.write("cd/two.json", b"")
    assert folder.read("ab/one.json") == b"second"
    assert sorted(folder.entries()) == [Entry("ab/one.json", 6), Entry("cd/two.json", 0)]
    folder.move("ab/one.json", "damaged/one.json")
    folder.move("ab/one.json", "damaged/one.json")
    assert folder.read("damaged/one.json") == b"second"
    folder.remove("damaged/one.json")
    folder.remove("damaged/one.json")
    folder.sweep()
    assert list(folder.entries()) == [Entry("cd/two.json", 0)]


def test_what_a_killed_writer_left_is_no_entry_and_is_swept_after_a_day(tmp_path):
    folder = open_folder(str(tmp_path))
    folder.write("ab/one.json", b"x")
    left, old = tmp_path / "ab" / "two.json.7.1.part", tmp_path / "ab" / "three.json.7.2.part"
    for path in (left, old):
        path.write_bytes(b"half")
    os.utime(old, (time.time() - 90_000,) * 2)
    assert list(folder.entries()) == [Entry("ab/one.json", 1)]
    folder.sweep()
    assert (left.exists(), old.exists()) == (True, False)


def test_a_write_that_fails_leaves_what_was_there(tmp_path, monkeypatch):
    folder = open_folder(str(tmp_path))
    folder.write("ab/one.json", b"good")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="space"):
        folder.write("ab/one.json", b"bad")
    assert folder.read("ab/one.json") == b"good"
    assert os.listdir(tmp_path / "ab") == ["one.json"]


def test_links_are_no_entries(tmp_path):
    folder = open_folder(str(tmp_path))
    folder.write("ab/one.json", b"x")
    (tmp_path / "cd").symlink_to(tmp_path / "ab")
    (tmp_path / "ab" / "two.json").symlink_to(tmp_path / "ab" / "one.json")
    assert list(folder.entries()) == [Entry("ab/one.json", 1)]
