"""Markdown of texts that nobody vouches for: names, licences and citations of sources."""

import re
from collections.abc import Iterable, Sequence

from pipelines.terminal import safe

_SIGNS = re.compile(r"([\\`*_\[\]|~#$])")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]*")
_URL = re.compile(r"https?://[A-Za-z0-9._~:/?#@!$&'()*+,;=%-]+")


def one_line(text: str) -> str:
    """Returns a text as one line without control characters, runs of blanks made one."""
    return " ".join(safe(text.replace("\n", " ")).split())


def plain(text: object) -> str:
    """Returns a text as Markdown that shows its very characters, on one line.

    Nothing in it becomes a link with another target, a heading, code, a table's cell, HTML
    or one of the card's own markers, which are HTML comments.
    """
    line = _SIGNS.sub(r"\\\1", one_line(str(text)))
    line = "".join(_ENTITIES.get(sign, sign) for sign in line)
    # At the start of an item these would begin a list, a rule or the underline of a heading.
    return "\\" + line if line[:1] in ("-", "+", "=") else line


def code(name: str) -> str:
    """Returns a name as code if it is a plain one, else as text."""
    return f"`{name}`" if _NAME.fullmatch(name) else plain(name)


def link(url: str) -> str:
    """Returns an address as a link if it is a plain web address, else as text."""
    return f"<{url}>" if _URL.fullmatch(url) else plain(url)


def fenced(text: str, language: str) -> str:
    """Returns a text as a block of code, whatever backticks are in it.

    Args:
        text: Any text; comments of HTML in it are broken, since a marker of the card is one.
        language: Name of the language, for colours.
    """
    shown = safe(text.strip()).replace("<!--", "< !--")
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{shown}\n{fence}\n"


def table(header: Sequence[str], rows: Iterable[Sequence[object]], right: str = "") -> str:
    """Returns rows as a Markdown table.

    Args:
        header: Names of the columns.
        rows: Cells: numbers get thousands commas, None is a dash; texts are taken as Markdown.
        right: A character a column, `>` for flush right; missing ones mean flush left.
    """
    sides = right.ljust(len(header), "<")[: len(header)]
    rule = ["---:" if side == ">" else "---" for side in sides]
    lines = [list(header), rule, *([_cell(value) for value in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else str(value)
