"""All calls to the Hub: patient where it is busy, and silent about the token.

`huggingface_hub` repeats some calls itself (preupload, LFS, listings) and others never
(commit, tag, creation); what it does not repeat is repeated here. Errors come out as one
sentence without an address that was signed, and never with what was sent.
"""

import threading
import time
import urllib.parse
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import httpx2
import huggingface_hub
from huggingface_hub import CommitOperationAdd, CommitOperationDelete, DatasetInfo, HfApi
from huggingface_hub.errors import RepositoryNotFoundError

from pipelines.publishing.client import (
    LARGEST_ANSWER,
    PATIENT,
    QUICK,
    Deadline,
    hide_progress,
    set_up_client,
)
from pipelines.publishing.hub_errors import HubError
from pipelines.publishing.remote import (
    Account,
    PublishedVersion,
    Remote,
    RemoteFile,
    parse_account,
    parse_published,
)
from pipelines.publishing.translating import BUSY, asked_wait, translated
from pipelines.terminal import duration
from schemas.builds import CARD, FINISHED
from transforms.models.keys import Key

T = TypeVar("T")

MOST_TRIES = 6
PATIENCE_S = 900.0
"""How long a publication waits altogether for a busy Hub before it gives up."""

QUICK_S = 20.0
"""How long a dry run looks at the Hub altogether."""

_KIND = "dataset"


