"""Screens about one thing: a product, a recipe, a mail, a person."""

from pipelines.sample import stocks
from pipelines.sample.choosing import Choices
from pipelines.sample.drawing import Page
from pipelines.sample.frames import (
    EDGE,
    MARGIN,
    app_bar,
    blend,
    button,
    divider,
    icon_button,
    scenery,
)
from pipelines.sample.views import SPACE_WIDTH, STATUS_BAR, Box


def _hero(page: Page, choices: Choices, bottom: int) -> None:
    """Draws a picture from the status bar down to `bottom`, with a way back on it."""
    box = Box(0, STATUS_BAR, SPACE_WIDTH, bottom)
    scenery(page, box, choices)
    page.leaf("ImageView", box, resource="hero", description="Photo")
    icon_button(page, "back", 0, STATUS_BAR, colour="#ffffff")
    icon_button(page, "heart", SPACE_WIDTH - 196, STATUS_BAR, colour="#ffffff")


def product(page: Page, choices: Choices) -> None:
    """Draws one product with its price, rating and description."""
    _hero(page, choices, 1040)
    name = choices.pick(
        (
            "Canvas day bag",
            "Clay teapot",
            "Folding stool",
            "Wool blanket",
            "Brass reading lamp",
            "Picnic basket",
            "Oak serving board",
        )
    )
    title = page.text(MARGIN, 1096, name, size=84, bold=True, resource="name")
    price = page.text(
        EDGE,
        1096,
        f"${choices.number(12, 140)}.{choices.pick(('00', '50', '95'))}",
        size=84,
        align="right",
        colour=page.theme.accent,
        bold=True,
        resource="price",
    )
    for star in range(5):
        page.icon("star", MARGIN + 64 * star, 1232, size=56, colour="#f2a900")
    stars = f"{choices.number(3, 4)}.{choices.number(0, 9)}"
    reviews = page.text(
        400,
        1232,
        f"{stars} ({choices.number(12, 940)} reviews)",
        size=50,
        colour=page.theme.faint,
        resource="reviews",
    )
    divider(page, 1336)
    page.text(MARGIN, 1376, "Description", size=58, bold=True)
    page.paragraph(
        MARGIN,
        1464,
        1320,
        f"Made by hand in {choices.pick(stocks.TOWNS)}. "
        + choices.pick(
            (
                "Wipe clean with a damp cloth.",
                "Comes in a cotton sleeve.",
                "Two years of guarantee.",
                "Small marks are part of the work.",
            )
        )
        + " Every piece is checked twice before it leaves the shop.",
        size=54,
        colour=page.theme.faint,
    )
    stock = page.text(
        MARGIN, 1744, f"Only {choices.number(2, 19)} left in stock", size=54, colour="#c0392b"
    )
    box = page.text(MARGIN, 1840, f"Ships in {choices.number(1, 9)} days", size=54)
    button(page, Box(MARGIN, 2136, EDGE, 2312), "ADD TO BASKET")
    count = reviews.text.split("(")[1].split()[0]
    page.ask(
        f"What is the price of the {name.lower()}?",
        f"The price is {price.text}.",
        price.text,
        price.text[1:] + " dollars",
        at=price,
    )
    page.ask(
        "How many reviews are there?",
        f"There are {count} reviews.",
        count,
        f"{count} reviews",
        at=page.part(reviews, count),
    )
    page.ask("What is the name of the product?", f"The product is called {name}.", name, at=title)
    page.ask(
        "How many pieces are left in stock?",
        f"{stock.text.split()[1]} pieces are left.",
        stock.text.split()[1],
        at=page.part(stock, stock.text.split()[1]),
    )
    page.ask(
        "In how many days does it ship?",
        f"It ships in {box.text.split()[2]} days.",
        " ".join(box.text.split()[2:]),
        box.text.split()[2],
        at=box,
    )
    page.ask_absent("What is the weight of the product?")
    page.ask_complex("How many words are there in the name of the product?", str(len(name.split())))


def recipe(page: Page, choices: Choices) -> None:
    """Draws a recipe: picture, times, ingredients with boxes to tick."""
    _hero(page, choices, 800)
    dish, course = choices.pick(stocks.DISHES)
    page.text(MARGIN, 840, dish, size=88, bold=True, resource="dish")
    page.text(MARGIN, 960, course, size=52, colour=page.theme.accent)
    page.icon("clock", MARGIN, 1064, size=64, colour=page.theme.faint)
    time = page.text(144, 1064, f"{choices.number(3, 18) * 5} min", size=54)
    page.icon("person", 480, 1064, size=64, colour=page.theme.faint)
    serves = page.text(568, 1064, f"{choices.number(2, 8)} servings", size=54)
    energy = page.text(EDGE, 1064, f"{choices.number(18, 76) * 10} kcal", size=54, align="right")
    divider(page, 1176)
    page.text(MARGIN, 1208, "Ingredients", size=62, bold=True)
    lines = []
    for place, thing in enumerate(choices.several(stocks.INGREDIENTS, 7)):
        top = 1320 + 144 * place
        amount = choices.pick(("2 cups", "1 tbsp", "3", "200 g", "1 tsp", "500 ml"))
        page.rounded(Box(MARGIN, top, MARGIN + 64, top + 64), page.theme.faint, radius=8)
        page.fill(Box(MARGIN + 8, top + 8, MARGIN + 56, top + 56), page.theme.page)
        line = page.text(168, top, f"{amount} {thing}", size=56, kind="CheckBox", clickable=True)
        lines.append((amount, thing, line))
    page.ask(
        "How long does the recipe take?",
        f"It takes {time.text}.",
        time.text,
        time.text.replace("min", "minutes"),
        at=time,
    )
    page.ask(
        "How many servings does the recipe make?",
        f"It makes {serves.text}.",
        serves.text.split()[0],
        serves.text,
        at=serves,
    )
    page.ask(
        "How many calories are there?",
        f"There are {energy.text}.",
        energy.text,
        energy.text.split()[0],
        at=energy,
    )
    for amount, thing, line in lines[:2]:
        page.ask(
            f"What is the required amount of {thing}?",
            f"{amount} of {thing}.",
            amount,
            at=page.part(line, amount),
        )
    page.ask_absent("Who is the author of the recipe?")
    page.ask_complex("How many ingredients are listed?", str(len(lines)))


