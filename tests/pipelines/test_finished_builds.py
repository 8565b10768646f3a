"""Finished builds: opened, listed, and refused where they are not whole."""

import json
import os
import shutil

import pyarrow as pa
import pytest

from pipelines.build import build
from pipelines.build_shape import build_problems
from pipelines.config import load_request
from pipelines.errors import UserError
from pipelines.finished_builds import column_problems, json_lines, open_build, open_text
from pipelines.recipes.configurations import row_types_of
from schemas.examples import IllustratedQuestionRow, QuestionRow
from schemas.manifest import SCREENS_RECIPE, Images
from schemas.screens import ScreenRow
from transforms.files import file_digest


@pytest.fixture(scope="module")
def built(demo_build):
    return demo_build("screenqa")


@pytest.fixture
def copy(built, tmp_path):
    return shutil.copytree(built, tmp_path / "copy")


def rewritten(folder, **changes):
    path = folder / "BUILD.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_build_knows_its_rows_its_shards_and_its_files(built):
    finished = open_build(str(built))
    assert (finished.name, finished.version) == ("screenqa", "1.0.0")
    assert finished.row_types == {"screenqa": IllustratedQuestionRow}
    assert [shard.split for shard in finished.shards_of("screenqa")] == [
        "train",
        "validation",
        "test",
    ]
    assert finished.report("stats.json")["all"]["questions"] == 82
    assert finished.report("nothing.json") is None


def test_the_files_beside_the_shards_are_listed_with_their_digests(built):
    finished = open_build(str(built))
    here = {str(path.relative_to(built)) for path in built.rglob("*") if path.is_file()}
    shards = {shard.path for shard in finished.shards}
    assert {file.path for file in finished.files} == here - shards - {"README.md", "BUILD.json"}
    for file in finished.files:
        assert file_digest(finished.path(file.path)) == file.sha256
        assert (built / file.path).stat().st_size == file.size_bytes


def test_a_build_says_what_its_columns_can_hold(built):
    assert json.loads((built / "BUILD.json").read_text())["provides"] == [
        "answers",
        "app",
        "category",
        "events",
        "hierarchy",
        "language",
        "picture",
        "short_answers",
        "sync",
    ]


@pytest.mark.parametrize(
    ("recipe", "images", "types"),
    [
        ("screenqa", Images.INLINE, {"a": IllustratedQuestionRow}),
        ("screenqa", Images.BY_SCREEN, {"a": QuestionRow, "screens": ScreenRow}),
        ("screenqa", Images.NONE, {"a": QuestionRow}),
        (SCREENS_RECIPE, Images.INLINE, {"a": ScreenRow}),
    ],
)
def test_the_rows_of_each_kind_of_data_set(recipe, images, types):
    assert row_types_of("a", recipe, images) == types
    assert next(iter(row_types_of("a", recipe, images))) == "a"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"shards": [{"path": "x"}]}, "is damaged"),
        ({"shards": 3}, "is damaged"),
        ({"images": "outline"}, "is damaged"),
        ({"dataset": None}, "is damaged"),
        ({"version": 1}, "is damaged"),
        ({"version": "\ud800"}, "is damaged"),
        ({"recipe": ["screenqa"]}, "is damaged"),
        ({"files": [{"path": "x", "size_bytes": 10**400, "sha256": ""}]}, "is damaged"),
        ({"files": [{"path": "x", "size_bytes": "1", "sha256": ""}]}, "is damaged"),
        ({"files": [{"path": None, "size_bytes": 1, "sha256": ""}]}, "is damaged"),
        ({"files": [{"path": "../x", "size_bytes": 1, "sha256": ""}]}, "outside of it"),
        ({"files": [{"path": "/etc/passwd", "size_bytes": 1, "sha256": ""}]}, "outside of it"),
    ],
)
def test_a_summary_that_is_no_summary_is_refused(copy, changes, sentence):
    rewritten(copy, **changes)
    with pytest.raises(UserError, match=sentence):
        open_build(str(copy))


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", "{", "[" * 100_000, "9" * 5_000])
def test_a_broken_summary_is_refused(copy, text):
    (copy / "BUILD.json").write_text(text)
    with pytest.raises(UserError, match="is damaged"):
        open_build(str(copy))


@pytest.mark.parametrize("name", ["screenqa", "screenqa_official", "screenqa_released"])
def test_what_a_build_says_of_itself_has_its_shape(demo_build, name):
    assert list(build_problems(open_build(str(demo_build(name))).summary)) == []


def test_what_is_no_ordinary_file_is_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, sentence in (("pipe", "no ordinary file"), ("gone", "No such file"), (".", "is a d")):
        with pytest.raises(OSError, match=f"(?i){sentence}"):
            open_text(str(tmp_path / path))


DECLARED = pa.schema([("id", pa.string()), ("boxes", pa.list_(pa.int32()))])


@pytest.mark.parametrize(
    ("found", "problems"),
    [
        ([("id", pa.string()), ("boxes", pa.list_(pa.int32()))], []),
        ([("id", pa.string())], ["column boxes is missing"]),
        (
            [("boxes", pa.list_(pa.int32())), ("id", pa.string())],
            ["columns are in another order than declared: boxes, id"],
        ),
        ([*DECLARED, pa.field("id", pa.string())], ["has column id 2 times"]),
        ([*DECLARED, pa.field("more", pa.string())], ["column more is not declared"]),
        (
            [pa.field("id", pa.string(), nullable=False), DECLARED.field(1)],
            ["column id is string without nulls, and declared as string"],
        ),
    ],
)
def test_columns_are_held_against_the_declared_ones(found, problems):
    schema = pa.schema(found)
    assert list(column_problems(schema, DECLARED)) == problems
    assert schema.equals(DECLARED) is not bool(problems)


def test_a_build_of_an_earlier_version_is_told(copy):
    summary = json.loads((copy / "BUILD.json").read_text())
    del summary["files"]
    (copy / "BUILD.json").write_text(json.dumps(summary))
    with pytest.raises(UserError, match="by an earlier version"):
        open_build(str(copy))


def test_what_commands_write_into_a_build_is_no_stranger_to_the_next(copy, demo_manifest, sample):
    for name in ("croissant.json", "check.json", "check.html", "report.html"):
        (copy / name).write_text("x")
    request = load_request("screenqa", str(demo_manifest), str(sample), [])
    build(request, str(copy), workers=1, fresh=True)
    assert not (copy / "report.html").exists()
    (copy / "mine.txt").write_text("x")
    with pytest.raises(UserError, match=r"mine\.txt"):
        build(request, str(copy), workers=1, fresh=True)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b'{"a": 1}\n{"b"\n', "line 2 is no JSON"),
        (b'{"a": 1}\n[]\n', "line 2 holds no object"),
        (b"[" * 200_000, "line 1 is no JSON"),
        (b'{"a": "\xff"}\n', "can't decode"),
    ],
)
def test_a_damaged_line_of_a_list_is_told(tmp_path, data, sentence):
    path = tmp_path / "x.jsonl"
    path.write_bytes(data)
    with pytest.raises(UserError, match=f"x.jsonl: is missing or damaged: .*{sentence}"):
        list(json_lines(str(path)))


def test_a_pipe_in_place_of_a_list_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "x.jsonl")
    with pytest.raises(UserError, match="is no ordinary file"):
        list(json_lines(str(tmp_path / "x.jsonl")))
