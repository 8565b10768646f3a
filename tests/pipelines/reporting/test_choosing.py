"""Which screens are shown: rare kinds among them, by hash, whatever the order."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from pipelines.reporting.choosing import Candidate, choose_screens


def candidates(n: int = 1_000) -> list[Candidate]:
    """Most screens are in train; a handful each have a rare category or level."""
    found = []
    for number in range(n):
        traits = {
            ("split", "train" if number % 10 else ("validation", "test")[number // 10 % 2]),
            ("category", f"c{number % 7}" if number > 4 else "rare"),
            ("level", "none" if number == 500 else "full"),
        }
        found.append(Candidate(str(number), frozenset(traits)))
    return found


def test_every_trait_is_among_few():
    of = {one.screen_id: one.traits for one in candidates()}
    chosen = choose_screens(candidates(), 12, "s")
    assert len(chosen) == len(set(chosen)) == 12
    assert set().union(*(of[screen_id] for screen_id in chosen)) == set().union(*of.values())


def test_the_rarest_comes_first():
    assert choose_screens(candidates(), 1, "s") == ["500"]


def test_small_splits_are_not_crowded_out():
    of = {one.screen_id: one.traits for one in candidates()}
    shown = Counter(
        value
        for screen_id in choose_screens(candidates(), 150, "s")
        for kind, value in of[screen_id]
        if kind == "split"
    )
    assert min(shown.values()) >= 15  # Twice their share of the data, which is 5 % each.


def test_another_seed_chooses_others_and_the_same_one_the_same():
    one = choose_screens(candidates(), 50, "a")
    assert one == choose_screens(candidates()[::-1], 50, "a")
    assert one != choose_screens(candidates(), 50, "b")


def test_all_are_chosen_if_there_are_no_more():
    assert sorted(choose_screens(candidates(9), 100, "s")) == list("012345678")
    assert choose_screens([], 100, "s") == []
    assert choose_screens(candidates(9), 0, "s") == []


@given(
    st.dictionaries(
        st.text(max_size=5),
        st.frozensets(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), min_size=1),
        max_size=30,
    ),
    st.integers(0, 40),
)
def test_each_is_chosen_once_and_as_many_as_there_are(traits, n):
    found = [Candidate(screen_id, of) for screen_id, of in traits.items()]
    chosen = choose_screens(found, n, "s")
    assert len(chosen) == min(n, len(found)) == len(set(chosen))
    assert set(chosen) <= set(traits)
