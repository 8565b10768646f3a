"""Which events of a screen are live: each unit of work once, in its newest form, in time.

Rules of annotation.md §2.3, in the order in which they are applied: copies, revisions of
one event, events that were not submitted, late ones, untrained authors, re-imported ones,
replaced ones, a second try by the same person.
"""

import dataclasses
import datetime
import re
from collections.abc import Callable, Generator, Hashable, Iterable, Sequence
from typing import Any, TypeAlias

from schemas.annotations import (
    QUESTION_PASSES,
    AnnotationEvent,
    AnnotationPass,
    EventSource,
    EventStatus,
)
from schemas.campaigns import AnnotationPolicy
from schemas.rejects import Outcome, Reason, Reject, Tally
from transforms.annotation.gates import Gate
from transforms.fates import EVENT, event_reject

TIMESTAMPS_LOST = "timestamps_lost"
"""Flag of a re-imported event: its times are those of the import."""

Fates: TypeAlias = Generator[Reject | Tally, None, list[AnnotationEvent]]
"""Yields the fates of events that go, and returns those that stay."""

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_ORDINAL = re.compile(r"(.+):q[0-9]+")


def live_events(events: Iterable[AnnotationEvent], policy: AnnotationPolicy, gate: Gate) -> Fates:
    """Yields the fates of a screen's events that are not live, and returns the live ones.

    The order of `events` changes nothing. What is cancelled, a draft or withdrawn is
    counted under its status: neither merged nor rejected.
    """
    current = yield from _newest_revisions(events)
    withdrawals = [event for event in current if event.status is EventStatus.WITHDRAWN]
    submitted = []
    for event in current:
        if event.status is not EventStatus.SUBMITTED:
            yield Tally(EVENT, event.status.value, 1)
        elif _is_late(event, policy):
            yield event_reject(
                event, "live_events", Reason.LATE_EVENT, f"submitted {event.submitted_at}"
            )
        elif not gate.lets_in(event):
            yield event_reject(
                event, "live_events", Reason.ANNOTATOR_UNTRAINED, "before the end of the training"
            )
        else:
            submitted.append(event)
    rejoined = yield from _rejoin_imports(submitted)
    standing = yield from _drop_replaced(rejoined, withdrawals)
    return (yield from _drop_first_tries(standing))


def surviving(
    events: Iterable[AnnotationEvent], policy: AnnotationPolicy, gate: Gate
) -> list[AnnotationEvent]:
    """Returns the live ones among events whose fates are told elsewhere."""
    fates = live_events(events, policy, gate)
    while True:
        try:
            next(fates)
        except StopIteration as end:
            return list(end.value)


def _is_late(event: AnnotationEvent, policy: AnnotationPolicy) -> bool:
    """Whether an event came after the cut-off; what verifies a build comes after it by nature."""
    if policy.cutoff is None or event.pass_ is AnnotationPass.VERIFY_SHORT_ANSWERS:
        return False
    return event.submitted_at > policy.cutoff


def newest_revision(revisions: Sequence[AnnotationEvent]) -> AnnotationEvent:
    """Returns the revision of one event that was changed last; content decides a tie."""
    return max(revisions, key=_revision_order)


def unit_of(event: AnnotationEvent) -> str | None:
    """Returns what ties the questions of one annotation together; None if nothing does."""
    numbered = _ORDINAL.fullmatch(event.event_id)
    return numbered[1] if numbered else event.source.unique_id


def _newest_revisions(events: Iterable[AnnotationEvent]) -> Fates:
    by_id: dict[str, list[AnnotationEvent]] = {}
    for event in events:
        by_id.setdefault(event.event_id, []).append(event)
    kept = []
    for event_id in sorted(by_id):
        found = by_id[event_id]
        if len(found) > 1:
            found = _distinct(found)
            copies = len(by_id[event_id]) - len(found)
            if copies:
                yield Tally(EVENT, Outcome.MERGED, copies)
                yield Tally("repairs", "duplicates_exact", copies)
            found.sort(key=_revision_order)
        for older in found[:-1]:
            yield event_reject(
                older,
                "live_events",
                Reason.SUPERSEDED_REVISION,
                f"changed again {found[-1].updated_at or found[-1].submitted_at}",
            )
        kept.append(found[-1])
    return kept


def _distinct(events: Iterable[AnnotationEvent]) -> list[AnnotationEvent]:
    """Returns one event per content (I1). In which file and where it lay is no content."""
    by_content: dict[AnnotationEvent, AnnotationEvent] = {}
    for event in sorted(events, key=_place):
        by_content.setdefault(_content(event), event)
    return list(by_content.values())


def _content(event: AnnotationEvent) -> AnnotationEvent:
    source = dataclasses.replace(event.source, file=None, file_sha256=None, record_index=None)
    return dataclasses.replace(event, source=source)


def _place(event: AnnotationEvent) -> tuple[str, int]:
    return event.source.file or "", event.source.record_index or 0


def _revision_order(event: AnnotationEvent) -> tuple[Any, ...]:
    return event.updated_at or event.submitted_at, repr(_content(event)), _place(event)


