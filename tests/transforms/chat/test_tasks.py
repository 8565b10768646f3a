"""Which right answers make examples."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.geometry import Bounds, Size
from schemas.questions import NO_ANSWER, Answer, UiElement
from transforms.chat.tasks import (
    ChatChoice,
    ChatQuestion,
    ChatTask,
    Located,
    Pick,
    chosen,
    targets,
)

SIZE = Size(100, 200)
ADA = UiElement("Ada", Bounds(1, 2, 30, 40), 3)
EVE = UiElement("Eve", Bounds(5, 50, 30, 90), -1)
TWO = Answer("Ada and Eve wrote it.", (ADA, EVE))
ONE = Answer("Ada wrote it.", (ADA,))
NONE = Answer(NO_ANSWER, ())
ALL = ChatChoice(Pick.ALL, Pick.ALL)


def question(short=("Ada", "Eve"), answers=(TWO, ONE, NONE), *, name="1:a", size=SIZE):
    return ChatQuestion(name, "Who?", tuple(short), tuple(answers), size)


def test_all_right_answers_make_an_example_each():
    asked = question()
    assert targets(asked, ChatTask.SQA_S, ALL) == ["Ada", "Eve"]
    assert targets(asked, ChatTask.SQA_L, ALL) == [TWO.full_answer, ONE.full_answer, NO_ANSWER]
    assert targets(asked, ChatTask.SQA_UIC, ALL) == [("Ada", "Eve"), ("Ada",), ()]
    assert targets(asked, ChatTask.SQA_UIC_BB, ALL) == [
        Located((ADA, EVE), SIZE),
        Located((ADA,), SIZE),
        Located((), SIZE),
    ]


def test_equal_ones_come_once_and_the_stored_order_of_variants_means_nothing():
    asked = question(["b", "a", "b"], [ONE, ONE])
    assert targets(asked, ChatTask.SQA_S, ALL) == ["a", "b"]
    assert targets(asked, ChatTask.SQA_L, ALL) == [ONE.full_answer]
    turned = question(["a", "b"])
    assert targets(turned, ChatTask.SQA_S, ChatChoice()) == targets(
        question(["b", "a"]), ChatTask.SQA_S, ChatChoice()
    )


@pytest.mark.parametrize("task", list(ChatTask))
def test_one_is_one_of_all_and_an_unanswerable_question_has_one_too(task):
    (one,) = targets(question(), task, ChatChoice())
    assert one in targets(question(), task, ALL)
    (nothing,) = targets(question([NO_ANSWER], [NONE]), task, ChatChoice())
    empty = {ChatTask.SQA_UIC: (), ChatTask.SQA_UIC_BB: Located((), SIZE)}
    assert nothing == empty.get(task, NO_ANSWER)


def test_the_tasks_of_one_question_follow_one_annotator():
    for number in range(50):
        asked = question(answers=[TWO, ONE], name=f"1:{number}")
        (sentence,) = targets(asked, ChatTask.SQA_L, ChatChoice())
        (texts,) = targets(asked, ChatTask.SQA_UIC, ChatChoice())
        assert (sentence == TWO.full_answer) == (len(texts) == 2)


def test_what_the_build_does_not_know_makes_no_example():
    assert targets(question([]), ChatTask.SQA_S, ALL) == []
    assert targets(question(answers=[]), ChatTask.SQA_L, ALL) == []
    # An empty list would say that there is no answer.
    unmarked = Answer("It is Ada.", ())
    assert targets(question(answers=[unmarked]), ChatTask.SQA_UIC, ALL) == []
    assert targets(question(answers=[unmarked, ONE]), ChatTask.SQA_UIC, ChatChoice()) == [("Ada",)]
    assert targets(question(size=None), ChatTask.SQA_UIC_BB, ALL) == []
    # And a list would say that there is one.
    assert targets(question(answers=[Answer(NO_ANSWER, (ADA,))]), ChatTask.SQA_UIC, ALL) == [()]


def test_the_choice_depends_on_seed_and_id_alone():
    items = list(range(1000))
    assert chosen(items, "a", "1:q") == chosen(items, "a", "1:q")
    assert chosen(items, "a", "1:q") != chosen(items, "b", "1:q")
    assert chosen(items, "a", "1:q") != chosen(items, "a", "2:q")
    # In no process another one, whatever salts its `hash`.
    code = "from transforms.chat.tasks import chosen; print(chosen(range(1000), 'a', '1:q'))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "7"},
    )
    assert int(done.stdout) == chosen(items, "a", "1:q")


def test_all_variants_are_chosen_about_equally_often():
    found = [chosen("abcd", "seed", f"{number}:q") for number in range(4000)]
    assert all(900 < found.count(item) < 1100 for item in "abcd")


@given(st.lists(st.text(), min_size=1, max_size=6), st.text(), st.text(min_size=1))
def test_one_short_answer_is_always_an_accepted_one(short, seed, name):
    (one,) = targets(question(short, name=name), ChatTask.SQA_S, ChatChoice(seed=seed))
    assert one in short
