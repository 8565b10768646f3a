"""`screenset export --as`: examples for tuning, of builds that a user built."""

import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from signing import sign

from pipelines.errors import UserError
from pipelines.exporting.chat import ChatOptions, export_chat
from pipelines.exporting.pictures import file_stem
from schemas.columns import arrow_schema
from schemas.examples import IllustratedQuestionRow
from schemas.geometry import Size
from transforms.chat.boxes import on_grid
from transforms.chat.prompts import SHORT, instructions
from transforms.identifying import id_order

LAYOUTS = ("paligemma", "gemini", "openai")
TASKS = ("sqa_s", "sqa_l", "sqa_uic", "sqa_uic_bb")
SPLITS = ("train", "validation", "test")


@pytest.fixture(scope="module")
def exported(demo_build, tmp_path_factory):
    """Returns a function that exports the campaign's build in a layout, once."""
    folder = tmp_path_factory.mktemp("exported")
    done = {}

    def export_layout(layout: str) -> pathlib.Path:
        if layout not in done:
            done[layout] = export_chat(
                str(demo_build("screenqa")), str(folder / layout), ChatOptions(layout)
            )
        return folder / layout

    export_layout.done = done
    return export_layout


def rows_of(folder: pathlib.Path, configuration: str = "") -> dict[str, list[dict]]:
    """Returns the rows of a configuration by split, in the order of ids."""
    name = configuration or json.loads((folder / "BUILD.json").read_text())["dataset"]
    by_split = {
        split: [r for p in (folder / name).glob(f"{split}-*") for r in pq.read_table(p).to_pylist()]
        for split in SPLITS
    }
    return {s: sorted(r, key=lambda row: id_order(row["screen_id"])) for s, r in by_split.items()}


def lines(path: pathlib.Path) -> list[dict]:
    text = path.read_bytes().decode("ascii")
    assert text == "" or text.endswith("\n")
    return [json.loads(line) for line in text.split("\n")[:-1]]


def asked_and_said(layout: str, record: dict) -> tuple[str, str, str]:
    """Returns the prompt, the reply and the picture's address of an example."""
    if layout == "paligemma":
        assert list(record) == ["image", "prefix", "suffix"]
        return record["prefix"], record["suffix"], record["image"]
    if layout == "gemini":
        (user, model) = record["contents"]
        file, text = user["parts"]
        return text["text"], model["parts"][0]["text"], file["fileData"]["fileUri"]
    user, assistant = record["messages"]
    text, image = user["content"]
    return text["text"], assistant["content"], image["image_url"]["url"]


