"""Which of the designed screens has which trouble; the names are `layout_key`s."""

import dataclasses
from collections.abc import Iterator

from pipelines.sample.choosing import Choices
from pipelines.sample.hierarchies import hierarchy_json
from pipelines.sample.screens import (
    DESIGNED_SCREENS,
    DrawnScreen,
    ScreenPlan,
    draw_screen,
    layout_key,
    plan_screens,
)

BLACK = "weather/weather_week"
TRUNCATED = "music/playlist"
HTML_PAGE = "tools/settings"
TURNED = "travel/stays"
TWIN_ORIGINAL = "travel/city_map"
TWIN = "travel/city_map/twin"
HIERARCHY_MISSING = "talk/profile"
HIERARCHY_NULL = "learn/lessons"
UI_DETAILS_MISSING = "planner/event_form"
NON_ENGLISH = ("recepten/dutch_dishes", "recepten/dutch_settings")
# Each of these carries the hierarchy of another screen of its app.
OUT_OF_SYNC = {
    "reader/headlines": "reader/article",
    "run/stopwatch": "run/activity",
    "recepten/dutch_settings": "recepten/dutch_dishes",
}
LACK_OF_CONTENT = ("planner/empty", "frogs/welcome")
NO_QUESTION = "tools/calculator"
APPLE_DOUBLE = ("grocer/groceries", "mail/inbox")
NINE_QUESTIONS = "weather/weather"
REPEATED_QUESTION = "grocer/product"

APP_DETAILS_SHIFTED = "tinkerlight.pocket.tools"

SCREEN_MISSING_ID = 99_999
"""A screen that questions are asked about and that does not exist."""

# The published split is by screen; these are fixed, all others follow from a hash.
OFFICIAL_SPLITS = {
    BLACK: "validation",
    TWIN_ORIGINAL: "test",
    TWIN: "train",
    REPEATED_QUESTION: "test",
    NINE_QUESTIONS: "validation",
    "grocer/groceries": "train",
}

SMALLEST = DESIGNED_SCREENS + 1
"""Number of screens that it takes to show every trouble: the designed ones and a twin."""


@dataclasses.dataclass(frozen=True, slots=True)
class CastScreen:
    """A drawn screen with its part in the sample: its key, split and the hierarchy it gets."""

    drawn: DrawnScreen
    key: str
    split: str
    hierarchy: bytes

    @property
    def is_rated_fit(self) -> bool:
        """Whether the prefilter lets the screen through to the questions."""
        return self.key not in NON_ENGLISH and self.key not in OUT_OF_SYNC


def cast_screens(count: int, seed: str) -> Iterator[CastScreen]:
    """Yields `count` screens in the order of their ids, the twin among them.

    Raises:
        ValueError: `count` is too small to show every trouble.
    """
    if count < SMALLEST:
        raise ValueError(f"the sample needs at least {SMALLEST} screens, not {count}")
    plans = [(_key(place, plan), plan) for place, plan in enumerate(plan_screens(count - 1, seed))]
    by_key = dict(plans)
    for place, (key, plan) in enumerate(plans):
        drawn = draw_screen(plan, seed)
        hierarchy = drawn.hierarchy
        if key in OUT_OF_SYNC:
            hierarchy = draw_screen(by_key[OUT_OF_SYNC[key]], seed).hierarchy
        yield CastScreen(drawn, key, _split(key, seed), hierarchy)
        if key == TWIN_ORIGINAL:
            # Apps start at least two ids after the one before: this one is free.
            yield _twin(drawn, plans[place][1], seed)


def _key(place: int, plan: ScreenPlan) -> str:
    key = layout_key(plan.app, plan.layout)
    return key if place < DESIGNED_SCREENS else f"{key}/{plan.id}"


def _twin(original: DrawnScreen, plan: ScreenPlan, seed: str) -> CastScreen:
    request_id = original.request_id + 1
    twin = dataclasses.replace(
        original,
        id=plan.id + 1,
        request_id=request_id,
        hierarchy=hierarchy_json(original.tree, request_id),
    )
    return CastScreen(twin, TWIN, _split(TWIN, seed), twin.hierarchy)


def _split(key: str, seed: str) -> str:
    lot = Choices(seed, "official split", key).number(1, 100)
    by_lot = "train" if lot <= 60 else "validation" if lot <= 80 else "test"
    return OFFICIAL_SPLITS.get(key, by_lot)
