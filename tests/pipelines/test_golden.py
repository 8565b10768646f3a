"""The demo's build, held against golden files. `make golden` writes them anew."""

import json
import pathlib
import re

import pyarrow.parquet as pq
import pytest

GOLDENS = pathlib.Path(__file__).resolve().parent.parent / "goldens"
REFRESH = "if this change is meant, run `make golden` and commit what it shows"


@pytest.fixture(scope="module")
def built(run, demo_manifest, sample, tmp_path_factory) -> pathlib.Path:
    out = tmp_path_factory.mktemp("golden") / "screenqa"
    done = run("build", "screenqa", "--manifest", demo_manifest, "--data", sample, "--out", out)
    assert done.returncode == 0, done.stderr
    return out


def hold(name: str, text: str, request: pytest.FixtureRequest) -> None:
    golden = GOLDENS / name
    if request.config.getoption("--refresh-goldens"):
        GOLDENS.mkdir(exist_ok=True)
        golden.write_text(text)
    assert golden.read_text() == text, REFRESH


def test_what_the_build_says_of_itself(built, request):
    summary = json.loads((built / "BUILD.json").read_text())
    # These change with any line of code or release of a library; the rows below do not.
    del summary["code"], summary["fingerprint"]
    for shard in summary["shards"]:
        del shard["sha256"], shard["size_bytes"]
    for source in summary["sources"].values():
        del source["digest"], source["size_bytes"]
    hold("BUILD.json", json.dumps(summary, indent=1, ensure_ascii=False) + "\n", request)


def test_the_statistics(built, request):
    hold("stats.json", (built / "stats.json").read_text(), request)


def test_the_readme(built, request):
    text = (built / "README.md").read_text()
    # As above: what changes with any line of code or release of a library.
    for pattern, mask in (
        (r"build [0-9a-f]{12}", "build FINGERPRINT"),
        (r"[0-9a-f]{64}", "DIGEST"),
        (r"(num_bytes|download_size|dataset_size): \d+", r"\1: SIZE"),
        (r"[\d.]+ [kM]?B \|", "SIZE |"),
    ):
        text, masked = re.subn(pattern, mask, text)
        assert masked, pattern
    hold("README.md", text, request)


def test_the_rejects(built, request):
    texts = [path.read_text() for path in sorted((built / "rejects").glob("*.jsonl"))]
    hold("rejects.jsonl", "".join(texts), request)


def test_the_rows_without_their_pictures(built, request):
    lines = []
    for path in sorted((built / "screenqa").glob("*.parquet")):
        for row in pq.read_table(path).to_pylist():
            row["image"] = row["image"]["path"]
            lines.append(json.dumps(row, ensure_ascii=False))
    hold("rows.jsonl", "\n".join(lines) + "\n", request)
