"""Charts as inline SVG that follows the page's colours, the same bytes for the same numbers.

matplotlib draws in colours that stand for a role. `_cleaned` then turns its style attributes,
which our content security policy would refuse, into plain ones and the colours into classes.
"""

import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Sequence
from typing import Any

_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_INCHES = 5.0, 2.75
"""At 72 units an inch, 360 units wide: as wide as a phone, so that its text keeps its size."""
_ROLES = {
    "#111111": "ink",
    "#222222": "soft",
    "#333333": "line",
    "#444444": "bar",
    "#555555": "accent",
    "#666666": "second",
}
_INK, _SOFT, _LINE, _BAR, _ACCENT, _SECOND = _ROLES
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "screenset",
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "text.color": _INK,
    "text.parse_math": False,
    "axes.edgecolor": _LINE,
    "axes.labelcolor": _SOFT,
    "axes.labelsize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.axisbelow": True,
    "xtick.color": _SOFT,
    "ytick.color": _SOFT,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "grid.color": _LINE,
    "grid.linewidth": 0.7,
    "path.simplify": False,
}
_ATTRIBUTES = frozenset(
    (
        "stroke-width",
        "stroke-dasharray",
        "stroke-linecap",
        "stroke-linejoin",
        "text-anchor",
        "opacity",
        "fill-opacity",
        "font-size",
    )
)


def histogram(name: str, values: Sequence[str], counts: Sequence[int], label: str) -> str:
    """Returns upright bars, one a value, with what the values are under them.

    Args:
        name: What sets the drawing's ids apart from those of others on the page.
        values: What is under each bar.
        counts: How high each is; also written above it while there are few.
        label: What the values are.
    """

    def draw(axes: Any) -> None:
        bars = axes.bar(range(len(values)), counts, color=_BAR, width=0.78)
        axes.set_xticks(range(len(values)), values)
        if len(values) > 24:
            axes.set_xticks(axes.get_xticks()[:: -(-len(values) // 12)])
        axes.set_xlabel(label)
        axes.yaxis.set_visible(False)
        if len(values) <= 10:
            axes.bar_label(bars, [f"{count:,}" for count in counts], padding=2, fontsize=9)

    return _drawn(name, _INCHES, draw)


def ranking(name: str, values: Sequence[str], shares: Sequence[float], digits: int = 1) -> str:
    """Returns lying bars, one a value, the first on top, with its share in percent."""

    def draw(axes: Any) -> None:
        bars = axes.barh(range(len(values)), shares, color=_BAR, height=0.72)
        axes.set_yticks(range(len(values)), values)
        axes.tick_params(axis="y", labelcolor=_INK)
        axes.invert_yaxis()
        axes.xaxis.set_visible(False)
        axes.spines["bottom"].set_visible(False)
        axes.bar_label(bars, [f"{share:.{digits}%}" for share in shares], padding=3, fontsize=9)
        axes.margins(x=0.16, y=0.02)

    return _drawn(name, (_INCHES[0], 0.6 + 0.27 * len(values)), draw)


def against_target(
    name: str, values: Sequence[str], shares: Sequence[float], target: float, said: str
) -> str:
    """Returns lying bars with a line at `target` that all of them are held against.

    Args:
        name: As in `histogram`.
        values: Name of each bar.
        shares: 0 to 1.
        target: 0 to 1.
        said: What the line is called.
    """

    def draw(axes: Any) -> None:
        axes.barh(range(len(values)), shares, color=_BAR, height=0.6)
        axes.set_yticks(range(len(values)), values)
        axes.tick_params(axis="y", labelcolor=_INK)
        axes.invert_yaxis()
        axes.xaxis.set_visible(False)
        axes.spines["bottom"].set_visible(False)
        longest = max(*shares, target)
        for place, share in enumerate(shares):
            beyond = max(share, target) + longest * 0.02  # Else the line runs through it.
            axes.text(beyond, place, f"{share:.2%}", fontsize=9, va="center")
        axes.axvline(target, color=_SECOND, linewidth=1.4, linestyle=(0, (4, 2)))
        axes.set_xlim(0, longest * 1.22)
        axes.text(target, -0.62, said, color=_SECOND, fontsize=9, ha="center", va="bottom")

    return _drawn(name, (_INCHES[0], 0.75 + 0.42 * len(values)), draw)


def _drawn(name: str, inches: tuple[float, float], draw: Callable[[Any], None]) -> str:
    # Without pyplot, which keeps figures and asks for a display.
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_SETTINGS):
        figure = Figure(figsize=inches, layout="constrained")
        FigureCanvasSVG(figure)
        figure.patch.set_visible(False)
        axes = figure.add_subplot()
        axes.patch.set_visible(False)
        draw(axes)
        buffer = io.BytesIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(buffer, format="svg", metadata=nothing)
    return _cleaned(buffer.getvalue(), name)


def _cleaned(svg: bytes, name: str) -> str:
    """Returns a drawing of matplotlib's as markup that can stand inside our pages."""
    ET.register_namespace("", _SVG)
    ET.register_namespace("xlink", _XLINK)
    root = ET.fromstring(svg)  # matplotlib's own, from numbers and words of ours.
    _drop(root, {f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"})
    used = set(_references(root))
    for element in root.iter():
        _plain_style(element)
        _own_ids(element, name, used)
    root.attrib = {
        "viewBox": root.attrib["viewBox"],
        "class": "chart",
        "aria-hidden": "true",
        "focusable": "false",
    }
    return ET.tostring(root, encoding="unicode")


def _drop(parent: ET.Element, tags: set[str]) -> None:
    for child in list(parent):
        if child.tag in tags:
            parent.remove(child)
        else:
            _drop(child, tags)


def _references(root: ET.Element) -> Iterator[str]:
    for element in root.iter():
        for value in element.attrib.values():
            yield from re.findall(r"#([\w-]+)", value)


def _plain_style(element: ET.Element) -> None:
    """Turns a style into attributes and classes; fonts are the page's."""
    classes = []
    declarations = element.attrib.pop("style", "").split(";")
    for key, _, value in (part.partition(":") for part in declarations if part.strip()):
        key, value = key.strip(), value.strip()
        if key in ("fill", "stroke"):
            classes.append(f"{key}-{_ROLES.get(value, 'none')}")
        elif key == "font":
            size = re.search(r"([\d.]+)px", value)
            element.set("font-size", size[1] if size else "10")
        elif key in _ATTRIBUTES:
            element.set(key, value)
    if element.tag == f"{{{_SVG}}}text" and not any(c.startswith("fill") for c in classes):
        classes.append("fill-ink")
    if classes:
        element.set("class", " ".join(classes))


def _own_ids(element: ET.Element, name: str, used: set[str]) -> None:
    """Drops ids that nothing refers to, and puts the drawing's name before the others."""
    own = element.attrib.pop("id", None)
    if own in used:
        element.set("id", f"{name}-{own}")
    for key, value in element.attrib.items():
        if "#" in value:
            element.set(key, re.sub(r"#([\w-]+)", rf"#{name}-\1", value))
