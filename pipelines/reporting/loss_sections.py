"""What was left out, found twice or found in the wrong place."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from pipelines.reporting.blocks import Cell, Column, Fold, Heading, Part, Section, Table, Text
from pipelines.reporting.rejected_records import ReasonExamples
from pipelines.terminal import counted
from schemas.columns import Need
from schemas.rejects import reason_sentence
from transforms.accounting import book_rows

_FATES = ("read", "kept", "merged", "rejected")
_TWINS = {
    "bytes": "the very same file",
    "pixels": "the very same pixels",
    "hierarchies": "one hierarchy under several pictures",
    "near": "alike in looks and words, and kept",
}
_SHARED = {
    "screens": "screens",
    "apps": "apps of two screens or more",
    "pictures": "pictures used twice or more",
    "layouts": "layouts shared by two screens or more",
}
_NEEDED = {"apps": Need.APP, "pictures": Need.PICTURE, "layouts": Need.PICTURE}
_DISAGREEMENTS = {
    "raters_and_language": "raters and the automatic language verdict",
    "raters_and_hierarchy_sync": "raters and the automatic sync verdict",
    "app_and_screen_language": "an app's language and that of one of its screens",
}
_SHOWN_EXAMPLES = 5


def reject_section(
    summary: Mapping[str, Any], examples: Mapping[tuple[str, str], ReasonExamples]
) -> Section:
    """Returns the fates of all records, and each reason of rejects with examples."""
    parts: list[Part | Fold] = [
        Text("Every record that was read has exactly one fate, and the sums were compared."),
        _fate_table(summary["records"]),
    ]
    if not summary["rejects"]:
        return Section("rejects", "What was left out", (*parts, Text("Nothing was rejected.")))
    parts.append(Heading("Rejected, by reason"))
    parts.append(_reason_table(summary["rejects"]))
    parts.append(_example_fold(examples))
    return Section("rejects", "What was left out", tuple(parts))


def _fate_table(records: Mapping[str, Mapping[str, int]]) -> Table:
    titles = (*(fate.capitalize() for fate in _FATES), "Set aside")
    columns = (Column("Records"), *(Column(title, "count") for title in titles))
    caption = (
        "Set aside: what nothing asks for, answers whose question was left out, and cancelled, "
        "withdrawn and draft events."
    )
    return Table(columns, tuple(book_rows(records)), caption)


def _reason_table(rejects: Mapping[str, Mapping[str, int]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for kind, reasons in rejects.items():
        records = counted(sum(reasons.values()), "record")
        rows.append((f"{kind.replace('_', ' ').capitalize()}: {records}",))
        for reason, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
            rows.append((reason, reason_sentence(reason), count))
    columns = (Column("Reason", "code"), Column("When it is used"), Column("Count", "count"))
    return Table(columns, tuple(rows))


def _example_fold(examples: Mapping[tuple[str, str], ReasonExamples]) -> Fold:
    rows: list[tuple[Cell, ...]] = []
    for (kind, reason), found in sorted(examples.items()):
        rows.append((f"{kind.replace('_', ' ')}: {reason}",))
        rows += [(record.id, record.detail) for record in found.records[:_SHOWN_EXAMPLES]]
    table = Table((Column("Record"), Column("Detail")), tuple(rows))
    return Fold("Examples of each reason, chosen by hash", (table,))


def duplicate_section(summary: Mapping[str, Any], duplicates: Mapping[str, Any] | None) -> Section:
    """Returns the groups of screens that are the same or alike, with the first of them."""
    counts = summary["duplicates"]
    rows = tuple(
        (
            what,
            counts[key]["groups"],
            counts[key]["screens"],
            counts[key]["across_apps"],
            counts[key]["across_splits"],
        )
        for key, what in _TWINS.items()
    )
    columns = (
        Column("Screens that are"),
        *(Column(t, "count") for t in ("Groups", "Screens", "Across apps", "Across splits")),
    )
    parts: list[Part | Fold] = [Table(columns, rows)]
    named = tuple(_named_groups(duplicates or {}))
    if named:
        columns = (Column("Screens"), Column("How"))
        parts.append(Fold("The first groups by name", (Table(columns, named),)))
    return Section("duplicates", "Duplicates", tuple(parts))


def _named_groups(duplicates: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
    for key, what in _TWINS.items():
        for group in duplicates.get(key, {}).get("members", [])[:_SHOWN_EXAMPLES]:
            members = [f"{screen} ({split})" for screen, _, split in group["screens"][:8]]
            more = len(group["screens"]) - len(members)
            yield ", ".join(members) + (f" and {more:,} more" if more else ""), what


def leak_section(leaks: Mapping[str, Any], provides: Collection[str]) -> Section:
    """Returns what lies in several splits, here and against other data sets.

    Args:
        leaks: What `BUILD.json` says of them.
        provides: What the build has: where no app, or no picture, is known, none can cross.
    """
    shared = {
        key: what for key, what in _SHARED.items() if key not in _NEEDED or _NEEDED[key] in provides
    }
    rows = tuple(
        (what, leaks[key]["groups"], leaks[key]["crossing"]) for key, what in shared.items()
    )
    columns = (Column("What may leak"), Column("Found", "count"), Column("Cross splits", "count"))
    crossing = sum(leaks[key]["crossing"] for key in shared)
    verdict = (
        Text("Something lies in more than one split; the table says what.", "warn")
        if crossing
        else Text("None of these lies in more than one split.", "good")
    )
    parts: list[Part] = [verdict, Table(columns, rows)]
    for key, what in shared.items():
        if leaks[key]["crossing"]:
            named = [str(example["key"]) for example in leaks[key]["examples"][:_SHOWN_EXAMPLES]]
            parts.append(Text(f"Crossing {what}, such as: {', '.join(named)}", "soft"))
    for name, found in leaks["other_datasets"].items():
        parts += _against(name, found)
    return Section("leaks", "Leaks between splits", tuple(parts))


def _against(name: str, found: Mapping[str, Any]) -> Iterator[Part]:
    yield Heading(f"Against the splits of {name}")
    own = found["its_own_apps"]
    yield Text(
        f"{own['crossing']:,} of {own['groups']:,} of its apps with two screens or more cross its "
        "own splits."
    )
    shared = found["shared_screens"]
    theirs = sorted({split for row in shared.values() for split in row})
    columns = (Column("Our split"), *(Column(f"in its {split}", "count") for split in theirs))
    rows = tuple((ours, *(row.get(split, 0) for split in theirs)) for ours, row in shared.items())
    yield Table(columns, rows)


def prefilter_section(prefilter: Mapping[str, Any]) -> Section:
    """Returns what the automatic prefilter found, and where it disagrees with people."""
    title = "Prefilter"
    if not prefilter["screens"]:
        return Section("prefilter", title, (Text("The automatic prefilter was off."),))
    parts: list[Part] = [
        Text(
            f"Automatic verdicts on {counted(prefilter['screens'], 'screen')} that could be read, "
            f"kept or not; people rated {prefilter['rated']:,} of them."
        )
    ]
    for key, what in (("language", "Language"), ("hierarchy_sync", "Hierarchy and picture")):
        if prefilter[key]:
            parts.append(_verdict_table(what, prefilter[key]))
    parts.append(_disagreement_table(prefilter["disagreements"]))
    personal = prefilter["personal_data"]
    parts.append(
        Text(
            "Personal data in the words of hierarchies: "
            f"{counted(personal['emails'], 'e-mail address', 'e-mail addresses')} on "
            f"{counted(personal['screens_with_emails'], 'screen')}, "
            f"{counted(personal['phones'], 'phone number')} on "
            f"{counted(personal['screens_with_phones'], 'screen')}."
        )
    )
    return Section("prefilter", title, tuple(parts))


def _verdict_table(what: str, counts: Mapping[str, int]) -> Table:
    total = sum(counts.values())
    rows = tuple((verdict.replace("_", " "), n, n / total) for verdict, n in counts.items())
    return Table((Column(what), Column("Screens", "count"), Column("Share", "bar")), rows)


def _disagreement_table(disagreements: Mapping[str, Mapping[str, Any]]) -> Table:
    rows = tuple(
        (what, found["compared"], found["differing"], _first(found["examples"]))
        for key, what in _DISAGREEMENTS.items()
        if (found := disagreements[key])
    )
    columns = (
        Column("Who is compared"),
        Column("Screens", "count"),
        Column("Disagree", "count"),
        Column("Such as"),
    )
    return Table(columns, rows)


def _first(examples: Sequence[str]) -> str:
    return ", ".join(examples[:3]) or "–"
