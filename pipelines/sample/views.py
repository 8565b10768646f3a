"""What a screen is made of before it is written down: boxes, views, text elements, questions."""

import dataclasses
from collections.abc import Iterator
from typing import NamedTuple

SPACE_WIDTH = 1440
SPACE_HEIGHT = 2560
STATUS_BAR = 84
NAVIGATION_TOP = 2392


class Box(NamedTuple):
    """Edges in the 1440 x 2560 space of RICO's hierarchies; right and bottom are exclusive."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """Distance from left to right, in units of the 1440 x 2560 space."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """Distance from top to bottom, in units of the 1440 x 2560 space."""
        return self.bottom - self.top

    def inset(self, by: int) -> "Box":
        """Returns the box with every edge moved `by` units inwards."""
        return Box(self.left + by, self.top + by, self.right - by, self.bottom - by)


@dataclasses.dataclass(slots=True, eq=False)
class View:
    """One node of a view hierarchy. `None` stands for the null children of real files."""

    kind: str
    box: Box
    text: str | None = None
    description: str | None = None
    hint: str | None = None
    resource: str | None = None
    clickable: bool = False
    selected: bool = False
    scrolls: bool = False
    on_screen: bool = True
    visibility: str = "visible"
    children: "list[View | None]" = dataclasses.field(default_factory=list)

    def walk(self) -> "Iterator[View]":
        """Yields this view and all below it, parents before children, nulls left out."""
        waiting: list[View | None] = [self]
        while waiting:
            view = waiting.pop()
            if view is not None:
                yield view
                waiting.extend(reversed(view.children))


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Element:
    """A piece of text (or a switch) that was drawn, and the view that stands for it, if any.

    `size` is the height of its font in units of the 1440 x 2560 space, 0 where there is none.
    """

    text: str
    box: Box
    view: View | None
    size: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Question:
    """A question that the drawn screen answers; without elements, it does not."""

    text: str
    full_answer: str
    short_answers: tuple[str, ...]
    elements: tuple[Element, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class ComplexQuestion:
    """A question that needs counting or comparing, with the ways to say its answer."""

    text: str
    answers: tuple[str, ...]
