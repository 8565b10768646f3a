"""Tests of the annotation event's row types."""

import dataclasses
import datetime
import enum
import json
import types
from typing import get_args, get_origin, get_type_hints

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.annotations import (
    PAYLOAD_COLUMNS,
    AnnotationEvent,
    AnnotationPass,
    AnswerElement,
    AnswerKind,
    AnswerState,
    ComposedQuestion,
    ElementOrigin,
    ElementReview,
    EventSource,
    EventStatus,
    GivenAnswer,
    LabelledElement,
    LabelledScreen,
    Language,
    PrefilterRating,
    ScreenReview,
    ShortAnswersReview,
    ShownShortAnswers,
    TrainingResult,
    Verdict,
    VhSync,
    event_schema,
    event_values,
)
from schemas.columns import may_be_null, misdeclared_columns
from schemas.geometry import Bounds
from schemas.short_answers import ShortAnswerOrigin

ROW_TYPES = [
    EventSource,
    PrefilterRating,
    ComposedQuestion,
    AnswerElement,
    GivenAnswer,
    LabelledElement,
    LabelledScreen,
    ElementReview,
    ShownShortAnswers,
    ShortAnswersReview,
    ScreenReview,
    TrainingResult,
    AnnotationEvent,
]
NOON = datetime.datetime(2026, 1, 1, 12, 0, 0, 250_000, tzinfo=datetime.UTC)
BOX = Bounds(600, 650, 1040, 730)
SHOWN = ShownShortAnswers(
    "When is delivery?",
    ("It is on Oct. 15.",),
    ("Oct 15", "$15"),
    ShortAnswerOrigin("rules", "rules-1", ""),
    AnswerKind.DATE_TIME,
    1234,
)
REGION = LabelledElement("r1", "Button", BOX, "OK", None, None)
PAYLOADS = {
    AnnotationPass.PREFILTER: PrefilterRating(Language.ENGLISH, VhSync.IN_SYNC_GHOSTING, None),
    AnnotationPass.QUESTION_1: ComposedQuestion(0, "When is delivery ?", False),
    AnnotationPass.QUESTION_2: ComposedQuestion(0, None, True),
    AnnotationPass.QUESTION_3_NA: ComposedQuestion(0, "Who delivers?", False),
    AnnotationPass.ANSWER: GivenAnswer(
        AnswerState.ANSWERABLE,
        "It is on Oct. 15, 2024.",
        None,
        (AnswerElement(1, "Oct. 15, 2024", BOX, 10, "vh_10", ElementOrigin.VH),),
    ),
    AnnotationPass.ELEMENT: LabelledScreen((REGION,)),
    AnnotationPass.ELEMENT_REVIEW: ElementReview("e1", Verdict.FIXED, ("wrong_box",), (REGION,)),
    AnnotationPass.VERIFY_SHORT_ANSWERS: ShortAnswersReview(
        Verdict.FIXED, ("Oct 15",), ("$15",), SHOWN
    ),
    AnnotationPass.SCREEN_REVIEW: ScreenReview(False, False, None),
    AnnotationPass.TRAINING: TrainingResult(AnnotationPass.ANSWER, True),
}


def event(pass_: AnnotationPass) -> AnnotationEvent:
    """Returns an event of a pass with its payload."""
    empty = dict.fromkeys(PAYLOAD_COLUMNS.values())
    return AnnotationEvent(
        schema_version="1.0",
        event_id=f"e_{pass_}",
        pass_=pass_,
        status=EventStatus.SUBMITTED,
        screen_id="9000001",
        question_id=None,
        annotator_id="a_0123456789ab",
        submitted_at=NOON,
        updated_at=None,
        updated_by_other=False,
        lead_time_s=12.5,
        supersedes=None,
        image_width=1080,
        image_height=1920,
        source=EventSource("label_studio", *[None] * 11),
        flags=("clipped",),
        **{**empty, PAYLOAD_COLUMNS[pass_]: PAYLOADS[pass_]},
    )


