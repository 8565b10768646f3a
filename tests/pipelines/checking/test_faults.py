"""One fault of each kind in a finished build: found, and named, by the rule that is for it."""

import hashlib
import itertools
import json
import pathlib
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipelines.checking import suites
from pipelines.checking.check import checked
from pipelines.checking.suites import Expected, SuiteRule
from pipelines.finished_builds import open_build
from schemas.checks import CheckOutcome
from schemas.columns import arrow_schema
from schemas.examples import IllustratedQuestionRow
from transforms.identifying import text_digest

TRAIN = "screenqa/train-00000-of-00001.parquet"
TEST = "screenqa/test-00000-of-00001.parquet"
VALIDATION = "screenqa/validation-00000-of-00001.parquet"


def ask(row: dict, question: str) -> None:
    """Gives a row another question, and the id that goes with it."""
    row["question"] = question
    row["question_id"] = f"{row['screen_id']}:{text_digest(question)}"


@pytest.mark.parametrize(
    "name", ["screenqa", "screenqa_official", "screenqa_released", "complexqa"]
)
def test_a_build_that_nobody_touched_passes(copy, name):
    report = copy(name).check()
    assert report.passed, [r for r in report.results if r.findings or r.outcome == "errored"]
    looked = {r.rule for r in report.results if r.outcome is CheckOutcome.PASSED}
    assert {"files_unchanged", "no_nulls", "ids_unique", "row_groups_fit_viewer"} <= looked


SHORT = """\
version: 1
sources:
  screens: {kind: rico_combined, path: rico/combined, licence: Apache-2.0}
  details: {kind: rico_ui_details, path: rico/ui_details.csv, licence: Apache-2.0}
  short:
    kind: screenqa_short_answers
    files:
      train: screenqa/short_answers/train.json
      validation: screenqa/short_answers/validation.json
      test: screenqa/short_answers/test.json
    licence: Apache-2.0
datasets:
  short:
    recipe: screenqa
    version: 1.2.0
    sources: {screens: screens, apps: details, short_answers: short}
    images: inline
    splits: {by: app, seed: demo, shares: {train: 0.6, validation: 0.2, test: 0.2}}
    rejects: {overall: 0.3}
"""


def test_short_answers_beside_their_pictures_have_no_box_to_look_at(run, sample, tmp_path):
    manifest = tmp_path / "manifest.yaml"
    manifest.write_text(SHORT)
    out = tmp_path / "short"
    done = run("build", "short", "--manifest", manifest, "--data", sample, "--out", out,
               "--workers", "1")  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = checked(open_build(str(out)), workers=1)
    assert report.passed, [r for r in report.results if r.findings or r.outcome == "errored"]
    by_rule = {result.rule: result for result in report.results}
    assert by_rule["boxes_inside"].outcome is CheckOutcome.NOT_APPLICABLE
    assert by_rule["no_gaps"].outcome is CheckOutcome.PASSED


# The build's own files.


def test_a_changed_byte(copy):
    build = copy()
    path = build.folder / TEST
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 1
    path.write_bytes(data)
    found = build.found()
    assert TEST in found["files_unchanged"]
    assert "SHA-256" in found["files_unchanged"]


def test_a_changed_report(copy):
    build = copy()
    path = build.folder / "agreement.json"
    path.write_text(path.read_text() + " ")
    assert set(found := build.found()) == {"files_unchanged"}
    assert found["files_unchanged"].startswith("agreement.json: has ")


def test_a_missing_shard(copy):
    build = copy()
    (build.folder / TRAIN).unlink()
    found = build.found()
    assert f"{TRAIN}: is missing" in found["files_unchanged"]
    assert TRAIN in found["shards_readable"]
    assert "51 rows" in found["rows_counted"]
    assert "82" in found["rows_counted"]
    results = {result.rule: result for result in build.check(decode_images=False).results}
    assert results["card_in_step"].outcome is CheckOutcome.NOT_APPLICABLE
    assert results["card_in_step"].note == "a shard is missing or cannot be read"
    assert CheckOutcome.ERRORED not in {result.outcome for result in results.values()}


