"""View hierarchies of RICO: parsed with all their quirks, measured on the picture.

formats.md §1.2 and §1.3 say what occurs: null children, a file that is `null`, texts with
NULs and lone surrogates, boxes that are inverted, empty, negative or in dp units, dialogs
whose root is not the screen.
"""

import dataclasses
import json
import sys
from collections.abc import Iterator
from typing import Any

from schemas.geometry import Bounds, Size, intersect, scale
from schemas.rejects import Reason, RejectedRecordError
from schemas.screens import ViewLeaf
from transforms.boxes import box_problem
from transforms.identifying import clean_text

MAX_DEPTH = 500
"""Deepest nesting accepted; RICO's deepest tree has 22 levels."""

MAX_HIERARCHY_BYTES = 32 * 1024 * 1024
"""RICO's largest hierarchy has 2 MB."""

_SHORT_SIDE, _LONG_SIDE = 1440, 2560
"""RICO's coordinates are those of a 1440 × 2560 device, whatever root and picture say."""

# JSON's C scanner spends two levels of Python's recursion on a node. The limit is raised
# so that MAX_DEPTH alone decides what is too deep: with the usual 1,000, the verdict would
# hang on how deep the caller's own stack is, and differ between engines.
_RECURSION_LIMIT = 2 * MAX_DEPTH + 3000


@dataclasses.dataclass(frozen=True, slots=True)
class Hierarchy:
    """A parsed hierarchy: its root node's JSON, how many nodes it has, its root's box."""

    root: dict[str, Any]
    node_count: int
    root_bounds: Bounds | None


def parse_hierarchy(data: bytes) -> Hierarchy:
    """Returns the hierarchy in the bytes of a RICO JSON file.

    Nodes are counted depth first, parents before children, the root first, null children
    not at all: the order that `vh_index` counts in.

    Raises:
        RejectedRecordError: `HIERARCHY_UNREADABLE`, `HIERARCHY_EMPTY`,
            `HIERARCHY_MALFORMED` or `HIERARCHY_TOO_DEEP`.
    """
    if sys.getrecursionlimit() < _RECURSION_LIMIT:
        sys.setrecursionlimit(_RECURSION_LIMIT)
    try:
        content = json.loads(data)
    except RecursionError:
        raise RejectedRecordError(Reason.HIERARCHY_TOO_DEEP, "cannot even be read") from None
    except ValueError as error:  # JSON that does not parse, or bytes that are no text.
        raise RejectedRecordError(Reason.HIERARCHY_UNREADABLE, str(error)[:200]) from error
    if content is None:
        raise RejectedRecordError(Reason.HIERARCHY_EMPTY, "the file holds null")
    root = content
    if isinstance(content, dict) and "activity" in content:
        activity = content["activity"]
        root = activity.get("root") if isinstance(activity, dict) else activity
    if root is None:
        raise RejectedRecordError(Reason.HIERARCHY_EMPTY, "there is no root")
    if not isinstance(root, dict) or not root.keys() & {"bounds", "children"}:
        raise RejectedRecordError(Reason.HIERARCHY_MALFORMED, "the root is no node")
    count = sum(1 for _ in walk(root))
    return Hierarchy(root, count, bounds_of(root))


def walk(root: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any], list[Any]]]:
    """Yields (vh_index, node, children without nulls) depth first, parents before children.

    Raises:
        RejectedRecordError: `HIERARCHY_MALFORMED` if a child is no node,
            `HIERARCHY_TOO_DEEP` below `MAX_DEPTH` levels.
    """
    index = 0
    stack: list[tuple[Any, int]] = [(root, 1)]
    while stack:
        node, depth = stack.pop()
        if not isinstance(node, dict):
            raise RejectedRecordError(
                Reason.HIERARCHY_MALFORMED, f"node {index} is a {type(node).__name__}"
            )
        if depth > MAX_DEPTH:
            raise RejectedRecordError(
                Reason.HIERARCHY_TOO_DEEP, f"more than {MAX_DEPTH} levels at node {index}"
            )
        raw = node.get("children") or ()
        if not isinstance(raw, list | tuple):
            raise RejectedRecordError(
                Reason.HIERARCHY_MALFORMED, f"the children of node {index} are no list"
            )
        children = [child for child in raw if child is not None]
        yield index, node, children
        index += 1
        stack.extend((child, depth + 1) for child in reversed(children))


