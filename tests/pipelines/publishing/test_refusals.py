"""What stands in the way of a publication: all of it said at once, and nothing sent."""

import dataclasses
import json
import pathlib

import pytest

from pipelines.checking.check import read_check, report_text
from pipelines.finished_builds import open_build
from pipelines.publishing.findings import Mark
from schemas.checks import CheckOutcome

REPO = "acme/screens"
SENTINEL = "hf_SentinelSentinelSentinelSentinel99"


def wrong(done) -> dict[str, str]:
    return {f.subject: f.text for f in done.findings if f.mark is Mark.WRONG}


def rewrite_check(folder: pathlib.Path, **changes: object) -> None:
    report = read_check(open_build(str(folder)))
    (folder / "check.json").write_text(report_text(dataclasses.replace(report, **changes)))


def fail_rule(folder: pathlib.Path) -> None:
    report = read_check(open_build(str(folder)))
    failed = dataclasses.replace(
        report.results[0], outcome=CheckOutcome.FAILED, findings=("bad",), n_findings=1
    )
    rewrite_check(folder, results=(failed, *report.results[1:]))


def change_byte(folder: pathlib.Path) -> None:
    shard = next((folder / "asked").glob("*.parquet"))
    data = bytearray(shard.read_bytes())
    data[len(data) // 2] ^= 1
    shard.write_bytes(data)


def link_away(folder: pathlib.Path) -> None:
    (folder / "stats.json").unlink()
    (folder / "stats.json").symlink_to("/etc/hostname")


def stale_card(folder: pathlib.Path) -> None:
    card = folder / "README.md"
    card.write_text(card.read_text().replace("train-*.parquet", "test-*.parquet"))


def leak(folder: pathlib.Path) -> None:
    card = folder / "README.md"
    card.write_text(card.read_text() + "\nmine is AIza" + "x" * 35 + "\n")


def unlicensed(folder: pathlib.Path) -> None:
    card = folder / "README.md"
    card.write_text(card.read_text().replace("license: cc-by-4.0\n", ""))


SPOILT = {
    "no check": (lambda f: (f / "check.json").unlink(), "check", "no check of this very build"),
    "failed": (fail_rule, "check", "it did not pass"),
    "undecoded": (lambda f: rewrite_check(f, images_decoded=False), "check", "not decoded"),
    "of another": (lambda f: rewrite_check(f, build_sha256="0" * 64), "check", "this very build"),
    "damaged": (lambda f: (f / "check.json").write_text("{"), "check", "damaged"),
    "no card": (lambda f: (f / "README.md").unlink(), "card", "there is no README.md"),
    "no croissant": (lambda f: (f / "croissant.json").unlink(), "card", "no croissant.json"),
    "stale card": (stale_card, "card", "screenset card"),
    "byte": (change_byte, "bytes", "its bytes have changed"),
    "link": (link_away, "bytes", "stats.json is no ordinary file"),
    "gone": (lambda f: (f / "splits" / "test.txt").unlink(), "bytes", "splits/test.txt is gone"),
    "secret": (leak, "secrets", "a Google key"),
    "licence": (unlicensed, "licence", "states no licence"),
}


@pytest.mark.parametrize("how", SPOILT)
def test_what_is_not_ready_is_not_sent(publish_here, copied, hub, how):
    spoil, subject, sentence = SPOILT[how]
    folder = copied()
    spoil(folder)
    for dry_run in (True, False):
        done = publish_here(folder, dry_run=dry_run)
        assert done.exit_code == 1
        assert sentence in wrong(done)[subject]
    assert REPO not in hub.repos
    assert {a.method for a in hub.log} <= {"GET", "POST"}
    assert {a.path for a in hub.asked("POST")} <= {"/api/validate-yaml"}


def test_all_that_is_wrong_is_said_at_once(publish_here, copied, hub):
    folder = copied()
    leak(folder)
    unlicensed(folder)
    (folder / "check.json").unlink()
    done = publish_here(folder, repo="acme/-bad--name")
    assert {"check", "secrets", "licence", "repository"} <= set(wrong(done))
    assert hub.log == []


@pytest.mark.parametrize(
    "repo", ["screens", "a/b/c", "acme/../x", "acme/x--y", "acme/x.git", "acme/" + "x" * 96, "/x"]
)
def test_a_name_that_no_repository_has_is_never_asked_for(publish_here, built, hub, repo):
    done = publish_here(built(dataset="few"), repo=repo, dry_run=True)
    assert set(wrong(done)) == {"repository"}
    assert hub.log == []


def written_into(folder, words):
    """Writes words into a slot of a build's card, as its maker does."""
    card = folder / "README.md"
    slot = "<!-- by hand: limitations -->\n"
    before, _, after = card.read_text().partition(slot)
    card.write_text(f"{before}{slot}{words}\n{after}")


def test_a_released_version_is_never_moved(publish_here, built, copied, hub):
    assert publish_here(built(dataset="few")).exit_code == 0
    before = dict(hub.repo(REPO).branches), dict(hub.repo(REPO).tags)
    other = copied(dataset="asked")
    summary = json.loads((other / "BUILD.json").read_text())
    done = publish_here(other)
    assert "holds the data set few, not asked" in wrong(done)["version"]
    assert "a released version is never moved; raise the version" in wrong(done)["tag"]
    assert summary["version"] == "1.0.0"
    assert (dict(hub.repo(REPO).branches), dict(hub.repo(REPO).tags)) == before


def test_a_mended_card_goes_to_the_branch_and_leaves_the_tag(publish_here, copied, hub):
    folder = copied(dataset="few")
    first = publish_here(folder)
    written_into(folder, "One more word.")
    done = publish_here(folder)
    assert done.exit_code == 0, wrong(done)
    assert hub.repo(REPO).tags == {"v1.0.0": first.sent.commit}
    assert [f.path for f in done.sent.plan.sent] == ["README.md"]
    assert b"\nOne more word.\n" in hub.content(REPO, "README.md")


def test_words_that_others_wrote_into_the_card_are_not_lost(publish_here, built, hub):
    repo = hub.add_repo(REPO)
    repo.commit("main", "by hand", {"README.md": repo.keep(b"# my words")})
    done = publish_here(built(dataset="few"))
    assert "the README.md there is not by screenset" in wrong(done)["card there"]
    assert publish_here(built(dataset="few"), replace_card=True).exit_code == 0
    edited = hub.content(REPO, "README.md") + b"edited on the Hub\n"
    repo.commit("main", "edited", {"README.md": repo.keep(edited)})
    done = publish_here(built("1.0.1", dataset="few"))
    assert "was edited there since the last release" in wrong(done)["card there"]


def test_words_by_hand_of_the_last_version_do_not_fall_away(publish_here, copied, hub):
    first = copied(dataset="few")
    written_into(first, "Few screens.")
    assert publish_here(first).exit_code == 0
    second = copied("1.0.1", dataset="few")
    done = publish_here(second)
    assert "written by hand there (limitations) is not in the card" in wrong(done)["card there"]
    # What its own maker says anew is no loss.
    written_into(second, "Few screens, and small ones.")
    assert publish_here(second).exit_code == 0


def test_words_that_we_sent_ourselves_are_no_edit_of_others(publish_here, copied, hub):
    first = copied(dataset="few")
    assert publish_here(first).exit_code == 0
    written_into(first, "Few screens.")
    assert publish_here(first).exit_code == 0
    second = copied("1.0.1", dataset="few")
    written_into(second, "Few screens.")
    done = publish_here(second)
    assert done.exit_code == 0, wrong(done)


def test_words_put_between_the_markers_on_the_hub_are_not_lost(publish_here, copied, hub):
    assert publish_here(copied(dataset="few")).exit_code == 0
    slot = b"<!-- by hand: uses -->\n"
    card = hub.content(REPO, "README.md").replace(slot, slot + b"For study only.\n")
    repo = hub.repo(REPO)
    repo.commit("main", "on the Hub", {"README.md": repo.keep(card)})
    done = publish_here(copied("1.0.1", dataset="few"))
    assert "written by hand there (uses) is not in the card" in wrong(done)["card there"]


def test_a_strange_shard_among_ours_is_named_and_not_touched(publish_here, built, hub):
    repo = hub.add_repo(REPO)
    repo.commit("main", "by hand", {"few/test-00007-of-00008.parquet": repo.keep(b"PAR1")})
    done = publish_here(built(dataset="few"))
    assert "few/test-00007-of-00008.parquet was not published by screenset" in wrong(done)["others"]
    assert "few/test-00007-of-00008.parquet" in repo.find("main").tree


def test_an_older_version_does_not_go_over_a_newer_one(publish_here, built, hub):
    assert publish_here(built("1.0.1", dataset="few")).exit_code == 0
    done = publish_here(built(dataset="few"))
    assert "the branch holds 1.0.1, which is newer than 1.0.0" in wrong(done)["version"]


TOKENS = {
    "unknown": ({}, "the Hub does not accept the token of HF_TOKEN: it is wrong, expired"),
    "read": ({"role": "read"}, "may only read"),
    "stranger": ({"orgs": {}}, "may not write into acme"),
    "reader of it": ({"orgs": {"acme": "read"}}, "may not write into acme"),
    "narrow": ({"role": "fineGrained", "writes": ("ada",)}, "may not write into acme"),
}


@pytest.mark.parametrize("which", TOKENS)
def test_a_token_that_will_not_do_is_one_sentence(publish_here, built, hub, monkeypatch, which):
    how, sentence = TOKENS[which]
    value = "hf_nobodysToken"
    if how:
        value = hub.add_token("eve", **{"orgs": {"acme": "write"}, **how})
    monkeypatch.setenv("HF_TOKEN", value)
    for dry_run in (True, False):
        done = publish_here(built(dataset="few"), dry_run=dry_run)
        assert done.exit_code == 1
        assert sentence in wrong(done)["token"]
    assert REPO not in hub.repos


def test_a_fine_grained_token_for_the_organisation_will_do(publish_here, built, hub, monkeypatch):
    value = hub.add_token("ada", "fineGrained", {"acme": "write"}, writes=("acme",))
    monkeypatch.setenv("HF_TOKEN", "")
    monkeypatch.setenv("MINE", value)
    done = publish_here(built(dataset="few"))
    assert "no token: set HF_TOKEN" in wrong(done)["token"]
    assert publish_here(built(dataset="few"), token_env="MINE").exit_code == 0
    done = publish_here(built(dataset="few"), token_env="NOT_THERE")
    assert "the environment variable NOT_THERE is not set" in wrong(done)["token"]


def test_a_card_that_the_hub_refuses_is_found_before_anything_is_sent(publish_here, copied, hub):
    folder = copied(dataset="few")
    card = folder / "README.md"
    card.write_text(card.read_text().replace("license: cc-by-4.0", "license: my-own"))
    done = publish_here(folder)
    assert '"license" must be one of' in wrong(done)["card"]
    assert REPO not in hub.repos


def test_the_token_is_nowhere(publish, copied, hub, environment, tmp_path):
    """A sentinel in the place of the token, across successes and failures of every kind."""
    hub.add_token("ada", orgs={"acme": "write"}, value=SENTINEL)
    folder = copied(dataset="few")
    said = []

    def go(*flags: str) -> int:
        done = publish(folder, *flags, HF_TOKEN=SENTINEL)
        said.append(done.stdout + done.stderr)
        return done.returncode

    echo = {"error": f"you sent {SENTINEL}"}
    told = {"X-Error-Message": f"Bearer {SENTINEL}\x1b[31m"}
    assert go("--dry-run") == 0
    hub.fail("POST", "/commit/", status=403, body=echo, headers=told)
    assert go() == 1
    hub.fail("GET", "/whoami", status=401, body=echo, headers=told)
    assert go() == 1
    hub.fail("GET", "/resolve/", status=403, body=echo, headers=told, skip=0, times=9)
    assert go() == 1
    hub.faults.clear()
    (folder / "README.md").write_text((folder / "README.md").read_text() + SENTINEL)
    assert go() == 1
    assert "the value of HF_TOKEN" in said[-1]
    assert all(SENTINEL not in text and "\x1b" not in text for text in said)
    (folder / "README.md").write_text((folder / "README.md").read_text().replace(SENTINEL, ""))
    left = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert left
    assert [p for p in left if SENTINEL.encode() in p.read_bytes()] == []
