"""Tests of the public reports on Label Studio's formats (annotation.md §3), row by row."""

import dataclasses
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.annotations import AnnotationPass, AnswerState, ElementOrigin, Verdict
from schemas.campaigns import AnnotationPolicy
from schemas.geometry import Bounds, Size
from schemas.rejects import Reason, Reject, RejectedRecordError, Tally
from schemas.settlements import ScreenAnnotations, ScreenFacts
from transforms.annotation.agreement import settle_question
from transforms.annotation.event_reading import event_line, parse_event
from transforms.annotation.label_studio.regions import read_box
from transforms.annotation.settling import settle_screen
from transforms.files import SourceError


def elements(read):
    return [(element.text, element.bounds) for element in read.answer.elements]


def region(studio, x, y, width, height, size, **more):
    return studio.box("r1", x, y, width, height, size=size, **more)


def settled(events, asked):
    found = list(settle_screen([*events, asked], ScreenFacts("9000001"), AnnotationPolicy()))
    result = next(item for item in found if isinstance(item, ScreenAnnotations))
    return result, [item.reason for item in found if isinstance(item, Reject)]


@pytest.fixture
def asked(make):
    return make.question("What is the total?", question_id="9000001:question_1:0:cde6c269")


# The rows of the table


def test_row_1_texts_are_joined_by_region_and_a_missing_one_shifts_nothing(studio):
    boxes = [studio.box(f"r{n}", y=10.0 * n) for n in (1, 2, 3)]
    texts = [
        studio.on(boxes[2], "element_text", text=["third"]),
        studio.on(boxes[0], "element_text", text=["first"]),
    ]
    read = studio.read([studio.task(studio.answered(*boxes, *texts))])
    assert [text for text, _ in elements(read)] == ["first", "", "third"]
    assert "empty_element_text:r2" in read.submitted[0].flags


@pytest.mark.parametrize("text", ["$ 24.90", ["$ 24.90", "x"]])
def test_rows_1_and_2_json_min_is_refused(studio, text):
    row = {"id": 1, "annotation_id": 4, "annotator": 2, "element_text": text, "screen_id": "1"}
    with pytest.raises(SourceError, match="unsupported format: it is a JSON_MIN export"):
        studio.read([row])


def test_row_3_relations_are_ignored(studio):
    relation = {"type": "relation", "from_id": "a", "to_id": "b", "direction": "right"}
    read = studio.read([studio.task(studio.answered(relation, studio.box()))])
    assert len(read.answer.elements) == 1


@pytest.mark.parametrize(
    ("box", "size", "expected"),
    [
        ((40.9, 7.14, 28.79, 14.29), (66, 154), (27, 11, 46, 33)),
        ((-1.85, 10, 112.96, 10), (1080, 1920), (0, 192, 1080, 384)),
        ((10, 96.18, 20, -60.73), (800, 800), (80, 284, 240, 769)),
        ((50, 10, -10, 10), (1000, 1000), (400, 100, 500, 200)),
        ((0, 99.95, 100, 0.05), (1080, 1920), (0, 1919, 1080, 1920)),
    ],
)
def test_rows_4_7_and_8_percentages_become_pixels(studio, box, size, expected):
    assert read_box(region(studio, *box, size))[0] == Bounds(*expected)


@pytest.mark.parametrize(
    ("box", "flag"),
    [
        ((-1.85, 10, 112.96, 10), "clipped:r1"),
        ((10, 96.18, 20, -60.73), "negative_height:r1"),
        ((50, 10, -10, 10), "negative_width:r1"),
    ],
)
def test_rows_7_and_8_repairs_are_flagged(studio, box, flag):
    read = studio.read([studio.task(studio.answered(studio.box("r1", *box)))])
    assert flag in read.submitted[0].flags


@pytest.mark.parametrize("side", ["x", "y", "width", "height"])
@pytest.mark.parametrize("value", [2561.47, 2691.55, 150.1, -151, 10**400])
def test_rows_5_and_6_pixels_and_hundredfolds_are_no_percentages(studio, side, value):
    box = studio.box(**{side: value})
    read = studio.read([studio.task(studio.answered(box))])
    assert read.reasons == [Reason.PERCENT_OUT_OF_RANGE]


