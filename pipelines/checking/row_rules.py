"""Rules that one row answers for: looked at while a shard is read, a batch at a time."""

from collections.abc import Callable, Iterable, Sequence

import numpy
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipelines.checking.facts import Fault, Faults
from pipelines.checking.nested import Level, Levels, as_mask, as_numpy
from schemas.checks import LONGEST_LIST
from schemas.questions import NO_ANSWER
from transforms.identifying import text_digest

BOXES_INSIDE = "boxes_inside"
NO_GAPS = "no_gaps"
ANSWERABLE = "answerable_as_answered"
IDS_FIT = "ids_fit"
SPLIT_FITS = "split_fits"

Mask = NDArray[numpy.bool_]

_BOXES = ("answers[].ui_elements[].bounds", "leaves[].bounds")
_LISTS = ("answers", "answers[].ui_elements", "short_answers", "leaves")


def row_faults(levels: Levels, split: str, texts: Sequence[str | None]) -> dict[str, Faults]:
    """Returns what is wrong with the rows of a batch, by rule.

    Args:
        levels: The batch.
        split: The split of its shard.
        texts: The digest of each row's question, as of `question_texts`.
    """
    found = {
        BOXES_INSIDE: boxes_inside(levels),
        NO_GAPS: no_gaps(levels),
        SPLIT_FITS: split_fits(levels, split),
    }
    if levels.has("question_id"):
        found[IDS_FIT] = ids_fit(levels, texts)
        found[ANSWERABLE] = answerable_as_answered(levels)
    return found


def boxes_inside(levels: Levels) -> Faults:
    """Every box has four edges, some area, and lies inside its row's image.

    Right and bottom are exclusive (`schemas.geometry`). Where no size is known, a box only has
    to have an area and no edge below 0.
    """
    return _added(_boxes_of(levels, path) for path in _BOXES if levels.has(path))


def no_gaps(levels: Levels) -> Faults:
    """No list has a null item: the order of published items is their rank (ScreenQA A.3)."""

    def gaps(path: str) -> Faults:
        level = levels.at(f"{path}[]")
        mask = as_mask(level.values.is_null())
        return _faults(level.rows, mask, lambda i: f"item {_ordinal(level, i)} of {path} is null")

    return _added(gaps(path) for path in _LISTS if levels.has(path))


def split_fits(levels: Levels, split: str) -> Faults:
    """Each row's `split` is that of its shard, which is what `load_dataset` goes by."""
    splits = levels.at("split")
    mask = ~as_mask(pc.equal(splits.values, split))
    return _faults(
        splits.rows,
        mask,
        lambda i: f"split is {splits.values[i].as_py()!r:.40}, its shard's {split}",
    )


def ids_fit(levels: Levels, texts: Sequence[str | None]) -> Faults:
    """Each `question_id` is its screen's id and the digest of its own normalized question."""
    screens, ids = (levels.at(name).values.to_pylist() for name in ("screen_id", "question_id"))
    wrong = [
        screen is None or text is None or given != f"{screen}:{text}"
        for screen, text, given in zip(screens, texts, ids, strict=True)
    ]

    def told(i: int) -> str:
        question = levels.at("question").values[i].as_py()
        return f"question_id is not that of {question!r:.80} on screen {screens[i]}"

    return _faults(numpy.arange(levels.size), numpy.array(wrong, bool), told)


def answerable_as_answered(levels: Levels) -> Faults:
    """An answer has elements, unless it is `<no answer>`; both columns say what answers say.

    `answerable` is whether any answer or short answer is one, `any_no_answer` whether any is
    none (`transforms.stats.found_no_answer`). The release asks for at least one box an answer
    (ScreenQA A.3), and the released records at hand keep to it.
    """
    answers = levels.at("answers[].full_answer")
    none = as_mask(pc.equal(answers.values, NO_ANSWER))
    elements = levels.at("answers[].ui_elements").values
    has_elements = as_mask(pc.greater(pc.list_value_length(elements), 0))
    unfounded = _faults(
        answers.rows,
        has_elements == none,
        lambda i: _unfounded(_ordinal(answers, i), bool(none[i])),
    )
    short = levels.at("short_answers[]")
    short_none = as_mask(pc.equal(short.values, NO_ANSWER))
    given = levels.counts("answers[].full_answer") + levels.counts("short_answers[]")
    declined = levels.counts("answers[].full_answer", none)
    declined = declined + levels.counts("short_answers[]", short_none)
    return _added(
        (
            unfounded,
            _contradicted(levels, "answerable", declined < given),
            _contradicted(levels, "any_no_answer", declined > 0),
        )
    )


