"""The end of a build: its shards held against what was written, and the files beside them.

`BUILD.json` comes last, so that whatever has one is finished.
"""

import dataclasses
import json
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from pipelines.cards.by_hand import kept_by_hand
from pipelines.cards.card import card_text
from pipelines.cards.facts import card_facts
from pipelines.config import Request, code_version
from pipelines.errors import BuildError
from pipelines.finished_builds import FinishedBuild
from pipelines.inventory import Inventory, split_lists
from pipelines.model_plans import short_answer_facts
from pipelines.work_folder import WorkFolder, remove_strangers
from schemas.builds import (
    AGREEMENT,
    ALL,
    CARD,
    DUPLICATES,
    FINISHED,
    STATISTICS,
    VERIFICATION,
    BuiltFile,
    Shard,
)
from schemas.columns import Need
from schemas.manifest import MANIFEST_VERSION, Dataset, Images, SourceKind, Use
from schemas.screens import AppRow
from schemas.short_answers import ShortAnswerProvider
from schemas.splits import SPLITS
from transforms.accounting import counts_of, fates_by_kind, repairs
from transforms.annotation.answers import FINDING, answer_counts
from transforms.collecting import Results
from transforms.duplicates import duplicate_counts, duplicate_report
from transforms.files import file_digest
from transforms.funnel import funnel_rows
from transforms.leaks import leak_report
from transforms.prefilter_report import prefilter_report
from transforms.replacing import write_text
from transforms.screen_tables import read_entries, read_prefilter
from transforms.sources.reading import CATEGORY_KINDS
from transforms.sources.rico import read_ui_details

_WITH_APPS = (SourceKind.RICO_TRACES, SourceKind.IOS_CAPTURED, SourceKind.ITUNES)
_WITH_HIERARCHIES = (SourceKind.RICO_COMBINED, SourceKind.RICO_TRACES)


class Digests(NamedTuple):
    """What a build depended on: all of it, and of that the code."""

    fingerprint: str
    code: str


def finish(
    inventory: Inventory,
    request: Request,
    results: Results,
    folder: WorkFolder,
    digests: Digests,
) -> dict[str, Any]:
    """Checks the written shards and writes the files beside them; returns `BUILD.json`.

    Raises:
        BuildError: If a shard is not as it was written.
    """
    for shard in results.shards:
        _refuse_changed(shard, folder)
    listed = _written_by_steps(results)
    remove_strangers(folder, {shard.path for shard in results.shards} | listed)
    entries = read_entries(folder.data, results.splits)
    duplicates = duplicate_report(entries, inventory.dataset.duplicates)
    for name, value in _reports(inventory, results, duplicates).items():
        write_text(os.path.join(folder.data, name), _json(value))
        listed.add(name)
    leaks = leak_report(entries, split_lists(inventory), _apps_of(inventory))
    files = [_facts_of(folder.data, path) for path in sorted(listed)]
    summary = {
        **_definition(inventory, request, digests),
        "sources": {name: _source_facts(found) for name, found in inventory.found.items()},
        "records": fates_by_kind(results.tallies, results.rejects),
        "rejects": _nested(results.rejects),
        "repairs": repairs(results.tallies),
        "funnel": [
            row._asdict() for row in funnel_rows(results.tallies, results.statistics.splits)
        ],
        "findings": counts_of(results.tallies, FINDING),
        "short_answers": short_answer_facts(inventory.dataset, results.tallies),
        "prefilter": prefilter_report(read_prefilter(folder.data)),
        "duplicates": duplicate_counts(duplicates),
        "leaks": leaks,
        "shards": [dataclasses.asdict(shard) for shard in results.shards],
        "files": [dataclasses.asdict(file) for file in files],
    }
    # What people wrote into the card of the build that this one replaces stays.
    hand = kept_by_hand(folder.out, force=True)
    build = FinishedBuild(folder.data, summary, tuple(results.shards), tuple(files))
    write_text(os.path.join(folder.data, CARD), card_text(card_facts(build), hand))
    write_text(os.path.join(folder.data, FINISHED), _json(summary))
    return summary


