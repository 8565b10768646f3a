"""Tests of counting what is done while a build runs."""

import subprocess
import sys

import pytest

from transforms.progress import Progress, read_progress


@pytest.fixture
def progress(tmp_path):
    progress = Progress(str(tmp_path))
    yield progress
    progress.close()


def test_steps_are_counted_by_name(progress, tmp_path):
    for _ in range(12):
        progress.advance("screens checked")
    progress.advance("screens written")
    assert read_progress(str(tmp_path)) == {"screens checked": 12, "screens written": 1}


def test_nothing_is_counted_at_first(tmp_path):
    assert read_progress(str(tmp_path)) == {}


def test_a_file_that_was_only_just_created_counts_nothing(tmp_path):
    (tmp_path / "screens checked.77").touch()
    assert read_progress(str(tmp_path)) == {}


def test_without_a_folder_nothing_is_counted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Progress().advance("screens checked")
    assert list(tmp_path.iterdir()) == []


def test_the_counts_of_all_processes_add_up(progress, tmp_path):
    progress.advance("screens checked")
    code = (
        "import sys; from transforms.progress import Progress\n"
        "for _ in range(3): Progress(sys.argv[1]).advance('screens checked')"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
    assert read_progress(str(tmp_path)) == {"screens checked": 4}


def test_counting_starts_anew_once_it_was_closed(progress, tmp_path):
    progress.advance("screens checked")
    progress.advance("screens checked")
    progress.close()
    progress.advance("screens checked")
    assert read_progress(str(tmp_path)) == {"screens checked": 1}


def test_closing_one_build_leaves_another_counting(tmp_path):
    one, other = tmp_path / "build", tmp_path / "build2"
    for folder in (one, other):
        folder.mkdir()
        Progress(str(folder)).advance("screens checked")
    Progress(str(one)).close()
    Progress(str(other)).advance("screens checked")
    assert read_progress(str(other)) == {"screens checked": 2}
    Progress(str(other)).close()
