"""Finished builds: opened, listed, and refused where they are not whole."""

import json
import shutil

import pytest

from pipelines.build import build
from pipelines.config import load_request
from pipelines.errors import UserError
from pipelines.finished_builds import open_build
from pipelines.recipes.configurations import row_types_of
from schemas.examples import IllustratedQuestionRow, QuestionRow
from schemas.manifest import SCREENS_RECIPE, Images
from schemas.screens import ScreenRow
from transforms.files import file_digest


@pytest.fixture(scope="module")
def built(demo_manifest, sample, tmp_path_factory):
    out = tmp_path_factory.mktemp("finished") / "screenqa"
    build(load_request("screenqa", str(demo_manifest), str(sample), []), str(out), workers=1)
    return out


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
        ({"files": [{"path": "../x", "size_bytes": 1, "sha256": ""}]}, "outside of it"),
        ({"files": [{"path": "/etc/passwd", "size_bytes": 1, "sha256": ""}]}, "outside of it"),
    ],
)
def test_a_summary_that_is_no_summary_is_refused(copy, changes, sentence):
    rewritten(copy, **changes)
    with pytest.raises(UserError, match=sentence):
        open_build(str(copy))


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", "{"])
def test_a_broken_summary_is_refused(copy, text):
    (copy / "BUILD.json").write_text(text)
    with pytest.raises(UserError, match="is damaged"):
        open_build(str(copy))


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
