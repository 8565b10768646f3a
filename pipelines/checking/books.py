"""Rules of a build's books: every record has one fate, and all counts tell the same."""

import collections
import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.checking.facts import ShardFacts
from pipelines.checking.subjects import Subject, rows_of, screens_in
from pipelines.checking.verdicts import Rule, Verdict, not_applicable, verdict
from pipelines.finished_builds import json_lines, open_text
from schemas.builds import ALL, FINISHED, STATISTICS
from schemas.splits import SPLITS
from transforms.accounting import unbalanced
from transforms.identifying import id_order


def records_balanced(subject: Subject) -> Verdict:
    """Of every kind of record, the fates in `BUILD.json` add up to what was read."""
    books = subject.build.summary["records"]
    read = sum(book["read"] for book in books.values())
    rejects = subject.build.summary["rejects"]
    found = [f"{FINISHED}: {problem}" for problem in unbalanced(books)]
    for kind in sorted({*books, *rejects}):
        told = sum(rejects.get(kind, {}).values())
        booked = books.get(kind, {}).get("rejected", 0)
        if told != booked:
            found.append(
                f"{FINISHED}: {booked:,} {kind} records were rejected, {told:,} for a reason"
            )
    return verdict(read, "record", found)


def rejects_listed(subject: Subject) -> Verdict:
    """Each `rejects/<kind>.jsonl` has a line for each reject that `BUILD.json` counts."""
    rejects: Mapping[str, Mapping[str, int]] = subject.build.summary["rejects"]
    if not rejects:
        return not_applicable("the build rejected nothing")
    found, looked = [], 0
    for kind, wanted in sorted(rejects.items()):
        listed = _listed_rejects(subject, kind)
        looked += sum(listed.values())
        for reason in sorted({*wanted, *listed}):
            if wanted.get(reason, 0) != listed[reason]:
                found.append(
                    f"rejects/{kind}.jsonl: lists {listed[reason]:,} of {reason}, {FINISHED} "
                    f"counts {wanted.get(reason, 0):,}"
                )
    return verdict(looked, "line", found)


def statistics_fit(subject: Subject) -> Verdict:
    """`stats.json` counts the rows and screens that the shards have, a split and over all."""
    counts = _counts(subject)
    told = subject.build.report(STATISTICS) or {}
    found = []
    for split, by_name in counts.items():
        for name, count in by_name.items():
            said = told.get(split, {}).get(name, 0)
            if said != count:
                found.append(
                    f"{STATISTICS}: says {said:,} {name} in {split}, its shards have {count:,}"
                )
        found += [
            f"{STATISTICS}: {name} of {split} come to {total:,} {whose}, "
            f"there are {by_name.get(whose, 0):,}"
            for name, total, whose in _sums(told.get(split, {}))
            if total != by_name.get(whose, 0)
        ]
    found += [
        f"{STATISTICS}: tells of split {split}, of which there is no shard"
        for split in sorted(set(told) - set(counts))
    ]
    return verdict(sum(map(len, counts.values())), "count", found)


def kept_records_written(subject: Subject) -> Verdict:
    """As many questions, answers or screens were kept as the shards hold.

    Answers and short answers of one question are records of their own in a build from released
    files: there no kind may have more rows than its records, and one has as many.
    """
    books = subject.build.summary["records"]
    kept = {kind: book["kept"] for kind, book in books.items()}
    screens = len(subject.split_of)
    found = []
    if subject.build.has_pictures and kept.get("screen", 0) != screens:
        found.append(
            f"{FINISHED}: {kept.get('screen', 0):,} screens were kept, {screens:,} written"
        )
    if not subject.build.is_of_questions:
        return verdict(screens, "screen", found)
    questions = _counts(subject)[ALL].get("questions", 0)
    names = ("question",) if "question" in kept else ("answers", "short_answers")
    led = {kind: kept[kind] for kind in names if kind in kept}
    if not max(led.values(), default=0) <= questions <= sum(led.values()):
        told = ", ".join(f"{count:,} of kind {kind}" for kind, count in led.items())
        found.append(f"{FINISHED}: kept {told}; {questions:,} questions were written")
    return verdict(questions, "question", found)


def split_lists_fit(subject: Subject) -> Verdict:
    """`splits/<split>.tsv` and `.txt` name exactly the screens of the split's shards."""
    found: list[str] = []
    looked = 0
    for split in SPLITS:
        in_rows = {
            screen_id
            for facts in subject.of(subject.build.name)
            if facts.shard.split == split
            for screen_id in screens_in(facts)
        }
        listed = [entry.screen_id for entry in subject.entries if entry.split == split]
        looked += len(in_rows)
        found += _differences(f"splits/{split}.tsv", listed, in_rows)
        if listed or in_rows:
            found += _differences(f"splits/{split}.txt", _plain_list(subject, split), in_rows)
    return verdict(looked, "screen", found)


