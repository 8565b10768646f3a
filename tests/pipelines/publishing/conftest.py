"""What tests of publishing share: checked builds in two versions, and a Hub to send them to."""

import fcntl
import os
import pathlib
import shutil
import subprocess
from collections.abc import Callable, Iterator

import pytest
from huggingface_hub import constants
from local_hub import LocalHub

from pipelines.cards.card import write_card
from pipelines.checking.check import check
from pipelines.publishing.publish import Published, PublishOptions, publish

REPO = "acme/screens"

MANIFEST = """\
version: 1
sources:
  screens: {{kind: rico_combined, path: rico/combined, licence: CC-BY-4.0}}
  details: {{kind: rico_ui_details, path: rico/ui_details.csv, licence: CC-BY-4.0}}
  answers:
    kind: screenqa_answers
    files:
      train: screenqa/answers_and_bboxes/train.json
      validation: screenqa/answers_and_bboxes/validation.json
      test: screenqa/answers_and_bboxes/test.json
    licence: CC-BY-4.0
  few:
    kind: screenqa_short_answers
    files: {{test: complex_qa/data.json}}
    licence: CC-BY-4.0
datasets:
  asked:
    recipe: screenqa
    version: {version}
    sources: {{screens: screens, apps: details, answers: answers}}
    images: {images}
    splits: {{by: app, seed: demo, shares: {{train: 0.6, validation: 0.2, test: 0.2}}}}
    shards: {{target_bytes: {shard_bytes}}}
    checks: {{too_few_answers: 0.9}}
    rejects: {{overall: 0.5}}
  few:
    recipe: screenqa
    version: {version}
    sources: {{short_answers: few}}
    images: none
    splits: {{by: official}}
"""

Publish = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def built(run, sample, tmp_path_factory) -> Callable[..., pathlib.Path]:
    """Returns what makes a build, with card and passed check, once. Copy it to change it.

    The processes of one run of the tests share them.
    """
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder = shared / "publishing"
    folder.mkdir(exist_ok=True)

    def make(dataset: str, manifest: pathlib.Path, out: pathlib.Path) -> None:
        done = run(
            "build", dataset, "--manifest", manifest, "--data", sample,
            "--out", out, "--workers", "1",
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        write_card(str(out), force=True)
        assert check(str(out)).passed

    def build(
        version: str = "1.0.0",
        *,
        dataset: str = "asked",
        shard_bytes: int = 400_000,
        images: str = "inline",
    ) -> pathlib.Path:
        name = f"{dataset}-{version}-{shard_bytes}-{images}"
        manifest, out, made = folder / f"{name}.yaml", folder / name, folder / f"{name}.made"
        with open(folder / f"{name}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not made.exists():
                shutil.rmtree(out, ignore_errors=True)
                text = MANIFEST.format(version=version, shard_bytes=shard_bytes, images=images)
                manifest.write_text(text)
                make(dataset, manifest, out)
                made.touch()
        return out

    return build


@pytest.fixture
def copied(built, tmp_path) -> Callable[..., pathlib.Path]:
    """Returns what copies a build, to be changed."""

    def copy(*arguments: str, **more: object) -> pathlib.Path:
        folder = tmp_path / f"copied-{len(list(tmp_path.iterdir()))}"
        return pathlib.Path(shutil.copytree(built(*arguments, **more), folder))

    return copy


@pytest.fixture
def hub(tmp_path) -> Iterator[LocalHub]:
    with LocalHub(tmp_path / "hub") as served:
        yield served


@pytest.fixture
def token(hub) -> str:
    """Returns a token that may write into the organisation of `REPO`."""
    return hub.add_token("ada", orgs={"acme": "write"})


@pytest.fixture
def environment(hub, tmp_path) -> dict[str, str]:
    """Returns an environment with the Hub, an empty home and a temporary folder of its own."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    return hub.environment(tmp_path / "home", TMPDIR=str(temporary))


@pytest.fixture(name="publish")
def publish_it(run, environment, token) -> Publish:
    """Returns what publishes a build with a good token, as a user does."""

    def run_publish(
        folder: pathlib.Path, *flags: str, repo: str = REPO, **more: str
    ) -> "subprocess.CompletedProcess[str]":
        variables = {**environment, "HF_TOKEN": token, **more}
        return run("publish", folder, "--repo", repo, *flags, **variables)

    return run_publish


@pytest.fixture
def publish_here(hub, token, tmp_path, monkeypatch) -> Callable[..., Published]:
    """Returns what publishes in this process, without loading back: a second instead of ten."""
    for name, value in hub.environment(tmp_path / "home", HF_TOKEN=token).items():
        monkeypatch.setenv(name, value)
    # The library has read its environment when it was imported.
    monkeypatch.setattr(constants, "ENDPOINT", hub.url)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)

    def run_here(folder: pathlib.Path, repo: str = REPO, **options: object) -> Published:
        return publish(str(folder), repo, PublishOptions(**{"load_back": False, **options}))

    return run_here


@pytest.fixture
def slept(monkeypatch) -> list[float]:
    """Returns the pauses that are asked for from now on, none of which is made."""
    pauses: list[float] = []
    monkeypatch.setattr("time.sleep", pauses.append)
    return pauses
