"""Tests of reading annotation events from JSON lines and Parquet."""

import dataclasses
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.annotations import (
    AnnotationEvent,
    AnnotationPass,
    EventStatus,
    event_schema,
    event_values,
)
from schemas.rejects import Reason, Reject, RejectedRecordError, Tally
from transforms.annotation.event_reading import (
    event_line,
    find_event_files,
    parse_event,
    read_events,
)
from transforms.fates import EVENT
from transforms.files import SourceError


def read(path):
    (file,) = find_event_files([str(path)])
    return list(read_events(file))


def raw(event, **changes):
    return json.loads(event_line(event)) | changes


@pytest.fixture(scope="session")
def events(make):
    asked = make.question("When is delivery ?")
    return [
        make.rating(),
        asked,
        make.skip(who="7"),
        make.answer(asked, elements=(make.element(vh_index=13), make.element("B", rank=2))),
        make.review(),
        make.training(True),
        make.verification("Visa", "5", wrong=("5",)),
        make.verification("Visa", maker=None),
    ]


def test_events_come_back_from_json_lines_as_they_were_written(events, tmp_path):
    path = tmp_path / "events.jsonl"
    path.write_text("".join(event_line(event) + "\n" for event in events))
    assert read(path) == [*events, Tally(EVENT, "read", 8)]


def test_events_come_back_from_parquet_as_they_were_written(events, tmp_path):
    path = tmp_path / "events.parquet"
    rows = [event_values(event) for event in events]
    pq.write_table(pa.Table.from_pylist(rows, schema=event_schema()), path)
    assert read(path) == [*events, Tally(EVENT, "read", 8)]


def test_a_line_that_is_no_event_is_rejected_with_its_place_and_the_others_are_read(
    events, tmp_path
):
    path = tmp_path / "events.jsonl"
    lines = [
        b"\xef\xbb\xbf" + event_line(events[0]).encode(),
        b"",
        b'{"event_id": "cut off',
        b"\xff\xfe",
        b"[1, 2]",
        b'{"schema_version": "1.0", "event_id": "e7", "lead_time_s": NaN}',
        b"[" * 100_000,
        event_line(events[1]).encode(),
    ]
    path.write_bytes(b"\n".join(lines))
    *found, tally = read(path)
    assert found[0] == events[0]
    assert found[-1] == events[1]
    rejects = [item for item in found if isinstance(item, Reject)]
    assert [(r.reason, r.origin) for r in rejects] == [
        (Reason.BAD_JSON, "events.jsonl:3"),
        (Reason.BAD_JSON, "events.jsonl:4"),
        (Reason.RECORD_MALFORMED, "events.jsonl:5"),
        (Reason.BAD_JSON, "events.jsonl:6"),
        (Reason.BAD_JSON, "events.jsonl:7"),
    ]
    assert tally == Tally(EVENT, "read", 7)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"event_id": None}, Reason.MISSING_KEY),
        ({"event_id": " "}, Reason.MISSING_KEY),
        ({"event_id": 7}, Reason.RECORD_MALFORMED),
        ({"schema_version": None}, Reason.MISSING_KEY),
        ({"schema_version": "2.0"}, Reason.UNSUPPORTED_FORMAT),
        ({"pass": "question_9"}, Reason.RECORD_MALFORMED),
        ({"status": "done"}, Reason.RECORD_MALFORMED),
        ({"screen_id": "../x"}, Reason.ID_MALFORMED),
        ({"question_id": None}, Reason.MISSING_KEY),
        ({"submitted_at": "2026-01-01T12:00:00"}, Reason.RECORD_MALFORMED),
        ({"submitted_at": "yesterday"}, Reason.RECORD_MALFORMED),
        ({"lead_time_s": "12"}, Reason.RECORD_MALFORMED),
        ({"image_width": 1080.0}, Reason.RECORD_MALFORMED),
        ({"flags": "clipped"}, Reason.RECORD_MALFORMED),
        ({"source": None}, Reason.MISSING_KEY),
        ({"answer": None}, Reason.MISSING_KEY),
        ({"annotator_id": "ann1@example.invalid"}, Reason.UNKNOWN_USER),
        ({"screen_review": {"pii": False, "unsafe": False}}, Reason.RECORD_MALFORMED),
    ],
)
def test_an_event_against_the_format_is_rejected(make, changes, reason):
    record = raw(make.answer("q")) | changes
    with pytest.raises(RejectedRecordError) as caught:
        parse_event(record)
    assert caught.value.reason is reason
    assert "@" not in caught.value.detail


def test_the_place_of_what_is_wrong_is_told(make):
    record = raw(make.answer("q"))
    record["answer"]["elements"][0]["rank"] = "first"
    with pytest.raises(RejectedRecordError, match=r"answer\.elements\[0\]\.rank is 'first'"):
        parse_event(record)


