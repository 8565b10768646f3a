"""A card that is not in step with its shards is found, whatever is wrong with it."""

import json
import os
import pathlib
from collections.abc import Callable

import pytest
import yaml

from pipelines.cards.card import write_card
from pipelines.cards.in_step import card_problems
from pipelines.errors import UserError
from pipelines.finished_builds import open_build


def problems(folder: pathlib.Path) -> list[str]:
    return card_problems(open_build(str(folder)))


def change_front(folder: pathlib.Path, how: Callable[[dict], object]) -> None:
    text = (folder / "README.md").read_text()
    _, front, body = text.split("---\n", 2)
    values = yaml.safe_load(front)
    how(values)
    (folder / "README.md").write_text(f"---\n{yaml.safe_dump(values)}---\n{body}")


@pytest.mark.parametrize("name", ["campaign", "inline", "by_screen", "without", "looks"])
def test_the_card_of_a_build_is_in_step(build, name):
    assert problems(build(name)) == []


def info_of(values: dict) -> dict:
    return values["dataset_info"][0]


def drop_column(values: dict) -> None:
    info_of(values)["features"].pop(0)


def add_column(values: dict) -> None:
    info_of(values)["features"].append({"name": "more", "dtype": "string"})


def retype_column(values: dict) -> None:
    info_of(values)["features"][1]["dtype"] = "int64"


def retype_nested_column(values: dict) -> None:
    (answers,) = (one for one in info_of(values)["features"] if one["name"] == "answers")
    answers["list"][1]["list"][1]["list"] = "int64"


def swap_columns(values: dict) -> None:
    features = info_of(values)["features"]
    features[0], features[1] = features[1], features[0]


def recount(values: dict) -> None:
    info_of(values)["splits"][0]["num_examples"] += 1


def resize(values: dict) -> None:
    info_of(values)["splits"][1]["num_bytes"] += 1


def drop_split(values: dict) -> None:
    info_of(values)["splits"].pop()


def add_split(values: dict) -> None:
    info_of(values)["splits"].append({"name": "tset", "num_examples": 1, "num_bytes": 1})


def redownload(values: dict) -> None:
    info_of(values)["download_size"] = None


def drop_info(values: dict) -> None:
    del values["dataset_info"]


def drop_config(values: dict) -> None:
    values["configs"].pop()


def add_config(values: dict) -> None:
    values["configs"].append({"config_name": "more", "data_files": []})


def drop_configs(values: dict) -> None:
    values["configs"] = "all"


def other_build(values: dict) -> None:
    values["configs"][0]["description"] = "by_screen 1.0.0, build 0123456789ab"


def other_default(values: dict) -> None:
    values["configs"][0].pop("default")
    values["configs"][1]["default"] = True


def match_nothing(values: dict) -> None:
    values["configs"][0]["data_files"][0]["path"] = "data/train-*.parquet"


def match_nothing_more(values: dict) -> None:
    values["configs"][0]["data_files"].append({"split": "test", "path": "more/*.parquet"})


def match_too_much(values: dict) -> None:
    values["configs"][0]["data_files"][0]["path"] = "by_screen/*.parquet"


def match_another_split(values: dict) -> None:
    files = values["configs"][0]["data_files"]
    files[0]["path"], files[1]["path"] = files[1]["path"], files[0]["path"]


def no_data_files(values: dict) -> None:
    del values["configs"][0]["data_files"]


STALE = {
    drop_column: ["lacks the column `screen_id` of its shards"],
    add_column: ["has the column 'more', which its shards have not"],
    retype_column: ["the column `width` has another type in its shards"],
    retype_nested_column: ["the column `answers` has another type in its shards"],
    swap_columns: ["are in another order than the columns of its shards"],
    recount: ["`num_examples` of `by_screen`, train, is"],
    resize: ["`num_bytes` of `by_screen`, validation, is"],
    drop_split: ["`splits` of `by_screen` lacks test"],
    add_split: ["`splits` of `by_screen` has 'tset', which its shards have not"],
    redownload: ["`download_size` of `by_screen` is None"],
    drop_info: ["`dataset_info` is no list of configurations"],
    drop_config: ["`configs` lacks the configuration `screens`"],
    add_config: ["`configs` has the configuration 'more', which the build has not"],
    drop_configs: ["`configs` is no list of configurations"],
    other_build: ["the description of `by_screen` has not the fingerprint of this build"],
    other_default: ["`by_screen` is not the default", "`screens` is the default"],
    match_nothing: ["'data/train-*.parquet' of `by_screen`, train, matches no file", "no pattern"],
    match_nothing_more: ["'more/*.parquet' of `by_screen`, test, matches no file"],
    match_too_much: ["which is no shard of it", "which is no shard of it"],
    match_another_split: ["no pattern", "no pattern", "which is no shard", "which is no shard"],
    no_data_files: ["`data_files` of `by_screen` is no list"],
}


