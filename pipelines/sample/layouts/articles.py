"""Screens to read: a news article, the same on a web page, a page of a book."""

from pipelines.sample import stocks
from pipelines.sample.choosing import Choices
from pipelines.sample.drawing import Page, snap
from pipelines.sample.frames import (
    BAR_BOTTOM,
    EDGE,
    MARGIN,
    app_bar,
    scenery,
)
from pipelines.sample.views import NAVIGATION_TOP, SPACE_WIDTH, Box


def article(page: Page, choices: Choices, *, kind: str | None = "TextView") -> None:
    """Draws a news article. With `kind=None` no view knows its text, as on a web page."""
    app_bar(page, choices.pick(("Town", "Culture", "Weekend", "Water")), actions=("share", "more"))
    area = Box(0, BAR_BOTTOM, SPACE_WIDTH, NAVIGATION_TOP)
    with page.group(
        "android.webkit.WebView" if kind is None else "android.widget.ScrollView",
        area,
        scrolls=True,
    ):
        title = page.paragraph(
            MARGIN,
            336,
            1320,
            choices.pick(stocks.HEADLINES),
            size=88,
            kind=kind,
            resource="headline",
            spacing=1.25,
        )
        top = title.box.bottom + 32
        author = choices.pick(stocks.PEOPLE)
        by = page.text(MARGIN, top, f"By {author}", size=48, colour=page.theme.accent, kind=kind)
        day = page.text(
            EDGE,
            top,
            f"{choices.pick(stocks.MONTHS)} {choices.number(1, 28)}",
            size=48,
            colour=page.theme.faint,
            align="right",
            kind=kind,
        )
        picture = Box(MARGIN, top + 104, EDGE, top + 680)
        scenery(page, picture, choices, radius=24)
        if kind is not None:
            page.leaf("ImageView", picture, resource="photo")
        y = picture.bottom + 48
        sentences = choices.several(stocks.SENTENCES, 4)
        for pair in (sentences[:2], sentences[2:]):
            text = page.paragraph(MARGIN, y, 1320, " ".join(pair), size=56, kind=kind)
            y = text.box.bottom + 48
    page.ask(
        "Who wrote the article?",
        f"The article was written by {author}.",
        author,
        at=page.part(by, author),
    )
    page.ask("What is the date of the article?", f"The date is {day.text}.", day.text, at=day)
    page.ask(
        "What is the title of the article?",
        f'The title is "{title.text}".',
        title.text,
        f'"{title.text}"',
        at=title,
    )
    page.ask_absent("How many comments does the article have?")
    page.ask_complex("How many words does the headline have?", str(len(title.text.split())))


def web_article(page: Page, choices: Choices) -> None:
    """Draws an article inside a web view."""
    article(page, choices, kind=None)


def reading(page: Page, choices: Choices) -> None:
    """Draws a page of a book, with its place in the book at the bottom."""
    app_bar(page, choices.pick(stocks.BOOKS), actions=("more",))
    number = choices.number(1, 24)
    chapter = page.text(720, 360, f"Chapter {number}", size=76, align="centre", resource="chapter")
    y = 520
    sentences = choices.several(stocks.SENTENCES, 6)
    for first, last in ((0, 2), (2, 3), (3, 5), (5, 6)):
        words = " ".join(sentences[first:last])
        y = page.paragraph(104, y, 1232, words, size=60, spacing=1.5).box.bottom + 48
    last = choices.number(180, 520)
    current = choices.number(1, last)
    page.fill(Box(104, 2240, 1336, 2248), page.theme.line)
    page.fill(Box(104, 2240, snap(104 + 1232 * current / last), 2248), page.theme.primary)
    place_text = page.text(
        720,
        2272,
        f"Page {current} of {last}",
        size=50,
        align="centre",
        colour=page.theme.faint,
        resource="place",
    )
    page.ask(
        "Which page is shown?",
        f"Page {current} is shown.",
        str(current),
        f"page {current}",
        at=page.part(place_text, str(current)),
    )
    page.ask(
        "Which chapter is open?",
        f"Chapter {number} is open.",
        str(number),
        chapter.text,
        at=chapter,
    )
    page.ask(
        "How many pages does the book have?",
        f"The book has {last} pages.",
        str(last),
        at=place_text,
    )
    page.ask_absent("What is the price of the book?")
    page.ask_complex("How many pages are left?", str(last - current))
