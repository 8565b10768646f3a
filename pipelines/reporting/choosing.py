"""Which screens the page shows: few of many, so that each rare kind is among them."""

import dataclasses
import hashlib
from collections import Counter
from collections.abc import Iterable

from schemas.records import Record


@dataclasses.dataclass(frozen=True, slots=True)
class Candidate(Record):
    """A screen that may be shown. `traits` are what it is an example of: (kind, value) pairs."""

    screen_id: str
    traits: frozenset[tuple[str, str]]


def choose_screens(candidates: Iterable[Candidate], n: int, seed: str) -> list[str]:
    """Returns the ids of `n` screens, or of all if there are fewer, the most telling first.

    Each next one is an example of the trait that fewest of the chosen have (of those, the one
    that fewest of all have), and of its examples the one with the smallest hash. So a category,
    an agreement level or a reason of rejects that a handful of screens have is shown, whatever
    `n` is, and train does not crowd out the small splits. The order of the candidates changes
    nothing. It is no sample in proportion.

    Args:
        candidates: All screens, each with a trait at least.
        n: How many to choose.
        seed: Another one gives another choice.
    """
    by_trait: dict[tuple[str, str], list[Candidate]] = {}
    for candidate in sorted(candidates, key=lambda one: _digest(seed, one.screen_id)):
        for trait in candidate.traits:
            by_trait.setdefault(trait, []).append(candidate)
    queue = _Queue(by_trait)
    chosen: list[str] = []
    while len(chosen) < n and (following := queue.pop()) is not None:
        chosen.append(following.screen_id)
    return chosen


class _Queue:
    """Hands out candidates, each once."""

    def __init__(self, by_trait: dict[tuple[str, str], list[Candidate]]) -> None:
        self._rarity = {trait: len(found) for trait, found in by_trait.items()}
        self._left = {trait: found[::-1] for trait, found in by_trait.items()}
        self._shown: Counter[tuple[str, str]] = Counter()
        self._gone: set[str] = set()

    def pop(self) -> Candidate | None:
        while self._left:
            trait = min(self._left, key=lambda one: (self._shown[one], self._rarity[one], one))
            candidate = self._next(self._left[trait])
            if candidate is not None:
                self._gone.add(candidate.screen_id)
                self._shown.update(candidate.traits)
                return candidate
            del self._left[trait]
        return None

    def _next(self, left: list[Candidate]) -> Candidate | None:
        while left:
            candidate = left.pop()
            if candidate.screen_id not in self._gone:
                return candidate
        return None


def _digest(seed: str, screen_id: str) -> tuple[bytes, str]:
    data = f"{seed}\n{screen_id}".encode("utf-8", "backslashreplace")
    return hashlib.blake2b(data, digest_size=8).digest(), screen_id
