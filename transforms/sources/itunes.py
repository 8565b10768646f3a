"""The App Store as `pipelines.fetching.store` left it in a folder: its apps and screens.

`responses/` holds each answer as it came, `requests.jsonl` what was asked, `screenshots/`
the pictures, `apps.jsonl` the apps that were picked, `screenshots.jsonl` what became of
each screenshot, `rejects.jsonl` the records that were left out. The tables are sorted and
know no time and no machine, so that the same answers give the same bytes.
"""

import dataclasses
import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from schemas.app_stores import Shot, StoreApp, TakenShot
from schemas.geometry import Size
from schemas.manifest import StoreDevice
from schemas.rejects import Reason, Reject, RejectedRecordError, Tally
from schemas.screens import App, Origin, ScreenRef
from transforms.files import SourceError
from transforms.identifying import clean_text, normalize_id

T = TypeVar("T")

APPS = "apps.jsonl"
SCREENSHOTS = "screenshots.jsonl"
REQUESTS = "requests.jsonl"
REJECTS = "rejects.jsonl"

_SUFFIXES = {"png": "png", "jpg": "jpg", "jpeg": "jpg", "webp": "webp"}


def list_store(folder: str, source: str) -> Iterator[ScreenRef | Reject | Tally]:
    """Yields the screens of a fetched store, ids `ios:<track id>:<device>:<number>`.

    Their app is the bundle id. A screenshot that could not be had, or is no more than a
    thumbnail, is rejected.

    Raises:
        SourceError: If the folder was not fetched to the end, or its table is damaged.
    """
    smaller = 0
    for position, taken in enumerate(read_taken(folder)):
        origin = f"{source}/{SCREENSHOTS}:{position}"
        try:
            screen_id = screen_id_of(taken.shot)
        except RejectedRecordError as error:
            track_id = taken.shot.track_id[:40]
            yield Reject("screen", track_id, "list_store", error.reason, error.detail, origin)
            continue
        if taken.reason is not None:
            yield Reject("screen", screen_id, "fetch_store", taken.reason, taken.detail, origin)
            continue
        smaller += taken.is_smaller
        bundle_id = taken.shot.bundle_id
        origin_kind = Origin.STORE_LISTING
        yield ScreenRef(screen_id, source, taken.file, None, bundle_id, origin_kind)
    yield Tally("repairs", "screenshots_smaller_than_asked", smaller)


def read_store_apps(folder: str, source: str) -> Iterator[App | Reject]:
    """Yields the apps of a fetched store with the store's category.

    Raises:
        SourceError: If the folder was not fetched to the end, or its table is damaged.
    """
    seen = set()
    for position, app in enumerate(_rows(folder, APPS, _parse_app)):
        if app.bundle_id in seen:
            detail = "an earlier row has this bundle id"
            origin = f"{source}/{APPS}:{position}"
            step = "read_store_apps"
            yield Reject("app_details", app.bundle_id, step, Reason.ID_DUPLICATE, detail, origin)
            continue
        seen.add(app.bundle_id)
        yield App(app.bundle_id, app.category)


def read_taken(folder: str, name: str = SCREENSHOTS) -> Iterator[TakenShot]:
    """Yields what became of each screenshot, by the table of that name.

    Raises:
        SourceError: If there is no table of them, or it is damaged.
    """
    return _rows(folder, name, parse_taken)


def screen_id_of(shot: Shot) -> str:
    """Returns the id of the screen that a screenshot becomes.

    Raises:
        RejectedRecordError: `ID_MALFORMED`.
    """
    return normalize_id(f"ios:{shot.track_id}:{shot.device}:{shot.number}")


def picture_name(shot: Shot) -> str:
    """Returns the path of a screenshot below the folder, with `/`."""
    ending = shot.url.rpartition(".")[2].lower()
    name = f"{shot.device}-{shot.number:02d}.{_SUFFIXES.get(ending, 'png')}"
    return f"screenshots/{shot.track_id}/{name}"


def encode_apps(apps: Iterable[StoreApp]) -> str:
    """Returns the table of apps, sorted by track id."""
    ordered = sorted(apps, key=lambda app: int(app.track_id))
    return "".join(map(json_line, map(dataclasses.asdict, ordered)))


