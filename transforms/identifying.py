"""Ids and texts in one spelling, so that joins find what belongs together."""

import hashlib
import re
import unicodedata
from typing import Any

from schemas.rejects import Reason, RejectedRecordError

MAX_TEXT = 20_000
"""Most characters of a text that is read; the released files' longest has 1,007. Normalizing
some longer ones would take minutes: combining signs are sorted in quadratic time."""

_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,199}")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def normalize_id(raw: Any) -> str:
    """Returns a screen id as a string without leading zeros.

    Sources spell RICO's numbers as 42, 42.0, "42" and "00042"; joining these as they come
    gives half-empty groups without an error.

    Raises:
        RejectedRecordError: `ID_MALFORMED` for anything but a whole number of 0 or more,
            or a plain name of letters, digits and `._:-` (such as a trace's screen).
    """
    if isinstance(raw, bool):
        raise RejectedRecordError(Reason.ID_MALFORMED, f"{raw!r} is no id")
    if isinstance(raw, float) and raw.is_integer():
        raw = int(raw)
    text = str(raw).strip() if isinstance(raw, int | str) else ""
    if re.fullmatch(r"[0-9]{1,18}(\.0+)?", text):
        return str(int(text.partition(".")[0]))
    if not _PLAIN_NAME.fullmatch(text) or text.isdigit():
        raise RejectedRecordError(Reason.ID_MALFORMED, f"{raw!r:.80} is no id")
    return text


def id_order(screen_id: str) -> tuple[int, str]:
    """Returns a sort key that puts 9 before 10 and keeps names in alphabetical order."""
    return (len(screen_id), screen_id) if screen_id.isdigit() else (1000, screen_id)


def clean_text(raw: str) -> str:
    """Returns `raw` with what UTF-8 or a reader cannot carry taken out.

    Half an emoji (a lone surrogate, as JSON may hold one) becomes U+FFFD; NUL is dropped.
    Neither survives the trip to Parquet, and one of them would abort a whole build.
    """
    if raw.isascii():
        return raw.replace("\0", "")
    return _SURROGATE.sub("\ufffd", raw).replace("\0", "")


def normalize_text(raw: str) -> str:
    """Returns `raw` in Unicode NFC, trimmed, its blanks squeezed; case and signs are kept.

    Two questions are the same when this is (annotation rules §4.1): ScreenQA A.5 says "the
    same", not "the same but for". Normalizing answers for scores is another thing.
    """
    return " ".join(unicodedata.normalize("NFC", raw).split())


def stable_fraction(*parts: str) -> float:
    """Returns a number in [0, 1) that depends on `parts` alone.

    SHA-256 and not `hash`, which differs between processes. Changing this moves every
    screen to another split or shard: a new major version of every data set.
    """
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()
    # 53 bits fit a float exactly, so that the fraction never rounds up to 1.
    return (int.from_bytes(digest[:8], "big") >> 11) / 2**53


def text_digest(text: str, length: int = 12) -> str:
    """Returns the first `length` hex digits of the SHA-256 of the normalized text."""
    return hashlib.sha256(normalize_text(text).encode()).hexdigest()[:length]
