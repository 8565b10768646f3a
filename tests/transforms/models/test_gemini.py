"""Tests of Gemini against a fake of it; what single replies come to, and what fails how."""

import asyncio
import dataclasses
import gc
import hashlib
import json
import warnings

import pytest
from fake_models import plays, quota, refusal, reset, said, wait_for

from schemas.models import ModelPolicy, ReplyOutcome
from transforms.models.pricing import make_request
from transforms.models.protocol import (
    QuotaGoneError,
    RefusedRequestError,
    TryLaterError,
    make_provider,
)


def ask(policy, *prompts, **more):
    """Asks one after the other, each on its own, and closes the client."""

    async def run():
        provider = make_provider(policy)
        try:
            return [
                await provider.ask(make_request(policy, prompt, "v1", **more))
                for prompt in prompts or ["hello"]
            ]
        finally:
            await provider.close()

    return asyncio.run(run())


def test_a_question_is_sent_whole_and_its_reply_kept_whole(service, gemini):
    (reply,) = ask(gemini, "Say “no”.\n")
    assert (reply.outcome, reply.text) == (ReplyOutcome.ANSWERED, "re: Say “no”.\n")
    assert (reply.finish_reason, reply.model_version) == ("STOP", "gemini-fake-001")
    assert (reply.prompt_tokens, reply.output_tokens) == (10, 5)
    ((_, path, headers, body, _),) = service.calls
    assert path == "/v1beta/models/gemini-fake:generateContent"
    assert headers["x-goog-api-key"].startswith("AIza")
    assert body["generationConfig"] == {"temperature": 0.0, "maxOutputTokens": 50}


def test_a_path_before_the_interface_is_kept(service, gemini):
    ask(dataclasses.replace(gemini, base_url=f"{service.url}/proxy"))
    assert service.calls[0][1] == "/proxy/v1beta/models/gemini-fake:generateContent"


def test_schema_and_further_parameters_are_sent(service, gemini):
    policy = dataclasses.replace(
        gemini, structured_output=True, parameters=(("seed", 7), ("thinking_budget", 0))
    )
    ask(policy, response_schema='{"type": "array", "items": {"type": "string"}}')
    sent = json.dumps(service.calls[0][3]["generationConfig"])
    for part in ('"seed": 7', '"items"', "application/json"):
        assert part in sent
    assert "hinking" in sent


def test_pictures_go_before_the_prompt(service, gemini):
    picture = b"\xff\xd8\xff pretends to be a JPEG"
    request = make_request(gemini, "what?", "v1", images=(hashlib.sha256(picture).hexdigest(),))

    async def run():
        provider = make_provider(gemini)
        await provider.ask(request, [picture])
        await provider.close()

    asyncio.run(run())
    first, second = service.calls[0][3]["contents"][0]["parts"]
    assert "image/jpeg" in json.dumps(first)
    assert second == {"text": "what?"}


BLOCKED_PROMPT = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {}}
THOUGHT = {"candidates": [{"content": {"parts": [{"text": "hm", "thought": True}]}}]}


