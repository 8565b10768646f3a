"""Keeping a package out of a process that would only load it for nothing."""

import importlib.abc
import sys


class _Hidden(importlib.abc.MetaPathFinder):
    def __init__(self, package: str) -> None:
        self._package = package

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        if name == self._package:
            raise ModuleNotFoundError(f"{name} is hidden from this process", name=name)


def hide_pandas() -> None:
    """Makes pandas look as if it were not installed, for good.

    pyarrow imports it with the first array that it makes, a second of CPU; it never shows
    it to a step of ours. Not for a process that wants frames later: pyarrow looks once.
    """
    if "pandas" not in sys.modules:
        # None in sys.modules would not do: Cython's import then yields None, not an error.
        sys.meta_path.insert(0, _Hidden("pandas"))
