"""Tests of asking about the records of a pipeline."""

import dataclasses
import pickle

import apache_beam as beam
import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.portability.fn_api_runner import fn_runner
from apache_beam.testing.util import assert_that, equal_to
from fake_models import plays, refusal, reset, said, wait_for

from schemas.models import Budget, Limits, ModelPolicy
from schemas.rejects import Reason, Reject, Tally
from transforms.models.asker import AskPlan
from transforms.models.asking import AskModel, _Ask
from transforms.models.calling import Question
from transforms.models.pricing import make_request

POLICY = ModelPolicy("gemini", "gemini-fake", max_output_tokens=50)


def questions_of(number):
    """Asks about a number as often as its last digit modulo three says."""
    return [
        Question(make_request(POLICY, f"question {number}.{n}", "v1"), judge=is_echo)
        for n in range(number % 3)
    ]


def is_echo(text):
    return text.startswith("re:")


def use_answers(number, answered):
    """Yields what was said, or a reject for what came to nothing."""
    for one in answered:
        if one.reply.outcome != "answered":
            yield Reject("q", f"{number}", "use_answers", Reason.TEXT_EMPTY, one.reply.outcome, "t")
            continue
        yield one.reply.text.removeprefix("re: question ")
    yield Tally("numbers", "read", 1)


def expected(numbers):
    return [f"{number}.{n}" for number in numbers for n in range(number % 3)]


@pytest.fixture
def plan(tmp_path, gemini):
    policy = dataclasses.replace(POLICY, base_url=gemini.base_url, limits=Limits(concurrency=4))
    return AskPlan(policy, f"{tmp_path}/cache", f"{tmp_path}/state", f"{tmp_path}/ledger")


def ask(plan, numbers):
    return numbers | AskModel(plan, questions_of, use_answers)


def test_each_record_is_asked_about_and_results_keep_its_order(service, plan):
    kept, rejects, tallies = ask(plan, list(range(100)))
    assert kept == expected(range(100))
    assert rejects == []
    assert tallies == [Tally("model_replies", "answered", 99), Tally("numbers", "read", 100)]
    assert len(service.calls) == 99


def test_what_came_to_nothing_is_a_reject_and_counted(service, plan):
    service.always = {
        "question 7.0": plays(200, {"promptFeedback": {"blockReason": "SAFETY"}}),
        "question 8.0": plays(200, said("chatter")),
        "question 8.1": plays(200, said(None)),
        "question 11.0": plays(200, said("x", "MAX_TOKENS")),
    }
    kept, rejects, tallies = ask(plan, list(range(12)))
    assert len(kept) == len(expected(range(12))) - 4
    details = [(r.id, r.detail) for r in rejects]
    assert details == [("7", "blocked"), ("8", "malformed"), ("8", "empty"), ("11", "truncated")]
    counts = {t.outcome: t.count for t in tallies if t.kind == "model_replies"}
    assert counts == {"answered": 8, "blocked": 1, "malformed": 1, "empty": 1, "truncated": 1}


def test_a_second_build_asks_nothing_and_says_the_same(service, plan):
    first = ask(plan, list(range(40)))
    calls = len(service.calls)
    assert ask(plan, list(range(40))) == first
    assert len(service.calls) == calls


def test_replayed_bundles_pay_nothing_twice(service, plan):
    options = PipelineOptions(["--direct_runner_bundle_repeat=1"])
    with beam.Pipeline(runner=fn_runner.FnApiRunner(), options=options) as pipeline:
        split = pipeline | beam.Create(range(60)) | AskModel(plan, questions_of, use_answers)
        assert_that(split.kept | beam.Distinct(), equal_to(expected(range(60))))
    assert sorted(service.prompts()) == sorted(f"question {name}" for name in expected(range(60)))


def test_several_threads_and_bundles_share_one_client(service, plan):
    options = PipelineOptions(["--direct_num_workers=3", "--direct_running_mode=multi_threading"])
    with beam.Pipeline(runner="DirectRunner", options=options) as pipeline:
        split = (
            pipeline
            | beam.Create(range(80))
            | beam.Reshuffle()
            | AskModel(plan, questions_of, use_answers)
        )
        assert_that(split.kept, equal_to(expected(range(80))))
    assert len(service.calls) == len(expected(range(80)))


def test_a_stop_ends_the_build_with_its_sentence_and_the_next_goes_on(service, plan):
    policy = dataclasses.replace(plan.policy, budget=Budget(calls=20))
    with pytest.raises(Exception, match=r"budget of 20 calls \(budget.calls\) is spent"):
        ask(dataclasses.replace(plan, policy=policy), list(range(60)))
    assert len(service.calls) == 20
    assert ask(plan, list(range(60))).kept == expected(range(60))
    assert len(service.calls) == len(expected(range(60)))


def test_broken_connections_and_orders_to_wait_cost_no_question(service, plan):
    service.script = [None] * 5 + [reset, refusal(429, "slow", [wait_for("0.2s")]), refusal(500)]
    assert ask(plan, list(range(30))).kept == expected(range(30))


def test_batches_gather_a_bundle(service, plan, monkeypatch):
    import asyncio

    async def soon(_: float) -> None:
        await asyncio.sleep(0)

    monkeypatch.setattr("transforms.models.asker.BATCH_SLEEP", soon)
    plan = dataclasses.replace(plan, policy=dataclasses.replace(plan.policy, batch=True))
    assert ask(plan, list(range(30))).kept == expected(range(30))
    assert [c for c in service.calls if c[1].endswith(":generateContent")] == []
    assert service.calls[0][1].endswith(":batchGenerateContent")


def test_a_bug_in_what_uses_the_answers_ends_the_build_and_loses_nothing(service, plan):
    def buggy(number, answered):
        raise ZeroDivisionError(f"at {number}")
        yield

    with pytest.raises(Exception, match="at 0"):
        [0, 1, 2] | AskModel(plan, questions_of, buggy)
    assert ask(plan, [0, 1, 2]).kept == expected([0, 1, 2])


def test_it_travels_as_its_plan_alone(plan):
    ask_ = pickle.loads(pickle.dumps(_Ask(plan, questions_of, use_answers)))
    assert b"SENTINEL" not in pickle.dumps(ask_)
