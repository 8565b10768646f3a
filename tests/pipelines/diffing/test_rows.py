"""Which rows differ and where, of rows made up."""

import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.diffing.ordering import row_order
from pipelines.diffing.paths import (
    differing,
    paths_of,
    picture_digests,
    signature,
    values_at,
)
from pipelines.diffing.rows import chosen_examples, common_paths, compare_facts, first_difference
from pipelines.diffing.short_answers import provider_of, short_answer_changes
from pipelines.errors import UserError
from schemas.columns import IMAGE
from schemas.differences import RowChange

ELEMENT = pa.struct([("text", pa.string()), ("bounds", pa.list_(pa.int32()))])
ANSWER = pa.struct([("full", pa.string()), ("elements", pa.list_(ELEMENT))])
SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("split", pa.string()),
        ("short", pa.list_(pa.string())),
        ("answers", pa.list_(ANSWER)),
        ("origin", pa.struct([("by", pa.string())])),
    ]
)
PATHS = sorted(paths_of(SCHEMA), key=lambda path: path.name)


def test_paths_of_a_schema():
    assert [path.name for path in paths_of(SCHEMA)] == [
        "id",
        "split",
        "short",
        "answers[]",
        "answers[].full",
        "answers[].elements[]",
        "answers[].elements[].text",
        "answers[].elements[].bounds",
        "origin",
        "origin.by",
    ]


def element(text="Ada", bounds=(1, 2, 3, 4)):
    return {"text": text, "bounds": list(bounds)}


def row(**changes):
    plain = {
        "id": "1:a",
        "split": "train",
        "short": ["x"],
        "answers": [{"full": "F", "elements": [element(), element("Eve")]}],
        "origin": None,
    }
    return plain | changes


def answered(*elements, full="F"):
    return row(answers=[{"full": full, "elements": list(elements)}])


@pytest.mark.parametrize(
    ("other", "paths"),
    [
        (row(), ()),
        (row(short=["y"]), ("short",)),
        (row(short=[]), ("short",)),
        (row(short=None), ("short",)),
        (row(origin={"by": "rules"}), ("origin",)),
        (row(origin={"by": None}), ("origin",)),
        (answered(element(), element("Bob")), ("answers[].elements[].text",)),
        (
            answered(element(bounds=(1, 2, 3, 5)), element("Eve"), full="G"),
            ("answers[].elements[].bounds", "answers[].full"),
        ),
        (answered(element()), ("answers[].elements[]",)),
        (row(answers=[]), ("answers[]",)),
        (row(answers=None), ("answers[]",)),
        (row(id="2", split="test"), ("id", "split")),
    ],
)
def test_where_two_rows_differ(other, paths):
    one, two = signature(row(), PATHS), signature(other, PATHS)
    assert differing(one, two, PATHS) == differing(two, one, PATHS) == paths


def test_values_at_a_path_keep_the_shape_of_lists():
    by_name = {path.name: path for path in PATHS}
    answers = row()["answers"]
    assert values_at(by_name["answers[]"], answers) == 1
    assert values_at(by_name["answers[].elements[]"], answers) == [2]
    assert values_at(by_name["answers[].elements[].text"], answers) == [["Ada", "Eve"]]
    assert values_at(by_name["origin"], {"by": None}) is True
    assert values_at(by_name["origin.by"], None) is None


def test_kinds_of_numbers_are_told_apart():
    paths = paths_of(pa.schema([("n", pa.int64())]))
    found = {signature({"n": value}, paths) for value in (1, 1.0, True, "1", None)}
    assert len(found) == 5


def test_pictures_are_compared_by_their_bytes():
    rows = [{"bytes": b"a", "path": "x"}, {"bytes": b"b", "path": "x"}, None, {"bytes": b"a"}]
    batch = pa.record_batch({"image": pa.array(rows, IMAGE)})
    values = [r["image"] for r in picture_digests(batch).to_pylist()]
    digests = [value and value["bytes"] for value in values]
    assert digests[0] == digests[3] != digests[1]
    assert values[2] is None
    assert all(len(digest) == 32 for digest in digests if digest)


ROWS = st.dictionaries(
    st.sampled_from([f"{screen}:{q}" for screen in (9, 10, "a.b:c") for q in "xyz"]),
    st.tuples(
        st.sampled_from(["train", "validation", "test"]),
        st.lists(st.sampled_from("ab"), max_size=2),
        st.lists(st.lists(st.sampled_from("cd"), max_size=2), max_size=2),
        st.none() | st.sampled_from("ef"),
    ),
)


