"""Numbers, dates and versions in headers: whatever a server writes there, no run ends by it."""

import datetime
import email.utils
import re
import time
from collections.abc import Mapping

_NUMBER = re.compile(r"[0-9]{1,18}")
_SECONDS = re.compile(r"[0-9]{1,9}")
_RANGE = re.compile(r"bytes ([0-9]{1,18})-[0-9]{1,18}/([0-9]{1,18}|\*)")
_MARK = re.compile(r"[\x21-\x7e][\x20-\x7e]{0,999}")


def parse_count(stated: str) -> int | None:
    """Returns the number that a header states; None for none, and for one beyond all sense."""
    text = stated.strip()
    return int(text) if _NUMBER.fullmatch(text) else None


def parse_range(stated: str) -> tuple[int, int | None] | None:
    """Returns where a part of a file begins and how long the file is, if that is said."""
    found = _RANGE.fullmatch(stated.strip())
    if found is None:
        return None
    return int(found[1]), None if found[2] == "*" else int(found[2])


def parse_mark(stated: str) -> str:
    """Returns the mark of a version as it may be sent back, "" if it may not."""
    text = stated.strip()
    return text if _MARK.fullmatch(text) else ""


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Returns the seconds that a server asks to wait, told in seconds or as a date.

    None is for what it does not tell, or not in a way that makes sense.
    """
    stated = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(stated):
        return float(stated)
    until = _moment(stated)
    if until is None:
        return None
    # The server's own clock, where it tells it.
    now = _moment(headers.get("date", ""))
    return max(until - (time.time() if now is None else now), 0.0)


def _moment(stated: str) -> float | None:
    if len(stated) > 100:
        return None
    try:
        date = email.utils.parsedate_to_datetime(stated)
        # One without a zone would be read by the clock of this machine.
        return (date if date.tzinfo else date.replace(tzinfo=datetime.UTC)).timestamp()
    except (ValueError, TypeError, LookupError, ArithmeticError):
        return None
