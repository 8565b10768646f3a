"""Tests of the piece of the web that the demo fetches from."""

import json

import pytest
import requests

from pipelines.sample.serving import serve


@pytest.fixture
def web(tmp_path):
    root = tmp_path / "web"
    (root / "files.example/a b").mkdir(parents=True)
    (root / "files.example/a b/data.bin").write_bytes(bytes(range(256)) * 1000)
    (root / "files.example/empty").touch()
    (tmp_path / "secret").write_text("secret")
    stores = root / "itunes.apple.com/storefronts"
    stores.mkdir(parents=True)
    apps = [
        {
            "trackId": number,
            "bundleId": f"com.x.a{number}",
            "trackName": f"Tide {number}",
            "description": "Waves",
            "primaryGenreName": "Weather",
            "genreIds": [str(6000 + number)],
        }
        for number in (1, 2, 3)
    ]
    (stores / "us.json").write_text(json.dumps(apps))
    with serve(root) as address:
        yield address


def get(url, **headers):
    return requests.get(url, headers=headers, timeout=5)


def test_files_are_served_whole(web):
    response = get(f"{web}/files.example/a%20b/data.bin")
    assert response.status_code == 200
    assert response.content == bytes(range(256)) * 1000
    assert get(f"{web}/files.example/empty").content == b""


def test_files_are_served_by_parts_while_they_are_the_same(web):
    url = f"{web}/files.example/a%20b/data.bin"
    tag = get(url).headers["ETag"]
    part = get(url, Range="bytes=255990-")
    assert (part.status_code, len(part.content)) == (206, 10)
    assert part.headers["Content-Range"] == "bytes 255990-255999/256000"
    assert get(url, Range="bytes=0-9", **{"If-Range": tag}).content == bytes(range(10))
    assert get(url, Range="bytes=0-9", **{"If-Range": '"other"'}).status_code == 200
    assert get(url, Range="bytes=256000-").status_code == 416
    assert get(url, Range="lines=1").status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "files.example/none",
        "files.example",
        "files.example/%2e%2e/%2e%2e/secret",
        "..%2fsecret",
        "%00",
        "",
    ],
)
def test_nothing_else_is_served(web, path):
    assert get(f"{web}/{path}").status_code == 404


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("search?term=tide&country=us", [1, 2, 3]),
        ("search?term=WAVES+2&country=us", [2]),
        ("search?term=tide&country=us&limit=1", [1]),
        ("search?term=tide&country=us&genreId=6003", [3]),
        ("search?term=nothing&country=us", []),
        ("lookup?id=3,1,9&country=us", [1, 3]),
        ("lookup?bundleId=com.x.a2&country=us", [2]),
    ],
)
def test_the_store_finds_what_is_asked_for(web, call, found):
    response = get(f"{web}/itunes.apple.com/{call}")
    assert response.text.startswith("\n\n\n{")
    answer = response.json()
    assert [app["trackId"] for app in answer["results"]] == found
    assert answer["resultCount"] == len(found)


def test_the_store_refuses_a_country_that_is_none(web):
    response = get(f"{web}/itunes.apple.com/search?term=tide&country=../../x")
    assert response.status_code == 400
    assert "errorMessage" in response.json()
