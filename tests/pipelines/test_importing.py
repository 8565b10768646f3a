"""`screenset import` as a user runs it, on exports of a real Label Studio."""

import json
import pathlib

import pytest

from pipelines.importing import rejects_path

EXPORTS = pathlib.Path(__file__).parents[1] / "fixtures" / "label_studio"
PASSES = (
    *("prefilter", "question_1", "question_2", "question_3_na", "answer_A"),
    *("element", "element_review", "screen_review"),
)
# That of the trial in which the exports were made; its people are invented.
SALT = "5652911e159d113cab3eb69beb264a103afd0c04b417732d370df2fe7fafa355"
ANN, BEN, CEM = "a_357a621877b6", "a_6256a55046f3", "a_a9258af33334"


@pytest.fixture
def bring(run, tmp_path):
    """Returns a function that imports exports of the trial and reads what came out."""

    def import_them(*names, out="events.jsonl", **environment):
        paths = [EXPORTS / f"{name}.json" for name in names]
        done = run(
            "import", *paths, "--out", tmp_path / out, "--salt-env", "SALT",
            **{"SALT": SALT, **environment},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        rejects = lines(pathlib.Path(rejects_path(str(tmp_path / out))))
        return done, lines(tmp_path / out), rejects

    return import_them


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def cells(output, first):
    """Returns the cells of the table row that begins so."""
    return next(line.split() for line in output.splitlines() if line.startswith(first))


def test_an_answer_given_in_the_browser_is_what_was_clicked_and_typed(bring):
    _, events, _ = bring("answer_A")
    (event,) = [event for event in events if event["annotator_id"] == CEM]
    assert event["answer"] == {
        "state": "answerable",
        "full_answer": "The screen is called Breakfast, at 13:23.",
        "question_correction": None,
        "elements": [
            {
                "rank": 1,
                "text": "aisle 7",
                "bounds": [270, 54, 388, 86],
                "vh_index": -1,
                "region_id": "HebIPWFdRs",
                "origin": "drawn",
            },
            {
                "rank": 2,
                "text": "Breakfast",
                "bounds": [87, 54, 201, 87],
                "vh_index": 7,
                "region_id": "vh_7",
                "origin": "vh",
            },
        ],
    }
    assert event["flags"] == []
    assert (event["image_width"], event["image_height"]) == (540, 960)
    assert event["question_id"].startswith("90004:question_1:0:")
    assert event["source"]["file"] == "answer_A.json"


def test_the_table_counts_every_annotation_once(bring):
    done, events, rejects = bring("answer_A", "question_1")
    assert cells(done.stdout, "answer_A.json") == ["answer_A.json", "7", "4", "1", "1", "1"]
    assert cells(done.stdout, "question_1.json") == ["question_1.json", "8", "5", "1", "1", "1"]
    assert cells(done.stdout, "all") == ["all", "15", "9", "2", "2", "2"]
    assert cells(done.stdout, "composer_answered_own_question")[1] == "1"
    assert [reject["reason"] for reject in rejects] == [
        "composer_answered_own_question",
        "ambiguous_status",
    ]
    statuses = [event["status"] for event in events]
    assert statuses.count("submitted") == 4 + 7  # Two annotations hold two questions each.
    assert all(e["answer"] is None for e in events if e["status"] != "submitted")


def test_every_pass_of_the_trial_comes_in(bring):
    _, events, _ = bring(*PASSES)
    submitted = [event for event in events if event["status"] == "submitted"]
    counts = {}
    for event in submitted:
        counts[event["pass"]] = counts.get(event["pass"], 0) + 1
    assert counts == {
        "prefilter": 3,
        "question_1": 7,
        "question_2": 5,
        "question_3_na": 2,
        "answer": 4,
        "element": 2,
        "element_review": 3,
        "screen_review": 5,
    }
    fixed = next(e["review"] for e in submitted if e["review"] and e["annotator_id"] == BEN
                 and e["review"]["verdict"] == "fixed")  # fmt: skip
    assert fixed["reasons"] == ["wrong_label", "wrong_box"]
    assert [element["label"] for element in fixed["elements"]][-1] == "Button"
    targets = {event["event_id"] for event in submitted if event["pass"] == "element"}
    assert fixed["target_event_id"] in targets
    (skip,) = [e for e in submitted if e["question"] and e["question"]["skipped_screen"]]
    assert (skip["pass"], skip["annotator_id"]) == ("question_1", ANN)


def test_short_answers_judged_in_the_browser_are_what_was_ticked(bring):
    done, events, rejects = bring("verify_short_answers")
    hostile, right, skipped = events
    review = hostile["short_answers"]
    assert review["verdict"] == "fixed"
    assert review["rejected"] == ["$24.90", "$question", "two\nlines"]
    assert len(review["shown"]["short_answers"]) == 10
    assert (right["short_answers"]["verdict"], right["short_answers"]["rejected"]) == (
        *("accepted", []),
    )
    assert right["question_id"] == "90004:3341ca913279"
    assert (skipped["status"], skipped["short_answers"]) == ("cancelled", None)
    assert [reject["reason"] for reject in rejects] == ["ambiguous_status", "missing_status"]
    assert "short answers by rules 1, verified on 1 of 9 questions by 1 person:" in done.stdout
    assert "short answers by rules rules-1, verified on 1 of 27 questions" in done.stdout
    assert "numbers: 3 of 10 (30.0% [" in done.stdout
    assert "3 short answers of 1 question rejected" in done.stdout


def test_no_address_of_the_people_comes_through_and_others_stay(bring):
    done, events, rejects = bring(*PASSES)
    written = json.dumps(events) + json.dumps(rejects) + done.stdout + done.stderr
    assert "example.org" not in written.lower()
    (note,) = [e["prefilter"]["note"] for e in events if e["prefilter"] and e["prefilter"]["note"]]
    assert note == ("Ask <address> or <address> about the menu; the shop says help@shop.example")


def test_an_address_is_known_before_the_export_that_mentions_it_is_read(run, tmp_path):
    tasks = json.loads((EXPORTS / "prefilter.json").read_text())
    for task in tasks:  # Only the later export says that ben is one of the people.
        task["annotations"] = [
            a for a in task["annotations"] if a["completed_by"]["email"] != "ben@example.org"
        ]
    (tmp_path / "first.json").write_text(json.dumps(tasks))
    done = run(
        "import", tmp_path / "first.json", EXPORTS / "question_2.json",
        "--out", tmp_path / "e.jsonl", "--salt-env", "SALT", SALT=SALT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "ben@example" not in (tmp_path / "e.jsonl").read_text().lower()


def test_the_salt_makes_the_pseudonyms_and_is_nowhere(bring, run, tmp_path):
    done, events, rejects = bring("answer_A")
    salt_file = tmp_path / "salt.txt"
    salt_file.write_text(SALT + "\n")
    again = run(
        "import", EXPORTS / "answer_A.json", "--out", tmp_path / "again.jsonl",
        "--salt-file", salt_file,
    )  # fmt: skip
    assert again.returncode == 0
    assert lines(tmp_path / "again.jsonl") == events
    assert SALT not in done.stdout + done.stderr + json.dumps(events) + json.dumps(rejects)
    _, others, _ = bring("answer_A", out="other.jsonl", SALT="another salt of the right length")
    theirs = {event["annotator_id"] for event in others}
    assert not theirs & {event["annotator_id"] for event in events}


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--salt-env", "NOT_THERE"], "no environment variable of that name"),
        (["--salt-env", "SHORT"], "fewer than 16 characters"),
        (["--salt-file", "hunter2-typed-in-place"], "the file cannot be read as text"),
        (["--salt", "hunter2-typed-in-place"], "the salt is a secret and no flag takes it"),
        (["--salt=hunter2-typed-in-place"], "the salt is a secret and no flag takes it"),
        ([], "one of the arguments --salt-env --salt-file is required"),
        (["--salt-env", "SALT", "--pass", "anwser"], "--pass: anwser is none of prefilter"),
        (["--salt-env", "SALT", "--instance", "a@example.org"], "without an address"),
        (["--salt-env", "SALT", "--user-map", "nowhere.csv"], "the user map cannot be read"),
        (["--salt-env", "SALT", "--sizes", "nowhere.csv"], "--sizes: cannot read nowhere.csv"),
    ],
)
def test_a_mistake_is_one_sentence_that_repeats_no_secret(run, tmp_path, flags, sentence):
    done = run(
        "import", EXPORTS / "answer_A.json", "--out", tmp_path / "out" / "e.jsonl", *flags,
        SALT=SALT, SHORT="hunter2",
    )  # fmt: skip
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "hunter2" not in done.stderr
    assert not (tmp_path / "out").exists()


