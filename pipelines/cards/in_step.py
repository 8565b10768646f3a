"""Whether a card's front matter says of the shards what is true of them.

A card that speaks of other columns, files or counts makes a data set that does not load, or
loads as what it is not (huggingface/datasets issues 8608, 6271, 7867).
"""

import contextlib
import fnmatch
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow.parquet as pq
import yaml

from pipelines.cards.by_hand import kept_by_hand
from pipelines.cards.facts import fingerprint_of, split_sizes
from pipelines.cards.front_matter import dataset_info, yaml_features
from pipelines.errors import UserError
from pipelines.finished_builds import FinishedBuild, files_in, named
from pipelines.terminal import safe
from schemas.builds import CARD, CROISSANT
from schemas.columns import stored_features

_FOLDER_SIGNS = "**"


def card_problems(build: FinishedBuild) -> list[str]:
    """Returns a sentence for each way in which a build's card is not in step with its shards.

    Looked at are the front matter of `README.md` and, if it is there, `croissant.json`.

    Args:
        build: The build. Of its shards only the footers are read.

    Raises:
        UserError: If a shard is no whole Parquet file, or `BUILD.json` is damaged.
    """
    values = read_front_matter(build.path(CARD))
    if isinstance(values, str):
        return [f"{CARD}: {values}"]
    problems = [
        *_config_problems(values.get("configs"), build),
        *_info_problems(values.get("dataset_info"), build),
    ]
    # A card that is out of step was edited in most cases: then what is out of step is enough.
    problems = problems or list(_edit_problems(build.folder))
    return [*(f"{CARD}: {safe(problem)}" for problem in problems), *_croissant_problems(build)]


def read_front_matter(path: str) -> dict[str, Any] | str:
    """Returns the front matter of a card as plain values, or what is wrong with it."""
    if os.path.lexists(path) and not os.path.isfile(path):
        return "is no file"
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read().removeprefix("\ufeff")
    except FileNotFoundError:
        return "is missing; `screenset card` writes it"
    except (OSError, UnicodeDecodeError) as error:
        return f"cannot be read: {error}"
    head, _, rest = text.partition("\n")
    front, end, _ = rest.partition("\n---\n")
    if head != "---" or not end:
        return "has no front matter between two lines of `---`"
    try:
        values = yaml.safe_load(front)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 2}" if mark else ""
        return f"its front matter is no YAML{where}"
    return values if isinstance(values, dict) else "its front matter is no mapping"


def _edit_problems(folder: str) -> Iterator[str]:
    """Yields that the card was edited outside of its markers: its numbers may be anybody's."""
    try:
        kept_by_hand(folder, force=False)
    except UserError:
        yield (
            "it was edited outside of its markers; move what is to stay between them, and run "
            "`screenset card --force`"
        )


def _config_problems(configs: Any, build: FinishedBuild) -> Iterator[str]:
    named_configs = _by_name(configs)
    if named_configs is None:
        yield "`configs` is no list of configurations, each with its `config_name`"
        return
    yield from _name_problems("`configs`", named_configs, build)
    files = _files_beside(build)
    fingerprint = fingerprint_of(build.summary)
    for name, config in named_configs.items():
        if name not in build.row_types:
            continue
        if fingerprint not in str(config.get("description")):
            yield (
                f"the description of `{name}` has not the fingerprint of this build, {fingerprint}"
            )
        if bool(config.get("default")) != (name == build.name):
            yield f"`{name}` is {'not ' if name == build.name else ''}the default configuration"
        yield from _file_problems(name, config.get("data_files"), files, build)


def _file_problems(
    name: str, data_files: Any, files: Iterable[str], build: FinishedBuild
) -> Iterator[str]:
    """Yields in how far the patterns of a configuration do not match just its shards."""
    patterns = _patterns(data_files)
    if patterns is None:
        yield f"`data_files` of `{name}` is no list of a `split` and its `path` each"
        return
    expected = {(shard.split, shard.path) for shard in build.shards if shard.configuration == name}
    found = set()
    for split, pattern in patterns:
        matched = {(split, path) for path in files if _matches(pattern, path)}
        if not matched:
            yield f"the pattern {pattern!r} of `{name}`, {split}, matches no file"
        found |= matched
    for split, path in sorted(expected - found):
        yield f"no pattern of `{name}`, {split}, matches the shard {path}"
    for split, path in sorted(found - expected):
        yield f"a pattern of `{name}`, {split}, matches {path}, which is no shard of it"


def _info_problems(infos: Any, build: FinishedBuild) -> Iterator[str]:
    named_infos = _by_name([infos] if isinstance(infos, dict) else infos)
    if named_infos is None:
        yield "`dataset_info` is no list of configurations, each with its `config_name`"
        return
    yield from _name_problems("`dataset_info`", named_infos, build)
    for name, info in named_infos.items():
        shards = build.shards_of(name) if name in build.row_types else []
        if not shards:
            continue
        features = _shard_features(build.path(shards[0].path))
        expected = dataset_info(features, split_sizes(build, name))
        yield from _feature_problems(name, info.get("features"), features)
        yield from _split_problems(name, info.get("splits"), expected["splits"])
        for key in ("download_size", "dataset_size"):
            if info.get(key) != expected[key]:
                yield _differs(f"`{key}` of `{name}`", info.get(key), expected[key])


