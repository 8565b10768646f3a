"""Lists of other things than goods: mails, payments, departures, songs, scores, lessons."""

from pipelines.sample import stocks
from pipelines.sample.choosing import Choices
from pipelines.sample.drawing import Page
from pipelines.sample.frames import (
    EDGE,
    MARGIN,
    app_bar,
)
from pipelines.sample.layouts.lists import Row, money, rows_list
from pipelines.sample.views import Box


def inbox(page: Page, choices: Choices) -> None:
    """Draws a list of mails."""
    unread = choices.number(2, 48)
    app_bar(page, f"Inbox ({unread})", lead="menu", actions=("search", "more"))
    people = choices.several(stocks.PEOPLE, 8)
    subjects = choices.several(stocks.SUBJECTS, 8)
    hours = sorted((choices.number(60, 700) for _ in people), reverse=True)
    rows = [
        Row(person, subject, f"{minutes // 60}:{minutes % 60:02d}", icon="person")
        for person, subject, minutes in zip(people, subjects, hours, strict=True)
    ]
    drawn = rows_list(page, rows)
    for row in drawn[1:4]:
        name = row.title.text.split()[0]
        page.ask(
            f"What is the subject of the message from {name}?",
            f'The subject of the message from {name} is "{row.subtitle.text}".',
            row.subtitle.text,
            f'"{row.subtitle.text}"',
            at=row.subtitle,
        )
        page.ask(
            f"When was the message from {row.title.text} received?",
            f"It was received at {row.value.text}.",
            row.value.text,
            at=row.value,
        )
    page.ask_absent("What is the email address of the account?")
    page.ask_complex("How many messages are visible?", str(len(drawn)))


def transactions(page: Page, choices: Choices) -> None:
    """Draws an account: its balance on a card, then the last payments."""
    app_bar(
        page, choices.pick(("Main account", "Savings", "Household")), lead="menu", actions=("bell",)
    )
    card = Box(MARGIN, 336, EDGE, 720)
    page.rounded(card, page.theme.primary, radius=40)
    with page.group("android.support.v7.widget.CardView", card, resource="balance_card"):
        page.text(120, 392, "Available balance", size=50, colour="#d5e6e8")
        balance = page.text(
            120,
            464,
            money(choices, 800, 9800),
            size=112,
            colour="#ffffff",
            bold=True,
            resource="balance",
        )
        # The card's number is part of a picture: no view knows it.
        number = page.text(
            120, 624, f"**** {choices.number(1000, 9999)}", size=50, colour="#d5e6e8", kind=None
        )
    page.text(MARGIN, 760, "Recent payments", size=54, bold=True)
    rows = [
        Row(
            choices.pick(
                (
                    "Rent",
                    "Groceries",
                    "Train ticket",
                    "Bookshop",
                    "Cinema",
                    "Salary",
                    "Phone bill",
                    "Gift",
                    "Bakery",
                )
            )
            + f" no. {choices.number(10, 99)}",
            f"{choices.number(1, 28)} {choices.pick(stocks.MONTHS)}",
            ("-" if choices.chance(80) else "+") + money(choices, 3, 400),
            icon="flag",
        )
        for _ in range(7)
    ]
    drawn = rows_list(page, rows, top=848, height=216)
    page.ask(
        "What is the available balance?",
        f"The available balance is {balance.text}.",
        balance.text,
        at=balance,
    )
    page.ask(
        "What are the last four digits of the card?",
        f"The last four digits are {number.text[5:]}.",
        number.text[5:],
        at=number,
    )
    for row in drawn[:2]:
        page.ask(
            f'How much was the payment "{row.title.text}"?',
            f'The payment "{row.title.text}" was {row.value.text}.',
            row.value.text,
            row.value.text.lstrip("-+"),
            at=row.value,
        )
        page.ask(
            f'On which date was the payment "{row.title.text}" made?',
            f"It was made on {row.subtitle.text}.",
            row.subtitle.text,
            at=row.subtitle,
        )
    page.ask_absent("What is the interest rate?")
    page.ask_complex("How many payments are listed?", str(len(drawn)))


