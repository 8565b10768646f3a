"""Tests of the prefilter without raters, and of raters who win over it."""

import dataclasses
import datetime

import apache_beam as beam
import pytest
from apache_beam.runners.portability.fn_api_runner import fn_runner
from apache_beam.testing.util import assert_that, equal_to
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_screens import (
    DOUBTFUL,
    ENGLISH,
    FEW,
    IN_SYNC,
    OUT_OF_SYNC,
    SPANISH,
    START,
    asked,
    rating,
    training,
)

from schemas.builds import PrefilterEntry
from schemas.campaigns import AnnotationPolicy
from schemas.manifest import PrefilterPolicy, Use
from schemas.questions import AskedScreen, Provenance, Question
from schemas.readings import NO_HIERARCHY, HumanRating, LanguageVerdict, Prefilter
from schemas.rejects import Reason, Reject
from schemas.settlements import ScreenAnnotations, ScreenFacts
from transforms.annotation.gates import OPEN_GATE
from transforms.annotation.quality import make_gate, measure_quality
from transforms.annotation.settling import settle_screen
from transforms.prefiltering import (
    DropRefused,
    JudgeScreens,
    Raters,
    drop_refused,
    judge_app,
    prefilter_entry,
)
from transforms.screens.language import judge_language

ANNOTATION = AnnotationPolicy()
REPORT = PrefilterPolicy()
REMOVE = PrefilterPolicy(language=Use.REMOVE, hierarchy_sync=Use.REMOVE)
ALL_OFF = {"language": Use.OFF, "hierarchy_sync": Use.OFF}
EVERYBODY = Raters(ANNOTATION, OPEN_GATE)
QUESTION = Question(
    screen_id="7",
    text="How many?",
    answers=(),
    short_answers=("5",),
    frame=None,
    official_split=None,
    kinds=("short_answers",),
    provenance=Provenance("screenqa", "short.json", 3),
)


def judged(*screens, policy=REPORT, raters=None):
    return {screen.screen_id: screen for screen in judge_app(screens, policy, raters)}


def verdicts(found):
    return {number: screen.prefilter.language.verdict for number, screen in found.items()}


def refusal(screen, policy=REMOVE, raters=EVERYBODY):
    """Returns the reason why a lone screen is removed, or None."""
    (found,) = judge_app([screen], policy, raters)
    return found.prefilter.refusal[0] if found.prefilter.refusal else None


# Apps as a whole


def test_an_apps_language_counts_for_each_of_its_screens():
    """What one English screen of a Spanish app says does not keep it, nor what is too short."""
    screens = [asked(str(n), SPANISH[n % 3 :], "com.es") for n in range(3)]
    screens += [asked("8", ENGLISH[:1], "com.es"), asked("9", FEW, "com.es")]
    found = judged(*screens)
    assert set(verdicts(found).values()) == {LanguageVerdict.NOT_ENGLISH}
    for screen in found.values():
        assert screen.prefilter.app_language is LanguageVerdict.NOT_ENGLISH
        assert screen.prefilter.language.evidence.startswith("by the app: ")
    # What each screen says by itself is told apart from that.
    assert [found[n].screen.reading.language.verdict for n in "089"] == [
        LanguageVerdict.NOT_ENGLISH,
        LanguageVerdict.UNDETERMINED,
        LanguageVerdict.UNDETERMINED,
    ]


def test_texts_too_short_to_tell_by_alone_are_enough_together():
    screens = [asked(str(n), (text,), "com.en") for n, text in enumerate(ENGLISH)]
    assert LanguageVerdict.UNDETERMINED in verdicts(judged(screens[0])).values()
    assert set(verdicts(judged(*screens)).values()) == {LanguageVerdict.ENGLISH}


def test_an_app_that_cannot_be_told_leaves_it_to_the_screen():
    few = dataclasses.replace(REPORT, min_letters=70)
    found = judged(
        asked("1", SPANISH, "com.es", min_letters=70),
        asked("2", SPANISH, "com.es", min_letters=70),
        policy=dataclasses.replace(few, min_letters=10_000),
    )
    for screen in found.values():
        assert screen.prefilter.app_language is LanguageVerdict.UNDETERMINED
        assert screen.prefilter.language.verdict is LanguageVerdict.NOT_ENGLISH
        assert screen.prefilter.language.evidence.startswith("by the screen alone: ")


def test_an_app_of_one_screen_has_no_verdict_besides_the_screens():
    (found,) = judged(asked("1", SPANISH, "com.es")).values()
    assert found.prefilter == Prefilter(judge_language(SPANISH, REPORT))


