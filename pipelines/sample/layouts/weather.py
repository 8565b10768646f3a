"""Screens of the weather: now, and over the week."""

from pipelines.sample import stocks
from pipelines.sample.choosing import Choices
from pipelines.sample.drawing import Page
from pipelines.sample.frames import (
    EDGE,
    MARGIN,
    app_bar,
)
from pipelines.sample.views import Box, Element


def weather(page: Page, choices: Choices) -> None:
    """Draws the weather of a town now, in the next hours and days."""
    town = choices.pick(stocks.TOWNS)
    app_bar(page, town, lead="menu", actions=("plus", "more"))
    sky, icon, colour = choices.pick(stocks.SKIES)
    degrees = choices.number(-6, 33)
    page.icon(icon, 128, 392, size=360, colour=colour)
    page.leaf("ImageView", Box(128, 392, 488, 752), description=sky)
    now = page.text(1320, 376, f"{degrees}°", size=300, align="right", resource="temperature")
    state = page.text(
        1320, 760, sky, size=72, align="right", colour=page.theme.faint, resource="condition"
    )
    facts = []
    for place, (label, value) in enumerate(
        (
            ("Humidity", f"{choices.number(22, 97)}%"),
            ("Wind", f"{choices.number(2, 64)} km/h"),
            ("Pressure", f"{choices.number(985, 1034)} hPa"),
            ("UV index", str(choices.number(0, 9))),
        )
    ):
        left = MARGIN + place * 336
        page.rounded(Box(left, 936, left + 312, 1144), page.theme.card, radius=32)
        page.text(left + 32, 960, label, size=46, colour=page.theme.faint)
        facts.append((label, page.text(left + 32, 1040, value, size=54, bold=True)))
    page.text(MARGIN, 1192, "Next days", size=58, bold=True)
    start = choices.number(0, 6)
    days = []
    for place in range(5):
        top = 1288 + 208 * place
        day = stocks.WEEKDAYS[(start + place) % 7]
        _, picture, tint = choices.pick(stocks.SKIES)
        page.text(MARGIN, top + 56, day, size=60)
        page.icon(picture, 664, top + 48, size=88, colour=tint)
        low = degrees - choices.number(1, 9)
        days.append(
            (
                day,
                page.text(
                    EDGE, top + 56, f"{low + 9}° / {low}°", size=60, align="right", resource="range"
                ),
            )
        )
    page.ask(
        "What is the current temperature?",
        f"The current temperature is {now.text}.",
        now.text,
        f"{degrees} degrees",
        at=now,
    )
    page.ask("What is the weather condition?", f"It is {sky.lower()}.", sky, at=state)
    for label, fact in facts[:3]:
        page.ask(
            f"What is the {label.lower()}?",
            f"The {label.lower()} is {fact.text}.",
            fact.text,
            at=fact,
        )
    for day, span in days[:3]:
        low_text = span.text.split(" / ")[1]
        page.ask(
            f"What is the lowest temperature on {day}?",
            f"It is {low_text}.",
            low_text,
            low_text.replace("°", " degrees"),
            at=page.part(span, low_text),
        )
    page.ask_absent("At what time does the sun set?")
    page.ask_complex("How many days are forecast below?", str(len(days)))


def weather_week(page: Page, choices: Choices) -> None:
    """Draws the week's temperatures as a curve that no view knows."""
    app_bar(page, "This week")
    chart = Box(MARGIN, 344, EDGE, 1400)
    page.rounded(chart, page.theme.card, radius=32)
    page.leaf("View", chart, resource="chart")
    warmth = [choices.number(4, 31) for _ in stocks.WEEKDAYS]
    points = [(160.0 + 186 * day, 1160 - 20.0 * value) for day, value in enumerate(warmth)]
    page.stroke(points, page.theme.accent, width=16)
    labels: list[Element] = []
    for day, (x, y) in zip(stocks.WEEKDAYS, points, strict=True):
        page.icon("disc", round(x) - 24, round(y) - 24, size=48, colour=page.theme.primary)
        labels.append(
            page.text(
                round(x),
                round(y) - 120,
                f"{warmth[len(labels)]}°",
                size=50,
                align="centre",
                kind=None,
            )
        )
        page.text(
            round(x), 1288, day[:3], size=46, align="centre", colour=page.theme.faint, kind=None
        )
    rain = page.text(MARGIN, 1480, f"Rain: {choices.number(0, 42)} mm", size=62)
    sun = page.text(MARGIN, 1592, f"Hours of sun: {choices.number(4, 71)}", size=62)
    page.paragraph(
        MARGIN,
        1736,
        1320,
        "Forecast by the Gustwell desk, made new every hour.",
        size=50,
        colour=page.theme.faint,
    )
    for day, label in list(zip(stocks.WEEKDAYS, labels, strict=True))[:2]:
        page.ask(
            f"What is the temperature on {day}?",
            f"It is {label.text} on {day}.",
            label.text,
            label.text.replace("°", " degrees"),
            at=label,
        )
    page.ask(
        "How much rain is expected?",
        f"{rain.text[6:]} of rain.",
        rain.text[6:],
        at=page.part(rain, rain.text[6:]),
    )
    page.ask(
        "How many hours of sun are there?",
        f"There are {sun.text.split()[-1]} hours.",
        sun.text.split()[-1],
        at=sun,
    )
    page.ask_absent("What is the wind speed?")
    page.ask_complex(
        "Which day is the warmest?", stocks.WEEKDAYS[max(range(7), key=warmth.__getitem__)]
    )
