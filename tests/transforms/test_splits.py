"""Tests of which screen goes into which split."""

import dataclasses
import io

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from schemas.geometry import Size
from schemas.manifest import ImagePolicy, SplitBy, SplitPolicy, Twins, UnknownApp
from schemas.questions import AskedScreen, Provenance, Question
from schemas.rejects import Outcome, Reason, Reject, RejectedRecordError, Tally
from schemas.screens import App, ImageFacts, Screen, ScreenRef
from schemas.splits import SPLITS
from transforms.screens.images import check_image
from transforms.splits import AssignSplits, assign_split, same_pictures, settle_twins, split_of

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
        pixels=picture,
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
    step = AssignSplits(BY_APP, {})
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
    kept, rejects, _ = screens | AssignSplits(policy, {})

    def places(results):
        return sorted((r.screen_id, r.split) for r in results if isinstance(r, AskedScreen))

    assert places(kept) == places(expected)
    assert sorted((r.kind, r.id, r.reason) for r in rejects) == sorted(
        (r.kind, r.id, r.reason) for r in expected if isinstance(r, Reject)
    )


def test_without_pictures_the_step_looks_at_each_screen_alone():
    screens = [asked("9", app_in("train"), pictures=False), asked("10", pictures=False)]
    kept, rejects, tallies = screens | AssignSplits(BY_APP, None)
    assert kept == [placed(screens[0], "train")]
    assert [(r.kind, r.reason) for r in rejects] == [("short_answers", Reason.APP_UNKNOWN)]
    assert tallies == []


# Pictures that look the same at the scale of the check


PIXELS = numpy.random.default_rng(1).integers(0, 200, (30, 17, 3), numpy.uint8)
PIXELS = PIXELS.repeat(64, 0).repeat(64, 1)
"""Squares of 64 × 64 pixels: no JPEG block has any detail."""

CHECKS = (numpy.indices((8, 8)).sum(0) % 2 * 16 - 8)[..., None]
"""The highest frequency of one JPEG block, which is gone at an eighth of the size."""


def with_a_detail(pixels):
    """Returns the pixels, 64 of them a little different, as a digit on a screen may be."""
    other = pixels.copy()
    other[800:808, 400:408] = numpy.clip(other[800:808, 400:408] + CHECKS, 0, 255)
    return other


def jpeg(pixels=PIXELS, **more):
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "JPEG", quality=95, subsampling=0, **more)
    return buffer.getvalue()


def png(pixels=PIXELS, **more):
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG", **more)
    return buffer.getvalue()


def with_segment(data):
    """Returns a JPEG with one more application segment, such as a cache leaves."""
    return data[:2] + b"\xff\xe9\x00\x08notes!" + data[2:]


def with_text(**more):
    note = PngInfo()
    note.add_text("Software", "a screenshot tool")
    return png(pnginfo=note, **more)


