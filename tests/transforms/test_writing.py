"""Tests of Parquet shards: planned, sorted, written whole or not at all."""

import dataclasses
import hashlib
import io
import json
import os

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from apache_beam.runners.portability.fn_api_runner import fn_runner
from PIL import Image

from schemas.builds import Shard
from schemas.columns import arrow_schema, plain_values
from schemas.examples import IllustratedQuestionRow
from schemas.geometry import Bounds
from schemas.manifest import ShardPolicy
from schemas.questions import Answer, AskedScreen, Provenance, Question, UiElement
from schemas.screens import App, ScreenRef
from transforms import writing
from transforms.files import file_digest
from transforms.progress import Progress, read_progress
from transforms.replacing import write_text
from transforms.rows import IllustratedQuestionRows, QuestionRows, ScreenRows
from transforms.screens.checking import CheckPolicy, check_screen
from transforms.writing import ShardFolder, WriteShards, write_shard

NAME = "train-00000-of-00001.parquet"


def question(screen_id, number=0, answers=True):
    answer = Answer("It is 5.", (UiElement("5", Bounds(1, 2, 3, 4), -1),))
    return Question(
        screen_id=screen_id,
        text=f"Question {number}?",
        answers=(answer,) if answers else (),
        short_answers=("5", "five"),
        frame=None,
        official_split=None,
        kinds=("answers",),
        provenance=Provenance("screenqa", "train.json", number),
    )


def asked(screen_id, questions=1, split="train", app=None):
    asks = tuple(question(screen_id, number) for number in range(questions))
    return AskedScreen(screen_id, None, app, asks, split=split)


def picture(seed):
    image = Image.new("RGB", (90, 160), "white")
    for step in range(12):
        digest = hashlib.sha256(f"{seed} {step}".encode()).digest()
        left, top = digest[0] % 70, digest[1] % 140
        image.paste(tuple(digest[2:5]), (left, top, left + 20, top + 20))
    buffer = io.BytesIO()
    image.save(buffer, "JPEG")
    return buffer.getvalue()


def illustrated(folder, screen_id, questions=1, split="train"):
    """Returns a checked screen whose picture lies in `folder`."""
    (folder / f"{screen_id}.jpg").write_bytes(picture(screen_id))
    ref = ScreenRef(screen_id, "rico", f"{screen_id}.jpg", None)
    plain = dataclasses.replace(asked(screen_id, questions, split), ref=ref)
    (result,) = check_screen(plain, {"rico": str(folder)}, CheckPolicy(), Progress())
    return result


@pytest.fixture
def folder(tmp_path):
    for name in ("data", "notes", "again", "pictures"):
        (tmp_path / name).mkdir()
    return ShardFolder(str(tmp_path / "data"), str(tmp_path / "notes"))


def write(folder, screens, maker=None, name=NAME, progress=None):
    maker = maker or QuestionRows()
    return write_shard(screens, name, "screenqa", maker, folder, progress or Progress())


def path_of(folder, shard):
    return os.path.join(folder.data, shard.path)


def test_a_shard_holds_the_rows_of_its_screens_in_order(folder):
    screens = [asked("9", 2, app=App("com.a", "Tools")), asked("10")]
    shard = write(folder, screens)
    path = path_of(folder, shard)
    expected = [plain_values(row) for screen in screens for row in QuestionRows().rows_of(screen)]
    assert pq.read_table(path).to_pylist() == expected
    assert shard == Shard(
        configuration="screenqa",
        split="train",
        path=f"screenqa/{NAME}",
        rows=3,
        screens=2,
        size_bytes=os.path.getsize(path),
        sha256=file_digest(path),
    )


def test_the_digest_of_a_shard_is_that_of_its_file(folder):
    shard = write(folder, [asked("9")])
    with open(path_of(folder, shard), "rb") as file:
        assert hashlib.sha256(file.read()).hexdigest() == shard.sha256


