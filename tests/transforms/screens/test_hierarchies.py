"""Tests of parsing view hierarchies and of measuring them on the picture."""

import json
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.geometry import Bounds, Size
from schemas.rejects import Reason, RejectedRecordError
from schemas.screens import ViewLeaf
from transforms.screens.hierarchies import (
    Hierarchy,
    frame_width,
    node_text,
    parse_hierarchy,
    visible_leaves,
    walk,
)

PORTRAIT, SMALL, LANDSCAPE = Size(1080, 1920), Size(540, 960), Size(1920, 1080)
DEVICE = [0, 0, 1440, 2560]


def node(*children, bounds=DEVICE, visible=True, **more):
    found = {"bounds": bounds, "class": "android.view.View", "visible-to-user": visible}
    if children:
        found["children"] = list(children)
    return found | more


def screen(root):
    return {"activity_name": "com.a/.Main", "activity": {"root": root}, "request_id": "7"}


def parsed(content):
    return parse_hierarchy(json.dumps(content).encode())


def refusal(data):
    with pytest.raises(RejectedRecordError) as caught:
        parse_hierarchy(data)
    caught.value.detail.encode()
    return caught.value.reason, caught.value.detail


def leaves(root, picture=PORTRAIT):
    return list(visible_leaves(parsed(screen(root)), picture))


def leaf(index, bounds, text=None, **more):
    values = {"view_class": "android.view.View", "resource_id": None, "clickable": False} | more
    return ViewLeaf(vh_index=index, text=text, bounds=Bounds(*bounds), **values)


def test_the_root_of_an_activity_is_parsed_and_counted():
    root = node(node(), node(node()))
    assert parsed(screen(root)) == Hierarchy(root, 4, Bounds(0, 0, 1440, 2560))


def test_a_root_without_an_activity_is_parsed_too():
    root = node(node())
    assert parsed(root) == Hierarchy(root, 2, Bounds(0, 0, 1440, 2560))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_every_encoding_of_json_is_read(encoding):
    text = json.dumps(node(text="Übung"), ensure_ascii=False)
    assert parse_hierarchy(text.encode(encoding)).root["text"] == "Übung"


@pytest.mark.parametrize(
    ("data", "detail"),
    [
        (b"", "Expecting value: line 1 column 1 (char 0)"),
        (b"<html>Quota exceeded</html>", "Expecting value: line 1 column 1 (char 0)"),
        (b'{"activity": ', "Expecting value: line 1 column 14 (char 13)"),
        (b"{} {}", "Extra data: line 1 column 4 (char 3)"),
    ],
)
def test_what_is_no_json_is_unreadable(data, detail):
    assert refusal(data) == (Reason.HIERARCHY_UNREADABLE, detail)


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        ",
        b'{"text": "\xff"}',
        b"\xff\xfe\x00",
        b"9" * 5000,
    ],
)
def test_bytes_that_are_no_text_are_unreadable(data):
    assert refusal(data)[0] is Reason.HIERARCHY_UNREADABLE


@pytest.mark.parametrize(
    ("content", "detail"),
    [
        (None, "the file holds null"),
        ({"activity": None}, "there is no root"),
        ({"activity": {}}, "there is no root"),
        ({"activity": {"root": None}}, "there is no root"),
    ],
)
def test_a_hierarchy_of_nothing_is_empty(content, detail):
    assert refusal(json.dumps(content).encode()) == (Reason.HIERARCHY_EMPTY, detail)


@pytest.mark.parametrize("content", [[], {}, 7, "root", {"a": 1}, [node()], {"activity": []}])
def test_a_hierarchy_of_another_shape_is_malformed(content):
    detail = "the root is no node"
    assert refusal(json.dumps(content).encode()) == (Reason.HIERARCHY_MALFORMED, detail)