def easy(tasks):
    """Returns the tasks as the easy export writes them: people are ids."""
    for task in tasks:
        for annotation in task["annotations"]:
            annotation["completed_by"] = annotation["completed_by"]["id"]
    return tasks


def test_ids_need_the_user_map(run, tmp_path):
    export = tmp_path / "easy.json"
    export.write_text(json.dumps(easy(json.loads((EXPORTS / "answer_A.json").read_text()))))
    flags = ["--salt-env", "SALT", "--out", tmp_path / "e.jsonl"]
    done = run("import", export, *flags, SALT=SALT)
    assert done.returncode == 2
    assert "--user-map" in done.stderr
    people = tmp_path / "users.csv"
    people.write_text("id,email\n2,ann@example.org\n3,ben@example.org\n4,cem@example.org\n")
    done = run("import", export, *flags, "--user-map", people, SALT=SALT)
    assert done.returncode == 0, done.stderr
    kept = {e["annotator_id"] for e in lines(tmp_path / "e.jsonl") if e["status"] == "submitted"}
    assert kept == {BEN, CEM}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('[{"id": 1, "annotation_id": 3, "screen_id": 1}]', "JSON_MIN"),
        ('{"images": [], "annotations": []}', "COCO"),
        ("id,annotator\n1,2\n", "CSV"),
        ('[{"data": {"screen_id": "1"}, "annotations": []}, {bad', "item 1"),
    ],
)
def test_other_exports_are_refused_and_leave_nothing_behind(run, tmp_path, content, sentence):
    export = tmp_path / "export.json"
    export.write_text(content)
    done = run(
        "import", EXPORTS / "question_2.json", export, "--out", tmp_path / "e.jsonl",
        "--salt-env", "SALT", SALT=SALT,
    )  # fmt: skip
    assert done.returncode == 2
    assert sentence in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["export.json"]


