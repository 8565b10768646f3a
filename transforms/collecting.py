"""Everything that a build has to say of itself, brought together in small files.

The launcher cannot look into a pipeline's collections; what it must know is written where
it can read it, and what was written is the truth, whatever an engine's counters say.
"""

import dataclasses
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import apache_beam as beam
from apache_beam.typehints.decorators import no_annotations

from schemas.builds import PREFILTER_TABLE, PrefilterEntry, ScreenEntry, Shard
from schemas.questions import AskedScreen
from schemas.rejects import Reject, Tally
from transforms.fates import question_tallies
from transforms.identifying import id_order
from transforms.prefiltering import prefilter_entry
from transforms.rejecting import Split, SplitFlatMap
from transforms.replacing import write_text
from transforms.screen_tables import table_line, write_table
from transforms.stats import CountStatistics, Statistics

Fact = tuple[str, Any]
"""A named, plain piece of what is collected."""


@dataclasses.dataclass(frozen=True, slots=True)
class Results:
    """What the launcher reads back of a finished pipeline."""

    tallies: dict[tuple[str, str], int]
    rejects: dict[tuple[str, str], int]
    shards: tuple[Shard, ...]
    statistics: Statistics
    splits: tuple[str, ...]
    agreement: dict[str, Any] | None
    verification: dict[str, Any] | None = None
    tables: tuple[str, ...] = ()


class CollectResults(beam.PTransform[beam.PCollection[AskedScreen], beam.PCollection[str]]):
    """Writes rejects, split lists and one `results.json` of everything counted.

    Args:
        steps: The outputs of all steps, for their rejects and tallies.
        shards: The shards of all configurations.
        facts: Further named facts, such as `agreement`.
        prefiltered: All screens that the prefilter looked at, kept or not.
        data: The data set's folder, for `rejects/` and `splits/`.
        results: Path of the file of results.
    """

    def __init__(
        self,
        *,
        steps: Sequence[Split[Any]],
        shards: Sequence[beam.PCollection[Shard]],
        facts: Sequence[beam.PCollection[Fact]] = (),
        prefiltered: beam.PCollection[AskedScreen],
        data: str,
        results: str,
    ) -> None:
        super().__init__()
        self._prefiltered = prefiltered
        self._steps = steps
        self._shards = shards
        self._facts = facts
        self._data = data
        self._results = results

    @no_annotations  # A list of facts has no type that Beam could check.
    def expand(self, kept: beam.PCollection[AskedScreen]) -> beam.PCollection[str]:
        rejects = [step.rejects for step in self._steps] | "AllRejects" >> beam.Flatten()
        reject_facts = (
            rejects
            | "KeyRejects" >> beam.Map(_with_kind)
            | "GroupRejects" >> beam.GroupByKey()
            | "WriteRejects" >> beam.Map(_write_rejects, self._data)
        )
        kept_tallies = kept | "TallyKept" >> SplitFlatMap(_kept_tallies)
        tallies = [step.tallies for step in [*self._steps, kept_tallies]]
        tally_facts = (
            tallies
            | "AllTallies" >> beam.Flatten()
            | "KeyTallies" >> beam.Map(_with_outcome)
            | "SumTallies" >> beam.CombinePerKey(sum)
            | "TallyFact" >> beam.Map(_as_fact, "tally")
        )
        split_facts = (
            kept
            | "Enter" >> beam.Map(_entry_line)
            | "GroupBySplit" >> beam.GroupByKey()
            | "WriteSplitList" >> beam.Map(_write_split, self._data)
        )
        statistics_facts = (
            kept
            | "CountStatistics" >> beam.CombineGlobally(CountStatistics())  # type: ignore[no-untyped-call]
            | "StatisticsFact" >> beam.Map(_as_fact, "statistics")
        )
        shard_facts = [
            shards | f"ShardFact{number}" >> beam.Map(_as_fact, "shard")
            for number, shards in enumerate(self._shards)
        ]
        prefilter_facts = (
            self._prefiltered
            | "EnterPrefilter" >> beam.FlatMap(_prefilter_line)
            | "GroupPrefilter" >> beam.GroupByKey()
            | "WritePrefilter" >> beam.Map(_write_prefilter, self._data)
        )
        own = [reject_facts, tally_facts, split_facts, statistics_facts, prefilter_facts]
        return (
            [*own, *shard_facts, *self._facts]
            | "AllFacts" >> beam.Flatten()
            | "ListFacts" >> beam.combiners.ToList()
            | "WriteResults" >> beam.Map(_write_results, self._results)
        )


