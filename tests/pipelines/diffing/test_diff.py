"""`screenset diff` on pairs of builds that differ in one thing."""

import hashlib
import json
import pathlib
import shutil

import pyarrow.parquet as pq
import pytest
from signing import sign

from pipelines.diffing.diff import diff, difference_json, difference_text
from pipelines.errors import UserError
from schemas.differences import Change, ColumnDifferenceKind

BOX = "answers[].ui_elements[].bounds"


def rows_of(folder: pathlib.Path, configuration: str = "") -> dict[str, dict]:
    name = configuration or json.loads((folder / "BUILD.json").read_text())["dataset"]
    rows = [r for p in (folder / name).glob("*.parquet") for r in pq.read_table(p).to_pylist()]
    key = "question_id" if "question_id" in rows[0] else "screen_id"
    return {row[key]: row for row in rows}


def records_of(path: pathlib.Path, change) -> None:
    """Rewrites a JSON array's records."""
    path.write_text(json.dumps([change(r) or r for r in json.loads(path.read_text())]))


def test_equal_builds_are_equal_and_exit_with_0(run, make_build):
    built = make_build()
    done = run("diff", built, built)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Columns, rows and splits are equal.\n" in done.stdout


def test_different_builds_exit_with_1_and_a_mistake_with_2(run, make_build, tmp_path):
    one, other = make_build(), make_build(replace=(("seed: demo", "seed: other"),))
    done = run("diff", one, other, "--json", tmp_path / "d.json")
    assert (done.returncode, done.stderr) == (1, "")
    assert "They differ." in done.stdout
    written = (tmp_path / "d.json").read_text()
    assert json.loads(written)["differs"] is True
    assert str(one.parent) not in written
    alone = run("diff", one, other, "--json", "-")
    assert (alone.returncode, alone.stdout) == (1, written)
    for wrong in (tmp_path, tmp_path / "nowhere"):
        done = run("diff", one, wrong)
        assert done.returncode == 2
        assert "is no finished build" in done.stderr
        assert len(done.stderr.splitlines()) == 1


def reword(data: pathlib.Path) -> None:
    """Puts one question of one event in other words."""
    found = 0
    for path in sorted((data / "annotations").glob("*.jsonl")):
        lines = []
        for line in path.read_text().splitlines():
            event = json.loads(line)
            asked = event["question"] if event["pass"] == "question_2" else None
            if asked and (event["screen_id"], asked["text"]) == ("90018", "Who is the artist?"):
                asked["text"] = "Which artist is playing?"
                found += 1
            lines.append(json.dumps(event))
        path.write_text("\n".join(lines) + "\n")
    assert found == 1


def test_a_reworded_question_is_one_row_less_and_one_more(make_build, compare):
    one, other = make_build("screenqa"), make_build("screenqa", spoil=reword)
    found = compare(one, other)
    (rows,) = found.rows
    assert [rows_of(one)[i]["question"] for i in rows.removed] == ["Who is the artist?"]
    assert [rows_of(other)[i]["question"] for i in rows.added] == ["Which artist is playing?"]
    assert (rows.moved, rows.changed) == ((), ())
    assert rows.shared_shards == 2  # Only the shard of its split is another file.
    changed = {change.name for change in found.sources}
    assert changed == {"events.digest", "events.size_bytes"}
    assert not found.screens.differs


def move_box(data: pathlib.Path) -> None:
    def change(record):
        if record["image_id"] == 90005 and "canvas" in record["question"]:
            record["ground_truth"][1]["ui_elements"][0]["bounds"] = [417, 411, 519, 460]

    records_of(data / "screenqa" / "answers_and_bboxes" / "test.json", change)


