"""Tests of reading released ScreenQA and ComplexQA files."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.geometry import Bounds, Size
from schemas.questions import NO_ANSWER, Answer, Provenance, Question, UiElement
from schemas.rejects import Reason, Reject, RejectedRecordError
from transforms.files import SourceError
from transforms.sources.screenqa import (
    parse_answers,
    parse_short_answers,
    read_answers,
    read_records,
    read_short_answers,
)

FRAME = Size(1080, 1920)
ORIGIN = Provenance("screenqa", "train.json", 3)


def raw_element(**changes):
    return {"text": "5", "bounds": [1, 2, 30, 40], "vh_index": 7} | changes


def raw_answer(*elements, **changes):
    return {"full_answer": "It is 5.", "ui_elements": list(elements)} | changes


def raw_full(*answers, **changes):
    record = {
        "image_id": 42,
        "image_width": 1080,
        "image_height": 1920,
        "question": "How many?",
        "ground_truth": list(answers) or [raw_answer(raw_element())],
    }
    return {key: value for key, value in (record | changes).items() if value != "absent"}


def raw_short(*texts, **changes):
    record = {"image_id": 42, "question": "How many?", "ground_truth": list(texts) or ["5"]}
    return {key: value for key, value in (record | changes).items() if value != "absent"}


def full_question(*answers, frame=FRAME, split="train", position=3):
    return Question(
        screen_id="42",
        text="How many?",
        answers=answers or (Answer("It is 5.", (UiElement("5", Bounds(1, 2, 30, 40), 7),)),),
        short_answers=(),
        frame=frame,
        official_split=split,
        kinds=("answers",),
        provenance=Provenance("screenqa", "train.json", position),
    )


def short_question(*texts, split="train", position=3):
    return Question(
        screen_id="42",
        text="How many?",
        answers=(),
        short_answers=texts or ("5",),
        frame=None,
        official_split=split,
        kinds=("short_answers",),
        provenance=Provenance("screenqa", "train.json", position),
    )


def refusal(parse, raw):
    with pytest.raises(RejectedRecordError) as caught:
        parse(raw, ORIGIN, "train")
    caught.value.detail.encode()
    return caught.value.reason, caught.value.detail


def test_a_record_with_boxes_becomes_a_question():
    assert parse_answers(raw_full(), ORIGIN, "train") == full_question()


def test_a_record_of_short_answers_becomes_a_question():
    raw = raw_short("5", "five", NO_ANSWER)
    assert parse_short_answers(raw, ORIGIN, "train") == short_question("5", "five", NO_ANSWER)


def test_the_mirrors_layout_has_text_ids_and_float_edges_and_no_size():
    element = raw_element(bounds=[1.0, 2.4, 29.6, 40.0], vh_index=7.0)
    raw = raw_full(
        raw_answer(element),
        image_id="absent",
        image_width="absent",
        image_height="absent",
        screen_id="00042",
        file_name="42.jpg",
    )
    assert parse_answers(raw, ORIGIN, "train") == full_question(frame=None)


@pytest.mark.parametrize("image_id", [42, 42.0, "42", "00042", "42.0"])
def test_the_id_is_one_however_it_is_spelled(image_id):
    raw = raw_short(image_id=image_id)
    assert parse_short_answers(raw, ORIGIN, "train") == short_question()


def test_who_found_no_answer_gives_no_elements():
    raw = raw_full(raw_answer(full_answer=NO_ANSWER))
    assert parse_answers(raw, ORIGIN, "train") == full_question(Answer(NO_ANSWER, ()))


def test_equal_short_answers_are_one_and_equal_answers_stay_two():
    assert parse_short_answers(raw_short("5", "5"), ORIGIN, "train") == short_question("5")
    assert len(parse_answers(raw_full(raw_answer(), raw_answer()), ORIGIN, None).answers) == 2


def test_texts_lose_what_cannot_be_written_and_nothing_else():
    element = raw_element(text="\ud83d 5\0")
    raw = raw_full(raw_answer(element, full_answer=" It is\n5. "), question="How\0 many?")
    answer = Answer(" It is\n5. ", (UiElement("\ufffd 5", Bounds(1, 2, 30, 40), 7),))
    assert parse_answers(raw, ORIGIN, "train") == full_question(answer)
    assert parse_short_answers(raw_short("Like \ud83d"), ORIGIN, "train") == short_question(
        "Like \ufffd"
    )


def test_an_element_may_have_no_text_and_no_index():
    element = raw_element(text="")
    del element["vh_index"]
    expected = full_question(Answer("It is 5.", (UiElement("", Bounds(1, 2, 30, 40), -1),)))
    assert parse_answers(raw_full(raw_answer(element)), ORIGIN, "train") == expected


def test_every_negative_index_says_drawn():
    raw = raw_full(raw_answer(raw_element(vh_index=-5)))
    assert parse_answers(raw, ORIGIN, "train").answers[0].ui_elements[0].vh_index == -1


def test_boxes_are_taken_as_they_are_and_checked_later():
    raw = raw_full(raw_answer(raw_element(bounds=[900, -5, 300, 99999])))
    element = parse_answers(raw, ORIGIN, "train").answers[0].ui_elements[0]
    assert element.bounds == Bounds(900, -5, 300, 99999)


MALFORMED = Reason.RECORD_MALFORMED


@pytest.mark.parametrize(
    ("raw", "reason", "detail"),
    [
        (None, MALFORMED, "the record is a NoneType, no object"),
        ([], MALFORMED, "the record is a list, no object"),
        ("42", MALFORMED, "the record is a str, no object"),
        (raw_full(image_id="absent"), MALFORMED, "has neither image_id nor screen_id"),
        (raw_full(image_id=None), MALFORMED, "has neither image_id nor screen_id"),
        (raw_full(image_id=True), Reason.ID_MALFORMED, "True is no id"),
        (raw_full(image_id=4.5), Reason.ID_MALFORMED, "4.5 is no id"),
        (raw_full(image_id=float("nan")), Reason.ID_MALFORMED, "nan is no id"),
        (raw_full(image_id=-1), Reason.ID_MALFORMED, "-1 is no id"),
        (raw_full(image_id=""), Reason.ID_MALFORMED, "'' is no id"),
        (raw_full(image_id=[42]), Reason.ID_MALFORMED, "[42] is no id"),
        (raw_full(question="absent"), MALFORMED, "question is None, no text"),
        (raw_full(question=5), MALFORMED, "question is 5, no text"),
        (raw_full(question=" \n"), Reason.TEXT_EMPTY, "question is blank"),
        (raw_full(question="\0"), Reason.TEXT_EMPTY, "question is blank"),
        (raw_full(ground_truth="absent"), MALFORMED, "ground_truth is None, no list"),
        (raw_full(ground_truth={}), MALFORMED, "ground_truth is {}, no list"),
        (raw_full(ground_truth=[]), MALFORMED, "ground_truth is empty"),
        (raw_full("5"), MALFORMED, "an answer is a str, no object"),
        (raw_full(raw_answer(full_answer=None)), MALFORMED, "full_answer is None, no text"),
        (raw_full(raw_answer(full_answer="")), Reason.TEXT_EMPTY, "full_answer is blank"),
        (raw_full(raw_answer(ui_elements=None)), MALFORMED, "ui_elements is None, no list"),
        (raw_full(raw_answer("5")), MALFORMED, "a UI element is a str, no object"),
        (raw_full(image_width=None), MALFORMED, "the picture's size is None × 1920"),
        (raw_full(image_width=0), MALFORMED, "the picture's size is 0 × 1920"),
        (raw_full(image_height=-1920), MALFORMED, "the picture's size is 1080 × -1920"),
        (raw_full(image_height="1920"), MALFORMED, "the picture's size is 1080 × '1920'"),
        (raw_full(image_height=True), MALFORMED, "the picture's size is 1080 × True"),
        (raw_full(image_height=10**9), MALFORMED, "the picture's size is 1080 × 1000000000"),
    ],
)
def test_a_malformed_record_is_refused_with_its_reason(raw, reason, detail):
    assert refusal(parse_answers, raw) == (reason, detail)


@pytest.mark.parametrize(
    ("changes", "detail"),
    [
        ({"bounds": None}, "bounds None are no box"),
        ({"bounds": [1, 2, 3]}, "bounds [1, 2, 3] are no box"),
        ({"bounds": "1 2 3 4"}, "bounds '1 2 3 4' are no box"),
        ({"bounds": [1, 2, 3, None]}, "an edge of a box is None"),
        ({"bounds": [1, 2, 3, "4"]}, "an edge of a box is '4'"),
        ({"bounds": [1, 2, 3, True]}, "an edge of a box is True"),
        ({"bounds": [1, 2, 3, float("nan")]}, "an edge of a box is nan"),
        ({"bounds": [1, 2, 3, float("-inf")]}, "an edge of a box is -inf"),
        ({"bounds": [1, 2, 3, 10**30]}, "an edge of a box is 1" + "0" * 30),
        ({"text": None}, "a UI element has text None, vh_index 7"),
        ({"text": 5}, "a UI element has text 5, vh_index 7"),
        ({"vh_index": None}, "a UI element has text '5', vh_index None"),
        ({"vh_index": "7"}, "a UI element has text '5', vh_index '7'"),
        ({"vh_index": False}, "a UI element has text '5', vh_index False"),
        ({"vh_index": 7.5}, "a UI element has text '5', vh_index 7.5"),
        ({"vh_index": float("nan")}, "a UI element has text '5', vh_index nan"),
        ({"vh_index": float("inf")}, "a UI element has text '5', vh_index inf"),
        ({"vh_index": 2**31}, "a UI element has text '5', vh_index 2147483648"),
    ],
)
def test_a_malformed_element_refuses_its_record(changes, detail):
    raw = raw_full(raw_answer(raw_element(**changes)))
    assert refusal(parse_answers, raw) == (MALFORMED, detail)


@pytest.mark.parametrize(
    ("raw", "reason", "detail"),
    [
        (raw_short("5", None), MALFORMED, "ground_truth is None, no text"),
        (raw_short("5", 5), MALFORMED, "ground_truth is 5, no text"),
        (raw_short("5", " "), Reason.TEXT_EMPTY, "ground_truth is blank"),
        (raw_short(ground_truth="5"), MALFORMED, "ground_truth is '5', no list"),
        (raw_short(ground_truth=[]), MALFORMED, "ground_truth is empty"),
        (raw_short(image_id="a b"), Reason.ID_MALFORMED, "'a b' is no id"),
    ],
)
def test_a_malformed_record_of_short_answers_is_refused(raw, reason, detail):
    assert refusal(parse_short_answers, raw) == (reason, detail)


RECORDS = [raw_full(), raw_full(image_id="x y"), None, raw_full(image_id="007")]
READ = [
    full_question(position=0),
    Reject(
        "answers",
        "x y",
        "parse_answers",
        Reason.ID_MALFORMED,
        "'x y' is no id",
        "screenqa/train.json:1",
    ),
    Reject(
        "answers",
        "",
        "parse_answers",
        MALFORMED,
        "the record is a NoneType, no object",
        "screenqa/train.json:2",
    ),
]


def test_one_bad_record_among_good_ones_is_rejected_with_its_place(tmp_path):
    path = tmp_path / "train.json"
    path.write_text(json.dumps(RECORDS))
    items = list(read_answers(str(path), ORIGIN, "train"))
    assert items[:3] == READ
    assert items[3].screen_id == "7"
    assert items[3].provenance == Provenance("screenqa", "train.json", 3)


def test_short_answers_are_read_with_their_place_and_split(tmp_path):
    path = tmp_path / "train.json"
    path.write_text(json.dumps([raw_short("5"), raw_short(ground_truth=None)]))
    assert list(read_short_answers(str(path), ORIGIN, "test")) == [
        short_question("5", split="test", position=0),
        Reject(
            "short_answers",
            "42",
            "parse_short_answers",
            MALFORMED,
            "ground_truth is None, no list",
            "screenqa/train.json:1",
        ),
    ]


def test_the_id_of_a_reject_can_be_written(tmp_path):
    path = tmp_path / "train.json"
    path.write_text(json.dumps([raw_short(image_id="\ud83d\0" + "x" * 200)]))
    reject = next(read_short_answers(str(path), ORIGIN, None))
    assert reject.id == "\ufffd" + "x" * 78
    reject.detail.encode()


def test_json_lines_and_parquet_hold_the_same_records_as_json(tmp_path):
    records = [raw_full(image_id=str(number)) for number in range(3)]
    (tmp_path / "a.json").write_text(json.dumps(records))
    lines = "".join(f"{json.dumps(record)}\r\n\n" for record in records)
    (tmp_path / "a.jsonl").write_bytes(b"\xef\xbb\xbf" + lines.encode())
    pq.write_table(pa.Table.from_pylist(records), tmp_path / "a.PARQUET")
    for name in ("a.json", "a.jsonl", "a.PARQUET"):
        assert list(read_records(str(tmp_path / name))) == records


def test_the_mirrors_parquet_is_read_without_its_pictures(tmp_path):
    picture = {"bytes": b"\xff\xd8", "path": "42.jpg"}
    element = raw_element(bounds=[1.0, 2.0, 30.0, 40.0])
    record = {
        "screen_id": "42",
        "question": "How many?",
        "ground_truth": [raw_answer(element), raw_answer(full_answer=NO_ANSWER)],
        "file_name": "42.jpg",
        "image": picture,
    }
    path = tmp_path / "train.parquet"
    pq.write_table(pa.Table.from_pylist([record]), path)
    assert next(read_records(str(path))).keys() == {"screen_id", "question", "ground_truth"}
    assert list(read_answers(str(path), ORIGIN, "train")) == [
        full_question(*full_question().answers, Answer(NO_ANSWER, ()), frame=None, position=0)
    ]


def test_a_literal_null_line_is_a_record_and_a_blank_one_is_not(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n   \nnull\n')
    assert list(read_records(str(path))) == [{"a": 1}, None]


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("a.json", b"<html>", "is no JSON array"),
        ("a.json", b'[{"image_id": 1}, {bad]', "item 1: Expecting property name"),
        ("a.jsonl", b'{"a": 1}\n{bad\n{"a": 2}\n', "line 2: Expecting property name"),
        ("a.jsonl", b'{"a": 1}\n\n{"a": "\xff"}\n', "line 3: 'utf-8' codec can't decode"),
        ("a.jsonl", '{"a": 1}\n'.encode("utf-16"), "line 1: 'utf-8' codec can't decode"),
        ("a.jsonl", b"[" * 200_000, "line 1: maximum recursion depth exceeded"),
        ("a.jsonl", b"9" * 5000, "line 1: Exceeds the limit (4300 digits)"),
        ("a.parquet", b"", "is no whole Parquet file: Parquet file size is 0 bytes"),
        ("a.parquet", b"PAR1 not really PAR1", "is no whole Parquet file: "),
        ("a.csv", b"image_id\n1\n", "is none of .json, .jsonl and .parquet"),
    ],
)
def test_a_file_that_is_not_what_its_name_says_is_named(tmp_path, name, data, problem):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(SourceError) as caught:
        list(read_records(str(path)))
    assert str(caught.value).startswith(f"{path}: {problem}")


def test_a_parquet_file_damaged_in_the_middle_is_named(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"question": [f"Question {n}?" for n in range(5000)]}), path)
    data = bytearray(path.read_bytes())
    data[10:2000] = bytes(1990)
    path.write_bytes(data)
    with pytest.raises(SourceError, match=r"a\.parquet: is no whole Parquet file: "):
        list(read_records(str(path)))


def test_a_parquet_file_with_text_that_is_no_utf_8_is_named(tmp_path):
    path = tmp_path / "a.parquet"
    texts = pa.array([b"ok", b"\xff"]).view(pa.string())
    pq.write_table(pa.table({"question": texts}), path)
    with pytest.raises(SourceError, match=r"a\.parquet: is no whole Parquet file: "):
        list(read_records(str(path)))


def test_a_missing_parquet_file_is_named(tmp_path):
    with pytest.raises(SourceError, match="is no whole Parquet file"):
        list(read_records(str(tmp_path / "a.parquet")))