@pytest.mark.parametrize("turned", [{"rotation": 90}, {"rotation": 15.5}, {"image_rotation": 90}])
def test_row_9_a_turned_box_is_rejected_and_never_straightened(studio, turned):
    box = studio.box(size=(1000, 500), **turned)
    assert studio.read([studio.task(studio.answered(box))]).reasons == [Reason.ROTATED_BOX]


def test_row_10_boxes_are_in_the_frame_that_was_displayed(studio):
    tasks = [studio.task(studio.answered(studio.box()))]
    assert studio.read(tasks, sizes={"9000001": Size(1080, 1920)}).reasons == []
    swapped = {"9000001": Size(1920, 1080)}
    assert studio.read(tasks, sizes=swapped).reasons == [Reason.IMAGE_SIZE_MISMATCH]


def test_row_10_the_tasks_own_size_is_checked_too(studio):
    data = {"image_width": 1920, "image_height": 1080}
    tasks = [studio.task(studio.answered(studio.box()), data=data)]
    assert studio.read(tasks).reasons == [Reason.IMAGE_SIZE_MISMATCH]


def test_row_11_empty_skipped_and_unlabelled_are_three_things(studio):
    empty = studio.annotation(number=1)
    skipped = studio.annotation(number=2, was_cancelled=True)
    read = studio.read([studio.task(empty, skipped), studio.task(number=2)])
    assert read.reasons == [Reason.MISSING_STATUS]
    assert read.counts == {"read": 2, "cancelled": 1}


@pytest.mark.parametrize("value", [None, "10", float("nan"), True])
def test_row_12_a_coordinate_that_is_no_number_is_missing(studio, value):
    box = studio.box()
    box["value"]["x"] = value
    assert studio.read([studio.task(studio.answered(box))]).reasons == [Reason.MISSING_KEY]


def test_row_13_results_without_boxes_stand_among_those_with(studio):
    box = studio.box()
    parts = (studio.text("question_correction", "What is it?"), box)
    read = studio.read([studio.task(studio.answered(*parts))])
    assert elements(read) == [("", Bounds(108, 192, 324, 288))]


def test_row_14_an_annotation_without_its_time_does_not_stop_the_file(studio):
    timeless = studio.answered(number=1, created_at="absent")
    read = studio.read([studio.task(timeless, studio.answered(number=2, who=3))])
    assert read.reasons == [Reason.MISSING_KEY]
    assert len(read.submitted) == 1


@pytest.mark.parametrize(
    ("label", "reasons", "n_elements"),
    [(None, [], 0), ("vh_candidate", [], 0), ([], [], 0), ("answr", [Reason.BAD_LABEL], None)],
)
def test_row_15_a_box_without_label_is_no_element_and_a_mangled_one_is_bad(
    studio, label, reasons, n_elements
):
    read = studio.read([studio.task(studio.answered(studio.box(label=label)))])
    assert read.reasons == reasons
    if n_elements is not None:
        assert len(read.answer.elements) == n_elements
        assert read.submitted[0].flags == ("no_elements",)


def test_row_16_the_times_of_a_reimport_are_lost_and_old_ids_tell_the_latest(studio, asked):
    same = {"created_at": "2026-12-01T10:00:01.000000Z", "updated_at": None}
    newer = studio.answered(number=31, import_id=8, full="It is $ 24.90.", **same)
    older = studio.answered(number=32, import_id=7, full="It is ...", **same)
    read = studio.read([studio.task(older, newer)])
    assert [event.flags[0] for event in read.submitted] == ["timestamps_lost"] * 2
    result, reasons = settled(read.submitted, asked)
    assert reasons == [Reason.SUPERSEDED_BY_SAME_ANNOTATOR]
    assert result.questions[0].answers[0].answer.full_answer == "It is $ 24.90."


def test_row_16_imports_at_several_times_have_lost_nothing(studio):
    first = studio.answered(number=1, import_id=7)
    second = studio.answered(number=9, who=3, import_id=8)
    assert all(
        "timestamps_lost" not in e.flags for e in studio.read([studio.task(first, second)]).events
    )