def test_a_moved_box_is_a_change_of_its_column_with_both_boxes(make_build, compare):
    one, other = make_build(), make_build(spoil=move_box)
    found = compare(one, other)
    (rows,) = found.rows
    (change,) = rows.changed
    assert change.paths == (BOX,)
    assert rows.by_column == ((BOX, 1),)
    (example,) = rows.examples
    assert example.id == change.id
    # The sample's boxes are on half the picture's scale or on all of it: of the row, not the file.
    was, now = (
        row["answers"][1]["ui_elements"][0]["bounds"]
        for row in (rows_of(one)[change.id], rows_of(other)[change.id])
    )
    assert (json.loads(example.before), json.loads(example.after)) == (was, now)
    assert was != now
    assert (rows.added, rows.removed, rows.moved, rows.only_picture) == ((), (), (), 0)
    text = difference_text(found)
    assert BOX in text
    assert example.before in text


def more_answers(data: pathlib.Path) -> None:
    def change(record):
        if record["image_id"] == 90005 and "canvas" in record["question"]:
            record["ground_truth"].append(record["ground_truth"][0])

    records_of(data / "screenqa" / "answers_and_bboxes" / "test.json", change)


def test_an_answer_more_is_told_once_and_not_by_all_its_parts(make_build, compare):
    one, other = make_build(), make_build(spoil=more_answers)
    (rows,) = compare(one, other).rows
    (change,) = rows.changed
    assert change.paths == ("answers[]",)
    was, now = (len(rows_of(built)[change.id]["answers"]) for built in (one, other))
    assert [(e.before, e.after) for e in rows.examples] == [(str(was), str(now))]
    assert was < now


def test_a_blocked_screen_is_a_take_down(make_build, compare, run):
    one = make_build()
    other = make_build(top='blocked: {screens: ["90018"]}\n')
    found = compare(one, other)
    assert found.screens.removed == found.screens.taken_down == ("90018",)
    (rows,) = found.rows
    gone = [i for i, row in rows_of(one).items() if row["screen_id"] == "90018"]
    assert sorted(rows.removed) == sorted(gone)
    assert len(gone) > 1
    blocked = [change for change in found.rejects if change.name.endswith(".blocked")]
    assert {c.name: (c.before, c.after) for c in blocked}["screen.blocked"] == (0, 1)
    text = run("diff", one, other).stdout
    assert "taken down (on the block list now): 1 (90018)" in text
    assert "screen.blocked" in text
    back = run("diff", other, one).stdout
    assert "restored (off the block list): 1 (90018)" in back


def test_another_seed_moves_rows_screens_and_apps_and_changes_none(make_build, compare):
    one = make_build()
    other = make_build(replace=(("seed: demo", "seed: other"),))
    found = compare(one, other)
    (rows,) = found.rows
    mine, theirs = rows_of(one), rows_of(other)
    expected = {
        i: (mine[i]["split"], theirs[i]["split"])
        for i in mine
        if mine[i]["split"] != theirs[i]["split"]
    }
    assert {m.id: (m.before, m.after) for m in rows.moved} == expected
    assert len(expected) > 10
    assert (rows.added, rows.removed, rows.changed) == ((), (), ())
    screens = {mine[i]["screen_id"]: ways for i, ways in expected.items()}
    assert {m.id: (m.before, m.after) for m in found.screens.moved} == screens
    apps = {mine[i]["app"]: ((ways[0],), (ways[1],)) for i, ways in expected.items()}
    assert {a.app: (a.before, a.after) for a in found.screens.apps_moved} == apps
    assert Change("splits.seed", "demo", "other") in found.settings


def test_pictures_in_a_configuration_of_their_own(make_build, compare):
    one = make_build()
    other = make_build(replace=(("images: inline", "images: by_screen"),))
    found = compare(one, other)
    assert found.configurations == (Change("screens", None, len(rows_of(other, "screens"))),)
    assert [(c.path, c.kind) for c in found.columns] == [
        ("image", ColumnDifferenceKind.REMOVED),
        ("image_reencoded", ColumnDifferenceKind.REMOVED),
    ]
    (rows,) = found.rows
    assert not rows.differs  # What both have is the same.
    assert found.differs
    assert "configuration added: screens" in difference_text(found)