def test_the_texts_have_done_their_part_and_travel_no_further():
    found = judged(asked("1", app="com.a"), asked("2", app="com.a"))
    assert [screen.screen.reading.sample for screen in found.values()] == ["", ""]
    before = asked("1", app="com.a").screen.reading
    assert found["1"].screen.reading == dataclasses.replace(before, sample="")


def test_with_the_language_off_there_is_no_verdict_on_it():
    policy = dataclasses.replace(REMOVE, language=Use.OFF)
    found = judged(*(asked(n, SPANISH, "com.es", language=Use.OFF) for n in "12"), policy=policy)
    assert [screen.prefilter for screen in found.values()] == [Prefilter(None)] * 2


def test_screens_without_a_picture_pass_as_they_are():
    bare = AskedScreen("3", None, None, (QUESTION,))
    unread = asked("4")
    unread = dataclasses.replace(unread, screen=dataclasses.replace(unread.screen, reading=None))
    assert list(judge_app([bare, unread], REMOVE, EVERYBODY)) == [bare, unread]


# What is removed


@pytest.mark.parametrize(
    ("texts", "sync", "reason"),
    [
        (SPANISH, IN_SYNC, Reason.SCREEN_NOT_ENGLISH),
        (ENGLISH, OUT_OF_SYNC, Reason.HIERARCHY_OUT_OF_SYNC),
        (SPANISH, OUT_OF_SYNC, Reason.SCREEN_NOT_ENGLISH),
        (FEW, OUT_OF_SYNC, Reason.HIERARCHY_OUT_OF_SYNC),
        # What cannot be told is kept.
        (FEW, DOUBTFUL, None),
        (FEW, NO_HIERARCHY, None),
        (ENGLISH, IN_SYNC, None),
    ],
)
@pytest.mark.parametrize("language", Use)
@pytest.mark.parametrize("sync_use", Use)
def test_only_a_verdict_that_is_to_remove_does(texts, sync, reason, language, sync_use):
    uses = {"language": language, "hierarchy_sync": sync_use}
    screen = asked("7", texts, sync=sync, **uses)
    found = refusal(screen, PrefilterPolicy(**uses))
    removing = {
        Reason.SCREEN_NOT_ENGLISH: language is Use.REMOVE,
        Reason.HIERARCHY_OUT_OF_SYNC: sync_use is Use.REMOVE,
    }
    if reason is Reason.SCREEN_NOT_ENGLISH and not removing[reason] and sync is OUT_OF_SYNC:
        reason = Reason.HIERARCHY_OUT_OF_SYNC
    assert found is (reason if removing.get(reason) else None)


def test_a_refusal_says_what_was_found():
    (screen,) = judge_app([asked("7", SPANISH)], REMOVE)
    assert screen.prefilter.refusal == (
        Reason.SCREEN_NOT_ENGLISH,
        f"score 0.00: {judge_language(SPANISH, REPORT).evidence}",
    )
    (screen,) = judge_app([asked("7", sync=OUT_OF_SYNC)], REMOVE)
    assert screen.prefilter.refusal == (
        Reason.HIERARCHY_OUT_OF_SYNC,
        "score 0.12: it is 12% covered",
    )


# Raters


@pytest.mark.parametrize("foreign", [True, False])
@pytest.mark.parametrize("unsynced", [True, False])
@pytest.mark.parametrize(("texts", "sync"), [(SPANISH, OUT_OF_SYNC), (ENGLISH, IN_SYNC)])
def test_what_a_rater_says_is_noted_and_nothing_is_removed_automatically(
    foreign, unsynced, texts, sync
):
    """Raters win, both ways: where they drop a screen, settling its events does so."""
    rated = asked("7", texts, sync=sync, events=[rating(foreign=foreign, unsynced=unsynced)])
    (found,) = judge_app([rated], REMOVE, EVERYBODY)
    assert found.prefilter.human == HumanRating(foreign, unsynced)
    assert found.prefilter.refusal is None
    assert found.events == rated.events


def test_raters_who_are_tied_keep_the_screen():
    events = [rating(foreign=True, who="1"), rating(unsynced=True, who="2")]
    (found,) = judge_app([asked("7", SPANISH, events=events)], REMOVE, EVERYBODY)
    assert found.prefilter.human == HumanRating(non_english=False, out_of_sync=False)
    assert found.prefilter.refusal is None


def test_most_raters_win():
    events = [rating(foreign=True, who="1"), rating(who="2"), rating(foreign=True, who="3")]
    assert EVERYBODY.rating_of(asked("7", events=events)) == HumanRating(True, False)


