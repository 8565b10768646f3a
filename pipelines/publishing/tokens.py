"""The Hub's token: out of the environment or the Hub's own store, and into nothing else."""

import dataclasses
import os

from pipelines.publishing.hub_errors import HubError
from transforms.models.keys import Key

USUAL = "HF_TOKEN"
_LIMIT_S = 20.0


@dataclasses.dataclass(frozen=True, slots=True)
class FoundToken:
    """A token, and where it was found; `key` is None if nowhere, and `problem` says why."""

    key: Key | None
    place: str
    problem: str = ""


def find_token(named: str | None, *, stored: bool = True) -> FoundToken:
    """Returns the token to publish with.

    Args:
        named: The variable that the user named, or None for `HF_TOKEN`, and after it what
            `hf auth login` stored.
        stored: Whether the store may be asked; it may renew a token over the network.
    """
    name = named or USUAL
    value = os.environ.get(name, "").strip()
    if value:
        return _checked(value, name)
    if named:
        return FoundToken(None, named, f"the environment variable {named} is not set")
    return _from_store() if stored else _nowhere()


def _checked(value: str, place: str) -> FoundToken:
    if not (value.isascii() and value.isprintable() and " " not in value):
        return FoundToken(None, place, f"{place} holds characters that no token has")
    return FoundToken(Key(value), place)


def _from_store() -> FoundToken:
    import httpx2
    import huggingface_hub
    from huggingface_hub import errors

    from pipelines.publishing.client import Deadline

    try:
        value = Deadline(_LIMIT_S).call("looking for a token", huggingface_hub.get_token)
    except (
        *(OSError, ValueError, HubError, httpx2.HTTPError),
        *(errors.OIDCError, errors.DeviceCodeError),
    ):
        # What they say may hold parts of an exchange with a token in it.
        return FoundToken(None, "the Hub's store", "the stored token could not be renewed")
    return _checked(value, "the Hub's store") if value else _nowhere()


def _nowhere() -> FoundToken:
    problem = f"no token: set {USUAL}, name another variable with --token-env, or `hf auth login`"
    return FoundToken(None, "", problem)