@pytest.mark.parametrize("how", STALE, ids=lambda how: how.__name__)
def test_each_way_of_being_stale_is_found_and_named(copy, how):
    folder = copy("by_screen")
    change_front(folder, how)
    found = problems(folder)
    assert len(found) == len(STALE[how]), found
    for sentence, told in zip(found, STALE[how], strict=True):
        assert sentence.startswith("README.md: ")
        assert told in sentence


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# No front matter\n", "has no front matter"),
        ("---\nconfigs: []\n", "has no front matter"),
        ("---\nconfigs: [\n---\n", "is no YAML in line 2"),
        ("---\n- a\n---\n", "is no mapping"),
        ("---\na: 2020-99-99\n---\n", "is no YAML"),
        ("---\n" + "[" * 5_000 + "\n---\n", "is no YAML"),
        ("---\na: 1\n---\n", "`configs` is no list"),
    ],
)
def test_a_front_matter_that_says_nothing_is_told(copy, text, told):
    folder = copy("without")
    (folder / "README.md").write_text(text)
    assert told in problems(folder)[0]


def test_a_missing_card_is_told(copy):
    folder = copy("without")
    (folder / "README.md").unlink()
    assert problems(folder) == ["README.md: is missing; `screenset card` writes it"]


def test_a_pipe_in_place_of_a_card_is_told(copy):
    folder = copy("without")
    (folder / "README.md").unlink()
    os.mkfifo(folder / "README.md")
    assert problems(folder) == ["README.md: is no file"]


def test_a_stranger_that_a_pattern_matches_is_told(copy):
    folder = copy("without")
    stranger = folder / "without" / "train-00000-of-00002.parquet"
    stranger.write_bytes((folder / "without" / "train-00000-of-00001.parquet").read_bytes())
    (found,) = problems(folder)
    assert "matches without/train-00000-of-00002.parquet, which is no shard of it" in found


def test_patterns_go_through_folders_as_on_the_hub(copy):
    folder = copy("without")

    def widen(values: dict) -> None:
        for one in values["configs"][0]["data_files"]:
            one["path"] = [f"**/{one['split']}-*.parquet", f"./without/{one['split']}-00000-*"]

    change_front(folder, widen)
    (found,) = problems(folder)  # The patterns are right, but by whom?
    assert "was edited outside of its markers" in found
    change_front(folder, lambda v: v["configs"][0]["data_files"][0].update(path="*.parquet"))
    assert "matches no file" in problems(folder)[0]


def test_numbers_edited_in_the_text_of_a_card_are_told(copy):
    folder = copy("without")
    card = folder / "README.md"
    text = card.read_text()
    card.write_text(text.replace("| test | ", "| test | 9", 1))
    assert card.read_text() != text
    (found,) = problems(folder)
    assert "was edited outside of its markers" in found


def test_the_card_of_another_build_of_the_name_is_told(copy, change):
    folder = copy("without")
    change(folder / "BUILD.json", lambda summary: summary.update(fingerprint="0" * 64))
    (found,) = problems(folder)
    assert "has not the fingerprint of this build, 000000000000" in found


def test_texts_of_a_card_reach_no_terminal_as_they_are(copy):
    folder = copy("without")
    change_front(folder, lambda v: v["configs"].append({"config_name": "\x1b[2J\u202e"}))
    (found,) = problems(folder)
    assert "\x1b" not in found
    assert "\u202e" not in found


def test_croissant_metadata_of_other_shards_is_told(copy, change):
    folder = copy("without")
    write_card(str(folder))
    assert problems(folder) == []
    metadata = json.loads((folder / "croissant.json").read_text())
    metadata["distribution"][0]["sha256"] = "0" * 64
    (folder / "croissant.json").write_text(json.dumps(metadata))
    assert problems(folder) == [
        "croissant.json: does not name the shards of this build and their digests"
    ]
    for text in ("{", "[]", '{"distribution": [1]}', "null"):
        (folder / "croissant.json").write_text(text)
        assert problems(folder) == ["croissant.json: is damaged; `screenset card` writes it anew"]


def test_a_shard_that_is_none_is_a_sentence(copy):
    folder = copy("without")
    (folder / "without" / "train-00000-of-00001.parquet").write_bytes(b"PAR1")
    with pytest.raises(UserError, match=r"train-00000-of-00001\.parquet: is no whole Parquet file"):
        problems(folder)
