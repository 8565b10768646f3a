"""Questions, screens and apps brought together by screen id, both orphan sides counted."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypedDict

import apache_beam as beam
from apache_beam.typehints.decorators import no_annotations

from schemas.questions import AskedScreen, Question
from schemas.rejects import Outcome, Reason, Reject, Tally
from schemas.screens import App, AppRow, ScreenRef
from transforms.fates import question_rejects
from transforms.rejecting import Split, SplitFlatMap


class ScreenParts(TypedDict):
    """All that the sources hold on one screen id."""

    questions: Iterable[Question]
    screens: Iterable[ScreenRef]
    apps: Iterable[AppRow]


def join_screen(
    keyed: tuple[str, ScreenParts], categories: Mapping[str, str], needs_screen: bool
) -> Iterator[AskedScreen | Reject | Tally]:
    """Yields the screen with its questions, or the fates of what found no counterpart.

    A screen, or a row that names its app, is orphaned if no question asks for it; a
    question whose screen no source has is rejected with `SCREEN_MISSING`. The app is what
    the source's layout says, else the first row that names one; further rows that agree
    are merged, others rejected.

    Args:
        keyed: A screen id and its parts, in any order.
        categories: Play Store category by app package.
        needs_screen: Whether the build stores pictures.
    """
    screen_id, parts = keyed
    questions = sorted(parts["questions"], key=_place)
    screens = sorted(parts["screens"], key=lambda ref: (ref.source, ref.image or ""))
    rows = sorted(parts["apps"], key=lambda row: row.position)
    if not questions:
        if screens:
            yield Tally("screen", Outcome.ORPHANED, len(screens))
        if rows:
            yield Tally("app_row", Outcome.ORPHANED, len(rows))
        return
    yield from _row_fates(screen_id, rows)
    if needs_screen and not screens:
        for question in questions:
            yield from question_rejects(
                question, "join_screen", Reason.SCREEN_MISSING, f"no source has screen {screen_id}"
            )
        return
    for extra in screens[1:]:
        detail = f"{screens[0].source} has a screen of this id already"
        yield Reject("screen", screen_id, "join_screen", Reason.ID_DUPLICATE, detail, extra.source)
    ref = screens[0] if needs_screen else None
    package = (ref.app if ref else None) or (rows[0].package if rows else None)
    app = App(package, categories.get(package)) if package else None
    yield AskedScreen(screen_id, ref, app, tuple(questions))


class JoinScreens(beam.PTransform[None, Split[AskedScreen]]):
    """Groups questions, screens and apps by screen id.

    Applied to a dict of PCollections as `ScreenParts` names them: questions, screens,
    and app rows.
    """

    def __init__(self, *, needs_screen: bool, categories: beam.PCollection[App]) -> None:
        super().__init__()
        self._needs_screen = needs_screen
        self._categories = categories

    @no_annotations  # Its input is a dict of PCollections, its output three of them.
    def expand(self, parts: dict[str, beam.PCollection[Any]]) -> Split[AskedScreen]:
        keyed = {
            name: rows | f"Key{name.title()}" >> beam.Map(_with_id) for name, rows in parts.items()
        }
        by_package = self._categories | "KeyCategories" >> beam.Map(_with_package)
        return (
            keyed
            | "GroupByScreen" >> beam.CoGroupByKey()
            | SplitFlatMap(join_screen, beam.pvalue.AsDict(by_package), self._needs_screen)
        )


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


def _with_id(row: Question | ScreenRef | AppRow) -> tuple[str, Question | ScreenRef | AppRow]:
    return row.screen_id, row


def _with_package(app: App) -> tuple[str, str | None]:
    return app.package, app.category
