"""Tests of when two answers name the same elements."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.annotations import AnswerElement, ElementOrigin
from schemas.geometry import Bounds
from transforms.annotation.elements import have_same_elements, is_same_element

BOX = (0, 0, 50, 50)


def element(text="OK", bounds=BOX, vh_index=-1):
    origin = ElementOrigin.DRAWN if vh_index < 0 else ElementOrigin.VH
    return AnswerElement(1, text, Bounds(*bounds), vh_index, "r", origin)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (element("Oct. 15", vh_index=10), element("Oct 15, 2024", vh_index=10)),
        (element(vh_index=10), element(bounds=(49, 49, 99, 99))),
        (element(vh_index=10), element(bounds=(10, 10, 20, 20), vh_index=11)),
        (element("a  b"), element(" a b")),
        (element("", vh_index=0), element("", bounds=(90, 90, 99, 99), vh_index=0)),
    ],
    ids=["one leaf, two texts", "leaf and drawn", "two leaves", "blanks", "the root, no text"],
)
def test_these_are_the_same_element(one, other):
    assert is_same_element(one, other)
    assert is_same_element(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (element(), element(bounds=(50, 0, 100, 50))),
        (element(), element(bounds=(0, 50, 50, 100))),
        (element(), element(bounds=(500, 0, 550, 50))),
        (element(""), element("")),
        (element(" "), element("")),
        (element("OK"), element("ok")),
        (element("OK"), element("OK.")),
        (element("a", vh_index=1), element("b", vh_index=2)),
        (element("a"), element("b")),
    ],
    ids=[
        "touch beside",
        "touch below",
        "apart",
        "empty",
        "blank",
        "case",
        "stop",
        "two leaves",
        "both drawn",
    ],
)
def test_these_are_not_the_same_element(one, other):
    assert not is_same_element(one, other)
    assert not is_same_element(other, one)


def test_another_normalizing_can_be_given():
    one, other = element("OK"), element("ok")
    assert is_same_element(one, other, normalize=str.lower)
    assert have_same_elements([one], [other], normalize=str.lower)
    assert not have_same_elements([one], [other])


def test_empty_lists_share_no_element():
    assert not have_same_elements([], [])
    assert not have_same_elements([element()], [])


def test_the_pairing_finds_what_a_greedy_search_misses():
    wide, left = element(bounds=(0, 0, 100, 10)), element(bounds=(0, 0, 40, 10))
    near, far = element(bounds=(10, 0, 30, 10)), element(bounds=(60, 0, 90, 10))
    # `wide` is the same as both, `left` only as `near`: taking `near` for `wide` is wrong.
    assert have_same_elements([wide, left], [near, far])
    assert have_same_elements([near, far], [left, wide])


def test_a_repeated_element_needs_two_partners():
    once, twice = [element("a"), element("b")], [element("a"), element("a")]
    assert not have_same_elements(once, twice)
    assert not have_same_elements(twice, once)


def test_a_chain_of_a_thousand_boxes_pairs_off_without_recursion():
    ours = [element(bounds=(10 * i, 0, 10 * i + 15, 10)) for i in range(1000)]
    theirs = [element(bounds=(10 * i - 10, 0, 10 * i + 1, 10)) for i in range(1000)]
    theirs.reverse()  # So that each first takes its neighbour's and the last moves them all.
    assert have_same_elements(ours, theirs)


spans = st.tuples(st.integers(0, 6), st.integers(1, 4)).map(
    lambda span: element(bounds=(span[0], 0, span[0] + span[1], 1))
)


@given(st.lists(spans, max_size=5), st.lists(spans, max_size=5))
def test_lists_are_the_same_if_some_order_pairs_every_element(ours, theirs):
    possible = len(ours) == len(theirs) > 0 and any(
        all(map(is_same_element, ours, order)) for order in itertools.permutations(theirs)
    )
    assert have_same_elements(ours, theirs) == possible
