"""Tests of batch mode: right replies to right questions, or none."""

import asyncio
import dataclasses
import os

import pytest
from fake_models import plays, refusal, reset, said

from schemas.models import Budget
from transforms.models.batching import Batcher
from transforms.models.calling import ask_all
from transforms.models.protocol import AskingStoppedError, RefusedRequestError, ServiceDownError
from transforms.models.spending import BudgetSpentError


def batcher_of(place, sleep=None) -> Batcher:
    batches, claims = str(place.folder / "batches"), str(place.folder / "claims")
    sleep = sleep or place.clock.sleep
    return Batcher(place.provider, place.cache, place.ledger, batches, claims, sleep=sleep)


def bring_and_ask(place, questions, sleep=None):
    async def run():
        try:
            await batcher_of(place, sleep).bring([question.request for question in questions])
            return await ask_all(questions, place.caller)
        finally:
            await place.provider.close()

    return asyncio.run(run())


def singles(service):
    return [call for call in service.calls if call[1].endswith(":generateContent")]


def handed_over(service):
    return [call for call in service.calls if call[1].endswith(":batchGenerateContent")]


def test_shuffled_replies_come_to_the_right_questions(service, desk, gemini):
    place = desk(gemini)
    answered = bring_and_ask(place, place.questions(250))
    assert [a.reply.text for a in answered] == [f"re: question {n}" for n in range(250)]
    assert singles(service) == []
    assert len(handed_over(service)) == 3
    sizes = [
        len(c[3]["batch"]["inputConfig"]["requests"]["requests"]) for c in handed_over(service)
    ]
    assert sizes == [100, 100, 50]
    assert place.ledger.spent().calls == 250
    assert list((place.folder / "batches").iterdir()) == []


def test_the_whole_request_is_handed_over(service, desk, gemini):
    place = desk(gemini)
    bring_and_ask(place, [place.question("q")])
    (call,) = handed_over(service)
    (sent,) = call[3]["batch"]["inputConfig"]["requests"]["requests"]
    assert sent["request"]["generationConfig"] == {"temperature": 0.0, "maxOutputTokens": 50}
    assert sent["metadata"] == {"screenset_key": place.question("q").request.key}


def without_metadata(replies):
    return [{"response": reply["response"]} for reply in replies]


def without_some(replies):
    return [r for n, r in enumerate(replies) if n % 3]


def with_errors(replies):
    return [
        {"metadata": r["metadata"], "error": {"code": 8, "message": "x"}} if n % 2 else r
        for n, r in enumerate(replies)
    ]


def with_nonsense(replies):
    return [
        {"metadata": r["metadata"], "response": {}} if n % 4 else r for n, r in enumerate(replies)
    ]


def none_at_all(replies):
    return []


@pytest.mark.parametrize(
    ("spoil", "missing"),
    [
        (without_metadata, 20),
        (without_some, 7),
        (with_errors, 10),
        (with_nonsense, 15),
        (none_at_all, 20),
    ],
)
def test_what_does_not_come_back_with_its_key_is_asked_singly(
    service, desk, gemini, spoil, missing
):
    service.spoil = spoil
    place = desk(gemini)
    answered = bring_and_ask(place, place.questions(20))
    assert [a.reply.text for a in answered] == [f"re: question {n}" for n in range(20)]
    assert len(singles(service)) == missing
    assert place.ledger.spent().calls == 20


def with_a_twin(replies):
    return [*replies, {**replies[0], "response": said("something else")}]


def with_a_stranger(replies):
    return [{**replies[0], "metadata": {"screenset_key": "0" * 64}}, *replies[1:]]


@pytest.mark.parametrize("spoil", [with_a_twin, with_a_stranger])
def test_replies_that_contradict_themselves_stop_the_build_and_none_is_stored(
    service, desk, gemini, spoil
):
    service.spoil = spoil
    place = desk(gemini)
    with pytest.raises(RefusedRequestError, match="mixes up its replies"):
        bring_and_ask(place, place.questions(20))
    assert list(place.cache.folder.entries()) == []


def test_what_is_stored_already_is_not_handed_over(service, desk, gemini):
    place = desk(gemini)
    bring_and_ask(place, place.questions(5))
    again = desk(gemini)
    bring_and_ask(again, again.questions(8))
    (_, second) = handed_over(service)
    assert len(second[3]["batch"]["inputConfig"]["requests"]["requests"]) == 3


