"""What the Hub says, read with suspicion."""

import pytest

from pipelines.publishing.remote import Account, parse_account, parse_published

REPO = "acme/screens"


@pytest.mark.parametrize("said", [None, [], "x", {"auth": []}, {"orgs": [1, None, {"name": None}]}])
def test_an_answer_of_any_shape_is_an_account_that_may_tell_nothing(said):
    assert parse_account(said).writes_into(REPO) is None


@pytest.mark.parametrize(
    ("account", "may"),
    [
        (Account("acme", "write", {}), True),
        (Account("ada", "write", {"acme": "contributor"}), True),
        (Account("ada", "write", {"acme": "read"}), False),
        (Account("ada", "read", {"acme": "admin"}), False),
        (Account("ada", "fineGrained", {"acme": "admin"}), False),
        (Account("ada", "fineGrained", {}, frozenset({REPO})), True),
        (Account("ada", "oauth", {}), None),
    ],
)
def test_who_may_write(account, may):
    assert account.writes_into(REPO) is may


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        b'{"dataset": "a", "version": "1", "shards": [{}], "files": []}',
        b'{"dataset": "a", "version": "1", "shards": [], "files": 3}',
    ],
)
def test_a_summary_that_is_not_ours_is_none(text):
    assert parse_published(text) is None
