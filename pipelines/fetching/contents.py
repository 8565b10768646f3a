"""What a download must look like: a page that says sorry is no archive.

Servers that are out of quota, want a confirmation or a sign-in answer 200 with a page of
HTML; saved under the archive's name, it breaks something far away and much later.
"""

import enum
import re
import urllib.parse

from pipelines.terminal import safe

HEAD_BYTES = 1024
"""So many first bytes are enough to tell."""


class Content(enum.Enum):
    """What a download is meant to be; the value is how sentences call it."""

    ANY = "a file"
    IMAGE = "a picture"
    ARCHIVE = "an archive"
    JSON = "JSON"
    TEXT = "text"


_MARKUP = re.compile(
    rb"(?:<\?xml[^>]*>|<!--.*?-->|\s)*<(?:!doctype\s+html|html|head|body|script)\b"
)
_TITLE = re.compile(rb"<(title|h1|p|body)[^>]*>\s*([^<]{3,80})", re.IGNORECASE)
_IMAGE = re.compile(
    rb"\xff\xd8\xff|\x89PNG\r\n\x1a\n|GIF8[79]a|RIFF....WEBP|BM|II\*\0|MM\0\*|....ftyp(?:avif|hei|mif1)",
    re.DOTALL,
)
_COMPRESSED = (b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0")
_JSON = re.compile(rb"[\[{\"0-9tfn-]")
_JSON_CLOSERS = {b"[": b"]", b"{": b"}", b'"': b'"'}
_BOM = b"\xef\xbb\xbf"


def head_fault(head: bytes, content: Content, url: str) -> str | None:
    """Returns what is wrong with a file's first bytes, or None.

    Args:
        head: The first `HEAD_BYTES` bytes, all of a shorter file.
        content: What it is meant to be.
        url: Where it comes from; a page of HTML may come from `….html` only.
    """
    if not head:
        return "is empty"
    wanted = content.value
    if _is_html(head):
        if content is Content.ANY and _path(url).endswith((".html", ".htm")):
            return None
        return f"is an HTML page instead of {wanted}{_saying(head)}"
    if content is Content.ANY or _looks_like(head, content):
        return None
    return f"is {_kind(head)} instead of {wanted}"


def tail_fault(head: bytes, tail: bytes, content: Content) -> str | None:
    """Returns what is wrong with a file's last bytes, or None; it knows JSON only.

    A server that declares too short a length cuts a file without any sign of trouble.
    """
    if content is not Content.JSON:
        return None
    closer = _JSON_CLOSERS.get(head.removeprefix(_BOM).lstrip()[:1], b"")
    return None if tail.rstrip().endswith(closer) else "is JSON that breaks off"


def is_tar(head: bytes) -> bool:
    """Returns whether a file begins with a tar header, of whatever dialect."""
    if len(head) < 512:
        return False
    block = head[:512]
    stated = block[148:156].strip(b" \0")
    summed = sum(block[:148]) + 8 * 0x20 + sum(block[156:])
    return bool(re.fullmatch(rb"[0-7]{1,7}", stated)) and int(stated, 8) == summed


def _looks_like(head: bytes, content: Content) -> bool:
    if content is Content.IMAGE:
        return bool(_IMAGE.match(head))
    if content is Content.ARCHIVE:
        return head.startswith(_COMPRESSED) or is_tar(head)
    if content is Content.JSON:
        return bool(_JSON.match(head.removeprefix(_BOM).lstrip()))
    return _is_text(head)


def _is_html(head: bytes) -> bool:
    return bool(_MARKUP.match(head.removeprefix(_BOM).lower()))


def _is_text(head: bytes) -> bool:
    if b"\0" in head:
        return False
    try:
        # The last character may be cut.
        head[: len(head) if len(head) < HEAD_BYTES else -3].decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start >= len(head) - 6 and len(head) >= HEAD_BYTES
    return True


def _kind(head: bytes) -> str:
    if _IMAGE.match(head):
        return Content.IMAGE.value
    if head.startswith(_COMPRESSED) or is_tar(head):
        return Content.ARCHIVE.value
    return "text" if _is_text(head) else "something unknown"


def _saying(head: bytes) -> str:
    found = _TITLE.search(head)
    text = " ".join(safe(found[2].decode("utf-8", "replace")).split()) if found else ""
    return f" (it says “{text}”)" if text else ""


def _path(url: str) -> str:
    return urllib.parse.urlsplit(url).path.lower()
