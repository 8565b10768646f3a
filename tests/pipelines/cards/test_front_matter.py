"""The front matter, read by PyYAML, huggingface_hub and `datasets`."""

import json
import pathlib
import re

import datasets
import pyarrow.parquet as pq
import pytest
import yaml
from huggingface_hub import DatasetCard, DatasetCardData

from pipelines.cards.by_hand import HandWritten
from pipelines.cards.card import card_text
from pipelines.cards.facts import card_facts
from pipelines.cards.front_matter import front_matter_values, yaml_features
from pipelines.errors import UserError
from pipelines.finished_builds import open_build
from schemas.columns import hub_features
from schemas.examples import IllustratedQuestionRow, QuestionRow
from schemas.screens import ScreenRow

NAMES = ("campaign", "inline", "by_screen", "without", "looks")


def values_of(folder: pathlib.Path) -> dict:
    front = (folder / "README.md").read_text().split("---\n")[1]
    return yaml.safe_load(front)


@pytest.mark.parametrize("row_type", [QuestionRow, IllustratedQuestionRow, ScreenRow])
def test_features_are_spelled_as_datasets_spells_them(row_type):
    ours = yaml_features(hub_features(row_type))
    theirs = datasets.Features.from_dict(hub_features(row_type))
    assert ours == theirs._to_yaml_list()
    assert datasets.Features._from_yaml_list(ours) == theirs


@pytest.mark.parametrize("name", NAMES)
def test_hub_classes_read_it(build, name):
    card = DatasetCard.load(build(name) / "README.md")
    values = values_of(build(name))
    assert card.data.to_dict() == values
    assert DatasetCardData(**values).to_dict() == values
    assert card.data.pretty_name == ("Screens and questions" if name == "campaign" else name)
    assert card.data.license == "apache-2.0"
    assert card.data.language == ["en"]
    assert card.data.size_categories == ["n<1K"]
    assert card.text.lstrip().startswith("# ")


@pytest.mark.parametrize("name", NAMES)
def test_datasets_loads_what_the_shards_hold(build, name, tmp_path, monkeypatch):
    monkeypatch.setattr(datasets.config, "HF_DATASETS_OFFLINE", True)
    folder = build(name)
    shards = json.loads((folder / "BUILD.json").read_text())["shards"]
    for configuration in {shard["configuration"] for shard in shards}:
        loaded = datasets.load_dataset(str(folder), configuration, cache_dir=str(tmp_path))
        for split, rows in loaded.items():
            (path,) = (folder / configuration).glob(f"{split}-*.parquet")
            held = json.loads(pq.read_schema(path).metadata[b"huggingface"])["info"]["features"]
            assert rows.features == datasets.Features.from_dict(held)
            assert list(rows["screen_id"]) == pq.read_table(path)["screen_id"].to_pylist()
        assert sum(rows.num_rows for rows in loaded.values()) == sum(
            shard["rows"] for shard in shards if shard["configuration"] == configuration
        )


def test_the_main_configuration_is_the_default_one(build, tmp_path):
    rows = datasets.load_dataset(str(build("by_screen")), split="test", cache_dir=str(tmp_path))
    assert "question" in rows.features


def test_sizes_are_those_that_datasets_counts(build, tmp_path):
    (info,) = values_of(build("inline"))["dataset_info"]
    loaded = datasets.load_dataset(str(build("inline")), "inline", cache_dir=str(tmp_path))
    for split in info["splits"]:
        counted = loaded[split["name"]].data.nbytes
        assert abs(split["num_bytes"] - counted) < 0.05 * counted
    assert info["dataset_size"] == sum(split["num_bytes"] for split in info["splits"])
    on_disk = sum(path.stat().st_size for path in build("inline").glob("inline/*.parquet"))
    assert info["download_size"] == on_disk


