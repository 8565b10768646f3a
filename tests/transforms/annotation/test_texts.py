"""Tests of when two typed texts are the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.annotation.texts import normalize_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("When  is delivery ? ", "When is delivery ?"),
        ("\ttotal\u00a0price\n", "total price"),
        ("Cafe\u0301", "Caf\u00e9"),
        (" \n ", ""),
        ("Visa.", "Visa."),
        ("VISA", "VISA"),
    ],
)
def test_blanks_and_composition_are_unified_and_nothing_else(text, expected):
    assert normalize_text(text) == expected


@given(st.text())
def test_normalizing_twice_is_normalizing_once(text):
    once = normalize_text(text)
    assert normalize_text(once) == once
