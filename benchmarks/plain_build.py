"""The plain script that the benchmark holds a build against: no Beam, one loop, same rows.

It calls the same pure functions as the build (parse, decode, check, fit, merge, split) and
writes the same Parquet rows, one shard after the other; with two processes, each takes
every other shard. It keeps no books: no rejects written, no twins, no leaks, no resume.
"""

import argparse
import hashlib
import multiprocessing
import os
import sys
import types
from collections import defaultdict
from typing import Any


class _Unused:
    """Stands for whatever our modules take from Beam, so that this script pays nothing for it."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __class_getitem__(cls, _: Any) -> type:
        return cls


def _without_beam() -> None:
    for name in ("", ".transforms", ".transforms.window", ".typehints", ".typehints.decorators"):
        module: Any = types.ModuleType(f"apache_beam{name}")
        module.__getattr__ = lambda attribute: _Unused  # type: ignore[attr-defined]
        sys.modules[module.__name__] = module
    sys.modules["apache_beam.typehints.decorators"].no_annotations = lambda fn: fn  # type: ignore[attr-defined]


_without_beam()

# ruff: noqa: E402  # What follows must not find Beam.
import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.manifest_reading import parse_manifest
from schemas.columns import arrow_schema, plain_values
from schemas.examples import IllustratedQuestionRow
from schemas.manifest import Dataset
from schemas.questions import AskedScreen, Provenance, Question
from schemas.rejects import RejectedRecordError
from schemas.screens import App, AppRow, Screen, ScreenRef
from transforms.boxes import fit_boxes
from transforms.identifying import id_order
from transforms.merging import merge_asked
from transforms.rows import question_columns
from transforms.screens.checking import read_hierarchy, read_image, read_screen
from transforms.screens.hierarchies import frame_width, parse_hierarchy
from transforms.screens.images import decode_image, stored_image
from transforms.shard_planning import Load, add_loads, bucket_of, plan_shards
from transforms.sources.rico import list_combined, read_app_details, read_ui_details
from transforms.sources.screenqa import read_answers
from transforms.splits import assign_split


def main() -> None:
    """Builds the benchmark's data set the plain way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("out")
    parser.add_argument("--processes", type=int, default=1)
    arguments = parser.parse_args()
    with open(os.path.join(arguments.data, "manifest.yaml"), encoding="utf-8") as file:
        dataset = parse_manifest(file.read()).datasets["bench"]
    os.makedirs(arguments.out, exist_ok=True)
    shards = plan(arguments.data, dataset)
    work = [(arguments.data, arguments.out, dataset, name, asked) for name, asked in shards]
    if arguments.processes == 1:
        rows = sum(write(*item) for item in work)
    else:
        with multiprocessing.Pool(arguments.processes) as pool:
            rows = sum(pool.starmap(write, work, chunksize=1))
    print(f"{rows} rows in {len(work)} shards")


def plan(data: str, dataset: Dataset) -> list[tuple[str, list[AskedScreen]]]:
    """Returns each shard's name and its screens, unchecked."""
    questions: dict[str, list[Question]] = defaultdict(list)
    for item in read_answers(
        os.path.join(data, "train.json"), Provenance("a", "train.json", 0), None
    ):
        if isinstance(item, Question):
            questions[item.screen_id].append(item)
    categories = {
        app.package: app.category
        for app in read_app_details(os.path.join(data, "app_details.csv"), "d")
        if isinstance(app, App)
    }
    apps = {
        row.screen_id: App(row.package, categories.get(row.package))
        for row in read_ui_details(os.path.join(data, "ui_details.csv"), "u")
        if isinstance(row, AppRow)
    }
    by_split: dict[str, dict[int, list[AskedScreen]]] = defaultdict(lambda: defaultdict(list))
    for ref in list_combined(os.path.join(data, "combined"), "rico"):
        if isinstance(ref, ScreenRef) and ref.screen_id in questions:
            asked = AskedScreen(
                ref.screen_id, ref, apps.get(ref.screen_id), tuple(questions[ref.screen_id])
            )
            for assigned in assign_split(asked, ref.screen_id, dataset.splits):
                by_split[assigned.split][bucket_of(ref.screen_id)].append(assigned)
    shards: dict[str, list[AskedScreen]] = defaultdict(list)
    for split, buckets in by_split.items():
        loads = {
            bucket: add_loads(_load(asked, data) for asked in screens)
            for bucket, screens in buckets.items()
        }
        for bucket, place in plan_shards(loads, dataset.shards).items():
            name = f"{split}-{place.number:05d}-of-{place.total:05d}.parquet"
            shards[name] += buckets[bucket]
    return [
        (name, sorted(screens, key=lambda asked: id_order(asked.screen_id)))
        for name, screens in sorted(shards.items())
    ]


def write(data: str, out: str, dataset: Dataset, name: str, screens: list[AskedScreen]) -> int:
    """Checks a shard's screens and writes their rows; returns how many."""
    schema = arrow_schema(IllustratedQuestionRow)
    folder = os.path.join(data, "combined")
    written = 0
    group: list[object] = []
    with pq.ParquetWriter(
        os.path.join(out, name),
        schema,
        compression="zstd",
        compression_level=1,
        use_dictionary=["app", "category", "split"],
        write_page_index=True,
        use_content_defined_chunking=True,
    ) as writer:
        for unchecked in screens:
            ref = unchecked.ref
            assert ref is not None
            try:
                picture = read_image(ref, folder, dataset.image_check.max_bytes)
                decoded = decode_image(picture, dataset.image_check)
                image = decoded.facts
                tree = read_hierarchy(ref, folder)
                hierarchy = parse_hierarchy(tree)
                frame_width(hierarchy, image.size)
            except RejectedRecordError:
                continue
            digest = hashlib.sha256(tree).hexdigest()
            reading = read_screen(picture, decoded, hierarchy, dataset.prefilter)
            screen = Screen(image, digest, hierarchy.node_count, reading)
            for asked in _settled(unchecked, screen):
                stored = stored_image(picture, image, asked.screen_id)
                for question in asked.questions:
                    row = IllustratedQuestionRow(
                        **question_columns(asked, question), image=stored, image_reencoded=False
                    )
                    group.append(plain_values(row))
                    if len(group) == 100:
                        writer.write_table(pa.Table.from_pylist(group, schema))
                        written += len(group)
                        group = []
        if group:
            writer.write_table(pa.Table.from_pylist(group, schema))
            written += len(group)
    return written


def _settled(unchecked: AskedScreen, screen: Screen) -> list[AskedScreen]:
    checked = AskedScreen(
        unchecked.screen_id,
        unchecked.ref,
        unchecked.app,
        unchecked.questions,
        screen,
        unchecked.split,
    )
    fitted = [item for item in fit_boxes(checked) if isinstance(item, AskedScreen)]
    return [
        item for asked in fitted for item in merge_asked(asked) if isinstance(item, AskedScreen)
    ]


def _load(asked: AskedScreen, data: str) -> Load:
    assert asked.ref is not None
    size = os.stat(os.path.join(data, "combined", asked.ref.image or "")).st_size
    return Load(size + 1024 * len(asked.questions), len(asked.questions))


if __name__ == "__main__":
    main()