@pytest.mark.parametrize("root", [[], 7, "root", {"a": 1}])
def test_a_root_of_another_shape_is_malformed(root):
    data = json.dumps(screen(root)).encode()
    assert refusal(data) == (Reason.HIERARCHY_MALFORMED, "the root is no node")


@pytest.mark.parametrize(
    ("children", "detail"),
    [
        ("text", "the children of node 1 are no list"),
        ({"0": node()}, "the children of node 1 are no list"),
        (7, "the children of node 1 are no list"),
        ([7], "node 2 is a int"),
        (["node"], "node 2 is a str"),
        ([[node()]], "node 2 is a list"),
    ],
)
def test_children_of_another_shape_are_malformed(children, detail):
    data = json.dumps(screen(node(node(children=children)))).encode()
    assert refusal(data) == (Reason.HIERARCHY_MALFORMED, detail)


@pytest.mark.parametrize("children", [None, [], [None], [None, None]])
def test_a_node_of_no_children_is_a_leaf(children):
    root = node(children=children)
    assert parsed(root).node_count == 1
    assert [item.vh_index for item in leaves(root)] == [0]


def test_null_children_are_not_counted():
    root = node(None, node(None), None, node(), None)
    indexes = [(index, len(children)) for index, _, children in walk(root)]
    assert indexes == [(0, 2), (1, 0), (2, 0)]


def test_nodes_are_counted_depth_first_with_parents_before_children():
    root = node(node(node(name="c"), node(name="d"), name="b"), node(name="e"), name="a")
    assert [(index, found["name"]) for index, found, _ in walk(root)] == list(enumerate("abcde"))


def nested(depth):
    """Returns the JSON of so many nodes, each in the one before."""
    return (
        b'{"bounds":[0,0,9,9],"children":[' * (depth - 1) + b'{"bounds":[]}' + b"]}" * (depth - 1)
    )


def test_500_levels_are_accepted():
    assert parse_hierarchy(nested(500)).node_count == 500


def test_501_levels_are_too_deep():
    detail = "more than 500 levels at node 500"
    assert refusal(nested(501)) == (Reason.HIERARCHY_TOO_DEEP, detail)


@pytest.mark.parametrize("data", [nested(100_000), b"[" * 100_000, b'{"a":' * 100_000])
def test_what_is_nested_beyond_reading_is_too_deep(data):
    assert refusal(data) == (Reason.HIERARCHY_TOO_DEEP, "cannot even be read")


def test_the_depth_of_the_callers_stack_does_not_matter():
    def deep(levels, act):
        return deep(levels - 1, act) if levels else act()

    verdicts = []

    def judge():
        for levels in (0, 800):
            verdicts.append(deep(levels, lambda: parse_hierarchy(nested(500)).node_count))
            verdicts.append(deep(levels, lambda: refusal(nested(501))[0]))

    thread = threading.Thread(target=judge)
    thread.start()
    thread.join()
    assert verdicts == [500, Reason.HIERARCHY_TOO_DEEP] * 2


def test_the_recursion_limit_is_only_ever_raised():
    before = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(50_000)
        parse_hierarchy(nested(3))
        assert sys.getrecursionlimit() == 50_000
    finally:
        sys.setrecursionlimit(before)


