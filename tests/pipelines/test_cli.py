"""The command as a user runs it: help, mistakes, refusals; no traceback ever."""

import pathlib
import shutil

import pytest


def test_help_lists_the_commands_with_an_example(run):
    done = run("--help")
    assert done.returncode == 0
    assert "plan" in done.stdout
    assert "build" in done.stdout
    assert "screenset demo" in done.stdout


def commands_of(help_text):
    listed = help_text.partition("  COMMAND\n")[2].partition("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines() if line.startswith("    ")]


def test_every_command_has_help_with_an_example(run):
    commands = commands_of(run("--help").stdout)
    assert {"plan", "build", "check", "report", "card", "publish", "diff"} <= {*commands}
    for command in commands:
        done = run(command, "--help")
        assert done.returncode == 0
        assert f"screenset {command} " in done.stdout.partition("example")[2], command


def test_the_version_is_that_of_the_distribution(run):
    assert run("--version").stdout.startswith("screenset ")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["bild"], "invalid choice: 'bild'"),
        (["build", "screenqa"], "required: --out"),
        (["build", "screenqa", "--out", "x", "--num_wrokers", "5"], "unrecognized arguments"),
        (["build", "screenqa", "--out", "x", "--work", "2"], "unrecognized arguments: --work"),
        (["build", "screenqa", "--out", "x", "--workers", "0"], "'0' is not a whole number"),
        (["build", "screenqa", "--out", "x", "--workers", "two"], "'two' is not a whole number"),
        (["build", "screenqa", "--out", "x", "--limit", "-3"], "--limit"),
        (["build", "screenqa", "--out", "x", "--runner", "DirectRunner"], "run another engine"),
        (["build", "screenqa", "--out", "x", "--runner", "DaskRunner"], "drops the other outputs"),
        (["build", "screenqa", "--out", "x", "--runner", "multi_threading"], "loses rows"),
        (["build", "screenqa", "--out", "x", "--runner", "Spark"], "this machine only"),
        (["build", "screenqaa", "--out", "x"], "did you mean screenqa"),
        (["build", "screenqa", "--out", "x", "--manifest", "nowhere.yaml"], "cannot read nowhere"),
        (["build", "screenqa", "--out", "x", "--data", "nowhere"], "--data: nowhere is no folder"),
        (["build", "screenqa", "--out", "x", "--source", "rico"], "not of the form NAME=PATH"),
        (["build", "screenqa", "--out", "x", "--source", "rica=/x"], "did you mean rico?"),
        (["check", "nowhere"], "nowhere is no finished build"),
        (["report", "nowhere"], "nowhere is no finished build"),
        (["card", "nowhere"], "nowhere is no finished build"),
        (["publish", "nowhere", "--repo", "a/b"], "nowhere is no finished build"),
        (["publish", "nowhere"], "required: --repo"),
        (["diff", "nowhere", "elsewhere"], "nowhere is no finished build"),
        (["export", "nowhere", "--out", "x"], "nowhere is no finished build"),
        (["export", "nowhere", "--out", "x", "--as", "openai"], "nowhere is no finished build"),
        (["export", "nowhere", "--out", "x", "--seed", "1"], "--seed is of conversations"),
        (["export", "nowhere", "--out", "x", "--as", "gemma"], "invalid choice: 'gemma'"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(run, arguments, sentence):
    done = run(*arguments)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert not pathlib.Path("x").exists()


def test_a_manifest_with_three_mistakes_prints_three_lines(run, demo_manifest, tmp_path):
    text = demo_manifest.read_text().replace("version: 1.0.0", "version: one", 1)
    text = text.replace("images: inline", "images: outline", 1)
    text = text.replace("screens: screens", "screens: sceens", 1)
    broken = tmp_path / "broken.yaml"
    broken.write_text(text)
    done = run("plan", "screenqa", "--manifest", broken, "--data", tmp_path)
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert len(lines) == 3
    assert all(f"{broken}:" in line and "datasets.screenqa." in line for line in lines)


def test_plan_tells_what_is_there_and_writes_nothing(run, demo_manifest, sample):
    before = sorted(path for path in sample.rglob("*"))
    done = run(
        "plan", "screenqa_released", "--manifest", demo_manifest, "--data", sample, "--limit", 5
    )
    assert done.returncode == 0, done.stderr
    assert "91" in done.stdout
    assert "limited to the first 5 of them" in done.stdout
    assert sorted(path for path in sample.rglob("*")) == before


@pytest.mark.parametrize("command", ["plan", "build"])
def test_missing_sources_are_all_named(run, demo_manifest, sample, tmp_path, command):
    data = tmp_path / "data"
    shutil.copytree(sample, data)
    shutil.rmtree(data / "rico" / "combined")
    (data / "screenqa" / "short_answers" / "test.json").unlink()
    out = ["--out", tmp_path / "out"] if command == "build" else []
    done = run(command, "screenqa_released", "--manifest", demo_manifest, "--data", data, *out)
    assert done.returncode == 2
    said = done.stdout + done.stderr
    assert f"{data}/rico/combined is not there" in said
    assert f"{data}/screenqa/short_answers/test.json is not there" in said
    assert "Traceback" not in said
    assert not (tmp_path / "out").exists()


def test_an_empty_folder_of_screens_is_a_missing_source(run, demo_manifest, sample, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    done = run(
        "build", "screenqa_released", "--manifest", demo_manifest, "--data", sample,
        "--source", f"screens={empty}", "--out", tmp_path / "out",
    )  # fmt: skip
    assert done.returncode == 2
    assert "holds no screens (expected <id>.jpg and <id>.json)" in done.stderr


def test_a_pattern_without_a_match_is_a_missing_source(run, demo_manifest, sample, tmp_path):
    manifest = tmp_path / "manifest.yaml"
    text = demo_manifest.read_text()
    manifest.write_text(text.replace("short_answers/train.json", "short_answers/nope-*.json"))
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
    assert done.returncode == 2
    assert "short_answers/nope-*.json matches nothing" in done.stderr


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('[{"image_id": 1}, {bad', "item 1"),
        ('{"image_id": 1}', "is no JSON array"),
        ("[1, 2", "instead of , or ]"),
        ("\udcff".encode("utf-8", "surrogateescape"), "no UTF-8 text"),
        ("<html>Quota exceeded</html>", "is no JSON array"),
    ],
)
def test_a_broken_question_file_is_named(run, demo_manifest, sample, tmp_path, content, sentence):
    broken = tmp_path / "train.json"
    broken.write_bytes(content if isinstance(content, bytes) else content.encode())
    for split in ("validation", "test"):
        shutil.copy(sample / "screenqa" / "answers_and_bboxes" / f"{split}.json", tmp_path)
    done = run(
        "build", "screenqa_released", "--manifest", demo_manifest, "--data", sample,
        "--source", f"answers={tmp_path}", "--out", tmp_path / "out",
    )  # fmt: skip
    assert done.returncode == 2
    assert f"{broken}" in done.stderr
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_output_read_by_head_ends_quietly(demo_manifest, sample):
    import subprocess
    import sys

    command = f"{sys.executable} -m pipelines --help | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert "Traceback" not in done.stderr
