"""Tests of checking and storing screenshots."""

import binascii
import hashlib
import io
import struct
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageOps, PngImagePlugin

from schemas.geometry import Size, turned_size
from schemas.manifest import ImagePolicy
from schemas.rejects import Reason, RejectedRecordError
from schemas.screens import ImageFacts, StoredImage
from transforms.screens.images import check_image, layout_hash, stored_image

# Pillow warns of what is odd in a damaged file, beside raising where it cannot go on.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:PIL")

POLICY = ImagePolicy()
SIZE = (48, 64)


def drawn(size=SIZE):
    """Returns a picture of many colours, with no symmetry."""
    width, height = size
    image = Image.linear_gradient("L").resize(size)
    image = Image.merge("RGB", (image, image.transpose(Image.Transpose.ROTATE_180), image))
    image.paste((200, 30, 40), (1, 2, width // 2, height // 4))
    image.paste((20, 30, 240), (width // 3, height // 2, width - 1, height - 3))
    return image


def saved(image, file_format, **options):
    buffer = io.BytesIO()
    image.save(buffer, file_format, **options)
    return buffer.getvalue()


def exif(orientation):
    tags = Image.Exif()
    tags[0x0112] = orientation
    return tags


def refusal(data, policy=POLICY):
    with pytest.raises(RejectedRecordError) as caught:
        check_image(data, policy)
    caught.value.detail.encode()
    return caught.value.reason


def published(data):
    """Returns the picture as a reader of the data set decodes it."""
    stored = stored_image(data, check_image(data, POLICY), "7")
    image = Image.open(io.BytesIO(stored.bytes))
    image.load()
    return image


@pytest.mark.parametrize(
    ("file_format", "mime", "suffix"),
    [("JPEG", "image/jpeg", ".jpg"), ("PNG", "image/png", ".png"), ("WEBP", "image/webp", ".webp")],
)
def test_a_plain_picture_is_published_in_its_own_bytes(file_format, mime, suffix):
    data = saved(drawn(), file_format)
    facts = check_image(data, POLICY)
    assert facts == ImageFacts(
        size=Size(48, 64),
        file_size=Size(48, 64),
        orientation=1,
        mime=mime,
        reencoded=False,
        size_bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        layout_hash=facts.layout_hash,
        pixels=facts.pixels,
    )
    assert stored_image(data, facts, "7") == StoredImage(data, f"7{suffix}")


@pytest.mark.parametrize("size", [(1, 9), (9, 1), (7, 7), (3, 500), (500, 3), (8, 9)])
@pytest.mark.parametrize("file_format", ["JPEG", "PNG", "WEBP"])
def test_small_and_narrow_pictures_are_checked_too(file_format, size):
    image = Image.new("RGB", size, "white")
    image.paste("black", (0, 0, -(-size[0] // 2), -(-size[1] // 2)))
    facts = check_image(saved(image, file_format), ImagePolicy(blank_range=-1))
    assert facts.size == size


def test_the_type_comes_from_the_bytes_and_no_name_is_needed():
    assert check_image(saved(drawn(), "WEBP"), POLICY).mime == "image/webp"


@pytest.mark.parametrize(
    "data",
    [
        b"<html>Quota exceeded</html>",
        b"\xff\xd8",
        b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        ",
        b"x",
        b"\x89PNG\r\n\x1a\n",
        b"RIFF\x00\x00\x00\x00WEBP",
        b"\xef\xbb\xbf{}",
        saved(drawn(), "BMP"),
        saved(drawn(), "GIF"),
        saved(drawn(), "TIFF"),
        saved(drawn(), "ICO"),
        saved(drawn(), "PPM"),
    ],
)
def test_bytes_of_any_other_kind_are_not_recognized(data):
    assert refusal(data) in (Reason.IMAGE_UNRECOGNIZED, Reason.IMAGE_UNREADABLE)


@pytest.mark.parametrize("file_format", ["BMP", "GIF", "TIFF"])
def test_pictures_of_other_formats_say_how_they_begin(file_format):
    data = saved(drawn(), file_format)
    with pytest.raises(RejectedRecordError) as caught:
        check_image(data, POLICY)
    assert caught.value.reason is Reason.IMAGE_UNRECOGNIZED
    assert caught.value.detail == "begins with " + repr(data[:12])[1:]


def test_a_file_of_no_bytes_is_empty():
    assert refusal(b"") is Reason.IMAGE_EMPTY


ANIMATED = [
    saved(drawn(), "PNG", save_all=True, append_images=[Image.new("RGB", SIZE)]),
    saved(drawn(), "WEBP", save_all=True, append_images=[Image.new("RGB", SIZE)]),
]


@pytest.mark.parametrize("data", ANIMATED, ids=["apng", "webp"])
def test_a_picture_with_more_frames_is_refused(data):
    assert refusal(data) is Reason.IMAGE_ANIMATED


def test_an_animated_gif_is_not_recognized():
    data = saved(drawn(), "GIF", save_all=True, append_images=[Image.new("RGB", SIZE)])
    assert refusal(data) is Reason.IMAGE_UNRECOGNIZED


def test_the_preview_in_a_phones_jpeg_is_no_second_frame():
    data = saved(drawn(), "MPO", save_all=True, append_images=[drawn((24, 32))])
    assert Image.open(io.BytesIO(data)).n_frames == 2
    facts = check_image(data, POLICY)
    assert (facts.mime, facts.size) == ("image/jpeg", (48, 64))
    assert stored_image(data, facts, "7") == StoredImage(data, "7.jpg")


def png_header(width, height):
    def chunk(kind, data):
        crc = binascii.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc)

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\0" * 10_000)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize("side", [20_000, 10_000, 6_325])
@pytest.mark.filterwarnings("error")
def test_a_bomb_is_refused_by_its_header(side):
    assert refusal(png_header(side, side)) is Reason.IMAGE_TOO_LARGE


def test_the_cap_counts_pixels_and_is_the_policys():
    data = saved(drawn(), "PNG")
    assert check_image(data, ImagePolicy(max_pixels=48 * 64)).size == (48, 64)
    with pytest.raises(RejectedRecordError) as caught:
        check_image(data, ImagePolicy(max_pixels=48 * 64 - 1))
    assert caught.value.reason is Reason.IMAGE_TOO_LARGE
    assert caught.value.detail == "48 × 64 pixels"


def test_a_picture_larger_than_pillows_own_bound_is_fine_below_the_policys(monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 48 * 32)
    assert check_image(saved(drawn(), "PNG"), POLICY).size == (48, 64)


@pytest.mark.parametrize("colour", ["black", "white", "navy", (128, 128, 128)])
@pytest.mark.parametrize("file_format", ["JPEG", "PNG", "WEBP"])
def test_a_picture_of_one_colour_is_blank(file_format, colour):
    assert refusal(saved(Image.new("RGB", (1080, 1920), colour), file_format)) is Reason.IMAGE_BLANK


def test_a_fully_transparent_picture_is_blank_whatever_lies_under_it():
    image = drawn().convert("RGBA")
    image.putalpha(0)
    assert refusal(saved(image, "PNG")) is Reason.IMAGE_BLANK


@pytest.mark.parametrize(("difference", "blank"), [(8, True), (9, False)])
def test_blank_is_what_differs_by_no_more_than_the_policy_says(difference, blank):
    image = Image.new("RGB", SIZE, (100, 100, 100))
    image.paste((100, 100, 100 + difference), (0, 0, 24, 32))
    data = saved(image, "PNG")
    if blank:
        assert refusal(data) is Reason.IMAGE_BLANK
    else:
        assert check_image(data, POLICY).size == SIZE
    assert check_image(data, ImagePolicy(blank_range=difference - 1)).size == SIZE


def test_a_screen_with_little_on_it_is_not_blank():
    image = Image.new("RGB", (1080, 1920), "white")
    image.paste("black", (500, 900, 580, 916))
    assert check_image(saved(image, "JPEG"), POLICY).size == (1080, 1920)


@pytest.mark.parametrize("orientation", range(2, 9))
@pytest.mark.parametrize("file_format", ["JPEG", "PNG", "WEBP"])
def test_a_turned_picture_is_published_upright(file_format, orientation):
    options = {"lossless": True} if file_format == "WEBP" else {}
    data = saved(drawn(), file_format, exif=exif(orientation), **options)
    facts = check_image(data, POLICY)
    assert facts.orientation == orientation
    assert facts.file_size == SIZE
    assert facts.size == turned_size(Size(*SIZE), orientation)
    assert facts.reencoded
    stored = stored_image(data, facts, "7")
    assert stored.path == "7.png"
    image = Image.open(io.BytesIO(stored.bytes))
    expected = ImageOps.exif_transpose(Image.open(io.BytesIO(data))).convert("RGB")
    assert (image.format, image.mode, image.size) == ("PNG", "RGB", facts.size)
    assert image.tobytes() == expected.tobytes()
    assert dict(image.getexif()) == {}


@pytest.mark.parametrize("orientation", [0, 1, 9, 77])
def test_an_orientation_that_does_not_exist_turns_nothing(orientation):
    data = saved(drawn(), "JPEG", exif=exif(orientation))
    facts = check_image(data, POLICY)
    assert (facts.orientation, facts.reencoded) == (1, False)


ORIENTATION_AS_TEXT = struct.pack(">HHI4sI", 0x0112, 2, 2, b"6", 0)


@pytest.mark.parametrize(
    "tags",
    [
        b"\xff\xff\xff\xff garbage",
        b"\0\0\0\x08\0\x01" + ORIENTATION_AS_TEXT,
        b"\0\0\0\x08\0\x09",
    ],
)
def test_exif_that_is_damaged_turns_nothing(tags):
    data = saved(drawn(), "JPEG", exif=b"Exif\0\0MM\0*" + tags)
    facts = check_image(data, POLICY)
    assert (facts.orientation, facts.reencoded) == (1, False)


def columns(mode, values, height=6):
    """Returns a picture of one column a value."""
    image = Image.new(mode, (len(values), height))
    for x, value in enumerate(values):
        for y in range(height):
            image.putpixel((x, y), value)
    return image


def palette(*colours):
    image = columns("P", range(len(colours)))
    image.putpalette([channel for colour in colours for channel in colour])
    return image


WHITE, BLACK, RED, GREY = (255, 255, 255), (0, 0, 0), (255, 0, 0), (100, 100, 100)


@pytest.mark.parametrize(
    ("image", "options", "pixels"),
    [
        (columns("L", [0, 100, 255]), {}, [BLACK, GREY, WHITE]),
        (columns("1", [0, 255, 0]), {}, [BLACK, WHITE, BLACK]),
        (columns("LA", [(0, 0), (100, 255), (0, 255)]), {}, [WHITE, GREY, BLACK]),
        (
            columns("RGBA", [(255, 255, 255, 0), (0, 0, 0, 0), (255, 0, 0, 255), (0, 0, 0, 128)]),
            {},
            [WHITE, WHITE, RED, (127, 127, 127)],
        ),
        (palette(BLACK, RED, GREY), {}, [BLACK, RED, GREY]),
        (palette(BLACK, RED, GREY), {"transparency": 0}, [WHITE, RED, GREY]),
        (
            palette(BLACK, RED, BLACK),
            {"transparency": b"\xff\x00\x80"},
            [BLACK, WHITE, (127, 127, 127)],
        ),
        (columns("RGB", [BLACK, RED, GREY]), {"transparency": BLACK}, [WHITE, RED, GREY]),
        (columns("L", [0, 100, 255]), {"transparency": 0}, [WHITE, GREY, WHITE]),
        (columns("1", [0, 255, 0]), {"transparency": 255}, [BLACK, WHITE, BLACK]),
        (columns("I;16", [0, 25_700, 65_535]), {}, [BLACK, GREY, WHITE]),
        (
            columns("I;16", [0, 25_700, 65_535]),
            {"transparency": 0},
            [WHITE, GREY, WHITE],
        ),
        (
            columns("I;16", [0, 25_700, 25_701]),
            {"transparency": 25_701},
            [BLACK, GREY, WHITE],
        ),
    ],
)
def test_every_colour_mode_becomes_plain_colours_on_white(image, options, pixels):
    data = saved(image, "PNG", **options)
    assert check_image(data, POLICY).reencoded
    result = published(data)
    assert (result.format, result.mode, result.info) == ("PNG", "RGB", {})
    assert [result.getpixel((x, 3)) for x in range(len(pixels))] == pixels


@pytest.mark.parametrize("mode", ["L", "CMYK"])
def test_a_jpeg_of_another_colour_mode_is_published_in_plain_colours(mode):
    data = saved(drawn().convert(mode), "JPEG", quality=100)
    facts = check_image(data, POLICY)
    assert (facts.reencoded, facts.mime, facts.size) == (True, "image/jpeg", SIZE)
    result = published(data)
    expected = Image.open(io.BytesIO(data)).convert("RGB")
    assert (result.format, result.mode) == ("PNG", "RGB")
    assert result.tobytes() == expected.tobytes()


def test_a_see_through_webp_is_published_on_white():
    image = columns("RGBA", [(0, 0, 0, 0), (255, 0, 0, 255)])
    result = published(saved(image, "WEBP", lossless=True, exact=True))
    assert [result.getpixel((x, 3)) for x in range(2)] == [WHITE, RED]


def test_no_text_of_a_file_travels_along_with_a_converted_picture():
    info = PngImagePlugin.PngInfo()
    info.add_text("Author", "appcrawler7@gmail.com")
    data = saved(drawn().convert("RGBA"), "PNG", pnginfo=info, exif=exif(6), icc_profile=b"profile")
    stored = stored_image(data, check_image(data, POLICY), "7")
    kinds = {stored.bytes[at + 4 : at + 8] for at in chunk_places(stored.bytes)}
    assert kinds == {b"IHDR", b"IDAT", b"IEND"}


def chunk_places(png):
    at = 8
    while at < len(png):
        yield at
        at += 12 + struct.unpack(">I", png[at : at + 4])[0]


def test_a_converted_picture_has_the_same_bytes_each_time():
    data = saved(drawn().convert("P"), "PNG")
    facts = check_image(data, POLICY)
    assert stored_image(data, facts, "7") == stored_image(data, facts, "7")


def test_bytes_that_are_not_those_checked_stop_the_build():
    facts = check_image(saved(drawn(), "PNG"), POLICY)
    with pytest.raises(ValueError, match="the picture of screen 7 changed while the build ran"):
        stored_image(saved(drawn(), "JPEG"), facts, "7")


def text_png(size=200):
    info = PngImagePlugin.PngInfo()
    info.add_text("a", "b" * size)
    info.add_text("z", "c" * size, zip=True)
    return saved(drawn(), "PNG", pnginfo=info, exif=exif(6))


SAMPLES = {
    "jpeg": saved(drawn(), "JPEG"),
    "progressive": saved(drawn(), "JPEG", progressive=True, exif=exif(6)),
    "cmyk": saved(drawn().convert("CMYK"), "JPEG"),
    "mpo": saved(drawn(), "MPO", save_all=True, append_images=[drawn((24, 32))]),
    "png": saved(drawn(), "PNG"),
    "text": text_png(),
    "palette": saved(drawn().quantize(16), "PNG", transparency=3),
    "bits": saved(drawn().convert("1"), "PNG"),
    "rgba": saved(drawn().convert("RGBA"), "PNG"),
    "see-through": saved(drawn(), "PNG", transparency=(200, 30, 40)),
    "deep": saved(columns("I;16", [0, 257, 9_999, 65_535] * 9), "PNG", transparency=257),
    "apng": ANIMATED[0],
    "webp": saved(drawn(), "WEBP", exif=exif(6)),
    "lossless": saved(drawn().convert("RGBA"), "WEBP", lossless=True),
}


@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "apng"])
def test_the_samples_are_whole_as_they_are(name):
    assert published(SAMPLES[name]).mode == "RGB"


@pytest.mark.parametrize("name", ["jpeg", "progressive", "cmyk", "png", "rgba", "webp", "lossless"])
def test_a_picture_that_breaks_off_is_refused(name):
    data = SAMPLES[name]
    for share in (0.3, 0.5, 0.7, 0.9):
        cut = data[: int(len(data) * share)]
        assert refusal(cut) in (Reason.IMAGE_UNREADABLE, Reason.IMAGE_UNRECOGNIZED)


@pytest.mark.parametrize("name", ["jpeg", "png", "webp"])
def test_half_a_large_screenshot_is_unreadable(name):
    file_format = name.upper()
    data = saved(drawn((540, 960)), file_format)
    assert refusal(data[: len(data) // 2]) is Reason.IMAGE_UNREADABLE


def test_pixels_that_do_not_unpack_are_unreadable_and_never_shown_as_black():
    data = bytearray(SAMPLES["png"])
    start = data.index(b"IDAT") + 4
    data[start + 20 : start + 60] = bytes(40)
    length = struct.unpack(">I", data[start - 8 : start - 4])[0]
    crc = binascii.crc32(data[start - 4 : start + length])
    data[start + length : start + length + 4] = struct.pack(">I", crc)
    assert refusal(bytes(data)) is Reason.IMAGE_UNREADABLE


@st.composite
def damaged(draw):
    """A real file with a few bytes changed, taken out, put in, or its end cut off."""
    data = bytearray(SAMPLES[draw(st.sampled_from(sorted(SAMPLES)))])
    for _ in range(draw(st.integers(1, 5))):
        if not data:
            break
        # Half of all damage goes to the headers, where most of the ways to fail lie.
        bound = len(data) if draw(st.booleans()) else min(len(data), 200)
        at = draw(st.integers(0, bound - 1))
        kind = draw(st.sampled_from(["change", "change", "remove", "insert", "cut"]))
        if kind == "change":
            data[at] = draw(st.integers(0, 255))
        elif kind == "remove":
            del data[at : at + draw(st.integers(1, 20))]
        elif kind == "insert":
            data[at:at] = draw(st.binary(min_size=1, max_size=8))
        else:
            del data[at:]
    return bytes(data)


@settings(max_examples=1500)
@given(damaged())
def test_a_damaged_picture_is_refused_with_a_reason_or_decodes_in_full(data):
    try:
        facts = check_image(data, ImagePolicy(max_pixels=1_000_000))
    except RejectedRecordError as error:
        error.detail.encode()
        return
    image = Image.open(io.BytesIO(stored_image(data, facts, "7").bytes))
    image.load()
    assert image.size == facts.size


@settings(max_examples=200)
@given(
    st.binary(max_size=300), st.sampled_from([b"", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"RIFF"])
)
def test_random_bytes_are_refused_with_a_reason(data, start):
    with pytest.raises(RejectedRecordError):
        check_image(start + data, POLICY)


def test_equal_layouts_have_equal_hashes_at_every_size():
    def screen(size, button):
        image = Image.new("RGB", (90, 160), "white")
        for row in range(8):
            image.paste("black", (10, 20 * row, 30 + 5 * row, 20 * row + 12))
        image.paste(button, (60, 100, 80, 120))
        return image.resize(size, Image.Resampling.NEAREST)

    hashes = {
        layout_hash(screen(size, "blue").convert("L"))
        for size in [(90, 160), (180, 320), (540, 960)]
    }
    assert len(hashes) == 1
    assert len(hashes.pop()) == 16


def test_a_layout_hash_is_the_bits_of_cells_brighter_than_their_right():
    cells = Image.new("L", (9, 8))
    for x in range(9):
        for y in range(8):
            cells.putpixel((x, y), 200 - 20 * x if y < 2 else 20 * x)
    assert layout_hash(cells) == "ffff000000000000"


@pytest.mark.parametrize("colour", ["white", "black"])
def test_a_picture_with_little_contrast_has_no_layout(colour):
    image = Image.new("RGB", (90, 160), colour)
    image.paste("grey", (40, 70, 50, 80))
    assert layout_hash(image.convert("L")) == ""
