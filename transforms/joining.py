"""Questions, screens and apps brought together by screen id, both orphan sides counted."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import apache_beam as beam
from apache_beam.typehints.decorators import no_annotations

from schemas.annotations import AnnotationEvent
from schemas.manifest import Blocked
from schemas.questions import AskedScreen, Question
from schemas.readings import SyncEvidence
from schemas.rejects import Outcome, Reason, Reject, Tally
from schemas.screens import App, AppRow, ScreenRef
from transforms.fates import EVIDENCE, asked_rejects, question_rejects
from transforms.packing import pack, unpack
from transforms.rejecting import Split, SplitFlatMap

Part = Question | AnnotationEvent | ScreenRef | AppRow | SyncEvidence
"""What a source holds on a screen."""


class Wanted(NamedTuple):
    """Which screens a build is made of.

    `pictures`: it stores them, so that a question without its screen goes. `unasked`: it
    takes screens that no question asks about as well. `blocked` must not be in it.
    """

    pictures: bool
    unasked: bool = False
    blocked: Blocked = Blocked()


def join_screen(
    keyed: tuple[str, Iterable[Part]], categories: Mapping[str, str], wanted: Wanted
) -> Iterator[AskedScreen | Reject | Tally]:
    """Yields the screen with its questions, or the fates of what found no counterpart.

    A screen, and what tells its app or its sync, is orphaned if no question asks for it and
    unasked ones are not wanted; a question whose screen no source has is rejected with
    `SCREEN_MISSING`, all of a blocked screen or app with `BLOCKED`. The app is what
    the source's layout says, else the first row that names one; further rows that agree
    are merged, others rejected.

    Args:
        keyed: A screen id and all that the sources hold on it, in any order.
        categories: Store category by app package.
        wanted: Which screens the build is made of.
    """
    screen_id = keyed[0]
    parts = _sorted_parts(keyed[1])
    if not parts.questions and not parts.events and not (wanted.unasked and parts.screens):
        yield from _orphans(parts)
        return
    yield from _row_fates(screen_id, parts.rows)
    if parts.evidence:
        yield Tally(EVIDENCE, Outcome.KEPT, len(parts.evidence))
    for extra in parts.screens[1:]:
        detail = f"{parts.screens[0].source} has a screen of this id already"
        yield Reject("screen", screen_id, "join_screen", Reason.ID_DUPLICATE, detail, extra.source)
    asked = _asked(screen_id, parts, categories, wanted)
    if wanted.pictures and asked.ref is None:
        detail = f"no source has screen {screen_id}"
        for question in asked.questions:
            yield from question_rejects(question, "join_screen", Reason.SCREEN_MISSING, detail)
        if not asked.events:
            return
        # Events of such a screen are settled all the same: training counts without one.
        asked = dataclasses.replace(asked, questions=())
    blocked = find_blocked(asked, wanted.blocked)
    if blocked:
        yield from asked_rejects(asked, "join_screen", Reason.BLOCKED, blocked)
    else:
        yield asked


def find_blocked(asked: AskedScreen, blocked: Blocked) -> str:
    """Returns what of a screen the block list names, or an empty text."""
    if asked.screen_id in blocked.screens:
        return f"screen {asked.screen_id}"
    if asked.app is not None and asked.app.package in blocked.apps:
        return f"app {asked.app.package}"
    return ""


class JoinScreens(beam.PTransform[beam.PCollection[Part], Split[AskedScreen]]):
    """Groups questions, screens and app rows, all in one PCollection, by screen id.

    One grouping of a union, and not `CoGroupByKey`: that one encodes every record twice.
    """

    def __init__(self, wanted: Wanted, categories: beam.PCollection[App]) -> None:
        super().__init__()
        self._wanted = wanted
        self._categories = categories

    @no_annotations  # Beam warns about outputs that are not a single PCollection.
    def expand(self, parts: beam.PCollection[Part]) -> Split[AskedScreen]:
        by_package = self._categories | "KeyCategories" >> beam.Map(_with_package)
        return (
            parts
            | "KeyById" >> beam.Map(_packed_with_id)
            | "GroupByScreen" >> beam.GroupByKey()
            | SplitFlatMap(_join_packed, beam.pvalue.AsDict(by_package), self._wanted)
        )


def _orphans(parts: "_Parts") -> Iterator[Tally]:
    found: tuple[tuple[str, Sequence[Part]], ...] = (
        ("screen", parts.screens),
        ("app_row", parts.rows),
        (EVIDENCE, parts.evidence),
    )
    for kind, records in found:
        if records:
            yield Tally(kind, Outcome.ORPHANED, len(records))


def _asked(
    screen_id: str, parts: "_Parts", categories: Mapping[str, str], wanted: Wanted
) -> AskedScreen:
    ref = parts.screens[0] if wanted.pictures and parts.screens else None
    package = (ref.app if ref else None) or (parts.rows[0].package if parts.rows else None)
    return AskedScreen(
        screen_id=screen_id,
        ref=ref,
        app=App(package, categories.get(package)) if package else None,
        questions=tuple(parts.questions),
        events=tuple(parts.events),
        evidence=tuple(parts.evidence),
    )


class _Parts(NamedTuple):
    questions: list[Question]
    events: list[AnnotationEvent]
    screens: list[ScreenRef]
    rows: list[AppRow]
    evidence: list[SyncEvidence]


def _sorted_parts(parts: Iterable[Part]) -> _Parts:
    by_type: dict[type, list[Any]] = {
        Question: [],
        AnnotationEvent: [],
        ScreenRef: [],
        AppRow: [],
        SyncEvidence: [],
    }
    for part in parts:
        by_type[type(part)].append(part)
    by_type[Question].sort(key=_place)
    by_type[ScreenRef].sort(key=lambda ref: (ref.source, ref.image or ""))
    by_type[AppRow].sort(key=lambda row: row.position)
    by_type[SyncEvidence].sort(key=lambda found: (found.source, found.listed, found.invalid_nodes))
    return _Parts(*by_type.values())


def _row_fates(screen_id: str, rows: list[AppRow]) -> Iterator[Reject | Tally]:
    for row in rows[:1]:
        yield Tally("app_row", Outcome.KEPT, 1)
        for other in rows[1:]:
            if other.package == row.package:
                yield Tally("app_row", Outcome.MERGED, 1)
            else:
                detail = f"names {other.package}, an earlier row {row.package}"
                yield Reject(
                    "app_row", screen_id, "join_screen", Reason.ID_DUPLICATE, detail, "apps"
                )


def _place(question: Question) -> tuple[str, str, int]:
    origin = question.provenance
    return origin.source, origin.file, origin.position


def _packed_with_id(part: Part) -> tuple[str, bytes]:
    return part.screen_id, pack(part)


def _join_packed(
    keyed: tuple[str, Iterable[bytes]], categories: Mapping[str, str], wanted: Wanted
) -> Iterator[AskedScreen | Reject | Tally]:
    return join_screen((keyed[0], map(unpack, keyed[1])), categories, wanted)


def _with_package(app: App) -> tuple[str, str | None]:
    return app.package, app.category
