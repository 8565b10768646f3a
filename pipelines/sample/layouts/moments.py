"""Screens that show a state at a glance: a day in a calendar, a place on a map, a song."""

from pipelines.sample import stocks
from pipelines.sample.choosing import Choices
from pipelines.sample.drawing import Page, snap
from pipelines.sample.frames import (
    MARGIN,
    app_bar,
    button,
    icon_button,
    scenery,
)
from pipelines.sample.views import NAVIGATION_TOP, SPACE_WIDTH, STATUS_BAR, Box


def calendar(page: Page, choices: Choices) -> None:
    """Draws a month and the day's plans; the days are painted, the plans are views."""
    month = choices.pick(stocks.MONTHS)
    app_bar(page, f"{month} 2016", lead="menu", actions=("plus", "more"))
    page.leaf("View", Box(0, 288, SPACE_WIDTH, 1320), resource="month", clickable=True)
    today, start = choices.number(1, 28), choices.number(0, 6)
    for place, day in enumerate(stocks.WEEKDAYS):
        page.text(
            128 + 196 * place,
            312,
            day[0],
            size=48,
            align="centre",
            kind=None,
            colour=page.theme.faint,
        )
    chosen = None
    for day_number in range(1, 31):
        place = start + day_number - 1
        x, y = 128 + 196 * (place % 7), 416 + 152 * (place // 7)
        if day_number == today:
            page.icon("disc", x - 64, y - 24, size=128, colour=page.theme.accent)
        number = page.text(
            x,
            y,
            str(day_number),
            size=56,
            align="centre",
            kind=None,
            colour="#ffffff" if day_number == today else page.theme.ink,
        )
        chosen = number if day_number == today else chosen
    page.fill(Box(0, 1352, SPACE_WIDTH, 1360), page.theme.line)
    plans = []
    for place, plan in enumerate(choices.several(stocks.EVENTS, 4)):
        top = 1400 + 232 * place
        page.fill(
            Box(MARGIN, top, MARGIN + 16, top + 184),
            choices.pick((page.theme.primary, page.theme.accent)),
        )
        name = page.text(120, top + 8, plan, size=62, resource="plan")
        hour = page.text(
            120,
            top + 104,
            f"{choices.number(7, 20)}:{choices.pick((0, 15, 30)):02d}",
            size=52,
            colour=page.theme.faint,
            resource="hour",
        )
        plans.append((name, hour))
    for name, hour in plans[:3]:
        page.ask(
            f'At what time is "{name.text}"?',
            f'"{name.text}" is at {hour.text}.',
            hour.text,
            at=hour,
        )
    if chosen is not None:
        page.ask(
            "Which day is selected?",
            f"{month} {today} is selected.",
            str(today),
            f"{month} {today}",
            at=chosen,
        )
    page.ask_absent("Who is invited?")
    page.ask_complex("How many plans are there on the selected day?", str(len(plans)))


def city_map(page: Page, choices: Choices) -> None:
    """Draws a city map with painted names, and a card about one place."""
    area = Box(0, STATUS_BAR, SPACE_WIDTH, NAVIGATION_TOP)
    page.fill(area, "#e9efe4")
    page.leaf("View", area, resource="map", description="Map", clickable=True)
    river = [
        (0.0, choices.number(500, 900) + 0.0),
        (480.0, choices.number(600, 1000) + 0.0),
        (960.0, choices.number(700, 1100) + 0.0),
        (1440.0, choices.number(500, 900) + 0.0),
    ]
    page.stroke(river, "#a9cfe8", width=120)
    for _ in range(5):
        x, y = choices.number(-100, 1100), choices.number(200, 1500)
        page.rounded(
            Box(x, y, x + choices.number(160, 420), y + choices.number(120, 300)),
            "#d3e6c6",
            radius=40,
        )
    for number in range(5):
        along = 300 + 320 * number + choices.number(-60, 60)
        page.stroke([(0, along), (1440, along + choices.number(-240, 240))], "#ffffff", width=36)
        across = 120 + 300 * number + choices.number(-40, 40)
        page.stroke([(across, 84), (across + choices.number(-160, 160), 2000)], "#ffffff", width=28)
    names = [
        page.text(
            choices.number(80, 860), 420 + 260 * place, street, size=46, colour="#5a6570", kind=None
        )
        for place, street in enumerate(choices.several(stocks.STREETS, 5))
    ]
    page.icon("pin", 640, 936, size=176, colour=page.theme.accent)
    page.rounded(Box(48, 120, 1392, 280), "#ffffff", radius=24)
    page.icon("search", 96, 160, size=80, colour="#70757a")
    page.text(224, 160, "Search here", size=58, colour="#70757a", kind="EditText")
    card = Box(48, 1944, 1392, 2352)
    page.rounded(card, "#ffffff", radius=32)
    with page.group("android.widget.RelativeLayout", card, resource="place_card"):
        place = page.text(
            96,
            1984,
            choices.pick(stocks.STATIONS),
            size=72,
            bold=True,
            colour="#212529",
            resource="place",
        )
        way = page.text(96, 2096, f"{choices.number(2, 59)} min walk", size=54, colour="#70757a")
        far = page.text(
            96, 2184, f"{choices.number(1, 9)}.{choices.number(1, 9)} km", size=54, colour="#70757a"
        )
        button(page, Box(880, 2128, 1344, 2296), "GO", colour=page.theme.primary)
    minutes = way.text.split()[0]
    page.ask(
        "What is the name of the selected place?",
        f"The place is {place.text}.",
        place.text,
        at=place,
    )
    page.ask(f"How far is {place.text}?", f"{place.text} is {far.text} away.", far.text, at=far)
    page.ask(
        f"How long is the walk to {place.text}?",
        f"The walk takes {minutes} minutes.",
        f"{minutes} min",
        f"{minutes} minutes",
        minutes,
        at=way,
    )
    page.ask(
        "Which street is named at the top of the map?",
        f"It is {names[0].text}.",
        names[0].text,
        at=names[0],
    )
    page.ask_absent("When does the place close?")


def player(page: Page, choices: Choices) -> None:
    """Draws a song that is being played."""
    icon_button(page, "down", 0, STATUS_BAR, colour=page.theme.ink)
    page.text(720, 152, "NOW PLAYING", size=46, align="centre", colour=page.theme.faint)
    cover = Box(168, 296, 1272, 1400)
    scenery(page, cover, choices, radius=40)
    page.leaf("ImageView", cover, resource="cover", description="Album cover")
    song = page.text(
        720, 1472, choices.pick(stocks.SONGS), size=88, align="centre", bold=True, resource="song"
    )
    band = page.text(
        720,
        1600,
        choices.pick(stocks.BANDS),
        size=58,
        align="centre",
        colour=page.theme.faint,
        resource="band",
    )
    length = choices.number(130, 420)
    gone = choices.number(5, length - 5)
    page.fill(Box(112, 1784, 1328, 1792), page.theme.line)
    page.fill(Box(112, 1784, snap(112 + 1216 * gone / length), 1792), page.theme.accent)
    page.icon(
        "disc", round(112 + 1216 * gone / length) - 24, 1764, size=48, colour=page.theme.accent
    )
    page.leaf("SeekBar", Box(112, 1744, 1328, 1832), resource="progress")
    now = page.text(112, 1832, f"{gone // 60}:{gone % 60:02d}", size=48, colour=page.theme.faint)
    total = page.text(
        1328,
        1832,
        f"{length // 60}:{length % 60:02d}",
        size=48,
        align="right",
        colour=page.theme.faint,
    )
    icon_button(page, "previous", 352, 1992, colour=page.theme.ink, size=96)
    page.icon("disc", 600, 1968, size=240, colour=page.theme.accent)
    icon_button(page, "pause", 600, 1968, width=240, height=240, size=112, colour="#ffffff")
    icon_button(page, "next", 892, 1992, colour=page.theme.ink, size=96)
    page.ask(
        "What is the name of the song?",
        f'The song is "{song.text}".',
        song.text,
        f'"{song.text}"',
        at=song,
    )
    page.ask("Who is the artist?", f"The artist is {band.text}.", band.text, at=band)
    page.ask(
        "What is the duration of the song?", f"The song lasts {total.text}.", total.text, at=total
    )
    page.ask(
        "How much of the song has been played?", f"{now.text} has been played.", now.text, at=now
    )
    page.ask_absent("What is the name of the album?")
