"""Tests of the one declaration per column."""

import dataclasses
import datetime
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.columns import (
    IMAGE,
    Need,
    Rules,
    arrow_schema,
    column,
    column_table,
    declared_columns,
    hub_features,
    may_be_null,
    misdeclared_columns,
    plain_values,
    record,
    records,
    refuse_nulls,
)
from schemas.geometry import Bounds
from schemas.screens import StoredImage


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """A nested row."""

    name: str = column(pa.string(), "Name of the part.")
    box: Bounds = column(pa.list_(pa.int32()), "Left, top, right, bottom in pixels.")


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """A row with a column of every kind."""

    id: str = column(pa.string(), "Id of the row.")
    weight: float | None = column(pa.float64(), "In grams; null if unweighed.", nullable=True)
    seen: datetime.datetime = column(pa.timestamp("us", tz="UTC"), "When it was seen.")
    image: StoredImage = column(IMAGE, "A picture.")
    first: Part = column(record(Part), "The first part.")
    parts: tuple[Part, ...] = column(records(Part), "All parts, in order.")


def test_the_parquet_schema_carries_types_nulls_and_docs():
    schema = arrow_schema(Row)
    assert [(f.name, f.type, may_be_null(f)) for f in schema] == [
        ("id", pa.string(), False),
        ("weight", pa.float64(), True),
        ("seen", pa.timestamp("us", tz="UTC"), False),
        ("image", IMAGE, False),
        ("first", record(Part), False),
        ("parts", records(Part), False),
    ]
    assert schema.field("weight").metadata[b"doc"] == b"In grams; null if unweighed."
    assert not may_be_null(schema.field("parts").type.value_type.field("name"))
    assert all(f.nullable for f in schema)  # Or the Hub's library drops their features.


def test_the_parquet_schema_tells_the_hub_its_features():
    features = json.loads(arrow_schema(Row).metadata[b"huggingface"])["info"]["features"]
    part = {
        "name": {"dtype": "string", "_type": "Value"},
        "box": [{"dtype": "int32", "_type": "Value"}],
    }
    assert features == hub_features(Row)
    assert features == {
        "id": {"dtype": "string", "_type": "Value"},
        "weight": {"dtype": "float64", "_type": "Value"},
        "seen": {"dtype": "timestamp[us, tz=UTC]", "_type": "Value"},
        "image": {"_type": "Image"},
        "first": part,
        "parts": [part],
    }


def test_the_table_of_columns_lists_nested_ones_under_their_parent():
    assert column_table(Row) == (
        "| column | type | null | meaning |\n"
        "| --- | --- | --- | --- |\n"
        "| `id` | string | no | Id of the row. |\n"
        "| `weight` | double | yes | In grams; null if unweighed. |\n"
        "| `seen` | timestamp[us, tz=UTC] | no | When it was seen. |\n"
        "| `image` | image | no | A picture. |\n"
        "| `first` | record | no | The first part. |\n"
        "| `first.name` | string | no | Name of the part. |\n"
        "| `first.box` | list of int32 | no | Left, top, right, bottom in pixels. |\n"
        "| `parts` | list of record | no | All parts, in order. |\n"
        "| `parts[].name` | string | no | Name of the part. |\n"
        "| `parts[].box` | list of int32 | no | Left, top, right, bottom in pixels. |\n"
    )


def test_a_row_becomes_values_that_arrow_takes_and_gives_back():
    seen = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)
    part = Part("lid", Bounds(1, 2, 3, 4))
    row = Row("7", None, seen, StoredImage(b"png", "7.png"), part, (part, part))
    plain = plain_values(row)
    nested = {"name": "lid", "box": [1, 2, 3, 4]}
    assert plain == {
        "id": "7",
        "weight": None,
        "seen": seen,
        "image": {"bytes": b"png", "path": "7.png"},
        "first": nested,
        "parts": [nested, nested],
    }
    assert pa.Table.from_pylist([plain], arrow_schema(Row)).to_pylist() == [plain]


