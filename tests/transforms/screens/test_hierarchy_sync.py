"""Tests of telling whether a hierarchy's boxes lie where its picture shows the main content."""

import dataclasses
import io
import json

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from schemas.geometry import Bounds, Size
from schemas.manifest import ImagePolicy, PrefilterPolicy
from schemas.readings import NO_HIERARCHY, SyncEvidence, SyncFinding, SyncVerdict
from schemas.rejects import Reason, RejectedRecordError
from schemas.screens import ViewLeaf
from transforms.screens.hierarchies import parse_hierarchy
from transforms.screens.hierarchy_sync import is_doubtful, measure_sync, refine_sync
from transforms.screens.images import decode_image, reduced_grey, upright_pixels

POLICY = PrefilterPolicy(in_sync_from=0.6, out_of_sync_below=0.4)
SIZE = Size(1080, 1920)
IN, OUT, UNDETERMINED = (
    SyncVerdict.IN_SYNC,
    SyncVerdict.OUT_OF_SYNC,
    SyncVerdict.UNDETERMINED,
)
DEVICE = [0, 0, 1440, 2560]
LINES = [(100, 300 + 150 * number, 1200, 400 + 150 * number) for number in range(12)]
"""Boxes of twelve lines of text, in units of the device."""


def node(bounds=DEVICE, *children, visible=True, **more):
    found = {"bounds": list(bounds), "class": "android.view.View", "visible-to-user": visible}
    if children:
        found["children"] = list(children)
    return found | more


def text(bounds, said="What it says", **more):
    return node(bounds, text=said, **more)


def hierarchy(*leaves, root=DEVICE):
    return parse_hierarchy(json.dumps({"activity": {"root": node(root, *leaves)}}).encode())


def picture(*lines, ground=250, ink=20):
    """Returns a reduced picture with letters, in the middle of each box's height."""
    grey = numpy.full((240, 135), ground, numpy.uint8)
    for box in lines:
        left, top, right, bottom = (round(edge * 135 / 1440) for edge in box)
        third = (bottom - top) // 3
        grey[top + third : bottom - third, left + 1 : right - 1 : 2] = ink
    return grey


def measured(grey, *leaves, evidence=(), root=DEVICE):
    return measure_sync(hierarchy(*leaves, root=root), grey, SIZE, POLICY, evidence)


def moved(box, down):
    left, top, right, bottom = box
    return (left, top + down, right, bottom + down)


def test_texts_in_their_boxes_are_in_sync():
    found = measured(picture(*LINES), *map(text, LINES))
    said = "right boxes hold 100% of the detail; 12 of 12 texts fit"
    assert found == SyncFinding(IN, 1.0, 1.0, 1.0, said)


def test_without_a_hierarchy_there_is_nothing_to_be_in_sync_with():
    assert measure_sync(None, picture(*LINES), SIZE, POLICY) == NO_HIERARCHY


def test_main_content_without_boxes_is_out_of_sync():
    # Figure 4c: what has a box is irrelevant to the main content.
    found = measured(picture(*LINES), *map(text, LINES[:2]))
    assert (found.verdict, found.founded) == (OUT, 1.0)
    assert found.covered == pytest.approx(2 / 12, abs=0.03)


def test_boxes_over_nothing_are_out_of_sync():
    found = measured(picture(*LINES[:6]), *map(text, LINES[6:]))
    assert (found.verdict, found.score, found.founded) == (OUT, 0.0, 0.0)


def test_boxes_that_cut_through_texts_are_out_of_sync():
    found = measured(picture(*LINES), *(text(moved(box, 50)) for box in LINES))
    assert (found.verdict, found.score, found.founded) == (OUT, 0.0, 0.0)


def test_ghosting_is_in_sync():
    # Figure 4b: a menu that has gone has left its boxes behind.
    ghosts = [text((200, top, 900, top + 90)) for top in range(1300, 1750, 110)]
    found = measured(picture(*LINES[:6]), *map(text, LINES[:6]), *ghosts)
    assert (found.verdict, found.covered) == (IN, 1.0)
    assert found.founded == pytest.approx(6 / 11, abs=0.001)


