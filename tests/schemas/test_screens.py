"""Tests of the row types of screens."""

import pyarrow as pa

from schemas.columns import arrow_schema, may_be_null, misdeclared_columns, plain_values
from schemas.geometry import Bounds
from schemas.screens import ScreenRow, StoredImage, ViewLeaf

LEAF = ViewLeaf(3, None, "android.widget.Button", None, True, Bounds(1, 2, 3, 4))
ROW = ScreenRow(
    screen_id="7",
    image=StoredImage(b"bytes", "7.jpg"),
    width=1080,
    height=1920,
    image_reencoded=False,
    app=None,
    category=None,
    leaves=(LEAF,),
    leaves_dropped=1,
    language="english",
    language_score=0.75,
    hierarchy_sync=None,
    hierarchy_sync_score=None,
    origin="captured",
    split="train",
    source="rico",
)


def test_both_declarations_of_each_column_agree():
    assert misdeclared_columns(ViewLeaf) == []
    assert misdeclared_columns(ScreenRow) == []


def test_a_row_goes_to_arrow_and_back():
    plain = plain_values(ROW)
    table = pa.Table.from_pylist([plain], arrow_schema(ScreenRow))
    table.validate(full=True)
    assert table.to_pylist() == [plain]


def test_only_what_may_be_unknown_is_nullable():
    schema = arrow_schema(ScreenRow)
    leaf = schema.field("leaves").type.value_type
    assert [f.name for f in schema if may_be_null(f)] == [
        "app",
        "category",
        "language",
        "language_score",
        "hierarchy_sync",
        "hierarchy_sync_score",
    ]
    assert [f.name for f in leaf if may_be_null(f)] == ["text", "resource_id"]
