"""Tests of boxes brought onto the stored picture."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.geometry import Bounds, Size, turn, turned_size
from schemas.questions import Answer, AskedScreen, Provenance, Question, UiElement
from schemas.rejects import Outcome, Reason, Reject, RejectedRecordError, Tally
from schemas.screens import ImageFacts, Screen, ScreenRef
from transforms.boxes import FitBoxes, box_problem, fit_answer, fit_boxes, to_picture

PICTURE = Size(1080, 1920)
edges = st.integers(-3000, 3000)
boxes = st.builds(Bounds, edges, edges, edges, edges)


def facts(file_size=PICTURE, orientation=1):
    file_size = Size(*file_size)
    return ImageFacts(
        size=turned_size(file_size, orientation),
        file_size=file_size,
        orientation=orientation,
        mime="image/jpeg",
        reencoded=orientation != 1,
        size_bytes=100,
        sha256="ab" * 32,
        layout_hash="",
    )


def answer(*bounds, vh_index=-1, text="5"):
    return Answer("It is 5.", tuple(UiElement(text, Bounds(*b), vh_index) for b in bounds))


def question(*answers, short_answers=(), frame=None, text="How many?"):
    return Question(
        screen_id="7",
        text=text,
        answers=answers,
        short_answers=short_answers,
        frame=frame,
        official_split=None,
        kinds=("answers",) if answers else ("short_answers",),
        provenance=Provenance("screenqa", "train.json", 3),
    )


def asked(*questions, image=None, node_count=0):
    screen = Screen(image or facts(), "cd" * 32 if node_count else "", node_count)
    ref = ScreenRef("7", "rico", "7.jpg", None)
    return AskedScreen("7", ref, None, questions, screen)


def answer_reject(index, reason, detail):
    origin = "screenqa/train.json:3"
    return Reject("answer", f"7#{index}", "fit_answer", reason, detail, origin)


@pytest.mark.parametrize(
    ("box", "problem"),
    [
        ((0, 0, 1080, 1920), None),
        ((10, 10, 11, 11), None),
        ((-50, 0, 50, 10), None),
        ((-51, 0, 50, 10), Reason.BOX_OUTSIDE),
        ((1070, 1910, 1090, 1920), None),
        ((1070, 1910, 1091, 1920), Reason.BOX_OUTSIDE),
        ((-400, 10, -300, 40), Reason.BOX_OUTSIDE),
        ((0, 2000, 10, 2010), Reason.BOX_OUTSIDE),
        ((780, 603, 780, 700), Reason.BOX_EMPTY),
        ((780, 603, 790, 603), Reason.BOX_EMPTY),
        ((0, 0, 0, 0), Reason.BOX_EMPTY),
        ((900, 100, 300, 200), Reason.BOX_INVERTED),
        ((100, 200, 300, 100), Reason.BOX_INVERTED),
        ((900, 200, 300, 100), Reason.BOX_INVERTED),
    ],
)
def test_a_box_is_usable_with_an_area_of_which_half_lies_on_the_picture(box, problem):
    assert box_problem(Bounds(*box), PICTURE) is problem


@given(boxes, st.sampled_from([None, PICTURE, Size(540, 960), Size(2160, 3840)]))
def test_a_fitted_box_lies_on_its_picture_and_has_an_area(box, frame):
    try:
        fitted, _ = fit_answer(answer(box), frame, facts(), 0)
    except RejectedRecordError:
        return
    left, top, right, bottom = fitted.ui_elements[0].bounds
    assert 0 <= left < right <= PICTURE.width
    assert 0 <= top < bottom <= PICTURE.height


def test_a_box_over_the_edge_is_clipped_and_counted():
    fitted = fit_answer(answer((-7, 10, 50, 40), (0, 0, 9, 9)), None, facts(), 0)
    assert fitted == (answer((0, 10, 50, 40), (0, 0, 9, 9)), ["boxes_clipped"])


def test_one_unusable_box_makes_the_whole_answer_unusable():
    with pytest.raises(RejectedRecordError) as caught:
        fit_answer(answer((0, 0, 9, 9), (900, 100, 300, 200)), None, facts(), 0)
    assert caught.value.reason is Reason.BOX_INVERTED
    assert caught.value.detail == "'5' at (900, 100, 300, 200) on (1080, 1920)"


def test_an_answer_without_elements_is_fitted_as_it_is():
    unanswered = Answer("<no answer>", ())
    assert fit_answer(unanswered, PICTURE, facts(), 12) == (unanswered, [])


@pytest.mark.parametrize(
    ("vh_index", "node_count", "fitted", "repairs"),
    [
        (11, 12, 11, []),
        (12, 12, -1, ["vh_indexes_demoted"]),
        (15, 12, -1, ["vh_indexes_demoted"]),
        (-1, 12, -1, []),
        (15, 0, 15, []),
    ],
)
def test_an_index_that_the_hierarchy_lacks_becomes_a_drawn_box(
    vh_index, node_count, fitted, repairs
):
    given_answer = answer((0, 0, 9, 9), vh_index=vh_index)
    expected = answer((0, 0, 9, 9), vh_index=fitted)
    assert fit_answer(given_answer, None, facts(), node_count) == (expected, repairs)


def test_a_box_of_a_smaller_picture_is_scaled():
    assert to_picture(Bounds(10, 20, 30, 40), Size(540, 960), facts()) == (20, 40, 60, 80)


@pytest.mark.parametrize("orientation", range(2, 9))
def test_a_box_of_the_displayed_picture_stays_whatever_the_files_orientation(orientation):
    image = facts((1920, 1080), orientation)
    box = Bounds(10, 20, 30, 40)
    assert to_picture(box, image.size, image) == box
    assert to_picture(box, None, image) == box


@pytest.mark.parametrize("orientation", range(5, 9))
def test_a_box_of_the_unturned_picture_turns_along(orientation):
    image = facts((1920, 1080), orientation)
    box = Bounds(10, 20, 30, 40)
    turned = turn(box, image.file_size, orientation)
    assert to_picture(box, Size(1920, 1080), image) == turned
    assert to_picture(Bounds(5, 10, 15, 20), Size(960, 540), image) == turned


@pytest.mark.parametrize(
    ("frame", "image"),
    [
        (Size(1920, 1080), facts()),
        (Size(1080, 1794), facts()),
        (Size(1000, 1000), facts((1920, 1080), 6)),
    ],
)
def test_a_box_of_a_picture_of_another_shape_is_refused(frame, image):
    with pytest.raises(RejectedRecordError) as caught:
        to_picture(Bounds(0, 0, 9, 9), frame, image)
    assert caught.value.reason is Reason.IMAGE_SIZE_MISMATCH
    expected = f"made on {frame.width} × {frame.height}, the picture has 1080 × 1920"
    assert caught.value.detail == expected


def test_an_unusable_answer_leaves_and_the_question_stays():
    good, bad = answer((0, 0, 9, 9)), answer((0, 0, 0, 9))
    kept = dataclasses.replace(question(good), frame=PICTURE)
    assert list(fit_boxes(asked(question(bad, good)))) == [
        answer_reject(0, Reason.BOX_EMPTY, "'5' at (0, 0, 0, 9) on (1080, 1920)"),
        asked(kept),
    ]


def test_a_question_that_loses_all_answers_leaves_with_them():
    bad = answer((0, 0, 0, 9))
    lost, stays = question(bad, bad, text="Lost?"), question(answer((0, 0, 9, 9)))
    results = list(fit_boxes(asked(lost, stays)))
    detail = "'5' at (0, 0, 0, 9) on (1080, 1920)"
    reason = Reason.ANSWERS_UNUSABLE
    origin = "screenqa/train.json:3"
    assert results == [
        Reject("answers", "7: Lost?", "fit_boxes", reason, detail, origin),
        Tally("answer", "with_question", 2),
        asked(dataclasses.replace(stays, frame=PICTURE)),
    ]


def test_short_answers_keep_a_question_whose_answers_are_unusable():
    both = dataclasses.replace(
        question(answer((0, 0, 0, 9)), short_answers=("5",)), kinds=("answers", "short_answers")
    )
    assert list(fit_boxes(asked(both))) == [
        answer_reject(0, Reason.BOX_EMPTY, "'5' at (0, 0, 0, 9) on (1080, 1920)"),
        asked(dataclasses.replace(both, answers=(), frame=PICTURE)),
    ]


def test_a_screen_that_loses_all_questions_is_orphaned():
    lost = question(answer((0, 0, 0, 9)))
    results = list(fit_boxes(asked(lost)))
    assert [result.reason for result in results if isinstance(result, Reject)] == [
        Reason.ANSWERS_UNUSABLE
    ]
    assert results[-1] == Tally("screen", Outcome.ORPHANED, 1)


def test_a_question_made_on_another_picture_says_so():
    turned = question(answer((0, 0, 9, 9)), frame=Size(1920, 1080))
    reject = next(iter(fit_boxes(asked(turned))))
    assert (reject.kind, reject.reason) == ("answers", Reason.IMAGE_SIZE_MISMATCH)
    assert reject.detail == "made on 1920 × 1080, the picture has 1080 × 1920"


def test_without_pictures_boxes_are_held_against_the_records_own_frame():
    good, empty, outside = answer((0, 0, 9, 9)), answer((0, 0, 0, 9)), answer((5000, 0, 5009, 9))
    framed = dataclasses.replace(question(good, empty, outside), frame=PICTURE)
    unseen = AskedScreen("7", None, None, (framed,))
    *rejects, kept = fit_boxes(unseen)
    assert [reject.reason for reject in rejects] == [Reason.BOX_EMPTY, Reason.BOX_OUTSIDE]
    assert kept.questions[0].answers == (good,)
    assert kept.questions[0].frame == PICTURE


def test_the_step_parts_kept_from_rejects_and_counts_repairs():
    over = question(answer((-7, 10, 50, 40), vh_index=99))
    lost = question(answer((0, 0, 0, 9)))
    kept, rejects, tallies = [asked(over, node_count=3), asked(lost)] | FitBoxes()
    fitted = dataclasses.replace(question(answer((0, 10, 50, 40))), frame=PICTURE)
    assert kept == [asked(fitted, node_count=3)]
    assert [reject.reason for reject in rejects] == [Reason.ANSWERS_UNUSABLE]
    assert {(t.kind, t.outcome): t.count for t in tallies} == {
        ("repairs", "boxes_clipped"): 1,
        ("repairs", "vh_indexes_demoted"): 1,
        ("answer", "with_question"): 1,
        ("screen", "orphaned"): 1,
    }