def test_row_17_a_task_that_is_there_twice_is_counted_once(studio, asked):
    task = studio.task(studio.answered())
    read = studio.read([task, task])
    found = list(
        settle_screen([*read.submitted, asked], ScreenFacts("9000001"), AnnotationPolicy())
    )
    assert Tally("repairs", "duplicates_exact", 1) in found


def test_row_18_two_tasks_of_one_question_are_one_question(studio, asked):
    tasks = [
        studio.task(studio.answered(number=1, who=2), number=1),
        studio.task(studio.answered(number=2, who=3), studio.answered(number=3, who=2), number=2),
    ]
    result, reasons = settled(studio.read(tasks).submitted, asked)
    assert len(result.questions) == 1
    assert len(result.questions[0].answers) == 2
    assert reasons == [Reason.SUPERSEDED_BY_SAME_ANNOTATOR]


def test_row_19_import_ids_and_ids_of_predictions_read_fine(studio):
    read = studio.read([studio.task(studio.answered(import_id=12), predictions=[1])])
    assert read.submitted[0].source.import_id == "12"


def test_row_20_one_region_bears_one_text(studio):
    box = studio.box()
    one = studio.on(box, "element_text", text=["a"])
    other = studio.on(box, "element_text", text=["b"])
    both = studio.on(box, "element_text", text=["a", "b"])
    for results in ((one, other), (both,)):
        read = studio.read([studio.task(studio.answered(box, *results))])
        assert read.reasons == [Reason.MULTIPLE_REGION_TEXTS]


def test_row_21_what_was_skipped_is_counted_and_never_parsed(studio):
    leftovers = [studio.box(f"vh_{n}", x=9999) for n in range(26)]
    skipped = studio.annotation(*leftovers, was_cancelled=True)
    read = studio.read([studio.task(skipped)])
    assert read.counts == {"read": 1, "cancelled": 1}
    assert [event.answer for event in read.events] == [None]


def test_row_22_a_question_that_one_of_three_answered_is_settled_by_that_one(studio, asked):
    result, _ = settled(studio.read([studio.task(studio.answered())]).submitted, asked)
    (question,) = result.questions
    assert settle_question(question.text, question.answers).level == "single"


def test_row_23_nobody_is_no_annotator(studio):
    nobody = studio.answered(completed_by="absent")
    nameless = studio.answered(number=2, completed_by={"id": 7})
    read = studio.read([studio.task(nobody, nameless)])
    assert read.reasons == [Reason.MISSING_COMPLETED_BY, Reason.UNKNOWN_USER]


# What real runs showed besides


def test_a_full_answer_is_one_text(studio):
    twice = studio.annotation(
        studio.choice("answer_status", "answerable"), studio.text("full_answer", "a", "b")
    )
    assert studio.read([studio.task(twice)]).reasons == [Reason.MULTIPLE_FULL_ANSWERS]


def test_a_text_may_be_no_list(studio):
    results = [studio.choice("answer_status", "answerable"), studio.text("full_answer")]
    results[1]["value"]["text"] = " It is $ 24.90. "
    read = studio.read([studio.task(studio.annotation(*results))])
    assert read.answer.full_answer == "It is $ 24.90."
    assert read.submitted[0].flags == ("text_trimmed", "no_elements")


def test_an_unknown_control_is_told_before_anything_else(studio):
    stray = studio.choice("nonexistent", "zzz")
    composer = studio.annotation(stray, who=1)
    assert studio.read([studio.task(composer)]).reasons == [Reason.UNKNOWN_CONTROL]


def test_a_task_with_only_a_draft_is_counted(studio):
    draft = {"id": 3, "user": "ann2@example.invalid", "result": [{}], "task": 1}
    draft["created_at"] = "2026-11-29T20:41:54.361895Z"
    read = studio.read([studio.task(drafts=[draft, 4])])
    assert read.counts == {"read": 2, "draft": 2}
    assert [(event.event_id, event.status) for event in read.events] == [
        ("ls:main:5-draft-3", "draft")
    ]


