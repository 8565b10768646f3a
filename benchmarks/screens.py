"""Times a ScreenQA build beside a plain script, on a RICO made of drawn screens.

    python benchmarks/screens.py --screens 1000 10000 66261 --rounds 3

The sample is drawn once (2,000 distinct pictures); further screens are hard links to them
under new ids. The contenders take turns, and the ratio of each round is printed: this
holds when the machine's speed drifts. All contenders must write equal rows.
"""

import argparse
import hashlib
import json
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Sequence

import pyarrow.parquet as pq
from measuring import Usage, measure

from pipelines.sample.screens import DrawnScreen, draw_screens

DISTINCT = 2000
QUESTIONS_PER_SCREEN = 1.3
_MANIFEST = """\
version: 1
sources:
  rico: {kind: rico_combined, path: combined, licence: Apache-2.0}
  ui_details: {kind: rico_ui_details, path: ui_details.csv, licence: Apache-2.0}
  app_details: {kind: rico_app_details, path: app_details.csv, licence: Apache-2.0}
  answers: {kind: screenqa_answers, files: {train: train.json}, licence: Apache-2.0}
datasets:
  bench:
    recipe: screenqa
    version: 1.0.0
    sources: {screens: rico, apps: ui_details, app_details: app_details, answers: answers}
    images: inline
    splits: {by: app, seed: bench, twins: report}
    prefilter: {language: off, hierarchy_sync: off}  # benchmarks/reading.py measures these.
"""


