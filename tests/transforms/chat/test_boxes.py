"""Boxes on the grids of models."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.geometry import Bounds, Size
from transforms.chat.boxes import LAST_LOCATION, THOUSANDTHS, location_tokens, on_grid

sizes = st.builds(Size, st.integers(1, 4000), st.integers(1, 6000))


@st.composite
def boxes(draw):
    """A size and a box inside it with an area."""
    size = draw(sizes)
    left = draw(st.integers(0, size.width - 1))
    top = draw(st.integers(0, size.height - 1))
    right = draw(st.integers(left + 1, size.width))
    bottom = draw(st.integers(top + 1, size.height))
    return size, Bounds(left, top, right, bottom)


def test_tokens_by_hand():
    """1080 × 1920: y 270 is 143.86 steps of 1023 down, x 402 is 380.78 across."""
    box = Bounds(402, 270, 684, 342)
    assert location_tokens(box, Size(1080, 1920)) == "<loc0144><loc0381><loc0182><loc0648>"
    whole = Bounds(0, 0, 1080, 1920)
    assert location_tokens(whole, Size(1080, 1920)) == "<loc0000><loc0000><loc1023><loc1023>"
    assert on_grid(whole, Size(1080, 1920), THOUSANDTHS) == (0, 0, 1000, 1000)


@pytest.mark.parametrize(("edge", "step"), [(1, 0), (3, 2), (5, 2), (7, 4)])
def test_a_half_goes_to_the_even_step_as_tensorflow_rounds(edge, step):
    # Two pixels a step: 1 lies at 0.5, 3 at 1.5, 5 at 2.5, 7 at 3.5.
    assert on_grid(Bounds(edge, 0, 20, 20), Size(20, 20), 10).left == step


def test_what_is_thinner_than_a_step_keeps_an_area():
    thin = on_grid(Bounds(1001, 10, 1002, 2000), Size(4000, 2000), LAST_LOCATION)
    assert (thin.left, thin.right) == (256, 257)
    assert on_grid(Bounds(5, 5, 5, 9), Size(10, 10), 10).area == 0  # It had none before.


def test_what_lies_beyond_the_picture_is_put_on_its_edge():
    assert on_grid(Bounds(-7, 10, 500, 3000), Size(100, 200), 1000) == (0, 50, 1000, 1000)


@given(boxes(), st.sampled_from([LAST_LOCATION, THOUSANDTHS]))
def test_edges_come_back_within_a_step_inside_the_picture_and_in_order(case, last):
    size, box = case
    found = on_grid(box, size, last)
    assert 0 <= found.left < found.right <= last
    assert 0 <= found.top < found.bottom <= last
    lengths = (size.width, size.height) * 2
    for edge, step, length in zip(box, found, lengths, strict=True):
        assert abs(step * length - edge * last) < length  # In whole numbers: less than a step.


@given(boxes())
def test_tokens_parse_back_to_the_steps(case):
    size, box = case
    tokens = location_tokens(box, size)
    assert re.fullmatch(r"(?:<loc\d{4}>){4}", tokens)
    top, left, bottom, right = (int(step) for step in re.findall(r"\d{4}", tokens))
    assert (left, top, right, bottom) == on_grid(box, size, LAST_LOCATION)
