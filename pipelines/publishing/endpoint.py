"""Where the Hub is, by the environment: looked at before any library trips over it."""

import os
import re
from urllib.parse import urlsplit

from pipelines.errors import UserError

VARIABLE = "HF_ENDPOINT"
_USUAL = "https://huggingface.co"
_USERINFO = re.compile(r"//[^/?#\s]*@")


def hub_address() -> str:
    """Returns the Hub's address, for requests; it may hold a password.

    huggingface_hub takes the address apart when it is imported, so this comes before that.

    Raises:
        UserError: If the environment names none that can be used. It does not repeat it.
    """
    problem = _problem_of(os.environ.get(VARIABLE, _USUAL))
    if problem:
        raise UserError(f"{VARIABLE} is no address like {_USUAL}: {problem}")
    from huggingface_hub import constants

    return constants.ENDPOINT


def without_userinfo(text: str) -> str:
    """Returns a text whose addresses have no name and no password."""
    return _USERINFO.sub("//", text)


def _problem_of(address: str) -> str:
    """Returns why requests cannot go to an address; empty if they can."""
    try:
        split = urlsplit(address)
        host = split.hostname
        # Ports are only looked at when they are asked for.
        _ = split.port
    except ValueError:
        return "its host or its port cannot be read"
    if split.scheme not in ("http", "https"):
        return "it does not begin with https:// or http://"
    if not host or not address.isprintable() or " " in address:
        return "it names no host"
    return "it has more than a host and a path" if split.query or split.fragment else ""