def test_occlusion_is_in_sync():
    # Figure 4a: what a dialog hides has its boxes still, across the dialog's texts.
    hidden = [text(moved(box, 50)) for box in LINES[:4]]
    found = measured(picture(*LINES), *hidden, *map(text, LINES))
    assert (found.verdict, found.covered) == (IN, 1.0)


def test_no_visible_leaf_on_a_full_picture_is_out_of_sync():
    hidden = [text(box, visible=False) for box in LINES]
    assert measured(picture(*LINES), *hidden).verdict is OUT
    assert measure_sync(hierarchy(), picture(*LINES), SIZE, POLICY).verdict is OUT


@pytest.mark.parametrize("level", [0, 128, 255])
def test_an_empty_picture_tells_nothing(level):
    grey = numpy.full((240, 135), level, numpy.uint8)
    found = measured(grey, *map(text, LINES))
    assert (found.verdict, found.evidence) == (UNDETERMINED, "the picture shows too little")


def test_faint_shadows_are_no_detail():
    found = measured(picture(*LINES, ground=250, ink=245), *map(text, LINES))
    assert (found.verdict, found.covered, found.founded) == (UNDETERMINED, 0.0, 0.0)


@pytest.mark.parametrize(
    "surface",
    [
        node(**{"class": "android.webkit.WebView"}),
        node(**{"class": "android.view.SurfaceView"}),
        node(**{"content-desc": ["Page"]}),
        node(text="Page"),
    ],
)
def test_a_surface_is_no_box_of_its_texts(surface):
    assert measured(picture(*LINES), text(LINES[0]), surface).verdict is OUT


def test_a_long_text_may_fill_the_screen():
    found = measured(picture(*LINES), text((50, 200, 1400, 2300), "word " * 20))
    assert found.score == 1.0


@pytest.mark.parametrize(
    "known",
    [
        {"class": "android.widget.ImageView"},
        {"class": "a.b", "ancestors": ["android.widget.ImageView", "android.view.View"]},
        {"class": "a.b", "ancestors": ["android.view.TextureView"]},
    ],
)
def test_a_photograph_wants_no_text(known):
    photo = (0, 900, 1440, 2392)
    rest = LINES[:4]
    assert measured(picture(*LINES), *map(text, rest), node(photo, **known)).verdict is IN
    assert measured(picture(*LINES), *map(text, rest), node(photo)).verdict is OUT


def test_little_but_photographs_tells_nothing():
    photo = node((0, 84, 1440, 2392), **{"class": "android.widget.ImageView"})
    found = measured(picture(*LINES), photo)
    assert found.verdict is UNDETERMINED
    assert found.evidence == "the screen is hardly more than pictures"


def test_what_lies_around_a_dialog_is_not_its_own():
    dialog = (80, 900, 1360, 1700)
    inside = [box for box in LINES if box[1] >= 900 and box[3] <= 1700]
    found = measured(picture(*LINES), *map(text, inside), root=dialog)
    assert found.score == 1.0


def test_a_sheet_below_a_root_of_the_whole_screen_is_the_window():
    inside = [text(box) for box in LINES if box[1] >= 900]
    sheet = node((0, 900, 1440, 1500), *inside[:3]), node((0, 1500, 1440, 2392), *inside[3:])
    stub = node((0, 84, 0, 84))
    root = (0, 84, 1440, 2392)
    found = measured(picture(*LINES), stub, node(root, node(root, *sheet)), root=root)
    assert found.score == 1.0


@pytest.mark.parametrize("bar", [(0, 84, 1440, 500), (0, 1900, 1440, 2560)])
def test_what_the_nodes_of_a_screen_leave_free_is_main_content(bar):
    inside = [text(box) for box in LINES if bar[1] <= box[1] and box[3] <= bar[3]]
    assert len(inside) == 1
    assert measured(picture(*LINES), node(bar, *inside, text((10, 310, 60, 390)))).verdict is OUT


