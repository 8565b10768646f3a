"""Tests of asking: the right values of the issue, against a scripted fake service."""

import asyncio
import dataclasses
import hashlib
import os
import subprocess
import sys

import pytest
from fake_models import chat as completion
from fake_models import plays, quota, refusal, reset, said, wait_for

from schemas.models import Budget, Limits, ModelPolicy, ModelReply, Price, ReplyOutcome
from transforms.models.cache import path_of
from transforms.models.calling import Question, ask_all
from transforms.models.paying import PATIENCE
from transforms.models.pricing import make_request
from transforms.models.protocol import (
    QuotaGoneError,
    RefusedRequestError,
    ServiceDownError,
    StoreFailedError,
    TryLaterError,
)
from transforms.models.spending import BudgetSpentError, Spent


class Scripted:
    """A provider whose calls happen at once; `plays` are called with the request."""

    name = "scripted"

    def __init__(self, play=None):
        self.asked = []
        self.most_at_once = 0
        self._at_once = 0
        self._play = play or (lambda request: request.prompt)

    async def ask(self, request, images=()):
        self.asked.append(request)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        await asyncio.sleep(0)
        self._at_once -= 1
        said = self._play(request)
        if isinstance(said, Exception):
            raise said
        if isinstance(said, ModelReply):
            return said
        return ModelReply(ReplyOutcome.ANSWERED, said, "STOP", 10, 5)

    async def close(self):
        pass


POLICY = ModelPolicy("scripted", "m", max_output_tokens=50)


def ask(place, *questions, close=False):
    async def run():
        try:
            return await ask_all(questions, place.caller)
        finally:
            await place.provider.close()

    return asyncio.run(run())


def outcomes(answered):
    return [a.reply.outcome for a in answered]


# What is asked for, and what is not.


def test_questions_are_answered_in_their_order_whoever_provides(service, desk, policy):
    place = desk(policy)
    answered = ask(place, *place.questions(40))
    assert [a.reply.text for a in answered] == [f"re: question {n}" for n in range(40)]
    assert {a.tries for a in answered} == {1}
    assert (len(service.calls), place.caller.paid) == (40, 40)
    assert place.ledger.spent().calls == 40


def test_what_is_stored_is_not_asked_again(service, desk, policy):
    for _ in range(3):
        place = desk(policy)
        answered = ask(place, *place.questions(10))
        assert [a.reply.text for a in answered] == [f"re: question {n}" for n in range(10)]
    assert len(service.calls) == 10
    assert place.ledger.spent().calls == 10


def test_the_same_question_asked_twice_at_once_is_paid_once(service, desk, policy):
    place = desk(policy)
    answered = ask(place, *[place.question("same")] * 8, place.question("other"))
    assert [a.reply.text for a in answered] == ["re: same"] * 8 + ["re: other"]
    assert len(service.calls) == 2


def test_two_workers_that_ask_the_same_at_once_pay_once(service, gemini, tmp_path):
    # Slow enough that both want each reply before either has it.
    service.latency_s = 0.02
    command = [sys.executable, "-m", "asking_process", service.url, tmp_path, "30", "4"]
    workers = [start(command) for _ in range(2)]
    texts = [worker.communicate()[0].splitlines() for worker in workers]
    assert sorted(service.prompts()) == sorted(f"question {n}" for n in range(30))
    assert sum(int(lines[-1].removeprefix("paid ")) for lines in texts) == 30
    for lines in texts:
        assert lines[:-1] == [f"re: question {n}" for n in range(30)]


def test_a_changed_example_in_the_prompt_makes_no_hit(desk):
    provider = Scripted()
    for example in ("male", "female"):
        place = desk(POLICY, provider)
        ask(place, *(place.question(f"example: {example}. question {n}") for n in range(5)))
    assert len(provider.asked) == 10


def test_no_more_calls_are_under_way_than_may_be(desk):
    policy = dataclasses.replace(POLICY, limits=Limits(concurrency=3))
    provider = Scripted()
    place = desk(policy, provider)
    ask(place, *place.questions(50))
    assert provider.most_at_once == 3


