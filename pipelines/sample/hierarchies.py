"""Writes view hierarchies as RICO has them, with the oddities that its real files show."""

import dataclasses
import json
from collections.abc import Iterator
from typing import Any

from pipelines.sample.choosing import Choices, hex_name
from pipelines.sample.drawing import Page
from pipelines.sample.views import (
    NAVIGATION_TOP,
    SPACE_HEIGHT,
    SPACE_WIDTH,
    STATUS_BAR,
    Box,
    Element,
    View,
)

BROWSER = "com.android.browser/com.android.browser.BrowserActivity"
RESOLVER = "android/com.android.internal.app.ResolverActivity"
_ACTIVITIES = ("MainActivity", "DetailActivity", "ListActivity", "ui.HomeActivity")

_VIEW = ["android.view.View", "java.lang.Object"]
_GROUP = ["android.view.ViewGroup", *_VIEW]
_TEXT = ["android.widget.TextView", *_VIEW]
_BUTTON = ["android.widget.Button", *_TEXT]
_TWO_STATES = ["android.widget.CompoundButton", *_BUTTON]

# Class of a view and the classes that it extends, by the short kind the layouts use.
_CLASSES: dict[str, tuple[str, list[str]]] = {
    "TextView": ("android.support.v7.widget.AppCompatTextView", _TEXT),
    "EditText": (
        "android.support.v7.widget.AppCompatEditText",
        ["android.widget.EditText", *_TEXT],
    ),
    "Button": ("android.support.v7.widget.AppCompatButton", _BUTTON),
    "CheckBox": ("android.widget.CheckBox", _TWO_STATES),
    "RadioButton": ("android.widget.RadioButton", _TWO_STATES),
    "Switch": ("android.support.v7.widget.SwitchCompat", _TWO_STATES),
    "ImageView": ("android.widget.ImageView", _VIEW),
    "ImageButton": ("android.widget.ImageButton", ["android.widget.ImageView", *_VIEW]),
    "SeekBar": ("android.widget.SeekBar", ["android.widget.ProgressBar", *_VIEW]),
    "RatingBar": ("android.widget.RatingBar", ["android.widget.ProgressBar", *_VIEW]),
    "View": ("android.view.View", ["java.lang.Object"]),
    "ViewStub": ("android.view.ViewStub", _VIEW),
    "FrameLayout": ("android.widget.FrameLayout", _GROUP),
    "DecorView": (
        "com.android.internal.policy.PhoneWindow$DecorView",
        ["android.widget.FrameLayout", *_GROUP],
    ),
}
_WITH_TEXT = {"TextView", "EditText", "Button", "CheckBox", "RadioButton", "Switch"}

_DP_UNITS = 3.5
"""Units of the 1440 x 2560 space in one density-independent pixel."""


@dataclasses.dataclass(frozen=True, slots=True)
class Quirks:
    """Oddities of one hierarchy, each of them seen in real files.

    `foreign_activity` is the activity of another app that the screen claims to show.
    """

    foreign_activity: str | None = None
    null_child: bool = False
    dp_units: bool = False
    lone_surrogate: bool = False
    nul_character: bool = False


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A complete hierarchy: its root, and the place of each view in pre-order from 0."""

    root: View
    activity_name: str
    dp_units: bool
    places: dict[int, int]

    def index_of(self, element: Element) -> int:
        """Returns the place of the element's view in pre-order, or -1 if it has none."""
        return -1 if element.view is None else self.places.get(id(element.view), -1)

    def bounds_px(self, element: Element, width: int) -> tuple[int, int, int, int]:
        """Returns left, top, right, bottom in a picture `width` pixels wide."""
        if self.index_of(element) < 0:
            left, top, right, bottom = (edge * width / SPACE_WIDTH for edge in element.box)
        else:
            # As a reader sees it: through the numbers that the file holds.
            scale = width / self.written(Box(0, 0, SPACE_WIDTH, SPACE_WIDTH)).width
            left, top, right, bottom = (edge * scale for edge in self.written(element.box))
        return round(left), round(top), round(right), round(bottom)

    def written(self, box: Box) -> Box:
        """Returns a box in the units that the file holds."""
        return Box(*(round(edge / _DP_UNITS) for edge in box)) if self.dp_units else box


def build_tree(page: Page, package: str, choices: Choices, quirks: Quirks) -> Tree:
    """Returns the hierarchy of a drawn page: its views inside the system's own ones."""
    own_activity = f"{package}/{package}.{choices.pick(_ACTIVITIES)}"
    activity_name = quirks.foreign_activity or own_activity
    if page.is_dialog:
        root = View("DecorView", page.root.box, children=[page.root])
    else:
        root = _window(page, choices, quirks)
    if quirks.null_child:
        root.children[0].children.append(None)  # type: ignore[union-attr]
    _spoil_text(root, quirks)
    places = {id(view): place for place, view in enumerate(root.walk())}
    return Tree(root, activity_name, quirks.dp_units, places)


