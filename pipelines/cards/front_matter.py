"""The front matter of a card: what the Hub and the `datasets` library read.

The keys are those of the Hub's `datasetcard.md` and of `DatasetCardData` in huggingface_hub.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from pipelines.cards.by_hand import FRONT_MATTER, HandWritten, front_matter_slot
from pipelines.cards.facts import CardFacts, SplitSize
from pipelines.cards.licences import OTHER, licence_of
from pipelines.cards.markdown import one_line
from pipelines.errors import UserError
from schemas.builds import CARD
from schemas.columns import hub_features
from schemas.manifest import Images, SourceKind
from schemas.readings import LanguageVerdict

_SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)
_LARGEST = "10M<n<100M"
_RICO_KINDS = (SourceKind.RICO_COMBINED, SourceKind.RICO_TRACES)
_RELEASED_KINDS = (SourceKind.SCREENQA_ANSWERS, SourceKind.SCREENQA_SHORT_ANSWERS)


def front_matter(facts: CardFacts, hand: HandWritten) -> str:
    """Returns the front matter with its two rules, its slot for keys by hand empty.

    Args:
        facts: What is known of the build.
        hand: What was written by hand; here only looked at.

    Raises:
        UserError: If the keys by hand are no mapping of YAML, or one of them is generated.
    """
    generated = front_matter_values(facts)
    _refuse_keys(hand.text_of(FRONT_MATTER), generated)
    # Not folded: no line of a text can then begin like a marker.
    text = yaml.dump(
        generated, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=float("inf")
    )
    return f"---\n{text}{front_matter_slot()}---\n"


def front_matter_values(facts: CardFacts) -> dict[str, Any]:
    """Returns the front matter as plain values, in the order in which it is written."""
    card = facts.summary["card"]
    values = {
        "pretty_name": _quoted(card["title"] or facts.name),
        "language": _languages(facts),
        **_licence_values(facts),
        "annotations_creators": _annotations_creators(facts),
        "source_datasets": _source_datasets(facts),
        "size_categories": [_size_category(facts.sizes[facts.name])],
        "task_categories": _task_categories(facts),
        "tags": _tags(facts, card["tags"]),
        "configs": [_config(facts, name) for name in facts.row_types],
        "dataset_info": [
            {"config_name": name, **dataset_info(yaml_features(hub_features(row_type)), sizes)}
            for (name, row_type), sizes in zip(
                facts.row_types.items(), facts.sizes.values(), strict=True
            )
        ],
    }
    return {key: value for key, value in values.items() if value}


def dataset_info(features: Any, sizes: Iterable[SplitSize]) -> dict[str, Any]:
    """Returns what `datasets` calls the info of a configuration, but for its name.

    Args:
        features: As `yaml_features` spells them.
        sizes: How much each of its splits holds.
    """
    known = list(sizes)
    return {
        "features": features,
        "splits": [
            {"name": size.split, "num_bytes": size.num_bytes, "num_examples": size.rows}
            for size in known
        ],
        "download_size": sum(size.stored_bytes for size in known),
        "dataset_size": sum(size.num_bytes for size in known),
    }


def yaml_features(features: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns features as `datasets` spells them in a README, from how it does in a schema.

    The same as `Features.from_dict(features)._to_yaml_list()`, which a test compares; that
    library takes a second and a half to import, and a build need not have it.
    """
    return [{"name": name, **_yaml_feature(feature)} for name, feature in features.items()]


def described(facts: CardFacts) -> str:
    """Returns the description of a configuration.

    `datasets` caches a folder by its name and by this text alone: without the fingerprint it
    would go on giving the rows of an earlier build, or of another one of this name.
    """
    return f"{facts.name} {facts.summary['version']}, build {facts.fingerprint}"


class _Quoted(str):
    """A text from the manifest, always in quotes: YAML 1.1 and 1.2 differ in what is a number."""

    __slots__ = ()


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


_Dumper.add_representer(
    _Quoted, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')
)


def _quoted(text: str) -> _Quoted:
    return _Quoted(one_line(text))


