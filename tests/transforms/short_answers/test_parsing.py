"""Replies of models, as they come: lists well and badly written, and none."""

import contextlib
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from transforms.short_answers.parsing import MAX_ITEM, MalformedReplyError, distinct, parse_variants


@pytest.mark.parametrize(
    ("reply", "variants"),
    [
        ("['male']", ["male"]),
        ('["3", "three"]', ["3", "three"]),
        ("[\"3\", 'three']", ["3", "three"]),
        ("[‘male’, ’man’]", ["male", "man"]),
        ("[“male”, \u201eman“]", ["male", "man"]),
        ("[“male\", ‘man']", ["male", "man"]),
        ("[`a`, `b`]", ["a", "b"]),
        ("```python\n['a',\n 'b',\n]\n```", ["a", "b"]),
        ('```json\n{"rephrases": ["a", "b"]}\n```', ["a", "b"]),
        ('{\n  "note": ["x"],\n  "rephrases": ["a"]\n}', ["a"]),
        ("Sure! Here is the list: ['a', 'b']. Anything else?", ["a", "b"]),
        ("Here is the list [as asked]: ['a']", ["a"]),
        ("Rephrases: ['09/24', 'September 24']", ["09/24", "September 24"]),
        ("**Rephrases:** ['a']", ["a"]),
        ("Answer elements: ['Jon', 'Brown']\n\nRephrases: ['Jon Brown']", ["Jon Brown"]),
        ("Rephrases: none, since ...\n['a']", ["a"]),
        ("['a'] and also ['b']", ["a"]),
        ("Rephrases: ['a']\n\nHere is another example:\n\nRephrases: ['b']", ["a"]),
        ("['a', , 'b',,]", ["a", "b"]),
        ("[['a', ['b']], [], 'c']", ["a", "b", "c"]),
        ("[male, old man]", ["male", "old man"]),
        ('[3, 4.5, "three"]', ["3", "4.5", "three"]),
        ("[male\n]", ["male"]),
        ("['Macy\\'s']", ["Macy's"]),
        ("['Macy's', 'b']", ["Macy's", "b"]),
        ("['boys' room']", ["boys' room"]),
        ("[‘Macy’s’]", ["Macy’s"]),
        ('["12" pizza"]', ['12" pizza']),
        ('[""Android Beam" and "Bluetooth""]', ['"Android Beam" and "Bluetooth"']),
        ('[\'"Android Beam", "Bluetooth"\']', ['"Android Beam", "Bluetooth"']),
        ("['SCRIPTS [30]']", ["SCRIPTS [30]"]),
        ('["Android Beam, Bluetooth"]', ["Android Beam, Bluetooth"]),
        ('["\\u00e9", "\\ud83d\\ude00", "a\\/b", "a\\\\b"]', ["é", "😀", "a/b", "a\\b"]),
        ("['\\xe9', '\\U0001f600', 'a\\nb', 'C:\\docs']", ["é", "😀", "a b", "C:\\docs"]),
        ('["\\ud83d"]', ["\ufffd"]),
        ("['\\Uffffffff']", ["\U0010ffff"]),
        ("['0 m', '0 meters', '0 m']", ["0 m", "0 meters"]),
        ("['Male', ' male ', 'MA LE', 'ma  le']", ["Male", "MA LE"]),
        ("['1,1', '11', '1, 1']", ["1,1", "11", "1, 1"]),
        ("['e\u0301', '\u00e9']", ["é"]),
        ("['<no answer>']", ["<no answer>"]),
        ("['', ' ']", [""]),
        ("[]", []),
        ("[ ]", []),
        ('{"rephrases": []}', []),
    ],
)
def test_lists_that_are_read(reply, variants):
    assert list(parse_variants(reply)) == variants


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("", "no list"),
        ("male", "no list"),
        ("('a', 'b')", "no list"),
        ("['x'", "leave its end open"),
        ("['x', ", "does not end"),
        ("[['x']", "does not end"),
        ("[", "does not end"),
        ("[x", "does not end"),
        ('["3", "thr', "leave its end open"),
        ("['x', 'y]", "leave its end open"),
        ("['x, 'y', 'z']", "leave its end open"),
        ("['a' 'b']", "leave its end open"),
        ('[""a", "b""]', "leave its end open"),
        ("['male’]", "leave its end open"),
        ("[male', 'man']", "begins and ends"),
        ("['a', b']", "begins and ends"),
        ("[see [1]]", "begins and ends"),
        ('[{"text": "a"}]', "objects"),
        (repr([str(number) for number in range(201)]), "more than 200"),
    ],
)
def test_replies_that_leave_something_open(reply, words):
    with pytest.raises(MalformedReplyError, match=words):
        parse_variants(reply)


def test_a_reply_is_never_evaluated():
    assert parse_variants("[__import__('os').system('x')]") == ("__import__('os').system('x')",)


def test_long_items_are_cut():
    (item,) = parse_variants(f"['{'a' * 10**6}']")
    assert item == "a" * MAX_ITEM


@pytest.mark.parametrize(
    "reply",
    [
        "[" * 10**6,
        "[ " * 500_000,
        "[\n" * 500_000,
        "[a" * 500_000,
        "['" + "' '" * 333_333,
        "[" + "'" * 10**6,
        "['" + "\\" * 10**6,
        "[" + " " * 10**6,
        "\n" * 10**6,
        '"' * 10**6,
        "rephrases" * 110_000,
        ("rephrases:" + " " * 100 + "\n") * 9_000,
        "['a'," * 200_000,
        "['" + "x,'y " * 200_000,
        "['" + "\u0301\u0323" * 500_000 + "']",
        "['" + "\\ud83d" * 160_000 + "']",
    ],
    ids=range(16),
)
def test_hostile_replies_come_to_an_end(reply):
    with contextlib.suppress(MalformedReplyError):
        parse_variants(reply)


texts = st.lists(st.text(max_size=20), max_size=10)


@given(texts)
@example(["'", '"', "',", "']", "a', 'b", "\\", "\\'", "[", "]", "“", "’,"])
@example(["‘a’, ‘b’", "`", "{", "\n", "\\x41", "\x00", "rephrases:"])
def test_what_python_writes_is_read_as_it_was(variants):
    assert parse_variants(repr(variants)) == distinct(variants)


@given(texts, st.booleans())
def test_what_json_writes_is_read_as_it_was(variants, ascii_only):
    assert parse_variants(json.dumps(variants, ensure_ascii=ascii_only)) == distinct(variants)
    structured = json.dumps({"rephrases": variants}, ensure_ascii=ascii_only, indent=1)
    assert parse_variants(structured) == distinct(variants)


pieces = st.sampled_from([*"[]'\"‘’“”`,\\ab{}: \n", "Rephrases:", "\\u0041", "['a', 'b']"])


@given(st.lists(pieces | st.text(max_size=3), max_size=30).map("".join))
def test_any_reply_is_read_or_malformed(reply):
    try:
        variants = parse_variants(reply)
    except MalformedReplyError:
        return
    assert distinct(variants) == variants
    assert parse_variants(repr(list(variants))) == variants
