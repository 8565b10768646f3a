"""What became of the annotation: the funnel, and how far annotators agreed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipelines import paper
from pipelines.pages.rendering import percent
from pipelines.reporting.blocks import Cell, Column, Heading, Part, Section, Table, Text
from schemas.splits import SPLITS
from transforms.funnel import STAGES

_LEVELS = {
    "full": "full: all answers agree",
    "partial": "partial: two of three agree",
    "none": "none: no two agree",
}
_CLAUSES = {
    "question": "the questions, after corrections, are the same",
    "full_answer": "the full answers are the same",
    "elements": "the boxes hold the same elements",
    "third_answer": "only both agree with a third answer",
}


def funnel_section(summary: Mapping[str, Any]) -> Section:
    """Returns the funnel beside the paper's Table 3, where annotators worked on the build.

    A build of pictures, or of released answers, has no passes to compare.
    """
    rows = {row["stage"]: row for row in summary["funnel"]}
    if "to_questions" not in rows:
        return Section("funnel", "From sources to splits", tuple(_short_funnel(rows)))
    parts: list[Part] = [
        Text(
            "Screens and questions at each stage of the work, with the paper's Table 3 beside "
            "them (SS and Q, as it calls them). A screen may be removed for more than one reason, "
            "so removed rows may add up to more than what is missing."
        ),
        Table(_FUNNEL_COLUMNS, tuple(_funnel_rows(rows))),
        Text(
            "The paper's figures are rounded: 82k and 5k are printed as 86k together. Ours are "
            "exact.",
            "soft",
        ),
    ]
    return Section("funnel", "From sources to splits", tuple(parts))


_FUNNEL_COLUMNS = (
    Column("Stage"),
    Column("Screens", "count"),
    Column("Questions", "count"),
    Column("Paper SS", "right"),
    Column("Paper Q", "right"),
)


def _funnel_rows(rows: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[Cell, ...]]:
    for stage, title in STAGES.items():
        if stage in paper.STEPS:
            yield (paper.STEPS[stage],)
        printed = paper.FUNNEL.get(stage)
        ours = rows.get(stage, {"screens": None, "questions": None})
        if stage not in rows and printed is None:
            continue
        yield (
            title,
            ours["screens"],
            ours["questions"],
            *(text or None for text in printed or ("", "")),
        )
    yield "total", *_total(rows), *paper.TOTAL


def _total(rows: Mapping[str, Mapping[str, Any]]) -> tuple[int | None, int | None]:
    splits = [rows[split] for split in SPLITS if split in rows]
    screens = sum(row["screens"] or 0 for row in splits)
    questions = sum(row["questions"] or 0 for row in splits)
    return screens, questions or None


def _short_funnel(rows: Mapping[str, Mapping[str, Any]]) -> Iterator[Part]:
    yield Text(
        "This build was not annotated by passes of its own, so it has no stages between its "
        "sources and its splits that the paper's Table 3 could stand beside."
    )
    columns = _FUNNEL_COLUMNS[:2]
    asks = any(row["questions"] for row in rows.values())
    yield Table(
        _FUNNEL_COLUMNS[:3] if asks else columns,
        tuple(
            (STAGES[stage], row["screens"], row["questions"])
            if asks
            else (STAGES[stage], row["screens"])
            for stage, row in rows.items()
        ),
    )


def agreement_section(agreement: Mapping[str, Any] | None) -> Section:
    """Returns how far annotators agreed, by the paper's rule and by answers alone (A.5).

    Args:
        agreement: What `agreement.json` holds; None in a build from released answers.
    """
    title = "Agreement of annotators"
    if agreement is None:
        text = (
            "The sources of this build do not tell single annotators apart, so how far they "
            "agreed is not known."
        )
        return Section("agreement", title, (Text(text),))
    parts: list[Part] = [
        Text(
            "Questions with two answers or more, by how the answers agree. The paper's figures are "
            "of its validation and test splits."
        ),
        *_level_parts(agreement),
        Heading("Which condition made answers agree"),
        _clause_table(agreement["questions"]["clauses"]),
        Heading("Beyond the rule"),
        Text(
            "Shares of pairs of annotators who say the same, and Krippendorff's alpha, which takes "
            "off what chance alone would give: 1 is perfect, 0 is chance. Intervals are 95 %, "
            "resampled by screen."
        ),
        _estimate_table(agreement),
        *_answer_counts(agreement["answers_per_question"]),
    ]
    return Section("agreement", title, tuple(parts))


def _level_parts(agreement: Mapping[str, Any]) -> Iterator[Part]:
    questions = agreement["questions"]
    is_paper = agreement["mode"] == "paper"
    chosen, alone = _by_label(questions["levels"]), _by_label(questions["answer_only_levels"])
    columns: tuple[Column, ...] = (
        Column("Agreement"),
        Column("The paper", "share"),
        Column("Ours, by the paper's rule", "right"),
        Column("Ours, by answers alone", "right"),
    )
    rows: list[tuple[Cell, ...]] = [
        (title, paper.AGREEMENT[level], _level(chosen, level), _level(alone, level))
        for level, title in _LEVELS.items()
    ]
    if not is_paper:  # Then the chosen rule is answers alone too.
        columns = (*columns[:2], columns[3])
        rows = [(*row[:2], row[3]) for row in rows]
    yield Table(columns, tuple(rows))
    yield Text(
        "Why the two differ: the paper's rule lets two answers agree when their questions, after "
        "corrections, are the same. Hardly any question is corrected, so nearly all answers agree "
        "by this condition alone, whatever they say, and 97.9 % says little about answers. "
        "“Answers alone” leaves this condition out. "
        + (
            "What this build keeps follows the paper's rule."
            if is_paper
            else "What this build keeps follows answers alone."
        ),
        "soft",
    )
    yield Text(
        f"{questions['n_single']:,} more questions have one answer, and to "
        f"{questions['n_all_invalid']:,} every annotator said that the question is invalid.",
        "soft",
    )


def _by_label(shares: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    return {share["label"]: share for share in shares}


def _level(shares: Mapping[str, Mapping[str, Any]], level: str) -> str:
    found = shares.get(level)
    return "–" if found is None else f"{percent(found['share'])} ({found['count']:,})"


def _clause_table(clauses: Mapping[str, int]) -> Table:
    rows = tuple((_CLAUSES.get(name, name), count) for name, count in clauses.items())
    caption = "A pair of answers may meet several."
    return Table((Column("Condition"), Column("Pairs", "count")), rows, caption)


def _estimate_table(agreement: Mapping[str, Any]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for key, what in (("answerability", "Answerable or not"), ("invalid_marks", "Invalid or not")):
        rows.append((f"{what}: pairs that agree", *_estimate(agreement[key]["percent"], "\u202f%")))
        rows.append((f"{what}: alpha", *_estimate(agreement[key]["alpha"])))
    boxes = agreement["boxes"]
    for at, value in boxes["f1"]:
        rows.append((f"Boxes: F1 where they overlap by {at:g} (IoU) or more", *_estimate(value)))
    rows.append(("Boxes: pairs with the very same elements", *_estimate(boxes["exact_set"])))
    columns = (Column("Measure"), Column("Value", "right"), Column("95 % interval", "right"))
    return Table(columns, tuple(rows))


def _estimate(estimate: Mapping[str, Any], unit: str = "") -> tuple[str, str]:
    value, interval = estimate["statistic"]["value"], estimate["interval"]
    if value is None:
        return "–", str(estimate["statistic"]["reason"])
    low, high = interval["low"], interval["high"]
    between = "–" if low is None else f"{low:.3g} to {high:.3g}"
    return f"{value:.3g}{unit}".replace("-", "−"), between.replace("-", "−")


def _answer_counts(counts: Sequence[Mapping[str, Any]]) -> Iterator[Part]:
    yield Heading("Answers a question")
    rows = tuple(
        (row["split"], row["n_answers"], row["n_questions"], "yes" if row["is_expected"] else "no")
        for split in SPLITS
        for row in counts
        if row["split"] == split
    )
    columns = (
        Column("Split"),
        Column("Answers", "count"),
        Column("Questions", "count"),
        Column("As planned"),
    )
    yield Table(columns, rows)