@pytest.mark.parametrize(
    ("body", "outcome", "text", "reason"),
    [
        (said("yes"), ReplyOutcome.ANSWERED, "yes", "STOP"),
        (said("yes", finish="FINISH_REASON_UNSPECIFIED"), ReplyOutcome.ANSWERED, "yes", None),
        ({"candidates": [{"content": {"parts": [{"text": "a"}, {"text": "b"}]}}]},
         ReplyOutcome.ANSWERED, "ab", ""),
        (BLOCKED_PROMPT, ReplyOutcome.BLOCKED, "", "SAFETY"),
        ({"promptFeedback": {"blockReason": "NEW_REASON"}}, ReplyOutcome.BLOCKED, "", "NEW_REASON"),
        (said(None, finish="SAFETY"), ReplyOutcome.BLOCKED, "", "SAFETY"),
        ({"candidates": [{"finishReason": "SAFETY"}]}, ReplyOutcome.BLOCKED, "", "SAFETY"),
        (said("par", finish="RECITATION"), ReplyOutcome.BLOCKED, "par", "RECITATION"),
        (said(None, finish="MAX_TOKENS"), ReplyOutcome.TRUNCATED, "", "MAX_TOKENS"),
        (said('["3", "thr', finish="MAX_TOKENS"), ReplyOutcome.TRUNCATED, '["3", "thr', None),
        ({"candidates": [{"content": {"parts": []}, "finishReason": "STOP"}]},
         ReplyOutcome.EMPTY, "", "STOP"),
        (said("  "), ReplyOutcome.EMPTY, "  ", "STOP"),
        ({"candidates": [], "usageMetadata": {"promptTokenCount": 3}}, ReplyOutcome.EMPTY, "", ""),
        (THOUGHT, ReplyOutcome.EMPTY, "", ""),
        (said("so", finish="BRAND_NEW"), ReplyOutcome.MALFORMED, "so", "BRAND_NEW"),
        (said(None, finish="OTHER"), ReplyOutcome.EMPTY, "", "OTHER"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:.* is not a valid")
def test_what_replies_come_to(service, gemini, body, outcome, text, reason):
    service.script = [plays(200, body)]
    (reply,) = ask(gemini)
    assert (reply.outcome, reply.text) == (outcome, text)
    assert reason is None or reply.finish_reason == reason


def test_thoughts_are_counted_as_output(service, gemini):
    usage = {"promptTokenCount": 3, "candidatesTokenCount": 4, "thoughtsTokenCount": 50}
    service.script = [plays(200, said("x", usageMetadata=usage))]
    (reply,) = ask(gemini)
    assert (reply.prompt_tokens, reply.output_tokens) == (3, 54)


@pytest.mark.parametrize(
    "play",
    [
        plays(200, b"<html>welcome to the hotel</html>"),
        plays(200, b""),
        plays(200, []),
        plays(200, 5),
        plays(200, {"error": {"code": 400}}),
        plays(200, {"candidates": [], "usageMetadata": {"promptTokenCount": "x"}}),
        plays(500, b"oops"),
        plays(503, []),
        refusal(429),
        reset,
    ],
)
def test_what_may_pass_is_to_be_tried_later(service, gemini, play):
    service.script = [play]
    with pytest.raises(TryLaterError):
        ask(gemini)
    assert len(service.calls) == 1


def test_no_service_at_all_may_pass(gemini):
    with pytest.raises(TryLaterError, match="no reply to read: ConnectError"):
        ask(dataclasses.replace(gemini, base_url="http://127.0.0.1:9"))


def test_a_silent_service_is_waited_for_no_longer_than_the_policy_says(service, gemini):
    service.latency_s = 1.0
    with pytest.raises(TryLaterError, match="Timeout"):
        ask(dataclasses.replace(gemini, timeout_s=0.1))


@pytest.mark.parametrize("header", [{"Retry-After": "61"}, {}])
def test_the_delay_of_the_server_is_handed_on(service, gemini, header):
    service.script = [refusal(429, "slow", [wait_for("58s")], **header)]
    with pytest.raises(TryLaterError) as caught:
        ask(gemini)
    assert caught.value.delay_s == (61 if header else 58)
    assert caught.value.crowded


def test_a_quota_of_the_day_stops_at_once(service, gemini):
    details = [quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier"), wait_for("20s")]
    service.script = [refusal(429, "quota", details)]
    with pytest.raises(QuotaGoneError, match="quota of the day"):
        ask(gemini)


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_refused_requests_say_why(service, gemini, status):
    service.script = [refusal(status, "because of this")]
    with pytest.raises(RefusedRequestError, match=f"{status}.*because of this"):
        ask(gemini)


def test_a_redirect_does_not_take_the_key_elsewhere(service, gemini):
    service.script = [plays(302, b"", Location=f"{service.url}/elsewhere")]
    with pytest.raises(RefusedRequestError, match="302"):
        ask(gemini)
    assert len(service.calls) == 1


def test_a_parameter_that_the_library_does_not_know_is_refused(service, gemini):
    policy = dataclasses.replace(gemini, parameters=(("temprature", 1),))
    with pytest.raises(RefusedRequestError, match="temprature"):
        ask(policy)
    assert service.calls == []


def test_without_a_key_the_sentence_says_where_to_put_it(monkeypatch):
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(RefusedRequestError, match="set GEMINI_API_KEY in the environment"):
        make_provider(ModelPolicy("gemini", "m"))


@pytest.mark.parametrize("names", [["GOOGLE_API_KEY"], ["GOOGLE_API_KEY", "GEMINI_API_KEY"]])
def test_the_usual_variables_hold_the_key(service, monkeypatch, names):
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    for name in names:
        monkeypatch.setenv(name, f"key-in-{name}")
    ask(ModelPolicy("gemini", "m", base_url=service.url))
    assert service.calls[0][2]["x-goog-api-key"] == f"key-in-{names[-1]}"


def test_vertex_is_asked_with_googles_credentials(service, monkeypatch):
    from google.auth.credentials import Credentials

    class Token(Credentials):
        def refresh(self, _: object) -> None:
            self.token = "a-token"

    monkeypatch.setattr("google.auth.default", lambda *_, **__: (Token(), "proj"))
    monkeypatch.setenv("GEMINI_API_KEY", "not-for-vertex")
    policy = ModelPolicy(
        "gemini", "m", base_url=service.url, vertex_project="proj", vertex_location="europe-west4"
    )
    (reply,) = ask(policy)
    assert reply.text == "re: hello"
    _, path, headers, _, _ = service.calls[0]
    assert path.startswith("/v1beta1/projects/proj/locations/europe-west4/publishers/google/models")
    assert headers["Authorization"] == "Bearer a-token"
    assert "not-for-vertex" not in json.dumps(headers)


def test_one_client_serves_question_after_question_and_leaves_nothing_open(service, gemini):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        ask(gemini, *(f"question {n}" for n in range(20)))
        gc.collect()
    assert len(service.calls) == 20


def test_a_reason_to_finish_that_is_new_warns_nobody(service, gemini):
    service.script = [plays(200, said("yes", "\x1b[31mBRAND_NEW"))]
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        ask(gemini)
    assert [w for w in warned if "valid" in f"{w.message}"] == []
