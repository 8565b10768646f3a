"""Times `screenset check` beside decoding alone, on a large build made of the demo's rows.

    python benchmarks/checking.py --screens 35000 --rounds 1

The build has the rows of the demo's `screenqa` again and again, under new ids and apps, in
shards of about 128 MB, with books that fit. Decoding alone reads the column of pictures from the
same shards, a few rows at a time, and decodes each picture that is not the one before, by the
same function; nothing else. Contenders take turns. Import of all that a check needs is counted.
"""

import argparse
import collections
import dataclasses
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from measuring import Usage, measure

from pipelines.cards.card import write_card
from pipelines.checking.check import check
from pipelines.finished_builds import open_build
from pipelines.sample.writing import write_sample
from schemas.builds import BuiltFile, Shard
from transforms.files import file_digest
from transforms.screens.images import decode_published

_ROOT = pathlib.Path(__file__).resolve().parent.parent
_NAME = "screenqa"
_SHARD_BYTES = 128 * 1024 * 1024
_GROUP_ROWS = 100
_CONTENDERS = ("decode", "check-rows", "check-1", "check-2")


def main() -> None:
    """Makes the build, lets the contenders take turns, prints what they took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--screens", type=int, default=35_000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--keep", metavar="DIR", help="folder to make the build in, or to reuse")
    parser.add_argument("--contender", choices=_CONTENDERS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.contender:
        contend(arguments.contender, arguments.folder)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(arguments.keep or temporary) / "large"
        if not folder.exists():
            make_build(folder, arguments.screens, pathlib.Path(temporary))
        build = open_build(str(folder))
        rows, screens = (sum(getattr(s, n) for s in build.shards) for n in ("rows", "screens"))
        size_mb = sum(shard.size_bytes for shard in build.shards) / 1e6
        print(
            f"{rows:,} rows on {screens:,} screens, {len(build.shards)} shards, {size_mb:,.0f} MB"
        )
        taken: dict[str, list[Usage]] = collections.defaultdict(list)
        for _ in range(arguments.rounds):
            for contender in _CONTENDERS:
                taken[contender].append(measure(_command(contender, folder)))
    print("| contender | wall s | CPU s | peak MB |\n| --- | --- | --- | --- |")
    for contender, usages in taken.items():
        wall, cpu, peak = (
            statistics.median(getattr(usage, name) for usage in usages)
            for name in ("wall_s", "cpu_s", "peak_mb")
        )
        print(f"| {contender} | {wall:.1f} | {cpu:.1f} | {peak:,.0f} |")
    alone = statistics.median(usage.cpu_s for usage in taken["decode"])
    whole = statistics.median(usage.cpu_s for usage in taken["check-1"])
    print(f"check with pictures, one process: {whole / alone:.2f} × the CPU of decoding alone")


def contend(contender: str, folder: str) -> None:
    """Runs one contender in this process."""
    if contender == "decode":
        decode_alone(folder)
        return
    workers = 2 if contender == "check-2" else 1
    report = check(folder, decode_images=contender != "check-rows", workers=workers)
    if not report.passed:
        wrong = [result for result in report.results if result.findings or result.note]
        sys.exit(f"the build does not pass: {wrong}")


def decode_alone(folder: str) -> None:
    """Decodes the pictures of all shards, those of neighbouring rows once."""
    build = open_build(folder)
    decoded = 0
    for shard in build.shards:
        with pq.ParquetFile(build.path(shard.path)) as file:
            previous = b""
            for batch in file.iter_batches(batch_size=50, columns=["image"]):
                for data in pc.struct_field(batch.column("image"), "bytes").to_pylist():
                    if data != previous:
                        decode_published(data)
                        decoded += 1
                    previous = data
    if decoded < sum(shard.screens for shard in build.shards) * 0.9:
        sys.exit(f"only {decoded:,} pictures were decoded")


def make_build(folder: pathlib.Path, screens: int, temporary: pathlib.Path) -> None:
    """Makes a finished build of so many screens out of the demo's."""
    write_sample(temporary / "sample")
    small = temporary / _NAME
    subprocess.run(
        [sys.executable, "-m", "pipelines", "build", _NAME, "--manifest",
         _ROOT / "pipelines" / "manifests" / "demo.yaml", "--data", temporary / "sample",
         "--out", small, "--workers", "1"],
        check=True, cwd=_ROOT, capture_output=True,
    )  # fmt: skip
    build = open_build(str(small))
    copies = -(-screens // sum(shard.screens for shard in build.shards))
    shutil.copytree(small, folder)
    shutil.rmtree(folder / "rejects")
    shutil.rmtree(folder / _NAME)
    (folder / _NAME).mkdir()
    shards: list[Shard] = []
    for shard in build.shards:
        shards += write_copies(small, shard, copies, folder)
        copy_lists(folder, shard.split, copies)
    copy_statistics(folder, copies)
    summary = {**build.summary, "shards": [dataclasses.asdict(shard) for shard in shards]}
    summary["records"] = {
        kind: {
            **dict.fromkeys(book, 0),
            "read": copies * book["kept"],
            "kept": copies * book["kept"],
        }
        for kind, book in build.summary["records"].items()
    }
    summary["rejects"] = {}
    others = [file.path for file in build.files if not file.path.startswith("rejects")]
    summary["files"] = [dataclasses.asdict(facts_of(folder, path)) for path in others]
    (folder / "BUILD.json").write_text(json.dumps(summary))
    (folder / "README.md").unlink()
    write_card(str(folder))


def write_copies(
    small: pathlib.Path, shard: Shard, copies: int, folder: pathlib.Path
) -> list[Shard]:
    """Writes the rows of one shard so many times, in shards and groups as a build has them."""
    table = pq.read_table(small / shard.path)
    per_shard = max(_SHARD_BYTES // shard.size_bytes, 1)
    parts = [range(at, min(at + per_shard, copies)) for at in range(0, copies, per_shard)]
    written = []
    for number, part in enumerate(parts):
        path = f"{_NAME}/{shard.split}-{number:05d}-of-{len(parts):05d}.parquet"
        with pq.ParquetWriter(
            folder / path,
            table.schema,
            compression="zstd",
            compression_level=1,
            use_dictionary=["app", "category", "split"],
            write_page_index=True,
            use_content_defined_chunking=True,
        ) as writer:
            for group in groups(table, part):
                writer.write_table(group, row_group_size=_GROUP_ROWS)
        facts = facts_of(folder, path)
        written.append(
            dataclasses.replace(
                shard,
                path=path,
                rows=shard.rows * len(part),
                screens=shard.screens * len(part),
                size_bytes=facts.size_bytes,
                sha256=facts.sha256,
            )
        )
    return written


def groups(table: pa.Table, part: range) -> Iterator[pa.Table]:
    """Yields the rows of some copies, a row group at a time."""
    waiting: list[pa.Table] = []
    for number in part:
        waiting.append(renamed(table, number))
        if sum(map(len, waiting)) + len(table) > _GROUP_ROWS:
            yield pa.concat_tables(waiting)
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting)


def renamed(table: pa.Table, number: int) -> pa.Table:
    """Returns rows with the ids and apps of a copy."""
    for name in ("screen_id", "question_id"):
        values = pc.binary_join_element_wise(str(number + 1), table[name], "")
        table = table.set_column(table.column_names.index(name), table.schema.field(name), values)
    apps = pc.binary_join_element_wise(table["app"], f"copy{number}", ".")
    return table.set_column(table.column_names.index("app"), table.schema.field("app"), apps)


def copy_lists(folder: pathlib.Path, split: str, copies: int) -> None:
    """Writes the lists of a split's screens for so many copies."""
    table = folder / "splits" / f"{split}.tsv"
    header, *lines = table.read_text().splitlines()
    cells = [line.split("\t") for line in lines]
    copied = [
        [f"{number + 1}{screen_id}", f"{app}.copy{number}", *rest]
        for number in range(copies)
        for screen_id, app, *rest in cells
    ]
    table.write_text("\n".join([header, *map("\t".join, copied)]) + "\n")
    (folder / "splits" / f"{split}.txt").write_text("\n".join(c[0] for c in copied) + "\n")


def copy_statistics(folder: pathlib.Path, copies: int) -> None:
    """Multiplies all counts of `stats.json`."""

    def times(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: times(inner) for name, inner in value.items()}
        return value * copies

    path = folder / "stats.json"
    path.write_text(json.dumps(times(json.loads(path.read_text()))))


def facts_of(folder: pathlib.Path, path: str) -> BuiltFile:
    """Returns the size and digest of a file."""
    whole = folder / path
    return BuiltFile(path, os.path.getsize(whole), file_digest(str(whole)))


def _command(contender: str, folder: pathlib.Path) -> list[str]:
    return [sys.executable, __file__, "--contender", contender, "--folder", str(folder)]


if __name__ == "__main__":
    main()
