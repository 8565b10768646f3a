"""Verification of short answers as a user does it: build, tasks, import, build again."""

import json

import pyarrow.parquet as pq
import pytest

SALT = "a salt of the right length"
MANIFEST = """\
version: 1
sources:
  screens: {kind: rico_combined, path: rico/combined, licence: Apache-2.0}
  details: {kind: rico_ui_details, path: rico/ui_details.csv, licence: Apache-2.0}
  events: {kind: annotation_events, path: annotations, licence: Apache-2.0}
  checks: {kind: annotation_events, path: checks, licence: Apache-2.0, optional: true}
  answers:
    kind: screenqa_answers
    files:
      train: screenqa/answers_and_bboxes/train.json
      validation: screenqa/answers_and_bboxes/validation.json
      test: screenqa/answers_and_bboxes/test.json
    licence: Apache-2.0
datasets:
  campaign:
    recipe: screenqa
    version: 1.0.0
    sources: {screens: screens, apps: details, events: events, verification: checks}
    images: by_screen
    splits: {by: app, seed: demo, shares: {train: 0.6, validation: 0.2, test: 0.2}}
    short_answers: {provider: rules, verified_per_stratum: 4}
    rejects: {overall: 0.5}
  released:
    recipe: screenqa
    version: 1.0.0
    sources: {screens: screens, apps: details, answers: answers, verification: checks}
    images: by_screen
    splits: {by: official, twins: report}
    short_answers: {provider: rules, verified_per_stratum: 4}
    rejects: {overall: 0.5}
"""