def main() -> None:
    """Runs the benchmark and prints its figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--screens", type=int, nargs="+", default=[1000, 10_000, 66_261])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--contenders", nargs="+", default=list(_CONTENDERS), choices=_CONTENDERS)
    parser.add_argument("--folder", default=None, help="where to work; kept if given")
    arguments = parser.parse_args()
    folder = arguments.folder or tempfile.mkdtemp(prefix="screenset-bench-")
    try:
        drawn = draw_distinct(os.path.join(folder, "distinct"))
        for count in arguments.screens:
            data = make_rico(os.path.join(folder, f"rico-{count}"), drawn, count)
            compare(data, folder, count, arguments.rounds, arguments.contenders)
    finally:
        if arguments.folder is None:
            shutil.rmtree(folder)


_CONTENDERS = ("build-1", "build-2", "plain-1", "plain-2")


def command_of(contender: str, data: str, out: str) -> list[str]:
    """Returns the command line of a contender."""
    kind, _, number = contender.partition("-")
    here = os.path.dirname(os.path.abspath(__file__))
    if kind == "plain":
        script = os.path.join(here, "plain_build.py")
        return [sys.executable, script, data, out, "--processes", number]
    manifest = os.path.join(data, "manifest.yaml")
    command = [sys.executable, "-m", "pipelines", "build", "bench", "--manifest", manifest]
    return [*command, "--data", data, "--out", out, "--workers", number]


def compare(data: str, folder: str, count: int, rounds: int, contenders: Sequence[str]) -> None:
    """Runs all contenders in turns and prints each round, then the medians."""
    usages: dict[str, list[Usage]] = {contender: [] for contender in contenders}
    digests = {}
    for number in range(rounds):
        for contender in contenders:
            out = os.path.join(folder, f"out-{contender}")
            for left in (out, os.path.join(folder, f".out-{contender}.building")):
                shutil.rmtree(left, ignore_errors=True)
            usages[contender].append(measure(command_of(contender, data, out)))
            if number == 0:
                digests[contender] = rows_digest(out)
            shutil.rmtree(out)
        print(_round_line(number, {name: runs[-1] for name, runs in usages.items()}), flush=True)
    if len(set(digests.values())) != 1:
        raise SystemExit(f"the contenders wrote different rows: {digests}")
    print(f"\n{count:,} screens, median of {rounds} (all contenders wrote equal rows)")
    print(f"{'':10}{'wall s':>9}{'CPU s':>9}{'peak MB':>9}{'screens/s':>11}{'ms CPU/screen':>15}")
    for name, runs in usages.items():
        wall, cpu, peak = (
            statistics.median(getattr(run, field) for run in runs)
            for field in ("wall_s", "cpu_s", "peak_mb")
        )
        rate, cost = count / wall, 1000 * cpu / count
        print(f"{name:10}{wall:9.1f}{cpu:9.1f}{peak:9.0f}{rate:11.0f}{cost:15.2f}")
    for line in _ratio_lines(usages):
        print(line)
    print(flush=True)


def draw_distinct(folder: str) -> list[dict[str, object]]:
    """Draws the distinct screens into a folder, once; returns their questions and apps."""
    index = os.path.join(folder, "index.json")
    if not os.path.exists(index):
        os.makedirs(folder, exist_ok=True)
        entries = [_save(screen, folder, n) for n, screen in enumerate(draw_screens(DISTINCT))]
        with open(f"{index}.tmp", "w", encoding="utf-8") as file:
            json.dump(entries, file)
        os.replace(f"{index}.tmp", index)
    with open(index, encoding="utf-8") as file:
        entries = json.load(file)
    return entries


def make_rico(folder: str, drawn: list[dict[str, object]], count: int) -> str:
    """Makes a RICO of `count` screens out of the distinct ones; returns its folder."""
    if os.path.exists(os.path.join(folder, "manifest.yaml")):
        return folder
    combined = os.path.join(folder, "combined")
    os.makedirs(combined, exist_ok=True)
    source = os.path.join(os.path.dirname(folder), "distinct")
    records = []
    apps = {}
    for screen_id in range(count):
        number = screen_id % len(drawn)
        entry = drawn[number]
        for suffix in ("jpg", "json"):
            os.link(f"{source}/{number}.{suffix}", f"{combined}/{screen_id}.{suffix}")
        # Ten screens an app, so that splits are of use; 1.3 questions a screen.
        apps[screen_id] = f"{entry['app']}.n{screen_id // 10}"
        wanted = 1 + (screen_id % 10 < 10 * (QUESTIONS_PER_SCREEN - 1))
        for question in entry["questions"][:wanted]:  # type: ignore[index]
            records.append({"image_id": screen_id, **question})
    with open(f"{folder}/train.json", "w", encoding="utf-8") as file:
        json.dump(records, file)
    with open(f"{folder}/ui_details.csv", "w", encoding="utf-8") as file:
        file.write("UI Number,App Package Name,Interaction Trace Number,UI Number in Trace\n")
        file.writelines(f"{screen_id},{app},0,0\n" for screen_id, app in apps.items())
    with open(f"{folder}/app_details.csv", "w", encoding="utf-8") as file:
        file.write("App Package Name,Play Store Name,Category\n")
        file.writelines(f"{app},Name,Tools\n" for app in dict.fromkeys(apps.values()))
    with open(f"{folder}/manifest.yaml", "w", encoding="utf-8") as file:
        file.write(_MANIFEST)
    return folder


def rows_digest(folder: str) -> str:
    """Returns a digest of all rows under a folder, whatever shards they are in."""
    digests = []
    for parent, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".parquet"):
                file = pq.ParquetFile(os.path.join(parent, name))
                for batch in file.iter_batches(batch_size=100):
                    for row in batch.to_pylist():
                        row["image"] = hashlib.sha256(row["image"]["bytes"]).hexdigest()
                        del row["provenance"]
                        digests.append(json.dumps(row, sort_keys=True))
    return hashlib.sha256("\n".join(sorted(digests)).encode()).hexdigest()


def _save(screen: DrawnScreen, folder: str, number: int) -> dict[str, object]:
    with open(f"{folder}/{number}.jpg", "wb") as file:
        file.write(screen.jpeg)
    with open(f"{folder}/{number}.json", "wb") as file:
        file.write(screen.hierarchy)
    questions = [
        {
            "image_width": screen.width,
            "image_height": screen.height,
            "question": f"What does element {index} say?",
            "ground_truth": [
                {
                    "full_answer": f"It says {element.text}.",
                    "ui_elements": [
                        {
                            "text": element.text,
                            "bounds": list(screen.bounds_px(element)),
                            "vh_index": screen.vh_index(element),
                        }
                    ],
                }
            ],
        }
        for index, element in enumerate(e for e in screen.elements if e.text)
    ]
    return {"app": screen.app.package, "questions": questions[:2]}


def _round_line(number: int, last: dict[str, Usage]) -> str:
    parts = [
        f"{name} {usage.wall_s:.1f} s wall {usage.cpu_s:.1f} s CPU" for name, usage in last.items()
    ]
    return f"round {number + 1}: " + ", ".join(parts)


def _ratio_lines(usages: dict[str, list[Usage]]) -> list[str]:
    lines = []
    for one, other, field, aim in (
        ("build-1", "plain-1", "cpu_s", 1.2),
        ("build-2", "plain-1", "cpu_s", 1.2),
        ("build-2", "plain-1", "wall_s", 0.65),
        ("build-2", "plain-2", "wall_s", 1.15),
    ):
        if one in usages and other in usages:
            pairs = zip(usages[one], usages[other], strict=True)
            ratios = [getattr(a, field) / getattr(b, field) for a, b in pairs]
            each = ", ".join(f"{ratio:.2f}" for ratio in ratios)
            what = field.removesuffix("_s")
            lines.append(
                f"{what} {one} ÷ {other}: median {statistics.median(ratios):.2f} "
                f"(aim ≤ {aim}; rounds {each})"
            )
    return lines


if __name__ == "__main__":
    main()