def test_nothing_but_the_shard_and_its_note_is_left(folder):
    write(folder, [asked("9")])
    assert os.listdir(os.path.join(folder.data, "screenqa")) == [NAME]
    assert os.listdir(folder.notes) == [f"screenqa-{NAME}.json"]


def test_a_shard_written_twice_has_the_same_bytes(folder, tmp_path):
    pictures = tmp_path / "pictures"
    makers = {
        "plain": QuestionRows(),
        "inline": IllustratedQuestionRows({"rico": str(pictures)}),
        "screens": ScreenRows({"rico": str(pictures)}),
    }
    screens = [illustrated(pictures, str(number), 2) for number in range(5)]
    other = ShardFolder(str(tmp_path / "again"), str(tmp_path / "again"))
    for name, maker in makers.items():
        one = write(folder, screens, maker, f"{name}.parquet")
        again = write(other, screens, maker, f"{name}.parquet")
        assert one == again
        with open(path_of(folder, one), "rb") as first, open(path_of(other, again), "rb") as second:
            assert first.read() == second.read()


def test_the_schema_carries_types_docs_and_the_hubs_features(folder, tmp_path):
    pictures = tmp_path / "pictures"
    maker = IllustratedQuestionRows({"rico": str(pictures)})
    shard = write(folder, [illustrated(pictures, "9")], maker)
    schema = pq.read_schema(path_of(folder, shard))
    declared = arrow_schema(IllustratedQuestionRow)
    assert schema.equals(declared)
    for field in declared:
        assert schema.field(field.name).metadata[b"doc"] == field.metadata[b"doc"]
    features = json.loads(schema.metadata[b"huggingface"])["info"]["features"]
    assert features["image"] == {"_type": "Image"}
    assert features["short_answers"] == [{"dtype": "string", "_type": "Value"}]


def test_shards_with_and_without_values_have_one_schema(folder):
    # A first shard of nothing but empty lists or nulls must not fix their types (datasets#7092).
    bare = AskedScreen("8", None, None, (question("8", answers=False),), split="train")
    full = asked("9", app=App("com.a", "Tools"))
    one = write(folder, [bare], name="one.parquet")
    other = write(folder, [full], name="other.parquet")
    schemas = [pq.read_schema(path_of(folder, shard)) for shard in (one, other)]
    assert schemas[0].equals(schemas[1], check_metadata=True)
    pa.concat_tables(pq.read_table(path_of(folder, shard)) for shard in (one, other))


def test_row_groups_with_pictures_have_at_most_a_hundred_rows(folder, tmp_path):
    pictures = tmp_path / "pictures"
    screens = [illustrated(pictures, str(number), 50) for number in range(5)]
    shard = write(folder, screens, IllustratedQuestionRows({"rico": str(pictures)}))
    metadata = pq.read_metadata(path_of(folder, shard))
    groups = [metadata.row_group(n).num_rows for n in range(metadata.num_row_groups)]
    assert groups == [100, 100, 50]


def test_row_groups_with_large_pictures_are_bounded_by_their_bytes(folder, tmp_path, monkeypatch):
    pictures = tmp_path / "pictures"
    monkeypatch.setattr(writing, "_GROUP_BYTES", 4 * len(picture("0")))
    screens = [illustrated(pictures, str(number)) for number in range(10)]
    shard = write(folder, screens, IllustratedQuestionRows({"rico": str(pictures)}))
    metadata = pq.read_metadata(path_of(folder, shard))
    groups = [metadata.row_group(n).num_rows for n in range(metadata.num_row_groups)]
    assert sum(groups) == 10
    assert 2 <= len(groups) <= 4
    assert max(groups) <= 5


def test_row_groups_without_pictures_are_large(folder):
    shard = write(folder, [asked(str(number), 50) for number in range(5)])
    assert pq.read_metadata(path_of(folder, shard)).num_row_groups == 1


