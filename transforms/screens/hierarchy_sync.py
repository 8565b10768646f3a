"""Whether a hierarchy's boxes lie where its picture shows the main content (ScreenQA 4.1).

The paper drops a screen whose main content has no box of its own (Fig. 4c), and keeps those
whose right boxes are merely accompanied by others: of what is hidden (4a), or of a menu that
slides in (4b). So it does not count how many boxes are wrong, but how much of the picture
has a right one. Two numbers say that, both read off a picture about 135 pixels wide:

- `founded`: the share of texts that fit their box. Strokes run through the middle of a right
  text box, and none across its upper and lower edge. Boxes of another screen mostly lie over
  nothing, or cut through texts (in 1 of 6 such boxes the strokes fit by chance, in 9 of 10
  right ones by rights).
- `covered`: the share of the picture's detail that lies under right boxes, which are those of
  fitting texts and of small things without text, such as icons. Detail under a large picture
  counts a quarter, since a photograph is full of detail that no text is missing from.
  Large boxes of any other kind cover nothing: the texts of a web page or a game have no
  box of their own.

score = covered × √founded. It is `covered` that tells Fig. 4c from 4a and 4b: the root lets
half of all texts miss their box before three tenths of the score are gone.
"""

import dataclasses
import enum
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy
from numpy.typing import NDArray
from rapidfuzz import fuzz, utils

from schemas.geometry import Bounds, Size, intersect
from schemas.manifest import PrefilterPolicy
from schemas.readings import NO_HIERARCHY, SyncEvidence, SyncFinding, SyncVerdict
from schemas.screens import ViewLeaf
from transforms.screens.hierarchies import Hierarchy, bounds_of, frame_width, walk

_STATUS_BAR, _NAVIGATION_BAR, _SHORT_SIDE = 84, 168, 1440
"""Heights of the system's bars on a device this wide; what they show is not the app's."""

_SMALL = 0.12
"""Share of the picture up to which a box is that of a thing, not of a surface."""

_CHARACTERS = 100
"""A larger text box is right only if its text is long: this many characters a full screen."""

_PICTURE_WEIGHT = 0.25
"""What detail under a large picture counts, beside other detail."""

_PICTURES = frozenset({"android.widget.ImageView", "android.view.TextureView"})

_FAINT_STROKE, _FULL_STROKE = 12, 64
_FAINT_DETAIL, _FULL_DETAIL = 24, 96
"""Grey levels between neighbours: fewer are noise or shadow, and more count no more."""

_EDGE_STROKES = 0.35
"""Strokes on a fitting box's upper and lower edge, at most, as a share of its fullest row."""

_LEAST_DETAIL = 0.25
"""Mean detail of a pixel below which a picture shows too little (a word in a corner: 0.2)."""

_MOST_PICTURES = 0.9
"""Share of detail under large pictures from which on the rest is too little."""

_LEAST_WINDOW = 0.2
"""Share of its root that a window has at least; a smaller one is a bar beside the content."""

_NEAR_PX = 12
_LIKE = 80.0
"""A text that was read is a leaf's within so many pixels, and from this likeness on (of 100)."""

_LEAST_LETTERS = 20
"""Fewer letters that were read settle nothing."""


def measure_sync(
    hierarchy: Hierarchy | None,
    grey: NDArray[numpy.uint8],
    size: Size,
    policy: PrefilterPolicy,
    evidence: Sequence[SyncEvidence] = (),
) -> SyncFinding:
    """Returns how well a hierarchy fits its picture.

    Where that is doubtful, what other data sets say of the screen decides: one that a list
    holds to be in sync is, and nodes that a person found to show nothing are left out
    before it is measured again.

    Args:
        hierarchy: None if the screen has none.
        grey: The picture upright, in grey, about 135 pixels wide (`images.reduced_grey`).
        size: Size of the picture as stored, upright.
        policy: Where verdicts turn.
        evidence: What other data sets say of this screen.

    Raises:
        RejectedRecordError: As `hierarchies.walk` and `hierarchies.frame_width` do.
    """
    if hierarchy is None:
        return NO_HIERARCHY
    scale = grey.shape[1] / frame_width(hierarchy, size)
    picture = _read_picture(grey, _window(hierarchy, scale, grey))
    leaves = list(_leaves(hierarchy, scale, grey.shape))
    finding = _judged(picture, leaves, policy)
    if finding.verdict is not SyncVerdict.UNDETERMINED or not evidence:
        return finding
    listed = [one.source for one in evidence if one.listed]
    if listed:
        said = f"{finding.evidence}; {listed[0]} lists it as in sync"
        return dataclasses.replace(finding, verdict=SyncVerdict.IN_SYNC, evidence=said)
    invalid = {node for one in evidence for node in one.invalid_nodes}
    valid = [leaf for leaf in leaves if leaf.pointer not in invalid]
    if len(valid) == len(leaves):
        return finding
    finding = _judged(picture, valid, policy)
    said = f"{finding.evidence}; {len(leaves) - len(valid)} of {len(leaves)} leaves show nothing"
    return dataclasses.replace(finding, evidence=said)


