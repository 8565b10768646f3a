"""Published rows made of screens with their questions."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from schemas.examples import IllustratedQuestionRow, QuestionRow
from schemas.geometry import Size
from schemas.questions import AskedScreen, Question
from schemas.readings import NO_HIERARCHY
from schemas.screens import ScreenRow, StoredImage, ViewLeaf
from schemas.short_answers import ShortAnswerOrigin
from transforms.fates import question_id_of
from transforms.screens.checking import load_hierarchy, load_picture
from transforms.screens.hierarchies import visible_leaves
from transforms.screens.images import stored_image
from transforms.shard_planning import Load
from transforms.stats import found_no_answer, short_answer_origin
from transforms.writing import RowMaker

_ROW_BYTES = 1024
"""About what a row takes beside its picture, for planning shards."""


@dataclasses.dataclass(frozen=True, slots=True)
class QuestionRows(RowMaker):
    """Makes one row a question, without pictures."""

    row_type: ClassVar[type] = QuestionRow

    def load_of(self, asked: AskedScreen) -> Load:
        """Returns the rows' number and rough size."""
        return Load(_ROW_BYTES * len(asked.questions), len(asked.questions))

    def rows_of(self, asked: AskedScreen) -> Iterator[QuestionRow]:
        """Yields one row a question."""
        for question in asked.questions:
            yield QuestionRow(**question_columns(asked, question))


@dataclasses.dataclass(frozen=True, slots=True)
class IllustratedQuestionRows(RowMaker):
    """Makes one row a question, each with the screen's picture.

    `folders` are those of the sources of screens, by name.
    """

    folders: Mapping[str, str]

    row_type: ClassVar[type] = IllustratedQuestionRow

    def load_of(self, asked: AskedScreen) -> Load:
        """Returns the rows' number and rough size; a repeated picture folds to one."""
        return Load(_image_bytes(asked) + _ROW_BYTES * len(asked.questions), len(asked.questions))

    def rows_of(self, asked: AskedScreen) -> Iterator[IllustratedQuestionRow]:
        """Reads the picture once and yields one row a question."""
        image = load_image(asked, self.folders)
        for question in asked.questions:
            yield IllustratedQuestionRow(
                **question_columns(asked, question),
                image=image,
                image_reencoded=asked.screen is not None and asked.screen.image.reencoded,
            )


@dataclasses.dataclass(frozen=True, slots=True)
class ScreenRows(RowMaker):
    """Makes one row a screen, with its picture and the leaves of its hierarchy."""

    folders: Mapping[str, str]

    row_type: ClassVar[type] = ScreenRow

    def load_of(self, asked: AskedScreen) -> Load:
        """Returns the row's rough size."""
        return Load(_image_bytes(asked) + 4 * _ROW_BYTES, 1)

    def rows_of(self, asked: AskedScreen) -> Iterator[ScreenRow]:
        """Reads the screen's files and yields its row."""
        assert asked.ref is not None
        assert asked.screen is not None
        language = asked.prefilter.language if asked.prefilter else None
        sync = asked.screen.reading.sync if asked.screen.reading else None
        leaves, dropped = load_leaves(asked, self.folders)
        yield ScreenRow(
            screen_id=asked.screen_id,
            image=load_image(asked, self.folders),
            width=asked.screen.image.size.width,
            height=asked.screen.image.size.height,
            image_reencoded=asked.screen.image.reencoded,
            app=asked.app.package if asked.app else None,
            category=asked.app.category if asked.app else None,
            leaves=leaves,
            leaves_dropped=dropped,
            language=language.verdict.value if language else None,
            language_score=language.score if language and language.letters else None,
            hierarchy_sync=sync.verdict.value if sync else None,
            hierarchy_sync_score=sync.score if sync and sync != NO_HIERARCHY else None,
            origin=asked.ref.origin.value,
            split=asked.split,
            source=asked.ref.source,
        )


def question_columns(asked: AskedScreen, question: Question) -> dict[str, Any]:
    """Returns the columns that every row of a question has, by name."""
    size: Size | None = asked.screen.image.size if asked.screen else question.frame
    unanswered = found_no_answer(question)
    return {
        "screen_id": asked.screen_id,
        "width": size.width if size else None,
        "height": size.height if size else None,
        "app": asked.app.package if asked.app else None,
        "category": asked.app.category if asked.app else None,
        "question": question.text,
        "question_id": question_id_of(question),
        "answers": question.answers,
        "short_answers": question.short_answers,
        "short_answers_from": _origin_of(question),
        "answerable": not all(unanswered),
        "any_no_answer": any(unanswered),
        "agreement": question.agreement,
        "origin": asked.ref.origin.value if asked.ref else None,
        "split": asked.split,
        "provenance": question.provenance,
    }


def load_image(asked: AskedScreen, folders: Mapping[str, str]) -> StoredImage:
    """Returns the picture of a checked screen as it is published, read anew.

    Raises:
        ValueError: If the file is no longer the one that was checked.
    """
    assert asked.screen is not None
    return stored_image(load_picture(asked, folders), asked.screen.image, asked.screen_id)


def load_leaves(asked: AskedScreen, folders: Mapping[str, str]) -> tuple[tuple[ViewLeaf, ...], int]:
    """Returns the visible leaves of a checked screen, and how many are unusable.

    Raises:
        ValueError: If the file is no longer the one that was checked.
    """
    assert asked.screen is not None
    hierarchy = load_hierarchy(asked, folders)
    if hierarchy is None:
        return (), 0
    found = list(visible_leaves(hierarchy, asked.screen.image.size))
    leaves = tuple(leaf for leaf in found if isinstance(leaf, ViewLeaf))
    return leaves, len(found) - len(leaves)


def _origin_of(question: Question) -> ShortAnswerOrigin | None:
    if not question.short_answers:
        return None
    return short_answer_origin(question)


def _image_bytes(asked: AskedScreen) -> int:
    return asked.screen.image.size_bytes if asked.screen else 0
