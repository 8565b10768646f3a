"""The frame of our pages: its policy, and what becomes of texts."""

import base64
import hashlib
import importlib.resources
import re

import jinja2
import pytest

from pipelines.pages.rendering import number, percent, policy, render, shown


def test_the_frame_has_a_policy_that_covers_its_own_style_and_script():
    page = render("base.html.j2", {})
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)[1]
    found = found.replace("&#39;", "'")
    assert found == policy()
    assert found.startswith("default-src 'none';")
    assert "unsafe" not in found
    for tag in ("style", "script"):
        bodies = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert bodies
        for body in bodies:
            digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in found


def test_no_template_holds_what_the_policy_refuses():
    folder = importlib.resources.files("pipelines.pages") / "templates"
    for entry in folder.iterdir():
        text = entry.read_text(encoding="utf-8")
        if entry.name.endswith((".css", ".js")):
            assert "</" not in text, entry.name
            assert "url(" not in text, entry.name
            assert "@import" not in text, entry.name
        else:
            assert not re.search(r'\sstyle="|\son\w+="|https?://|<link|\|\s*safe', text), entry.name


def test_a_name_without_a_value_is_an_error():
    with pytest.raises(jinja2.UndefinedError):
        render("report.html.j2", {"title": "x"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain, ä, 漢, 👩‍👧\n\t", "plain, ä, 漢, 👩‍👧\n\t"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("\u2066\u2069\u200e\u200f\u061c", "⟨U+2066⟩⟨U+2069⟩⟨U+200E⟩⟨U+200F⟩⟨U+061C⟩"),
        ("\x00\x1b[31m\x7f\x85", "⟨U+0000⟩⟨U+001B⟩[31m⟨U+007F⟩⟨U+0085⟩"),
        ("\u200b\ufeff\xad", "⟨U+200B⟩⟨U+FEFF⟩⟨U+00AD⟩"),
        ("\ud800", "⟨U+D800⟩"),
        ("\u2028\ufffe", "⟨U+2028⟩⟨U+FFFE⟩"),
    ],
)
def test_signs_that_act_on_the_reader_are_spelled_out(text, expected):
    assert shown(text) == expected


def test_numbers():
    assert number(12345) == "12,345"
    assert number(None) == percent(None) == "–"
    assert percent(0.1037, 2) == "10.37\u202f%"
