"""Data sets of screens, built from the drawn sample's RICO folder as a user builds them."""

import csv
import hashlib
import importlib.util
import json
import os
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from schemas.columns import arrow_schema
from schemas.screens import ScreenRow
from transforms.screens.hierarchies import parse_hierarchy, walk

SPLITS = ("train", "validation", "test")
DUTCH = ["90158", "90160"]
UNSYNCED = ["90051", "90086", "90088"]
"""Screens in English that the automatic prefilter finds out of sync; 90160 is so as well."""
BLOCKED = "90004"

HEAD = """\
version: 1
{top}
sources:
  screens: {{kind: rico_combined, path: rico/combined, licence: Apache-2.0}}
  details: {{kind: rico_ui_details, path: rico/ui_details.csv, licence: Apache-2.0}}
  categories: {{kind: rico_app_details, path: rico/app_details.csv, licence: Apache-2.0}}
  events: {{kind: annotation_events, path: annotations, licence: Apache-2.0}}
  clay: {{kind: clay_labels, path: clay.csv, licence: none stated, optional: true}}
  sca: {{kind: screen_list, path: sca.txt, licence: none stated, optional: true}}
datasets:
  looks:
    recipe: {recipe}
    version: 1.0.0
    sources: {{screens: screens, apps: details, app_details: categories{sources}}}
    splits: {{by: app, seed: demo, shares: {{train: 0.6, validation: 0.2, test: 0.2}}}}
    rejects: {{overall: 0.9}}
"""
BLOCK_ONE = f'blocked: {{screens: ["0{BLOCKED}", 12, 9], apps: com.nobody}}'
REMOVE = "    prefilter: {language: remove, hierarchy_sync: remove}\n"


def manifest_of(folder, more="", *, top="", sources="", recipe="screens"):
    path = folder / "manifest.yaml"
    path.write_text(HEAD.format(top=top, sources=sources, recipe=recipe) + more)
    return path


@pytest.fixture(scope="module")
def build(run, sample, tmp_path_factory):
    """Returns a function that builds `looks` into a new folder, its manifest changed as said."""

    def build_looks(more="", *flags, data=sample, env=None, **changes):
        folder = tmp_path_factory.mktemp("screens")
        manifest = manifest_of(folder, more, **changes)
        done = run(
            "build", "looks", "--manifest", manifest, "--data", data, "--out", folder / "out",
            *(flags or ("--workers", "1")), **(env or {}),
        )  # fmt: skip
        return done, folder / "out"

    return build_looks


@pytest.fixture(scope="module")
def done_and_built(build):
    done, out = build(top=BLOCK_ONE)
    assert done.returncode == 0, done.stderr
    return done, out


@pytest.fixture(scope="module")
def built(done_and_built):
    return done_and_built[1]


@pytest.fixture(scope="module")
def removing(build):
    done, out = build(REMOVE)
    assert done.returncode == 0, done.stderr
    return out


def summary(folder):
    return json.loads((folder / "BUILD.json").read_text())


def rows(folder):
    return [
        row
        for path in sorted((folder / "looks").glob("*.parquet"))
        for row in pq.read_table(path).to_pylist()
    ]


