"""The two tables beside RICO's screens: which app a screen is from, and what the store says."""

import csv
import io
from collections.abc import Iterable, Sequence

from pipelines.sample import roles
from pipelines.sample.apps import App
from pipelines.sample.choosing import Choices, hex_name
from pipelines.sample.roles import CastScreen
from pipelines.sample.stocks import MONTHS

UI_HEADER = ("UI Number", "App Package Name", "Interaction Trace Number", "UI Number in Trace")
APP_HEADER = (
    "App Package Name",
    "Play Store Name",
    "Category",
    "Average Rating",
    "Number of Ratings",
    "Number of Downloads",
    "Date Updated",
    "Icon URL",
)
_DOWNLOADS = (
    "1,000 - 5,000",
    "5,000 - 10,000",
    "10,000 - 50,000",
    "50,000 - 100,000",
    "100,000 - 500,000",
    "500,000 - 1,000,000",
    "1,000,000 - 5,000,000",
)


def ui_details(screens: Iterable[CastScreen]) -> bytes:
    """Returns `ui_details.csv`; one screen has no row in it."""
    rows = [
        (screen.drawn.id, screen.drawn.app.package, 0, screen.drawn.request_id)
        for screen in screens
        if screen.key != roles.UI_DETAILS_MISSING
    ]
    return _table(UI_HEADER, rows)


def app_details(apps: Iterable[App], seed: str) -> bytes:
    """Returns `app_details.csv`, with stray quotes and blanks in it and one shifted row."""
    return _table(APP_HEADER, [_app_row(app, seed) for app in apps])


def _app_row(app: App, seed: str) -> Sequence[str]:
    choices = Choices(seed, "store", app.package)
    icon = f"https://img.example/{hex_name(seed, app.package, length=24)}=w300"
    if app.package == roles.APP_DETAILS_SHIFTED:
        # Commas that were not quoted once: the number of downloads fell into pieces.
        return (app.package, "500", "000 - 1", "000", "000", "January 10, 2015", icon, "")
    ratings = f"{choices.number(40, 98_000):,}"
    ratings = choices.pick((ratings, f' {ratings}"', f'"{ratings} ', f" {ratings}"))
    downloads = choices.pick(_DOWNLOADS)
    return (
        app.package,
        app.name,
        app.category,
        f"{choices.number(29, 48) / 10}",
        ratings,
        choices.pick((downloads, f" {downloads} ")),
        f"{choices.pick(MONTHS)} {choices.number(1, 28)}, {choices.number(2014, 2017)}",
        icon,
    )


def _table(header: Sequence[str], rows: Iterable[Sequence[str | int]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()