def test_pictures_that_are_not_those_of_the_request_are_a_bug(desk):
    place = desk(POLICY, Scripted())
    request = make_request(POLICY, "q", "v1", images=(hashlib.sha256(b"this").hexdigest(),))
    with pytest.raises(ValueError, match="not those of the request"):
        ask(place, Question(request, images=(b"that",)))
    place = desk(POLICY, Scripted())
    ask(place, Question(request, images=(b"this",)))


# Waiting as the server says.


@pytest.mark.parametrize(
    "play",
    [
        refusal(429, "slow", [wait_for("58s")]),
        refusal(429, "slow", **{"Retry-After": "58"}),
        refusal(503, "busy", **{"Retry-After": "58"}),
    ],
)
def test_told_to_wait_58_s_no_call_comes_earlier(service, desk, policy, play):
    place = desk(policy)
    start = place.clock.now
    service.script = [play]
    begun = []
    service.say = lambda prompt: begun.append(place.clock.now) or prompt
    # The first is turned away; those that come after it wait as well.
    ask(place, place.question("first"))
    ask(desk(policy), place.question("second"))
    assert len(service.calls) == 3
    assert min(begun) >= start + 58


def test_what_the_server_told_one_worker_holds_for_the_others(desk):
    told, other = Scripted(lambda _: TryLaterError("slow", 58.0, crowded=True)), Scripted()
    first = desk(POLICY, told)
    second = desk(POLICY, other)
    second.clock.now = first.clock.now
    begun = []
    other._play = lambda request: begun.append(second.clock.now) or request.prompt

    async def run():
        asking = asyncio.create_task(first.caller.ask(first.question("a")))
        while not told.asked:
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        told._play = lambda request: request.prompt
        start = second.clock.now
        await asyncio.gather(asking, second.caller.ask(second.question("b")))
        assert begun[0] >= start + 58

    asyncio.run(run())


def test_only_the_one_question_waits_after_a_broken_connection(desk):
    failures = {"question 3": 2}

    def play(request):
        if failures.get(request.prompt, 0):
            failures[request.prompt] -= 1
            return TryLaterError("reset")
        return request.prompt

    place = desk(POLICY, Scripted(play))
    start = place.clock.now
    answered = ask(place, *place.questions(10))
    assert outcomes(answered) == [ReplyOutcome.ANSWERED] * 10
    assert 1 <= place.clock.now - start <= 3
    assert place.caller.paid == 10


