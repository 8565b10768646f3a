"""Tests of the statistics of a build."""

import dataclasses
from collections import Counter

from schemas.geometry import Bounds
from schemas.questions import (
    NO_ANSWER,
    Answer,
    AskedScreen,
    Provenance,
    Question,
    QuestionAgreement,
    UiElement,
)
from schemas.screens import App
from transforms.stats import (
    CountStatistics,
    found_no_answer,
    plain_statistics,
    question_statistics,
    screen_statistics,
)


def element(vh_index):
    return UiElement("5", Bounds(0, 0, 9, 9), vh_index)


def question(*answers, short_answers=()):
    return Question(
        screen_id="7",
        text="How many?",
        answers=answers,
        short_answers=short_answers,
        frame=None,
        official_split=None,
        kinds=("answers",),
        provenance=Provenance("screenqa", "train.json", 3),
    )


def asks(text):
    return dataclasses.replace(question(FIVE), text=text)


def screen(screen_id, *questions, app=None, split="train"):
    return AskedScreen(screen_id, None, app, questions, split=split)


FIVE, NONE = Answer("It is 5.", (element(3),)), Answer(NO_ANSWER, ())


def test_only_the_exact_words_say_that_there_is_no_answer():
    others = ("<No answer>", "no answer", "<unknown>", "unanswerable", NO_ANSWER)
    assert found_no_answer(question(short_answers=others)) == [False] * 4 + [True]


def test_answers_and_short_answers_both_say_so():
    assert found_no_answer(question(NONE, FIVE, short_answers=(NO_ANSWER,))) == [True, False, True]


def test_a_question_counts_its_answers_and_their_elements():
    drawn = Answer("5", (element(-1), element(-1)))
    mixed = Answer("5", (element(-1), element(0)))
    counted = Counter(question_statistics(question(FIVE, drawn, mixed, short_answers=("5",))))
    (asked,) = (value for statistic, value in counted if statistic == "times_asked")
    assert counted == {
        ("questions", ""): 1,
        ("times_asked", asked): 1,
        ("questions_by_topic", "Quantity number"): 1,
        ("questions_by_type", "how many"): 1,
        ("questions_by_short_answer_provider", "released"): 1,
        ("answers_per_question", "3"): 1,
        ("short_answers_per_question", "1"): 1,
        ("answers", ""): 3,
        ("elements_per_answer", "1"): 1,
        ("elements_per_answer", "2"): 2,
        ("answers_by_box_source", "hierarchy"): 1,
        ("answers_by_box_source", "drawn"): 1,
        ("answers_by_box_source", "mixed"): 1,
        ("single_box_answers_by_source", "hierarchy"): 1,
    }


def test_a_question_without_any_answer_counts_as_both():
    counted = Counter(question_statistics(question(NONE, NONE)))
    assert counted["questions_with_no_answer", ""] == 1
    assert counted["questions_with_only_no_answer", ""] == 1
    assert counted["elements_per_answer", "0"] == 2


def test_a_question_with_some_answer_counts_as_one():
    counted = Counter(question_statistics(question(NONE, FIVE)))
    assert counted["questions_with_no_answer", ""] == 1
    assert counted["questions_with_only_no_answer", ""] == 0


def test_a_screen_counts_its_app_and_category():
    asked = screen("7", question(FIVE), question(FIVE), app=App("com.a", "Tools"), split="test")
    counted = Counter(screen_statistics(asked))
    assert {split for split, _, _ in counted} == {"test"}
    assert counted["test", "screens", ""] == 1
    assert counted["test", "questions_per_screen", "2"] == 1
    assert counted["test", "screens_per_app", "com.a"] == 1
    assert counted["test", "screens_per_category", "Tools"] == 1
    assert counted["test", "questions_per_category", "Tools"] == 2
    assert counted["test", "questions", ""] == 2


def test_an_app_without_a_category_counts_as_an_app_only():
    counted = Counter(screen_statistics(screen("7", question(FIVE), app=App("com.a", None))))
    assert counted["train", "screens_per_app", "com.a"] == 1
    assert not any(statistic.endswith("per_category") for _, statistic, _ in counted)


def test_histograms_are_nested_and_ordered_by_number():
    histograms = Counter(
        {
            ("train", "questions", ""): 9,
            ("train", "answers_per_question", "10"): 1,
            ("train", "answers_per_question", "9"): 2,
            ("train", "screens_per_app", "com.a"): 4,
            ("train", "screens_per_app", "com.b"): 1,
            ("test", "screens_per_category", "Tools"): 1,
            ("test", "screens_per_category", "Books"): 1,
        }
    )
    plain = plain_statistics(histograms).splits
    assert plain == {
        "test": {"screens_per_category": {"Books": 1, "Tools": 1}},
        "train": {"answers_per_question": {"9": 2, "10": 1}, "apps": 2, "questions": 9},
    }
    assert list(plain["train"]["answers_per_question"]) == ["9", "10"]
    assert list(plain["test"]["screens_per_category"]) == ["Books", "Tools"]


def test_names_that_look_like_numbers_are_names():
    names = ["²", "٣", "9" * 5000]
    histograms = Counter({("train", "screens_per_category", name): 1 for name in names})
    assert plain_statistics(histograms).splits == {
        "train": {"screens_per_category": dict.fromkeys(names, 1)}
    }


def test_statistics_of_parts_add_up_to_those_of_the_whole():
    screens = [screen(str(n), question(FIVE, NONE), app=App("com.a", "Tools")) for n in range(3)]
    fn = CountStatistics()
    parts = [fn.add_input(fn.create_accumulator(), asked) for asked in screens]
    whole = fn.create_accumulator()
    for asked in screens:
        whole = fn.add_input(whole, asked)
    assert fn.extract_output(fn.merge_accumulators(parts)) == fn.extract_output(whole)
    assert fn.extract_output(whole)["splits"]["train"]["questions"] == 3
    assert fn.extract_output(fn.create_accumulator()) == {"splits": {}, "all": {}}


def test_all_splits_together_know_each_app_and_each_question_once():
    tools, books = App("com.a", "Tools"), App("com.b", "Books")
    screens = [
        screen("1", asks("How many items?"), app=tools),
        screen("2", asks("how many items"), asks("Who is it?"), app=tools, split="test"),
        screen("3", asks("What is the price?"), app=books, split="test"),
    ]
    fn = CountStatistics()
    counts = fn.create_accumulator()
    for asked in screens:
        counts = fn.add_input(counts, asked)
    output = fn.extract_output(counts)
    assert output["splits"]["train"]["unique_questions"] == 1
    assert output["splits"]["test"]["unique_questions"] == 3
    assert output["all"]["unique_questions"] == 3
    assert [output["splits"]["test"]["apps"], output["all"]["apps"]] == [2, 2]
    assert output["all"]["questions"] == 4
    assert output["all"]["questions_per_screen"] == {"1": 2, "2": 1}


def test_a_question_from_events_counts_its_pass_and_its_agreement():
    agreement = QuestionAgreement("question_2", 3, 0, "partial", "none", "consensus")
    counted = Counter(question_statistics(dataclasses.replace(question(FIVE), agreement=agreement)))
    assert counted["questions_by_pass", "question_2"] == 1
    assert counted["questions_by_agreement", "partial"] == 1
    assert not any(statistic == "questions_by_short_answer_provider" for statistic, _ in counted)
