"""Tests of how providers are made, and of the example of one."""

import asyncio
import pathlib
import re
import sys

import pytest
from fake_models import plays

from schemas.models import ModelPolicy, ReplyOutcome
from transforms.models.calling import ask_all
from transforms.models.protocol import (
    BatchProvider,
    RefusedRequestError,
    TryLaterError,
    make_provider,
)


def test_a_provider_without_batch_mode_is_told_from_one_with_it(gemini, chat):
    assert isinstance(make_provider(gemini), BatchProvider)
    assert not isinstance(make_provider(chat), BatchProvider)


@pytest.mark.parametrize(
    ("provider", "sentence"),
    [
        ("gemeni", "one of gemini, openai_compatible, or the path package.module:name"),
        ("no.such:Thing", "cannot be loaded: No module named 'no'"),
        ("json:Thing", "cannot be loaded: module 'json' has no attribute 'Thing'"),
    ],
)
def test_an_unknown_provider_is_refused_with_what_there_is(provider, sentence):
    with pytest.raises(RefusedRequestError, match=re.escape(sentence)):
        make_provider(ModelPolicy(provider, "m"))


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("ftp://host", "no http:// or https:// address"),
        ("host:80", "no http:// or https:// address"),
        ("http://[", "no http:// or https:// address"),
        ("https://user:secret@host/v1", "put keys into the environment"),
        ("https://host/v1?key=secret", "put keys into the environment"),
    ],
)
def test_an_address_that_is_none_or_holds_a_secret_is_refused(chat, url, sentence):
    with pytest.raises(RefusedRequestError, match=sentence) as caught:
        make_provider(ModelPolicy("openai_compatible", "m", base_url=url))
    assert "secret" not in f"{caught.value}"


def example() -> str:
    """Returns the provider that CONTRIBUTING shows."""
    root = pathlib.Path(__file__).resolve().parents[3]
    text = (root / "CONTRIBUTING.md").read_text()
    found = re.search(r"```python\n(\"\"\"A provider.*?)```", text, re.DOTALL)
    assert found, "CONTRIBUTING.md shows no provider"
    return found[1]


def test_the_example_of_a_provider_asks_and_fails_as_it_should(
    service, desk, tmp_path, monkeypatch
):
    code = example()
    assert len(code.splitlines()) <= 30
    (tmp_path / "my_models.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("MY_KEY", "opensesame")
    service.script = [
        plays(503, {}),
        plays(200, {"text": "green", "filtered": False}),
        plays(200, {"text": "", "filtered": True}),
    ]
    policy = ModelPolicy("my_models:MyProvider", "m", base_url=service.url, key_env="MY_KEY")
    place = desk(policy)

    async def ask() -> list[str]:
        first = await ask_all([place.question("sky?")], place.caller)
        second = await ask_all([place.question("filtered?")], place.caller)
        service.script = [plays(401, {})]
        with pytest.raises(RefusedRequestError, match="401"):
            await ask_all([place.question("no")], place.caller)
        await place.provider.close()
        return [(a.reply.text, a.reply.outcome) for a in (*first, *second)]

    assert asyncio.run(ask()) == [("green", ReplyOutcome.ANSWERED), ("", ReplyOutcome.BLOCKED)]
    assert [call[2]["Authorization"] for call in service.calls] == ["Bearer opensesame"] * 4
    sys.modules.pop("my_models")


def test_errors_say_their_sentence_and_pickle():
    import pickle

    later = pickle.loads(pickle.dumps(TryLaterError("slow", 3.0, crowded=True)))
    assert (f"{later}", later.delay_s, later.crowded) == ("slow", 3.0, True)
    refused = pickle.loads(pickle.dumps(RefusedRequestError("bad", perhaps_only_this=True)))
    assert (f"{refused}", refused.perhaps_only_this) == ("bad", True)