def is_doubtful(finding: SyncFinding, policy: PrefilterPolicy) -> bool:
    """Whether texts read off the picture would settle a finding.

    What is undetermined for another reason than its score has hardly a text to read, or has
    its texts in photographs, whose words need no box.
    """
    return (
        finding.verdict is SyncVerdict.UNDETERMINED
        and policy.out_of_sync_below <= finding.score < policy.in_sync_from
    )


def refine_sync(
    finding: SyncFinding,
    read: Sequence[tuple[str, Bounds]],
    leaves: Sequence[ViewLeaf],
    policy: PrefilterPolicy,
) -> SyncFinding:
    """Returns a doubtful finding settled by texts read off the picture, others as they are.

    The score becomes the share of letters that were read within the leaves' reach and that
    texts of the leaves around them say as well. Too few letters leave the doubt.

    Args:
        finding: What the picture alone says.
        read: Texts of the picture with their boxes (`ocr.read_texts`), in its pixels.
        leaves: Visible leaves of the hierarchy, in the same pixels.
        policy: Where verdicts turn.
    """
    if not is_doubtful(finding, policy) or not leaves:
        return finding
    # What lies outside of all leaves is another window's: a screen behind a dialog.
    reach = _hull([leaf.bounds for leaf in leaves])
    letters = confirmed = 0
    for text, box in read:
        wanted = utils.default_process(text)
        weight = sum(map(str.isalnum, wanted))
        if weight and 2 * intersect(box, reach).area > box.area:
            letters += weight
            confirmed += weight * _is_said(wanted, box, leaves)
    if letters < _LEAST_LETTERS:
        return finding
    score = round(confirmed / letters, 4)
    return dataclasses.replace(
        finding,
        verdict=_verdict(score, policy),
        score=score,
        evidence=f"{finding.evidence}; boxes hold {score:.0%} of the {letters} letters read",
    )


class _Role(enum.Enum):
    """What a leaf's box may hold."""

    TEXT = enum.auto()
    THING = enum.auto()
    PICTURE = enum.auto()


class _Leaf(NamedTuple):
    """A visible leaf that tells something, its edges in pixels of the reduced picture."""

    left: float
    top: float
    right: float
    bottom: float
    role: _Role
    pointer: str


class _Picture(NamedTuple):
    """What a reduced picture shows.

    `strokes[y, x]` sums the steps between neighbours left of column x in row y, `detail`
    holds the steps in both directions inside of `window` (left, top, right, bottom).
    """

    strokes: NDArray[numpy.int32]
    detail: NDArray[numpy.int32]
    window: tuple[int, int, int, int]


def _judged(picture: _Picture, leaves: Sequence[_Leaf], policy: PrefilterPolicy) -> SyncFinding:
    left, top, right, bottom = picture.window
    seen = [
        leaf
        for leaf in leaves
        if leaf.left < right and leaf.right > left and leaf.top < bottom and leaf.bottom > top
    ]
    texts = [leaf for leaf in seen if leaf.role is _Role.TEXT]
    fits = _fits(picture.strokes, texts)
    right_ones = [leaf for leaf, fit in zip(texts, fits, strict=True) if fit]
    founded = len(right_ones) / len(texts) if texts else 1.0
    right_ones += [leaf for leaf in seen if leaf.role is _Role.THING]
    total = int(picture.detail.sum())
    own, pictured = _shares(
        picture, right_ones, [leaf for leaf in seen if leaf.role is _Role.PICTURE]
    )
    weighed = total - (1 - _PICTURE_WEIGHT) * pictured
    covered = own / weighed if weighed else 0.0
    score = round(covered * math.sqrt(founded), 4)
    said = f"right boxes hold {covered:.0%} of the detail; {sum(fits)} of {len(texts)} texts fit"
    verdict = _verdict(score, policy)
    if total <= _LEAST_DETAIL * picture.detail.size:
        verdict, said = SyncVerdict.UNDETERMINED, "the picture shows too little"
    elif pictured >= _MOST_PICTURES * total:
        verdict, said = SyncVerdict.UNDETERMINED, "the screen is hardly more than pictures"
    return SyncFinding(verdict, score, round(covered, 4), round(founded, 4), said)


