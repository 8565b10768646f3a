"""What lies on the Hub before a publication: its account, its repository, its files."""

import dataclasses
import json
from collections.abc import Mapping, Sequence

from schemas.builds import BuiltFile

_WRITING_ROLES = ("admin", "write", "contributor")


@dataclasses.dataclass(frozen=True, slots=True)
class Account:
    """Whose token it is, and what it may.

    `name` is empty where the Hub did not tell. `role` is the token's: `read`, `write`,
    `fineGrained`, or another that we do not know. `orgs` are the person's roles by organisation;
    `writable` the names, and the whole names of repositories, that a fine-grained token may
    write into.
    """

    name: str
    role: str
    orgs: Mapping[str, str]
    writable: frozenset[str] = frozenset()

    def writes_into(self, repo: str) -> bool | None:
        """Whether it may write into a repository; None if that cannot be told from it."""
        owner = repo.partition("/")[0]
        if self.role == "read":
            return False
        if self.role == "fineGrained":
            return bool(self.writable & {owner, repo})
        if self.role != "write":
            return None
        return owner == self.name or self.orgs.get(owner, "") in _WRITING_ROLES


@dataclasses.dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of a commit. `oid` is git's digest; `sha256` is empty unless it lies in LFS."""

    path: str
    size_bytes: int
    oid: str
    sha256: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class PublishedVersion:
    """What the last publication says of itself, by the `BUILD.json` that lies there."""

    dataset: str
    version: str
    files: Mapping[str, BuiltFile]


@dataclasses.dataclass(frozen=True, slots=True)
class Remote:
    """A repository as it was looked at.

    `head` is the commit that a new one comes after, `files` what it holds; `has_branch` is
    false where the branch is still to be made, from main. `tags` are commits by tag. `tagged`
    are the files of the tag that is to be set, None if it is not there yet. `published` is
    None where no data set of ours lies. `card` is the text of the card, empty without one;
    `released_card` is git's digest of it as it was when the last version was tagged, empty if
    unknown.
    """

    private: bool
    has_branch: bool
    head: str
    files: Mapping[str, RemoteFile]
    tags: Mapping[str, str]
    tagged: Mapping[str, RemoteFile] | None = None
    published: PublishedVersion | None = None
    card: str = ""
    released_card: str = ""


def parse_account(said: object) -> Account:
    """Returns the account that `whoami` tells of; what it does not say is left empty."""
    top = _object(said)
    token = _object(_object(top.get("auth")).get("accessToken"))
    orgs = {
        str(_object(org).get("name")): str(_object(org).get("roleInOrg", ""))
        for org in _list(top.get("orgs"))
    }
    scoped = _list(_object(token.get("fineGrained")).get("scoped"))
    writable = frozenset(
        str(_object(_object(scope).get("entity")).get("name"))
        for scope in scoped
        if "repo.write" in _list(_object(scope).get("permissions"))
    )
    name = top.get("name")
    return Account(
        name if isinstance(name, str) else "", str(token.get("role", "")), orgs, writable
    )


def parse_published(text: bytes) -> PublishedVersion | None:
    """Returns what a `BUILD.json` says of itself; None if it is not one of ours."""
    try:
        said = json.loads(text)
        listed = [*said["shards"], *said["files"]]
        files = [BuiltFile(str(f["path"]), int(f["size_bytes"]), str(f["sha256"])) for f in listed]
        return PublishedVersion(
            str(said["dataset"]), str(said["version"]), {file.path: file for file in files}
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else []
