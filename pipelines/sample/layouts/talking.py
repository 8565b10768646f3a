"""Screens with few words: a conversation, a welcome, an empty place."""

from pipelines.sample import stocks
from pipelines.sample.choosing import Choices
from pipelines.sample.drawing import Page
from pipelines.sample.frames import (
    EDGE,
    MARGIN,
    app_bar,
    blend,
    button,
    icon_button,
    scenery,
    tabs,
)
from pipelines.sample.views import NAVIGATION_TOP, SPACE_WIDTH, STATUS_BAR, Box


def chat(page: Page, choices: Choices) -> None:
    """Draws a conversation between two people."""
    person = choices.pick(stocks.PEOPLE)
    app_bar(page, person, actions=("more",))
    title = page.elements[-1]
    clock = choices.number(480, 1100)
    mine = choices.chance(50)
    said = []
    y = 328
    with page.group("android.widget.ListView", Box(0, 280, SPACE_WIDTH, 2184), scrolls=True):
        for line in choices.several(stocks.LINES, 6):
            clock += choices.number(1, 9)
            colour = blend(page.theme.primary, "#ffffff", 0.78) if mine else page.theme.card
            left = 392 if mine else MARGIN
            page.rounded(Box(left, y, left + 992, y + 232), colour, radius=48)
            words = page.text(left + 48, y + 32, line, size=56, limit=900, resource="line")
            time = page.text(
                left + 944,
                y + 136,
                f"{clock // 60}:{clock % 60:02d}",
                size=44,
                align="right",
                colour=page.theme.faint,
                resource="time",
            )
            said.append((mine, words, time))
            y += 288
            mine = not mine if choices.chance(70) else mine
    page.fill(Box(0, 2184, SPACE_WIDTH, NAVIGATION_TOP), page.theme.card)
    page.text(
        MARGIN + 24,
        2256,
        "Write a message",
        size=58,
        colour=page.theme.faint,
        kind="EditText",
        resource="entry",
    )
    page.icon("disc", 1248, 2208, size=160, colour=page.theme.accent)
    icon_button(page, "play", 1248, 2208, width=160, height=160, size=72, colour="#ffffff")
    page.ask(
        "Who is the conversation with?", f"The conversation is with {person}.", person, at=title
    )
    page.ask(
        "What is the last message?",
        f'The last message is "{said[-1][1].text}"',
        said[-1][1].text,
        at=said[-1][1],
    )
    page.ask(
        "When was the last message sent?",
        f"It was sent at {said[-1][2].text}.",
        said[-1][2].text,
        at=said[-1][2],
    )
    page.ask(
        "What is the first message?",
        f'The first message is "{said[0][1].text}"',
        said[0][1].text,
        at=said[0][1],
    )
    page.ask_absent("When was the person last online?")
    page.ask_complex("How many messages are shown?", str(len(said)))


def welcome(page: Page, choices: Choices) -> None:
    """Draws the first page of a tour through the app."""
    picture = Box(0, STATUS_BAR, SPACE_WIDTH, 1336)
    scenery(page, picture, choices)
    page.leaf("ImageView", picture, resource="illustration")
    headline, words = choices.pick(stocks.SLOGANS)
    heading = page.text(720, 1440, headline, size=92, align="centre", bold=True, resource="heading")
    text = page.paragraph(
        168, 1600, 1104, words, size=60, colour=page.theme.faint, resource="words"
    )
    current = choices.number(0, 3)
    for dot in range(4):
        page.icon(
            "disc",
            616 + 56 * dot,
            1880,
            size=32,
            colour=page.theme.primary if dot == current else page.theme.line,
        )
    page.leaf("View", Box(616, 1880, 816, 1912), resource="pager")
    page.text(
        MARGIN + 40, 2192, "SKIP", size=56, colour=page.theme.faint, clickable=True, kind="Button"
    )
    button(page, Box(904, 2144, EDGE, 2312), "CONTINUE")
    count = f"{choices.number(2, 990)},{choices.number(100, 999)}"
    users = page.text(
        720, 1976, f"Joined by {count} people", size=50, align="centre", colour=page.theme.faint
    )
    page.ask("How many people have joined?", f"{count} people have joined.", count, at=users)
    page.ask(
        "What is the headline of the page?",
        f'The headline is "{heading.text}".',
        heading.text,
        at=heading,
    )
    page.ask("What does the app promise?", text.text, text.text.rstrip("."), at=text)
    page.ask_absent("How much does a subscription cost?")
    page.ask_complex("How many pages does the tour have?", "4", "four")


def empty(page: Page, choices: Choices) -> None:
    """Draws a list that has nothing in it: a screen with too little content for questions."""
    app_bar(page, choices.pick(("Notes", "Lists", "Archive")), lead="menu", actions=("search",))
    page.icon("list", 528, 760, size=384, colour=page.theme.line)
    page.leaf("ImageView", Box(528, 760, 912, 1144))
    page.text(720, 1224, "Nothing here yet", size=76, align="centre", colour=page.theme.faint)
    page.text(720, 1344, "Tap + to begin", size=56, align="centre", colour=page.theme.faint)
    page.icon("disc", 1176, 1928, size=200, colour=page.theme.accent)
    icon_button(page, "plus", 1176, 1928, width=200, height=200, colour="#ffffff")
    tabs(page, (("home", "Today"), ("list", "Notes"), ("person", "You")), selected=1)
