"""Measures text before it is drawn, in the font that comes with Pillow."""

import dataclasses
import functools

from PIL import ImageFont

ELLIPSIS = "…"


@functools.lru_cache(maxsize=256)
def font_of(size_px: int) -> ImageFont.FreeTypeFont:
    """Returns Pillow's own font at a size in pixels."""
    font = ImageFont.load_default(size_px)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise RuntimeError("Pillow was built without FreeType, which the sample's text needs")
    return font


@dataclasses.dataclass(frozen=True, slots=True)
class Lettering:
    """A size of text; lengths come in whatever unit `units_per_px` counts."""

    size_px: int
    units_per_px: float

    @property
    def font(self) -> ImageFont.FreeTypeFont:
        """The font at this size."""
        return font_of(self.size_px)

    def length(self, words: str) -> float:
        """Returns the length of a line."""
        return self.font.getlength(words) * self.units_per_px

    def fitting(self, words: str, limit: int | None) -> str:
        """Returns the line, cut with an ellipsis where it is longer than `limit`."""
        if limit is None or self.length(words) <= limit:
            return words
        while words and self.length(words + ELLIPSIS) > limit:
            words = words[:-1]
        return words.rstrip() + ELLIPSIS

    def wrapped(self, words: str, width: int) -> list[str]:
        """Returns the lines that text takes in a column `width` wide."""
        lines = [""]
        for word in words.split():
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and self.length(longer) > width:
                lines.append(word)
            else:
                lines[-1] = longer
        return lines
