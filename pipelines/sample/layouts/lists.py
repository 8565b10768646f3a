"""Lists made of rows, and those that sell something: goods, plants, nights."""

import dataclasses
from collections.abc import Sequence

from pipelines.sample import stocks
from pipelines.sample.choosing import Choices
from pipelines.sample.drawing import Page
from pipelines.sample.frames import BAR_BOTTOM, EDGE, MARGIN, app_bar, divider, tile
from pipelines.sample.views import NAVIGATION_TOP, SPACE_WIDTH, Box, Element

_ICON_COLOURS = ("#c8553d", "#2a9d8f", "#e0a030", "#6a4c93", "#3d7ea6", "#7a9e3f", "#b5566b")


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """What one row of a list says; an empty text is not drawn."""

    title: str
    subtitle: str
    value: str
    note: str = ""
    icon: str = "leaf"


@dataclasses.dataclass(frozen=True, slots=True)
class DrawnRow:
    """Where the texts of a row were drawn."""

    title: Element
    subtitle: Element
    value: Element
    note: Element | None


def rows_list(
    page: Page,
    rows: Sequence[Row],
    *,
    top: int = BAR_BOTTOM,
    height: int = 264,
    bottom: int = NAVIGATION_TOP,
    tiles: bool = True,
) -> list[DrawnRow]:
    """Draws as many rows as fit between `top` and `bottom`."""
    drawn = []
    box = Box(0, top, SPACE_WIDTH, bottom)
    with page.group("android.widget.ListView", box, resource="list", scrolls=True):
        for place, row in enumerate(rows[: (bottom - top) // height]):
            drawn.append(_row(page, row, top + place * height, height, place, tiles))
    return drawn


def _row(page: Page, row: Row, top: int, height: int, place: int, tiles: bool) -> DrawnRow:
    left = MARGIN
    box = Box(0, top, SPACE_WIDTH, top + height)
    with page.group("android.widget.RelativeLayout", box, clickable=True):
        if tiles:
            size = height - 72
            colour = _ICON_COLOURS[(place + len(row.title)) % len(_ICON_COLOURS)]
            tile(page, Box(left, top + 36, left + size, top + 36 + size), row.icon, colour)
            left += size + 48
        middle = top + height // 2
        value = page.text(
            EDGE,
            middle - (72 if row.note else 36),
            row.value,
            size=58,
            align="right",
            colour=page.theme.primary if page.theme.page != "#1b1626" else None,
            bold=True,
            resource="value",
        )
        limit = value.box.left - left - 48
        title = page.text(left, middle - 80, row.title, size=60, limit=limit, resource="title")
        subtitle = page.text(
            left,
            middle + 8,
            row.subtitle,
            size=48,
            colour=page.theme.faint,
            limit=limit,
            resource="subtitle",
        )
        note = None
        if row.note:
            note = page.text(
                EDGE,
                middle + 12,
                row.note,
                size=46,
                align="right",
                colour=page.theme.faint,
                resource="note",
            )
    divider(page, top + height - 4, left=left)
    return DrawnRow(title, subtitle, value, note)


def money(choices: Choices, low: int, high: int) -> str:
    """Returns a price in dollars from `low` to just under `high` + 1."""
    return f"${choices.number(low, high)}.{choices.pick((0, 25, 49, 50, 75, 90, 99)):02d}"


def _rating(choices: Choices) -> str:
    return f"{choices.number(3, 4)}.{choices.number(1, 9)}"


def priced_list(
    page: Page,
    choices: Choices,
    *,
    title: str,
    stock: Sequence[tuple[str, str]],
    icons: Sequence[str],
    low: int,
    high: int,
) -> None:
    """Draws things with a price and a rating, and asks about them."""
    app_bar(page, title, lead="menu", actions=("search", "bag"))
    rows = [
        Row(name, kind, money(choices, low, high), f"{_rating(choices)} stars", choices.pick(icons))
        for name, kind in choices.several(stock, 8)
    ]
    drawn = rows_list(page, rows)
    for row in choices.several(drawn, 3):
        name, price = row.title.text, row.value.text
        page.ask(
            f'What is the price of "{name}"?',
            f'The price of "{name}" is {price}.',
            price,
            price[1:] + " dollars",
            at=row.value,
        )
        if row.note is not None:
            stars = row.note.text.split()[0]
            page.ask(
                f'What is the rating of "{name}"?',
                f'"{name}" is rated {stars} stars.',
                stars,
                f"{stars} stars",
                at=page.part(row.note, stars),
            )
    page.ask_absent("What is the delivery fee?")
    page.ask_complex("How many items are shown in the list?", str(len(drawn)))
    dearest = max(drawn, key=lambda row: float(row.value.text[1:]))
    page.ask_complex("Which item has the highest price?", dearest.title.text)


def groceries(page: Page, choices: Choices) -> None:
    """Draws the goods of a shop."""
    aisle = choices.pick(("Fresh today", "Pantry", "Breakfast", "On offer"))
    priced_list(
        page,
        choices,
        title=aisle,
        stock=stocks.GROCERIES,
        icons=("bag", "cup", "leaf"),
        low=1,
        high=14,
    )


def plants(page: Page, choices: Choices) -> None:
    """Draws the plants of a nursery."""
    priced_list(
        page, choices, title="Plants", stock=stocks.PLANTS, icons=("leaf", "drop"), low=5, high=60
    )


def stays(page: Page, choices: Choices) -> None:
    """Draws places to spend a night."""
    priced_list(
        page,
        choices,
        title=f"Stays in {choices.pick(stocks.TOWNS)}",
        stock=stocks.STAYS,
        icons=("home", "pin", "star"),
        low=45,
        high=320,
    )
