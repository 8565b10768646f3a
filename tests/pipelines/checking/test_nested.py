"""Nested columns as flat arrays: each item knows its row, whatever is null or empty between."""

import numpy
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from pipelines.checking.deriving import (
    Derived,
    Measure,
    count_filled,
    derive,
    derived_columns,
    filled_rows,
)
from pipelines.checking.nested import Levels
from schemas.columns import DeclaredColumn, Rules, declared_columns
from schemas.examples import IllustratedQuestionRow
from schemas.screens import ScreenRow

INNER = pa.struct([("n", pa.int32()), ("texts", pa.list_(pa.string()))])
TYPE = pa.struct([("items", pa.list_(INNER)), ("one", INNER)])

numbers = st.none() | st.integers(-5, 5)
inner = st.none() | st.fixed_dictionaries(
    {"n": numbers, "texts": st.none() | st.lists(st.none() | st.text(max_size=3), max_size=3)}
)
outer = st.none() | st.fixed_dictionaries(
    {"items": st.none() | st.lists(inner, max_size=3), "one": inner}
)


def flattened(rows: list, path: str) -> list[tuple[int, object]]:
    """Returns what `Levels.at` should, by walking the rows in Python."""
    found = [(number, row) for number, row in enumerate(rows)]
    for step in path.removeprefix("rows").replace("[]", ".[]").strip(".").split("."):
        if step == "[]":
            found = [(n, item) for n, value in found if value is not None for item in value]
        elif step:
            found = [(n, value[step]) for n, value in found if value is not None]
    return found


@given(
    st.lists(outer, max_size=6),
    st.sampled_from(
        ["rows", "rows.items", "rows.items[]", "rows.items[].n", "rows.items[].texts[]",
         "rows.one", "rows.one.n", "rows.one.texts[]"]
    ),
    st.integers(0, 2),
)  # fmt: skip
def test_every_path_is_walked_as_in_python(rows, path, cut):
    batch = pa.record_batch({"rows": pa.array(rows, TYPE)}).slice(cut)
    level = Levels(batch).at(path)
    found = list(zip(level.rows.tolist(), level.values.to_pylist(), strict=True))
    assert found == flattened(rows[cut:], path)


@given(st.lists(outer, max_size=6))
def test_extremes_are_those_of_each_row(rows):
    declared = DeclaredColumn("rows.items[].n", pa.int32(), "", True, Rules(low=0, high=9))
    wanted = derived_columns([declared])
    assert [d.measure for d in wanted] == [Measure.LOWEST, Measure.HIGHEST]
    columns = derive(Levels(pa.record_batch({"rows": pa.array(rows, TYPE)})), wanted)
    of_row: dict[int, list[int]] = {}
    for number, value in flattened(rows, "rows.items[].n"):
        if value is not None:
            of_row.setdefault(number, []).append(value)
    lowest, highest = (columns[d.name].to_pylist() for d in wanted)
    assert lowest == [min(of_row[i]) if i in of_row else None for i in range(len(rows))]
    assert highest == [max(of_row[i]) if i in of_row else None for i in range(len(rows))]


def test_what_is_blank_or_no_number_is_counted_a_row():
    batch = pa.record_batch(
        {
            "text": pa.array(["a", " \u2003", "", None]),
            "score": pa.array([0.5, float("nan"), None, 1.0], pa.float32()),
        }
    )
    text = DeclaredColumn("text", pa.string(), "", False, Rules(values=("a", "")))
    score = DeclaredColumn("score", pa.float32(), "", True, Rules())
    columns = derive(Levels(batch), derived_columns([text, score]))
    assert {name: values.to_pylist() for name, values in columns.items()} == {
        "text:nulls": [0, 0, 0, 1],
        "text:blanks": [0, 1, 1, 0],
        "text:unlisted": [0, 1, 0, 0],
        "score:unnumbered": [0, 1, 0, 0],
    }


def test_every_rule_of_a_declaration_is_measured():
    for row_type in (IllustratedQuestionRow, ScreenRow):
        columns = declared_columns(row_type)
        measured = {(d.declared.path, d.measure) for d in derived_columns(columns)}
        for declared in columns:
            rules = declared.rules
            assert ((declared.path, Measure.NULLS) in measured) >= (not declared.nullable)
            assert ((declared.path, Measure.UNLISTED) in measured) == bool(rules.values)
            assert ((declared.path, Measure.LOWEST) in measured) == (rules.low is not None)
            assert ((declared.path, Measure.HIGHEST) in measured) == (rules.high is not None)
    assert Derived("short_answers[]", Measure.BLANKS, columns[0]).name == "short_answers[]:blanks"


def test_filled_columns_are_counted_by_rows_and_groups():
    rows = [{"items": [], "one": None}, {"items": [None], "one": None}, None]
    columns = [
        DeclaredColumn("rows.items", pa.list_(INNER), "", False, Rules()),
        DeclaredColumn("rows.one", INNER, "", True, Rules()),
    ]
    filled = filled_rows(Levels(pa.record_batch({"rows": pa.array(rows * 2, TYPE)})), columns)
    counted = count_filled(filled, numpy.array([0, 0, 1, 2, 0, 1]))
    assert (counted["rows.items"].rows, counted["rows.items"].groups) == (2, 1)
    assert (counted["rows.one"].rows, counted["rows.one"].groups) == (0, 0)
