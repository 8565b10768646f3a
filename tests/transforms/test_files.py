"""Tests of opening source files and of reading large JSON arrays."""

import json
import os
import socket

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.rejects import Reason, RejectedRecordError
from transforms import files
from transforms.files import SourceError, read_file, read_json_array


def refused(path, max_bytes=100):
    with pytest.raises(RejectedRecordError) as caught:
        read_file(
            str(path),
            max_bytes=max_bytes,
            missing=Reason.IMAGE_MISSING,
            too_large=Reason.IMAGE_TOO_LARGE,
        )
    return caught.value.reason, caught.value.detail


def read(path, max_bytes=100):
    return read_file(
        str(path),
        max_bytes=max_bytes,
        missing=Reason.IMAGE_MISSING,
        too_large=Reason.IMAGE_TOO_LARGE,
    )


def test_a_file_is_read_whole_up_to_its_bound(tmp_path):
    path = tmp_path / "42.jpg"
    path.write_bytes(b"x" * 100)
    assert read(path) == b"x" * 100
    path.write_bytes(b"")
    assert read(path) == b""


def test_a_file_above_its_bound_is_too_large(tmp_path):
    path = tmp_path / "42.jpg"
    path.write_bytes(b"x" * 1001)
    assert refused(path, 1000) == (Reason.IMAGE_TOO_LARGE, "has 1,001 bytes")


def test_a_link_to_a_file_is_followed(tmp_path):
    (tmp_path / "real").write_bytes(b"x")
    (tmp_path / "42.jpg").symlink_to("real")
    assert read(tmp_path / "42.jpg") == b"x"


def make_nothing(path):
    pass


def make_dangling_link(path):
    path.symlink_to("nowhere")


@pytest.mark.parametrize("make", [make_nothing, make_dangling_link])
def test_where_nothing_lies_the_file_is_missing(tmp_path, make):
    make(tmp_path / "42.jpg")
    assert refused(tmp_path / "42.jpg") == (Reason.IMAGE_MISSING, "is not there")


def test_below_a_file_nothing_lies(tmp_path):
    (tmp_path / "file").touch()
    assert refused(tmp_path / "file" / "42.jpg") == (Reason.IMAGE_MISSING, "is not there")


def make_pipe(path):
    os.mkfifo(path)


def make_folder(path):
    path.mkdir()


def make_link_to_itself(path):
    path.symlink_to(path)


@pytest.mark.parametrize("make", [make_pipe, make_folder, make_link_to_itself])
def test_what_is_no_ordinary_file_is_refused_without_waiting(tmp_path, make):
    make(tmp_path / "42.jpg")
    assert refused(tmp_path / "42.jpg") == (Reason.IMAGE_MISSING, "is no ordinary file")


def test_a_socket_is_no_ordinary_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # The path of a socket must be short.
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("42.jpg")
        assert refused("42.jpg") == (Reason.IMAGE_MISSING, "is no ordinary file")


def test_a_device_is_no_ordinary_file():
    assert refused("/dev/zero") == (Reason.IMAGE_MISSING, "is no ordinary file")


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False)
    | st.text(st.characters(), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(), max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
layouts = st.sampled_from([(None, (",", ":")), (None, (", ", ": ")), (2, (",", ": "))])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    array=st.lists(values, max_size=6),
    chunk=st.integers(1, 40),
    layout=layouts,
    ascii_only=st.booleans(),
    bom=st.booleans(),
)
def test_any_array_is_read_as_by_json_loads_wherever_it_is_cut(
    tmp_path, monkeypatch, array, chunk, layout, ascii_only, bom
):
    indent, separators = layout
    text = json.dumps(array, indent=indent, separators=separators, ensure_ascii=ascii_only)
    if not ascii_only:
        # Lone surrogates exist in JSON as escapes only.
        text = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    path = tmp_path / "array.json"
    path.write_bytes(b"\xef\xbb\xbf" * bom + f" {text}\n".encode())
    monkeypatch.setattr(files, "_CHUNK_CHARS", chunk)
    assert list(read_json_array(str(path))) == json.loads(text)


