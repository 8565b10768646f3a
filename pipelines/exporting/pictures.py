"""The pictures of a finished build as files, each once, under names that are safe anywhere."""

import dataclasses
import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa

from pipelines.errors import UserError
from pipelines.finished_builds import IMAGE_COLUMN, FinishedBuild, batches_of
from pipelines.recipes.configurations import SCREENS

IMAGES = "images"
"""The folder of the pictures."""

_PLAIN_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,99}")
_UNSAFE = re.compile(r"[^a-z0-9_-]+")
_TYPES = (
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg", ".jpg"),
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png", ".png"),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), "image/webp", ".webp"),
)


@dataclasses.dataclass(frozen=True, slots=True)
class PictureFile:
    """A picture's file. `path` is relative to the export's folder, its parts slash-separated."""

    path: str
    mime: str


def picture_shards(build: FinishedBuild) -> list[str]:
    """Returns the paths of the shards that hold a build's pictures.

    Raises:
        UserError: If it has none.
    """
    for configuration in (build.name, SCREENS):
        if build.holds_pictures(configuration):
            return [build.path(shard.path) for shard in build.shards_of(configuration)]
    raise UserError(
        f"{build.folder} has no pictures, which examples of a chat about screens need; build it "
        "with images: inline or by_screen"
    )


def write_pictures(shards: Sequence[str], folder: str) -> Mapping[str, PictureFile]:
    """Writes the picture of each screen, its bytes as the shard has them; returns the files.

    A few pictures are in memory at a time; a screen's second one, in its next question's row,
    is not looked at.

    Args:
        shards: Shards with the columns `screen_id` and `image`.
        folder: The export's folder; `images` is made in it.

    Raises:
        UserError: If a shard is damaged, has a row without an id, or holds what is no JPEG,
            PNG or WebP.
    """
    os.mkdir(os.path.join(folder, IMAGES))
    written: dict[str, PictureFile] = {}
    for path in shards:
        for screen_id, data in _pictures_of(path):
            if not isinstance(screen_id, str):
                raise UserError(
                    f"{path}: has a row without the id of a screen; run screenset check"
                )
            if screen_id not in written:
                written[screen_id] = _write(screen_id, data, folder, path)
    return written


def file_stem(screen_id: str) -> str:
    """Returns a file name without suffix for a screen, one no other screen gets.

    A short id of small letters, digits, `_` and `-` is its own. Any other, as a trace's
    `app_trace_0:12` or one that a stranger thought up, gets a digest, set off by a sign that
    no plain id has: it may hold dots or slashes, or differ from another by case alone.
    """
    if _PLAIN_NAME.fullmatch(screen_id):
        return screen_id
    digest = hashlib.sha256(screen_id.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{_UNSAFE.sub('_', screen_id.lower())[:60].strip('_-')}~{digest[:16]}"


def _write(screen_id: str, data: bytes, folder: str, shard: str) -> PictureFile:
    for beginning, mime, suffix in _TYPES:
        if beginning.match(data):
            name = file_stem(screen_id) + suffix
            with open(os.path.join(folder, IMAGES, name), "xb") as file:
                file.write(data)
            return PictureFile(f"{IMAGES}/{name}", mime)
    raise UserError(
        f"{shard}: the picture of screen {screen_id!r:.80} is no JPEG, PNG or WebP; run "
        "screenset check"
    )


def _pictures_of(path: str) -> Iterator[tuple[str | None, bytes]]:
    for batch in batches_of(path, ["screen_id", IMAGE_COLUMN]):
        yield from _pictures_in(batch)


def _pictures_in(batch: pa.RecordBatch) -> Iterator[tuple[str | None, bytes]]:
    ids = batch.column("screen_id").to_pylist()
    pictures = batch.column(IMAGE_COLUMN).field("bytes")
    last: object = ...  # Equal to no id, not even to a missing one.
    for screen_id, picture in zip(ids, pictures, strict=True):
        if screen_id != last:  # Rows of a screen are neighbours: its bytes are copied once.
            yield screen_id, picture.as_py() or b""
        last = screen_id
