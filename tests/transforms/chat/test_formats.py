"""Lines of examples, written out by hand for each format and task."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.geometry import Bounds, Size
from schemas.questions import NO_ANSWER, UiElement
from transforms.chat.formats import (
    ChatFormat,
    Picture,
    chat_line,
    reply_text,
    without_control_tokens,
)
from transforms.chat.prompts import instructions
from transforms.chat.tasks import ChatTask, Located

PICTURE = Picture("image/png", "images/1.png")
SIZE = Size(1000, 2046)
ADA = UiElement("Ada", Bounds(100, 2, 300, 1023), 3)
HOME = UiElement("home", Bounds(0, 0, 1000, 2046), -1)
BOTH = Located((ADA, HOME), SIZE)
NOWHERE = Located((), SIZE)

REPLIES = {
    (ChatFormat.PALIGEMMA, "Ada"): "Ada",
    (ChatFormat.PALIGEMMA, ("Ada", "home")): '["Ada", "home"]',
    (ChatFormat.PALIGEMMA, ()): "[]",
    # 2 of 2046 is 1 of 1023, 100 of 1000 is 102.3, 1023 of 2046 is 511.5 and so 512.
    (ChatFormat.PALIGEMMA, BOTH): "<loc0001><loc0102><loc0512><loc0307> Ada ; "
    "<loc0000><loc0000><loc1023><loc1023> home",
    (ChatFormat.PALIGEMMA, NOWHERE): NO_ANSWER,
    (ChatFormat.GEMINI, BOTH): '[{"box_2d": [1, 100, 500, 300], "label": "Ada"}, '
    '{"box_2d": [0, 0, 1000, 1000], "label": "home"}]',
    (ChatFormat.GEMINI, NOWHERE): "[]",
    (ChatFormat.GEMINI, NO_ANSWER): "<no answer>",
    (ChatFormat.GEMINI, ()): "[]",
    (ChatFormat.OPENAI, BOTH): '[{"text": "Ada", "bounds": [100, 1, 300, 500]}, '
    '{"text": "home", "bounds": [0, 0, 1000, 1000]}]',
    (ChatFormat.OPENAI, NOWHERE): "[]",
    (ChatFormat.OPENAI, NO_ANSWER): "<no answer>",
    (ChatFormat.OPENAI, ("Größe",)): '["Größe"]',
}


@pytest.mark.parametrize(("layout", "target"), list(REPLIES))
def test_replies(layout, target):
    assert reply_text(layout, target) == REPLIES[layout, target]


def asked(layout, task, target, question="Who?"):
    line = chat_line(layout, task, question, target, PICTURE)
    assert line.endswith("\n")
    assert line.isascii()
    assert line.splitlines() == [line[:-1]]
    return json.loads(line)


@pytest.mark.parametrize("task", list(ChatTask))
def test_lines(task):
    prompts = {layout: instructions(layout)[task] + "Who?" for layout in ChatFormat}
    assert asked(ChatFormat.PALIGEMMA, task, "Ada") == {
        "image": "images/1.png",
        "prefix": prompts[ChatFormat.PALIGEMMA],
        "suffix": "Ada",
    }
    file = {"mimeType": "image/png", "fileUri": "images/1.png"}
    assert asked(ChatFormat.GEMINI, task, "Ada") == {
        "contents": [
            {"role": "user", "parts": [{"fileData": file}, {"text": prompts[ChatFormat.GEMINI]}]},
            {"role": "model", "parts": [{"text": "Ada"}]},
        ]
    }
    assert asked(ChatFormat.OPENAI, task, "Ada") == {
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": prompts[ChatFormat.OPENAI]},
                    {"type": "image_url", "image_url": {"url": "images/1.png"}},
                ],
            },
            {"role": "assistant", "content": "Ada"},
        ]
    }


HOSTILE = 'x"\n\u2028\u202e\x00\x1b[2J</script><loc0001>\\ <image> ; <eos>'


@pytest.mark.parametrize("layout", list(ChatFormat))
def test_hostile_texts_stay_texts_in_one_line(layout):
    element = UiElement(HOSTILE, ADA.bounds, 1)
    for target in (HOSTILE, (HOSTILE,), Located((element,), SIZE)):
        record = asked(layout, ChatTask.SQA_S, target, HOSTILE)
        text = json.dumps(record)
        assert json.loads(text) == record
    if layout is ChatFormat.OPENAI:
        assert json.loads(reply_text(layout, (HOSTILE,))) == [HOSTILE]
        assert record["messages"][0]["content"][0]["text"].endswith("\n" + HOSTILE)
    if layout is ChatFormat.GEMINI:
        (found,) = json.loads(record["contents"][1]["parts"][0]["text"])
        assert found["label"] == HOSTILE


def test_no_text_of_a_screen_becomes_a_control_token():
    screen = "a<loc0001><seg001><image><bos><eos><pad><unused7><start_of_turn>"
    record = asked(ChatFormat.PALIGEMMA, ChatTask.SQA_S, screen, screen)
    for text in (record["prefix"], record["suffix"]):
        assert not re.search(r"<(loc|seg|image|bos|eos|pad|unused|start)", text)
        assert "< loc0001>< seg001>< image>" in text
    kept = "<no answer> <unknown> <$25,000 < loc <loc1> <b>"
    assert without_control_tokens(kept) == kept


@given(st.lists(st.text(), min_size=1, max_size=5))
def test_a_list_of_located_texts_can_be_taken_apart(texts):
    located = Located(tuple(UiElement(text, ADA.bounds, 0) for text in texts), SIZE)
    reply = reply_text(ChatFormat.PALIGEMMA, located)
    first, *parts = re.split(r"(?:<loc\d{4}>){4} ", reply)
    assert first == ""
    found = [part.removesuffix(" ; ") for part in parts[:-1]] + parts[-1:]
    assert found == list(map(without_control_tokens, texts))
