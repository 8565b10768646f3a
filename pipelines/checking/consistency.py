"""Derived columns that hold two columns of a row against one another, for hand-written suites."""

import numpy
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipelines.checking.nested import Levels, as_mask

QUESTION_CHARS = "question:chars"
ANSWERS = "answers:count"
SHORT_ANSWERS = "short_answers:count"
COUNTED_ANSWERS = "answers:counted"
GIVEN_ANSWERS = "agreement.n_annotations:number"
INVALID_ANSWERS = "agreement.n_invalid:number"
UNEXPLAINED = "short_answers:unexplained"
HALF_SIZES = "size:halves"


def consistency_columns(levels: Levels) -> dict[str, pa.Array]:
    """Returns what the hand-written expectations need of a batch of questions, a number a row.

    `COUNTED_ANSWERS`, `GIVEN_ANSWERS` and `INVALID_ANSWERS` are null in rows without agreement.
    `UNEXPLAINED` is 1 where a row has short answers or tells what made them, and not both;
    `HALF_SIZES` is 1 where it has a width or a height, and not both.
    """
    if not levels.has("question"):
        return {}
    answers, short = levels.counts("answers[]"), levels.counts("short_answers[]")
    given = _number_of(levels, "agreement.n_annotations")
    explained = _rows_with(levels, "short_answers_from")
    halves = _rows_with(levels, "width") != _rows_with(levels, "height")
    return {
        QUESTION_CHARS: pc.fill_null(pc.utf8_length(levels.at("question").values), 0),
        ANSWERS: pa.array(answers.astype(numpy.int32)),
        SHORT_ANSWERS: pa.array(short.astype(numpy.int32)),
        COUNTED_ANSWERS: _nullable(numpy.where(numpy.isnan(given), numpy.nan, answers)),
        GIVEN_ANSWERS: _nullable(given),
        INVALID_ANSWERS: _nullable(_number_of(levels, "agreement.n_invalid")),
        UNEXPLAINED: pa.array(((short > 0) != explained).astype(numpy.uint16)),
        HALF_SIZES: pa.array(halves.astype(numpy.uint16)),
    }


def _rows_with(levels: Levels, path: str) -> NDArray[numpy.bool_]:
    """Returns which rows have a value at a path."""
    return levels.counts(path, as_mask(levels.at(path).values.is_valid())) > 0


def _number_of(levels: Levels, path: str) -> NDArray[numpy.float64]:
    """Returns the number at a path that each row has once at most; NaN where it has none."""
    level = levels.at(path)
    numbers = numpy.full(levels.size, numpy.nan)
    rows = level.rows[as_mask(level.values.is_valid())]
    numbers[rows] = level.values.drop_null().to_numpy(zero_copy_only=False)
    return numbers


def _nullable(numbers: NDArray[numpy.float64]) -> pa.Array:
    return pa.array(numbers, from_pandas=True)
