"""Which columns of two schemas differ."""

import json

import pyarrow as pa
import pytest

from pipelines.diffing.columns import column_differences
from pipelines.errors import UserError

NAMES = ("before", "after")
PLAIN = pa.schema(
    [
        ("id", pa.string()),
        ("score", pa.float32()),
        ("answers", pa.list_(pa.struct([("text", pa.string()), ("n", pa.int32())]))),
    ]
)


def told(before, after):
    return [
        (c.path, str(c.kind), c.before, c.after) for c in column_differences(NAMES, before, after)
    ]


def changed(name, arrow):
    fields = [f if f.name != name else pa.field(name, arrow) for f in PLAIN]
    return pa.schema(fields)


def test_equal_schemas_differ_in_nothing_whatever_their_order_and_metadata():
    assert told(PLAIN, PLAIN) == []
    assert told(PLAIN, pa.schema(list(reversed(PLAIN)), metadata={"other": "x"})) == []


def test_added_removed_and_retyped_columns():
    more = PLAIN.append(pa.field("more", pa.struct([("a", pa.string()), ("b", pa.string())])))
    assert told(PLAIN, more) == [("more", "added", "", "record")]
    assert told(more, PLAIN) == [("more", "removed", "record", "")]
    assert told(PLAIN, changed("score", pa.float64())) == [("score", "type", "float", "double")]
    (column,) = column_differences(NAMES, PLAIN, more)
    assert (column.configuration_before, column.configuration_after) == NAMES


def test_fields_of_nested_rows():
    inner = pa.list_(pa.struct([("text", pa.string()), ("n", pa.int64()), ("new", pa.bool_())]))
    assert told(PLAIN, changed("answers", inner)) == [
        ("answers[].n", "type", "int32", "int64"),
        ("answers[].new", "added", "", "bool"),
    ]
    assert told(PLAIN, changed("answers", pa.list_(pa.string()))) == [
        ("answers", "added", "", "list<item: string>"),
        ("answers[]", "removed", "records", ""),
    ]


def featured(**features):
    return PLAIN.with_metadata({"huggingface": json.dumps({"info": {"features": features}})})


def test_another_feature_of_the_same_type():
    one, other = featured(id={"_type": "Value"}), featured(id={"_type": "ClassLabel"})
    assert told(one, other) == [("id", "feature", '{"_type": "Value"}', '{"_type": "ClassLabel"}')]
    assert told(one, PLAIN) == [("id", "feature", '{"_type": "Value"}', "null")]
    assert told(one, one) == []


@pytest.mark.parametrize(
    "text", ["{", "[" * 100_000, "[]", '{"info": 3}', '{"info": {"features": 3}}']
)
def test_damaged_features_are_one_sentence(text):
    damaged = PLAIN.with_metadata({"huggingface": text})
    with pytest.raises(UserError, match="are damaged"):
        column_differences(NAMES, PLAIN, damaged)
