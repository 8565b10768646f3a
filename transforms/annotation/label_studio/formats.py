"""Which Label Studio export a file is, before anything in it is believed.

Only the snapshot export in JSON keeps region ids, skips, texts and users together
(annotation.md §0, §1.2 to §1.4); each other format is refused with what to do instead.
"""

import dataclasses
import datetime
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from schemas.annotations import AnnotationPass
from schemas.rejects import RejectedRecordError
from transforms.annotation.event_decoding import decode_time
from transforms.annotation.label_studio.controls import CONTROLS, OLD_PASS_NAMES
from transforms.annotation.label_studio.users import without_addresses
from transforms.files import SourceError, read_json_array

INSTEAD = (
    "export a snapshot of the project as JSON, with annotations__completed_by and drafts "
    "expanded (POST /api/projects/ID/exports/), and import that"
)

_MAX_OBJECT_BYTES = 64 << 20
_IMPORT_SPREAD = datetime.timedelta(seconds=5)


@dataclasses.dataclass(frozen=True, slots=True)
class Survey:
    """What a first look at an export's tasks found."""

    n_tasks: int
    has_user_ids: bool
    """Whether an author is given as a bare id."""
    times_are_lost: bool
    """Whether re-imported annotations all bear one time, that of the import (issue 7298)."""
    names: frozenset[str]
    """User names in it that are addresses."""


def survey_export(path: str, pass_: AnnotationPass | None) -> Survey:
    """Returns what is in a JSON export, having looked at all its tasks.

    Args:
        path: The file.
        pass_: The pass that its tasks are said to be of; None if they say so themselves.

    Raises:
        SourceError: The file is something else, with one sentence on what and on what to
            export instead; or its tasks were not made by `screenset tasks`.
    """
    n_tasks, has_screen, has_user_ids, has_pass = 0, False, False, pass_ is not None
    names: set[str] = set()
    imported: list[datetime.datetime] = []
    for task in read_tasks(path):
        n_tasks += 1
        data = task.get("data")
        if isinstance(data, dict):
            has_screen = has_screen or data.get("screen_id") is not None
            has_pass = has_pass or pass_of(data, None) is not None
            names |= _addresses(data.get("composer"), *_list(data.get("composers")))
        for annotation in (*task["annotations"], *_list(task.get("drafts"))):
            if isinstance(annotation, dict):
                author = annotation.get("completed_by")
                has_user_ids = has_user_ids or isinstance(author, int)
                names |= _addresses(author, annotation.get("user"), annotation.get("updated_by"))
                imported += _import_time(annotation)
    if n_tasks and not has_screen:
        raise _refusal(path, "its tasks have no screen_id: `screenset tasks` did not make them")
    if n_tasks and not has_pass:
        raise _refusal(path, "its tasks do not say of which pass they are: name it with --pass")
    spread = max(imported) - min(imported) if imported else None
    return Survey(
        n_tasks=n_tasks,
        has_user_ids=has_user_ids,
        times_are_lost=spread is not None and spread <= _IMPORT_SPREAD,
        names=frozenset(names),
    )


def read_tasks(path: str) -> Iterator[dict[str, Any]]:
    """Yields the tasks of a JSON export, each with a list of annotations.

    Raises:
        SourceError: The file is something else.
    """
    _check_text(path)
    for item in read_json_array(path):
        problem = _item_problem(item)
        if problem is not None:
            raise _refusal(path, problem)
        yield item


def pass_of(data: Mapping[str, Any], given: AnnotationPass | None) -> AnnotationPass | None:
    """Returns the pass of a task: as given, else as its data say, else `answer` if it asks."""
    if given is not None:
        return given
    named = data.get("pass")
    for pass_ in CONTROLS:
        if named == pass_.value:
            return pass_
    if isinstance(named, str):
        return OLD_PASS_NAMES.get(named)
    return AnnotationPass.ANSWER if data.get("question_id") is not None else None


def _check_text(path: str) -> None:
    """Refuses what is no JSON array by its first bytes, and a single JSON object by its keys."""
    try:
        with open(path, "rb") as file:
            start = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror}") from error
    if start.startswith(b"PK"):
        raise _refusal(path, f"it is a zip file, as COCO and YOLO exports are: {INSTEAD}")
    if start.startswith(b"PAR1"):
        raise _refusal(path, "it is Parquet, as annotation events are: build from it directly")
    if start.startswith(b"{"):
        raise _refusal(path, _object_problem(path))
    if not start.startswith(b"["):
        kind = "an XML file" if start.startswith(b"<") else "a CSV, TSV or other text file"
        raise _refusal(path, f"it is {kind}: {INSTEAD}")


def _object_problem(path: str) -> str:
    if os.path.getsize(path) <= _MAX_OBJECT_BYTES:
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            first = file.readline()
            keys = _keys(first + file.read()) or _keys(first)
        if "images" in keys and "annotations" in keys:
            return f"it is a COCO export, which has neither texts nor users: {INSTEAD}"
        if "task" in keys and "result" in keys:
            return f"it is one annotation of a target storage: {INSTEAD}"
        if "schema_version" in keys and "event_id" in keys:
            return "it holds annotation events already: build from it directly"
        if "completions" in keys:
            return f"it is a task of a Label Studio before 1.0: {INSTEAD}"
    return f"it is one JSON object, an export is a list of tasks: {INSTEAD}"


def _keys(text: str) -> frozenset[str]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return frozenset()
    return frozenset(content) if isinstance(content, dict) else frozenset()


def _item_problem(item: Any) -> str | None:
    if not isinstance(item, dict):
        return f"it is a list of other things than tasks: {INSTEAD}"
    if "completions" in item:
        return f"it is an export of a Label Studio before 1.0 (completions): {INSTEAD}"
    if isinstance(item.get("annotations"), list):
        return None
    if "annotation_id" in item or "annotator" in item:
        return f"it is a JSON_MIN export, which has no region ids and no skips: {INSTEAD}"
    if "data" in item or "image" in item:
        return f"it is a list of tasks to be imported, nobody has annotated them: {INSTEAD}"
    return f"it is no Label Studio export: {INSTEAD}"


def _refusal(path: str, problem: str) -> SourceError:
    return SourceError(f"{path}: unsupported format: {without_addresses(problem)}")


def _addresses(*users: Any) -> set[str]:
    found = [user.get("email") if isinstance(user, dict) else user for user in users]
    return {name for name in found if isinstance(name, str) and "@" in name}


def _list(raw: Any) -> list[Any]:
    return raw if isinstance(raw, list) else []


def _import_time(annotation: dict[str, Any]) -> list[datetime.datetime]:
    if annotation.get("import_id") is None:
        return []
    try:
        return [decode_time(annotation.get("created_at"), "created_at")]
    except RejectedRecordError:
        return []