def _window(page: Page, choices: Choices, quirks: Quirks) -> View:
    """Returns a full window; some have no view for the bars of the system."""
    content = page.root
    content.box = Box(0, 0, SPACE_WIDTH, NAVIGATION_TOP)
    content.resource = "android:id/content"
    content.children.extend(_unseen(choices))
    nothing = Box(0, 0, 0, 0)
    stub = View(
        "ViewStub",
        nothing,
        resource="android:id/action_mode_bar_stub",
        on_screen=False,
        visibility="gone",
    )
    frame = View("FrameLayout", content.box, children=[content])
    column = View("android.widget.LinearLayout", content.box, children=[stub, frame])
    if quirks.dp_units or choices.chance(45):
        return View("DecorView", content.box, children=[column])
    bars: list[View | None] = [
        View(
            "View",
            Box(0, NAVIGATION_TOP, SPACE_WIDTH, SPACE_HEIGHT),
            resource="android:id/navigationBarBackground",
        ),
        View("View", Box(0, 0, SPACE_WIDTH, STATUS_BAR), resource="android:id/statusBarBackground"),
    ]
    whole = Box(0, 0, SPACE_WIDTH, SPACE_HEIGHT)
    return View("DecorView", whole, children=[column, *bars])


def _unseen(choices: Choices) -> Iterator[View]:
    """Yields views that are not on the screen: closed drawers, scrolled rows, hidden parts."""
    if choices.chance(60):
        drawer = View(
            "android.widget.ListView",
            Box(-1204, STATUS_BAR, -84, NAVIGATION_TOP),
            resource="drawer",
            on_screen=False,
        )
        for place, words in enumerate(("Home", "Account", "Help", "")):
            top = STATUS_BAR + 168 * place
            drawer.children.append(
                View(
                    "TextView",
                    Box(-1148, top, -140, top + 168),
                    text=words,
                    clickable=True,
                    on_screen=False,
                )
            )
        yield drawer
    if choices.chance(60):
        # A row above the visible part of its list: what is left of it has a negative height.
        yield View(
            "TextView", Box(56, 280, 720, choices.number(60, 260)), text="Earlier", on_screen=False
        )
    if choices.chance(50):
        yield View("ImageView", Box(0, 2600, SPACE_WIDTH, 2900), description="", on_screen=False)
    yield View(
        "android.widget.ProgressBar",
        Box(720, 1280, 720, 1280),
        resource="progress",
        on_screen=False,
        visibility="invisible",
    )
    yield View("TextView", Box(0, 0, 0, 0), text="", on_screen=False, visibility="gone")


def _spoil_text(root: View, quirks: Quirks) -> None:
    """Puts characters into the last visible text that no valid text should hold."""
    spoilt = [view for view in root.walk() if view.kind == "TextView" and view.on_screen][-1:]
    for view in spoilt:
        if quirks.lone_surrogate:
            view.text = f"{view.text} \ud83d"
        if quirks.nul_character:
            view.text = f"{view.text}\x00"


def hierarchy_json(tree: Tree, request_id: int) -> bytes:
    """Returns the bytes of `<id>.json`: indented as Python 2 did it, a space after each comma."""
    package = tree.activity_name.partition("/")[0]
    activity = {
        "root": _nodes(tree, package, request_id),
        "added_fragments": [],
        "active_fragments": [],
    }
    whole = {
        "activity_name": tree.activity_name,
        "activity": activity,
        # False on every real screen, even under an open keyboard.
        "is_keyboard_deployed": False,
        "request_id": str(request_id),
    }
    return json.dumps(whole, indent=2, separators=(", ", ": ")).encode("ascii")


def _nodes(tree: Tree, package: str, request_id: int) -> dict[str, Any]:
    """Returns the root's node, with all nodes below it in place."""
    nodes: dict[int, dict[str, Any]] = {}
    for view in tree.root.walk():
        pointer = hex_name(package, request_id, tree.places[id(view)], length=7)
        nodes[id(view)] = _node(view, tree.written(view.box), package, pointer)
    for view in tree.root.walk():
        node = nodes[id(view)]
        left, top = node["bounds"][:2]
        for child in view.children:
            if child is not None:
                edges = nodes[id(child)]["bounds"]
                relative = [edges[0] - left, edges[1] - top, edges[2] - left, edges[3] - top]
                nodes[id(child)]["rel-bounds"] = relative
        if view.children:
            below = [None if child is None else nodes[id(child)] for child in view.children]
            node["children"] = below
    return nodes[id(tree.root)]


def _node(view: View, written: Box, package: str, pointer: str) -> dict[str, Any]:
    class_name, ancestors = _CLASSES.get(view.kind, (view.kind, _GROUP))
    node: dict[str, Any] = {
        "scrollable-horizontal": False,
        "draw": True,
        "ancestors": ancestors,
        "clickable": view.clickable,
        "pressed": "not_pressed",
        "focusable": view.clickable,
        "long-clickable": False,
        "enabled": True,
        "bounds": list(written),
        "visibility": view.visibility,
        "content-desc": [view.description],
        "rel-bounds": list(written),
        "focused": False,
        "selected": view.selected,
        "scrollable-vertical": view.scrolls,
        "adapter-view": view.kind.endswith(("ListView", "GridView")),
        "abs-pos": "Layout" in view.kind,
        "pointer": pointer,
        "class": class_name,
        "visible-to-user": view.on_screen,
    }
    if view.resource is not None:
        system = view.resource.startswith("android:")
        node["resource-id"] = view.resource if system else f"{package}:id/{view.resource}"
        node["package"] = "android" if system else package
    if view.kind in _WITH_TEXT:
        node["text"] = view.text or ""
        node["font-family"] = "default"
    if view.hint is not None:
        node["text-hint"] = view.hint
    # The order of keys differs from node to node in real files.
    return dict(reversed(node.items())) if int(pointer, 16) % 2 else node
