"""Looking into the store of replies, and clearing it out; what `screenset cache` does."""

import dataclasses
import datetime
from collections import Counter
from collections.abc import Iterator, Mapping

from schemas.models import ReplyOutcome
from schemas.records import Record
from transforms.models.cache import (
    DamagedReplyError,
    ReplyCache,
    StoredReply,
    key_of,
    parse_stored,
)
from transforms.models.cache_folders import DAMAGED

_SHORTEST_PREFIX = 6


@dataclasses.dataclass(frozen=True, slots=True)
class Shelf(Record):
    """The stored replies of one model to one version of a prompt."""

    provider: str
    model: str
    prompt_version: str


@dataclasses.dataclass(frozen=True, slots=True)
class ShelfStats(Record):
    """What lies on a shelf: replies by outcome, tokens paid for, when the first and last came."""

    outcomes: Mapping[ReplyOutcome, int]
    prompt_tokens: int
    output_tokens: int
    oldest: datetime.datetime
    newest: datetime.datetime


@dataclasses.dataclass(frozen=True, slots=True)
class CacheStats(Record):
    """What a store holds. `damaged` counts damaged files, moved aside or not."""

    replies: int
    size_bytes: int
    damaged: int
    shelves: Mapping[Shelf, ShelfStats]


@dataclasses.dataclass(frozen=True, slots=True)
class Pruned(Record):
    """What was removed, or would be."""

    replies: int
    size_bytes: int
    damaged: int


def read_stats(cache: ReplyCache) -> CacheStats:
    """Returns what a store holds; reads every file of it."""
    shelves: dict[Shelf, _Sums] = {}
    size = damaged = replies = 0
    for _, stored, size_bytes in _all(cache):
        if stored is None:
            damaged += 1
            continue
        replies += 1
        size += size_bytes
        shelf = Shelf(stored.request.provider, stored.request.model, stored.request.prompt_version)
        shelves.setdefault(shelf, _Sums()).add(stored)
    ordered = sorted(shelves, key=lambda s: (s.provider, s.model, s.prompt_version))
    stats = {shelf: shelves[shelf].result() for shelf in ordered}
    return CacheStats(replies, size, damaged, stats)


def find_stored(cache: ReplyCache, wanted: str) -> Iterator[StoredReply]:
    """Yields stored replies whose key is or begins with `wanted`, or that have it as a text.

    Args:
        cache: Where to look.
        wanted: A key, at least six digits of one, or part of a prompt or a reply, in any case.
    """
    folded = wanted.casefold()
    for _, stored, _ in _all(cache):
        if stored is None:
            continue
        by_key = len(wanted) >= _SHORTEST_PREFIX and stored.key.startswith(folded)
        texts = (stored.request.prompt, stored.reply.text)
        if by_key or any(folded in text.casefold() for text in texts):
            yield stored


def prune(
    cache: ReplyCache,
    *,
    before: datetime.datetime | None = None,
    provider: str | None = None,
    model: str | None = None,
    prompt_version: str | None = None,
    outcome: ReplyOutcome | None = None,
    keep: frozenset[str] = frozenset(),
    dry_run: bool = False,
) -> Pruned:
    """Removes the replies that meet all conditions that are given; damaged files as well.

    Args:
        cache: What to clear out.
        before: Those that were stored before this moment.
        provider: Those of this provider.
        model: Those of this model.
        prompt_version: Those to this version of a prompt.
        outcome: Those that came to this.
        keep: Keys that stay whatever else holds.
        dry_run: Whether only to say what would go.

    Raises:
        ValueError: If no condition is given: all of it was paid for.
    """
    told = {"provider": provider, "model": model, "prompt_version": prompt_version}
    wanted = {name: value for name, value in told.items() if value is not None}
    if not wanted and before is None and outcome is None:
        raise ValueError("say which replies to remove: by age, provider, model, version, outcome")
    size = damaged = replies = 0
    for path, stored, size_bytes in _all(cache):
        if stored is None:
            damaged += 1
        elif stored.key not in keep and _meets(stored, wanted, before, outcome):
            replies += 1
        else:
            continue
        size += size_bytes
        if not dry_run:
            cache.folder.remove(path)
    if not dry_run:
        cache.folder.sweep()
    return Pruned(replies, size, damaged)


def _meets(
    stored: StoredReply,
    wanted: Mapping[str, str],
    before: datetime.datetime | None,
    outcome: ReplyOutcome | None,
) -> bool:
    return (
        all(getattr(stored.request, name) == value for name, value in wanted.items())
        and (before is None or stored.stored_at < before)
        and (outcome is None or stored.reply.outcome is outcome)
    )


def _all(cache: ReplyCache) -> Iterator[tuple[str, StoredReply | None, int]]:
    """Yields path, reply (None for a damaged one) and size of all files of a store."""
    for path, size in sorted(cache.folder.entries()):
        key = key_of(path)
        if path.startswith(f"{DAMAGED}/"):
            yield path, None, size
        elif key is not None:
            data = cache.folder.read(path)
            if data is not None:
                yield path, _parsed(key, data), size


def _parsed(key: str, data: bytes) -> StoredReply | None:
    try:
        return parse_stored(key, data)
    except DamagedReplyError:
        return None


class _Sums:
    """Adds up one shelf."""

    def __init__(self) -> None:
        self._outcomes: Counter[ReplyOutcome] = Counter()
        self._prompt_tokens = 0
        self._output_tokens = 0
        self._oldest = datetime.datetime.max.replace(tzinfo=datetime.UTC)
        self._newest = datetime.datetime.min.replace(tzinfo=datetime.UTC)

    def add(self, stored: StoredReply) -> None:
        self._outcomes[stored.reply.outcome] += 1
        self._prompt_tokens += stored.reply.prompt_tokens
        self._output_tokens += stored.reply.output_tokens
        self._oldest = min(self._oldest, stored.stored_at)
        self._newest = max(self._newest, stored.stored_at)

    def result(self) -> ShelfStats:
        outcomes = {o: self._outcomes[o] for o in ReplyOutcome if self._outcomes[o]}
        return ShelfStats(
            outcomes, self._prompt_tokens, self._output_tokens, self._oldest, self._newest
        )