def test_system_bars_are_left_out():
    grey = picture(*LINES)
    grey[1:7, 10:120:2] = 20
    grey[226:238, 10:120:2] = 20
    assert measured(grey, *map(text, LINES)).score == 1.0


def test_a_landscape_picture_has_its_bar_at_the_side():
    grey = numpy.rot90(picture(*LINES)).copy()
    grey[:, -10::2] = 20
    # No line reads sideways, so that things are what has boxes here.
    boxes = [(top * 1, 1440 - right, bottom * 1, 1440 - left) for left, top, right, bottom in LINES]
    found = measure_sync(
        hierarchy(*map(node, boxes), root=(0, 0, 2560, 1440)), grey, Size(1920, 1080), POLICY
    )
    assert found.verdict is IN


def test_a_portrait_hierarchy_does_not_fit_a_landscape_picture():
    with pytest.raises(RejectedRecordError) as caught:
        measure_sync(hierarchy(), picture().T, Size(1920, 1080), POLICY)
    assert caught.value.reason is Reason.HIERARCHY_FRAME_MISMATCH


def test_a_window_in_dp_units_is_measured_in_its_own():
    scaled = [[round(edge * 411 / 1440) for edge in box] for box in LINES]
    found = measured(picture(*LINES), *map(text, scaled), root=[0, 0, 411, 731])
    assert found.verdict is IN


def test_the_result_hangs_on_no_scale():
    grey = numpy.kron(picture(*LINES), numpy.ones((2, 2), numpy.uint8))
    assert measured(grey, *map(text, LINES)).score == 1.0


@pytest.mark.parametrize(
    "bounds",
    [(1200, 400, 100, 300), (5, 5, 5, 5), (-900, -900, -10, -10), (2000, 9000, 2100, 9100), []],
)
def test_unusable_boxes_are_passed_over(bounds):
    right = measured(picture(*LINES), *map(text, LINES))
    assert measured(picture(*LINES), *map(text, LINES), text(bounds)) == right


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (2, 2), (3, 5)])
def test_tiny_pictures_tell_nothing(shape):
    grey = numpy.zeros(shape, numpy.uint8)
    assert measured(grey, *map(text, LINES)).verdict is UNDETERMINED


def test_a_root_without_a_box_is_no_hindrance():
    tree = parse_hierarchy(json.dumps({"children": [text(box) for box in LINES]}).encode())
    assert measure_sync(tree, picture(*LINES), SIZE, POLICY).score == 1.0


def doubtful(evidence=()):
    """A screen with texts in their boxes, as many without, and boxes over nothing."""
    right = [text(box, pointer=f"a{number}") for number, box in enumerate(LINES[:6])]
    ghosts = [
        text((1220, top, 1430, top + 40), pointer=f"b{number}")
        for number, top in enumerate(range(300, 600, 50))
    ]
    return measured(picture(*LINES[:8]), *right, *ghosts, evidence=evidence)


def said(invalid=(), listed=False):
    return SyncEvidence("7", "other", listed, tuple(invalid))


def test_a_score_between_the_bounds_is_doubtful():
    found = doubtful()
    assert found.verdict is UNDETERMINED
    assert POLICY.out_of_sync_below <= found.score < POLICY.in_sync_from
    assert doubtful([said()]) == found


def test_a_list_of_screens_in_sync_settles_doubt():
    found = doubtful([said(), said(listed=True)])
    assert (found.verdict, found.score) == (IN, doubtful().score)
    assert found.evidence.endswith("; other lists it as in sync")


def test_nodes_known_to_show_nothing_are_left_out_of_doubtful_screens():
    ghosts = [f"b{number}" for number in range(6)]
    found = doubtful([said(ghosts)])
    assert (found.verdict, found.founded) == (IN, 1.0)
    assert found.evidence.endswith("; 6 of 12 leaves show nothing")
    assert doubtful([said([f"a{number}" for number in range(6)])]).verdict is OUT
    assert doubtful([said(["elsewhere"])]) == doubtful()


