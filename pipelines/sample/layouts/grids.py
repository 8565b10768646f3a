"""Screens of cards and covers: front pages, albums, books, dishes."""

from collections.abc import Sequence

from pipelines.sample import stocks
from pipelines.sample.choosing import Choices
from pipelines.sample.drawing import Page
from pipelines.sample.frames import BAR_BOTTOM, app_bar, blend, scenery
from pipelines.sample.views import NAVIGATION_TOP, SPACE_WIDTH, Box, Element


def headlines(page: Page, choices: Choices) -> None:
    """Draws a front page: cards with a picture and a headline."""
    app_bar(page, "Today", lead="menu", actions=("search",))
    cards = []
    for place, words in enumerate(choices.several(stocks.HEADLINES, 3)):
        top = 328 + 688 * place
        card = Box(40, top, 1400, top + 648)
        page.rounded(card, page.theme.line, radius=24)
        page.rounded(card.inset(4), page.theme.card, radius=24)
        with page.group("android.support.v7.widget.CardView", card, clickable=True):
            scenery(page, Box(48, top + 8, 1392, top + 400), choices.child(place), radius=24)
            page.leaf("ImageView", Box(48, top + 8, 1392, top + 400), resource="photo")
            title = page.text(88, top + 432, words, size=60, limit=1240, resource="headline")
            hours = page.text(
                88,
                top + 536,
                f"{choices.number(1, 23)} hours ago",
                size=46,
                colour=page.theme.faint,
            )
            cards.append((title, hours))
    for title, hours in cards[:2]:
        page.ask(
            f'When was "{title.text}" published?',
            f"It was published {hours.text}.",
            hours.text,
            at=hours,
        )
    page.ask(
        "What is the first headline?",
        f'The first headline is "{cards[0][0].text}".',
        cards[0][0].text,
        at=cards[0][0],
    )
    page.ask_absent("What is the weather forecast?")
    page.ask_complex("How many articles are shown?", str(len(cards)))


def _grid(
    page: Page, choices: Choices, title: str, things: Sequence[tuple[str, str]], icon: str
) -> list[tuple[Element, Element]]:
    app_bar(page, title, lead="menu", actions=("search", "more"))
    drawn = []
    area = Box(0, BAR_BOTTOM, SPACE_WIDTH, NAVIGATION_TOP)
    covers = ("#c8553d", "#2a9d8f", "#e0a030", "#6a4c93", "#3d7ea6", "#7a9e3f", "#b5566b")
    with page.group("android.widget.GridView", area, resource="grid", scrolls=True):
        for place, (name, maker) in enumerate(things[:6]):
            left, top = 56 + place % 2 * 688, 336 + place // 2 * 680
            cell = Box(left, top, left + 640, top + 640)
            with page.group("android.widget.LinearLayout", cell, clickable=True):
                cover = Box(left, top, left + 640, top + 440)
                colour = choices.pick(covers)
                page.rounded(cover, colour, radius=24)
                page.icon(
                    icon, left + 200, top + 96, size=240, colour=blend(colour, "#ffffff", 0.55)
                )
                page.leaf("ImageView", cover, resource="cover", description=name)
                label = page.text(left + 8, top + 464, name, size=54, limit=624, resource="name")
                below = page.text(
                    left + 8,
                    top + 544,
                    maker,
                    size=46,
                    colour=page.theme.faint,
                    limit=624,
                    resource="maker",
                )
                drawn.append((label, below))
    page.ask_complex("How many items are in the grid?", str(len(drawn)))
    return drawn


def albums(page: Page, choices: Choices) -> None:
    """Draws the covers of albums."""
    things = [(name, choices.pick(stocks.BANDS)) for name in choices.several(stocks.SONGS, 6)]
    for name, maker in _grid(page, choices, "Albums", things, "disc")[:3]:
        page.ask(
            f'Who is the artist of "{name.text}"?',
            f"The artist is {maker.text}.",
            maker.text,
            at=maker,
        )
    page.ask_absent("How many albums have been downloaded?")


def books(page: Page, choices: Choices) -> None:
    """Draws the covers of books."""
    things = [(name, choices.pick(stocks.PEOPLE)) for name in choices.several(stocks.BOOKS, 6)]
    for name, maker in _grid(page, choices, "My shelf", things, "book")[:3]:
        page.ask(
            f'Who wrote "{name.text}"?',
            f'"{name.text}" was written by {maker.text}.',
            maker.text,
            at=maker,
        )
    page.ask_absent("Which book was read last?")


def dishes(page: Page, choices: Choices) -> None:
    """Draws the pictures of dishes."""
    things = [
        (name, f"{choices.number(2, 16) * 5} min | {course}")
        for name, course in choices.several(stocks.DISHES, 6)
    ]
    for name, below in _grid(page, choices, "Recipes", things, "cup")[:3]:
        minutes = below.text.split(" | ")[0]
        page.ask(
            f'How long does "{name.text}" take?',
            f"It takes {minutes}.",
            minutes,
            minutes.replace("min", "minutes"),
            at=page.part(below, minutes),
        )
    page.ask_absent("How many recipes are saved?")