def test_short_answers_of_rules_and_none(make_build, compare):
    auto = "short_answers: {provider: auto, budget: {calls: 500}}"
    one = make_build("screenqa", replace=((auto, "short_answers: {provider: none}"),))
    other = make_build("screenqa", replace=((auto, "short_answers: {provider: rules}"),))
    found = compare(one, other)
    (rows,) = found.rows
    theirs = rows_of(other)
    assert {change.id: change.added for change in rows.short_answers} == {
        i: tuple(sorted(set(row["short_answers"]))) for i, row in theirs.items()
    }
    assert {(c.provider_before, c.provider_after) for c in rows.short_answers} == {
        ("none", "rules rules-1")
    }
    assert all(c.removed == () for c in rows.short_answers)
    paths = {path for change in rows.changed for path in change.paths}
    assert paths == {"short_answers", "short_answers_from"}
    assert Change("short_answers.provider", None, "rules") in found.settings
    variants = sum(len(c.added) for c in rows.short_answers)
    text = difference_text(found)
    (line,) = [line for line in text.splitlines() if line.startswith("none ")]
    assert line.split() == ["none", "rules", "rules-1", str(len(theirs)), str(variants), "0", "–"]


def turn_variants(data: pathlib.Path) -> None:
    def change(record):
        record["ground_truth"] = [*record["ground_truth"][1:], record["ground_truth"][0]]

    for path in (data / "screenqa" / "short_answers").glob("*.json"):
        records_of(path, change)


def test_variants_in_another_order_are_the_same_variants(make_build, compare):
    (rows,) = compare(make_build(), make_build(spoil=turn_variants)).rows
    assert len(rows.short_answers) > 10
    assert all((c.added, c.removed) == ((), ()) for c in rows.short_answers)
    assert {change.paths for change in rows.changed} == {("short_answers",)}


def test_another_version_of_the_same_rows_is_equal(make_build, compare):
    other = make_build(replace=(("version: 1.0.0", "version: 2.0.0"),))
    found = compare(make_build(), other)
    assert not found.differs
    assert (found.before.version, found.after.version) == ("1.0.0", "2.0.0")


def test_the_same_rows_in_other_shards_are_equal(make_build, compare):
    one = make_build()
    cut = "images: inline\n    shards: {target_bytes: 100kB}\n    splits: {by: app, seed: demo"
    other = make_build(replace=(("images: inline\n    # Few apps make coarse splits: shares nearer "
                                 "to each other leave none of them empty.\n    splits: {by: app, "
                                 "seed: demo", cut),))  # fmt: skip
    assert len(list(other.rglob("*.parquet"))) > len(list(one.rglob("*.parquet")))
    found = compare(one, other)
    assert not found.differs
    assert found.rows[0].shared_shards == 0
    assert found.sources == ()


def comment_picture(data: pathlib.Path) -> None:
    """Puts a comment into one screen's JPEG: other bytes, the same pixels."""
    path = data / "rico" / "combined" / "90018.jpg"
    picture = path.read_bytes()
    path.write_bytes(picture[:2] + b"\xff\xfe\x00\x04hi" + picture[2:])


def test_another_picture_is_told_apart_from_other_changes(make_build, compare):
    one, other = make_build(), make_build(spoil=comment_picture)
    (rows,) = compare(one, other).rows
    ids = [i for i, row in rows_of(one).items() if row["screen_id"] == "90018"]
    assert sorted(change.id for change in rows.changed) == sorted(ids)
    assert rows.only_picture == len(ids)
    assert rows.by_column == (("image.bytes", len(ids)),)
    was, now = (rows_of(built)[ids[0]]["image"]["bytes"] for built in (one, other))
    assert {(e.before, e.after) for e in rows.examples} == {
        tuple(
            f"{len(picture):,} bytes, SHA-256 {hashlib.sha256(picture).hexdigest()}"
            for picture in (was, now)
        )
    }
    found = diff(str(one), str(other))
    assert f"of these, {len(ids)} in nothing but the picture" in difference_text(found)


