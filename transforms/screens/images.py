"""Screenshots: decoded to the end, turned upright, described; never believed by their names."""

import hashlib
import io
import struct
import warnings
import zlib
from collections.abc import Callable
from typing import NamedTuple, cast

import numpy
from numpy.typing import NDArray
from PIL import Image, ImageFile, UnidentifiedImageError

from schemas.geometry import Size, turned_size
from schemas.manifest import ImagePolicy
from schemas.rejects import Reason, RejectedRecordError
from schemas.screens import ImageFacts, StoredImage

_FORMATS = ("JPEG", "PNG", "WEBP")
_MIMES = {"JPEG": "image/jpeg", "MPO": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp"}
_SUFFIXES = {"image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp"}
_ORIENTATION_TAG = 0x0112
_REDUCED_WIDTH = 135
"""Width, in pixels, down to which JPEGs are decoded by powers of two, to an eighth at most."""
_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}

# What Pillow's readers of these formats raise on damaged data (found by mutating real
# files: see tests/transforms/screens/test_images.py). Pillow wraps most in OSError only.
_DECODE_ERRORS = (OSError, SyntaxError, ValueError, EOFError, struct.error, zlib.error, IndexError)


_PUBLISHED = ImagePolicy(max_pixels=178_956_970)
"""Bound of pictures in finished shards: where Pillow refuses a bomb, since the manifest's own
bound, which held when they were built, may be any up to that."""


class PublishedImage(NamedTuple):
    """What a picture in a finished shard is: as its file stores it, which must be upright."""

    size: Size
    orientation: int
    sha256: str


class DecodedImage(NamedTuple):
    """The facts of a picture, and the picture itself at the scale it was checked at.

    `reduced` is in RGB, as the file stores it: not turned upright yet. It is a JPEG's
    picture at a half, a quarter or an eighth, another format's at its own size.
    """

    facts: ImageFacts
    reduced: Image.Image


def check_image(data: bytes, policy: ImagePolicy) -> ImageFacts:
    """Returns the facts of the picture in `data`, having decoded all of it.

    Raises:
        RejectedRecordError: As `decode_image` does.
    """
    return decode_image(data, policy).facts


def decode_image(data: bytes, policy: ImagePolicy) -> DecodedImage:
    """Returns the facts of the picture in `data` and what it looks like, having decoded it.

    The header is read first, so that a bomb is refused before it unfolds. A JPEG is then
    decoded at a fraction of its size, which reads its whole stream several times cheaper
    (on 200 damaged files this raised exactly where a full decode did); other formats at
    their own size. Opening or verifying alone would let truncated pictures through.

    Raises:
        RejectedRecordError: `IMAGE_EMPTY`, `IMAGE_UNRECOGNIZED`, `IMAGE_ANIMATED`,
            `IMAGE_TOO_LARGE`, `IMAGE_UNREADABLE` or `IMAGE_BLANK`.
    """
    image, file_size = _loaded(data, policy, _reduced_size)
    mime = _MIMES[str(image.format)]
    # Only now: to look for EXIF, Pillow decodes a PNG, and would fail on it just once.
    orientation = _orientation_of(image)
    reencoded = orientation != 1 or image.mode != "RGB" or "transparency" in image.info
    reduced = _on_white(image)
    grey = reduced.convert("L")
    # Grey is a mean of the channels: where it varies enough, so does one of them.
    too_flat = _range(grey) <= policy.blank_range
    if too_flat and max(map(_range, reduced.split())) <= policy.blank_range:
        color = reduced.getpixel((0, 0))
        raise RejectedRecordError(Reason.IMAGE_BLANK, f"all of it is close to RGB {color}")
    facts = ImageFacts(
        size=turned_size(file_size, orientation),
        file_size=file_size,
        orientation=orientation,
        mime=mime,
        reencoded=reencoded,
        size_bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        layout_hash=layout_hash(grey),
        pixels=_pixel_digest(reduced, mime, orientation),
    )
    return DecodedImage(facts, reduced)


def decode_published(data: bytes) -> PublishedImage:
    """Returns what the picture of a finished shard is, having decoded all of it.

    It is decoded as `decode_image` does it; whether it is blank is not asked again.

    Raises:
        RejectedRecordError: As `decode_image` does, but for `IMAGE_BLANK`.
    """
    image, size = _loaded(data, _PUBLISHED, _reduced_size)
    return PublishedImage(size, _orientation_of(image), hashlib.sha256(data).hexdigest())


