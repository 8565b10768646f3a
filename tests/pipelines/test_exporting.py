"""`screenset export`: the released layout, and that what was exported builds to the same again."""

import json
import pathlib
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from signing import sign

from pipelines.errors import UserError
from pipelines.exporting import answers_record, export, short_answers_record
from schemas.columns import arrow_schema
from schemas.examples import IllustratedQuestionRow, QuestionRow

SPLITS = ("train", "validation", "test")


def rows(folder: pathlib.Path) -> list[dict]:
    name = json.loads((folder / "BUILD.json").read_text())["dataset"]
    return [
        row
        for path in sorted((folder / name).glob("*.parquet"))
        for row in pq.read_table(path).to_pylist()
    ]


def asked(folder: pathlib.Path) -> dict[tuple[str, str, str], tuple]:
    """Returns the answers and short answers of each question, by split, screen and text."""
    return {
        (row["split"], row["screen_id"], row["question"]): (row["answers"], row["short_answers"])
        for row in rows(folder)
    }


def records(folder: pathlib.Path, kind: str) -> dict[str, list[dict]]:
    return {path.stem: json.loads(path.read_text()) for path in (folder / kind).iterdir()}


def test_the_command_says_what_it_wrote(run, demo_build, tmp_path):
    out = tmp_path / "released"
    done = run("export", demo_build("screenqa_released"), "--out", out)
    assert (done.returncode, done.stderr) == (0, "")
    assert "short_answers/test.json" in done.stdout
    assert str(out) in done.stdout
    assert sorted(str(p.relative_to(out)) for p in out.rglob("*.json")) == sorted(
        f"{kind}/{split}.json"
        for kind in ("answers_and_bboxes", "short_answers")
        for split in SPLITS
    )
    assert list(tmp_path.iterdir()) == [out]


def test_records_are_those_of_the_released_files(demo_build, sample, tmp_path):
    """What the sample released comes out again, but for what the build had to leave out."""
    out = tmp_path / "released"
    export(str(demo_build("screenqa_released")), str(out))
    for kind in ("answers_and_bboxes", "short_answers"):
        source = [r for found in records(sample / "screenqa", kind).values() for r in found]
        kept = [r for found in records(out, kind).values() for r in found]
        assert len(kept) == 84
        # On one screen the same was asked twice, and the answers were united.
        (united,) = (record for record in kept if record not in source)
        halves = [
            record["ground_truth"]
            for record in source
            if (record["image_id"], record["question"]) == (united["image_id"], united["question"])
        ]
        assert len(halves) == 2
        assert united["ground_truth"][: len(halves[0])] == halves[0]
        assert all(answer in united["ground_truth"] for answer in halves[1])
        assert {tuple(record) for record in kept} == {tuple(record) for record in source}


def test_files_are_ascii_with_a_record_a_line_in_the_order_of_ids(demo_build, tmp_path):
    out = tmp_path / "released"
    export(str(demo_build("screenqa_released")), str(out))
    escaped = 0
    for path in out.rglob("*.json"):
        text = path.read_bytes().decode("ascii")
        escaped += text.count("\\u")
        first, *lines, last, end = text.split("\n")
        assert (first, last, end) == ("[", "]", "")
        assert all(line.endswith(",") for line in lines[:-1])
        ids = [json.loads(line.removesuffix(","))["image_id"] for line in lines]
        assert ids == sorted(ids)
    assert escaped > 0


