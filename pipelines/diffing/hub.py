"""Files of a data set on the Hub, at one commit, fetched when they are asked for."""

import dataclasses
import re
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from pipelines.errors import UserError
from pipelines.publishing.endpoint import hub_address
from pipelines.publishing.hub_errors import HubError
from pipelines.publishing.tokens import find_token
from pipelines.terminal import duration
from schemas.builds import Shard
from transforms.files import file_digest
from transforms.models.keys import Key

if TYPE_CHECKING:
    import httpx2
    from huggingface_hub.hf_api import RepoFile

T = TypeVar("T")

SCHEME = "hf://"
_ADDRESS = re.compile(r"hf://datasets/([\w.-]+/[\w.-]+)(?:@([\w./-]+))?")
_COMMIT = re.compile(r"[0-9a-f]{40,64}")

CONNECT_S, READ_S = 15.0, 30.0
ANSWER_S = 300.0
"""How long one answer may take altogether, and all pages of a list; files may take longer."""

_LONGEST_WAIT_S = 60.0
_WAITS = ("Retry-After", "RateLimit")
_LOOKING = "looking at the data set"


@dataclasses.dataclass(frozen=True, slots=True)
class HubFiles:
    """A data set's files at a commit. The token is never shown."""

    address: str
    repo: str
    commit: str
    key: Key | None

    def fetch(self, path: str) -> str | None:
        """Returns where a file lies once it is here; None if the data set has none.

        It goes to the usual cache: what is there already is not fetched again.

        Raises:
            UserError: If the Hub cannot be reached or refuses.
        """
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError

        def fetched() -> str | None:
            try:
                return hf_hub_download(
                    self.repo,
                    path,
                    repo_type="dataset",
                    revision=self.commit,
                    token=_token_of(self.key),
                )
            except LocalEntryNotFoundError:
                raise  # It could not be asked for.
            except EntryNotFoundError:
                return None

        return _told(self.address, f"fetching {path}", self.key, fetched)

    def refuse_changed(self, shards: Sequence[Shard]) -> None:
        """Refuses shards that are not there, or not as their build says.

        The Hub tells the digests of what lies in LFS, as shards do; any other is fetched.

        Raises:
            UserError: It names the first one.
        """
        from huggingface_hub import HfApi
        from huggingface_hub.hf_api import RepoFile

        def listed() -> dict[str, RepoFile]:
            found = HfApi(token=_token_of(self.key)).list_repo_tree(
                self.repo, recursive=True, revision=self.commit, repo_type="dataset"
            )
            return {file.path: file for file in found if isinstance(file, RepoFile)}

        there = _answered(self.address, "listing its files", self.key, listed)
        for shard in shards:
            file = there.get(shard.path)
            if file is None:
                raise UserError(f"{self.address}: lacks {shard.path}, which its build names")
            is_same = file.size == shard.size_bytes and self._digest_of(file) == shard.sha256
            if not is_same:
                raise UserError(f"{self.address}: {shard.path} is not the file that was built")

    def _digest_of(self, file: "RepoFile") -> str:
        if file.lfs:
            return file.lfs.sha256
        here = self.fetch(file.path)
        return file_digest(here) if here else ""


def open_hub(address: str, token_env: str | None) -> HubFiles:
    """Returns the files of `hf://datasets/ORG/NAME[@REVISION]` at what is its commit now.

    Args:
        address: The address; without a revision it is `main`.
        token_env: Environment variable that holds a token; None for the Hub's usual places,
            first of which is `HF_TOKEN`.

    Raises:
        UserError: If it is no such address, the token or what the environment says of the Hub
            will not do, or the Hub cannot be reached or does not have it.
    """
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise UserError(f"{address}: is no address like hf://datasets/ORG/NAME or …@REVISION")
    set_up()
    key = _key(token_env)
    repo, revision = found[1], found[2] or "main"
    return HubFiles(address, repo, _commit_of(address, repo, revision, key), key)


def set_up() -> None:
    """Has whatever talks to the Hub from now on keep to our limits.

    Raises:
        UserError: If the environment names a Hub or a proxy that cannot be used.
    """
    hub_address()
    from pipelines.publishing.client import Limits, hide_progress, set_up_client

    set_up_client(Limits(CONNECT_S, READ_S), _refuse_long_waits)
    if not sys.stderr.isatty():
        hide_progress()


def _key(token_env: str | None) -> Key | None:
    """Returns the token; none is needed for what is public."""
    token = find_token(token_env)
    if token.key is None and token.place:
        raise UserError(token.problem)
    return token.key


def _token_of(key: Key | None) -> str | bool:
    return key.reveal() if key else False


def _commit_of(address: str, repo: str, revision: str, key: Key | None) -> str:
    """Returns the commit that a revision is at now."""
    from huggingface_hub import HfApi
    from huggingface_hub.errors import (
        HFValidationError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    from pipelines.publishing.translating import not_understood

    def asked() -> str:
        try:
            info = HfApi(token=_token_of(key)).dataset_info(repo, revision=revision)
        except RevisionNotFoundError:
            raise UserError(f"{address}: the data set has no such revision") from None
        except RepositoryNotFoundError:
            raise UserError(
                f"{address}: the Hub has no such data set, or the token (HF_TOKEN, or what "
                "--token-env names) may not read it"
            ) from None
        except HFValidationError:
            raise UserError(f"{address}: is no name that a data set on the Hub has") from None
        # It becomes the name of a folder here.
        if not isinstance(info.sha, str) or not _COMMIT.fullmatch(info.sha):
            raise not_understood(_LOOKING, "no commit")
        return info.sha

    return _answered(address, _LOOKING, key, asked)


def _answered(address: str, doing: str, key: Key | None, call: Callable[[], T]) -> T:
    """Returns what the Hub answers in a set time."""
    from pipelines.publishing.client import Deadline

    return _told(address, doing, key, lambda: Deadline(ANSWER_S).call(doing, call))


def _told(address: str, doing: str, key: Key | None, call: Callable[[], T]) -> T:
    """Returns what a call returns; whatever the Hub or the way to it refuses is our sentence."""
    from pipelines.publishing.translating import translated

    try:
        with translated(doing, key):
            return call()
    except HubError as error:
        raise UserError(f"{address}: {error}") from None


def _refuse_long_waits(answer: "httpx2.Response") -> None:
    """Ends what the library would sleep for, however long a busy Hub asks it to."""
    from pipelines.publishing.translating import BUSY, asked_wait

    if answer.status_code not in BUSY:
        return
    waits = [asked_wait({name: answer.headers.get(name, "")}) for name in _WAITS]
    longest = max((wait for wait in waits if wait is not None), default=0.0)
    if longest > _LONGEST_WAIT_S:
        status = answer.status_code
        raise HubError(f"the Hub is busy (status {status}) and asks for {duration(longest)}")
