"""Draws the sample's iOS part: an App Store to fetch from, and screens captured by hand.

All apps are invented. A few records have something wrong on purpose, as the real store's
do: an app for the Mac among those for phones, one without screenshots, one app in two
storefronts; and the table of captured screens names a picture that is not there.
"""

import dataclasses
import hashlib
import io
import json
import pathlib
from typing import Any

from PIL import Image

from pipelines.sample.drawing import Page, Theme
from pipelines.sample.frames import blend, switch
from pipelines.sample.serving import STORE_HOST, STOREFRONTS
from pipelines.sample.views import SPACE_HEIGHT, SPACE_WIDTH, Box

WIDTH = 540
"""Width in pixels of the drawn pictures; all are no larger than this, however asked for."""

MISSING_CAPTURE = "ferry-04.png"
"""The picture that the table of captured screens names and that is not there."""

_PICTURES = "is1-ssl.mzstatic.com/image/thumb/Purple211/v4"
_MARGIN, _EDGE = 64, SPACE_WIDTH - 64
_ROW = 160
_TABS_TOP = 2320
_ON, _OFF, _OPEN = "(on)", "(off)", "(open)"

Rows = tuple[tuple[str, str], ...]


@dataclasses.dataclass(frozen=True, slots=True)
class IosScreen:
    """What a screen says: rows of a label and a value, in groups, and a button if named.

    The values `(on)` and `(off)` stand for switches, `(open)` for the sign that a row leads
    somewhere. `tabs` are icons and labels; `chosen` is the place of the one on show.
    """

    title: str
    groups: tuple[Rows, ...]
    headline: str = ""
    button: str = ""
    tabs: tuple[tuple[str, str], ...] = ()
    chosen: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class IosApp:
    """An invented app with the screens that are drawn of it, and the sentences under which."""

    track_id: int
    bundle_id: str
    name: str
    category: str
    genre_id: str
    says: str
    theme: Theme
    screens: tuple[IosScreen, ...] = ()
    captions: tuple[str, ...] = ()


_TIDEWICK_TABS = (("cloud", "Today"), ("drop", "Tides"), ("bell", "Alerts"))
_LEDGER_TABS = (("home", "Accounts"), ("share", "Pay"), ("person", "Profile"))
_FERRY_TABS = (("flag", "Trips"), ("bag", "Tickets"), ("person", "Account"))