def test_a_screen_id_loses_its_leading_zeros(make):
    assert parse_event(raw(make.answer("q"), screen_id="00042")).screen_id == "42"
    assert parse_event(raw(make.answer("q"), screen_id=42)).screen_id == "42"


@pytest.mark.parametrize("status", ["cancelled", "draft", "withdrawn"])
def test_what_was_not_submitted_is_kept_without_its_leftovers(make, status):
    record = raw(make.answer("q"), status=status, answer={"state": "half a thought"})
    event = parse_event(record)
    assert event.status == EventStatus(status)
    assert event.answer is None


def test_unknown_keys_are_left_alone_as_later_versions_may_add_some(make):
    event = make.answer("q")
    assert parse_event(raw(event, schema_version="1.3", mood="good")).answer == event.answer


def test_a_review_of_short_answers_of_before_reads_as_one_that_tells_less(make, tmp_path):
    event = make.verification("Visa", "5", wrong=("5",))
    old = raw(event)
    del old["short_answers"]["rejected"], old["short_answers"]["shown"]
    expected = dataclasses.replace(event.short_answers, rejected=(), shown=None)
    assert parse_event(old).short_answers == expected

    struct = event_schema().field("short_answers").type
    narrow = pa.struct([struct.field(name) for name in ("verdict", "short_answers")])
    at = event_schema().get_field_index("short_answers")
    schema = event_schema().set(at, pa.field("short_answers", narrow))
    path = tmp_path / "old.parquet"
    row = event_values(event)
    row["short_answers"] = old["short_answers"]
    pq.write_table(pa.Table.from_pylist([row], schema=schema), path)
    assert read(path)[0].short_answers == expected


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"rejected": ["6"]}, Reason.BAD_LABEL),
        ({"verdict": "accepted"}, Reason.AMBIGUOUS_STATUS),
        ({"verdict": "rejected"}, Reason.AMBIGUOUS_STATUS),
        ({"short_answers": ["Visa", "5"]}, Reason.AMBIGUOUS_STATUS),
        ({"shown": {"question": "Which?"}}, Reason.MISSING_KEY),
        ({"rejected": "5"}, Reason.RECORD_MALFORMED),
        ({"verdict": None}, Reason.MISSING_KEY),
    ],
)
def test_a_review_that_contradicts_itself_or_what_was_shown_is_rejected(make, changes, reason):
    record = raw(make.verification("Visa", "5", wrong=("5",)))
    record["short_answers"] |= changes
    with pytest.raises(RejectedRecordError) as caught:
        parse_event(record)
    assert caught.value.reason is reason


def test_a_review_of_short_answers_is_about_a_question(make):
    with pytest.raises(RejectedRecordError, match="question_id is missing"):
        parse_event(raw(make.verification("5"), question_id=None))


def test_half_an_emoji_does_not_survive_since_parquet_could_not_hold_it(make):
    event = parse_event(raw(make.answer("q", full="fine \ud83d")))
    assert event.answer.full_answer == "fine \ufffd"


def test_files_folders_and_globs_give_each_file_once(make, tmp_path):
    line = event_line(make.answer("q"))
    (tmp_path / "deep").mkdir()
    for name in ("b.jsonl", "deep/a.jsonl", ".hidden.jsonl", "notes.txt"):
        (tmp_path / name).write_text(line)
    found = find_event_files([str(tmp_path), str(tmp_path / "b.jsonl"), str(tmp_path / "*.jsonl")])
    assert [file.name for file in found] == ["b.jsonl", "deep/a.jsonl"]


@pytest.mark.parametrize("place", ["none.jsonl", "notes.txt", "empty", "*.parquet"])
def test_a_place_without_events_is_the_users_mistake(tmp_path, place):
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceError):
        find_event_files([str(tmp_path / place)])


def test_a_file_that_is_no_parquet_stops_the_reading(tmp_path):
    path = tmp_path / "events.parquet"
    path.write_bytes(b"PAR1 not really")
    with pytest.raises(SourceError, match="no whole Parquet file"):
        read(path)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
KEYS = ["event_id", "pass", "status", "screen_id", "submitted_at", "answer", "source", "flags"]


@given(data=st.data())
def test_a_spoilt_event_is_an_event_or_a_reject_and_never_a_crash(make, data):
    record = raw(make.answer("q"))
    for key in data.draw(st.lists(st.sampled_from([*KEYS, "answer.elements", "answer.state"]))):
        holder, _, inner = key.rpartition(".")
        target = record.get(holder) if holder else record
        if isinstance(target, dict):
            target[inner] = data.draw(json_values)
    try:
        event = parse_event(record)
    except RejectedRecordError:
        return
    assert isinstance(event, AnnotationEvent)
    assert parse_event(raw(event)) == event
    assert event.pass_ in AnnotationPass
