"""Annotation events read from JSON lines and Parquet, whatever tool they came from.

A file that is none of the two is its user's mistake and stops the reading; a line or row
that is no event is a `Reject` with its file and place, and the rest of the file goes on.
"""

import dataclasses
import datetime
import glob
import json
import os
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

import pyarrow.parquet as pq

from schemas.annotations import (
    PAYLOAD_COLUMNS,
    SCHEMA_VERSION,
    AnnotationEvent,
    EventStatus,
    event_values,
)
from schemas.rejects import Outcome, Reason, Reject, RejectedRecordError, Tally
from transforms.annotation.event_decoding import decoder
from transforms.annotation.invariants import check_event
from transforms.fates import EVENT
from transforms.files import SourceError
from transforms.identifying import clean_text, normalize_id

SUFFIXES = (".jsonl", ".parquet")

_PAYLOADS = tuple(dict.fromkeys(PAYLOAD_COLUMNS.values()))
_NO_PAYLOADS = dict.fromkeys(_PAYLOADS)
_decode_event = decoder(AnnotationEvent)


@dataclasses.dataclass(frozen=True, slots=True)
class EventFile:
    """One file of events: where it lies, and the name that reports know it by."""

    path: str
    name: str


def find_event_files(places: Iterable[str]) -> tuple[EventFile, ...]:
    """Returns the event files in files, folders and globs, each once, in order of their names.

    Of a folder, all files below it count that end in `.jsonl` or `.parquet`, are not hidden
    and are no `.rejects.jsonl`.

    Raises:
        SourceError: A place holds no such file, or a named file ends otherwise.
    """
    found: dict[str, EventFile] = {}
    for place in places:
        files = list(_files_in(place))
        if not files:
            raise SourceError(f"{place}: holds no .jsonl or .parquet file of annotation events")
        for file in files:
            found.setdefault(os.path.realpath(file.path), file)
    return tuple(sorted(found.values(), key=lambda file: (file.name, file.path)))


def read_events(file: EventFile) -> Iterator[AnnotationEvent | Reject | Tally]:
    """Yields the events of one file, a reject for each line or row that is none, and counts.

    Raises:
        SourceError: The file cannot be opened, or is no Parquet although its name says so.
    """
    read = 0
    for place, raw in _read_raw(file.path):
        read += 1
        try:
            if isinstance(raw, RejectedRecordError):
                raise raw
            yield parse_event(raw)
        except RejectedRecordError as error:
            where = f"{file.name}:{place}"
            step = "parse_event"
            yield Reject(EVENT, _raw_id(raw), step, error.reason, error.detail, where)
    if read:
        yield Tally(EVENT, Outcome.READ, read)


def read_screen_ids(file: EventFile) -> Iterator[str]:
    """Yields the screen id of each line or row of a file, empty for what has none.

    For looking a file over: nothing else of an event is read or checked.
    """
    for _, raw in _read_raw(file.path):
        try:
            yield normalize_id(raw["screen_id"]) if isinstance(raw, dict) else ""
        except (KeyError, RejectedRecordError):
            yield ""


def parse_event(raw: Any) -> AnnotationEvent:
    """Returns the event of one JSON line or Parquet row.

    What lies in the payloads of an event that was not submitted is never read: cancelled
    tasks leave results behind (annotation.md §2.3).

    Raises:
        RejectedRecordError: `UNSUPPORTED_FORMAT` for another major version, or the reason
            of what is missing, malformed or against an invariant.
    """
    if not isinstance(raw, dict):
        raise RejectedRecordError(
            Reason.RECORD_MALFORMED, f"the record is a {type(raw).__name__}, no object"
        )
    version = raw.get("schema_version")
    if version is None:
        raise RejectedRecordError(Reason.MISSING_KEY, "schema_version is missing")
    major = SCHEMA_VERSION.partition(".")[0]
    if not isinstance(version, str) or version.partition(".")[0] != major:
        raise RejectedRecordError(
            Reason.UNSUPPORTED_FORMAT, f"schema_version is {version!r:.20}, not {SCHEMA_VERSION}"
        )
    record = raw if raw.get("screen_id") is None else raw | _normal_screen_id(raw)
    if raw.get("status") != EventStatus.SUBMITTED.value:
        record = record | _NO_PAYLOADS
    event = _decode_event(record, "")
    if not event.event_id.strip():
        raise RejectedRecordError(Reason.MISSING_KEY, "event_id is blank")
    return check_event(event)


def event_line(event: AnnotationEvent) -> str:
    """Returns an event as one line of JSON, without the line's end."""
    return json.dumps(event_values(event), ensure_ascii=False, default=_written_time)


def _files_in(place: str) -> Iterator[EventFile]:
    if os.path.isdir(place):
        yield from _files_below(place)
    elif os.path.isfile(place):
        if not place.lower().endswith(SUFFIXES):
            raise SourceError(
                f"{place}: annotation events are .jsonl or .parquet files; "
                "`screenset import` makes them of a Label Studio export"
            )
        yield EventFile(place, os.path.basename(place))
    elif glob.has_magic(place):
        for path in sorted(glob.glob(place, recursive=True)):
            if os.path.isdir(path) or path.lower().endswith(SUFFIXES):
                yield from _files_in(path)
    else:
        raise SourceError(f"{place}: there is no such file or folder of annotation events")


def _files_below(top: str) -> Iterator[EventFile]:
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            # `screenset import` writes what it rejects beside the events.
            if name.startswith(".") or name.endswith(".rejects.jsonl"):
                continue
            if name.lower().endswith(SUFFIXES):
                path = os.path.join(folder, name)
                yield EventFile(path, os.path.relpath(path, top))


def _read_raw(path: str) -> Iterator[tuple[int, Any]]:
    """Yields each line's or row's place and plain values, or what is wrong with its text."""
    if path.lower().endswith(".parquet"):
        return _read_rows(path)
    return _read_lines(path)


def _read_lines(path: str) -> Iterator[tuple[int, Any]]:
    """Yields the lines of JSON, counted from 1; blank ones are no lines."""
    try:
        with open(path, "rb") as file:
            for number, line in enumerate(file, start=1):
                if number == 1:
                    line = line.removeprefix(b"\xef\xbb\xbf")
                if line.strip():
                    yield number, _parse_line(line)
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror}") from error


def _parse_line(line: bytes) -> Any:
    try:
        return json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        return RejectedRecordError(Reason.BAD_JSON, clean_text(str(error))[:200])


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _read_rows(path: str) -> Iterator[tuple[int, Any]]:
    """Yields the rows of Parquet, counted from 0."""
    names = {name.rstrip("_") for name in AnnotationEvent.__dataclass_fields__}
    number = 0
    try:
        with pq.ParquetFile(path) as file:
            columns = [name for name in file.schema_arrow.names if name in names]
            for batch in file.iter_batches(batch_size=1024, columns=columns):
                for row in batch.to_pylist():
                    yield number, row
                    number += 1
    except (OSError, ValueError) as error:
        raise SourceError(f"{path}: is no whole Parquet file: {error}") from error


def _normal_screen_id(raw: dict[str, Any]) -> dict[str, str]:
    return {"screen_id": normalize_id(raw["screen_id"])}


def _raw_id(raw: Any) -> str:
    found = raw.get("event_id") if isinstance(raw, dict) else None
    return clean_text(found[:120]) if isinstance(found, str) else ""


def _written_time(value: Any) -> str:
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    raise TypeError(f"{type(value).__name__} is no JSON value")
