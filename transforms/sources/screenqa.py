"""Released ScreenQA and ComplexQA files: answers with boxes, and short answers.

Layouts (formats.md §2.1): the repository's JSON arrays of v1.1 and v1.2, with integer ids
and whole pixels; and those of the Hugging Face mirror, with string ids in `screen_id`,
float bounds and no picture size, as JSON, JSON Lines or Parquet. Boxes are left, top,
right, bottom in pixels of the record's own picture.
"""

import json
import os
from collections.abc import Iterator
from typing import Any

import pyarrow.parquet as pq

from schemas.geometry import Bounds, Size
from schemas.questions import Answer, Provenance, Question, UiElement
from schemas.rejects import Reason, Reject, RejectedRecordError
from transforms.files import SourceError, read_json_array
from transforms.identifying import MAX_TEXT, clean_text, normalize_id

_MAX_EDGE = 1 << 20
_COLUMNS = (
    "image_id",
    "screen_id",
    "image_width",
    "image_height",
    "question",
    "ground_truth",
)


def read_answers(
    path: str, provenance: Provenance, split: str | None
) -> Iterator[Question | Reject]:
    """Yields the questions of an `answers_and_bboxes` file."""
    return _read(path, "answers", provenance, split)


def read_short_answers(
    path: str, provenance: Provenance, split: str | None
) -> Iterator[Question | Reject]:
    """Yields the questions of a `short_answers` file, or of ComplexQA's."""
    return _read(path, "short_answers", provenance, split)


def read_records(path: str) -> Iterator[Any]:
    """Yields the raw records of a file by its suffix: `.json`, `.jsonl` or `.parquet`.

    Raises:
        SourceError: If the file cannot be read as what its suffix says; it names the file.
    """
    suffix = os.path.splitext(path)[1].lower()
    if suffix == ".json":
        yield from read_json_array(path)
    elif suffix == ".jsonl":
        yield from _read_json_lines(path)
    elif suffix == ".parquet":
        yield from _read_parquet(path)
    else:
        raise SourceError(f"{path}: is none of .json, .jsonl and .parquet")


def parse_answers(raw: Any, provenance: Provenance, split: str | None) -> Question:
    """Returns the question of one raw record with full answers and elements.

    Raises:
        RejectedRecordError: `RECORD_MALFORMED`, `ID_MALFORMED` or `TEXT_EMPTY`.
    """
    record = _mapping(raw, "the record")
    answers = tuple(_answer(item) for item in _items(record, "ground_truth"))
    return Question(
        screen_id=_screen_id(record),
        text=_question_text(record),
        answers=answers,
        short_answers=(),
        frame=_frame(record),
        official_split=split,
        kinds=("answers",),
        provenance=provenance,
    )


def parse_short_answers(raw: Any, provenance: Provenance, split: str | None) -> Question:
    """Returns the question of one raw record with short answers.

    Raises:
        RejectedRecordError: `RECORD_MALFORMED`, `ID_MALFORMED` or `TEXT_EMPTY`.
    """
    record = _mapping(raw, "the record")
    texts = tuple(_text(item, "ground_truth") for item in _items(record, "ground_truth"))
    return Question(
        screen_id=_screen_id(record),
        text=_question_text(record),
        answers=(),
        short_answers=tuple(dict.fromkeys(texts)),
        frame=_frame(record),
        official_split=split,
        kinds=("short_answers",),
        provenance=provenance,
    )


def screen_id_of(raw: Any) -> str:
    """Returns the screen id of a raw record, empty if it has none that could be one.

    For looking a file over: nothing else of the record is read or checked.
    """
    if not isinstance(raw, dict):
        return ""
    try:
        return _screen_id(raw)
    except RejectedRecordError:
        return ""


_PARSERS = {"answers": parse_answers, "short_answers": parse_short_answers}


def _read(
    path: str, kind: str, origin: Provenance, split: str | None
) -> Iterator[Question | Reject]:
    for position, raw in enumerate(read_records(path)):
        provenance = Provenance(origin.source, origin.file, position)
        try:
            yield _PARSERS[kind](raw, provenance, split)
        except RejectedRecordError as error:
            where = f"{origin.source}/{origin.file}:{position}"
            yield Reject(kind, _raw_id(raw), f"parse_{kind}", error.reason, error.detail, where)


