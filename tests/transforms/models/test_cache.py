"""Tests of the store of replies."""

import dataclasses
import errno
import json
import multiprocessing
import os
import socket
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.models import ModelReply, ModelRequest, ReplyOutcome
from transforms.models.cache import DamagedReplyError, ReplyCache, key_of, parse_stored, path_of
from transforms.models.protocol import StoreFailedError

REQUEST = ModelRequest(
    "gemini", "m", "List \ud800 “ways”.\n", "v1", (("max_output_tokens", 9), ("temperature", 0.0))
)
REPLY = ModelReply(ReplyOutcome.ANSWERED, "['3', 'thrée\u2028']\n", "STOP", 10, 5, "m-001")


def stored(tmp_path, request=REQUEST, reply=REPLY) -> ReplyCache:
    cache = ReplyCache(str(tmp_path), clock=lambda: 1_796_000_000.9)
    cache.put(request, reply)
    return cache


def test_what_was_stored_is_found_as_it_was(tmp_path):
    cache = stored(tmp_path)
    assert cache.get(REQUEST.key) == REPLY
    assert ReplyCache(str(tmp_path)).get(REQUEST.key) == REPLY
    path = tmp_path / REQUEST.key[:2] / f"{REQUEST.key}.json"
    found = parse_stored(REQUEST.key, path.read_bytes())
    assert (found.request, found.reply) == (REQUEST, REPLY)
    assert found.stored_at.isoformat() == "2026-11-30T00:53:20+00:00"
    assert json.loads(path.read_bytes())["request"]["prompt"] == REQUEST.prompt


@pytest.mark.parametrize(
    "change",
    [
        {"provider": "other"},
        {"model": "other"},
        {"prompt": "List \ud800 “ways”."},
        {"prompt_version": "v2"},
        {"parameters": (("max_output_tokens", 9), ("temperature", 0.5))},
        {"parameters": (("max_output_tokens", 8), ("temperature", 0.0))},
        {"response_schema": "{}"},
        {"attempt": 1},
        {"images": ("0" * 64,)},
    ],
)
def test_whatever_changes_in_a_request_makes_no_hit(tmp_path, change):
    assert stored(tmp_path).get(dataclasses.replace(REQUEST, **change).key) is None


def test_a_field_at_its_default_leaves_keys_as_they_are():
    told = {
        "provider": "gemini",
        "model": "m",
        "prompt": REQUEST.prompt,
        "prompt_version": "v1",
        "parameters": [["max_output_tokens", 9], ["temperature", 0.0]],
    }
    import hashlib

    digest = hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
    assert digest == REQUEST.key


@given(st.data())
def test_a_damaged_file_is_never_a_hit_and_never_a_crash(tmp_path_factory, data):
    tmp_path = tmp_path_factory.mktemp("cache")
    cache = stored(tmp_path)
    path = tmp_path / path_of(REQUEST.key)
    good = path.read_bytes()
    at = data.draw(st.integers(0, len(good) - 1))
    bad = data.draw(
        st.one_of(
            st.just(good[:at]),
            st.just(
                good[:at] + bytes([good[at] ^ 1 << data.draw(st.integers(0, 7))]) + good[at + 1 :]
            ),
            st.just(good + b"x"),
            st.just(bytes(len(good))),
            st.binary(max_size=200),
        )
    )
    path.write_bytes(bad)
    assert cache.get(REQUEST.key) is None
    cache.set_aside(REQUEST.key)
    assert cache.damaged == 1
    assert not path.exists()
    assert (tmp_path / "damaged" / path.name).read_bytes() == bad
    cache.put(REQUEST, REPLY)
    assert cache.get(REQUEST.key) == REPLY


def test_a_good_file_is_not_set_aside(tmp_path):
    cache = stored(tmp_path)
    cache.set_aside(REQUEST.key)
    cache.set_aside("0" * 64)
    assert (cache.damaged, cache.get(REQUEST.key)) == (0, REPLY)


def test_a_folder_in_a_files_place_is_damage(tmp_path):
    cache = ReplyCache(str(tmp_path))
    (tmp_path / path_of(REQUEST.key)).mkdir(parents=True)
    assert cache.get(REQUEST.key) is None
    cache.set_aside(REQUEST.key)
    cache.put(REQUEST, REPLY)
    assert cache.get(REQUEST.key) == REPLY


