"""Great Expectations suites: one a configuration, generated from the declared columns, and ours.

Expectations see derived scalar columns only (`deriving`, `consistency`). Each suite counts its
rows too, since an expectation of values holds for no rows at all. An expectation that breaks
reports no success and the exception: that is not data that failed, and is kept apart.
"""

import bisect
import dataclasses
import enum
import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy
import pyarrow as pa

from pipelines.checking.consistency import (
    ANSWERS,
    COUNTED_ANSWERS,
    GIVEN_ANSWERS,
    HALF_SIZES,
    INVALID_ANSWERS,
    QUESTION_CHARS,
    SHORT_ANSWERS,
    UNEXPLAINED,
)
from pipelines.checking.deriving import Derived, Measure, derived_columns
from pipelines.checking.facts import ShardFacts
from pipelines.checking.subjects import Subject, rows_of
from pipelines.checking.verdicts import Rule, Verdict, errored, not_applicable, verdict
from schemas.builds import FINISHED
from schemas.checks import LONGEST_LIST
from schemas.columns import declared_columns
from transforms.identifying import MAX_TEXT

MOST_SHORT_ANSWERS = 100
"""Most short answers of one question; the released files have up to 17 (ScreenQA 4.5)."""
MOST_ANSWERS = 10
"""Most answers of one question; three are asked for (ScreenQA 4.3)."""


class SuiteRule(enum.StrEnum):
    """The rules that Great Expectations judges, by their stable names."""

    ROWS_COUNTED = "rows_counted"
    NO_NULLS = "no_nulls"
    NO_BLANK_TEXTS = "no_blank_texts"
    VALUES_LISTED = "values_listed"
    NUMBERS_IN_BOUNDS = "numbers_in_bounds"
    ROWS_CONSISTENT = "rows_consistent"


@dataclasses.dataclass(frozen=True, slots=True)
class Expected:
    """One expectation: its class in Great Expectations, its arguments, and what it means.

    `says` tells what is wrong with a row that does not meet it.
    """

    rule: SuiteRule
    kind: str
    arguments: Mapping[str, Any]
    says: str


@dataclasses.dataclass(frozen=True, slots=True)
class Met:
    """What came of one expectation.

    `rows` are the rows that do not meet it, by their number in the table, `seen` what each has
    there; `broke` is why it could not be judged.
    """

    expected: Expected
    success: bool
    rows: tuple[int, ...] = ()
    seen: tuple[str, ...] = ()
    observed: str = ""
    broke: str = ""


_RULE_OF = {
    Measure.NULLS: SuiteRule.NO_NULLS,
    Measure.BLANKS: SuiteRule.NO_BLANK_TEXTS,
    Measure.UNLISTED: SuiteRule.VALUES_LISTED,
    Measure.UNNUMBERED: SuiteRule.NUMBERS_IN_BOUNDS,
    Measure.LOWEST: SuiteRule.NUMBERS_IN_BOUNDS,
    Measure.HIGHEST: SuiteRule.NUMBERS_IN_BOUNDS,
}


def suite_of(row_type: type, rows: int) -> list[Expected]:
    """Returns the expectations of a configuration.

    Args:
        row_type: Its declared row type.
        rows: How many rows `BUILD.json` says it has.
    """
    columns = declared_columns(row_type)
    counted = Expected(SuiteRule.ROWS_COUNTED, "ExpectTableRowCountToEqual", {"value": rows}, "")
    generated = [_expected(derived) for derived in derived_columns(columns)]
    of_questions = any(declared.path == "question" for declared in columns)
    return [counted, *generated, *(_hand_written() if of_questions else ())]


