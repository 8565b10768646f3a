"""The sources of a build as PCollections: which reader reads which file."""

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import apache_beam as beam
from apache_beam.typehints.decorators import no_annotations

from schemas.annotations import AnnotationEvent
from schemas.manifest import SCREEN_KINDS, SYNC_EVIDENCE_KINDS, SourceKind
from schemas.questions import Provenance, Question
from schemas.readings import SyncEvidence
from schemas.rejects import Outcome, Reject, Tally
from schemas.screens import App, AppRow, ScreenRef
from transforms.annotation.event_reading import EventFile, read_events
from transforms.fates import EVENT, EVIDENCE
from transforms.rejecting import Split, SplitFlatMap
from transforms.sources import captured, itunes, rico, screenqa, sync_evidence


@dataclasses.dataclass(frozen=True, slots=True)
class SourceFile:
    """One file or folder to read: where it lies, what it is, which split it stands for."""

    source: str
    kind: SourceKind
    path: str
    name: str
    split: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Selection:
    """Which screens a build is limited to; None for all."""

    ids: frozenset[str] | None = None

    def wants(self, screen_id: str) -> bool:
        """Whether records of this screen belong to the build."""
        return self.ids is None or screen_id in self.ids


_LISTINGS: Mapping[SourceKind, Callable[[str, str], Iterator[ScreenRef | Reject | Tally]]] = {
    SourceKind.RICO_COMBINED: rico.list_combined,
    SourceKind.RICO_TRACES: rico.list_traces,
    SourceKind.IOS_CAPTURED: captured.list_captured,
    SourceKind.ITUNES: itunes.list_store,
}
_CATEGORIES: Mapping[SourceKind, Callable[[str, str], Iterator[App | Reject]]] = {
    SourceKind.RICO_APP_DETAILS: rico.read_app_details,
    SourceKind.IOS_CAPTURED: captured.read_captured_apps,
    SourceKind.ITUNES: itunes.read_store_apps,
}
CATEGORY_KINDS = frozenset(_CATEGORIES)
"""Kinds of sources that tell an app's category; those of iOS screens do it along the way."""


def read_source(file: SourceFile, selection: Selection) -> Iterator[Any]:
    """Yields what a file holds on screens: questions, screens, or which app a screen shows."""
    if file.kind in SCREEN_KINDS:
        return read_screens(file, selection)
    if file.kind is SourceKind.RICO_UI_DETAILS:
        return read_app_rows(file, selection)
    if file.kind is SourceKind.ANNOTATION_EVENTS:
        events = read_events(EventFile(file.path, file.name))
        return _counted(events, selection, _event_kind)
    if file.kind in SYNC_EVIDENCE_KINDS:
        return read_evidence(file, selection)
    return read_questions(file, selection)


def list_screens(file: SourceFile) -> Iterator[ScreenRef | Reject | Tally]:
    """Yields the screens of one folder, without opening any of them."""
    return _LISTINGS[file.kind](file.path, file.source)


def read_screens(file: SourceFile, selection: Selection) -> Iterator[ScreenRef | Reject | Tally]:
    """Yields the screens of one folder, as far as they are selected."""
    return _counted(list_screens(file), selection, _screen_kind)


def read_questions(file: SourceFile, selection: Selection) -> Iterator[Question | Reject | Tally]:
    """Yields the questions of one file, as far as they are selected."""
    read = screenqa.read_answers
    if file.kind is SourceKind.SCREENQA_SHORT_ANSWERS:
        read = screenqa.read_short_answers
    questions = read(file.path, Provenance(file.source, file.name, 0), file.split)
    return _counted(questions, selection, _question_kinds)


def read_app_rows(file: SourceFile, selection: Selection) -> Iterator[AppRow | Reject | Tally]:
    """Yields which screen shows which app, from one `ui_details.csv`."""
    return _counted(rico.read_ui_details(file.path, file.source), selection, _row_kind)


def read_evidence(
    file: SourceFile, selection: Selection
) -> Iterator[SyncEvidence | Reject | Tally]:
    """Yields what one file tells of the sync of hierarchies."""
    is_list = file.kind is SourceKind.SCREEN_LIST
    read = sync_evidence.read_screen_list if is_list else sync_evidence.read_clay_labels
    return _counted(read(file.path, file.source), selection, _evidence_kind)


def read_categories(file: SourceFile) -> Iterator[App | Reject | Tally]:
    """Yields the apps that a file or folder tells the category of.

    A look-up table: all of it counts as kept.
    """
    outcomes: Counter[str] = Counter()
    for item in _CATEGORIES[file.kind](file.path, file.source):
        if isinstance(item, Tally):
            continue  # A listing's screens are counted where they are listed.
        outcomes[Outcome.READ] += 1
        outcomes[Outcome.KEPT] += isinstance(item, App)
        yield item
    yield from (Tally("app_details", outcome, count) for outcome, count in outcomes.items())


def _counted(
    items: Iterable[Any], selection: Selection, kinds_of: Callable[[Any], dict[str, int]]
) -> Iterator[Any]:
    """Yields selected records and all rejects, then how many of each kind were read."""
    read: Counter[str] = Counter()
    for item in items:
        if isinstance(item, Reject):
            read[item.kind] += 1
        elif isinstance(item, Tally):
            if item.outcome == Outcome.READ:
                continue  # Of the whole file; only what is selected is this build's.
        elif selection.wants(item.screen_id):
            read.update(kinds_of(item))
        else:
            continue
        yield item
    yield from (Tally(kind, Outcome.READ, count) for kind, count in read.items() if count)


def _screen_kind(_: ScreenRef) -> dict[str, int]:
    return {"screen": 1}


def _row_kind(_: AppRow) -> dict[str, int]:
    return {"app_row": 1}


def _evidence_kind(_: SyncEvidence) -> dict[str, int]:
    return {EVIDENCE: 1}


def _event_kind(_: AnnotationEvent) -> dict[str, int]:
    return {EVENT: 1}


def _question_kinds(question: Question) -> dict[str, int]:
    return {question.kinds[0]: 1, "answer": len(question.answers)}


class ReadFiles(beam.PTransform[beam.Pipeline, Split[Any]]):
    """Reads source files, each in one piece, with one of this module's functions.

    Only the files' paths are in the graph, never what they hold: a graph with data in it
    is too large for an engine, and slow to build on this one.
    """

    def __init__(
        self,
        files: Sequence[SourceFile],
        fn: Callable[..., Iterator[Any]],
        *args: Any,
    ) -> None:
        super().__init__()
        self._files = tuple(files)
        self._fn = fn
        self._args = args

    @no_annotations  # Beam warns about outputs that are not a single PCollection.
    def expand(self, pipeline: beam.Pipeline) -> Split[Any]:
        return (
            pipeline
            | "ListFiles" >> beam.Create(self._files, reshuffle=len(self._files) > 1)
            | "ReadFile" >> SplitFlatMap(self._fn, *self._args)
        )
