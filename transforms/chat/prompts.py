"""What a model is told before each question.

The paper prints one instruction, that of its zero-shot evaluation of SQA-S by GPT-4o and Gemini
(D.1): one line, then the question. Those of the other tasks are ours, in its style; how a list is
written down the paper does not say, nor what its PaliGemma was told. PaliGemma takes a few
words in front of a question and no line feed, which ends its prefix: for SQA-S it gets those that
it was trained on for questions about pictures, for the others ones of ours.
"""

import functools
from collections.abc import Mapping
from types import MappingProxyType

from transforms.chat.tasks import ChatTask

SHORT = (
    "Answer the question based on the screenshot only. Do not use any other sources of "
    "information. The answer should be succinct and as short as possible. If the answer is a "
    "text from the image, provide it exactly without rephrasing or augmenting. If there is no "
    'answer on the image, output "<no answer>".\n'
)
"""ScreenQA D.1, byte for byte; a test holds its digest."""

_ONLY = "based on the screenshot only. Do not use any other sources of information."
_LONG = (
    f"Answer the question {_ONLY} Answer in one full sentence. If there is no answer on the "
    'image, output "<no answer>".\n'
)
_ELEMENTS = (
    f"List the UI elements that answer the question, {_ONLY} Put the most relevant first, or "
    "keep the reading order. Give the visible text of each exactly, or a short description of "
    "an icon."
)
_TEXTS = (
    f"{_ELEMENTS} Output a JSON list of the texts. If there is no answer on the image, output [].\n"
)

_PALIGEMMA = MappingProxyType(
    {
        ChatTask.SQA_S: "answer en ",
        ChatTask.SQA_L: "answer in a sentence en ",
        ChatTask.SQA_UIC: "list the elements that answer en ",
        ChatTask.SQA_UIC_BB: "detect the elements that answer en ",
    }
)

_LOCATED = MappingProxyType(
    {
        "gemini": 'Output a JSON list of objects with "box_2d", which is [ymin, xmin, ymax, '
        'xmax] in thousandths of the image, and "label", which is the text. If there is no '
        "answer on the image, output [].\n",
        "openai": 'Output a JSON list of objects with "text" and "bounds", which is [left, top, '
        "right, bottom] in thousandths of the image's width and height. If there is no answer "
        "on the image, output [].\n",
    }
)


@functools.cache
def instructions(layout: str) -> Mapping[ChatTask, str]:
    """Returns what goes before the question in each task, for a format by its name."""
    if layout == "paligemma":
        return _PALIGEMMA
    return MappingProxyType(
        {
            ChatTask.SQA_S: SHORT,
            ChatTask.SQA_L: _LONG,
            ChatTask.SQA_UIC: _TEXTS,
            ChatTask.SQA_UIC_BB: f"{_ELEMENTS} {_LOCATED[layout]}",
        }
    )
