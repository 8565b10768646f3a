"""Places for output that are refused before anything is written."""

import os

import pytest

from pipelines.errors import UserError
from pipelines.places import refuse_place


@pytest.fixture
def build(tmp_path):
    folder = tmp_path / "built"
    (folder / "splits").mkdir(parents=True)
    (folder / "BUILD.json").write_text("{}")
    return folder


def test_a_new_file_and_an_ordinary_one_are_fine(tmp_path, build):
    refuse_place(str(tmp_path / "new.html"), "--out")
    (tmp_path / "old.html").write_text("x")
    refuse_place(str(tmp_path / "old.html"), "--out")
    refuse_place(str(build / "report.html"), "--out")


def test_what_is_no_ordinary_file_is_never_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "folder").mkdir()
    for place in ("/dev/null", "/dev/stdout", tmp_path / "pipe", tmp_path / "link"):
        with pytest.raises(UserError, match=r"^--out: .* is no ordinary file$"):
            refuse_place(str(place), "--out")
    with pytest.raises(UserError, match="is no ordinary file"):
        refuse_place(str(tmp_path / "folder"), "--out")


@pytest.mark.parametrize(
    "name", ["BUILD.json", "README.md", "mine.html", "splits/report.html", "splits/x.json"]
)
def test_nothing_is_put_into_a_build(build, name):
    with pytest.raises(UserError, match="would lie inside the finished build"):
        refuse_place(str(build / name), "--json")


def test_a_way_around_into_a_build_is_seen(tmp_path, build):
    (tmp_path / "around").symlink_to(build)
    with pytest.raises(UserError, match="would lie inside the finished build"):
        refuse_place(str(tmp_path / "around" / "x.html"), "--out")


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UserError, match=f"there is no folder {tmp_path}/nowhere"):
        refuse_place(str(tmp_path / "nowhere" / "x.html"), "--out")