def test_a_shard_from_another_build(copy, demo_build):
    build = copy()
    shutil.copy(demo_build("screenqa_released") / "screenqa_released" / pathlib.Path(TEST).name,
                build.folder / TEST)  # fmt: skip
    found = build.found()
    assert f"{TEST}: has " in found["files_unchanged"]
    assert "another build" in found["files_unchanged"]
    assert TEST in found["shard_rows_as_built"]


def test_a_shard_of_an_earlier_build_that_was_left(copy):
    build = copy()
    stranger = "screenqa/train-00001-of-00002.parquet"
    shutil.copy(build.folder / TRAIN, build.folder / stranger)
    assert set(found := build.found()) == {"no_strange_files"}
    assert stranger in found["no_strange_files"]


def test_a_linked_folder_and_a_half_written_file_are_strange(copy, tmp_path):
    build = copy()
    (build.folder / "more").symlink_to(tmp_path, target_is_directory=True)
    (build.folder / "screenqa" / ".train.tmp").write_text("half")
    assert set(found := build.found()) == {"no_strange_files"}
    assert "more: is in the folder" in found["no_strange_files"]
    assert "screenqa/.train.tmp: is in the folder" in found["no_strange_files"]


def test_a_shard_that_the_books_forgot(copy):
    build = copy()
    build.change_summary(
        lambda s: s["shards"].remove(next(x for x in s["shards"] if x["path"] == TEST))
    )
    found = build.found()
    assert TEST in found["no_strange_files"]
    assert "splits/test.tsv: lists screen" in found["split_lists_fit"]
    assert "tells of split test" in found["statistics_fit"]


def test_a_number_of_shards_that_lacks_one(copy):
    build = copy()
    renamed = TRAIN.replace("of-00001", "of-00002")
    (build.folder / TRAIN).rename(build.folder / renamed)

    def rename(summary):
        for shard in summary["shards"]:
            shard["path"] = shard["path"].replace(TRAIN, renamed)

    build.change_summary(rename)
    found = build.found()
    assert "train-00001-of-00002.parquet" in found["configurations_complete"]


def test_a_file_that_is_no_parquet(copy):
    build = copy()
    (build.folder / TEST).write_bytes(b"PAR1 not a shard at all PAR1")
    build.patch(TEST)
    found = build.found()
    assert TEST in found["shards_readable"]
    assert "files_unchanged" not in found


def test_an_empty_shard(copy):
    build = copy()
    build.write(TEST, pq.read_schema(build.folder / TEST).empty_table())
    found = build.found()
    assert f"{TEST}: has no row" in found["no_empty_shards"]
    assert "shards_readable" not in found
    outcomes = {result.rule: result.outcome for result in build.check().results}
    assert [rule for rule, outcome in outcomes.items() if outcome is CheckOutcome.ERRORED] == []


def test_an_empty_row_group(copy):
    build = copy()
    table = pq.read_table(build.folder / TEST)
    with pq.ParquetWriter(build.folder / TEST, table.schema, write_page_index=True) as writer:
        writer.write_table(table)
        writer.write_table(table.slice(0, 0))
    build.patch(TEST)
    assert set(found := build.found()) == {"no_empty_shards"}
    assert f"{TEST}: has a row group without rows" in found["no_empty_shards"]


# The schema.


def test_a_missing_column(copy):
    build = copy()
    build.write(TEST, pq.read_table(build.folder / TEST).drop(["category"]))
    found = build.found()
    assert f"{TEST}: column category is missing" in found["schema_declared"]


def test_a_column_of_another_type(copy):
    build = copy()
    table = pq.read_table(build.folder / TEST)
    place = table.schema.get_field_index("width")
    field = table.schema.field(place).with_type(pa.int64())
    build.write(TEST, table.set_column(place, field, table["width"].cast(pa.int64())))
    assert "column width is int64" in build.found()["schema_declared"]


def test_columns_in_another_order(copy):
    build = copy()
    table = pq.read_table(build.folder / TEST)
    build.write(TEST, table.select(list(reversed(table.column_names))))
    assert "another order" in build.found()["schema_declared"]


