"""`screenset tasks PASS` as a user runs it, on the drawn sample and a real campaign's events."""

import json
import pathlib
import xml.etree.ElementTree

import pytest

EXPORTS = pathlib.Path(__file__).parents[1] / "fixtures" / "label_studio"
# That of the trial in which the exports were made; its people are invented.
SALT = "5652911e159d113cab3eb69beb264a103afd0c04b417732d370df2fe7fafa355"
ANN, BEN, CEM = "a_357a621877b6", "a_6256a55046f3", "a_a9258af33334"
DIA = "a_b2a2768dd83a"
PEOPLE = ",".join((ANN, BEN, CEM, DIA))

MANIFEST = """\
version: 1
sources:
  screens: {kind: rico_combined, path: rico/combined, licence: Apache-2.0}
  details: {kind: rico_ui_details, path: rico/ui_details.csv, licence: Apache-2.0}
  events: {kind: annotation_events, path: campaign, licence: Apache-2.0}
datasets:
  trial:
    recipe: screenqa
    version: 1.0.0
    sources: {screens: screens, apps: details, events: events}
    splits: {by: app, seed: trial2, shares: {train: 0.3, validation: 0.4, test: 0.3}}
"""


class Trial:
    """A campaign on the drawn sample, as far as the given exports say."""

    def __init__(self, run, folder, sample):
        self.run, self.folder = run, folder
        self.data = folder / "data"
        (self.data / "campaign").mkdir(parents=True)
        (self.data / "rico").symlink_to(sample / "rico")
        self.manifest = folder / "manifest.yaml"
        self.manifest.write_text(MANIFEST)
        self.out = folder / "out"

    def bring(self, *names):
        exports = [EXPORTS / f"{name}.json" for name in names]
        out = self.folder / "events.jsonl"
        done = self.run(
            "import", *exports, "--out", out, "--salt-env", "SALT", "--fresh", SALT=SALT
        )
        assert done.returncode == 0, done.stderr
        out.rename(self.data / "campaign" / f"{names[0]}.jsonl")

    def tasks(self, pass_, *flags, **environment):
        return self.run(
            "tasks", pass_, "trial", "--manifest", self.manifest, "--data", self.data,
            "--out", self.out, *flags, **environment,
        )  # fmt: skip

    def written(self, name):
        return json.loads((self.out / f"{name}.json").read_text())


@pytest.fixture
def trial(run, tmp_path, sample):
    return Trial(run, tmp_path, sample)


def screens_of(tasks):
    return [task["data"]["screen_id"] for task in tasks]


def test_a_campaign_begins_with_the_prefilter_and_no_events(trial):
    done = trial.tasks("prefilter", "--limit", 3)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in trial.out.iterdir()) == ["prefilter.json", "prefilter.xml"]
    tasks = trial.written("prefilter")
    assert screens_of(tasks) == ["90004", "90005", "90006"]
    first = tasks[0]
    assert first["data"] == {
        "image": "/data/local-files/?d=rico/combined/90004.jpg",
        "pass": "prefilter",
        "screen_id": "90004",
        "image_width": 540,
        "image_height": 960,
    }
    leaves = first["predictions"][0]["result"]
    assert {leaf["from_name"] for leaf in leaves} == {"leaves"}
    assert all(leaf["id"] == f"vh_{leaf['meta']['vh_index']}" for leaf in leaves)
    xml.etree.ElementTree.parse(trial.out / "prefilter.xml")
    assert "prefilter.json      3" in done.stdout
    assert "screenset import" in done.stdout
    assert f"tasks: {trial.out}" in done.stdout


def test_screens_that_the_prefilter_drops_or_nobody_rated_go_no_further(trial):
    trial.bring("prefilter")
    done = trial.tasks("question_1")
    assert done.returncode == 0, done.stderr
    assert screens_of(trial.written("question_1")) == ["90005", "90006"]  # 90008: not English.


def test_without_a_prefilter_all_screens_are_fit_and_it_says_so(trial):
    done = trial.tasks("question_1", "--limit", 5)
    assert done.returncode == 0, done.stderr
    assert len(trial.written("question_1")) == 5
    assert "nobody has rated a screen" in done.stdout


def test_the_second_pass_goes_to_others_and_shows_the_first(trial):
    trial.bring("question_1")
    done = trial.tasks("question_2", "--annotators", f"{ANN},{BEN}")
    assert done.returncode == 0, done.stderr
    tasks = trial.written("question_2")
    # 90016 was found to lack content, so nobody adds to it.
    assert screens_of(tasks) == ["90004", "90005", "90006", "90013"]
    assert {task["data"]["assignee"] for task in tasks} == {BEN}
    assert tasks[1]["data"]["previous_questions_text"] == (
        "1. What is the title of screen 90005?\n2. Which button is at the bottom of 90005?"
    )


def test_each_question_gets_different_people_none_of_whom_composed_it(trial):
    trial.bring("question_1", "question_2")
    done = trial.tasks("answer", "--annotators", PEOPLE)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in trial.out.iterdir()) == [
        *("answer.xml", "answer_A.json", "answer_B.json", "answer_C.json"),
    ]
    people = {}
    for slot in "ABC":
        for task in trial.written(f"answer_{slot}"):
            data = task["data"]
            assert data["slot"] == slot
            assert data["split"] in ("validation", "test")
            assert data["assignee"] not in data["composers"]
            people.setdefault(data["question_id"], []).append(data["assignee"])
    assert len(people) == 9
    assert all(len(set(who)) == 3 for who in people.values())


