"""Rejected records of a build: a few of each reason, and those that belong to a kept screen."""

import dataclasses
import hashlib
import heapq
import re
from collections.abc import Container, Iterator
from typing import Any

from pipelines.errors import UserError
from pipelines.finished_builds import FinishedBuild, json_lines
from schemas.records import Record

_FOLDER = "rejects/"
_EXAMPLES = 5
_LONGEST = 600
"""Characters of an id or a detail that are kept."""
_OWNER = re.compile(r"([^\s:]+):question_")
"""The screen in what names a composed question: `an answer to 90029:question_1:0:182b9fac`."""


@dataclasses.dataclass(frozen=True, slots=True)
class RejectedRecord(Record):
    """One line of `rejects/<kind>.jsonl`."""

    kind: str
    id: str
    step: str
    reason: str
    detail: str
    origin: str


@dataclasses.dataclass(frozen=True, slots=True)
class ReasonExamples:
    """Records of one kind and reason: how many there are, and a few chosen by hash."""

    count: int
    records: tuple[RejectedRecord, ...]


def rejected_records(build: FinishedBuild) -> Iterator[RejectedRecord]:
    """Yields the rejected records of a build, a line at a time.

    Raises:
        UserError: If a file of them is missing or damaged.
    """
    for file in build.files:
        if file.path.startswith(_FOLDER) and file.path.endswith(".jsonl"):
            path = build.path(file.path)
            for plain in json_lines(path):
                try:
                    record = _parse(plain)
                except KeyError as error:
                    raise UserError(f"{path}: is missing or damaged: no {error}") from error
                yield record


def examples_by_reason(
    records: Iterator[RejectedRecord], seed: str
) -> dict[tuple[str, str], ReasonExamples]:
    """Returns a few records of each (kind, reason), chosen by hash, in the order of their ids."""
    best: dict[tuple[str, str], list[tuple[int, int, RejectedRecord]]] = {}
    counts: dict[tuple[str, str], int] = {}
    for record in records:
        key = record.kind, record.reason
        n = counts[key] = counts.get(key, 0) + 1
        heap = best.setdefault(key, [])
        # A heap gives up its smallest, so the smallest digests are kept as the largest.
        item = (-_digest(f"{seed}\n{record.kind}\n{record.id}\n{record.origin}"), n, record)
        (heapq.heappush if len(heap) < _EXAMPLES else heapq.heappushpop)(heap, item)
    return {
        key: ReasonExamples(counts[key], tuple(sorted((r for *_, r in heap), key=lambda r: r.id)))
        for key, heap in sorted(best.items())
    }


def owner_of(record: RejectedRecord, screens: Container[str]) -> str | None:
    """Returns the one of these screens that a record belongs to; None if it names none."""
    named = (record.id, record.id.partition(":")[0], *_OWNER.findall(record.detail))
    return next((screen_id for screen_id in named if screen_id in screens), None)


def _parse(plain: dict[str, Any]) -> RejectedRecord:
    texts = {f.name: str(plain[f.name]) for f in dataclasses.fields(RejectedRecord)}
    return RejectedRecord(
        **texts | {"id": _cut(texts["id"]), "detail": _cut(texts["detail"])},
    )


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"


def _digest(text: str) -> int:
    data = text.encode("utf-8", "backslashreplace")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest())
