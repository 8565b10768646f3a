"""Tests of what services' words come to."""

import email.utils
import time

import pytest

from schemas.models import ReplyOutcome
from transforms.models.protocol import QuotaGoneError, RefusedRequestError, TryLaterError
from transforms.models.replying import count, failure_of, media_type, one_line, outcome_of


def google(*details):
    return {"error": {"code": 429, "message": "m", "details": list(details)}}


def violation(**fields):
    return {"violations": [fields]}


@pytest.mark.parametrize(
    ("text", "flags", "outcome"),
    [
        ("yes", {}, ReplyOutcome.ANSWERED),
        (" \n", {}, ReplyOutcome.EMPTY),
        ("yes", {"blocked": True}, ReplyOutcome.BLOCKED),
        ("ye", {"truncated": True}, ReplyOutcome.TRUNCATED),
        ("", {"truncated": True}, ReplyOutcome.TRUNCATED),
        ("yes", {"whole": False}, ReplyOutcome.MALFORMED),
        ("", {"whole": False}, ReplyOutcome.EMPTY),
    ],
)
def test_outcomes_are_told_apart(text, flags, outcome):
    assert outcome_of(text, **flags) is outcome


@pytest.mark.parametrize(
    ("body", "headers", "delay"),
    [
        (google({"retryDelay": "58s"}), {}, 58.0),
        (google({"retryDelay": "58.25s"}), {}, 58.25),
        (google({"retryDelay": 7}), {}, 7.0),
        (google({"retryDelay": "soon"}), {}, None),
        (google({"retryDelay": "58s"}), {"Retry-After": "60"}, 60.0),
        (None, {"retry-after": "2.5"}, 2.5),
        (None, {"Retry-After": "²"}, None),
        (None, {"Retry-After": ""}, None),
        ([google({"retryDelay": "3s"})], {}, 3.0),
        ({"error": "slow"}, {}, None),
        ({"error": {"details": "x"}}, {}, None),
        ([], {}, None),
        (5, {}, None),
    ],
)
def test_the_delay_that_a_server_wants_is_found_wherever_it_says_it(body, headers, delay):
    failure = failure_of(429, body, headers, "slow down")
    assert isinstance(failure, TryLaterError)
    assert (failure.delay_s, failure.crowded) == (delay, True)


def test_a_date_to_come_back_at_is_understood():
    date = email.utils.formatdate(time.time() + 100, usegmt=True)
    failure = failure_of(503, None, {"Retry-After": date}, "down")
    assert 95 < failure.delay_s <= 100
    past = email.utils.formatdate(0, usegmt=True)
    assert failure_of(503, None, {"Retry-After": past}, "down").delay_s == 0


@pytest.mark.parametrize(
    ("body", "message", "sentence"),
    [
        (google(violation(quotaId="GenerateRequestsPerDayPerProject")), "m", "quota of the day"),
        (google(violation(quotaId="RequestsPerMinute", quotaValue="0")), "m", r"limit: 0"),
        (google({"retryDelay": "3s"}), "metric: x, limit: 0\nPlease retry", r"limit: 0"),
        ({"error": {"code": "insufficient_quota"}}, "pay", "quota of the day"),
        ({"error": {"type": "insufficient_quota"}}, "pay", "quota of the day"),
        (google({"retryDelay": "40000s"}), "m", "no call for 11.1 hours"),
    ],
)
def test_what_will_not_pass_soon_stops_everything(body, message, sentence):
    failure = failure_of(429, body, {}, message)
    assert isinstance(failure, QuotaGoneError)
    with pytest.raises(QuotaGoneError, match=sentence):
        raise failure


def test_a_quota_of_a_minute_passes_even_though_the_message_speaks_of_billing():
    body = google(
        violation(quotaId="GenerateRequestsPerMinutePerProject", quotaValue="10"),
        {"retryDelay": "12s"},
    )
    message = "You exceeded your current quota, check your plan and billing. limit: 10"
    assert failure_of(429, body, {}, message).delay_s == 12


@pytest.mark.parametrize("status", [408, 409, 500, 502, 503, 504, 529])
def test_faults_of_a_service_may_pass(status):
    failure = failure_of(status, None, {}, "oops")
    assert isinstance(failure, TryLaterError)
    assert not failure.crowded


@pytest.mark.parametrize(
    ("status", "only_this"),
    [(400, True), (413, True), (422, True), (401, False), (403, False), (404, False), (302, False)],
)
def test_refusals_say_if_other_questions_may_fare_better(status, only_this):
    failure = failure_of(status, None, {}, "a  very\nlong text " * 100)
    assert isinstance(failure, RefusedRequestError)
    assert failure.perhaps_only_this is only_this
    assert len(f"{failure}") < 300


def test_a_bad_key_is_not_the_trouble_of_one_question_though_gemini_says_400():
    body = {"error": {"message": "API key not valid. Please pass a valid API key."}}
    assert not failure_of(400, body, {}, "no").perhaps_only_this


def test_pictures_are_told_by_their_first_bytes():
    starts = [b"\xff\xd8\xff", b"\x89PNG\r\n", b"RIFF....WEBP", b"?"]
    kinds = ["image/jpeg", "image/png", "image/webp", "image/png"]
    assert [media_type(start) for start in starts] == kinds


def test_numbers_of_tokens_that_cannot_be_are_none():
    values = [5, 10_000_000, 10_000_001, 10**30, -5, 0, None, "7", 1.5]
    assert [count(value) for value in values] == [5, 10_000_000, 0, 0, 0, 0, 0, 0, 0]


def test_what_is_said_becomes_one_printable_line():
    assert one_line("\x1b[31mred\r\n\x9b two\u2028 \u202e\ud800é") == "[31mred two é"
