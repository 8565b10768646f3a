"""Boxes and sizes in pixels, and the few things that are done to them.

A box is left, top, right, bottom with its origin at the top left of the stored (oriented)
picture; right and bottom are exclusive. A size is (width, height). Every reader converts
to this at its door and states its source's convention.
"""

from typing import NamedTuple


class Size(NamedTuple):
    """Width and height in pixels."""

    width: int
    height: int


class Bounds(NamedTuple):
    """Edges of a box in pixels, origin at the top left; right and bottom are exclusive."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def area(self) -> int:
        """Square pixels inside the box; 0 for an empty or inverted one."""
        return max(self.right - self.left, 0) * max(self.bottom - self.top, 0)

    @property
    def is_inverted(self) -> bool:
        """Whether right lies left of left, or bottom above top."""
        return self.right < self.left or self.bottom < self.top


def intersect(one: Bounds, other: Bounds) -> Bounds:
    """Returns the box that both boxes cover; its area is 0 if they only touch or lie apart."""
    return Bounds(
        max(one.left, other.left),
        max(one.top, other.top),
        min(one.right, other.right),
        min(one.bottom, other.bottom),
    )


def iou(one: Bounds, other: Bounds) -> float:
    """Returns intersection over union, 0 to 1; 0 when either box has no area."""
    shared = intersect(one, other).area
    union = one.area + other.area - shared
    return shared / union if shared else 0.0


def scale(box: Bounds, frame: Size, picture: Size) -> Bounds:
    """Returns `box`, measured on a `frame`, as pixels of a `picture` of other size.

    Edges are rounded half up in whole numbers, so that every machine agrees.
    """
    if frame == picture:
        return box
    return Bounds(
        _scaled(box.left, picture.width, frame.width),
        _scaled(box.top, picture.height, frame.height),
        _scaled(box.right, picture.width, frame.width),
        _scaled(box.bottom, picture.height, frame.height),
    )


def same_shape(one: Size, other: Size) -> bool:
    """Whether two pictures have one aspect ratio, up to the rounding of whole pixels.

    540 × 959 is 1080 × 1919 rounded, and so of the same shape.
    """
    return abs(one.width * other.height - other.width * one.height) <= max(*one, *other)


def turn(box: Bounds, size: Size, orientation: int) -> Bounds:
    """Returns a box of an unturned picture as it lies on the picture turned upright.

    Args:
        box: Pixels of the picture as its file stores it.
        size: Size of the picture as its file stores it.
        orientation: EXIF orientation, 1 to 8 (EXIF 2.32, tag 0x0112).
    """
    left, top, right, bottom = box
    width, height = size
    if orientation in (2, 3, 7, 8):  # The stored left becomes the displayed right or bottom.
        left, right = width - right, width - left
    if orientation in (3, 4, 6, 7):  # The stored top becomes the displayed bottom or right.
        top, bottom = height - bottom, height - top
    if orientation in (5, 6, 7, 8):
        return Bounds(top, left, bottom, right)
    return Bounds(left, top, right, bottom)


def turned_size(size: Size, orientation: int) -> Size:
    """Returns the size of a stored picture once it is turned upright by its EXIF orientation."""
    return Size(size.height, size.width) if orientation in (5, 6, 7, 8) else size


def _scaled(edge: int, target: int, source: int) -> int:
    return (2 * edge * target + source) // (2 * source)
