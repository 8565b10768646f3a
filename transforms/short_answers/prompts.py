"""The prompt that a model is asked for short answers with (ScreenQA A.6)."""

import functools
import hashlib
import importlib.resources
import re
from collections.abc import Iterator

from schemas.short_answers import AnswerInput
from transforms.identifying import normalize_text

TEMPLATE_SHA256 = {
    "one_element.txt": "0e828482a6e38bc30981f9c68629f40e8678dc53cb05fa9b06dd573302b24c19",
    "prompt.txt": "79628d36462323f3a739af2706142eec7ce685e89e5e4f1eea8c69c34fdc51e7",
    "several_elements.txt": "89d7760857384a2f531999ae023145e49c5e893db5dbbba24c6ff6eb85475853",
}
"""SHA-256 of each file that a prompt is made of. A test compares them with the files, so that
no prompt changes by accident: each change pays for every answer anew."""

_REVISION = 1
"""How this module fills the template in. Raise it when a prompt's bytes change otherwise than
by the files."""

PROMPT_VERSION = (
    f"short_answers-{_REVISION}-"
    + hashlib.sha256(
        "".join(f"{name}\0{digest}\n" for name, digest in sorted(TEMPLATE_SHA256.items())).encode()
    ).hexdigest()[:8]
)
"""Version of the prompt, as rows and cache keys say it."""

MAX_TEXT = 1_000
"""Most characters of a question or full answer in a prompt. A short answer has no use for more;
the longest full answer that is known has 1,007."""
MAX_ELEMENT = 300
MAX_ELEMENTS = 40

_PLACE = re.compile(r"\{(examples|question|list of text of UI elements|full-sentence answer)\}")
# Controls, separators of lines, and signs that are not seen but turn or hide what is. Written
# out rather than asked of `str.isprintable`, whose answer differs between releases of Python,
# and with it would the key of every stored reply.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202f\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)
_NAMED = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def prompt_for(answer: AnswerInput) -> str:
    """Returns the prompt for one answer, of 20,000 characters at most.

    An answer of several elements gets the examples of several elements, any other those of
    one (A.6). The question, the elements and the full answer come from screens and strangers:
    each is one literal in quotes on the line where the template puts it, and nothing in it
    can end the quotes or the line. What a text says to the model remains; the checks of its
    reply are for that (`transforms/short_answers/checking.py`).
    """
    texts = [normalize_text(element[:MAX_TEXT]) for element in answer.elements]
    parts = {
        "examples": _examples("several_elements.txt" if len(texts) > 1 else "one_element.txt"),
        "question": quote(normalize_text(answer.question[: 2 * MAX_TEXT]), MAX_TEXT),
        "list of text of UI elements": _quote_list(texts),
        "full-sentence answer": quote(normalize_text(answer.full_answer[: 2 * MAX_TEXT]), MAX_TEXT),
    }
    # One pass: a placeholder in somebody's text is no placeholder.
    return _PLACE.sub(lambda found: parts[found[1]], _template("prompt.txt"))


def quote(text: str, limit: int = MAX_TEXT) -> str:
    """Returns a text as a literal in straight quotes, of about `limit` characters at most.

    It is Python's: single quotes, or double ones around a text that has single ones only. What
    does not fit gives way to an ellipsis, never half an escape.
    """
    mark = '"' if "'" in text and '"' not in text else "'"
    return mark + "".join(_fitted(text, mark, limit)) + mark


def _fitted(text: str, mark: str, limit: int) -> Iterator[str]:
    left = limit
    for char in text[:limit]:
        piece = f"\\{mark}" if char == mark else _escaped(char)
        left -= len(piece)
        if left < 0:
            break
        yield piece
    if left < 0 or len(text) > limit:
        yield "…"


def _escaped(char: str) -> str:
    if char in _NAMED:
        return _NAMED[char]
    if not _UNSEEN.match(char):
        return char
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _quote_list(texts: list[str]) -> str:
    shown = [quote(text, MAX_ELEMENT) for text in texts[:MAX_ELEMENTS]]
    if len(texts) > MAX_ELEMENTS:
        shown.append("'…'")
    return f"[{', '.join(shown)}]"


def _examples(name: str) -> str:
    return _template(name).removesuffix("\n")


@functools.cache
def _template(name: str) -> str:
    folder = importlib.resources.files(__package__) / "templates"
    return (folder / name).read_text(encoding="utf-8")