def test_files_that_are_there_stay_unless_fresh(run, tmp_path):
    out = tmp_path / "e.jsonl"
    flags = ["--out", out, "--salt-env", "SALT"]
    out.with_suffix(".rejects.jsonl").write_text("mine")
    done = run("import", EXPORTS / "question_2.json", *flags, SALT=SALT)
    assert done.returncode == 2
    assert "e.rejects.jsonl is there already; add --fresh" in done.stderr
    assert not out.exists()
    done = run("import", EXPORTS / "question_2.json", *flags, "--fresh", SALT=SALT)
    assert done.returncode == 0, done.stderr
    assert len(lines(out)) == 5
    assert out.with_suffix(".rejects.jsonl").read_text() == ""


def test_the_file_of_events_must_be_named_as_one(run, tmp_path):
    done = run(
        "import", EXPORTS / "question_2.json", "--out", tmp_path / "e.json", "--salt-env", "SALT",
        SALT=SALT,
    )  # fmt: skip
    assert done.returncode == 2
    assert "must end with .jsonl" in done.stderr


def test_sizes_of_pictures_go_before_what_boxes_say(run, tmp_path):
    sizes = tmp_path / "sizes.csv"
    sizes.write_text("screen_id,width,height\n090004,960,540\n")
    flags = ["--out", tmp_path / "e.jsonl", "--salt-env", "SALT", "--sizes", sizes]
    done = run("import", EXPORTS / "answer_A.json", *flags, SALT=SALT)
    assert done.returncode == 0, done.stderr
    assert cells(done.stdout, "image_size_mismatch")[1] == "1"
    sizes.write_text("screen_id,width,height\n90004,0,540\n")
    done = run("import", EXPORTS / "answer_A.json", *flags, "--fresh", SALT=SALT)
    assert done.returncode == 2
    assert "sizes.csv:2: needs screen_id, width and height" in done.stderr
