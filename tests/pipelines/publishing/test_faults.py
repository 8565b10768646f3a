"""Publishing to a Hub that is busy, forgets to answer, breaks off, or is changed meanwhile."""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from pipelines.errors import BuildError

REPO = "acme/screens"
ROOT = pathlib.Path(__file__).resolve().parents[3]
BUSY = {
    "preupload": ("POST", "/preupload/"),
    "batch": ("POST", "/lfs/objects/batch"),
    "content": ("PUT", "/_lfs/"),
    "verify": ("POST", "/lfs/verify"),
    "commit": ("POST", "/commit/"),
    "tag": ("POST", "/tag/"),
    "create": ("POST", "/repos/create"),
    "whoami": ("GET", "/whoami"),
    "refs": ("GET", "/refs"),
    "tree": ("GET", "/tree/"),
    "card": ("POST", "/validate-yaml"),
}

PAGE = {"Content-Type": "text/html"}


def commits(hub) -> list[str]:
    return [commit.title for commit in hub.repo(REPO).history("main")]


@pytest.mark.parametrize("where", BUSY)
@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_hub_is_waited_for_as_long_as_it_asks(
    publish_here, built, hub, slept, capsys, where, status
):
    method, pattern = BUSY[where]
    hub.fail(method, pattern, status=status, headers={"Retry-After": "7"}, times=2)
    done = publish_here(built(dataset="few"))
    assert done.exit_code == 0
    assert commits(hub) == ["few 1.0.0", "initial commit"]
    assert hub.repo(REPO).tags == {"v1.0.0": hub.repo(REPO).branches["main"]}
    # huggingface_hub waits a second longer than it is asked to.
    assert len(slept) == 2
    assert all(7 <= pause <= 8 for pause in slept)
    said = capsys.readouterr().err
    assert f"the Hub is busy (status {status}) and asks for 7 s; waited 14 s of 15 min 00 s" in said


@pytest.mark.parametrize("where", ["preupload", "content", "commit", "tag"])
def test_a_hub_that_does_not_say_how_long_is_asked_ever_more_seldom(
    publish_here, built, hub, slept, where
):
    method, pattern = BUSY[where]
    # What is between the Hub and us answers in its own way.
    hub.fail(method, pattern, status=502, body="bad gateway")
    hub.fail(method, pattern, status=502, body=b"<html>bad gateway</html>", headers=PAGE)
    hub.fail(method, pattern, status=502, body=["bad", {"gateway": None}])
    assert publish_here(built(dataset="few")).exit_code == 0
    assert slept == [1.0, 2.0, 4.0]
    assert commits(hub) == ["few 1.0.0", "initial commit"]


def test_a_page_instead_of_json_from_the_validation_is_no_end(publish_here, built, hub, slept):
    """`create_commit` validates the card itself, and reads the answer before its status."""
    hub.fail("POST", "/validate-yaml", status=503, body=b"<html>", headers=PAGE, skip=1)
    assert publish_here(built(dataset="few")).exit_code == 0
    assert len(slept) == 1
    assert commits(hub) == ["few 1.0.0", "initial commit"]


def test_patience_ends_and_says_what_to_do(publish_here, built, hub, slept):
    hub.fail("POST", "/commit/", status=429, headers={"Retry-After": "7200"}, times=9)
    with pytest.raises(BuildError, match=r"asks for 2 h 00 min .* run the same command later"):
        publish_here(built(dataset="few"))
    assert slept == []
    assert commits(hub) == ["initial commit"]
    assert hub.repo(REPO).tags == {}
    hub.faults.clear()
    hub.log.clear()
    assert publish_here(built(dataset="few")).exit_code == 0
    assert hub.asked("PUT") == []
    assert commits(hub) == ["few 1.0.0", "initial commit"]


def test_a_hub_that_stays_busy_is_given_up(publish_here, built, hub, slept):
    hub.fail("POST", "/commit/", status=503, times=99)
    with pytest.raises(BuildError, match=r"committing: the Hub answered 503"):
        publish_here(built(dataset="few"))
    assert len(hub.asked("POST", "/commit/")) == 6
    assert slept == [1.0, 2.0, 4.0, 8.0, 16.0]


def test_a_date_to_retry_after_is_understood(publish_here, built, hub, slept):
    long_ago = {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}
    hub.fail("POST", "/commit/", status=429, headers=long_ago)
    window = {"RateLimit": '"api";r=0;t=55', "RateLimit-Policy": '"fixed window";"api";q=5;w=300'}
    hub.fail("POST", "/commit/", status=429, headers=window)
    assert publish_here(built(dataset="few")).exit_code == 0
    assert slept == [0.0, 55.0]


@pytest.mark.parametrize("status", [0, 504])
def test_a_commit_whose_answer_was_lost_is_not_made_twice(publish_here, built, hub, slept, status):
    repo = hub.add_repo(REPO)
    folder = built(dataset="few")
    if status:
        # The work is done behind a gateway that had no patience.
        hub.fail("POST", "/commit/", lose_answer=True)
        hub.fail("GET", "/refs", status=status, skip=2)
    else:
        hub.fail("POST", "/commit/", lose_answer=True)
    done = publish_here(folder)
    assert done.exit_code == 0
    assert done.sent.is_new
    assert len(hub.asked("POST", "/commit/")) == 1
    assert commits(hub) == ["few 1.0.0", "initial commit"]
    assert repo.tags == {"v1.0.0": done.sent.commit} == {"v1.0.0": repo.branches["main"]}