def test_who_edited_anothers_annotation_is_seen(studio):
    spoofed = studio.answered(who=2, updated_by=4)
    (event,) = studio.read([studio.task(spoofed)]).submitted
    assert event.updated_by_other


def test_a_choice_that_was_toggled_off_is_missing(studio):
    toggled = studio.annotation(studio.choice("answer_status"), studio.text("full_answer", "x"))
    assert studio.read([studio.task(toggled)]).reasons == [Reason.MISSING_STATUS]


def test_two_choices_are_ambiguous(studio):
    torn = studio.annotation(studio.choice("answer_status", "answerable", "not_answerable"))
    assert studio.read([studio.task(torn)]).reasons == [Reason.AMBIGUOUS_STATUS]


def test_a_box_that_vanishes_when_rounded_is_empty(studio):
    sliver = studio.box(y=99.99, height=0.001)
    assert studio.read([studio.task(studio.answered(sliver))]).reasons == [Reason.BOX_EMPTY]


def test_a_result_on_a_region_needs_its_id(studio):
    box = studio.box()
    del box["id"]
    assert studio.read([studio.task(studio.answered(box))]).reasons == [Reason.MISSING_REGION_ID]


def test_an_answer_without_a_sentence_is_none(studio):
    bare = studio.annotation(studio.choice("answer_status", "answerable"), studio.box())
    assert studio.read([studio.task(bare)]).reasons == [Reason.MISSING_FULL_ANSWER]


@pytest.mark.parametrize("state", ["not_answerable", "invalid_question"])
def test_no_answer_and_an_answer_contradict_each_other(studio, state):
    status = studio.choice("answer_status", state)
    for result in (studio.text("full_answer", "It is."), studio.box()):
        read = studio.read([studio.task(studio.annotation(status, result))])
        assert read.reasons == [Reason.CONTRADICTORY_ANSWER]


def test_leaves_that_were_left_over_do_not(studio):
    status = studio.choice("answer_status", "not_answerable")
    left = studio.annotation(status, studio.box("vh_7", label="vh_candidate"))
    assert studio.read([studio.task(left)]).answer.state is AnswerState.NOT_ANSWERABLE


# Leaves and ranks


LEAF = {"meta": {"vh_index": 7, "class": "android.widget.TextView"}}


def offered(studio, *boxes):
    return {"result": [box | {"value": dict(box["value"])} for box in boxes]}


def test_a_leaf_is_known_by_its_meta_and_else_by_its_region(studio):
    boxes = [studio.box("abc", **LEAF), studio.box("vh_10", y=30.0), studio.box("vh_x", y=50.0)]
    read = studio.read([studio.task(studio.answered(*boxes))])
    assert [element.vh_index for element in read.answer.elements] == [7, 10, -1]


def test_a_leaf_that_was_moved_is_drawn(studio):
    leaf = studio.box("vh_7", label="vh_candidate", **LEAF)
    moved = studio.box("vh_7", x=12.0, **LEAF)
    annotation = studio.answered(moved, prediction=offered(studio, leaf))
    read = studio.read([studio.task(annotation)])
    (element,) = read.answer.elements
    assert (element.vh_index, element.origin) == (-1, ElementOrigin.VH_DEMOTED)
    assert read.submitted[0].flags[1] == "vh_demoted:vh_7:7"


def test_a_copied_leaf_is_dropped(studio):
    boxes = [studio.box("vh_7", **LEAF), studio.box("8d95OSdCip", **LEAF)]
    read = studio.read([studio.task(studio.answered(*boxes))])
    assert [element.region_id for element in read.answer.elements] == ["vh_7"]
    assert "duplicate_vh_dropped:8d95OSdCip:7" in read.submitted[0].flags


def ranked(studio, *ranks):
    results = []
    for n, rank in enumerate(ranks):
        box = studio.box(f"r{n}", y=10.0 * n)
        results.append(box)
        if rank is not None:
            results.append(studio.on(box, "element_rank", number=rank))
    read = studio.read([studio.task(studio.answered(*results))])
    flags = [flag for flag in read.submitted[0].flags if flag == "rank_incomplete"]
    return [(e.region_id, e.rank) for e in read.answer.elements], flags