def reduced_grey(decoded: DecodedImage) -> NDArray[numpy.uint8]:
    """Returns a decoded picture in grey, upright, 135 to 269 pixels wide if it was wider."""
    image = decoded.reduced
    factor = image.width // _REDUCED_WIDTH
    if factor > 1:
        image = image.reduce(factor)
    grey = image.convert("L")
    if decoded.facts.orientation != 1:
        grey = grey.transpose(_TURNS[decoded.facts.orientation])
    return numpy.asarray(grey)


def upright_pixels(data: bytes, facts: ImageFacts) -> NDArray[numpy.uint8]:
    """Returns a checked picture at its full size, upright: height × width × RGB."""
    image = _on_white(Image.open(io.BytesIO(data), formats=_FORMATS))
    if facts.orientation != 1:
        image = image.transpose(_TURNS[facts.orientation])
    return numpy.asarray(image)


class Thumbnail(NamedTuple):
    """A small picture: a WebP file without any metadata, and its size in pixels."""

    data: bytes
    size: Size


def thumbnail(data: bytes, *, short_side: int = 360) -> Thumbnail:
    """Returns a published picture made small and upright; a small one keeps its size.

    Args:
        data: The picture's file.
        short_side: Pixels of the shorter side at most. The longer one is at most three times
            as long: a longer picture gets narrower.

    Raises:
        RejectedRecordError: As `decode_image` does, but for `IMAGE_BLANK`.
    """
    image, whole = _loaded(data, _PUBLISHED, lambda size: _thumbnail_size(size, short_side))
    size = _thumbnail_size(whole, short_side)
    orientation = _orientation_of(image)
    small = _on_white(image).resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)
    if orientation != 1:
        small = small.transpose(_TURNS[orientation])
    plain = Image.new("RGB", small.size)
    plain.paste(small)
    buffer = io.BytesIO()
    plain.save(buffer, "WEBP", quality=68, method=4)
    return Thumbnail(buffer.getvalue(), Size(*small.size))


def _thumbnail_size(size: Size, short_side: int) -> Size:
    """Returns the size of a thumbnail, at least one pixel each way."""
    factor = max(min(size) / short_side, max(size) / (3 * short_side), 1.0)
    return Size(max(round(size.width / factor), 1), max(round(size.height / factor), 1))


def full_pixel_digest(data: bytes, facts: ImageFacts, screen_id: str) -> str:
    """Returns a digest of all pixels of a checked picture and of how it is turned, in hex.

    Raises:
        ValueError: If the bytes are not those that were checked.
    """
    _refuse_changed(data, facts, screen_id)
    image = Image.open(io.BytesIO(data), formats=_FORMATS)
    return _pixel_digest(_on_white(image), "", facts.orientation)


def stored_image(data: bytes, facts: ImageFacts, screen_id: str) -> StoredImage:
    """Returns a checked picture as it is published.

    That is its original bytes; only a picture that must be turned upright, or whose
    colours are not plain RGB, is decoded and saved as PNG, without any metadata.

    Raises:
        ValueError: If the bytes are not those that were checked.
    """
    _refuse_changed(data, facts, screen_id)
    if not facts.reencoded:
        return StoredImage(data, screen_id + _SUFFIXES[facts.mime])
    upright = _on_white(Image.open(io.BytesIO(data), formats=_FORMATS))
    if facts.orientation != 1:
        upright = upright.transpose(_TURNS[facts.orientation])
    # Pasted, so that no text chunk, profile or EXIF of the file travels along.
    plain = Image.new("RGB", upright.size)
    plain.paste(upright)
    buffer = io.BytesIO()
    plain.save(buffer, "PNG")
    return StoredImage(buffer.getvalue(), screen_id + ".png")


def layout_hash(grey: Image.Image) -> str:
    """Returns a 64-bit difference hash in hex: which of 9 × 8 grey cells outshine their right.

    Cells must differ by more than 2 of 255, since noise decides between equal ones. A
    picture in which fewer than 6 do is told from others by its noise only: it gets an
    empty hash, which equals no other. Equal hashes mean a like layout, not a like text.
    """
    cells = grey.resize((9, 8), Image.Resampling.BOX).tobytes()
    bits = 0
    for row in range(8):
        for column in range(8):
            left = row * 9 + column
            bits = bits << 1 | (cells[left] > cells[left + 1] + 2)
    return f"{bits:016x}" if bits.bit_count() >= 6 else ""


