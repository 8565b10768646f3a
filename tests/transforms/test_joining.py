"""Tests of bringing questions, screens and apps together."""

import dataclasses

import apache_beam as beam
import pytest
from apache_beam.runners.portability.fn_api_runner import fn_runner
from apache_beam.testing.util import assert_that, equal_to
from hypothesis import given
from hypothesis import strategies as st
from judged_screens import rating

from schemas.manifest import Blocked
from schemas.questions import Answer, AskedScreen, Provenance, Question
from schemas.readings import SyncEvidence
from schemas.rejects import Outcome, Reason, Reject, Tally
from schemas.screens import App, AppRow, ScreenRef
from transforms.accounting import fates_by_kind, unbalanced
from transforms.fates import EVENT, EVIDENCE
from transforms.funnel import SCREENS
from transforms.joining import JoinScreens, Wanted, join_screen


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


PICTURES, NO_PICTURES = Wanted(pictures=True), Wanted(pictures=False)


def joined(*parts, categories=None, wanted=PICTURES):
    # An iterator, since groups may be iterated but have no length (beam#22984).
    return list(join_screen(("7", iter(parts)), categories or {}, wanted))


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
    assert joined(question(), wanted=NO_PICTURES) == [AskedScreen("7", None, None, (question(),))]
    assert joined(question(), AppRow("7", "com.a", 2), wanted=NO_PICTURES) == [
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


# Screens that nobody asks about


UNASKED = Wanted(pictures=True, unasked=True)


def test_where_unasked_screens_are_wanted_no_question_is_needed():
    assert joined(ref(), AppRow("7", "com.a", 3), wanted=UNASKED) == [
        Tally("app_row", Outcome.KEPT, 1),
        AskedScreen("7", ref(), App("com.a", None), ()),
    ]


def test_of_unasked_screens_what_belongs_to_none_is_orphaned():
    rows = [AppRow("7", "com.a", 3), AppRow("7", "com.b", 4)]
    evidence = SyncEvidence("7", "clay", False, ("1",))
    assert joined(*rows, evidence, wanted=UNASKED) == [
        Tally("app_row", Outcome.ORPHANED, 2),
        Tally(EVIDENCE, Outcome.ORPHANED, 1),
    ]


def test_events_of_a_screen_that_no_source_has_travel_on_to_be_settled():
    rated = rating("7")
    assert joined(rated, wanted=UNASKED) == [AskedScreen("7", None, None, (), events=(rated,))]


def test_an_unasked_screen_keeps_the_events_that_it_has():
    rated = rating("7")
    assert joined(ref(), rated, wanted=UNASKED) == [
        AskedScreen("7", ref(), None, (), events=(rated,))
    ]


# Evidence


def test_evidence_of_all_sources_comes_with_the_screen_in_their_order():
    listed = SyncEvidence("7", "sca", True, ())
    labelled = SyncEvidence("7", "clay", False, ("a", "b"))
    assert joined(listed, question(), labelled, ref()) == [
        Tally(EVIDENCE, Outcome.KEPT, 2),
        AskedScreen("7", ref(), None, (question(),), evidence=(labelled, listed)),
    ]


def test_evidence_on_what_nothing_asks_for_is_orphaned():
    assert joined(SyncEvidence("7", "sca", True, ()), ref()) == [
        Tally("screen", Outcome.ORPHANED, 1),
        Tally(EVIDENCE, Outcome.ORPHANED, 1),
    ]


# What is blocked


def blocking(*, screens=(), apps=(), pictures=True, unasked=False):
    return Wanted(pictures, unasked, Blocked(frozenset(apps), frozenset(screens)))


def blocked_fates(detail, *, screen_reject=True):
    """Returns the rejects of screen 7 with one question that has one answer."""
    reason, said = Reason.BLOCKED, detail
    fates = [Reject("screen", "7", "join_screen", Reason.BLOCKED, detail, "rico")]
    if not screen_reject:
        fates, reason, said = [], Reason.BLOCKED, detail
    origin = "screenqa/short.json:0"
    return [
        *fates,
        Reject("short_answers", "7: Question 0?", "join_screen", reason, said, origin),
        Tally("answer", "with_question", 1),
    ]


ANSWERED = question(answers=(Answer("It is 5.", ()),))


@pytest.mark.parametrize(
    ("wanted", "detail"),
    [
        (blocking(screens=["7", "9"]), "screen 7"),
        (blocking(apps=["com.a", "com.z"]), "app com.a"),
        (blocking(apps=["com.a"], screens=["7"]), "screen 7"),
    ],
)
def test_a_blocked_screen_goes_with_all_that_hangs_on_it(wanted, detail):
    parts = (ref(), ANSWERED, AppRow("7", "com.a", 2))
    assert joined(*parts, wanted=wanted) == [
        Tally("app_row", Outcome.KEPT, 1),
        *blocked_fates(detail),
    ]


def test_an_app_is_blocked_by_the_name_that_a_sources_layout_gives():
    traced = ref(app="com.trace")
    row = AppRow("7", "com.a", 2)
    blocked = joined(traced, ANSWERED, row, wanted=blocking(apps=["com.trace"]))
    assert blocked[1:] == blocked_fates("app com.trace")
    # The screen shows another app than the row says, and it is that one which counts.
    assert joined(traced, ANSWERED, row, wanted=blocking(apps=["com.a"]))[-1].ref == traced


def test_without_pictures_the_questions_of_a_blocked_screen_say_why():
    for wanted, detail in (
        (blocking(screens=["7"], pictures=False), "screen 7"),
        (blocking(apps=["com.a"], pictures=False), "app com.a"),
    ):
        found = joined(ANSWERED, AppRow("7", "com.a", 2), wanted=wanted)
        assert found[1:] == blocked_fates(detail, screen_reject=False)


def test_a_blocked_screen_that_nobody_asks_about_is_blocked_where_such_are_wanted():
    detail = "screen 7"
    assert joined(ref(), wanted=blocking(screens=["7"], unasked=True)) == [
        Reject("screen", "7", "join_screen", Reason.BLOCKED, detail, "rico")
    ]
    assert joined(ref(), wanted=blocking(screens=["7"])) == [Tally("screen", Outcome.ORPHANED, 1)]


def test_the_events_of_a_blocked_screen_are_rejected():
    events = [rating("7", who="1"), rating("7", who="2")]
    found = joined(ref(), *events, wanted=blocking(screens=["7"]))
    assert [(r.kind, r.reason) for r in found if isinstance(r, Reject)] == [
        ("screen", Reason.BLOCKED),
        (EVENT, Reason.BLOCKED),
        (EVENT, Reason.BLOCKED),
    ]
    assert found[-1] == Tally(SCREENS, "unusable", 1)


def test_the_block_list_names_whole_ids():
    for wanted in (blocking(screens=["77", "", "com.a"]), blocking(apps=["com", "com.a.b", "7"])):
        parts = (ref(), question(), AppRow("7", "com.a", 2))
        assert joined(*parts, wanted=wanted)[-1].app == App("com.a", None)


parts_of_seven = st.lists(
    st.sampled_from(
        [
            question(1),
            question(2, answers=(Answer("It is 5.", ()),) * 2),
            rating("7", who="1"),
            rating("7", who="2"),
            ref(),
            ref("traces", app="com.trace"),
            AppRow("7", "com.a", 1),
            AppRow("7", "com.b", 2),
            SyncEvidence("7", "clay", False, ("1",)),
            SyncEvidence("7", "sca", True, ()),
        ]
    ),
    unique_by=id,
)


def read_of(part):
    if isinstance(part, Question):
        return [(part.kinds[0], 1), ("answer", len(part.answers))]
    kinds = {ScreenRef: "screen", AppRow: "app_row", SyncEvidence: EVIDENCE}
    return [(kinds.get(type(part), EVENT), 1)]


def in_no_order(results):
    """Events lie on a screen as they came: settling them brings them into their order."""
    return sorted(
        repr(dataclasses.replace(r, events=tuple(sorted(r.events, key=repr))))
        if isinstance(r, AskedScreen)
        else repr(r)
        for r in results
    )


@given(
    parts_of_seven,
    st.builds(
        Wanted,
        st.just(True),
        st.booleans(),
        st.builds(
            Blocked,
            st.frozensets(st.sampled_from(["com.a", "com.trace"])),
            st.frozensets(st.sampled_from(["7", "8"])),
        ),
    ),
    st.randoms(use_true_random=False),
)
def test_all_that_sources_hold_on_a_screen_has_one_fate_in_any_order(parts, wanted, random):
    results = joined(*parts, wanted=wanted)
    tallies, rejects = {}, {}
    for part in parts:
        for kind, count in read_of(part):
            tallies[kind, "read"] = tallies.get((kind, "read"), 0) + count
    for result in results:
        found = [result]
        if isinstance(result, AskedScreen):
            asks = [pair for ask in result.questions for pair in read_of(ask)]
            asks += [(EVENT, len(result.events)), ("screen", int(result.ref is not None))]
            found = [Tally(kind, Outcome.KEPT, count) for kind, count in asks]
            assert result.screen_id not in wanted.blocked.screens
            assert result.app is None or result.app.package not in wanted.blocked.apps
        for fate in found:
            into, outcome = (tallies, fate.outcome) if isinstance(fate, Tally) else (rejects, "")
            key = (fate.kind, str(outcome or fate.reason))
            into[key] = into.get(key, 0) + (fate.count if isinstance(fate, Tally) else 1)
    assert unbalanced(fates_by_kind(tallies, rejects)) == []
    random.shuffle(parts)
    assert in_no_order(joined(*parts, wanted=wanted)) == in_no_order(results)


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
        split = parts | JoinScreens(Wanted(pictures=True), details)
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
