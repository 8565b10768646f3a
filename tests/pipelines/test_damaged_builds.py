"""Builds that somebody damaged: each command says so in a sentence, and `check` names the place."""

import collections
import hashlib
import json
import os
import pathlib
import shutil
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from signing import sign

from pipelines.cards.card import write_card
from pipelines.checking import check as checking
from pipelines.checking import suites
from pipelines.checking.check import check, check_text
from pipelines.checking.verdicts import not_applicable
from pipelines.diffing.diff import diff, difference_json, difference_text
from pipelines.errors import BuildError, UserError
from pipelines.exporting import export
from pipelines.exporting.chat import ChatOptions, export_chat
from pipelines.finished_builds import open_build
from pipelines.reporting.report import write_report
from schemas.checks import CheckOutcome, CheckReport

TRAIN = "screenqa/train-00000-of-00001.parquet"
WRONG = (CheckOutcome.FAILED, CheckOutcome.ERRORED)


@pytest.fixture
def built(demo_build, tmp_path) -> pathlib.Path:
    """Returns a copy of the build of the demo's questions, to be damaged."""
    return pathlib.Path(shutil.copytree(demo_build("screenqa"), tmp_path / "built"))


@pytest.fixture
def hurried() -> Iterator[None]:
    """Ends what would wait for ever."""

    def end(*_: object) -> None:
        raise TimeoutError("it waits for ever")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def commands(built: pathlib.Path, whole: pathlib.Path) -> dict[str, Callable[[], object]]:
    """Returns all commands on finished builds but `check`, as a user runs them."""
    outs = [str(built.parent / f"out{number}") for number in range(2)]

    def compare(one: pathlib.Path, other: pathlib.Path) -> None:
        found = diff(str(one), str(other))
        assert difference_text(found)
        assert difference_json(found)

    return {
        "report": lambda: write_report(str(built)),
        "card": lambda: write_card(str(built), force=True),
        "export": lambda: export(str(built), outs[0]),
        "chat": lambda: export_chat(str(built), outs[1], ChatOptions("gemini")),
        "diff": lambda: compare(whole, built),
        "diff back": lambda: compare(built, whole),
    }


def refusal(command: Callable[[], object]) -> str:
    """Returns what a command refuses a build with, in one sentence; nothing if it does not."""
    said = ""
    try:
        command()
    except (UserError, BuildError) as error:
        said = str(error)
    assert len(said.splitlines()) <= 1
    assert len(said) < 1000
    return said


def wrong_in(report: CheckReport) -> dict[str, str]:
    """Returns what the rules say that did not pass."""
    return {
        result.rule: "\n".join([*result.findings, result.note])
        for result in report.results
        if result.outcome in WRONG
    }


def checked(built: pathlib.Path) -> dict[str, str]:
    """Checks a build as a user does, and returns what is wrong with it."""
    report = check(str(built), decode_images=False, workers=1)
    assert json.loads((built / "check.json").read_text())["passed"] is report.passed
    assert (built / "check.html").stat().st_size > 0
    assert check_text(report, str(built))
    return wrong_in(report)


# Values of the build's own files.

VALUES: dict[str, Any] = {
    "null": None,
    "a list": [1],
    "a text": "x\ud800",
    "a number": 10**400,
    "gone": ...,
}


def paths_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else ()
    for key, inner in enumerate(value) if isinstance(value, list) else items:
        yield (*path, key)
        yield from paths_in(inner, (*path, key))


def damages(plain: Any, most: int) -> list[tuple[tuple[Any, ...], str]]:
    """Returns so many pairs of a path and a kind of damage, chosen by hash."""
    pairs = [(path, kind) for path in paths_in(plain) for kind in VALUES]
    return sorted(pairs, key=lambda pair: hashlib.sha256(repr(pair).encode()).digest())[:most]