def _refuse_changed(data: bytes, facts: ImageFacts, screen_id: str) -> None:
    if hashlib.sha256(data).hexdigest() != facts.sha256:
        raise ValueError(f"the picture of screen {screen_id} changed while the build ran")


def _reduced_size(size: Size) -> tuple[int, int]:
    """Returns the size to ask libjpeg for: the smallest power of two no narrower than asked."""
    shift = 3
    while shift and size.width >> shift < _REDUCED_WIDTH:
        shift -= 1
    return max(size.width >> shift, 1), max(size.height >> shift, 1)


def _pixel_digest(image: Image.Image, kind: str, orientation: int) -> str:
    digest = hashlib.blake2b(image.tobytes(), digest_size=16)
    digest.update(f"{image.size}{kind}{orientation}".encode())
    return digest.hexdigest()


def _loaded(
    data: bytes, policy: ImagePolicy, scale: Callable[[Size], tuple[int, int]]
) -> tuple[ImageFile.ImageFile, Size]:
    """Returns a picture decoded to its end, a JPEG no smaller than `scale` of its size, and that.

    Raises:
        RejectedRecordError: As `_open` does, or `IMAGE_UNREADABLE`.
    """
    image = _open(data, policy)
    size = Size(*image.size)
    if image.format == "JPEG":
        image.draft(None, scale(size))
    try:
        image.load()
    except _DECODE_ERRORS as error:
        raise RejectedRecordError(Reason.IMAGE_UNREADABLE, str(error)[:200]) from error
    return image, size


def _open(data: bytes, policy: ImagePolicy) -> ImageFile.ImageFile:
    if not data:
        raise RejectedRecordError(Reason.IMAGE_EMPTY, "0 bytes")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data), formats=_FORMATS)
    except UnidentifiedImageError:
        beginning = repr(data[:12]).removeprefix("b")
        raise RejectedRecordError(Reason.IMAGE_UNRECOGNIZED, f"begins with {beginning}") from None
    except Image.DecompressionBombError as error:
        raise RejectedRecordError(Reason.IMAGE_TOO_LARGE, str(error)[:200]) from error
    except _DECODE_ERRORS as error:
        raise RejectedRecordError(Reason.IMAGE_UNREADABLE, str(error)[:200]) from error
    width, height = image.size
    if width * height > policy.max_pixels:
        raise RejectedRecordError(Reason.IMAGE_TOO_LARGE, f"{width:,} × {height:,} pixels")
    # A phone's JPEG may hold a preview as a second frame (MPO); the first is the picture.
    frames = getattr(image, "n_frames", 1)
    if image.format != "MPO" and frames > 1:
        raise RejectedRecordError(Reason.IMAGE_ANIMATED, f"{frames} frames")
    return image


def _orientation_of(image: Image.Image) -> int:
    try:
        value = image.getexif().get(_ORIENTATION_TAG, 1)
    except _DECODE_ERRORS:
        # Damaged EXIF says nothing; viewers show such a picture as it lies in the file.
        return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def _range(channel: Image.Image) -> int:
    """Returns by how much the largest value of a one-channel picture exceeds the smallest."""
    low, high = cast(tuple[int, int], channel.getextrema())
    return high - low


def _on_white(image: Image.Image) -> Image.Image:
    """Returns `image` in RGB, whatever its colours; see-through pixels show white."""
    if image.mode.startswith("I"):
        # 16 bits a pixel; plain conversion would clip all but the darkest 255 values, and
        # would not see which of the 65,536 is the see-through one.
        values = numpy.asarray(image)
        grey = numpy.where(values == image.info.get("transparency", -1), 255, values // 257)
        image = Image.fromarray(grey.astype(numpy.uint8))
    if image.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in image.info:
        layer = image.convert("RGBA")
        white = Image.new("RGBA", layer.size, "white")
        return Image.alpha_composite(white, layer).convert("RGB")
    return image if image.mode == "RGB" else image.convert("RGB")
