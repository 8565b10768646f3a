"""`check` as a command uses it: its report, its page, what people see, and what it removes."""

import dataclasses
import json
import os
import subprocess
import sys

import pytest

from pipelines.checking import check as checking
from pipelines.checking.check import check, check_text, read_check, report_of, report_text
from pipelines.checking.reading_at_once import chosen_workers, read_shards
from pipelines.checking.rules import RULES
from pipelines.checking.shard_reading import ShardTask
from pipelines.errors import BuildError, UserError
from pipelines.finished_builds import open_build
from schemas.checks import CheckOutcome, CheckReport, CheckResult


def test_the_report_is_written_and_read_back(copy):
    build = copy()
    report = check(str(build.folder), workers=1)
    assert report.passed
    assert read_check(open_build(str(build.folder))) == report
    assert report_of(json.loads(report_text(report))) == report
    assert [result.rule for result in report.results] == [rule.name for rule in RULES]


def test_checking_twice_writes_the_same_bytes_and_says_nothing_of_this_machine(copy, tmp_path):
    build = copy()
    texts = []
    for workers in (1, 2):
        check(str(build.folder), workers=workers)
        texts.append([(build.folder / n).read_bytes() for n in ("check.json", "check.html")])
    assert texts[0] == texts[1]
    assert str(tmp_path).encode() not in b"".join(texts[0])


def test_a_report_speaks_of_its_own_build_only(copy):
    build = copy()
    check(str(build.folder), workers=1, decode_images=False)
    build.change_summary(lambda summary: summary.update(version="9.9.9"))
    assert read_check(open_build(str(build.folder))) is None


def test_no_report_is_none(copy):
    assert read_check(open_build(str(copy().folder))) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda plain: plain.pop("results"),
        lambda plain: plain.update(passed=False),
        lambda plain: plain["results"][0].update(outcome="fine"),
    ],
)
def test_a_report_that_is_damaged_is_refused(copy, change):
    build = copy()
    check(str(build.folder), workers=1, decode_images=False)
    plain = json.loads((build.folder / "check.json").read_text())
    change(plain)
    (build.folder / "check.json").write_text(json.dumps(plain))
    with pytest.raises(UserError, match=r"check\.json: is damaged"):
        read_check(open_build(str(build.folder)))


def test_a_check_that_is_stopped_leaves_no_earlier_pass(copy, monkeypatch):
    build = copy()
    check(str(build.folder), workers=1, decode_images=False)

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(checking, "read_shards", stop)
    with pytest.raises(KeyboardInterrupt):
        check(str(build.folder))
    assert not (build.folder / "check.json").exists()
    assert not (build.folder / "check.html").exists()


def test_a_folder_without_a_build_is_the_user_s_mistake(tmp_path):
    with pytest.raises(UserError, match="is no finished build"):
        check(str(tmp_path))


def test_workers_find_the_same(copy):
    build = copy()
    build.change_rows(build.shard("train"), lambda rows: rows[0].update(split="tset"))
    reports = [check(str(build.folder), workers=workers) for workers in (1, 3)]
    assert reports[0] == reports[1]
    assert not reports[0].passed


def test_a_worker_that_dies_is_told(copy, monkeypatch):
    build = open_build(str(copy().folder))

    def die(*_: object) -> None:
        os._exit(9)

    monkeypatch.setattr("pipelines.checking.reading_at_once.read_shard", die)
    tasks = [
        ShardTask(build.path(s.path), s, build.row_types[s.configuration], False)
        for s in build.shards
    ]
    with pytest.raises(BuildError, match="died"):
        read_shards(tasks, 2)


def test_small_builds_are_read_in_one_process(copy):
    build = open_build(str(copy().folder))
    tasks = [ShardTask(s.path, s, object, True) for s in build.shards]
    assert chosen_workers(tasks) == 1
    large = [
        task._replace(shard=dataclasses.replace(task.shard, size_bytes=1 << 30)) for task in tasks
    ]
    assert chosen_workers(large) == min(len(os.sched_getaffinity(0)), 3)


def test_what_people_see(copy):
    build = copy()
    passed = check_text(check(str(build.folder), workers=1), str(build.folder))
    assert "screenqa 1.0.0 passed: " in passed
    assert "FAILED" not in passed
    build.change_rows(build.shard("train"), lambda rows: rows[3].update(split="tset"))
    text = check_text(check(str(build.folder), workers=1), str(build.folder))
    assert "split_fits                          FAILED" in text
    assert "train-00000-of-00001.parquet: row 3 (" in text
    assert "did not pass: " in text.splitlines()[-2]


def hostile_report() -> CheckReport:
    hostile = "<script>alert('x')</script> \u202e \x1b[31m \"&amp;" + "x" * 10_000
    failed = CheckResult(
        "ids_fit", "ids fit", CheckOutcome.FAILED, "1 row", (hostile,), 30, hostile
    )
    return CheckReport("screenqa", "1.0.0", "f" * 64, "b" * 64, True, (failed,))


def test_hostile_text_stays_text_on_a_terminal():
    text = check_text(hostile_report(), "folder")
    assert "\x1b[31m" not in text
    assert "\u202e" not in text
    assert "<script>alert('x')</script>" in text
    assert "… and 29 more" in text


def test_hostile_text_stays_text_on_the_page():
    page = checking.render("check.html.j2", checking.page_values(hostile_report()))
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    assert "\u202e" not in page
    assert "\x1b" not in page
    assert "… and 29 more" in page


def test_the_page_names_what_is_wrong_and_every_rule(copy):
    build = copy()
    (build.folder / "stranger.txt").write_text("?")
    report = check(str(build.folder), workers=1, decode_images=False)
    page = (build.folder / "check.html").read_text()
    for result in report.results:
        assert result.rule in page
    assert "stranger.txt: is in the folder" in page
    assert "No picture was decoded." in page
    assert "http" not in page.replace("http-equiv", "")


def test_nothing_heavy_is_imported_before_it_is_needed():
    code = (
        "import sys, pipelines.checking.check\n"
        "print(sorted({'great_expectations', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_great_expectations_leaves_nothing_behind_and_says_nothing(copy, tmp_path):
    build = copy()
    home = tmp_path / "home"
    home.mkdir()
    code = (
        "from pipelines.checking.check import check\n"
        f"assert check({str(build.folder)!r}, workers=1).passed\n"
    )
    environment = {**os.environ, "HOME": str(home), "TMPDIR": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert "expect" not in done.stderr.lower()
    assert "Calculating" not in done.stderr
    assert not [path for path in home.rglob("*") if path.is_file() and "expect" in str(path)]