@pytest.mark.parametrize(
    ("root_bounds", "picture", "width"),
    [
        (DEVICE, PORTRAIT, 1440),
        ([0, 0, 1440, 2392], PORTRAIT, 1440),
        ([80, 597, 1360, 1879], PORTRAIT, 1440),
        ([1017, 1053, 1401, 2308], PORTRAIT, 1440),
        ([0, 0, 600, 1000], SMALL, 600),
        ([0, 0, 411, 683], PORTRAIT, 411),
        ([0, 0, 683, 411], LANDSCAPE, 683),
        ([0, 0, 600, 700], PORTRAIT, 1440),
        ([0, 100, 411, 783], PORTRAIT, 1440),
        ([0, 0, 720, 1280], PORTRAIT, 1440),
        ([0, 0, 0, 0], PORTRAIT, 1440),
        ([0, 0, -411, -683], PORTRAIT, 1440),
        ([0, 0, 1080, 1920], PORTRAIT, 1080),
        ([0, 0, 1080, 1919], PORTRAIT, 1440),
        ([0, 0, 1920, 1080], LANDSCAPE, 1920),
        ([0, 0, 2560, 1440], LANDSCAPE, 2560),
        ([0, 0, 2560, 1312], LANDSCAPE, 2560),
        (None, PORTRAIT, 1440),
        (None, LANDSCAPE, 2560),
        ("0 0 1440 2560", PORTRAIT, 1440),
    ],
)
def test_boxes_are_measured_on_the_device_and_never_on_a_dialog(root_bounds, picture, width):
    assert frame_width(parsed(screen(node(bounds=root_bounds))), picture) == width


def test_an_upright_hierarchy_does_not_fit_a_picture_that_lies():
    with pytest.raises(RejectedRecordError) as caught:
        frame_width(parsed(screen(node())), LANDSCAPE)
    assert caught.value.reason is Reason.HIERARCHY_FRAME_MISMATCH
    assert caught.value.detail == "root (0, 0, 1440, 2560) under (1920, 1080) pixels"


def test_leaves_lie_on_the_picture_in_its_pixels():
    root = node(
        node(bounds=[144, 256, 720, 512], text="Buy", clickable=True),
        node(node(bounds=[0, 2432, 1440, 2560], **{"resource-id": "com.a:id/bar"})),
    )
    assert leaves(root) == [
        leaf(1, (108, 192, 540, 384), "Buy", clickable=True),
        leaf(3, (0, 1824, 1080, 1920), resource_id="com.a:id/bar"),
    ]
    assert [item.bounds for item in leaves(root, SMALL)] == [
        (54, 96, 270, 192),
        (0, 912, 540, 960),
    ]


def test_both_axes_scale_by_the_width_whatever_the_pictures_height():
    root = node(node(bounds=[0, 0, 720, 720]))
    assert leaves(root, Size(1080, 1794)) == [leaf(1, (0, 0, 540, 540))]


def test_a_dialog_is_not_stretched_over_the_picture():
    root = node(node(bounds=[80, 597, 720, 720]), bounds=[80, 597, 1360, 1879])
    assert leaves(root) == [leaf(1, (60, 448, 540, 540))]


def test_a_hierarchy_in_dp_units_is_stretched_over_the_picture():
    root = node(node(bounds=[0, 0, 411, 100]), bounds=[0, 0, 411, 683])
    assert leaves(root) == [leaf(1, (0, 0, 1080, 263))]


def test_only_leaves_that_the_user_sees_are_listed():
    root = node(
        node(visible=False),
        node(visible="true"),
        node(visible=1),
        {"bounds": DEVICE},
        node(node(visible=False)),
        node(text="seen"),
    )
    assert [item.text for item in leaves(root)] == ["seen"]


@pytest.mark.parametrize(
    ("bounds", "reason"),
    [
        ([900, 100, 300, 200], Reason.BOX_INVERTED),
        ([213, 1827, 256, 1805], Reason.BOX_INVERTED),
        ([0, 0, 0, 0], Reason.BOX_EMPTY),
        ([5, 5, 5, 90], Reason.BOX_EMPTY),
        ([-400, 10, -300, 40], Reason.BOX_OUTSIDE),
        ([1440, 10, 1900, 40], Reason.BOX_OUTSIDE),
        ([0, 2560, 100, 2700], Reason.BOX_OUTSIDE),
        (None, Reason.BOX_EMPTY),
        ([], Reason.BOX_EMPTY),
        ([1, 2, 3], Reason.BOX_EMPTY),
        ([1, 2, 3, 4, 5], Reason.BOX_EMPTY),
        ([1, 2, 30, None], Reason.BOX_EMPTY),
        ([1, 2, 30, "40"], Reason.BOX_EMPTY),
        ([1, 2, 30, True], Reason.BOX_EMPTY),
        ([1, 2, 30, 10**12], Reason.BOX_EMPTY),
        ({"left": 1}, Reason.BOX_EMPTY),
    ],
)
def test_a_leaf_without_a_usable_box_says_why(bounds, reason):
    assert leaves(node(node(bounds=bounds), node(text="seen"))) == [
        reason,
        leaf(2, (0, 0, 1080, 1920), "seen"),
    ]


