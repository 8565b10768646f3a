"""What a card is made of: a finished build's own reports, read once."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import pyarrow.parquet as pq

from pipelines.errors import UserError
from pipelines.finished_builds import FinishedBuild, named
from schemas.builds import AGREEMENT, ALL, FINISHED, STATISTICS, VERIFICATION, Shard
from schemas.manifest import SCREENS_RECIPE
from schemas.splits import SPLITS

_NEEDED = (
    "card",
    "code",
    "duplicates",
    "fingerprint",
    "images",
    "leaks",
    "limit",
    "manifest",
    "prefilter",
    "records",
    "recipe",
    "rejects",
    "short_answers",
    "sources",
    "splits",
)


@dataclasses.dataclass(frozen=True, slots=True)
class SplitSize:
    """How much a split of a configuration holds.

    `num_bytes` is the size of its columns before compression, as its shards' footers tell it;
    `stored_bytes` that of its files.
    """

    split: str
    rows: int
    files: int
    num_bytes: int
    stored_bytes: int


@dataclasses.dataclass(frozen=True, slots=True)
class CardFacts:
    """What is known of a build. `sizes` are by configuration, its splits in their order.

    `summary` is `BUILD.json`, `statistics` `stats.json`, and the last two are
    `agreement.json` and `verification.json` where the build has them.
    """

    summary: Mapping[str, Any]
    row_types: Mapping[str, type]
    sizes: Mapping[str, tuple[SplitSize, ...]]
    statistics: Mapping[str, Mapping[str, Any]]
    agreement: Mapping[str, Any] | None
    verification: Mapping[str, Any] | None

    @property
    def name(self) -> str:
        """Name of the data set, and of its main configuration."""
        return str(self.summary["dataset"])

    @property
    def asks(self) -> bool:
        """Whether it is a data set of questions, not of screens alone."""
        return self.summary["recipe"] != SCREENS_RECIPE

    @property
    def over_all(self) -> Mapping[str, Any]:
        """Statistics of all splits together."""
        return self.statistics[ALL]

    @property
    def splits(self) -> tuple[str, ...]:
        """Its splits, in their order."""
        return tuple(split for split in SPLITS if split in self.statistics)

    @property
    def fingerprint(self) -> str:
        """What tells this build from others, short enough to be read."""
        return fingerprint_of(self.summary)


def card_facts(build: FinishedBuild) -> CardFacts:
    """Returns what the card of a build is made of; of its shards only the footers are read.

    Raises:
        UserError: If one of its reports or shards is missing or damaged.
    """
    statistics = build.report(STATISTICS)
    if not statistics or ALL not in statistics:
        raise UserError(f"{build.path(STATISTICS)} is missing, or has no counts")
    for key in _NEEDED:
        if key not in build.summary:
            raise UserError(f"{build.path(FINISHED)} is damaged: it has no {key}")
    sizes = {name: split_sizes(build, name) for name in build.row_types}
    agreement, verification = build.report(AGREEMENT), build.report(VERIFICATION)
    return CardFacts(build.summary, build.row_types, sizes, statistics, agreement, verification)


def fingerprint_of(summary: Mapping[str, Any]) -> str:
    """Returns what tells a build from others, short enough to be read.

    Args:
        summary: Its `BUILD.json`.

    Raises:
        UserError: If it has none.
    """
    if not summary.get("fingerprint"):
        raise UserError(f"{FINISHED} is damaged: it has no fingerprint")
    return str(summary["fingerprint"])[:12]


def split_sizes(build: FinishedBuild, configuration: str) -> tuple[SplitSize, ...]:
    """Returns how much each split of a configuration holds.

    Raises:
        UserError: If a shard is no whole Parquet file.
    """
    found: dict[str, list[Shard]] = {}
    for shard in build.shards_of(configuration):
        found.setdefault(shard.split, []).append(shard)
    return tuple(
        SplitSize(
            split,
            sum(shard.rows for shard in shards),
            len(shards),
            sum(_num_bytes(build.path(shard.path)) for shard in shards),
            sum(shard.size_bytes for shard in shards),
        )
        for split, shards in found.items()
    )


def _num_bytes(path: str) -> int:
    """Returns the size of a shard's columns before compression.

    `datasets` means by it the size in its cache, which nobody knows before having filled
    one; this is within some per cent of it, since nearly all are pictures.
    """
    with named(path):
        footer = pq.read_metadata(path)
    return sum(footer.row_group(i).total_byte_size for i in range(footer.num_row_groups))
