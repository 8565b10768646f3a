"""Tests of files that are changed in turns, and of claims."""

import multiprocessing
import os
import threading

import pytest

from transforms.locking import Claim, hold


def test_a_held_file_is_read_replaced_and_appended_to(tmp_path):
    path = str(tmp_path / "file")
    with hold(path) as file:
        assert file.read() == b""
        file.replace(b"a long text")
    with hold(path) as file:
        file.replace(b"short")
        file.append(b" more")
        assert file.read() == b"short more"
        assert file.read(6) == b"more"
        assert file.read(99) == b""


def test_what_cannot_be_appended_whole_is_taken_back(tmp_path, monkeypatch):
    path = str(tmp_path / "file")
    with hold(path) as file:
        file.append(b"whole")
        real = os.pwrite
        monkeypatch.setattr(os, "pwrite", lambda fd, data, at: real(fd, data[:2], at))
        with pytest.raises(OSError, match="not be written whole"):
            file.append(b"broken")
        assert file.read() == b"whole"


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic"), hold(str(tmp_path / "link")):
        pass


def _count_up(path: str, times: int) -> None:
    for _ in range(times):
        with hold(path) as file:
            file.replace(str(int(file.read() or b"0") + 1).encode())


def test_threads_and_processes_take_turns(tmp_path):
    path = str(tmp_path / "count")
    process = multiprocessing.get_context("fork").Process(target=_count_up, args=(path, 200))
    threads = [threading.Thread(target=_count_up, args=(path, 200)) for _ in range(2)]
    process.start()
    for thread in threads:
        thread.start()
    for worker in (process, *threads):
        worker.join()
    with hold(path) as file:
        assert file.read() == b"600"


def test_only_one_has_a_claim_and_its_file_goes_with_it(tmp_path):
    path = tmp_path / "claim"
    first, second = Claim(str(path)), Claim(str(path))
    assert first.take()
    assert path.exists()
    assert not second.take()
    first.give_up()
    assert not path.exists()
    assert second.take()
    second.give_up()
    second.give_up()


def test_a_claim_ends_with_its_process(tmp_path):
    path = str(tmp_path / "claim")

    def die() -> None:
        assert Claim(path).take()
        os._exit(1)

    process = multiprocessing.get_context("fork").Process(target=die)
    process.start()
    process.join()
    claim = Claim(path)
    assert claim.take()
    claim.give_up()


def test_a_claim_whose_file_was_removed_meanwhile_is_not_taken(tmp_path, monkeypatch):
    path = tmp_path / "claim"
    real = os.open

    def open_late(*args: object) -> int:
        descriptor = real(*args)
        path.unlink()  # As its last holder does, between another one's opening and locking.
        return descriptor

    monkeypatch.setattr(os, "open", open_late)
    assert not Claim(str(path)).take()
