"""The card of a build from the released validation file; skipped where that is not at hand."""

import json
import pathlib
import shutil

import datasets
import pytest
import yaml
from huggingface_hub import DatasetCard, DatasetCardData

from pipelines.cards.card import write_card
from pipelines.cards.in_step import card_problems
from pipelines.finished_builds import open_build


@pytest.fixture(scope="module")
def folder(validation_v12, tmp_path_factory) -> pathlib.Path:
    out = shutil.copytree(validation_v12, tmp_path_factory.mktemp("card") / validation_v12.name)
    write_card(str(out))
    return out


def test_both_parsers_read_its_front_matter(folder):
    text = (folder / "README.md").read_text()
    values = yaml.safe_load(text.split("---\n")[1])
    card = DatasetCard.load(folder / "README.md")
    assert card.data.to_dict() == values == DatasetCardData(**values).to_dict()
    (info,) = values["dataset_info"]
    (split,) = info["splits"]
    assert (split["name"], split["num_examples"]) == ("validation", 8_614)
    assert values["size_categories"] == ["1K<n<10K"]
    assert values["license"] == "other"
    assert values["license_name"] == "by-source"
    assert card_problems(open_build(str(folder))) == []


def test_it_shows_the_released_counts(folder):
    text = (folder / "README.md").read_text()
    assert "8,614 questions on 3,485 screens" in text
    assert "10.37% of questions were found unanswerable" in text
    assert "A screen has up to 9 of them." in text
    assert "3 screens have more than 8 questions" in text
    unique = json.loads((folder / "stats.json").read_text())["all"]["unique_questions"]
    assert f"| {unique:,} |" in text
    assert unique == 5_873


def test_datasets_loads_it(folder, tmp_path):
    rows = datasets.load_dataset(str(folder), split="validation", cache_dir=str(tmp_path))
    assert rows.num_rows == 8_614
    assert rows.features["short_answers"] == datasets.List(datasets.Value("string"))