def test_features_that_would_show_a_picture_as_bytes(copy):
    build = copy()
    build.write(TEST, pq.read_table(build.folder / TEST).replace_schema_metadata({}))
    assert set(found := build.found()) == {"schema_declared"}
    assert "features" in found["schema_declared"]


def test_descriptions_of_columns_by_older_code_may_differ(copy):
    build = copy()
    table = pq.read_table(build.folder / TEST)
    fields = [field.remove_metadata() for field in table.schema]
    build.write(TEST, table.cast(pa.schema(fields, table.schema.metadata)))
    assert build.found() == {}


# The books.


def test_books_that_do_not_balance(copy):
    build = copy()
    build.change_summary(lambda s: s["records"]["answer"].update(kept=185))
    assert set(found := build.found()) == {"records_balanced"}
    assert "198 answer records were read, 197 have a fate" in found["records_balanced"]


def test_a_reject_that_is_counted_without_a_reason(copy):
    build = copy()
    build.change_summary(lambda s: s["rejects"]["answer"].update(all_invalid=3))
    found = build.found()
    assert "6 answer records were rejected, 5 for a reason" in found["records_balanced"]
    assert "rejects/answer.jsonl: lists 4 of all_invalid" in found["rejects_listed"]


def test_a_lost_line_of_rejects(copy):
    build = copy()
    build.rewrite("rejects/screen.jsonl", lambda text: text.partition("\n")[2])
    assert set(found := build.found()) == {"rejects_listed"}
    assert "rejects/screen.jsonl: lists 0 of app_unknown" in found["rejects_listed"]


def test_a_line_of_rejects_that_is_no_json(copy):
    build = copy()
    build.rewrite("rejects/screen.jsonl", lambda text: "{" + text)
    report = build.check()
    result = next(r for r in report.results if r.rule == "rejects_listed")
    assert result.outcome is CheckOutcome.ERRORED
    assert "line 1" in result.note
    assert not report.passed


def test_statistics_of_something_else(copy):
    build = copy()

    def change(text):
        statistics = json.loads(text)
        statistics["train"]["questions"] += 1
        return json.dumps(statistics)

    build.rewrite("stats.json", change)
    assert set(found := build.found()) == {"statistics_fit"}
    assert "says 32 questions in train, its shards have 31" in found["statistics_fit"]


@pytest.mark.parametrize(
    ("split", "name", "told"),
    [
        ("all", "questions_with_no_answer", "questions_with_no_answer in all, its shards have"),
        ("test", "answers", "answers in test, its shards have"),
        ("train", "apps", "apps in train, its shards have"),
        ("all", ("questions_by_topic", "Distance"), "questions_by_topic of all come to 83"),
        ("all", ("questions_by_type", "new"), "questions_by_type of all come to 83"),
        ("all", ("questions_per_screen", "1"), "questions_per_screen of all come to 83"),
    ],
)
def test_a_count_of_statistics_that_the_shards_do_not_come_to(copy, split, name, told):
    build = copy()

    def change(text):
        statistics = json.loads(text)
        counts = statistics[split]
        if isinstance(name, tuple):
            counts = counts[name[0]]
        key = name[-1] if isinstance(name, tuple) else name
        counts[key] = counts.get(key, 0) + 1
        return json.dumps(statistics)

    build.rewrite("stats.json", change)
    assert set(found := build.found(decode_images=False)) == {"statistics_fit"}
    assert told in found["statistics_fit"]


def test_rows_that_were_lost_though_all_shards_say_so(copy):
    build = copy()
    build.change_rows(TRAIN, lambda rows: rows.pop())
    found = build.found()
    assert "82 of kind question; 81 questions" in found["kept_records_written"]
    assert "its shards have 30" in found["statistics_fit"]


def test_a_screen_that_a_split_list_lacks(copy):
    build = copy()
    lost = (build.folder / "splits/test.tsv").read_text().splitlines()[1].partition("\t")[0]
    build.rewrite("splits/test.tsv", lambda text: "".join(
        line for line in text.splitlines(keepends=True) if not line.startswith(f"{lost}\t")
    ))  # fmt: skip
    assert set(found := build.found()) == {"split_lists_fit"}
    assert f"splits/test.tsv: lacks screen {lost}" in found["split_lists_fit"]


