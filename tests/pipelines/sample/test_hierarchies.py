"""The drawn sample: its hierarchies."""

import json
import pathlib
import re

import pytest

from pipelines.sample import roles
from pipelines.sample.hierarchies import Quirks, Tree, hierarchy_json

ALWAYS = {
    "bounds", "rel-bounds", "class", "ancestors", "clickable", "long-clickable", "focusable",
    "focused", "enabled", "selected", "draw", "adapter-view", "scrollable-horizontal",
    "scrollable-vertical", "visible-to-user", "abs-pos", "pressed", "visibility", "content-desc",
    "pointer",
}  # fmt: skip
SOMETIMES = {"resource-id", "package", "children", "text", "font-family", "text-hint"}


def nodes_of(root):
    """Lists the nodes in pre-order, nulls left out."""
    nodes = [root]
    for child in root.get("children", ()):
        nodes += [] if child is None else nodes_of(child)
    return nodes


@pytest.fixture(scope="module")
def files(folder: pathlib.Path):
    names = [f for f in (folder / "rico" / "combined").glob("*.json") if f.name[0] != "."]
    return {int(file.stem): file.read_bytes() for file in names}


@pytest.fixture(scope="module")
def hierarchies(files):
    read = {number: json.loads(content) for number, content in files.items()}
    return {number: whole for number, whole in read.items() if whole is not None}


def test_files_are_indented_as_python_2_did(files):
    for content in (content for content in files.values() if content != b"null"):
        assert content.isascii()
        assert content.startswith(b'{\n  "activity_name": "')
        assert b", \n" in content
        assert b",\n" not in content
        assert content.endswith(b'"\n}')


def test_the_top_is_as_rico_has_it(hierarchies):
    for whole in hierarchies.values():
        assert list(whole) == ["activity_name", "activity", "is_keyboard_deployed", "request_id"]
        assert list(whole["activity"]) == ["root", "added_fragments", "active_fragments"]
        assert whole["is_keyboard_deployed"] is False
        assert re.fullmatch(r"[1-9]\d*", whole["request_id"])
        assert re.fullmatch(r"[\w.]+/[\w.]+", whole["activity_name"])


def test_every_node_has_the_keys_of_real_nodes(hierarchies):
    for whole in hierarchies.values():
        for node in nodes_of(whole["activity"]["root"]):
            assert set(node) >= ALWAYS
            assert set(node) <= ALWAYS | SOMETIMES
            assert ("resource-id" in node) == ("package" in node)
            assert isinstance(node["content-desc"], list)
            assert len(node["content-desc"]) == 1
            assert node["pressed"] == "not_pressed"
            assert node.get("children") != []


def test_pointers_are_unique_within_a_screen(hierarchies):
    for whole in hierarchies.values():
        pointers = [node["pointer"] for node in nodes_of(whole["activity"]["root"])]
        assert len(pointers) == len(set(pointers))


def test_the_order_of_keys_differs_between_nodes(hierarchies):
    whole = next(iter(hierarchies.values()))
    assert len({next(iter(node)) for node in nodes_of(whole["activity"]["root"])}) > 1


def test_leaves_seen_by_the_user_have_an_area_on_the_screen(hierarchies):
    for whole in hierarchies.values():
        for node in nodes_of(whole["activity"]["root"]):
            if node["visible-to-user"] and "children" not in node:
                left, top, right, bottom = node["bounds"]
                assert 0 <= left < right <= 1440
                assert 0 <= top < bottom <= 2560


def test_unseen_views_have_the_broken_boxes_of_real_files(hierarchies):
    boxes = [
        node["bounds"]
        for whole in hierarchies.values()
        for node in nodes_of(whole["activity"]["root"])
        if not node["visible-to-user"]
    ]
    assert any(left < 0 for left, _, _, _ in boxes)
    assert any(bottom < top for _, top, _, bottom in boxes)
    assert any(left == right and top == bottom for left, top, right, bottom in boxes)
    assert any(bottom > 2560 for _, _, _, bottom in boxes)


def test_roots_are_screens_windows_dialogs_and_one_in_other_units(hierarchies):
    roots = [tuple(whole["activity"]["root"]["bounds"]) for whole in hierarchies.values()]
    assert (0, 0, 1440, 2560) in roots
    assert (0, 0, 1440, 2392) in roots
    assert roots.count((0, 0, 411, 683)) == 1
    assert roots.count((120, 872, 1320, 1664)) == 2


def test_a_dialog_knows_nothing_of_the_page_behind_it(cast):
    dialog = cast["grocer/grocery_dialog"]
    texts = {
        node.get("text") for node in nodes_of(json.loads(dialog.hierarchy)["activity"]["root"])
    }
    assert "Deliver today?" in texts
    assert not any(text and text.endswith("stars") for text in texts)


def test_null_children_a_lone_surrogate_and_a_nul_occur(files):
    everything = b"".join(files.values())
    assert re.search(rb"\n +null, \n|\n +null\n +\]", everything)
    assert rb" \ud83d" in everything
    assert rb"\u0000" in everything


def test_some_screens_show_the_activity_of_another_app(cast):
    foreign = [
        screen
        for screen in cast.values()
        if not json.loads(screen.hierarchy)["activity_name"].startswith(screen.drawn.app.package)
    ]
    assert "reader/web_article" in {screen.key for screen in foreign}
    assert len(foreign) >= 3


def test_an_element_is_found_at_its_index_and_box(cast):
    for screen in cast.values():
        if screen.key in roles.OUT_OF_SYNC:
            continue
        drawn = screen.drawn
        root = json.loads(screen.hierarchy)["activity"]["root"]
        nodes = nodes_of(root)
        scale = drawn.width / (1440 if root["bounds"][2] > 720 else root["bounds"][2])
        for element in (e for question in drawn.questions for e in question.elements):
            if (index := drawn.vh_index(element)) >= 0:
                node = nodes[index]
                assert "children" not in node
                assert drawn.bounds_px(element) == tuple(round(v * scale) for v in node["bounds"])


def test_two_kinds_of_boxes_occur(cast):
    indices = [
        screen.drawn.vh_index(element)
        for screen in cast.values()
        for question in screen.drawn.questions
        for element in question.elements
    ]
    drawn_share = sum(index < 0 for index in indices) / len(indices)
    assert 0.15 < drawn_share < 0.6


def test_out_of_sync_screens_carry_the_hierarchy_of_another_screen(cast):
    for key, other in roles.OUT_OF_SYNC.items():
        assert cast[key].hierarchy == cast[other].drawn.hierarchy


def test_density_independent_units_only_change_the_numbers(cast):
    tree = cast["run/welcome"].drawn.tree
    in_pixels = Tree(tree.root, tree.activity_name, False, tree.places)
    assert Quirks().dp_units is False
    assert json.loads(hierarchy_json(in_pixels, 1))["activity"]["root"]["bounds"][2:] == [
        1440,
        2392,
    ]