def damaged(text: str, path: tuple[Any, ...], kind: str) -> str:
    plain = inner = json.loads(text)
    for key in path[:-1]:
        inner = inner[key]
    if kind == "gone":
        del inner[path[-1]]
    else:
        inner[path[-1]] = VALUES[kind]
    return json.dumps(plain)


@pytest.fixture
def cheaply(monkeypatch):
    """Has shards read once, and leaves out what looks at their rows with Great Expectations."""
    read = checking.read_shards
    known: dict[object, object] = {}

    def read_once(tasks, workers):
        if tuple(tasks) not in known:
            known[tuple(tasks)] = read(tasks, workers)
        return known[tuple(tasks)]

    monkeypatch.setattr(checking, "read_shards", read_once)
    left_out = collections.defaultdict(lambda: not_applicable("it takes too long"))
    monkeypatch.setattr(suites, "suite_verdicts", lambda _: left_out)


def opened(built: pathlib.Path) -> bool:
    return not refusal(lambda: open_build(str(built)))


def test_whatever_build_json_says_check_ends_and_says_what_is_wrong(built, cheaply):
    text = (built / "BUILD.json").read_text()
    seen: collections.Counter[str] = collections.Counter()
    for path, kind in damages(json.loads(text), 150):
        (built / "BUILD.json").write_text(damaged(text, path, kind))
        if not opened(built):
            seen["refused"] += 1
            assert refusal(lambda: check(str(built)))
        elif kind in ("a text", "a list", "a number"):
            # A value that is null or missing may be one that is so in other builds.
            assert "BUILD.json: " in checked(built)["summary_whole"], (path, kind)
            seen["named"] += 1
        else:
            checked(built)
    assert min(seen.values()) > 5


def test_whatever_build_json_says_report_and_card_refuse_it_or_finish(built, cheaply):
    text = (built / "BUILD.json").read_text()
    refused = 0
    for path, kind in damages(json.loads(text), 16):
        (built / "BUILD.json").write_text(damaged(text, path, kind))
        said = refusal(lambda: write_report(str(built), n_screens=0))
        said += refusal(lambda: write_card(str(built), force=True))
        refused += bool(said)
        # Who is sent to `check` is told there what is wrong.
        assert not said or not opened(built) or checked(built), (path, kind, said)
    assert refused > 5


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        (("card",), None, "card is no object"),
        (("duplicates", "bytes", "groups"), ..., "duplicates.bytes.groups is missing"),
        (("records", "answer", "kept"), "186", "records.answer.kept is no count"),
        (("leaks", "apps", "examples"), 7, "leaks.apps.examples is no list"),
        (("code", "digest"), None, "code.digest is no text"),
        (("funnel",), {}, "funnel is no list"),
        (("prefilter", "language"), [], "prefilter.language is no object"),
        (("splits", "shares", 1), "0.1", "splits.shares[1] is no number"),
        (("limit",), -1, "limit is no count"),
        (("rejects", "screen", "image_blank"), True, "rejects.screen.image_blank is no count"),
    ],
)
def test_a_value_of_another_kind_is_named(built, cheaply, path, value, place):
    summary = inner = json.loads((built / "BUILD.json").read_text())
    for key in path[:-1]:
        inner = inner[key]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    (built / "BUILD.json").write_text(json.dumps(summary))
    assert f"BUILD.json: {place}" in checked(built)["summary_whole"]
    told = [refusal(lambda: write_report(str(built), n_screens=0)), refusal(
        lambda: write_card(str(built), force=True))]  # fmt: skip
    for said in filter(None, told):
        assert place in said or "BUILD.json is damaged" in said
        assert str(built) in said