def test_counts_that_the_manifest_does_not_expect(copy):
    build = copy()
    build.change_summary(lambda s: s["checks"].update(expected_rows={"train": 31, "test": 24}))
    assert set(found := build.found()) == {"rows_expected"}
    assert "test: has 25 rows, the manifest expects 24" in found["rows_expected"]
    build.change_summary(lambda s: s.update(limit=40))
    assert build.found() == {}


# Values.


def test_a_split_that_is_misspelled(copy):
    build = copy()
    build.change_rows(TRAIN, lambda rows: rows[3].update(split="tset"))
    assert set(found := build.found()) == {"split_fits", "values_listed"}
    assert f"{TRAIN}: row 3 (" in found["split_fits"]
    assert "'tset'" in found["split_fits"]
    assert "split is none of train, validation, test" in found["values_listed"]


def test_a_null_where_none_may_be(copy):
    build = copy()
    build.change_rows(TRAIN, lambda rows: rows[2]["answers"][0].update(full_answer=None))
    found = build.found()
    assert f"{TRAIN}: row 2 (" in found["no_nulls"]
    assert "answers[].full_answer is null" in found["no_nulls"]


def test_a_blank_question(copy):
    build = copy()
    build.change_rows(TRAIN, lambda rows: ask(rows[4], " \u00a0 "))
    assert set(found := build.found()) == {"no_blank_texts"}
    assert f"{TRAIN}: row 4 (" in found["no_blank_texts"]
    assert "question is blank" in found["no_blank_texts"]


def test_a_text_that_is_on_no_list(copy):
    build = copy()
    build.change_rows(TRAIN, lambda rows: rows[0]["agreement"].update(level="complete"))
    assert set(found := build.found()) == {"values_listed"}
    assert "agreement.level is none of full, partial, single" in found["values_listed"]


def test_a_number_out_of_bounds_deep_inside(copy):
    build = copy()

    def change(rows):
        row = next(r for r in rows if r["answers"][0]["ui_elements"])
        row["answers"][0]["ui_elements"][0]["vh_index"] = -2

    build.change_rows(TRAIN, change)
    assert set(found := build.found()) == {"numbers_in_bounds"}
    assert "answers[].ui_elements[].vh_index is -2, below -1" in found["numbers_in_bounds"]


def test_more_answers_than_annotators(copy):
    build = copy()

    def change(rows):
        rows[0]["agreement"].update(n_annotations=1, n_invalid=0)
        rows[0]["answers"] = [rows[0]["answers"][0]] * 2

    build.change_rows(TRAIN, change)
    assert set(found := build.found()) == {"rows_consistent", "statistics_fit"}
    assert "agreement.n_annotations and its answers are 1 and 2" in found["rows_consistent"]


def test_short_answers_of_nobody(copy):
    build = copy()
    build.change_rows(TRAIN, lambda rows: rows[5].update(short_answers_from=None))
    assert set(found := build.found()) == {"rows_consistent"}
    assert f"{TRAIN}: row 5 (" in found["rows_consistent"]


def test_an_expectation_that_breaks_is_not_data_that_failed(copy, monkeypatch):
    build = copy()
    broken = Expected(
        SuiteRule.NO_NULLS,
        "ExpectColumnValuesToBeBetween",
        {"column": "nowhere", "min_value": 0},
        "",
    )
    whole = suites.suite_of
    monkeypatch.setattr(suites, "suite_of", lambda *of: [*whole(*of), broken])
    report = build.check(decode_images=False)
    outcomes = {result.rule: result for result in report.results}
    assert outcomes["no_nulls"].outcome is CheckOutcome.ERRORED
    assert 'column "nowhere"' in outcomes["no_nulls"].note
    assert outcomes["no_blank_texts"].outcome is CheckOutcome.PASSED
    assert not report.passed


# Columns that hold nothing.


