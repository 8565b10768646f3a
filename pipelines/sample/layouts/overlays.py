"""Screens with something in front of the page: dialogs and the keyboard."""

from pipelines.sample import stocks
from pipelines.sample.choosing import Choices
from pipelines.sample.drawing import Page
from pipelines.sample.frames import MARGIN, divider
from pipelines.sample.layouts.grids import dishes
from pipelines.sample.layouts.lists import groceries
from pipelines.sample.views import NAVIGATION_TOP, SPACE_WIDTH, STATUS_BAR, Box, Element

KEYBOARD_TOP = 1560


def keyboard(page: Page) -> None:
    """Paints the keyboard. It is another app's window: the hierarchy knows none of it."""
    page.fill(Box(0, KEYBOARD_TOP, SPACE_WIDTH, NAVIGATION_TOP), "#eceff1")
    rows = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
    for number, row in enumerate(rows):
        left = (SPACE_WIDTH - 144 * len(row)) // 2
        for place, key in enumerate(row):
            page.text(
                left + 144 * place + 72,
                KEYBOARD_TOP + 56 + 208 * number,
                key,
                size=72,
                align="centre",
                colour="#37474f",
                kind=None,
            )
    page.rounded(Box(320, 2216, 1120, 2336), "#ffffff", radius=16)
    page.text(88, 2240, "?123", size=56, colour="#37474f", kind=None)
    page.icon("search", 1256, 2232, size=88, colour="#37474f")


def _search(page: Page, typed: str, found: list[tuple[str, str]]) -> tuple[Element, list[Element]]:
    page.fill(Box(0, STATUS_BAR, SPACE_WIDTH, 280), page.theme.card)
    page.icon("back", 56, 144, size=80, colour=page.theme.faint)
    page.leaf("ImageButton", Box(0, 84, 196, 280), description="Navigate up", clickable=True)
    entry = page.text(232, 144, typed, size=66, kind="EditText", resource="search_text")
    page.fill(Box(entry.box.right + 8, 136, entry.box.right + 16, 232), page.theme.accent)
    divider(page, 280)
    lines = []
    with page.group(
        "android.widget.ListView", Box(0, 288, SPACE_WIDTH, KEYBOARD_TOP), resource="results"
    ):
        for place, (name, detail) in enumerate(found[:5]):
            top = 320 + 240 * place
            page.icon(
                "clock" if place < 2 else "search",
                MARGIN,
                top + 56,
                size=72,
                colour=page.theme.faint,
            )
            lines.append(page.text(192, top + 16, name, size=60, resource="result"))
            lines.append(
                page.text(
                    192, top + 104, detail, size=48, colour=page.theme.faint, resource="detail"
                )
            )
    keyboard(page)
    page.ask(
        "What is entered in the search field?",
        f'"{typed}" is entered.',
        typed,
        f'"{typed}"',
        at=entry,
    )
    page.ask_complex("How many suggestions are shown?", str(len(lines) // 2))
    return entry, lines


def grocery_search(page: Page, choices: Choices) -> None:
    """Draws a search in a shop with the keyboard open."""
    found = [
        (name, f"{kind} for ${choices.number(1, 12)}.{choices.number(10, 99)}")
        for name, kind in choices.several(stocks.GROCERIES, 5)
    ]
    typed = found[0][0].split()[0].lower()[: choices.number(2, 4)]
    _, lines = _search(page, typed, found)
    for name, detail in (lines[0:2], lines[2:4]):
        price = detail.text.split(" for ")[1]
        page.ask(
            f'How much does "{name.text}" cost?',
            f"It costs {price}.",
            price,
            price[1:] + " dollars",
            at=page.part(detail, price),
        )
    page.ask_absent("How many items are in the basket?")


def station_search(page: Page, choices: Choices) -> None:
    """Draws a search for a station with the keyboard open."""
    found = []
    for name in choices.several(stocks.STATIONS, 5):
        distance = f"{choices.number(1, 24)}.{choices.number(0, 9)} km"
        found.append((name, f"{choices.pick(stocks.STREETS)}, {distance}"))
    typed = found[0][0].lower()[: choices.number(2, 5)].strip()
    _, lines = _search(page, typed, found)
    for station, detail in (lines[0:2], lines[2:4]):
        far = detail.text.split(", ")[1]
        page.ask(
            f"How far is {station.text}?",
            f"{station.text} is {far} away.",
            far,
            at=page.part(detail, far),
        )
    page.ask_absent("When does the next train leave?")


def _dialog(page: Page, title: str, body: str, buttons: tuple[str, str]) -> tuple[Element, Element]:
    box = Box(120, 872, 1320, 1664)
    page.questions.clear()
    page.complex_questions.clear()
    page.open_dialog(box)
    page.rounded(box, page.theme.card, radius=24)
    heading = page.text(200, 944, title, size=76, bold=True, resource="alertTitle", limit=1040)
    text = page.paragraph(
        200, 1096, 1040, body, size=58, colour=page.theme.faint, resource="message"
    )
    right = 1256
    for label in reversed(buttons):
        line = page.text(
            right,
            1520,
            label,
            size=56,
            align="right",
            colour=page.theme.accent,
            bold=True,
            kind="Button",
            clickable=True,
        )
        right = line.box.left - 96
    return heading, text


def grocery_dialog(page: Page, choices: Choices) -> None:
    """Draws a question in front of a shop's list; the hierarchy holds the dialog alone."""
    groceries(page, choices.child("behind"))
    minutes = choices.number(2, 9) * 10
    fee = f"${choices.number(1, 6)}.{choices.pick((50, 95))}"
    heading, text = _dialog(
        page,
        "Deliver today?",
        f"The next van reaches {choices.pick(stocks.TOWNS)} in {minutes} minutes. "
        f"Delivery costs {fee}.",
        ("LATER", "DELIVER"),
    )
    page.ask(
        "How much does the delivery cost?",
        f"The delivery costs {fee}.",
        fee,
        fee[1:] + " dollars",
        at=text,
    )
    page.ask(
        "In how many minutes does the van come?",
        f"It comes in {minutes} minutes.",
        str(minutes),
        f"{minutes} minutes",
        at=text,
    )
    page.ask(
        "What is the title of the dialog?",
        f'The title is "{heading.text}"',
        heading.text,
        at=heading,
    )
    page.ask_absent("What is the name of the driver?")
    page.ask_complex("How many buttons does the dialog have?", "2", "two")


def rating_dialog(page: Page, choices: Choices) -> None:
    """Draws a request for a rating in front of pictures of dishes."""
    dishes(page, choices.child("behind"))
    dish, _ = choices.pick(stocks.DISHES)
    people = choices.number(12, 890)
    heading, text = _dialog(
        page,
        "How was it?",
        f"You cooked {dish.lower()} {choices.number(2, 6)} days ago. "
        f"{people} people have rated it so far.",
        ("NOT NOW", "RATE IT"),
    )
    for star in range(5):
        page.icon("star", 200 + 112 * star, 1384, size=88, colour="#d8dade")
    page.leaf("RatingBar", Box(200, 1384, 736, 1472), resource="rating")
    page.ask(
        "How many people have rated the dish?",
        f"{people} people have rated it.",
        str(people),
        f"{people} people",
        at=text,
    )
    page.ask("Which dish should be rated?", f"{dish} should be rated.", dish.lower(), at=text)
    page.ask(
        "What is the title of the dialog?",
        f'The title is "{heading.text}"',
        heading.text,
        at=heading,
    )
    page.ask_absent("What is the average rating?")
    page.ask_complex("How many stars can be given at most?", "5", "five")