class Hub:
    """A repository on the Hub, as a token sees it.

    It hears all answers that the one client of `huggingface_hub` in this process gets.
    """

    def __init__(
        self, repo: str, key: Key | None, say: Callable[[str], None], *, quick: bool = False
    ) -> None:
        """Makes the client.

        Args:
            repo: `ORG/NAME`.
            key: The token, or None to see only what everybody sees.
            say: Shows a line to whoever waits.
            quick: Whether to give up at once where the Hub is slow or busy (a dry run).
        """
        self.repo = repo
        self.waited_s = 0.0
        self._key, self._say = key, say
        self._deadline = Deadline(QUICK_S) if quick else None
        self._lock = threading.Lock()
        set_up_client(QUICK if quick else PATIENT, self.hear)
        hide_progress()
        self._api = HfApi(token=key.reveal() if key else False, library_name="screenset")

    def account(self) -> Account:
        """Returns whose token it is.

        Raises:
            HubError: With status 401 if the Hub does not know the token.
        """
        return parse_account(self._patiently("asking whose token it is", self._api.whoami))

    def look(self, branch: str, tag: str) -> Remote | None:
        """Returns the repository as it is now; None if there is none, or none to be seen.

        Args:
            branch: The branch to publish on.
            tag: The tag that is to be set.

        Raises:
            HubError: If it cannot be looked at; with status 401 if only a token could tell.
        """
        info = self._patiently("looking at the repository", self._info)
        if info is None:
            return None
        refs = self._patiently(
            "listing branches", lambda: self._api.list_repo_refs(self.repo, repo_type=_KIND)
        )
        tags = {ref.name: ref.target_commit for ref in refs.tags}
        branches = {ref.name: ref.target_commit for ref in refs.branches}
        head = branches.get(branch) or branches.get("main") or str(info.sha)
        files = self.files(head)
        published = self._published(files, head)
        return Remote(
            private=bool(info.private),
            has_branch=branch in branches,
            head=head,
            files=files,
            tags=tags,
            tagged=self._tagged(tag, tags, head, files),
            published=published,
            card=self._card(files, head),
            released_card=self._released_card(published, tags, head, files),
        )

    def files(self, revision: str) -> dict[str, RemoteFile]:
        """Returns the files of a commit, by path."""

        def listed() -> dict[str, RemoteFile]:
            found = self._api.list_repo_tree(
                self.repo, recursive=True, revision=revision, repo_type=_KIND
            )
            return {
                file.path: RemoteFile(
                    file.path, file.size, file.blob_id, file.lfs.sha256 if file.lfs else ""
                )
                for file in found
                if isinstance(file, huggingface_hub.hf_api.RepoFile)
            }

        return self._patiently("listing its files", listed)

    def create(self) -> None:
        """Makes the repository, private, unless it is there."""
        self._patiently(
            "making the repository",
            lambda: self._api.create_repo(
                self.repo, repo_type=_KIND, visibility="private", exist_ok=True
            ),
        )

    def create_branch(self, branch: str, start: str) -> None:
        """Makes a branch at a commit, unless it is there."""
        self._patiently(
            f"making the branch {branch}",
            lambda: self._api.create_branch(
                self.repo, branch=branch, revision=start, repo_type=_KIND, exist_ok=True
            ),
        )

    def validate_card(self, text: str) -> list[str]:
        """Returns what the Hub would refuse in a card, before anything large is sent."""
        url = f"{self._api.endpoint}/api/validate-yaml"

        def asked() -> list[str]:
            body = {"content": text, "repoType": _KIND}
            answer = huggingface_hub.get_session().post(url, json=body, headers=self._headers())
            if answer.status_code == 400:
                errors = answer.json().get("errors", [])
                return [str(error.get("message")) for error in errors]
            answer.raise_for_status()
            return []

        return self._patiently("having the card validated", asked)

    def upload(self, additions: list[CommitOperationAdd], branch: str) -> None:
        """Sends contents ahead of the commit that will name them: nobody sees them yet.

        What the Hub has already is not sent again, so a second call goes on where a first one
        was cut off.
        """
        self._patiently(
            "sending files",
            lambda: self._api.preupload_lfs_files(
                self.repo, additions, repo_type=_KIND, revision=branch, free_memory=False
            ),
        )

    def commit(
        self,
        additions: Iterable[CommitOperationAdd],
        deletions: Iterable[str],
        *,
        message: str,
        branch: str,
        parent: str,
    ) -> str:
        """Makes one commit after `parent`, and returns its id. It is tried once.

        Raises:
            HubError: With status 412 if another commit came in between. If it is `passing`, it
                may have been made all the same: look before trying again.
        """
        operations: list[CommitOperationAdd | CommitOperationDelete] = [*additions]
        operations += [CommitOperationDelete(path) for path in deletions]
        with translated("committing", self._key), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = self._api.create_commit(
                self.repo,
                operations,
                commit_message=message,
                repo_type=_KIND,
                revision=branch,
                parent_commit=parent,
            )
        return str(made.oid)

    def pause(self, error: HubError, attempt: int) -> None:
        """Waits before a commit is tried again, as long as the Hub asked for, or a little.

        Raises:
            HubError: The error itself, if it will not pass or patience is at its end.
        """
        asked_s = error.asked_s
        wait_s = min(2.0 ** (attempt - 1), 60.0) if asked_s is None else asked_s
        is_over = asked_s is None and self.waited_s + wait_s > PATIENCE_S
        if not error.passing or attempt >= MOST_TRIES or is_over:
            raise error
        if asked_s is None:
            # What it asked for was counted when it was heard.
            self.waited_s += wait_s
        if not error.status:
            self._say(f"{error}; trying again in {duration(wait_s)}")
        time.sleep(wait_s)

    def tag(self, tag: str, commit: str) -> None:
        """Sets a tag on a commit; one that is there already must be there.

        Raises:
            HubError: If it is there on another commit.
        """
        try:
            self._patiently(
                f"setting the tag {tag}",
                lambda: self._api.create_tag(self.repo, tag=tag, revision=commit, repo_type=_KIND),
            )
        except HubError as error:
            if error.status != 409:
                raise
            refs = self._patiently(
                "listing tags", lambda: self._api.list_repo_refs(self.repo, repo_type=_KIND)
            )
            if {ref.name: ref.target_commit for ref in refs.tags}.get(tag) != commit:
                raise HubError(
                    f"somebody set the tag {tag} on another commit meanwhile", 409
                ) from None

    def make_public(self) -> None:
        """Makes the repository public."""
        self._patiently(
            "making it public",
            lambda: self._api.update_repo_settings(self.repo, visibility="public", repo_type=_KIND),
        )

    def read(self, path: str, revision: str) -> bytes:
        """Returns what a small file holds, leaving no copy on disk."""
        place = f"{self.repo}/resolve/{revision}/{urllib.parse.quote(path)}"
        url = f"{self._api.endpoint}/datasets/{place}"

        def got() -> bytes:
            answer = huggingface_hub.get_session().get(url, headers=self._headers())
            answer.raise_for_status()
            return bytes(answer.content)

        return self._patiently(f"reading {path}", got)

    def _info(self) -> DatasetInfo | None:
        try:
            return self._api.dataset_info(self.repo, expand=["private", "sha"])
        except RepositoryNotFoundError as error:
            if self._key is None:
                raise HubError(
                    "it is not there, or private: only a token could tell", 401
                ) from None
            if error.response.status_code != 404:
                raise HubError("the token may not look into it", 403) from None
            return None

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._key.reveal()}"} if self._key else {}

    def _published(self, files: Mapping[str, RemoteFile], head: str) -> PublishedVersion | None:
        summary = files.get(FINISHED)
        if summary is None or summary.size_bytes > LARGEST_ANSWER:
            return None
        return parse_published(self.read(FINISHED, head))

    def _tagged(
        self, tag: str, tags: Mapping[str, str], head: str, files: Mapping[str, RemoteFile]
    ) -> Mapping[str, RemoteFile] | None:
        if tag not in tags:
            return None
        return files if tags[tag] == head else self.files(tags[tag])

    def _card(self, files: Mapping[str, RemoteFile], head: str) -> str:
        card = files.get(CARD)
        if card is None or card.size_bytes > LARGEST_ANSWER:
            return ""
        return self.read(CARD, head).decode("utf-8", "replace")

    def _released_card(
        self,
        published: PublishedVersion | None,
        tags: Mapping[str, str],
        head: str,
        files: Mapping[str, RemoteFile],
    ) -> str:
        commit = tags.get(f"v{published.version}") if published else None
        if commit is None:
            return ""
        card = (files if commit == head else self.files(commit)).get(CARD)
        return card.oid if card else ""

    def hear(self, answer: httpx2.Response) -> None:
        """Hears every answer: says that the Hub is busy, and ends what asks for too much."""
        if answer.status_code not in BUSY:
            return
        if self._deadline:
            raise HubError(f"the Hub is busy (status {answer.status_code})", answer.status_code)
        asked_s = asked_wait(answer.headers)
        with self._lock:
            if asked_s is not None and self.waited_s + asked_s > PATIENCE_S:
                raise HubError(
                    f"the Hub asks for {duration(asked_s)} of patience (status "
                    f"{answer.status_code}), more than the {duration(PATIENCE_S)} that "
                    "a publication waits; run the same command later, nothing is sent twice",
                    answer.status_code,
                )
            self.waited_s += asked_s or 0.0
        asks = "" if asked_s is None else f" and asks for {duration(asked_s)}"
        self._say(
            f"the Hub is busy (status {answer.status_code}){asks}; "
            f"waited {duration(self.waited_s)} of {duration(PATIENCE_S)} so far"
        )

    def _patiently(self, doing: str, call: Callable[[], T]) -> T:
        """Returns what a call does that may be made twice, and makes it again if it must."""
        attempt = 1
        while True:
            try:
                with translated(doing, self._key):
                    return self._deadline.call(doing, call) if self._deadline else call()
            except HubError as error:
                if self._deadline:
                    raise
                self.pause(error, attempt)
                attempt += 1