def test_a_column_that_is_null_everywhere(copy):
    build = copy()
    for path in (TRAIN, TEST, VALIDATION):
        build.change_rows(path, lambda rows: [row.update(category=None) for row in rows])
    assert set(found := build.found()) == {"no_null_columns"}
    assert "screenqa: column category is empty in every row" in found["no_null_columns"]


def test_lists_that_are_empty_everywhere(copy):
    build = copy()
    for path in (TRAIN, TEST, VALIDATION):
        build.change_rows(
            path,
            lambda rows: [row.update(short_answers=[], short_answers_from=None) for row in rows],
        )
    assert "column short_answers is empty" in build.found()["no_null_columns"]


def test_a_column_that_is_null_in_one_shard(copy):
    build = copy()
    build.change_rows(VALIDATION, lambda rows: [row.update(category=None) for row in rows])
    assert set(found := build.found()) == {"no_null_columns_in_a_shard"}
    assert f"{VALIDATION}: column category is empty" in found["no_null_columns_in_a_shard"]


def test_a_column_that_chance_may_leave_empty_in_one_shard(copy):
    build = copy()

    def only_first_app(rows):
        for row in rows:
            row["category"] = row["category"] if row["app"] == rows[0]["app"] else None

    build.change_rows(TRAIN, only_first_app)
    build.change_rows(TEST, only_first_app)
    build.change_rows(VALIDATION, lambda rows: [row.update(category=None) for row in rows])
    assert build.found() == {}


# Rows against one another.


def test_an_id_in_two_shards(copy):
    build = copy()
    row = build.rows(TRAIN)[0]

    def change(rows):
        rows[0].update(screen_id=row["screen_id"], app=row["app"])
        ask(rows[0], row["question"])

    build.change_rows(TEST, change)
    found = build.found()
    assert row["question_id"] in found["ids_unique"]
    assert f"{TRAIN} row 0" in found["ids_unique"]
    assert f"{TEST} row 0" in found["ids_unique"]
    assert row["screen_id"] in found["no_screen_in_two_splits"]


def test_an_id_that_is_another_question_s(copy):
    build = copy()
    build.change_rows(TRAIN, lambda rows: rows[1].update(question="What is quite another thing?"))
    assert set(found := build.found()) == {"ids_fit"}
    assert f"{TRAIN}: row 1 (" in found["ids_fit"]
    assert "quite another thing" in found["ids_fit"]


def test_a_question_that_is_asked_twice_on_a_screen(copy):
    build = copy()

    def change(rows):
        one, other = next(
            (a, b) for a, b in itertools.pairwise(rows) if a["screen_id"] == b["screen_id"]
        )
        other["question"] = f"  {one['question'].replace(' ', '  ')}"

    build.change_rows(TRAIN, change)
    found = build.found()
    assert "one question is asked 2 times" in found["questions_unique"]
    assert TRAIN in found["questions_unique"]


def test_ten_questions_on_one_screen(copy):
    build = copy()

    def change(rows):
        for number, row in enumerate(rows[:10]):
            for name in ("screen_id", "app", "category", "image", "width", "height", "origin"):
                row[name] = rows[0][name]
            row.update(answers=[{"full_answer": "<no answer>", "ui_elements": []}])
            row.update(short_answers=["<no answer>"], answerable=False, any_no_answer=True)
            ask(row, f"What is number {number}?")

    build.change_rows(TRAIN, change)
    screen = build.rows(TRAIN)[0]["screen_id"]
    found = build.found()
    assert f"screen {screen}: has 10 questions, 9 are the most" in found["questions_per_screen"]


def test_too_few_answers(copy):
    build = copy()
    build.change_summary(lambda s: s["checks"].update(too_few_answers=0.2))
    assert set(found := build.found()) == {"answers_due"}
    assert "test: 10 of 25 questions (40.0%)" in found["answers_due"]
    assert "1 in train, 3 in validation, 3 in test); 20.0% may, such as" in found["answers_due"]
    assert found["answers_due"].count("20.0% may") == 1
    assert f"{TEST}: row 0" in found["answers_due"]


