"""The parts that most screens share: system bars, app bars, tabs, buttons, switches, pictures."""

from PIL import Image

from pipelines.sample.choosing import Choices
from pipelines.sample.drawing import Page, snap
from pipelines.sample.icons import rounded_mask
from pipelines.sample.views import (
    NAVIGATION_TOP,
    SPACE_HEIGHT,
    SPACE_WIDTH,
    STATUS_BAR,
    Box,
    Element,
    View,
)

BAR_BOTTOM = 280
MARGIN = 56
EDGE = SPACE_WIDTH - MARGIN

_DESCRIPTIONS = {
    "back": "Navigate up",
    "menu": "Open navigation drawer",
    "search": "Search",
    "more": "More options",
    "bag": "Basket",
    "heart": "Favorite",
    "share": "Share",
    "plus": "Add",
    "person": "Profile",
    "close": "Close",
}


def darker(colour: str, by: float = 0.78) -> str:
    """Returns a hexadecimal colour with less light in it."""
    return _rgb([round(value * by) for value in bytes.fromhex(colour[1:])])


def blend(colour: str, other: str, share: float) -> str:
    """Returns a hexadecimal colour, `share` of it coming from `other`."""
    pairs = zip(bytes.fromhex(colour[1:]), bytes.fromhex(other[1:]), strict=True)
    return _rgb([round(a + (b - a) * share) for a, b in pairs])


def _rgb(values: list[int]) -> str:
    return "#" + "".join(f"{value:02x}" for value in values)


def system_bars(page: Page, clock: str, *, bar: str | None = None) -> None:
    """Paints the phone's own bars. The app's hierarchy knows them as two empty backgrounds."""
    page.fill(Box(0, 0, SPACE_WIDTH, STATUS_BAR), bar or darker(page.theme.primary))
    page.text(SPACE_WIDTH - 48, 16, clock, size=44, colour="#ffffff", align="right", kind=None)
    page.fill(Box(1216, 24, 1232, 64), "#ffffff")
    page.fill(Box(1192, 36, 1208, 64), "#ffffff")
    page.fill(Box(1168, 48, 1184, 64), "#d0d0d0")
    page.fill(Box(0, NAVIGATION_TOP, SPACE_WIDTH, SPACE_HEIGHT), "#000000")
    page.polygon([(330, 2476), (382, 2446), (382, 2506)], "#e8e8e8")
    page.icon("ring", 688, 2440, size=72, colour="#e8e8e8")
    page.fill(Box(1064, 2448, 1120, 2504), "#e8e8e8")
    page.fill(Box(1072, 2456, 1112, 2496), "#000000")


def app_bar(page: Page, title: str, *, lead: str = "back", actions: tuple[str, ...] = ()) -> None:
    """Paints the coloured bar with the screen's title."""
    box = Box(0, STATUS_BAR, SPACE_WIDTH, BAR_BOTTOM)
    page.fill(box, page.theme.primary)
    with page.group("android.support.v7.widget.Toolbar", box, resource="toolbar"):
        icon_button(page, lead, 0, STATUS_BAR, colour=page.theme.on_primary)
        if title:
            page.text(
                232,
                144,
                title,
                size=70,
                colour=page.theme.on_primary,
                bold=True,
                limit=1100 - 160 * len(actions),
            )
        right = SPACE_WIDTH - 168 * len(actions)
        row = Box(right, STATUS_BAR, SPACE_WIDTH, BAR_BOTTOM)
        with page.group("android.support.v7.widget.ActionMenuView", row) as menu:
            # Without actions the menu has no width, which real hierarchies call not visible.
            menu.on_screen = bool(actions)
            for place, action in enumerate(actions):
                icon_button(
                    page,
                    action,
                    right + 168 * place,
                    STATUS_BAR,
                    width=168,
                    colour=page.theme.on_primary,
                )


def icon_button(
    page: Page,
    name: str,
    left: int,
    top: int,
    *,
    width: int = 196,
    height: int = 196,
    size: int = 80,
    colour: str,
) -> View:
    """Paints an icon in the middle of a clickable view."""
    page.icon(
        name, left + (width - size) // 2, top + (height - size) // 2, size=size, colour=colour
    )
    return page.leaf(
        "ImageButton",
        Box(left, top, left + width, top + height),
        description=_DESCRIPTIONS.get(name),
        clickable=True,
    )


def tabs(page: Page, items: tuple[tuple[str, str], ...], *, selected: int) -> None:
    """Paints the bar at the bottom: an icon and a label for each place one can go to."""
    box = Box(0, 2192, SPACE_WIDTH, NAVIGATION_TOP)
    page.fill(box, page.theme.card)
    page.fill(Box(0, 2184, SPACE_WIDTH, 2192), page.theme.line)
    width = SPACE_WIDTH // len(items)
    with page.group("android.widget.LinearLayout", box, resource="tabs"):
        for place, (icon, label) in enumerate(items):
            colour = page.theme.primary if place == selected else page.theme.faint
            middle = place * width + width // 2
            tab = Box(place * width, box.top, (place + 1) * width, box.bottom)
            with page.group("android.widget.FrameLayout", tab, clickable=True) as view:
                view.selected = place == selected
                picture = page.icon(icon, middle - 40, 2216, size=80, colour=colour)
                page.leaf("ImageView", picture)
                page.text(middle, 2312, label, size=42, colour=colour, align="centre")


