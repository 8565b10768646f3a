"""Variants read from a model's reply (ScreenQA A.6: "Provide the output in square brackets")."""

import re
import sys
from collections.abc import Iterable, Iterator

from transforms.identifying import clean_text, normalize_text

MAX_ITEM = 2_000
"""Characters of a variant that are read. Longer than any short answer may be, so that what is
cut is dropped by the checks; short, since normalizing long texts may take quadratic time."""

MAX_ITEMS = 200
"""Most variants of a reply. Released questions have 17 at most (run); a model that goes on and
on repeats itself."""

_SINGLE = "'‘’‚‛"
_DOUBLE = '"“”„‟'
# A straight quote is closed by itself alone, so that what Python or JSON wrote is read exactly.
# A curly one may be closed by any of its kind: models mix them.
_CLOSING = {quote: quote for quote in "'\"`"} | {
    quote: kind for kind in (_SINGLE, _DOUBLE) for quote in kind[1:]
}
_ANY_QUOTE = "".join(_CLOSING)

_LABEL = re.compile(r"^[ \t{>*#\"'`_-]*rephrases[\"'*_]*[ \t]*:", re.I | re.M)
# The first list of quoted items, else the first bracket: "the list [as asked]: ['male']".
_QUOTED_LIST = re.compile(rf"\[\s*[\[\]{_ANY_QUOTE}]")
_NEXT = re.compile(rf"[\s,]*(?:(?P<quote>[{_ANY_QUOTE}])|(?P<bracket>[\[\]])|(?P<bare>[^\s,]))")
_INNER = {quote: re.compile(rf"\\.|[{closing}]", re.DOTALL) for quote, closing in _CLOSING.items()}
_END_OF_ITEM = re.compile(r"\s*[,\]]")
_BEFORE_OPENING = frozenset(" \t\n,;:([/-")
_BARE = re.compile(r"[^,\[\]\n]*")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "\n": ""}
_KEPT = frozenset("\\/" + _ANY_QUOTE)
_SURROGATES = re.compile(r"[\ud800-\udbff][\udc00-\udfff]")


class MalformedReplyError(ValueError):
    """A reply holds no list that can be read for sure; its text is a sentence for a person."""


def parse_variants(reply: str) -> tuple[str, ...]:
    """Returns the variants of the first list in a reply, normalized, without repetitions.

    A list of Python or JSON is read as they would, also with curly quotes, in a fence, in a
    JSON object, amid chatter, with commas to spare, and with items that have no quotes or
    unescaped ones of their own ("Macy's"). Lists in it are unfolded. Where the reply repeats
    the prompt, the list after "Rephrases:" is meant.

    A text that differs from an earlier one in case or blanks only is left out: a model that
    says one thing twice has said nothing wrong. Texts differ if their signs do, "1,1" from
    "11". An empty list is a list: the model had nothing to say, and the caller counts that.
    `<no answer>`, blank and overlong items are returned too, so that they are dropped with a
    reason (`transforms/short_answers/checking.py`). Nothing is ever evaluated, and time grows
    with the length of the reply only.

    Raises:
        MalformedReplyError: There is no list, it does not end, or its quotes leave open where
            an item ends: half a truncated answer is a wrong answer.
    """
    found = _start(reply)
    if found is None:
        raise MalformedReplyError("there is no list in square brackets")
    return distinct(_items(reply, found))


def distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """Returns texts normalized, the first of those that differ by case or blanks only."""
    first: dict[str, str] = {}
    for text in texts:
        plain = normalize_text(" ".join(clean_text(text).split())[:MAX_ITEM])
        first.setdefault(plain.casefold(), plain)
    return tuple(first.values())


def _start(reply: str) -> int | None:
    """Returns where the list begins that is meant."""
    label = _LABEL.search(reply)
    for begin in (label.end() if label else 0, 0):
        quoted = _QUOTED_LIST.search(reply, begin)
        start = quoted.start() if quoted else reply.find("[", begin)
        if start >= 0:
            return start
    return None


def _items(reply: str, start: int) -> Iterator[str]:
    """Yields the items of the list that begins at `start`, those of inner lists in place."""
    depth, place, count = 1, start + 1, 0
    while depth:
        found = _NEXT.match(reply, place)
        if found is None:
            raise MalformedReplyError("the list does not end")
        if found["bracket"]:
            depth += 1 if found["bracket"] == "[" else -1
            place = found.end()
            continue
        count += 1
        if count > MAX_ITEMS:
            raise MalformedReplyError(f"the list has more than {MAX_ITEMS} items")
        if found["quote"]:
            text, place = _quoted(reply, found.end(), found["quote"])
        else:
            text, place = _bare(reply, found.end() - 1)
        yield text


def _quoted(reply: str, begin: int, quote: str) -> tuple[str, int]:
    """Returns an item in quotes, and where reading goes on.

    A quote ends the item if a comma or a bracket follows it, since models leave quotes inside
    of an item unescaped; if those inside are not in pairs, one of them may have been the end.
    """
    opened = 0
    for found in _INNER[quote].finditer(reply, begin):
        place = found.start()
        if reply[place] == "\\":
            continue
        if _END_OF_ITEM.match(reply, place + 1):
            if opened:
                break
            return _unescaped(reply[begin:place]), place + 1
        before = reply[place - 1] if place > begin else " "
        after = reply[place + 1 : place + 2]
        if before in _BEFORE_OPENING and not after.isspace():
            opened += 1
        elif opened and not after.isalnum():
            opened -= 1
    raise MalformedReplyError(f"the quotes of {reply[begin : begin + 20]!r} leave its end open")


def _bare(reply: str, begin: int) -> tuple[str, int]:
    """Returns an item without quotes, and where reading goes on."""
    found = _BARE.match(reply, begin)
    assert found is not None
    text = found[0].strip()
    if text.startswith("{"):
        raise MalformedReplyError("the list holds objects and no texts")
    if text[-1] in _CLOSING or reply[found.end() : found.end() + 1] == "[":
        raise MalformedReplyError(f"nothing tells where {text[:20]!r} begins and ends")
    return text, found.end()


def _unescaped(raw: str) -> str:
    if "\\" not in raw:
        return raw
    return _SURROGATES.sub(_joined, _ESCAPE.sub(_meant, raw))


def _meant(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code:
        return chr(min(int(code, 16), sys.maxunicode))
    char = found[4]
    return _CONTROLS.get(char, char if char in _KEPT else f"\\{char}")


def _joined(found: re.Match[str]) -> str:
    """Returns the sign that JSON writes as two halves."""
    return found[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le")
