"""Tests of bringing questions, screens and apps together."""

import apache_beam as beam
import pytest
from apache_beam.runners.portability.fn_api_runner import fn_runner
from apache_beam.testing.util import assert_that, equal_to

from schemas.questions import Answer, AskedScreen, Provenance, Question
from schemas.rejects import Outcome, Reason, Reject, Tally
from schemas.screens import App, AppRow, ScreenRef
from transforms.joining import JoinScreens, join_screen


def question(position=0, screen_id="7", answers=(), file="short.json"):
    return Question(
        screen_id=screen_id,
        text=f"Question {position}?",
        answers=answers,
        short_answers=("5",),
        frame=None,
        official_split="train",
        kinds=("short_answers",),
        provenance=Provenance("screenqa", file, position),
    )


def ref(source="rico", screen_id="7", app=None):
    return ScreenRef(screen_id, source, f"{screen_id}.jpg", None, app)


def joined(*parts, categories=None, needs_screen=True):
    # An iterator, since groups may be iterated but have no length (beam#22984).
    return list(join_screen(("7", iter(parts)), categories or {}, needs_screen))


def test_a_screen_gets_its_questions_in_the_order_of_the_files():
    asked = AskedScreen("7", ref(), None, (question(2), question(9), question(1, file="t.json")))
    assert joined(question(1, file="t.json"), ref(), question(9), question(2)) == [asked]


def test_the_app_comes_with_its_category():
    assert joined(question(), ref(), AppRow("7", "com.a", 3), categories={"com.a": "Tools"}) == [
        Tally("app_row", Outcome.KEPT, 1),
        AskedScreen("7", ref(), App("com.a", "Tools"), (question(),)),
    ]


def test_an_app_without_details_has_no_category():
    assert joined(question(), ref(), AppRow("7", "com.a", 3))[-1].app == App("com.a", None)


def test_the_layout_of_a_source_knows_the_app_best():
    traced = ref(app="com.trace")
    assert joined(question(), traced, AppRow("7", "com.other", 0)) == [
        Tally("app_row", Outcome.KEPT, 1),
        AskedScreen("7", traced, App("com.trace", None), (question(),)),
    ]


def test_of_several_rows_the_first_names_the_app():
    rows = [AppRow("7", "com.b", 5), AppRow("7", "com.a", 2), AppRow("7", "com.a", 3)]
    detail = "names com.b, an earlier row com.a"
    assert joined(question(), ref(), *rows) == [
        Tally("app_row", Outcome.KEPT, 1),
        Tally("app_row", Outcome.MERGED, 1),
        Reject("app_row", "7", "join_screen", Reason.ID_DUPLICATE, detail, "apps"),
        AskedScreen("7", ref(), App("com.a", None), (question(),)),
    ]


def test_what_nothing_asks_for_is_orphaned():
    rows = [AppRow("7", "com.a", 2), AppRow("7", "com.b", 3), AppRow("7", "com.b", 4)]
    assert joined(ref(), ref("traces"), *rows) == [
        Tally("screen", Outcome.ORPHANED, 2),
        Tally("app_row", Outcome.ORPHANED, 3),
    ]
    assert joined(ref()) == [Tally("screen", Outcome.ORPHANED, 1)]
    assert joined(rows[0]) == [Tally("app_row", Outcome.ORPHANED, 1)]


def test_a_question_whose_screen_no_source_has_is_rejected():
    asks = question(4, answers=(Answer("It is 5.", ()),))
    assert joined(asks, AppRow("7", "com.a", 2)) == [
        Tally("app_row", Outcome.KEPT, 1),
        Reject(
            "short_answers",
            "7: Question 4?",
            "join_screen",
            Reason.SCREEN_MISSING,
            "no source has screen 7",
            "screenqa/short.json:4",
        ),
        Tally("answer", "with_question", 1),
    ]


def test_without_pictures_no_screen_is_needed():
    assert joined(question(), needs_screen=False) == [AskedScreen("7", None, None, (question(),))]
    assert joined(question(), AppRow("7", "com.a", 2), needs_screen=False) == [
        Tally("app_row", Outcome.KEPT, 1),
        AskedScreen("7", None, App("com.a", None), (question(),)),
    ]


def test_a_screen_that_two_sources_have_is_taken_from_the_first():
    detail = "rico has a screen of this id already"
    assert joined(ref("traces"), question(), ref("rico")) == [
        Reject("screen", "7", "join_screen", Reason.ID_DUPLICATE, detail, "traces"),
        AskedScreen("7", ref("rico"), None, (question(),)),
    ]


def test_of_two_screens_of_one_source_and_id_the_first_file_is_taken():
    first = ScreenRef("7", "traces", "com.a/0/screenshots/7.jpg", None)
    other = ScreenRef("7", "traces", "com.a/trace_0/screenshots/7.jpg", None)
    without = ScreenRef("7", "traces", None, "com.a/1/view_hierarchies/7.json")
    assert joined(question(), other, first)[-1].ref == first
    assert joined(question(), first, without)[-1].ref == without


# `use_state_iterables` makes groups what they are on engines that hold them outside the
# worker: they can be iterated, and have no length.
@pytest.mark.parametrize("use_state_iterables", [False, True])
def test_the_step_finds_what_belongs_together_on_every_engine(use_state_iterables):
    runner = fn_runner.FnApiRunner(use_state_iterables=use_state_iterables)
    with beam.Pipeline(runner=runner) as pipeline:
        parts = pipeline | "Parts" >> beam.Create(
            [
                *(question(n, screen) for n in range(3) for screen in "789"),
                *(ref(screen_id=screen) for screen in "786"),
                AppRow("7", "com.a", 0),
                AppRow("5", "b", 1),
            ]
        )
        details = pipeline | "D" >> beam.Create([App("com.a", "Tools")])
        split = parts | JoinScreens(needs_screen=True, categories=details)
        asks = {screen: tuple(question(n, screen) for n in range(3)) for screen in "78"}
        assert_that(
            split.kept,
            equal_to(
                [
                    AskedScreen("7", ref(), App("com.a", "Tools"), asks["7"]),
                    AskedScreen("8", ref(screen_id="8"), None, asks["8"]),
                ]
            ),
            "Kept",
        )
        assert_that(
            split.rejects | beam.Map(lambda reject: (reject.id, reject.reason.value)),
            equal_to([(f"9: Question {n}?", "screen_missing") for n in range(3)]),
            "Rejects",
        )
        totals = (
            split.tallies
            | beam.Map(lambda tally: ((tally.kind, str(tally.outcome)), tally.count))
            | beam.CombinePerKey(sum)
        )
        assert_that(
            totals,
            equal_to(
                [
                    (("screen", "orphaned"), 1),
                    (("app_row", "orphaned"), 1),
                    (("app_row", "kept"), 1),
                ]
            ),
            "Tallies",
        )
