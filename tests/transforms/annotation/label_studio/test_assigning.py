"""Tests of who is given which question."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.campaigns import AnnotationPolicy
from schemas.settlements import ScreenAnnotations, ScreenFacts
from transforms.annotation.label_studio.assigning import assign_answers, others_than
from transforms.annotation.settling import settle_screen

POLICY = AnnotationPolicy()


def settled(events):
    found = settle_screen(events, ScreenFacts("9000001"), POLICY)
    return next(item for item in found if isinstance(item, ScreenAnnotations)).questions


@pytest.fixture(scope="session")
def questions(make):
    return settled([make.question(f"Q {n}?", ordinal=n) for n in range(5)])


@pytest.fixture(scope="session")
def people(make):
    return [make.who(name) for name in "123456"]


def test_composers_are_left_out_and_three_people_answer(questions, people, make):
    for split, slots in (("train", "A"), ("validation", "ABC"), ("test", "ABC")):
        given_ = list(assign_answers([(q, split) for q in questions], people, POLICY, "seed"))
        assert len(given_) == len(questions) * len(slots)
        for question in questions:
            mine = [one for one in given_ if one.question is question]
            assert "".join(one.slot for one in mine) == slots
            assert len({one.assignee for one in mine}) == len(slots)
            assert make.who("1") not in {one.assignee for one in mine}


def test_the_work_is_shared_evenly(questions, people):
    given_ = assign_answers([(q, "test") for q in questions], people, POLICY, "seed")
    assert set(Counter(one.assignee for one in given_).values()) == {3}


@given(st.randoms(use_true_random=False))
def test_the_order_of_questions_changes_nothing(questions, people, order):
    pairs = [(q, "test") for q in questions]
    once = list(assign_answers(pairs, people, POLICY, "seed"))
    order.shuffle(pairs)
    assert list(assign_answers(pairs, people, POLICY, "seed")) == once


def test_only_what_is_lacking_is_handed_out_and_to_others(make, people):
    asked = make.question("Q?")
    (question,) = settled([asked, make.answer(asked, who="2")])
    given_ = list(assign_answers([(question, "test")], people, POLICY, "seed"))
    assert [one.slot for one in given_] == ["B", "C"]
    assert not {one.assignee for one in given_} & {make.who("1"), make.who("2")}


def test_too_few_annotators_are_a_mistake(questions, make):
    people = [make.who(name) for name in "123"]
    with pytest.raises(ValueError, match="needs 3 more annotators"):
        list(assign_answers([(questions[0], "test")], people, POLICY, "seed"))


def test_without_annotators_it_is_left_to_the_projects(questions):
    given_ = list(assign_answers([(questions[0], "test")], [], POLICY, "seed"))
    assert [(one.assignee, one.file_name()) for one in given_] == [
        (None, f"answer_{slot}.json") for slot in "ABC"
    ]


def test_files_are_one_a_slot_or_one_a_slot_and_person(questions, make):
    given_ = list(assign_answers([(questions[0], "train")], [make.who("2")], POLICY, "seed"))
    assert given_[0].file_name() == "answer_A.json"
    assert given_[0].file_name(by_assignee=True) == f"answer_A_{make.who('2')}.json"


def test_who_began_does_not_go_on():
    assert others_than(["a", "b", "a", "c"], {"b"}) == ("a", "c")