_TIDEWICK = IosApp(
    6990000101,
    "com.tidewick.weather",
    "Tidewick: Tides & Weather",
    "Weather",
    "6001",
    "Tides, wind and weather for every harbor of the coast.",
    Theme("#1f6f8b", "#f2a541", page="#f2f2f7"),
    (
        IosScreen(
            "Port Marrow",
            (
                (("Wind", "14 knots SW"), ("Humidity", "71 %"), ("Sunset", "8:42 PM")),
                (("Hourly forecast", _OPEN), ("Next ten days", _OPEN)),
            ),
            headline="17°",
            tabs=_TIDEWICK_TABS,
        ),
        IosScreen(
            "Tides",
            (
                (("High tide", "5:12 AM"), ("Low tide", "11:26 AM"), ("High tide", "5:48 PM")),
                (("Height at noon", "0.9 m"), ("Moon", "Waxing")),
            ),
            tabs=_TIDEWICK_TABS,
            chosen=1,
        ),
        IosScreen(
            "Alerts",
            (
                (("Storm warnings", _ON), ("High tides", _ON), ("Morning summary", _OFF)),
                (("Alert sound", "Bell"),),
            ),
            tabs=_TIDEWICK_TABS,
            chosen=2,
        ),
    ),
    ("Know the tide before you go", "Every high and low", "Warned in time"),
)
_LEDGERLEAF = IosApp(
    6990000202,
    "com.ledgerleaf.money",
    "Ledgerleaf Money",
    "Finance",
    "6015",
    "Accounts, transfers and budgets in one place.",
    Theme("#2d6a4f", "#2d6a4f", page="#f2f2f7"),
    (
        IosScreen(
            "Accounts",
            (
                (("Everyday", "$1,284.16"), ("Savings", "$9,020.00"), ("Holidays", "$412.50")),
                (("Recent payments", _OPEN), ("Statements", _OPEN)),
            ),
            headline="$10,716.66",
            tabs=_LEDGER_TABS,
        ),
        IosScreen(
            "Transfer",
            ((("From", "Everyday"), ("To", "Mara Lindqvist"), ("Amount", "$36.00")),),
            button="Send $36.00",
            tabs=_LEDGER_TABS,
            chosen=1,
        ),
        IosScreen(
            "Security",
            (
                (("Face unlock", _ON), ("Hide balances", _OFF), ("Payment alerts", _ON)),
                (("Change passcode", _OPEN), ("Trusted devices", "2")),
            ),
            button="Sign out",
            tabs=_LEDGER_TABS,
            chosen=2,
        ),
    ),
    ("All accounts at a glance", "Send money in seconds", "Safe by default"),
)
_CORKBOARD = IosApp(
    6990000303,
    "app.corkboarddays.pad",
    "Corkboard Days for iPad",
    "Productivity",
    "6007",
    "Plan the week on a corkboard.",
    Theme("#8a5a44", "#c8553d", page="#f7f1ea"),
    (
        IosScreen(
            "This week",
            (
                (("Monday", "Dentist, 9:30 AM"), ("Tuesday", "Team lunch"), ("Friday", "Market")),
                (("Add a note", _OPEN),),
            ),
        ),
        IosScreen(
            "Boards",
            ((("Home", "12 notes"), ("Garden", "5 notes"), ("Work", "31 notes")),),
            button="New board",
        ),
    ),
    ("The week on one board", "A board for everything"),
)
_BRASSWHISTLE = IosApp(
    6990000404,
    "com.brasswhistle.wind",
    "Brasswhistle Wind",
    "Weather",
    "6001",
    "Wind and weather for sailors.",
    Theme("#5b5bd6", "#5b5bd6"),
)
_PLUMLINE = IosApp(
    6990000505,
    "net.plumline.notes",
    "Plumline Notes",
    "Productivity",
    "6007",
    "Plan and note, nothing else.",
    Theme("#6d2e46", "#6d2e46"),
)
_FERRY = IosApp(
    6990000606,
    "app.quietferry.tickets",
    "Quiet Ferry",
    "Travel",
    "6003",
    "Ferry tickets.",
    Theme("#124e78", "#d74e09", page="#f2f2f7"),
    (
        IosScreen(
            "Departures",
            (
                (("Easterwick", "7:05 AM"), ("Port Marrow", "7:40 AM"), ("Greenmoor", "8:15 AM")),
                (("Later today", _OPEN), ("Tomorrow", _OPEN)),
            ),
            tabs=_FERRY_TABS,
        ),
        IosScreen(
            "Your ticket",
            (
                (("Passenger", "Oskar Halloran"), ("Deck", "B"), ("Seat", "14C")),
                (("Boarding closes", "7:30 AM"),),
            ),
            headline="7:40 AM",
            button="Show code",
            tabs=_FERRY_TABS,
            chosen=1,
        ),
        IosScreen(
            "Account",
            (
                (("Delay alerts", _ON), ("Seat by the window", _ON), ("Newsletter", _OFF)),
                (("Payment methods", _OPEN), ("Language", "English")),
            ),
            tabs=_FERRY_TABS,
            chosen=2,
        ),
    ),
)


