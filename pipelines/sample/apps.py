"""The invented apps: their names, shop categories, colours, and the screens each one has."""

import dataclasses

from pipelines.sample.choosing import Choices
from pipelines.sample.drawing import Theme


@dataclasses.dataclass(frozen=True, slots=True)
class App:
    """An invented app as a store would list it.

    `layouts` names the functions of `pipelines.sample.layouts` that draw its screens, in order.
    """

    package: str
    name: str
    category: str
    theme: Theme
    layouts: tuple[str, ...]


APPS = (
    App(
        "com.pantryroad.grocer",
        "Pantry Road",
        "Shopping",
        Theme("#2e7d4f", "#e8743b"),
        ("groceries", "product", "grocery_dialog", "grocery_search"),
    ),
    App(
        "org.gustwell.weather",
        "Gustwell",
        "Weather",
        Theme("#2f6fa8", "#f2a541", page="#eef5fb"),
        ("weather", "weather_week", "settings"),
    ),
    App(
        "com.lumenfold.music",
        "Lumenfold",
        "Music & Audio",
        Theme(
            "#3b2667",
            "#ff6b8b",
            page="#1b1626",
            card="#272036",
            ink="#f3f0fa",
            faint="#a79fbf",
            line="#352c4a",
        ),
        ("player", "playlist", "albums"),
    ),
    App(
        "io.quillpost.mail",
        "Quillpost",
        "Communication",
        Theme("#b23a48", "#b23a48"),
        ("inbox", "message", "compose"),
    ),
    App(
        "com.pennywick.mobile",
        "Pennywick",
        "Finance",
        Theme("#14505c", "#1f9e89"),
        ("login", "transactions", "transfer"),
    ),
    App(
        "net.stridecircle.run",
        "Stride Circle",
        "Health & Fitness",
        Theme("#d1495b", "#edae49"),
        ("activity", "stopwatch", "welcome"),
    ),
    App(
        "com.saltandsoda.kitchen",
        "Salt & Soda",
        "Food & Drink",
        Theme("#8a4f2a", "#d96c2c", page="#fdf8f1"),
        ("recipe", "dishes", "rating_dialog"),
    ),
    App(
        "com.harborlines.transit",
        "Harbor Lines",
        "Maps & Navigation",
        Theme("#1d3557", "#e63946"),
        ("city_map", "departures", "station_search"),
    ),
    App(
        "app.mossyday.planner",
        "Mossyday",
        "Productivity",
        Theme("#4a7c59", "#c8553d"),
        ("calendar", "event_form", "empty"),
    ),
    App(
        "com.papercranedaily.reader",
        "Paper Crane Daily",
        "News & Magazines",
        Theme("#2b2d42", "#d90429", page="#ffffff"),
        ("article", "headlines", "web_article"),
    ),
    App(
        "com.birchroom.talk",
        "Birchroom",
        "Social",
        Theme("#00796b", "#ff7043", page="#eaf2ef"),
        ("chat", "profile"),
    ),
    App(
        "com.verbnest.learn",
        "Verbnest",
        "Education",
        Theme("#5b5bd6", "#16a34a"),
        ("quiz", "lessons"),
    ),
    App(
        "com.cloverstay.travel",
        "Cloverstay",
        "Travel & Local",
        Theme("#0b7285", "#f08c00"),
        ("stays", "city_map"),
    ),
    App(
        "tinkerlight.pocket.tools",
        "Tinkerlight",
        "Tools",
        Theme("#37474f", "#ff8f00", page="#f3f5f6"),
        ("calculator", "settings"),
    ),
    App(
        "com.duskreader.books",
        "Dusk Reader",
        "Books & Reference",
        Theme("#5d4037", "#8d6e63", page="#fbf5e6"),
        ("books", "reading"),
    ),
    App(
        "com.puddlepals.frogs",
        "Puddle Pals",
        "Entertainment",
        Theme("#0aa1a1", "#ffb703"),
        ("welcome", "scores"),
    ),
    App(
        "com.fernandfix.garden",
        "Fern & Fix",
        "House & Home",
        Theme("#3a6b35", "#c06c2b", page="#f7faf3"),
        ("plants", "settings"),
    ),
    App(
        "nl.kookpotje.recepten",
        "Kookpotje",
        "Food & Drink",
        Theme("#bf4342", "#e09f3e", page="#fffaf5"),
        ("dutch_dishes", "dutch_settings"),
    ),
)

# For more screens than the apps above have: invented sisters of them, in other colours.
_PREFIXES = (
    "Little",
    "Grand",
    "Blue",
    "Happy",
    "Quick",
    "Plain",
    "North",
    "Velvet",
    "Tiny",
    "Amber",
    "Clever",
    "Quiet",
)
_PRIMARIES = (
    "#264653",
    "#6d597a",
    "#386641",
    "#9c6644",
    "#00509d",
    "#7b2d26",
    "#3d405b",
    "#006466",
    "#8338ec",
    "#a4133c",
    "#495057",
    "#5f0f40",
)
_ACCENTS = ("#e76f51", "#eaac8b", "#a7c957", "#dda15e", "#fdc500", "#0b5d1e", "#e07a5f", "#f72585")


def sister_app(number: int, choices: Choices) -> App:
    """Returns the invented app with this number: a known one under another name and colours."""
    origin = APPS[number % (len(APPS) - 1)]
    prefix = _PREFIXES[number // (len(APPS) - 1) % len(_PREFIXES)]
    light = origin.theme.page != "#1b1626"
    theme = dataclasses.replace(origin.theme, accent=choices.pick(_ACCENTS))
    if light:
        theme = dataclasses.replace(theme, primary=choices.pick(_PRIMARIES))
    layouts = choices.several(tuple(dict.fromkeys((*origin.layouts, *_COMMON))), 6)
    return App(
        f"{origin.package}.{prefix.lower()}{number}",
        f"{prefix} {origin.name}",
        origin.category,
        theme,
        tuple(layouts),
    )


_COMMON = ("settings", "login", "profile", "inbox", "article", "welcome", "groceries", "chat")
