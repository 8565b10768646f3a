"""Times the reading and judging of screens beside a bare loop, and tells what each part costs.

    python benchmarks/reading.py --screens 10000 --rounds 3
    python benchmarks/reading.py --parts ../shared/data/rico/unique_uis/combined

The bare loop parses each hierarchy, walks its tree, decodes the whole picture at a reduced
scale and takes its SHA-256; nothing else. The contender reads, checks, judges the language
of screens and apps and the sync of hierarchies, and hashes for duplicates, in the engine, with
one process and with two. The contenders take turns; screens are those of
`benchmarks/screens.py`.
"""

import argparse
import hashlib
import io
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from measuring import Usage, measure
from PIL import Image
from screens import draw_distinct, make_rico

from schemas.manifest import ImagePolicy, PrefilterPolicy, SourceKind
from transforms.screens.hierarchies import parse_hierarchy
from transforms.screens.hierarchy_sync import measure_sync
from transforms.screens.images import decode_image, reduced_grey
from transforms.screens.language import judge_language
from transforms.screens.texts import count_personal, hierarchy_texts, pool, text_hash, tree_hash

_CONTENDERS = ("bare", "read-1", "read-2")


def main() -> None:
    """Runs the benchmark, or one of its contenders, and prints figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--screens", type=int, nargs="+", default=[2000, 10_000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", default=None, help="where to work; kept if given")
    parser.add_argument("--parts", metavar="COMBINED", help="only the cost of each part there")
    parser.add_argument("--run", nargs=2, metavar=("CONTENDER", "DATA"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        run(*arguments.run)
        return
    if arguments.parts:
        print_parts(arguments.parts)
        return
    folder = arguments.folder or tempfile.mkdtemp(prefix="screenset-bench-")
    try:
        drawn = draw_distinct(os.path.join(folder, "distinct"))
        for count in arguments.screens:
            data = make_rico(os.path.join(folder, f"rico-{count}"), drawn, count)
            compare(data, count, arguments.rounds)
        print_parts(os.path.join(data, "combined"))
    finally:
        if arguments.folder is None:
            shutil.rmtree(folder)


def compare(data: str, count: int, rounds: int) -> None:
    """Runs all contenders in turns and prints medians and ratios."""
    usages: dict[str, list[Usage]] = {contender: [] for contender in _CONTENDERS}
    for _ in range(rounds):
        for contender in _CONTENDERS:
            command = [sys.executable, os.path.abspath(__file__), "--run", contender, data]
            usages[contender].append(measure(command))
    print(f"\n{count:,} screens, median of {rounds}")
    print(f"{'':10}{'wall s':>9}{'CPU s':>9}{'peak MB':>9}{'ms CPU/screen':>15}")
    for name, runs in usages.items():
        wall, cpu, peak = (
            statistics.median(getattr(run, field) for run in runs)
            for field in ("wall_s", "cpu_s", "peak_mb")
        )
        print(f"{name:10}{wall:9.1f}{cpu:9.1f}{peak:9.0f}{1000 * cpu / count:15.2f}")
    for one, other, field, aim in (
        ("read-1", "bare", "cpu_s", "≤ 3"),
        ("read-1", "read-2", "wall_s", "≥ 1.6"),
    ):
        pairs = zip(usages[one], usages[other], strict=True)
        ratios = [getattr(a, field) / getattr(b, field) for a, b in pairs]
        each = ", ".join(f"{ratio:.2f}" for ratio in ratios)
        what = field.removesuffix("_s")
        print(f"{what} {one} ÷ {other}: {statistics.median(ratios):.2f} (aim {aim}; {each})")
    print(flush=True)


def run(contender: str, data: str) -> None:
    """Runs one contender over a folder of screens."""
    if contender == "bare":
        folder = os.path.join(data, "combined")
        for name in sorted(os.listdir(folder)):
            if name.endswith(".json"):
                _read_barely(os.path.join(folder, name))
    else:
        _read_in_engine(data, int(contender.rpartition("-")[2]))


def _read_barely(path: str) -> None:
    with open(path, "rb") as file:
        stack = [json.loads(file.read())["activity"]["root"]]
    while stack:
        stack += [child for child in stack.pop().get("children") or () if child is not None]
    with open(f"{path[:-5]}.jpg", "rb") as file:
        data = file.read()
    image = Image.open(io.BytesIO(data))
    image.draft(None, (image.width // 8, image.height // 8))
    image.load()
    hashlib.sha256(data).hexdigest()


def _read_in_engine(data: str, workers: int) -> None:
    from pipelines.commands import _import_beam
    from pipelines.hiding import hide_pandas

    _import_beam()
    hide_pandas()
    import apache_beam as beam

    from pipelines.runners import Engine
    from schemas.campaigns import AnnotationPolicy
    from transforms.joining import JoinScreens, Wanted
    from transforms.prefiltering import JudgeScreens
    from transforms.progress import Progress
    from transforms.screens.checking import CheckPolicy, CheckScreens
    from transforms.sources.reading import ReadFiles, Selection, SourceFile, read_source
    from transforms.sources.reading import read_categories as read_details

    folder = os.path.join(data, "combined")
    files = [
        SourceFile("rico", SourceKind.RICO_COMBINED, folder, "combined"),
        SourceFile("apps", SourceKind.RICO_UI_DETAILS, f"{data}/ui_details.csv", "ui_details.csv"),
    ]
    details = [
        SourceFile("d", SourceKind.RICO_APP_DETAILS, f"{data}/app_details.csv", "app_details.csv")
    ]

    def construct(pipeline: Any) -> None:
        sources = pipeline | "Sources" >> ReadFiles(files, read_source, Selection())
        categories = pipeline | "Details" >> ReadFiles(details, read_details)
        joined = sources.kept | JoinScreens(Wanted(pictures=True, unasked=True), categories.kept)
        checked = joined.kept | CheckScreens({"rico": folder}, CheckPolicy(), Progress())
        judged = checked.kept | JudgeScreens(PrefilterPolicy(), AnnotationPolicy())
        _ = judged | beam.combiners.Count.Globally() | beam.Map(print)

    with tempfile.TemporaryDirectory() as state, Engine(workers, state) as engine:
        engine.run(construct)


def print_parts(folder: str) -> None:
    """Prints what each part of reading a screen costs, in ms of CPU, over a folder's screens."""
    names = sorted(name[:-5] for name in os.listdir(folder) if name.endswith(".json"))[:500]
    files = []
    for name in names:
        picture, tree = f"{folder}/{name}.jpg", f"{folder}/{name}.json"
        if os.path.exists(picture) and not name.startswith("."):
            with open(picture, "rb") as image, open(tree, "rb") as text:
                files.append((image.read(), text.read()))
    images, policy = ImagePolicy(), PrefilterPolicy()
    decoded = [decode_image(data, images) for data, _ in files]
    hierarchies = [parse_hierarchy(tree) for _, tree in files]
    texts = [hierarchy_texts(hierarchy.root) for hierarchy in hierarchies]
    judge_language(["The first call loads the models of both identifiers."], policy)
    screens = range(len(files))
    parts: dict[str, Callable[[int], object]] = {
        "parse and walk the hierarchy": lambda n: parse_hierarchy(files[n][1]),
        "decode and hash the picture": lambda n: decode_image(files[n][0], images),
        "sync score": lambda n: measure_sync(
            hierarchies[n], reduced_grey(decoded[n]), decoded[n].facts.size, policy
        ),
        "texts of the hierarchy": lambda n: hierarchy_texts(hierarchies[n].root),
        "language": lambda n: judge_language(texts[n], policy),
        "hash and sample of the texts": lambda n: (text_hash(texts[n]), pool(texts[n])),
        "hash of the tree": lambda n: tree_hash(hierarchies[n].root),
        "personal data": lambda n: count_personal(texts[n]),
    }
    print(f"{len(files)} screens of {folder}: ms of CPU a screen")
    total = 0.0
    for name, part in parts.items():
        started = time.process_time()
        for number in screens:
            part(number)
        cost = 1000 * (time.process_time() - started) / len(files)
        total += cost
        print(f"  {name:32}{cost:7.3f}")
    print(f"  {'all parts':32}{total:7.3f}")


if __name__ == "__main__":
    main()
