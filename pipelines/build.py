"""The main job: sources in, a checked and finished data set folder out."""

import dataclasses
import hashlib
import json
import os
import pathlib
import time
from collections.abc import Callable, Mapping
from typing import Any

from pipelines.cards.by_hand import kept_by_hand
from pipelines.config import Request, code_digest
from pipelines.errors import BuildError, UserError
from pipelines.finishing import Digests, finish
from pipelines.inventory import (
    Inventory,
    missing_sources,
    take_inventory,
    unknown_blocked,
)
from pipelines.model_plans import (
    ask_plan,
    cache_of,
    refuse_unaskable,
    settle_provider,
    spent_on,
)
from pipelines.recipes.jobs import Job
from pipelines.recipes.screenqa import build_screenqa
from pipelines.recipes.screens import build_screens
from pipelines.runners import Engine, workers_for
from pipelines.terminal import ProgressDisplay, counted
from pipelines.work_folder import (
    WorkFolder,
    open_work_folder,
    promote,
)
from schemas.manifest import SCREENS_RECIPE, Dataset, SplitBy, Use
from schemas.rejects import Outcome, Reason
from schemas.splits import SPLITS
from transforms.accounting import (
    exceeded_ceilings,
    fates_by_kind,
    row_problems,
    unbalanced,
)
from transforms.collecting import Results, read_results
from transforms.models.spending import Spent
from transforms.progress import Progress, read_progress
from transforms.screens.checking import CHECKED
from transforms.screens.ocr import OcrMissingError, require_ocr
from transforms.sources.reading import CATEGORY_KINDS, Selection
from transforms.writing import WRITTEN, ShardFolder

LEDGER = "spent.jsonl"
"""File of the build in work that says what was paid."""

_NO_OUTPUT = ("limits", "budget", "price", "timeout_s", "key_env", "base_url", "batch")
"""What of a model's policy decides how it is asked, and not what comes out: a build that
stopped at its budget goes on with a larger one."""


RECIPES: Mapping[str, Callable[[Any, Job], None]] = {
    "screenqa": build_screenqa,
    SCREENS_RECIPE: build_screens,
}


@dataclasses.dataclass(frozen=True, slots=True)
class Built:
    """A finished build: its folder, its `BUILD.json`, its statistics, its cost.

    `spent` is what its model was paid, by this run and those before it that were stopped; None
    if no model was asked.
    """

    out: str
    summary: dict[str, Any]
    statistics: dict[str, dict[str, Any]]
    agreement: dict[str, Any] | None
    verification: dict[str, Any] | None
    warnings: tuple[str, ...]
    seconds: float
    workers: int
    spent: Spent | None


def build(request: Request, out: str, *, workers: int | None = None, fresh: bool = False) -> Built:
    """Builds a data set into the folder `out`.

    Args:
        request: What to build from which sources.
        out: The output folder; it appears whole or not at all.
        workers: Worker processes, 1 for this process, None to choose by input size.
        fresh: Whether to replace a finished build or begin an unfinished one anew.

    Raises:
        UserError: For missing or unreadable sources and an occupied output folder.
        BuildError: If a step fails, the books do not balance, a ceiling is exceeded or
            nothing is left to write.
    """
    started = time.monotonic()
    dataset = settle_provider(request.dataset)
    require_extras(dataset)
    inventory = take_inventory(dataset, request.manifest, request.data, request.overrides)
    refuse_missing(inventory)
    selection = Selection(inventory.first_ids(request.limit))
    code = code_digest()
    fingerprint = fingerprint_of(inventory, request.limit, code)
    count = workers_for(workers, inventory.input_bytes)
    with open_work_folder(out, fingerprint, fresh=fresh) as folder:
        # What was written by hand into the card that goes will be in the one that comes: what
        # could not be kept is better found now than after all the work.
        way_out = f"run `screenset card {out} --force` to lose the rest"
        kept_by_hand(folder.out, force=False, way_out=way_out)
        if fresh:
            # A build that begins anew has paid nothing yet; stored replies it gets for nothing.
            pathlib.Path(folder.root, LEDGER).unlink(missing_ok=True)
        job = _job(inventory, selection, folder, request)
        progress = Progress(folder.progress)
        progress.close()
        with Engine(count, folder.root) as engine:
            totals = _totals(inventory, request)
            with ProgressDisplay(lambda: read_progress(folder.progress), totals):
                engine.run(lambda pipeline: RECIPES[job.dataset.recipe](pipeline, job))
        progress.close()
        results = read_results(folder.results)
        _refuse_bad_books(inventory, results, folder)
        summary = finish(inventory, request, results, folder, Digests(fingerprint, code))
        spent = spent_on(job.asking) if job.asking is not None else None
        promote(folder, fresh=fresh)
    return Built(
        out=folder.out,
        summary=summary,
        statistics=results.statistics.splits,
        agreement=results.agreement,
        verification=results.verification,
        warnings=tuple(_warnings(inventory, request, results)),
        seconds=time.monotonic() - started,
        workers=count,
        spent=spent,
    )


def require_extras(dataset: Dataset) -> None:
    """Raises a `UserError` if the data set needs an extra that is not installed."""
    policy = dataset.prefilter
    if policy.ocr and {policy.language, policy.hierarchy_sync} != {Use.OFF}:
        try:
            require_ocr()
        except OcrMissingError as error:
            raise UserError(str(error)) from error


