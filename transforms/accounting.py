"""The books of a build: does every record that was read have exactly one fate?"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from schemas.manifest import RejectCeilings
from schemas.rejects import ASKED_FOR, Outcome, Reason
from transforms.fates import WITH_QUESTION

_FATES = (
    Outcome.KEPT,
    Outcome.MERGED,
    Outcome.ORPHANED,
    WITH_QUESTION,
    "cancelled",
    "draft",
    "withdrawn",
)
_RARE = (WITH_QUESTION, "cancelled", "draft", "withdrawn")

_ASIDE = (Outcome.ORPHANED, WITH_QUESTION, "cancelled", "draft", "withdrawn")

Counts = Mapping[tuple[str, str], int]


class BookRow(NamedTuple):
    """One kind of record as people read its book.

    `set_aside` are those that nothing asks for, answers whose question was left out, and
    events that were cancelled, withdrawn or left as a draft; `rejected` are those that
    `rejects/` lists.
    """

    kind: str
    read: int
    kept: int
    merged: int
    rejected: int
    set_aside: int


def book_rows(books: Mapping[str, Mapping[str, int]]) -> list[BookRow]:
    """Returns the books of a build, as `fates_by_kind` gives them, for people to read."""
    return [
        BookRow(
            kind.replace("_", " "),
            book[Outcome.READ],
            book[Outcome.KEPT],
            book[Outcome.MERGED],
            book["rejected"],
            sum(book.get(fate, 0) for fate in _ASIDE),
        )
        for kind, book in books.items()
    ]


def fates_by_kind(tallies: Counts, rejects: Counts) -> dict[str, dict[str, int]]:
    """Returns read, kept, merged, orphaned and rejected counts of every record kind.

    Args:
        tallies: Counts by (kind, outcome).
        rejects: Counts by (kind, reason).
    """
    kinds = {kind for kind, outcome in tallies if outcome in (Outcome.READ, *_FATES)}
    kinds |= {kind for kind, _ in rejects}
    books: dict[str, dict[str, int]] = {}
    for kind in sorted(kinds):
        book = {Outcome.READ.value: tallies.get((kind, Outcome.READ), 0)}
        book |= {str(fate): tallies.get((kind, fate), 0) for fate in _FATES}
        book["rejected"] = sum(count for (of, _), count in rejects.items() if of == kind)
        for fate in _RARE:
            if not book[fate]:
                del book[fate]
        books[kind] = book
    return books


def unbalanced(books: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Returns a sentence for each kind whose fates do not add up to what was read."""
    problems = []
    for kind, book in books.items():
        fates = sum(count for fate, count in book.items() if fate != Outcome.READ)
        if fates != book[Outcome.READ]:
            problems.append(
                f"{book[Outcome.READ]:,} {kind} records were read, {fates:,} have a fate"
            )
    return problems


def exceeded_ceilings(
    books: Mapping[str, Mapping[str, int]], rejects: Counts, ceilings: RejectCeilings
) -> list[str]:
    """Returns a sentence for each ceiling of the manifest that rejects exceed."""
    problems = []
    for kind, book in books.items():
        read = book[Outcome.READ]
        exempt = 0
        for (of, reason), count in sorted(rejects.items()):
            if of != kind:
                continue
            ceiling = ceilings.by_reason.get(Reason(reason))
            if ceiling is None and Reason(reason) not in ASKED_FOR:
                continue
            exempt += count
            if ceiling is not None and count > ceiling * read:
                problems.append(_excess(kind, f" as {reason}", count, read, ceiling))
        # What has a ceiling of its own, or was asked for, does not count against the overall one.
        rest = book["rejected"] - exempt
        if rest > ceilings.overall * read:
            problems.append(_excess(kind, "", rest, read, ceilings.overall))
    return problems


def repairs(tallies: Counts) -> dict[str, int]:
    """Returns how often each repair was made."""
    return {
        outcome: count
        for (kind, outcome), count in sorted(tallies.items())
        if kind == "repairs" and count
    }


def counts_of(tallies: Counts, kind: str) -> dict[str, int]:
    """Returns the counts of one kind by outcome, sorted."""
    return {outcome: count for (of, outcome), count in sorted(tallies.items()) if of == kind}


def row_problems(shard_rows: Iterable[int], kept_rows: int) -> list[str]:
    """Returns a sentence if the shards' rows are not the rows that were kept."""
    written = sum(shard_rows)
    if written != kept_rows:
        return [f"{kept_rows:,} questions were kept, {written:,} rows were written"]
    return []


def _excess(kind: str, what: str, count: int, read: int, ceiling: float) -> str:
    share = count / read if read else 1.0
    return (
        f"{count:,} of {read:,} {kind} records {'was' if count == 1 else 'were'} rejected{what} "
        f"({share:.1%}; the manifest allows {ceiling:.1%})"
    )
