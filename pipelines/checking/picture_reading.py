"""Pictures inside shards: each decoded whole, a repeated one once."""

import dataclasses

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.checking.facts import Fault, Faults
from pipelines.checking.nested import Levels
from pipelines.finished_builds import IMAGE_COLUMN
from schemas.checks import LONGEST_LIST
from schemas.geometry import Size
from schemas.rejects import RejectedRecordError
from transforms.screens.images import decode_published

PICTURES_DECODE = "pictures_decode"


@dataclasses.dataclass(frozen=True, slots=True)
class _Looked:
    """What came of one picture: its digest, and its size or what is wrong with it."""

    digest: str | None
    size: Size | None
    problem: str


class PictureReader:
    """Reads the pictures of one shard, batch after batch.

    The rows of a screen are neighbours and hold the same bytes: these are compared, and
    decoded and digested once. `decoded` counts the pictures that were decoded, `biggest` is
    the size of the largest in bytes.
    """

    def __init__(self) -> None:
        self._data: pa.Buffer | None = None
        self._looked = _Looked(None, None, "it has no picture")
        self.decoded = 0
        self.biggest = 0

    def read(self, levels: Levels) -> tuple[list[str | None], Faults]:
        """Returns the SHA-256 of each row's picture, None without one, and what is wrong."""
        values = pc.struct_field(levels.at(IMAGE_COLUMN).values, "bytes")
        sizes = zip(
            *(levels.at(name).values.to_pylist() for name in ("width", "height")), strict=True
        )
        digests, wrong = [], []
        for row, (value, size) in enumerate(zip(values, sizes, strict=True)):
            looked = self._look(value.as_buffer() if value.is_valid else None)
            digests.append(looked.digest)
            problem = looked.problem or _other_size(looked, size)
            if problem:
                wrong.append(Fault(row, problem))
        return digests, Faults(levels.size, len(wrong), tuple(wrong[:LONGEST_LIST]))

    def _look(self, data: pa.Buffer | None) -> _Looked:
        if data is None:
            self._data = None
            return _Looked(None, None, "it has no picture")
        if self._data is None or not data.equals(self._data):
            self._data, self._looked = data, _look_at(data)
            self.decoded += 1
            self.biggest = max(self.biggest, data.size)
        return self._looked


def _look_at(data: pa.Buffer) -> _Looked:
    try:
        stored = decode_published(data.to_pybytes())
    except RejectedRecordError as error:
        return _Looked(
            None, None, f"its picture is unusable: {error.reason.sentence} ({error.detail})"
        )
    turned = f"its picture is not upright: it has EXIF orientation {stored.orientation}"
    return _Looked(stored.sha256, stored.size, "" if stored.orientation == 1 else turned)


def _other_size(looked: _Looked, stated: tuple[int | None, ...]) -> str:
    if looked.size is None or looked.size == stated:
        return ""
    width, height = stated
    return (
        f"its picture has {looked.size.width} × {looked.size.height} pixels, not {width} × {height}"
    )