def test_answers_are_due_by_the_split_that_was_released(copy):
    build = copy("screenqa_released")
    # Questions of the train file have one answer, in whatever split their apps are now.
    build.change_summary(lambda s: s["checks"].update(too_few_answers=0.0))
    found = build.found()["answers_due"]
    assert "test: 2 of 27 questions (7.4%)" in found
    build.change_summary(lambda s: s["checks"]["answers"].update(train=2))
    assert "test: 15 of 27 questions" in build.found()["answers_due"]


def test_an_answer_without_elements(copy):
    build = copy()

    def change(rows):
        answers = next(r for r in rows if r["answers"][0]["ui_elements"])["answers"]
        answers[0]["ui_elements"] = []

    build.change_rows(TRAIN, change)
    assert set(found := build.found()) == {"answerable_as_answered"}
    assert "answer 1 has no element" in found["answerable_as_answered"]


def test_no_answer_with_elements(copy):
    build = copy()

    def change(rows):
        box = next(a["ui_elements"] for r in rows for a in r["answers"] if a["ui_elements"])
        none = next(a for r in rows for a in r["answers"] if not a["ui_elements"])
        none["ui_elements"] = [dict(box[0], bounds=[0, 0, 1, 1])]

    build.change_rows(TRAIN, change)
    assert set(found := build.found()) == {"answerable_as_answered"}
    assert "is <no answer> and has elements" in found["answerable_as_answered"]


def test_flags_that_contradict_the_answers(copy):
    build = copy()
    build.change_rows(TRAIN, lambda rows: rows[0].update(answerable=not rows[0]["answerable"]))
    assert set(found := build.found()) == {"answerable_as_answered"}
    assert f"{TRAIN}: row 0 (" in found["answerable_as_answered"]


@pytest.mark.parametrize(
    ("box", "told"),
    [
        ([0, 0, 100_000, 10], "outside the image"),
        ([-1, 0, 10, 10], "outside the image"),
        ([10, 10, 10, 20], "empty or inverted"),
        ([20, 10, 10, 20], "empty or inverted"),
        ([1, 2, 3], "not four edges"),
        ([1, None, 3, 4], "not four edges"),
    ],
)
def test_a_box_that_is_none_or_outside(copy, box, told):
    build = copy()
    places = []

    def change(rows):
        row = next(i for i, r in enumerate(rows) if r["answers"][0]["ui_elements"])
        places.append(row)
        rows[row]["answers"][0]["ui_elements"][0]["bounds"] = box

    build.change_rows(TRAIN, change)
    found = build.found()
    assert set(found) <= {"boxes_inside", "no_nulls"}
    assert f"{TRAIN}: row {places[0]} (" in found["boxes_inside"]
    assert "box 1 of answers[].ui_elements" in found["boxes_inside"]
    assert told in found["boxes_inside"]


def test_a_leaf_outside_its_image(copy):
    build = copy("screenqa_official")
    path = build.shard("train", "screens")

    def change(rows):
        leaves = next(r for r in rows if r["leaves"])["leaves"]
        leaves[-1]["bounds"] = [5, 5, 50, 50_000]

    build.change_rows(path, change)
    assert set(found := build.found()) == {"boxes_inside"}
    assert path in found["boxes_inside"]
    assert "of leaves, [5, 5, 50, 50000], is outside" in found["boxes_inside"]


def test_a_rank_with_a_gap(copy):
    build = copy()

    def change(rows):
        answers = next(r for r in rows if r["answers"][0]["ui_elements"])["answers"]
        answers[0]["ui_elements"].append(None)

    build.change_rows(TRAIN, change)
    assert set(found := build.found()) == {"no_gaps"}
    assert "item 2 of answers[].ui_elements is null" in found["no_gaps"]


def test_a_question_whose_screen_is_missing(copy):
    build = copy("screenqa_official")
    path = build.shard("train", "screens")
    lost = []
    build.change_rows(path, lambda rows: lost.append(rows.pop()["screen_id"]))
    assert set(found := build.found()) == {"screens_beside"}
    assert f"screen {lost[0]}: has questions in train" in found["screens_beside"]


# Pictures.


