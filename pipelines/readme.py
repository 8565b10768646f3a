"""The README of a finished folder: enough front matter to load it, and its columns.

Two configurations do not load without `configs:` in the front matter.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from pipelines.terminal import safe
from schemas.columns import column_table
from schemas.manifest import SCREENS_RECIPE, SPLITS


def readme(summary: Mapping[str, Any], row_types: Mapping[str, type]) -> str:
    """Returns the README as Markdown with YAML front matter.

    Args:
        summary: What `BUILD.json` says.
        row_types: The row type of each configuration, the main one first.
    """
    shards = summary["shards"]
    configs = []
    for name in row_types:
        splits = {shard["split"] for shard in shards if shard["configuration"] == name}
        files = [
            {"split": split, "path": f"{name}/{split}-*.parquet"}
            for split in SPLITS
            if split in splits
        ]
        # `datasets` caches a folder by its name and by this text alone: without the digest, it
        # would go on giving the rows of an earlier build, or of another one of this name.
        described = (
            f"{summary['dataset']} {summary['version']}, build {summary['fingerprint'][:12]}"
        )
        config = {"config_name": name, "description": described, "data_files": files}
        configs.append({**config, "default": True} if name == summary["dataset"] else config)
    front = yaml.safe_dump({"configs": configs}, sort_keys=False)
    parts = [
        f"---\n{front}---\n",
        f"# {summary['dataset']} {summary['version']}\n",
        "Built by screenset. `BUILD.json` says from what and with which counts, `stats.json` "
        "what is in it, `rejects/` what was left out and why, `splits/` which screen went "
        "where, `prefilter.tsv` (if it is there) what the prefilter found on each screen, "
        "`duplicates.json` which screens are alike.\n",
        "## Loading\n",
        _loading(summary, list(row_types)),
        "## Sources\n",
        _source_lines(summary["sources"]),
    ]
    for name, row_type in row_types.items():
        parts += [f"## Columns of `{name}`\n", column_table(row_type)]
    return "\n".join(parts)


def _loading(summary: Mapping[str, Any], configurations: Sequence[str]) -> str:
    """Returns how to load the data set, and its rows by split."""
    name = summary["dataset"]
    lines = [
        "```python",
        "import datasets",
        f'{_variable(summary)} = datasets.load_dataset("PATH_OF_THIS_FOLDER", "{name}")',
    ]
    if "screens" in configurations[1:]:
        lines += [
            'screens = datasets.load_dataset("PATH_OF_THIS_FOLDER", "screens")',
            "# The pictures are in `screens`, one a screen: join on `screen_id`.",
        ]
    lines += ["```", "", "| configuration | split | rows |", "| --- | --- | --- |"]
    for configuration in configurations:
        for split in SPLITS:
            rows = [
                shard["rows"]
                for shard in summary["shards"]
                if (shard["configuration"], shard["split"]) == (configuration, split)
            ]
            if rows:
                lines.append(f"| `{configuration}` | {split} | {sum(rows):,} |")
    return "\n".join(lines) + "\n"


def _variable(summary: Mapping[str, Any]) -> str:
    return "screens" if summary["recipe"] == SCREENS_RECIPE else "questions"


def _source_lines(sources: Mapping[str, Mapping[str, Any]]) -> str:
    lines = []
    for name, source in sources.items():
        where = f" <{source['url']}>" if source["url"] else ""
        citation = f" {source['citation']}" if source["citation"] else ""
        lines.append(safe(f"- `{name}`: licence {source['licence']}.{where}{citation}"))
    return "\n".join(lines) + "\n"
