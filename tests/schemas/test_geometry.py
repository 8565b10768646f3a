"""Tests of boxes and sizes."""

import io

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from PIL import Image, ImageOps

from schemas.geometry import Bounds, Size, intersect, iou, same_shape, scale, turn, turned_size

edges = st.integers(-3000, 3000)
boxes = st.builds(Bounds, edges, edges, edges, edges)
sides = st.integers(1, 3000)
sizes = st.builds(Size, sides, sides)
orientations = st.integers(1, 8)


@st.composite
def boxes_on(draw, size):
    left, right = sorted(draw(st.tuples(*[st.integers(0, size.width)] * 2)))
    top, bottom = sorted(draw(st.tuples(*[st.integers(0, size.height)] * 2)))
    return Bounds(left, top, right, bottom)


sizes_with_boxes = sizes.flatmap(lambda size: st.tuples(st.just(size), boxes_on(size)))


@pytest.mark.parametrize(
    ("box", "area", "inverted"),
    [
        (Bounds(1, 2, 4, 4), 6, False),
        (Bounds(1, 2, 1, 4), 0, False),
        (Bounds(1, 2, 4, 2), 0, False),
        (Bounds(4, 2, 1, 4), 0, True),
        (Bounds(1, 4, 4, 2), 0, True),
        (Bounds(4, 4, 1, 2), 0, True),
        (Bounds(-3, -2, -1, 0), 4, False),
    ],
)
def test_only_a_box_with_both_sides_has_an_area(box, area, inverted):
    assert (box.area, box.is_inverted) == (area, inverted)


def test_boxes_that_only_touch_share_nothing():
    shared = intersect(Bounds(0, 0, 5, 5), Bounds(5, 0, 9, 5))
    assert shared == Bounds(5, 0, 5, 5)
    assert iou(Bounds(0, 0, 5, 5), Bounds(5, 0, 9, 5)) == 0.0


def test_a_half_covered_box_has_its_share_of_the_union():
    assert iou(Bounds(0, 0, 2, 2), Bounds(1, 0, 3, 2)) == 1 / 3


@given(boxes, boxes)
def test_iou_is_the_same_both_ways_and_lies_between_none_and_all(one, other):
    assert iou(one, other) == iou(other, one)
    assert 0.0 <= iou(one, other) <= 1.0
    assert iou(one, one) == (1.0 if one.area else 0.0)


@given(boxes, boxes)
def test_what_two_boxes_share_is_no_larger_than_either(one, other):
    assert intersect(one, other).area <= min(one.area, other.area)


def test_a_box_grows_with_its_picture():
    assert scale(Bounds(10, 20, 30, 41), Size(540, 960), Size(1080, 1920)) == (20, 40, 60, 82)


def test_halves_of_a_pixel_round_up_on_both_sides_of_the_origin():
    assert scale(Bounds(-1, 1, 3, 5), Size(2, 2), Size(1, 1)) == Bounds(0, 1, 2, 3)


@given(boxes, sizes)
def test_a_box_on_its_own_frame_stays(box, size):
    assert scale(box, size, size) == box


@given(boxes, sizes, sizes)
def test_each_edge_is_scaled_to_the_nearest_pixel(box, frame, picture):
    scaled = scale(box, frame, picture)
    for before, after, source, target in zip(box, scaled, frame * 2, picture * 2, strict=True):
        assert -source <= 2 * (before * target - after * source) < source


@given(sizes_with_boxes, sizes)
def test_a_box_inside_its_frame_lies_inside_every_picture(frame_and_box, picture):
    frame, box = frame_and_box
    left, top, right, bottom = scale(box, frame, picture)
    assert 0 <= left <= right <= picture.width
    assert 0 <= top <= bottom <= picture.height


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ((1080, 1920), (540, 960), True),
        ((1080, 1919), (540, 959), True),
        ((1080, 1919), (540, 960), True),
        ((1080, 1920), (1920, 1080), False),
        ((1080, 1920), (1080, 1794), False),
        ((540, 960), (540, 900), False),
    ],
)
def test_one_shape_is_one_up_to_the_rounding_of_whole_pixels(one, other, same):
    assert same_shape(Size(*one), Size(*other)) is same
    assert same_shape(Size(*other), Size(*one)) is same


@given(sizes, st.integers(1, 8))
def test_a_picture_shrunk_to_the_nearest_pixel_keeps_its_shape(size, factor):
    width, height = ((2 * side + factor) // (2 * factor) for side in size)
    assume(width and height)
    assert same_shape(size, Size(width, height))


def picture_with_box(size, box):
    picture = Image.new("L", size)
    if box.area:
        picture.paste(255, box)
    return picture


def upright(picture, orientation):
    """Returns the picture as Pillow turns it by an EXIF tag of this value."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", exif=exif)
    return ImageOps.exif_transpose(Image.open(buffer))


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_box_turns_with_its_picture(orientation):
    size, box = Size(7, 4), Bounds(1, 2, 4, 3)
    turned = upright(picture_with_box(size, box), orientation)
    assert turned.size == turned_size(size, orientation)
    assert turned.getbbox() == turn(box, size, orientation)


small_boxes = st.builds(Size, st.integers(1, 9), st.integers(1, 9)).flatmap(
    lambda size: st.tuples(st.just(size), boxes_on(size).filter(lambda box: box.area))
)


@given(small_boxes, orientations)
def test_any_box_turns_as_pillow_turns_its_pixels(size_and_box, orientation):
    size, box = size_and_box
    turned = upright(picture_with_box(size, box), orientation)
    assert turned.getbbox() == turn(box, size, orientation)


@given(boxes, sizes, orientations)
def test_turning_keeps_a_box_as_large_and_as_inverted_as_it_was(box, size, orientation):
    turned = turn(box, size, orientation)
    assert (turned.area, turned.is_inverted) == (box.area, box.is_inverted)


@given(boxes, sizes, orientations)
def test_turning_back_restores_the_box(box, size, orientation):
    back = {6: 8, 8: 6}.get(orientation, orientation)
    turned = turn(box, size, orientation)
    assert turn(turned, turned_size(size, orientation), back) == box