def frame_width(hierarchy: Hierarchy, picture: Size) -> int:
    """Returns the width that a hierarchy's boxes are measured on, in its own units.

    That is the device's 1440, or 2560 under a landscape picture, and never the root's:
    dialogs and drop-downs have small roots. There are two exceptions, both with a root at
    the origin. Windows in compatibility mode have the whole screen in dp units for a root
    (411 × 683 in one of 267 files): less than half as wide as the device, with a screen's
    proportions. And a root of exactly the picture's size is that of a hierarchy taken
    from another device than RICO's, in the picture's own pixels.

    Raises:
        RejectedRecordError: `HIERARCHY_FRAME_MISMATCH` for a portrait hierarchy on a
            landscape picture.
    """
    root = hierarchy.root_bounds
    landscape = picture.width > picture.height
    if root is None:
        return _LONG_SIDE if landscape else _SHORT_SIDE
    if landscape and root.bottom > _SHORT_SIDE:
        raise RejectedRecordError(
            Reason.HIERARCHY_FRAME_MISMATCH, f"root {tuple(root)} under {tuple(picture)} pixels"
        )
    if root == (0, 0, *picture):
        return picture.width
    short, long = sorted((root.right, root.bottom))
    if root.left == root.top == 0 and 0 < short < _SHORT_SIDE // 2 and 1.6 <= long / short <= 1.8:
        return root.right
    return _LONG_SIDE if landscape else _SHORT_SIDE


def visible_leaves(hierarchy: Hierarchy, picture: Size) -> Iterator[ViewLeaf | Reason]:
    """Yields the visible leaves as they lie on the picture, and why others are unusable.

    Visible is what `visible-to-user` says: it takes out all boxes that are off screen in
    both real samples, and all but one inverted one; so the box check stays.
    """
    # Both axes scale by the width (formats.md §1.3), whatever the picture's height.
    width = frame_width(hierarchy, picture)
    frame, target = Size(width, width), Size(picture.width, picture.width)
    for index, node, children in walk(hierarchy.root):
        if children or node.get("visible-to-user") is not True:
            continue
        bounds = bounds_of(node)
        if bounds is None:
            yield Reason.BOX_EMPTY
            continue
        box = scale(bounds, frame, target)
        problem = box_problem(box, picture)
        if problem is not None:
            yield problem
            continue
        yield ViewLeaf(
            vh_index=index,
            text=node_text(node),
            view_class=_text_of(node.get("class")) or "",
            resource_id=_text_of(node.get("resource-id")),
            clickable=node.get("clickable") is True,
            bounds=intersect(box, Bounds(0, 0, *picture)),
        )


def node_text(node: dict[str, Any]) -> str | None:
    """Returns what a node says: its text, else its content description, else None."""
    description = node.get("content-desc")
    if isinstance(description, list):
        description = description[0] if description else None
    return _text_of(node.get("text")) or _text_of(description)


def bounds_of(node: dict[str, Any]) -> Bounds | None:
    """Returns a node's box in the hierarchy's own units; None if it has none."""
    raw = node.get("bounds")
    if (
        isinstance(raw, list)
        and len(raw) == 4
        and all(isinstance(v, int) and not isinstance(v, bool) and abs(v) < 1 << 20 for v in raw)
    ):
        return Bounds(*raw)
    return None


def _text_of(raw: Any) -> str | None:
    if not isinstance(raw, str) or not raw.strip(" \t\r\n\0"):
        return None
    return clean_text(raw)
