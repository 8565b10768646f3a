"""What a publication would change: pure functions of what goes and what lies there."""

import dataclasses
import enum
import hashlib
import re
from collections.abc import Iterable, Mapping

from pipelines.finished_builds import FinishedBuild
from pipelines.publishing.contents import DOCUMENTS, Contents, LocalFile
from pipelines.publishing.findings import Finding, good, note, wrong
from pipelines.publishing.remote import PublishedVersion, Remote, RemoteFile
from pipelines.terminal import counted

_KEPT_BY_THE_HUB = ".gitattributes"
_FEW_FILES = 100
"""The Hub recommends fewer files a commit; see `Plan`."""

_SHOWN = 3


class ChangeKind(enum.StrEnum):
    """What becomes of a file on the Hub."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    DELETED = "deleted"


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """One file of a plan; `file` is None if it is deleted."""

    kind: ChangeKind
    path: str
    size_bytes: int
    file: LocalFile | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Plan:
    """All that a publication changes, as one commit and one tag.

    One commit, always: then whoever loads the data set sees the old version or the new one,
    never a card of one with shards of the other. Contents are sent ahead of it, so the commit
    itself holds only names and texts, whatever the size; the Hub's advice of fewer than 100
    files a commit is about the time that it takes, and an answer lost to that is recovered.
    `sets_tag` is whether `tag` is to be set afterwards. `keeps` are files on the Hub that no
    version of ours has put there; `known` are the digests of contents that lie there under
    whatever name, and need not be sent.
    """

    changes: tuple[Change, ...]
    tag: str
    sets_tag: bool
    keeps: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()

    @property
    def sent(self) -> tuple[LocalFile, ...]:
        """The files to send."""
        kinds = (ChangeKind.NEW, ChangeKind.CHANGED)
        return tuple(c.file for c in self.changes if c.kind in kinds and c.file is not None)

    @property
    def deleted(self) -> tuple[str, ...]:
        """The files to delete."""
        return tuple(c.path for c in self.changes if c.kind is ChangeKind.DELETED)

    @property
    def sent_bytes(self) -> int:
        """How many bytes that is, without contents that lie there under another name."""
        return sum(file.size_bytes for file in self.sent if file.sha256 not in self.known)

    @property
    def commits(self) -> bool:
        """Whether there is anything to commit."""
        return bool(self.sent or self.deleted)

    def count(self, kind: ChangeKind) -> int:
        """Returns how many files something becomes of."""
        return sum(change.kind is kind for change in self.changes)


@dataclasses.dataclass(frozen=True, slots=True)
class Look:
    """The repository as it is, and the plan that follows from it."""

    remote: Remote
    plan: Plan


@dataclasses.dataclass(frozen=True, slots=True)
class Sent:
    """What was sent: the commit that now holds the build, and if it was made just now."""

    commit: str
    is_new: bool
    plan: Plan


def make_plan(contents: Contents, remote: Remote | None, tag: str) -> Plan:
    """Returns what is to change on the Hub for it to hold these contents.

    A version that is tagged there with the very same files is done with, whatever has come
    after it.

    Args:
        contents: What goes.
        remote: What lies there; None where there is no repository yet.
        tag: The tag that the commit gets.
    """
    if remote is None:
        new = [Change(ChangeKind.NEW, f.path, f.size_bytes, f) for f in contents.files]
        return Plan(tuple(new), tag, sets_tag=True)
    there: Mapping[str, RemoteFile] = remote.files
    if remote.tagged is not None and not _differing(contents, remote.tagged):
        there = remote.tagged
    changes = [_change_of(file, there.get(file.path)) for file in contents.files]
    going = {file.path for file in contents.files}
    stale = [] if there is remote.tagged else _stale(remote, going)
    changes += [Change(ChangeKind.DELETED, path, remote.files[path].size_bytes) for path in stale]
    gone = going | set(stale) | {_KEPT_BY_THE_HUB}
    keeps = tuple(sorted(path for path in remote.files if path not in gone))
    ordered = sorted(changes, key=lambda change: change.path)
    known = frozenset(file.sha256 for file in remote.files.values() if file.sha256)
    return Plan(tuple(ordered), tag, sets_tag=remote.tagged is None, keeps=keeps, known=known)


def plan_findings(
    build: FinishedBuild,
    contents: Contents,
    remote: Remote | None,
    plan: Plan,
) -> list[Finding]:
    """Returns what is to be said of a plan, and what stands in its way.

    Args:
        build: The build that goes.
        contents: What of it goes.
        remote: What lies there.
        plan: What is to change.
    """
    if remote is None:
        return [good("version", f"{build.version} is the first one there")]
    return [
        _version_finding(build, remote.published, plan),
        _tag_finding(contents, remote, plan),
        *_foreign_findings(build, remote, plan),
        *_size_findings(plan),
    ]


def is_same(file: LocalFile, there: RemoteFile) -> bool:
    """Whether a file on the Hub holds the very same, by its digest there."""
    if file.size_bytes != there.size_bytes:
        return False
    if there.sha256:
        return file.sha256 == there.sha256
    return git_digest(file.source) == there.oid


def git_digest(path: str) -> str:
    """Returns what git calls the content of a file (which LFS does not have)."""
    with open(path, "rb") as file:
        content = file.read()
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def some(names: Iterable[str]) -> str:
    """Returns the first few names, and how many there are beside them."""
    listed = list(names)
    more = f" and {len(listed) - _SHOWN:,} more" if len(listed) > _SHOWN else ""
    return ", ".join(listed[:_SHOWN]) + more


def _change_of(file: LocalFile, there: RemoteFile | None) -> Change:
    if there is None:
        kind = ChangeKind.NEW
    else:
        kind = ChangeKind.UNCHANGED if is_same(file, there) else ChangeKind.CHANGED
    return Change(kind, file.path, file.size_bytes, file)


def _differing(contents: Contents, there: Mapping[str, RemoteFile]) -> list[str]:
    return [
        file.path
        for file in contents.files
        if file.path not in there or not is_same(file, there[file.path])
    ]


def _stale(remote: Remote, going: set[str]) -> list[str]:
    """Returns the files of the last version that this one has no more.

    Only those that are still as that version's `BUILD.json` says: what somebody has put in
    their place since is not ours.
    """
    if remote.published is None:
        return []
    found = []
    for path, stated in remote.published.files.items():
        there = remote.files.get(path)
        if there is None or path in going or path == _KEPT_BY_THE_HUB:
            continue
        is_ours = there.sha256 in ("", stated.sha256) and there.size_bytes == stated.size_bytes
        if is_ours:
            found.append(path)
    return found


def _version_finding(
    build: FinishedBuild, published: PublishedVersion | None, plan: Plan
) -> Finding:
    if published is None:
        return good("version", f"{build.version} is the first one there")
    if published.dataset != build.name:
        said = f"the repository holds the data set {published.dataset}, not {build.name}"
        return wrong("version", f"{said}; choose another --repo")
    if _order_of(published.version) > _order_of(build.version):
        said = f"the branch holds {published.version}, which is newer than {build.version}"
        if plan.commits:
            return wrong("version", f"{said} and would be lost from it; choose another --branch")
        return note("version", said)
    return good("version", f"{build.version}; the branch holds {published.version}")


def _order_of(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d{1,9}", version)]


def _tag_finding(contents: Contents, remote: Remote, plan: Plan) -> Finding:
    """Says what becomes of the tag: a released version is never moved."""
    if remote.tagged is None:
        return good("tag", f"{plan.tag} is not set yet")
    differing = _differing(contents, remote.tagged)
    if not differing:
        return good("tag", f"{plan.tag} is released with these very files")
    if set(differing) <= {*DOCUMENTS}:
        are = "is" if len(differing) == 1 else "are"
        said = f"{plan.tag} stays as it is: only {some(differing)} {are} newer, on the branch"
        return note("tag", said)
    differ = "differs" if len(differing) == 1 else "differ"
    return wrong(
        "tag",
        f"{plan.tag} is released with another content ({some(differing)} {differ}), and a "
        "released version is never moved; raise the version in the manifest and build again",
    )


def _foreign_findings(build: FinishedBuild, remote: Remote, plan: Plan) -> list[Finding]:
    """Says what others have put there, and refuses what would be loaded as rows of ours."""
    folders = {f"{shard.path.rpartition('/')[0]}/" for shard in build.shards}
    as_rows = [
        path
        for path in plan.keeps
        if path.endswith(".parquet") and any(path.startswith(folder) for folder in folders)
    ]
    found = []
    if as_rows:
        said = f"{some(as_rows)} was not published by screenset and would be loaded as rows"
        found.append(wrong("others", f"{said}; remove it on the Hub first"))
    former = {*DOCUMENTS} if remote.published is not None else set()
    others = [path for path in plan.keeps if path not in as_rows and path not in former]
    if others:
        found.append(note("others", f"not ours, and kept: {some(others)}"))
    if kept := [path for path in plan.keeps if path in former]:
        found.append(note("others", f"of the last version, and kept: {some(kept)}"))
    return found


def _size_findings(plan: Plan) -> list[Finding]:
    touched = len(plan.sent) + len(plan.deleted)
    if touched <= _FEW_FILES:
        return []
    said = f"{counted(touched, 'file')} in one commit, where the Hub advises fewer than 100"
    return [note("commit", f"{said}: in one, so that nobody sees half a version")]