def test_every_column_has_a_page_index(folder, tmp_path):
    pictures = tmp_path / "pictures"
    maker = IllustratedQuestionRows({"rico": str(pictures)})
    shard = write(folder, [illustrated(pictures, "9")], maker)
    metadata = pq.read_metadata(path_of(folder, shard))
    group = metadata.row_group(0)
    columns = [group.column(number) for number in range(group.num_columns)]
    assert all(column.has_offset_index and column.has_column_index for column in columns)
    assert {column.compression for column in columns} == {"ZSTD"}


def test_a_repeated_picture_is_folded_by_compression(folder, tmp_path):
    pictures = tmp_path / "pictures"
    maker = IllustratedQuestionRows({"rico": str(pictures)})
    one = write(folder, [illustrated(pictures, "9", 1)], maker, "one.parquet")
    nine = write(folder, [illustrated(pictures, "9", 9)], maker, "nine.parquet")
    assert nine.size_bytes < one.size_bytes + 2 * len(picture("9"))


def rewritten(folder, screens, maker=None):
    """Returns the shard's facts, and whether its file was written anew."""
    path = os.path.join(folder.data, "screenqa", NAME)
    before = os.stat(path).st_ino
    shard = write(folder, screens, maker)
    return shard, os.stat(path).st_ino != before


def test_a_finished_shard_of_the_same_content_is_kept(folder):
    shard = write(folder, [asked("9"), asked("10")])
    assert rewritten(folder, [asked("9"), asked("10")]) == (shard, False)


def test_a_shard_of_other_content_is_written_anew(folder):
    shard = write(folder, [asked("9")])
    changed, anew = rewritten(folder, [asked("9", 2)])
    assert anew
    assert changed.rows == 2
    assert changed.sha256 != shard.sha256
    assert file_digest(path_of(folder, changed)) == changed.sha256
    assert rewritten(folder, [asked("9", 2)]) == (changed, False)


def test_a_shard_of_other_rows_is_written_anew(folder, tmp_path):
    pictures = tmp_path / "pictures"
    screens = [illustrated(pictures, "9")]
    write(folder, screens)
    maker = IllustratedQuestionRows({"rico": str(pictures)})
    changed, anew = rewritten(folder, screens, maker)
    assert anew
    assert "image" in pq.read_schema(path_of(folder, changed)).names


