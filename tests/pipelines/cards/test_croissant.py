"""Croissant metadata: records that mlcroissant reads are the rows of the shards."""

import datetime
import io
import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import mlcroissant
import pyarrow.parquet as pq
import pytest
from PIL import Image

from pipelines.cards.card import write_card

LEFT_OUT = ("ui_elements",)
"""Lists inside lists of records, which mlcroissant cannot read."""


def documented(folder: pathlib.Path) -> pathlib.Path:
    write_card(str(folder))
    return folder / "croissant.json"


def plain_record(value: Any) -> Any:
    """Returns what mlcroissant gave as Parquet gives it: texts, columns' own names, bytes."""
    if isinstance(value, dict):
        return {key.rpartition("/")[2]: plain_record(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain_record(inner) for inner in value]
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, Image.Image):
        return value.convert("RGB").tobytes()
    return value.item() if hasattr(value, "item") else value


def plain_row(value: Any) -> Any:
    if isinstance(value, dict) and value.keys() == {"bytes", "path"}:
        return Image.open(io.BytesIO(value["bytes"])).convert("RGB").tobytes()
    if isinstance(value, dict):
        return {key: plain_row(inner) for key, inner in value.items() if key not in LEFT_OUT}
    if isinstance(value, list):
        return [plain_row(inner) for inner in value]
    return value


def filled(record: Any, row: Any) -> Any:
    """Returns a record whose null structs are null, as in the row: it gives their fields."""
    return {
        key: None if row[key] is None and isinstance(value, dict) else value
        for key, value in record.items()
    }


@pytest.mark.parametrize("name", ["campaign", "inline", "by_screen", "without", "looks"])
def test_records_read_through_it_are_the_rows(copy, name):
    folder = copy(name)
    dataset = mlcroissant.Dataset(str(documented(folder)))
    shards = json.loads((folder / "BUILD.json").read_text())["shards"]
    for configuration in sorted({shard["configuration"] for shard in shards}):
        rows = [
            plain_row(row)
            for shard in sorted(shards, key=lambda shard: shard["path"])
            if shard["configuration"] == configuration
            for row in pq.read_table(folder / shard["path"]).to_pylist()
        ]
        records = [plain_record(record) for record in dataset.records(configuration)]
        assert len(records) == len(rows) > 0
        for record, row in zip(records, rows, strict=True):
            assert filled(record, row) == row
        assert {row["split"] for row in rows} == {"train", "validation", "test"}


def test_every_shard_is_named_with_its_digest(copy):
    folder = copy("by_screen")
    metadata = json.loads(documented(folder).read_text())
    shards = json.loads((folder / "BUILD.json").read_text())["shards"]
    files = [one for one in metadata["distribution"] if one["@type"] == "cr:FileObject"]
    assert {one["contentUrl"]: one["sha256"] for one in files} == {
        shard["path"]: shard["sha256"] for shard in shards
    }
    assert metadata["license"] == "https://spdx.org/licenses/Apache-2.0"
    assert metadata["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert metadata["version"] == "1.0.0"
    assert "Deka et al., 2017" in metadata["citeAs"]
    assert "datePublished" not in metadata
    assert str(datetime.date.today().year) not in json.dumps(metadata["recordSet"])


def test_a_changed_byte_of_a_shard_is_found_by_its_readers(copy):
    folder = copy("without")
    dataset = mlcroissant.Dataset(str(documented(folder)))
    (node,) = (one for one in dataset.metadata.file_objects if "train" in one.content_url)
    path = folder / node.content_url
    body = bytearray(path.read_bytes())
    body[100] ^= 1
    path.write_bytes(body)
    from mlcroissant._src.operation_graph.base_operation import Operations
    from mlcroissant._src.operation_graph.operations import Download

    with pytest.raises(ValueError, match="is not identical"):
        Download(operations=Operations(), node=node).call()


def test_splits_are_an_enumeration(copy):
    dataset = mlcroissant.Dataset(str(documented(copy("without"))))
    splits = [record["splits/name"] for record in dataset.records("splits")]
    assert splits == ["train", "validation", "test"]


def test_hostile_texts_stay_texts(copy, change):
    folder = copy("without")
    text = 'x"}, <script>\n\u202e@context http://e.example'

    def poison(summary: dict) -> None:
        summary["card"].update(title=text, citation=text, tags=[text, "b"], licence=text)
        for source in summary["sources"].values():
            source.update(licence=text, citation=text)

    change(folder / "BUILD.json", poison)
    metadata = json.loads(documented(folder).read_text())
    shown = 'x"}, <script> \ufffd@context http://e.example'
    assert metadata["name"] == metadata["citeAs"] == metadata["license"] == shown
    assert shown in metadata["keywords"]
    change(folder / "BUILD.json", lambda summary: summary["card"].update(licence=None))
    assert json.loads(documented(folder).read_text())["license"] == shown


def test_the_same_bytes_in_processes_that_hash_otherwise(copy, root):
    folder = copy("by_screen")
    written = set()
    for seed in ("1", "2"):
        code = f"from pipelines.cards.card import write_card; write_card({str(folder)!r})"
        environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": f"UTC+{seed}"}
        subprocess.run([sys.executable, "-c", code], check=True, env=environment, cwd=root)
        written.add((folder / "croissant.json").read_bytes() + (folder / "README.md").read_bytes())
    assert len(written) == 1