def test_sources_licences_and_settings(make_build, compare):
    path = "path: rico/ui_details.csv\n"
    licence = f"{path}    licence: Apache-2.0"
    fetch = 'fetch:\n      - {url: "https://data.screenset.example/ui_details.csv", to: '
    text = f"{path}    {fetch}rico/ui_details.csv}}\n    licence: Apache-2.0"
    other = make_build(replace=((text, licence.replace("Apache-2.0", "CC-BY-4.0")),))
    found = compare(make_build(), other)
    assert found.sources == (Change("ui_details.licence", "Apache-2.0", "CC-BY-4.0"),)
    assert not found.differs
    assert "What the builds say of themselves differs" in difference_text(found)


def hostile(data: pathlib.Path) -> None:
    def change(record):
        if record["image_id"] == 90005 and "canvas" in record["question"]:
            record["ground_truth"][0]["full_answer"] = "x\x1b[2J\x1b]0;\u202ego\u2066" + "y" * 9000

    records_of(data / "screenqa" / "answers_and_bboxes" / "test.json", change)


def test_hostile_texts_cannot_act_on_a_terminal(make_build, compare, run):
    one, other = make_build(), make_build(spoil=hostile)
    (rows,) = compare(one, other).rows
    assert [change.paths for change in rows.changed] == [("answers[].full_answer",)]
    done = run("diff", one, other)
    assert done.returncode == 1
    for mark in ("\x1b", "\u202e", "\u2066"):
        assert mark not in done.stdout
    assert "go" in done.stdout
    assert max(map(len, done.stdout.splitlines())) < 300
    whole = run("diff", one, other, "--json", "-").stdout
    assert whole.isascii()
    assert "\x1b" not in whole
    assert json.loads(whole)["rows"][0]["examples"][0]["after"].count("y") == 9000


SCREENS = """
  looks:
    recipe: screens
    version: 1.0.0
    sources: {screens: screens, apps: ui_details, app_details: app_details}
    splits: {by: app, seed: demo, shares: {train: 0.6, validation: 0.2, test: 0.2}}
    rejects: {overall: 0.9}
"""


def test_builds_of_screens_are_compared_by_screen(make_build, compare):
    add = (("datasets:\n", f"datasets:\n{SCREENS}"),)
    one = make_build("looks", replace=add)
    (rows,) = compare(one, make_build("looks", replace=add, spoil=comment_picture)).rows
    assert rows.key == "screen_id"
    assert [(c.id, c.paths) for c in rows.changed] == [("90018", ("image.bytes",))]
    with pytest.raises(UserError, match="one has rows of questions, the other of screens"):
        diff(str(one), str(make_build()))


def test_two_data_sets_of_questions_are_compared_by_their_main_rows(make_build, compare):
    found = compare(make_build("screenqa"), make_build("screenqa_released"))
    (rows,) = found.rows
    assert (rows.configuration_before, rows.configuration_after) == (
        "screenqa",
        "screenqa_released",
    )
    assert rows.changed
    assert {"agreement", "provenance.source"} <= {path for path, _ in rows.by_column}


def test_shared_shards_are_not_even_opened(make_build, tmp_path):
    one, other = make_build(), make_build(spoil=move_box)
    found = diff(str(one), str(other))
    copies = []
    for built in (one, other):
        copy = tmp_path / built.parent.name
        shutil.copytree(built, copy)
        for shard in copy.rglob("*.parquet"):
            if not shard.name.startswith("train"):  # There lies the app with the box.
                shard.write_bytes(b"not read")
        sign(copy)
        copies.append(str(copy))
    again = diff(*copies)
    assert again.rows == found.rows
    assert found.rows[0].shared_shards == 2


