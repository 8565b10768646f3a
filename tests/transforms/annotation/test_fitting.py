"""Tests of the leaves that boxes are held against."""

import json

from schemas.geometry import Bounds, Size
from transforms.annotation.fitting import leaf_boxes
from transforms.screens.hierarchies import parse_hierarchy


def node(bounds, *children, **more):
    return {"bounds": bounds, "children": list(children) or None} | more


def test_leaves_are_counted_depth_first_and_measured_on_the_picture():
    root = node(
        [0, 0, 1440, 2560],
        node([0, 0, 1440, 400], node([0, 0, 720, 400]), None, node([720, 0, 1440, 400])),
        node([0, 2500, 1440, 2600], **{"visible-to-user": False}),
        node([0, 0, 0, 0]),
        node(None),
    )
    hierarchy = parse_hierarchy(json.dumps(root).encode())
    assert leaf_boxes(hierarchy, Size(1080, 1920)) == {
        2: Bounds(0, 0, 540, 300),
        3: Bounds(540, 0, 1080, 300),
        4: Bounds(0, 1875, 1080, 1920),
    }
