"""What a hierarchy says: its texts, their likeness, the personal data among them.

Only nodes that the hierarchy calls visible count, as with the leaves. RICO keeps the texts of
closed drawers, tour pages not yet reached and a browser's other tabs in the tree: nobody saw
them on the picture, and some are in a language that the app is not (a German page's title in an
English browser).
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from transforms.identifying import clean_text
from transforms.screens.hierarchies import walk

_BLANKS = " \t\r\n\0"

_LINE_CHARS = 80
"""Of one text in a sample: a long article must not drown the buttons around it."""

_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W_]+")
"""A price or a time is one word, so that it differs from another as a whole."""


def hierarchy_texts(root: dict[str, Any]) -> list[str]:
    """Returns the distinct texts and content descriptions of the visible nodes, depth first.

    Raises:
        RejectedRecordError: As `walk` does.
    """
    found: dict[str, None] = {}
    for _, node, _ in walk(root):
        if node.get("visible-to-user") is not True:
            continue
        for raw in (node.get("text"), node.get("content-desc")):
            # RICO has the descriptions in a list, mostly of one null.
            for text in raw if isinstance(raw, list) else (raw,):
                if isinstance(text, str) and (stripped := clean_text(text).strip(_BLANKS)):
                    found[stripped] = None
    return list(found)


def tree_hash(root: dict[str, Any]) -> str:
    """Returns a digest of a tree's classes, boxes and texts, visible or not, 32 hex digits.

    RICO has pairs of screens with one tree under two pictures, such as 33626 and 33631, of
    which one was taken in motion; ids, states and visibility may differ (formats.md §1.2).
    """
    digest = hashlib.blake2b(digest_size=16)
    for _, node, children in walk(root):
        kept = [node.get(name) for name in ("class", "bounds", "text", "content-desc")]
        digest.update(repr((kept, len(children))).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def text_hash(texts: Iterable[str]) -> str:
    """Returns a 64-bit similarity hash of the words, as 16 hex digits; empty without words.

    Every word votes on each bit, as often as it occurs (simhash), so that the same words in
    any order have the same hash, and like ones differ in few bits. Case does not count;
    numbers do: two items in a shop's list differ in little else.
    """
    counts = Counter(_WORD.findall("\n".join(texts).casefold()))
    if not counts:
        return ""
    digests = b"".join(
        hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for word in counts
    )
    bits = np.unpackbits(np.frombuffer(digests, np.uint8)).reshape(-1, 64)
    weights = np.fromiter(counts.values(), np.int64, len(counts))
    ones = weights @ bits
    return np.packbits(ones * 2 > weights.sum()).tobytes().hex()


def pool(texts: Iterable[str], max_chars: int = 600) -> str:
    """Returns a sample of a screen's texts to judge its app's language by, one a line.

    Each is cut at 80 characters; those without a letter are left out.
    """
    lines: dict[str, None] = {}
    left = max_chars
    for text in texts:
        # A text of a megabyte is not split as a whole for 80 characters of it.
        line = " ".join(text[: 4 * _LINE_CHARS].split())[:_LINE_CHARS].rstrip()
        if line in lines or not any(map(str.isalpha, line)):
            continue
        left -= len(line) + 1
        if left < -1:
            break
        lines[line] = None
    return "\n".join(lines)


def count_personal(texts: Iterable[str]) -> tuple[int, int]:
    """Returns how many distinct e-mail addresses and phone numbers the texts hold.

    A number counts if it is written the way that phone numbers are: after a plus sign, with
    a trunk zero, in the groups of a country that has a usual grouping. A bare run of digits, or
    one in groups that prices and ids have as well, counts only after a word such as "call".
    Addresses below `example.com` are nobody's (RFC 2606); those with stars are masked.
    """
    whole = "\n".join(texts)
    emails = {found.lower() for found in _emails(whole)} if "@" in whole else set()
    return len(emails), len(set(_phones(whole)))


# All repetitions below are bounded, or of signs that what follows cannot begin with: a
# screen's text is anybody's, and must not take minutes to search.
_EMAIL = re.compile(
    r"(?<![\w.%+*•-])[\w.%+-]{1,64}"
    r"@((?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,6})([^\W\d_]{2,24})(?![\w@-])"
)
_FILE_ENDINGS = frozenset({"gif", "jpeg", "jpg", "pdf", "png", "svg", "webp"})
_NOBODYS = frozenset({"example", "invalid", "test"})


def _emails(whole: str) -> Iterator[str]:
    for match in _EMAIL.finditer(whole):
        domain, ending = match[1].lower(), match[2].lower()
        # icon@2x.png is a picture.
        if ending in _FILE_ENDINGS or ending in _NOBODYS:
            continue
        if domain.rpartition("example.")[1:] != ("example.", ""):
            yield match[0]


_CANDIDATE = re.compile(
    r"(?<![\w.,$€£¥₹#/-])(?<![0-9]:)"
    r"(?:\+ ?)?[(0-9][0-9 \u00a0().\u2010-\u2015/-]{4,26}[0-9](?![\w%°])"
)
_DATE = re.compile(
    r"(?<![\d./-])(?:\d{1,2}([./-])\d{1,2}\1\d{2,4}|\d{4}([./-])\d{1,2}\2\d{1,2})(?![./-]?\d)"
)
_PHONE_WORD = re.compile(
    r"(?:\b(?:call|cell|contact|fax|hotline|mobile|mobil|phone|sms|tel|telefon[oe]?|téléphone"
    r"|teléfono|telp|whats ?app|number|handy)|тел|☎|📞|📱|电话|電話|전화)[^0-9\n]{0,12}\Z",
    re.IGNORECASE,
)
_GROUPED = re.compile(
    r"""
      1?[2-9]\d\d\ [2-9]\d\d\ \d{4}         # North America
    | 1\ [2-9]\d\d\ [2-9]\d\d\ \d{4}
    | 1[3-9]\d\ \d{4}\ \d{4}                # China
    | 8\ \d{3}\ \d{3}\ \d\d\ \d\d           # Russia
    | [6-9]\d{4}\ \d{5}                     # India
    | 0\d{1,4}(?:\ \d{1,8}){1,5}            # a trunk zero
    """,
    re.VERBOSE,
)
_AREA_CODE = re.compile(r"\(0?[1-9]\d{1,3}\)[ ]?\d")
_IP_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")


def _phones(whole: str) -> Iterator[str]:
    """Yields the digits of each number, as often as it occurs."""
    for match in _CANDIDATE.finditer(_DATE.sub(";", whole)):
        written = match[0]
        digits = re.sub(r"[^0-9]", "", written)
        if not 7 <= len(digits) <= 15 or len(set(digits)) < 3 or _IP_ADDRESS.fullmatch(written):
            continue
        before = match.string[max(0, match.start() - 40) : match.start()]
        if _is_written_as_phone(written, digits) or _PHONE_WORD.search(before):
            yield digits


def _is_written_as_phone(written: str, digits: str) -> bool:
    if written.startswith("+"):
        # North America's and Russia's numbers have a fixed length; few others are so short.
        return len(digits) == 11 if digits[0] in "17" else digits[0] != "0" and len(digits) >= 9
    if _AREA_CODE.match(written):
        return 9 <= len(digits) <= 12
    if not 9 <= len(digits) <= 12 and not digits.startswith("00"):
        return False
    return bool(_GROUPED.fullmatch(" ".join(re.findall(r"[0-9]+", written))))
