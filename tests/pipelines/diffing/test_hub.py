"""`screenset diff` with what lies on a Hub, on loopback and by its real rules."""

import hashlib
import json
import subprocess
import sys
import time

import pytest
import rude_hub
from hub_store import lfs_entry
from huggingface_hub import constants
from local_hub import LocalHub

from pipelines.diffing import hub as diffing_hub
from pipelines.diffing.hub import open_hub
from pipelines.errors import UserError

PUBLISH = """
import sys
from huggingface_hub import HfApi
folder, repo, tag, *without = sys.argv[1:]
api = HfApi()
api.create_repo(repo, repo_type="dataset", private=True, exist_ok=True)
api.upload_folder(folder_path=folder, repo_id=repo, repo_type="dataset", ignore_patterns=without)
api.create_tag(repo, tag=tag, repo_type="dataset")
"""

REPO = "acme/screens"
ADDRESS = f"hf://datasets/{REPO}"


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    with LocalHub(tmp_path_factory.mktemp("hub")) as hub:
        yield hub


@pytest.fixture(scope="module")
def token(hub):
    return hub.add_token("ada", role="write", orgs={"acme": "write"})


@pytest.fixture(scope="module")
def published(hub, token, make_build, tmp_path_factory):
    """Publishes two versions of a build, tagged; returns their folders."""
    builds = [make_build(), make_build(replace=(("seed: demo", "seed: other"),))]
    for built, tag in zip(builds, ("v1", "v2"), strict=True):
        done = subprocess.run(
            [sys.executable, "-c", PUBLISH, str(built), REPO, tag, "rejects/*"],
            env=hub.environment(tmp_path_factory.mktemp("home"), HF_TOKEN=token),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
    return builds


def compared(run, hub, tmp_path, one, other, *flags, **environment):
    asked = hub.environment(tmp_path / "home", **environment)
    done = run("diff", one, other, *flags, **asked)
    for value in environment.values():
        assert value not in done.stdout + done.stderr
    return done


def test_a_build_and_its_revision_are_equal_without_fetching_a_shard(
    run, hub, token, published, tmp_path
):
    seen = len(hub.log)
    done = compared(run, hub, tmp_path, published[0], f"{ADDRESS}@v1", HF_TOKEN=token)
    assert (done.returncode, done.stderr) == (0, "")
    assert "rows and splits are equal" in done.stdout
    paths = [asked.path for asked in hub.log[seen:]]
    assert any("BUILD.json" in path for path in paths)
    assert not any("parquet" in path for path in paths)


def test_two_revisions_differ_as_their_folders_do(run, hub, token, published, tmp_path):
    done = compared(run, hub, tmp_path, f"{ADDRESS}@v1", ADDRESS, "--json", "-", HF_TOKEN=token)
    assert done.returncode == 1, done.stderr
    there = json.loads(done.stdout)
    here = json.loads(run("diff", *published, "--json", "-").stdout)
    assert (there["before"]["place"], there["after"]["place"]) == (f"{ADDRESS}@v1", ADDRESS)
    commits = [hub.repo(REPO).tags["v1"], hub.repo(REPO).branches["main"]]
    assert [there[side]["revision"] for side in ("before", "after")] == commits
    for side in ("before", "after"):
        del there[side], here[side]
    assert there == here
    assert len(there["rows"][0]["moved"]) > 10


def test_the_token_may_be_named(run, hub, token, published, tmp_path):
    done = compared(
        run, hub, tmp_path, published[0], f"{ADDRESS}@v1", "--token-env", "MINE", MINE=token
    )
    assert done.returncode == 0, done.stderr


def test_a_take_down_whose_rejects_were_not_published_is_still_counted(
    run, hub, token, make_build, tmp_path, published
):
    blocked = make_build(top='blocked: {screens: ["90018"]}\n')
    done = compared(run, hub, tmp_path, f"{ADDRESS}@v1", blocked, HF_TOKEN=token)
    assert "taken down (on the block list now): 1 (90018)" in done.stdout
    back = compared(run, hub, tmp_path, blocked, f"{ADDRESS}@v1", HF_TOKEN=token)
    assert "restored (off the block list): 1 (90018)" in back.stdout


@pytest.mark.parametrize(
    ("address", "environment", "sentence"),
    [
        (ADDRESS, {}, "the Hub has no such data set, or the token"),
        (f"{ADDRESS}@v9", {"HF_TOKEN": ""}, "the data set has no such revision"),
        ("hf://datasets/acme/none", {"HF_TOKEN": ""}, "the Hub has no such data set"),
        ("hf://acme/screens", {}, "is no address like hf://datasets/ORG/NAME"),
        ("hf://datasets/acme/../x", {}, "is no address like hf://datasets/ORG/NAME"),
    ],
)
def test_what_is_not_there_is_one_sentence(
    run, hub, token, published, tmp_path, address, environment, sentence
):
    given = dict.fromkeys(environment, token)
    done = compared(run, hub, tmp_path, published[0], address, **given)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_repository_without_a_build_is_refused(run, hub, token, published, tmp_path):
    hub.add_repo("acme/empty")
    done = compared(run, hub, tmp_path, published[0], "hf://datasets/acme/empty", HF_TOKEN=token)
    assert done.returncode == 2
    assert "is no data set that screenset built: it has no BUILD.json" in done.stderr


def test_a_hub_that_refuses_or_is_not_there_is_one_sentence(run, hub, token, published, tmp_path):
    with hub.lock:
        hub.fail(
            "GET", r"/api/datasets/acme/screens/revision/v1", status=403, body={"error": token}
        )
    done = compared(run, hub, tmp_path, published[0], f"{ADDRESS}@v1", HF_TOKEN=token)
    assert done.returncode == 2
    assert "looking at the data set: the Hub answered 403" in done.stderr
    done = compared(
        run, hub, tmp_path, published[0], ADDRESS,
        HF_TOKEN=token, HF_ENDPOINT="http://127.0.0.1:9",
    )  # fmt: skip
    assert done.returncode == 2
    assert "the Hub cannot be reached" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_named_token_must_be_one(monkeypatch):
    monkeypatch.delenv("NOBODYS", raising=False)
    with pytest.raises(UserError, match="the environment variable NOBODYS is not set"):
        open_hub(ADDRESS, "NOBODYS")
    monkeypatch.setenv("NOBODYS", "hf_\n\x1bsecret")
    with pytest.raises(UserError, match="holds characters that no token has") as caught:
        open_hub(ADDRESS, "NOBODYS")
    assert "secret" not in str(caught.value)


@pytest.fixture
def at(monkeypatch):
    """Returns what has the Hub be elsewhere, in this process."""

    def move(address: str) -> None:
        for name, value in {"HF_ENDPOINT": address, "HF_TOKEN": "", "NO_PROXY": "*"}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(constants, "ENDPOINT", address)

    return move


@pytest.mark.parametrize(
    ("limit", "play", "sentence"),
    [
        ("READ_S", rude_hub.silent, "the Hub cannot be reached"),
        ("ANSWER_S", rude_hub.dripping_head, "the Hub was not done within"),
        ("ANSWER_S", rude_hub.dripping_body, "the Hub was not done within"),
    ],
)
def test_a_hub_that_never_answers_is_not_waited_for(at, monkeypatch, limit, play, sentence):
    monkeypatch.setattr(diffing_hub, limit, 0.5)
    with rude_hub.rude_hub(play) as address:
        at(address)
        began = time.monotonic()
        with pytest.raises(UserError, match=sentence):
            open_hub(ADDRESS, None)
        assert time.monotonic() - began < 10


def test_a_commit_that_is_none_names_no_folder_here(at):
    body = b'{"id": "acme/screens", "sha": "../../../elsewhere"}'
    with rude_hub.rude_hub(rude_hub.saying(body)) as address:
        at(address)
        with pytest.raises(UserError, match="answer is not understood"):
            open_hub(ADDRESS, None)


def test_a_busy_hub_is_not_waited_for_as_long_as_it_asks(at, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: pytest.fail(f"slept {seconds}"))
    for header in (
        "Retry-After: 86400",
        'RateLimit: "api";r=0;t=86400',
        "Retry-After: " + "9" * 400,
    ):
        busy = rude_hub.saying(b"{}", "429 Too Many", f"{header}\r\n")
        with rude_hub.rude_hub(busy) as address:
            at(address)
            hub = diffing_hub.HubFiles(ADDRESS, REPO, "0" * 40, None)
            with pytest.raises(UserError, match="the Hub is busy"):
                open_hub(ADDRESS, None)
            diffing_hub.set_up()
            with pytest.raises(UserError, match=r"the Hub is busy \(status 429\) and asks for"):
                hub.refuse_changed([])


@pytest.mark.parametrize("how", ["missing", "flipped", "flipped in LFS"])
@pytest.mark.parametrize("side", ["before", "after"])
def test_a_shard_on_the_hub_that_was_not_built_is_named(
    run, hub, token, published, tmp_path, how, side
):
    repo = hub.repo(REPO)
    head = repo.find("v1")
    path = next(path for path in sorted(head.tree) if path.endswith(".parquet"))
    content = bytearray(hub.content(REPO, path, "v1"))
    content[len(content) // 2] ^= 1
    digest = hashlib.sha256(content).hexdigest()
    hub.blobs.put(digest, [bytes(content)])
    entry = {
        "missing": None,
        "flipped": repo.keep(bytes(content)),
        "flipped in LFS": lfs_entry(digest, len(content)),
    }[how]
    repo.branches["spoilt"] = head.id
    repo.commit("spoilt", f"{how} {side}", {path: entry})
    pair = [f"{ADDRESS}@spoilt", published[1]]
    done = compared(run, hub, tmp_path, *(pair if side == "before" else pair[::-1]), HF_TOKEN=token)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    said = f"lacks {path}" if how == "missing" else f"{path} is not the file that was built"
    assert said in done.stderr
