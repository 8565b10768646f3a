"""Times a build from raw annotation events: CPU and memory, and the cost of one event.

    python benchmarks/annotations.py --events 10000 100000 386000 1000000

The largest but one is the paper's size: 86,000 questions with 130,000 answer events (three
each in validation and test, one in train) and 170,000 events of questions and ratings.
Beside each build, in the same run, a bare loop reads the same files with `json.loads` and
counts events by screen: what any program must do at least. No pictures are involved.
"""

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile

from measuring import Usage, measure

QUESTIONS_PER_SCREEN = 2.43
_MANIFEST = """\
version: 1
sources:
  events: {kind: annotation_events, path: events, licence: Apache-2.0}
datasets:
  campaign:
    recipe: screenqa
    version: 1.0.0
    sources: {events: events}
    images: none
    splits: {by: screen, seed: bench, shares: {train: 0.8, validation: 0.1, test: 0.1}}
    rejects: {overall: 1.0}
"""
_BARE = (
    "import glob,json,collections,sys\n"
    "seen = collections.Counter()\n"
    "for path in glob.glob(sys.argv[1] + '/events/*.jsonl'):\n"
    "    for line in open(path, encoding='utf-8'):\n"
    "        seen[json.loads(line)['screen_id']] += 1\n"
)


def main() -> None:
    """Runs the benchmark and prints its figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, nargs="+", default=[10_000, 100_000, 386_000])
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="screenset-bench-")
    try:
        for count in arguments.events:
            data = os.path.join(folder, f"campaign-{count}")
            made = make_campaign(data, count)
            usages = [(build(data), bare(data)) for _ in range(arguments.rounds)]
            report(made, usages)
            shutil.rmtree(data)
    finally:
        shutil.rmtree(folder)


def build(data: str) -> Usage:
    """Builds the campaign in one process, as a user does."""
    out = os.path.join(data, "out")
    shutil.rmtree(out, ignore_errors=True)
    manifest = os.path.join(data, "manifest.yaml")
    command = [sys.executable, "-m", "pipelines", "build", "campaign", "--manifest", manifest]
    return measure([*command, "--data", data, "--out", out, "--workers", "1"])


def bare(data: str) -> Usage:
    """Reads the same files in a bare loop."""
    return measure([sys.executable, "-c", _BARE, data])


def report(events: int, usages: list[tuple[Usage, Usage]]) -> None:
    """Prints the medians of the rounds."""
    wall, cpu, peak = (
        statistics.median(getattr(ours, field) for ours, _ in usages)
        for field in ("wall_s", "cpu_s", "peak_mb")
    )
    least = statistics.median(theirs.cpu_s for _, theirs in usages)
    print(
        f"{events:>9,} events: wall {wall:6.1f} s, CPU {cpu:6.1f} s, peak {peak:5.0f} MB, "
        f"{1e6 * cpu / events:5.0f} µs CPU an event (bare reading {1e6 * least / events:4.0f})",
        flush=True,
    )


def make_campaign(folder: str, wanted: int) -> int:
    """Writes about `wanted` events in four files; returns how many."""
    events = os.path.join(folder, "events")
    os.makedirs(events)
    with open(os.path.join(folder, "manifest.yaml"), "w", encoding="utf-8") as file:
        file.write(_MANIFEST)
    files = [open(f"{events}/{n}.jsonl", "w", encoding="utf-8") for n in range(4)]  # noqa: SIM115
    written = screen = 0
    while written < wanted:
        for event in screen_events(str(screen)):
            json.dump(event, files[written % 4])
            files[written % 4].write("\n")
            written += 1
        screen += 1
    for file in files:
        file.close()
    return written


def screen_events(screen_id: str) -> list[dict[str, object]]:
    """Returns the events of one screen: ratings, questions, and one or three answers each."""
    number = int(screen_id)
    found = [_event(screen_id, "prefilter", 0, 0, prefilter=_RATING) for _ in range(1)]
    asked = 2 + (number % 100 < 43)
    answers = 3 if number % 10 > 7 else 1
    for ordinal in range(asked):
        text = f"What is value {ordinal} of screen {screen_id}?"
        name = "question_1" if ordinal < 2 else "question_2"
        question = {"ordinal": ordinal, "text": text, "skipped_screen": False}
        question_id = f"{screen_id}:{name}:{ordinal}:00000000"
        found.append(_event(screen_id, name, ordinal, 10 + ordinal, question_id, question=question))
        for person in range(answers):
            found.append(
                _event(
                    screen_id,
                    "answer",
                    f"{ordinal}-{person}",
                    30 + person,
                    question_id,
                    answer=_answer(ordinal, person),
                )
            )
    # Skips and second ratings bring questions and ratings to the paper's 170,000.
    found.append(_event(screen_id, "prefilter", 1, 1, prefilter=_RATING))
    return found


_RATING = {"language": "english", "vh_sync": "in_sync", "note": None}
_PAYLOADS = (
    "prefilter", "question", "answer", "element", "review",
)  # fmt: skip


def _answer(ordinal: int, person: int) -> dict[str, object]:
    top = 10 + 90 * ordinal
    element = {
        "rank": 1, "text": f"Value {ordinal}", "bounds": [10, top, 400, top + 70],
        "vh_index": -1, "region_id": f"r{person}", "origin": "drawn",
    }  # fmt: skip
    return {
        "state": "answerable",
        "full_answer": f"The value is Value {ordinal}.",
        "question_correction": None,
        "elements": [element],
    }


def _event(
    screen_id: str, name: str, number: object, person: int, question_id: str | None = None,
    **payload: object,
) -> dict[str, object]:  # fmt: skip
    minute = 10 * ["prefilter", "question_1", "question_2", "answer"].index(name) + person % 10
    event: dict[str, object] = {
        "schema_version": "1.0",
        "event_id": f"bench:{screen_id}:{name}:{number}",
        "pass": name,
        "status": "submitted",
        "screen_id": screen_id,
        "question_id": question_id,
        "annotator_id": f"a_{person:012d}",
        "submitted_at": f"2026-01-01T10:{minute:02d}:00Z",
        "updated_at": None,
        "updated_by_other": False,
        "lead_time_s": 12.5,
        "supersedes": None,
        "image_width": 1080,
        "image_height": 1920,
        "source": {"tool": "bench"},
        "flags": [],
    }
    return event | dict.fromkeys(_PAYLOADS) | payload


if __name__ == "__main__":
    main()
