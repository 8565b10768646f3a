"""Tests of published rows made of screens with their questions."""

import dataclasses
import io
import json

import pytest
from PIL import Image

from schemas.examples import IllustratedQuestionRow, QuestionRow
from schemas.geometry import Bounds, Size
from schemas.manifest import PrefilterPolicy
from schemas.questions import NO_ANSWER, Answer, AskedScreen, Provenance, Question, UiElement
from schemas.screens import App, ScreenRef, ScreenRow, StoredImage, ViewLeaf
from schemas.short_answers import RELEASED
from transforms.prefiltering import judge_app
from transforms.progress import Progress
from transforms.rows import IllustratedQuestionRows, QuestionRows, ScreenRows
from transforms.screens.checking import CheckPolicy, check_screen
from transforms.shard_planning import Load

PROVENANCE = Provenance("screenqa", "train.json", 3)
FIVE = Answer("It is 5.", (UiElement("5", Bounds(1, 2, 3, 4), -1),))
HIERARCHY = {
    "activity": {
        "root": {
            "bounds": [0, 0, 1440, 2560],
            "children": [
                {"bounds": [0, 0, 720, 1280], "visible-to-user": True, "text": "OK", "class": "B"},
                {"bounds": [9, 9, 9, 9], "visible-to-user": True, "class": "B"},
                {"bounds": [0, 0, 1, 1], "visible-to-user": False, "class": "B"},
            ],
        }
    }
}


def question(*answers, short_answers=(), text="How many?", frame=None):
    return Question(
        screen_id="7",
        text=text,
        answers=answers,
        short_answers=short_answers,
        frame=frame,
        official_split=None,
        kinds=("answers",),
        provenance=PROVENANCE,
    )


def picture(mode="RGB", file_format="PNG", **options):
    image = Image.new("RGB", (90, 160), "white")
    image.paste("navy", (10, 20, 60, 70))
    buffer = io.BytesIO()
    image.convert(mode).save(buffer, file_format, **options)
    return buffer.getvalue()


def checked(folder, data, *questions, hierarchy=None, app=None):
    """Returns the screen as the check leaves it, its files written into `folder`."""
    (folder / "7.img").write_bytes(data)
    if hierarchy is not None:
        (folder / "7.json").write_text(json.dumps(hierarchy))
    ref = ScreenRef("7", "rico", "7.img", "7.json" if hierarchy is not None else None)
    asked = AskedScreen("7", ref, app, questions, split="train")
    results = list(check_screen(asked, {"rico": str(folder)}, CheckPolicy(), Progress()))
    assert isinstance(results[-1], AskedScreen), results
    return results[-1]


def test_a_question_becomes_a_row():
    asks = question(FIVE, short_answers=("5", "five"), frame=Size(1080, 1920))
    asked = AskedScreen("7", None, App("com.a", "Tools"), (asks,), split="test")
    assert list(QuestionRows().rows_of(asked)) == [
        QuestionRow(
            screen_id="7",
            width=1080,
            height=1920,
            app="com.a",
            category="Tools",
            question="How many?",
            question_id="7:ba352e24c64c",
            answers=(FIVE,),
            short_answers=("5", "five"),
            short_answers_from=RELEASED,
            answerable=True,
            any_no_answer=False,
            agreement=None,
            origin=None,
            split="test",
            provenance=PROVENANCE,
        )
    ]


def test_what_no_source_tells_is_null():
    row = next(QuestionRows().rows_of(AskedScreen("7", None, None, (question(FIVE),))))
    assert (row.width, row.height, row.app, row.category) == (None, None, None, None)


@pytest.mark.parametrize(
    ("answers", "short_answers", "answerable", "any_no_answer"),
    [
        ((FIVE,), ("5",), True, False),
        ((FIVE, Answer(NO_ANSWER, ())), (), True, True),
        ((Answer(NO_ANSWER, ()),), (), False, True),
        ((), (NO_ANSWER,), False, True),
        ((), (NO_ANSWER, "5"), True, True),
        ((), ("<unknown>", "no answer"), True, False),
    ],
)
def test_a_question_is_answerable_if_somebody_found_an_answer(
    answers, short_answers, answerable, any_no_answer
):
    asked = AskedScreen("7", None, None, (question(*answers, short_answers=short_answers),))
    row = next(QuestionRows().rows_of(asked))
    assert (row.answerable, row.any_no_answer) == (answerable, any_no_answer)


