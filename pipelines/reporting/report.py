"""`screenset report`: one self-contained page that shows what a finished build is.

The way of the data: the build's own counts (`BUILD.json`, `stats.json`, `agreement.json`, …)
become sections; all rows are looked at once by their plain columns, to choose screens; only the
row groups of the chosen ones are read with their pictures; what fits is rendered.
"""

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from pipelines.errors import UserError
from pipelines.finished_builds import FinishedBuild, open_build, undamaged
from pipelines.pages.rendering import number, percent, render
from pipelines.reporting.annotation_sections import agreement_section, funnel_section
from pipelines.reporting.blocks import Chart, KeyFigure, Section
from pipelines.reporting.choosing import Candidate, choose_screens
from pipelines.reporting.entries import Browser, browser
from pipelines.reporting.gathering import gather
from pipelines.reporting.loss_sections import (
    duplicate_section,
    leak_section,
    prefilter_section,
    reject_section,
)
from pipelines.reporting.making_sections import short_answer_section, source_section
from pipelines.reporting.question_sections import (
    Statistics,
    not_answerable_share,
    question_sections,
    screen_sections,
)
from pipelines.reporting.rejected_records import (
    ReasonExamples,
    RejectedRecord,
    examples_by_reason,
    owner_of,
    rejected_records,
)
from pipelines.reporting.samples import ShownScreen
from pipelines.reporting.scanning import Scan, scan
from pipelines.terminal import ProgressDisplay, counted, size
from schemas.builds import AGREEMENT, ALL, DUPLICATES, REPORT_PAGE, STATISTICS, VERIFICATION
from schemas.splits import SPLITS
from transforms.replacing import write_text

_LARGEST_PAGE = 14_500_000
"""Bytes of a page at most; entries of the browser have what the sections leave."""
_LONE_RECORDS = 2
"""Rejected records of each kind and reason that are shown without a screen."""
_MOST_LONE = 80
_STRIP = 7
_LONGEST_TITLE = 300


@dataclasses.dataclass(frozen=True, slots=True)
class _Chosen:
    """The screens that were chosen, those that should rather be shown first, and out of how many.

    `lone` are rejected records that are shown without a screen.
    """

    shown: Sequence[ShownScreen]
    lone: Sequence[RejectedRecord]
    of_screens: int
    wanted: int


def write_report(
    folder: str, out: str | None = None, *, n_screens: int = 150, seed: str = "screenset"
) -> str:
    """Writes the page of a finished build and returns its path.

    The same build gives the same bytes. Rows are read a row group at a time, pictures of the
    chosen screens only.

    Args:
        folder: Folder of the build.
        out: The page's file; `report.html` inside of the folder if None. It appears whole, in
            place of an earlier one.
        n_screens: How many screens are shown, fewer if the page would get too large.
        seed: Another one chooses other screens.

    Raises:
        UserError: If `folder` is no finished build, a file of it is missing or damaged,
            `n_screens` is less than nothing, or `out` cannot be written.
    """
    if n_screens < 0:
        raise UserError(f"a report cannot show {n_screens:,} screens")
    build = open_build(folder)
    out = build.path(REPORT_PAGE) if out is None else out
    with undamaged(build):
        page = report_page(build, n_screens=n_screens, seed=seed)
    try:
        write_text(out, page)
    except OSError as error:
        raise UserError(f"cannot write {out}: {error.strerror}") from error
    return out


def report_page(build: FinishedBuild, *, n_screens: int, seed: str) -> str:
    """Returns the page of a build as HTML.

    Raises:
        UserError: If a file of the build is missing or damaged.
    """
    stats = build.report(STATISTICS)
    if stats is None:
        raise UserError(f"{build.folder}: its {STATISTICS} is missing")
    examples = examples_by_reason(rejected_records(build), seed)
    screens = _chosen(build, examples, n_screens, seed)
    values = {
        "title": str(build.summary["card"]["title"] or build.name)[:_LONGEST_TITLE],
        "version": build.version,
        "lede": _lede(build),
        "figures": tuple(_key_figures(build, stats)),
        "sections": [_with_markup(one) for one in _sections(build, stats, examples)],
    }
    found = browser(screens.shown, screens.lone)
    page = render("report.html.j2", values | _browser_values(found, screens))
    beyond = len(page.encode()) - _LARGEST_PAGE
    if beyond > 0:
        room = sum(len(entry.encode()) for entry in found.entries) - beyond
        found = browser(screens.shown, screens.lone, room)
        page = render("report.html.j2", values | _browser_values(found, screens))
    return page


def _browser_values(found: Browser, chosen: _Chosen) -> dict[str, Any]:
    """Returns what the templates need of the browser."""
    screens = [screen for _, screen in found.screens]
    numbers = {screen.screen_id: n for n, screen in found.screens}
    return {
        "strip": [
            {"n": numbers[one.screen_id], "screen_id": one.screen_id, "picture": one.picture}
            for one in _on_strip(screens)
        ],
        "entries": found.entries,
        "facets": found.facets,
        "has_boxes": any(question.boxes for one in screens for question in one.questions),
        "has_leaves": any(screen.leaves for screen in screens),
        "shown_sentence": _shown_sentence(screens, chosen),
    }


def _sections(
    build: FinishedBuild,
    stats: Statistics,
    examples: Mapping[tuple[str, str], ReasonExamples],
) -> Iterator[Section]:
    summary, counts = build.summary, stats.get(ALL, {})
    asks = bool(counts.get("questions"))
    yield funnel_section(summary)
    if asks:
        yield agreement_section(build.report(AGREEMENT))
    yield from question_sections(stats)
    yield from screen_sections(stats)
    if asks:
        yield short_answer_section(summary, counts, build.report(VERIFICATION))
    yield reject_section(summary, examples)
    yield leak_section(summary["leaks"], summary["provides"])
    yield duplicate_section(summary, build.report(DUPLICATES))
    yield prefilter_section(summary["prefilter"])
    yield source_section(summary)