@pytest.mark.parametrize("where", ["create", "tag"])
def test_what_was_done_though_its_answer_was_lost_is_taken_as_done(
    publish_here, built, hub, slept, where
):
    method, pattern = BUSY[where]
    hub.fail(method, pattern, lose_answer=True)
    assert publish_here(built(dataset="few")).exit_code == 0
    assert len(hub.asked(method, pattern)) == 2
    assert set(hub.repo(REPO).tags) == {"v1.0.0"}


def test_a_commit_of_somebody_else_is_built_upon(publish_here, built, hub, slept):
    repo = hub.add_repo(REPO)

    def intervene() -> None:
        repo.commit("main", "by hand", {"notes.md": repo.keep(b"mine")})

    hub.fail("POST", "/commit/", meanwhile=intervene)
    assert publish_here(built(dataset="few")).exit_code == 0
    assert commits(hub) == ["few 1.0.0", "by hand", "initial commit"]
    assert hub.content(REPO, "notes.md") == b"mine"
    assert [asked.status for asked in hub.asked("POST", "/commit/")] == [412, 200]


def test_what_somebody_else_did_is_held_against_the_rules_again(publish_here, built, hub, slept):
    """Between our look and our commit another publishes a newer version of the same."""
    assert publish_here(built(dataset="few")).exit_code == 0
    repo = hub.repo(REPO)
    newer = hub.content(REPO, "BUILD.json").replace(b'"version": "1.0.0"', b'"version": "2.0.0"')

    def intervene() -> None:
        repo.commit("main", "few 2.0.0", {"BUILD.json": repo.keep(newer)})

    hub.fail("POST", "/commit/", meanwhile=intervene)
    with pytest.raises(BuildError, match=r"the branch holds 2\.0\.0, which is newer than 1\.0\.1"):
        publish_here(built("1.0.1", dataset="few"))
    assert commits(hub) == ["few 2.0.0", "few 1.0.0", "initial commit"]
    assert set(repo.tags) == {"v1.0.0"}


def test_a_content_that_breaks_off_is_sent_again(publish_here, built, hub, slept):
    hub.fail("PUT", "/_lfs/", after_bytes=1000)
    done = publish_here(built())
    assert done.exit_code == 0
    shards = {f.sha256 for f in done.sent.plan.sent if f.is_shard}
    broken, *_ = (a for a in hub.asked("PUT") if not a.status)
    whole = [a for a in hub.asked("PUT") if a.status == 200]
    assert len(whole) == len(shards)
    assert broken.path in {a.path for a in whole}


def test_a_hub_that_keeps_nothing_but_says_so_is_found_out(publish_here, built, hub):
    """What the commit holds is compared by digest, whatever the Hub answered."""

    def corrupt(repo, real):
        def commit(branch, title, changes):
            entry = changes["stats.json"]
            return real(branch, title, {**changes, "stats.json": repo.keep(b"x" * entry.size)})

        return commit

    repo = hub.add_repo(REPO)
    repo.commit = corrupt(repo, repo.commit)
    with pytest.raises(BuildError, match=r"acme/screens: stats\.json has other bytes"):
        publish_here(built(dataset="few"))
    assert repo.tags == {}


def started(folder: pathlib.Path, environment: dict[str, str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "pipelines", "publish", str(folder), "--repo", REPO],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_publication_that_was_ended_goes_on_with_what_is_missing(
    publish_here, built, hub, token, environment, how
):
    held = hub.hold("PUT", "/_lfs/", after_bytes=1000, skip=2)
    process = started(built(), {**environment, "HF_TOKEN": token})
    with contextlib.closing(process.stdout), contextlib.closing(process.stderr):
        assert held.reached.wait(120), process.stderr.read()
        process.send_signal(how)
        if how is signal.SIGINT:
            # The Hub is still silent: what sends must not hold the one that was told to stop.
            said = process.stderr.read()
            assert "stopped: nothing of it is to be seen on the Hub" in said
            assert process.wait() == 130
        process.wait()
    held.hold.set()
    assert commits(hub) == ["initial commit"]
    blobs = hub.blobs.path("x").parent
    # What had come when the other side went may still be taken to its end.
    while any(path.name.startswith("coming-") for path in blobs.iterdir()):
        time.sleep(0.02)
    there = {path.name for path in blobs.iterdir()}
    hub.log.clear()
    done = publish_here(built())
    assert done.exit_code == 0
    missing = {f.sha256 for f in done.sent.plan.sent if f.is_shard} - there
    sent = {a.path.partition("?")[0].rpartition("/")[2] for a in hub.asked("PUT")}
    assert sent == missing
    assert 0 < len(missing) < len([f for f in done.sent.plan.sent if f.is_shard])
    assert commits(hub) == ["asked 1.0.0", "initial commit"]


def test_a_real_pause_is_made_and_the_command_says_so(publish, built, hub):
    hub.fail("POST", "/commit/", status=429, headers={"Retry-After": "1"})
    done = publish(built(dataset="few"))
    assert done.returncode == 0, done.stderr
    assert "screenset: the Hub is busy (status 429) and asks for 1 s" in done.stderr
    assert "every row and every feature is as it was built" in done.stdout