def contents(folder: pathlib.Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_command_says_what_it_wrote(run, demo_build, tmp_path):
    out = tmp_path / "tuning"
    done = run(
        "export", demo_build("screenqa"), "--out", out, "--as", "paligemma", "--tasks", "sqa_s"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"sqa_s/train\.jsonl +31 +31 +–", done.stdout)
    assert "pictures: 36" in done.stdout
    assert f"chat examples for paligemma: {out}" in done.stdout
    assert sorted(p.name for p in out.iterdir()) == ["README.md", "images", "sqa_s"]
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_question_is_in_every_task_in_the_order_of_ids(layout, exported, demo_build):
    out = exported(layout)
    rows = rows_of(demo_build("screenqa"))
    for task in TASKS:
        for split in SPLITS:
            found = [asked_and_said(layout, r) for r in lines(out / task / f"{split}.jsonl")]
            asked = instructions(layout)[task]
            assert all(prompt.startswith(asked) for prompt, _, _ in found)
            questions = [prompt.removeprefix(asked) for prompt, _, _ in found]
            assert questions == [row["question"] for row in rows[split]]
            assert len(questions) > 20
    counted = {file.path: (file.questions, file.answers) for file in exported.done[layout].files}
    assert counted == {
        f"{task}/{split}.jsonl": (len(rows[split]),) * 2 for task in TASKS for split in SPLITS
    }


@pytest.mark.parametrize("layout", LAYOUTS)
def test_replies_are_what_the_rows_say(layout, exported, demo_build):
    out = exported(layout)
    unanswerable = 0
    for split, rows in rows_of(demo_build("screenqa")).items():
        by_task = {task: lines(out / task / f"{split}.jsonl") for task in TASKS}
        for place, row in enumerate(rows):
            said = {t: asked_and_said(layout, found[place])[1] for t, found in by_task.items()}
            assert said["sqa_s"] in row["short_answers"]
            answers = [a for a in row["answers"] if a["full_answer"] == said["sqa_l"]]
            texts = [[e["text"] for e in a["ui_elements"]] for a in answers]
            assert json.loads(said["sqa_uic"]) in texts
            if said["sqa_l"] == "<no answer>":
                unanswerable += 1
                assert said["sqa_uic"] == "[]"
                assert said["sqa_uic_bb"] == ("<no answer>" if layout == "paligemma" else "[]")
            else:
                assert located(layout, said["sqa_uic_bb"]) in expected_boxes(layout, row, answers)
    assert unanswerable >= 5


def located(layout: str, reply: str) -> list[tuple[str, tuple[int, ...]]]:
    """Returns texts and boxes, the latter as left, top, right, bottom in the layout's steps."""
    if layout == "gemini":
        found = [(e["label"], e["box_2d"]) for e in json.loads(reply)]
        return [(text, (left, top, right, bottom)) for text, (top, left, bottom, right) in found]
    if layout == "openai":
        return [(e["text"], tuple(e["bounds"])) for e in json.loads(reply)]
    parts = reply.split(" ; ")
    found = [
        re.fullmatch(r"<loc(\d{4})>" * 4 + " (.*)", part, re.DOTALL).groups() for part in parts
    ]
    return [(t, (int(left), int(top), int(r), int(b))) for top, left, b, r, t in found]


def expected_boxes(layout: str, row: dict, answers: list[dict]) -> list:
    from schemas.geometry import Bounds

    last = 1023 if layout == "paligemma" else 1000
    size = Size(row["width"], row["height"])
    return [
        [(e["text"], tuple(on_grid(Bounds(*e["bounds"]), size, last))) for e in a["ui_elements"]]
        for a in answers
    ]


@pytest.mark.parametrize("layout", ["gemini", "openai"])
def test_short_answers_are_asked_for_as_in_the_paper(layout, exported):
    found = lines(exported(layout) / "sqa_s" / "test.jsonl")
    prompts = [asked_and_said(layout, record)[0] for record in found]
    assert len(prompts) == 25
    assert all(prompt.startswith(SHORT) for prompt in prompts)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_pictures_are_the_bytes_of_the_shards_once_each(layout, exported, demo_build):
    out = exported(layout)
    pictures = {
        row["screen_id"]: row["image"]["bytes"]
        for rows in rows_of(demo_build("screenqa")).values()
        for row in rows
    }
    files = {path.stem: path.read_bytes() for path in (out / "images").iterdir()}
    assert files == pictures
    for split, rows in rows_of(demo_build("screenqa")).items():
        for row, record in zip(rows, lines(out / "sqa_l" / f"{split}.jsonl"), strict=True):
            _, _, uri = asked_and_said(layout, record)
            if layout == "openai":
                head, _, encoded = uri.partition(",")
                assert head in ("data:image/jpeg;base64", "data:image/png;base64")
                found = base64.b64decode(encoded, validate=True)
            else:
                found = (out / uri).read_bytes()
            assert found == row["image"]["bytes"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_readme_s_snippet_reads_all(layout, exported):
    text = (exported(layout) / "README.md").read_text()
    (snippet,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    last = {
        "paligemma": "print(len(boxes), len(picture))",
        "gemini": "print(len(boxes), question['text'])",
        "openai": "print(len(boxes), len(picture))",
    }[layout]
    done = subprocess.run(
        [sys.executable, "-c", snippet + last],
        cwd=exported(layout),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert re.match(r"\d+ .+", done.stdout)


def test_the_same_seed_gives_the_same_bytes_and_another_other_answers(
    demo_build, exported, tmp_path
):
    first = contents(exported("gemini"))
    built = str(demo_build("screenqa"))
    export_chat(built, str(tmp_path / "again"), ChatOptions("gemini"))
    assert contents(tmp_path / "again") == first
    export_chat(built, str(tmp_path / "other"), ChatOptions("gemini", seed="another"))
    other = contents(tmp_path / "other")
    assert other.keys() == first.keys()
    assert other["sqa_s/train.jsonl"] != first["sqa_s/train.jsonl"]
    assert {n: b for n, b in other.items() if n.startswith("images")} == {
        n: b for n, b in first.items() if n.startswith("images")
    }


def test_all_answers_make_an_example_each(run, demo_build, tmp_path):
    out = tmp_path / "out"
    done = run(
        "export", demo_build("screenqa"), "--out", out, "--as", "gemini", "--tasks", "sqa_s",
        "--short-answers", "all",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for split, rows in rows_of(demo_build("screenqa")).items():
        said = [asked_and_said("gemini", r)[1] for r in lines(out / "sqa_s" / f"{split}.jsonl")]
        assert said == [text for row in rows for text in sorted(set(row["short_answers"]))]
    options = ChatOptions("gemini", tasks=["sqa_l"], answers="all")
    export_chat(str(demo_build("screenqa")), str(tmp_path / "long"), options)
    said = [
        asked_and_said("gemini", r)[1] for r in lines(tmp_path / "long" / "sqa_l" / "test.jsonl")
    ]
    assert said == [
        text
        for row in rows_of(demo_build("screenqa"))["test"]
        for text in dict.fromkeys(answer["full_answer"] for answer in row["answers"])
    ]


def test_pictures_in_rows_of_their_own_are_found(demo_build, tmp_path):
    out = tmp_path / "out"
    exported = export_chat(
        str(demo_build("screenqa_official")), str(out), ChatOptions("paligemma", tasks=["sqa_s"])
    )
    screens = rows_of(demo_build("screenqa_official"), "screens")
    pictures = {r["screen_id"]: r["image"]["bytes"] for found in screens.values() for r in found}
    assert {path.stem: path.read_bytes() for path in (out / "images").iterdir()} == pictures
    assert exported.pictures == len(pictures)
    for record in lines(out / "sqa_s" / "train.jsonl"):
        assert (out / record["image"]).is_file()


@pytest.mark.parametrize(
    ("layout", "prefix", "address"),
    [
        ("gemini", "gs://bucket/folder/", "gs://bucket/folder/images/"),
        ("openai", "https://example.org/s", "https://example.org/s/images/"),
    ],
)
def test_a_prefix_goes_before_the_paths(demo_build, tmp_path, layout, prefix, address):
    options = ChatOptions(layout, tasks=["sqa_s"], image_prefix=prefix)
    export_chat(str(demo_build("screenqa")), str(tmp_path / "out"), options)
    for record in lines(tmp_path / "out" / "sqa_s" / "test.jsonl"):
        _, _, uri = asked_and_said(layout, record)
        assert uri.startswith(address)
        assert (tmp_path / "out" / "images" / uri.removeprefix(address)).is_file()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (ChatOptions("gemini", image_prefix="bucket"), "is no plain address that begins with gs"),
        (ChatOptions("openai", image_prefix="gs://b/"), "begins with https:// or http://"),
        (ChatOptions("openai", image_prefix="https://me:pw@host/"), "is no plain address"),
        (ChatOptions("openai", image_prefix="https://host/?sig=abc"), "is no plain address"),
        (ChatOptions("paligemma", image_prefix="https://host/"), "leave it out"),
        (ChatOptions("llava"), "'llava' is not a valid ChatFormat"),
    ],
)
def test_options_that_cannot_be_met_are_refused(demo_build, tmp_path, options, sentence):
    with pytest.raises(UserError, match=re.escape(sentence)):
        export_chat(str(demo_build("screenqa")), str(tmp_path / "out"), options)
    assert list(tmp_path.iterdir()) == []


def test_a_build_without_pictures_is_refused(run, demo_build, tmp_path):
    done = run("export", demo_build("complexqa"), "--out", tmp_path / "out", "--as", "gemini")
    assert done.returncode == 2
    assert "has no pictures, which examples of a chat about screens need" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_no_build_is_refused(tmp_path):
    with pytest.raises(UserError, match="is no finished build"):
        export_chat(str(tmp_path), str(tmp_path / "out"), ChatOptions("gemini"))


def test_what_is_there_is_never_touched(demo_build, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine").write_text("mine")
    with pytest.raises(UserError, match="is there already; choose a new folder"):
        export_chat(str(demo_build("screenqa")), str(out), ChatOptions("gemini"))
    assert contents(out) == {"mine": b"mine"}
    assert list(tmp_path.iterdir()) == [out]


JPEG = b"\xff\xd8\xff\xe0 a picture"
HOSTILE = 'x"\n\u2028\u202e\x1b[2J</script><loc0001>\\ <image>'


def hand_row(**changes) -> dict:
    plain = {
        "screen_id": "1",
        "width": 100,
        "height": 200,
        "app": None,
        "category": None,
        "question": "Who?",
        "question_id": "1:a",
        "answers": [
            {
                "full_answer": "Ada.",
                "ui_elements": [{"text": "Ada", "bounds": [0, 0, 50, 100], "vh_index": 1}],
            }
        ],
        "short_answers": ["Ada"],
        "short_answers_from": None,
        "answerable": True,
        "any_no_answer": False,
        "agreement": None,
        "origin": "captured",
        "split": "train",
        "provenance": {"source": "s", "file": "f", "position": 0},
        "image": {"bytes": JPEG, "path": "1.jpg"},
        "image_reencoded": False,
    }
    return plain | changes


def written_build(folder: pathlib.Path, rows: list[dict]) -> pathlib.Path:
    (folder / "q").mkdir(parents=True)
    name = "q/train-00000-of-00001.parquet"
    schema = arrow_schema(IllustratedQuestionRow)
    pq.write_table(pa.Table.from_pylist(rows, schema), folder / name, row_group_size=2)
    shard = {"configuration": "q", "split": "train", "path": name, "rows": len(rows)}
    shard |= {"screens": 1, "size_bytes": 1, "sha256": ""}
    summary = {"dataset": "q", "version": "1.0.0", "recipe": "screenqa", "images": "inline"}
    (folder / "BUILD.json").write_text(json.dumps(summary | {"shards": [shard], "files": []}))
    sign(folder)
    return folder


@pytest.mark.parametrize("layout", LAYOUTS)
def test_hostile_texts_and_ids_stay_where_they_belong(layout, tmp_path):
    element = {"text": HOSTILE, "bounds": [0, 0, 50, 100], "vh_index": 1}
    bad = {
        "question": HOSTILE,
        "short_answers": [HOSTILE],
        "answers": [{"full_answer": HOSTILE, "ui_elements": [element]}],
    }
    ids = ["../../evil", "a/b", "A", "a", ".", "..", "x" * 5000, "con\x00", "app_trace_0:12"]
    rows = [hand_row(screen_id=i, question_id=f"{i}:q", **bad) for i in sorted(ids, key=id_order)]
    built = written_build(tmp_path / "built", rows)
    out = tmp_path / "out"
    exported = export_chat(str(built), str(out), ChatOptions(layout))
    assert exported.pictures == len(ids)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["built", "out"]
    names = [path.name for path in (out / "images").iterdir()]
    assert len({name.lower() for name in names}) == len(ids)
    assert all(re.fullmatch(r"[a-z0-9_~-]{1,120}\.jpg", name) for name in names)
    for task in TASKS:
        found = lines(out / task / "train.jsonl")
        assert len(found) == len(ids)
        for record in found:
            prompt, _, _ = asked_and_said(layout, record)
            shown = prompt.replace("< ", "<") if layout == "paligemma" else prompt
            assert shown.endswith(HOSTILE)


def test_names_of_files_are_plain_and_differ():
    assert file_stem("90018") == "90018"
    assert file_stem("app-1_x") == "app-1_x"
    assert file_stem("a") != file_stem("A")
    assert re.fullmatch(r"a_b~[0-9a-f]{16}", file_stem("a/b"))
    assert file_stem("a/b") != file_stem("a:b")
    assert re.fullmatch(r"~[0-9a-f]{16}", file_stem(".."))


def test_questions_without_what_a_task_asks_for_are_counted(tmp_path):
    rows = [
        hand_row(question_id="1:a", short_answers=[]),
        hand_row(question_id="1:b", question="What?", answers=[]),
    ]
    built = written_build(tmp_path / "built", rows)
    exported = export_chat(str(built), str(tmp_path / "out"), ChatOptions("gemini"))
    assert {(f.path, f.questions, f.answers, f.left_out) for f in exported.files} == {
        (f"{task}/train.jsonl", 1, 1, 1) for task in TASKS
    }
    none = written_build(tmp_path / "none", [hand_row(short_answers=[])])
    found = export_chat(str(none), str(tmp_path / "out2"), ChatOptions("gemini"))
    assert {f.path for f in found.files} == {f"{task}/train.jsonl" for task in TASKS[1:]}
    options = ChatOptions("gemini", tasks=["sqa_s"])
    with pytest.raises(UserError, match="has no short answers, which the task sqa_s is made of"):
        export_chat(str(none), str(tmp_path / "out3"), options)
    assert not (tmp_path / "out3").exists()


@pytest.mark.parametrize("picture", [b"", b"GIF89a", b"<svg>"])
def test_what_is_no_picture_is_refused(tmp_path, picture):
    row = hand_row(image={"bytes": picture, "path": "1.jpg"})
    built = written_build(tmp_path / "built", [row])
    with pytest.raises(UserError, match="the picture of screen '1' is no JPEG, PNG or WebP"):
        export_chat(str(built), str(tmp_path / "out"), ChatOptions("openai"))
    assert list(tmp_path.iterdir()) == [built]


def test_a_damaged_shard_leaves_nothing_behind(demo_build, tmp_path):
    built = tmp_path / "built"
    shutil.copytree(demo_build("screenqa"), built)
    shard = next((built / "screenqa").glob("test-*.parquet"))
    os.truncate(shard, shard.stat().st_size - 100)
    sign(built)
    with pytest.raises(UserError, match="is no whole Parquet file"):
        export_chat(str(built), str(tmp_path / "out"), ChatOptions("openai"))
    assert list(tmp_path.iterdir()) == [built]


ELEMENT = {"text": "Ada", "bounds": [0, 0, 50, 100], "vh_index": 1}


@pytest.mark.parametrize(
    ("spoilt", "sentence"),
    [
        ({"screen_id": None}, "has a row without the id of a screen"),
        ({"question": None}, "the row of question '1:a' is damaged"),
        ({"question_id": None}, "the row of question None is damaged"),
        ({"answers": None}, "the row of question '1:a' is damaged"),
        ({"answers": [None]}, "the row of question '1:a' is damaged"),
        ({"short_answers": None}, "the row of question '1:a' is damaged"),
        ({"short_answers": ["a", None]}, "the row of question '1:a' is damaged"),
        ({"answers": [{"full_answer": None, "ui_elements": []}]}, "is damaged"),
        ({"answers": [{"full_answer": "A", "ui_elements": None}]}, "is damaged"),
        ({"answers": [{"full_answer": "A", "ui_elements": [ELEMENT | {"text": None}]}]}, "damaged"),
        (
            {"answers": [{"full_answer": "A", "ui_elements": [ELEMENT | {"bounds": [1]}]}]},
            "damaged",
        ),
        ({"image": None}, "the picture of screen '1' is no JPEG, PNG or WebP"),
    ],
)
def test_rows_that_no_build_writes_are_one_sentence(tmp_path, spoilt, sentence):
    built = written_build(tmp_path / "built", [hand_row(**spoilt)])
    with pytest.raises(UserError, match=sentence):
        export_chat(str(built), str(tmp_path / "out"), ChatOptions("gemini"))
    assert list(tmp_path.iterdir()) == [built]
