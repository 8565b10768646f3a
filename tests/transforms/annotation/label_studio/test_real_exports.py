"""Tests on exports that others made (data/annotation_exports, see its PROVENANCE.md)."""

import json

import pytest

from schemas.annotations import AnnotationPass
from schemas.geometry import Bounds, Size
from schemas.rejects import Reason
from transforms.annotation.event_reading import event_line, parse_event
from transforms.files import SourceError

NAMES = {
    "1": "owner@example.invalid",
    "2": "ann1@example.invalid",
    "3": "ann2@example.invalid",
    "4": "ann3@example.invalid",
}
SNAPSHOT = "answer_snapshot_users_drafts_expanded.json"


@pytest.fixture
def real(studio):
    folder = studio.exports / "label_studio" / "real_1.23.2"
    if not folder.is_dir():
        pytest.skip(f"no real exports at {folder}")
    return folder


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def content(event):
    """Returns an event in the older, flat shape of the expected files."""
    answer = event.answer
    return {
        "event_id": "ls:" + event.event_id.rpartition(":")[2],
        "pass": event.pass_.value,
        "screen_id": event.screen_id,
        "question_id": event.question_id,
        "annotator": event.annotator_id,
        "submitted_at": event.submitted_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "updated_at": event.updated_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "updated_by_other": event.updated_by_other,
        "status": answer.state.value,
        "full_answer": answer.full_answer,
        "question_correction": answer.question_correction,
        "elements": [
            {
                "rank": element.rank,
                "text": element.text,
                "bounds": list(element.bounds),
                "vh_index": element.vh_index,
                "region_id": element.region_id,
            }
            for element in answer.elements
        ],
        "flags": list(event.flags),
    }


def expected(studio, folder):
    events = lines(folder / "expected_answer_events.jsonl")
    users = studio.users()
    return [event | {"annotator": users.pseudonym(event["annotator"])} for event in events]


def test_the_snapshot_gives_the_expected_events(studio, real):
    read = studio.read_file(real / SNAPSHOT)
    assert [content(event) for event in read.submitted] == expected(studio, real)


def test_the_snapshot_gives_four_rejects_and_four_counts(studio, real):
    read = studio.read_file(real / SNAPSHOT)
    letters = lines(real / "expected_answer_dead_letters.jsonl")
    assert sorted((r.reason.value, r.id) for r in read.rejects) == sorted(
        (one["reason"], f"task {one['task_id']}, annotation {one['annotation_id']}")
        for one in letters
        if not one["reason"].endswith("_ignored")
    )
    assert read.counts == {"read": 13, "kept": 5, "cancelled": 2, "draft": 2}
    left = [event for event in read.events if event not in read.submitted]
    assert [event.status for event in left] == ["cancelled", "cancelled", "draft", "draft"]
    assert all(event.answer is None for event in left)


def test_no_address_comes_through(studio, real):
    items = studio.read_file(real / SNAPSHOT).items
    assert not any("@" in str(item) for item in items)


def test_the_easy_export_is_refused_without_a_user_map_and_the_same_with_one(studio, real):
    path = real / "answer_easy_export.json"
    with pytest.raises(SourceError, match="--user-map"):
        studio.read_file(path)
    read = studio.read_file(path, NAMES)
    assert [content(event) for event in read.submitted] == expected(studio, real)


def test_a_user_that_the_map_lacks_is_unknown(studio, real):
    names = {key: name for key, name in NAMES.items() if key != "4"}
    read = studio.read_file(real / "answer_easy_export.json", names)
    unknown = [reject for reject in read.rejects if reject.reason is Reason.UNKNOWN_USER]
    assert [reject.id for reject in unknown] == [
        "task 1, annotation 5",
        "task 3, annotation 10",
    ]


def test_five_questions_of_the_real_editor_are_five_events(studio, real):
    read = studio.read_file(real / "questions_pass1_easy_export.json", NAMES)
    texts = [(event.event_id[-3:], event.question.text) for event in read.submitted]
    assert texts == [
        (":q0", "What is the order number?"),
        (":q1", "What is the total?"),
        (":q2", "When is the delivery?"),
        (":q3", "Is it shipped?"),
        (":q4", "What is the payment method?"),
    ]
    assert [event.flags for event in read.submitted][2] == ("text_trimmed",)
    assert {event.pass_ for event in read.submitted} == {AnnotationPass.QUESTION_1}


def test_a_box_on_a_turned_jpeg_is_in_the_frame_that_was_shown(studio, real):
    path = real / "muianno_elements_exif_easy_export.json"
    upright = {"9000003": Size(1080, 1920)}
    (event,) = studio.read_file(path, NAMES, sizes=upright).submitted
    (element,) = event.element.elements
    assert (element.label, element.bounds) == ("Button", Bounds(155, 513, 517, 694))
    stored = {"9000003": Size(1920, 1080)}
    assert studio.read_file(path, NAMES, sizes=stored).reasons == [Reason.IMAGE_SIZE_MISMATCH]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("answer_json_min.json", "JSON_MIN"),
        ("answer.csv", "CSV"),
        ("answer_coco_result.json", "COCO"),
        ("muianno_elements_exif_coco_result.json", "COCO"),
        ("answer_import_tasks_with_vh_predictions.json", "to be imported"),
    ],
)
def test_what_is_no_snapshot_is_refused_with_what_to_export_instead(studio, real, name, said):
    with pytest.raises(SourceError) as caught:
        studio.read_file(real / name, NAMES)
    message = str(caught.value)
    assert said in message
    assert "export a snapshot of the project as JSON" in message
    assert "\n" not in message
    assert "@" not in message


@pytest.mark.parametrize("folder", ["sdk_tests", "evalme_tests", "real_1.23.2"])
def test_every_file_gives_events_or_one_refusal(studio, real, folder):
    files = [path for path in sorted((real.parent / folder).iterdir()) if path.is_file()]
    refusals = []
    for path in files:
        try:
            read = studio.read_file(path, NAMES)
        except SourceError as error:
            refusals.append(str(error))
            continue
        assert read.submitted
        for event in read.events:
            assert parse_event(json.loads(event_line(event))) == event
    assert all(one.startswith(str(real.parent)) and one.count("\n") == 0 for one in refusals)
    assert "@" not in "".join(refusals)
    assert len(refusals) == {"sdk_tests": 6, "evalme_tests": 2, "real_1.23.2": 7}[folder]


def test_the_old_format_is_named(studio, real):
    with pytest.raises(SourceError, match=r"before 1\.0"):
        studio.read_file(real.parent / "evalme_tests" / "test_old_format.json")