def turned(orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    return jpeg(exif=exif)


DETAILED = jpeg(with_a_detail(PIXELS))


@pytest.fixture
def pictured(tmp_path):
    """Returns a function that makes a checked screen of a file's bytes, of an app if named."""

    def make(screen_id, data, app=None):
        (tmp_path / f"{screen_id}.jpg").write_bytes(data)
        screen = Screen(check_image(data, ImagePolicy()), "", 0)
        return dataclasses.replace(asked(screen_id, app), screen=screen)

    return make


@pytest.fixture
def folders(tmp_path):
    return {"rico": str(tmp_path)}


def groups_of(screens, folders):
    found = same_pictures(iter(screens), folders)
    return [[screen.screen_id for screen in group] for group in found]


def test_two_jpegs_may_look_the_same_at_the_scale_of_the_check_and_differ(pictured):
    """What the tests below rest on."""
    one, other = pictured("1", jpeg()).screen.image, pictured("2", DETAILED).screen.image
    assert one.sha256 != other.sha256
    assert one.pixels == other.pixels
    decoded = [numpy.asarray(Image.open(io.BytesIO(data))) for data in (jpeg(), DETAILED)]
    assert not numpy.array_equal(*decoded)


def test_files_that_differ_are_told_apart_by_all_of_their_pixels(pictured, folders):
    screens = [
        pictured("1", jpeg()),
        pictured("2", DETAILED),
        pictured("3", jpeg(comment=b"copied")),
        pictured("4", with_segment(DETAILED)),
        pictured("5", jpeg()),
    ]
    assert groups_of(screens, folders) == [["1", "3", "5"], ["2", "4"]]
    groups = list(same_pictures(screens, folders))
    exact = [{screen.screen.image.pixels for screen in group} for group in groups]
    assert [len(digests) for digests in exact] == [1, 1]
    assert exact[0] != exact[1]
    # Nothing else of a screen changes.
    for screen in (screen for group in groups for screen in group):
        before = screens[int(screen.screen_id) - 1]
        image = dataclasses.replace(screen.screen.image, pixels=before.screen.image.pixels)
        assert dataclasses.replace(screen.screen, image=image) == before.screen
        assert screen.questions == before.questions


def test_the_very_same_file_is_not_read_again(pictured):
    screens = [pictured("1", jpeg()), pictured("2", jpeg())]
    assert list(same_pictures(screens, {"rico": "/nowhere"})) == [screens]


def test_a_file_that_changed_under_the_build_stops_it(pictured, folders, tmp_path):
    screens = [pictured("1", jpeg()), pictured("2", DETAILED)]
    (tmp_path / "2.jpg").write_bytes(jpeg())
    with pytest.raises(ValueError, match="the picture of screen 2 changed while the build ran"):
        list(same_pictures(screens, folders))


SAME = {
    "comment": (jpeg(), jpeg(comment=b"copied")),
    "segment": (jpeg(), with_segment(jpeg())),
    "huffman tables": (jpeg(), jpeg(optimize=True)),
    "progressive": (jpeg(), jpeg(progressive=True)),
    "compression": (png(compress_level=1), png(compress_level=9)),
    "text chunk": (png(), with_text()),
    "same bytes": (jpeg(), jpeg()),
}
DIFFERENT = {
    "detail": (jpeg(), DETAILED),
    "detail with a comment": (jpeg(comment=b"copied"), DETAILED),
    "turned": (turned(1), turned(3)),
    "one pixel": (png(), png(with_a_detail(PIXELS))),
}


def split_up(pictured, folders, train, evaluated, evaluation, policy=BY_APP):
    screens = [
        pictured("9", train, app_in("train")),
        pictured("10", evaluated, app_in(evaluation)),
        pictured("11", png(PIXELS[::-1]), app_in("train")),
    ]
    kept, rejects, tallies = screens | AssignSplits(policy, folders)
    assert sum(tally.count for tally in tallies) == len(kept)
    reasons = [(r.id, r.reason, r.detail) for r in rejects if r.kind == "screen"]
    return sorted((screen.screen_id, screen.split) for screen in kept), reasons


@pytest.mark.parametrize("evaluation", ["validation", "test"])
@pytest.mark.parametrize("twins", SAME.values(), ids=SAME)
def test_train_loses_the_pixels_of_an_evaluation_screen(pictured, folders, twins, evaluation):
    kept, reasons = split_up(pictured, folders, *twins, evaluation)
    assert kept == [("10", evaluation), ("11", "train")]
    assert reasons == [("9", Reason.TWIN_IN_EVAL, f"the picture of 10 in {evaluation}")]


@pytest.mark.parametrize("others", DIFFERENT.values(), ids=DIFFERENT)
def test_nothing_is_dropped_by_likeness_alone(pictured, folders, others):
    kept, reasons = split_up(pictured, folders, *others, "test")
    assert kept == [("10", "test"), ("11", "train"), ("9", "train")]
    assert reasons == []


def test_twins_of_the_same_pixels_may_be_reported_only(pictured, folders):
    policy = SplitPolicy(twins=Twins.REPORT)
    kept, reasons = split_up(pictured, folders, *SAME["comment"], "test", policy)
    assert ("9", "train") in kept
    assert reasons == []


def test_screen_wise_the_same_pixels_go_together_and_others_by_themselves(pictured, folders):
    policy = SplitPolicy(by=SplitBy.SCREEN)
    split = split_of("screen:3", policy)
    numbers = range(4, 100)
    apart = next(str(n) for n in numbers if split_of(f"screen:{n}", policy) != split)
    screens = [
        pictured("3", jpeg()),
        pictured("300", jpeg(comment=b"copied")),
        pictured(apart, DETAILED),
    ]
    kept, _, _ = screens | AssignSplits(policy, folders)
    assert {screen.screen_id: screen.split for screen in kept} == {
        "3": split,
        "300": split,
        apart: split_of(f"screen:{apart}", policy),
    }