def tamper(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def cut_off(path):
    path.write_bytes(path.read_bytes()[:-1])


def remove(path):
    path.unlink()


@pytest.mark.parametrize("damage", [tamper, cut_off, remove])
def test_a_damaged_shard_is_written_anew(folder, tmp_path, damage):
    shard = write(folder, [asked("9"), asked("10")])
    damage(tmp_path / "data" / shard.path)
    assert write(folder, [asked("9"), asked("10")]) == shard
    assert file_digest(path_of(folder, shard)) == shard.sha256


def test_a_shard_without_its_note_is_written_anew(folder):
    shard = write(folder, [asked("9")])
    os.unlink(os.path.join(folder.notes, f"screenqa-{NAME}.json"))
    assert rewritten(folder, [asked("9")]) == (shard, True)


def test_kept_and_written_screens_are_both_counted(folder, tmp_path):
    counts = tmp_path / "counts"
    counts.mkdir()
    progress = Progress(str(counts))
    write(folder, [asked("9"), asked("10")], progress=progress)
    assert read_progress(str(counts)) == {"screens written": 2}
    write(folder, [asked("9"), asked("10")], progress=progress)
    assert read_progress(str(counts)) == {"screens written": 4}
    progress.close()


def test_a_shard_that_cannot_be_finished_leaves_no_shard(folder, tmp_path):
    pictures = tmp_path / "pictures"
    screens = [illustrated(pictures, "9"), illustrated(pictures, "10")]
    (pictures / "10.jpg").write_bytes(picture("other"))
    with pytest.raises(ValueError, match="screen 10 changed"):
        write(folder, screens, IllustratedQuestionRows({"rico": str(pictures)}))
    left = os.listdir(os.path.join(folder.data, "screenqa"))
    assert all(name.startswith(".") for name in left)
    assert os.listdir(folder.notes) == []


def test_a_text_is_written_whole_and_replaces_the_one_before(tmp_path):
    path = tmp_path / "BUILD.json"
    write_text(str(path), "first")
    write_text(str(path), "zweitér\n")
    assert path.read_bytes() == "zweitér\n".encode()
    assert os.listdir(tmp_path) == ["BUILD.json"]


def test_a_text_that_cannot_be_written_leaves_the_one_before(tmp_path):
    path = tmp_path / "BUILD.json"
    write_text(str(path), "first")
    with pytest.raises(UnicodeEncodeError):
        write_text(str(path), "half \ud83d")
    assert path.read_text() == "first"


def write_all(screens, folder, policy, **runner_options):
    with beam.Pipeline(runner=fn_runner.FnApiRunner(**runner_options)) as pipeline:
        _ = (
            pipeline
            | beam.Create(screens)
            | WriteShards("screenqa", QuestionRows(), policy, folder, Progress())
        )
    names = sorted(os.listdir(os.path.join(folder.data, "screenqa")))
    return {name: pq.read_table(os.path.join(folder.data, "screenqa", name)) for name in names}


SCREENS = [asked(str(number), 2, split) for number in range(12) for split in ("train", "test")]


@pytest.mark.parametrize("use_state_iterables", [False, True])
def test_each_split_has_numbered_shards_of_screens_in_order(folder, use_state_iterables):
    policy = ShardPolicy(max_rows=10)
    tables = write_all(SCREENS, folder, policy, use_state_iterables=use_state_iterables)
    for split in ("test", "train"):
        names = [name for name in tables if name.startswith(split)]
        total = len(names)
        assert total > 2
        assert names == [f"{split}-{n:05d}-of-{total:05d}.parquet" for n in range(total)]
        rows = [row for name in names for row in tables[name].to_pylist()]
        assert sorted(row["question_id"] for row in rows) == sorted(
            row.question_id
            for screen in SCREENS
            if screen.split == split
            for row in QuestionRows().rows_of(screen)
        )
        for name in names:
            ids = [int(row["screen_id"]) for row in tables[name].to_pylist()]
            assert ids == sorted(ids)
            assert 0 < len(ids) <= 10 or len(set(ids)) == 1


def test_shards_do_not_depend_on_the_order_of_screens(folder, tmp_path):
    policy = ShardPolicy(max_rows=10)
    other = ShardFolder(str(tmp_path / "again"), folder.notes + "2")
    os.mkdir(other.notes)
    write_all(SCREENS, folder, policy)
    write_all(SCREENS[::-1], other, policy)
    digests = [
        {
            name: file_digest(os.path.join(place.data, "screenqa", name))
            for name in os.listdir(os.path.join(place.data, "screenqa"))
        }
        for place in (folder, other)
    ]
    assert digests[0] == digests[1]


def test_the_step_returns_the_facts_of_its_shards(folder):
    # One row or byte less, and each split would need two.
    policy = ShardPolicy(target_bytes=24 * 1024, max_rows=24)
    step = WriteShards("screenqa", QuestionRows(), policy, folder, Progress())
    shards = SCREENS | step
    assert sorted((shard.split, shard.path, shard.rows, shard.screens) for shard in shards) == [
        ("test", "screenqa/test-00000-of-00001.parquet", 24, 12),
        ("train", "screenqa/train-00000-of-00001.parquet", 24, 12),
    ]


def test_no_screens_make_no_shards(folder):
    step = WriteShards("screenqa", QuestionRows(), ShardPolicy(), folder, Progress())
    assert [] | step == []
    assert os.listdir(folder.data) == []