def table_of(**changes):
    part = {"name": "lid", "box": [1, 2, 3, 4]}
    plain = {
        "id": "7",
        "weight": None,
        "seen": datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC),
        "image": {"bytes": b"png", "path": "7.png"},
        "first": part,
        "parts": [part],
    }
    return pa.Table.from_pylist([plain, plain | changes], arrow_schema(Row))


def test_nulls_are_fine_where_they_are_declared():
    refuse_nulls(table_of())


def test_nulls_elsewhere_are_refused_by_the_names_of_their_columns():
    with pytest.raises(ValueError, match=r"^nulls in id, parts, which must not have any$"):
        refuse_nulls(table_of(id=None, parts=None))


@dataclasses.dataclass(frozen=True, slots=True)
class Ruled:
    """A row whose columns are held to something."""

    state: str = column(pa.string(), "It is `on` or `off`.", values=("on", "off"))
    share: float | None = column(
        pa.float64(), "From 0 to 1.", nullable=True, low=0, high=1, needs=Need.SYNC
    )
    note: str = column(pa.string(), "A remark, perhaps none.", blank=True)
    parts: tuple[Part, ...] = column(records(Part), "Its parts.")


def test_the_rules_of_a_column_are_declared_with_it():
    declared = {one.path: one for one in declared_columns(Ruled)}
    assert list(declared) == ["state", "share", "note", "parts", "parts[].name", "parts[].box"]
    assert declared["state"].rules == Rules(values=("on", "off"))
    assert declared["share"].rules == Rules(low=0, high=1, needs=Need.SYNC)
    assert declared["share"].nullable
    assert declared["note"].rules == Rules(blank=True)
    assert declared["parts[].name"].rules == Rules()
    assert declared["parts[].name"].doc == "Name of the part."
    assert declared["parts[].box"].arrow == pa.list_(pa.int32())


def test_the_rules_go_with_the_schema_into_the_file_and_come_back(tmp_path):
    path = tmp_path / "rows.parquet"
    plain = {"state": "on", "share": 0.5, "note": "", "parts": []}
    pq.write_table(pa.Table.from_pylist([plain], arrow_schema(Ruled)), path)
    assert json.loads(pq.read_schema(path).field("share").metadata[b"rules"]) == {
        "low": 0,
        "high": 1,
        "needs": "sync",
    }
    assert b"rules" not in arrow_schema(Part).field("name").metadata


def test_picture_bytes_are_passed_on_and_not_copied():
    data = bytes(1000)
    assert plain_values(StoredImage(data, "1.png"))["bytes"] is data


def test_columns_declared_alike_on_both_sides_have_no_problem():
    assert misdeclared_columns(Row) == []
    assert misdeclared_columns(Part) == []


@pytest.mark.parametrize(
    ("hint", "declared", "problem"),
    [
        (int, column(pa.string(), "A doc."), "Wrong.x: <class 'int'> is not string"),
        (str, column(pa.int32(), "A doc."), "Wrong.x: <class 'str'> is not int32"),
        (str | None, column(pa.string(), "A doc."), "Wrong.x: nullable in one declaration only"),
        (
            str,
            column(pa.string(), "A doc.", nullable=True),
            "Wrong.x: nullable in one declaration only",
        ),
        (str, column(pa.string(), "no sentence"), "Wrong.x: its doc is no sentence"),
        (
            tuple[int, ...],
            column(pa.list_(pa.string()), "A doc."),
            "Wrong.x: tuple[int, ...] is not list<item: string>",
        ),
        (str, column(records(Part), "A doc."), f"Wrong.x: <class 'str'> is not {records(Part)}"),
        (
            StoredImage,
            column(record(Part), "A doc."),
            f"Wrong.x: {StoredImage} is not {record(Part)}",
        ),
        (
            str,
            column(pa.string(), "It is `on` or off.", values=("on", "off")),
            "Wrong.x: its doc does not say off",
        ),
        (
            int | str | None,
            column(pa.string(), "A doc.", nullable=True),
            "Wrong.x: <class 'types.UnionType'> is not string",
        ),
    ],
)
def test_a_column_declared_otherwise_on_one_side_is_named(hint, declared, problem):
    wrong = dataclasses.make_dataclass("Wrong", [("x", hint, declared)])
    assert misdeclared_columns(wrong) == [problem]
