"""Tests of pseudonyms and of the user map."""

import hashlib
import hmac
import json

import pytest

from schemas.rejects import Reason, RejectedRecordError
from transforms.annotation.label_studio.users import Users, read_user_map, without_addresses
from transforms.files import SourceError


def test_a_pseudonym_is_a_keyed_hash_of_the_user_name():
    digest = hmac.new(b"pepper", b"ann2@example.invalid", hashlib.sha256).hexdigest()
    users = Users("pepper", {"3": "ann2@example.invalid"})
    expected = "a_" + digest[:12]
    for raw in (
        "ann2@example.invalid",
        " Ann2@Example.invalid",
        3,
        "3",
        {"id": 3, "email": "ann2@example.invalid"},
        {"id": 3},
        {"email": "ann2@example.invalid"},
        expected,
    ):
        assert users.pseudonym(raw) == expected
    assert Users("salt").pseudonym("ann2@example.invalid") != expected


@pytest.mark.parametrize("raw", [4, "4", {"id": 4}, {}, [], True, 1.5, " "])
def test_who_cannot_be_told_is_unknown(raw):
    with pytest.raises(RejectedRecordError) as caught:
        Users("pepper", {"3": "x"}).pseudonym(raw)
    assert caught.value.reason is Reason.UNKNOWN_USER


@pytest.mark.parametrize("raw", [None, ""])
def test_nobody_is_missing(raw):
    with pytest.raises(RejectedRecordError) as caught:
        Users("pepper").pseudonym(raw)
    assert caught.value.reason is Reason.MISSING_COMPLETED_BY


def test_a_salt_is_needed_and_never_shown():
    with pytest.raises(ValueError, match="salt"):
        Users("")
    shown = repr(Users("pepper", {"3": "ann2@example.invalid"}))
    assert "pepper" not in shown
    assert "@" not in shown


def test_known_addresses_are_taken_out_of_texts_and_all_out_of_messages():
    users = Users("pepper", {"3": "ann2@example.invalid"})
    text = "Ann2@example.invalid, shop@example.org"
    assert users.clean(text) == "<address>, shop@example.org"
    assert without_addresses(text) == "<address>, <address>"


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"2": "ann1@example.invalid", "3": "ann2@example.invalid"}),
        json.dumps(
            [
                {"id": 2, "email": "ann1@example.invalid"},
                {"id": 3, "username": "ann2@example.invalid"},
            ]
        ),
        "id,email\n2,ann1@example.invalid\n3,ann2@example.invalid\n",
        "\ufeffemail,id\r\nann1@example.invalid,2\r\nann2@example.invalid,3\r\n",
    ],
)
def test_a_user_map_is_read_in_three_shapes(tmp_path, text):
    path = tmp_path / "users"
    path.write_text(text, encoding="utf-8")
    assert read_user_map(str(path)) == {"2": "ann1@example.invalid", "3": "ann2@example.invalid"}


@pytest.mark.parametrize("text", ["", "7", "[]", '{"2": 5}', "a,b\nx@y,z\n", '[{"email": ""}]'])
def test_another_file_is_no_user_map_and_nothing_of_it_is_shown(tmp_path, text):
    path = tmp_path / "users"
    path.write_text(text)
    with pytest.raises(SourceError) as caught:
        read_user_map(str(path))
    assert "x@y" not in str(caught.value)


def test_a_missing_user_map_is_said_to_be_unreadable(tmp_path):
    with pytest.raises(SourceError, match="cannot be read"):
        read_user_map(str(tmp_path / "none"))
