"""Pictures with something wrong, as archives of screenshots hold them."""

import io

from PIL import Image

from pipelines.sample import roles
from pipelines.sample.roles import CastScreen

_ORIENTATION = 0x0112
_TURN_RIGHT_TO_SHOW = 6

HTML_PAGE = (
    b"<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head>\n"
    b"<body><h1>Not Found</h1><p>The requested picture is not on this server.</p></body></html>\n"
)

APPLE_DOUBLE = (
    b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        \x00\x02"
    b"\x00\x00\x00\x09\x00\x00\x00\x32\x00\x00\x00\x20\x00\x00\x00\x02\x00\x00\x00\x52\x00\x00\x00\x00"
).ljust(120, b"\x00")
"""What archives made on a Mac hold beside a file, under its name with `._` in front."""


def picture_bytes(screen: CastScreen) -> bytes:
    """Returns the bytes of `<id>.jpg`: the drawn picture, unless its part is to be broken."""
    drawn = screen.drawn
    if screen.key == roles.BLACK:
        return _encoded(Image.new("RGB", (drawn.width, drawn.height)))
    if screen.key == roles.TRUNCATED:
        return drawn.jpeg[: len(drawn.jpeg) * 2 // 5]
    if screen.key == roles.HTML_PAGE:
        return HTML_PAGE
    if screen.key == roles.TURNED:
        return _turned(drawn.jpeg)
    return drawn.jpeg


def _turned(jpeg: bytes) -> bytes:
    """Returns the picture lying on its side, with the EXIF note that says to stand it up."""
    with Image.open(io.BytesIO(jpeg)) as upright:
        lying = upright.transpose(Image.Transpose.ROTATE_90)
    exif = Image.Exif()
    exif[_ORIENTATION] = _TURN_RIGHT_TO_SHOW
    return _encoded(lying, exif=exif)


def _encoded(image: Image.Image, *, exif: Image.Exif | None = None) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=90, exif=exif or Image.Exif())
    return buffer.getvalue()
