"""Builds that make short answers, by rules and by a model that is served on loopback."""

import json
import os
import pathlib
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

SENTINEL = "sentinel-key-0815"


@pytest.fixture
def manifest(demo_manifest, tmp_path):
    """Returns the demo's manifest with other short answers for its main data set."""

    def write(short_answers, extra=""):
        text = demo_manifest.read_text()
        old = "short_answers: {provider: auto, budget: {calls: 500}}"
        assert old in text
        path = tmp_path / "manifest.yaml"
        path.write_text(text.replace(old, f"short_answers: {short_answers}") + extra)
        return path

    return write


def rows_of(out):
    files = sorted((out / "screenqa").glob("*.parquet"))
    columns = ["question_id", "short_answers", "short_answers_from"]
    return [row for file in files for row in pq.read_table(file, columns=columns).to_pylist()]


def build(path, sample, out, *flags, **environment):
    command = [sys.executable, "-m", "pipelines", "build", "screenqa", "--manifest", path]
    command += ["--data", sample, "--out", out, *flags]
    clean = {name: value for name, value in os.environ.items() if "API_KEY" not in name}
    return subprocess.run(
        [str(part) for part in command],
        env=clean | {name: str(value) for name, value in environment.items()},
        cwd=pathlib.Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_a_key_auto_means_rules(sample, manifest, tmp_path):
    done = build(manifest("{provider: auto}"), sample, tmp_path / "out")
    assert done.returncode == 0, done.stderr
    rows = rows_of(tmp_path / "out")
    assert {row["short_answers_from"]["provider"] for row in rows} == {"rules"}
    assert all(row["short_answers"] for row in rows)


@pytest.fixture
def chat(tmp_path):
    """Starts a chat endpoint in a process of its own; returns its address and its log."""
    script = tmp_path / "chat.py"
    script.write_text(_SERVER)
    log = tmp_path / "asked.jsonl"
    process = subprocess.Popen(
        [sys.executable, str(script), str(log)], stdout=subprocess.PIPE, text=True
    )
    address = process.stdout.readline().strip()
    yield address, log
    process.kill()
    process.wait()


_SERVER = """
import http.server, json, sys

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *a): pass
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with open(sys.argv[1], "a") as log:
            log.write(json.dumps({"path": self.path, "body": body}) + "\\n")
        prompt = body["messages"][-1]["content"]
        if not isinstance(prompt, str):
            prompt = "".join(part.get("text", "") for part in prompt)
        turn = prompt.rpartition("Now is your turn.")[2]
        elements = turn.partition("Answer elements: ")[2].partition("\\n")[0]
        said = {"choices": [{"message": {"content": elements}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 10}, "model": "tiny-1"}
        data = json.dumps(said).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
server.serve_forever()
"""


def calls(log):
    return len(log.read_text().splitlines()) if log.exists() else 0


def test_a_model_is_paid_once_and_switching_provider_shows_in_every_row(
    sample, manifest, chat, tmp_path
):
    address, log = chat
    asked = f"{{provider: openai_compatible, model: tiny, base_url: {address}, key_env: KEY}}"
    path, cache = manifest(asked), tmp_path / "replies"
    done = build(path, sample, tmp_path / "one", "--cache", cache, KEY=SENTINEL)
    assert done.returncode == 0, done.stderr
    rows = rows_of(tmp_path / "one")
    origins = {tuple(row["short_answers_from"].values())[:2] for row in rows}
    assert origins == {("openai_compatible", "tiny")}
    paid = calls(log)
    assert paid > 20
    assert f"paid for {paid} calls" in done.stdout
    facts = json.loads((tmp_path / "one" / "BUILD.json").read_text())["short_answers"]
    assert sum(facts["replies"].values()) >= paid
    assert facts["variants"]["accepted"] == sum(len(row["short_answers"]) for row in rows)

    # All replies are stored: nothing is asked again, with any number of workers.
    again = build(path, sample, tmp_path / "two", "--cache", cache, "--workers", 2, KEY=SENTINEL)
    assert again.returncode == 0, again.stderr
    assert "paid for 0 calls" in again.stdout
    assert calls(log) == paid
    assert rows_of(tmp_path / "two") == rows

    for place in (tmp_path / "one", tmp_path / "two", cache):
        for file in place.rglob("*"):
            if file.is_file():
                assert SENTINEL.encode() not in file.read_bytes(), file
    assert SENTINEL not in done.stdout + done.stderr + again.stdout + again.stderr


def test_a_spent_budget_stops_the_build_and_loses_nothing(sample, manifest, chat, tmp_path):
    address, log = chat
    asked = "{{provider: openai_compatible, model: tiny, base_url: {}, budget: {{calls: {}}}}}"
    cache, out = tmp_path / "replies", tmp_path / "out"
    stopped = build(manifest(asked.format(address, 7)), sample, out, "--cache", cache)
    assert stopped.returncode == 1
    assert "budget" in stopped.stderr
    assert "Traceback" not in stopped.stderr
    assert "a step failed" not in stopped.stderr
    assert not out.exists()
    assert calls(log) == 7
    goes_on = build(manifest(asked.format(address, 500)), sample, out, "--cache", cache)
    assert goes_on.returncode == 0, goes_on.stderr
    stored = [f for f in cache.rglob("*.json") if not f.relative_to(cache).parts[0].startswith(".")]
    assert calls(log) == len(stored)
    assert f"paid for {calls(log)} calls: {100 * calls(log):,} tokens in" in goes_on.stdout


def test_plan_tells_what_is_stored_and_what_is_to_be_paid(run, sample, manifest, chat, tmp_path):
    address, log = chat
    path = manifest(
        f"{{provider: openai_compatible, model: tiny, base_url: {address}}}",
        "\nprices: {tiny: {input_per_million: 1000, output_per_million: 2000}}\n",
    )
    cache = tmp_path / "replies"
    plan = ("plan", "screenqa", "--manifest", path, "--data", sample, "--cache", cache)
    before = run(*plan)
    assert before.returncode == 0, before.stderr
    assert "0 replies are stored, at most" in before.stdout
    assert "USD by the manifest's prices" in before.stdout
    assert calls(log) == 0
    assert build(path, sample, tmp_path / "out", "--cache", cache).returncode == 0
    after = run(*plan)
    assert f"{calls(log)} replies are stored" in after.stdout


def test_a_full_cache_needs_no_key(sample, manifest, chat, tmp_path):
    address, log = chat
    asked = f"{{provider: openai_compatible, model: tiny, base_url: {address}, key_env: KEY}}"
    path, cache = manifest(asked), tmp_path / "replies"
    flags = ("--cache", cache, "--limit", 6)
    assert build(path, sample, tmp_path / "one", *flags, KEY=SENTINEL).returncode == 0
    paid = calls(log)
    again = build(path, sample, tmp_path / "two", *flags)
    assert again.returncode == 0, again.stderr
    assert calls(log) == paid


@pytest.mark.parametrize("key", ["abc\ndef", "schlüssel"])
def test_a_key_that_is_none_is_told_and_not_taken_for_no_key(sample, manifest, tmp_path, key):
    done = build(manifest("{provider: auto}"), sample, tmp_path / "out", GEMINI_API_KEY=key)
    assert done.returncode == 2
    assert "characters that no key has" in done.stderr
    assert key not in done.stderr


def test_a_model_without_its_key_is_one_sentence_before_any_work(sample, manifest, tmp_path):
    path = manifest("{provider: gemini, model: gemini-2.5-flash}")
    done = build(path, sample, tmp_path / "out")
    assert done.returncode == 2
    assert "GEMINI_API_KEY" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_the_cache_can_be_looked_into_and_cleared(run, sample, manifest, chat, tmp_path):
    address, log = chat
    path = manifest(f"{{provider: openai_compatible, model: tiny, base_url: {address}}}")
    cache = tmp_path / "replies"
    done = build(path, sample, tmp_path / "out", "--cache", cache, "--limit", 10)
    assert done.returncode == 0, done.stderr
    stats = run("cache", "stats", cache)
    assert f"{calls(log)} replies" in stats.stdout
    assert "tiny" in stats.stdout
    assert run("cache", "show", cache, "Now is your turn").stdout.count("\nreply:") > 0
    missing = run("cache", "show", cache, "no such text anywhere")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert run("cache", "prune", cache).returncode == 2
    told = run("cache", "prune", cache, "--model", "tiny", "--dry-run")
    assert f"{calls(log)} replies" in told.stdout
    assert "would go" in told.stdout
    assert run("cache", "prune", cache, "--model", "tiny").returncode == 0
    assert "no replies are stored" in run("cache", "stats", cache).stdout