def test_other_data_sets_change_nothing_where_there_is_no_doubt():
    nodes = [text(box, pointer=f"a{number}") for number, box in enumerate(LINES)]
    everything = said([f"a{number}" for number in range(12)])
    right = measured(picture(*LINES), *nodes)
    assert measured(picture(*LINES), *nodes, evidence=[everything]) == right
    wrong = measured(picture(*LINES), nodes[0])
    assert measured(picture(*LINES), nodes[0], evidence=[said(listed=True)]) == wrong


def test_a_pointer_of_any_kind_is_read():
    odd = [text(box, pointer=odd) for box, odd in zip(LINES, ([], {}, None, 7), strict=False)]
    assert measured(picture(*LINES[:8]), *odd, evidence=[said(["a"])]).verdict is UNDETERMINED


# What OCR adds.

FINDING = SyncFinding(UNDETERMINED, 0.5, 0.7, 0.5, "it may be")


def leaf(said, left, top, right, bottom):
    return ViewLeaf(
        0, said, "android.widget.TextView", None, False, Bounds(left, top, right, bottom)
    )


SETTINGS = [
    leaf("Notification sound", 40, 100, 600, 160),
    leaf("If you have problems,\nlet us know by our contact page", 40, 300, 1000, 420),
    leaf(None, 0, 0, 1080, 1920),
]


def refined(*read, leaves=SETTINGS, finding=FINDING):
    return refine_sync(finding, [(said, Bounds(*box)) for said, box in read], leaves, POLICY)


def test_texts_that_boxes_hold_are_in_sync():
    found = refined(
        ("Notificatlon sound", (50, 110, 590, 150)),
        ("lf you have problems, let us", (45, 305, 990, 350)),
        ("know by our contact page", (45, 360, 800, 410)),
    )
    said = "it may be; boxes hold 100% of the 59 letters read"
    assert found == SyncFinding(IN, 1.0, 0.7, 0.5, said)


def test_texts_that_no_box_holds_are_out_of_sync():
    found = refined(
        ("Proximity notifications", (50, 900, 590, 950)),
        ("Enable them to receive alerts", (50, 305, 990, 350)),
    )
    assert (found.verdict, found.score) == (OUT, 0.0)


def test_a_text_elsewhere_does_not_count():
    found = refined(("If you have problems, let us", (45, 1305, 990, 1350)))
    assert found.verdict is OUT


def test_one_line_may_run_over_several_leaves():
    leaves = [leaf("Watch it", 0, 0, 200, 50), leaf("Heat at Celtics", 200, 0, 600, 50)]
    found = refined(("Watch it Heat at Celtics", (5, 5, 590, 45)), leaves=leaves)
    assert found.verdict is IN


def test_a_short_text_is_not_found_in_a_long_line():
    leaves = [leaf("it", 0, 0, 600, 50)]
    found = refined(("Watch it, Heat at Celtics", (5, 5, 590, 45)), leaves=leaves)
    assert found.verdict is OUT


def test_what_lies_beyond_all_leaves_is_another_windows():
    leaves = SETTINGS[:2]
    behind = ("The screen behind the dialog says much", (0, 1500, 1080, 1560))
    found = refined(
        ("Notification sound", (50, 105, 590, 130)),
        ("sound", (50, 110, 590, 150)),
        behind,
        leaves=leaves,
    )
    assert (found.verdict, found.score) == (IN, 1.0)


@pytest.mark.parametrize("read", [[], [("Too few", (50, 110, 590, 150))], [("—·—", (0, 0, 9, 9))]])
def test_few_letters_leave_the_doubt(read):
    assert refined(*read) == FINDING


def test_without_leaves_there_is_nothing_to_compare():
    assert refined(("Enable them to receive alerts", (0, 0, 9, 9)), leaves=[]) == FINDING