def _rejoin_imports(events: list[AnnotationEvent]) -> Fates:
    """Brings re-imported events back to what they are copies of, where that is there.

    Label Studio gives them a new id and the time of the import. With the same content they
    are merged; with another one they are the newer revision, of the original's time.
    """
    if not any(event.source.import_id for event in events):
        return events
    standing = {event.event_id: event for event in events}
    root = {_import_key(e, e.source.annotation_id): e.event_id for e in events}
    ordered = sorted(events, key=lambda e: (_number(e.source.annotation_id), e.event_id))
    for copy in ordered:
        if not copy.source.import_id:
            continue
        original = standing.get(root.get(_import_key(copy, copy.source.import_id), ""))
        if original is None or original.event_id == copy.event_id:
            continue
        root[_import_key(copy, copy.source.annotation_id)] = original.event_id
        del standing[copy.event_id]
        if _work(copy) == _work(original):
            yield Tally(EVENT, Outcome.MERGED, 1)
            continue
        yield event_reject(
            original,
            "live_events",
            Reason.SUPERSEDED_REVISION,
            f"imported again and changed: {copy.event_id}",
        )
        standing[original.event_id] = dataclasses.replace(copy, submitted_at=original.submitted_at)
    return list(standing.values())


def _import_key(event: AnnotationEvent, annotation_id: str | None) -> Hashable:
    numbered = event.question.ordinal if event.question is not None else None
    source = event.source
    return (
        *(source.tool, source.instance, source.project_id, annotation_id, numbered),
        *(event.pass_, event.annotator_id),
    )


def _work(event: AnnotationEvent) -> Hashable:
    """Returns what the person did, whenever it was and wherever it lay."""
    blank = EventSource(event.source.tool, *[None] * 11)
    flags = tuple(flag for flag in event.flags if flag != TIMESTAMPS_LOST)
    return dataclasses.replace(
        event,
        event_id="",
        source=blank,
        flags=flags,
        submitted_at=_EPOCH,
        updated_at=None,
        updated_by_other=False,
        lead_time_s=None,
    )


def _drop_replaced(events: list[AnnotationEvent], withdrawals: list[AnnotationEvent]) -> Fates:
    """Drops events that a later event of the same person and pass names in `supersedes`."""
    replacing = [event for event in (*events, *withdrawals) if event.supersedes]
    if not replacing:
        return events
    by_target: dict[str, list[AnnotationEvent]] = {}
    for event in replacing:
        by_target.setdefault(event.supersedes or "", []).append(event)
    kept = []
    for event in events:
        newer = [
            other.event_id
            for other in by_target.get(event.event_id, ())
            if other.pass_ is event.pass_
            and other.annotator_id == event.annotator_id
            and (other.submitted_at, other.event_id) > (event.submitted_at, event.event_id)
        ]
        if newer:
            yield event_reject(
                event, "live_events", Reason.SUPERSEDED_REVISION, f"replaced by {min(newer)}"
            )
        else:
            kept.append(event)
    return kept


def _drop_first_tries(events: list[AnnotationEvent]) -> Fates:
    """Keeps the latest of a person's annotations of one unit of work (I8)."""
    return (yield from keep_latest(events, _work_key))


def keep_latest(
    events: Iterable[AnnotationEvent], key_of: Callable[[AnnotationEvent], Hashable]
) -> Fates:
    """Yields a reject for each event but the latest annotation's of each key; returns the rest.

    Questions of one annotation stay or go together.
    """
    groups: dict[Hashable, dict[str, list[AnnotationEvent]]] = {}
    for event in events:
        unit = unit_of(event) if event.question is not None else None
        tries = groups.setdefault(key_of(event), {})
        tries.setdefault(unit or event.event_id, []).append(event)
    kept = []
    for tries in groups.values():
        time_is_lost = all(TIMESTAMPS_LOST in e.flags for work in tries.values() for e in work)
        latest = max(
            tries.values(), key=lambda work: max(_try_order(e, time_is_lost) for e in work)
        )
        kept += latest
        for work in tries.values():
            for event in work if work is not latest else ():
                yield event_reject(
                    event,
                    "live_events",
                    Reason.SUPERSEDED_BY_SAME_ANNOTATOR,
                    f"done again: {min(e.event_id for e in latest)}",
                )
    return sorted(kept, key=lambda event: (event.submitted_at, event.event_id))


def _try_order(event: AnnotationEvent, time_is_lost: bool) -> tuple[Any, ...]:
    # An import gives all events its own time, but ids in the order that they had.
    imported = _number(event.source.import_id) if time_is_lost else (0, "")
    return imported, event.submitted_at, event.updated_at or event.submitted_at, event.event_id


def _work_key(event: AnnotationEvent) -> Hashable:
    who = (event.pass_, event.annotator_id)
    if event.pass_ is AnnotationPass.TRAINING:
        return (*who, event.event_id)  # A gold screen is given more than once on purpose.
    if event.pass_ in QUESTION_PASSES and event.question is not None:
        # Without a sign of what belongs together, each place in the list is by itself.
        return (*who, -1 if unit_of(event) else event.question.ordinal)
    if event.review is not None:
        return (*who, event.review.target_event_id)
    if event.short_answers is not None and event.short_answers.shown is not None:
        # Other short answers of the same question, such as another model's, are other work.
        return (*who, event.question_id, event.short_answers.shown.short_answers)
    return (*who, event.question_id)


def _number(text: str | None) -> tuple[int, str]:
    return (int(text), "") if text and text.isdecimal() else (0, text or "")
