"""The main job: sources in, a checked and finished data set folder out."""

import dataclasses
import hashlib
import json
import os
import pathlib
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from pipelines.config import Request, code_digest, code_version
from pipelines.errors import BuildError, UserError
from pipelines.inventory import (
    Inventory,
    missing_sources,
    split_lists,
    take_inventory,
    unknown_blocked,
)
from pipelines.model_plans import (
    ask_plan,
    cache_of,
    refuse_unaskable,
    settle_provider,
    short_answer_facts,
    spent_on,
)
from pipelines.readme import readme
from pipelines.recipes.jobs import Job
from pipelines.recipes.screenqa import build_screenqa, row_makers
from pipelines.recipes.screens import build_screens, screen_row_makers
from pipelines.runners import Engine, workers_for
from pipelines.terminal import ProgressDisplay, counted
from pipelines.work_folder import (
    FINISHED,
    WorkFolder,
    open_work_folder,
    promote,
    remove_strangers,
)
from schemas.builds import DUPLICATES, Shard
from schemas.manifest import SCREENS_RECIPE, SPLITS, Dataset, SplitBy, Use
from schemas.rejects import Outcome, Reason
from schemas.screens import AppRow
from transforms.accounting import (
    counts_of,
    exceeded_ceilings,
    fates_by_kind,
    repairs,
    row_problems,
    unbalanced,
)
from transforms.annotation.answers import FINDING, answer_counts
from transforms.collecting import Results, read_entries, read_prefilter, read_results
from transforms.duplicates import duplicate_counts, duplicate_report
from transforms.funnel import funnel_rows
from transforms.leaks import leak_report
from transforms.models.spending import Spent
from transforms.prefilter_report import prefilter_report
from transforms.progress import Progress, read_progress
from transforms.screens.checking import CHECKED
from transforms.screens.ocr import OcrMissingError, require_ocr
from transforms.sources.reading import CATEGORY_KINDS, Selection
from transforms.sources.rico import read_ui_details
from transforms.writing import WRITTEN, RowMaker, ShardFolder, write_text

LEDGER = "spent.jsonl"
"""File of the build in work that says what was paid."""

_NO_OUTPUT = ("limits", "budget", "price", "timeout_s", "key_env", "base_url", "batch")
"""What of a model's policy decides how it is asked, and not what comes out: a build that
stopped at its budget goes on with a larger one."""


class Recipe(NamedTuple):
    """How one kind of data set is built, and what makes the rows of its configurations."""

    build: Callable[[Any, Job], None]
    row_makers: Callable[[Job], dict[str, RowMaker]]


