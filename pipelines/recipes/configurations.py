"""Which configurations a data set has, and what their rows are."""

from schemas.examples import IllustratedQuestionRow, QuestionRow
from schemas.manifest import SCREENS_RECIPE, Dataset, Images
from schemas.screens import ScreenRow

SCREENS = "screens"
"""Name of the configuration that holds pictures once, beside one of questions."""


def row_types(dataset: Dataset) -> dict[str, type]:
    """Returns the row type of each configuration of a data set, the main one first."""
    return row_types_of(dataset.name, dataset.recipe, dataset.images)


def row_types_of(name: str, recipe: str, images: Images) -> dict[str, type]:
    """Returns the same for a data set of this name, recipe and place of images."""
    if recipe == SCREENS_RECIPE:
        return {name: ScreenRow}
    if images is Images.INLINE:
        return {name: IllustratedQuestionRow}
    if images is Images.BY_SCREEN:
        return {name: QuestionRow, SCREENS: ScreenRow}
    return {name: QuestionRow}