def apps_as_listed(subject: Subject) -> Verdict:
    """Each screen's app is the one that `splits/<split>.tsv` has, by which splits are made."""
    listed = {(entry.split, entry.screen_id): entry.app for entry in subject.entries}
    found, looked = [], 0
    for configuration in subject.build.row_types:
        for facts in subject.of(configuration):
            assert facts.rows is not None
            keys = facts.rows.keys
            looked += len(keys)
            columns = (keys["screen_id"].to_pylist(), keys["app"].to_pylist())
            for row, (screen_id, app) in enumerate(zip(*columns, strict=True)):
                told = listed.get((facts.shard.split, screen_id))
                # The list spells what would end its line, or turn a text round, as a blank.
                if told in (None, app or "") or not (app or "").isprintable():
                    continue
                found.append(
                    f"{facts.name_of(row)}: app is {app}, {told or 'none'} in the split's list"
                )
    return verdict(looked, "row", found)


def rows_expected(subject: Subject) -> Verdict:
    """Each split has the rows that the manifest expects of it."""
    summary = subject.build.summary
    expected: Mapping[str, int] = summary["checks"]["expected_rows"]
    if not expected:
        return not_applicable("the manifest expects no number of rows")
    if summary["limit"] is not None:
        return not_applicable(f"the build was limited to {summary['limit']:,} screens")
    rows = collections.Counter[str]()
    for facts in subject.shards:
        if facts.shard.configuration == subject.build.name and facts.footer is not None:
            rows[facts.shard.split] += facts.footer.rows
    rows[ALL] = sum(rows.values())
    found = [
        f"{split}: has {rows[split]:,} rows, the manifest expects {count:,}"
        for split, count in expected.items()
        if rows[split] != count
    ]
    return verdict(len(expected), "split", found)


def _counts(subject: Subject) -> dict[str, dict[str, int]]:
    """Returns what the shards' rows come to, under the names of `stats.json`: a split, and all."""
    main = subject.of(subject.build.name)
    splits = sorted({facts.shard.split for facts in main})
    of_splits = {
        split: _counts_of(subject, [f for f in main if f.shard.split == split]) for split in splits
    }
    return {**of_splits, ALL: _counts_of(subject, main)}


def _counts_of(subject: Subject, shards: Sequence[ShardFacts]) -> dict[str, int]:
    tables = [rows_of(facts).keys for facts in shards]
    keys = pa.concat_tables(tables) if tables else None
    counts = {"screens": len({i for facts in shards for i in screens_in(facts)})}
    if keys is None:
        return counts
    counts["apps"] = len(keys["app"].drop_null().unique())
    if subject.build.is_of_questions:
        counts["questions"] = len(keys)
        counts["questions_with_no_answer"] = pc.sum(keys["no_answer"]).as_py() or 0
        counts["answers"] = pc.sum(keys["listed"]).as_py() or 0
    # A statistic that counts nothing is not in the file.
    return {name: count for name, count in counts.items() if count or name == "screens"}


def _sums(told: Mapping[str, Any]) -> Iterator[tuple[str, int, str]]:
    """Yields each histogram that counts questions, its sum, and whose sum it must be."""
    for name in ("questions_by_topic", "questions_by_type"):
        if name in told:
            yield name, sum(told[name].values()), "questions"
    if "questions_per_screen" in told:
        histogram = told["questions_per_screen"].items()
        yield (
            "questions_per_screen",
            sum(int(number) * count for number, count in histogram),
            "questions",
        )


def _listed_rejects(subject: Subject, kind: str) -> collections.Counter[str]:
    path = subject.build.path(os.path.join("rejects", f"{kind}.jsonl"))
    if not os.path.exists(path):
        return collections.Counter()
    return collections.Counter(str(reject.get("reason")) for reject in json_lines(path))


def _plain_list(subject: Subject, split: str) -> list[str]:
    path = subject.build.path(os.path.join("splits", f"{split}.txt"))
    if not os.path.exists(path):
        return []
    with open_text(path) as file:
        return [line.rstrip("\n") for line in file]


def _differences(name: str, listed: list[str], in_rows: set[str]) -> Iterator[str]:
    named = set(listed)
    for screen_id in sorted(named - in_rows, key=id_order):
        yield f"{name}: lists screen {screen_id}, which the split's shards do not have"
    for screen_id in sorted(in_rows - named, key=id_order):
        yield f"{name}: lacks screen {screen_id}, which the split's shards have"
    twice = [one for one, other in itertools.pairwise(sorted(listed)) if one == other]
    for screen_id in twice:
        yield f"{name}: lists screen {screen_id} twice"


BOOK_RULES = (
    Rule("records_balanced", "every record that was read has one fate", records_balanced),
    Rule("rejects_listed", "every reject is listed with its reason", rejects_listed),
    Rule("kept_records_written", "what was kept was written", kept_records_written),
    Rule("statistics_fit", "stats.json counts what the shards hold", statistics_fit),
    Rule("split_lists_fit", "the split lists name the screens of the shards", split_lists_fit),
    Rule("apps_as_listed", "every screen's app is that of its split's list", apps_as_listed),
    Rule("rows_expected", "splits have the rows that the manifest expects", rows_expected),
)
