"""What a question accepts, from the short answers of its annotators."""

from hypothesis import given
from hypothesis import strategies as st

from schemas.questions import NO_ANSWER
from transforms.short_answers.gold import gold_of


def test_union_in_the_order_first_seen():
    assert gold_of([["b", "a"], [], ["a", "c"]], False) == ("b", "a", "c")


def test_no_answer_comes_last_where_an_annotator_said_so():
    assert gold_of([["a"], ["b"]], True) == ("a", "b", NO_ANSWER)
    assert gold_of([], True) == (NO_ANSWER,)
    assert gold_of([], False) == ()


def test_variants_cannot_say_that_there_is_no_answer():
    assert gold_of([[NO_ANSWER, "a", "<No Answer>"]], False) == ("a",)
    assert gold_of([[NO_ANSWER]], True) == (NO_ANSWER,)


def test_texts_that_differ_by_case_or_signs_stay_two():
    assert gold_of([["NEWS", "News"], ["1,1", "11"]], False) == ("NEWS", "News", "1,1", "11")


def test_texts_that_differ_by_blanks_or_unicode_form_are_one():
    assert gold_of([["a  b", "e\u0301"], [" a b", "\u00e9", " "]], False) == ("a b", "é")


@given(st.lists(st.lists(st.text(max_size=5), max_size=4), max_size=4), st.booleans())
def test_idempotent(per_answer, says_no_answer):
    gold = gold_of(per_answer, says_no_answer)
    assert gold_of([gold], says_no_answer) == gold
    assert len(set(gold)) == len(gold)
    assert "" not in gold
