"""Odd places, odd moments and odd inputs that once broke a build."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

RELEASED = "screenqa_released"


@pytest.fixture
def released(run, demo_manifest, sample, tmp_path):
    """Returns a function that builds the sample's released files into a folder."""

    def build(out: pathlib.Path, *flags: object, data: pathlib.Path = sample, **environment: str):
        command = ["build", RELEASED, "--manifest", demo_manifest, "--data", data, "--out", out]
        return run(*command, *flags, **environment)

    return build


def one_sentence(done: "subprocess.CompletedProcess[str]", code: int, sentence: str) -> None:
    assert done.returncode == code, done.stderr
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def small_disk(tmp_path):
    """Returns a function that makes a disk of some kilobytes; root only."""
    disks = []

    def make(kilobytes: int) -> pathlib.Path:
        disk = tmp_path / f"disk{len(disks)}"
        disk.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", disk]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("a small disk can be made by root only")
        disks.append(disk)
        return disk

    yield make
    for disk in disks:
        subprocess.run(["umount", disk], check=True)


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("kilobytes", [40, 1000, 2400])
def test_a_full_disk_is_a_sentence_at_any_moment(released, small_disk, workers, kilobytes):
    out = small_disk(kilobytes) / "out"
    done = released(out, "--workers", workers)
    assert done.returncode == 1
    assert "o space" in done.stderr
    assert "Traceback" not in done.stderr
    assert not out.exists()


