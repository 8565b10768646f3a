"""Questions, screens and apps brought together by screen id, both orphan sides counted."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import apache_beam as beam
from apache_beam.typehints.decorators import no_annotations

from schemas.annotations import AnnotationEvent
from schemas.questions import AskedScreen, Question
from schemas.rejects import Outcome, Reason, Reject, Tally
from schemas.screens import App, AppRow, ScreenRef
from transforms.fates import question_rejects
from transforms.packing import pack, unpack
from transforms.rejecting import Split, SplitFlatMap

Part = Question | AnnotationEvent | ScreenRef | AppRow
"""What a source holds on a screen."""


def join_screen(
    keyed: tuple[str, Iterable[Part]], categories: Mapping[str, str], needs_screen: bool
) -> Iterator[AskedScreen | Reject | Tally]:
    """Yields the screen with its questions, or the fates of what found no counterpart.

    A screen, or a row that names its app, is orphaned if no question asks for it; a
    question whose screen no source has is rejected with `SCREEN_MISSING`. The app is what
    the source's layout says, else the first row that names one; further rows that agree
    are merged, others rejected.

    Args:
        keyed: A screen id and all that the sources hold on it, in any order.
        categories: Play Store category by app package.
        needs_screen: Whether the build stores pictures.
    """
    screen_id, parts = keyed
    questions, events, screens, rows = _sorted_parts(parts)
    if not questions and not events:
        if screens:
            yield Tally("screen", Outcome.ORPHANED, len(screens))
        if rows:
            yield Tally("app_row", Outcome.ORPHANED, len(rows))
        return
    yield from _row_fates(screen_id, rows)
    if needs_screen and not screens:
        detail = f"no source has screen {screen_id}"
        for question in questions:
            yield from question_rejects(question, "join_screen", Reason.SCREEN_MISSING, detail)
        if not events:
            return
        # Events of such a screen are settled all the same: training counts without one.
        questions = []
    for extra in screens[1:]:
        detail = f"{screens[0].source} has a screen of this id already"
        yield Reject("screen", screen_id, "join_screen", Reason.ID_DUPLICATE, detail, extra.source)
    ref = screens[0] if needs_screen and screens else None
    package = (ref.app if ref else None) or (rows[0].package if rows else None)
    app = App(package, categories.get(package)) if package else None
    yield AskedScreen(screen_id, ref, app, tuple(questions), events=tuple(events))


class JoinScreens(beam.PTransform[beam.PCollection[Part], Split[AskedScreen]]):
    """Groups questions, screens and app rows, all in one PCollection, by screen id.

    One grouping of a union, and not `CoGroupByKey`: that one encodes every record twice.
    """

    def __init__(self, *, needs_screen: bool, categories: beam.PCollection[App]) -> None:
        super().__init__()
        self._needs_screen = needs_screen
        self._categories = categories

    @no_annotations  # Beam warns about outputs that are not a single PCollection.
    def expand(self, parts: beam.PCollection[Part]) -> Split[AskedScreen]:
        by_package = self._categories | "KeyCategories" >> beam.Map(_with_package)
        return (
            parts
            | "KeyById" >> beam.Map(_packed_with_id)
            | "GroupByScreen" >> beam.GroupByKey()
            | SplitFlatMap(_join_packed, beam.pvalue.AsDict(by_package), self._needs_screen)
        )


def _sorted_parts(
    parts: Iterable[Part],
) -> tuple[list[Question], list[AnnotationEvent], list[ScreenRef], list[AppRow]]:
    found: dict[type, list[Any]] = {Question: [], AnnotationEvent: [], ScreenRef: [], AppRow: []}
    for part in parts:
        found[type(part)].append(part)
    found[Question].sort(key=_place)
    found[ScreenRef].sort(key=lambda ref: (ref.source, ref.image or ""))
    found[AppRow].sort(key=lambda row: row.position)
    return found[Question], found[AnnotationEvent], found[ScreenRef], found[AppRow]


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
    keyed: tuple[str, Iterable[bytes]], categories: Mapping[str, str], needs_screen: bool
) -> Iterator[AskedScreen | Reject | Tally]:
    return join_screen((keyed[0], map(unpack, keyed[1])), categories, needs_screen)


def _with_package(app: App) -> tuple[str, str | None]:
    return app.package, app.category