def test_what_it_is_made_of(build):
    campaign = values_of(build("campaign"))
    assert campaign["annotations_creators"] == ["crowdsourced", "machine-generated"]
    assert campaign["source_datasets"] == ["original", "extended"]
    assert campaign["tags"][-1] == "demo"
    assert campaign["task_categories"] == ["visual-question-answering", "image-text-to-text"]
    assert values_of(build("inline"))["annotations_creators"] == ["found"]
    assert values_of(build("without"))["task_categories"] == ["visual-question-answering"]
    looks = values_of(build("looks"))
    assert looks["task_categories"] == ["other"]
    assert looks["annotations_creators"] == ["no-annotation"]


def test_another_build_of_the_name_has_another_description(copy, change):
    folder = copy("inline")
    before = values_of(folder)["configs"][0]["description"]
    change(folder / "BUILD.json", lambda summary: summary.update(fingerprint="f" * 64))
    facts = card_facts(open_build(str(folder)))
    (config,) = front_matter_values(facts)["configs"]
    assert config["description"] == "inline 1.2.0, build ffffffffffff" != before


@pytest.mark.parametrize(
    ("rows", "category"),
    [(999, "n<1K"), (1_000, "1K<n<10K"), (85_984, "10K<n<100K"), (100_000, "100K<n<1M")],
)
def test_size_categories_are_the_hubs_buckets(copy, change, rows, category):
    folder = copy("without")

    def resize(summary: dict) -> None:
        for shard in summary["shards"]:
            shard["rows"] = 0
        summary["shards"][0]["rows"] = rows

    change(folder / "BUILD.json", resize)
    assert front_matter_values(card_facts(open_build(str(folder))))["size_categories"] == [category]


def test_screens_that_most_are_not_english_have_no_language(copy, change):
    folder = copy("looks")
    change(
        folder / "stats.json",
        lambda stats: stats["all"].update(screens_by_language={"english": 3, "not_english": 4}),
    )
    assert "language" not in front_matter_values(card_facts(open_build(str(folder))))


@pytest.mark.parametrize(
    "text",
    [
        "x\nlicense: mit",
        "'\"]}: &a *a !!python/object:os.system",
        "# by hand: front matter",
        "a\n# by hand: front matter\nb",
        "---",
        "a\n---\n\n# Not a card",
        "yes",
        "1e5",
        "0o17",
        "12:30:45",
        "word " * 100,
        "\u202eevil\x1b[2J",
    ],
)
def test_a_text_of_the_manifest_stays_one_text_of_the_front_matter(copy, change, text):
    folder = copy("without")
    change(folder / "BUILD.json", lambda s: s["card"].update(title=text, tags=[text, text, ""]))
    facts = card_facts(open_build(str(folder)))
    card = card_text(facts, HandWritten())
    front = re.split(r"^---\n", card, flags=re.MULTILINE)[1]
    found = yaml.safe_load(front)
    assert found["pretty_name"] == front_matter_values(facts)["pretty_name"]
    assert isinstance(found["pretty_name"], str)
    # In quotes: the Hub reads YAML 1.2, where 1e5 is a number, and PyYAML writes 1.1.
    assert front.startswith('pretty_name: "')
    assert found["license"] == "apache-2.0"
    assert found["tags"].count(found["pretty_name"]) == 1
    assert "\x1b" not in card
    assert "\u202e" not in card


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ("license: mit\n", "`license` in its front matter is generated"),
        ("configs: []\n", "`configs` in its front matter is generated"),
        ("a: [\n", "are no YAML"),
        ("just words\n", "is no `key: value`"),
    ],
)
def test_keys_by_hand_that_do_not_fit_are_refused(build, keys, problem):
    facts = card_facts(open_build(str(build("without"))))
    with pytest.raises(UserError, match=problem):
        card_text(facts, HandWritten((("front matter", keys),)))


def test_keys_by_hand_are_read_by_the_hub(build, tmp_path):
    facts = card_facts(open_build(str(build("without"))))
    hand = HandWritten((("front matter", "paperswithcode_id: screenqa\n# why: it is ours\n"),))
    (tmp_path / "README.md").write_text(card_text(facts, hand))
    assert DatasetCard.load(tmp_path / "README.md").data.paperswithcode_id == "screenqa"
