"""Tests of short answers made, checked and united."""

import dataclasses

import pytest

from schemas.geometry import Bounds
from schemas.models import ModelPolicy, ModelReply, ReplyOutcome
from schemas.questions import NO_ANSWER, Answer, AskedScreen, Provenance, Question, UiElement
from schemas.rejects import Outcome, Reason, Reject, Tally
from schemas.screens import ScreenRef
from schemas.short_answers import AnswerInput, ShortAnswerOrigin, ShortAnswerPolicy
from transforms.fates import question_id_of
from transforms.models.calling import Answered
from transforms.short_answers.generating import (
    ACCEPTED,
    RULES,
    VARIANTS,
    ShortenAnswers,
    inputs_of,
    is_list,
    keep_released,
    model_questions,
    shorten_by_model,
    shorten_by_rules,
)
from transforms.short_answers.prompts import PROMPT_VERSION, prompt_for

POLICY = ShortAnswerPolicy("rules")
GEMINI = ShortAnswerPolicy("gemini", ModelPolicy("gemini", "gemini-2.5-flash"))


def answer(full_answer, *elements):
    boxes = (UiElement(text, Bounds(0, 0, 9, 9), -1) for text in elements)
    return Answer(full_answer, tuple(boxes))


def question(*answers, text="What is the odometer reading?", short_answers=()):
    return Question(
        screen_id="7",
        text=text,
        answers=answers,
        short_answers=short_answers,
        frame=None,
        official_split=None,
        kinds=("answers",),
        provenance=Provenance("screenqa", "train.json", 3),
    )


def asked(*questions, **more):
    return AskedScreen("7", ScreenRef("7", "rico", "7.jpg", None), None, questions, **more)


def parted(results):
    results = list(results)
    screens = [result for result in results if isinstance(result, AskedScreen)]
    rejects = [result for result in results if isinstance(result, Reject)]
    tallies = {(t.kind, t.outcome): t.count for t in results if isinstance(t, Tally)}
    return screens, rejects, tallies


METERS = question(answer("The odometer reading is 0m.", "0 m"))
NOBODY = question(answer(NO_ANSWER), text="Who?")


def test_rules_shorten_each_answer_and_rows_say_who_did():
    (screen,), rejects, tallies = parted(shorten_by_rules(asked(METERS), POLICY))
    (made,) = screen.questions
    assert {"0 m", "0 meters"} <= set(made.short_answers)
    assert made.short_answers_from == RULES
    assert rejects == []
    assert tallies[VARIANTS, ACCEPTED] == len(made.short_answers)


def test_the_answers_of_a_question_are_united_and_no_answer_comes_last():
    both = question(answer("It is on.", "on"), answer(NO_ANSWER), answer("It is enabled.", "on"))
    (screen,), _, _ = parted(shorten_by_rules(asked(both), POLICY))
    (made,) = screen.questions
    assert made.short_answers[-1] == NO_ANSWER
    assert "on" in made.short_answers
    assert len(set(made.short_answers)) == len(made.short_answers)


def test_a_question_that_nobody_could_answer_needs_no_model():
    assert list(model_questions(asked(NOBODY), GEMINI)) == []
    (screen,), _, _ = parted(shorten_by_model(asked(NOBODY), [], GEMINI))
    assert screen.questions[0].short_answers == (NO_ANSWER,)


def test_released_short_answers_stay_as_they_are():
    released = question(answer("It is 5.", "5"), short_answers=("five",))
    assert inputs_of(released) == []
    (screen,), _, _ = parted(shorten_by_rules(asked(released), POLICY))
    assert screen.questions == (released,)


def reply(text, outcome=ReplyOutcome.ANSWERED):
    return ModelReply(outcome, text, "STOP", 10, 5)


def answered(screen, *replies):
    requests = [found.request for found in model_questions(screen, GEMINI)]
    return [Answered(request, reply, 1) for request, reply in zip(requests, replies, strict=True)]


