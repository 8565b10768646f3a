"""Rules of columns that hold nothing: everywhere, or in one shard only."""

from collections.abc import Iterator

from pipelines.checking.deriving import may_hold_nothing
from pipelines.checking.facts import Filled, ShardFacts
from pipelines.checking.subjects import Subject, rows_of
from pipelines.checking.verdicts import Rule, Verdict, verdict
from schemas.columns import DeclaredColumn, declared_columns
from schemas.manifest import SplitBy

TOO_UNLIKELY = 1e-4
"""Chance below which an empty column of a shard is no accident; a build has thousands of them."""


def no_null_columns(subject: Subject) -> Verdict:
    """No column is empty in all rows if the build has what fills it (`BUILD.json`, `provides`).

    A misspelled field becomes a column of nulls without any error, and so does a join that
    met nothing.
    """
    provided = set(subject.build.summary["provides"])
    found, looked = [], 0
    for configuration, declared in _columns(subject):
        if declared.rules.needs not in provided:
            continue
        looked += 1
        shards = [facts for facts in subject.of(configuration) if rows_of(facts).filled]
        rows = sum(_filled(facts, declared).rows for facts in shards)
        if shards and not rows:
            needs = declared.rules.needs
            found.append(
                f"{configuration}: column {declared.path} is empty in every row, and the build "
                f"has {needs}"
            )
    return verdict(looked, "column", found)


def no_null_columns_in_a_shard(subject: Subject) -> Verdict:
    """No column is empty in one shard by more than chance while others fill it.

    Rows of one app are alike in what they lack, so groups are counted: apps, and screens
    without one. Of those in the other shards, f of g fill the column; by the rule of
    succession the next does with (f + 1) / (g + 2). A shard of n groups, of which none does,
    has then a chance of (1 - that) ** n; below `TOO_UNLIKELY` something broke. Where the splits
    are the source's own, answers may be released for one split only, and what needs them is
    compared within its split.
    """
    found, looked = [], 0
    for configuration, declared in _columns(subject):
        shards = [facts for facts in subject.of(configuration) if rows_of(facts).filled]
        looked += len(shards)
        for facts in shards:
            others = [other for other in shards if other is not facts]
            if _compared_within_split(subject, declared):
                others = [o for o in others if o.shard.split == facts.shard.split]
            chance = _chance(facts, others, declared)
            if chance < TOO_UNLIKELY:
                found.append(
                    f"{facts.path}: column {declared.path} is empty in all {facts.shard.rows:,} "
                    f"rows, and filled in other shards (by chance: {chance:.0e})"
                )
    return verdict(looked, "column of a shard", found, many="columns of shards")


def _chance(facts: ShardFacts, others: list[ShardFacts], declared: DeclaredColumn) -> float:
    """Returns the chance that a shard's column is as empty as it is; 1 where it holds anything."""
    if _filled(facts, declared).rows:
        return 1.0
    filling = sum(_filled(other, declared).groups for other in others)
    if not filling:
        return 1.0
    groups = sum(rows_of(other).groups for other in others)
    return float((1 - (filling + 1) / (groups + 2)) ** rows_of(facts).groups)


def _compared_within_split(subject: Subject, declared: DeclaredColumn) -> bool:
    if subject.build.summary["splits"]["by"] != SplitBy.OFFICIAL:
        return False
    return declared.path.startswith(("answers", "short_answers"))


def _columns(subject: Subject) -> Iterator[tuple[str, DeclaredColumn]]:
    for configuration, row_type in subject.build.row_types.items():
        for declared in declared_columns(row_type):
            if may_hold_nothing(declared):
                yield configuration, declared


def _filled(facts: ShardFacts, declared: DeclaredColumn) -> Filled:
    return rows_of(facts).filled[declared.path]


FILLED_RULES = (
    Rule("no_null_columns", "no column is empty that the build should fill", no_null_columns),
    Rule(
        "no_null_columns_in_a_shard",
        "no column is empty in one shard and filled in others",
        no_null_columns_in_a_shard,
    ),
)
