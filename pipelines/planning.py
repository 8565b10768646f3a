"""`screenset plan`: what a build would do, told without doing it."""

from collections.abc import Iterable

from pipelines.config import Request
from pipelines.estimating import short_answer_lines
from pipelines.inventory import Inventory, missing_sources, take_inventory
from pipelines.model_plans import cache_of, settle_provider
from pipelines.terminal import bold, counted, size, table
from schemas.manifest import SCREENS_RECIPE, Blocked, Images, PrefilterPolicy, SplitBy, Use
from transforms.identifying import id_order

_ROW_BYTES = 128


def print_plan(request: Request) -> int:
    """Prints the sources and what would come out of them; returns the exit code.

    Returns:
        0 if the build could run, 2 if a source that it needs is missing.
    """
    dataset = settle_provider(request.dataset)
    inventory = take_inventory(dataset, request.manifest, request.data, request.overrides)
    dataset = inventory.dataset
    print(bold(f"{dataset.name} {dataset.version}"))
    print(source_table(inventory))
    problems = missing_sources(inventory)
    if not problems and not inventory.asked_ids:
        what = "screen" if dataset.recipe == SCREENS_RECIPE else "question that could be read"
        problems = [f"the sources of {dataset.name} hold no {what}"]
    if problems:
        print("\n" + "\n".join(f"missing: {problem}" for problem in problems))
        return 2
    ids = inventory.first_ids(request.limit)
    lines = outcome_lines(inventory, request.limit)
    lines += short_answer_lines(inventory, ids, cache_of(request))
    print("\n" + "\n".join(lines))
    return 0


def source_table(inventory: Inventory) -> str:
    """Returns one line a source: is it there, how much is in it, under which licence."""
    rows = []
    for name, found in inventory.found.items():
        state = "found" if found.files else "missing"
        if found.files and found.missing:
            state = "incomplete"
        if not found.files and found.source.optional:
            state = "not there (optional)"
        there = bool(found.files)
        rows.append(
            (
                name,
                found.source.kind.value,
                state,
                len(found.files),
                found.records if there else None,
                size(found.size_bytes) if there else None,
                found.source.licence,
            )
        )
    header = ("source", "kind", "state", "files", "records", "size", "licence")
    return table(header, rows, "<<<>>><")


def outcome_lines(inventory: Inventory, limit: int | None) -> list[str]:
    """Returns sentences on what a build would read and write."""
    dataset = inventory.dataset
    ready = inventory.ready_ids
    lines = [f"{len(ready):,} screens"]
    if dataset.recipe != SCREENS_RECIPE:
        lines = _asking_lines(inventory)
    chosen = sorted(ready, key=id_order)[:limit]
    if limit is not None:
        lines.append(f"limited to the first {len(chosen):,} of them")
    lines += _blocked_lines(dataset.blocked)
    if dataset.images is not Images.NONE:
        lines += _prefilter_lines(dataset.prefilter)
    how = "as published" if dataset.splits.by is SplitBy.OFFICIAL else f"by {dataset.splits.by}"
    lines.append(f"images {dataset.images.value.replace('_', ' ')}, split {how}")
    load = _load(inventory, chosen)
    shards = max(1, -(-load // dataset.shards.target_bytes))
    lines.append(
        f"about {size(load)} of rows in {shards:,} shard{'s' if shards > 1 else ''} or a few more "
        "(no shard spans two splits)"
    )
    return lines


def _blocked_lines(blocked: Blocked) -> list[str]:
    if not blocked.apps and not blocked.screens:
        return []
    apps, screens = counted(len(blocked.apps), "app"), counted(len(blocked.screens), "screen")
    return [f"the block list names {apps} and {screens}: what there is of them is left out"]


def _asking_lines(inventory: Inventory) -> list[str]:
    dataset = inventory.dataset
    names = dataset.sources.answers + dataset.sources.short_answers + dataset.sources.events
    records = sum(inventory.found[name].records for name in names)
    kind = "annotation events" if dataset.sources.events else "question records"
    asked, ready = inventory.asked_ids, inventory.ready_ids
    lines = [f"{records:,} {kind} about {len(asked):,} screens"]
    if dataset.images is not Images.NONE:
        lines.append(f"{len(ready):,} of these screens are in the sources")
        if len(ready) < len(asked):
            lines.append(
                f"the records about the other {len(asked) - len(ready):,} will be rejected "
                "(screen_missing), which the manifest's rejects must allow"
            )
    return lines


def _prefilter_lines(policy: PrefilterPolicy) -> list[str]:
    verdicts = {"language": policy.language, "hierarchy in sync": policy.hierarchy_sync}
    return [
        f"{what}: screens found wanting are "
        + ("removed" if use is Use.REMOVE else "reported and kept")
        for what, use in verdicts.items()
        if use is not Use.OFF
    ]


def _load(inventory: Inventory, chosen: Iterable[str]) -> int:
    pictures: dict[str, int] = {}
    for found in inventory.found.values():
        pictures |= found.picture_bytes
    return sum(pictures.get(screen_id, 0) + _ROW_BYTES for screen_id in chosen)