def test_the_latest_word_of_a_rater_counts():
    events = [rating(foreign=True, hour=2), rating(hour=1)]
    assert EVERYBODY.rating_of(asked("7", events=events)) == HumanRating(True, False)
    assert EVERYBODY.rating_of(asked("7", events=[*events, rating(hour=3)])) == HumanRating(
        False, False
    )


@pytest.mark.parametrize("status", ["cancelled", "draft", "withdrawn"])
def test_what_was_not_submitted_does_not_count(status):
    screen = asked("7", SPANISH, events=[rating(status=status)])
    assert EVERYBODY.rating_of(screen) is None
    assert refusal(screen) is Reason.SCREEN_NOT_ENGLISH


def test_what_came_late_does_not_count():
    raters = Raters(AnnotationPolicy(cutoff=START + datetime.timedelta(hours=2)), OPEN_GATE)
    screen = asked("7", SPANISH, events=[rating(hour=3)])
    assert refusal(screen, raters=raters) is Reason.SCREEN_NOT_ENGLISH
    assert refusal(asked("7", SPANISH, events=[rating(hour=2)]), raters=raters) is None


def test_who_did_not_pass_the_training_does_not_count():
    tasks = [training(is_correct, who="1", hour=n) for n, is_correct in enumerate([True] * 10)]
    tasks += [training(False, who="2", hour=n) for n in range(10)]
    qualities = [
        quality
        for who in ("1", "2")
        for quality in measure_quality(
            f"a_{who:0>12}", [t for t in tasks if t.annotator_id.endswith(who)], ANNOTATION
        )
    ]
    raters = Raters(ANNOTATION, make_gate(qualities))
    untrained = asked("7", SPANISH, events=[rating(who="2", hour=30), rating(who="3", hour=30)])
    assert refusal(untrained, raters=raters) is Reason.SCREEN_NOT_ENGLISH
    trained = asked("7", SPANISH, events=[*untrained.events, rating(who="1", hour=30)])
    assert refusal(trained, raters=raters) is None
    early = asked("7", SPANISH, events=[rating(who="1", hour=0)])
    assert refusal(early, raters=raters) is Reason.SCREEN_NOT_ENGLISH


def test_without_events_nobody_is_asked():
    assert refusal(asked("7", SPANISH, events=[rating()]), raters=None) is not None


ratings = st.lists(
    st.builds(
        rating,
        foreign=st.booleans(),
        unsynced=st.booleans(),
        who=st.sampled_from("123"),
        hour=st.integers(0, 4),
        status=st.sampled_from(["submitted"] * 4 + ["cancelled", "draft", "withdrawn"]),
    ),
    max_size=6,
    unique_by=lambda found: found.event_id,
)


@settings(max_examples=200)
@given(ratings, st.none() | st.integers(0, 4))
def test_raters_say_here_what_they_say_where_all_events_are_settled(events, last_hour):
    cutoff = None if last_hour is None else START + datetime.timedelta(hours=last_hour)
    policy = AnnotationPolicy(cutoff=cutoff)
    human = Raters(policy, OPEN_GATE).rating_of(asked("7", events=events))
    settled = None
    for result in settle_screen(events, ScreenFacts("7"), policy):
        if isinstance(result, ScreenAnnotations):
            settled = result.prefilter
    expected = HumanRating(settled.non_english, settled.out_of_sync) if settled else None
    assert human == expected


# The step


def many():
    """Returns screens of two apps, one of them Spanish, and some without an app."""
    spanish = [asked(str(n), SPANISH[n % 3 :], "com.es") for n in range(10, 15)]
    spanish.append(asked("15", ENGLISH, "com.es", events=[rating("15")]))
    english = [asked(str(n), ENGLISH[n % 3 :], "com.en") for n in range(20, 25)]
    english.append(asked("25", FEW, "com.en", sync=OUT_OF_SYNC))
    alone = [asked("30", SPANISH), asked("31", SPANISH, events=[rating("31")]), asked("32", FEW)]
    return [*spanish, *english, *alone, AskedScreen("40", None, None, (QUESTION,))]


def by_id(screens):
    return sorted(screens, key=lambda screen: int(screen.screen_id))


def expected_of(policy, raters):
    groups = {}
    for screen in many():
        groups.setdefault(screen.app or screen.screen_id, []).append(screen)
    return by_id(f for group in groups.values() for f in judge_app(group, policy, raters))