def test_a_model_is_asked_once_for_equal_answers_and_its_replies_are_checked():
    twice = question(
        answer("The odometer reading is 0m.", "0 m"), answer("The odometer reading is 0m.", "0 m")
    )
    (one,) = model_questions(asked(twice), GEMINI)
    assert one.request.prompt == prompt_for(
        AnswerInput(twice.text, ("0 m",), "The odometer reading is 0m.")
    )
    assert (one.request.provider, one.request.prompt_version) == ("gemini", PROMPT_VERSION)
    said = answered(asked(twice), reply("['0 m', '0 meters', '17 km', '<no answer>']"))
    (screen,), _, tallies = parted(shorten_by_model(asked(twice), said, GEMINI))
    (made,) = screen.questions
    assert made.short_answers == ("0 m", "0 meters")
    assert made.short_answers_from == ShortAnswerOrigin(
        "gemini", "gemini-2.5-flash", PROMPT_VERSION
    )
    assert tallies[VARIANTS, "unsupported"] == 1
    assert tallies[VARIANTS, "abstention"] == 1


@pytest.mark.parametrize(
    "outcome",
    [
        ReplyOutcome.BLOCKED,
        ReplyOutcome.TRUNCATED,
        ReplyOutcome.EMPTY,
        ReplyOutcome.MALFORMED,
        ReplyOutcome.UNAVAILABLE,
    ],
)
def test_a_reply_of_no_use_rejects_its_question_alone(outcome):
    other = question(answer("It is Bluetooth.", "Bluetooth"), text="What can be used?")
    screen = asked(METERS, other)
    said = answered(screen, reply("", outcome), reply("['Bluetooth']"))
    (kept,), (reject,), _ = parted(shorten_by_model(screen, said, GEMINI))
    assert [found.text for found in kept.questions] == ["What can be used?"]
    assert (reject.kind, reject.reason) == ("answers", Reason.SHORT_ANSWERS_FAILED)


def test_a_screen_that_loses_its_last_question_is_no_longer_kept():
    screen = asked(METERS)
    said = answered(screen, reply("['17 km']"))
    screens, (reject,), tallies = parted(shorten_by_model(screen, said, GEMINI))
    assert screens == []
    assert reject.reason is Reason.SHORT_ANSWERS_FAILED
    # It had been counted as kept before.
    assert tallies["screen", Outcome.KEPT] == -1
    assert tallies["screen", Outcome.ORPHANED] == 1


def test_what_people_found_wrong_is_left_out_and_counted():
    found_wrong = ((question_id_of(METERS), frozenset({"0 meters", "never proposed"})),)
    screen = asked(METERS, rejected_variants=found_wrong)
    (kept,), _, tallies = parted(shorten_by_rules(screen, POLICY))
    assert "0 meters" not in kept.questions[0].short_answers
    assert "0 m" in kept.questions[0].short_answers
    assert tallies[VARIANTS, "rejected_by_people"] == 1
    assert kept.rejected_variants == ()


def test_released_short_answers_lose_what_people_found_wrong():
    released = question(answer("It is 5.", "5"), short_answers=("five", "6"))
    wrong = ((question_id_of(released), frozenset({"6"})),)
    results = [asked(released, rejected_variants=wrong)] | ShortenAnswers(ShortAnswerPolicy(), None)
    (screen,) = results.kept
    assert screen.questions[0].short_answers == ("five",)
    assert screen.questions[0].short_answers_from is None
    all_wrong = ((question_id_of(released), frozenset({"five", "6"})),)
    screens, (reject,), _ = parted(
        keep_released(asked(released, rejected_variants=all_wrong), ShortAnswerPolicy())
    )
    assert screens == []
    assert reject.detail == "released gave none that is right"


def test_without_a_maker_questions_stay_without_short_answers():
    (screen,), rejects, tallies = parted(keep_released(asked(METERS), ShortAnswerPolicy()))
    assert (screen.questions, rejects, tallies) == ((METERS,), [], {})


def test_only_a_list_is_a_reply_of_the_form_asked_for():
    assert is_list("Rephrases: ['male']")
    assert is_list('{"rephrases": ["male"]}')
    assert not is_list("male")
    assert not is_list("['x'")


def test_the_step_gives_what_its_function_gives():
    screens = [asked(METERS), dataclasses.replace(asked(NOBODY), screen_id="8")]
    kept, rejects, tallies = screens | ShortenAnswers(POLICY, None)
    expected = [parted(shorten_by_rules(screen, POLICY))[0][0] for screen in screens]
    assert sorted(kept, key=lambda found: found.screen_id) == expected
    assert rejects == []
    assert sum(t.count for t in tallies if t.outcome == ACCEPTED) == sum(
        len(q.short_answers) for found in expected for q in found.questions
    )
