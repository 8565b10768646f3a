"""Tests of chat-completions endpoints against a fake of one."""

import asyncio
import dataclasses
import hashlib
import json

import pytest
from fake_models import chat as completion
from fake_models import plays, refusal, reset

from schemas.models import ReplyOutcome
from transforms.models.openai_compatible import read_completion
from transforms.models.pricing import make_request
from transforms.models.protocol import (
    QuotaGoneError,
    RefusedRequestError,
    TryLaterError,
    make_provider,
)


def ask(policy, images=(), **more):
    digests = tuple(hashlib.sha256(image).hexdigest() for image in images)

    async def run():
        provider = make_provider(policy)
        try:
            return await provider.ask(
                make_request(policy, "hello", "v1", images=digests, **more), images
            )
        finally:
            await provider.close()

    return asyncio.run(run())


def test_a_question_is_sent_whole_and_its_reply_kept_whole(service, chat):
    reply = ask(chat)
    assert (reply.outcome, reply.text) == (ReplyOutcome.ANSWERED, "re: hello")
    assert (reply.finish_reason, reply.model_version) == ("stop", "local-fake")
    assert (reply.prompt_tokens, reply.output_tokens) == (10, 5)
    ((_, path, headers, body, _),) = service.calls
    assert path == "/v1/chat/completions"
    assert headers["Authorization"].startswith("Bearer AIza")
    assert body == {
        "model": "local",
        "messages": [{"role": "user", "content": "hello"}],
        "stream": False,
        "max_tokens": 1024,
        "temperature": 0.0,
    }


def test_without_a_named_key_none_is_sent_not_even_from_netrc(service, chat, monkeypatch, tmp_path):
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password secret\n")
    (tmp_path / ".netrc").chmod(0o600)
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    monkeypatch.setenv("OPENAI_API_KEY", "belongs-to-others")
    ask(dataclasses.replace(chat, key_env=None))
    assert "Authorization" not in service.calls[0][2]


def test_schema_pictures_and_parameters_are_sent(service, chat):
    policy = dataclasses.replace(chat, structured_output=True, parameters=(("seed", 7),))
    ask(policy, images=[b"\x89PNG..."], response_schema='{"type": "array"}')
    body = service.calls[0][3]
    assert body["seed"] == 7
    assert body["response_format"]["json_schema"]["schema"] == {"type": "array"}
    picture, text = body["messages"][0]["content"]
    assert picture["image_url"]["url"].startswith("data:image/png;base64,")
    assert text == {"type": "text", "text": "hello"}


@pytest.mark.parametrize(
    ("body", "outcome", "text"),
    [
        (completion("yes"), ReplyOutcome.ANSWERED, "yes"),
        (completion("ye", "length"), ReplyOutcome.TRUNCATED, "ye"),
        (completion(None, "length"), ReplyOutcome.TRUNCATED, ""),
        (completion(None, "content_filter"), ReplyOutcome.BLOCKED, ""),
        (completion(None, refusal="I cannot"), ReplyOutcome.BLOCKED, ""),
        (completion(""), ReplyOutcome.EMPTY, ""),
        (completion(None), ReplyOutcome.EMPTY, ""),
        (completion("yes", "tool_calls"), ReplyOutcome.MALFORMED, "yes"),
        ({"choices": [{"message": {"content": "yes"}}]}, ReplyOutcome.ANSWERED, "yes"),
        ({"choices": [{"message": None}], "usage": []}, ReplyOutcome.EMPTY, ""),
    ],
)
def test_what_replies_come_to(body, outcome, text):
    reply = read_completion(body)
    assert (reply.outcome, reply.text) == (outcome, text)


@pytest.mark.parametrize("body", [{}, [], None, "x", {"choices": []}, {"choices": ["x"]}])
def test_what_is_no_completion_is_to_be_tried_later(body):
    with pytest.raises(TryLaterError, match="no chat completion"):
        read_completion(body)


@pytest.mark.parametrize(
    "play", [plays(200, b"<html>"), plays(502, b"oops"), refusal(429, "slow"), reset]
)
def test_what_may_pass_is_to_be_tried_later(service, chat, play):
    service.script = [play]
    with pytest.raises(TryLaterError):
        ask(chat)
    assert len(service.calls) == 1


def test_the_delay_of_the_server_is_handed_on(service, chat):
    service.script = [plays(429, {"error": {"message": "slow"}}, Retry_After="58")]
    with pytest.raises(TryLaterError, match="slow") as caught:
        ask(chat)
    assert caught.value.delay_s == 58


def test_no_money_left_stops_at_once(service, chat):
    error = {"message": "pay first", "type": "insufficient_quota", "code": "insufficient_quota"}
    service.script = [plays(429, {"error": error})]
    with pytest.raises(QuotaGoneError, match="pay first"):
        ask(chat)


@pytest.mark.parametrize(
    "play", [refusal(401, "bad key"), plays(404, b"nothing"), plays(302, b"", Location="/x")]
)
def test_refused_requests_say_why(service, chat, play):
    service.script = [play]
    with pytest.raises(RefusedRequestError):
        ask(chat)
    assert len(service.calls) == 1


def test_no_service_at_all_may_pass(chat):
    with pytest.raises(TryLaterError, match="ConnectionError"):
        ask(dataclasses.replace(chat, base_url="http://127.0.0.1:9"))


def test_an_address_is_needed(chat):
    with pytest.raises(RefusedRequestError, match="needs a base_url"):
        make_provider(dataclasses.replace(chat, base_url=None))


def test_a_key_that_the_service_echoes_is_blotted_out(service, chat):
    import os

    key = os.environ["LOCAL_KEY"]
    service.script = [plays(401, {"error": {"message": f"Incorrect API key: {key}"}})]
    with pytest.raises(RefusedRequestError, match=r"Incorrect API key: \[key\]"):
        ask(chat)


def test_bodies_are_json_with_any_text(service, chat):
    request = make_request(chat, 'lone \ud800, quote ", line\u2028', "v1")

    async def run():
        provider = make_provider(chat)
        await provider.ask(request)
        await provider.close()

    asyncio.run(run())
    assert json.dumps(service.calls[0][4]) == json.dumps(request.prompt)