def encode_taken(taken: Iterable[TakenShot]) -> str:
    """Returns the table of screenshots, sorted by app, device and number."""
    return "".join(map(encode_taken_shot, sorted(taken, key=_shot_order)))


def encode_taken_shot(taken: TakenShot) -> str:
    """Returns one line of the table of screenshots."""
    width, height = taken.size or (None, None)
    row = dataclasses.asdict(taken.shot) | {
        "file": taken.file,
        "sha256": taken.sha256,
        "size_bytes": taken.size_bytes,
        "width": width,
        "height": height,
        "reason": taken.reason,
        "detail": taken.detail,
    }
    return json_line(row)


def encode_rejects(rejects: Iterable[Reject]) -> str:
    """Returns the records that were left out, as they came."""
    return "".join(map(json_line, map(dataclasses.asdict, rejects)))


def json_line(row: Any) -> str:
    """Returns a row of a table."""
    return json.dumps(row, ensure_ascii=False) + "\n"


def parse_taken(row: dict[str, Any]) -> TakenShot:
    """Returns what a row of the table of screenshots says.

    Raises:
        ValueError: If a value is not what it should be.
        KeyError: If one is missing.
    """
    shot = Shot(
        track_id=_digits(row["track_id"]),
        bundle_id=_string(row["bundle_id"]),
        device=StoreDevice(row["device"]),
        number=_whole(row["number"]),
        listing_url=_string(row["listing_url"]),
        url=_string(row["url"]),
        asked_width=_optional(row["asked_width"], _whole),
        thumb_width=_optional(row["thumb_width"], _whole),
    )
    size = None
    if row["width"] is not None:
        size = Size(_whole(row["width"]), _whole(row["height"]))
    taken = TakenShot(
        shot=shot,
        file=_optional(row["file"], _string),
        sha256=_optional(row["sha256"], _string),
        size_bytes=_optional(row["size_bytes"], _whole),
        size=size,
        reason=_optional(row["reason"], Reason),
        detail=_string(row["detail"]),
    )
    # The name follows from the row; any other would be a way out of the folder.
    expected = None if taken.file is None else picture_name(shot)
    if taken.file != expected or (taken.file is None and taken.reason is None):
        raise ValueError(f"the file cannot be {taken.file!r:.80}")
    return taken


def _parse_app(row: dict[str, Any]) -> StoreApp:
    return StoreApp(
        track_id=_digits(row["track_id"]),
        bundle_id=_string(row["bundle_id"]),
        name=_string(row["name"]),
        category=_string(row["category"]),
        countries=tuple(map(_string, row["countries"])),
        genres=tuple(map(_string, row["genres"])),
        languages=tuple(map(_string, row["languages"])),
        version=_string(row["version"]),
        iphone_screenshots=tuple(map(_string, row["iphone_screenshots"])),
        ipad_screenshots=tuple(map(_string, row["ipad_screenshots"])),
    )


def _rows(folder: str, name: str, parse: Callable[[dict[str, Any]], T]) -> Iterator[T]:
    path = os.path.join(folder, name)
    try:
        file = open(path, "rb", opener=_open_without_waiting)  # noqa: SIM115 - closed below
    except FileNotFoundError:
        raise SourceError(f"{path} is not there: the store was not fetched to the end") from None
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}") from None
    with file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise SourceError(f"{path} is no ordinary file")
        for number, line in enumerate(file, start=1):
            try:
                yield parse(json.loads(line.decode("utf-8", "replace")))
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                kind = type(error).__name__
                raise SourceError(
                    f"{path}: line {number}: is damaged ({kind}: {str(error)[:120]}); "
                    "fetch the source again"
                ) from None


def _shot_order(taken: TakenShot) -> tuple[int, str, int]:
    shot = taken.shot
    return int(shot.track_id), shot.device, shot.number


def _optional(value: Any, parse: Callable[[Any], T]) -> T | None:
    return None if value is None else parse(value)


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r:.40} is no text")
    return clean_text(value)


def _digits(value: Any) -> str:
    text = _string(value)
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"{text!r:.40} is no track id")
    return text


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{value!r:.40} is no whole number")
    return value


def _open_without_waiting(path: str, flags: int) -> int:
    # Opening a pipe or a device would wait forever.
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
