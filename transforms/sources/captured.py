"""Screens captured by hand: a folder of pictures and one table that says what they are.

`screens.csv` has the columns `file`, `app` and `order`, the place of the screen in its
app's row, and may have `category` and `screen_id`; all others are passed over. An app is
taken as it is written: to be one app with its store listing, it is given as its bundle id.
"""

import csv
import hashlib
import os
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from schemas.rejects import Reason, Reject, RejectedRecordError, Tally
from schemas.screens import App, Origin, ScreenRef
from transforms.files import SourceError
from transforms.identifying import clean_text, normalize_id

K = TypeVar("K")

TABLE = "screens.csv"

_COLUMNS = ("file", "app", "order")
_OPTIONAL_COLUMNS = ("category", "screen_id")
_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")
_MAX_TABLE_BYTES = 64 << 20
# As in `rico`, since there is but one limit: a stray quote makes one cell of all that follows.
csv.field_size_limit(1 << 28)
_PLAIN_APP = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class _Row(NamedTuple):
    """The cells of one row, trimmed, and its position in the table, from 0."""

    position: int
    file: str
    app: str
    order: str
    category: str
    screen_id: str


class _Taken(NamedTuple):
    """What earlier rows have already: pictures, places in an app, ids of screens."""

    files: dict[str, int]
    places: dict[tuple[str, str], int]
    ids: dict[str, int]


def list_captured(folder: str, source: str) -> Iterator[ScreenRef | Reject | Tally]:
    """Yields the screens of a folder in the order of its table, ids `<app>:<order>`.

    Each row is a screen or a reject, and so is each picture that no row names.

    Raises:
        SourceError: If there is no table, or one that lacks a column or is no text.
    """
    pictures, foreign = _pictures_below(folder)
    taken = _Taken({}, {}, {})
    for row in _rows_of(folder):
        try:
            yield _screen_of(row, pictures, taken, source)
        except RejectedRecordError as error:
            row_id = clean_text(row.screen_id or f"{row.app}:{row.order}")[:80]
            origin = f"{source}/{TABLE}:{row.position}"
            yield Reject("screen", row_id, "list_captured", error.reason, error.detail, origin)
    for name in sorted(set(pictures.values()) - taken.files.keys()):
        shown = _shown(name)
        reason, detail = Reason.CAPTURE_UNLISTED, f"{shown} is in no row of {TABLE}"
        yield Reject("screen", shown[:80], "list_captured", reason, detail, source)
    yield Tally("repairs", "foreign_files_ignored", foreign)


def read_captured_apps(folder: str, source: str) -> Iterator[App | Reject]:
    """Yields the apps that the table gives a category, each once.

    Raises:
        SourceError: If there is no table, or one that lacks a column or is no text.
    """
    categories: dict[str, str] = {}
    for row in _rows_of(folder):
        if not row.app or not row.category:
            continue
        known = categories.setdefault(row.app, row.category)
        if known != row.category:
            origin = f"{source}/{TABLE}:{row.position}"
            detail = f"category {row.category!r:.80}, in an earlier row {known!r:.80}"
            step = "read_captured_apps"
            yield Reject("app_details", row.app, step, Reason.ID_DUPLICATE, detail, origin)
    yield from (App(app, category) for app, category in categories.items())


def _screen_of(row: _Row, pictures: dict[str, str], taken: _Taken, source: str) -> ScreenRef:
    name = pictures.get(_checked_name(row.file))
    if name is not None and name not in taken.files:
        # Even if the row is wrong in another way: it is rejected then, and its picture with it.
        taken.files[name] = row.position
    elif name is not None:
        detail = f"row {taken.files[name]} has the picture {row.file!r:.80} already"
        raise RejectedRecordError(Reason.ID_DUPLICATE, detail)
    if not row.app:
        raise RejectedRecordError(Reason.TEXT_EMPTY, "app is blank")
    order = _checked_order(row.order)
    if name is None:
        raise RejectedRecordError(Reason.CAPTURE_FILE_MISSING, f"{row.file!r:.120}")
    screen_id = normalize_id(row.screen_id or f"{_plain_app(row.app)}:{order}")
    _claim(taken.places, (row.app, order), row.position, f"screen {order} of {row.app[:80]}")
    _claim(taken.ids, screen_id, row.position, f"the id {screen_id}")
    return ScreenRef(screen_id, source, name, None, row.app, Origin.CAPTURED)


