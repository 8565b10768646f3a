"""Tests of which screen goes into which split."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.geometry import Size
from schemas.manifest import SPLITS, SplitBy, SplitPolicy, Twins, UnknownApp
from schemas.questions import AskedScreen, Provenance, Question
from schemas.rejects import Outcome, Reason, Reject, RejectedRecordError, Tally
from schemas.screens import App, ImageFacts, Screen, ScreenRef
from transforms.splits import AssignSplits, assign_split, settle_twins, split_of

BY_APP = SplitPolicy()
OFFICIAL = SplitPolicy(by=SplitBy.OFFICIAL)
PICTURE = "ab" * 32


def question(split=None, text="How many?", kinds=("short_answers",)):
    return Question(
        screen_id="7",
        text=text,
        answers=(),
        short_answers=("5",),
        frame=None,
        official_split=split,
        kinds=kinds,
        provenance=Provenance("screenqa", "short.json", 3),
    )


def asked(screen_id="7", app=None, questions=(), *, picture=PICTURE, pictures=True):
    image = ImageFacts(
        size=Size(9, 9),
        file_size=Size(9, 9),
        orientation=1,
        mime="image/png",
        reencoded=False,
        size_bytes=9,
        sha256=picture,
        layout_hash="",
    )
    return AskedScreen(
        screen_id=screen_id,
        ref=ScreenRef(screen_id, "rico", f"{screen_id}.jpg", None) if pictures else None,
        app=App(app, None) if app else None,
        questions=questions or (question(),),
        screen=Screen(image, "", 0) if pictures else None,
    )


def group_in(split, policy=BY_APP, prefix="app:com."):
    """Returns the first group of these names that falls into a split."""
    numbers = (f"{prefix}{number}" for number in range(10_000))
    return next(group for group in numbers if split_of(group, policy) == split)


def app_in(split):
    return group_in(split).removeprefix("app:")


def placed(screen, split, questions=None):
    return dataclasses.replace(screen, split=split, questions=questions or screen.questions)


def test_a_group_keeps_its_split_in_every_release():
    # Changing this is a new major version of every data set.
    splits = {number: split_of(f"app:com.{number}", BY_APP) for number in range(40)}
    assert [number for number in splits if splits[number] == "validation"] == [6, 11, 29, 35]
    assert [number for number in splits if splits[number] == "test"] == [2, 3, 8, 14, 32, 38]


@given(st.text(max_size=20), st.text(max_size=5))
def test_every_group_has_a_split_under_every_seed(group, seed):
    assert split_of(group, SplitPolicy(seed=seed)) in SPLITS


def test_another_seed_is_another_split():
    groups = [f"app:{number}" for number in range(200)]
    moved = [
        group
        for group in groups
        if split_of(group, BY_APP) != split_of(group, SplitPolicy(seed="other"))
    ]
    assert 20 < len(moved) < 120


@pytest.mark.parametrize(
    "shares", [(0.8, 0.1, 0.1), (0.7, 0.2, 0.1), (1 / 3, 1 / 3, 1 / 3), (0.5, 0.0, 0.5)]
)
def test_shares_are_met_by_many_groups(shares):
    policy = SplitPolicy(shares=shares)
    counts = dict.fromkeys(SPLITS, 0)
    for number in range(4000):
        counts[split_of(f"app:{number}", policy)] += 1
    for split, share in zip(SPLITS, shares, strict=True):
        assert abs(counts[split] / 4000 - share) < 0.03
        assert bool(counts[split]) == bool(share)


@pytest.mark.parametrize("split", SPLITS)
def test_a_split_with_all_of_the_share_gets_every_group(split):
    shares = tuple(1.0 if name == split else 0.0 for name in SPLITS)
    policy = SplitPolicy(shares=shares)
    assert {split_of(str(number), policy) for number in range(100)} == {split}


def test_shares_that_sum_to_a_little_less_than_one_lose_no_group(monkeypatch):
    monkeypatch.setattr("transforms.splits.stable_fraction", lambda *parts: 1 - 2**-53)
    assert split_of("app:a", SplitPolicy(shares=(0.7, 0.2, 0.1))) == "test"
    assert split_of("app:a", SplitPolicy(shares=(0.7, 0.299999999, 0.0))) == "validation"


@pytest.mark.parametrize(
    ("fraction", "split"), [(0.0, "train"), (0.5, "validation"), (0.75, "test")]
)
def test_a_share_begins_where_the_one_before_ends(monkeypatch, fraction, split):
    monkeypatch.setattr("transforms.splits.stable_fraction", lambda *parts: fraction)
    assert split_of("app:a", SplitPolicy(shares=(0.5, 0.25, 0.25))) == split


packages = st.lists(st.from_regex(r"[a-z]{1,8}", fullmatch=True), min_size=1, max_size=8)


@given(packages, st.from_regex(r"[a-z]{1,8}", fullmatch=True))
def test_adding_an_app_moves_no_other(apps, added):
    def splits_of(packages):
        screens = {package: asked(app=package) for package in packages}
        return {p: next(assign_split(s, s.screen_id, BY_APP)).split for p, s in screens.items()}

    before, after = splits_of(apps), splits_of([*apps, added])
    assert {package: after[package] for package in before} == before


def test_all_screens_of_an_app_go_together():
    screens = [asked(str(number), "com.a") for number in range(20)]
    splits = {next(assign_split(s, s.screen_id, BY_APP)).split for s in screens}
    assert splits == {split_of("app:com.a", BY_APP)}


def test_a_screen_of_an_unknown_app_is_rejected():
    with pytest.raises(RejectedRecordError) as caught:
        list(assign_split(asked("7"), "7", BY_APP))
    assert caught.value.reason is Reason.APP_UNKNOWN
    assert caught.value.detail == "no source names the app of 7"


def test_a_screen_of_an_unknown_app_may_be_a_group_of_its_own():
    policy = SplitPolicy(unknown_app=UnknownApp.OWN_GROUP)
    assert list(assign_split(asked("7"), "3", policy)) == [
        placed(asked("7"), split_of("screen:3", policy))
    ]


def test_screen_wise_the_picture_decides_and_not_the_app():
    policy = SplitPolicy(by=SplitBy.SCREEN)
    assert list(assign_split(asked("7", "com.a"), "3", policy)) == [
        placed(asked("7", "com.a"), split_of("screen:3", policy))
    ]


def test_an_app_and_a_screen_of_one_name_are_two_groups():
    policy = SplitPolicy(unknown_app=UnknownApp.OWN_GROUP)
    names = [str(number) for number in range(50)]
    by_app = [next(assign_split(asked(app=name), name, policy)).split for name in names]
    by_screen = [next(assign_split(asked(name), name, policy)).split for name in names]
    assert by_app != by_screen


def test_official_splits_are_those_of_the_files():
    screen = asked(questions=(question("test"),))
    assert list(assign_split(screen, "7", OFFICIAL)) == [placed(screen, "test")]


def test_a_screen_on_which_official_files_disagree_goes_into_each():
    train, test = question("train", "A?"), question("test", "B?")
    screen = asked(questions=(test, train))
    assert list(assign_split(screen, "7", OFFICIAL)) == [
        placed(screen, "train", (train,)),
        placed(screen, "test", (test,)),
    ]


def test_a_screen_alone_is_kept_and_counted():
    screen = asked(app="com.a")
    assert list(settle_twins([screen], BY_APP)) == [
        Tally("screen", Outcome.KEPT, 1),
        placed(screen, split_of("app:com.a", BY_APP)),
    ]


def test_without_pictures_screens_are_no_records():
    screen = asked(app="com.a", pictures=False)
    assert list(settle_twins([screen], BY_APP)) == [placed(screen, split_of("app:com.a", BY_APP))]


def test_a_screen_of_an_unknown_app_takes_its_questions_along():
    assert list(settle_twins([asked("7")], BY_APP)) == [
        Reject(
            "screen",
            "7",
            "assign_split",
            Reason.APP_UNKNOWN,
            "no source names the app of 7",
            "rico",
        ),
        Reject(
            "short_answers",
            "7: How many?",
            "assign_split",
            Reason.SCREEN_REJECTED,
            "app_unknown: no source names the app of 7",
            "screenqa/short.json:3",
        ),
    ]


@pytest.mark.parametrize("evaluation", ["validation", "test"])
def test_train_loses_the_twin_of_an_evaluation_screen(evaluation):
    train, other = asked("9", app_in("train")), asked("10", app_in(evaluation))
    detail = f"the picture of 10 in {evaluation}"
    assert list(settle_twins([other, train], BY_APP)) == [
        Reject("screen", "9", "settle_twins", Reason.TWIN_IN_EVAL, detail, "rico"),
        Reject(
            "short_answers",
            "7: How many?",
            "settle_twins",
            Reason.SCREEN_REJECTED,
            f"twin_in_eval: {detail}",
            "screenqa/short.json:3",
        ),
        Tally("screen", Outcome.KEPT, 1),
        placed(other, evaluation),
    ]


def test_twins_may_be_reported_only():
    policy = SplitPolicy(twins=Twins.REPORT)
    train, test = asked("9", app_in("train")), asked("10", app_in("test"))
    assert list(settle_twins([train, test], policy)) == [
        Tally("screen", Outcome.KEPT, 1),
        placed(train, "train"),
        Tally("screen", Outcome.KEPT, 1),
        placed(test, "test"),
    ]


def test_twins_within_train_stay():
    one, other = asked("9", app_in("train")), asked("10", app_in("train"))
    kept = [r for r in settle_twins([other, one], BY_APP) if isinstance(r, AskedScreen)]
    assert kept == [placed(one, "train"), placed(other, "train")]


def test_twins_go_together_screen_wise():
    policy = SplitPolicy(by=SplitBy.SCREEN)
    screens = [asked(str(number)) for number in (12, 3, 40)]
    kept = [r for r in settle_twins(screens, policy) if isinstance(r, AskedScreen)]
    split = split_of("screen:3", policy)
    assert [(screen.screen_id, screen.split) for screen in kept] == [
        ("3", split),
        ("12", split),
        ("40", split),
    ]


def test_a_screen_that_is_its_own_only_twin_stays_in_both_splits():
    train, test = question("train", "A?"), question("test", "B?")
    screen = asked(questions=(train, test))
    assert list(settle_twins([screen], OFFICIAL)) == [
        Tally("screen", Outcome.KEPT, 1),
        placed(screen, "train", (train,)),
        placed(screen, "test", (test,)),
    ]


def test_a_screen_that_stays_in_another_split_loses_only_its_train_questions():
    train, validation = question("train", "A?"), question("validation", "B?")
    both = asked("9", questions=(train, validation))
    twin = asked("10", questions=(question("test"),))
    assert list(settle_twins([both, twin], OFFICIAL)) == [
        Reject(
            "short_answers",
            "7: A?",
            "settle_twins",
            Reason.TWIN_IN_EVAL,
            "the picture of 10 in test",
            "screenqa/short.json:3",
        ),
        Tally("screen", Outcome.KEPT, 1),
        placed(both, "validation", (validation,)),
        Tally("screen", Outcome.KEPT, 1),
        placed(twin, "test"),
    ]


policies = st.builds(
    SplitPolicy,
    by=st.sampled_from(SplitBy),
    shares=st.just((0.4, 0.3, 0.3)),
    unknown_app=st.sampled_from(UnknownApp),
    twins=st.sampled_from(Twins),
)
twins = st.lists(
    st.tuples(
        st.integers(1, 30),
        st.sampled_from([None, "com.a", "com.b", "com.c", "com.d"]),
        st.lists(st.sampled_from(SPLITS), min_size=1, max_size=3),
    ),
    min_size=1,
    max_size=5,
    unique_by=lambda twin: twin[0],
).map(
    lambda drawn: [
        asked(
            str(number),
            app,
            tuple(question(split, f"{n}?") for n, split in enumerate(splits)),
        )
        for number, app, splits in drawn
    ]
)


@settings(max_examples=300)
@given(twins, policies, st.randoms(use_true_random=False))
def test_of_one_picture_every_screen_and_question_has_one_fate(screens, policy, random):
    results = list(settle_twins(screens, policy))
    kept = [r for r in results if isinstance(r, AskedScreen)]
    rejects = [r for r in results if isinstance(r, Reject)]
    counted = sum(r.count for r in results if isinstance(r, Tally))
    assert counted == len({screen.screen_id for screen in kept})
    assert counted + sum(r.kind == "screen" for r in rejects) == len(screens)
    questions = sum(len(screen.questions) for screen in kept)
    lost = sum(r.kind == "short_answers" for r in rejects)
    assert questions + lost == sum(len(screen.questions) for screen in screens)
    random.shuffle(screens)
    assert list(settle_twins(screens, policy)) == results


@given(twins, policies)
def test_no_picture_of_evaluation_stays_in_train_unless_asked_for(screens, policy):
    kept = [r for r in settle_twins(screens, policy) if isinstance(r, AskedScreen)]
    train = {screen.screen_id for screen in kept if screen.split == "train"}
    evaluated = {screen.screen_id for screen in kept if screen.split != "train"}
    if policy.twins is Twins.DROP_FROM_TRAIN:
        assert all(evaluated <= {screen_id} for screen_id in train)


def test_the_step_looks_at_all_screens_of_a_picture_together():
    train, test = asked("9", app_in("train")), asked("10", app_in("test"))
    other = asked("11", app_in("train"), picture="cd" * 32)
    step = AssignSplits(BY_APP, by_picture=True)
    kept, rejects, tallies = [train, test, other] | step
    assert sorted((screen.screen_id, screen.split) for screen in kept) == [
        ("10", "test"),
        ("11", "train"),
    ]
    assert sorted((r.kind, r.reason) for r in rejects) == [
        ("screen", Reason.TWIN_IN_EVAL),
        ("short_answers", Reason.SCREEN_REJECTED),
    ]
    assert sum(tally.count for tally in tallies) == 2


@pytest.mark.parametrize("by", SplitBy)
@pytest.mark.parametrize("unknown_app", UnknownApp)
def test_a_step_that_only_reports_twins_settles_them_as_one_that_sees_them(by, unknown_app):
    policy = SplitPolicy(by=by, unknown_app=unknown_app, twins=Twins.REPORT)
    screens = [
        asked("9", "com.a", (question("train"),)),
        asked("10", None, (question("test"),)),
        asked("11", None, (question("validation"),)),
        asked("12", "com.b", (question("train", "A?"), question("test", "B?"))),
    ]
    expected = list(settle_twins(screens, policy))
    kept, rejects, _ = screens | AssignSplits(policy, by_picture=True)

    def places(results):
        return sorted((r.screen_id, r.split) for r in results if isinstance(r, AskedScreen))

    assert places(kept) == places(expected)
    assert sorted((r.kind, r.id, r.reason) for r in rejects) == sorted(
        (r.kind, r.id, r.reason) for r in expected if isinstance(r, Reject)
    )


def test_without_pictures_the_step_looks_at_each_screen_alone():
    screens = [asked("9", app_in("train"), pictures=False), asked("10", pictures=False)]
    kept, rejects, tallies = screens | AssignSplits(BY_APP, by_picture=False)
    assert kept == [placed(screens[0], "train")]
    assert [(r.kind, r.reason) for r in rejects] == [("short_answers", Reason.APP_UNKNOWN)]
    assert tallies == []
