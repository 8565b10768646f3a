"""Replies and released short answers, where a folder `shared` lies beside the checkout."""

import json
import pathlib

import pytest

from schemas.short_answers import AnswerInput, ShortAnswerPolicy, VariantReason
from transforms.short_answers.checking import check_variants
from transforms.short_answers.parsing import MalformedReplyError, parse_variants

SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared"
CASES = SHARED / "cases" / "metric_cases.json"
SCREENQA = SHARED / "data" / "screenqa"
POLICY = ShortAnswerPolicy()

pytestmark = pytest.mark.skipif(
    not CASES.is_file() or not SCREENQA.is_dir(), reason="needs the folder shared"
)


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def read(reply):
    """Returns the variants of a reply without abstentions; None if it is malformed."""
    try:
        variants = parse_variants(reply)
    except MalformedReplyError:
        return None
    _, dropped = check_variants(variants, AnswerInput("", (), "; ".join(variants)), POLICY)
    abstentions = {drop.text for drop in dropped if drop.reason is VariantReason.ABSTENTION}
    return [text for text in variants if text not in abstentions]


def test_variant_parse_cases():
    cases = [case for case in load(CASES)["cases"] if case["metric"] == "variant_parse"]
    assert len(cases) == 9
    for case in cases:
        assert read(case["args"]["reply"]) == case["expected"], case["id"]


def test_released_answers_to_known_elements_are_all_kept():
    rows = load(SCREENQA / "answers_and_bboxes" / "partial_median_boxes.json")
    assert len(rows) == 21
    for row in rows:
        answer = AnswerInput(row["question"], (row["element_text"],), "")
        _, dropped = check_variants(row["short_ground_truth"], answer, POLICY)
        assert dropped == (), row


def test_the_complete_entry_keeps_what_each_annotator_selected():
    (entry,) = load(SCREENQA / "answers_and_bboxes" / "issue2_37374.json")
    answers = [
        AnswerInput(
            entry["question"],
            tuple(element["text"] for element in given["ui_elements"]),
            given["full_answer"],
        )
        for given in entry["ground_truth"]
    ]
    variants = ("C Max 2014", "2014 C Max", "C Max", '"C Max"', "C-Max", "Ford C Max", "C Max 2015")
    kept = [check_variants(variants, answer, POLICY)[0] for answer in answers]
    # The first annotator selected the year too.
    assert kept == [variants[:2], variants[2:6], variants[2:6]]


def test_released_answers_are_never_too_long_and_are_read_back():
    for row in load(SCREENQA / "short_answers" / "validation.json"):
        variants = [text for text in row["ground_truth"] if text != "<no answer>"]
        joined = AnswerInput(row["question"], (), "; ".join(variants))
        _, dropped = check_variants(variants, joined, POLICY)
        assert not any(drop.reason is VariantReason.TOO_LONG for drop in dropped), row
        assert set(parse_variants(repr(variants))) <= {" ".join(text.split()) for text in variants}
