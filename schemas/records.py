"""The base of all row types that travel between steps."""

import dataclasses
import functools
import operator
from collections.abc import Callable
from typing import Any


class Record:
    """A frozen dataclass that pickles as the call that makes it.

    What dataclasses with slots do by themselves walks their fields in Python for every
    object, both ways; with a handful of nested objects a screen and a few shuffles, that
    is felt (CONTRIBUTING, "What the profile taught").
    """

    __slots__ = ()

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        """Returns the class and the values of its fields in order."""
        return type(self), _values_of(type(self))(self)  # type: ignore[arg-type]


@functools.cache
def _values_of(record_type: type) -> Callable[[Any], tuple[Any, ...]]:
    names = [f.name for f in dataclasses.fields(record_type)]
    if len(names) == 1:
        return lambda record: (getattr(record, names[0]),)
    return operator.attrgetter(*names)
