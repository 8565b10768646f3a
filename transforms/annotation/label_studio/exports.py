"""Snapshot exports of Label Studio turned into annotation events (annotation.md §2.4)."""

import dataclasses
import os
from collections.abc import Iterator, Mapping
from typing import Any

from schemas.annotations import (
    PAYLOAD_COLUMNS,
    QUESTION_PASSES,
    SCHEMA_VERSION,
    AnnotationEvent,
    AnnotationPass,
    EventSource,
    EventStatus,
)
from schemas.geometry import Size
from schemas.rejects import Outcome, Reason, Reject, RejectedRecordError, Tally
from transforms.annotation.event_decoding import decode_time
from transforms.annotation.label_studio.controls import CONTROLS, ELEMENT
from transforms.annotation.label_studio.formats import Survey, read_tasks, survey_export
from transforms.annotation.label_studio.payloads import Said, Shown, read_payloads
from transforms.annotation.label_studio.regions import offered_leaves
from transforms.annotation.label_studio.results import read_results
from transforms.annotation.label_studio.tasks_read import ReadTask, read_task
from transforms.annotation.label_studio.users import Users, without_addresses
from transforms.annotation.questions import question_id
from transforms.annotation.revisions import TIMESTAMPS_LOST
from transforms.files import SourceError, file_digest

ANNOTATION = "ls_annotation"
"""Kind of the records that annotations and drafts of an export are."""

TOOL = "label_studio"


@dataclasses.dataclass(frozen=True, slots=True)
class ImportOptions:
    """How an export is to be read.

    `instance` names the installation: it is part of every event's id, and must be the same
    at each import. `sizes` are those of the pictures as displayed (turned by their EXIF
    orientation), by screen id, where known.
    """

    users: Users
    has_user_map: bool
    instance: str = "main"
    pass_: AnnotationPass | None = None
    sizes: Mapping[str, Size] = dataclasses.field(default_factory=dict)
    label_config_sha256: str | None = None
    tool_version: str | None = None


def read_export(
    path: str, options: ImportOptions, survey: Survey | None = None
) -> Iterator[AnnotationEvent | Reject | Tally]:
    """Yields the events of a snapshot export, a reject for each unusable annotation, and counts.

    What was cancelled or is a draft comes as an event of that status, without payload, and
    is counted as such. One annotation of a question pass gives one event a question.

    Args:
        path: The export.
        options: How to read it.
        survey: What `survey_export` found in it, where that is known already.

    Raises:
        SourceError: The file is no such export, or gives its authors as ids and there is no
            user map. The message holds no e-mail address.
    """
    survey = survey or survey_export(path, options.pass_)
    if survey.has_user_ids and not options.has_user_map:
        raise SourceError(
            f"{path}: gives the annotators as ids, as the easy export does: export a snapshot "
            "with annotations__completed_by expanded, or say with --user-map who they are"
        )
    options.users.remember(survey.names)
    name = without_addresses(os.path.basename(path))
    reader = _Reader(options, survey, name, file_digest(path))
    for index, task in enumerate(read_tasks(path)):
        yield from reader.read(index, task)