def test_a_file_under_another_key_is_no_hit(tmp_path):
    cache = stored(tmp_path)
    other = dataclasses.replace(REQUEST, attempt=1).key
    (tmp_path / other[:2]).mkdir(exist_ok=True)
    os.link(tmp_path / path_of(REQUEST.key), tmp_path / path_of(other))
    assert cache.get(other) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.pop("reply"),
        lambda d: d["reply"].pop("text"),
        lambda d: d["reply"].update(outcome="perhaps"),
        lambda d: d.update(reply=[1]),
        lambda d: d.update(request=7),
        lambda d: d.update(stored_at="yesterday"),
    ],
)
def test_a_file_that_was_made_by_hand_and_made_badly_is_damaged(tmp_path, change):
    import hashlib

    stored(tmp_path)
    path = tmp_path / path_of(REQUEST.key)
    document = json.loads(path.read_bytes())
    del document["sha256"]
    change(document)
    head = json.dumps(document).encode()[:-1]
    digest = hashlib.sha256(head).hexdigest()
    path.write_bytes(head + f', "sha256": "{digest}"}}\n'.encode())
    with pytest.raises(DamagedReplyError):
        parse_stored(REQUEST.key, path.read_bytes())


def test_fields_of_a_later_version_do_no_harm(tmp_path):
    import hashlib

    cache = stored(tmp_path)
    path = tmp_path / path_of(REQUEST.key)
    document = json.loads(path.read_bytes())
    del document["sha256"]
    document["reply"]["mood"] = "good"
    head = json.dumps(document).encode()[:-1]
    digest = hashlib.sha256(head).hexdigest()
    path.write_bytes(head + f', "sha256": "{digest}"}}\n'.encode())
    assert cache.get(REQUEST.key) == REPLY


def _store_for_ever(root: str) -> None:
    cache = ReplyCache(root)
    number = 0
    while True:
        cache.put(dataclasses.replace(REQUEST, attempt=number % 50), REPLY)
        number += 1


def test_writers_that_are_killed_leave_whole_replies_or_none(tmp_path):
    context = multiprocessing.get_context("fork")
    for round_ in range(8):
        writers = [
            context.Process(target=_store_for_ever, args=(str(tmp_path),), daemon=True)
            for _ in range(2)
        ]
        for writer in writers:
            writer.start()
        time.sleep(0.02 + 0.01 * round_)
        for writer in writers:
            writer.kill()
            writer.join()
    cache = ReplyCache(str(tmp_path))
    finished = [e.path for e in cache.folder.entries()]
    assert finished
    assert all(cache.get(key_of(path)) == REPLY for path in finished)


def test_paths_that_are_no_replies_are_not_taken_for_them():
    key = REQUEST.key
    assert key_of(path_of(key)) == key
    for path in ("x", f"{key}.json", f"00/{key}.json", f"{key[:2]}/{key}", f"damaged/{key}.json"):
        assert key_of(path) is None or path == path_of(key)


def test_a_reply_that_cannot_be_stored_is_an_error(tmp_path):
    (tmp_path / "cache").write_text("a file")
    cache = ReplyCache(str(tmp_path / "cache"))
    for use in (lambda: cache.put(REQUEST, REPLY), cache.try_writing, lambda: cache.get("0" * 64)):
        with pytest.raises(StoreFailedError, match=rf"cache of replies {tmp_path}/cache cannot"):
            use()
    assert not cache.is_writable


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.ENOTDIR])
def test_whatever_is_wrong_with_its_disk_the_store_is_named(tmp_path, monkeypatch, number):
    cache = ReplyCache(str(tmp_path / "cache"))

    def fail(_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(StoreFailedError, match=f"{tmp_path}/cache.*{os.strerror(number)}"):
        cache.put(REQUEST, REPLY)


def test_trying_to_write_leaves_nothing(tmp_path):
    cache = ReplyCache(str(tmp_path / "cache"))
    cache.try_writing()
    assert cache.is_writable
    assert os.listdir(tmp_path / "cache") == []


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: socket.socket(socket.AF_UNIX).bind(path)])
def test_a_pipe_or_socket_in_a_files_place_is_damage(tmp_path, monkeypatch, make):
    cache = ReplyCache(str(tmp_path))
    folder = tmp_path / REQUEST.key[:2]
    folder.mkdir()
    monkeypatch.chdir(folder)  # Addresses of sockets are short.
    make("x")
    os.rename("x", f"{REQUEST.key}.json")
    assert cache.get(REQUEST.key) is None
    cache.set_aside(REQUEST.key)
    cache.put(REQUEST, REPLY)
    assert (cache.damaged, cache.get(REQUEST.key)) == (1, REPLY)
