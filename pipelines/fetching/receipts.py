"""What was fetched, in `fetched.json` of the data folder: digests at first use, kept for ever.

A source whose manifest names no digest is trusted when it comes for the first time. From
then on it must stay the same: this file remembers what it was.
"""

import contextlib
import dataclasses
import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from pipelines.errors import UserError
from pipelines.fetching.local_files import open_plain, reason_of
from pipelines.fetching.partial_files import replace_text

NAME = "fetched.json"
_VERSION = 1


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class Fetched:
    """One download that is in its place.

    Attributes:
        source: Name of its source in the manifest.
        url: Where it comes from, without secrets.
        into: Its file, or the folder it was unpacked into, relative to the data folder.
        members: What the paths of the members that were taken out begin with.
        sha256: Digest in hex of the file as it came over the net.
        size_bytes: Size of that file.
        files: Files that were taken out of an archive; None for a plain file.
        files_bytes: Their bytes together.
        dropped: Members that were left out, by reason.
    """

    source: str
    url: str
    into: str
    members: str
    sha256: str
    size_bytes: int
    files: int | None = None
    files_bytes: int | None = None
    dropped: Mapping[str, int] = dataclasses.field(default_factory=dict, compare=False)

    @property
    def key(self) -> tuple[str, str, str]:
        """What there is one record of."""
        return (self.url, self.into, self.members)

    @property
    def scope(self) -> str:
        """What the paths of its files begin with, relative to the data folder."""
        return self.into if self.files is None else f"{self.into}/{self.members}"


class Receipts:
    """The records of one data folder. Each call reads the file anew: others write it too.

    Args:
        data: The data folder.
    """

    def __init__(self, data: str) -> None:
        self._path = os.path.join(data, NAME)

    def all(self) -> tuple[Fetched, ...]:
        """Returns all records, sorted.

        Raises:
            UserError: If the file is damaged, or of a later version of the program.
        """
        try:
            with open_plain(self._path) as file:
                return _parse_records(json.load(file))
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise UserError(f"{self._path}: {reason_of(error)}") from None
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise UserError(
                f"{self._path} is damaged or of another version; move it away to record anew"
            ) from None

    def find(self, url: str, into: str, members: str = "") -> Fetched | None:
        """Returns the record of a download at its place, or None."""
        key = (url, into, members)
        return next((record for record in self.all() if record.key == key), None)

    def before(self, url: str, into: str, members: str = "") -> Fetched | None:
        """Returns the record of what a URL was when it was fetched before, or None.

        That of another place counts if this one has none, except for URLs with a query or
        parameters: of these only the names of values are recorded, so they may be different
        files.
        """
        own = self.find(url, into, members)
        if own or "?" in url or ";" in url:
            return own
        return next((record for record in self.all() if record.url == url), None)

    def add(self, record: Fetched) -> None:
        """Adds a record, in the place of one with the same key. Other writers wait.

        Raises:
            UserError: If it cannot be written.
        """
        with self._locked():
            records = {old.key: old for old in self.all()} | {record.key: record}
            lean = [_lean(records[key]) for key in sorted(records, key=records.__getitem__)]
            content = {"version": _VERSION, "downloads": lean}
            text = json.dumps(content, indent=2, ensure_ascii=False, sort_keys=True)
            try:
                replace_text(self._path, text + "\n")
            except OSError as error:
                raise UserError(f"{self._path} cannot be written: {reason_of(error)}") from None

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        parent, name = os.path.split(self._path)
        try:
            os.makedirs(parent or ".", exist_ok=True)
            lock = open(os.path.join(parent, f".{name}.lock"), "a+b")  # noqa: SIM115
        except OSError as error:
            raise UserError(f"{error.filename or self._path}: {reason_of(error)}") from None
        with lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def _lean(record: Fetched) -> dict[str, Any]:
    values = dataclasses.asdict(record)
    return {name: value for name, value in values.items() if value not in (None, "", {})}


def _parse_records(content: Any) -> tuple[Fetched, ...]:
    if content["version"] != _VERSION:
        raise ValueError
    records = [Fetched(**{"members": "", **values}) for values in content["downloads"]]
    for record in records:
        texts = (record.source, record.url, record.into, record.members, record.sha256)
        counts = [record.size_bytes, record.files or 0, record.files_bytes or 0]
        counts += record.dropped.values()
        if not all(isinstance(text, str) for text in (*texts, *record.dropped)):
            raise TypeError
        for text in (*texts, *record.dropped):
            text.encode()  # Half an emoji could be neither shown nor written again.
        if not all(isinstance(count, int) for count in counts):
            raise TypeError
    return tuple(sorted(records))