def judge(table: pa.Table, suite: Sequence[Expected]) -> list[Met]:
    """Returns what Great Expectations says of a table, an entry an expectation.

    It keeps its context in memory, shows no bars and writes no file.
    """
    import great_expectations as gx
    from great_expectations.data_context.types.base import (
        DataContextConfig,
        InMemoryStoreBackendDefaults,
        ProgressBarsConfig,
    )
    from great_expectations.exceptions.exceptions import GreatExpectationsError

    config = DataContextConfig(
        store_backend_defaults=InMemoryStoreBackendDefaults(),
        progress_bars=ProgressBarsConfig(globally=False),
    )
    context = gx.get_context(mode="ephemeral", project_config=config)
    asset = context.data_sources.add_pandas("shards").add_dataframe_asset("derived")
    batch = asset.add_batch_definition_whole_dataframe("all").get_batch(
        {"dataframe": table.to_pandas()}
    )
    expectations = [
        getattr(gx.expectations, expected.kind)(**expected.arguments, meta={"number": number})
        for number, expected in enumerate(suite)
    ]
    try:
        results = batch.validate(
            gx.ExpectationSuite(name="declared", expectations=expectations),
            result_format={"result_format": "COMPLETE"},
        )
    except GreatExpectationsError as error:
        raise ValueError(f"Great Expectations broke: {error}") from error
    # They come in another order than they were asked in.
    met: dict[int, Any] = {_number_of(result): result for result in results.results}
    return [_met(expected, met[number], table) for number, expected in enumerate(suite)]


@functools.lru_cache(maxsize=1)
def suite_verdicts(subject: Subject) -> dict[SuiteRule, Verdict]:
    """Returns what each rule of the suites says of all configurations."""
    said: dict[SuiteRule, list[_Said]] = {rule: [] for rule in SuiteRule}
    for configuration, row_type in subject.build.row_types.items():
        shards = [facts for facts in subject.of(configuration) if rows_of(facts).keys.num_rows]
        if not shards:
            for sayings in said.values():
                sayings.append(_Said(0, (f"{configuration}: no row of it could be read",), 1))
            continue
        rows = sum(shard.rows for shard in subject.build.shards_of(configuration))
        table = pa.concat_tables([rows_of(facts).scalars for facts in shards])
        for met in judge(table, suite_of(row_type, rows)):
            said[met.expected.rule].append(_said(met, configuration, shards))
    return {rule: _together(sayings) for rule, sayings in said.items()}


@dataclasses.dataclass(frozen=True, slots=True)
class _Said:
    """What one expectation comes to: how many were judged, what is wrong, what broke."""

    judged: int
    findings: tuple[str, ...] = ()
    count: int = 0
    broke: str = ""


def _together(sayings: Sequence[_Said]) -> Verdict:
    """Returns what a rule says by all its expectations; broken ones leave it unknown."""
    judged = sum(said.judged for said in sayings)
    broken = [said.broke for said in sayings if said.broke]
    if broken:
        return errored("; ".join(broken[:3]))
    if not sayings:
        return not_applicable("no column is declared that it speaks of")
    findings = [finding for said in sayings for finding in said.findings]
    return verdict(judged, "expectation", findings, n_findings=sum(said.count for said in sayings))


def _said(met: Met, configuration: str, shards: Sequence[ShardFacts]) -> _Said:
    if met.broke:
        what = met.expected.arguments.get("column", met.expected.kind)
        return _Said(0, broke=f"{configuration}: the expectation of {what} broke: {met.broke}")
    if met.success:
        return _Said(1)
    if not met.rows:
        wanted = met.expected.arguments["value"]
        sentence = f"{configuration}: it has {met.observed} rows, its {FINISHED} says {wanted:,}"
        return _Said(1, (sentence,), 1)
    starts = list(itertools.accumulate((len(rows_of(facts).keys) for facts in shards), initial=0))
    findings = []
    for index, seen in zip(met.rows[:LONGEST_LIST], met.seen, strict=False):
        place = bisect.bisect_right(starts, index) - 1
        name = shards[place].name_of(index - starts[place])
        findings.append(f"{name}: {met.expected.says.format(seen=seen)}")
    return _Said(1, tuple(findings), len(met.rows))


def _number_of(result: Any) -> int:
    return int(result.expectation_config.meta["number"])


def _met(expected: Expected, result: Any, table: pa.Table) -> Met:
    """Reads one result; one that raised has its exceptions under names of their own.

    One of a column's largest count tells no rows: they are looked up.
    """
    raised = result.exception_info.get("raised_exception")
    if raised is not False or result.success is None:
        return Met(expected, False, broke=_exception_of(result.exception_info))
    found = result.result
    if result.success:
        return Met(expected, True)
    if "unexpected_index_list" not in found and "column" in expected.arguments:
        counts = table[expected.arguments["column"]].to_numpy()
        rows = tuple(map(int, numpy.flatnonzero(counts)))
        return Met(expected, False, rows, tuple(str(counts[row]) for row in rows[:LONGEST_LIST]))
    rows = tuple(int(row) for row in found.get("unexpected_index_list") or ())
    seen = tuple(map(_plain, found.get("unexpected_list") or ()))
    return Met(expected, False, rows, seen, f"{found.get('observed_value', 0):,}")