def write_store(root: pathlib.Path) -> None:
    """Writes what `pipelines.sample.serving` serves as the App Store and its pictures."""
    storefronts = root / STORE_HOST / STOREFRONTS
    storefronts.mkdir(parents=True, exist_ok=True)
    for country, apps in (
        ("us", (_TIDEWICK, _LEDGERLEAF, _CORKBOARD)),
        ("gb", (_TIDEWICK, _BRASSWHISTLE, _PLUMLINE)),
    ):
        records = [_record(app, country) for app in apps]
        if country == "us":
            records.insert(1, _mac_record(_TIDEWICK))
        text = json.dumps(records, ensure_ascii=False, indent=1)
        (storefronts / f"{country}.json").write_text(text, encoding="utf-8")
    for app in (_TIDEWICK, _LEDGERLEAF, _CORKBOARD):
        for number, (screen, caption) in enumerate(
            zip(app.screens, app.captions, strict=True), start=1
        ):
            path = root / _picture_path(app, number)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(_png(_listing(app, screen, caption)))


def write_captured(folder: pathlib.Path) -> None:
    """Writes a folder of iOS screens as a person would capture them, with their table."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["file,app,order,category"]
    for app, stem in ((_LEDGERLEAF, "ledger"), (_FERRY, "ferry")):
        for order, screen in enumerate(app.screens, start=1):
            name = f"{stem}-{order:02d}.png"
            (folder / name).write_bytes(_png(draw_ios_screen(screen, app.theme).image))
            lines.append(f"{name},{app.bundle_id},{order},{app.category}")
    lines.append(f"{MISSING_CAPTURE},{_FERRY.bundle_id},4,{_FERRY.category}")
    # As a spreadsheet saves it.
    text = "\ufeff" + "\r\n".join(lines) + "\r\n"
    (folder / "screens.csv").write_bytes(text.encode())


def draw_ios_screen(screen: IosScreen, theme: Theme) -> Page:
    """Draws one screen of a phone."""
    page = Page(width=WIDTH, theme=theme)
    page.text(96, 24, "9:41", size=52, bold=True)
    page.rounded(Box(1280, 32, 1376, 80), theme.ink, radius=12)
    page.text(_MARGIN, 176, screen.title, size=112, bold=True)
    top = 376
    if screen.headline:
        page.rounded(Box(_MARGIN, top, _EDGE, top + 320), theme.primary, radius=48)
        page.text(SPACE_WIDTH // 2, top + 72, screen.headline, size=144, colour="#ffffff",
                  align="centre", bold=True)  # fmt: skip
        top += 384
    for rows in screen.groups:
        top = _draw_group(page, rows, top) + 72
    if screen.button:
        page.rounded(Box(_MARGIN, top, _EDGE, top + 144), theme.accent, radius=40)
        page.text(SPACE_WIDTH // 2, top + 40, screen.button, size=56, colour="#ffffff",
                  align="centre", bold=True)  # fmt: skip
    _draw_tabs(page, screen)
    page.rounded(Box(480, 2512, 960, 2528), theme.ink, radius=8)
    return page


def _draw_group(page: Page, rows: Rows, top: int) -> int:
    """Draws the rows on one card and returns where it ends."""
    page.rounded(Box(_MARGIN, top, _EDGE, top + len(rows) * _ROW), page.theme.card, radius=40)
    for place, (label, value) in enumerate(rows):
        row = top + place * _ROW
        if place:
            page.fill(Box(_MARGIN + 48, row, _EDGE, row + 3), page.theme.line)
        page.text(_MARGIN + 48, row + 48, label, size=56)
        if value in (_ON, _OFF):
            switch(page, _EDGE - 40, row + _ROW // 2, on=value == _ON)
        elif value == _OPEN:
            page.icon("chevron", _EDGE - 104, row + 48, size=64, colour=page.theme.faint)
        else:
            page.text(_EDGE - 48, row + 48, value, size=56, colour=page.theme.faint, align="right")
    return top + len(rows) * _ROW


def _draw_tabs(page: Page, screen: IosScreen) -> None:
    if not screen.tabs:
        return
    page.fill(Box(0, _TABS_TOP, SPACE_WIDTH, SPACE_HEIGHT), page.theme.card)
    page.fill(Box(0, _TABS_TOP, SPACE_WIDTH, _TABS_TOP + 3), page.theme.line)
    width = SPACE_WIDTH // len(screen.tabs)
    for place, (icon, label) in enumerate(screen.tabs):
        middle = place * width + width // 2
        colour = page.theme.primary if place == screen.chosen else page.theme.faint
        page.icon(icon, middle - 40, _TABS_TOP + 24, size=80, colour=colour)
        page.text(middle, _TABS_TOP + 112, label, size=40, colour=colour, align="centre")


def _listing(app: IosApp, screen: IosScreen, caption: str) -> Image.Image:
    """Returns a picture as store pages show them: a promise, and the screen below it."""
    shown = draw_ios_screen(screen, app.theme).image
    page = Page(width=WIDTH, theme=app.theme)
    page.fill(Box(0, 0, SPACE_WIDTH, SPACE_HEIGHT), blend(app.theme.primary, "#ffffff", 0.25))
    page.text(SPACE_WIDTH // 2, 152, caption, size=88, colour="#ffffff", align="centre", bold=True)
    inset = WIDTH * 3 // 4
    smaller = shown.resize((inset, inset * SPACE_HEIGHT // SPACE_WIDTH), Image.Resampling.BOX)
    page.image.paste(smaller, ((WIDTH - inset) // 2, WIDTH * 5 // 18))
    # A tablet is less tall.
    return page.image.crop((0, 0, WIDTH, WIDTH * 4 // 3)) if _is_ipad(app) else page.image


def _png(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG", compress_level=4)
    return buffer.getvalue()


def _is_ipad(app: IosApp) -> bool:
    return app is _CORKBOARD


def _picture_path(app: IosApp, number: int) -> str:
    name = hashlib.sha256(f"{app.bundle_id} {number}".encode()).hexdigest()
    return f"{_PICTURES}/{name[:2]}/{name[2:4]}/{name[4:20]}/{number}.png"


def _record(app: IosApp, country: str) -> dict[str, Any]:
    """Returns the store's record of an app."""
    count = len(app.screens)
    if app is _BRASSWHISTLE:
        count = 1  # It is listed with one, but its category is full by then.
    size = "576x768bb.png" if _is_ipad(app) else "392x696bb.png"
    urls = [f"https://{_picture_path(app, number)}/{size}" for number in range(1, count + 1)]
    return {
        "screenshotUrls": [] if _is_ipad(app) else urls,
        "ipadScreenshotUrls": urls if _is_ipad(app) else [],
        "appletvScreenshotUrls": [],
        "kind": "software",
        "wrapperType": "software",
        "trackId": app.track_id,
        "trackName": app.name,
        "bundleId": app.bundle_id,
        "primaryGenreName": app.category,
        "primaryGenreId": int(app.genre_id),
        "genres": [app.category],
        "genreIds": [app.genre_id],
        "languageCodesISO2A": ["EN", "EN"],
        "fileSizeBytes": "27502592",
        "formattedPrice": "Free",
        "currency": "GBP" if country == "gb" else "USD",
        "version": "1.4.2",
        "description": app.says,
        "trackViewUrl": f"https://apps.apple.com/{country}/app/id{app.track_id}",
    }


def _mac_record(app: IosApp) -> dict[str, Any]:
    """Returns the record of an app for the Mac, which lacks what phones and tablets have."""
    record = _record(app, "us")
    left_out = ("ipadScreenshotUrls", "appletvScreenshotUrls", "formattedPrice")
    return {key: value for key, value in record.items() if key not in left_out} | {
        "kind": "mac-software",
        "trackId": app.track_id + 1,
        "trackName": f"{app.name} for Mac",
        "bundleId": f"{app.bundle_id}.mac",
    }