def _yaml_feature(feature: Any) -> dict[str, Any]:
    if isinstance(feature, list):
        inner = _yaml_feature(feature[0])
        alone = next(iter(inner)) if len(inner) == 1 else None
        return {"list": inner[alone] if alone in ("dtype", "struct") else inner}
    if feature.get("_type") == "Value":
        return {key: value for key, value in feature.items() if key != "_type"}
    if "_type" in feature:
        return {"dtype": str(feature["_type"]).lower()}
    return {"struct": yaml_features(feature)}


def _config(facts: CardFacts, name: str) -> dict[str, Any]:
    """Returns how the Hub finds the shards of a configuration."""
    files = [
        {"split": size.split, "path": f"{name}/{size.split}-*.parquet"}
        for size in facts.sizes[name]
    ]
    config = {"config_name": name, "description": described(facts), "data_files": files}
    return {**config, "default": True} if name == facts.name else config


def _languages(facts: CardFacts) -> list[str]:
    """Returns the languages: English for questions, else what the prefilter made out.

    Questions are asked in English (ScreenQA 8), whatever is on their screens. Screens alone
    are called English where most that could be judged are; nothing is said where none could.
    """
    found = facts.over_all.get("screens_by_language", {})
    english = found.get(LanguageVerdict.ENGLISH, 0)
    return ["en"] if facts.asks or english > found.get(LanguageVerdict.NOT_ENGLISH, 0) else []


def _licence_values(facts: CardFacts) -> dict[str, str]:
    sources = facts.summary["sources"].values()
    licence = licence_of(facts.summary["card"]["licence"], [s["licence"] for s in sources])
    if licence.hub_id != OTHER:
        return {"license": licence.hub_id}
    named = licence.name if licence.name != OTHER else ""
    return {"license": OTHER, **({"license_name": _quoted(named)} if named else {})}


def _annotations_creators(facts: CardFacts) -> list[str]:
    if not facts.asks:
        return ["no-annotation"]
    kinds = _kinds(facts)
    found = {
        "crowdsourced": SourceKind.ANNOTATION_EVENTS in kinds,
        "found": bool(kinds & {*_RELEASED_KINDS}),
        "machine-generated": facts.summary["short_answers"] is not None,
    }
    return [name for name, is_so in found.items() if is_so]


def _source_datasets(facts: CardFacts) -> list[str]:
    """Returns whether it is original; `extended` where released records or RICO are in it."""
    kinds = _kinds(facts)
    made_here = {SourceKind.ANNOTATION_EVENTS, SourceKind.IOS_CAPTURED, SourceKind.ITUNES}
    taken = {*_RELEASED_KINDS, *_RICO_KINDS}
    found = {"original": bool(kinds & made_here), "extended": bool(kinds & taken)}
    return [name for name, is_so in found.items() if is_so]


def _kinds(facts: CardFacts) -> set[str]:
    return {source["kind"] for source in facts.summary["sources"].values()}


def _size_category(sizes: Iterable[SplitSize]) -> str:
    """Returns the Hub's bucket for the rows of the main configuration."""
    rows = sum(size.rows for size in sizes)
    return next((name for below, name in _SIZES if rows < below), _LARGEST)


def _task_categories(facts: CardFacts) -> list[str]:
    if not facts.asks:
        return ["other"]
    has_pictures = facts.summary["images"] != Images.NONE
    return ["visual-question-answering", *(["image-text-to-text"] if has_pictures else [])]


def _tags(facts: CardFacts, given: Iterable[str]) -> list[str]:
    ours = ["mobile-ui", "gui", "screenshots", "screen-understanding"]
    ours += ["screen-question-answering"] if facts.asks else []
    theirs = [text for tag in given if (text := one_line(tag)) and text not in ours]
    return [*ours, *(_quoted(tag) for tag in dict.fromkeys(theirs))]


def _refuse_keys(text: str, generated: Mapping[str, Any]) -> None:
    """Refuses keys by hand that would break or contradict the front matter."""
    try:
        keys = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise UserError(f"{CARD}: the keys by hand in its front matter are no YAML") from error
    if keys is None:
        return
    if not isinstance(keys, dict):
        raise UserError(f"{CARD}: what is by hand in its front matter is no `key: value`")
    twice = [str(key) for key in keys if key in generated]
    if twice:
        raise UserError(f"{CARD}: `{twice[0]}` in its front matter is generated; take yours out")
