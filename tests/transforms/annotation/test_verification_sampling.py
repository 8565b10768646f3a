"""Tests of which questions are handed out for verification."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.annotations import AnswerKind, ShortAnswersReview, Verdict
from transforms.annotation.verification_sampling import (
    Candidate,
    answer_kind,
    draw_sample,
    is_verified,
    parse_candidate,
)


def row(*short_answers, elements=("Visa",), full="It is Visa.", **changes):
    return {
        "screen_id": "9",
        "question_id": "9:abc",
        "question": "Which card?",
        "answers": [{"full_answer": full, "ui_elements": [{"text": text} for text in elements]}],
        "short_answers": list(short_answers),
        "short_answers_from": {"provider": "rules", "model": "rules-1", "prompt_version": ""},
    } | changes


@pytest.mark.parametrize(
    ("short_answers", "elements", "kind"),
    [
        (["Oct. 15, 2024"], [["Oct.", "15", "2024"]], AnswerKind.LIST),
        (["Yes", "yes"], [["toggle"]], AnswerKind.YES_NO),
        (["No."], [["icon"]], AnswerKind.YES_NO),
        (["Oct 15"], [["Oct 15"]], AnswerKind.DATE_TIME),
        (["15th of October", "fifteenth"], [["15/10"]], AnswerKind.DATE_TIME),
        (["9/24/2017"], [["9/24/2017"]], AnswerKind.DATE_TIME),
        (["8:00 p.m."], [["8 PM"]], AnswerKind.DATE_TIME),
        (["8 pm"], [["8 PM"]], AnswerKind.DATE_TIME),
        (["on Monday"], [["Mon"]], AnswerKind.DATE_TIME),
        (["3 reviews", "three"], [["3"]], AnswerKind.NUMBER),
        (["$24.90"], [["$ 24.90"]], AnswerKind.NUMBER),
        (["1,234.5 km"], [["1,234.5"]], AnswerKind.NUMBER),
        (["50 %"], [["50%"]], AnswerKind.NUMBER),
        (["-5°"], [["-5°"]], AnswerKind.NUMBER),
        (["iPhone 6"], [["iPhone 6"]], AnswerKind.TEXT),
        (["May Smith"], [["May Smith"]], AnswerKind.TEXT),
        (["a heart"], [["heart icon"]], AnswerKind.PICTURE),
        (["a heart"], [[""]], AnswerKind.PICTURE),
        (["a heart"], [[]], AnswerKind.PICTURE),
        (["Visa"], [["Visa"], ["card icon"]], AnswerKind.TEXT),
        (["Visa"], [], AnswerKind.TEXT),
        (["1" * 5000], [["1"]], AnswerKind.TEXT),
    ],
)
def test_the_kind_of_an_answer_is_told_by_its_form(short_answers, elements, kind):
    assert answer_kind(elements, short_answers) is kind


def test_a_row_is_shown_with_all_that_is_needed_to_judge_it():
    candidate = parse_candidate(row("Visa", "a Visa", "Visa", "<no answer>"))
    shown = candidate.shown
    assert (candidate.screen_id, candidate.question_id) == ("9", "9:abc")
    assert (shown.question, shown.full_answers) == ("Which card?", ("It is Visa.",))
    assert shown.short_answers == ("Visa", "a Visa")
    assert (shown.made_by.provider, shown.made_by.model) == ("rules", "rules-1")
    assert shown.kind is AnswerKind.TEXT


def test_rows_without_a_short_answer_are_not_verified():
    assert parse_candidate(row()) is None
    assert parse_candidate(row("<no answer>", full="<no answer>", elements=())) is None


def test_that_there_is_no_answer_says_nothing_of_the_kind():
    answers = [*row()["answers"], {"full_answer": "<no answer>", "ui_elements": []}]
    candidate = parse_candidate(row("Visa", "<no answer>", answers=answers))
    assert candidate.shown.kind is AnswerKind.TEXT
    assert candidate.shown.full_answers == ("It is Visa.", "<no answer>")


@pytest.mark.parametrize("untold", [None, "absent"])
def test_builds_of_before_do_not_say_what_made_them(untold):
    told = row("Visa", short_answers_from=untold)
    if untold == "absent":
        del told["short_answers_from"]
    assert parse_candidate(told).shown.made_by is None


@pytest.fixture(scope="session")
def candidates(make):
    kinds = (AnswerKind.TEXT,) * 6 + (AnswerKind.NUMBER,) * 3 + (AnswerKind.LIST,)
    return [
        Candidate(str(n // 2), f"{n // 2}:{n}", make.shown("x", kind=kinds[n % 10], size=0))
        for n in range(200)
    ]


def test_so_many_are_drawn_of_each_stratum_and_know_its_size(candidates):
    drawn = draw_sample(candidates, 25, "seed")
    sizes = {(c.shown.kind, c.shown.stratum_size) for c in drawn}
    assert sizes == {(AnswerKind.TEXT, 120), (AnswerKind.NUMBER, 60), (AnswerKind.LIST, 20)}
    kinds = [c.shown.kind for c in drawn]
    assert [kinds.count(kind) for kind, _ in sorted(sizes)] == [20, 25, 25]
    assert [int(c.screen_id) for c in drawn] == sorted(int(c.screen_id) for c in drawn)


def ids(drawn):
    return {candidate.question_id for candidate in drawn}


@given(st.integers(1, 40), st.integers(1, 40), st.randoms(use_true_random=False))
def test_order_changes_nothing_and_a_larger_sample_holds_the_smaller(candidates, one, more, order):
    shuffled = order.sample(candidates, len(candidates))
    small = draw_sample(shuffled, one, "seed")
    assert small == draw_sample(candidates, one, "seed")
    assert ids(small) <= ids(draw_sample(candidates, one + more, "seed"))


def test_another_seed_draws_others(candidates):
    assert ids(draw_sample(candidates, 10, "a")) != ids(draw_sample(candidates, 10, "b"))


def test_what_somebody_verified_is_not_verified_again(make):
    candidate = Candidate("9", "q1", make.shown("x"))
    assert is_verified(candidate, [make.verification("x")])
    assert is_verified(candidate, [make.verification("x", "rejected and gone")])
    assert not is_verified(candidate, [make.verification("x", question="q2")])
    assert not is_verified(candidate, [make.verification("x", maker="gemini")])
    assert not is_verified(candidate, [])
    untold = ShortAnswersReview(Verdict.ACCEPTED, ("x",))
    old = dataclasses.replace(make.verification("x"), short_answers=untold)
    assert is_verified(candidate, [old])
