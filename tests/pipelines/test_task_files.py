"""The folder of tasks: whole or not at all."""

import json

import pytest

from pipelines import task_files
from pipelines.errors import UserError
from pipelines.task_files import TaskFiles, new_folder, refuse_occupied, size_notes


def test_files_are_lists_of_tasks(tmp_path):
    out = tmp_path / "out"
    with new_folder(str(out)) as work, TaskFiles(work) as files:
        for name, number in [("a.json", 1), ("b.json", 2), ("a.json", 0.1 + 0.2)]:
            files.write(name, {"data": {"n": number, "text": "Größe"}})
        assert not out.exists()
    assert [task["data"]["n"] for task in json.loads((out / "a.json").read_text())] == [
        1,
        0.1 + 0.2,
    ]
    assert "Größe" in (out / "b.json").read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_nothing_is_left_when_writing_fails_or_there_is_nothing(tmp_path):
    out = tmp_path / "out"
    with pytest.raises(ValueError, match="stop"), new_folder(str(out)) as work:
        (tmp_path / work / "a.json").write_text("[")
        raise ValueError("stop")
    with new_folder(str(out)):
        pass
    assert list(tmp_path.iterdir()) == []


def test_an_empty_folder_may_be_there(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    refuse_occupied(str(out))
    with new_folder(str(out)) as work, TaskFiles(work) as files:
        files.write("a.json", {})
    assert [path.name for path in out.iterdir()] == ["a.json"]
    with pytest.raises(UserError, match="holds other files"):
        refuse_occupied(str(out))
    with pytest.raises(UserError, match="holds other files"):
        refuse_occupied(str(out / "a.json"))


def test_a_file_that_is_too_large_to_upload_is_named(tmp_path, monkeypatch):
    (tmp_path / "a.json").write_text("x" * 100)
    (tmp_path / "b.json").write_text("x")
    monkeypatch.setattr(task_files, "_MAX_UPLOAD", 99)
    (note,) = size_notes(str(tmp_path), ["a.json", "b.json"])
    assert note.startswith("note: a.json has 100 B, Label Studio takes 99 B")
