"""Rejected records: which are examples, and to which screen they belong."""

import json

import pytest

from pipelines.errors import UserError
from pipelines.finished_builds import open_build
from pipelines.reporting.rejected_records import (
    RejectedRecord,
    examples_by_reason,
    owner_of,
    rejected_records,
)


def record(number: int = 0, **changes: str) -> RejectedRecord:
    values = {
        "kind": "screen", "id": str(number), "step": "s", "reason": "image_blank",
        "detail": "", "origin": "o",
    }  # fmt: skip
    return RejectedRecord(**values | changes)


def test_examples_are_few_counted_and_independent_of_order():
    records = [record(n) for n in range(100)] + [record(reason="image_empty")]
    found = examples_by_reason(iter(records), "s")
    assert found == examples_by_reason(reversed(records), "s")
    assert found["screen", "image_blank"].count == 100
    assert len(found["screen", "image_blank"].records) == 5
    assert found["screen", "image_empty"].records == (records[-1],)
    assert found != examples_by_reason(iter(records), "another")


@pytest.mark.parametrize(
    ("changes", "owner"),
    [
        ({"id": "90029"}, "90029"),
        ({"id": "90029:question_1:0:182b9fac"}, "90029"),
        ({"id": "90029: What is this?"}, "90029"),
        ({"id": "ls:demo:1", "detail": "an answer to 90029:question_1:0:182b9fac"}, "90029"),
        ({"id": "ls:demo:1", "detail": "composed 90029:question_2:0:1"}, "90029"),
        ({"id": "ls:demo:1", "detail": "90029"}, None),
        ({"id": "1", "detail": "an answer to 2:question_1:0:3"}, None),
    ],
)
def test_a_record_belongs_to_the_screen_that_it_names(changes, owner):
    assert owner_of(record(**changes), {"90029"}) == owner


def test_records_of_a_build_are_those_that_it_counts(built):
    build = open_build(str(built))
    found = examples_by_reason(rejected_records(build), "s")
    counts: dict[str, dict[str, int]] = {}
    for (kind, reason), each in found.items():
        counts.setdefault(kind, {})[reason] = each.count
    assert counts == build.summary["rejects"]


def test_a_long_detail_is_cut(built):
    line = {"kind": "screen", "id": "1", "step": "s", "reason": "r", "origin": "o"}
    (built / "rejects" / "screen.jsonl").write_text(json.dumps(line | {"detail": "x" * 9_999}))
    found = [one for one in rejected_records(open_build(str(built))) if one.reason == "r"]
    assert len(found) == 1
    assert len(found[0].detail) < 700


@pytest.mark.parametrize("text", ["{", "[]", '{"kind": "screen"}', "\xff"])
def test_a_damaged_file_is_named(built, text):
    (built / "rejects" / "screen.jsonl").write_bytes(text.encode("latin-1"))
    with pytest.raises(UserError, match=r"screen\.jsonl: is missing or damaged"):
        list(rejected_records(open_build(str(built))))