def rejects(folder, kind="screen"):
    lines = (folder / "rejects" / f"{kind}.jsonl").read_text().splitlines()
    return {reject["id"]: reject for reject in map(json.loads, lines)}


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def contents(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def all_ids(sample):
    return {path.stem for path in (sample / "rico" / "combined").glob("9*.jpg")}


def check_books(folder):
    for kind, book in summary(folder)["records"].items():
        fates = {fate: count for fate, count in book.items() if fate != "read"}
        assert sum(fates.values()) == book["read"], kind


# What is in a finished folder


def test_a_row_is_a_kept_screen_and_every_other_one_a_reject(built, sample):
    found = rows(built)
    kept = [row["screen_id"] for row in found]
    assert len(kept) == len(set(kept)) == summary(built)["records"]["screen"]["kept"] == 43
    assert set(kept) | set(rejects(built)) == all_ids(sample)
    assert not set(kept) & set(rejects(built))
    assert {row["origin"] for row in found} == {"captured"}
    check_books(built)


def test_nobody_has_to_have_asked_about_a_screen(built, sample):
    asked = set()
    for path in (sample / "screenqa" / "answers_and_bboxes").glob("*.json"):
        asked |= {str(record["image_id"]) for record in json.loads(path.read_text())}
    assert {row["screen_id"] for row in rows(built)} - asked


def test_the_folder_holds_what_it_should_and_nothing_else(built):
    said = summary(built)
    expected = {"BUILD.json", "README.md", "stats.json", "prefilter.tsv", "duplicates.json"}
    expected |= {shard["path"] for shard in said["shards"]}
    expected |= {f"splits/{split}.{suffix}" for split in SPLITS for suffix in ("txt", "tsv")}
    expected |= {f"rejects/{kind}.jsonl" for kind in said["rejects"]}
    assert set(contents(built)) == expected
    assert {shard["configuration"] for shard in said["shards"]} == {"looks"}
    for path in (built / "looks").glob("*.parquet"):
        assert pq.read_schema(path).equals(arrow_schema(ScreenRow))


def test_the_hub_library_loads_it(built, tmp_path):
    code = """
import sys, datasets
loaded = datasets.load_dataset(sys.argv[1], "looks")
assert set(loaded) == {"train", "validation", "test"}, loaded
row = loaded["train"][0]
assert row["image"].size == (row["width"], row["height"])
assert row["language"] == "english", row["language"]
print(sum(split.num_rows for split in loaded.values()))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, built],
        env={**os.environ, "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == 43


def test_the_table_of_the_prefilter_is_in_step_with_rows_and_report(built):
    entries = {entry["screen_id"]: entry for entry in table(built / "prefilter.tsv")}
    assert list(entries) == sorted(entries, key=int)
    looked_at = {row["screen_id"] for row in rows(built)} | {"90074"}  # Its app is unknown.
    assert set(entries) == looked_at
    for row in rows(built):
        entry = entries[row["screen_id"]]
        assert (entry["app"], entry["language"]) == (row["app"], row["language"])
        assert entry["hierarchy_sync"] == row["hierarchy_sync"]
        for score in ("language_score", "hierarchy_sync_score"):
            if row[score] is None:
                assert entry[score] == ""
            else:
                assert float(entry[score]) == pytest.approx(row[score], abs=0.0006)
    report = summary(built)["prefilter"]
    assert report["screens"] == len(entries)
    for verdict in ("language", "hierarchy_sync"):
        values = [entry[verdict] for entry in entries.values()]
        assert report[verdict] == {value: values.count(value) for value in sorted(set(values))}
    assert [i for i, e in entries.items() if e["language"] == "not_english"] == DUTCH
    unsynced = [i for i, e in entries.items() if e["hierarchy_sync"] == "out_of_sync"]
    assert unsynced == [*UNSYNCED, "90160"]
    assert report["rated"] == 0


def test_no_text_of_a_screen_is_in_the_tables(built, sample):
    """Of the texts that are no words of the tables' own."""
    tables = (built / "prefilter.tsv").read_text() + (built / "duplicates.json").read_text()
    words = set()
    for path in (sample / "rico" / "combined").glob("9*.json"):
        try:
            root = parse_hierarchy(path.read_bytes()).root
        except Exception:  # noqa: BLE001  Some are broken on purpose.
            continue
        words |= {node["text"] for _, node, _ in walk(root) if " " in (node.get("text") or "")}
    assert len(words) > 100
    assert not [text for text in words if text in tables]


def test_duplicates_are_in_step_with_the_report_and_the_split_files(built):
    told = json.loads((built / "duplicates.json").read_text())
    assert summary(built)["duplicates"] == {
        kind: {name: count for name, count in found.items() if name != "members"}
        for kind, found in told.items()
    }
    entries = {
        entry["screen_id"]: {**entry, "split": split}
        for split in SPLITS
        for entry in table(built / "splits" / f"{split}.tsv")
    }
    ((group,), one, other) = (told["bytes"]["members"], entries["90115"], entries["90116"])
    assert group["screens"] == [[e["screen_id"], e["app"], e["split"]] for e in (one, other)]
    for column in ("sha256", "pixels", "layout_hash", "text_hash"):
        assert one[column] == other[column] != ""
    assert told["pixels"]["members"] == told["near"]["members"] == []
    digests = [entry["pixels"] for entry in entries.values()]
    assert len(set(digests)) == len(digests) - 1


def test_a_build_says_what_it_found(done_and_built):
    done, _ = done_and_built
    assert "language: 41 english, 2 not english, 1 undetermined (44 screens)" in done.stdout
    assert "hierarchy in sync: " in done.stdout
    duplicates = "duplicates: 1 group of 2 screens is the very same file (0 across apps, 0 ac"
    assert duplicates in done.stdout
    assert "questions" not in done.stdout


def test_verdicts_that_are_off_are_null_and_cost_no_table_of_them(build):
    done, out = build("    prefilter: {language: off, hierarchy_sync: off}\n")
    assert done.returncode == 0, done.stderr
    assert {(row["language"], row["hierarchy_sync"]) for row in rows(out)} == {(None, None)}
    report = summary(out)["prefilter"]
    assert (report["language"], report["hierarchy_sync"]) == ({}, {})
    assert "language:" not in done.stdout


# The same bytes


def test_workers_and_hash_seeds_change_no_byte(build):
    names = ", ".join(f"com.nobody.app{number}" for number in range(9))
    top = f"blocked: {{apps: [{names}], screens: [1, 2, 3, {BLOCKED}]}}"
    results = []
    for workers, seed in (("1", "1"), ("2", "2")):
        done, out = build(REMOVE, "--workers", workers, top=top, env={"PYTHONHASHSEED": seed})
        assert done.returncode == 0, done.stderr
        results.append(contents(out))
    assert results[0] == results[1]


# What is blocked


def test_a_blocked_screen_is_visible_in_counts_and_rejects(built):
    reject = rejects(built)[BLOCKED]
    assert (reject["reason"], reject["detail"]) == ("blocked", f"screen {BLOCKED}")
    assert summary(built)["rejects"]["screen"]["blocked"] == 1
    for path in built.rglob("*"):
        if path.is_file() and path.suffix in (".tsv", ".txt"):
            assert BLOCKED not in path.read_text()


def test_a_blocked_app_goes_with_all_of_its_screens(build, sample):
    app = "com.pantryroad.grocer"
    of_app = {r["UI Number"] for r in comma_table(sample) if r["App Package Name"] == app}
    done, out = build(top=f"blocked: {{apps: {app}}}")
    assert done.returncode == 0, done.stderr
    gone = {i: r["detail"] for i, r in rejects(out).items() if r["reason"] == "blocked"}
    assert gone == dict.fromkeys(of_app & all_ids(sample), f"app {app}")
    assert len(gone) == 4
    assert app not in {row["app"] for row in rows(out)}
    assert "note:" not in done.stdout


def comma_table(sample):
    with open(sample / "rico" / "ui_details.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_what_is_blocked_and_in_no_source_is_said(done_and_built):
    """A typo would undo a take-down."""
    done, _ = done_and_built
    notes = [line for line in done.stdout.splitlines() if line.startswith("note:")]
    assert notes == ["note: blocked, but in no source: screen 9, screen 12, app com.nobody"]


# What is removed


def test_screens_found_wanting_go_with_reason_and_evidence(removing, built):
    gone = rejects(removing)
    reasons = {number: gone[number]["reason"] for number in (*DUTCH, *UNSYNCED)}
    assert reasons == dict.fromkeys(DUTCH, "screen_not_english") | dict.fromkeys(
        UNSYNCED, "hierarchy_out_of_sync"
    )
    entries = {entry["screen_id"]: entry for entry in table(removing / "prefilter.tsv")}
    for number in DUTCH:
        evidence = entries[number]["language_evidence"]
        assert evidence.startswith("by the app: fastText ")
        assert gone[number]["detail"].endswith(f": {evidence}")
    for number in UNSYNCED:
        assert gone[number]["detail"].endswith(f": {entries[number]['hierarchy_sync_evidence']}")
    # What is removed is all that differs from a build that only reports.
    kept = {row["screen_id"] for row in rows(built)} | {BLOCKED}
    assert {row["screen_id"] for row in rows(removing)} == kept - {*DUTCH, *UNSYNCED}
    check_books(removing)


def test_one_verdict_may_remove_and_the_other_report(build):
    done, out = build("    prefilter: {language: remove}\n")
    assert done.returncode == 0, done.stderr
    reasons = [reject["reason"] for reject in rejects(out).values()]
    assert (reasons.count("screen_not_english"), reasons.count("hierarchy_out_of_sync")) == (2, 0)


def test_thresholds_move_the_verdicts(build, removing):
    policy = "{hierarchy_sync: remove, in_sync_from: 0.1, out_of_sync_below: 0.06}"
    done, out = build(f"    prefilter: {policy}\n")
    assert done.returncode == 0, done.stderr
    gone = {i for i, r in rejects(out).items() if r["reason"] == "hierarchy_out_of_sync"}
    assert gone == {"90088"}
    assert gone < set(UNSYNCED)


def test_raters_win_both_ways(build, removing):
    done, out = build(REMOVE, sources=", events: events")
    assert done.returncode == 0, done.stderr
    entries = {entry["screen_id"]: entry for entry in table(out / "prefilter.tsv")}
    gone = rejects(out)
    # A rater found this one in sync; nobody's verdict removes it any more.
    assert entries["90088"]["hierarchy_sync"] == "out_of_sync"
    assert entries["90088"]["rated_out_of_sync"] == "no"
    assert "90088" in rejects(removing)
    assert "90088" in {row["screen_id"] for row in rows(out)}
    assert gone["90160"]["reason"] == "prefiltered_screen"
    assert gone["90160"]["detail"] == "non_english and out_of_sync"
    assert gone["90031"]["reason"] == "screen_pii"
    assert not [r for r in gone.values() if r["reason"].startswith(("screen_not", "hierarchy"))]
    found = summary(out)["prefilter"]["disagreements"]["raters_and_hierarchy_sync"]
    assert (found["differing"], found["examples"]) == (1, ["90088"])
    assert "disagree on 1 of " in done.stdout
    check_books(out)


def test_a_rating_that_says_foreign_removes_an_english_screen(build, sample, tmp_path):
    events = tmp_path / "events.jsonl"
    lines = (sample / "annotations").glob("*.jsonl")
    found = [json.loads(line) for path in lines for line in path.read_text().splitlines()]
    (rating,) = (
        e for e in found
        if e["pass"] == "prefilter" and e["screen_id"] == "90005" and e["status"] == "submitted"
    )  # fmt: skip
    rating["prefilter"]["language"] = "non_english"
    events.write_text(json.dumps(rating) + "\n")
    done, out = build(
        "", "--source", f"events={events}", "--workers", "1", sources=", events: events"
    )
    assert done.returncode == 0, done.stderr
    assert rejects(out)["90005"]["reason"] == "prefiltered_screen"
    assert summary(out)["records"]["annotation_event"]["kept"] == 1


# Side evidence


@pytest.fixture
def with_evidence(sample, tmp_path):
    """Returns a data folder in which CLAY has labelled away most leaves of a doubtful screen."""
    data = tmp_path / "data"
    data.mkdir()
    for name in ("rico", "annotations"):
        (data / name).symlink_to(sample / name)
    root = parse_hierarchy((sample / "rico" / "combined" / "90049.json").read_bytes()).root
    pointers = [node["pointer"] for _, node, _ in walk(root) if node.get("text")]
    labels = [f"90049,{pointer},0" for pointer in pointers[: len(pointers) // 2]]
    text = "\n".join(["screen_id,node_id,label", *labels, "90064,x,3", "8,y,0", "90066,z,no"])
    (data / "clay.csv").write_text(text + "\n")
    (data / "sca.txt").write_text("90064.json\n90064.json\n90051.json\n")
    return data


EVIDENCE = ", sync_evidence: [clay, sca]"


def test_what_others_found_decides_where_it_is_doubtful(build, with_evidence, removing):
    before = {entry["screen_id"]: entry for entry in table(removing / "prefilter.tsv")}
    done, out = build(REMOVE, data=with_evidence, sources=EVIDENCE)
    assert done.returncode == 0, done.stderr
    after = {entry["screen_id"]: entry for entry in table(out / "prefilter.tsv")}
    verdicts = {i: (before[i]["hierarchy_sync"], after[i]["hierarchy_sync"]) for i in before}
    assert {i: both for i, both in verdicts.items() if both[0] != both[1]} == {
        "90049": ("undetermined", "out_of_sync"),
        "90064": ("undetermined", "in_sync"),
    }
    assert "leaves show nothing" in rejects(out)["90049"]["detail"]
    assert after["90064"]["hierarchy_sync_evidence"].endswith("sca lists it as in sync")
    # 90051 is listed as well, and is clearly out of sync.
    assert rejects(out)["90051"]["reason"] == "hierarchy_out_of_sync"
    book = summary(out)["records"]["sync_evidence"]
    assert (book["read"], book["kept"], book["orphaned"], book["rejected"]) == (6, 4, 1, 1)
    check_books(out)


# Questions about removed screens


def test_released_questions_about_a_removed_screen_go_with_it(run, demo_manifest, sample, tmp_path):
    text = demo_manifest.read_text()
    head, name, tail = text.partition("  screenqa_released:\n")
    manifest = tmp_path / "manifest.yaml"
    tail = tail.replace("rejects: {overall: 0.3}", "rejects: {overall: 0.9}", 1)
    manifest.write_text(head + name + REMOVE + tail)
    out = tmp_path / "out"
    done = run(
        "build", "screenqa_released", "--manifest", manifest, "--data", sample, "--out", out,
        "--workers", "1",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    gone = {i for i, r in rejects(out).items() if r["step"] == "drop_refused"}
    assert gone
    assert gone <= {*DUTCH, *UNSYNCED}
    answers = rejects(out, "answers")
    about = [r for r in answers.values() if r["step"] == "drop_refused"]
    assert {r["id"].partition(":")[0] for r in about} == gone
    reasons = {r["reason"] for r in about}
    assert reasons <= {"screen_not_english", "hierarchy_out_of_sync"}
    for path in (out / "screenqa_released").glob("*.parquet"):
        assert not gone & set(pq.read_table(path)["screen_id"].to_pylist())
    check_books(out)


# Before anything is built


def plan(run, manifest, data):
    return run("plan", "looks", "--manifest", manifest, "--data", data)


def test_a_plan_says_what_would_be_done(run, sample, tmp_path):
    more = "    prefilter: {language: remove, hierarchy_sync: report}\n"
    done = plan(run, manifest_of(tmp_path, more), sample)
    assert done.returncode == 0, done.stderr
    assert "48 screens" in done.stdout
    assert "language: screens found wanting are removed" in done.stdout
    assert "hierarchy in sync: screens found wanting are reported and kept" in done.stdout
    assert "split by app" in done.stdout
    assert "question" not in done.stdout
    off = "    prefilter: {language: off, hierarchy_sync: off}\n"
    assert "found wanting" not in plan(run, manifest_of(tmp_path, off), sample).stdout


def test_a_plan_without_pictures_says_nothing_of_the_prefilter(run, demo_manifest, sample):
    done = run("plan", "complexqa", "--manifest", demo_manifest, "--data", sample)
    assert done.returncode == 0, done.stderr
    assert "images none" in done.stdout
    assert "found wanting" not in done.stdout


def test_without_a_screen_there_is_nothing_to_plan_or_build(run, build, tmp_path):
    combined = tmp_path / "rico" / "combined"
    combined.mkdir(parents=True)
    (tmp_path / "rico" / "app_details.csv").write_text("App Package Name,Category\n")
    (tmp_path / "rico" / "ui_details.csv").write_text("UI Number,App Package Name\n")
    done = plan(run, manifest_of(tmp_path), tmp_path)
    assert done.returncode == 2
    assert f"{combined} holds no screens" in done.stdout
    done, _ = build(data=tmp_path)
    assert done.returncode == 2
    assert f"{combined} holds no screens" in done.stderr


def test_screens_without_images_are_refused(build):
    done, out = build("    images: none\n")
    assert done.returncode == 2
    assert "datasets.looks.sources: a data set of screens has its images: inline" in done.stderr
    assert not out.exists()


@pytest.mark.skipif(bool(importlib.util.find_spec("rapidocr")), reason="the extra is installed")
def test_a_missing_extra_is_said_before_any_work(build, run, sample, tmp_path):
    policy = "    prefilter: {hierarchy_sync: remove, ocr: true}\n"
    done, out = build(policy)
    assert done.returncode == 2
    assert "ocr" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not out.exists()
    manifest = manifest_of(tmp_path, policy, sources=", events: events", recipe="screenqa")
    done = tasks(run, manifest, sample, tmp_path / "tasks")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


# Tasks


def tasks(run, manifest, data, out, *flags, pass_="question_1"):
    return run(
        "tasks", pass_, "looks", "--manifest", manifest, "--data", data, "--out", out, *flags
    )


def handed_out(out):
    return [task["data"]["screen_id"] for task in json.loads((out / "question_1.json").read_text())]


@pytest.fixture
def asking(run, tmp_path, sample):
    """Returns a function that writes the first questions' tasks of a campaign without events."""

    def write(more, *, data=sample, top="", sources=""):
        (tmp_path / "no events").mkdir(exist_ok=True)
        sources = f", events: events{sources}"
        manifest = manifest_of(tmp_path, more, top=top, sources=sources, recipe="screenqa")
        out = tmp_path / f"tasks{len(list(tmp_path.iterdir()))}"
        flags = ("--source", f"events={tmp_path / 'no events'}")
        done = tasks(run, manifest, data, out, *flags)
        assert done.returncode == 0, done.stderr
        return handed_out(out), done.stdout

    return write


def test_nobody_gets_a_screen_that_the_prefilter_removes_and_it_says_so(asking, sample):
    everything, said = asking("")
    assert set(everything) < all_ids(sample)  # Some have no usable picture.
    assert set(DUTCH) < set(everything)
    assert "nobody has rated a screen, so all are taken to be fit" in said
    found, said = asking("    prefilter: {language: remove}\n")
    assert found == [number for number in everything if number not in DUTCH]
    note = "note: the automatic prefilter removes 2 of 48 screens, those that were rated aside"
    assert note in said.splitlines()
    assert "nobody has rated" not in said
    found, _ = asking(REMOVE)
    assert found == [number for number in everything if number not in (*DUTCH, *UNSYNCED)]


def test_tasks_know_what_others_found_as_a_build_does(asking, with_evidence):
    found, _ = asking(REMOVE, data=with_evidence, sources=EVIDENCE)
    assert "90049" not in found
    assert "90064" in found
    without, _ = asking(REMOVE)
    assert set(without) - set(found) == {"90049"}


def test_nobody_works_on_what_is_blocked(asking):
    everything, said = asking("")
    assert "blocked" not in said
    top = f"blocked: {{apps: nl.kookpotje.recepten, screens: [{BLOCKED}]}}"
    found, said = asking("", top=top)
    assert found == [number for number in everything if number not in (*DUTCH, BLOCKED)]
    assert "note: 3 screens are blocked" in said.splitlines()


def test_events_on_a_blocked_screen_do_not_count(run, sample, tmp_path):
    top = f"blocked: {{screens: [{BLOCKED}]}}"
    manifest = manifest_of(tmp_path, top=top, sources=", events: events", recipe="screenqa")
    done = tasks(run, manifest, sample, tmp_path / "tasks", pass_="element")
    assert done.returncode == 0, done.stderr
    lines = [
        json.loads(line)["screen_id"]
        for path in (sample / "annotations").glob("*.jsonl")
        for line in path.read_text().splitlines()
    ]
    assert f"note: events that do not count: blocked {lines.count(BLOCKED)}, " in done.stdout


def test_a_rated_screen_is_handed_out_whatever_the_prefilter_finds(run, sample, tmp_path):
    found = [
        line
        for path in sorted((sample / "annotations").glob("*.jsonl"))
        for line in path.read_text().splitlines()
    ]
    events = tmp_path / "events.jsonl"
    rated = {
        json.loads(line)["screen_id"]: line
        for line in found
        if json.loads(line)["pass"] == "prefilter" and json.loads(line)["status"] == "submitted"
    }
    fit = json.loads(rated["90088"])
    assert fit["prefilter"]["vh_sync"] != "out_of_sync"
    events.write_text(rated["90088"] + "\n")
    manifest = manifest_of(tmp_path, REMOVE, sources=", events: events", recipe="screenqa")
    out = tmp_path / "tasks"
    done = tasks(run, manifest, sample, out, "--source", f"events={events}")
    assert done.returncode == 0, done.stderr
    given = handed_out(out)
    assert "90088" in given
    # And what nobody rated need not wait for a rater, where the prefilter decides.
    assert "90005" in given
    assert not {"90051", "90086", *DUTCH} & set(given)
