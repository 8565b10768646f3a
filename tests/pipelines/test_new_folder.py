"""A folder that appears whole: what a killed process left of one is cleared away."""

import os
import subprocess
import sys

import pytest

from pipelines.errors import UserError
from pipelines.exporting.new_folder import new_folder


def ended() -> int:
    """Returns the id of a process that is no more."""
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


def test_a_folder_appears_when_all_went_well(tmp_path):
    with new_folder(str(tmp_path / "out")) as hidden:
        assert not (tmp_path / "out").exists()
        with open(os.path.join(hidden, "x"), "w") as file:
            file.write("x")
    assert os.listdir(tmp_path) == ["out"]


def test_nothing_is_left_of_what_failed(tmp_path):
    with pytest.raises(ValueError, match="on the way"), new_folder(str(tmp_path / "out")):
        raise ValueError("on the way")
    assert os.listdir(tmp_path) == []


def test_what_a_killed_process_left_goes_and_what_runs_stays(tmp_path):
    left, running = (f".out.{pid}.exporting" for pid in (ended(), os.getppid()))
    others = [".out.x.exporting", f".other.{ended()}.exporting"]
    for name in (left, running, *others):
        (tmp_path / name).mkdir()
    with new_folder(str(tmp_path / "out")):
        pass
    assert sorted(os.listdir(tmp_path)) == sorted([running, *others, "out"])


def test_a_folder_that_is_there_is_not_touched(tmp_path):
    (tmp_path / "out").mkdir()
    with pytest.raises(UserError, match="is there already"), new_folder(str(tmp_path / "out")):
        pass
