"""The chosen screens: their rows and pictures, out of the row groups that hold them."""

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipelines.finished_builds import IMAGE_COLUMN, FinishedBuild, Row, named
from pipelines.reporting.rejected_records import RejectedRecord
from pipelines.reporting.samples import (
    Box,
    Picture,
    ShownAnswer,
    ShownElement,
    ShownQuestion,
    ShownScreen,
)
from pipelines.reporting.scanning import Place, Scan
from schemas.geometry import Bounds
from schemas.rejects import RejectedRecordError
from transforms.screens.images import thumbnail

_MOST_QUESTIONS = 16
"""As many as the style sheet has rules for; the paper allows 9 on a screen."""
_MOST_ANSWERS = 9
_MOST_BOXES = 300
_MOST_LEAF_TEXTS = 60
_MOST_REJECTED = 12
_MOST_TEXT = 20_000
_PASSES = {
    "question_1": "asked in the first pass",
    "question_2": "asked in the second pass",
    "question_3_na": "asked to have no answer",
}
_PICTURE_ROWS = 8
"""Rows of which pictures are held at a time."""


def gather(
    build: FinishedBuild,
    scan: Scan,
    chosen: Sequence[str],
    rejected: Mapping[str, Sequence[RejectedRecord]],
    on_picture: Callable[[], object],
) -> list[ShownScreen]:
    """Returns what is shown of each chosen screen, in the order of `chosen`.

    Args:
        build: The build.
        scan: What was found at the first look.
        chosen: Ids of screens.
        rejected: Rejected records that belong to a screen, by its id.
        on_picture: Called once a picture is read.

    Raises:
        UserError: If a shard is missing or damaged.
    """
    wanted = set(chosen)
    rows: dict[str, list[Row]] = {screen_id: [] for screen_id in chosen}
    by_place = _grouped((place, key) for key in chosen for place in scan.places[key])
    for place in sorted(by_place, key=_place_order):
        for row in _rows_at(build, place, wanted):
            rows[row["screen_id"]].append(row)
    pictures: dict[str, Picture | str] = {}
    by_place = _grouped((scan.pictures[key], key) for key in chosen if key in scan.pictures)
    for place in sorted(by_place, key=_place_order):
        for key, data in _pictures_at(build, place, set(by_place[place])):
            pictures[key] = _picture(data)
            on_picture()
    return [
        shown_screen(
            rows[key],
            pictures.get(key, ""),
            rejected.get(key, ()),
        )
        for key in chosen
    ]


def shown_screen(
    rows: Sequence[Row], picture: Picture | str, rejected: Sequence[RejectedRecord]
) -> ShownScreen:
    """Returns what is shown of a screen.

    Args:
        rows: Its rows, without pictures: one a question, or the one of a build of screens.
        picture: Its thumbnail, or why there is none; empty if the build holds none.
        rejected: Rejected records that belong to it.
    """
    first = rows[0]
    asked = [row for row in rows if "question" in row]
    leaves = tuple(_leaf_boxes(first.get("leaves") or ()))
    return ShownScreen(
        screen_id=str(first["screen_id"]),
        split=str(first["split"]),
        app=_text(first["app"]),
        category=_text(first["category"]),
        width=first["width"] or 0,
        height=first["height"] or 0,
        picture=picture if isinstance(picture, Picture) else None,
        note=picture if isinstance(picture, str) else "",
        facts=tuple(_screen_facts(first)),
        questions=tuple(map(shown_question, asked[:_MOST_QUESTIONS])),
        more_questions=max(len(asked) - _MOST_QUESTIONS, 0),
        leaves=leaves[:_MOST_BOXES],
        leaf_texts=tuple(_leaf_texts(first.get("leaves") or ())),
        more_leaves=max(len(leaves) - _MOST_BOXES, 0),
        rejected=tuple(rejected[:_MOST_REJECTED]),
    )


def shown_question(row: Row) -> ShownQuestion:
    """Returns what is shown of a row of a question."""
    answers = row["answers"] or []
    agreement = row["agreement"]
    return ShownQuestion(
        text=_cut(row["question"]),
        level="" if agreement is None else str(agreement["level"]),
        has_no_answer=bool(row["any_no_answer"]),
        facts=tuple(_question_facts(row)),
        answers=tuple(map(_shown_answer, answers[:_MOST_ANSWERS])),
        short_answers=tuple(map(_cut, (row["short_answers"] or [])[:40])),
        boxes=tuple(answer_boxes(answers))[:_MOST_BOXES],
    )


def answer_boxes(answers: Sequence[Mapping[str, Any]]) -> list[Box]:
    """Returns the boxes of a question's answers, each place once.

    A box that several annotators chose is one; its title says how many did. Its label is the
    rank that it has first.
    """
    found: dict[Bounds, tuple[int, str, set[int], set[bool]]] = {}
    for number, answer in enumerate(answers):
        for rank, element in enumerate(answer["ui_elements"] or (), start=1):
            bounds = _bounds(element["bounds"])
            if bounds is not None:
                entry = found.setdefault(bounds, (rank, str(element["text"] or ""), set(), set()))
                entry[2].add(number)
                entry[3].add((element["vh_index"] or 0) >= 0)
    boxes = []
    for bounds, (rank, text, by, are_leaves) in found.items():
        source = "a leaf of the hierarchy" if are_leaves == {True} else "drawn by hand"
        if len(are_leaves) == 2:
            source = "a leaf to some, drawn by others"
        title = f"{_cut(text, 200)} ({len(by)} of {len(answers)} answers; {source})"
        boxes.append(_box(bounds, "tree" if True in are_leaves else "drawn", str(rank), title))
    return boxes