def message(page: Page, choices: Choices) -> None:
    """Draws one mail."""
    app_bar(page, "", actions=("mail", "more"))
    subject = page.paragraph(
        MARGIN, 328, 1320, choices.pick(stocks.SUBJECTS), size=76, resource="subject"
    )
    top = subject.box.bottom + 56
    page.icon("disc", MARGIN, top, size=144, colour=page.theme.primary)
    person = choices.pick(stocks.PEOPLE)
    page.text(128, top + 32, person[0], size=72, align="centre", colour="#ffffff", kind=None)
    sender = page.text(240, top, person, size=58, bold=True, resource="sender")
    address = page.text(
        240,
        top + 80,
        f"{person.split()[0].lower()}@mail.example",
        size=46,
        colour=page.theme.faint,
        resource="address",
    )
    time = page.text(
        EDGE,
        top,
        f"{choices.number(7, 21)}:{choices.number(10, 59)}",
        size=48,
        colour=page.theme.faint,
        align="right",
    )
    y = top + 224
    for words in choices.several(stocks.LINES, 5):
        y = page.paragraph(MARGIN, y, 1320, words, size=58).box.bottom + 40
    page.text(MARGIN, y, f"Best, {person.split()[0]}", size=58)
    button(page, Box(MARGIN, 2168, 680, 2328), "REPLY", colour=page.theme.primary)
    button(page, Box(760, 2168, EDGE, 2328), "FORWARD", colour=page.theme.faint)
    page.ask("Who sent the message?", f"The message was sent by {person}.", person, at=sender)
    page.ask(
        "What is the email address of the sender?",
        f"It is {address.text}.",
        address.text,
        at=address,
    )
    page.ask("What is the subject?", f'The subject is "{subject.text}".', subject.text, at=subject)
    page.ask("At what time did the message come?", f"It came at {time.text}.", time.text, at=time)
    page.ask_absent("How many attachments are there?")


def profile(page: Page, choices: Choices) -> None:
    """Draws a person's page with three counters."""
    cover = Box(0, STATUS_BAR, SPACE_WIDTH, 616)
    scenery(page, cover, choices)
    page.leaf("ImageView", cover, resource="cover")
    icon_button(page, "back", 0, STATUS_BAR, colour="#ffffff")
    page.icon("disc", 544, 440, size=352, colour=page.theme.page)
    page.icon("disc", 560, 456, size=320, colour=blend(page.theme.accent, "#ffffff", 0.3))
    page.icon("person", 616, 504, size=208, colour="#ffffff")
    page.leaf("ImageView", Box(560, 456, 880, 776), resource="avatar", description="Avatar")
    person = choices.pick(stocks.PEOPLE)
    name = page.text(720, 832, person, size=84, align="centre", bold=True, resource="name")
    town = page.text(
        720,
        952,
        choices.pick(stocks.TOWNS),
        size=54,
        align="centre",
        colour=page.theme.faint,
        resource="town",
    )
    counters = []
    for place, label in enumerate(("Posts", "Followers", "Following")):
        middle = 248 + 472 * place
        value = page.text(
            middle,
            1072,
            f"{choices.number(3, 4999):,}",
            size=72,
            align="centre",
            bold=True,
            resource="count",
        )
        page.text(middle, 1168, label, size=48, align="centre", colour=page.theme.faint)
        counters.append((label, value))
    button(page, Box(160, 1288, 696, 1440), "FOLLOW")
    button(page, Box(744, 1288, 1280, 1440), "MESSAGE", colour=page.theme.primary)
    divider(page, 1496)
    page.text(MARGIN, 1536, "About", size=60, bold=True)
    page.paragraph(
        MARGIN,
        1632,
        1320,
        " ".join(
            choices.several(
                (
                    "Walks, soup and old maps.",
                    "I repair bicycles.",
                    "Mother of two.",
                    "Mostly photographs.",
                    "Ask me about bread.",
                ),
                2,
            )
        ),
        size=56,
    )
    since = page.text(
        MARGIN, 1800, f"Member since {choices.number(2009, 2016)}", size=54, colour=page.theme.faint
    )
    year = since.text.split()[-1]
    for label, value in counters[:2]:
        page.ask(
            f"How many {label.lower()} are there?",
            f"There are {value.text} {label.lower()}.",
            value.text,
            f"{value.text} {label.lower()}",
            at=value,
        )
    page.ask("What is the name of the user?", f"The name of the user is {person}.", person, at=name)
    page.ask("Where does the user live?", f"The user lives in {town.text}.", town.text, at=town)
    page.ask(
        "Since which year has the user been a member?",
        f"Since {year}.",
        year,
        at=page.part(since, year),
    )
    page.ask_absent("What is the phone number of the user?")
