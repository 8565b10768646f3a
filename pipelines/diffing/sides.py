"""One side of a comparison: a finished build, wherever its files lie."""

import dataclasses
import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pipelines.diffing.hub import SCHEME, open_hub
from pipelines.errors import UserError
from pipelines.finished_builds import FinishedBuild, open_build
from schemas.builds import FINISHED, STATISTICS
from schemas.differences import BuildIdentity
from schemas.rejects import Reason

_REJECTED_SCREENS = "rejects/screen.jsonl"

Place = tuple[str, str]
"""A screen's split and app, the latter empty if unknown."""


@dataclasses.dataclass(frozen=True, slots=True)
class Side:
    """A finished build and how to get at its files, which are fetched when asked for."""

    build: FinishedBuild
    place: str
    revision: str
    fetch: Callable[[str], str | None]

    @property
    def identity(self) -> BuildIdentity:
        """Which build it is."""
        summary, code = self.build.summary, self.said("code")
        return BuildIdentity(
            place=self.place,
            revision=self.revision,
            dataset=self.build.name,
            version=self.build.version,
            recipe=str(summary["recipe"]),
            fingerprint=str(summary.get("fingerprint", "")),
            code_version=str(code.get("version", "")),
            code_digest=str(code.get("digest", "")),
        )

    def file(self, path: str) -> str:
        """Returns where one of its files lies.

        Raises:
            UserError: If it is not there.
        """
        found = self.fetch(path)
        if found is None:
            raise UserError(f"{self.place}: lacks {path}, which its {FINISHED} names")
        return found

    def statistics(self) -> dict[str, Any]:
        """Returns what its `stats.json` holds, nothing without one."""
        if self.fetch(STATISTICS) is None:
            return {}
        return self.build.report(STATISTICS) or {}

    def split_lists(self) -> dict[str, str]:
        """Returns the digests of its tables of screens, by path."""
        return {
            file.path: file.sha256
            for file in self.build.files
            if file.path.startswith("splits/") and file.path.endswith(".tsv")
        }

    def screens(self) -> dict[str, Place]:
        """Returns where each screen of its split lists is."""
        found: dict[str, Place] = {}
        for path in sorted(self.split_lists()):
            split = os.path.basename(path).removesuffix(".tsv")
            with open(self.file(path), encoding="utf-8", errors="replace", newline="\n") as file:
                names = file.readline().rstrip("\n").split("\t")
                for line in file:
                    cells = dict(zip(names, line.rstrip("\n").split("\t"), strict=False))
                    found[cells.get("screen_id", "")] = (split, cells.get("app", ""))
        return found

    def blocked_screens(self) -> set[str]:
        """Returns the screens that the block list kept out, as far as its rejects are there."""
        reasons = self.said("rejects").get("screen")
        blocked = isinstance(reasons, Mapping) and reasons.get(Reason.BLOCKED)
        if not blocked or not self.digest_of(_REJECTED_SCREENS):
            return set()
        path = self.fetch(_REJECTED_SCREENS)
        return set() if path is None else set(_blocked_in(path))

    def said(self, name: str) -> Mapping[str, Any]:
        """Returns what `BUILD.json` groups under a name, nothing if there is no such group."""
        value = self.build.summary.get(name)
        return value if isinstance(value, Mapping) else {}

    def digest_of(self, path: str) -> str:
        """Returns the SHA-256 that its `BUILD.json` gives for a file, empty without one."""
        return next((file.sha256 for file in self.build.files if file.path == path), "")


def open_side(given: str, token_env: str | None) -> Side:
    """Returns the finished build in a folder, or in `hf://datasets/ORG/NAME[@REVISION]`.

    Raises:
        UserError: If there is none, or it cannot be reached.
    """
    if not given.startswith(SCHEME):
        build = _sound(open_build(given), given)

        def here(path: str) -> str | None:
            found = build.path(path)
            return found if os.path.exists(found) else None

        name = os.path.basename(os.path.abspath(given))
        return Side(build, name, "", here)
    hub = open_hub(given, token_env)
    finished = hub.fetch(FINISHED)
    if finished is None:
        raise UserError(f"{given}: is no data set that screenset built: it has no {FINISHED}")
    # All files of a commit come below one folder, under their own paths.
    build = _sound(open_build(os.path.dirname(finished)), given)
    return Side(build, given, hub.commit, hub.fetch)


def _sound(build: FinishedBuild, given: str) -> FinishedBuild:
    """Returns a build whose `BUILD.json` has numbers and texts where they are reckoned with."""
    counts = [count for shard in build.shards for count in (shard.rows, shard.screens)]
    shards = [text for s in build.shards for text in (s.configuration, s.split, s.path, s.sha256)]
    files = [text for file in build.files for text in (file.path, file.sha256)]
    if not all(type(count) is int for count in counts) or not all(
        isinstance(text, str) for text in shards + files
    ):
        raise UserError(f"{given} is no finished build: its {FINISHED} is damaged")
    return build


def _blocked_in(path: str) -> Iterator[str]:
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            try:
                reject = json.loads(line)
                if reject["reason"] == Reason.BLOCKED:
                    yield str(reject["id"])
            except (ValueError, TypeError, KeyError) as error:
                raise UserError(f"{path}: line {number} is no reject") from error