def _grouped(pairs: Iterable[tuple[Place, str]]) -> dict[Place, list[str]]:
    grouped: dict[Place, list[str]] = {}
    for place, key in pairs:
        grouped.setdefault(place, []).append(key)
    return grouped


def _place_order(place: Place) -> tuple[str, int]:
    return place.path, place.row_group


def _rows_at(build: FinishedBuild, place: Place, wanted: set[str]) -> Iterator[Row]:
    """Yields the wanted rows of a row group, without their pictures."""
    path = build.path(place.path)
    with named(path), pq.ParquetFile(path) as file:
        names = [name for name in file.schema_arrow.names if name != IMAGE_COLUMN]
        table = file.read_row_group(place.row_group, columns=names)
        table.validate(full=True)  # Whether texts are UTF-8.
    yield from table.filter(pc.is_in(table["screen_id"], pa.array(sorted(wanted)))).to_pylist()


def _pictures_at(
    build: FinishedBuild, place: Place, wanted: set[str]
) -> Iterator[tuple[str, bytes]]:
    """Yields the picture of each wanted screen of a row group once, few rows at a time."""
    path = build.path(place.path)
    left = set(wanted)
    with named(path), pq.ParquetFile(path) as file:
        batches = file.iter_batches(
            batch_size=_PICTURE_ROWS,
            row_groups=[place.row_group],
            columns=["screen_id", IMAGE_COLUMN],
        )
        for batch in batches:
            for row, screen_id in enumerate(batch["screen_id"].to_pylist()):
                if screen_id in left:
                    left.discard(screen_id)
                    image = batch[IMAGE_COLUMN][row].as_py() or {}
                    yield screen_id, image.get("bytes") or b""
            if not left:
                return


def _picture(data: bytes) -> Picture | str:
    try:
        small = thumbnail(data)
    except RejectedRecordError as error:
        return f"The picture cannot be shown: {error}"
    return Picture(base64.b64encode(small.data).decode("ascii"), *small.size)


def _shown_answer(answer: Mapping[str, Any]) -> ShownAnswer:
    elements = tuple(
        ShownElement(_cut(element["text"]), (element["vh_index"] or 0) >= 0)
        for element in (answer["ui_elements"] or [])[:40]
    )
    return ShownAnswer(_cut(answer["full_answer"]), elements)


def _question_facts(row: Row) -> Iterator[str]:
    agreement = row["agreement"]
    if agreement is not None:
        yield f"agreement {agreement['level']}"
        if agreement["answer_only_level"] != agreement["level"]:
            yield f"{agreement['answer_only_level']} by answers alone"
        yield _PASSES.get(agreement["annotation_pass"], str(agreement["annotation_pass"]))
        if agreement["n_invalid"]:
            yield f"called invalid by {agreement['n_invalid']} of {agreement['n_annotations']}"
    if row["any_no_answer"]:
        yield "someone found no answer" if row["answerable"] else "not answerable"


def _screen_facts(row: Row) -> Iterator[str]:
    if row["width"]:
        yield f"{row['width']:,} × {row['height']:,}"
    if row.get("origin"):
        yield str(row["origin"]).replace("_", " ")
    for key, what in (("language", "language"), ("hierarchy_sync", "hierarchy")):
        if row.get(key):
            score = row.get(f"{key}_score")
            yield f"{what}: {str(row[key]).replace('_', ' ')}" + (
                "" if score is None else f" ({score:.2f})"
            )


def _leaf_boxes(leaves: Sequence[Mapping[str, Any]]) -> Iterator[Box]:
    for leaf in leaves:
        bounds = _bounds(leaf["bounds"])
        if bounds is not None:
            title = f"{_cut(leaf['text'] or 'no text', 200)} ({leaf['view_class']})"
            yield _box(bounds, "leaf tap" if leaf["clickable"] else "leaf", "", title)


def _leaf_texts(leaves: Sequence[Mapping[str, Any]]) -> list[str]:
    """Returns what the leaves read, in their order, each text once."""
    texts = dict.fromkeys(leaf["text"] for leaf in leaves if (leaf["text"] or "").strip())
    return [_cut(text, 2_000) for text in texts][:_MOST_LEAF_TEXTS]


def _bounds(values: Sequence[int | None] | None) -> Bounds | None:
    """Returns a box as stored; None for what is none."""
    if values is None or len(values) != 4 or None in values:
        return None
    return Bounds(*(int(value or 0) for value in values))


def _box(bounds: Bounds, style: str, label: str, title: str) -> Box:
    width, height = max(bounds.right - bounds.left, 0), max(bounds.bottom - bounds.top, 0)
    return Box(bounds.left, bounds.top, width, height, style, label, title)


def _text(value: object) -> str | None:
    return None if value is None else _cut(str(value), 200)


def _cut(text: str | None, longest: int = _MOST_TEXT) -> str:
    text = text or ""
    more = len(text) - longest
    return text if more <= 0 else f"{text[:longest]} … ({more:,} more characters)"