def _verdict(score: float, policy: PrefilterPolicy) -> SyncVerdict:
    if score >= policy.in_sync_from:
        return SyncVerdict.IN_SYNC
    if score < policy.out_of_sync_below:
        return SyncVerdict.OUT_OF_SYNC
    return SyncVerdict.UNDETERMINED


def _read_picture(grey: NDArray[numpy.uint8], window: tuple[int, int, int, int]) -> _Picture:
    height, width = grey.shape
    levels = grey.astype(numpy.int16)
    across = numpy.zeros((height, width), numpy.int16)
    numpy.abs(numpy.diff(levels, axis=1), out=across[:, :-1])
    strokes = numpy.zeros((height, width + 1), numpy.int32)
    counted = numpy.where(across < _FAINT_STROKE, 0, numpy.minimum(across, _FULL_STROKE))
    numpy.cumsum(counted, axis=1, out=strokes[:, 1:])
    left, top, right, bottom = window
    detail = across
    detail[:-1] += numpy.abs(numpy.diff(levels, axis=0))
    detail = detail[top:bottom, left:right]
    detail = numpy.where(detail < _FAINT_DETAIL, 0, numpy.minimum(detail, _FULL_DETAIL))
    return _Picture(strokes, detail.astype(numpy.int32), window)


def _fits(strokes: NDArray[numpy.int32], texts: Sequence[_Leaf]) -> NDArray[numpy.bool_]:
    """Returns of each text whether strokes fill its box without crossing its edges."""
    fits = numpy.zeros(len(texts), bool)
    if not texts:
        return fits
    height, width = strokes.shape[0], strokes.shape[1] - 1
    edges = numpy.array([leaf[:4] for leaf in texts])
    lefts = numpy.floor(edges[:, 0]).clip(0, width).astype(int)
    rights = numpy.ceil(edges[:, 2]).clip(0, width).astype(int)
    tops = numpy.floor(edges[:, 1] + 0.5).clip(0, height).astype(int)
    bottoms = numpy.floor(edges[:, 3] + 0.5).clip(0, height).astype(int)
    # A box of one row has no middle.
    tall = numpy.flatnonzero(bottoms - tops >= 2)
    if not len(tall):
        return fits
    lefts, rights, tops, heights = lefts[tall], rights[tall], tops[tall], (bottoms - tops)[tall]
    # All rows of all boxes, one box after the other.
    starts = numpy.cumsum(heights) - heights
    rows = numpy.arange(heights.sum()) + numpy.repeat(tops - starts, heights)
    sums = strokes[rows, numpy.repeat(rights, heights)]
    sums = sums - strokes[rows, numpy.repeat(lefts, heights)]
    fullest = numpy.maximum.reduceat(sums, starts)
    crossing = (sums[starts] + sums[starts + heights - 1]) / 2
    # One strong stroke, or two grey levels a column: less is the background's.
    inked = fullest >= numpy.minimum(_FULL_STROKE, 2 * (rights - lefts))
    fits[tall] = inked & (fullest > 0) & (crossing <= _EDGE_STROKES * fullest)
    return fits