def refuse_missing(inventory: Inventory) -> None:
    """Raises a `UserError` if a source is missing or no question was found."""
    missing = missing_sources(inventory)
    if missing:
        raise UserError("\n".join(missing))
    if not inventory.asked_ids:
        what = "screen" if inventory.dataset.recipe == SCREENS_RECIPE else "question"
        raise UserError(f"the sources of {inventory.dataset.name} hold no {what}")


def fingerprint_of(inventory: Inventory, limit: int | None, code: str) -> str:
    """Returns a digest of all that the output depends on; no path, time or worker count."""
    dataset = dataclasses.asdict(inventory.dataset)
    for name in _NO_OUTPUT:
        (dataset["short_answers"]["model"] or {}).pop(name, None)
    parts = {
        "dataset": dataset,
        "sources": {name: found.digest for name, found in sorted(inventory.found.items())},
        "limit": limit,
        "code": code,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=_plain).encode()).hexdigest()


def _plain(value: object) -> object:
    # The text of a set has its members in the order of their hashes: another in each process.
    return sorted(value) if isinstance(value, frozenset) else str(value)


def _job(inventory: Inventory, selection: Selection, folder: WorkFolder, request: Request) -> Job:
    asking = ask_plan(inventory.dataset, cache_of(request), os.path.join(folder.root, LEDGER))
    if asking is not None:
        refuse_unaskable(asking)
    sources = inventory.dataset.sources
    screens = inventory.files_of(sources.screens)
    apps = inventory.files_of(tuple(filter(None, [sources.apps])))
    return Job(
        dataset=inventory.dataset,
        # The longest to read first: files are dealt to the workers in turn.
        sources=(
            *inventory.files_of(sources.answers + sources.short_answers + sources.events),
            *inventory.files_of(sources.verification),
            *inventory.files_of(sources.sync_evidence),
            *screens,
            *apps,
        ),
        app_details=(
            *inventory.files_of(tuple(filter(None, [sources.app_details]))),
            *(file for file in screens if file.kind in CATEGORY_KINDS),
        ),
        folders={file.source: file.path for file in screens},
        selection=selection,
        shards=ShardFolder(folder.data, folder.notes),
        results=folder.results,
        progress=Progress(folder.progress),
        asking=asking,
    )


def _totals(inventory: Inventory, request: Request) -> dict[str, int]:
    screens = len(inventory.ready_ids)
    if request.limit is not None:
        screens = min(screens, request.limit)
    return {CHECKED: screens, WRITTEN: screens}


def _refuse_bad_books(inventory: Inventory, results: Results, folder: WorkFolder) -> None:
    books = fates_by_kind(results.tallies, results.rejects)
    rows = [s.rows for s in results.shards if s.configuration == inventory.dataset.name]
    kept = _kept_rows(results, inventory.dataset.recipe)
    problems = unbalanced(books) + row_problems(rows, kept)
    if problems:
        raise BuildError("the books do not balance, a bug: " + "; ".join(problems))
    excess = exceeded_ceilings(books, results.rejects, inventory.dataset.rejects)
    if not results.shards:
        excess.append("no row was left to write")
    if excess:
        reasons = [
            f"  {counted(count, f'{kind} record')}: {reason} ({Reason(reason).sentence})"
            for (kind, reason), count in sorted(results.rejects.items(), key=lambda r: -r[1])
        ]
        hints = [f"they are listed in {os.path.join(folder.data, 'rejects')}"]
        if results.shards:
            hints.append(
                "to allow more, raise rejects.overall or rejects.by_reason in the manifest, and "
                "build again with --fresh"
            )
        raise BuildError("\n".join([*excess, *reasons[:8], *hints]))


def _kept_rows(results: Results, recipe: str) -> int:
    counted = "screens" if recipe == SCREENS_RECIPE else "questions"
    return sum(int(split.get(counted, 0)) for split in results.statistics.splits.values())


def _empty_splits(dataset: Dataset, rows: Mapping[str, int], results: Results) -> list[str]:
    """Returns a note on the splits that got nothing though they were to have a share."""
    policy = dataset.splits
    if policy.by is SplitBy.OFFICIAL:
        return []
    wanted = [split for split, share in zip(SPLITS, policy.shares, strict=True) if share > 0]
    empty = [split for split in wanted if not rows.get(split)]
    if not empty:
        return []
    groups = sum(counts.get("apps", 0) for counts in results.statistics.splits.values())
    why = f": {counted(groups, 'app')} may be too few" if policy.by is SplitBy.APP else ""
    return [f"{' and '.join(empty)} {'is' if len(empty) == 1 else 'are'} empty{why}"]


def _warnings(inventory: Inventory, request: Request, results: Results) -> list[str]:
    dataset = inventory.dataset
    warnings = []
    rows: dict[str, int] = {}
    for shard in results.shards:
        if shard.configuration == dataset.name:
            rows[shard.split] = rows.get(shard.split, 0) + shard.rows
    warnings += _empty_splits(dataset, rows, results)
    if request.limit is None:
        for split, expected in dataset.expected_rows.items():
            if rows.get(split, 0) != expected:
                warnings.append(
                    f"{split} has {rows.get(split, 0):,} rows, the manifest expects {expected:,}"
                )
    strangers = unknown_blocked(inventory)
    if strangers:
        warnings.append(f"blocked, but in no source: {', '.join(strangers)}")
    if results.tallies.get(("screen", Outcome.ORPHANED), 0):
        orphans = results.tallies["screen", Outcome.ORPHANED]
        warnings.append(f"{orphans:,} screens have no question and were not read")
    return warnings
