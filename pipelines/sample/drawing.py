"""A page to draw on: every shape goes into the picture, every view into the hierarchy."""

import contextlib
import dataclasses
import math
from collections.abc import Iterator
from typing import Literal

from PIL import Image, ImageDraw

from pipelines.sample.icons import icon_mask, rounded_mask
from pipelines.sample.lettering import Lettering
from pipelines.sample.views import (
    SPACE_HEIGHT,
    SPACE_WIDTH,
    Box,
    ComplexQuestion,
    Element,
    Question,
    View,
)

# Edges snap to this many units, which are whole pixels in both picture sizes (6 and 3), so that
# a box means exactly the same in the hierarchy and in the picture.
GRID = 8

Align = Literal["left", "centre", "right"]


@dataclasses.dataclass(frozen=True, slots=True)
class Theme:
    """Colours of an app, as hexadecimal RGB."""

    primary: str
    accent: str
    page: str = "#fafafa"
    card: str = "#ffffff"
    ink: str = "#212529"
    faint: str = "#70757a"
    line: str = "#e3e5e8"
    on_primary: str = "#ffffff"


def snap(value: float) -> int:
    """Returns the first multiple of the grid that is not below `value`."""
    return math.ceil(value / GRID) * GRID


class Page:
    """A phone screen under construction. All lengths are units of the 1440 x 2560 space."""

    def __init__(self, *, width: int, theme: Theme) -> None:
        self.theme = theme
        self.width = width
        self.height = width * SPACE_HEIGHT // SPACE_WIDTH
        self.image = Image.new("RGB", (width, self.height), theme.page)
        self._draw = ImageDraw.Draw(self.image)
        self.root = View("FrameLayout", Box(0, 0, SPACE_WIDTH, SPACE_HEIGHT))
        self.is_dialog = False
        self._parents = [self.root]
        self.elements: list[Element] = []
        self.questions: list[Question] = []
        self.complex_questions: list[ComplexQuestion] = []

    # Shapes: seen in the picture only.

    def px(self, length: float) -> int:
        """Returns a length in pixels of the picture."""
        return round(length * self.width / SPACE_WIDTH)

    def px_box(self, box: Box) -> tuple[int, int, int, int]:
        """Returns a box in pixels of the picture."""
        return self.px(box.left), self.px(box.top), self.px(box.right), self.px(box.bottom)

    def fill(self, box: Box, colour: str) -> None:
        """Paints a rectangle."""
        self.image.paste(colour, self.px_box(box))

    def rounded(self, box: Box, colour: str, *, radius: int = 24) -> None:
        """Paints a rectangle with round corners."""
        left, top, right, bottom = self.px_box(box)
        # A radius of more than half a side would fold over.
        fitting = min(self.px(radius), (right - left) // 2, (bottom - top) // 2)
        mask = rounded_mask(right - left, bottom - top, fitting)
        self.image.paste(colour, (left, top), mask)

    def icon(self, name: str, left: int, top: int, *, size: int = 84, colour: str) -> Box:
        """Paints an icon and returns its box."""
        self.image.paste(
            colour, (self.px(left), self.px(top)), icon_mask(name, max(1, self.px(size)))
        )
        return Box(left, top, left + size, top + size)

    def stroke(self, points: list[tuple[float, float]], colour: str, *, width: float) -> None:
        """Paints a line through points."""
        self._draw.line(
            [(self.px(x), self.px(y)) for x, y in points],
            fill=colour,
            width=max(1, self.px(width)),
            joint="curve",
        )

    def polygon(self, points: list[tuple[float, float]], colour: str) -> None:
        """Paints a filled outline."""
        self._draw.polygon([(self.px(x), self.px(y)) for x, y in points], fill=colour)

    def dim(self) -> None:
        """Darkens all that was painted so far, as a dialog does with the page behind it."""
        self.image = self.image.point(lambda value: value * 0.42)
        self._draw = ImageDraw.Draw(self.image)

    # Views: known to the hierarchy.

    @contextlib.contextmanager
    def group(
        self,
        kind: str,
        box: Box,
        *,
        resource: str | None = None,
        clickable: bool = False,
        scrolls: bool = False,
    ) -> Iterator[View]:
        """Makes a layout view; the views made meanwhile become its children."""
        view = View(kind, box, resource=resource, clickable=clickable, scrolls=scrolls)
        self._parents[-1].children.append(view)
        self._parents.append(view)
        yield view
        self._parents.pop()

    def leaf(
        self,
        kind: str,
        box: Box,
        *,
        text: str | None = None,
        description: str | None = None,
        hint: str | None = None,
        resource: str | None = None,
        clickable: bool = False,
        selected: bool = False,
    ) -> View:
        """Makes a view without children."""
        view = View(
            kind,
            box,
            text=text,
            description=description,
            hint=hint,
            resource=resource,
            clickable=clickable,
            selected=selected,
        )
        self._parents[-1].children.append(view)
        return view

    def open_dialog(self, box: Box) -> None:
        """Starts the window of a dialog: the views made so far leave the hierarchy."""
        self.dim()
        self.is_dialog = True
        self.root = View("FrameLayout", box)
        self._parents = [self.root]

    # Text: both.

    def text(
        self,
        x: int,
        y: int,
        words: str,
        *,
        size: int = 56,
        colour: str | None = None,
        align: Align = "left",
        bold: bool = False,
        limit: int | None = None,
        kind: str | None = "TextView",
        resource: str | None = None,
        clickable: bool = False,
    ) -> Element:
        """Writes one line and returns where it stands.

        Args:
            x: Left edge, middle or right edge of the line, as `align` says.
            y: Top edge of the line.
            words: What to write; cut with an ellipsis where it is longer than `limit`.
            size: Height of the font.
            colour: Hexadecimal RGB; the theme's ink if left out.
            align: Which part of the line `x` gives.
            bold: Whether strokes are thicker.
            limit: The most width that the line may take.
            kind: Class of the view; `None` paints text that the hierarchy does not know.
            resource: Name in the view's resource id.
            clickable: Whether the view is clickable.
        """
        letters = self._lettering(size)
        words = letters.fitting(words, limit)
        width = snap(letters.length(words))
        left = snap({"left": x, "centre": x - width // 2, "right": x - width}[align])
        box = Box(left, snap(y), left + width, snap(y) + snap(size * 1.25))
        self._write(box.left, box.top, words, letters, colour, bold=bold)
        view = None
        if kind is not None:
            view = self.leaf(kind, box, text=words, resource=resource, clickable=clickable)
        return self._remember(Element(words, box, view, size))

    def paragraph(
        self,
        x: int,
        y: int,
        width: int,
        words: str,
        *,
        size: int = 56,
        colour: str | None = None,
        kind: str | None = "TextView",
        resource: str | None = None,
        spacing: float = 1.4,
    ) -> Element:
        """Writes text over as many lines as it needs; one view holds all of it."""
        letters = self._lettering(size)
        lines = letters.wrapped(words, width)
        step = snap(size * spacing)
        for number, line in enumerate(lines):
            self._write(snap(x), snap(y) + number * step, line, letters, colour, bold=False)
        widest = snap(max(letters.length(line) for line in lines))
        bottom = snap(y) + (len(lines) - 1) * step + snap(size * 1.25)
        box = Box(snap(x), snap(y), snap(x) + widest, bottom)
        view = self.leaf(kind, box, text=words, resource=resource) if kind is not None else None
        return self._remember(Element(words, box, view, size))

    def part(self, whole: Element, fragment: str) -> Element:
        """Returns a fragment of a one-line text as an element of its own, without a view."""
        letters = self._lettering(whole.size)
        start = whole.text.index(fragment)
        left = whole.box.left + snap(letters.length(whole.text[:start])) - GRID
        right = whole.box.left + snap(letters.length(whole.text[: start + len(fragment)]))
        box = Box(max(left, whole.box.left), whole.box.top, right, whole.box.bottom)
        return self._remember(Element(fragment, box, None, whole.size))

    def mark(self, words: str, view: View) -> Element:
        """Returns a drawn view without text of its own, such as a switch, as an element."""
        return self._remember(Element(words, view.box, view))

    # Questions.

    def ask(
        self,
        question: str,
        full_answer: str,
        *short_answers: str,
        at: Element | tuple[Element, ...],
    ) -> None:
        """Notes a question that the elements `at` answer, in reading order."""
        elements = at if isinstance(at, tuple) else (at,)
        self.questions.append(Question(question, full_answer, short_answers, elements))

    def ask_absent(self, question: str) -> None:
        """Notes a question that this screen does not answer."""
        self.questions.append(Question(question, "", (), ()))

    def ask_complex(self, question: str, *answers: str) -> None:
        """Notes a question that needs counting or comparing."""
        self.complex_questions.append(ComplexQuestion(question, answers))

    def _remember(self, element: Element) -> Element:
        self.elements.append(element)
        return element

    def _lettering(self, size: int) -> Lettering:
        return Lettering(self.px(size), SPACE_WIDTH / self.width)

    def _write(
        self, x: int, y: int, words: str, letters: Lettering, colour: str | None, *, bold: bool
    ) -> None:
        self._draw.text(
            (self.px(x), self.px(y)),
            words,
            font=letters.font,
            fill=colour or self.theme.ink,
            stroke_width=self.width / 2160 if bold else 0,
        )