def test_a_batch_takes_its_time(service, desk, gemini):
    place = desk(gemini)
    pending = {"name": "batches/b0", "metadata": {"state": "BATCH_STATE_RUNNING"}}
    service.script = [None, plays(200, pending), plays(200, pending), refusal(503, "busy")]
    start = place.clock.now
    answered = bring_and_ask(place, place.questions(5))
    assert [a.reply.text for a in answered] == [f"re: question {n}" for n in range(5)]
    assert place.clock.now - start >= 5 + 10
    assert singles(service) == []


class KilledError(BaseException):
    """Stands for the end of the process."""


def test_a_build_killed_while_a_batch_is_at_work_fetches_it_and_pays_nothing_twice(
    service, desk, gemini
):
    pending = {"name": "batches/b0", "metadata": {"state": "BATCH_STATE_RUNNING"}}
    service.script = [None, plays(200, pending)]

    async def die(_):
        raise KilledError

    place = desk(gemini)
    with pytest.raises(KilledError):
        bring_and_ask(place, place.questions(5), die)
    again = desk(gemini)
    answered = bring_and_ask(again, again.questions(8))
    assert [a.reply.text for a in answered] == [f"re: question {n}" for n in range(8)]
    sizes = [
        len(c[3]["batch"]["inputConfig"]["requests"]["requests"]) for c in handed_over(service)
    ]
    assert sizes == [5, 3]
    assert again.ledger.spent().calls == 8
    assert list((again.folder / "batches").iterdir()) == []


@pytest.mark.parametrize("state", ["BATCH_STATE_FAILED", "BATCH_STATE_EXPIRED", "gone"])
def test_a_batch_that_came_to_nothing_is_asked_singly(service, desk, gemini, state):
    lost = {"name": "batches/b0", "metadata": {"state": state}}
    service.script = [None, refusal(404, "no such batch") if state == "gone" else plays(200, lost)]
    place = desk(gemini)
    answered = bring_and_ask(place, place.questions(5))
    assert len(answered) == len(singles(service)) == 5


def test_a_budget_is_kept_before_anything_is_handed_over(service, desk, gemini):
    place = desk(dataclasses.replace(gemini, budget=Budget(calls=3)))
    with pytest.raises(BudgetSpentError, match="3 calls"):
        bring_and_ask(place, place.questions(5))
    # What fits is handed over, and nothing of the rest counts.
    (call,) = handed_over(service)
    assert len(call[3]["batch"]["inputConfig"]["requests"]["requests"]) == 3
    assert len(list(place.cache.folder.entries())) == place.ledger.spent().calls == 3


def test_what_replies_did_cost_makes_room_for_more(service, desk, gemini):
    place = desk(dataclasses.replace(gemini, budget=Budget(tokens=160)))
    answered = bring_and_ask(place, place.questions(5))
    assert [a.reply.text for a in answered] == [f"re: question {n}" for n in range(5)]
    assert singles(service) == []
    assert len(handed_over(service)) > 1
    assert place.ledger.spent().calls == 5


@pytest.mark.parametrize(
    ("play", "spent"), [(refusal(401, "bad key"), 0), (refusal(503, "busy"), 0), (reset, 16)]
)
def test_what_was_never_taken_is_free(service, desk, gemini, play, spent):
    service.script = [play] * 8
    place = desk(gemini)
    with pytest.raises(AskingStoppedError):
        bring_and_ask(place, place.questions(2))
    assert place.ledger.spent().calls == spent


@pytest.mark.parametrize("text", ["", "{", "[]", '{"name": "b0"}', '{"name": 1, "requests": [{}]}'])
def test_a_damaged_note_of_a_batch_is_moved_aside(service, desk, gemini, text):
    place = desk(gemini)
    batches = place.folder / "batches"
    batches.mkdir()
    (batches / "x.json").write_text(text)
    assert len(bring_and_ask(place, place.questions(2))) == 2
    assert (batches / "damaged" / "x.json").read_text() == text
    assert [path.name for path in batches.iterdir()] == ["damaged"]


def test_a_key_that_is_echoed_in_a_batch_is_not_stored(service, desk, gemini):
    service.say = lambda _: f"key {os.environ['GEMINI_API_KEY']}"
    place = desk(gemini)
    (answered,) = bring_and_ask(place, place.questions(1))
    assert answered.reply.text == "key [key]"
    assert len(handed_over(service)) == 1


def test_a_batch_mode_that_is_down_stops_the_build(service, desk, gemini):
    service.script = [refusal(503)] * 8
    place = desk(gemini)
    with pytest.raises(ServiceDownError, match="batch mode of the service does not work"):
        bring_and_ask(place, place.questions(5))