def test_damaged_shards_are_one_sentence(make_build, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(make_build(spoil=move_box), other)
    shard = next(other.rglob("train-*.parquet"))
    whole = shard.read_bytes()
    shard.write_bytes(whole[:-50])
    with pytest.raises(UserError, match="is not the file that was built; run `screenset check"):
        diff(str(make_build()), str(other))
    sign(other)
    with pytest.raises(UserError, match="is no whole Parquet file"):
        diff(str(make_build()), str(other))
    shard.unlink()
    with pytest.raises(UserError, match=r"train-00000-of-00001\.parquet: is missing"):
        diff(str(make_build()), str(other))


def test_an_id_in_two_rows_is_refused(make_build, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(make_build(), other)
    summary = json.loads((other / "BUILD.json").read_text())
    shard = next(s for s in summary["shards"] if s["split"] == "test")
    # Other bytes than the other side's: else one of the two would not be read.
    pq.write_table(pq.read_table(other / shard["path"]), other / shard["path"])
    twin = {**shard, "path": shard["path"].replace("test-00000", "test-00001")}
    shutil.copyfile(other / shard["path"], other / twin["path"])
    summary["shards"].append(twin)
    (other / "BUILD.json").write_text(json.dumps(summary))
    sign(other)
    with pytest.raises(UserError, match="is the id of two rows of one build"):
        diff(str(make_build()), str(other))


def test_the_text_and_json_are_the_same_each_time(make_build):
    one, other = str(make_build("screenqa")), str(make_build("screenqa_released"))
    found = [diff(one, other) for _ in range(2)]
    assert difference_json(found[0]) == difference_json(found[1])
    assert difference_text(found[0]) == difference_text(found[1])


def test_a_column_twice_is_refused(make_build, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(make_build(), other)
    path = next(other.rglob("train-*.parquet"))
    table = pq.read_table(path)
    pq.write_table(table.append_column("question", table["question"]), path)
    sign(other)
    for pair in ((make_build(), other), (other, make_build())):
        with pytest.raises(UserError, match="has column question 2 times; run screenset check"):
            diff(*map(str, pair))
    pq.write_table(table.drop_columns(["question_id"]), path)
    sign(other)
    with pytest.raises(UserError, match="has no column question_id, which its rows are known by"):
        diff(str(make_build()), str(other))


@pytest.mark.parametrize("name", ["code", "rejects", "sources", "short_answers", "splits", "card"])
@pytest.mark.parametrize("value", [None, 3, "text", [1], {"screen": 3}, {"\x1b[2J": {"a": None}}])
def test_whatever_a_build_says_of_itself_is_compared(make_build, tmp_path, name, value):
    other = tmp_path / "other"
    shutil.copytree(make_build(), other)
    summary = json.loads((other / "BUILD.json").read_text())
    (other / "BUILD.json").write_text(json.dumps(summary | {name: value}))
    found = diff(str(make_build()), str(other))
    assert not found.differs
    assert "\x1b" not in difference_text(found)
    assert json.loads(difference_json(found))["differs"] is False


@pytest.mark.parametrize(
    "spoilt", [{"rows": "12"}, {"rows": True}, {"screens": None}, {"split": 3}, {"sha256": None}]
)
def test_a_damaged_list_of_shards_is_one_sentence(make_build, tmp_path, spoilt):
    other = tmp_path / "other"
    shutil.copytree(make_build(), other)
    summary = json.loads((other / "BUILD.json").read_text())
    summary["shards"][0] |= spoilt
    (other / "BUILD.json").write_text(json.dumps(summary))
    with pytest.raises(UserError, match=r"is no finished build: its BUILD\.json is damaged"):
        diff(str(make_build()), str(other))


def test_counts_and_statistics_are_those_of_the_builds(make_build, compare):
    one, other = make_build(), make_build(top='blocked: {screens: ["90018"]}\n')
    found = compare(one, other)
    mine, theirs = rows_of(one), rows_of(other)
    for count in found.counts:
        for built, rows, screens in (
            (mine, count.rows_before, count.screens_before),
            (theirs, count.rows_after, count.screens_after),
        ):
            of_split = [row for row in built.values() if row["split"] == count.split]
            assert rows == len(of_split)
            assert screens == len({row["screen_id"] for row in of_split})
    assert Change("all.questions", len(mine), len(theirs)) in found.statistics
    assert found.statistics[0].name.startswith("all.")