def test_a_free_account_of_ten_calls_a_minute_loses_no_question(desk):
    minutes: dict[int, int] = {}

    def play(request):
        minute = int(place.clock.now // 60)
        minutes[minute] = minutes.get(minute, 0) + 1
        if minutes[minute] > 10:
            return TryLaterError("slow", 60 - place.clock.now % 60, crowded=True)
        return request.prompt

    place = desk(POLICY, Scripted(play))
    answered = ask(place, *place.questions(100))
    assert outcomes(answered) == [ReplyOutcome.ANSWERED] * 100
    # Some calls are turned away, since the limit is not in the manifest; not one in three.
    assert len(place.provider.asked) < 150


def test_tries_are_bounded_and_then_that_question_alone_fails(desk):
    def play(request):
        return TryLaterError("500") if request.prompt == "question 7" else request.prompt

    place = desk(POLICY, Scripted(play))
    answered = ask(place, *place.questions(20))
    assert outcomes(answered).count(ReplyOutcome.ANSWERED) == 19
    assert answered[7].reply.outcome is ReplyOutcome.UNAVAILABLE
    assert answered[7].reply.finish_reason == "500"
    assert sum(r.prompt == "question 7" for r in place.provider.asked) == PATIENCE
    # Nothing of it is stored or paid: the next build asks again.
    assert place.cache.get(answered[7].request.key) is None
    assert place.ledger.spent().calls == 19


def test_pauses_grow_and_are_the_same_each_time(desk):
    pauses = []
    for name in ("one", "two"):
        place = desk(POLICY, Scripted(lambda _: TryLaterError("reset")), name)
        ask(place, place.question("q"))
        pauses.append(place.clock.naps)
    assert pauses[0] == pauses[1]
    assert len(pauses[0]) == PATIENCE - 1
    assert all(2**n / 2 <= pause <= 2**n for n, pause in enumerate(pauses[0][:6]))
    assert max(pauses[0]) <= 60


def test_a_service_that_is_down_stops_the_build_and_not_question_by_question(desk):
    place = desk(POLICY, Scripted(lambda _: TryLaterError("no route to host")))
    with pytest.raises(ServiceDownError, match=r"5 questions one after the other .*no route"):
        ask(place, *place.questions(200))


def test_a_call_without_end_is_given_up(desk):
    class Silent(Scripted):
        async def ask(self, request, images=()):
            self.asked.append(request)
            if len(self.asked) == 1:
                await asyncio.sleep(600)
            return await super().ask(request)

    place = desk(dataclasses.replace(POLICY, timeout_s=-4.9), Silent())
    (answered,) = ask(place, place.question("q"))
    assert answered.reply.text == "q"


# Stopping at once.


@pytest.mark.parametrize(
    ("play", "sentence"),
    [
        (
            refusal(429, "q", [quota("GenerateRequestsPerDayPerProject"), wait_for("9s")]),
            "quota of the day",
        ),
        (refusal(429, "limit: 0", [wait_for("9s")]), "limit: 0"),
        (refusal(429, "q", [quota("PerMinute", "0")]), "limit: 0"),
    ],
)
def test_without_quota_everything_stops_at_once_with_a_sentence(
    service, desk, gemini, play, sentence
):
    place = desk(dataclasses.replace(gemini, limits=Limits(concurrency=1)))
    service.script = [None] * 4 + [play]
    with pytest.raises(QuotaGoneError, match=sentence):
        ask(place, *place.questions(50))
    assert len(service.calls) == 5
    assert place.clock.naps == []
    # What was paid for is there, and the next build goes on.
    again = desk(gemini)
    assert len(ask(again, *again.questions(50))) == 50
    assert len(service.calls) == 5 + 46


def test_a_bad_key_stops_at_once(service, desk, policy):
    service.always = {"question": refusal(401, "bad key")}
    place = desk(policy)
    with pytest.raises(RefusedRequestError, match="401"):
        ask(place, *place.questions(100))
    assert len(service.calls) <= policy.limits.concurrency


def test_calls_under_way_when_all_stops_are_stored(desk):
    def play(request):
        return QuotaGoneError("gone") if request.prompt == "question 2" else request.prompt

    place = desk(dataclasses.replace(POLICY, limits=Limits(concurrency=4)), Scripted(play))
    with pytest.raises(QuotaGoneError, match="gone"):
        ask(place, *place.questions(100))
    paid = [r for r in place.provider.asked if r.prompt != "question 2"]
    assert len(paid) <= 8
    assert all(place.cache.get(r.key) is not None for r in paid)


def test_one_prompt_that_the_service_refuses_is_its_own_trouble_once_others_fared_better(desk):
    def play(request):
        long = request.prompt == "question 5"
        return RefusedRequestError("too long", True) if long else request.prompt

    policy = dataclasses.replace(POLICY, limits=Limits(concurrency=1))
    place = desk(policy, Scripted(play))
    answered = ask(place, *place.questions(8))
    assert answered[5].reply.outcome is ReplyOutcome.UNAVAILABLE
    assert outcomes(answered).count(ReplyOutcome.ANSWERED) == 7
    # But if it is the first of all, it may as well be the policy that is wrong.
    with pytest.raises(RefusedRequestError, match="too long"):
        ask(desk(policy, Scripted(play), "other"), place.questions(8)[5])


def test_a_bug_of_a_provider_is_not_taken_for_an_outcome(desk):
    place = desk(POLICY, Scripted(lambda _: ZeroDivisionError("bug")))
    with pytest.raises(ZeroDivisionError, match="bug"):
        ask(place, *place.questions(30))


# The four outcomes.


def test_blocked_questions_are_asked_once_and_never_again(service, desk, gemini):
    service.always = {"question 1": plays(200, {"promptFeedback": {"blockReason": "SAFETY"}})}
    for _ in range(2):
        place = desk(gemini)
        answered = ask(place, *place.questions(3))
        assert outcomes(answered) == ["answered", "blocked", "answered"]
        assert answered[1].reply.finish_reason == "SAFETY"
    assert len(service.calls) == 3


@pytest.mark.parametrize(
    ("play", "outcome"),
    [
        (plays(200, said('["3", "thr', "MAX_TOKENS")), "truncated"),
        (plays(200, said(None, "STOP")), "empty"),
        (plays(200, said("chatter")), "malformed"),
    ],
)
def test_an_item_that_never_works_is_tried_a_bounded_number_of_times(
    service, desk, gemini, play, outcome
):
    service.always = {"question 7": play}
    place = desk(gemini)
    questions = [
        place.question(f"question {n}", judge=lambda text: text.startswith("re:"))
        for n in range(12)
    ]
    answered = ask(place, *questions)
    assert answered[7].reply.outcome == outcome
    assert (answered[7].tries, answered[7].request.attempt) == (3, 2)
    assert outcomes(answered).count(ReplyOutcome.ANSWERED) == 11
    assert len(service.calls) == 11 + 3
    # A rebuild comes to the same without a call, and the raw text is there.
    again = ask(desk(gemini), *questions)
    assert again == answered
    assert len(service.calls) == 14


def test_all_four_outcomes_are_told_apart(service, desk, chat):
    service.always = {
        "block": plays(200, completion(None, "content_filter")),
        "long": plays(200, completion("[", "length")),
        "void": plays(200, completion("")),
        "chat": plays(200, completion("Sure!")),
    }
    place = desk(chat)
    names = ("block", "long", "void", "chat", "fine")
    questions = [place.question(name, judge=lambda text: text == "re: fine") for name in names]
    assert outcomes(ask(place, *questions)) == [
        "blocked", "truncated", "empty", "malformed", "answered",
    ]  # fmt: skip


def test_a_better_judge_makes_use_of_what_is_stored(desk):
    provider = Scripted(lambda _: "- three")
    place = desk(dataclasses.replace(POLICY, tries=1), provider)
    assert outcomes(ask(place, place.question("q", judge=lambda t: t[0] == "["))) == ["malformed"]
    assert outcomes(ask(place, place.question("q", judge=lambda t: t[0] == "-"))) == ["answered"]
    assert len(provider.asked) == 1


def test_the_second_try_may_succeed(desk):
    def play(request):
        if request.attempt:
            return "['3']"
        return ModelReply(ReplyOutcome.TRUNCATED, "['3", "MAX_TOKENS", 1, 1)

    place = desk(POLICY, Scripted(play))
    (answered,) = ask(place, place.question("q"))
    assert (answered.reply.text, answered.tries) == ("['3']", 2)
    first = dataclasses.replace(answered.request, attempt=0)
    assert place.cache.get(first.key).text == "['3"


# Money.


def test_a_budget_of_calls_is_hard_and_once_raised_the_build_goes_on(desk):
    provider = Scripted()
    place = desk(dataclasses.replace(POLICY, budget=Budget(calls=12)), provider)
    with pytest.raises(BudgetSpentError, match="budget of 12 calls"):
        ask(place, *place.questions(40))
    assert len(provider.asked) == 12
    # The same again, with the budget as it was: nothing more is paid.
    place = desk(dataclasses.replace(POLICY, budget=Budget(calls=12)), provider)
    with pytest.raises(BudgetSpentError):
        ask(place, *place.questions(40))
    assert len(provider.asked) == 12
    place = desk(dataclasses.replace(POLICY, budget=Budget(calls=40)), provider)
    assert len(ask(place, *place.questions(40))) == 40
    assert len(provider.asked) == 40
    assert place.ledger.spent().calls == 40


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_budget_of_money_counts_replies_as_they_were(desk, concurrency):
    price = Price(input_per_million=1000.0, output_per_million=1000.0)
    policy = dataclasses.replace(
        POLICY, price=price, budget=Budget(cost=0.3), limits=Limits(concurrency=concurrency)
    )
    place = desk(policy, Scripted())
    with pytest.raises(BudgetSpentError, match=r"budget of 0.3 USD"):
        ask(place, *place.questions(100))
    # 15 tokens each, and room for one more of 3 + 50 at most, as long as there is.
    assert len(place.provider.asked) == 17
    assert place.ledger.spent() == Spent(17, 170, 85, pytest.approx(0.255))


def test_calls_that_failed_cost_nothing(desk):
    place = desk(
        dataclasses.replace(POLICY, budget=Budget(calls=1)),
        Scripted(lambda r: TryLaterError("x") if r.prompt == "question 0" else r.prompt),
    )
    ask(place, place.question("question 0"))
    ask(place, place.question("question 1"))
    assert place.ledger.spent().calls == 1


def test_calls_without_an_answer_count_and_the_budget_stays_hard(desk):
    policy = dataclasses.replace(POLICY, budget=Budget(calls=10), timeout_s=-4.99)

    class Silent(Scripted):
        async def ask(self, request, images=()):
            self.asked.append(request)
            await asyncio.sleep(600)

    place = desk(policy, Silent())
    with pytest.raises(BudgetSpentError, match="10 calls"):
        ask(place, *place.questions(12))
    assert len(place.provider.asked) == place.ledger.spent().calls == 10


@pytest.mark.parametrize(
    ("play", "free"),
    [
        (reset, False),
        (plays(200, b"<html>"), False),
        (plays(200, {"x": 1}), False),
        (refusal(503, "busy"), True),
        (refusal(429, "slow"), True),
    ],
)
def test_only_what_is_refused_is_free(service, desk, policy, play, free):
    service.script = [play] * 2
    place = desk(policy)
    ask(place, place.question("q"))
    assert place.ledger.spent().calls == (1 if free else 3)


def test_calls_that_reached_nobody_are_free(desk, policy):
    place = desk(dataclasses.replace(policy, base_url="http://127.0.0.1:9"))
    assert outcomes(ask(place, place.question("q"))) == [ReplyOutcome.UNAVAILABLE]
    assert place.ledger.spent() == Spent()


# Nothing is lost.


def test_an_error_on_call_30_of_50_leaves_21_calls(desk):
    policy = dataclasses.replace(POLICY, limits=Limits(concurrency=1))
    broken = Scripted()
    broken._play = lambda r: ConnectionAbortedError("bug") if len(broken.asked) == 30 else r.prompt
    with pytest.raises(ConnectionAbortedError):
        ask(desk(policy, broken), *place_questions(50))
    whole = Scripted()
    assert len(ask(desk(policy, whole), *place_questions(50))) == 50
    assert (len(broken.asked), len(whole.asked)) == (30, 21)


def test_killed_on_call_30_of_50_the_next_build_makes_21_calls(service, gemini, tmp_path):
    command = [sys.executable, "-m", "asking_process", service.url, tmp_path, "50", "1"]
    worker = start(command)
    service.script = [None] * 29 + [lambda _: worker.kill()]
    worker.communicate()
    assert worker.returncode == -9
    assert len(service.calls) == 30
    again = start(command)
    lines = again.communicate()[0].splitlines()
    assert lines == [f"re: question {n}" for n in range(50)] + ["paid 21"]
    assert len(service.calls) == 51


def test_killed_again_and_again_no_more_is_lost_than_was_under_way(service, gemini, tmp_path):
    command = [sys.executable, "-m", "asking_process", service.url, tmp_path, "60", "4"]
    service.latency_s = 0.005
    for calls in (3, 11, 20):
        worker = start(command)
        service.script = [None] * calls + [lambda _, worker=worker: worker.kill()]
        worker.communicate()
    lines = start(command).communicate()[0].splitlines()
    assert lines[:-1] == [f"re: question {n}" for n in range(60)]
    assert len(service.calls) <= 60 + 3 * 4
    assert int(lines[-1].removeprefix("paid ")) <= 60 - 34 + 3 * 4


def test_a_broken_connection_is_tried_again_and_the_rest_asked_once(service, desk, policy):
    service.script = [None] * 29 + [reset]
    place = desk(policy)
    assert len(ask(place, *place.questions(50))) == 50
    assert len(service.calls) == 51
    # The call that broke off may have to be paid.
    assert place.ledger.spent().calls == 51


def test_a_damaged_reply_is_moved_aside_and_asked_again(desk):
    provider = Scripted()
    place = desk(POLICY, provider)
    (answered,) = ask(place, place.question("q"))
    path = place.folder / "cache" / path_of(answered.request.key)
    path.write_bytes(path.read_bytes().replace(b'"q"', b'"Q"', 1))
    place = desk(POLICY, provider)
    assert ask(place, place.question("q")) == [answered]
    assert (len(provider.asked), place.cache.damaged) == (2, 1)
    assert os.listdir(place.folder / "cache" / "damaged") == [f"{answered.request.key}.json"]


def test_a_reply_that_cannot_be_stored_is_not_used(desk, monkeypatch):
    place = desk(POLICY, Scripted())

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(place.cache, "put", full)
    with pytest.raises(OSError, match="No space"):
        ask(place, *place.questions(30))
    assert len(place.provider.asked) <= POLICY.limits.concurrency


def test_without_a_place_for_replies_nothing_is_asked(desk, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    place = desk(POLICY, Scripted(), root=str(tmp_path / "file"))
    with pytest.raises(StoreFailedError, match=f"{tmp_path}/file"):
        ask(place, *place.questions(30))
    assert place.provider.asked == []
    assert place.ledger.spent() == Spent()


def test_a_disk_that_fills_up_loses_what_is_under_way_once(desk, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    place = desk(POLICY, Scripted())
    place.cache.try_writing()
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreFailedError, match=f"{place.folder}/cache.*No space"):
        ask(place, *place.questions(30))
    paid = len(place.provider.asked)
    assert place.ledger.spent().calls == paid <= POLICY.limits.concurrency
    again = desk(POLICY, Scripted())
    with pytest.raises(StoreFailedError, match="No space"):
        ask(again, *again.questions(30))
    assert again.provider.asked == []


def test_a_key_that_is_echoed_in_a_reply_is_not_stored(service, desk, policy):
    key = os.environ["GEMINI_API_KEY" if policy.provider == "gemini" else "LOCAL_KEY"]
    service.say = lambda _: f"key {key}"
    place = desk(policy)
    (answered,) = ask(place, place.question("q"))
    assert answered.reply.text == "key [key]"
    assert key not in (place.folder / "cache" / path_of(answered.request.key)).read_text()


def test_what_servers_say_reaches_no_terminal_as_it_is(service, desk, policy):
    service.script = [refusal(403, "\x1b[31mHOSTILE\x1b]0;pwn\x07\n end \u202e")]
    place = desk(policy)
    with pytest.raises(RefusedRequestError, match="HOSTILE") as caught:
        ask(place, place.question("q"))
    assert f"{caught.value}".isprintable()


def test_a_call_whose_worker_died_before_entering_it_is_entered_by_the_next(desk):
    place = desk(POLICY, Scripted())
    question = place.question("q")
    place.ledger.begin(question.request)
    place.cache.put(question.request, ModelReply(ReplyOutcome.ANSWERED, "x", "STOP", 10, 5))
    again = desk(POLICY, Scripted())
    assert again.ledger.spent() == Spent(1, 1, 50)
    ask(again, question)
    assert again.ledger.spent() == Spent(1, 10, 5)


def test_a_store_over_the_net_is_used_in_the_same_way(desk):
    import fsspec

    provider = Scripted()
    for _ in range(2):
        place = desk(POLICY, provider, root="memory://replies")
        assert len(ask(place, *place.questions(20))) == 20
    assert len(provider.asked) == 20
    fsspec.filesystem("memory").store.clear()


def test_what_is_stored_is_known_without_asking(desk):
    place = desk(POLICY, Scripted())
    assert place.caller.stored(place.question("q")) is None
    answered = ask(place, place.question("q"))
    assert place.caller.stored(place.question("q")) == answered[0]
    unusable = place.question("q", judge=lambda _: False)
    assert place.caller.stored(unusable) is None
    assert ask(place, unusable)[0].tries == 3
    assert place.caller.stored(unusable).reply.outcome is ReplyOutcome.MALFORMED


def place_questions(count):
    return [Question(make_request(POLICY, f"question {n}", "v1")) for n in range(count)]


def start(command):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__))))
    path = os.pathsep.join([root, f"{root}/tests/support"])
    return subprocess.Popen(
        list(map(str, command)), stdout=subprocess.PIPE, text=True, cwd=root,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
