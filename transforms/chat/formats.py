"""Chat examples in the layouts that PaliGemma, Gemini and OpenAI's interface are tuned with.

- PaliGemma: `image`, `prefix`, `suffix`, as big_vision's `datasets/jsonl.py` reads them; a
  box is four location tokens before its text, elements are parted by ` ; `, as in the
  detection that the model was trained on.
- Gemini: the data set format of supervised tuning on Vertex AI, `contents` of a user and a
  model; a box is `box_2d`, [ymin, xmin, ymax, xmax] in thousandths, as the model writes it.
- OpenAI: `messages` with `image_url`, as chat completions have them and as vision
  fine-tuning reads them. The service shrinks pictures before its models see them, so a box is
  in thousandths of the picture, not in pixels: `bounds`, [left, top, right, bottom].
"""

import dataclasses
import enum
import json
import re
from collections.abc import Callable
from typing import Any

from schemas.questions import NO_ANSWER
from transforms.chat.boxes import THOUSANDTHS, location_tokens, on_grid
from transforms.chat.prompts import instructions
from transforms.chat.tasks import ChatTask, Located, Target

_CONTROL_TOKEN = re.compile(
    r"<(?=(?:loc\d{4}|seg\d{3}|image|bos|eos|pad|unk|mask|unused\d+|(?:start|end)_of_turn)>)"
)


class ChatFormat(enum.StrEnum):
    """Whose layout an export has."""

    PALIGEMMA = "paligemma"
    GEMINI = "gemini"
    OPENAI = "openai"


@dataclasses.dataclass(frozen=True, slots=True)
class Picture:
    """A picture as an example names it: its type and a path, an address or a data URL."""

    mime: str
    uri: str


def chat_line(
    layout: ChatFormat, task: ChatTask, question: str, target: Target, picture: Picture
) -> str:
    """Returns one example as a line of JSON, in ASCII, with its line feed.

    In ASCII, since readers differ in what ends a line (U+2028 does in some), and no text of a
    screen may end one.
    """
    prompt = instructions(layout)[task] + question
    record = _RECORDS[layout](prompt, reply_text(layout, target), picture)
    return json.dumps(record) + "\n"


def reply_text(layout: ChatFormat, target: Target) -> str:
    """Returns what the model is to say; a list is JSON, empty for no answer.

    PaliGemma's list of elements with boxes is its own, and says `<no answer>` for none.
    """
    clean = without_control_tokens if layout is ChatFormat.PALIGEMMA else _as_it_is
    if isinstance(target, str):
        return clean(target)
    if isinstance(target, Located):
        return _LISTS[layout](target)
    return json.dumps(list(map(clean, target)), ensure_ascii=False)


def without_control_tokens(text: str) -> str:
    """Returns a text in which PaliGemma's tokenizer finds no location, picture or end.

    `<loc0001>` on a screen would become a location, and `<image>` a place for a picture: they
    get a blank behind their bracket. `<no answer>` and other brackets stay as they are.
    """
    return _CONTROL_TOKEN.sub("< ", text)


def _paligemma_list(located: Located) -> str:
    if not located.elements:
        # No text at all would be dropped by some loaders.
        return NO_ANSWER
    return " ; ".join(
        f"{location_tokens(e.bounds, located.size)} {without_control_tokens(e.text)}"
        for e in located.elements
    )


def _gemini_list(located: Located) -> str:
    found = []
    for element in located.elements:
        left, top, right, bottom = on_grid(element.bounds, located.size, THOUSANDTHS)
        found.append({"box_2d": [top, left, bottom, right], "label": element.text})
    return json.dumps(found, ensure_ascii=False)


def _openai_list(located: Located) -> str:
    found = [
        {"text": e.text, "bounds": list(on_grid(e.bounds, located.size, THOUSANDTHS))}
        for e in located.elements
    ]
    return json.dumps(found, ensure_ascii=False)


_LISTS: dict[ChatFormat, Callable[[Located], str]] = {
    ChatFormat.PALIGEMMA: _paligemma_list,
    ChatFormat.GEMINI: _gemini_list,
    ChatFormat.OPENAI: _openai_list,
}


def _paligemma_record(prompt: str, reply: str, picture: Picture) -> dict[str, Any]:
    return {"image": picture.uri, "prefix": without_control_tokens(prompt), "suffix": reply}


def _gemini_record(prompt: str, reply: str, picture: Picture) -> dict[str, Any]:
    file = {"mimeType": picture.mime, "fileUri": picture.uri}
    asked = [{"fileData": file}, {"text": prompt}]
    return {
        "contents": [
            {"role": "user", "parts": asked},
            {"role": "model", "parts": [{"text": reply}]},
        ]
    }


def _openai_record(prompt: str, reply: str, picture: Picture) -> dict[str, Any]:
    asked = [
        {"type": "text", "text": prompt},
        {"type": "image_url", "image_url": {"url": picture.uri}},
    ]
    return {
        "messages": [
            {"role": "user", "content": asked},
            {"role": "assistant", "content": reply},
        ]
    }


_RECORDS: dict[ChatFormat, Callable[[str, str, Picture], dict[str, Any]]] = {
    ChatFormat.PALIGEMMA: _paligemma_record,
    ChatFormat.GEMINI: _gemini_record,
    ChatFormat.OPENAI: _openai_record,
}


def _as_it_is(text: str) -> str:
    return text
