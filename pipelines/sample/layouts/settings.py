"""Screens of settings that are on or off."""

from collections.abc import Sequence

from pipelines.sample import stocks
from pipelines.sample.choosing import Choices
from pipelines.sample.drawing import Page
from pipelines.sample.frames import BAR_BOTTOM, EDGE, MARGIN, app_bar, divider, switch
from pipelines.sample.views import NAVIGATION_TOP, SPACE_WIDTH, Box, Element


def _switches(
    page: Page, choices: Choices, title: str, stock: Sequence[tuple[str, str]]
) -> list[tuple[Element, Element]]:
    app_bar(page, title)
    drawn = []
    box = Box(0, BAR_BOTTOM, SPACE_WIDTH, NAVIGATION_TOP)
    with page.group("android.widget.ScrollView", box, scrolls=True):
        for place, (name, hint) in enumerate(choices.several(stock, 7)):
            top = BAR_BOTTOM + place * 288
            row = Box(0, top, SPACE_WIDTH, top + 288)
            with page.group("android.widget.RelativeLayout", row, clickable=True):
                label = page.text(MARGIN, top + 64, name, size=62, limit=1080, resource="title")
                page.text(
                    MARGIN,
                    top + 152,
                    hint,
                    size=48,
                    colour=page.theme.faint,
                    limit=1080,
                    resource="summary",
                )
                drawn.append((label, switch(page, EDGE, top + 144, on=choices.chance(55))))
            divider(page, top + 284)
    return drawn


def settings(page: Page, choices: Choices) -> None:
    """Draws settings that are on or off."""
    drawn = _switches(page, choices, "Settings", stocks.SETTINGS)
    for label, state in drawn[:4]:
        page.ask(
            f'What is the status of "{label.text}"?',
            f'The status of "{label.text}" is "{state.text}".',
            state.text,
            {"on": "enabled", "off": "disabled"}[state.text],
            at=state,
        )
    page.ask_absent("What is the version of the app?")
    page.ask_complex(
        "How many settings are turned on?", str(sum(state.text == "on" for _, state in drawn))
    )


def dutch_settings(page: Page, choices: Choices) -> None:
    """Draws settings in Dutch."""
    _switches(page, choices, "Instellingen", stocks.DUTCH_SETTINGS)
