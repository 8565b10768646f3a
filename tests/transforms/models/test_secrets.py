"""A sentinel for a key appears in no file, log, output, error or traceback, however it ends."""

import asyncio
import contextlib
import dataclasses
import io
import json
import logging
import os
import pathlib
import traceback
import warnings

import pytest
from fake_models import plays, quota, refusal, reset, said, wait_for

from schemas.models import Budget, Limits
from transforms.models.asker import Asker, AskPlan
from transforms.models.asking import AskModel
from transforms.models.cache import ReplyCache
from transforms.models.cache_tending import find_stored, read_stats
from transforms.models.calling import Question
from transforms.models.pricing import make_request
from transforms.models.protocol import make_provider

SENTINEL = "AIzaSySENTINEL-0123456789-abcdefghijkl"
"""What conftest.py puts into the environment as the key."""

ECHO = f"API key {SENTINEL} is not valid, Bearer {SENTINEL}"
WAYS = {
    "well": None,
    "bad key, echoed": refusal(400, ECHO),
    "unauthorized, echoed": refusal(401, ECHO, [{"reason": "API_KEY_INVALID", "key": SENTINEL}]),
    "forbidden, echoed in text": plays(403, f"<p>{ECHO}".encode()),
    "not found": refusal(404, ECHO),
    "redirect": plays(307, b"", Location="http://127.0.0.1:9/elsewhere"),
    "too many, echoed": refusal(429, ECHO, [wait_for("0s")]),
    "quota of the day": refusal(429, ECHO, [quota("PerDay")]),
    "a server's fault": refusal(500, ECHO),
    "no JSON": plays(200, f"<html>{ECHO}".encode()),
    "JSON that is no reply": plays(200, {"error": ECHO}),
    "a number": plays(200, 5),
    "a wrong type": plays(200, {"candidates": [], "usageMetadata": {"promptTokenCount": ECHO}}),
    "reset": reset,
    "truncated": plays(200, said("x", "MAX_TOKENS")),
    "blocked": plays(200, {"promptFeedback": {"blockReason": "SAFETY"}}),
}


@pytest.fixture
def log(monkeypatch):
    """Returns all that anything logs, at its most talkative."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [handler])
    monkeypatch.setattr(root, "level", logging.DEBUG)
    return stream


def all_of(error: BaseException | None) -> str:
    """Returns all that can be read off an error: texts, tracebacks, locals of all frames."""
    texts = []
    while error is not None:
        shown = traceback.TracebackException.from_exception(error, capture_locals=True)
        texts += [repr(error), *shown.format(chain=True), repr(vars(error)), repr(error.args)]
        error = error.__cause__ or error.__context__
    return "\n".join(texts)


@pytest.mark.parametrize("way", WAYS)
def test_a_sentinel_key_appears_nowhere(service, policy, tmp_path, log, monkeypatch, capfd, way):
    monkeypatch.setattr("transforms.models.paying._FIRST_PAUSE_S", 0.001)
    if WAYS[way] is not None:
        service.always = {"question": WAYS[way]}
    policy = dataclasses.replace(policy, limits=Limits(concurrency=2), tries=2)
    plan = AskPlan(policy, f"{tmp_path}/cache", f"{tmp_path}/state", f"{tmp_path}/ledger")
    seen = [repr(plan), repr(make_provider(policy))]
    with warnings.catch_warnings(record=True) as warned, contextlib.ExitStack() as stack:
        warnings.simplefilter("always")
        asker = Asker(plan)
        stack.callback(asker.close)
        questions = [Question(make_request(policy, f"question {n}", "v1")) for n in range(3)]
        try:
            seen += map(repr, asker.ask_all(questions))
        except Exception as error:  # noqa: BLE001 - whatever comes must not show it
            seen.append(all_of(error))
        seen += [repr(vars(asker)), repr(vars(asker.caller)), all_of(asker.caller.failure)]
    seen += [f"{w.message}" for w in warned]
    cache = ReplyCache(plan.cache)
    seen += [repr(read_stats(cache)), *map(repr, find_stored(cache, "question"))]
    for path in pathlib.Path(tmp_path).rglob("*"):
        seen.append(str(path))
        if path.is_file():
            seen.append(path.read_bytes().decode("utf-8", "replace"))
    seen += [log.getvalue(), *capfd.readouterr()]
    # The key did go where it should, and nowhere else.
    assert SENTINEL in json.dumps([headers for _, _, headers, _, _ in service.calls])
    assert [text for text in seen if SENTINEL in text] == []


def test_a_failing_pipeline_does_not_show_it_either(
    service, gemini, tmp_path, log, capfd, monkeypatch
):
    service.always = {"question": refusal(401, ECHO)}
    plan = AskPlan(gemini, f"{tmp_path}/cache", f"{tmp_path}/state", f"{tmp_path}/ledger")

    def questions(number):
        return [Question(make_request(gemini, f"question {number}", "v1"))]

    with pytest.raises(Exception, match="401") as caught:
        [1, 2, 3] | AskModel(plan, questions, lambda number, answered: [number])
    assert SENTINEL not in all_of(caught.value)
    assert SENTINEL not in log.getvalue()
    assert SENTINEL not in "".join(capfd.readouterr())


def test_a_spent_budget_does_not_show_it(service, gemini, tmp_path):
    policy = dataclasses.replace(gemini, budget=Budget(calls=1))
    asker = Asker(AskPlan(policy, f"{tmp_path}/c", f"{tmp_path}/s", f"{tmp_path}/l"))
    questions = [Question(make_request(policy, f"question {n}", "v1")) for n in range(3)]
    with pytest.raises(Exception, match="budget") as caught:
        asker.ask_all(questions)
    assert SENTINEL not in all_of(caught.value)
    asker.close()


def test_batches_do_not_show_it(service, desk, gemini):
    from transforms.models.batching import Batcher

    service.script = [None, refusal(401, ECHO)]
    place = desk(gemini)
    folder = str(place.folder)
    batcher = Batcher(
        place.provider, place.cache, place.ledger, f"{folder}/b", f"{folder}/c",
        sleep=place.clock.sleep,
    )  # fmt: skip
    with pytest.raises(Exception, match="401") as caught:
        asyncio.run(batcher.bring([place.question("question").request]))
    assert SENTINEL not in all_of(caught.value)
    for path in pathlib.Path(folder).rglob("*"):
        assert not path.is_file() or SENTINEL.encode() not in path.read_bytes()
    assert os.listdir(f"{folder}/b")