def facts(rows):
    for row_id, (split, short, answers, by) in rows.items():
        found = row(
            id=row_id,
            split=split,
            short=short,
            answers=[{"full": "F", "elements": [element(t) for t in texts]} for texts in answers],
            origin=None if by is None else {"by": by},
        )
        yield row_id, (split, signature(found, PATHS))


@given(ROWS, ROWS)
def test_each_row_has_its_place_and_the_mirror_is_the_way_back(one, other):
    there = compare_facts(facts(one), facts(other), PATHS)
    back = compare_facts(facts(other), facts(one), PATHS)
    assert set(there.added) == other.keys() - one.keys()
    assert set(there.removed) == one.keys() - other.keys()
    both = one.keys() & other.keys()
    assert {(m.id, m.before, m.after) for m in there.moved} == {
        (i, one[i][0], other[i][0]) for i in both if one[i][0] != other[i][0]
    }
    assert {c.id for c in there.changed} == {i for i in both if one[i][1:] != other[i][1:]}
    assert (back.added, back.removed, back.changed) == (there.removed, there.added, there.changed)
    assert [(m.id, m.after, m.before) for m in back.moved] == [
        (m.id, m.before, m.after) for m in there.moved
    ]
    for ids in (there.added, there.removed, [c.id for c in there.changed]):
        assert list(ids) == sorted(ids, key=row_order)


@given(ROWS)
def test_a_build_equals_itself_in_any_order(rows):
    turned = dict(reversed(rows.items()))
    assert compare_facts(facts(rows), facts(turned), PATHS) == ((), (), (), ())


def test_ids_are_in_the_order_of_screens():
    ids = ["10:b", "9:z", "a.b:c:x", "9:a", "10"]
    assert sorted(ids, key=row_order) == ["9:a", "9:z", "10", "10:b", "a.b:c:x"]


def test_an_id_twice_on_either_side_is_refused():
    once, twice = ("1", ("train", b"")), [("1", ("train", b"")), ("1", ("train", b"x"))]
    for one, other in ((twice, [once]), ([once], twice), ([], twice), (twice, [])):
        with pytest.raises(UserError, match="'1' is the id of two rows"):
            compare_facts(iter(one), iter(other), [])


def test_examples_are_the_first_ids_of_each_path():
    changed = [RowChange(str(n), ("a", "b") if n % 2 else ("a",)) for n in range(9)]
    examples, wanted = chosen_examples(changed)
    assert examples == [("a", "0"), ("a", "1"), ("a", "2"), ("b", "1"), ("b", "3"), ("b", "5")]
    assert wanted["1"] == ["a", "b"]
    assert "8" not in wanted


@pytest.mark.parametrize(
    ("one", "other", "depth", "found"),
    [
        ([["a"], ["b"]], [["a"], ["c"]], 2, ("b", "c")),
        ([["a"], ["b"]], [["a"], ["b", "c"]], 2, (["b"], ["b", "c"])),
        ([[1, 2]], [[1, 3]], 1, ([1, 2], [1, 3])),
        ("a", "b", 0, ("a", "b")),
        (None, ["b"], 1, (None, ["b"])),
        ([1], [True], 1, (1, True)),
    ],
)
def test_the_first_difference(one, other, depth, found):
    assert first_difference(one, other, depth) == found
    assert first_difference(other, one, depth) == found[::-1]


def test_only_what_both_schemas_have_is_compared():
    other = pa.schema([("id", pa.int64()), ("short", pa.list_(ELEMENT)), ("new", pa.bool_())])
    assert [path.name for path in common_paths(SCHEMA, other)] == ["id"]


def test_short_answers_by_provider():
    def made(short, provider, model=""):
        return {
            "short_answers": short,
            "short_answers_from": {"provider": provider, "model": model},
        }

    before = {"10:a": made(["x", "y"], "rules", "rules-1"), "9:a": made(["x"], "released")}
    after = {"9:a": made(["x"], "gemini", "g-2"), "10:a": made(["y", "z"], "rules", "rules-2")}
    first, second = short_answer_changes(before, after)
    assert (first.id, first.provider_before, first.provider_after) == (
        "9:a",
        "released",
        "gemini g-2",
    )
    assert (first.added, first.removed) == ((), ())
    assert (second.added, second.removed) == (("z",), ("x",))
    assert (second.provider_before, second.provider_after) == ("rules rules-1", "rules rules-2")
    assert provider_of(None) == "none"
    assert json.dumps(provider_of({"provider": "rules"})) == '"rules"'