def test_an_export_of_released_files_builds_to_the_same(
    run, demo_build, demo_manifest, sample, tmp_path
):
    first = demo_build("screenqa_released")
    out = tmp_path / "released"
    export(str(first), str(out))
    again = tmp_path / "again"
    done = run(
        "build", "screenqa_released", "--manifest", demo_manifest, "--data", sample,
        "--source", f"answers={out / 'answers_and_bboxes'}",
        "--source", f"short_answers={out / 'short_answers'}",
        "--out", again, "--workers", "1",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(asked(first)) == len(rows(first)) == 84
    assert asked(again) == asked(first)
    books = json.loads((again / "BUILD.json").read_text())["records"]
    assert books["answers"]["read"] == books["answers"]["kept"] == 84
    twice = tmp_path / "twice"
    export(str(again), str(twice))
    for path in out.rglob("*.json"):
        assert (twice / path.relative_to(out)).read_bytes() == path.read_bytes()


def test_an_export_of_a_campaign_builds_as_released_files(
    run, demo_build, demo_manifest, sample, tmp_path
):
    first = demo_build("screenqa")
    out = tmp_path / "released"
    assert run("export", first, "--out", out).returncode == 0
    assert sorted(path.name for path in out.iterdir()) == ["answers_and_bboxes", "short_answers"]
    again = tmp_path / "again"
    done = run(
        "build", "screenqa_released", "--manifest", demo_manifest, "--data", sample,
        "--source", f"answers={out / 'answers_and_bboxes'}",
        "--source", f"short_answers={out / 'short_answers'}", "--out", again, "--workers", "1",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(asked(first)) == 82
    assert asked(again) == asked(first)
    assert all(row["agreement"] is None for row in rows(again))


def test_only_short_answers_make_only_short_answers(demo_build, tmp_path):
    out = tmp_path / "released"
    export(str(demo_build("complexqa")), str(out))
    (only,) = out.iterdir()
    assert only.name == "short_answers"
    (record, *_) = records(out, "short_answers")["test"]
    assert list(record) == ["image_id", "question", "ground_truth"]


def test_pictures_in_rows_of_their_own_are_no_hindrance(demo_build, tmp_path):
    out = tmp_path / "released"
    exported = export(str(demo_build("screenqa_official")), str(out))
    official = asked(demo_build("screenqa_official"))
    assert sum(f.questions for f in exported.files if f.path.startswith("answers")) == len(official)


ROW = {
    "screen_id": "90018",
    "width": 1080,
    "height": 1920,
    "question": "Wer?",
    "answers": [],
    "short_answers": [],
}
ANSWER = {
    "full_answer": "Ada.",
    "ui_elements": [{"text": "Ada", "bounds": [1, 2, 3, 4], "vh_index": -1}],
}


def test_an_id_that_is_no_number_stays_a_text():
    row = ROW | {"answers": [ANSWER], "short_answers": ["Ada"]}
    assert answers_record(row)["image_id"] == 90018
    assert answers_record(row | {"screen_id": "c0ffee0123456789"})["image_id"] == "c0ffee0123456789"
    assert short_answers_record(row | {"screen_id": "a.b:1"})["image_id"] == "a.b:1"


def test_without_a_known_picture_there_is_no_size():
    record = answers_record(ROW | {"answers": [ANSWER], "width": None, "height": None})
    assert record == {"image_id": 90018, "question": "Wer?", "ground_truth": [ANSWER]}


def test_a_question_is_written_where_it_has_something_to_say():
    assert answers_record(ROW) is None
    assert short_answers_record(ROW) is None


def written_build(folder: pathlib.Path, shards: dict[str, list[dict]], row_type=QuestionRow):
    """Writes a build of the given rows by shard name; a row names what is not as in `ROW`."""
    (folder / "q").mkdir(parents=True)
    listed = []
    schema = arrow_schema(row_type)
    for name, changes in shards.items():
        table = pa.Table.from_pylist([ROW | change for change in changes], schema)
        pq.write_table(table, folder / "q" / name, row_group_size=2)
        facts = {"screens": 1, "size_bytes": 1, "sha256": "", "split": name.partition("-")[0]}
        facts |= {"configuration": "q", "path": f"q/{name}", "rows": len(changes)}
        listed.append(facts)
    images = "inline" if row_type is IllustratedQuestionRow else "none"
    summary = {"dataset": "q", "version": "1.0.0", "recipe": "screenqa", "images": images}
    (folder / "BUILD.json").write_text(json.dumps(summary | {"shards": listed, "files": []}))
    sign(folder)
    return folder


def test_the_screens_of_many_shards_come_in_one_order(tmp_path):
    def of(*ids):
        return [{"screen_id": i, "question": f"{i}?", "answers": [ANSWER]} for i in ids]

    shards = {
        "train-00000-of-00002.parquet": [*of("9", "100", "a"), *of("a")],
        "train-00001-of-00002.parquet": of("10", "99", "1000", "b"),
    }
    built = written_build(tmp_path / "built", shards)
    export(str(built), str(tmp_path / "out"))
    found = [r["image_id"] for r in records(tmp_path / "out", "answers_and_bboxes")["train"]]
    assert found == [9, 10, 99, 100, 1000, "a", "a", "b"]


def test_pictures_are_never_read(tmp_path):
    """A shard whose pictures are spoilt is exported all the same."""
    image = {"bytes": b"\x89PNG" * 5000, "path": "1.png"}
    name = "test-00000-of-00001.parquet"
    rows_ = [{"answers": [ANSWER], "image": image}] * 3
    built = written_build(tmp_path / "built", {name: rows_}, IllustratedQuestionRow)
    path = built / "q" / name
    metadata = pq.read_metadata(path)
    column = next(
        metadata.row_group(0).column(i)
        for i in range(metadata.num_columns)
        if metadata.row_group(0).column(i).path_in_schema == "image.bytes"
    )
    data = bytearray(path.read_bytes())
    start = column.dictionary_page_offset or column.data_page_offset
    data[start : start + 8] = b"\xff" * 8
    path.write_bytes(data)
    sign(built)
    with pytest.raises(OSError, match=r".+"):
        pq.read_table(path)
    export(str(built), str(tmp_path / "out"))
    assert len(records(tmp_path / "out", "answers_and_bboxes")["test"]) == 3


def spoil_shard(built: pathlib.Path, how: str) -> None:
    shard = next((built / "screenqa").glob("test-*.parquet"))
    if how == "short":
        shard.write_bytes(shard.read_bytes()[:-100])
    elif how == "fewer":
        pq.write_table(pq.read_table(shard).slice(1), shard)
    elif how == "other":
        pq.write_table(pq.read_table(shard).drop_columns(["answers"]), shard)
    sign(built)


def spoil(built: pathlib.Path, how: str) -> None:
    shard = next((built / "screenqa").glob("test-*.parquet"))
    if how == "gone":
        shard.unlink()
    elif how in ("short", "fewer", "other"):
        spoil_shard(built, how)
    elif how == "damaged":
        (built / "BUILD.json").write_text('{"shards": [{}]}')
    elif how == "empty":
        summary = json.loads((built / "BUILD.json").read_text())
        (built / "BUILD.json").write_text(json.dumps(summary | {"shards": []}))
    elif how == "flipped":
        data = bytearray(shard.read_bytes())
        data[len(data) // 2] ^= 1
        shard.write_bytes(data)
    else:
        (built / "BUILD.json").unlink()


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("gone", "is missing"),
        ("flipped", "is not the file that was built; run `screenset check "),
        ("short", "is no whole Parquet file"),
        ("fewer", "does not hold the 25 rows of BUILD.json"),
        ("other", "has no column answers, which rows of questions have"),
        ("damaged", "is no finished build: its BUILD.json is damaged"),
        ("empty", "is no build with rows of questions"),
        ("unfinished", "is no finished build: its BUILD.json cannot be read"),
    ],
)
def test_what_is_no_whole_build_is_refused(demo_build, tmp_path, how, sentence):
    built = tmp_path / "built"
    shutil.copytree(demo_build("screenqa"), built)
    spoil(built, how)
    with pytest.raises(UserError, match=sentence):
        export(str(built), str(tmp_path / "out"))
    assert list(tmp_path.iterdir()) == [built]


def test_a_shard_that_breaks_half_way_leaves_nothing_behind(tmp_path):
    name = "train-00000-of-00001.parquet"
    built = written_build(tmp_path / "built", {name: [{"answers": [ANSWER]}] * 3})
    path = built / "q" / name
    data = bytearray(path.read_bytes())
    data[4:200] = b"\xff" * 196
    path.write_bytes(data)
    sign(built)
    with pytest.raises(UserError, match="is no whole Parquet file"):
        export(str(built), str(tmp_path / "out"))
    assert list(tmp_path.iterdir()) == [built]


@pytest.mark.parametrize("what", ["folder", "file", "link"])
def test_what_is_there_is_never_touched(run, demo_build, tmp_path, what):
    out = tmp_path / "out"
    if what == "folder":
        out.mkdir()
    elif what == "file":
        out.write_text("mine")
    else:
        out.symlink_to(tmp_path / "nowhere")
    done = run("export", demo_build("complexqa"), "--out", out)
    assert done.returncode == 2
    assert done.stderr == (f"screenset: --out: {out} is there already; choose a new folder\n")
    assert list(tmp_path.iterdir()) == [out]


def test_a_folder_that_cannot_be_made_is_one_sentence(run, demo_build, tmp_path):
    (tmp_path / "file").write_text("")
    done = run("export", demo_build("complexqa"), "--out", tmp_path / "file" / "out")
    assert done.returncode == 2
    assert done.stderr.startswith("screenset: --out: ")
    assert len(done.stderr.splitlines()) == 1


def test_the_command_has_help_with_an_example(run):
    done = run("export", "--help")
    assert done.returncode == 0
    assert "screenset export " in done.stdout.partition("examples:")[2]