@pytest.mark.parametrize("number", ["1.5", "-1.5", "1e5", "1E+5", "1.5e-5", "12", "-0", "1e5 "])
@pytest.mark.parametrize("chunk", range(1, 9))
def test_a_number_is_read_whole_wherever_it_is_cut(tmp_path, monkeypatch, number, chunk):
    path = tmp_path / "array.json"
    path.write_text(f"[{number},{number}]")
    monkeypatch.setattr(files, "_CHUNK_CHARS", chunk)
    assert list(read_json_array(str(path))) == [float(number)] * 2


@pytest.mark.parametrize("chunk", range(1, 9))
def test_half_an_emoji_comes_through_as_it_is_and_a_whole_one_whole(tmp_path, monkeypatch, chunk):
    path = tmp_path / "array.json"
    path.write_text(r'["Like \ud83d", "\ud83d\ude00"]')
    monkeypatch.setattr(files, "_CHUNK_CHARS", chunk)
    assert list(read_json_array(str(path))) == ["Like \ud83d", "\U0001f600"]


def failure(path, data):
    path.write_bytes(data)
    with pytest.raises(SourceError) as caught:
        list(read_json_array(str(path)))
    return str(caught.value).removeprefix(f"{path}: ")


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "is no JSON array"),
        (b"  \n", "is no JSON array"),
        (b"null", "is no JSON array"),
        (b'{"a": []}', "is no JSON array"),
        (b"<html>Quota exceeded</html>", "is no JSON array"),
        (b"[", "item 0: Expecting value"),
        (b"[1, 2", "after item 2: found the end of the file instead of , or ]"),
        (b"[1 2]", "after item 1: found '2' instead of , or ]"),
        (b"[1,]", "item 1: Expecting value"),
        (b"[{}, {bad]", "item 1: Expecting property name enclosed in double quotes"),
        (b'["cut off', "item 0: Unterminated string starting at"),
        (b'["raw\nline"]', "item 0: Invalid control character at"),
        (b"[1][2]", "has more text after its JSON array"),
        (b"[]x", "has more text after its JSON array"),
        ("[1]".encode("utf-16"), "is no UTF-8 text: invalid start byte"),
        (b'["\xff"]', "is no UTF-8 text: invalid start byte"),
        (b'["\xc3"]', "is no UTF-8 text: invalid continuation byte"),
        (b"[" * 200_000, "item 0: nested too deeply"),
    ],
)
def test_what_is_no_array_is_named_with_its_file_and_item(tmp_path, data, problem):
    assert failure(tmp_path / "array.json", data) == problem


def test_a_number_too_long_to_read_is_named_with_its_file_and_item(tmp_path):
    problem = failure(tmp_path / "array.json", b"[1, " + b"9" * 5000 + b"]")
    assert problem.startswith("item 1: Exceeds the limit (4300 digits)")


def test_items_before_a_fault_are_read(tmp_path):
    path = tmp_path / "array.json"
    path.write_text("[1, 2, oops]")
    items = read_json_array(str(path))
    assert [next(items), next(items)] == [1, 2]
    with pytest.raises(SourceError, match="item 2: Expecting value"):
        next(items)


def test_a_broken_item_is_not_looked_for_to_the_end_of_a_large_file(tmp_path, monkeypatch):
    path = tmp_path / "array.json"
    path.write_text('["cut off, ' + "x" * 10_000)
    monkeypatch.setattr(files, "_CHUNK_CHARS", 10)
    monkeypatch.setattr(files, "_MAX_ITEM_CHARS", 100)
    read_so_far = []
    read_more = files._Window._read_more

    def noted(window, at_least=0):
        more = read_more(window, at_least)
        read_so_far.append(len(window._text))
        return more

    monkeypatch.setattr(files._Window, "_read_more", noted)
    with pytest.raises(SourceError, match="item 0: Unterminated string"):
        list(read_json_array(str(path)))
    assert max(read_so_far) < 400


def test_no_more_of_a_file_is_held_than_an_item_and_a_piece(tmp_path, monkeypatch):
    path = tmp_path / "array.json"
    path.write_text(json.dumps(["x" * 50] * 500))
    monkeypatch.setattr(files, "_CHUNK_CHARS", 100)
    held = []
    read_more = files._Window._read_more

    def noted(window, at_least=0):
        more = read_more(window, at_least)
        held.append(len(window._text))
        return more

    monkeypatch.setattr(files._Window, "_read_more", noted)
    assert sum(1 for _ in read_json_array(str(path))) == 500
    assert max(held) < 400
