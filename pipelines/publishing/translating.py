"""What the Hub, or the way to it, refuses: turned into one sentence of ours, for every command.

Sentences hold no address that was signed, no password, no token, and nothing that was sent.
"""

import contextlib
import email.utils
import json
import re
import time
from collections.abc import Iterator, Mapping

import httpx2
from huggingface_hub.errors import (
    HfHubHTTPError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RevisionNotFoundError,
)

from pipelines.errors import UserError
from pipelines.publishing.endpoint import without_userinfo
from pipelines.publishing.hub_errors import HubError
from pipelines.terminal import safe
from transforms.models.keys import Key

BUSY = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses after which the same may well succeed later."""

_LONGEST_SENTENCE = 300
_LONGEST_WAIT_S = 1e9
_RATE_LIMIT = re.compile(r"r\s*=\s*0\s*;\s*t\s*=\s*([0-9]+)")


@contextlib.contextmanager
def translated(doing: str, key: Key | None) -> Iterator[None]:
    """Turns whatever the library raises for a reason outside of it into a `HubError`.

    Args:
        doing: What is being done, as in `listing its files`.
        key: The token, which no sentence repeats.
    """
    try:
        yield
    except (HubError, UserError):
        raise
    except (
        *(httpx2.HTTPError, httpx2.InvalidURL),
        *(ImportError, OSError, ValueError, RuntimeError),
    ) as error:
        raise _hub_error(doing, error, key) from None
    except (AttributeError, LookupError, TypeError) as error:
        # The library takes the answer of whatever is in between for the Hub's own: a JSON
        # text where an object should be ends in one of these.
        raise not_understood(doing, type(error).__name__) from error


def not_understood(doing: str, why: str) -> HubError:
    """Returns the error of an answer of another shape than the Hub's."""
    return HubError(f"{doing}: the Hub's answer is not understood ({why})", passing=True)


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Returns the seconds that a busy server asks for, None if it does not say.

    It may give seconds or a date (RFC 9110, 10.2.3), or the time to the end of its window of
    requests (the Hub's `RateLimit` header).
    """
    value = headers.get("Retry-After", "").strip()
    if is_whole_number(value):
        return min(float(value), _LONGEST_WAIT_S)
    if value:
        try:
            then = email.utils.parsedate_to_datetime(value).timestamp()
        except (ValueError, OverflowError):
            return None
        return max(0.0, then - time.time())
    window = _RATE_LIMIT.search(headers.get("RateLimit", ""))
    return min(float(window[1]), _LONGEST_WAIT_S) if window else None


def is_whole_number(text: str) -> bool:
    """Whether a header's text is a number; `²` is a digit to Python, and none to anybody."""
    return text.isascii() and text.isdecimal()


def _hub_error(doing: str, error: BaseException, key: Key | None) -> HubError:
    """Returns our error for one of the library's, looking behind those that wrap another."""
    wrapping = (RuntimeError, LocalEntryNotFoundError)
    while isinstance(error, wrapping) and error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, HubError):
        return error
    if isinstance(error, HfHubHTTPError | httpx2.HTTPStatusError):
        return _refusal(doing, error, key)
    if isinstance(error, OfflineModeIsEnabled):
        return HubError(f"{doing}: HF_HUB_OFFLINE forbids the network")
    if isinstance(error, httpx2.TransportError | LocalEntryNotFoundError):
        return HubError(
            f"{doing}: the Hub cannot be reached ({type(error).__name__})", passing=True
        )
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError | RecursionError):
        # A proxy's page of a failure where an answer should be.
        return HubError(f"{doing}: the Hub's answer is no JSON", passing=True)
    said = _one_line(str(error), key) or type(error).__name__
    return HubError(f"{doing}: {said}")


def _refusal(
    doing: str, error: HfHubHTTPError | httpx2.HTTPStatusError, key: Key | None
) -> HubError:
    status = error.response.status_code
    if status == 401:
        return HubError(f"{doing}: the Hub does not accept the token (status 401)", 401)
    said = _one_line(getattr(error, "server_message", None) or "", key)
    if isinstance(error, RevisionNotFoundError):
        said = said or "there is no such revision"
    reason = f": {said}" if said else ""
    return HubError(
        f"{doing}: the Hub answered {status}{reason}",
        status,
        passing=status in BUSY,
        asked_s=asked_wait(error.response.headers),
    )


def _one_line(text: str, key: Key | None) -> str:
    """Returns a server's words without line breaks, signs that a terminal obeys, or keys."""
    # What is cut off in the middle of a key would no more be found to be one.
    whole = key.hidden_in(text) if key else text
    line = safe(" ".join(whole.split()))
    return without_userinfo(re.sub(r"\?\S*", "", line))[:_LONGEST_SENTENCE]
