"""Files of a data set on the Hub, at one commit, fetched when they are asked for."""

import contextlib
import dataclasses
import os
import re
import sys
from collections.abc import Iterator

from pipelines.errors import UserError

SCHEME = "hf://"
_ADDRESS = re.compile(r"hf://datasets/([\w.-]+/[\w.-]+)(?:@([\w./-]+))?")


@dataclasses.dataclass(frozen=True, slots=True)
class HubFiles:
    """A data set's files at a commit. The token is never shown."""

    address: str
    repo: str
    commit: str
    token: str | None = dataclasses.field(repr=False)

    def fetch(self, path: str) -> str | None:
        """Returns where a file lies once it is here; None if the data set has none.

        It goes to the usual cache: what is there already is not fetched again.

        Raises:
            UserError: If the Hub cannot be reached or refuses.
        """
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError

        with told(self.address):
            try:
                return hf_hub_download(
                    self.repo, path, repo_type="dataset", revision=self.commit, token=self.token
                )
            except LocalEntryNotFoundError:
                raise ConnectionError from None  # It could not be asked for.
            except EntryNotFoundError:
                return None


def open_hub(address: str, token_env: str | None) -> HubFiles:
    """Returns the files of `hf://datasets/ORG/NAME[@REVISION]` at what is its commit now.

    Args:
        address: The address; without a revision it is `main`.
        token_env: Environment variable that holds a token; None for the Hub's usual places,
            first of which is `HF_TOKEN`.

    Raises:
        UserError: If it is no such address, the variable is not set, or the Hub cannot be
            reached or does not have it.
    """
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise UserError(f"{address}: is no address like hf://datasets/ORG/NAME or …@REVISION")
    token = _token(token_env)
    from huggingface_hub import HfApi
    from huggingface_hub.utils.tqdm import disable_progress_bars

    if not sys.stderr.isatty():
        disable_progress_bars()
    repo, revision = found[1], found[2] or "main"
    with told(address):
        commit = HfApi(token=token).dataset_info(repo, revision=revision).sha
    return HubFiles(address, repo, commit or revision, token)


def _token(token_env: str | None) -> str | None:
    if token_env is None:
        return None
    token = os.environ.get(token_env, "").strip()
    if not token:
        raise UserError(f"--token-env: the environment variable {token_env} is not set")
    if not (token.isascii() and token.isprintable()):
        raise UserError(f"--token-env: {token_env} holds characters that no token has")
    return token


@contextlib.contextmanager
def told(address: str) -> Iterator[None]:
    """Turns what the Hub or the way to it refuses into a sentence of ours.

    Never the library's own: a server may have put anything into it, the token included.
    """
    import httpx2
    from huggingface_hub import errors

    try:
        yield
    except errors.RevisionNotFoundError:
        raise UserError(f"{address}: the data set has no such revision") from None
    except errors.RepositoryNotFoundError:
        raise UserError(
            f"{address}: the Hub has no such data set, or the token (HF_TOKEN, or what "
            "--token-env names) may not read it"
        ) from None
    except errors.HFValidationError:
        raise UserError(f"{address}: is no name that a data set on the Hub has") from None
    except errors.HfHubHTTPError as error:
        status = error.response.status_code
        raise UserError(f"{address}: the Hub refused with status {status}") from None
    except (httpx2.HTTPError, OSError) as error:
        kind = type(error).__name__
        raise UserError(f"{address}: the Hub cannot be reached ({kind})") from None
