"""Tests of the sources of a build as collections, with everything read counted."""

import json

import apache_beam as beam
import pytest
from apache_beam.runners.portability.fn_api_runner import fn_runner
from apache_beam.testing.util import assert_that, equal_to

from schemas.manifest import SourceKind
from schemas.questions import Question
from schemas.rejects import Outcome, Reject, Tally
from schemas.screens import App, AppRow, ScreenRef
from transforms.sources.reading import (
    ReadFiles,
    Selection,
    SourceFile,
    read_app_rows,
    read_categories,
    read_questions,
    read_screens,
)

ALL = Selection()


def counts(items):
    """Returns how many results there are of each type, and what the tallies say."""
    types, tallies = {}, {}
    for item in items:
        if isinstance(item, Tally):
            key = item.kind, str(item.outcome)
            tallies[key] = tallies.get(key, 0) + item.count
        else:
            types[type(item)] = types.get(type(item), 0) + 1
    return types, {key: count for key, count in tallies.items() if count}


def record(image_id, answers=1, **changes):
    answer = {"full_answer": "It is 5.", "ui_elements": []}
    return {"image_id": image_id, "question": "A?", "ground_truth": [answer] * answers} | changes


@pytest.fixture
def screens(tmp_path):
    folder = tmp_path / "combined"
    folder.mkdir()
    for name in ("9.jpg", "9.json", "10.jpg", "010.jpg", "my screen.json", "._9.jpg"):
        (folder / name).touch()
    return SourceFile("rico", SourceKind.RICO_COMBINED, str(folder), "combined")


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "train.json"
    path.write_text(json.dumps([record(9, 2), record("x y"), record(10, 3), None]))
    return SourceFile("screenqa", SourceKind.SCREENQA_ANSWERS, str(path), "train.json", "train")


def test_screens_and_files_that_are_none_are_both_counted_as_read(screens):
    types, tallies = counts(read_screens(screens, ALL))
    assert types == {ScreenRef: 2, Reject: 2}
    assert tallies == {
        ("screen", "read"): 3,
        ("hierarchy", "read"): 1,
        ("repairs", "foreign_files_ignored"): 1,
    }


def test_traces_are_read_by_their_own_layout(tmp_path):
    place = tmp_path / "com.a" / "trace_0" / "screenshots"
    place.mkdir(parents=True)
    (place / "3.jpg").touch()
    file = SourceFile("traces", SourceKind.RICO_TRACES, str(tmp_path), "filtered_traces")
    assert list(read_screens(file, ALL)) == [
        ScreenRef("com.a:0:3", "traces", "com.a/trace_0/screenshots/3.jpg", None, "com.a"),
        Tally("repairs", "foreign_files_ignored", 0),
        Tally("screen", Outcome.READ, 1),
    ]


def test_questions_and_their_answers_are_counted_as_read(answers):
    types, tallies = counts(read_questions(answers, ALL))
    assert types == {Question: 2, Reject: 2}
    assert tallies == {("answers", "read"): 4, ("answer", "read"): 5}


def test_questions_know_their_source_file_and_split(answers):
    question = next(read_questions(answers, ALL))
    assert (question.provenance.source, question.provenance.file) == ("screenqa", "train.json")
    assert question.official_split == "train"


def test_short_answers_are_a_kind_of_their_own(tmp_path):
    path = tmp_path / "data.json"
    path.write_text(json.dumps([{"image_id": 9, "question": "A?", "ground_truth": ["5"]}, 7]))
    file = SourceFile("complexqa", SourceKind.SCREENQA_SHORT_ANSWERS, str(path), "data.json")
    types, tallies = counts(read_questions(file, ALL))
    assert types == {Question: 1, Reject: 1}
    assert tallies == {("short_answers", "read"): 2}


def test_rows_that_name_apps_are_counted_as_read(tmp_path):
    path = tmp_path / "ui.csv"
    path.write_text("UI Number,App Package Name\n9,com.a\n10,com.a\nx y,com.b\n")
    file = SourceFile("ui", SourceKind.RICO_UI_DETAILS, str(path), "ui.csv")
    types, tallies = counts(read_app_rows(file, ALL))
    assert types == {AppRow: 2, Reject: 1}
    assert tallies == {("app_row", "read"): 3}


def test_details_of_apps_are_kept_as_a_table(tmp_path):
    path = tmp_path / "apps.csv"
    path.write_text("App Package Name,Category\ncom.a,Tools\ncom.b,000 - 1\n")
    file = SourceFile("apps", SourceKind.RICO_APP_DETAILS, str(path), "apps.csv")
    types, tallies = counts(read_categories(file))
    assert types == {App: 1, Reject: 1}
    assert tallies == {("app_details", "read"): 2, ("app_details", "kept"): 1}


@pytest.mark.parametrize(
    ("ids", "wanted"),
    [(None, ["2", "9", "a:1"]), (frozenset({"9"}), ["9"]), (frozenset(), [])],
)
def test_a_selection_wants_its_screens_and_without_one_all(ids, wanted):
    selection = Selection(ids)
    assert [screen for screen in ("2", "9", "a:1") if selection.wants(screen)] == wanted


def test_a_limited_build_reads_and_counts_what_it_selects_and_all_rejects(screens, answers):
    upto_nine = Selection(frozenset({"9"}))
    types, tallies = counts(read_screens(screens, upto_nine))
    assert types == {ScreenRef: 1, Reject: 2}
    assert tallies["screen", "read"] == 2
    types, tallies = counts(read_questions(answers, upto_nine))
    assert types == {Question: 1, Reject: 2}
    assert tallies == {("answers", "read"): 3, ("answer", "read"): 2}


def ids_read(files, fn, *args):
    """Returns a pipeline's check of the ids that it reads."""
    with beam.Pipeline(runner=fn_runner.FnApiRunner()) as pipeline:
        split = pipeline | ReadFiles(files, fn, *args)
        totals = (
            split.tallies
            | beam.Map(lambda tally: ((tally.kind, str(tally.outcome)), tally.count))
            | beam.CombinePerKey(sum)
            | beam.Filter(lambda total: total[1])
        )
        yield split.kept | beam.Map(lambda item: item.screen_id), totals


def test_the_step_reads_all_files_and_parts_their_records(screens, answers):
    for ids, totals in ids_read([answers, answers], read_questions, ALL):
        assert_that(ids, equal_to(["9", "10", "9", "10"]), "Ids")
        assert_that(
            totals, equal_to([(("answers", "read"), 8), (("answer", "read"), 10)]), "Totals"
        )
    for ids, _ in ids_read([screens], read_screens, ALL):
        assert_that(ids, equal_to(["9", "10"]), "Ids")


def test_no_files_are_no_records():
    for ids, totals in ids_read([], read_questions, ALL):
        assert_that(ids, equal_to([]), "Ids")
        assert_that(totals, equal_to([]), "Totals")
