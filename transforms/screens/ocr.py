"""Texts read off a picture by OCR, with their boxes; needs the extra `ocr`.

The engine is RapidOCR with the models that come inside its wheel, so nothing is downloaded.
"""

import functools
import importlib
from typing import Any

import numpy
from numpy.typing import NDArray

from schemas.geometry import Bounds, Size, intersect
from transforms.files import SourceError

_PARAMETERS = {
    "Global.log_level": "warning",
    # Screens are upright, so no line has to be turned.
    "Global.use_cls": False,
    # Reads as much of a phone's screen as at full size, in under half of the time.
    "Det.limit_side_len": 960,
    "Det.limit_type": "max",
    # Processes are what a build is spread over; threads within them would only queue up.
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
}


class OcrMissingError(SourceError):
    """Raised when texts are to be read, but the extra `ocr` is not installed."""


def require_ocr() -> None:
    """Makes sure, before any work begins, that texts can be read.

    Raises:
        OcrMissingError: If the extra `ocr` is not installed.
    """
    _engine()


def read_texts(picture: NDArray[numpy.uint8]) -> list[tuple[str, Bounds]]:
    """Returns the texts of a picture, line by line from the top, with their boxes in its pixels.

    Args:
        picture: Height × width × RGB.

    Raises:
        OcrMissingError: If the extra `ocr` is not installed.
    """
    engine = _engine()
    # The engine takes arrays for OpenCV's, which are BGR.
    found = engine(numpy.ascontiguousarray(picture[:, :, ::-1]))
    if found.txts is None:
        return []
    size = Size(picture.shape[1], picture.shape[0])
    placed = (
        (text, upright_box(quad, size)) for text, quad in zip(found.txts, found.boxes, strict=True)
    )
    read = [(text, box) for text, box in placed if text.strip() and box.area]
    return sorted(read, key=lambda pair: (pair[1].top, pair[1].left, pair[0]))


def upright_box(quad: Any, size: Size) -> Bounds:
    """Returns the box, on a picture of some size, around the corners that OCR found."""
    across = [float(x) for x, _ in quad]
    down = [float(y) for _, y in quad]
    box = Bounds(int(min(across)), int(min(down)), -int(-max(across) // 1), -int(-max(down) // 1))
    return intersect(box, Bounds(0, 0, *size))


@functools.cache
def _engine() -> Any:
    try:
        engine = importlib.import_module("rapidocr").RapidOCR
    except ImportError as error:
        raise OcrMissingError(
            f"reading texts off pictures needs the extra ocr ({error}): "
            "pip install -e '.[ocr]' in the clone, or set ocr: false in the manifest"
        ) from None
    return engine(params=_PARAMETERS)