def provides(inventory: Inventory) -> list[str]:
    """Returns the needs of columns that a build of these sources meets, sorted."""
    dataset = inventory.dataset
    found = [inventory.found[name].source.kind for name in dataset.sources.screens]
    in_rows = set(found) if dataset.images is not Images.NONE else set()
    makes = dataset.short_answers.provider != ShortAnswerProvider.NONE
    met = {
        Need.PICTURE: bool(in_rows),
        Need.APP: _is_found(inventory, dataset.sources.apps) or bool(in_rows & {*_WITH_APPS}),
        Need.CATEGORY: _is_found(inventory, dataset.sources.app_details)
        or bool(in_rows & CATEGORY_KINDS),
        Need.ANSWERS: bool(dataset.sources.answers or dataset.sources.events),
        Need.SHORT_ANSWERS: bool(dataset.sources.short_answers) or makes,
        Need.EVENTS: bool(dataset.sources.events),
        Need.HIERARCHY: bool(in_rows & {*_WITH_HIERARCHIES}),
        Need.LANGUAGE: bool(in_rows) and dataset.prefilter.language is not Use.OFF,
        Need.SYNC: bool(in_rows) and dataset.prefilter.hierarchy_sync is not Use.OFF,
    }
    return sorted(need.value for need, is_met in met.items() if is_met)


def _definition(inventory: Inventory, request: Request, digests: Digests) -> dict[str, Any]:
    """Returns what the build is of, and what its manifest says of it."""
    dataset = inventory.dataset
    return {
        "dataset": dataset.name,
        "version": dataset.version,
        "recipe": dataset.recipe,
        "code": {"version": code_version(), "digest": digests.code},
        "manifest": {"version": MANIFEST_VERSION},
        "fingerprint": digests.fingerprint,
        "limit": request.limit,
        "images": dataset.images.value,
        "splits": dataclasses.asdict(dataset.splits),
        "provides": provides(inventory),
        "checks": _check_limits(dataset),
        "card": dataclasses.asdict(dataset.card),
    }


def _check_limits(dataset: Dataset) -> dict[str, Any]:
    return {
        **dataclasses.asdict(dataset.checks),
        "expected_rows": dict(dataset.expected_rows),
        "answers": {split: dataset.annotation.answers_in(split) for split in SPLITS},
    }


def _is_found(inventory: Inventory, name: str | None) -> bool:
    return name is not None and bool(inventory.found[name].files)


def _reports(
    inventory: Inventory, results: Results, duplicates: Mapping[str, Any]
) -> dict[str, Any]:
    """Returns what the files hold that are written here, by name."""
    reports: dict[str, Any] = {
        DUPLICATES: duplicates,
        STATISTICS: {ALL: results.statistics.all, **results.statistics.splits},
    }
    if results.agreement is not None:
        counts = answer_counts(results.tallies, inventory.dataset.annotation)
        of_questions = [dataclasses.asdict(count) for count in counts]
        reports[AGREEMENT] = results.agreement | {"answers_per_question": of_questions}
    if results.verification is not None:
        reports[VERIFICATION] = results.verification
    return reports


def _written_by_steps(results: Results) -> set[str]:
    """Returns the paths of what the pipeline wrote beside the shards."""
    lists = {
        os.path.join("splits", f"{split}.{suffix}")
        for split in results.splits
        for suffix in ("txt", "tsv")
    }
    rejects = {os.path.join("rejects", f"{kind}.jsonl") for kind, _ in results.rejects}
    return lists | rejects | set(results.tables)


def _json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def _facts_of(folder: str, path: str) -> BuiltFile:
    whole = os.path.join(folder, path)
    return BuiltFile(path, os.path.getsize(whole), file_digest(whole))


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
