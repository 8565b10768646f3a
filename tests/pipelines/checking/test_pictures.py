"""Pictures of finished shards: decoded whole, upright, a repeated one once."""

import io
import zlib

import pyarrow as pa
import pytest
from PIL import Image

from pipelines.checking.nested import Levels
from pipelines.checking.picture_reading import PictureReader
from schemas.columns import IMAGE
from schemas.geometry import Size
from schemas.rejects import Reason, RejectedRecordError
from transforms.screens.images import decode_published


def drawn(kind: str = "JPEG", size: tuple[int, int] = (300, 500), turned: int = 1) -> bytes:
    image = Image.linear_gradient("L").resize(size).convert("RGB")
    exif = Image.Exif()
    exif[0x0112] = turned
    buffer = io.BytesIO()
    image.save(buffer, kind, exif=exif)
    return buffer.getvalue()


def levels(*pictures: bytes | None, size: tuple[int, int] = (300, 500)) -> Levels:
    images = [
        picture if picture is None else {"bytes": picture, "path": "x"} for picture in pictures
    ]
    width, height = ([edge] * len(pictures) for edge in size)
    columns = {"width": pa.array(width, pa.int32()), "height": pa.array(height, pa.int32())}
    return Levels(pa.record_batch({"image": pa.array(images, IMAGE), **columns}))


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_whole_picture_has_its_size(kind):
    found = decode_published(drawn(kind))
    assert (found.size, found.orientation) == (Size(300, 500), 1)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_truncated_picture_is_refused(kind, share):
    data = drawn(kind)
    with pytest.raises(RejectedRecordError):
        decode_published(data[: int(len(data) * share)])


def test_a_bomb_is_refused_before_it_unfolds():
    data = bytearray(drawn("PNG"))
    data[16:24] = (60_000).to_bytes(4, "big") * 2
    data[29:33] = zlib.crc32(data[12:29]).to_bytes(4, "big")
    with pytest.raises(RejectedRecordError) as refused:
        decode_published(bytes(data))
    assert refused.value.reason is Reason.IMAGE_TOO_LARGE


def test_a_picture_that_lies_on_its_side_is_told():
    _, faults = PictureReader().read(levels(drawn(turned=6)))
    assert faults.count == 1
    assert "EXIF orientation 6" in faults.first[0].text


def test_a_repeated_picture_is_decoded_once_across_batches():
    one, other = drawn(), drawn("PNG")
    reader = PictureReader()
    first, _ = reader.read(levels(one, one, other))
    second, faults = reader.read(levels(other, one, None, one))
    assert reader.decoded == 4
    assert first[0] == first[1] != first[2] == second[0]
    assert second[2] is None
    assert [fault.row for fault in faults.first] == [2]
    assert reader.biggest == max(len(one), len(other))


def test_every_row_of_a_broken_picture_is_named():
    broken = drawn()[:-3000]
    _, faults = PictureReader().read(levels(broken, broken, drawn()))
    assert [fault.row for fault in faults.first] == [0, 1]
    assert "unusable" in faults.first[0].text


def test_another_size_is_told():
    _, faults = PictureReader().read(levels(drawn(), size=(300, 501)))
    assert faults.first[0].text == "its picture has 300 × 500 pixels, not 300 × 501"