def _shares(
    picture: _Picture, right_ones: Sequence[_Leaf], pictures: Sequence[_Leaf]
) -> tuple[int, int]:
    """Returns how much detail lies under right boxes, and how much else under pictures."""
    left, top = picture.window[:2]
    kinds = numpy.zeros(picture.detail.shape, numpy.int8)
    for kind, leaves in ((1, pictures), (2, right_ones)):
        for leaf in leaves:
            rows = slice(max(int(leaf.top) - top, 0), max(-int(-leaf.bottom // 1) - top, 0))
            columns = slice(max(int(leaf.left) - left, 0), max(-int(-leaf.right // 1) - left, 0))
            kinds[rows, columns] = kind
    return int(picture.detail[kinds == 2].sum()), int(picture.detail[kinds == 1].sum())


def _window(
    hierarchy: Hierarchy, scale: float, grey: NDArray[numpy.uint8]
) -> tuple[int, int, int, int]:
    """Returns the part of the picture that the hierarchy is about, without system bars.

    That is not always its root: a dialog's has a margin for its shadow, and a sheet at the
    bottom has the whole screen for a root, with one node in the other down to the sheet.
    Elsewhere, what a screen's nodes leave free may well be main content without boxes.
    """
    height, width = grey.shape
    unit = min(height, width) / _SHORT_SIDE
    bar = round(_NAVIGATION_BAR * unit)
    edges = Bounds(
        0,
        round(_STATUS_BAR * unit),
        width - bar * (width > height),
        height - bar * (width <= height),
    )
    root = hierarchy.root_bounds
    if root is None:
        return edges
    node, inner = hierarchy.root, [root]
    while len(inner) == 1:
        shown = [
            (child, box)
            for child in node.get("children") or ()
            if (box := _shown_bounds(child)) is not None
        ]
        if not shown:
            break
        node, inner = shown[0][0], [box for _, box in shown]
    hull = _hull(inner)
    is_dialog = (root.right - root.left) * scale < width - 1
    is_sheet = (hull.left, hull.right, hull.bottom) == (root.left, root.right, root.bottom)
    trimmed = (is_dialog or is_sheet) and hull.area >= _LEAST_WINDOW * root.area
    window = hull if trimmed else root
    found = intersect(Bounds(*(int(edge * scale) for edge in window)), edges)
    return found if found.area else edges


def _hull(boxes: Sequence[Bounds]) -> Bounds:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return Bounds(min(lefts), min(tops), max(rights), max(bottoms))


def _shown_bounds(node: Any) -> Bounds | None:
    """Returns a visible node's box in the hierarchy's units; None if it shows nothing."""
    if not isinstance(node, dict) or node.get("visible-to-user") is not True:
        return None
    bounds = bounds_of(node)
    return bounds if bounds is not None and bounds.area else None


def _leaves(hierarchy: Hierarchy, scale: float, shape: tuple[int, ...]) -> Iterator[_Leaf]:
    """Yields the visible leaves that a right box may be of."""
    height, width = shape
    for _, node, children in walk(hierarchy.root):
        if children or (bounds := _shown_bounds(node)) is None:
            continue
        left, right = max(bounds.left * scale, 0.0), min(bounds.right * scale, width)
        top, bottom = max(bounds.top * scale, 0.0), min(bounds.bottom * scale, height)
        if left >= right or top >= bottom:
            continue
        role = _role_of(node, (right - left) * (bottom - top) / (width * height))
        if role is not None:
            yield _Leaf(left, top, right, bottom, role, str(node.get("pointer")))


def _role_of(node: dict[str, Any], share: float) -> _Role | None:
    """Returns what a leaf that takes up some share of the picture is; None if it says nothing."""
    text = node.get("text")
    length = len(text.strip()) if isinstance(text, str) else 0
    if length and share <= max(_SMALL, length / _CHARACTERS):
        return _Role.TEXT
    if share <= _SMALL:
        return _Role.THING
    ancestors = node.get("ancestors")
    classes = [node.get("class"), *(ancestors if isinstance(ancestors, list) else ())]
    if any(name in _PICTURES for name in classes if isinstance(name, str)):
        return _Role.PICTURE
    return None


def _is_said(wanted: str, box: Bounds, leaves: Sequence[ViewLeaf]) -> bool:
    """Whether the texts of the leaves around a box say what was read in it."""
    grown = Bounds(
        box.left - _NEAR_PX, box.top - _NEAR_PX, box.right + _NEAR_PX, box.bottom + _NEAR_PX
    )
    near = [leaf.text for leaf in leaves if leaf.text and intersect(leaf.bounds, grown).area]
    said = utils.default_process(" ".join(near))
    # One line that was read is part of a longer text, or runs over several leaves.
    alike = fuzz.partial_ratio if len(said) >= len(wanted) else fuzz.ratio
    return bool(said) and alike(wanted, said) >= _LIKE
