"""Texts that nobody vouches for, as Markdown, rendered by a library."""

import html.parser

import mistune
import pytest

from pipelines.cards.markdown import code, fenced, link, plain, table

HOSTILE = [
    "<script>alert(1)</script>",
    "a | b || c",
    "`code` and ``more``",
    "*bold* _italic_ ~~gone~~ # no heading",
    "[text](javascript:alert(1)) ![x](http://e.example/p.png)",
    "<!-- by hand: summary -->",
    "&lt;b&gt; &amp; &#60;",
    "back\\slash \\| and \\`",
    "- item",
    "+ item",
    "=====",
    "---",
    "$x$ and $$y$$",
]


class Texts(html.parser.HTMLParser):
    """Tags and text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        self.tags.append("comment")


def rendered(markdown: str) -> Texts:
    render = mistune.create_markdown(escape=False, plugins=["table", "strikethrough", "math"])
    return Texts(render(markdown))


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_shows_its_very_characters(text):
    shown = rendered(plain(text))
    assert shown.tags == ["p"]
    assert shown.text.strip() == text


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_stays_in_its_cell(text):
    shown = rendered(table(("a", "b"), [(plain(text), 1_234)]))
    assert shown.tags == ["table", "thead", "tr", "th", "th", "tbody", "tr", "td", "td"]
    cells = [line.strip() for line in shown.text.splitlines() if line.strip()]
    assert cells == ["a", "b", text, "1,234"]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_stays_in_its_item(text):
    shown = rendered(f"- {plain(text)}\n")
    assert shown.tags == ["ul", "li"]
    assert shown.text.strip() == text


@pytest.mark.parametrize("text", [*HOSTILE, "```\nends?\n```", "````", "# by hand"])
def test_a_block_of_code_does_not_end_early(text):
    shown = rendered(f"{fenced(text, 'bibtex')}\nafter\n")
    assert shown.tags == ["pre", "code", "p"]
    assert shown.text.strip().endswith("after")


def test_comments_in_code_are_broken_for_they_may_be_markers():
    assert "<!--" not in fenced("@misc{x,\n<!-- by hand: more -->\n}", "bibtex")


def test_newlines_and_controls_do_not_get_through():
    assert plain("a\n\n## b\x1b[31m\u202e\u2028c") == "a \\#\\# b\ufffd\\[31m\ufffd c"


def test_only_plain_web_addresses_are_links():
    assert link("https://e.example/a_b?c=d") == "<https://e.example/a_b?c=d>"
    for url in ("javascript:alert(1)", "https://e.example/<b>", "https://e.example/a b", "ftp://x"):
        assert not link(url).startswith("<")


def test_only_plain_names_are_code():
    assert code("rico_combined") == "`rico_combined`"
    assert code("a`b") == "a\\`b"
    assert code("") == ""
