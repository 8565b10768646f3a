"""The demo as a user runs it: drawn, fetched from a server on loopback, built, loaded."""

import json

import datasets
import pytest


@pytest.fixture(scope="module")
def demo(run, tmp_path_factory):
    out = tmp_path_factory.mktemp("demo") / "demo"
    done = run("demo", "--out", out)
    assert done.returncode == 0, done.stderr
    return out, done.stdout


def test_it_tells_what_was_fetched_and_built(demo):
    _, told = demo
    for expected in (
        "95 files, 6.9 MB, 4 ._ files left out",
        "3 apps, 8 screenshots; lacking to the quota: Productivity 1",
        "language: ",
        "hierarchy in sync: 14 not applicable (14 screens)",
        "agreement by the paper's rule",
        "capture_file_missing",
    ):
        assert expected in told


def test_it_ends_checked_shown_and_ready_to_publish(demo):
    out, told = demo
    for name in ("screenqa", "ios_screens"):
        assert f"{name} 1.0.0 passed: " in told
        assert json.loads((out / name / "check.json").read_text())["images_decoded"]
        for document in ("report.html", "check.html", "croissant.json"):
            assert (out / name / document).is_file()
    checklist = told.partition("what publishing it would do")[2]
    assert "✗" not in checklist
    for line in ("✓ check", "✓ card", "✓ licence", "this was a dry run: nothing was sent"):
        assert line in checklist
    assert told.rstrip().endswith(str(out / "screenqa" / "report.html"))


def test_both_data_sets_load_with_all_splits(demo):
    out, _ = demo
    questions = datasets.load_dataset(str(out / "screenqa"), "screenqa")
    assert {split: len(rows) for split, rows in questions.items()} == {
        "train": 31,
        "validation": 26,
        "test": 25,
    }
    screens = datasets.load_dataset(str(out / "ios_screens"), "ios_screens")
    rows = [row for split in screens.values() for row in split]
    assert len(rows) == 14
    origins = [row["origin"] for row in rows]
    assert (origins.count("captured"), origins.count("store_listing")) == (6, 8)
    assert {row["hierarchy_sync"] for row in rows} == {"not_applicable"}
    assert set(screens) == {"train", "validation", "test"}


def test_an_app_on_both_sides_of_the_store_is_one_app(demo):
    out, _ = demo
    screens = datasets.load_dataset(str(out / "ios_screens"), "ios_screens")
    origins = {}
    for split, rows in screens.items():
        for row in rows:
            origins.setdefault(row["app"], set()).add((split, row["origin"]))
    (split, _), (other, _) = sorted(origins["com.ledgerleaf.money"])
    assert split == other
    assert len(origins["com.ledgerleaf.money"]) == 2


def test_no_address_of_the_server_is_in_the_output(demo):
    out, _ = demo
    for path in out.rglob("*"):
        if path.is_file() and path.suffix != ".parquet":
            assert "127.0.0.1" not in path.read_text(), path


def test_a_second_demo_replaces_the_first_with_the_same_bytes(run, demo):
    out, _ = demo
    before = (out / "ios_screens" / "BUILD.json").read_bytes()
    done = run("demo", "--out", out)
    assert done.returncode == 0, done.stderr
    assert (out / "ios_screens" / "BUILD.json").read_bytes() == before
    assert json.loads(before)["duplicates"]["near"]["groups"] == 1


def test_a_folder_of_something_else_is_left_alone(run, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    done = run("demo", "--out", tmp_path)
    assert done.returncode == 2
    assert "holds something else than a demo" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_build_of_the_same_name_is_not_taken_for_an_earlier_one(
    run, demo_manifest, sample, tmp_path
):
    counts = []
    for limit in (4, 8):
        out = tmp_path / str(limit) / "same"
        out.parent.mkdir()
        done = run(
            "build", "screenqa_released", "--manifest", demo_manifest, "--data", sample,
            "--out", out, "--limit", limit,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        loaded = datasets.load_dataset(str(out), "screenqa_released")
        rows = [row["screen_id"] for split in loaded.values() for row in split]
        counts.append(len(rows))
        assert (
            len(rows) == json.loads((out / "BUILD.json").read_text())["records"]["answers"]["kept"]
        )
    assert counts[0] < counts[1]
