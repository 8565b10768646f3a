"""Boxes as models read and write them: whole steps of a grid over the picture."""

import math
from fractions import Fraction

from schemas.geometry import Bounds, Size

LAST_LOCATION = 1023
"""PaliGemma's last location token, `<loc1023>`: the right or lower edge of the picture."""

THOUSANDTHS = 1000
"""The right or lower edge of the picture for Gemini, and in the OpenAI layout."""


def on_grid(box: Bounds, size: Size, last: int) -> Bounds:
    """Returns a box in steps of a grid over its picture, from 0 to `last`, ends included.

    Each edge goes to the nearest step, a half to the even one, as big_vision's
    `tf.round(bbox * 1023)` has it; so it is off by half a step at most. An element thinner
    than that would be left without area, which matches no box: its edges go outwards to the
    next steps, off by less than one. What lies beyond the picture is put on its edge.

    Args:
        box: Pixels of the picture, right and bottom exclusive.
        size: The picture's size in pixels.
        last: Where the right and lower edges of the picture lie.
    """
    left, right = _steps(box.left, box.right, size.width, last)
    top, bottom = _steps(box.top, box.bottom, size.height, last)
    return Bounds(left, top, right, bottom)


def location_tokens(box: Bounds, size: Size) -> str:
    """Returns a box as PaliGemma's four location tokens: ymin, xmin, ymax, xmax."""
    left, top, right, bottom = on_grid(box, size, LAST_LOCATION)
    return "".join(f"<loc{step:04d}>" for step in (top, left, bottom, right))


def _steps(low: int, high: int, length: int, last: int) -> tuple[int, int]:
    # Fractions: floats would decide a half differently here and there.
    exact = [Fraction(min(max(edge, 0), length) * last, length) for edge in (low, high)]
    near_low, near_high = map(round, exact)
    if near_low == near_high and exact[0] < exact[1]:
        return math.floor(exact[0]), math.ceil(exact[1])
    return near_low, near_high
