"""Tests of ids and texts in one spelling."""

import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.rejects import Reason, RejectedRecordError
from transforms.identifying import (
    clean_text,
    id_order,
    normalize_id,
    normalize_text,
    stable_fraction,
    text_digest,
)

any_text = st.text(st.characters())  # Lone surrogates included.


@pytest.mark.parametrize(
    ("raw", "screen_id"),
    [
        (42, "42"),
        (42.0, "42"),
        ("42", "42"),
        ("42.0", "42"),
        ("00042", "42"),
        (" 42\n", "42"),
        (0, "0"),
        ("000", "0"),
        ("com.foo.bar:trace_0:17", "com.foo.bar:trace_0:17"),
        ("web-7_a.b", "web-7_a.b"),
    ],
)
def test_every_spelling_of_an_id_becomes_the_same_text(raw, screen_id):
    assert normalize_id(raw) == screen_id


@pytest.mark.parametrize(
    "raw",
    [
        None,
        True,
        False,
        "",
        "  ",
        -1,
        "-1",
        4.5,
        float("nan"),
        float("inf"),
        "4 2",
        "a/b",
        "../etc/passwd",
        ".hidden",
        "a\0b",
        "٤٢",
        "²",
        "\ud83d",
        "9" * 19,
        10**19,
        1e300,
        "x" * 201,
        [42],
        {"id": 42},
        b"42",
    ],
)
def test_what_is_no_id_is_refused(raw):
    with pytest.raises(RejectedRecordError) as caught:
        normalize_id(raw)
    assert caught.value.reason is Reason.ID_MALFORMED
    assert len(caught.value.detail) < 100
    caught.value.detail.encode()


@given(st.integers(0, 10**18 - 1), st.integers(0, 3))
def test_a_number_has_one_id_however_it_is_written(number, zeros):
    spelled = "0" * min(zeros, 18 - len(str(number))) + str(number)
    assert normalize_id(number) == normalize_id(spelled) == str(number)


@given(any_text | st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,30}") | st.integers() | st.floats())
def test_normalizing_an_id_again_changes_nothing(raw):
    try:
        once = normalize_id(raw)
    except RejectedRecordError:
        return
    assert normalize_id(once) == once


def test_ids_are_ordered_as_numbers_and_names_follow():
    ids = ["b:2", "10", "9", "b:10", "100", "a"]
    assert sorted(ids, key=id_order) == ["9", "10", "100", "a", "b:10", "b:2"]


@given(st.integers(0, 10**17), st.integers(0, 10**17))
def test_ids_of_numbers_are_ordered_like_the_numbers(one, other):
    assert (id_order(str(one)) < id_order(str(other))) == (one < other)


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("plain", "plain"),
        ("a\0b\0", "ab"),
        ("é\0", "é"),
        ("Like \ud83d", "Like \ufffd"),
        ("\ude00 half", "\ufffd half"),
        ("\U0001f600", "\U0001f600"),
        ("tab\tand\nline", "tab\tand\nline"),
    ],
)
def test_only_what_utf_8_cannot_carry_is_taken_out(raw, clean):
    assert clean_text(raw) == clean


@given(any_text)
def test_a_clean_text_can_be_written_and_stays_clean(raw):
    clean = clean_text(raw)
    assert clean.encode().decode() == clean
    assert "\0" not in clean
    assert clean_text(clean) == clean


@pytest.mark.parametrize(
    ("raw", "normalized"),
    [
        ("  How \t many\n?", "How many ?"),
        ("Cafe\u0301", "Caf\u00e9"),
        ("a\u00a0b\u3000c", "a b c"),
        ("C++ ≠ c", "C++ ≠ c"),
        ("", ""),
    ],
)
def test_blanks_and_composition_do_not_tell_texts_apart_and_all_else_does(raw, normalized):
    assert normalize_text(raw) == normalized


@given(any_text)
def test_normalizing_a_text_again_changes_nothing(raw):
    once = normalize_text(raw)
    assert normalize_text(once) == once
    assert unicodedata.is_normalized("NFC", once)


def test_a_fraction_is_the_same_in_every_release():
    # Changing this moves every screen to another split: a new major version of all data sets.
    assert stable_fraction("screenset", "app:com.foo") == 0.39545170182289346
    assert stable_fraction("shard", "42") == 0.5961139762825546


def test_a_fraction_is_the_same_in_every_process():
    code = "from transforms.identifying import stable_fraction; print(stable_fraction('s', 'a'))"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    }
    assert runs == {f"{stable_fraction('s', 'a')}\n"}


@given(st.lists(any_text, min_size=1, max_size=3))
def test_a_fraction_lies_in_the_half_open_unit_interval(parts):
    assert 0.0 <= stable_fraction(*parts) < 1.0


def test_the_parts_of_a_fraction_do_not_run_together():
    assert stable_fraction("ab", "c") != stable_fraction("a", "bc")


def test_fractions_of_numbers_are_spread_evenly():
    tenths = [0] * 10
    for number in range(2000):
        tenths[int(stable_fraction("seed", str(number)) * 10)] += 1
    assert all(150 < count < 250 for count in tenths)


def test_questions_that_differ_only_in_blanks_have_one_digest():
    assert text_digest("How  many ?") == text_digest(" How many ?") == "6da994c72e60"
    assert text_digest("how many ?") != text_digest("How many ?")
    assert text_digest("How many ?", length=4) == "6da9"