def _boxes_of(levels: Levels, path: str) -> Faults:
    level = levels.at(path)
    edges = levels.at(f"{path}[]").values
    whole = as_mask(pc.equal(pc.list_value_length(level.values), 4))
    if not whole.all() or edges.null_count:
        # Nothing can be said of other boxes' places before each has four edges.
        holes = numpy.zeros(len(whole), bool)
        lists = levels.at(f"{path}[]").lists
        assert lists is not None
        holes[lists[as_mask(edges.is_null())]] = True
        return _faults(
            level.rows,
            ~whole | holes,
            lambda i: f"box {_ordinal(level, i)} of {_list_of(path)} has not four edges",
        )
    boxes = as_numpy(edges).astype(numpy.int64).reshape(-1, 4)
    left, top, right, bottom = boxes.T
    no_bound = numpy.iinfo(numpy.int64).max
    sizes = [
        pc.fill_null(levels.at(n).values.cast(pa.int64()), no_bound) for n in ("width", "height")
    ]
    width, height = (as_numpy(of_rows).astype(numpy.int64)[level.rows] for of_rows in sizes)
    outside = (left < 0) | (top < 0) | (right > width) | (bottom > height)
    mask = outside | (left >= right) | (top >= bottom)

    def told(i: int) -> str:
        size = f"outside the image of {width[i]} × {height[i]}"
        wrong = size if outside[i] else "empty or inverted"
        if outside[i] and width[i] == no_bound:
            wrong = "beyond the image's edge"
        return f"box {_ordinal(level, i)} of {_list_of(path)}, {boxes[i].tolist()}, is {wrong}"

    return _faults(level.rows, mask, told)


def _contradicted(levels: Levels, name: str, expected: Mask) -> Faults:
    column = levels.at(name)
    mask = as_mask(pc.fill_null(column.values, False)) != expected
    return _faults(
        column.rows, mask, lambda i: f"{name} is {not expected[i]}, its answers say otherwise"
    )


def _unfounded(ordinal: int, is_none: bool) -> str:
    if is_none:
        return f"answer {ordinal} is {NO_ANSWER} and has elements"
    return f"answer {ordinal} has no element"


def _list_of(path: str) -> str:
    return path.rpartition("[]")[0]


def _ordinal(level: Level, index: int) -> int:
    """Returns the place, from 1, of a value among those of its row."""
    return index - int(numpy.searchsorted(level.rows, level.rows[index])) + 1


def _faults(rows: NDArray[numpy.int64], mask: Mask, told: Callable[[int], str]) -> Faults:
    wrong = numpy.flatnonzero(mask)
    first = [Fault(int(rows[i]), told(int(i))) for i in wrong[:LONGEST_LIST]]
    return Faults(len(mask), len(wrong), tuple(first))


def _added(parts: Iterable[Faults]) -> Faults:
    total = Faults()
    for part in parts:
        total = total + part
    return total


def given_answers(levels: Levels) -> pa.Array:
    """Returns how many answers each question was given, -1 where no answer is known.

    In a build from raw events that is what its agreement counts, those calling it invalid
    included, since agreement may take an answer away (ScreenQA A.5).
    """
    counts = levels.counts("answers[]")
    given = numpy.where(counts > 0, counts, -1)
    told = levels.at("agreement.n_annotations")
    valid = as_mask(told.values.is_valid())
    given[told.rows[valid]] = as_numpy(told.values.drop_null())
    return pa.array(given.astype(numpy.int32))


def question_texts(levels: Levels) -> list[str | None]:
    """Returns a digest of each row's normalized question; None where there is none."""
    if not levels.has("question"):
        return [None] * levels.size
    questions = levels.at("question").values.to_pylist()
    return [None if question is None else text_digest(question) for question in questions]
