"""`screenset diff`: two finished builds, or one and what is on the Hub, held side by side."""

import dataclasses
import json

from pipelines.diffing.columns import column_differences
from pipelines.diffing.rows import common_paths, compare_rows, no_difference
from pipelines.diffing.screens import screens_difference
from pipelines.diffing.shards import Pair, pairs_of
from pipelines.diffing.showing import difference_text
from pipelines.diffing.sides import Side, open_side
from pipelines.diffing.summaries import (
    configuration_changes,
    reject_changes,
    setting_changes,
    source_changes,
    split_counts,
    statistic_changes,
)
from pipelines.finished_builds import undamaged
from schemas.builds import STATISTICS
from schemas.differences import Change, ColumnDifference, Difference, RowsDifference

__all__ = ["diff", "difference_json", "difference_text"]


def diff(one: str, other: str, *, token_env: str | None = None) -> Difference:
    """Returns what differs between a build before and a build after.

    Shards that are the same file on both sides are neither read nor fetched. Of the rest,
    memory holds some bytes a row and the ids that differ; pictures pass through.

    Args:
        one: The build before: a folder, or `hf://datasets/ORG/NAME[@REVISION]`.
        other: The build after, given likewise.
        token_env: Environment variable with the Hub's token; None for the usual places, first
            of which is `HF_TOKEN`.

    Raises:
        UserError: If one is no finished build, cannot be reached, is damaged, or its rows are
            not of the same kind as the other's.
    """
    before, after = open_side(one, token_env), open_side(other, token_env)
    with undamaged(before.build, after.build):
        return _difference(before, after)


def difference_json(difference: Difference) -> str:
    """Returns all of it as JSON in ASCII: every id, and `differs` first."""
    plain = {"differs": difference.differs, **dataclasses.asdict(difference)}
    return json.dumps(plain, indent=1) + "\n"


def _difference(before: Side, after: Side) -> Difference:
    columns: list[ColumnDifference] = []
    rows: list[RowsDifference] = []
    for pair in pairs_of(before, after):
        found_columns, found_rows = _compare(pair)
        columns += found_columns
        rows.append(found_rows)
    return Difference(
        before=before.identity,
        after=after.identity,
        counts=split_counts(before, after),
        configurations=configuration_changes(before, after),
        columns=tuple(columns),
        rows=tuple(rows),
        screens=screens_difference(before, after),
        statistics=_statistics(before, after),
        rejects=reject_changes(before, after),
        sources=source_changes(before, after),
        settings=setting_changes(before, after),
    )


def _compare(pair: Pair) -> tuple[list[ColumnDifference], RowsDifference]:
    if not pair.before.shards and not pair.after.shards:
        return [], no_difference(pair)
    before, after = pair.before.schema(), pair.after.schema()
    if before is None or after is None:
        # All rows of one side are in shards that both have, or it has none: the other's are new.
        only = after if before is None else before
        return [], compare_rows(pair, common_paths(only, only))
    names = pair.before.configuration, pair.after.configuration
    columns = column_differences(names, before, after)
    return columns, compare_rows(pair, common_paths(before, after))


def _statistics(before: Side, after: Side) -> tuple[Change, ...]:
    if before.digest_of(STATISTICS) == after.digest_of(STATISTICS) != "":
        return ()
    return statistic_changes(before.statistics(), after.statistics())
