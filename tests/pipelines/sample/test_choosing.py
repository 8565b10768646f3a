"""The drawn sample: its choosing."""

from hypothesis import given
from hypothesis import strategies as st

from pipelines.sample.choosing import Choices, digest

paths = st.lists(st.text(alphabet="ab/0", max_size=3), min_size=1, max_size=3)


@given(paths)
def test_the_same_path_gives_the_same_choices(path):
    first, second = Choices(*path), Choices(*path)
    assert [first.number(0, 999) for _ in range(5)] == [second.number(0, 999) for _ in range(5)]


def test_joined_names_make_another_path():
    assert digest("ab", "c") != digest("a", "bc")


@given(st.integers(-50, 50), st.integers(0, 50))
def test_numbers_lie_between_both_ends(low, span):
    choices = Choices("numbers", low, span)
    assert all(low <= choices.number(low, low + span) <= low + span for _ in range(20))


def test_a_child_does_not_depend_on_what_its_parent_drew():
    fresh, used = Choices("a"), Choices("a")
    used.number(0, 9)
    assert fresh.child("b").number(0, 10**9) == used.child("b").number(0, 10**9)


@given(st.lists(st.integers()))
def test_shuffling_keeps_every_option(options):
    assert sorted(Choices("shuffle").shuffled(options)) == sorted(options)


def test_several_are_different():
    assert len(set(Choices("several").several(range(20), 12))) == 12
