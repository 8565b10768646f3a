"""Who works on a campaign: names, pseudonyms, and the salt between them."""

import pytest

from pipelines.errors import UserError
from pipelines.people import read_people, read_users

PSEUDONYMS = ["a_000000000001", "a_000000000002"]


@pytest.fixture
def salt_file(tmp_path):
    path = tmp_path / "salt.txt"
    path.write_text("a salt of a good length\n")
    return str(path)


def test_pseudonyms_need_no_salt():
    assert list(read_people([",".join(PSEUDONYMS)])) == PSEUDONYMS
    assert list(read_people(PSEUDONYMS)) == PSEUDONYMS
    assert read_people([]) == {}


def test_names_have_the_pseudonyms_that_an_import_gives_them(salt_file, tmp_path):
    people = tmp_path / "people.txt"
    people.write_text("\ufeffAnn@example.org  # new\n\nben\n")
    found = read_people([str(people)], None, salt_file)
    users = read_users(None, salt_file)
    assert found == {
        users.pseudonym("ann@example.org"): f"{users.pseudonym('ann@example.org')} Ann@example.org",
        users.pseudonym("ben"): f"{users.pseudonym('ben')} ben",
    }


def test_the_end_of_the_salts_line_is_no_part_of_it(salt_file, monkeypatch):
    monkeypatch.setenv("SALT", "a salt of a good length")
    assert read_users("SALT", None).pseudonym("ann") == read_users(None, salt_file).pseudonym("ann")


@pytest.mark.parametrize("names", [["ann,Ann@x.org,ann@x.org"], ["ann,ann"], PSEUDONYMS * 2])
def test_one_person_is_named_once(names, salt_file):
    with pytest.raises(UserError, match="somebody is named twice"):
        read_people(names, None, salt_file)


def test_an_empty_file_names_nobody(tmp_path):
    empty = tmp_path / "people.txt"
    empty.write_text("# nobody\n")
    with pytest.raises(UserError, match="names nobody"):
        read_people([str(empty)])


def test_a_binary_salt_or_list_is_refused(tmp_path):
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00secret")
    with pytest.raises(UserError, match="cannot be read as text"):
        read_users(None, str(binary))
    with pytest.raises(UserError, match="--annotators: cannot read"):
        read_people([str(binary)])