def of_first_screen(rows):
    return [row for row in rows if row["screen_id"] == rows[0]["screen_id"]]


def test_a_truncated_picture(copy):
    build = copy()

    def change(rows):
        for row in of_first_screen(rows):
            row["image"] = dict(row["image"], bytes=row["image"]["bytes"][:-2000])

    build.change_rows(TRAIN, change)
    assert set(found := build.found()) == {"pictures_decode"}
    assert f"{TRAIN}: row 0 (" in found["pictures_decode"]
    assert "its picture is unusable" in found["pictures_decode"]
    assert build.found(decode_images=False) == {}
    report = build.check(decode_images=False)
    assert not report.images_decoded
    skipped = next(r for r in report.results if r.rule == "pictures_decode")
    assert skipped.outcome is CheckOutcome.NOT_APPLICABLE
    assert "as asked" in skipped.note


def test_a_size_that_is_not_the_picture_s(copy):
    build = copy()
    build.change_rows(TRAIN, lambda rows: [r.update(width=r["width"] + 1) for r in rows[:1]])
    assert set(found := build.found()) == {"pictures_decode"}
    assert "pixels, not " in found["pictures_decode"]


def test_a_picture_without_bytes(copy):
    build = copy()
    build.change_rows(TRAIN, lambda rows: rows[7]["image"].update(bytes=None))
    assert f"{TRAIN}: row 7 (" in build.found()["pictures_decode"]


def test_a_picture_of_another_screen(copy):
    build = copy()
    other = build.rows(TEST)[0]["image"]

    def change(rows):
        row = next(r for r in rows if not r["image_reencoded"] and r["width"] == 1080)
        row["image"] = other

    assert build.rows(TEST)[0]["width"] == 1080
    build.change_rows(TRAIN, change)
    found = build.found()
    assert "not the one in the split's list" in found["pictures_as_listed"]
    assert "is in test" in found["no_picture_in_train_and_evaluation"]


# Leaks.


def test_an_app_in_two_splits(copy):
    build = copy()
    app = build.rows(TEST)[0]["app"]
    moved = build.rows(TRAIN)[0]["screen_id"]

    def change(rows):
        for row in of_first_screen(rows):
            row["app"] = app

    build.change_rows(TRAIN, change)
    was = {}

    def relist(text):
        lines = [line.split("\t") for line in text.splitlines()]
        for cells in lines:
            if cells[0] == moved:
                was["app"], cells[1] = cells[1], app
        return "\n".join("\t".join(cells) for cells in lines) + "\n"

    build.rewrite("splits/train.tsv", relist)
    assert was["app"] != app
    assert set(found := build.found()) == {"no_app_in_two_splits", "statistics_fit"}
    assert f"app {app} is in test" in found["no_app_in_two_splits"]
    assert moved in found["no_app_in_two_splits"]
    build.change_summary(lambda s: s["splits"].update(by="screen"))
    assert set(build.found()) == {"statistics_fit"}


def test_an_app_that_is_not_its_list_s(copy):
    build = copy()
    build.change_rows(TRAIN, lambda rows: rows[0].update(app="com.other"))
    assert "app is com.other" in build.found()["apps_as_listed"]


def test_a_picture_in_train_and_test(copy):
    build = copy()
    pixels = (build.folder / "splits/test.tsv").read_text().splitlines()[1].split("\t")[4]
    old = (build.folder / "splits/train.tsv").read_text().splitlines()[1].split("\t")[4]
    build.rewrite("splits/train.tsv", lambda text: text.replace(old, pixels))
    assert set(found := build.found()) == {"no_picture_in_train_and_evaluation"}
    assert f"picture {pixels} is in test" in found["no_picture_in_train_and_evaluation"]
    build.change_summary(lambda s: s["splits"].update(twins="report"))
    assert build.found() == {}