def test_what_is_put_into_the_output_folder_meanwhile_is_kept(demo_manifest, sample, tmp_path):
    out = tmp_path / "out"
    command = [sys.executable, "-m", "pipelines", "build", RELEASED, "--manifest", demo_manifest]
    process = subprocess.Popen(
        [*command, "--data", sample, "--out", out, "--workers", "1"],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    while not (tmp_path / ".out.building" / "fingerprint.json").exists():
        assert process.poll() is None
        time.sleep(0.01)
    out.mkdir()
    (out / "thesis.txt").write_text("years of work")
    _, errors = process.communicate()
    assert process.returncode == 2
    assert "holds other files" in errors
    assert (out / "thesis.txt").read_text() == "years of work"


def test_a_replacement_that_was_killed_gives_the_old_build_back(released, tmp_path):
    out = tmp_path / "out"
    assert released(out, "--workers", "1").returncode == 0
    before = (out / "BUILD.json").read_bytes()
    # The state between the two renames of `--fresh`, and the one before its last deletion.
    (tmp_path / ".out.building").mkdir()
    out.rename(tmp_path / ".out.building" / "retired")
    one_sentence(released(out), 2, "already holds a finished build")
    assert (out / "BUILD.json").read_bytes() == before
    shutil.copytree(out, tmp_path / ".out.building" / "retired")
    assert released(out, "--fresh", "--workers", "1").returncode == 0
    assert (out / "BUILD.json").read_bytes() == before


def test_a_mount_point_is_refused_before_the_work(released, small_disk):
    one_sentence(released(small_disk(8000)), 2, "is a mount point")


def test_the_target_of_a_link_becomes_the_output(released, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert released(tmp_path / "link", "--workers", "1").returncode == 0
    assert (tmp_path / "real" / "BUILD.json").exists()
    assert (tmp_path / "link").is_symlink()


def test_a_proxy_is_not_asked_for_the_way_to_the_workers(released, tmp_path):
    proxy = "http://127.0.0.1:9"
    done = released(tmp_path / "out", "--workers", "2", http_proxy=proxy, grpc_proxy=proxy)
    assert done.returncode == 0, done.stderr


def test_without_a_loopback_network_two_workers_are_refused(demo_manifest, sample, tmp_path):
    build = f"{sys.executable} -m pipelines build {RELEASED} --manifest {demo_manifest}"
    command = f"{build} --data {sample} --out {tmp_path}/out --workers 2"
    done = subprocess.run(
        ["unshare", "-rn", "sh", "-c", command], capture_output=True, text=True, check=False
    )
    if "unshare" in done.stderr:
        pytest.skip("a network of its own can be made by some users only")
    one_sentence(done, 1, "need the loopback network")


def test_demo_replaces_demos_only(run, released, tmp_path):
    out = tmp_path / "out"
    assert released(out, "--workers", "1").returncode == 0
    before = (out / "BUILD.json").read_bytes()
    one_sentence(run("demo", "--out", out), 2, "something else than a demo")
    assert (out / "BUILD.json").read_bytes() == before


def test_files_of_one_name_in_several_folders_are_told_apart(run, tmp_path):
    for folder, wording in (("a", "What is it?"), ("b", "What  is it?")):
        (tmp_path / "g" / folder).mkdir(parents=True)
        record = {"image_id": 1, "question": wording, "ground_truth": [folder]}
        (tmp_path / "g" / folder / "train.json").write_text(json.dumps([record]))
    (tmp_path / "m.yaml").write_text(
        "version: 1\nsources:\n  q: {kind: screenqa_short_answers, licence: CC0, "
        'files: {train: "g/*/train.json"}}\ndatasets:\n  d: {recipe: screenqa, version: 1.0.0, '
        "sources: {short_answers: q}, images: none, splits: {by: official}}\n"
    )
    for out in ("one", "two"):
        workers = "1" if out == "one" else "2"
        done = run(
            "build", "d", "--manifest", tmp_path / "m.yaml", "--data", tmp_path,
            "--out", tmp_path / out, "--workers", workers,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    (row,) = pq.read_table(next((tmp_path / "one" / "d").glob("*.parquet"))).to_pylist()
    assert row["question"] == "What is it?"
    assert row["provenance"]["file"] == "g/a/train.json"
    assert (tmp_path / "one" / "BUILD.json").read_bytes() == (
        tmp_path / "two" / "BUILD.json"
    ).read_bytes()


def test_one_file_cannot_stand_for_three_splits(run, demo_manifest, sample):
    file = sample / "screenqa" / "short_answers" / "test.json"
    done = run(
        "plan", RELEASED, "--manifest", demo_manifest, "--data", sample,
        "--source", f"short_answers={file}",
    )  # fmt: skip
    one_sentence(done, 2, "is one file, but train, validation, test each need one")


@pytest.mark.parametrize("name", ["screenqa/short_answers/test.json", "rico/ui_details.csv"])
def test_a_pipe_in_place_of_a_file_is_refused(released, sample, tmp_path, name):
    data = tmp_path / "data"
    shutil.copytree(sample, data)
    (data / name).unlink()
    os.mkfifo(data / name)
    one_sentence(released(tmp_path / "out", data=data), 2, "is no ordinary file")


def test_a_manifest_that_is_a_pipe_is_refused(run, tmp_path):
    os.mkfifo(tmp_path / "m.yaml")
    done = run("plan", "screenqa", "--manifest", tmp_path / "m.yaml")
    one_sentence(done, 2, "is no ordinary file")


def test_signs_of_patterns_in_the_data_folders_own_path_mean_themselves(released, sample, tmp_path):
    data = tmp_path / "data[1]*"
    shutil.copytree(sample, data)
    assert released(tmp_path / "out", "--workers", "1", data=data).returncode == 0


@pytest.mark.parametrize(
    "redirection", [">&-", ">&- 2>&-", ">/dev/full"], ids=["closed", "both closed", "full"]
)
def test_an_output_that_takes_nothing_is_no_traceback(demo_manifest, sample, redirection, tmp_path):
    command = f"{sys.executable} -m pipelines plan {RELEASED} --manifest {demo_manifest}"
    done = subprocess.run(
        ["bash", "-c", f"{command} --data {sample} {redirection}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 1)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_without_our_signs_gets_question_marks(run, demo_manifest, sample, encoding):
    done = run(
        "plan", RELEASED, "--manifest", demo_manifest, "--data", sample, PYTHONIOENCODING=encoding
    )
    assert done.returncode == 0, done.stderr
    assert "?" in done.stdout


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("licence: Apache-2.0", 'licence: "x\\ud83d y"', "control characters"),
        ("licence: Apache-2.0", 'licence: "\\e[31m"', "control characters"),
        ("  screenqa_released:", "  screens:", "cannot be called screens"),
    ],
)
def test_a_manifest_with_what_no_terminal_or_folder_can_carry(
    run, demo_manifest, sample, tmp_path, old, new, problem
):
    manifest = tmp_path / "m.yaml"
    manifest.write_text(demo_manifest.read_text().replace(old, new, 1))
    done = run("plan", "screenqa", "--manifest", manifest, "--data", sample)
    one_sentence(done, 2, problem)


def test_many_different_answers_to_one_question_are_united(run, tmp_path):
    records = [
        {"image_id": 1, "question": "What?", "ground_truth": [f"answer {n}"]} for n in range(20_000)
    ]
    records.append(
        {"image_id": 2, "question": "a" + "\u0301\u0316" * 100_000, "ground_truth": ["b"]}
    )
    (tmp_path / "train.json").write_text(json.dumps(records))
    (tmp_path / "m.yaml").write_text(
        "version: 1\nsources:\n  q: {kind: screenqa_short_answers, licence: CC0, "
        "files: {train: train.json}}\ndatasets:\n  d: {recipe: screenqa, version: 1.0.0, "
        "sources: {short_answers: q}, images: none, splits: {by: official}}\n"
    )
    done = run(
        "build", "d", "--manifest", tmp_path / "m.yaml", "--data", tmp_path, "--out", tmp_path / "o"
    )
    assert done.returncode == 0, done.stderr
    book = json.loads((tmp_path / "o" / "BUILD.json").read_text())["records"]["short_answers"]
    assert (book["kept"], book["merged"], book["rejected"]) == (1, 19_999, 1)


def test_other_columns_of_a_parquet_file_are_not_even_read(run, tmp_path):
    table = pa.table(
        {
            "screen_id": ["1"],
            "question": ["What?"],
            "ground_truth": [["this"]],
            "when": pa.array([10**15], pa.timestamp("ms")),
        }
    )
    pq.write_table(table, tmp_path / "train.parquet")
    (tmp_path / "m.yaml").write_text(
        "version: 1\nsources:\n  q: {kind: screenqa_short_answers, licence: CC0, "
        "files: {train: train.parquet}}\ndatasets:\n  d: {recipe: screenqa, version: 1.0.0, "
        "sources: {short_answers: q}, images: none, splits: {by: official}}\n"
    )
    done = run("plan", "d", "--manifest", tmp_path / "m.yaml", "--data", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1 question records about 1 screens" in done.stdout


def test_too_many_workers_are_refused(released, tmp_path):
    one_sentence(released(tmp_path / "out", "--workers", "100000"), 2, "cores")


def test_an_empty_question_file_is_as_good_as_none(released, sample, tmp_path, run, demo_manifest):
    data = tmp_path / "data"
    shutil.copytree(sample, data)
    for path in (data / "screenqa").rglob("*.json"):
        path.write_text("[]")
    one_sentence(released(tmp_path / "out", data=data), 2, "hold no question")
    done = run("plan", RELEASED, "--manifest", demo_manifest, "--data", data)
    assert done.returncode == 2


def test_a_stopped_build_leaves_no_folder_of_the_engine_behind(demo_manifest, sample, tmp_path):
    command = [sys.executable, "-m", "pipelines", "build", RELEASED, "--manifest", demo_manifest]
    process = subprocess.Popen(
        [*command, "--data", sample, "--out", tmp_path / "out", "--workers", "1"],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    # The log is opened when the engine starts: long before the build is done.
    while not (tmp_path / ".out.building" / "log.txt").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.wait()
    assert [path.name for path in tmp_path.iterdir()] == [".out.building"]