@pytest.mark.parametrize("policy", [REMOVE, REPORT, dataclasses.replace(REMOVE, language=Use.OFF)])
def test_the_step_finds_the_same_whatever_the_order_and_the_bundles(policy):
    expected = expected_of(policy, EVERYBODY)
    refused = [s.screen_id for s in expected if s.prefilter and s.prefilter.refusal]
    of_es = ["10", "11", "12", "13", "14", "30"]
    assert refused == {
        REMOVE: [*of_es[:5], "25", "30"],
        REPORT: [],
    }.get(policy, ["25"])
    for screens, reshuffle in ((many(), False), (many()[::-1], True)):
        with beam.Pipeline(runner=fn_runner.FnApiRunner()) as pipeline:
            qualities = pipeline | "Qualities" >> beam.Create([])
            found = (
                pipeline
                | beam.Create(screens, reshuffle=reshuffle)
                | JudgeScreens(policy, ANNOTATION, qualities)
            )
            assert_that(found, equal_to(expected))


def test_without_qualities_the_step_asks_no_raters():
    found = by_id(many() | JudgeScreens(REMOVE, ANNOTATION))
    assert found == expected_of(REMOVE, None)
    assert found[5].prefilter.refusal[0] is Reason.SCREEN_NOT_ENGLISH  # Though it is rated.


def test_the_step_knows_who_was_trained():
    tasks = [training(False, hour=n) for n in range(10)]
    screens = [asked("7", SPANISH, events=[rating(hour=30)])]
    for trained, expected in ((tasks, Reason.SCREEN_NOT_ENGLISH), ([], None)):
        with beam.Pipeline(runner=fn_runner.FnApiRunner()) as pipeline:
            found = measure_quality("a_000000000001", trained, ANNOTATION)
            qualities = pipeline | "Qualities" >> beam.Create(list(found))
            reasons = (
                pipeline
                | beam.Create(screens)
                | JudgeScreens(REMOVE, ANNOTATION, qualities)
                | beam.Map(lambda s: s.prefilter.refusal and s.prefilter.refusal[0])
            )
            assert_that(reasons, equal_to([expected]))


# Screens that are dropped


def test_a_removed_screen_takes_its_questions_along():
    (screen,) = judge_app([asked("7", sync=OUT_OF_SYNC, questions=[QUESTION])], REMOVE)
    found = "score 0.12: it is 12% covered"
    assert list(drop_refused(screen)) == [
        Reject("screen", "7", "drop_refused", Reason.HIERARCHY_OUT_OF_SYNC, found, "rico"),
        Reject(
            "short_answers",
            "7: How many?",
            "drop_refused",
            Reason.HIERARCHY_OUT_OF_SYNC,
            found,
            "screenqa/short.json:3",
        ),
    ]


def test_the_step_drops_what_is_refused_and_nothing_else():
    screens = expected_of(REMOVE, EVERYBODY)
    kept, rejects, tallies = screens | DropRefused()
    gone = {"10", "11", "12", "13", "14", "25", "30"}
    assert by_id(kept) == [screen for screen in screens if screen.screen_id not in gone]
    assert {(r.kind, r.id) for r in rejects} == {("screen", number) for number in gone}
    assert tallies == []


# The table


def test_the_tables_line_of_a_screen():
    texts = (*ENGLISH, "Write to ann@corner-shop.org or bob@corner-shop.org")
    screens = [
        asked("7", texts, "com.en", events=[rating(unsynced=True)]),
        asked("8", app="com.en", sync=DOUBTFUL),
    ]
    found = judged(*screens, raters=EVERYBODY)
    language = found["7"].prefilter.language
    assert prefilter_entry(found["7"]) == PrefilterEntry(
        screen_id="7",
        app="com.en",
        language="english",
        language_score=f"{language.score:.3f}",
        language_code="en",
        app_language="english",
        screen_language="english",
        hierarchy_sync="in_sync",
        hierarchy_sync_score="0.910",
        rated_non_english="no",
        rated_out_of_sync="yes",
        emails="2",
        phones="0",
        language_evidence=language.evidence,
        hierarchy_sync_evidence="it is 91% covered",
    )
    other = prefilter_entry(found["8"])
    assert (other.hierarchy_sync, other.hierarchy_sync_score) == ("undetermined", "0.500")
    assert (other.rated_non_english, other.rated_out_of_sync) == ("", "")
    for words in texts:  # No text of a screen gets into a table that is published.
        assert words not in "".join(dataclasses.astuple(prefilter_entry(found["7"])))


def test_what_was_not_asked_for_is_empty():
    (found,) = judge_app([asked("7", **ALL_OFF)], PrefilterPolicy(**ALL_OFF))
    entry = dataclasses.asdict(prefilter_entry(found))
    assert {name for name, value in entry.items() if value} == {"screen_id", "emails", "phones"}


def test_a_screen_that_was_not_read_has_no_line():
    assert prefilter_entry(AskedScreen("3", None, None, (QUESTION,))) is None
    assert prefilter_entry(asked("3")) is None  # Checked, and not judged yet.
