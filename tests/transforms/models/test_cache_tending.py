"""Tests of looking into the store, and clearing it out."""

import dataclasses
import datetime

import pytest

from schemas.models import ModelReply, ModelRequest, ReplyOutcome
from transforms.models.cache import ReplyCache, path_of
from transforms.models.cache_tending import Pruned, Shelf, find_stored, prune, read_stats

DAY = 86_400.0


@pytest.fixture(params=["local", "remote"])
def root(request, tmp_path):
    import fsspec

    yield str(tmp_path) if request.param == "local" else "memory://tended"
    fsspec.filesystem("memory").store.clear()


@pytest.fixture
def cache(root):
    """Two replies of model a to v1 on day 1, one to v2 on day 2, one of model b on day 3."""
    moments = iter([DAY, DAY + 5, 2 * DAY, 3 * DAY])
    cache = ReplyCache(root, clock=lambda: next(moments))
    answered = ModelReply(ReplyOutcome.ANSWERED, "['Café']", "STOP", 10, 5)
    blocked = ModelReply(ReplyOutcome.BLOCKED, "", "SAFETY", 10, 0)
    cache.put(ModelRequest("gemini", "a", "one", "v1"), answered)
    cache.put(ModelRequest("gemini", "a", "two", "v1"), blocked)
    cache.put(ModelRequest("gemini", "a", "one", "v2"), answered)
    cache.put(ModelRequest("chat", "b", "one", "v1"), answered)
    return cache


def test_stats_tell_what_lies_there_by_model_and_prompt(cache):
    stats = read_stats(cache)
    assert (stats.replies, stats.damaged) == (4, 0)
    assert stats.size_bytes > 1000
    assert list(stats.shelves) == [
        Shelf("chat", "b", "v1"), Shelf("gemini", "a", "v1"), Shelf("gemini", "a", "v2"),
    ]  # fmt: skip
    shelf = stats.shelves[Shelf("gemini", "a", "v1")]
    assert shelf.outcomes == {ReplyOutcome.ANSWERED: 1, ReplyOutcome.BLOCKED: 1}
    assert (shelf.prompt_tokens, shelf.output_tokens) == (20, 5)
    assert shelf.oldest == datetime.datetime(1970, 1, 2, tzinfo=datetime.UTC)
    assert shelf.newest == datetime.datetime(1970, 1, 2, 0, 0, 5, tzinfo=datetime.UTC)


def test_an_empty_store_has_empty_stats(tmp_path):
    stats = read_stats(ReplyCache(str(tmp_path / "none")))
    assert (stats.replies, stats.size_bytes, stats.damaged, stats.shelves) == (0, 0, 0, {})


def test_damaged_files_are_counted_whether_moved_aside_or_not(cache):
    keys = [ModelRequest("gemini", "a", prompt, "v1").key for prompt in ("one", "two")]
    for key in keys:
        cache.folder.write(path_of(key), b"{")
    cache.set_aside(keys[0])
    stats = read_stats(cache)
    assert (stats.replies, stats.damaged) == (2, 2)
    assert prune(cache, provider="nobody").damaged == 2
    assert read_stats(cache).damaged == 0


def test_replies_are_found_by_key_and_by_text(cache):
    key = ModelRequest("gemini", "a", "two", "v1").key
    for wanted in (key, key[:8], key[:6].upper(), "TWO"):
        (found,) = find_stored(cache, wanted)
        assert found.request.prompt == "two"
    assert len(list(find_stored(cache, "café"))) == 3
    assert list(find_stored(cache, "nowhere")) == []


@pytest.mark.parametrize(
    ("conditions", "left"),
    [
        ({"model": "a"}, 1),
        ({"model": "a", "prompt_version": "v1"}, 2),
        ({"provider": "chat"}, 3),
        ({"outcome": ReplyOutcome.BLOCKED}, 3),
        ({"before": datetime.datetime(1970, 1, 3, tzinfo=datetime.UTC)}, 2),
        ({"before": datetime.datetime(2000, 1, 3, tzinfo=datetime.UTC), "model": "b"}, 3),
    ],
)
def test_what_meets_all_conditions_is_removed(cache, conditions, left):
    would = prune(cache, **conditions, dry_run=True)
    assert read_stats(cache).replies == 4
    assert prune(cache, **conditions) == would
    assert would.replies == 4 - left
    assert read_stats(cache).replies == left


def test_keys_to_keep_stay(cache):
    keep = frozenset({ModelRequest("gemini", "a", "one", "v1").key})
    assert prune(cache, model="a", keep=keep).replies == 2
    assert read_stats(cache).replies == 2


def test_without_a_condition_nothing_is_removed(cache):
    with pytest.raises(ValueError, match="say which"):
        prune(cache)
    assert read_stats(cache).replies == 4


def test_a_file_that_goes_meanwhile_is_no_trouble(cache, monkeypatch):
    monkeypatch.setattr(cache.folder, "read", lambda _: None)
    assert read_stats(cache).replies == 0
    assert prune(cache, model="a") == Pruned(0, 0, 0)


def test_stored_requests_come_back_whole(cache):
    for stored in find_stored(cache, "one"):
        assert dataclasses.replace(stored.request).key == stored.key
