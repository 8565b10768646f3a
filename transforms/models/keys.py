"""Keys of services: out of the environment, and into nothing that is shown or stored."""

import os
from collections.abc import Sequence

from transforms.models.protocol import RefusedRequestError

_SHORTEST_HIDDEN = 4


class Key:
    """A secret. Only `reveal` gives it away; it does not pickle."""

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def hidden_in(self, text: str) -> str:
        """Returns a text with the secret blotted out, should a server have echoed it."""
        if len(self._value) < _SHORTEST_HIDDEN:
            return text
        return text.replace(self._value, "[key]")

    def __repr__(self) -> str:
        return "Key(…)"

    def __reduce__(self) -> str:
        raise TypeError("a key must not leave its process")


def find_key(named: str | None, usual: Sequence[str]) -> Key | None:
    """Returns the key of a service, None if the environment has none.

    Args:
        named: The variable that the manifest names, or None.
        usual: Where else to look if it names none, the first one found counting.

    Raises:
        RefusedRequestError: If the manifest names a variable that is not set, or the key
            holds characters that no header may.
    """
    names = [named] if named else list(usual)
    for name in names:
        value = os.environ.get(name, "").strip()
        if value:
            if not (value.isascii() and value.isprintable()):
                raise RefusedRequestError(f"the key in {name} holds characters that no key has")
            return Key(value)
    if named:
        raise RefusedRequestError(f"the environment variable {named}, named by key_env, is not set")
    return None
