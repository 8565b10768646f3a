"""Builds whose shards are not those that were built: neither compared nor passed over."""

import shutil

import pytest


def missing(shard) -> None:
    shard.unlink()


def flipped(shard) -> None:
    data = bytearray(shard.read_bytes())
    data[len(data) // 2] ^= 1
    shard.write_bytes(data)


def cut(shard) -> None:
    shard.write_bytes(shard.read_bytes()[:-1])


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("spoil", [missing, flipped, cut])
def test_a_shard_that_was_not_built_is_named(run, make_build, tmp_path, spoil, side):
    """Both sides name the same digest, so none of them would have been read."""
    whole, spoilt = make_build(), tmp_path / "spoilt"
    shutil.copytree(whole, spoilt)
    shard = min(spoilt.rglob("*.parquet"))
    spoil(shard)
    pair = [spoilt, whole] if side == "before" else [whole, spoilt]
    done = run("diff", *pair)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert str(shard) in done.stderr