def _exception_of(info: Mapping[str, Any]) -> str:
    nested = [value for value in info.values() if isinstance(value, Mapping)]
    for told in [info, *nested]:
        if told.get("exception_message"):
            return str(told["exception_message"])[:300]
    return "it gave no result"


def _plain(value: Any) -> str:
    parts = value if isinstance(value, tuple) else (value,)
    return " and ".join(f"{float(part):g}" for part in parts)


def _expected(derived: Derived) -> Expected:
    path, rules = derived.path, derived.declared.rules
    says = {
        Measure.NULLS: f"{path} is null",
        Measure.BLANKS: f"{path} is blank",
        Measure.UNLISTED: f"{path} is none of {', '.join(rules.values)}",
        Measure.UNNUMBERED: f"{path} is not a number",
        Measure.LOWEST: f"{path} is {{seen}}, below {rules.low}",
        Measure.HIGHEST: f"{path} is {{seen}}, above {rules.high}",
    }[derived.measure]
    kind = "ExpectColumnValuesToBeBetween"
    if derived.measure is Measure.LOWEST:
        bounds = {"min_value": rules.low}
    elif derived.measure is Measure.HIGHEST:
        bounds = {"max_value": rules.high}
    else:
        # Of a count, which is never null: by its largest, since the other looks at each value
        # in Python, and there are dozens of these.
        kind, bounds = "ExpectColumnMaxToBeBetween", {"max_value": 0}
    arguments = {"column": derived.name, **bounds}
    return Expected(_RULE_OF[derived.measure], kind, arguments, says)


def _hand_written() -> Iterator[Expected]:
    """Yields what is expected of questions beyond what their columns declare."""
    bounds = (
        (QUESTION_CHARS, 1, MAX_TEXT, "question has {seen} characters"),
        (ANSWERS, 0, MOST_ANSWERS, "it has {seen} answers"),
        (SHORT_ANSWERS, 0, MOST_SHORT_ANSWERS, "it has {seen} short answers"),
        (UNEXPLAINED, 0, 0, "short_answers and short_answers_from: only one of them is filled"),
        (HALF_SIZES, 0, 0, "width and height: only one of them is known"),
    )
    for column, low, high, says in bounds:
        arguments = {"column": column, "min_value": low, "max_value": high}
        yield Expected(SuiteRule.ROWS_CONSISTENT, "ExpectColumnValuesToBeBetween", arguments, says)
    pairs = (
        (COUNTED_ANSWERS, "agreement.n_annotations and its answers are {seen}"),
        (INVALID_ANSWERS, "agreement.n_annotations and n_invalid are {seen}"),
    )
    for column, says in pairs:
        arguments = {
            "column_A": GIVEN_ANSWERS,
            "column_B": column,
            "or_equal": True,
            "ignore_row_if": "either_value_is_missing",
        }
        yield Expected(
            SuiteRule.ROWS_CONSISTENT,
            "ExpectColumnPairValuesAToBeGreaterThanB",
            arguments,
            says,
        )


def _rule(name: SuiteRule, title: str) -> Rule:
    return Rule(name, title, lambda subject: suite_verdicts(subject)[name])


SUITE_RULES = (
    _rule(SuiteRule.ROWS_COUNTED, "configurations have as many rows as were built"),
    _rule(SuiteRule.NO_NULLS, "columns that may not be null are not"),
    _rule(SuiteRule.NO_BLANK_TEXTS, "texts that may not be blank are not"),
    _rule(SuiteRule.VALUES_LISTED, "texts of a closed list are on it"),
    _rule(SuiteRule.NUMBERS_IN_BOUNDS, "numbers lie within their declared bounds"),
    _rule(SuiteRule.ROWS_CONSISTENT, "columns of a row agree with one another"),
)