@pytest.mark.parametrize(
    ("verdict", "score", "answer"),
    [
        (UNDETERMINED, 0.4, True),
        (UNDETERMINED, 0.5999, True),
        (UNDETERMINED, 0.6, False),
        (UNDETERMINED, 0.1, False),
        (IN, 0.5, False),
        (OUT, 0.5, False),
        (SyncVerdict.NOT_APPLICABLE, 0.0, False),
    ],
)
def test_only_scores_between_the_bounds_are_doubtful(verdict, score, answer):
    finding = dataclasses.replace(FINDING, verdict=verdict, score=score)
    assert is_doubtful(finding, POLICY) is answer
    found = refined(("Enable them to receive alerts", (50, 305, 990, 350)), finding=finding)
    assert (found != finding) is answer


# The pictures that it gets.


def saved(image, file_format, **options):
    buffer = io.BytesIO()
    image.save(buffer, file_format, **options)
    return buffer.getvalue()


@pytest.mark.parametrize("file_format", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("width", [1080, 540, 1440])
def test_pictures_of_every_format_come_down_to_one_width(file_format, width):
    image = Image.linear_gradient("L").resize((width, width * 16 // 9)).convert("RGB")
    grey = reduced_grey(decode_image(saved(image, file_format), ImagePolicy()))
    assert grey.dtype == numpy.uint8
    assert 135 <= grey.shape[1] < 270
    assert abs(grey.shape[0] * 9 - grey.shape[1] * 16) < 16 * 9
    assert grey[0].mean() < 10
    assert grey[-1].mean() > 245


@pytest.mark.parametrize("orientation", range(1, 9))
def test_pictures_come_upright(orientation):
    tags = Image.Exif()
    tags[0x0112] = orientation
    image = Image.linear_gradient("L").resize((300, 400)).convert("RGB")
    image.paste((255, 0, 0), (0, 0, 40, 120))
    data = saved(image, "PNG", exif=tags)
    decoded = decode_image(data, ImagePolicy())
    full = upright_pixels(data, decoded.facts)
    assert full.shape[:2] == (decoded.facts.size.height, decoded.facts.size.width)
    small = reduced_grey(decoded)
    expected = Image.fromarray(full).convert("L").resize(small.shape[::-1], Image.Resampling.BOX)
    assert numpy.abs(numpy.asarray(expected).astype(int) - small).mean() < 3


# Whatever comes.

edges = st.integers(-100, 3000)
any_boxes = st.tuples(edges, edges, edges, edges)
any_leaves = st.builds(
    node,
    any_boxes,
    visible=st.booleans(),
    text=st.sampled_from([None, "", " ", "OK", "secret " * 40, 7]),
    ancestors=st.sampled_from([None, [], ["android.widget.ImageView"], [None], "a"]),
    pointer=st.sampled_from(["a", "b", None]),
)
any_trees = st.recursive(
    any_leaves,
    lambda inner: st.builds(
        lambda bounds, children: node(bounds, *children),
        any_boxes,
        st.lists(inner, min_size=1, max_size=4),
    ),
    max_leaves=12,
)
any_greys = st.builds(
    lambda height, width, seed: numpy.random.default_rng(seed).integers(
        0, 256, (height, width), numpy.uint8
    ),
    st.integers(1, 60),
    st.integers(1, 40),
    st.integers(0, 99),
)


@given(any_trees, any_greys, st.sampled_from([(), (said(["a"]),), (said(listed=True),)]))
def test_whatever_comes_is_judged_alike_twice(tree, grey, evidence):
    found = [
        measure_sync(
            parse_hierarchy(json.dumps(tree).encode()), grey.copy(), SIZE, POLICY, evidence
        )
        for _ in range(2)
    ]
    assert found[0] == found[1]
    assert all(0 <= value <= 1 for value in (found[0].score, found[0].covered, found[0].founded))
    assert "secret" not in found[0].evidence
    assert len(found[0].evidence) < 120


@given(
    st.lists(st.tuples(st.text(), st.builds(Bounds, edges, edges, edges, edges))),
    st.lists(st.builds(leaf, st.none() | st.text(), edges, edges, edges, edges)),
)
def test_whatever_is_read_gives_a_score(read, leaves):
    found = refine_sync(FINDING, read, leaves, POLICY)
    assert 0 <= found.score <= 1
    assert found == refine_sync(FINDING, read, leaves, POLICY)