def button(
    page: Page, box: Box, label: str, *, colour: str | None = None, ink: str | None = None
) -> Element:
    """Paints a button; the box of its view is the whole button."""
    page.rounded(box, colour or page.theme.accent, radius=16)
    line = page.text(
        (box.left + box.right) // 2,
        box.top + (box.height - 70) // 2,
        label,
        size=54,
        colour=ink or page.theme.on_primary,
        align="centre",
        bold=True,
        kind=None,
    )
    view = page.leaf("Button", box, text=line.text, clickable=True)
    return page.mark(line.text, view)


def switch(page: Page, right: int, middle: int, *, on: bool) -> Element:
    """Paints a switch and returns it as an element that says on or off."""
    box = Box(right - 160, snap(middle - 48), right, snap(middle - 48) + 96)
    track = blend(page.theme.accent, page.theme.page, 0.5) if on else "#b8bcc2"
    page.rounded(Box(box.left + 8, box.top + 20, box.right - 8, box.bottom - 20), track, radius=28)
    knob = box.right - 88 if on else box.left
    page.icon("disc", knob, box.top + 4, size=88, colour=page.theme.accent if on else "#f4f4f4")
    view = page.leaf("Switch", box, text="ON" if on else "OFF", clickable=True)
    return page.mark("on" if on else "off", view)


def field(
    page: Page, top: int, label: str, value: str, *, resource: str, hidden: bool = False
) -> Element:
    """Paints a labelled field of a form and returns its value."""
    page.text(MARGIN, top, label, size=44, colour=page.theme.faint)
    shown = "*" * 9 if hidden else value
    line = page.text(MARGIN, top + 72, shown, size=62, kind=None)
    box = Box(MARGIN, top + 56, EDGE, top + 168)
    page.fill(Box(MARGIN, top + 160, EDGE, top + 168), blend(page.theme.faint, "#ffffff", 0.4))
    # A password leaves no text in a hierarchy.
    view = page.leaf(
        "EditText", box, text="" if hidden else value, hint=label, resource=resource, clickable=True
    )
    return page.mark(line.text, view)


def divider(page: Page, top: int, *, left: int = 0) -> None:
    """Paints the thin line between two rows."""
    page.fill(Box(left, top, SPACE_WIDTH, top + 4), page.theme.line)


def tile(page: Page, box: Box, icon: str, colour: str, *, radius: int = 24) -> None:
    """Paints a square picture of a thing: its icon on a soft background."""
    page.rounded(box, blend(colour, "#ffffff", 0.72), radius=radius)
    size = min(box.width, box.height) * 5 // 9
    page.icon(
        icon,
        (box.left + box.right - size) // 2,
        (box.top + box.bottom - size) // 2,
        size=size,
        colour=colour,
    )
    page.leaf("ImageView", box, resource="image")


def scenery(page: Page, box: Box, choices: Choices, *, radius: int = 0) -> None:
    """Paints an invented landscape: a sky, a sun and some hills."""
    skies = (
        ("#fbd3a0", "#7db7e8"),
        ("#f7a8a0", "#6c5b9e"),
        ("#cfeaf2", "#4f9ac4"),
        ("#ffe9b8", "#e58e5d"),
        ("#d5e8c8", "#5fa0a8"),
        ("#c9c4ef", "#33407a"),
    )
    low, high = choices.pick(skies)
    left, top, right, bottom = page.px_box(box)
    width, height = right - left, bottom - top
    shade = Image.linear_gradient("L").resize((1, height)).resize((width, height))
    art = Page(width=page.width, theme=page.theme)
    art.image.paste(high, (0, 0, width, height))
    art.image.paste(low, (0, 0), shade)
    sun = choices.number(box.height // 6, box.height // 4)
    art.icon(
        "disc",
        choices.number(0, max(1, box.width - sun)),
        box.height // 8,
        size=sun,
        colour=blend(low, "#ffffff", 0.6),
    )
    for layer in range(3):
        base = box.height * (55 + 14 * layer) // 100
        rise = box.height // 6
        points = [(box.width * step / 4, base - choices.number(0, rise)) for step in range(5)]
        hill = blend(
            darker(high, 0.8), choices.pick(("#2d5a3d", "#3c4f76", "#6b4a5e")), 0.3 + 0.22 * layer
        )
        art.polygon([*points, (box.width, box.height), (0, box.height)], hill)
    painted = art.image.crop((0, 0, width, height))
    page.image.paste(painted, (left, top), rounded_mask(width, height, page.px(radius)))
