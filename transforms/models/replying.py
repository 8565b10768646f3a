"""Reading what services say: outcomes, delays and quotas; the same for all providers."""

import dataclasses
import email.utils
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from schemas.models import ModelReply, ReplyOutcome
from transforms.models.protocol import QuotaGoneError, RefusedRequestError, TryLaterError

LONGEST_DELAY_S = 3600.0
"""A server that orders a longer break than this has no more to give for now."""

_MOST_TOKENS = 10_000_000
_TOO_MANY = 429
_LATER = frozenset({408, 409, 425, 499})
_PERHAPS_ONLY_THIS = frozenset({400, 413, 422})
_HINTS = {
    400: ", a bad request, parameter or key",
    401: ", the key",
    402: ", billing",
    403: ", the key may not do this",
    404: ", no such model or address",
}
_KEPT = "All replies are stored; the same command, later, asks for the rest"
_SHOWN_CHARS = 200
_NUMBER = re.compile(r"\d+(\.\d+)?", re.ASCII)
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*s", re.ASCII)
_NO_LIMIT_LEFT = re.compile(r"\blimit:\s*0\b(?!\.)")
_PER_DAY = re.compile(r"per[\s_-]*day|daily|insufficient_quota|billing", re.IGNORECASE)
_BAD_KEY = re.compile(r"api[\s_-]*key", re.IGNORECASE)
_MEDIA_TYPES = ((b"\xff\xd8", "image/jpeg"), (b"\x89PNG", "image/png"), (b"RIFF", "image/webp"))


def outcome_of(
    text: str, *, blocked: bool = False, truncated: bool = False, whole: bool = True
) -> ReplyOutcome:
    """Returns what a reply comes to.

    Args:
        text: What it says.
        blocked: Whether a filter refused it.
        truncated: Whether it ends at the limit of tokens.
        whole: Whether the service says that it ended by itself, or nothing about it.
    """
    if blocked:
        return ReplyOutcome.BLOCKED
    if truncated:
        return ReplyOutcome.TRUNCATED
    if not text.strip():
        return ReplyOutcome.EMPTY
    return ReplyOutcome.ANSWERED if whole else ReplyOutcome.MALFORMED


def unavailable(what: str) -> ModelReply:
    """Returns what stands for a reply that did not come. It is never stored."""
    return ModelReply(ReplyOutcome.UNAVAILABLE, "", what, 0, 0)


def count(value: Any) -> int:
    """Returns a number of tokens, 0 if the service tells none, or one that cannot be."""
    return value if isinstance(value, int) and 0 < value <= _MOST_TOKENS else 0


def one_line(said: object) -> str:
    """Returns what a service said as one line of printable text, fit for a terminal."""
    return " ".join("".join(c if c.isprintable() else " " for c in f"{said}").split())


def without_key(reply: ModelReply, hide: Callable[[str], str]) -> ModelReply:
    """Returns a reply with all its texts as `hide` leaves them."""
    return dataclasses.replace(
        reply,
        text=hide(reply.text),
        finish_reason=hide(reply.finish_reason),
        model_version=hide(reply.model_version),
    )


def media_type(image: bytes) -> str:
    """Returns the media type of a picture, by its first bytes."""
    return next((kind for start, kind in _MEDIA_TYPES if image.startswith(start)), "image/png")


def failure_of(
    status: int, body: Any, headers: Mapping[str, str], message: str
) -> TryLaterError | QuotaGoneError | RefusedRequestError:
    """Returns what a service's refusal of a call means.

    Args:
        status: The HTTP status.
        body: The parsed body, whatever it is.
        headers: Those of the reply.
        message: What it says, without secrets.
    """
    said = one_line(message)[:_SHOWN_CHARS]
    details = _dicts(_inner(body).get("details"))
    if status == _TOO_MANY:
        gone = _quota_gone(_inner(body), details, message)
        if gone:
            return QuotaGoneError(f"{gone}: {said}. {_KEPT}")
    if status == _TOO_MANY or status >= 500 or status in _LATER:
        delay = _longest(_retry_after(headers), *(_seconds(d.get("retryDelay")) for d in details))
        if delay is not None and delay > LONGEST_DELAY_S:
            hours = f"{delay / 3600:.1f} hours"
            return QuotaGoneError(f"the service wants no call for {hours}: {said}. {_KEPT}")
        what = f"the service said {status}: {said}"
        return TryLaterError(what, delay, crowded=status == _TOO_MANY)
    return RefusedRequestError(
        f"the service refuses the call ({status}{_HINTS.get(status, '')}): {said}",
        perhaps_only_this=status in _PERHAPS_ONLY_THIS and not _BAD_KEY.search(f"{body}"),
    )


def _quota_gone(
    error: Mapping[str, Any], details: Sequence[Mapping[str, Any]], message: str
) -> str:
    """Returns why waiting is in vain after too many calls; empty if it is not."""
    violations = [v for detail in details for v in _dicts(detail.get("violations"))]
    if _NO_LIMIT_LEFT.search(message) or "0" in [str(v.get("quotaValue")) for v in violations]:
        return "the account has no quota at all for this model (limit: 0)"
    named = [error.get("code"), error.get("type"), *(v.get("quotaId") for v in violations)]
    if any(_PER_DAY.search(str(name)) for name in named):
        return "the quota of the day, or of the account, is used up"
    return ""


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Returns the seconds in a Retry-After header, which holds them or a date."""
    value = next((v for k, v in headers.items() if k.lower() == "retry-after"), "").strip()
    if _NUMBER.fullmatch(value):
        return float(value)
    try:
        return max(email.utils.parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except (ValueError, OverflowError):
        return None


def _seconds(value: Any) -> float | None:
    """Returns the seconds in a duration such as "58s"."""
    if isinstance(value, int | float):
        return float(value)
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    return float(match[1]) if match else None


def _longest(*delays: float | None) -> float | None:
    return max((delay for delay in delays if delay is not None), default=None)


def _inner(body: Any) -> Mapping[str, Any]:
    if isinstance(body, list) and body:
        body = body[0]
    error = body.get("error", body) if isinstance(body, dict) else {}
    return error if isinstance(error, dict) else {}


def _dicts(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
