"""Tests of what asking would take."""

import dataclasses

import pytest

from schemas.models import ModelPolicy, ModelReply, Price, ReplyOutcome
from transforms.models.cache import ReplyCache
from transforms.models.pricing import (
    Estimate,
    cost_of,
    estimate,
    judged,
    make_request,
    prompt_tokens,
)

POLICY = ModelPolicy("p", "m", max_output_tokens=50, tries=2, price=Price(2.0, 10.0))


def reply(outcome=ReplyOutcome.ANSWERED, text="['a']"):
    return ModelReply(outcome, text, "STOP", 1, 1)


def test_a_request_holds_all_that_the_policy_says_about_the_reply():
    policy = dataclasses.replace(POLICY, parameters=(("seed", 7), ("top_p", 0.5)))
    request = make_request(policy, "q", "v1", response_schema="{}", images=("0" * 64,))
    assert request.parameters == (
        ("max_output_tokens", 50), ("seed", 7), ("temperature", 0.0), ("top_p", 0.5),
    )  # fmt: skip
    assert (request.response_schema, request.images) == ("", ("0" * 64,))
    structured = dataclasses.replace(policy, structured_output=True)
    assert make_request(structured, "q", "v1", response_schema="{}").response_schema == "{}"


def test_how_fast_and_for_how_much_is_no_part_of_a_request():
    other = dataclasses.replace(POLICY, tries=9, price=None, base_url="http://x", key_env="K")
    assert make_request(other, "q", "v1") == make_request(POLICY, "q", "v1")


def test_the_estimate_counts_what_is_stored_what_is_equal_and_what_is_to_pay(tmp_path):
    cache = ReplyCache(str(tmp_path))
    requests = [make_request(POLICY, f"{n:040}", "v1") for n in range(5)]
    cache.put(requests[0], reply())
    cache.put(requests[1], reply(ReplyOutcome.BLOCKED))
    cache.put(requests[2], reply(ReplyOutcome.EMPTY))
    wanted = [*requests, requests[4]]
    assert estimate(wanted, POLICY, cache) == Estimate(2, 3, 30, 150, pytest.approx(0.00156), "USD")
    cache.put(dataclasses.replace(requests[2], attempt=1), reply(ReplyOutcome.EMPTY))
    assert estimate(wanted, POLICY, cache, output_tokens=10) == Estimate(
        3, 2, 20, 20, pytest.approx(0.00024), "USD"
    )
    unpriced = dataclasses.replace(POLICY, price=None)
    assert estimate(wanted, unpriced, cache).cost is None


def test_a_stored_text_of_no_use_is_to_be_paid_again(tmp_path):
    cache = ReplyCache(str(tmp_path))
    request = make_request(POLICY, "q", "v1")
    cache.put(request, reply(text="chatter"))
    assert estimate([request], POLICY, cache).calls == 0
    assert estimate([request], POLICY, cache, judge=lambda text: "[" in text).calls == 1


def test_tokens_of_prompts_are_a_quarter_of_their_bytes():
    texts = {"": 0, "abcd": 1, "abcde": 2, "日本": 2, "\ud800": 1}
    for text, tokens in texts.items():
        assert prompt_tokens(make_request(POLICY, text, "v1")) == tokens
    assert prompt_tokens(make_request(POLICY, "abcd", "v1", images=("0" * 64,))) == 1001


def test_costs_follow_the_price_table():
    assert cost_of(1_000_000, 500_000, Price(0.1, 0.4)) == pytest.approx(0.3)
    assert cost_of(1_000_000, 500_000, None) == 0


def test_only_an_answer_can_be_malformed_by_its_text():
    def no(_: str) -> bool:
        return False

    assert judged(ReplyOutcome.ANSWERED, "x", no) is ReplyOutcome.MALFORMED
    assert judged(ReplyOutcome.ANSWERED, "x", None) is ReplyOutcome.ANSWERED
    for outcome in set(ReplyOutcome) - {ReplyOutcome.ANSWERED}:
        assert judged(outcome, "x", no) is outcome
