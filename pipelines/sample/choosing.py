"""Repeatable choices: every pick follows from a seed by hashing, never from a clock or state."""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def digest(*path: str | int) -> bytes:
    """Returns the 32 bytes that a path of names and numbers always hashes to."""
    # The separator keeps ("ab", "c") and ("a", "bc") apart.
    return hashlib.sha256("\x1f".join(map(str, path)).encode()).digest()


def hex_name(*path: str | int, length: int) -> str:
    """Returns the first `length` hexadecimal digits of a path's digest."""
    return digest(*path).hex()[:length]


class Choices:
    """A stream of picks that depends only on the path it was opened with."""

    def __init__(self, *path: str | int) -> None:
        self._path = path
        self._drawn = 0

    def _next(self) -> int:
        self._drawn += 1
        return int.from_bytes(digest(*self._path, self._drawn)[:8], "big")

    def number(self, low: int, high: int) -> int:
        """Returns an integer from `low` to `high`, both included."""
        return low + self._next() % (high - low + 1)

    def pick(self, options: Sequence[T]) -> T:
        """Returns one of the options."""
        return options[self._next() % len(options)]

    def chance(self, percent: int) -> bool:
        """Returns true in `percent` of a hundred cases."""
        return self._next() % 100 < percent

    def shuffled(self, options: Sequence[T]) -> list[T]:
        """Returns all options in a new order."""
        return [option for _, option in sorted(enumerate(options), key=lambda _: self._next())]

    def several(self, options: Sequence[T], count: int) -> list[T]:
        """Returns `count` different options, or all of them if there are fewer."""
        return self.shuffled(options)[:count]

    def child(self, *names: str | int) -> "Choices":
        """Returns a stream of its own, untouched by how much of this one was drawn."""
        return Choices(*self._path, *names)
