"""What the build was made from, and what made its short answers."""

from collections.abc import Iterator, Mapping
from typing import Any

from pipelines.reporting.blocks import Cell, Column, Heading, Part, Section, Table, Text, shares
from pipelines.verification_report import STRATA
from schemas.short_answers import VariantReason

_OTHER_FATES = {"accepted": "It is in the data set."}


def short_answer_section(
    summary: Mapping[str, Any], counts: Mapping[str, Any], verification: Mapping[str, Any] | None
) -> Section:
    """Returns what made the short answers, how many there are, and how many are wrong.

    Args:
        summary: What `BUILD.json` holds.
        counts: Statistics of all splits together.
        verification: What `verification.json` holds; None where nobody verified any.
    """
    title = "Short answers"
    made = counts.get("questions_by_short_answer_provider")
    if not made:
        return Section("short-answers", title, (Text("This build has no short answers."),))
    parts: list[Part] = [_provider_table(made), *_proposals(summary["short_answers"])]
    parts += [Heading("Short answers a question"), _per_question(counts)]
    parts += _verified(verification)
    return Section("short-answers", title, tuple(parts))


def _provider_table(made: Mapping[str, int]) -> Table:
    rows = tuple(
        (name, count, share)
        for (name, count), share in zip(made.items(), shares(made.values()), strict=True)
    )
    columns = (Column("Made by"), Column("Questions", "count"), Column("Share", "bar"))
    return Table(columns, rows)


def _proposals(facts: Mapping[str, Any] | None) -> Iterator[Part]:
    if facts is None:
        return
    prompt = f", prompt {facts['prompt_version']}" if facts["prompt_version"] else ""
    yield Heading("What became of proposals")
    yield Text(f"Provider {facts['provider']}, model {facts['model']}{prompt}.")
    rows: list[tuple[Cell, ...]] = []
    for name, count in facts["variants"].items():
        known = name in VariantReason.__members__.values()
        why = VariantReason(name).sentence if known else _OTHER_FATES.get(name, "")
        rows.append((name.replace("_", " "), why, count))
    columns = (Column("Fate"), Column("When"), Column("Short answers", "count"))
    yield Table(columns, tuple(rows))
    if facts["replies"]:
        replies = tuple((name.replace("_", " "), count) for name, count in facts["replies"].items())
        yield Table((Column("Replies of the model"), Column("Count", "count")), replies)


def _per_question(counts: Mapping[str, Any]) -> Table:
    histogram = sorted(counts["short_answers_per_question"].items(), key=lambda item: int(item[0]))
    rows = tuple(
        (value, count, share)
        for (value, count), share in zip(
            histogram, shares(count for _, count in histogram), strict=True
        )
    )
    columns = (Column("Short answers"), Column("Questions", "count"), Column("Share", "bar"))
    return Table(columns, rows)


def _verified(verification: Mapping[str, Any] | None) -> Iterator[Part]:
    yield Heading("Verified by people")
    if verification is None or not verification["makers"]:
        yield Text(
            "Nobody has verified short answers of this build, so how many are wrong is not known."
        )
        return
    for rates in verification["makers"]:
        maker = " ".join(part for part in (rates["made_by"] or {}).values() if part)
        columns = (
            Column(f"Made by {maker or 'an untold maker'}"),
            Column("Verified", "count"),
            Column("Wrong", "count"),
            Column("Share", "right"),
            Column("Questions with a wrong one", "right"),
        )
        rows: list[tuple[Cell, ...]] = [_stratum(stratum) for stratum in rates["strata"]]
        over_all = _interval(rates["variant_share"]), _interval(rates["question_share"])
        rows.append(("over all, weighted by size", None, None, *over_all))
        yield Table(columns, tuple(rows), _verified_by(rates))


def _verified_by(rates: Mapping[str, Any]) -> str:
    questions = sum(stratum["questions"] for stratum in rates["strata"])
    of = sum(stratum["size"] for stratum in rates["strata"])
    return (
        f"{questions:,} of {of:,} questions, reviewers: {rates['reviewers']:,}, ties (kept): "
        f"{rates['ties']:,}; 95 % intervals, Wilson in a kind and MOVER over all."
    )


def _stratum(stratum: Mapping[str, Any]) -> tuple[Cell, ...]:
    return (
        STRATA.get(stratum["kind"], stratum["kind"]),
        stratum["variants"],
        stratum["variants_wrong"],
        _interval(stratum["variant_share"]),
        _interval(stratum["question_share"]),
    )


def _interval(share: Mapping[str, float]) -> str:
    return f"{share['value']:.1%} ({share['low']:.1%} to {share['high']:.1%})"


def source_section(summary: Mapping[str, Any]) -> Section:
    """Returns the sources with their licences, and what tells this build from others."""
    rows: list[tuple[Cell, ...]] = []
    for name, source in summary["sources"].items():
        rows.append((name,))
        rows += [
            ("Kind", source["kind"].replace("_", " ")),
            ("Licence", source["licence"]),
            ("Address", source["url"]),
            ("Citation", source["citation"]),
            ("Records", f"{source['records']:,}"),
            ("Digest", source["digest"][:16]),
        ]
    told = tuple(row for row in rows if len(row) == 1 or row[1] is not None)
    splits = summary["splits"]
    made = (
        ("Recipe", str(summary["recipe"])),
        ("Pictures", str(summary["images"]).replace("_", " ")),
        ("Split by", str(splits["by"])),
        ("screenset", f"{summary['code']['version']}, code {summary['code']['digest'][:16]}"),
        ("Fingerprint", str(summary["fingerprint"])),
    )
    parts = (
        Table((Column("Source"), Column("")), told),
        Heading("How it was built"),
        Table((Column("What"), Column("Value")), made),
    )
    return Section("sources", "Sources and making", parts)
