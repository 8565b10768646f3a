"""The people of a Label Studio installation under pseudonyms; their addresses stay here."""

import csv
import hmac
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from schemas.rejects import Reason, RejectedRecordError
from transforms.files import SourceError

_PSEUDONYM = re.compile(r"a_[0-9a-f]{12}")
_ADDRESS = re.compile(r"[^\s@\"'<>(),;:]+@[^\s@\"'<>(),;:]+")


class Users:
    """Turns whatever an export says of a person into that person's pseudonym.

    Args:
        salt: The project's secret: without it, pseudonyms could be found by trying
            addresses. The same salt gives the same pseudonyms in every export.
        names: The tool's user name (an e-mail address, as a rule) by user id, for exports
            that give ids only.
    """

    def __init__(self, salt: str, names: Mapping[str, str] | None = None) -> None:
        if not salt:
            raise ValueError("pseudonyms need the project's salt")
        self._salt = salt.encode()
        self._names = dict(names or {})
        self._addresses: set[str] = set()
        self.remember(self._names.values())

    def __repr__(self) -> str:
        return f"Users({len(self._names)} names)"  # Neither salt nor addresses may be printed.

    def pseudonym(self, raw: Any) -> str:
        """Returns `a_` and 12 hex digits for a person as `completed_by` or `composer` names them.

        That is an id, an expanded user, a user name, or a pseudonym, which stays.

        Raises:
            RejectedRecordError: `MISSING_COMPLETED_BY` for nothing, `UNKNOWN_USER` for an id
                that has no name.
        """
        if raw is None or raw == "":
            raise RejectedRecordError(Reason.MISSING_COMPLETED_BY, "nobody is named")
        if isinstance(raw, str) and _PSEUDONYM.fullmatch(raw):
            return raw
        name = self._name(raw)
        if _PSEUDONYM.fullmatch(name):
            return name
        return "a_" + hmac.digest(self._salt, name.encode(), "sha256").hex()[:12]

    def remember(self, names: Iterable[Any]) -> None:
        """Takes note of user names that are addresses, so that `clean` finds them."""
        self._addresses.update(_normal(n) for n in names if isinstance(n, str) and "@" in n)

    def clean(self, text: str) -> str:
        """Returns what a person typed without the addresses of the project's people.

        Other addresses stay: a screen may show one, and a question may be about it.
        """
        if "@" not in text or not self._addresses:
            return text
        # Longest first, so that no address leaves the tail of a longer one behind.
        known = sorted(self._addresses, key=lambda address: (-len(address), address))
        return re.sub("|".join(map(re.escape, known)), "<address>", text, flags=re.IGNORECASE)

    def _name(self, raw: Any) -> str:
        user_id = raw.get("id") if isinstance(raw, dict) else raw
        mapped = self._names.get(str(user_id))
        if mapped is not None:
            return _normal(mapped)
        named = raw
        if isinstance(raw, dict):
            named = raw.get("email") or raw.get("username")
        if isinstance(named, str) and named.strip() and not named.strip().isdecimal():
            return _normal(named)
        what = f"user {user_id}" if _is_id(user_id) else "a user without id and name"
        raise RejectedRecordError(Reason.UNKNOWN_USER, f"{what} is not in the user map")


def is_pseudonym(name: str) -> bool:
    """Whether a name is a pseudonym already."""
    return _PSEUDONYM.fullmatch(name) is not None


def without_addresses(text: str) -> str:
    """Returns a message with every e-mail address taken out, whoever's it is."""
    return _ADDRESS.sub("<address>", text)


def _normal(name: str) -> str:
    # Label Studio stores addresses in lower case, people write them as they like.
    return name.strip().lower() if "@" in name else name.strip()


def _is_id(raw: Any) -> bool:
    return (isinstance(raw, int) and not isinstance(raw, bool)) or (
        isinstance(raw, str) and raw.isdecimal()
    )


def read_user_map(path: str) -> dict[str, str]:
    """Returns user names by user id, from a file of one of three shapes.

    A JSON object `{"2": "ann@…"}`; the JSON list that `GET /api/users` gives; or CSV with
    the columns `id` and `email` (or `username`).

    Raises:
        SourceError: The file is none of these; the message holds nothing of its contents.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError):
        raise SourceError(f"{path}: the user map cannot be read") from None
    try:
        content = json.loads(text)
    except ValueError:
        content = list(csv.DictReader(text.splitlines()))
    if isinstance(content, dict):
        pairs = list(content.items())
    elif isinstance(content, list):
        pairs = [_pair(item) for item in content]
    else:
        pairs = []
    names = {str(key).strip(): name.strip() for key, name in pairs if _is_name(name)}
    if len(names) != len(pairs) or not names:
        raise SourceError(
            f"{path}: a user map is a JSON object of user names by id, the list that "
            "GET /api/users gives, or CSV with the columns id and email"
        )
    return names


def _pair(item: Any) -> tuple[Any, Any]:
    if not isinstance(item, dict):
        return None, None
    return item.get("id"), item.get("email") or item.get("username")


def _is_name(raw: Any) -> bool:
    return isinstance(raw, str) and bool(raw.strip())