def test_near_duplicates_beyond_the_ceiling(copy):
    build = copy()
    ids = {s: (build.folder / f"splits/{s}.txt").read_text().split() for s in ("train", "test")}

    def change(text):
        report = json.loads(text)
        report["near"]["members"] = [
            {"screens": [[a, "", ""], [b, "", ""]], "layout_bits": 1, "text_bits": 1}
            for a, b in zip(ids["train"][:3], ids["test"][:3], strict=True)
        ]
        return json.dumps(report)

    build.rewrite("duplicates.json", change)
    assert set(found := build.found()) == {"few_near_duplicates"}
    assert "3 of 19 screens" in found["few_near_duplicates"]
    build.change_summary(lambda s: s["checks"].update(near_duplicate_screens=0.2))
    assert build.found() == {}


# The Hub.


def test_a_row_group_that_is_too_big(copy):
    build = copy()

    def change(rows):
        for row in rows[:4]:
            # A picture may have anything after its end.
            row["image"] = dict(row["image"], bytes=row["image"]["bytes"] + bytes(26_000_000))

    build.change_rows(TEST, change)
    assert (build.folder / TEST).stat().st_size < 5_000_000
    assert set(found := build.found(decode_images=False)) == {"row_groups_fit_viewer"}
    assert f"{TEST}: row group 0 has 1" in found["row_groups_fit_viewer"]


def test_a_row_group_of_too_many_rows(copy):
    build = copy()
    table = pq.read_table(build.folder / TEST)
    build.write(TEST, pa.concat_tables([table] * 5), group_rows=1000)
    assert "row group 0 has 125 rows" in build.found()["row_groups_fit_viewer"]


def test_a_shard_without_a_page_index(copy):
    build = copy()
    pq.write_table(pq.read_table(build.folder / TEST), build.folder / TEST, row_group_size=100)
    build.patch(TEST)
    assert set(found := build.found()) == {"row_groups_fit_viewer"}
    assert "no page index" in found["row_groups_fit_viewer"]


def test_a_card_whose_features_are_stale(copy):
    build = copy()
    card = build.folder / "README.md"
    text = card.read_text()
    stale = text.replace("name: answerable\n", "name: may_be_answered\n")
    assert stale != text
    card.write_text(stale)
    assert set(found := build.found(card=True)) == {"card_in_step"}
    assert "README.md" in found["card_in_step"]


def test_a_missing_card(copy):
    build = copy()
    (build.folder / "README.md").unlink()
    assert build.found(card=True) == {"card_in_step": "README.md: is missing\n"}


# What is hostile, or empty.


def test_a_report_of_the_build_that_is_damaged_is_no_pass(copy):
    build = copy()
    build.rewrite("stats.json", lambda text: '{"train": 7}')
    report = build.check(decode_images=False)
    result = next(r for r in report.results if r.rule == "statistics_fit")
    assert result.outcome is CheckOutcome.ERRORED
    assert not report.passed


def test_a_build_without_any_shard_passes_nothing(copy):
    build = copy()
    shutil.rmtree(build.folder / "screenqa")
    build.change_summary(lambda s: s.update(shards=[]))
    report = build.check()
    outcomes = {r.rule: r.outcome for r in report.results}
    for rule in ("shards_readable", "no_nulls", "ids_unique", "boxes_inside", "no_empty_shards"):
        assert outcomes[rule] is CheckOutcome.FAILED, rule
    assert not report.passed


def test_only_first_findings_are_told_and_all_counted(copy):
    build = copy()
    build.change_rows(TRAIN, lambda rows: [row.update(split="tset") for row in rows])
    results = {r.rule: r for r in build.check(decode_images=False).results}
    for rule in ("split_fits", "values_listed"):
        assert results[rule].n_findings == 31
        assert len(results[rule].findings) == 20


def test_the_fixture_writes_shards_as_a_build_does(copy):
    build = copy()
    build.change_rows(TRAIN, lambda rows: None)
    schema, declared = pq.read_schema(build.folder / TRAIN), arrow_schema(IllustratedQuestionRow)
    assert schema.equals(declared)
    assert schema.metadata == declared.metadata
    data = (build.folder / TRAIN).read_bytes()
    told = next(s for s in build.summary["shards"] if s["path"] == TRAIN)
    assert told["sha256"] == hashlib.sha256(data).hexdigest()
    assert build.found() == {}