RECIPES: Mapping[str, Recipe] = {
    "screenqa": Recipe(build_screenqa, row_makers),
    SCREENS_RECIPE: Recipe(build_screens, screen_row_makers),
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
        if fresh:
            # A build that begins anew has paid nothing yet; stored replies it gets for nothing.
            pathlib.Path(folder.root, LEDGER).unlink(missing_ok=True)
        job = _job(inventory, selection, folder, request)
        progress = Progress(folder.progress)
        progress.close()
        with Engine(count, folder.root) as engine:
            totals = _totals(inventory, request)
            with ProgressDisplay(lambda: read_progress(folder.progress), totals):
                engine.run(lambda pipeline: RECIPES[job.dataset.recipe].build(pipeline, job))
        progress.close()
        results = read_results(folder.results)
        _refuse_bad_books(inventory, results, folder)
        summary = _finish(inventory, request, job, results, folder, (fingerprint, code))
        spent = spent_on(job.asking) if job.asking is not None else None
        promote(folder, fresh=fresh)
    return Built(
        out=folder.out,
        summary=summary,
        statistics=results.statistics,
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
    return sum(int(split.get(counted, 0)) for split in results.statistics.values())


def _finish(
    inventory: Inventory,
    request: Request,
    job: Job,
    results: Results,
    folder: WorkFolder,
    digests: tuple[str, str],
) -> dict[str, Any]:
    """Checks the written shards and writes the files beside them, `BUILD.json` last."""
    fingerprint, code = digests
    for shard in results.shards:
        _refuse_changed(shard, folder)
    makers = RECIPES[job.dataset.recipe].row_makers(job)
    entries = read_entries(folder.data, results.splits)
    leaks = leak_report(entries, split_lists(inventory), _apps_of(inventory))
    duplicates = duplicate_report(entries, inventory.dataset.duplicates)
    summary = {
        "dataset": inventory.dataset.name,
        "version": inventory.dataset.version,
        "recipe": inventory.dataset.recipe,
        "code": {"version": code_version(), "digest": code},
        "fingerprint": fingerprint,
        "limit": request.limit,
        "images": inventory.dataset.images.value,
        "splits": dataclasses.asdict(inventory.dataset.splits),
        "sources": {name: _source_facts(found) for name, found in inventory.found.items()},
        "records": fates_by_kind(results.tallies, results.rejects),
        "rejects": _nested(results.rejects),
        "repairs": repairs(results.tallies),
        "funnel": [row._asdict() for row in funnel_rows(results.tallies, results.statistics)],
        "findings": counts_of(results.tallies, FINDING),
        "short_answers": short_answer_facts(inventory.dataset, results.tallies),
        "prefilter": prefilter_report(read_prefilter(folder.data)),
        "duplicates": duplicate_counts(duplicates),
        "leaks": leaks,
        "shards": [dataclasses.asdict(shard) for shard in results.shards],
    }
    texts = {
        DUPLICATES: json.dumps(duplicates, indent=1, ensure_ascii=False) + "\n",
        "stats.json": json.dumps(results.statistics, indent=1, ensure_ascii=False) + "\n",
        "README.md": readme(summary, {name: maker.row_type for name, maker in makers.items()}),
    }
    if results.agreement is not None:
        agreement = results.agreement | {
            "answers_per_question": [
                dataclasses.asdict(count)
                for count in answer_counts(results.tallies, inventory.dataset.annotation)
            ]
        }
        texts["agreement.json"] = json.dumps(agreement, indent=1, ensure_ascii=False) + "\n"
    if results.verification is not None:
        verification = json.dumps(results.verification, indent=1, ensure_ascii=False) + "\n"
        texts["verification.json"] = verification
    listed = {
        os.path.join("splits", f"{split}.{suffix}")
        for split in results.splits
        for suffix in ("txt", "tsv")
    }
    listed |= {os.path.join("rejects", f"{kind}.jsonl") for kind, _ in results.rejects}
    listed |= set(results.tables)
    remove_strangers(folder, {shard.path for shard in results.shards} | listed)
    for name, text in texts.items():
        write_text(os.path.join(folder.data, name), text)
    finished = json.dumps(summary, indent=1, ensure_ascii=False) + "\n"
    write_text(os.path.join(folder.data, FINISHED), finished)
    return summary


def _refuse_changed(shard: Shard, folder: WorkFolder) -> None:
    path = os.path.join(folder.data, shard.path)
    if os.path.getsize(path) != shard.size_bytes:
        raise BuildError(f"{shard.path} is not as long as it was written")
    if pq.read_metadata(path).num_rows != shard.rows:
        raise BuildError(f"{shard.path} does not hold the {shard.rows:,} rows that were written")


def _apps_of(inventory: Inventory) -> dict[str, str]:
    name = inventory.dataset.sources.apps
    if name is None or not inventory.dataset.sources.leaks_against:
        return {}
    apps: dict[str, str] = {}
    for file in inventory.found[name].files:
        for row in read_ui_details(file.path, file.source):
            if isinstance(row, AppRow):
                apps.setdefault(row.screen_id, row.package)
    return apps


def _source_facts(found: Any) -> dict[str, Any]:
    source = found.source
    return {
        "kind": source.kind.value,
        "licence": source.licence,
        "url": source.url,
        "citation": source.citation,
        "files": [{"name": file.name, "split": file.split} for file in found.files],
        "records": found.records,
        "size_bytes": found.size_bytes,
        "digest": found.digest,
    }


def _nested(rejects: Mapping[tuple[str, str], int]) -> dict[str, dict[str, int]]:
    nested: dict[str, dict[str, int]] = {}
    for (kind, reason), count in sorted(rejects.items()):
        nested.setdefault(kind, {})[reason] = count
    return nested


def _empty_splits(dataset: Dataset, rows: Mapping[str, int], results: Results) -> list[str]:
    """Returns a note on the splits that got nothing though they were to have a share."""
    policy = dataset.splits
    if policy.by is SplitBy.OFFICIAL:
        return []
    wanted = [split for split, share in zip(SPLITS, policy.shares, strict=True) if share > 0]
    empty = [split for split in wanted if not rows.get(split)]
    if not empty:
        return []
    groups = sum(counts.get("apps", 0) for counts in results.statistics.values())
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
