"""The card's sections on how a data set was made: sources, splits, models, people, rejects."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pipelines import paper
from pipelines.cards.facts import CardFacts
from pipelines.cards.markdown import code, link, plain, table
from pipelines.estimate_text import estimate_text
from pipelines.terminal import counted
from pipelines.verification_report import verification_lines
from schemas.columns import Need
from schemas.manifest import SplitBy, Twins, UnknownApp
from schemas.rejects import Reason, reason_sentence
from schemas.short_answers import VariantReason
from transforms.accounting import book_rows


def making(facts: CardFacts) -> str:
    """Returns how the data set was built, from what."""
    return "\n".join(
        [
            "## How it was built\n",
            _program(facts),
            "### Sources\n",
            _sources(facts.summary["sources"]),
            "### Splits\n",
            _splits(facts.summary["splits"]),
            *_prefilter(facts.summary),
            *_short_answers(facts),
            *_agreement(facts),
        ]
    )


def left_out(facts: CardFacts) -> str:
    """Returns what became of all records, and why some were left out."""
    books = table(
        ("records", "read", "kept", "merged", "rejected", "set aside"),
        [(plain(kind), *counts) for kind, *counts in book_rows(facts.summary["records"])],
        "<>>>>>",
    )
    rejects = [
        (kind, reason, count)
        for kind, reasons in facts.summary["rejects"].items()
        for reason, count in reasons.items()
    ]
    rejects.sort(key=lambda row: (-row[2], row[0], row[1]))
    parts = [
        "## What was left out\n",
        "Each record that was read has one fate. Set aside are records that no question or "
        "screen asks for, and cancelled and draft ones.\n",
        books,
    ]
    if rejects:
        rows = [
            (plain(kind.replace("_", " ")), code(reason), count, reason_sentence(reason))
            for kind, reason, count in rejects
        ]
        parts.append(table(("rejected", "reason", "count", "meaning"), rows, "<<><"))
    return "\n".join(parts)


def leaks(facts: CardFacts) -> str:
    """Returns what crosses splits, here and against other data sets, and what is double."""
    found = facts.summary["leaks"]
    provided = set(facts.summary["provides"])
    # Where no app, or no picture, is known, that none crosses says nothing.
    lines = [
        _crossing(found[key], what)
        for key, what, need in (
            ("screens", "screens of one id", ""),
            ("apps", "screens of one app", Need.APP),
            ("pictures", "screens of the very same picture file", Need.PICTURE),
            (
                "layouts",
                "screens of one layout hash, which may be other screens after all",
                Need.PICTURE,
            ),
        )
        if not need or need in provided
    ]
    lines += [
        line for name, other in found["other_datasets"].items() for line in _against(name, other)
    ]
    duplicates = facts.summary["duplicates"]
    for key, what in (
        ("bytes", "the very same file"),
        ("pixels", "the very same pixels"),
        ("hierarchies", "one hierarchy under several pictures"),
        ("near", "alike in looks and words"),
    ):
        one = duplicates[key]
        if one["groups"]:
            lines.append(
                f"- {counted(one['groups'], 'group')} of {one['screens']:,} screens: {what}; "
                f"{one['across_apps']:,} across apps, {one['across_splits']:,} across splits"
            )
    return "\n".join(["## Leaks and duplicates\n", *lines]) + "\n"


def _program(facts: CardFacts) -> str:
    summary = facts.summary
    seed = "" if summary["splits"]["by"] == SplitBy.OFFICIAL else _seed(summary["splits"])
    rows = [
        ("data set", f"{plain(facts.name)} {plain(summary['version'])}"),
        ("fingerprint of the build", code(summary["fingerprint"])),
        ("code", f"screenset {plain(summary['code']['version'])}"),
        ("digest of the code", code(summary["code"]["digest"])),
        ("format of the manifest", str(summary["manifest"]["version"])),
        ("split by", f"{plain(summary['splits']['by'])}{seed}"),
    ]
    return (
        "By screenset, from a manifest. The same manifest, sources and code give the same bytes.\n"
        "\n" + table(("what", "which"), rows)
    )


def _seed(splits: Mapping[str, Any]) -> str:
    return f", seed {plain(splits['seed'])}"


def _sources(sources: Mapping[str, Mapping[str, Any]]) -> str:
    rows = [
        (
            code(name),
            code(source["kind"]),
            source["records"],
            plain(source["licence"]),
            link(source["url"]) if source["url"] else None,
            code(source["digest"]),
        )
        for name, source in sources.items()
    ]
    header = ("source", "kind", "records", "licence", "address", "SHA-256")
    return table(header, rows, "<<>")


def _splits(splits: Mapping[str, Any]) -> str:
    shares = " / ".join(f"{share:.0%}" for share in splits["shares"])
    sentences = {
        SplitBy.OFFICIAL: ["Each screen is in the split that its source gives it."],
        SplitBy.SCREEN: [f"Screens are split one by one, by a hash of their id, {shares}."],
        SplitBy.APP: [
            f"All screens of an app are in one split, by a hash of its package, {shares} of apps.",
            "Screens whose app is unknown were rejected."
            if splits["unknown_app"] == UnknownApp.REJECT
            else "A screen whose app is unknown counts as an app of its own.",
        ],
    }[SplitBy(splits["by"])]
    twins = (
        "A train screen whose very picture is in validation or test was taken out of train."
        if splits["twins"] == Twins.DROP_FROM_TRAIN
        else "Screens whose very picture is in another split as well are reported, and kept."
    )
    return " ".join([*sentences, twins]) + "\n"


def _prefilter(summary: Mapping[str, Any]) -> list[str]:
    found = summary["prefilter"]
    if not found["screens"]:
        return []
    lines = [
        f"- {what}: "
        + ", ".join(
            f"{count:,} {plain(verdict.replace('_', ' '))}" for verdict, count in found[key].items()
        )
        for key, what in (("language", "language"), ("hierarchy_sync", "hierarchy fits picture"))
        if found[key]
    ]
    removed = sum(
        summary["rejects"].get("screen", {}).get(reason, 0)
        for reason in (Reason.SCREEN_NOT_ENGLISH, Reason.HIERARCHY_OUT_OF_SYNC)
    )
    head = (
        f"A program judged {counted(found['screens'], 'screen')}, kept or not; people had rated "
        f"{found['rated']:,} of them. {counted(removed, 'screen')} went by its verdict alone."
    )
    return ["### Prefilter\n", f"{head}\n", "\n".join(lines) + "\n"]


def _short_answers(facts: CardFacts) -> list[str]:
    made = facts.summary["short_answers"]
    lines = []
    if made is not None:
        prompt = f", prompt {plain(made['prompt_version'])}" if made["prompt_version"] else ""
        accepted = made["variants"].get("accepted", 0)
        lines += [
            f"Made by {plain(made['provider'])} ({plain(made['model'])}{prompt}): "
            f"{accepted:,} accepted.\n"
        ]
        dropped = [
            (code(reason), count, _variant_sentence(reason))
            for reason, count in made["variants"].items()
            if reason != "accepted"
        ]
        if dropped:
            lines.append(table(("left out because", "count", "meaning"), dropped, "<><"))
        if made["replies"]:
            replies = ", ".join(f"{plain(name)} {n:,}" for name, n in made["replies"].items())
            lines.append(f"Replies of the model: {replies}.\n")
    elif "short_answers_per_question" in facts.over_all:
        lines.append("They are those that the sources released.\n")
    if facts.verification is not None:
        lines.append(_items(verification_lines(facts.verification)))
    return ["### Short answers\n", *lines] if lines else []


def _agreement(facts: CardFacts) -> list[str]:
    if facts.agreement is None:
        return []
    questions = facts.agreement["questions"]
    rows = [
        ("by the paper's rule", _levels(questions["levels"]), paper.AGREEMENT_TEXT),
        ("by answers alone", _levels(questions["answer_only_levels"]), None),
        ("answerable or not", _estimates(facts.agreement["answerability"]), None),
        ("invalid or not", _estimates(facts.agreement["invalid_marks"]), None),
        *(
            (f"boxes: F1 at IoU {at:g}", estimate_text(value, shown=plain), None)
            for at, value in facts.agreement["boxes"]["f1"]
        ),
    ]
    return [
        "### Agreement of the annotators\n",
        f"Of {counted(_compared(questions), 'question')} with two answers or more. Intervals are "
        "of 95 %, by resampling screens.\n",
        table(("what", "here", "ScreenQA (A.5)"), rows),
    ]


def _compared(questions: Mapping[str, Any]) -> int:
    """Returns how many questions have answers to compare, of which the shares are."""
    return sum(int(level["count"]) for level in questions["levels"])


def _levels(levels: Iterable[Mapping[str, Any]]) -> str:
    return ", ".join(f"{100 * one['share']:.1f} % {plain(one['label'])}" for one in levels) or "–"


def _estimates(found: Mapping[str, Any]) -> str:
    alpha = estimate_text(found["alpha"], shown=plain)
    return f"{estimate_text(found['percent'], ' %', plain)} of pairs; alpha {alpha}"


def _variant_sentence(reason: str) -> str:
    return VariantReason(reason).sentence if reason in set(VariantReason) else ""


def _crossing(found: Mapping[str, Any], what: str) -> str:
    return (
        f"- {what}: {counted(found['groups'], 'group')} of two or more, "
        f"{found['crossing']:,} of them across splits"
    )


def _against(name: str, other: Mapping[str, Any]) -> Iterator[str]:
    yield _crossing(other["its_own_apps"], f"apps in the splits of {plain(name)} itself")
    for ours, theirs in other["shared_screens"].items():
        counts = ", ".join(f"{count:,} in its {plain(split)}" for split, count in theirs.items())
        yield f"- screens of {plain(ours)} here that {plain(name)} has as well: {counts}"


def _items(lines: Sequence[str]) -> str:
    """Returns lines as a list, those that are indented as items of the one before."""
    return "".join(
        f"{'  ' if line.startswith(' ') else ''}- {plain(line.strip())}\n" for line in lines
    )
