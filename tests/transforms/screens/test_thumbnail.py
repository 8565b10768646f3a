"""Thumbnails: small, upright, of the same bytes for the same picture."""

import io
import struct
import zlib

import pytest
from PIL import Image

from schemas.geometry import Size
from schemas.rejects import Reason, RejectedRecordError
from transforms.screens.images import thumbnail


def drawn(size, kind="PNG", mode="RGB", **flags) -> bytes:
    """Returns a picture whose upper left quarter is red, and the rest blue."""
    image = Image.new("RGB", size, (0, 0, 255))
    image.paste((255, 0, 0), (0, 0, max(size[0] // 2, 1), max(size[1] // 2, 1)))
    buffer = io.BytesIO()
    image.convert(mode).save(buffer, kind, **flags)
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((1080, 1920), (360, 640)),
        ((1920, 1080), (640, 360)),
        ((540, 960), (360, 640)),
        ((200, 300), (200, 300)),
        ((1000, 16_000), (68, 1080)),
        ((16_000, 10), (1080, 1)),
        ((1, 1), (1, 1)),
    ],
)
def test_the_size_keeps_the_shape(size, expected, kind):
    small = thumbnail(drawn(size, kind))
    assert small.size == Size(*expected)
    opened = Image.open(io.BytesIO(small.data))
    assert (opened.format, opened.size) == ("WEBP", expected)


def test_it_shows_the_picture():
    small = Image.open(io.BytesIO(thumbnail(drawn((1080, 1920), "JPEG")).data))
    red, blue = small.convert("RGB").getpixel((90, 160)), small.convert("RGB").getpixel((270, 480))
    assert red[0] > 200 > 60 > red[2]
    assert blue[2] > 200 > 60 > blue[0]


def test_it_is_upright_and_without_metadata():
    exif = Image.Exif()
    exif[0x0112] = 6  # Turned by 90 degrees: the stored upper left is shown at the upper right.
    exif[0x010E] = "a secret"
    small = thumbnail(drawn((1920, 1080), "JPEG", exif=exif))
    assert small.size == Size(360, 640)
    image = Image.open(io.BytesIO(small.data)).convert("RGB")
    assert image.getpixel((270, 160))[0] > 200
    assert image.getpixel((90, 160))[2] > 200
    assert b"secret" not in small.data
    assert dict(image.getexif()) == {}


@pytest.mark.parametrize("mode", ["L", "P", "1", "RGBA", "I;16"])
def test_any_colours_will_do(mode):
    data = drawn((800, 1200), mode=mode) if mode != "I;16" else sixteen_bits()
    assert thumbnail(data).size == Size(360, 540)


def sixteen_bits() -> bytes:
    buffer = io.BytesIO()
    Image.new("I;16", (800, 1200), 40_000).save(buffer, "PNG")
    return buffer.getvalue()


def test_one_colour_is_a_picture_too():
    buffer = io.BytesIO()
    Image.new("RGB", (500, 500)).save(buffer, "PNG")
    assert thumbnail(buffer.getvalue()).size == Size(360, 360)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", Reason.IMAGE_EMPTY),
        (b"no picture", Reason.IMAGE_UNRECOGNIZED),
        (drawn((900, 900), "JPEG")[:-2000], Reason.IMAGE_UNREADABLE),
        (drawn((900, 900))[:-200], Reason.IMAGE_UNREADABLE),
    ],
)
def test_what_cannot_be_shown_says_why(data, reason):
    with pytest.raises(RejectedRecordError) as caught:
        thumbnail(data)
    assert caught.value.reason is reason


def claiming(width, height) -> bytes:
    """Returns a small picture whose header says that it is large."""
    data = drawn((8, 8))
    header = b"IHDR" + struct.pack(">II", width, height) + data[24:29]
    return data[:12] + header + struct.pack(">I", zlib.crc32(header)) + data[33:]


def test_what_a_manifest_may_let_in_is_shown():
    # More than the usual 40 million pixels, which a manifest may raise.
    assert thumbnail(drawn((8_000, 5_200), "JPEG")).size == Size(554, 360)


def test_a_bomb_is_refused_before_it_unfolds():
    with pytest.raises(RejectedRecordError) as caught:
        thumbnail(claiming(20_000, 20_000))
    assert caught.value.reason is Reason.IMAGE_TOO_LARGE


def test_the_same_picture_gives_the_same_bytes():
    assert thumbnail(drawn((900, 900))) == thumbnail(drawn((900, 900)))
