"""Builds to report on: of the sample, and one in which whatever comes from data is hostile."""

import json
import pathlib
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

MARKUP = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'></title></style></svg>"
TEMPLATE = "{{ 7 * 7 }}{% raw %}{# gone #}"
TURNED = "abc\u202edcba\u2066x\u200f\u200b\x00\x1b[31m"
LONG = "W" * 10_000
NULLISH = ("null", "None", "undefined", "NaN", "", " ")
HOSTILE = (MARKUP, TEMPLATE, TURNED, LONG, *NULLISH, "🏴\u200d☠️ 👩‍👩‍👧‍👦 مرحبا")


SCREENS = """\
version: 1
sources:
  rico: {kind: rico_combined, path: rico/combined, licence: Apache-2.0}
  apps: {kind: rico_ui_details, path: rico/ui_details.csv, licence: Apache-2.0}
datasets:
  drawn_screens:
    recipe: screens
    version: 1.0.0
    sources: {screens: rico, apps: apps}
    images: inline
    splits: {by: app, seed: demo, shares: {train: 0.6, validation: 0.2, test: 0.2}}
    rejects: {overall: 0.3}
"""


@pytest.fixture(scope="session")
def questions(demo_build):
    """Returns the folder of a build of the sample's questions. It is shared: copy it."""
    return demo_build("screenqa")


@pytest.fixture(scope="session")
def screens(run, sample, tmp_path_factory):
    """Returns the folder of a build of the sample's screens, without questions."""
    folder = tmp_path_factory.mktemp("screens")
    manifest = folder / "manifest.yaml"
    manifest.write_text(SCREENS)
    out = folder / "drawn_screens"
    done = run("build", "drawn_screens", "--manifest", manifest, "--data", sample, "--out", out)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture
def built(questions, tmp_path):
    """Returns a copy of the build of questions, to be changed."""
    return pathlib.Path(shutil.copytree(questions, tmp_path / "built"))


@pytest.fixture
def change():
    """Returns a function that changes a JSON file of a build."""

    def change_json(folder: pathlib.Path, name: str, how) -> None:
        path = folder / name
        value = json.loads(path.read_text())
        how(value)
        path.write_text(json.dumps(value))

    return change_json


@pytest.fixture
def make_hostile(change):
    """Returns a function that puts hostile texts wherever a build holds a text from data."""

    def hostile(folder: pathlib.Path) -> pathlib.Path:
        for path in sorted((folder / "screenqa").glob("*.parquet")):
            table = pq.read_table(path)
            pq.write_table(pa.Table.from_pylist(_spoiled(table.to_pylist()), table.schema), path)
        lines = [
            {
                "kind": "screen",
                "id": text,
                "step": text,
                "reason": text[:200],
                "detail": text,
                "origin": text,
            }
            for text in HOSTILE
        ]
        rejects = folder / "rejects" / "screen.jsonl"
        rejects.write_text("".join(json.dumps(line) + "\n" for line in lines))
        change(folder, "BUILD.json", _spoil_summary)
        change(folder, "stats.json", _spoil_statistics)
        change(folder, "duplicates.json", _spoil_duplicates)
        return folder

    return hostile


def _spoiled(rows: list[dict]) -> list[dict]:
    for place, row in enumerate(rows):
        text = HOSTILE[place % len(HOSTILE)]
        row["question"], row["app"], row["category"] = text, text, text
        row["screen_id"] = row["screen_id"] if place % 2 else f"{text[:60]}{place}"
        row["short_answers"] = [*HOSTILE]
        for answer in row["answers"]:
            answer["full_answer"] = text
            for element in answer["ui_elements"]:
                element["text"] = text
        row["answers"][0]["ui_elements"] += [
            {"text": text, "bounds": [900, 900, 10, 10], "vh_index": 1},
            {"text": text, "bounds": [-5, -5, 10_000, 10_000], "vh_index": -1},
            {"text": text, "bounds": [1, 2], "vh_index": -1},
        ]
        if place == 3:
            row["image"] = {"bytes": b"no picture", "path": "x.jpg"}
    return rows


def _spoil_summary(summary: dict) -> None:
    summary["card"]["title"] = MARKUP + TURNED
    for source in summary["sources"].values():
        source.update(licence=MARKUP, url="javascript:alert(3)", citation=LONG, digest=TURNED)
    summary["rejects"]["screen"] = {text[:200]: 1 for text in HOSTILE}
    summary["short_answers"].update(
        provider=MARKUP, model=TURNED, variants={MARKUP: 3, TEMPLATE: 1}
    )
    summary["short_answers"]["replies"] = {MARKUP: 2}
    summary["leaks"]["apps"].update(crossing=1, examples=[{"key": MARKUP, "members": []}])
    summary["leaks"]["other_datasets"] = {
        MARKUP: {
            "its_own_apps": {"groups": 1, "crossing": 1, "examples": []},
            "shared_screens": {TEMPLATE: {MARKUP: 3}},
        }
    }
    summary["prefilter"]["language"] = {MARKUP: 1}


def _spoil_statistics(stats: dict) -> None:
    for counts in stats.values():
        counts["questions_per_category"] = dict.fromkeys(HOSTILE, 1)
        counts["questions_by_short_answer_provider"] = dict.fromkeys(HOSTILE, 1)


def _spoil_duplicates(duplicates: dict) -> None:
    duplicates["bytes"]["members"][0]["screens"] = [[MARKUP, TURNED, LONG]] * 20
