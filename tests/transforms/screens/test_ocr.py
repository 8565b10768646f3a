"""Tests of reading texts off pictures; those with the engine need the extra `ocr`."""

import importlib
import importlib.util
import types

import numpy
import pytest
from PIL import Image, ImageDraw, ImageFont

from schemas.geometry import Bounds, Size
from transforms.files import SourceError
from transforms.screens import ocr
from transforms.screens.ocr import OcrMissingError, read_texts, require_ocr, upright_box

SIZE = Size(200, 100)

with_engine = pytest.mark.skipif(
    importlib.util.find_spec("rapidocr") is None or importlib.util.find_spec("onnxruntime") is None,
    reason="needs the extra ocr",
)


@pytest.fixture
def engine(monkeypatch):
    """Returns a function that sets what the engine finds; collects what it is given."""
    given = []

    def find(texts, boxes):
        def run(picture):
            given.append(picture)
            return types.SimpleNamespace(txts=texts, boxes=boxes)

        monkeypatch.setattr(ocr, "_engine", lambda: run)
        return given

    return find


def quad(left, top, right, bottom):
    return numpy.array([[left, top], [right, top], [right, bottom], [left, bottom]], "float32")


def test_without_the_extra_there_is_one_clear_error(monkeypatch):
    def refuse(name):
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr(importlib, "import_module", refuse)
    ocr._engine.cache_clear()
    with pytest.raises(OcrMissingError) as caught:
        require_ocr()
    assert isinstance(caught.value, SourceError)
    assert str(caught.value) == (
        "reading texts off pictures needs the extra ocr (No module named 'rapidocr'): "
        "pip install -e '.[ocr]' in the clone, or set ocr: false in the manifest"
    )
    with pytest.raises(OcrMissingError):
        read_texts(numpy.zeros((9, 9, 3), numpy.uint8))


def test_importing_the_module_imports_no_engine():
    assert not hasattr(ocr, "rapidocr")


def test_the_engine_is_made_once(monkeypatch):
    made = []
    module = types.SimpleNamespace(RapidOCR=lambda params: made.append(params) or (lambda _: None))
    monkeypatch.setattr(importlib, "import_module", lambda name: module)
    ocr._engine.cache_clear()
    require_ocr()
    require_ocr()
    ocr._engine.cache_clear()
    assert len(made) == 1
    assert made[0]["Global.log_level"] == "warning"


def test_texts_come_from_the_top_with_their_boxes(engine):
    engine(
        ("below", "right", "left"),
        (quad(1, 50, 40, 60), quad(100, 10, 150, 20), quad(5.5, 10.2, 60.1, 20.9)),
    )
    assert read_texts(numpy.zeros((100, 200, 3), numpy.uint8)) == [
        ("left", Bounds(5, 10, 61, 21)),
        ("right", Bounds(100, 10, 150, 20)),
        ("below", Bounds(1, 50, 40, 60)),
    ]


def test_the_engine_is_given_the_colours_in_its_own_order(engine):
    given = engine(None, None)
    picture = numpy.zeros((100, 200, 3), numpy.uint8)
    picture[..., 0] = 200
    assert read_texts(picture) == []
    assert given[0][0, 0].tolist() == [0, 0, 200]
    assert given[0].flags["C_CONTIGUOUS"]


def test_empty_texts_and_boxes_are_left_out(engine):
    engine((" ", "flat", "outside"), (quad(0, 0, 9, 9), quad(5, 5, 5, 5), quad(300, 0, 400, 9)))
    assert read_texts(numpy.zeros((100, 200, 3), numpy.uint8)) == []


@pytest.mark.parametrize(
    ("corners", "box"),
    [
        ([[10, 20], [30, 20], [30, 40], [10, 40]], (10, 20, 30, 40)),
        ([[10.9, 20.1], [30.1, 20.9], [30, 40], [10, 39.5]], (10, 20, 31, 40)),
        ([[30, 40], [10, 40], [10, 20], [30, 20]], (10, 20, 30, 40)),
        ([[20, 10], [30, 20], [20, 30], [10, 20]], (10, 10, 30, 30)),
        ([[-5, -5], [300, -5], [300, 300], [-5, 300]], (0, 0, 200, 100)),
    ],
)
def test_a_box_lies_around_its_corners_on_the_picture(corners, box):
    assert upright_box(corners, SIZE) == Bounds(*box)


@with_engine
def test_the_engine_reads_a_drawn_screen():
    image = Image.new("RGB", (1080, 1920), "white")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(48)
    lines = ["Notification settings", "Weekly reminders", "Save schedule 21"]
    for number, line in enumerate(lines):
        draw.text((80, 300 + 200 * number), line, fill="black", font=font)
    draw.rectangle((80, 1000, 900, 1120), fill="#2040c0")
    draw.text((120, 1030), "Create account", fill="white", font=font)
    read = read_texts(numpy.asarray(image))
    assert [text for text, _ in read] == [*lines, "Create account"]
    for number, (_, box) in enumerate(read[:3]):
        assert abs(box.top - (300 + 200 * number)) < 30
        assert abs(box.left - 80) < 30
    assert read == read_texts(numpy.asarray(image))


@with_engine
def test_the_engine_finds_nothing_on_an_empty_picture():
    assert read_texts(numpy.full((600, 400, 3), 255, numpy.uint8)) == []
