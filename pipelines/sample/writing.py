"""Writes the whole sample below one folder, in the layouts of the published sources."""

import dataclasses
import pathlib
from collections.abc import Iterable

from pipelines.sample import roles
from pipelines.sample.annotating import annotation_files
from pipelines.sample.campaign import Asked, run_campaign
from pipelines.sample.pictures import APPLE_DOUBLE, picture_bytes
from pipelines.sample.releasing import (
    SPLITS,
    answers_and_bboxes,
    complex_qa,
    encoded,
    short_answers,
)
from pipelines.sample.roles import CastScreen, cast_screens
from pipelines.sample.store_tables import app_details, ui_details


def write_sample(
    folder: pathlib.Path, *, screens: int = roles.SMALLEST, seed: str = "screenset"
) -> None:
    """Writes an invented sample of RICO, of ScreenQA and of an annotation campaign.

    Makes `rico/`, `screenqa/`, `complex_qa/` and `annotations/` below `folder`. The same
    number of screens and the same seed give the same bytes. `pipelines.sample.roles` lists the
    screens that have something wrong on purpose.

    Raises:
        ValueError: `screens` is too small to show every trouble.
    """
    cast = []
    combined = folder / "rico" / "combined"
    combined.mkdir(parents=True, exist_ok=True)
    for screen in cast_screens(screens, seed):
        _write_screen(combined, screen)
        # Pictures are on disk now, and large: what follows does without their bytes.
        cast.append(
            dataclasses.replace(
                screen,
                hierarchy=b"",
                drawn=dataclasses.replace(screen.drawn, jpeg=b"", hierarchy=b""),
            )
        )
    apps = dict.fromkeys(screen.drawn.app for screen in cast)
    (folder / "rico" / "ui_details.csv").write_bytes(ui_details(cast))
    (folder / "rico" / "app_details.csv").write_bytes(app_details(apps, seed))
    asked = run_campaign(cast, seed)
    _write_released(folder, cast, asked, seed)
    _write_files(folder / "annotations", annotation_files(cast, asked, seed).items())


def _write_screen(combined: pathlib.Path, screen: CastScreen) -> None:
    name = str(screen.drawn.id)
    files = [(f"{name}.jpg", picture_bytes(screen))]
    if screen.key == roles.HIERARCHY_NULL:
        files.append((f"{name}.json", b"null"))
    elif screen.key != roles.HIERARCHY_MISSING:
        files.append((f"{name}.json", screen.hierarchy))
    if screen.key in roles.APPLE_DOUBLE:
        files += [(f"._{name}.jpg", APPLE_DOUBLE), (f"._{name}.json", APPLE_DOUBLE)]
    _write_files(combined, files)


def _write_released(
    folder: pathlib.Path, cast: list[CastScreen], asked: list[Asked], seed: str
) -> None:
    for split in SPLITS:
        for kind, records in (
            ("answers_and_bboxes", answers_and_bboxes(asked, split)),
            ("short_answers", short_answers(asked, split)),
        ):
            target = folder / "screenqa" / kind
            _write_files(target, [(f"{split}.json", encoded(records))])
    _write_files(folder / "complex_qa", [("data.json", encoded(complex_qa(cast, seed)))])


def _write_files(folder: pathlib.Path, files: Iterable[tuple[str, bytes]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files:
        (folder / name).write_bytes(content)
