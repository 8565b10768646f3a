"""RICO: screens with their hierarchies, the apps they come from, the apps' details.

Layouts and quirks as measured in formats.md §1 (the public archives): `combined/` holds
`<id>.jpg` beside `<id>.json`; `filtered_traces/` holds `<package>/trace_<n>/` with
`screenshots/<k>.jpg` and `view_hierarchies/<k>.json`; `._*` files are debris of macOS.
"""

import os
import re
from collections.abc import Iterable, Iterator

from schemas.rejects import Reason, Reject, RejectedRecordError, Tally
from schemas.screens import App, AppRow, ScreenRef
from transforms.files import SourceError
from transforms.identifying import clean_text, id_order, normalize_id
from transforms.sources.csv_files import csv_rows

_IMAGE_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp")
_HIERARCHY_SUFFIX = ".json"
_UI_DETAILS = ("UI Number", "App Package Name")
_APP_DETAILS = ("App Package Name", "Category")


def list_combined(folder: str, source: str) -> Iterator[ScreenRef | Reject | Tally]:
    """Yields the screens of a `combined/` folder in the order of their ids.

    A screen is a picture, a hierarchy, or both. Of two files of one kind with one id
    (`42.jpg`, `00042.jpg`) the first by name leads and the other is rejected.
    """
    yield from _screens_of(_names_in(folder), source, "", "", app=None, prefix="")


def list_traces(folder: str, source: str) -> Iterator[ScreenRef | Reject | Tally]:
    """Yields the screens of a `filtered_traces/` folder, ids `<package>:<trace>:<number>`.

    The app is the folder's name: a screen's own `activity_name` names another app on 19 %
    of the screens (browser, chooser, camera…).
    """
    for package in sorted(_folders_in(folder)):
        for trace in sorted(_folders_in(os.path.join(folder, package))):
            number = trace.removeprefix("trace_")
            base = f"{package}/{trace}"
            images = _names_in(os.path.join(folder, base, "screenshots"), missing_ok=True)
            trees = _names_in(os.path.join(folder, base, "view_hierarchies"), missing_ok=True)
            names = [n for n in images if not n.lower().endswith(_HIERARCHY_SUFFIX)]
            names += [n for n in trees if n.lower().endswith(_HIERARCHY_SUFFIX)]
            yield from _screens_of(
                names,
                source,
                f"{base}/screenshots/",
                f"{base}/view_hierarchies/",
                app=package,
                prefix=f"{package}:{number}:",
            )


def read_ui_details(path: str, source: str) -> Iterator[AppRow | Reject]:
    """Yields the rows of `ui_details.csv`.

    This is the only key from a screen to its app.
    """
    for position, row in csv_rows(path, _UI_DETAILS):
        try:
            screen_id = normalize_id(row["UI Number"])
            package = clean_text(row["App Package Name"] or "").strip()
            if not package:
                raise RejectedRecordError(Reason.TEXT_EMPTY, "App Package Name is empty")
        except RejectedRecordError as error:
            origin = f"{source}:{position}"
            row_id = str(row["UI Number"])[:80]
            yield Reject("app_row", row_id, "read_ui_details", error.reason, error.detail, origin)
        else:
            yield AppRow(screen_id, package, position)


def read_app_details(path: str, source: str) -> Iterator[App | Reject]:
    """Yields the apps of `app_details.csv` with their Play Store category.

    One row of the real file has its columns shifted by one, so that its category reads
    like `000 - 1`; such rows are rejected.
    """
    seen = set()
    for position, row in csv_rows(path, _APP_DETAILS):
        package = clean_text(row["App Package Name"] or "").strip()
        category = clean_text(row["Category"] or "").strip()
        problem = None
        if not package or not category:
            problem = Reason.TEXT_EMPTY, f"package {package!r}, category {category!r}"
        elif not re.match(r"[A-Za-z]", category):
            problem = Reason.APP_DETAILS_SHIFTED, f"category {category!r}"
        elif package in seen:
            problem = Reason.ID_DUPLICATE, "an earlier row has this package"
        if problem:
            origin = f"{source}:{position}"
            yield Reject("app_details", package, "read_app_details", *problem, origin)
        else:
            seen.add(package)
            yield App(package, category)


def _screens_of(
    names: Iterable[str],
    source: str,
    image_folder: str,
    tree_folder: str,
    *,
    app: str | None,
    prefix: str,
) -> Iterator[ScreenRef | Reject | Tally]:
    images: dict[str, str] = {}
    trees: dict[str, str] = {}
    debris = 0
    for name in sorted(names):
        stem, suffix = os.path.splitext(name)
        side = trees if suffix.lower() == _HIERARCHY_SUFFIX else images
        if name.startswith(".") or suffix.lower() not in (*_IMAGE_SUFFIXES, _HIERARCHY_SUFFIX):
            debris += 1
            continue
        kind = "hierarchy" if side is trees else "screen"
        try:
            screen_id = normalize_id(prefix + (normalize_id(stem) if prefix else stem))
            if screen_id in side:
                raise RejectedRecordError(
                    Reason.ID_DUPLICATE, f"{name}: {side[screen_id]} has this id already"
                )
        except RejectedRecordError as error:
            yield Reject(
                kind, clean_text(stem)[:80], "list_screens", error.reason, error.detail, source
            )
        else:
            side[screen_id] = (tree_folder if side is trees else image_folder) + name
    for screen_id in sorted(images.keys() | trees.keys(), key=id_order):
        yield ScreenRef(screen_id, source, images.get(screen_id), trees.get(screen_id), app)
    yield Tally("repairs", "foreign_files_ignored", debris)


def _names_in(folder: str, *, missing_ok: bool = False) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries]
    except FileNotFoundError:
        if missing_ok:
            return []
        raise


def _folders_in(folder: str) -> list[str]:
    with os.scandir(folder) as entries:
        return [e.name for e in entries if e.is_dir() and not e.name.startswith(".")]


def read_split_list(path: str) -> Iterator[str]:
    """Yields the screen ids of a split file: one id, or `<id>.json`, a line."""
    # What is no UTF-8 becomes U+FFFD, and so is no id.
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            text = line.strip().removesuffix(".json")
            if text:
                try:
                    yield normalize_id(text)
                except RejectedRecordError as error:
                    raise SourceError(f"{path}: line {number}: {error.detail}") from error
