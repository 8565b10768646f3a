"""Tests of keys: found where they should be, and shown nowhere."""

import pickle

import pytest

from transforms.models.keys import Key, find_key
from transforms.models.protocol import RefusedRequestError


def test_the_named_variable_counts_alone(monkeypatch):
    monkeypatch.setenv("MINE", " abc \n")
    monkeypatch.setenv("USUAL", "def")
    assert find_key("MINE", ["USUAL"]).reveal() == "abc"
    assert find_key(None, ["NOT_SET", "USUAL"]).reveal() == "def"
    assert find_key(None, ["NOT_SET"]) is None
    with pytest.raises(RefusedRequestError, match="NOT_SET, named by key_env, is not set"):
        find_key("NOT_SET", ["USUAL"])


@pytest.mark.parametrize("value", ["schlüssel", "two\nlines"])
def test_a_key_that_no_header_can_hold_is_refused_unseen(monkeypatch, value):
    monkeypatch.setenv("MINE", value)
    with pytest.raises(RefusedRequestError) as caught:
        find_key("MINE", [])
    assert value not in f"{caught.value}"


def test_a_key_shows_itself_nowhere():
    key = Key("sesame")
    assert "sesame" not in f"{key!r} {key} {[key]}"
    assert key.hidden_in("bad key sesame!") == "bad key [key]!"
    with pytest.raises(TypeError, match="must not leave"):
        pickle.dumps(key)


def test_a_key_of_three_letters_is_not_blotted_out_of_every_word():
    assert Key("the").hidden_in("the other") == "the other"