def test_ranks_order_the_elements_and_run_from_one(studio):
    assert ranked(studio, 2, 1) == ([("r1", 1), ("r0", 2)], [])
    assert ranked(studio, 9, 4) == ([("r1", 1), ("r0", 2)], ["rank_incomplete"])


def test_without_all_ranks_the_order_of_making_counts(studio):
    assert ranked(studio, 2, None, 1) == ([("r0", 1), ("r1", 2), ("r2", 3)], ["rank_incomplete"])


# Other passes


def test_a_rating_is_two_independent_choices_and_a_note(studio):
    results = [
        studio.choice("language", "english"),
        studio.choice("vh_sync", "in_sync_ghosting"),
        studio.text("note", "menu, ask ann2@example.invalid"),
        studio.box("vh_3", label="vh_candidate") | {"from_name": "leaves"},
    ]
    read = studio.read([studio.task(studio.annotation(*results))], pass_=AnnotationPass.PREFILTER)
    (event,) = read.submitted
    assert (event.prefilter.language, event.prefilter.vh_sync) == ("english", "in_sync_ghosting")
    assert event.prefilter.note == "menu, ask <address>"
    assert event.question_id is None


def test_a_skipped_screen_and_nothing_to_add_are_told_apart(studio):
    for status, is_skipped in (("no_interesting_content", True), ("nothing_to_add", False)):
        task = studio.task(studio.annotation(studio.choice("screen_status", status)))
        (event,) = studio.read([task], pass_=AnnotationPass.QUESTION_2).submitted
        assert (event.question.text, event.question.skipped_screen) == (None, is_skipped)


@pytest.mark.parametrize(
    ("status", "texts", "reason"),
    [
        ("has_questions", [], Reason.TEXT_EMPTY),
        ("has_questions", [" "], Reason.TEXT_EMPTY),
        ("nothing_to_add", ["When?"], Reason.AMBIGUOUS_STATUS),
        ("perhaps", ["When?"], Reason.BAD_LABEL),
    ],
)
def test_status_and_questions_must_agree(studio, status, texts, reason):
    results = [studio.choice("screen_status", status), studio.text("question", *texts)]
    task = studio.task(studio.annotation(*results))
    assert studio.read([task], pass_=AnnotationPass.QUESTION_1).reasons == [reason]


def test_a_screen_review_is_three_choices(studio):
    results = [studio.choice("pii", "no"), studio.choice("unsafe", "yes")]
    task = studio.task(studio.annotation(*results), data={"pass": "screen_review"})
    (event,) = studio.read([task]).submitted
    assert dataclasses.astuple(event.screen_review) == (False, True, None)


def test_labelled_elements_have_class_text_parent_and_effect(studio):
    outer = studio.box("a", width=50.0, label="Card")
    inner = studio.box("b", label="Icon", parentID="a")
    results = [outer, inner, studio.on(inner, "interactive", choices=["static"])]
    results.append(studio.on(outer, "element_text", text=["Pay"]))
    task = studio.task(studio.annotation(*results), data={"pass": "element"})
    card, icon = studio.read([task]).submitted[0].element.elements
    assert (card.label, card.text, card.interactive, card.parent_region_id) == (
        "Card",
        "Pay",
        None,
        None,
    )
    assert (icon.label, icon.text, icon.interactive, icon.parent_region_id) == (
        "Icon",
        "",
        False,
        "a",
    )


def test_a_class_that_is_none_is_a_bad_label(studio):
    task = studio.task(studio.annotation(studio.box(label="Buton")), data={"pass": "element"})
    assert studio.read([task]).reasons == [Reason.BAD_LABEL]


def test_a_review_names_what_it_reviewed_by_task_or_by_prediction(studio):
    verdict = studio.choice("review_verdict", "fixed")
    reasons = studio.choice("review_reason", "wrong_box", "duplicate")
    told = studio.task(
        studio.annotation(verdict, reasons),
        data={"pass": "element_review", "target_event_id": "e1"},
    )
    shown = studio.task(
        studio.annotation(verdict, prediction={"model_version": "pass1:e2"}),
        data={"pass": "element_review"},
    )
    neither = studio.task(studio.annotation(verdict), data={"pass": "element_review"})
    read = studio.read([told, shown, neither])
    assert [e.review.target_event_id for e in read.submitted] == ["e1", "e2"]
    assert read.submitted[0].review.verdict is Verdict.FIXED
    assert read.submitted[0].review.reasons == ("wrong_box", "duplicate")
    assert read.reasons == [Reason.REVIEW_TARGET_MISSING]


