"""`screenset publish` against a Hub: what it sends, what it leaves, what it says."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

from schemas.columns import hub_features
from schemas.examples import IllustratedQuestionRow

REPO = "acme/screens"
READING = ("GET", "HEAD")

LOADING = """\
import json, os, sys
import datasets
found = datasets.load_dataset(sys.argv[1], sys.argv[2], revision=sys.argv[3], token=os.environ["T"])
print(json.dumps({
    "rows": {split: part.num_rows for split, part in found.items()},
    "ids": {split: part["question_id"][:] for split, part in found.items()},
    "same": all(
        part.features == datasets.Features.from_dict(json.loads(sys.argv[4]))
        for part in found.values()
    ),
    "kinds": sorted({picture.format for part in found.values() for picture in part["image"]}),
}))
"""


def changes(hub) -> list:
    """Returns what the Hub was asked to change or to take, but for having a card validated."""
    return [a for a in hub.log if a.method not in READING and "validate-yaml" not in a.path]


def sizes(hub) -> list[int]:
    return sorted(asked.sent for asked in hub.asked("PUT", "/_lfs/"))


def shards_of(folder: pathlib.Path) -> dict[str, int]:
    summary = json.loads((folder / "BUILD.json").read_text())
    return {shard["path"]: shard["size_bytes"] for shard in summary["shards"]}


def tree(hub, revision: str = "main") -> dict:
    return dict(hub.repo(REPO).find(revision).tree)


def table_of(text: str) -> dict[str, str]:
    """Returns what a report says becomes of each file."""
    kinds = ("new", "changed", "unchanged", "deleted")
    lines = [line.split() for line in text.splitlines()]
    return {line[-1]: line[0] for line in lines if len(line) > 3 and line[0] in kinds}


def test_what_is_published_loads_with_one_line_and_the_same_features(
    publish, built, hub, token, environment
):
    folder = built()
    done = publish(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    repo = hub.repo(REPO)
    assert repo.private
    assert [c.title for c in repo.history("main")] == ["asked 1.0.0", "initial commit"]
    assert repo.tags == {"v1.0.0": repo.branches["main"]}
    summary = json.loads((folder / "BUILD.json").read_text())
    features = json.dumps(hub_features(IllustratedQuestionRow))
    loaded = subprocess.run(
        [sys.executable, "-c", LOADING, REPO, "asked", "v1.0.0", features],
        env={**os.environ, **environment, "T": token},
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(loaded.stdout)
    rows = {}
    for shard in summary["shards"]:
        rows[shard["split"]] = rows.get(shard["split"], 0) + shard["rows"]
    assert found["rows"] == rows
    assert found["same"]
    assert found["kinds"] == ["JPEG", "PNG"]
    assert len({i for ids in found["ids"].values() for i in ids}) == sum(rows.values())
    assert "every row and every feature is as it was built" in done.stdout


def test_what_goes_is_what_the_build_names_and_no_more(publish, copied, hub):
    folder = copied()
    (folder / "notes.txt").write_text("mine")
    (folder / "asked" / "old.parquet").write_bytes(b"a stranger")
    (folder / "splits" / "mine.tsv").write_text("mine")
    done = publish(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    summary = json.loads((folder / "BUILD.json").read_text())
    named = {f["path"] for f in [*summary["shards"], *summary["files"]]}
    documents = {"README.md", "croissant.json", "check.json", "BUILD.json"}
    assert any(path.startswith("rejects/") for path in named)
    expected = {path for path in named if not path.startswith("rejects/")} | documents
    assert set(tree(hub)) == expected | {".gitattributes"}
    for path in expected:
        assert hub.content(REPO, path) == (folder / path).read_bytes()
    assert "not sent: " in done.stdout
    assert "notes.txt" in done.stdout


def test_the_same_again_sends_nothing_and_changes_nothing(publish, publish_here, built, hub):
    assert publish_here(built()).exit_code == 0
    before = dict(hub.repo(REPO).commits)
    hub.log.clear()
    done = publish(built())
    assert done.returncode == 0, done.stderr
    assert [asked for asked in hub.log if asked.method not in READING] == []
    assert hub.repo(REPO).commits == before
    assert "nothing was to be done: all of it is there" in done.stdout
    assert set(table_of(done.stdout).values()) == {"unchanged"}


def test_a_new_version_removes_stale_shards_in_the_same_change_and_nothing_else(
    publish, publish_here, built, hub
):
    first, second = built(), built("1.1.0", shard_bytes=1_200_000)
    assert publish_here(first).exit_code == 0
    repo = hub.repo(REPO)
    repo.commit("main", "by hand", {"explore.ipynb": repo.keep(b"{}"), "x/y.txt": repo.keep(b"y")})
    hub.log.clear()
    done = publish(second)
    assert done.returncode == 0, done.stdout + done.stderr
    stale = set(shards_of(first)) - set(shards_of(second))
    assert stale
    titles = [commit.title for commit in repo.history("main")]
    assert titles == ["asked 1.1.0", "by hand", "asked 1.0.0", "initial commit"]
    now = tree(hub)
    assert not stale & set(now)
    assert set(shards_of(second)) <= set(now)
    assert {"explore.ipynb", "x/y.txt", ".gitattributes"} <= set(now)
    assert "not ours, and kept: explore.ipynb, x/y.txt" in done.stdout
    assert {path for path, kind in table_of(done.stdout).items() if kind == "deleted"} == stale
    # At no commit is there a card of one version beside shards of the other.
    for commit in repo.history("main"):
        if "BUILD.json" in commit.tree:
            listed = json.loads(hub.content(REPO, "BUILD.json", commit.id))["shards"]
            there = {path for path in commit.tree if path.endswith(".parquet")}
            assert there == {shard["path"] for shard in listed}
    assert set(repo.tags) == {"v1.0.0", "v1.1.0"}
    assert tree(hub, "v1.0.0") != now


def test_shards_that_stay_are_not_sent_again(publish, publish_here, built, hub):
    """A version that differs in one thing sends that alone, whatever the server would take."""
    assert publish_here(built()).exit_code == 0
    hub.log.clear()
    done = publish(built("1.0.1"))
    assert done.returncode == 0, done.stdout + done.stderr
    first, second = shards_of(built()), shards_of(built("1.0.1"))
    assert set(first) == set(second)
    assert hub.asked("PUT") == []
    assert hub.asked("POST", "/lfs/objects/batch") == []
    kinds = table_of(done.stdout)
    assert all(kinds[path] == "unchanged" for path in second)
    assert kinds["BUILD.json"] == kinds["README.md"] == "changed"


def test_a_dry_run_only_reads_and_says_exactly_what_a_real_one_does(
    publish, publish_here, built, hub
):
    first, second = built(), built("1.1.0", shard_bytes=1_200_000)
    assert publish_here(first).exit_code == 0
    known = {entry.sha256 for entry in tree(hub).values()}
    hub.log.clear()
    before = dict(hub.repo(REPO).branches)
    dry = publish(second, "--dry-run")
    assert dry.returncode == 0, dry.stdout
    assert {asked.method for asked in hub.log} == {"GET"}
    assert sum(asked.sent for asked in hub.log) == 0
    assert hub.repo(REPO).branches == before
    hub.log.clear()
    real = publish(second)
    assert real.returncode == 0, real.stdout + real.stderr
    assert table_of(dry.stdout) == table_of(real.stdout)
    said = {path for path, kind in table_of(dry.stdout).items() if kind in ("new", "changed")}
    facts = json.loads((second / "BUILD.json").read_text())["shards"]
    sent = [s["size_bytes"] for s in facts if s["path"] in said and s["sha256"] not in known]
    assert len(sent) > 1
    assert sizes(hub) == sorted(sent)


def test_a_dry_run_needs_no_token_no_network_and_no_repository(run, built, environment, hub):
    alone = run("publish", built(), "--repo", REPO, "--dry-run", **environment)
    assert alone.returncode == 0, alone.stdout + alone.stderr
    assert "no token: set HF_TOKEN" in alone.stdout
    assert "only a token could tell" in alone.stdout
    assert {asked.method for asked in hub.log} == {"GET"}
    # Nobody answers at port 9.
    cut_off = environment | {"HF_ENDPOINT": "http://127.0.0.1:9"}
    off = run("publish", built(), "--repo", REPO, "--dry-run", **cut_off)
    assert off.returncode == 0, off.stdout + off.stderr
    assert "cannot be reached from here" in off.stdout
    assert "as if nothing lay there" in off.stdout
    assert set(table_of(off.stdout).values()) == {"new"}
    forbidden = environment | {"HF_HUB_OFFLINE": "1"}
    hub.log.clear()
    none = run("publish", built(), "--repo", REPO, "--dry-run", **forbidden)
    assert none.returncode == 0
    assert "HF_HUB_OFFLINE forbids the network" in none.stdout
    assert hub.log == []


def test_what_is_made_public_is_so_only_when_all_is_there(publish, built, hub):
    done = publish(built(dataset="few"), "--public")
    assert done.returncode == 0, done.stdout + done.stderr
    assert not hub.repo(REPO).private
    order = [a.path for a in changes(hub) if re_any(a.path)]
    assert order[-1].endswith("/settings")
    assert "/tag/" in order[-2]
    assert "made public" in done.stdout


def re_any(path: str) -> bool:
    return any(part in path for part in ("/commit/", "/tag/", "/settings", "/repos/create"))


@pytest.mark.parametrize("images", ["by_screen", "none"])
def test_every_configuration_is_loaded_back(publish, built, hub, images):
    folder = built(images="by_screen") if images == "by_screen" else built(dataset="few")
    done = publish(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "every row and every feature is as it was built" in done.stdout
    read = {a.path.partition("?")[0].rpartition("/")[2] for a in hub.asked("GET", "/_content/")}
    shards = json.loads((folder / "BUILD.json").read_text())["shards"]
    assert {shard["sha256"] for shard in shards} == read
    expected = "it has no pictures" if images == "none" else "every picture decoded"
    assert expected in done.stdout


def test_nothing_of_it_stays_on_the_disk(publish, built, environment, hub):
    before = {p: p.stat().st_mtime_ns for p in built().rglob("*")}
    assert publish(built()).returncode == 0
    assert {p: p.stat().st_mtime_ns for p in built().rglob("*")} == before
    assert list(pathlib.Path(environment["TMPDIR"]).iterdir()) == []
    assert not list(pathlib.Path(environment["HF_HOME"]).glob("**/*.parquet"))


def test_who_sees_a_repository_is_not_changed_unasked(publish_here, built, hub):
    for name, private in (("acme/open", False), ("acme/closed", True)):
        hub.add_repo(name, private=private)
        assert publish_here(built(dataset="few"), repo=name).exit_code == 0
        assert hub.repo(name).private is private
    assert hub.asked("PUT", "/settings") == []


def test_a_list_of_files_in_pages_is_read_to_its_end(publish_here, built, hub):
    hub.page_size = 3
    assert publish_here(built(dataset="few")).exit_code == 0
    hub.log.clear()
    done = publish_here(built(dataset="few"))
    assert not done.sent.is_new
    assert len(hub.asked("GET", "/tree/")) > 3


def test_rejects_go_only_when_asked_for_and_are_taken_back(publish_here, built, hub):
    assert publish_here(built(), with_rejects=True).exit_code == 0
    assert any(path.startswith("rejects/") for path in tree(hub))
    hub.repo(REPO).tags.clear()
    assert publish_here(built()).exit_code == 0
    assert not any(path.startswith("rejects/") for path in tree(hub))