def _read_json_lines(path: str) -> Iterator[Any]:
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                record = json.loads(text) if text.strip() else None
            except (ValueError, RecursionError) as error:
                raise SourceError(f"{path}: line {number:,}: {error}") from error
            if text.strip():
                yield record


def _read_parquet(path: str) -> Iterator[Any]:
    try:
        file = pq.ParquetFile(path)
        # The mirror carries the pictures too, and whatever else; only this is read here.
        names = [name for name in file.schema_arrow.names if name in _COLUMNS]
        for batch in file.iter_batches(batch_size=1024, columns=names):
            yield from batch.to_pylist()
    except (OSError, ValueError) as error:
        raise SourceError(f"{path}: is no whole Parquet file: {error}") from error


def _answer(raw: Any) -> Answer:
    answer = _mapping(raw, "an answer")
    elements = tuple(_element(item) for item in _items(answer, "ui_elements", may_be_empty=True))
    return Answer(_text(answer.get("full_answer"), "full_answer"), elements)


def _element(raw: Any) -> UiElement:
    element = _mapping(raw, "a UI element")
    edges = element.get("bounds")
    if not isinstance(edges, list | tuple) or len(edges) != 4:
        raise RejectedRecordError(Reason.RECORD_MALFORMED, f"bounds {edges!r:.80} are no box")
    text = element.get("text")
    index = element.get("vh_index", -1)
    if not isinstance(text, str) or not _is_whole(index):
        raise RejectedRecordError(
            Reason.RECORD_MALFORMED, f"a UI element has text {text!r:.40}, vh_index {index!r:.40}"
        )
    return UiElement(clean_text(text), Bounds(*map(_edge, edges)), max(int(index), -1))


def _is_whole(raw: Any) -> bool:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not abs(raw) < _MAX_EDGE:
        return False
    return raw == int(raw)


def _edge(raw: Any) -> int:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not abs(raw) < _MAX_EDGE:
        raise RejectedRecordError(Reason.RECORD_MALFORMED, f"an edge of a box is {raw!r:.40}")
    return round(raw)


def _frame(record: dict[str, Any]) -> Size | None:
    raw = record.get("image_width"), record.get("image_height")
    if raw == (None, None):
        return None
    sides = [
        side
        for side in raw
        if isinstance(side, int) and not isinstance(side, bool) and 0 < side < _MAX_EDGE
    ]
    if len(sides) != 2:
        raise RejectedRecordError(
            Reason.RECORD_MALFORMED, f"the picture's size is {raw[0]!r:.40} × {raw[1]!r:.40}"
        )
    return Size(*sides)


def _screen_id(record: dict[str, Any]) -> str:
    raw = record.get("image_id", record.get("screen_id"))
    if raw is None:
        raise RejectedRecordError(Reason.RECORD_MALFORMED, "has neither image_id nor screen_id")
    return normalize_id(raw)


def _question_text(record: dict[str, Any]) -> str:
    return _text(record.get("question"), "question")


def _text(raw: Any, name: str) -> str:
    if not isinstance(raw, str):
        raise RejectedRecordError(Reason.RECORD_MALFORMED, f"{name} is {raw!r:.40}, no text")
    text = clean_text(raw)
    if not text.strip():
        raise RejectedRecordError(Reason.TEXT_EMPTY, f"{name} is blank")
    if len(text) > MAX_TEXT:
        raise RejectedRecordError(Reason.RECORD_MALFORMED, f"{name} has {len(text):,} characters")
    return text


def _items(record: dict[str, Any], key: str, *, may_be_empty: bool = False) -> list[Any]:
    items = record.get(key)
    if not isinstance(items, list):
        raise RejectedRecordError(Reason.RECORD_MALFORMED, f"{key} is {items!r:.40}, no list")
    if not items and not may_be_empty:
        raise RejectedRecordError(Reason.RECORD_MALFORMED, f"{key} is empty")
    return items


def _mapping(raw: Any, what: str) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise RejectedRecordError(
            Reason.RECORD_MALFORMED, f"{what} is a {type(raw).__name__}, no object"
        )
    return raw


def _raw_id(raw: Any) -> str:
    found = raw.get("image_id", raw.get("screen_id")) if isinstance(raw, dict) else None
    return clean_text(str(found)[:80]) if found is not None else ""