def test_an_answer_that_is_there_is_not_asked_for_again(trial):
    trial.bring("question_1", "question_2", "answer_A")
    done = trial.tasks("answer")
    assert done.returncode == 0, done.stderr
    by_slot = {slot: len(trial.written(f"answer_{slot}")) for slot in "ABC"}
    assert by_slot == {"A": 9 - 4, "B": 9, "C": 9}


def test_the_splits_are_those_of_a_build(trial, run):
    trial.bring("question_1", "question_2", "answer_A")
    trial.manifest.write_text(MANIFEST + "    rejects: {overall: 1.0}\n")
    assert trial.tasks("answer").returncode == 0
    built = trial.folder / "built"
    done = run("build", "trial", "--manifest", trial.manifest, "--data", trial.data, "--out", built)
    assert done.returncode == 0, done.stderr
    theirs = {
        screen_id: path.stem
        for path in (built / "splits").glob("*.txt")
        for screen_id in path.read_text().split()
    }
    ours = {task["data"]["screen_id"]: task["data"]["split"] for task in trial.written("answer_B")}
    assert theirs
    assert theirs == {screen_id: ours[screen_id] for screen_id in theirs}


def test_the_third_pass_says_what_share_it_reaches(trial):
    trial.bring("question_1", "question_2")
    done = trial.tasks("question_3_na")
    assert done.returncode == 0, done.stderr
    assert "of 6 questions found without an answer" in done.stdout
    assert len(trial.written("question_3_na")) == 2


def test_reviews_start_from_the_work_of_somebody_else(trial):
    trial.bring("element")
    done = trial.tasks("element_review", "--annotators", f"{ANN},{CEM}")
    assert done.returncode == 0, done.stderr
    tasks = trial.written("element_review")
    assert screens_of(tasks) == ["90004", "90005"]
    for task in tasks:
        assert (task["data"]["author"], task["data"]["assignee"]) == (ANN, CEM)
        (prediction,) = task["predictions"]
        assert prediction["model_version"] == f"pass1:{task['data']['target_event_id']}"
    trial.bring("element_review")
    trial.out = trial.folder / "later"
    done = trial.tasks("element_review")
    assert done.returncode == 0, done.stderr
    assert "element_review has nothing left to do; nothing was written" in done.stdout
    assert not trial.out.exists()


def test_a_screen_review_shows_questions_with_their_answers(trial):
    trial.bring("question_1", "answer_A")
    done = trial.tasks("screen_review", "--limit", 2)
    assert done.returncode == 0, done.stderr
    (first, _) = trial.written("screen_review")
    assert first["data"]["labels_text"].splitlines() == [
        "1. What is the title of screen 90004?",
        "   – The screen is called Breakfast, at 13:23.",
    ]


def test_user_names_become_pseudonyms_in_files_and_are_printed_once(trial):
    people = trial.folder / "people.txt"
    people.write_text("ann@example.org\n# on leave: dia@example.org\nBen@example.org\n")
    flags = ["--limit", 4, "--annotators", people, "--by-annotator"]
    done = trial.tasks("element", *flags)
    assert done.returncode == 2
    assert "user names need the salt" in done.stderr
    done = trial.tasks("element", *flags, "--salt-env", "SALT", SALT=SALT)
    assert done.returncode == 0, done.stderr
    names = sorted(path.name for path in trial.out.iterdir())
    assert names == ["element.xml", f"element_{ANN}.json", f"element_{BEN}.json"]
    assert f"{BEN} Ben@example.org      2" in done.stdout
    assert not any("@" in path.read_text() for path in trial.out.iterdir())


def test_pictures_may_lie_on_a_server(trial):
    done = trial.tasks("element", "--limit", 1, "--image-url", "https://img.example/")
    assert done.returncode == 0, done.stderr
    (task,) = trial.written("element")
    assert task["data"]["image"] == "https://img.example/rico/combined/90004.jpg"


@pytest.mark.parametrize(
    ("pass_", "flags", "sentence"),
    [
        ("training", [], "PASS: training is none of prefilter"),
        ("question_2", ["--annotators", ANN], "needs an annotator for question_2"),
        ("answer", ["--annotators", f"{ANN},{BEN}"], "more annotators who"),
        ("answer", ["--by-annotator"], "--by-annotator: needs --annotators"),
        ("answer", ["--annotators", f"{ANN},{ANN}"], "somebody is named twice"),
        ("answer", ["--annotators", "ann@example.org"], "user names need the salt"),
    ],
)
def test_a_mistake_is_one_sentence_and_makes_no_folder(trial, pass_, flags, sentence):
    trial.bring("question_1")
    done = trial.tasks(pass_, *flags)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not trial.out.exists()
    assert not list(trial.folder.glob(".out*"))


def test_a_folder_with_other_files_is_left_alone(trial):
    trial.out.mkdir()
    (trial.out / "notes.txt").write_text("mine")
    done = trial.tasks("element", "--limit", 1)
    assert done.returncode == 2
    assert "holds other files" in done.stderr
    assert [path.name for path in trial.out.iterdir()] == ["notes.txt"]


def test_a_data_set_of_released_files_has_no_campaign(run, tmp_path, root, sample):
    done = run(
        "tasks", "answer", "complexqa", "--manifest", root / "pipelines/manifests/demo.yaml",
        "--data", sample, "--out", tmp_path / "out",
    )  # fmt: skip
    assert done.returncode == 2
    assert "complexqa has no events among its sources" in done.stderr
