"""What a finished build tells the person who ran it."""

from collections.abc import Mapping, Sequence
from typing import Any

from pipelines import paper
from pipelines.build import Built
from pipelines.estimate_text import estimate_text
from pipelines.terminal import bold, counted, duration, safe, size, table
from pipelines.verification_report import verification_lines
from schemas.splits import SPLITS
from transforms.accounting import book_rows
from transforms.funnel import STAGES
from transforms.models.spending import Spent

_MAX_REASONS = 12


def print_build(built: Built) -> None:
    """Prints the splits, the fates of all records, the leaks and where to look."""
    summary = built.summary
    print(bold(f"{summary['dataset']} {summary['version']}"))
    print(split_table(summary, built.statistics))
    print()
    if built.agreement is not None:
        print(funnel_table(summary["funnel"]))
        print()
        print("\n".join(agreement_lines(built.agreement)))
        print()
    if built.verification is not None:
        print("\n".join(verification_lines(built.verification)))
        print()
    print(fate_table(summary["records"]))
    reasons = reject_table(summary["rejects"])
    if reasons:
        print(f"\n{reasons}")
    for lines in (
        short_answer_lines(summary["short_answers"], built.spent),
        prefilter_lines(summary["prefilter"]),
        duplicate_lines(summary["duplicates"]),
        leak_lines(summary["leaks"]),
    ):
        if lines:
            print("\n" + "\n".join(lines))
    for warning in built.warnings:
        print(f"note: {warning}")
    workers = "in one process" if built.workers == 1 else f"with {built.workers} workers"
    print(f"\nin {duration(built.seconds)}, {workers}")
    print(f"data set: {built.out}")
    print(f'load it:  datasets.load_dataset("{built.out}", "{summary["dataset"]}")')


def short_answer_lines(facts: Mapping[str, Any] | None, spent: Spent | None) -> list[str]:
    """Returns sentences on who made the short answers, what was left out, what it cost."""
    if facts is None:
        return []
    variants = dict(facts["variants"])
    accepted = variants.pop("accepted", 0)
    dropped = ", ".join(f"{why.replace('_', ' ')} {count:,}" for why, count in variants.items())
    lines = [
        f"short answers by {safe(facts['provider'])} ({safe(facts['model'])}): {accepted:,}"
        + (f"; left out: {dropped}" if dropped else "")
    ]
    if facts["replies"]:
        replies = ", ".join(f"{outcome} {count:,}" for outcome, count in facts["replies"].items())
        lines.append(f"replies: {replies}")
    if spent is not None:
        price = f", {spent.cost:.2f} by the manifest's prices" if spent.cost else ""
        lines.append(
            f"paid for {counted(spent.calls, 'call')}: {spent.prompt_tokens:,} tokens in, "
            f"{spent.output_tokens:,} out{price}"
        )
    return lines


def prefilter_lines(prefilter: Mapping[str, Any]) -> list[str]:
    """Returns sentences on what the prefilter found, and on whom it disagrees with."""
    lines = []
    for key, what in (("language", "language"), ("hierarchy_sync", "hierarchy in sync")):
        if prefilter[key]:
            found = ", ".join(
                f"{count:,} {verdict.replace('_', ' ')}"
                for verdict, count in prefilter[key].items()
            )
            lines.append(f"{what}: {found} ({counted(prefilter['screens'], 'screen')})")
    names = {
        "raters_and_language": "raters and the automatic language verdict",
        "raters_and_hierarchy_sync": "raters and the automatic sync verdict",
        "app_and_screen_language": "an app's language and that of one of its screens",
    }
    for key, what in names.items():
        found = prefilter["disagreements"][key]
        if found["differing"]:
            lines.append(
                f"{what} disagree on {found['differing']:,} of {found['compared']:,} screens, "
                f"such as {safe(found['examples'][0])}"
            )
    personal = prefilter["personal_data"]
    if personal["emails"] or personal["phones"]:
        lines.append(
            "personal data in hierarchies: "
            f"{counted(personal['emails'], 'e-mail address', 'e-mail addresses')} on "
            f"{counted(personal['screens_with_emails'], 'screen')}, "
            f"{counted(personal['phones'], 'phone number')} on "
            f"{counted(personal['screens_with_phones'], 'screen')}"
        )
    return lines


def duplicate_lines(duplicates: Mapping[str, Any]) -> list[str]:
    """Returns a sentence for each kind of duplicates that was found."""
    names = {
        "bytes": "the very same file",
        "pixels": "the very same pixels",
        "hierarchies": "one hierarchy under several pictures",
        "near": "alike in looks and words, and kept",
    }
    return [
        f"duplicates: {counted(found['groups'], 'group')} of {found['screens']:,} screens "
        f"{'is' if found['groups'] == 1 else 'are'} {what} "
        f"({found['across_apps']:,} across apps, {found['across_splits']:,} across splits)"
        for key, what in names.items()
        if (found := duplicates[key])["groups"]
    ]


