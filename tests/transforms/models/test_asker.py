"""Tests of what asks for a whole worker."""

import dataclasses
import multiprocessing
import os
import pickle
import threading

import pytest
from fake_models import refusal

from schemas.models import Limits
from transforms.models.asker import Asker, AskPlan, borrow_asker, give_back_asker
from transforms.models.calling import Question
from transforms.models.pricing import make_request
from transforms.models.protocol import RefusedRequestError


def plan_at(folder, policy, name="build") -> AskPlan:
    return AskPlan(policy, f"{folder}/cache", f"{folder}/state", f"{folder}/{name}.ledger")


def questions(policy, count, first=0):
    return [Question(make_request(policy, f"question {first + n}", "v1")) for n in range(count)]


@pytest.fixture
def plan(tmp_path, policy):
    return plan_at(tmp_path, policy)


def test_it_asks_again_and_again_on_one_loop_and_leaves_no_thread(service, plan):
    asker = Asker(plan)
    for bundle in range(5):
        answered = asker.ask_all(questions(plan.policy, 7, bundle * 7))
        assert [a.reply.text for a in answered] == [
            f"re: question {bundle * 7 + n}" for n in range(7)
        ]
    asker.close()
    assert len(service.calls) == 35
    names = [thread.name for thread in threading.enumerate()]
    assert not [name for name in names if name.startswith(("asker", "asyncio"))]


def test_a_full_cache_needs_neither_key_nor_net(service, plan, monkeypatch):
    asker = Asker(plan)
    asker.ask_all(questions(plan.policy, 3))
    asker.close()
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "LOCAL_KEY"):
        monkeypatch.delenv(name, raising=False)
    again = Asker(plan)
    assert len(again.ask_all(questions(plan.policy, 3))) == 3
    assert again.stored(questions(plan.policy, 1)[0]).reply.text == "re: question 0"
    with pytest.raises(RefusedRequestError, match="KEY"):
        again.ask_all(questions(plan.policy, 4))
    again.close()


def test_a_plan_pickles_and_holds_no_key(plan):
    assert pickle.loads(pickle.dumps(plan)) == plan
    assert b"SENTINEL" not in pickle.dumps(plan)
    assert "SENTINEL" not in repr(plan)


def test_all_who_borrow_in_a_process_share_one(plan):
    first = borrow_asker(plan)
    assert borrow_asker(plan) is first
    give_back_asker(first)
    assert borrow_asker(plan) is first
    give_back_asker(first)
    give_back_asker(first)
    fresh = borrow_asker(plan)
    assert fresh is not first
    give_back_asker(fresh)


def test_one_that_was_stopped_is_not_lent_again(service, plan):
    service.script = [refusal(403, "no")]
    stopped = borrow_asker(plan)
    with pytest.raises(RefusedRequestError):
        stopped.ask_all(questions(plan.policy, 1))
    fresh = borrow_asker(plan)
    assert len(fresh.ask_all(questions(plan.policy, 1))) == 1
    for asker in (stopped, fresh):
        give_back_asker(asker)


def test_a_forked_worker_has_its_own(service, plan):
    parent = borrow_asker(plan)
    parent.ask_all(questions(plan.policy, 1))
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()

    def work() -> None:
        asker = borrow_asker(plan)
        results.put([a.reply.text for a in asker.ask_all(questions(plan.policy, 2))])
        give_back_asker(asker)
        os._exit(0)

    worker = context.Process(target=work)
    worker.start()
    assert results.get() == ["re: question 0", "re: question 1"]
    worker.join()
    give_back_asker(parent)
    assert len(service.calls) == 2


def test_two_builds_keep_limits_together_and_books_apart(service, tmp_path, gemini):
    policy = dataclasses.replace(gemini, limits=Limits(per_day=5))
    first, second = (Asker(plan_at(tmp_path, policy, name)) for name in "ab")
    first.ask_all(questions(policy, 3))
    with pytest.raises(Exception, match="5 calls a day"):
        second.ask_all(questions(policy, 3, first=10))
    assert (first.caller.paid, second.caller.paid) == (3, 2)
    first.close()
    second.close()
    assert len(service.calls) == 5


def test_batches_are_used_if_the_policy_says_so(service, tmp_path, gemini, monkeypatch):
    import asyncio

    async def soon(_: float) -> None:
        await asyncio.sleep(0)

    monkeypatch.setattr("transforms.models.asker.BATCH_SLEEP", soon)
    policy = dataclasses.replace(gemini, batch=True)
    asker = Asker(plan_at(tmp_path, policy))
    assert len(asker.ask_all(questions(policy, 5))) == 5
    assert len(asker.ask_all(questions(policy, 5))) == 5
    asker.close()
    assert [path.rpartition(":")[2] for _, path, *_ in service.calls][:1] == [
        "batchGenerateContent"
    ]
    assert not [1 for _, path, *_ in service.calls if path.endswith(":generateContent")]


def test_a_provider_without_batch_mode_says_so(tmp_path, chat):
    policy = dataclasses.replace(chat, batch=True)
    asker = Asker(plan_at(tmp_path, policy))
    with pytest.raises(RefusedRequestError, match="openai_compatible has no batch mode"):
        asker.ask_all(questions(policy, 2))
    asker.close()


def test_after_a_stop_it_can_still_be_closed(service, plan):
    service.always = {"question": refusal(403, "no")}
    asker = Asker(plan)
    futures = [asker.submit(question) for question in questions(plan.policy, 50)]
    asker.finish()
    assert all(future.exception() is not None for future in futures)
    assert isinstance(asker.caller.failure, RefusedRequestError)
    asker.close()
    assert len(service.calls) <= plan.policy.limits.concurrency


def test_it_works_in_a_process_that_has_a_loop_of_its_own(service, plan):
    import asyncio

    async def run():
        asker = Asker(plan)
        answered = await asyncio.to_thread(asker.ask_all, questions(plan.policy, 2))
        asker.close()
        return answered

    assert len(asyncio.run(run())) == 2
