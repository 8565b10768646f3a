"""One side of a comparison: a finished build, wherever its files lie."""

import dataclasses
import functools
import os
from collections.abc import Callable, Mapping
from typing import Any

from pipelines.diffing.hub import SCHEME, open_hub
from pipelines.errors import UserError
from pipelines.finished_builds import FinishedBuild, json_lines, open_build, refuse_changed
from schemas.builds import FINISHED, STATISTICS
from schemas.differences import BuildIdentity
from schemas.rejects import Reason

_REJECTED_SCREENS = "rejects/screen.jsonl"

Place = tuple[str, str]
"""A screen's split and app, the latter empty if unknown."""


@dataclasses.dataclass(frozen=True, slots=True)
class Side:
    """A finished build and how to get at its files, which are fetched when asked for.

    `refuse_changed` holds its shards against the digests of its `BUILD.json`, without
    fetching any.
    """

    build: FinishedBuild
    place: str
    revision: str
    fetch: Callable[[str], str | None]
    refuse_changed: Callable[[], None]

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
        rejects = () if path is None else json_lines(path)
        return {str(one.get("id")) for one in rejects if one.get("reason") == Reason.BLOCKED}

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
        build = open_build(given)

        def here(path: str) -> str | None:
            found = build.path(path)
            if os.path.exists(found) and not os.path.isfile(found):
                # Opening a pipe would wait for ever.
                raise UserError(f"{found}: is no ordinary file")
            return found if os.path.exists(found) else None

        name = os.path.basename(os.path.abspath(given))
        return Side(build, name, "", here, functools.partial(refuse_changed, build))
    hub = open_hub(given, token_env)
    finished = hub.fetch(FINISHED)
    if finished is None:
        raise UserError(f"{given}: is no data set that screenset built: it has no {FINISHED}")
    # All files of a commit come below one folder, under their own paths.
    build = open_build(os.path.dirname(finished))
    return Side(
        build, given, hub.commit, hub.fetch, functools.partial(hub.refuse_changed, build.shards)
    )