def split_table(summary: Mapping[str, Any], statistics: Mapping[str, Mapping[str, Any]]) -> str:
    """Returns one line a split: apps, screens, questions if there are any, shards."""
    asks = any("questions" in counts for counts in statistics.values())
    rows = []
    for split in SPLITS:
        if split not in statistics:
            continue
        counts = statistics[split]
        shards = [shard for shard in summary["shards"] if shard["split"] == split]
        questions = counts.get("questions", 0)
        share = counts.get("questions_with_no_answer", 0) / questions if questions else 0.0
        rows.append(
            (
                split,
                counts.get("apps"),
                counts.get("screens", 0),
                *((questions, f"{share:.2%}") if asks else ()),
                len(shards),
                size(sum(shard["size_bytes"] for shard in shards)),
            )
        )
    asked = ("questions", "with no answer") if asks else ()
    header = ("split", "apps", "screens", *asked, "shards", "size")
    return table(header, rows, "<" + ">" * (len(header) - 1))


def funnel_table(funnel: Sequence[Mapping[str, Any]]) -> str:
    """Returns the funnel of a campaign: screens and questions by stage (ScreenQA Table 3)."""
    rows = [(STAGES[row["stage"]], row["screens"], row["questions"]) for row in funnel]
    return table(("stage", "screens", "questions"), rows, "<>>")


def agreement_lines(agreement: Mapping[str, Any]) -> list[str]:
    """Returns sentences on how far the annotators agreed, the paper's figures beside ours."""
    questions = agreement["questions"]
    lines = [
        f"agreement by the paper's rule ({agreement['mode']}): {_levels(questions['levels'])} "
        f"of questions with two answers or more (the paper: {paper.AGREEMENT_TEXT})",
        f"by answers alone: {_levels(questions['answer_only_levels'])}",
    ]
    for key, what in (("answerability", "answerable or not"), ("invalid_marks", "invalid or not")):
        found = agreement[key]
        lines.append(
            f"{what}: {estimate_text(found['percent'], '%')} of pairs agree, "
            f"alpha {estimate_text(found['alpha'])}"
        )
    boxes = agreement["boxes"]
    f1 = ", ".join(f"F1 at IoU {at:g} {estimate_text(value)}" for at, value in boxes["f1"])
    lines.append(f"boxes: {f1}, same elements {estimate_text(boxes['exact_set'])}")
    for plan in agreement["unanswerable"]:
        share = "–" if plan["share"] is None else f"{plan['share']:.1%}"
        lacking = len(plan["screen_ids"])
        then = f"{lacking} more would bring it to" if lacking else "enough for"
        lines.append(
            f"{plan['split']}: {share} of questions found not answerable by someone; {then} "
            f"{plan['target_share']:.0%}"
        )
    return lines


def _levels(shares: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(f"{share['share']:.1%} {share['label']}" for share in shares) or "none"


def fate_table(records: Mapping[str, Mapping[str, int]]) -> str:
    """Returns one line a record kind: how many were read, and what became of them.

    Set aside are screens and apps that no question asks for, answers whose question was left
    out, and cancelled and draft events.
    """
    header = ("records", "read", "kept", "merged", "rejected", "set aside")
    return table(header, book_rows(records), "<>>>>>")


def reject_table(rejects: Mapping[str, Mapping[str, int]]) -> str:
    """Returns the most frequent reasons of rejects, or an empty text."""
    rows = [
        (kind.replace("_", " "), reason, count)
        for kind, reasons in rejects.items()
        for reason, count in reasons.items()
    ]
    if not rows:
        return ""
    rows.sort(key=lambda row: (-row[2], row[0], row[1]))
    text = table(("rejected", "reason", "count"), rows[:_MAX_REASONS], "<<>")
    more = len(rows) - _MAX_REASONS
    return f"{text}\n… and {counted(more, 'more row')}, in BUILD.json" if more > 0 else text


def leak_lines(leaks: Mapping[str, Any]) -> list[str]:
    """Returns a sentence for each kind of leak that was found."""
    names = {
        "screens": "screens lie in several splits",
        "apps": "apps of two or more screens cross splits",
        "pictures": "pictures used twice or more cross splits",
        "layouts": "layouts shared by two or more screens cross splits",
    }
    lines = []
    for key, what in names.items():
        found = leaks[key]
        if found["crossing"]:
            first = safe(found["examples"][0]["key"])
            lines.append(
                f"leak: {found['crossing']:,} of {found['groups']:,} {what}, such as {first}"
            )
    for name, found in leaks["other_datasets"].items():
        own = found["its_own_apps"]
        if own["crossing"]:
            lines.append(
                f"leak: {own['crossing']:,} of {own['groups']:,} apps of two or more screens "
                f"cross the splits of {name} itself"
            )
        lines += _shared_lines(name, found["shared_screens"])
    return lines


def _shared_lines(name: str, shared: Mapping[str, Mapping[str, int]]) -> list[str]:
    return [
        f"leak: {count:,} screens of {ours} are in {theirs} of {name}"
        for ours, row in shared.items()
        for theirs, count in row.items()
        if ours != theirs
    ]
