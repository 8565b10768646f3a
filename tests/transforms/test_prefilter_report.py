"""Tests of what the prefilter says of a whole build."""

from judged_screens import (
    DOUBTFUL,
    ENGLISH,
    FEW,
    OUT_OF_SYNC,
    SPANISH,
    asked,
    rating,
)

from schemas.campaigns import AnnotationPolicy
from schemas.manifest import PrefilterPolicy, Use
from schemas.readings import NO_HIERARCHY
from transforms.annotation.gates import OPEN_GATE
from transforms.prefilter_report import prefilter_report
from transforms.prefiltering import Raters, judge_app, prefilter_entry

NONE = {"compared": 0, "differing": 0, "kinds": {}, "examples": []}
PERSONAL = ("Mail ann@corner-shop.org", "Call +1 212 555 0142", "Call +44 20 7946 0958")


def entries(*apps, **policy):
    """Returns the table's lines of apps, each a list of its screens."""
    raters = Raters(AnnotationPolicy(), OPEN_GATE)
    found = PrefilterPolicy(**policy)
    return [prefilter_entry(s) for screens in apps for s in judge_app(screens, found, raters)]


def test_nothing_is_reported_of_nothing():
    assert prefilter_report([]) == {
        "screens": 0,
        "language": {},
        "app_language": {},
        "hierarchy_sync": {},
        "rated": 0,
        "disagreements": {
            "raters_and_language": NONE,
            "raters_and_hierarchy_sync": NONE,
            "app_and_screen_language": NONE,
        },
        "personal_data": {
            "emails": 0,
            "screens_with_emails": 0,
            "phones": 0,
            "screens_with_phones": 0,
        },
    }


def test_screens_and_apps_are_counted_by_verdict():
    report = prefilter_report(
        entries(
            [
                asked("1", SPANISH, "com.es"),
                asked("2", SPANISH, "com.es"),
                asked("3", FEW, "com.es"),
            ],
            [asked("4", ENGLISH, "com.en", sync=OUT_OF_SYNC)],
            [asked("5", FEW, "com.few", sync=DOUBTFUL)],
            [asked("6", ENGLISH, sync=NO_HIERARCHY)],
        )
    )
    assert report["screens"] == 6
    assert report["language"] == {"english": 2, "not_english": 3, "undetermined": 1}
    # The app of one screen is as its screen; a screen of no app counts for none.
    assert report["app_language"] == {"english": 1, "not_english": 1, "undetermined": 1}
    assert report["hierarchy_sync"] == {
        "in_sync": 3,
        "not_applicable": 1,
        "out_of_sync": 1,
        "undetermined": 1,
    }
    assert report["rated"] == 0


def test_a_disagreement_needs_two_verdicts():
    report = prefilter_report(
        entries(
            [asked("1", SPANISH, events=[rating("1", unsynced=True)])],
            [asked("2", ENGLISH, events=[rating("2", foreign=True)], sync=OUT_OF_SYNC)],
            [asked("3", ENGLISH, events=[rating("3")])],
            # Undetermined says nothing that a rater could contradict.
            [asked("4", FEW, events=[rating("4", foreign=True)], sync=DOUBTFUL)],
            [asked("5", FEW, events=[rating("5", unsynced=True)], sync=NO_HIERARCHY)],
            # Nobody rated this one.
            [asked("6", SPANISH, sync=OUT_OF_SYNC)],
        )
    )
    assert report["rated"] == 5
    assert report["disagreements"]["raters_and_language"] == {
        "compared": 3,
        "differing": 2,
        "kinds": {"english / not_english": 1, "not_english / english": 1},
        "examples": ["1", "2"],
    }
    assert report["disagreements"]["raters_and_hierarchy_sync"] == {
        "compared": 3,
        "differing": 2,
        "kinds": {"in_sync / out_of_sync": 1, "out_of_sync / in_sync": 1},
        "examples": ["1", "2"],
    }


def test_a_screen_that_is_unlike_its_app_is_a_disagreement():
    screens = [asked(str(n), SPANISH, "com.es") for n in range(5)]
    article = (*ENGLISH, "The quick brown fox jumps over the lazy dog every morning")
    screens += [asked("7", article, "com.es"), asked("8", FEW, "com.es")]
    # The app's verdict as its policy has it, where an English article does not make it doubtful.
    report = prefilter_report(entries(screens, not_english_below=0.55))
    found = report["disagreements"]["app_and_screen_language"]
    assert found == {
        "compared": 6,
        "differing": 1,
        "kinds": {"not_english / english": 1},
        "examples": ["7"],
    }


def test_examples_are_few_and_counts_are_whole():
    screens = [[asked(str(n), SPANISH, events=[rating(str(n))])] for n in range(60)]
    found = prefilter_report(entries(*screens))["disagreements"]["raters_and_language"]
    assert (found["compared"], found["differing"], len(found["examples"])) == (60, 60, 50)


def test_personal_data_is_counted_and_not_shown():
    found = entries([asked("1", PERSONAL)], [asked("2", PERSONAL[1:])], [asked("3")])
    report = prefilter_report(found)
    assert report["personal_data"] == {
        "emails": 1,
        "screens_with_emails": 1,
        "phones": 4,
        "screens_with_phones": 2,
    }
    assert not any(secret.split()[-1] in repr([report, found]) for secret in PERSONAL)


def test_verdicts_that_are_off_are_not_counted():
    off = {"language": Use.OFF, "hierarchy_sync": Use.OFF}
    report = prefilter_report(
        entries([asked("1", SPANISH, "com.es", events=[rating("1")], **off)], **off)
    )
    assert (report["screens"], report["rated"]) == (1, 1)
    assert (report["language"], report["app_language"], report["hierarchy_sync"]) == ({}, {}, {})
    assert set(map(str, report["disagreements"].values())) == {str(NONE)}
