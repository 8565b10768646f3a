"""The entries of the browser: what they can be filtered by, and as much of them as fits."""

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from markupsafe import Markup

from pipelines.pages.rendering import render
from pipelines.reporting.rejected_records import RejectedRecord
from pipelines.reporting.samples import ShownScreen
from schemas.records import Record
from schemas.rejects import reason_sentence
from schemas.splits import split_order
from transforms.identifying import id_order

Entry = ShownScreen | RejectedRecord


@dataclasses.dataclass(frozen=True, slots=True)
class Facet(Record):
    """What entries can be filtered by. `options` are (number, value) pairs."""

    name: str
    label: str
    options: tuple[tuple[int, str], ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Browser:
    """The entries that fit on the page, in the order of their ids, and their filters.

    `screens` are the screens among them, with the number of their entry.
    """

    entries: tuple[Markup, ...]
    facets: tuple[Facet, ...]
    screens: tuple[tuple[int, ShownScreen], ...]


def browser(
    screens: Sequence[ShownScreen], records: Sequence[RejectedRecord], room: float = math.inf
) -> Browser:
    """Returns the entries of a browser, as many as take at most `room` bytes.

    Args:
        screens: Screens, those first that should rather be shown.
        records: Rejected records that are shown without a screen, after all screens.
        room: Bytes of HTML. An entry that does not fit is left out, and the next one tried.
    """
    entries: list[Entry] = [*records, *screens]
    numbers = {name: _numbers(entries, values) for name, (_, values) in _FACETS.items()}
    fitting: list[tuple[Entry, Markup]] = []
    left = room
    for n, entry in enumerate(entries):
        markup = _rendered(n, entry, numbers)
        size = len(markup.encode())
        if size <= left:
            fitting.append((entry, markup))
            left -= size
    shown = sorted(enumerate(fitting), key=lambda item: _order(item[1][0]))
    facets = tuple(_facets([entry for entry, _ in fitting], numbers))
    places = {id(entry): n for n, entry in enumerate(entries)}
    return Browser(
        tuple(markup for _, (_, markup) in shown),
        facets,
        tuple((places[id(entry)], entry) for entry, _ in fitting if isinstance(entry, ShownScreen)),
    )


def _rendered(n: int, entry: Entry, numbers: Mapping[str, Mapping[str, int]]) -> Markup:
    tokens = []
    for name, (_, values_of) in _FACETS.items():
        found = sorted({numbers[name][value] for value in values_of(entry)})
        if found:
            tokens.append((name, " ".join(map(str, found))))
    is_screen = isinstance(entry, ShownScreen)
    values = {
        "n": n,
        "screen": entry if is_screen else None,
        "record": None if is_screen else entry,
        "tokens": tokens,
        "sentence": reason_sentence,
    }
    return Markup(render("report_entry.html.j2", values))


def _facets(entries: Sequence[Entry], numbers: Mapping[str, Mapping[str, int]]) -> Iterator[Facet]:
    """Yields the facets that tell any of the entries apart, with the values that they have."""
    for name, (label, values) in _FACETS.items():
        found = {value for entry in entries for value in values(entry)}
        options = tuple((n, value) for value, n in numbers[name].items() if value in found)
        everywhere = all(set(values(entry)) == found for entry in entries)
        if options and not everywhere:
            yield Facet(name, label, options)


def _numbers(entries: Iterable[Entry], values: Callable[[Entry], Iterable[str]]) -> dict[str, int]:
    found = {value for entry in entries for value in values(entry)}
    return {value: n for n, value in enumerate(sorted(found, key=split_order), start=1)}


def _order(entry: Entry) -> tuple[int, tuple[int, str], str]:
    if isinstance(entry, ShownScreen):
        return 0, id_order(entry.screen_id), ""
    return 1, (0, entry.kind), f"{entry.reason} {entry.id}"


def _of_screens(values: Callable[[ShownScreen], Iterable[str]]) -> Callable[[Entry], Iterable[str]]:
    return lambda entry: values(entry) if isinstance(entry, ShownScreen) else ()


def _fates(entry: Entry) -> Iterable[str]:
    return ("kept",) if isinstance(entry, ShownScreen) else ("rejected",)


def _reasons(entry: Entry) -> Iterable[str]:
    if isinstance(entry, ShownScreen):
        return (record.reason for record in entry.rejected)
    return (entry.reason,)


def _answerability(screen: ShownScreen) -> Iterator[str]:
    for question in screen.questions:
        yield "someone found no answer" if question.has_no_answer else "all found an answer"


def _fact(begin: str) -> Callable[[ShownScreen], Iterator[str]]:
    def values(screen: ShownScreen) -> Iterator[str]:
        for fact in screen.facts:
            if fact.startswith(begin):
                yield fact.removeprefix(begin).partition(" (")[0]

    return values


_FACETS: dict[str, tuple[str, Callable[[Entry], Iterable[str]]]] = {
    "fate": ("Kept or not", _fates),
    "split": ("Split", _of_screens(lambda screen: (screen.split,))),
    "category": ("Category", _of_screens(lambda one: filter(None, (one.category,)))),
    "level": ("Agreement", _of_screens(lambda one: (q.level for q in one.questions if q.level))),
    "answer": ("Answerable", _of_screens(_answerability)),
    "language": ("Language", _of_screens(_fact("language: "))),
    "sync": ("Hierarchy", _of_screens(_fact("hierarchy: "))),
    "reason": ("Reject reason", _reasons),
}
"""Facets by name, each with its label and what values an entry has."""
