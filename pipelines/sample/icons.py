"""Small icons as masks: drawn four times too large, then reduced, so that edges are smooth."""

import functools
import math

from PIL import Image, ImageDraw

_OVERSIZE = 4
_Points = tuple[tuple[float, float], ...]

# Filled outlines on a square of 24 x 24, origin at the top left.
_OUTLINES: dict[str, tuple[_Points, ...]] = {
    "back": (
        (
            (20, 11),
            (7.8, 11),
            (13.4, 5.4),
            (12, 4),
            (4, 12),
            (12, 20),
            (13.4, 18.6),
            (7.8, 13),
            (20, 13),
        ),
    ),
    "menu": (
        ((3, 6), (21, 6), (21, 8), (3, 8)),
        ((3, 11), (21, 11), (21, 13), (3, 13)),
        ((3, 16), (21, 16), (21, 18), (3, 18)),
    ),
    "plus": (((11, 4), (13, 4), (13, 20), (11, 20)), ((4, 11), (20, 11), (20, 13), (4, 13))),
    "close": (
        ((5, 6.4), (6.4, 5), (19, 17.6), (17.6, 19)),
        ((17.6, 5), (19, 6.4), (6.4, 19), (5, 17.6)),
    ),
    "check": (((9, 16.2), (4.8, 12), (3.4, 13.4), (9, 19), (21, 7), (19.6, 5.6)),),
    "home": (
        (
            (12, 3),
            (2, 12),
            (5, 12),
            (5, 20),
            (10, 20),
            (10, 14),
            (14, 14),
            (14, 20),
            (19, 20),
            (19, 12),
            (22, 12),
        ),
    ),
    "play": (((7, 4), (20, 12), (7, 20)),),
    "pause": (((6, 4), (10, 4), (10, 20), (6, 20)), ((14, 4), (18, 4), (18, 20), (14, 20))),
    "next": (((5, 5), (14, 12), (5, 19)), ((16, 5), (18.5, 5), (18.5, 19), (16, 19))),
    "previous": (((19, 5), (10, 12), (19, 19)), ((5.5, 5), (8, 5), (8, 19), (5.5, 19))),
    "chevron": (((9, 5), (7.6, 6.4), (13.2, 12), (7.6, 17.6), (9, 19), (16, 12)),),
    "down": (((6, 9), (18, 9), (12, 16)),),
    "mail": (((2, 5), (22, 5), (12, 12.5)), ((2, 7), (12, 14.5), (22, 7), (22, 19), (2, 19))),
    "flag": (((5, 3), (7, 3), (7, 21), (5, 21)), ((7, 4), (20, 4), (16, 9), (20, 14), (7, 14))),
    "bag": (
        ((4, 8), (20, 8), (21, 21), (3, 21)),
        (
            (8, 8),
            (8, 5),
            (10, 3),
            (14, 3),
            (16, 5),
            (16, 8),
            (14.5, 8),
            (14.5, 5.6),
            (13.4, 4.5),
            (10.6, 4.5),
            (9.5, 5.6),
            (9.5, 8),
        ),
    ),
    "book": (((3, 5), (11, 7), (11, 20), (3, 18)), ((13, 7), (21, 5), (21, 18), (13, 20))),
    "leaf": (((3, 21), (5, 12), (11, 6), (21, 3), (19, 13), (13, 18), (7, 19)),),
    "cup": (((4, 7), (17, 7), (15, 20), (6, 20)), ((17, 9), (21, 9), (20, 15), (16, 16))),
    "drop": (((12, 2), (18, 11), (18.5, 15), (16, 19), (12, 21), (8, 19), (5.5, 15), (6, 11)),),
    "share": (
        ((4, 11), (6, 11), (6, 19), (18, 19), (18, 11), (20, 11), (20, 21), (4, 21)),
        ((12, 2), (17, 8), (13, 8), (13, 15), (11, 15), (11, 8), (7, 8)),
    ),
    "chat": (((3, 4), (21, 4), (21, 17), (9, 17), (4, 21), (4, 17), (3, 17)),),
    "list": (
        ((3, 5), (6, 5), (6, 8), (3, 8)),
        ((8, 5), (21, 5), (21, 8), (8, 8)),
        ((3, 11), (6, 11), (6, 14), (3, 14)),
        ((8, 11), (21, 11), (21, 14), (8, 14)),
        ((3, 17), (6, 17), (6, 20), (3, 20)),
        ((8, 17), (21, 17), (21, 20), (8, 20)),
    ),
}