def _claim(taken: dict[K, int], key: K, position: int, what: str) -> None:
    earlier = taken.setdefault(key, position)
    if earlier != position:
        raise RejectedRecordError(Reason.ID_DUPLICATE, f"row {earlier} is {what} already")


def _checked_name(file: str) -> str:
    """Returns the path that a row gives, in the one spelling that pictures are known by."""
    if not file:
        raise RejectedRecordError(Reason.TEXT_EMPTY, "file is blank")
    path = file.replace("\\", "/")
    if path.startswith("/") or re.match(r"[A-Za-z]:", path) or ".." in path.split("/"):
        raise RejectedRecordError(Reason.CAPTURE_PATH_OUTSIDE, f"{file!r:.120}")
    return _spelled("/".join(part for part in path.split("/") if part not in ("", ".")))


def _checked_order(order: str) -> str:
    if not order.strip():
        raise RejectedRecordError(Reason.ID_MALFORMED, "order is blank")
    plain = normalize_id(order)
    if not plain.isdigit():
        raise RejectedRecordError(Reason.ID_MALFORMED, f"order is {order!r:.40}, no whole number")
    return plain


def _plain_app(app: str) -> str:
    """Returns an app's name as part of an id: its own if it is plain, else told by a digest.

    The digest keeps apart what becomes alike: `Bank of A`, `Bank-of-A`, and all names
    without a single letter of ours.
    """
    if _PLAIN_APP.fullmatch(app):
        return app
    digest = hashlib.sha256(app.encode()).hexdigest()[:8]
    plain = re.sub(r"[^A-Za-z0-9]+", "-", app).strip("-")[:60]
    return f"{plain}-{digest}" if plain else f"app-{digest}"


def _pictures_below(folder: str) -> tuple[dict[str, str], int]:
    """Returns all pictures below a folder by their spelling, and how many files are none."""
    pictures: dict[str, str] = {}
    foreign = 0
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        base = os.path.relpath(parent, folder).replace(os.sep, "/")
        for name in sorted(names):
            if name.startswith(".") or not name.lower().endswith(_SUFFIXES):
                foreign += name != TABLE or base != "."
                continue
            path = name if base == "." else f"{base}/{name}"
            pictures.setdefault(_spelled(path), path)
    return pictures, foreign


def _spelled(path: str) -> str:
    # A Mac takes letters with accents apart in the names of files, and spreadsheets do not.
    return unicodedata.normalize("NFC", path)


def _shown(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _rows_of(folder: str) -> Iterator[_Row]:
    """Yields the rows of the folder's table that are not blank."""
    path = os.path.join(folder, TABLE)
    lines = _lines_of(path)
    header_line = lines[0] if lines else ""
    # Spreadsheets write semicolons where the comma is a decimal sign.
    marks = [mark for mark in ",;\t" if set(_COLUMNS) <= set(_header_of(header_line, mark))]
    if not marks:
        header = _header_of(header_line, ",")
        lacking = [name for name in _COLUMNS if name not in header]
        raise SourceError(f"{path}: has no column {' and no column '.join(lacking)}")
    header = _header_of(header_line, marks[0])
    rows = csv.reader(lines[1:], delimiter=marks[0], skipinitialspace=True)
    try:
        position = 0
        for cells in rows:
            if any(cell.strip() for cell in cells):
                yield _row(position, header, cells)
                position += 1
    except csv.Error as error:
        raise SourceError(f"{path}: line {rows.line_num + 1}: {error}") from None


def _row(position: int, header: Sequence[str], cells: Sequence[str]) -> _Row:
    values = dict(zip(header, (clean_text(cell).strip() for cell in cells), strict=False))
    wanted = (values.get(name, "") for name in (*_COLUMNS, *_OPTIONAL_COLUMNS))
    return _Row(position, *wanted)


def _header_of(line: str, mark: str) -> list[str]:
    cells = next(csv.reader([line], delimiter=mark, skipinitialspace=True), [])
    return [cell.strip().lower() for cell in cells]


def _lines_of(path: str) -> list[str]:
    try:
        with open(path, "rb") as file:
            data = file.read(_MAX_TABLE_BYTES + 1)
    except FileNotFoundError:
        raise SourceError(f"{path} is not there: captured screens need their table") from None
    if len(data) > _MAX_TABLE_BYTES:
        raise SourceError(f"{path} has more than {_MAX_TABLE_BYTES >> 20} MB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SourceError(f"{path} is no UTF-8 text; save it as “CSV UTF-8”") from None
    # Not `splitlines`, for which some signs within a name end a line as well.
    return re.sub(r"\r\n?", "\n", text).split("\n")
