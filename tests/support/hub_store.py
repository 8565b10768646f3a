"""What a Hub keeps: blobs by digest on disk, commits of data set repositories in memory."""

import dataclasses
import fnmatch
import hashlib
import os
import pathlib
import tempfile
import threading
from collections.abc import Iterable, Iterator
from typing import Any

import yaml

_LFS_NAMES = ("*.arrow", "*.bin", "*.gz", "*.jpg", "*.parquet", "*.png", "*.tar", "*.zip")
_REGULAR_LIMIT = 10 << 20
_LICENCES = {
    *("apache-2.0", "bsd-3-clause", "cc-by-4.0", "cc-by-nc-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0"),
    *("cc0-1.0", "gpl-3.0", "mit", "odc-by", "openrail", "other", "unknown"),
}
_SIZES = {
    *("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B"),
}
ATTRIBUTES = "".join(f"{name} filter=lfs diff=lfs merge=lfs -text\n" for name in _LFS_NAMES)
"""The `.gitattributes` that a new repository begins with."""


class StoreError(Exception):
    """Something that the Hub refuses: a status, a code (`RepoNotFound`), a sentence."""

    def __init__(self, status: int, message: str, code: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """A file of a commit. `oid` is git's SHA-1, of the pointer if it lies in LFS."""

    oid: str
    size: int
    sha256: str = ""
    pointer_size: int = 0

    @property
    def etag(self) -> str:
        return self.sha256 or self.oid

    def plain(self, path: str) -> dict[str, Any]:
        """Returns it as the Hub lists it in a tree."""
        lfs = {"oid": self.sha256, "size": self.size, "pointerSize": self.pointer_size}
        found = {"type": "file", "path": path, "oid": self.oid, "size": self.size}
        return found | ({"lfs": lfs} if self.sha256 else {})


@dataclasses.dataclass(frozen=True, slots=True)
class Commit:
    """One commit; `number` is the clock of its repository."""

    id: str
    parent: str | None
    number: int
    title: str
    tree: dict[str, Entry]

    @property
    def date(self) -> str:
        hours, seconds = divmod(self.number, 3600)
        return f"2026-01-01T{hours:02}:{seconds // 60:02}:{seconds % 60:02}.000Z"


class Blobs:
    """Contents by digest, in a folder, so that nothing that came whole is ever lost."""

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def __contains__(self, digest: str) -> bool:
        return self.path(digest).exists()

    def path(self, digest: str) -> pathlib.Path:
        return self._folder / digest

    def put(self, digest: str, chunks: Iterable[bytes], kind: str = "sha256") -> None:
        """Keeps chunks if, and only if, they come whole and have the digest."""
        number, name = tempfile.mkstemp(dir=self._folder, prefix="coming-")
        found = hashlib.new(kind)
        try:
            with os.fdopen(number, "wb") as file:
                for chunk in chunks:
                    found.update(chunk)
                    file.write(chunk)
            if kind == "sha256" and found.hexdigest() != digest:
                raise StoreError(400, "the content has another digest")
            os.replace(name, self.path(digest))
        except BaseException:
            os.unlink(name)
            raise


class Repo:
    """A data set repository: its commits, branches and tags."""

    def __init__(self, name: str, *, private: bool, blobs: Blobs) -> None:
        self.name, self.private, self._blobs = name, private, blobs
        self.lock = threading.RLock()
        self.commits: dict[str, Commit] = {}
        self.tags: dict[str, str] = {}
        self.branches: dict[str, str] = {}
        tree = {".gitattributes": self.keep(ATTRIBUTES.encode())}
        self.branches["main"] = self._add(None, "initial commit", tree).id

    def keep(self, content: bytes) -> Entry:
        """Keeps the content of a file that git has itself."""
        oid = git_digest(content)
        self._blobs.put(oid, [content], "sha1")
        return Entry(oid, len(content))

    def find(self, revision: str) -> Commit:
        """Returns the commit of a branch, a tag, or an id."""
        name = revision.removeprefix("refs/heads/").removeprefix("refs/tags/")
        found = self.branches.get(name) or self.tags.get(name) or name
        if found not in self.commits:
            raise StoreError(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return self.commits[found]

    def history(self, revision: str) -> Iterator[Commit]:
        """Yields commits, the newest first."""
        at: str | None = self.find(revision).id
        while at is not None:
            yield self.commits[at]
            at = self.commits[at].parent

    def commit(self, branch: str, title: str, changes: dict[str, Entry | None]) -> Commit:
        """Makes a commit; None takes a file away."""
        with self.lock:
            head = self.find(branch)
            tree = dict(head.tree)
            for path, entry in changes.items():
                if entry is None:
                    if path not in tree:
                        raise StoreError(
                            404, "A file with this name doesn't exist", "EntryNotFound"
                        )
                    del tree[path]
                else:
                    tree[path] = entry
            made = self._add(head, title, tree)
            self.branches[branch] = made.id
            return made

    def upload_mode(self, path: str, size: int, sample: bytes) -> str:
        names = self._lfs_names()
        is_named = any(fnmatch.fnmatch(path.rpartition("/")[2], name) for name in names)
        return "lfs" if is_named or size > _REGULAR_LIMIT or b"\0" in sample else "regular"

    def _lfs_names(self) -> list[str]:
        entry = self.find("main").tree.get(".gitattributes")
        text = self._blobs.path(entry.oid).read_text() if entry else ""
        return [line.split()[0] for line in text.splitlines() if "filter=lfs" in line]

    def _add(self, parent: Commit | None, title: str, tree: dict[str, Entry]) -> Commit:
        number = len(self.commits)
        facts = (self.name, number, title, sorted((path, e.oid) for path, e in tree.items()))
        made = Commit(
            hashlib.sha1(repr(facts).encode()).hexdigest(),
            parent.id if parent else None,
            number,
            title,
            tree,
        )
        self.commits[made.id] = made
        return made


def git_digest(content: bytes) -> str:
    """Returns what git calls a file of this content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def lfs_entry(sha256: str, size: int) -> Entry:
    """Returns the entry of a file in LFS: git itself has only a pointer to it."""
    spec = "https://git-lfs.github.com/spec/v1"
    pointer = f"version {spec}\noid sha256:{sha256}\nsize {size}\n".encode()
    return Entry(git_digest(pointer), size, sha256, len(pointer))


def card_problems(text: str) -> tuple[list[str], list[str]]:
    """Returns what the Hub refuses in a card's YAML, and what it only warns of."""
    if not text.startswith("---\n") or "\n---" not in text[3:]:
        return [], ["empty or missing yaml metadata in repo card"]
    try:
        said = yaml.safe_load(text[4:].partition("\n---")[0])
    except yaml.YAMLError as error:
        return [f"bad YAML: {error}"], []
    if not isinstance(said, dict):
        return ["the metadata is no mapping"], []
    return [*_wrong_values(said), *_wrong_configs(said.get("configs", []))], []


def _wrong_values(said: dict[str, Any]) -> Iterator[str]:
    if "license" in said and said["license"] not in _LICENCES:
        yield f'"license" must be one of {sorted(_LICENCES)}'
    sizes = said.get("size_categories", [])
    if not isinstance(sizes, list) or not set(map(str, sizes)) <= _SIZES:
        yield f'"size_categories" must be of {sorted(_SIZES)}'
    if not isinstance(said.get("pretty_name", ""), str):
        yield '"pretty_name" must be a string'
    for name in ("tags", "language", "task_categories"):
        found = said.get(name, [])
        if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
            yield f'"{name}" must be an array of strings'


def _wrong_configs(configs: Any) -> Iterator[str]:
    if not isinstance(configs, list):
        yield '"configs" must be an array'
        return
    for number, config in enumerate(configs):
        if not isinstance(config, dict) or not isinstance(config.get("config_name"), str):
            yield f'"configs[{number}].config_name" must be a string'
            continue
        files = config.get("data_files")
        items = files if isinstance(files, list) else [files]
        if not all(_is_data_file(item) for item in items):
            yield f'"configs[{number}].data_files" must name files'


def _is_data_file(item: Any) -> bool:
    if isinstance(item, dict):
        return isinstance(item.get("split"), str) and isinstance(item.get("path"), str | list)
    return isinstance(item, str)
