"""The drawn sample: its lettering."""

from hypothesis import given
from hypothesis import strategies as st

from pipelines.sample import stocks
from pipelines.sample.lettering import Lettering

LETTERS = Lettering(40, 1440 / 1080)


@given(st.text(alphabet="abc defghij", max_size=60), st.integers(100, 900))
def test_a_cut_line_fits_its_limit(words, limit):
    assert LETTERS.length(LETTERS.fitting(words, limit)) <= limit


@given(st.lists(st.sampled_from(stocks.SENTENCES), min_size=1, max_size=3))
def test_wrapping_loses_no_word(sentences):
    words = " ".join(sentences)
    lines = LETTERS.wrapped(words, 700)
    assert " ".join(lines) == words
    assert all(LETTERS.length(line) <= 700 for line in lines)


def test_the_font_has_every_character_that_screens_use():
    missing = bytes(LETTERS.font.getmask("\ufffe"))
    used = {
        letter
        for value in vars(stocks).values()
        if isinstance(value, tuple)
        for letter in str(value)
    } | set("°…")
    assert not [letter for letter in used if bytes(LETTERS.font.getmask(letter)) == missing]