@dataclasses.dataclass(frozen=True, slots=True)
class _Reader:
    """Reads one file's tasks."""

    options: ImportOptions
    survey: Survey
    name: str
    sha256: str

    def read(self, index: int, raw: dict[str, Any]) -> Iterator[AnnotationEvent | Reject | Tally]:
        """Yields the events, rejects and counts of one task."""
        task = read_task(raw, index, self.options.pass_, self.options.sizes)
        drafts = raw.get("drafts")
        work = [(annotation, False) for annotation in raw["annotations"]]
        work += [(draft, True) for draft in (drafts if isinstance(drafts, list) else ())]
        if work:
            yield Tally(ANNOTATION, Outcome.READ, len(work))
        for annotation, is_draft in work:
            status = _status(annotation, is_draft=is_draft)
            if status is not EventStatus.SUBMITTED:
                yield Tally(ANNOTATION, status.value, 1)
                yield from self._unsubmitted(task, annotation, status)
                continue
            try:
                events = list(self._submitted(task, annotation))
            except RejectedRecordError as error:
                yield self._reject(task, annotation, error)
            else:
                yield Tally(ANNOTATION, Outcome.KEPT, 1)
                yield from events

    def _unsubmitted(
        self, task: ReadTask, annotation: Any, status: EventStatus
    ) -> Iterator[AnnotationEvent]:
        """Yields the event of what was not submitted, if it can be told whose it is."""
        try:
            yield self._event(task, annotation, status)
        except RejectedRecordError:
            return  # It is counted; nothing that is missing in it would have been used.

    def _submitted(self, task: ReadTask, annotation: Any) -> Iterator[AnnotationEvent]:
        event = self._event(task, annotation, EventStatus.SUBMITTED)
        clean = self.options.users.clean
        results = read_results(annotation.get("result"), CONTROLS[event.pass_], clean)
        if event.pass_ is AnnotationPass.ANSWER:
            self._check_composer(task, event)
        shown = Shown(
            task.known_size,
            self._leaves(task, annotation),
            task.target_of(annotation),
            task.shown_short_answers(),
        )
        said = read_payloads(results, event.pass_, shown)
        for payload, flags in said.payloads:
            yield _with_payload(event, payload, said, (*event.flags, *flags))

    def _event(self, task: ReadTask, annotation: Any, status: EventStatus) -> AnnotationEvent:
        if not isinstance(annotation, dict):
            raise RejectedRecordError(Reason.RECORD_MALFORMED, "the annotation is no object")
        pass_, screen_id = task.identity()
        is_draft = status is EventStatus.DRAFT
        author = annotation.get("user" if is_draft else "completed_by")
        changed = annotation.get("updated_at")
        times_are_lost = self.survey.times_are_lost and annotation.get("import_id") is not None
        size = task.shown_size or Size(0, 0)
        payloads = dict.fromkeys(PAYLOAD_COLUMNS.values())
        created = annotation.get("created_at")
        if created is None:
            raise RejectedRecordError(Reason.MISSING_KEY, "created_at is missing")
        return AnnotationEvent(
            schema_version=SCHEMA_VERSION,
            event_id=self._event_id(task, annotation, is_draft=is_draft),
            pass_=pass_,
            status=status,
            screen_id=screen_id,
            question_id=task.asked_about(),
            annotator_id=self.options.users.pseudonym(author),
            submitted_at=decode_time(created, "created_at"),
            updated_at=None if changed is None else decode_time(changed, "updated_at"),
            updated_by_other=_is_edited_by_other(annotation),
            lead_time_s=_seconds(annotation.get("lead_time")),
            supersedes=None,
            image_width=size.width,
            image_height=size.height,
            source=self._source(task, annotation),
            flags=(TIMESTAMPS_LOST,) if times_are_lost else (),
            **payloads,
        )

    def _event_id(self, task: ReadTask, annotation: dict[str, Any], *, is_draft: bool) -> str:
        unique, number = annotation.get("unique_id"), annotation.get("id")
        if not is_draft and isinstance(unique, str) and unique:
            own = unique
        elif number is not None:  # Drafts, and exports of releases before 1.8, have no more.
            own = f"{task.project_id or 'x'}-{'draft' if is_draft else 'annotation'}-{number}"
        else:
            raise RejectedRecordError(Reason.MISSING_KEY, "neither unique_id nor id is there")
        return f"ls:{self.options.instance}:{own}"

    def _source(self, task: ReadTask, annotation: dict[str, Any]) -> EventSource:
        return EventSource(
            tool=TOOL,
            tool_version=self.options.tool_version,
            instance=self.options.instance,
            project_id=task.project_id,
            task_id=task.task_id,
            annotation_id=_text(annotation.get("id")),
            unique_id=_text(annotation.get("unique_id")),
            import_id=_text(annotation.get("import_id")),
            file=self.name,
            file_sha256=self.sha256,
            record_index=task.index,
            label_config_sha256=self.options.label_config_sha256,
        )

    def _check_composer(self, task: ReadTask, event: AnnotationEvent) -> None:
        for composer in task.composers:
            try:
                is_same = self.options.users.pseudonym(composer) == event.annotator_id
            except RejectedRecordError:
                continue  # Settling checks again, by the event that composed the question.
            if is_same:
                raise RejectedRecordError(
                    Reason.COMPOSER_ANSWERED_OWN_QUESTION, f"{event.annotator_id} composed it"
                )

    def _leaves(self, task: ReadTask, annotation: dict[str, Any]) -> dict[int, Any]:
        copied = annotation.get("prediction")
        if isinstance(copied, dict) and copied.get("result"):
            return offered_leaves(copied["result"], ELEMENT)
        return offered_leaves(task.predicted, ELEMENT)

    def _reject(self, task: ReadTask, annotation: Any, error: RejectedRecordError) -> Reject:
        number = annotation.get("id") if isinstance(annotation, dict) else None
        return Reject(
            kind=ANNOTATION,
            id=f"task {task.task_id}, annotation {number!r:.20}",
            step="read_export",
            reason=error.reason,
            detail=without_addresses(error.detail),
            origin=f"{self.name}:{task.index}",
        )


def _with_payload(
    event: AnnotationEvent, payload: Any, said: Said, flags: tuple[str, ...]
) -> AnnotationEvent:
    changes: dict[str, Any] = {PAYLOAD_COLUMNS[event.pass_]: payload, "flags": flags}
    if said.size is not None:
        changes["image_width"], changes["image_height"] = said.size
    if event.pass_ in QUESTION_PASSES:
        changes["event_id"] = f"{event.event_id}:q{payload.ordinal}"
        if payload.text:
            changes["question_id"] = question_id(
                event.screen_id, event.pass_, payload.ordinal, payload.text
            )
    return dataclasses.replace(event, **changes)


def _status(annotation: Any, *, is_draft: bool) -> EventStatus:
    if is_draft:
        return EventStatus.DRAFT
    if isinstance(annotation, dict) and annotation.get("was_cancelled") is True:
        return EventStatus.CANCELLED
    return EventStatus.SUBMITTED


def _is_edited_by_other(annotation: dict[str, Any]) -> bool:
    author, editor = annotation.get("completed_by"), annotation.get("updated_by")
    if isinstance(author, dict):
        author = author.get("id")
    if isinstance(editor, dict):
        editor = editor.get("id")
    return author is not None and editor is not None and str(author) != str(editor)


def _seconds(raw: Any) -> float | None:
    is_number = isinstance(raw, int | float) and not isinstance(raw, bool)
    return float(raw) if is_number and 0 <= raw < 1e9 else None


def _text(raw: Any) -> str | None:
    return None if raw is None else str(raw)
