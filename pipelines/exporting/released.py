"""A finished build written in the layout that ScreenQA is released in.

That of its repository, data version 1.2 (formats.md §2.1): whole numbers as ids, boxes in
pixels of the record's picture, ASCII only. A kind of answers that the build does not have is
no folder of its export.
"""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence

from pipelines.errors import UserError
from pipelines.exporting.exported import Exported, ExportedFile
from pipelines.exporting.new_folder import new_folder
from pipelines.exporting.ordering import rows_by_id
from pipelines.finished_builds import Row, question_shards

_COLUMNS = ("screen_id", "width", "height", "question", "answers", "short_answers")
_NUMBER = re.compile(r"[0-9]{1,18}")


def export(built: str, out: str) -> Exported:
    """Writes the questions and answers of a finished build into the folder `out`.

    Rows are read a few hundred at a time, and of them only what is written: never the
    pictures. Records are in the order of their screens' ids, as the released ones are.

    Args:
        built: Folder of the build.
        out: The folder to make; it appears whole or not at all.

    Raises:
        UserError: If `built` is no finished build of questions, one of its shards is
            damaged, or `out` is there already or cannot be made.
    """
    shards = question_shards(built, _COLUMNS)
    out = os.path.abspath(out)
    with new_folder(out) as folder:
        files = tuple(_write_kinds(shards, folder, built))
    return Exported(out, files)


def answers_record(row: Row) -> Row | None:
    """Returns a row's record of `answers_and_bboxes`; None if it has no answer with boxes.

    Where no picture is known, neither is its size: then the record has none, as in the
    mirror of ScreenQA on the Hub.
    """
    if not row["answers"]:
        return None
    size = {"image_width": row["width"], "image_height": row["height"]}
    return {
        "image_id": _image_id(row["screen_id"]),
        **({} if row["width"] is None else size),
        "question": row["question"],
        "ground_truth": row["answers"],
    }


def short_answers_record(row: Row) -> Row | None:
    """Returns a row's record of `short_answers`; None if it has no short answer."""
    if not row["short_answers"]:
        return None
    return {
        "image_id": _image_id(row["screen_id"]),
        "question": row["question"],
        "ground_truth": row["short_answers"],
    }


_RECORDS = {"answers_and_bboxes": answers_record, "short_answers": short_answers_record}


def _image_id(screen_id: str) -> int | str:
    return int(screen_id) if _NUMBER.fullmatch(screen_id) else screen_id


def _refuse_holes(row: Row, built: str) -> None:
    said = [row["question"], row["answers"], row["short_answers"]]
    if _has_holes(said):
        raise UserError(
            f"{built}: a question of screen {row['screen_id']!r:.80} lacks what each has; run "
            f"`screenset check {built}`"
        )


def _has_holes(value: object) -> bool:
    """Whether a value is null, or one anywhere inside it is."""
    if isinstance(value, list | dict):
        return any(map(_has_holes, value.values() if isinstance(value, dict) else value))
    return value is None


def _write_kinds(
    shards: Mapping[str, Sequence[str]], folder: str, built: str
) -> Iterator[ExportedFile]:
    """Writes a file of each kind and split, and takes back a kind that nothing is of."""
    for kind in _RECORDS:
        os.mkdir(os.path.join(folder, kind))
        files = [
            _write_file(folder, f"{kind}/{split}.json", _RECORDS[kind], paths, built)
            for split, paths in shards.items()
        ]
        if any(file.questions for file in files):
            yield from files
        else:
            shutil.rmtree(os.path.join(folder, kind))


def _write_file(
    folder: str,
    name: str,
    record_of: Callable[[Row], Row | None],
    paths: Sequence[str],
    built: str,
) -> ExportedFile:
    """Writes one JSON array, a record a line."""
    questions = answers = 0
    with open(os.path.join(folder, name), "w", encoding="ascii") as file:
        file.write("[")
        for row in rows_by_id(paths, _COLUMNS):
            _refuse_holes(row, built)
            record = record_of(row)
            if record is not None:
                file.write(",\n" if questions else "\n")
                file.write(json.dumps(record))
                questions += 1
                answers += len(record["ground_truth"])
        file.write("\n]\n")
        file.flush()
        os.fsync(file.fileno())
    return ExportedFile(name, questions, answers)
