"""How values that differ are shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.diffing.showing import around_difference, shortened


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("short", "short"),
        ("a\nb", "a b"),
        ("\x1b[2Jx\u202e", "\ufffd[2Jx\ufffd"),
        ("x" * 11, "x" * 9 + "…"),
    ],
)
def test_texts_are_one_safe_line(text, line):
    assert shortened(text, 10) == line


def test_what_differs_far_behind_is_seen():
    same = "s" * 500
    assert around_difference(f"{same}old", f"{same}new", 30) == (
        f"…{'s' * 10}old",
        f"…{'s' * 10}new",
    )
    assert around_difference("old", "new") == ("old", "new")


@given(st.text(max_size=200), st.text(max_size=200))
def test_shown_texts_are_bounded_and_mirrored(one, other):
    shown = around_difference(one, other, 40)
    assert all(len(text) <= 40 and "\n" not in text and "\x1b" not in text for text in shown)
    assert around_difference(other, one, 40) == shown[::-1]