@pytest.mark.parametrize("name", ["stats.json", "agreement.json", "duplicates.json"])
def test_whatever_its_reports_say_nothing_breaks(built, cheaply, name):
    text = (built / name).read_text()
    for path, kind in damages(json.loads(text), 7):
        (built / name).write_text(damaged(text, path, kind))
        refusal(lambda: write_report(str(built), n_screens=0))
        refusal(lambda: write_card(str(built), force=True))
        assert "files_unchanged" in checked(built)
        sign(built)
        checked(built)


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("stats.json", ("all", "questions_with_no_answer"), 10**400),
        ("stats.json", ("all", "questions_per_category"), {"Tools": "\ud800"}),
        ("duplicates.json", ("near", "members"), None),
        ("agreement.json", ("questions",), []),
    ],
)
def test_a_damaged_report_is_a_sentence_that_sends_to_check(built, name, path, value):
    plain = inner = json.loads((built / name).read_text())
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    (built / name).write_text(json.dumps(plain))
    said = refusal(lambda: write_report(str(built), n_screens=0))
    assert said.startswith(f"{built}: is damaged (")
    assert said.endswith(f"; run `screenset check {built}`")
    assert "Error" in said


def test_half_an_emoji_is_spelled_out_on_the_page(built):
    plain = json.loads((built / "stats.json").read_text())
    plain["all"]["questions_per_category"] = {"\ud83d half": 1}
    (built / "stats.json").write_text(json.dumps(plain))
    assert not refusal(lambda: write_report(str(built), n_screens=0))
    assert "⟨U+D83D⟩ half" in (built / "report.html").read_text()


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[1", "\ufeff{}", "1" * 5000])
@pytest.mark.parametrize("name", ["BUILD.json", "stats.json", "check.json", "rejects/screen.jsonl"])
def test_json_that_is_none_or_has_no_bottom(built, demo_build, cheaply, name, text):
    (built / name).write_text(text)
    for command in commands(built, demo_build("screenqa")).values():
        refusal(command)
    if name == "BUILD.json":
        assert "is damaged" in refusal(lambda: check(str(built)))
    else:
        assert bool(checked(built)) is (name != "check.json")


def test_a_text_that_no_file_can_hold_does_not_keep_check_from_its_end(built, cheaply):
    summary = json.loads((built / "BUILD.json").read_text())
    summary["fingerprint"] = summary["splits"]["by"] = "\ud800"
    summary["rejects"]["screen"] = {"\udfff": 9}
    (built / "BUILD.json").write_text(json.dumps(summary))
    found = checked(built)
    assert "fingerprint is no text" in found["summary_whole"]
    assert "rejects/screen.jsonl" in found["rejects_listed"]


@pytest.mark.parametrize("text", ["", "\xff", "a\tb\n", "x" * 10_000])
def test_a_split_list_that_is_none(built, cheaply, text):
    (built / "splits/train.tsv").write_bytes(text.encode("latin-1"))
    assert "splits/train.tsv" in checked(built)["files_unchanged"]


# Shards that no build writes.


def changed_rows(table: pa.Table, change: Callable[[dict[str, Any]], object]) -> pa.Table:
    rows = table.to_pylist()
    change(rows[0])
    return pa.Table.from_pylist(rows, table.schema)


def no_text(table: pa.Table) -> pa.Table:
    """Has a question that is no UTF-8."""
    texts = [b"\xff\xfe"] + [text.encode() for text in table["question"].to_pylist()[1:]]
    spoilt = pa.array(texts, pa.binary()).view(pa.string())
    place = table.schema.get_field_index("question")
    return table.set_column(place, table.schema.field("question"), spoilt)


def numbers(table: pa.Table) -> pa.Table:
    zeros = pa.array([0] * len(table), pa.int64())
    return pa.table(dict.fromkeys(table.column_names, zeros))


SHARDS: dict[str, Callable[[pa.Table], pa.Table]] = {
    "features without bottom": lambda t: t.replace_schema_metadata(
        {b"huggingface": b"[" * 5_000_000}
    ),
    "features of another kind": lambda t: t.replace_schema_metadata({b"huggingface": b"[[1]]"}),
    "a column twice": lambda t: t.append_column("question", t["question"]),
    "no text": no_text,
    "no id": lambda t: changed_rows(t, lambda row: row.update(screen_id=None)),
    "no answer": lambda t: changed_rows(t, lambda row: row.update(answers=[None])),
    "no element": lambda t: changed_rows(
        t, lambda row: row["answers"][0].update(ui_elements=[None])
    ),
    "no bounds": lambda t: changed_rows(
        t,
        lambda row: row["answers"][0].update(
            ui_elements=[{"text": None, "bounds": None, "vh_index": None}]
        ),
    ),
    "all null": lambda t: changed_rows(t, lambda row: row.update(dict.fromkeys(row))),
    "numbers": numbers,
    "no column": lambda t: t.select([]),
    "no row": lambda t: t.slice(0, 0),
}
REFUSED = {
    "a column twice": "column question 2 times",
    "no text": "Invalid UTF8",
    "no id": "id",
    "numbers": "",
    "no column": "",
}
"""Shards that nobody but `check` takes, and a part of what is said of them."""


@pytest.mark.parametrize("kind", SHARDS)
def test_shards_that_no_build_writes(built, demo_build, kind):
    pq.write_table(SHARDS[kind](pq.read_table(built / TRAIN)), built / TRAIN)
    sign(built)
    found = checked(built)
    assert TRAIN in "\n".join(found.values())
    for name, command in commands(built, demo_build("screenqa")).items():
        said = refusal(command)
        # Rows of questions are known by another id: to `diff` a screen's is a value.
        taken = name == "card" or (kind == "no id" and name.startswith("diff"))
        if kind in REFUSED and not taken:
            assert REFUSED[kind] in said, name
            assert said, name
    if kind == "a column twice":
        assert f"{TRAIN}: has column question 2 times" in found["schema_declared"]
    if kind.startswith("features"):
        assert "features" in found["schema_declared"]


@pytest.mark.parametrize("kind", ["no answer", "no element", "no bounds"])
def test_holes_are_not_exported(built, kind):
    pq.write_table(SHARDS[kind](pq.read_table(built / TRAIN)), built / TRAIN)
    sign(built)
    out = built.parent / "out"
    assert "run `screenset check" in refusal(lambda: export(str(built), str(out)))
    assert "damaged" in refusal(lambda: export_chat(str(built), str(out), ChatOptions("openai")))
    assert not out.exists()


def test_an_id_of_strange_digits_stays_a_text(built):
    table = changed_rows(pq.read_table(built / TRAIN), lambda row: row.update(screen_id="²"))
    pq.write_table(table, built / TRAIN)
    sign(built)
    export(str(built), str(built.parent / "out"))
    records = json.loads((built.parent / "out/answers_and_bboxes/train.json").read_text())
    assert "²" in {record["image_id"] for record in records}


# What is no file.


@pytest.mark.parametrize(
    "name",
    [
        "BUILD.json",
        "stats.json",
        "agreement.json",
        "duplicates.json",
        "README.md",
        "croissant.json",
        "check.json",
        "report.html",
        "splits/train.tsv",
        "splits/train.txt",
        "rejects/screen.jsonl",
        TRAIN,
    ],
)
def test_a_pipe_is_never_waited_for(built, demo_build, cheaply, hurried, name):
    (built / name).unlink(missing_ok=True)
    os.mkfifo(built / name)
    whole = demo_build("screenqa")
    for command in commands(built, whole).values():
        refusal(command)
    if name == "BUILD.json":
        assert "is no ordinary file" in refusal(lambda: check(str(built)))
    elif name not in ("check.json", "report.html", "README.md", "croissant.json"):
        assert f"{name}: is missing" in checked(built)["files_unchanged"]
    else:
        checked(built)


@pytest.mark.parametrize("name", ["README.md", "croissant.json"])
def test_a_card_that_is_a_pipe_is_no_card(built, cheaply, hurried, name):
    (built / name).unlink(missing_ok=True)
    os.mkfifo(built / name)
    assert f"{name}: is no file" in checked(built)["card_in_step"]
