"""The main job on the drawn sample: what comes out, that it is the same again, and resuming."""

import hashlib
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import pandas as pd
import pyarrow.parquet as pq
import pytest
from PIL import Image

from schemas.columns import arrow_schema
from schemas.examples import IllustratedQuestionRow, QuestionRow
from schemas.screens import ScreenRow

SPLITS = ("train", "validation", "test")


@pytest.fixture(scope="module")
def build(run, demo_manifest, sample):
    """Returns a function that builds a data set of the demo's manifest into a folder."""

    def build_dataset(name: str, out: pathlib.Path, *flags: object, data: pathlib.Path = sample):
        return run("build", name, "--manifest", demo_manifest, "--data", data, "--out", out, *flags)

    return build_dataset


@pytest.fixture(scope="module")
def built(build, tmp_path_factory) -> pathlib.Path:
    out = tmp_path_factory.mktemp("built") / "released"
    done = build("screenqa_released", out, "--workers", "1")
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def built_official(build, tmp_path_factory) -> pathlib.Path:
    out = tmp_path_factory.mktemp("official") / "screenqa_official"
    done = build("screenqa_official", out, "--workers", "2")
    assert done.returncode == 0, done.stderr
    return out


def summary(folder: pathlib.Path) -> dict:
    return json.loads((folder / "BUILD.json").read_text())