def departures(page: Page, choices: Choices) -> None:
    """Draws the next departures of a station."""
    station = choices.pick(stocks.STATIONS)
    app_bar(page, station, actions=("star", "more"))
    clock = choices.number(360, 1200)
    rows = []
    for end in choices.several([name for name in stocks.STATIONS if name != station], 8):
        clock += choices.number(2, 14)
        late = choices.number(-8, 9)
        rows.append(
            Row(
                f"{choices.pick('ABCDR')}{choices.number(1, 9)} {end}",
                f"Platform {choices.number(1, 12)}",
                f"{clock // 60}:{clock % 60:02d}",
                f"+{late} min" if late > 0 else "on time",
                "flag",
            )
        )
    drawn = rows_list(page, rows)
    for row in drawn[:3]:
        line, _, end = row.title.text.partition(" ")
        platform = row.subtitle.text.removeprefix("Platform ")
        page.ask(
            f"When does line {line} to {end} leave?",
            f"It leaves at {row.value.text}.",
            row.value.text,
            at=row.value,
        )
        page.ask(
            f"Which platform does line {line} to {end} leave from?",
            f"It leaves from platform {platform}.",
            platform,
            f"platform {platform}",
            at=row.subtitle,
        )
    page.ask(
        "What is the name of the station?",
        f"The station is {station}.",
        station,
        at=next(e for e in page.elements if e.text == station),
    )
    page.ask_absent("How much is a ticket?")
    late_rows = sum(row.note is not None and row.note.text != "on time" for row in drawn)
    page.ask_complex("How many departures are late?", str(late_rows))


def playlist(page: Page, choices: Choices) -> None:
    """Draws songs with their lengths."""
    app_bar(
        page,
        choices.pick(("Rainy window", "Long drive", "Kitchen radio")),
        actions=("search", "more"),
    )
    rows = [
        Row(
            song,
            choices.pick(stocks.BANDS),
            f"{choices.number(2, 6)}:{choices.number(0, 59):02d}",
            icon=choices.pick(("disc", "star", "drop")),
        )
        for song in choices.several(stocks.SONGS, 8)
    ]
    drawn = rows_list(page, rows)
    for row in drawn[:3]:
        page.ask(
            f'How long is "{row.title.text}"?',
            f"The song lasts {row.value.text}.",
            row.value.text,
            at=row.value,
        )
        page.ask(
            f'Who sings "{row.title.text}"?',
            f"It is sung by {row.subtitle.text}.",
            row.subtitle.text,
            at=row.subtitle,
        )
    page.ask_absent("When was the playlist created?")
    page.ask_complex(
        "How many songs are longer than four minutes?",
        str(sum(int(row.value.text[0]) >= 4 for row in drawn)),
    )


def scores(page: Page, choices: Choices) -> None:
    """Draws the best players of a game."""
    app_bar(page, "Best of the week", actions=("share",))
    points = sorted((choices.number(900, 48000) for _ in range(8)), reverse=True)
    rows = [
        Row(f"{place}. {person}", f"Level {choices.number(3, 60)}", f"{score:,}", icon="star")
        for place, (person, score) in enumerate(
            zip(choices.several(stocks.PEOPLE, 8), points, strict=True), start=1
        )
    ]
    drawn = rows_list(page, rows)
    for row in drawn[:3]:
        person = row.title.text.partition(". ")[2]
        page.ask(
            f"How many points does {person} have?",
            f"{person} has {row.value.text} points.",
            row.value.text,
            f"{row.value.text} points",
            at=row.value,
        )
    first = page.part(drawn[0].title, drawn[0].title.text.partition(". ")[2])
    page.ask("Who is in first place?", f"{first.text} is in first place.", first.text, at=first)
    page.ask_absent("How much does the game cost?")
    page.ask_complex(
        "How many players have more than 10,000 points?",
        str(sum(score > 10_000 for score in points[: len(drawn)])),
    )


def lessons(page: Page, choices: Choices) -> None:
    """Draws the lessons of a course and how far each one is done."""
    app_bar(page, "Lessons", lead="menu", actions=("search",))
    rows = [
        Row(lesson, f"{choices.number(6, 24)} words", f"{choices.number(0, 20) * 5}%", icon="book")
        for lesson in choices.several(stocks.LESSONS, 8)
    ]
    drawn = rows_list(page, rows)
    for row in drawn[:3]:
        page.ask(
            f'What is the progress of the lesson "{row.title.text}"?',
            f"The progress is {row.value.text}.",
            row.value.text,
            at=row.value,
        )
        words = row.subtitle.text.split()[0]
        page.ask(
            f'How many words does "{row.title.text}" have?',
            f"It has {words} words.",
            words,
            f"{words} words",
            at=page.part(row.subtitle, words),
        )
    page.ask_complex(
        "How many lessons are finished?", str(sum(row.value.text == "100%" for row in drawn))
    )


def dutch_dishes(page: Page, choices: Choices) -> None:
    """Draws recipes in Dutch, for an app that the prefilter must find not to be English."""
    app_bar(page, "Recepten van de week", lead="menu", actions=("search",))
    rows = [Row(*row, icon="cup") for row in choices.shuffled(stocks.DUTCH_ROWS)]
    rows_list(page, rows)