def test_a_leaf_over_the_edge_is_clipped():
    assert leaves(node(node(bounds=[-100, 0, 144, 144]))) == [leaf(1, (0, 0, 108, 108))]


@pytest.mark.parametrize(
    ("found", "text"),
    [
        ({"text": "Buy", "content-desc": ["Cart"]}, "Buy"),
        ({"text": "", "content-desc": ["Cart"]}, "Cart"),
        ({"text": " \n\0", "content-desc": ["Cart"]}, "Cart"),
        ({"content-desc": ["Cart", "Bag"]}, "Cart"),
        ({"content-desc": "Cart"}, "Cart"),
        ({"content-desc": [None]}, None),
        ({"content-desc": []}, None),
        ({"content-desc": [""]}, None),
        ({"content-desc": None}, None),
        ({"content-desc": [["Cart"]]}, None),
        ({"text": 5}, None),
        ({"text": None}, None),
        ({}, None),
        ({"text": " two\nlines "}, " two\nlines "),
        ({"text": "a\0b"}, "ab"),
        ({"text": "Like \ud83d"}, "Like \ufffd"),
        ({"text": "₹ 5 \U0001f600"}, "₹ 5 \U0001f600"),
    ],
)
def test_a_node_says_its_text_or_else_its_description(found, text):
    assert node_text(found) == text


def test_half_an_emoji_in_a_file_can_be_written():
    root = node(**{"text": "Like \ud83d", "class": "\ud83d"})
    data = json.dumps(screen(root)).encode()
    assert rb"Like \ud83d" in data
    (found,) = visible_leaves(parse_hierarchy(data), PORTRAIT)
    assert (found.text, found.view_class) == ("Like \ufffd", "\ufffd")


def test_a_class_of_another_type_is_none():
    root = node(node(**{"class": None, "resource-id": 7}))
    assert leaves(root) == [leaf(1, (0, 0, 1080, 1920), view_class="")]


edges = st.integers(-3000, 4000) | st.none() | st.floats(allow_nan=False)
trees = st.recursive(
    st.builds(
        lambda bounds, visible: node(bounds=bounds, visible=visible),
        st.lists(edges, min_size=3, max_size=5),
        st.booleans(),
    ),
    lambda inner: st.builds(
        lambda children, bounds: node(*children, bounds=bounds),
        st.lists(inner | st.none(), max_size=4),
        st.lists(edges, min_size=4, max_size=4),
    ),
    max_leaves=12,
)


@given(trees, st.sampled_from([PORTRAIT, SMALL, LANDSCAPE, Size(1080, 1794)]))
def test_every_listed_leaf_lies_on_the_picture_and_has_an_index_of_its_own(root, picture):
    hierarchy = parsed(screen(root))
    try:
        found = list(visible_leaves(hierarchy, picture))
    except RejectedRecordError as error:
        refused = error.reason
        assert (refused, picture) == (Reason.HIERARCHY_FRAME_MISMATCH, LANDSCAPE)
        return
    listed = [item for item in found if isinstance(item, ViewLeaf)]
    indexes = [item.vh_index for item in listed]
    assert indexes == sorted(set(indexes))
    assert all(0 <= index < hierarchy.node_count for index in indexes)
    for item in listed:
        left, top, right, bottom = item.bounds
        assert 0 <= left < right <= picture.width
        assert 0 <= top < bottom <= picture.height
