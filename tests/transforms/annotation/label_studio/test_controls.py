"""Tests of the labeling configurations against the names that exports are read by."""

import xml.etree.ElementTree as ElementTree

import pytest

from schemas.annotations import AnnotationPass, AnswerState, Language, Verdict, VhSync
from transforms.annotation.label_studio.controls import CONTROLS, config_sha256, labeling_config
from transforms.annotation.taxonomy import ELEMENT_CLASSES

CONTROL_TAGS = {"Choices", "TextArea", "RectangleLabels", "Number"}


def config(pass_):
    return ElementTree.fromstring(labeling_config(pass_))


def values(pass_, control):
    (found,) = [tag for tag in config(pass_).iter() if tag.get("name") == control]
    return [child.get("value") for child in found]


@pytest.mark.parametrize("pass_", CONTROLS)
def test_a_configuration_has_exactly_the_controls_that_are_read(pass_):
    found = [tag for tag in config(pass_).iter() if tag.tag in CONTROL_TAGS]
    assert {tag.get("name") for tag in found} == CONTROLS[pass_]
    assert {tag.get("toName") for tag in found} == {"screen"}
    assert [tag.get("value") for tag in config(pass_).iter("Image")] == ["$image"]


@pytest.mark.parametrize("pass_", CONTROLS)
def test_boxes_cannot_be_turned_and_names_and_hotkeys_are_unique(pass_):
    tags = list(config(pass_).iter())
    assert all(t.get("canRotate") == "false" for t in tags if t.tag == "RectangleLabels")
    for key in ("name", "hotkey"):
        found = [tag.get(key) for tag in tags if tag.get(key)]
        assert len(found) == len(set(found))


def test_choices_are_those_that_are_understood():
    assert values(AnnotationPass.PREFILTER, "language") == [one.value for one in Language]
    assert values(AnnotationPass.PREFILTER, "vh_sync") == [one.value for one in VhSync]
    assert values(AnnotationPass.ANSWER, "answer_status") == [one.value for one in AnswerState]
    assert values(AnnotationPass.ANSWER, "element") == ["vh_candidate", "answer"]
    assert values(AnnotationPass.ELEMENT_REVIEW, "review_verdict") == [v.value for v in Verdict]
    verify = AnnotationPass.VERIFY_SHORT_ANSWERS
    assert values(verify, "short_answers_status") == ["all_right", "some_wrong"]
    assert values(verify, "wrong_short_answers") == []  # They come from the task's data.


@pytest.mark.parametrize("pass_", [AnnotationPass.ELEMENT, AnnotationPass.ELEMENT_REVIEW])
def test_elements_are_labelled_with_the_36_classes(pass_):
    assert tuple(values(pass_, "element")) == ELEMENT_CLASSES


@pytest.mark.parametrize(
    ("pass_", "most"),
    [
        (AnnotationPass.QUESTION_1, "5"),
        (AnnotationPass.QUESTION_2, "3"),
        (AnnotationPass.QUESTION_3_NA, "1"),
    ],
)
def test_a_question_pass_takes_no_more_than_its_number(pass_, most):
    (area,) = config(pass_).iter("TextArea")
    assert area.get("maxSubmissions") == most


def test_a_pass_without_configuration_is_named():
    with pytest.raises(ValueError, match="no labeling configuration for training"):
        labeling_config(AnnotationPass.TRAINING)


def test_a_configuration_is_known_by_its_digest():
    digests = {config_sha256(labeling_config(pass_)) for pass_ in CONTROLS}
    assert len(digests) == len(CONTROLS)
    assert all(len(digest) == 64 for digest in digests)