class Verification:
    """A data set of the drawn sample, and what people say of its short answers."""

    def __init__(self, run, folder, sample, dataset):
        self.run, self.folder, self.dataset = run, folder, dataset
        self.data = folder / "data"
        self.data.mkdir()
        for name in ("rico", "annotations", "screenqa"):
            (self.data / name).symlink_to(sample / name)
        self.manifest = folder / "manifest.yaml"
        self.manifest.write_text(MANIFEST)

    def _command(self, *arguments):
        places = ("--manifest", self.manifest, "--data", self.data)
        return self.run(*arguments, *places)

    def build(self, name, *flags):
        done = self._command(
            "build", self.dataset, "--out", self.folder / name, "--workers", 1, *flags
        )
        assert done.returncode == 0, done.stderr
        return done, self.folder / name

    def tasks(self, built, *flags, out="tasks", pass_="verify_short_answers"):
        out = self.folder / out
        done = self._command("tasks", pass_, self.dataset, "--built", built, "--out", out, *flags)
        written = out / "verify_short_answers.json"
        return done, json.loads(written.read_text()) if written.exists() else []

    def judge(self, tasks, wrong):
        """Imports a snapshot of the tasks, in which the texts in `wrong` were ticked."""
        export = [judged(number, task, wrong) for number, task in enumerate(tasks, 1)]
        (self.folder / "export.json").write_text(json.dumps(export))
        done = self.run(
            "import", self.folder / "export.json", "--out", self.data / "checks" / "a.jsonl",
            "--salt-env", "SALT", SALT=SALT,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done


def judged(number, task, wrong):
    ticked = [
        choice["alias"]
        for choice, text in zip(
            task["data"]["variants"], task["data"]["shown"]["short_answers"], strict=True
        )
        if text in wrong
    ]
    status = "some_wrong" if ticked else "all_right"
    results = [("short_answers_status", [status]), ("wrong_short_answers", ticked)]
    return task | {
        "id": number,
        "project": 9,
        "predictions": [],
        "annotations": [
            {
                "id": number,
                "unique_id": f"u{number}",
                "completed_by": {"id": 2, "email": "ann@example.org"},
                "created_at": f"2024-09-01T10:{number // 60:02}:{number % 60:02}Z",
                "was_cancelled": False,
                "result": [
                    {"from_name": name, "to_name": "screen", "value": {"choices": chosen}}
                    for name, chosen in results
                    if chosen
                ],
            }
        ],
    }


def rows(built, dataset):
    return {
        row["question_id"]: row
        for path in sorted((built / dataset).glob("*.parquet"))
        for row in pq.read_table(path).to_pylist()
    }


@pytest.mark.parametrize("dataset", ["campaign", "released"])
def test_what_people_reject_is_gone_in_the_next_build(run, tmp_path, sample, dataset):
    trial = Verification(run, tmp_path, sample, dataset)
    _, built = trial.build("first")
    assert not (built / "verification.json").exists()
    done, tasks = trial.tasks(built)
    assert done.returncode == 0, done.stderr
    before = rows(built, dataset)
    # One of several short answers of a question is wrong; all others are right.
    task = next(t for t in tasks if len(t["data"]["variants"]) > 1)
    question_id, shown = task["data"]["question_id"], task["data"]["shown"]
    *kept, wrong = shown["short_answers"]
    assert before[question_id]["short_answers"] == [*kept, wrong]

    imported = trial.judge(tasks, {wrong})
    assert "short answers by rules" in imported.stdout
    assert f"verified on {len(tasks)} of" in imported.stdout
    _, again = trial.build("second")
    after = rows(again, dataset)
    assert after[question_id]["short_answers"] == kept
    asked = {t["data"]["question_id"] for t in tasks}
    others = set(before) - asked
    assert others
    assert {i: before[i]["short_answers"] for i in others} == {
        i: after[i]["short_answers"] for i in others
    }

    found = json.loads((again / "verification.json").read_text())
    (maker,) = found["makers"]
    assert maker["made_by"]["provider"] == "rules"
    assert found["rejected_variants"] >= 1
    assert maker["reviews"] == sum(s["questions"] for s in maker["strata"]) == len(tasks)
    books = json.loads((again / "BUILD.json").read_text())["records"]["annotation_event"]
    assert books["kept"] >= len(tasks)

    done, more = trial.tasks(again, out="more")
    assert done.returncode == 0, done.stderr
    assert more == []
    assert "verify_short_answers has nothing left to do" in done.stdout
    done, more = trial.tasks(again, "--per-stratum", 5, out="five")
    assert 0 < len(more) <= 6
    assert not asked & {t["data"]["question_id"] for t in more}


def test_tasks_show_picture_question_answers_and_short_answers(run, tmp_path, sample):
    trial = Verification(run, tmp_path, sample, "released")
    _, built = trial.build("built")
    flags = ("--per-stratum", 2, "--annotators", "a_357a621877b6,a_6256a55046f3")
    done, tasks = trial.tasks(built, *flags, pass_="verify-short-answers")
    assert done.returncode == 0, done.stderr
    assert (trial.folder / "tasks" / "verify_short_answers.xml").exists()
    published = rows(built, "released")
    sizes = {}
    for task in tasks:
        data = task["data"]
        row = published[data["question_id"]]
        assert data["image"] == f"/data/local-files/?d=rico/combined/{data['screen_id']}.jpg"
        assert (data["question"], data["image_width"]) == (row["question"], row["width"])
        shown = data["shown"]
        assert shown["short_answers"] == [t for t in row["short_answers"] if t != "<no answer>"]
        assert shown["made_by"] == row["short_answers_from"]
        assert set(shown["full_answers"]) == {a["full_answer"] for a in row["answers"]}
        sizes.setdefault(shown["kind"], []).append(shown["stratum_size"])
    assert all(len(of) <= 2 and len(set(of)) == 1 for of in sizes.values())
    assert {task["data"]["assignee"] for task in tasks} == {"a_357a621877b6", "a_6256a55046f3"}
    answerable = [r for r in published.values() if set(r["short_answers"]) - {"<no answer>"}]
    assert sum(of[0] for of in sizes.values()) == len(answerable)
    assert len(sizes) > 1


def test_a_mistake_is_one_sentence_and_makes_no_folder(run, tmp_path, sample):
    trial = Verification(run, tmp_path, sample, "released")
    _, built = trial.build("built", "--limit", 4)
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    summary = json.loads((built / "BUILD.json").read_text()) | {"dataset": "campaign"}
    (tmp_path / "other" / "BUILD.json").write_text(json.dumps(summary))
    for flags, sentence in (
        ((built, "--limit", 3), "--limit: verify_short_answers draws from all screens"),
        ((tmp_path / "empty",), "is no finished build"),
        ((tmp_path / "other",), "is a build of campaign, not of released"),
        ((built, "--by-annotator"), "--by-annotator: needs --annotators"),
        ((built, "--per-stratum", 0), "is not a whole number of at least 1"),
    ):
        done, _ = trial.tasks(*flags)
        assert done.returncode == 2
        assert sentence in done.stderr
        assert len(done.stderr.splitlines()) == 1
        assert not (tmp_path / "tasks").exists()
    done, _ = trial.tasks(built, pass_="answer")
    assert "--built and --per-stratum are for the pass verify_short_answers only" in done.stderr
    done = trial._command("tasks", "verify_short_answers", "released", "--out", tmp_path / "tasks")
    assert "--built: verify_short_answers needs the folder of a finished build" in done.stderr
