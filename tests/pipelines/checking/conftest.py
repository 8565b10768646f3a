"""Finished builds to break: each fault put into a copy, its books patched so that only it shows."""

import dataclasses
import hashlib
import json
import pathlib
import shutil
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipelines.checking.check import checked
from pipelines.finished_builds import open_build
from schemas.checks import CheckOutcome, CheckReport


@dataclasses.dataclass
class Copy:
    """A copy of a finished build."""

    folder: pathlib.Path

    @property
    def summary(self) -> dict[str, Any]:
        return json.loads((self.folder / "BUILD.json").read_text())

    def change_summary(self, change: Callable[[dict[str, Any]], None]) -> None:
        summary = self.summary
        change(summary)
        (self.folder / "BUILD.json").write_text(json.dumps(summary))

    def shard(self, split: str, configuration: str = "screenqa") -> str:
        return next(
            shard["path"]
            for shard in self.summary["shards"]
            if shard["split"] == split and shard["configuration"] == configuration
        )

    def rows(self, path: str) -> list[dict[str, Any]]:
        return pq.read_table(self.folder / path).to_pylist()

    def change_rows(self, path: str, change: Callable[[list[dict[str, Any]]], None]) -> None:
        """Writes a shard anew after `change` has changed its rows; the books follow."""
        rows = self.rows(path)
        change(rows)
        schema = pq.read_schema(self.folder / path)
        self.write(path, pa.Table.from_pylist(rows, schema))

    def write(self, path: str, table: pa.Table, *, group_rows: int = 100) -> None:
        with pq.ParquetWriter(
            self.folder / path,
            table.schema,
            compression="zstd",
            use_dictionary=["split"],
            write_page_index=True,
        ) as writer:
            writer.write_table(table, row_group_size=group_rows)
        screens = set(table["screen_id"].to_pylist()) if "screen_id" in table.column_names else ()
        self.patch(path, rows=len(table), screens=len(screens))

    def patch(self, path: str, **counts: int) -> None:
        """Makes `BUILD.json` say of a file what it is now."""
        data = (self.folder / path).read_bytes()
        facts = {"size_bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), **counts}

        def change(summary: dict[str, Any]) -> None:
            for file in [*summary["shards"], *summary["files"]]:
                if file["path"] == path:
                    file.update(facts)

        self.change_summary(change)

    def rewrite(self, path: str, change: Callable[[str], str]) -> None:
        """Changes the text of a file; the books follow."""
        (self.folder / path).write_text(change((self.folder / path).read_text()))
        self.patch(path)

    def check(self, *, decode_images: bool = True) -> CheckReport:
        return checked(open_build(str(self.folder)), decode_images=decode_images, workers=1)

    def found(self, *, decode_images: bool = True, card: bool = False) -> dict[str, str]:
        """Returns what the rules that did not pass say, by rule.

        The card tells the shards' sizes, so that any change of one makes it stale: its rule is
        left out, unless `card`.
        """
        return {
            result.rule: "\n".join([*result.findings, result.note])
            for result in self.check(decode_images=decode_images).results
            if result.outcome in (CheckOutcome.FAILED, CheckOutcome.ERRORED)
            and (card or result.rule != "card_in_step")
        }


@pytest.fixture
def copy(demo_build, tmp_path):
    """Returns a function that copies a finished build, to be broken."""

    def copy_build(name: str = "screenqa") -> Copy:
        shutil.copytree(demo_build(name), tmp_path / name)
        return Copy(tmp_path / name)

    return copy_build
