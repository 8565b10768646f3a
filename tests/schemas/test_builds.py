"""Tests of what a build says of itself."""

import dataclasses
import json
import pickle

from schemas.builds import LeakGroup, ScreenEntry, Shard

SHARD = Shard("screenqa", "train", "screenqa/train-00000-of-00001.parquet", 3, 2, 99, "ab" * 32)
ENTRY = ScreenEntry("train", "7", "com.a", "cd" * 32, "0123456789abcdef")


def test_a_shard_goes_to_json_and_back():
    assert Shard(**json.loads(json.dumps(dataclasses.asdict(SHARD)))) == SHARD


def test_a_screens_entry_goes_to_json_and_back():
    assert ScreenEntry(*json.loads(json.dumps(dataclasses.astuple(ENTRY)))) == ENTRY


def test_what_crosses_processes_comes_back_equal():
    group = LeakGroup("com.a", (("test", ("8",)), ("train", ("7", "9"))))
    for value in (SHARD, ENTRY, group):
        assert pickle.loads(pickle.dumps(value)) == value
