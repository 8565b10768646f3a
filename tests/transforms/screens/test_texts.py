"""Tests of a hierarchy's texts, their similarity hash, their sample, and personal data."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.rejects import RejectedRecordError
from transforms.screens.hierarchies import parse_hierarchy
from transforms.screens.texts import count_personal, hierarchy_texts, pool, text_hash, tree_hash


def node(*children, visible=True, **more):
    return {"visible-to-user": visible, "bounds": [0, 0, 9, 9], "children": list(children), **more}


def texts_of(root):
    return hierarchy_texts(parse_hierarchy(json.dumps(root).encode()).root)


def bits_apart(one, other):
    return (int(one, 16) ^ int(other, 16)).bit_count()


def test_texts_and_descriptions_come_depth_first():
    root = node(
        node(node(text="b"), text="a"),
        node(**{"text": "c", "content-desc": ["d", None]}),
        node(**{"content-desc": "e"}),
        **{"content-desc": [None]},
    )
    assert texts_of(root) == ["a", "b", "c", "d", "e"]


def test_a_text_is_listed_once():
    assert texts_of(node(node(text="OK"), node(**{"content-desc": ["OK"]}), text="OK")) == ["OK"]


def test_what_nobody_sees_is_not_listed():
    hidden = node(node(text="seen"), text="closed drawer", visible=False)
    assert texts_of(node(hidden, {"text": "no flag"})) == ["seen"]


def test_texts_are_cleaned():
    root = node(
        node(text=" \0\n"),
        node(text="a\0b\n"),
        node(text="Like \ud83d"),
        node(text=7),
        node(**{"content-desc": {"no": "list"}}),
    )
    assert texts_of(root) == ["ab", "Like \ufffd"]


def test_a_malformed_hierarchy_is_refused():
    with pytest.raises(RejectedRecordError):
        hierarchy_texts(node("no node"))


def test_no_words_have_no_hash():
    assert text_hash([]) == text_hash(["", "…", "- / -", "_"]) == ""


def test_a_hash_is_the_same_forever():
    assert text_hash(["Sign in", "Forgot password?"]) == "239241080560a220"


def test_a_single_word_has_a_hash():
    assert len(text_hash(["x"])) == 16


def test_order_case_and_punctuation_do_not_change_a_hash():
    assert text_hash(["Sign in", "Forgot password?"]) == text_hash(["forgot PASSWORD", "in sign!"])


def test_how_often_a_word_occurs_changes_a_hash():
    words = ["a", "list", "of", "items", "with", "one", "button", "each"]
    assert text_hash(words) != text_hash([*words, *["button"] * 9])


def test_like_screens_have_like_hashes():
    words = [f"word{number}" for number in range(40)]
    near, far = [*words[:-1], "other"], [f"else{number}" for number in range(40)]
    assert bits_apart(text_hash(words), text_hash(near)) <= 10
    assert bits_apart(text_hash(words), text_hash(far)) > 16


def test_prices_and_times_count_as_a_whole():
    assert text_hash(["$4.99"]) != text_hash(["$4.89"])
    assert text_hash(["12:30"]) != text_hash(["12:31"])
    assert text_hash(["Cart", "$1,299.00"]) != text_hash(["Cart", "$1,399.00"])


@given(st.lists(st.text()))
def test_any_words_in_any_order_have_the_same_hash(texts):
    found = text_hash(texts)
    assert found == text_hash(texts[::-1])
    assert found == "" or re.fullmatch("[0-9a-f]{16}", found)


def test_a_sample_has_a_text_a_line():
    texts = ["My\naccount ", "12:30", "", "Sign\u2028out", "My account", "…"]
    assert pool(texts) == "My account\nSign out"


def test_a_long_text_is_cut():
    assert pool(["word " * 1000, "OK"]) == ("word " * 16).strip() + "\nOK"


def test_a_sample_ends_with_what_fits():
    assert pool(["abc", "def", "ghi"], max_chars=7) == "abc\ndef"
    assert pool(["abc", "def", "ghi"], max_chars=6) == "abc"
    assert pool(["abc"], max_chars=2) == ""


@given(st.lists(st.text()), st.integers(0, 200))
def test_a_sample_is_bounded_and_distinct(texts, most):
    lines = pool(texts, most).splitlines()
    assert len(pool(texts, most)) <= most
    assert len(set(lines)) == len(lines)
    assert all(any(map(str.isalpha, line)) for line in lines)


@pytest.mark.parametrize(
    "text",
    [
        "appcrawler2@gmail.com",
        "Write to Jane.Doe+news@mail.example.co.uk.",
        "<info@firma-beispiel.de>",
        "mailto:a_b@c.io?subject=x",
        "(support@app.travel)",
        "X%Y@sub.domain.museum",
        "jörg@münchen.de",
        "Contact:me@site.org,you",
    ],
)
def test_an_address_is_counted(text):
    assert count_personal([text]) == (1, 0)


@pytest.mark.parametrize(
    "text",
    [
        "@handle",
        "user@localhost",
        "name@example.com",
        "you@mail.example.org",
        "me@site.test",
        "icon@2x.png",
        "a@b.c",
        "a@@b.com",
        "me@127.0.0.1",
        "j***n@gmail.com",
        "•••n@gmail.com",
        "Coffee @ home.today",
        "a@-b.com",
        "x@y..com",
        "a@b.com@c",
    ],
)
def test_no_address_is_found(text):
    assert count_personal([text]) == (0, 0)


@pytest.mark.parametrize(
    "text",
    [
        "+49 30 901820",
        "+1 (415) 555-0132",
        "+447911123456",
        "Tel. +33 1 42 68 53 00",
        "+7 495 123-45-67",
        "+91-98765-43210",
        "(415) 555-0132",
        "(415)555-0132",
        "415-555-0132",
        "415.555.0132",
        "415 555 0132",
        "1-800-555-0199",
        "1 (800) 555-0199",
        "030 901820-12",
        "0171/1234567",
        "020 7946 0958",
        "01 42 68 53 00",
        "01.42.68.53.00",
        "090-1234-5678",
        "0049 30 901820",
        "(030) 1234 5678",
        "(11) 98765-4321",
        "98765 43210",
        "138 0013 8000",
        "8 (800) 555-35-35",
        "Call 4155550132",
        "Phone: 555-0132",
        "WhatsApp 5511987654321",
        "tel:4155550132",
        "Teléfono: 912 345 678",
        "☎ 1300 123 456",
        "电话:13800138000",
        "Mobile number 07911123456",
        "Call us (24 h) at: 202-555-0143 now",
    ],
)
def test_a_number_is_counted(text):
    assert count_personal([text]) == (0, 1)


@pytest.mark.parametrize(
    "text",
    [
        "$1,299.00",
        "1 234 567,00 €",
        "€ 12.345.678",
        "2017-04-11",
        "11.04.2017",
        "04/11/2017 10:30",
        "01-02-2017 09-10",
        "2017-04-11 10.30",
        "06:00 PM",
        "10:30 - 16:00",
        "v5.6.13",
        "10.0.14393.1066",
        "123456",
        "4155550132",
        "1491912345678",
        "ISBN 978-3-16-148410-0",
        "0-306-40615-2",
        "37.7749, -122.4194",
        "192.168.100.200",
        "010.001.010.001",
        "4111 1111 1111 1111",
        "0123 4567 8901 2345",
        "000-000-0000",
        "2016-2017",
        "(2017) 12",
        "7,425,742 results",
        "100-200-3000",
        "+10 000 000",
        "+25",
        "1d 11h",
        "32 Aquavista Way, San Francisco, CA 94131",
        "0.123456789",
        "#0123456789",
        "ID 20170411-0001",
        "00 00 00 00 00",
        "912 345 678",
        "call 911",
        "Order number 42",
        "ab0171/1234567",
        "Celtics (47-26)",
        "1 2 3 4 5 6 7 8 9 0",
        "12-34-56",
    ],
)
def test_no_number_is_found(text):
    assert count_personal([text]) == (0, 0)


def test_what_occurs_twice_counts_once():
    texts = ["a@b.com", "A@B.com or c@d.org", "Call +1 415 555 0132", "+1 (415) 555-0132"]
    assert count_personal(texts) == (2, 1)


def test_texts_do_not_run_into_one_another():
    assert count_personal(["a@b", ".com", "+49 30", "901820", "Call", "4155550132"]) == (0, 0)


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "@",
        "a@",
        "a.",
        "a@a.",
        ".",
        "0",
        "0 ",
        "(",
        "((0",
        "+",
        "+1",
        "1.",
        "1-",
        "1/1/",
        "-",
        "call ",
        "\n",
        "é",
        "a@b.com ",
        "+49 30 901820 ",
    ],
)
def test_a_hostile_megabyte_comes_to_an_end(piece):
    count_personal([piece * (1_000_000 // len(piece))])


@given(st.lists(st.text(alphabet=st.characters(codec=None))))
def test_any_text_can_be_searched(texts):
    emails, phones = count_personal(texts)
    assert emails >= 0
    assert phones >= 0


def test_a_tree_is_told_by_what_it_holds_and_not_by_its_state():
    def tree(**changes):
        leaf = {"class": "TextView", "bounds": [0, 0, 9, 9], "text": "Sign in", "pointer": "a1"}
        return {"class": "Frame", "bounds": [0, 0, 99, 99], "children": [{**leaf, **changes}, None]}

    same = tree_hash(tree())
    assert tree_hash(tree(pointer="b2", visibility="gone")) == same
    assert tree_hash(tree(**{"visible-to-user": True})) == same
    for change in ({"text": "Sign up"}, {"bounds": [0, 0, 9, 8]}, {"class": "Button"}):
        assert tree_hash(tree(**change)) != same
    assert tree_hash(tree(text="\ud83d")) != same
    assert tree_hash({**tree(), "children": []}) != same