# People


def test_the_composer_may_not_answer_under_any_spelling(studio):
    own = studio.users().pseudonym("ann2@example.invalid")
    for composer in ("Ann2@Example.invalid ", own):
        task = studio.task(studio.answered(), data={"composer": composer})
        assert studio.read([task]).reasons == [Reason.COMPOSER_ANSWERED_OWN_QUESTION]
    ids = studio.task(studio.answered(completed_by=2), data={"composer": 2})
    read = studio.read([ids], {"2": "ann2@example.invalid"})
    assert read.reasons == [Reason.COMPOSER_ANSWERED_OWN_QUESTION]


def test_no_address_of_the_projects_people_comes_through(studio):
    secret = "ann2@example.invalid"
    texts = [
        studio.choice("answer_status", "answerable"),
        studio.text("full_answer", f"Ask {secret} or help@shop.example."),
        studio.text("question_correction", f"{secret}?"),
    ]
    bad = studio.annotation(studio.choice(secret, "x"), number=2, who=3)
    timed = studio.answered(number=3, who=3, created_at=secret)
    read = studio.read([studio.task(studio.annotation(*texts), bad, timed)])
    assert "example.invalid" not in "".join(map(str, read.items))
    assert read.answer.full_answer == "Ask <address> or help@shop.example."


def test_ids_are_the_same_at_every_import(studio):
    tasks = [studio.task(studio.answered(), studio.answered(number=2, who=3))]
    first, second = studio.read(tasks), studio.read(tasks[::-1])
    assert first.items == second.items
    assert first.submitted[0].event_id == "ls:main:ec329be1-f866-433b-83eb-000000000001"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ({"screen_id": None}, Reason.MISSING_KEY),
        ({"screen_id": "a/b"}, Reason.ID_MALFORMED),
        ({"question_id": None, "pass": "answer"}, Reason.MISSING_KEY),
        ({"pass": "no such pass"}, Reason.MISSING_KEY),
    ],
)
def test_a_task_that_misses_its_ids_does_not_stop_the_file(studio, data, reason):
    tasks = [studio.task(studio.answered(), data=data), studio.task(studio.answered(number=2))]
    read = studio.read(tasks)
    assert read.reasons == [reason]
    assert len(read.submitted) == 1


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2)
    ),
    max_leaves=4,
)


def spoil(item, data):
    """Replaces one value somewhere inside."""
    while isinstance(item, dict | list) and item:
        keys = list(item) if isinstance(item, dict) else list(range(len(item)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(item[key], dict | list) or not item[key] or data.draw(st.booleans()):
            item[key] = data.draw(values)
            return
        item = item[key]


@settings(max_examples=200, deadline=None, suppress_health_check=["function_scoped_fixture"])
@given(data=st.data())
def test_a_spoilt_export_gives_events_rejects_or_one_refusal_and_never_a_crash(studio, data):
    box = studio.box("vh_7", **LEAF)
    results = [
        box,
        studio.on(box, "element_text", text=["a"]),
        studio.on(box, "element_rank", number=1),
    ]
    annotation = studio.answered(*results, prediction=offered(studio, box))
    tasks = [studio.task(annotation, drafts=[{"id": 1}]), studio.task(studio.answered(number=2))]
    for _ in range(data.draw(st.integers(1, 3))):
        spoil(tasks, data)
    try:
        read = studio.read(tasks, {"2": "ann2@example.invalid"})
    except SourceError:
        return
    for event in read.events:
        assert parse_event(json.loads(event_line(event))) == event


def test_the_box_of_a_region_needs_a_picture(studio):
    with pytest.raises(RejectedRecordError) as caught:
        read_box(studio.box(size=(0, 1920)))
    assert caught.value.reason is Reason.MISSING_KEY
