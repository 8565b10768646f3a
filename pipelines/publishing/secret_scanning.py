"""Keys and tokens found in texts before anybody else finds them."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping

from pipelines.publishing.contents import LocalFile

_KINDS = {
    "a Hugging Face token": r"hf_[A-Za-z0-9]{30,}|api_org_[A-Za-z0-9]{30,}",
    "a Google key": r"AIza[A-Za-z0-9_-]{35}",
    "an OpenAI key": r"sk-[A-Za-z0-9_-]{32,}",
    "an AWS key": r"(?:AKIA|ASIA)[A-Z0-9]{16}",
    "a GitHub token": r"gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,}",
    "a private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
}
_PATTERN = re.compile(
    "|".join(
        f"(?P<k{n}>(?<![A-Za-z0-9_-])(?:{pattern}))" for n, pattern in enumerate(_KINDS.values())
    )
)
_SECRET_VARIABLE = re.compile(r"(?:TOKEN|SECRET|PASSWORD|API_?KEY)$", re.IGNORECASE)
_SHORTEST = 12
_CHUNK = 1 << 20
_OVERLAP = 4096
"""No key is longer; one that lies across two chunks is whole in the next."""


def known_secrets(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Returns the values of variables whose names say that they are secret, by name."""
    return {
        name: value.strip()
        for name, value in environment.items()
        if _SECRET_VARIABLE.search(name) and len(value.strip()) >= _SHORTEST
    }


def secrets_in(files: Iterable[LocalFile], known: Mapping[str, str]) -> list[str]:
    """Returns a sentence for each place with a secret; none of them says what it is.

    Args:
        files: Texts, of any size; they are read in pieces.
        known: Secrets to be found word by word, by what they are to be called.
    """
    found = []
    for file in files:
        places = {(line, kind) for line, kind in _places(file.source, known)}
        found += [f"{file.path}, line {line:,}: {kind}" for line, kind in sorted(places)]
    return found


def _places(path: str, known: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Yields lines and what is in them; a place may come twice."""
    lines, kept = 1, ""
    with open(path, encoding="utf-8", errors="replace") as file:
        while chunk := file.read(_CHUNK):
            window = kept + chunk
            for start, kind in _finds(window, known):
                yield lines + window.count("\n", 0, start), kind
            dropped = max(0, len(window) - _OVERLAP)
            lines += window.count("\n", 0, dropped)
            kept = window[dropped:]


def _finds(text: str, known: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    for match in _PATTERN.finditer(text):
        kind = list(_KINDS)[int((match.lastgroup or "k0")[1:])]
        yield match.start(), kind
    for name, value in known.items():
        start = text.find(value)
        while start >= 0:
            yield start, f"the value of {name}"
            start = text.find(value, start + 1)