def test_ids_of_questions_tell_screens_and_questions_apart_and_not_blanks():
    texts = ["How many?", "How  many? ", "how many?"]
    asked = AskedScreen("7", None, None, tuple(question(FIVE, text=text) for text in texts))
    ids = [row.question_id for row in QuestionRows().rows_of(asked)]
    assert ids[0] == ids[1] != ids[2]
    other = next(
        QuestionRows().rows_of(
            dataclasses.replace(
                asked,
                screen_id="8",
                questions=tuple(dataclasses.replace(q, screen_id="8") for q in asked.questions),
            )
        )
    )
    assert other.question_id == "8" + ids[0][1:]


def test_each_question_row_carries_the_picture_of_its_screen(tmp_path):
    data = picture("RGB", "JPEG")
    asked = checked(tmp_path, data, question(FIVE, text="A?"), question(FIVE, text="B?"))
    rows = list(IllustratedQuestionRows({"rico": str(tmp_path)}).rows_of(asked))
    assert [type(row) for row in rows] == [IllustratedQuestionRow] * 2
    assert [row.question for row in rows] == ["A?", "B?"]
    for row in rows:
        assert row.image == StoredImage(data, "7.jpg")
        assert (row.width, row.height, row.image_reencoded) == (90, 160, False)
    assert rows[0].image.bytes is rows[1].image.bytes


def test_a_turned_picture_is_stored_upright(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    asked = checked(tmp_path, picture("RGB", "JPEG", exif=exif), question(FIVE))
    row = next(IllustratedQuestionRows({"rico": str(tmp_path)}).rows_of(asked))
    assert (row.width, row.height, row.image_reencoded) == (160, 90, True)
    assert row.image.path == "7.png"
    assert Image.open(io.BytesIO(row.image.bytes)).size == (160, 90)


def test_a_screen_becomes_a_row_with_its_leaves(tmp_path):
    asked = checked(
        tmp_path, picture(), question(FIVE), hierarchy=HIERARCHY, app=App("com.a", None)
    )
    (asked,) = judge_app([asked], PrefilterPolicy())
    assert list(ScreenRows({"rico": str(tmp_path)}).rows_of(asked)) == [
        ScreenRow(
            screen_id="7",
            image=StoredImage(picture(), "7.png"),
            width=90,
            height=160,
            image_reencoded=False,
            app="com.a",
            category=None,
            leaves=(ViewLeaf(1, "OK", "B", None, False, Bounds(0, 0, 45, 80)),),
            leaves_dropped=1,
            language="undetermined",
            language_score=None,
            hierarchy_sync=asked.screen.reading.sync.verdict.value,
            hierarchy_sync_score=asked.screen.reading.sync.score,
            origin="captured",
            split="train",
            source="rico",
        )
    ]


def test_a_screen_without_a_usable_hierarchy_has_no_leaves(tmp_path):
    for hierarchy in (None, [], {"activity": None}):
        asked = checked(tmp_path, picture(), question(FIVE), hierarchy=hierarchy)
        row = next(ScreenRows({"rico": str(tmp_path)}).rows_of(asked))
        assert (row.leaves, row.leaves_dropped) == ((), 0)


def test_a_picture_that_changed_since_its_check_stops_the_build(tmp_path):
    asked = checked(tmp_path, picture(), question(FIVE))
    (tmp_path / "7.img").write_bytes(picture("L"))
    for maker in (IllustratedQuestionRows, ScreenRows):
        with pytest.raises(ValueError, match="the picture of screen 7 changed while the build ran"):
            list(maker({"rico": str(tmp_path)}).rows_of(asked))


def test_a_hierarchy_that_changed_since_its_check_stops_the_build(tmp_path):
    asked = checked(tmp_path, picture(), question(FIVE), hierarchy=HIERARCHY)
    (tmp_path / "7.json").write_text(json.dumps(HIERARCHY, indent=1))
    with pytest.raises(ValueError, match="the hierarchy of screen 7 changed while the build ran"):
        list(ScreenRows({"rico": str(tmp_path)}).rows_of(asked))


def test_loads_count_rows_exactly_and_a_repeated_picture_once(tmp_path):
    data = picture()
    asked = checked(tmp_path, data, question(FIVE, text="A?"), question(FIVE, text="B?"))
    assert QuestionRows().load_of(asked) == Load(2048, 2)
    assert IllustratedQuestionRows({}).load_of(asked) == Load(len(data) + 2048, 2)
    assert ScreenRows({}).load_of(asked) == Load(len(data) + 4096, 1)
