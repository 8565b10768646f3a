"""Draws screens: an endless, repeatable row of them, each with its hierarchy and questions."""

import dataclasses
import io
from collections.abc import Callable, Iterator
from typing import Any

from pipelines.sample.apps import APPS, App, sister_app
from pipelines.sample.choosing import Choices
from pipelines.sample.drawing import Page
from pipelines.sample.frames import system_bars
from pipelines.sample.hierarchies import BROWSER, RESOLVER, Quirks, Tree, build_tree, hierarchy_json
from pipelines.sample.layouts import (
    articles,
    details,
    forms,
    grids,
    lists,
    measures,
    moments,
    overlays,
    rosters,
    settings,
    talking,
    weather,
)
from pipelines.sample.views import ComplexQuestion, Element, Question

_DESIGNED_QUIRKS: dict[str, dict[str, Any]] = {
    "run/welcome": {"dp_units": True},
    "talk/chat": {"lone_surrogate": True},
    "mail/message": {"nul_character": True},
    "grocer/groceries": {"null_child": True},
}

Layout = Callable[[Page, Choices], None]

_MODULES = (
    articles,
    details,
    forms,
    grids,
    lists,
    measures,
    moments,
    overlays,
    rosters,
    settings,
    talking,
    weather,
)

DESIGNED_SCREENS = sum(len(app.layouts) for app in APPS)
"""Number of screens that the designed apps have; all further ones belong to their sisters."""

# Above all of RICO's ids, so that no drawn screen can be taken for a real one.
FIRST_ID = 90_000
_WIDE, _NARROW = 1080, 540


@dataclasses.dataclass(frozen=True, slots=True)
class ScreenPlan:
    """Which screen to draw: its id, its app, its layout, and the quirks of its hierarchy."""

    id: int
    app: App
    layout: str
    place_in_app: int
    width: int
    quirks: Quirks


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class DrawnScreen:
    """A drawn screen in the forms that the sources have, and what is known about it.

    `jpeg` and `hierarchy` are the bytes of `<id>.jpg` and `<id>.json`. The boxes of `elements`
    are in the 1440 x 2560 space; `bounds_px` turns them into pixels of the picture.
    """

    id: int
    app: App
    layout: str
    request_id: int
    width: int
    height: int
    jpeg: bytes
    hierarchy: bytes
    tree: Tree
    elements: tuple[Element, ...]
    questions: tuple[Question, ...]
    complex_questions: tuple[ComplexQuestion, ...]

    def bounds_px(self, element: Element) -> tuple[int, int, int, int]:
        """Returns left, top, right, bottom of a drawn element in pixels of the picture."""
        return self.tree.bounds_px(element, self.width)

    def vh_index(self, element: Element) -> int:
        """Returns the place of the element's view in the hierarchy, or -1 if it has none."""
        return self.tree.index_of(element)


def layout_key(app: App, layout: str) -> str:
    """Returns the short name of a designed screen, such as `mail/inbox`."""
    return f"{app.package.rpartition('.')[2]}/{layout}"


def layout_named(name: str) -> Layout:
    """Returns the function that draws the layout of this name."""
    for module in _MODULES:
        if name in vars(module):
            layout: Layout = vars(module)[name]
            return layout
    raise KeyError(f"no layout is called {name!r}")


def plan_screens(count: int, seed: str) -> Iterator[ScreenPlan]:
    """Yields the plans of `count` screens: those of the designed apps first, then of sisters."""
    screen_id = FIRST_ID
    for place, (app, layout, place_in_app) in enumerate(_endless_layouts(seed)):
        if place == count:
            return
        choices = Choices(seed, "plan", place)
        # Real ids are contiguous within an app, with some missing.
        screen_id += choices.number(2, 9) if place_in_app == 0 else choices.number(1, 2)
        width = _NARROW if choices.chance(31) else _WIDE
        foreign = BROWSER if layout == "web_article" else None
        if choices.chance(7):
            foreign = choices.pick((BROWSER, BROWSER, RESOLVER))
        quirks = Quirks(foreign_activity=foreign, null_child=choices.chance(20))
        if place < DESIGNED_SCREENS:
            designed = _DESIGNED_QUIRKS.get(layout_key(app, layout), {})
            quirks = dataclasses.replace(quirks, **designed)
        yield ScreenPlan(screen_id, app, layout, place_in_app, width, quirks)


def _endless_layouts(seed: str) -> Iterator[tuple[App, str, int]]:
    for app in APPS:
        for place, layout in enumerate(app.layouts):
            yield app, layout, place
    number = 0
    while True:
        app = sister_app(number, Choices(seed, "sister", number))
        for place, layout in enumerate(app.layouts):
            yield app, layout, place
        number += 1


def draw_screen(plan: ScreenPlan, seed: str) -> DrawnScreen:
    """Draws one planned screen. The same plan and seed give the same bytes."""
    choices = Choices(seed, "screen", plan.id)
    page = Page(width=plan.width, theme=plan.app.theme)
    clock = f"{choices.number(7, 22)}:{choices.number(0, 59):02d}"
    if not plan.layout.endswith("_dialog"):
        system_bars(page, clock)
    layout_named(plan.layout)(page, choices.child("content"))
    if plan.layout.endswith("_dialog"):
        # The phone's own bars stay bright in front of the dimmed page.
        system_bars(page, clock, bar="#3c3c3c")
    request_id = choices.number(1, 3400)
    tree = build_tree(page, plan.app.package, choices.child("hierarchy"), plan.quirks)
    # One quality would make every picture compress alike; real ones differ.
    jpeg = encode_jpeg(page, quality=choices.pick((82, 86, 90)))
    return DrawnScreen(
        id=plan.id,
        app=plan.app,
        layout=plan.layout,
        request_id=request_id,
        width=page.width,
        height=page.height,
        jpeg=jpeg,
        hierarchy=hierarchy_json(tree, request_id),
        tree=tree,
        elements=tuple(page.elements),
        questions=tuple(page.questions),
        complex_questions=tuple(page.complex_questions),
    )


def encode_jpeg(page: Page, *, quality: int) -> bytes:
    """Returns the page's picture as a JPEG file."""
    buffer = io.BytesIO()
    page.image.save(buffer, "JPEG", quality=quality)
    return buffer.getvalue()


def draw_screens(count: int, seed: str = "screenset") -> Iterator[DrawnScreen]:
    """Yields `count` different screens, drawn one at a time so that none is kept in memory."""
    for plan in plan_screens(count, seed):
        yield draw_screen(plan, seed)
