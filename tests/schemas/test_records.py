"""Tests of the base of all row types that travel between steps."""

import copy
import dataclasses
import pickle

import pytest

from schemas.geometry import Bounds, Size
from schemas.records import Record


@dataclasses.dataclass(frozen=True, slots=True)
class Part(Record):
    """A record of one field."""

    box: Bounds


@dataclasses.dataclass(frozen=True, slots=True)
class Whole(Record):
    """A record of several fields, some of them records."""

    name: str
    size: Size | None
    parts: tuple[Part, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Longer(Whole):
    """A record with a field more than its base."""

    note: str = ""


@pytest.mark.parametrize(
    "record",
    [
        Part(Bounds(1, 2, 3, 4)),
        Whole("lid", None),
        Whole("lid", Size(1, 2), (Part(Bounds(1, 2, 3, 4)),)),
        Longer("lid", Size(1, 2), (), "half \ud83d"),
    ],
)
def test_a_record_comes_back_equal_and_of_its_type(record):
    for copied in (pickle.loads(pickle.dumps(record)), copy.deepcopy(record)):
        assert copied == record
        assert type(copied) is type(record)
        assert hash(copied) == hash(record)


def test_a_record_pickles_as_the_call_that_makes_it():
    assert Longer("lid", None, (), "b").__reduce__() == (Longer, ("lid", None, (), "b"))
    assert Part(Bounds(1, 2, 3, 4)).__reduce__() == (Part, (Bounds(1, 2, 3, 4),))