def contents(folder: pathlib.Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def rows(folder: pathlib.Path, configuration: str) -> list[dict]:
    return [
        row
        for path in sorted((folder / configuration).glob("*.parquet"))
        for row in pq.read_table(path).to_pylist()
    ]


def test_a_finished_folder_holds_what_it_should_and_nothing_else(built):
    build = summary(built)
    shards = {shard["path"] for shard in build["shards"]}
    expected = {"BUILD.json", "README.md", "stats.json", "prefilter.tsv", "duplicates.json"}
    expected |= shards
    expected |= {f"splits/{split}.{suffix}" for split in SPLITS for suffix in ("txt", "tsv")}
    expected |= {f"rejects/{kind}.jsonl" for kind in build["rejects"]}
    assert set(contents(built)) == expected
    assert list(built.parent.iterdir()) == [built]  # Nor is anything left beside it.


def test_every_record_has_exactly_one_fate(built, built_official):
    for folder in (built, built_official):
        for kind, book in summary(folder)["records"].items():
            fates = {fate: count for fate, count in book.items() if fate != "read"}
            assert sum(fates.values()) == book["read"], kind


def test_the_sample_troubles_meet_their_stated_fates(built):
    rejects = {
        (reject["kind"], reject["id"]): reject["reason"]
        for path in (built / "rejects").glob("*.jsonl")
        for reject in map(json.loads, path.read_text().splitlines())
    }
    assert rejects["screen", "90014"] == "image_blank"
    assert rejects["screen", "90019"] == "image_unreadable"
    assert rejects["screen", "90125"] == "image_unrecognized"
    assert rejects["hierarchy", "90105"] == "hierarchy_empty"
    assert rejects["screen", "90074"] == "app_unknown"
    assert {r for (kind, _), r in rejects.items() if kind == "answers"} == {
        "screen_missing",
        "screen_rejected",
    }
    assert summary(built)["records"]["answers"]["merged"] == 1


def test_no_app_lies_in_two_splits(built):
    assert summary(built)["leaks"]["apps"]["crossing"] == 0
    apps = {}
    for row in rows(built, "screenqa_released"):
        apps.setdefault(row["app"], set()).add(row["split"])
    assert all(len(splits) == 1 for splits in apps.values())


def test_a_leaking_official_split_is_reported(built_official):
    leaks = summary(built_official)["leaks"]
    assert leaks["apps"]["crossing"] >= 3
    assert leaks["pictures"]["crossing"] == 1
    assert leaks["pictures"]["examples"][0]["test"] == ["90115"]
    assert leaks["pictures"]["examples"][0]["train"] == ["90116"]


def test_splits_files_list_the_screens_of_the_rows(built):
    for split in SPLITS:
        ids = (built / "splits" / f"{split}.txt").read_text().split()
        assert ids == sorted(ids, key=int)
        assert set(ids) == {
            row["screen_id"] for row in rows(built, "screenqa_released") if row["split"] == split
        }


def test_every_written_picture_decodes_upright_with_the_stated_size(built, built_official):
    found = rows(built, "screenqa_released") + rows(built_official, "screens")
    assert found
    for row in found:
        image = Image.open(io.BytesIO(row["image"]["bytes"]))
        image.load()
        assert image.size == (row["width"], row["height"])
        assert image.getexif().get(0x0112, 1) == 1
        assert image.format == ("PNG" if row["image_reencoded"] else "JPEG")
    assert any(row["image_reencoded"] for row in found)


def test_stored_pictures_are_the_original_bytes(built, sample):
    for row in rows(built, "screenqa_released"):
        if not row["image_reencoded"]:
            source = sample / "rico" / "combined" / f"{row['screen_id']}.jpg"
            assert row["image"]["bytes"] == source.read_bytes()


def test_boxes_lie_on_the_drawn_text(built):
    """The pixels inside an answer's box differ from one another: there is text in it."""
    for row in rows(built, "screenqa_released"):
        image = Image.open(io.BytesIO(row["image"]["bytes"])).convert("L")
        for answer in row["answers"]:
            for element in answer["ui_elements"]:
                left, top, right, bottom = element["bounds"]
                assert 0 <= left < right <= row["width"]
                assert 0 <= top < bottom <= row["height"]
                low, high = image.crop((left, top, right, bottom)).getextrema()
                assert high - low > 40, (row["screen_id"], element)


def test_leaves_with_a_text_lie_on_their_text(built_official):
    checked = 0
    for row in rows(built_official, "screens"):
        image = Image.open(io.BytesIO(row["image"]["bytes"])).convert("L")
        for leaf in row["leaves"]:
            left, top, right, bottom = leaf["bounds"]
            assert 0 <= left < right <= row["width"]
            assert 0 <= top < bottom <= row["height"]
            if leaf["view_class"].endswith("TextView") and leaf["text"]:
                low, high = image.crop((left, top, right, bottom)).getextrema()
                checked += high - low > 40
    assert checked > 200


def test_shards_have_the_declared_schema_and_groups_of_at_most_100_rows(built, built_official):
    for folder, configuration, row_type in (
        (built, "screenqa_released", IllustratedQuestionRow),
        (built_official, "screenqa_official", QuestionRow),
        (built_official, "screens", ScreenRow),
    ):
        paths = sorted((folder / configuration).glob("*.parquet"))
        assert {path.name.partition("-")[0] for path in paths} == set(SPLITS)
        for path in paths:
            file = pq.ParquetFile(path)
            declared = arrow_schema(row_type)
            assert file.schema_arrow.equals(declared)
            assert file.schema_arrow.metadata[b"huggingface"] == declared.metadata[b"huggingface"]
            for field in declared:
                assert (
                    file.schema_arrow.field(field.name).metadata[b"doc"] == field.metadata[b"doc"]
                )
            assert file.metadata.num_rows > 0
            groups = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
            assert max(groups) <= 100


def test_the_hub_library_loads_every_split_with_pictures(built, built_official, tmp_path):
    code = """
import sys, datasets
loaded = datasets.load_dataset(sys.argv[1])
assert set(loaded) == {"train", "validation", "test"}, loaded
assert isinstance(loaded["train"].features["image"], datasets.Image)
row = loaded["train"][0]
assert row["image"].size == (row["width"], row["height"])
screens = datasets.load_dataset(sys.argv[2], "screens")
assert isinstance(screens["test"].features["image"], datasets.Image)
questions = datasets.load_dataset(sys.argv[2])
assert "image" not in questions["train"].features
print(sum(split.num_rows for split in loaded.values()))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, built, built_official],
        env={**os.environ, "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == sum(shard["rows"] for shard in summary(built)["shards"])


def test_pandas_reads_a_shard(built):
    frame = pd.read_parquet(next((built / "screenqa_released").glob("train-*.parquet")))
    assert set(frame["split"]) == {"train"}


def test_two_builds_and_any_number_of_workers_give_the_same_bytes(build, built, tmp_path):
    again = tmp_path / "again"
    assert build("screenqa_released", again, "--workers", "2").returncode == 0
    assert contents(again) == contents(built)


def test_limit_takes_the_first_screens_and_moves_none(build, built, tmp_path):
    out = tmp_path / "few"
    done = build("screenqa_released", out, "--limit", "12", "--workers", "1")
    assert done.returncode == 0, done.stderr
    full = {row["question_id"]: row for row in rows(built, "screenqa_released")}
    few = rows(out, "screenqa_released")
    assert few
    assert all(full[row["question_id"]] == row for row in few)
    assert len({row["screen_id"] for row in few}) <= 12
    assert summary(out)["limit"] == 12


def test_complexqa_needs_no_pictures_and_merges_its_duplicate(build, tmp_path):
    out = tmp_path / "complexqa"
    assert build("complexqa", out, "--workers", "1").returncode == 0
    assert summary(out)["records"]["short_answers"]["merged"] == 1
    assert {row["width"] for row in rows(out, "complexqa")} == {None}


def test_a_finished_folder_is_not_built_over_unless_asked(build, built, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(built, out)
    before = contents(out)
    done = build("screenqa_released", out)
    assert done.returncode == 2
    assert "already holds a finished build" in done.stderr
    assert contents(out) == before
    (out / "screenqa_released" / "mine.txt").write_text("notes")
    done = build("screenqa_released", out, "--fresh")
    assert done.returncode == 2
    assert "screenqa_released/mine.txt" in done.stderr
    (out / "screenqa_released" / "mine.txt").unlink()
    assert build("screenqa_released", out, "--fresh", "--workers", "1").returncode == 0
    assert contents(out) == before


def test_a_folder_of_other_files_is_never_touched(build, tmp_path):
    out = tmp_path / "photos"
    out.mkdir()
    (out / "cat.jpg").write_bytes(b"meow")
    for flags in ([], ["--fresh"]):
        done = build("screenqa_released", out, *flags)
        assert done.returncode == 2
        assert "holds other files" in done.stderr
    assert (out / "cat.jpg").read_bytes() == b"meow"


def test_an_output_path_that_is_a_file_or_cannot_be_made_is_refused(build, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    assert "is not a folder" in build("screenqa_released", file).stderr
    done = build("screenqa_released", file / "below")
    assert done.returncode == 2
    assert "cannot make" in done.stderr


def start_build(demo_manifest, data, out, *flags):
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "pipelines",
            "build",
            "screenqa_released",
            "--manifest",
            demo_manifest,
            "--data",
            data,
            "--out",
            out,
            *flags,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def workers_of(process):
    """Returns the worker processes of a build, once there are two: long before it is done."""
    found = []
    while len(found) < 2:
        assert process.poll() is None, process.communicate()
        found = subprocess.run(
            ["ps", "--ppid", str(process.pid), "-o", "pid="],
            capture_output=True,
            text=True,
            check=False,
        ).stdout.split()
    return found


def wait_for(condition, process):
    while not condition():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_killed_build_leaves_nothing_loadable_and_goes_on(
    demo_manifest, sample, built, build, tmp_path, workers
):
    out = tmp_path / "out"
    work = tmp_path / ".out.building"
    process = start_build(demo_manifest, sample, out, "--workers", workers)
    wait_for(lambda: list((work / "notes").glob("*.json")), process)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not out.exists()
    assert work.exists()
    done = build("screenqa_released", out, "--workers", workers)
    assert done.returncode == 0, done.stderr
    assert contents(out) == contents(built)
    assert not work.exists()


def test_a_killed_build_of_other_inputs_is_refused_then_replaced(
    demo_manifest, sample, build, tmp_path
):
    out = tmp_path / "out"
    process = start_build(demo_manifest, sample, out, "--workers", "1", "--limit", "5")
    wait_for(lambda: (tmp_path / ".out.building" / "fingerprint.json").exists(), process)
    process.kill()
    process.wait()
    done = build("screenqa_released", out, "--limit", "6")
    assert done.returncode == 2
    assert "with other inputs, flags or code" in done.stderr
    assert build("screenqa_released", out, "--limit", "6", "--fresh").returncode == 0


def test_two_builds_of_one_folder_do_not_meet(demo_manifest, sample, build, tmp_path):
    out = tmp_path / "out"
    process = start_build(demo_manifest, sample, out, "--workers", "1")
    wait_for(lambda: (tmp_path / ".out.building" / "fingerprint.json").exists(), process)
    done = build("screenqa_released", out)
    assert done.returncode == 2
    assert "at work" in done.stderr or "already holds" in done.stderr
    assert process.wait() == 0


def test_a_worker_that_is_killed_ends_the_build_with_a_sentence(
    demo_manifest, sample, build, built, tmp_path
):
    out = tmp_path / "out"
    process = start_build(demo_manifest, sample, out, "--workers", "2")
    children = workers_of(process)
    os.kill(int(children[0]), signal.SIGKILL)
    _, errors = process.communicate()
    assert process.returncode == 1
    assert "a worker process ended with code -9" in errors
    assert "Traceback" not in errors
    assert not out.exists()
    assert build("screenqa_released", out, "--workers", "1").returncode == 0
    assert contents(out) == contents(built)


def test_ctrl_c_ends_all_processes_and_keeps_what_is_done(demo_manifest, sample, tmp_path):
    out = tmp_path / "out"
    process = start_build(demo_manifest, sample, out, "--workers", "2")
    children = workers_of(process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130
    assert "stopped" in errors
    assert not out.exists()
    # Workers that were only just forked see their pipe close, and end by themselves.
    patience = 500
    while any(pathlib.Path(f"/proc/{child}").exists() for child in children) and patience:
        time.sleep(0.02)
        patience -= 1
    assert patience


def test_a_ceiling_that_is_exceeded_fails_the_build(run, demo_manifest, sample, tmp_path):
    manifest = tmp_path / "strict.yaml"
    text = demo_manifest.read_text()
    manifest.write_text(text.replace("rejects: {overall: 0.3}", "rejects: {overall: 0.01}", 1))
    done = run(
        "build",
        "screenqa_released",
        "--manifest",
        manifest,
        "--data",
        sample,
        "--out",
        tmp_path / "out",
    )
    assert done.returncode == 1
    assert "screen records were rejected" in done.stderr
    assert "the manifest allows 1.0%" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_full_disk_is_one_sentence_and_the_build_goes_on_later(
    demo_manifest, sample, built, build, tmp_path
):
    out = tmp_path / "out"
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", disk], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("a small disk can be made by root only")
    try:
        done = build("screenqa_released", disk / "out", "--workers", "1")
        assert done.returncode == 1
        assert "no space is left on the device" in done.stderr
        assert "Traceback" not in done.stderr
        assert not (disk / "out").exists()
    finally:
        subprocess.run(["umount", disk], check=True)
    assert not out.exists()


def test_expected_rows_that_are_not_met_are_said(run, demo_manifest, sample, tmp_path):
    manifest = tmp_path / "expecting.yaml"
    text = demo_manifest.read_text()
    manifest.write_text(
        text.replace("images: inline", "images: inline\n    expected_rows: {test: 999}")
    )
    done = run(
        "build",
        "screenqa_released",
        "--manifest",
        manifest,
        "--data",
        sample,
        "--out",
        tmp_path / "out",
    )
    assert done.returncode == 0
    assert "the manifest expects 999" in done.stdout


def test_no_path_of_this_machine_is_in_the_output(built, sample):
    for path in built.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert str(sample).encode() not in data, path
            assert str(built).encode() not in data, path