def read_results(path: str) -> Results:
    """Returns what `CollectResults` wrote."""
    with open(path, encoding="utf-8") as file:
        facts: list[list[Any]] = json.load(file)
    by_name: dict[str, list[Any]] = {}
    for name, value in facts:
        by_name.setdefault(name, []).append(value)
    return Results(
        tallies={(kind, outcome): count for (kind, outcome), count in by_name.get("tally", [])},
        rejects={
            (kind, reason): count
            for kind, reasons in by_name.get("rejects", [])
            for reason, count in reasons.items()
        },
        shards=tuple(
            sorted((Shard(**shard) for shard in by_name.get("shard", [])), key=lambda s: s.path)
        ),
        statistics=Statistics(**by_name["statistics"][0]),
        splits=tuple(sorted(by_name.get("split", []))),
        tables=tuple(by_name.get("table", [])),
        agreement=next(iter(by_name.get("agreement", [])), None),
        verification=next(iter(by_name.get("verification", [])), None),
    )


def _write_rejects(keyed: tuple[str, Iterable[Reject]], data: str) -> Fact:
    kind, rejects = keyed
    ordered = sorted(rejects, key=lambda r: (r.reason, id_order(r.id), r.origin, r.detail, r.step))
    lines = [json.dumps(dataclasses.asdict(reject), ensure_ascii=False) for reject in ordered]
    os.makedirs(os.path.join(data, "rejects"), exist_ok=True)
    text = "\n".join(lines) + "\n"
    write_text(os.path.join(data, "rejects", f"{kind}.jsonl"), text)
    return "rejects", (kind, dict(sorted(Counter(r.reason.value for r in ordered).items())))


def _write_split(keyed: tuple[str, Iterable[str]], data: str) -> Fact:
    split, lines = keyed
    ordered = sorted(lines, key=_id_of_line)
    ids = [line.partition("\t")[0] for line in ordered]
    os.makedirs(os.path.join(data, "splits"), exist_ok=True)
    write_text(os.path.join(data, "splits", f"{split}.txt"), "\n".join(ids) + "\n")
    header = [field.name for field in dataclasses.fields(ScreenEntry)[1:]]
    write_table(os.path.join(data, "splits", f"{split}.tsv"), header, ordered)
    return "split", split


def _write_prefilter(keyed: tuple[str, Iterable[str]], data: str) -> Fact:
    name, lines = keyed
    header = [field.name for field in dataclasses.fields(PrefilterEntry)]
    write_table(os.path.join(data, name), header, sorted(lines, key=_id_of_line))
    return "table", name


def _id_of_line(line: str) -> tuple[int, str]:
    return id_order(line.partition("\t")[0])


def _write_results(facts: list[Fact], path: str) -> str:
    plain = [
        (name, dataclasses.asdict(value) if isinstance(value, Shard) else value)
        for name, value in facts
    ]
    write_text(path, json.dumps(plain))
    return ""  # Not the path: it may hold what UTF-8 cannot carry.


def _kept_tallies(asked: AskedScreen) -> Iterable[Tally]:
    return question_tallies(asked.questions)


def _entry_line(asked: AskedScreen) -> tuple[str, str]:
    """Returns the screen's line of `splits/<split>.tsv`; text, since it crosses a shuffle."""
    image = asked.screen.image if asked.screen else None
    reading = asked.screen.reading if asked.screen else None
    columns = (
        asked.screen_id,
        asked.app.package if asked.app else "",
        image.sha256 if image else "",
        image.layout_hash if image else "",
        image.pixels if image else "",
        reading.text_hash if reading else "",
        reading.tree_hash if reading else "",
    )
    return asked.split, table_line(columns)


def _prefilter_line(asked: AskedScreen) -> Iterator[tuple[str, str]]:
    entry = prefilter_entry(asked)
    if entry is not None:
        yield PREFILTER_TABLE, table_line(dataclasses.astuple(entry))


def _with_kind(reject: Reject) -> tuple[str, Reject]:
    return reject.kind, reject


def _with_outcome(tally: Tally) -> tuple[tuple[str, str], int]:
    return (tally.kind, str(tally.outcome)), tally.count


def _as_fact(value: Any, name: str) -> Fact:
    return name, value