def _chosen(
    build: FinishedBuild,
    examples: Mapping[tuple[str, str], ReasonExamples],
    n_screens: int,
    seed: str,
) -> _Chosen:
    """Chooses screens and reads them."""
    rows = sum(shard.rows for shard in build.shards_of(build.name))
    done: Counter[str] = Counter()
    with ProgressDisplay(lambda: dict(done), {"rows": rows, "screens": n_screens}):
        found = scan(build, lambda count: done.update({"rows": count}))
        owned = _reasons_of(build, found)
        candidates = [
            Candidate(one.screen_id, one.traits | owned.get(one.screen_id, frozenset()))
            for one in found.candidates
        ]
        chosen = choose_screens(candidates, n_screens, seed)
        rejected = _records_of(build, set(chosen) & set(owned))
        shown = gather(build, found, chosen, rejected, lambda: done.update({"screens": 1}))
    lone = _lone_records(examples, found) if n_screens else []
    return _Chosen(shown, lone, len(candidates), n_screens)


def _reasons_of(build: FinishedBuild, found: Scan) -> dict[str, frozenset[tuple[str, str]]]:
    """Returns, for each screen that was kept, why records that belong to it were not."""
    reasons: dict[str, set[tuple[str, str]]] = {}
    for record in rejected_records(build):
        owner = owner_of(record, found.places)
        if owner is not None:
            reasons.setdefault(owner, set()).add(("reason", record.reason))
    return {owner: frozenset(of_screen) for owner, of_screen in reasons.items()}


def _records_of(build: FinishedBuild, screens: set[str]) -> dict[str, list[RejectedRecord]]:
    """Returns the rejected records that belong to these screens."""
    records: dict[str, list[RejectedRecord]] = {}
    for record in rejected_records(build) if screens else ():
        owner = owner_of(record, screens)
        if owner is not None:
            records.setdefault(owner, []).append(record)
    return records


def _lone_records(
    examples: Mapping[tuple[str, str], ReasonExamples], found: Scan
) -> list[RejectedRecord]:
    """Returns a few rejected records of each kind and reason that belong to no kept screen."""
    lone = [
        record
        for each in examples.values()
        for record in [one for one in each.records if owner_of(one, found.places) is None][
            :_LONE_RECORDS
        ]
    ]
    return lone[:_MOST_LONE]


def _lede(build: FinishedBuild) -> str:
    summary = build.summary
    splits = ", ".join(
        split for split in SPLITS if any(shard.split == split for shard in build.shards)
    )
    limit = summary["limit"]
    return (
        f"Version {build.version}: {splits}, split by {summary['splits']['by']}. "
        f"Built by screenset {summary['code']['version']}, "
        f"fingerprint {summary['fingerprint'][:12]}."
        + (f" Limited to {limit:,} screens: a trial, not the whole data set." if limit else "")
    )


def _key_figures(build: FinishedBuild, stats: Statistics) -> Iterator[KeyFigure]:
    counts = stats.get(ALL, {})
    for key, one, many in (
        ("screens", "screen", "screens"),
        ("questions", "question", "questions"),
        ("answers", "answer", "answers"),
        ("apps", "app", "apps"),
    ):
        if counts.get(key):
            yield KeyFigure(number(counts[key]), one if counts[key] == 1 else many)
    share = not_answerable_share(counts)
    if share is not None:
        yield KeyFigure(percent(share, 2), "of questions someone found not answerable")
    bytes_of_shards = sum(shard.size_bytes for shard in build.shards)
    yield KeyFigure(size(bytes_of_shards), f"in {counted(len(build.shards), 'shard')}")


def _shown_sentence(screens: Sequence[ShownScreen], chosen: _Chosen) -> str:
    """Returns how many screens of how many are shown, and how they were chosen."""
    if not chosen.of_screens:
        return "This build has no screens."
    if not chosen.wanted:
        return "This report was made without a sample of screens."
    said = f"All {counted(len(screens), 'screen')} of the build."
    if len(screens) < chosen.of_screens:
        said = (
            f"{len(screens):,} of {chosen.of_screens:,} screens, chosen by hash so that each "
            "split, category, agreement level, verdict and reason of rejects is among them. Rare "
            "kinds are therefore more frequent here than in the data."
        )
    if all(screen.picture is None and not screen.note for screen in screens):
        said += " The build holds no pictures."
    if len(screens) < len(chosen.shown):
        said += f" {len(chosen.shown):,} were chosen; more would make the page too large."
    if chosen.lone:
        left_out = counted(len(chosen.lone), "record")
        said += f" After them {left_out} that were left out, which belong to none of these."
    return said


def _on_strip(screens: Sequence[ShownScreen]) -> list[ShownScreen]:
    """Returns a few screens to show on top: upright ones, which stand well beside each other."""
    upright = [one for one in screens if one.picture and one.picture.height > one.picture.width]
    return upright[:_STRIP]


def _with_markup(section: Section) -> dict[str, Any]:
    """Returns a section whose drawings are markup: charts made them, of our own words."""
    parts: Sequence[Any] = [
        dataclasses.replace(part, svg=Markup(part.svg)) if isinstance(part, Chart) else part
        for part in section.parts
    ]
    return {"name": section.name, "title": section.title, "parts": parts}
