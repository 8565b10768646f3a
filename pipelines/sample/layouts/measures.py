"""Screens that measure: a watch, a week of training, a calculator."""

from pipelines.sample import stocks
from pipelines.sample.choosing import Choices
from pipelines.sample.drawing import Page
from pipelines.sample.frames import EDGE, MARGIN, app_bar, blend, button, darker
from pipelines.sample.views import NAVIGATION_TOP, SPACE_WIDTH, STATUS_BAR, Box


def stopwatch(page: Page, choices: Choices) -> None:
    """Draws a watch with its laps; the large digits are painted."""
    app_bar(page, "Stopwatch", lead="menu", actions=("more",))
    total = choices.number(3000, 599_900)
    page.icon("disc", 288, 360, size=864, colour=page.theme.primary)
    page.icon("disc", 328, 400, size=784, colour=page.theme.page)
    page.leaf("View", Box(288, 360, 1152, 1224), resource="dial")
    digits = page.text(
        720,
        712,
        f"{total // 6000:02d}:{total // 100 % 60:02d}.{total % 100:02d}",
        size=144,
        align="centre",
        kind=None,
    )
    button(page, Box(184, 1304, 680, 1464), "LAP", colour=page.theme.faint)
    button(page, Box(760, 1304, 1256, 1464), "STOP")
    laps = []
    for place in range(5):
        top = 1544 + 152 * place
        page.text(MARGIN + 40, top, f"Lap {5 - place}", size=58, colour=page.theme.faint)
        lap = choices.number(1500, 11_900)
        laps.append(
            page.text(
                EDGE - 40,
                top,
                f"{lap // 6000}:{lap // 100 % 60:02d}.{lap % 100:02d}",
                size=58,
                align="right",
                resource="lap",
            )
        )
        page.fill(Box(MARGIN, top + 112, EDGE, top + 116), page.theme.line)
    page.ask(
        "What time does the stopwatch show?", f"It shows {digits.text}.", digits.text, at=digits
    )
    page.ask("How long did lap 5 take?", f"Lap 5 took {laps[0].text}.", laps[0].text, at=laps[0])
    page.ask("How long did lap 3 take?", f"Lap 3 took {laps[2].text}.", laps[2].text, at=laps[2])
    page.ask_absent("When was the stopwatch started?")
    fastest = min(range(5), key=lambda place: laps[place].text)
    page.ask_complex("Which lap was the fastest?", f"Lap {5 - fastest}", str(5 - fastest))


def activity(page: Page, choices: Choices) -> None:
    """Draws a week of training as bars that no view knows, above three totals."""
    app_bar(page, "Activity", lead="menu", actions=("share",))
    card = Box(MARGIN, 336, EDGE, 1320)
    page.rounded(card, page.theme.card, radius=32)
    page.leaf("View", card, resource="chart")
    page.text(112, 376, "Kilometers this week", size=56, bold=True, kind=None)
    bars = []
    for place, day in enumerate(stocks.WEEKDAYS):
        value = choices.number(4, 198)
        left, top = 120 + 176 * place, 1168 - value * 3
        page.rounded(Box(left, top, left + 112, 1176), page.theme.accent, radius=16)
        bars.append(
            page.text(left + 56, top - 72, f"{value / 10}", size=46, align="centre", kind=None)
        )
        page.text(
            left + 56, 1208, day[:3], size=46, align="centre", colour=page.theme.faint, kind=None
        )
    facts = []
    for place, (label, value_text) in enumerate(
        (
            ("Distance", f"{choices.number(10, 80)}.{choices.number(0, 9)} km"),
            ("Time", f"{choices.number(1, 9)} h {choices.number(1, 59)} min"),
            ("Energy", f"{choices.number(700, 4800):,} kcal"),
            ("Heart rate", f"{choices.number(98, 171)} bpm"),
        )
    ):
        top = 1376 + 232 * place
        page.rounded(Box(MARGIN, top, EDGE, top + 208), page.theme.card, radius=24)
        page.icon(
            ("flag", "clock", "star", "heart")[place],
            112,
            top + 56,
            size=96,
            colour=page.theme.primary,
        )
        page.text(256, top + 72, label, size=58)
        facts.append(
            (
                label,
                page.text(
                    EDGE - 40,
                    top + 72,
                    value_text,
                    size=62,
                    align="right",
                    bold=True,
                    resource="total",
                ),
            )
        )
    for label, value_element in facts[:3]:
        page.ask(
            f"What is the total {label.lower()}?",
            f"The total {label.lower()} is {value_element.text}.",
            value_element.text,
            at=value_element,
        )
    page.ask(
        "How many kilometers were run on Wednesday?",
        f"{bars[2].text} km were run.",
        bars[2].text,
        f"{bars[2].text} km",
        at=bars[2],
    )
    page.ask_absent("What is the weekly goal?")
    page.ask_complex(
        "On how many days were more than 10 km run?", str(sum(float(bar.text) > 10 for bar in bars))
    )


def calculator(page: Page, choices: Choices) -> None:
    """Draws a calculator that shows a sum and its result."""
    page.fill(Box(0, STATUS_BAR, SPACE_WIDTH, 936), page.theme.card)
    left, right = choices.number(12, 999), choices.number(12, 999)
    entry = page.text(
        EDGE,
        392,
        f"{left} + {right}",
        size=100,
        align="right",
        colour=page.theme.faint,
        resource="formula",
    )
    result = page.text(EDGE, 600, str(left + right), size=200, align="right", resource="result")
    keys = (
        "C",
        "(",
        ")",
        "/",
        "7",
        "8",
        "9",
        "x",
        "4",
        "5",
        "6",
        "-",
        "1",
        "2",
        "3",
        "+",
        "0",
        ".",
        "%",
        "=",
    )
    area = Box(0, 936, SPACE_WIDTH, NAVIGATION_TOP)
    page.fill(area, darker(page.theme.page, 0.94))
    with page.group("android.widget.GridLayout", area, resource="keys"):
        for place, key in enumerate(keys):
            x, y = place % 4 * 360, 936 + place // 4 * 288
            strong = key == "="
            box = Box(x + 16, y + 16, x + 344, y + 272)
            page.rounded(box, page.theme.accent if strong else page.theme.card, radius=32)
            page.text(
                x + 180,
                y + 96,
                key,
                size=80,
                align="centre",
                kind=None,
                colour="#ffffff" if strong else blend(page.theme.primary, page.theme.ink, 0.5),
            )
            page.leaf("Button", box, text=key, clickable=True)
    page.ask("What is the result?", f"The result is {result.text}.", result.text, at=result)
    page.ask("Which calculation was entered?", f"{entry.text} was entered.", entry.text, at=entry)
    page.ask_absent("What is in the memory?")
    page.ask_complex("How many keys does the calculator have?", str(len(keys)))