# Filled circles (centre x, centre y, radius), on the same square.
_DISCS: dict[str, tuple[tuple[float, float, float], ...]] = {
    "more": ((12, 5, 2), (12, 12, 2), (12, 19, 2)),
    "person": ((12, 7.5, 4.5), (12, 21, 8)),
    "disc": ((12, 12, 11),),
    "cloud": ((8, 14, 5), (14, 11, 6), (18, 15, 4)),
    "heart": ((7.6, 9, 4.8), (16.4, 9, 4.8)),
    "pin": ((12, 9, 7),),
    "bell": ((12, 20, 2.2), (12, 9, 6)),
}
_OUTLINES["heart"] = (((3.4, 11.3), (12, 21), (20.6, 11.3), (12, 8)),)
_OUTLINES["pin"] = (((5.6, 12), (18.4, 12), (12, 22)),)
_OUTLINES["bell"] = (((6, 9), (18, 9), (18, 15), (20.5, 18), (3.5, 18), (6, 15)),)
_OUTLINES["star"] = (
    tuple(
        (12 + r * math.sin(math.pi * i / 5), 12.6 - r * math.cos(math.pi * i / 5))
        for i, r in enumerate((11, 4.6) * 5)
    ),
)
# Holes cut out of the icon, as discs.
_HOLES = {"pin": ((12.0, 9.0, 2.6),)}
# Rings (centre x, centre y, radius) two units wide.
_RINGS = {"search": (10, 10, 7), "clock": (12, 12, 10), "ring": (12, 12, 10)}
_OUTLINES["search"] = (((14.4, 16), (16, 14.4), (22, 20.4), (20.4, 22)),)
_OUTLINES["clock"] = (((11, 6), (13, 6), (13, 12), (17, 15), (16, 16.6), (11, 13)),)


@functools.lru_cache(maxsize=512)
def icon_mask(name: str, size: int) -> Image.Image:
    """Returns the icon as a square mask of `size` pixels, white where it has ink."""
    unit = size * _OVERSIZE / 24
    mask = Image.new("L", (size * _OVERSIZE, size * _OVERSIZE))
    draw = ImageDraw.Draw(mask)
    for x, y, r in _DISCS.get(name, ()):
        draw.ellipse(_square(x, y, r, unit), fill=255)
    for outline in _OUTLINES.get(name, ()):
        draw.polygon([(x * unit, y * unit) for x, y in outline], fill=255)
    for x, y, r in _HOLES.get(name, ()):
        draw.ellipse(_square(x, y, r, unit), fill=0)
    if name in _RINGS:
        draw.ellipse(_square(*_RINGS[name], unit), outline=255, width=round(2 * unit))
    return mask.reduce(_OVERSIZE)


@functools.lru_cache(maxsize=512)
def rounded_mask(width: int, height: int, radius: int) -> Image.Image:
    """Returns a mask of the given size in pixels, white inside a box with round corners."""
    mask = Image.new("L", (width, height), 255)
    if radius == 0:
        return mask
    corner = Image.new("L", (2 * radius * _OVERSIZE, 2 * radius * _OVERSIZE))
    ImageDraw.Draw(corner).ellipse((0, 0, corner.width - 1, corner.height - 1), fill=255)
    corner = corner.reduce(_OVERSIZE)
    for left, x in ((0, 0), (radius, width - radius)):
        for top, y in ((0, 0), (radius, height - radius)):
            mask.paste(corner.crop((left, top, left + radius, top + radius)), (x, y))
    return mask


def _square(x: float, y: float, r: float, unit: float) -> tuple[float, float, float, float]:
    return ((x - r) * unit, (y - r) * unit, (x + r) * unit, (y + r) * unit)
