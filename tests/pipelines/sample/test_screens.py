"""The drawn sample: its screens."""

import io
import itertools
import json

import pytest
from PIL import Image

from pipelines.sample.apps import APPS
from pipelines.sample.screens import DESIGNED_SCREENS, draw_screen, draw_screens, plan_screens


@pytest.fixture(scope="module")
def drawn():
    return list(draw_screens(DESIGNED_SCREENS + 12))


def test_there_are_many_apps_of_many_categories():
    assert len(APPS) >= 14
    assert len({app.category for app in APPS}) >= 8
    assert len({app.package for app in APPS}) == len(APPS)


def test_pictures_come_in_the_two_sizes_of_rico(drawn):
    sizes = {Image.open(io.BytesIO(screen.jpeg)).size for screen in drawn}
    assert sizes == {(1080, 1920), (540, 960)}
    assert all(
        Image.open(io.BytesIO(screen.jpeg)).size == (screen.width, screen.height)
        for screen in drawn
    )


def test_every_answer_lies_on_drawn_pixels(drawn):
    for screen in drawn:
        image = Image.open(io.BytesIO(screen.jpeg)).convert("L")
        for element in (e for question in screen.questions for e in question.elements):
            low, high = image.crop(screen.bounds_px(element)).getextrema()
            # Even grey text on a light page leaves far more than a trace of itself.
            assert high - low > 40, (screen.layout, element)


def test_an_answer_is_written_in_its_element(drawn):
    for screen in drawn:
        for question in screen.questions:
            for element in question.elements:
                assert element.text
                assert 0 <= element.box.left < element.box.right <= 1440, (screen.layout, element)
                assert 0 <= element.box.top < element.box.bottom <= 2392, (screen.layout, element)


def test_only_one_text_stands_in_a_place(drawn):
    for screen in drawn:
        texts = [
            e for e in screen.elements if e.size and e.view is not None and screen.vh_index(e) >= 0
        ]
        for one, other in itertools.combinations(texts, 2):
            across = min(one.box.right, other.box.right) - max(one.box.left, other.box.left)
            down = min(one.box.bottom, other.box.bottom) - max(one.box.top, other.box.top)
            assert across <= 0 or down <= 16, (screen.layout, one.text, other.text)


def test_every_screen_has_questions_of_its_own(drawn):
    for screen in drawn:
        texts = [question.text for question in screen.questions]
        assert len(texts) == len(set(texts)), screen.layout
        assert all(text.endswith("?") for text in texts)
        assert all(question.short_answers for question in screen.questions if question.elements)


def test_no_two_pictures_are_the_same(drawn):
    assert len({screen.jpeg for screen in drawn}) == len(drawn)


def test_ids_rise_and_stay_together_by_app(drawn):
    ids = [screen.id for screen in drawn]
    assert ids == sorted(set(ids))
    runs = [app for app, _ in itertools.groupby(screen.app.package for screen in drawn)]
    assert len(runs) == len(set(runs))


def test_a_plan_always_draws_the_same_bytes(drawn):
    plans = list(plan_screens(9, "screenset"))
    again = draw_screen(plans[8], "screenset")
    assert (again.jpeg, again.hierarchy) == (drawn[8].jpeg, drawn[8].hierarchy)


def test_another_seed_draws_other_screens(drawn):
    other = next(iter(draw_screens(1, "another seed")))
    assert other.jpeg != drawn[0].jpeg


def test_further_screens_belong_to_further_apps(drawn):
    further = drawn[DESIGNED_SCREENS:]
    known = {app.package for app in APPS}
    assert not known & {screen.app.package for screen in further}
    assert all(json.loads(screen.hierarchy)["activity"]["root"] for screen in further)
