"""Boxes between Label Studio's percentages and pixels."""

import math
import re
from collections.abc import Iterable
from typing import Any

from schemas.geometry import Bounds, Size, intersect
from schemas.rejects import Reason, RejectedRecordError

MAX_PERCENT = 150
"""Beyond, a percentage is pixels or a hundredfold (label-studio issues 2702, 5794)."""

_SIDES = ("x", "y", "width", "height")
_VH_REGION = re.compile(r"vh_([0-9]{1,9})")


def region_id_of(result: dict[str, Any]) -> str:
    """Returns the region that a result is on.

    Raises:
        RejectedRecordError: `MISSING_REGION_ID`.
    """
    found = result.get("id")
    if not isinstance(found, str) or not found:
        raise RejectedRecordError(
            Reason.MISSING_REGION_ID, f"a result of {result.get('from_name')!r:.60} has no id"
        )
    return found


def region_size(result: dict[str, Any]) -> Size | None:
    """Returns the size of the picture as displayed, where a result tells it."""
    sides = [result.get("original_width"), result.get("original_height")]
    if all(isinstance(s, int) and not isinstance(s, bool) and 0 < s < 1 << 20 for s in sides):
        return Size(*sides)  # type: ignore[arg-type]
    return None


def read_box(result: dict[str, Any]) -> tuple[Bounds, Size, list[str]]:
    """Returns a region's box in whole pixels, its picture's size, and the repairs made.

    Percentages are multiplied by the size and then rounded half to even; a negative width
    or height is turned round; what sticks out is clipped.

    Raises:
        RejectedRecordError: `MISSING_KEY`, `PERCENT_OUT_OF_RANGE`, `ROTATED_BOX`, or
            `BOX_EMPTY` if nothing is left on the picture.
    """
    region_id = region_id_of(result)
    size = region_size(result)
    if size is None:
        raise RejectedRecordError(Reason.MISSING_KEY, f"region {region_id} has no original size")
    x, y, width, height = _percentages(result["value"], region_id)
    if _is_turned(result["value"].get("rotation")) or _is_turned(result.get("image_rotation")):
        raise RejectedRecordError(Reason.ROTATED_BOX, f"region {region_id} is turned")
    flags = []
    if width < 0:
        flags.append(f"negative_width:{region_id}")
    if height < 0:
        flags.append(f"negative_height:{region_id}")
    left, right = sorted((x, x + width))
    top, bottom = sorted((y, y + height))
    box = Bounds(
        _pixels(left, size.width),
        _pixels(top, size.height),
        _pixels(right, size.width),
        _pixels(bottom, size.height),
    )
    clipped = intersect(box, Bounds(0, 0, *size))
    if clipped.area == 0:
        raise RejectedRecordError(
            Reason.BOX_EMPTY, f"region {region_id} is {tuple(box)} on {tuple(size)}"
        )
    if clipped != box:
        flags.append(f"clipped:{region_id}")
    return clipped, size, flags


def vh_index_of(result: dict[str, Any]) -> int:
    """Returns the leaf that a region stands for, -1 if it was drawn.

    That is `meta.vh_index`, which the editor keeps, else the region's id `vh_<index>`.
    """
    meta = result.get("meta")
    index = meta.get("vh_index") if isinstance(meta, dict) else None
    if isinstance(index, int) and not isinstance(index, bool) and 0 <= index < 1 << 31:
        return index
    named = _VH_REGION.fullmatch(str(result.get("id")))
    return int(named[1]) if named else -1


def offered_leaves(results: Any, control: str) -> dict[int, Bounds]:
    """Returns the boxes of the leaves that a prediction offered, by `vh_index`."""
    offered: dict[int, Bounds] = {}
    for result in results if isinstance(results, list) else ():
        if not isinstance(result, dict) or result.get("from_name") != control:
            continue
        index = vh_index_of(result)
        if index < 0 or not isinstance(result.get("value"), dict):
            continue
        try:
            offered[index] = read_box(result)[0]
        except RejectedRecordError:
            continue  # Not offered in a way that anybody could have picked.
    return offered


def write_box(box: Bounds, size: Size) -> dict[str, float]:
    """Returns a box as percentages of its picture, unrounded.

    Raises:
        ValueError: The box is empty or not on the picture: Label Studio takes any number,
            and shows nothing (issue 5794).
    """
    left, top, right, bottom = box
    if not (0 <= left < right <= size.width and 0 <= top < bottom <= size.height):
        raise ValueError(f"the box {tuple(box)} does not lie on a picture of {tuple(size)}")
    return {
        "x": left / size.width * 100,
        "y": top / size.height * 100,
        "width": (right - left) / size.width * 100,
        "height": (bottom - top) / size.height * 100,
        "rotation": 0,
    }


def sizes_in(results: Iterable[Any]) -> Iterable[Size]:
    """Yields the picture sizes that results tell."""
    for result in results:
        size = region_size(result) if isinstance(result, dict) else None
        if size is not None:
            yield size


def _percentages(value: dict[str, Any], region_id: str) -> list[float]:
    sides = [value.get(side) for side in _SIDES]
    for name, side in zip(_SIDES, sides, strict=True):
        if not _is_number(side):
            raise RejectedRecordError(
                Reason.MISSING_KEY, f"{name} of region {region_id} is {side!r:.40}"
            )
        if abs(side) > MAX_PERCENT:  # type: ignore[arg-type]
            raise RejectedRecordError(
                Reason.PERCENT_OUT_OF_RANGE, f"{name} of region {region_id} is {side!r:.40} %"
            )
    return sides  # type: ignore[return-value]


def _is_turned(raw: Any) -> bool:
    return _is_number(raw) and raw % 360 != 0


def _is_number(raw: Any) -> bool:
    if isinstance(raw, float):
        return math.isfinite(raw)
    return isinstance(raw, int) and not isinstance(raw, bool)


def _pixels(percent: float, side: int) -> int:
    return round(percent / 100 * side)