def choices_and_times(row_type: type) -> dict[str, type]:
    """Returns the columns whose Python type is a choice or a time, nullable or not."""
    found = {}
    for name, hint in get_type_hints(row_type).items():
        inner = get_args(hint)[0] if get_origin(hint) is types.UnionType else hint
        if isinstance(inner, type) and issubclass(inner, datetime.datetime | enum.StrEnum):
            found[name] = inner
    return found


@pytest.mark.parametrize("row_type", ROW_TYPES)
def test_declarations_agree_with_their_columns(row_type):
    # Of types, `misdeclared_columns` need not know choices and times: the next test does.
    unknown = tuple(f"{row_type.__name__}.{name}: <" for name in choices_and_times(row_type))
    wrong = misdeclared_columns(row_type)
    assert [sentence for sentence in wrong if not sentence.startswith(unknown)] == []


@pytest.mark.parametrize("row_type", ROW_TYPES)
def test_choices_are_strings_and_times_are_utc_microseconds(row_type):
    arrow = {f.name: f.metadata["arrow"] for f in dataclasses.fields(row_type)}
    times = {datetime.datetime: pa.timestamp("us", tz="UTC")}
    for name, inner in choices_and_times(row_type).items():
        assert arrow[name] == times.get(inner, pa.string())


def test_the_columns_are_those_of_the_format_in_its_order():
    names = event_schema().names
    assert names[:5] == ["schema_version", "event_id", "pass", "status", "screen_id"]
    assert names[5:9] == ["question_id", "annotator_id", "submitted_at", "updated_at"]
    assert names[9:14] == [
        *("updated_by_other", "lead_time_s", "supersedes"),
        *("image_width", "image_height"),
    ]
    assert names[14:20] == ["source", "prefilter", "question", "answer", "element", "review"]
    assert names[20:] == ["short_answers", "screen_review", "training", "flags"]


def test_the_columns_that_may_be_null_are_those_of_the_format():
    nullable = {field.name for field in event_schema() if may_be_null(field)}
    assert nullable == {
        *("question_id", "updated_at", "lead_time_s", "supersedes"),
        *PAYLOAD_COLUMNS.values(),
    }


def test_the_hub_features_name_the_same_columns_as_the_schema():
    schema = event_schema()
    features = json.loads(schema.metadata[b"huggingface"])["info"]["features"]
    assert list(features) == schema.names
    assert features["submitted_at"]["dtype"] == "timestamp[us, tz=UTC]"


def test_the_documentation_of_a_choice_lists_its_values():
    doc = event_schema().field("status").metadata[b"doc"].decode()
    assert doc.endswith("`submitted`, `cancelled`, `draft`, `withdrawn`.")


def test_every_pass_has_a_payload_column():
    assert set(PAYLOAD_COLUMNS) == set(AnnotationPass)
    assert set(PAYLOAD_COLUMNS.values()) <= set(event_schema().names)


def test_events_of_all_passes_survive_parquet(tmp_path):
    rows = [event_values(event(pass_)) for pass_ in AnnotationPass]
    path = tmp_path / "events.parquet"
    pq.write_table(pa.Table.from_pylist(rows, schema=event_schema()), path)
    read = pq.read_table(path)
    assert read.schema.equals(event_schema(), check_metadata=False)
    assert read.to_pylist() == rows
    for row, pass_ in zip(read.to_pylist(), AnnotationPass, strict=True):
        filled = {name for name in PAYLOAD_COLUMNS.values() if row[name] is not None}
        assert filled == {PAYLOAD_COLUMNS[pass_]}


def test_an_event_is_a_line_of_plain_json_but_for_its_times():
    line = json.loads(json.dumps(event_values(event(AnnotationPass.ANSWER)), default=str))
    assert line["pass"] == "answer"
    assert line["answer"]["elements"][0]["bounds"] == [600, 650, 1040, 730]
    assert line["submitted_at"] == "2026-01-01 12:00:00.250000+00:00"
