"""What `fetched.json` remembers, and what happens when many write it or somebody breaks it."""

import json
import multiprocessing
import os

import pytest

from pipelines.errors import UserError
from pipelines.fetching.receipts import Fetched, Receipts

ONE = Fetched("rico", "https://h/a.tar.gz", "rico", "combined/", "ab", 12, 3, 40, {"links": 1})
TWO = Fetched("apps", "https://h/b.csv", "rico/b.csv", "", "cd", 7)


def _add(data: str, number: int) -> None:
    Receipts(data).add(Fetched("s", f"https://h/{number}", f"{number}", "", "ab", number))


def test_what_was_added_is_found(tmp_path):
    receipts = Receipts(str(tmp_path / "data"))
    assert receipts.all() == ()
    receipts.add(ONE)
    receipts.add(TWO)
    assert receipts.all() == (TWO, ONE)
    assert receipts.find("https://h/a.tar.gz", "rico", "combined/") == ONE
    assert receipts.find("https://h/a.tar.gz", "rico") is None
    assert receipts.all()[1].dropped == {"links": 1}


def test_the_file_is_sorted_and_the_same_whatever_came_first(tmp_path):
    for name, records in {"a": (ONE, TWO), "b": (TWO, ONE, ONE)}.items():
        for record in records:
            Receipts(str(tmp_path / name)).add(record)
    texts = [(tmp_path / name / "fetched.json").read_text() for name in ("a", "b")]
    assert texts[0] == texts[1]
    assert str(tmp_path) not in texts[0]
    assert sorted(os.listdir(tmp_path / "a")) == [".fetched.json.lock", "fetched.json"]


def test_a_record_replaces_the_one_before(tmp_path):
    receipts = Receipts(str(tmp_path))
    receipts.add(TWO)
    receipts.add(Fetched("apps", "https://h/b.csv", "rico/b.csv", "", "ef", 8))
    assert [record.sha256 for record in receipts.all()] == ["ef"]


def test_a_file_is_known_wherever_it_went(tmp_path):
    receipts = Receipts(str(tmp_path))
    receipts.add(TWO)
    assert receipts.before("https://h/b.csv", "rico/b.csv") == TWO
    assert receipts.before("https://h/b.csv", "elsewhere.csv") == TWO
    assert receipts.before("https://h/c.csv", "rico/b.csv") is None


def test_what_a_query_gave_is_known_at_its_place_only(tmp_path):
    receipts = Receipts(str(tmp_path))
    one = Fetched("apps", "https://h/b?id=…", "one.csv", "", "cd", 7)
    receipts.add(one)
    assert receipts.before("https://h/b?id=…", "one.csv") == one
    assert receipts.before("https://h/b?id=…", "two.csv") is None


def test_many_writers_lose_nothing(tmp_path):
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        pool.starmap(_add, [(str(tmp_path), number) for number in range(40)])
    assert len(Receipts(str(tmp_path)).all()) == 40


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "[" * 200_000,
        "{}",
        "null",
        '{"version": 2, "downloads": []}',
        '{"version": 1}',
        '{"version": 1, "downloads": [1]}',
        '{"version": 1, "downloads": [{"source": "x"}]}',
        json.dumps(
            {
                "version": 1,
                "downloads": [
                    {"source": 1, "url": "u", "into": "i", "sha256": "s", "size_bytes": 1}
                ],
            }
        ),
        json.dumps(
            {
                "version": 1,
                "downloads": [
                    {"source": "a", "url": "u", "into": "i", "sha256": "s", "size_bytes": "1"}
                ],
            }
        ),
    ],
)
def test_a_damaged_file_is_a_mistake_and_stays_as_it_is(tmp_path, text):
    (tmp_path / "fetched.json").write_text(text)
    with pytest.raises(UserError, match=r"fetched\.json is damaged"):
        Receipts(str(tmp_path)).all()
    with pytest.raises(UserError, match=r"fetched\.json is damaged"):
        Receipts(str(tmp_path)).add(ONE)
    assert (tmp_path / "fetched.json").read_text() == text


@pytest.mark.parametrize(
    "change",
    [
        {"sha256": "\ud800"},
        {"url": "\ud800"},
        {"dropped": {"\ud800": 1}},
        {"dropped": {"links": []}},
        {"dropped": 3},
        {"dropped": [["links", 1]]},
    ],
)
def test_a_record_that_cannot_be_shown_is_a_mistake(tmp_path, change):
    Receipts(str(tmp_path)).add(ONE)
    content = json.loads((tmp_path / "fetched.json").read_text())
    content["downloads"][0] |= change
    (tmp_path / "fetched.json").write_text(json.dumps(content))
    with pytest.raises(UserError, match=r"fetched\.json is damaged"):
        Receipts(str(tmp_path)).add(TWO)


@pytest.mark.parametrize("name", ["fetched.json", ".fetched.json.lock"])
def test_a_pipe_is_not_waited_for(tmp_path, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(UserError, match=r"fetched\.json.*: [^N]"):
        Receipts(str(tmp_path)).add(ONE)


def test_what_parameters_gave_is_known_at_its_place_only(tmp_path):
    receipts = Receipts(str(tmp_path))
    receipts.add(Fetched("apps", "https://h/b;id=…", "one.csv", "", "cd", 7))
    assert receipts.before("https://h/b;id=…", "two.csv") is None
