"""The instructions before a question."""

import hashlib

import pytest

from transforms.chat.formats import ChatFormat
from transforms.chat.prompts import SHORT, instructions
from transforms.chat.tasks import ChatTask


def test_the_papers_instruction_byte_for_byte():
    assert SHORT == (
        "Answer the question based on the screenshot only. Do not use any other sources of "
        "information. The answer should be succinct and as short as possible. If the answer "
        "is a text from the image, provide it exactly without rephrasing or augmenting. If "
        'there is no answer on the image, output "<no answer>".\n'
    )
    digest = "974a19c9bf8b1c6848e45f678d5956543fb3bee7f8d92dfd7d67c53bff1c18fd"
    assert hashlib.sha256(SHORT.encode()).hexdigest() == digest


TOLD = [ChatFormat.GEMINI, ChatFormat.OPENAI]
"""Formats of models that are told what to do in a sentence."""


@pytest.mark.parametrize("layout", TOLD)
def test_each_task_has_one_line_that_says_what_no_answer_is(layout):
    found = instructions(layout)
    assert list(found) == list(ChatTask)
    assert found[ChatTask.SQA_S] == SHORT
    assert len(set(found.values())) == len(ChatTask)
    for text in found.values():
        assert text.isascii()
        assert text.endswith(".\n")
        assert text.count("\n") == 1
        assert "If there is no answer on the image, output " in text


def test_boxes_are_asked_for_as_each_format_has_them():
    texts = {layout: instructions(layout)[ChatTask.SQA_UIC_BB] for layout in TOLD}
    assert "[ymin, xmin, ymax, xmax] in thousandths" in texts[ChatFormat.GEMINI]
    assert "[left, top, right, bottom] in thousandths" in texts[ChatFormat.OPENAI]


def test_paligemma_gets_a_few_words_and_no_line_feed():
    found = instructions(ChatFormat.PALIGEMMA)
    assert list(found) == list(ChatTask)
    assert found[ChatTask.SQA_S] == "answer en "
    assert len(set(found.values())) == len(ChatTask)
    for text in found.values():
        assert text.isascii()
        assert text.endswith(" en ")
        assert "\n" not in text
