"""Small files appear whole, or not at all."""

import os

import pytest

from transforms.replacing import write_text


def test_a_file_is_replaced_whole(tmp_path):
    path = tmp_path / "x.json"
    write_text(str(path), "one")
    write_text(str(path), "two — three")
    assert path.read_text(encoding="utf-8") == "two — three"
    assert os.listdir(tmp_path) == ["x.json"]


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path):
    path = tmp_path / "x.json"
    path.write_text("before")
    with pytest.raises(UnicodeEncodeError):
        write_text(str(path), "\ud800")
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["x.json"]


def test_the_error_names_the_file_that_was_asked_for(tmp_path):
    path = str(tmp_path / "nowhere" / "x.json")
    with pytest.raises(OSError, match="No such file") as caught:
        write_text(path, "x")
    assert caught.value.filename == path
