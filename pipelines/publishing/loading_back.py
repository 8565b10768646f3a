"""Holds what lies on the Hub against what was built: its digests, then its rows, loaded."""

import dataclasses
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping

from pipelines.errors import BuildError
from pipelines.publishing.contents import Contents
from pipelines.publishing.endpoint import without_userinfo
from pipelines.publishing.plan import is_same
from pipelines.publishing.reading_back import ReadingJob
from pipelines.publishing.remote import RemoteFile
from pipelines.terminal import safe, size
from transforms.models.keys import Key

_TIMES_ON_DISK = 2.5
"""A shard is downloaded, and its rows are then written uncompressed beside it."""

_SHOWN_PROBLEMS = 5
_FOREIGN_PLACES = (
    *("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_OIDC_RESOURCE", "HF_HUB_CACHE"),
    *("HUGGINGFACE_HUB_CACHE", "HF_XET_CACHE", "HF_ASSETS_CACHE", "HF_DATASETS_CACHE"),
    *("HF_MODULES_CACHE", "HF_TOKEN_PATH", "HF_STORED_TOKENS_PATH"),
)


def digest_problems(contents: Contents, there: Mapping[str, RemoteFile]) -> list[str]:
    """Returns the files that the Hub does not have, or with other bytes.

    Args:
        contents: What was sent.
        there: What the commit holds.
    """
    return [
        f"{file.path} is not there" if file.path not in there else f"{file.path} has other bytes"
        for file in contents.files
        if file.path not in there or not is_same(file, there[file.path])
    ]


def space_problem(contents: Contents) -> str:
    """Returns why there is no room to load a build back; empty if there is."""
    needed = sum(file.size_bytes for file in contents.files if file.is_shard) * _TIMES_ON_DISK
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if needed <= free:
        return ""
    return f"loading back needs {size(needed)} in {tempfile.gettempdir()}, {size(free)} are free"


def load_back(folder: str, repo: str, commit: str, key: Key) -> None:
    """Loads every configuration at a commit, and compares all rows and features.

    It is done in another process with an empty cache, which is gone afterwards.

    Args:
        folder: The finished build.
        repo: `ORG/NAME`.
        commit: The commit's id.
        key: The token.

    Raises:
        BuildError: If anything is not as it was built, or cannot be loaded.
    """
    with tempfile.TemporaryDirectory(prefix="screenset-loading-back-") as cache:
        job = ReadingJob(os.path.abspath(folder), repo, commit, key.reveal(), cache)
        done = subprocess.run(
            [sys.executable, "-m", "pipelines.publishing.reading_back"],
            input=json.dumps(dataclasses.asdict(job)),
            env=_environment(cache),
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        reason = safe(without_userinfo(key.hidden_in(last))).strip()
        raise BuildError(f"{repo} was sent but cannot be loaded at {commit[:12]}: {reason}")
    problems = json.loads(done.stdout)
    if problems:
        listed = [safe(str(problem)) for problem in problems[:_SHOWN_PROBLEMS]]
        raise BuildError(
            "\n".join(f"what {repo} gives back is not what was built: {line}" for line in listed)
        )


def _environment(cache: str) -> dict[str, str]:
    """Returns an environment in which the Hub's libraries keep all they have in one folder."""
    ours = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    inherited = {name: v for name, v in os.environ.items() if name not in _FOREIGN_PLACES}
    return {
        **inherited,
        "PYTHONPATH": os.pathsep.join(filter(None, [ours, os.environ.get("PYTHONPATH")])),
        "HF_HOME": os.path.join(cache, "home"),
        "TMPDIR": cache,
        "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
    }
