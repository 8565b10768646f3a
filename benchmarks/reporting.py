"""Times `screenset report` at the size of ScreenQA: 38,000 screens, 86,000 rows with pictures.

    python benchmarks/reporting.py --screens 38000

The build is the drawn sample's, its rows written again and again under new ids, in shards and row
groups as a build writes them; so pictures are drawn ones of 540 × 960, and the counts of
`stats.json` are the sample's. Beside it stands a bare loop that reads the same plain columns and
makes the same number of thumbnails.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.resources import as_file, files
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from measuring import measure

from pipelines.reporting.report import write_report
from pipelines.sample.writing import write_sample
from transforms.screens.images import thumbnail

_GROUP_ROWS = 100
_SHARD_SCREENS = 2_000
_SHOWN = 150


def main() -> None:
    """Makes the build, reports on it in a process of its own, and prints a row of a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--screens", type=int, default=38_000)
    parser.add_argument("--folder", default=None, help="where to work; kept if given")
    parser.add_argument("--run", nargs=2, metavar=("CONTENDER", "BUILD"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        run(*arguments.run)
        return
    folder = arguments.folder or tempfile.mkdtemp(prefix="screenset-bench-")
    try:
        built = os.path.join(folder, f"report-{arguments.screens}")
        if not os.path.exists(os.path.join(built, "BUILD.json")):
            make_build(folder, built, arguments.screens)
        print("| contender | wall s | CPU s | peak MB | page MB |")
        print("| --- | --- | --- | --- | --- |")
        for contender in ("bare", "report"):
            usage = measure([sys.executable, __file__, "--run", contender, built])
            page = os.path.join(built, "report.html")
            size = f"{os.path.getsize(page) / 1e6:.1f}" if contender == "report" else "–"
            print(
                f"| {contender} | {usage.wall_s:.1f} | {usage.cpu_s:.1f} | {usage.peak_mb:,.0f} "
                f"| {size} |"
            )
    finally:
        if arguments.folder is None:
            shutil.rmtree(folder)


def run(contender: str, built: str) -> None:
    """Runs one contender in this process."""
    if contender == "report":
        write_report(built)
        return
    paths = sorted(_shards(built))
    for path in paths:
        with pq.ParquetFile(path) as file:
            for group in range(file.num_row_groups):
                file.read_row_group(group, columns=["screen_id", "category", "any_no_answer"])
    for number in range(_SHOWN):
        with pq.ParquetFile(paths[number % len(paths)]) as file:
            batches = file.iter_batches(
                batch_size=8,
                row_groups=[number % file.num_row_groups],
                columns=["image"],
            )
            thumbnail(next(batches)["image"][0].as_py()["bytes"])


def make_build(folder: str, built: str, n_screens: int) -> None:
    """Writes a finished build of so many screens into `built`, out of the sample's."""
    data, source = os.path.join(folder, "sample"), os.path.join(folder, "screenqa")
    if not os.path.exists(source):
        write_sample(pathlib.Path(data))
        with as_file(files("pipelines") / "manifests" / "demo.yaml") as manifest:
            command = ["build", "screenqa", "--manifest", str(manifest), "--data", data]
            command = [sys.executable, "-m", "pipelines", *command, "--out", source]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    shutil.copytree(source, built, ignore=shutil.ignore_patterns("BUILD.json", "*.parquet"))
    with open(os.path.join(source, "BUILD.json"), encoding="utf-8") as file:
        summary = json.load(file)
    table = pa.concat_tables(pq.read_table(path) for path in sorted(_shards(source)))
    summary["shards"] = list(_write_shards(table, built, n_screens))
    with open(os.path.join(built, "BUILD.json"), "w", encoding="utf-8") as file:
        json.dump(summary, file)


def _shards(built: str) -> Iterator[str]:
    folder = os.path.join(built, "screenqa")
    return (os.path.join(folder, name) for name in os.listdir(folder) if name[0] != ".")


def _write_shards(table: pa.Table, built: str, n_screens: int) -> Iterator[dict[str, Any]]:
    """Writes the sample's rows under new ids, eight shards of train to one of each other."""
    ids = table["screen_id"].to_pylist()
    total = -(-n_screens // _SHARD_SCREENS)
    for number in range(total):
        split = {0: "validation", 1: "test"}.get(number % 10, "train")
        name = f"screenqa/{split}-{number:05d}-of-{total:05d}.parquet"
        path = os.path.join(built, name)
        rows = screens = 0
        wanted = min(_SHARD_SCREENS, n_screens - number * _SHARD_SCREENS)
        with pq.ParquetWriter(
            path, table.schema, compression="zstd", compression_level=1, write_page_index=True
        ) as writer:
            waiting: list[pa.Table] = []
            while screens < wanted:
                copy = number * 1_000 + screens
                waiting.append(_renamed(table, ids, copy, split))
                rows += table.num_rows
                screens += len(set(ids))
                waiting = _write_full_groups(writer, waiting)
            if waiting:
                writer.write_table(pa.concat_tables(waiting))
        size = os.path.getsize(path)
        yield {
            "configuration": "screenqa",
            "split": split,
            "path": name,
            "rows": rows,
            "screens": screens,
            "size_bytes": size,
            "sha256": "",
        }


def _renamed(table: pa.Table, ids: Sequence[str], copy: int, split: str) -> pa.Table:
    new_ids = pa.array([f"{copy}{screen_id}" for screen_id in ids])
    splits = pa.array([split] * table.num_rows)
    for name, values in (("screen_id", new_ids), ("split", splits)):
        place = table.schema.get_field_index(name)
        table = table.set_column(place, table.schema.field(place), values)
    return table


def _write_full_groups(writer: pq.ParquetWriter, waiting: list[pa.Table]) -> list[pa.Table]:
    table = pa.concat_tables(waiting)
    while table.num_rows >= _GROUP_ROWS:
        writer.write_table(table.slice(0, _GROUP_ROWS))
        table = table.slice(_GROUP_ROWS)
    return [table] if table.num_rows else []


if __name__ == "__main__":
    main()