def _name_problems(key: str, found: Mapping[str, Any], build: FinishedBuild) -> Iterator[str]:
    for name in build.row_types:
        if name not in found:
            yield f"{key} lacks the configuration `{name}`"
    for name in found:
        if name not in build.row_types:
            yield f"{key} has the configuration {name!r}, which the build has not"


def _feature_problems(name: str, found: Any, expected: list[dict[str, Any]]) -> Iterator[str]:
    if found == expected:
        return
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        yield f"`features` of `{name}` is no list of columns"
        return
    theirs = {str(one.get("name")): one for one in found}
    ours = {one["name"]: one for one in expected}
    for column in ours.keys() - theirs.keys():
        yield f"`features` of `{name}` lacks the column `{column}` of its shards"
    for column in sorted(theirs.keys() - ours.keys()):
        yield f"`features` of `{name}` has the column {column!r}, which its shards have not"
    different = sorted(c for c in ours.keys() & theirs.keys() if ours[c] != theirs[c])
    for column in different:
        yield f"`features` of `{name}`: the column `{column}` has another type in its shards"
    if ours.keys() == theirs.keys() and not different:
        yield f"`features` of `{name}` are in another order than the columns of its shards"


def _split_problems(name: str, found: Any, expected: list[dict[str, Any]]) -> Iterator[str]:
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        yield f"`splits` of `{name}` is no list of splits"
        return
    theirs = {str(one.get("name")): one for one in found}
    for split in expected:
        one = theirs.pop(split["name"], None)
        if one is None:
            yield f"`splits` of `{name}` lacks {split['name']}"
            continue
        for key in ("num_examples", "num_bytes"):
            if one.get(key) != split[key]:
                what = f"`{key}` of `{name}`, {split['name']},"
                yield _differs(what, one.get(key), split[key])
    for split_name in sorted(theirs):
        yield f"`splits` of `{name}` has {split_name!r}, which its shards have not"


def _croissant_problems(build: FinishedBuild) -> list[str]:
    """Returns whether `croissant.json`, if it is there, names the shards and their digests."""
    try:
        with open(build.path(CROISSANT), encoding="utf-8") as file:
            distribution = json.load(file)["distribution"]
        found = {one["contentUrl"]: one["sha256"] for one in distribution if "contentUrl" in one}
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return [f"{CROISSANT}: is damaged; `screenset card` writes it anew"]
    if found != {shard.path: shard.sha256 for shard in build.shards}:
        return [f"{CROISSANT}: does not name the shards of this build and their digests"]
    return []


def _shard_features(path: str) -> list[dict[str, Any]]:
    """Returns the features that a shard's schema holds, as a README spells them.

    Raises:
        UserError: If it is no whole Parquet file or holds none.
    """
    with named(path):
        schema = pq.read_schema(path)
    with contextlib.suppress(KeyError, ValueError, TypeError, AttributeError, IndexError):
        found = stored_features(schema)
        if found is not None:
            return yaml_features(found)
    raise UserError(f"{path}: its schema holds no features of `datasets`")


def _files_beside(build: FinishedBuild) -> list[str]:
    """Returns the paths of the shards, and of all other Parquet files in the folder."""
    found = {shard.path for shard in build.shards}
    found |= {path for path in files_in(build.folder) if path.endswith(".parquet")}
    return sorted(found)


def _by_name(entries: Any) -> dict[str, dict[str, Any]] | None:
    """Returns entries by their `config_name`; None unless all have one."""
    if not isinstance(entries, list):
        return None
    if not all(isinstance(one, dict) and "config_name" in one for one in entries):
        return None
    return {str(one["config_name"]): one for one in entries}


def _patterns(data_files: Any) -> list[tuple[str, str]] | None:
    """Returns (split, pattern) pairs; None if they are spelled in a way that we never do."""
    if not isinstance(data_files, list):
        return None
    pairs = []
    for one in data_files:
        if not isinstance(one, dict) or "split" not in one:
            return None
        path = one.get("path")
        listed = [str(each) for each in path] if isinstance(path, list) else [str(path)]
        pairs += [(str(one["split"]), each) for each in listed]
    return pairs


def _matches(pattern: str, path: str) -> bool:
    """Whether a pattern of `data_files` matches a path, folder by folder."""
    return _parts_match(pattern.removeprefix("./").split("/"), path.split("/"))


def _parts_match(patterns: list[str], parts: list[str]) -> bool:
    if not patterns or not parts:
        return not patterns and not parts
    if patterns[0] == _FOLDER_SIGNS:
        return _parts_match(patterns[1:], parts) or _parts_match(patterns, parts[1:])
    if not fnmatch.fnmatchcase(parts[0], patterns[0]):
        return False
    return _parts_match(patterns[1:], parts[1:])


def _differs(what: str, found: Any, expected: int) -> str:
    shown = f"{found:,}" if isinstance(found, int) else repr(found)[:40]
    return f"{what} is {shown}, that of the shards {expected:,}"
