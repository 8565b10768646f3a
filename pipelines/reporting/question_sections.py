"""What is asked and answered: statistics of questions and answers beside the paper's figures."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipelines import paper
from pipelines.pages.rendering import percent
from pipelines.reporting import charts
from pipelines.reporting.blocks import (
    Cell,
    Chart,
    Column,
    Fold,
    Heading,
    Part,
    Section,
    Table,
    Text,
    folded_rows,
    shares,
)
from schemas.builds import ALL
from schemas.question_kinds import QuestionType, Topic
from schemas.splits import SPLITS

_FIRST_CATEGORIES = 40
_LONGEST_AXIS = 40
_SOURCES = {
    "hierarchy": "leaves of the hierarchy only",
    "drawn": "drawn by hand only",
    "mixed": "both",
}

Statistics = Mapping[str, Mapping[str, Any]]
"""What `stats.json` holds: counts and histograms by split, and under `all`."""


def question_sections(stats: Statistics) -> Iterator[Section]:
    """Yields the sections on questions and answers; none for a build without questions."""
    counts = stats.get(ALL, {})
    if not counts.get("questions"):
        return
    yield Section("answerability", "Answerability", tuple(_answerability(stats)))
    yield Section("questions", "Questions a screen", tuple(_per_screen(counts)))
    if counts.get("elements_per_answer"):
        yield Section("boxes", "Boxes an answer", tuple(_boxes(counts)))
    if counts.get("questions_per_category"):
        yield Section("categories", "Questions by category of app", tuple(_categories(counts)))
    yield Section("types", "How questions are put", tuple(_types(counts)))
    yield Section("topics", "What questions ask for", tuple(_topics(counts)))


def screen_sections(stats: Statistics) -> Iterator[Section]:
    """Yields the sections on screens that a build without questions has."""
    counts = stats.get(ALL, {})
    categories = counts.get("screens_per_category")
    if categories and not counts.get("questions"):
        rows = _ranked(categories)
        columns = (Column("Category"), Column("Screens", "count"), Column("Share", "bar"))
        parts = folded_rows(rows, columns, _FIRST_CATEGORIES, "categories")
        yield Section("categories", "Screens by category of app", parts)


def not_answerable_share(counts: Mapping[str, Any]) -> float | None:
    """Returns the share of questions that someone found not answerable; None without any."""
    questions = counts.get("questions", 0)
    return counts.get("questions_with_no_answer", 0) / questions if questions else None


def _answerability(stats: Statistics) -> Iterator[Part]:
    names = [split for split in SPLITS if split in stats and stats[split].get("questions")]
    found = [not_answerable_share(stats[split]) or 0.0 for split in names]
    rows: list[tuple[Cell, ...]] = [
        (name, *_no_answer_counts(stats[name])) for name in [*names, ALL]
    ]
    columns = (
        Column("Split"),
        Column("Questions", "count"),
        Column("Someone found no answer", "count"),
        Column("Share", "share2"),
        Column("Nobody found one", "count"),
    )
    yield Text(
        f"{percent(not_answerable_share(stats[ALL]), 2)} of all questions have an answer that says "
        "the screen does not answer them. The paper wrote such questions on purpose until each "
        "split had about 10 % of them (Fig. 2), to test whether a model knows when to abstain."
    )
    svg = charts.against_target(
        "fig-answerability", names, found, paper.NOT_ANSWERABLE, "the paper: about 10%"
    )
    title = "Questions that someone found not answerable"
    yield Chart("fig-answerability", title, svg, Table(columns, tuple(rows)))


def _no_answer_counts(counts: Mapping[str, Any]) -> tuple[Cell, ...]:
    return (
        counts["questions"],
        counts.get("questions_with_no_answer", 0),
        not_answerable_share(counts),
        counts.get("questions_with_only_no_answer", 0),
    )


def _per_screen(counts: Mapping[str, Any]) -> Iterator[Part]:
    per_screen = counts["questions_per_screen"]
    asked = sum(per_screen.values())
    questions = counts["questions"]
    unique = counts.get("unique_questions", 0)
    yield Text(
        f"{questions:,} questions on {asked:,} screens, {questions / asked:.2f} a screen. "
        "Screens with more to read have more of them, and in the paper the histogram falls off "
        "like a mild exponential (Fig. 3a)."
    )
    yield _histogram_chart(
        "fig-per-screen", "Screens by how many questions they have", per_screen, "questions"
    )
    yield Heading("Questions that are asked again")
    yield Text(
        f"{unique:,} of the {questions:,} questions are unique after SQuAD's normalizing "
        f"({percent(unique / questions)}). In the paper 47.5k of 86k are "
        f"({percent(paper.UNIQUE_QUESTIONS)}): “Which option is selected?” suits many screens."
    )


def _boxes(counts: Mapping[str, Any]) -> Iterator[Part]:
    per_answer = counts["elements_per_answer"]
    total = sum(per_answer.values())
    none, single = per_answer.get("0", 0), per_answer.get("1", 0)
    rows: tuple[tuple[Cell, ...], ...] = (
        ("No box: not answerable", none, none / total, None),
        ("One box", single, single / total, paper.SINGLE_BOX),
        ("None or one", none + single, (none + single) / total, paper.NONE_OR_SINGLE_BOX),
        ("Two or more", total - none - single, 1 - (none + single) / total, None),
    )
    columns = (
        Column("Answers with"),
        Column("Answers", "count"),
        Column("Share", "bar"),
        Column("The paper", "share"),
    )
    yield Table(columns, rows)
    yield Text(
        "The paper's 84 % and 91 % (Fig. 3b counts questions) fit together only if about 7 % of "
        "answers are empty, while about 10 % of questions have a “not answerable” one; ours are "
        "counted over answers.",
        "soft",
    )
    tail = {n: count for n, count in per_answer.items() if n not in ("0", "1")}
    if tail:
        title = "Answers with two boxes or more (Fig. 3b)"
        yield _histogram_chart("fig-boxes", title, tail, "boxes")
    yield Heading("Where boxes come from")
    yield _source_table("Answers with one box", counts, "single_box_answers_by_source", True)
    yield _source_table("All answers with boxes", counts, "answers_by_box_source", False)


def _source_table(title: str, counts: Mapping[str, Any], key: str, is_single: bool) -> Table:
    found = counts.get(key, {})
    printed = paper.SINGLE_BOX_SOURCES if is_single else paper.BOX_SOURCES
    total = sum(found.values())
    rows = tuple(
        (what, found.get(source, 0), found.get(source, 0) / total if total else None, share)
        for source, what in _SOURCES.items()
        if (share := printed.get(source)) is not None
    )
    columns = (
        Column(title),
        Column("Answers", "count"),
        Column("Share", "bar"),
        Column("The paper", "share"),
    )
    return Table(columns, rows)


def _categories(counts: Mapping[str, Any]) -> Iterator[Part | Fold]:
    found = counts["questions_per_category"]
    unknown = counts["questions"] - sum(found.values())
    yield Text(
        "By the category of the screen's app in its store (Fig. 3c)."
        + (f" The app's category is not known for {unknown:,} questions." if unknown else "")
    )
    columns = (Column("Category"), Column("Questions", "count"), Column("Share", "bar"))
    yield from folded_rows(_ranked(found), columns, _FIRST_CATEGORIES, "categories")


def _types(counts: Mapping[str, Any]) -> Iterator[Part]:
    found = counts["questions_by_type"]
    names = [kind.value for kind in QuestionType if found.get(kind.value)]
    names.sort(key=lambda name: -found[name])
    numbers = [found[name] for name in names]
    yield Text(
        "By the word that leads the question, whatever it asks about (Fig. 6). The paper prints "
        "neither numbers nor rules for this figure; these types and their rules are ours."
    )
    svg = charts.ranking("fig-types", names, [share or 0.0 for share in shares(numbers)])
    rows = tuple(zip(names, numbers, shares(numbers), strict=True))
    columns = (Column("Type"), Column("Questions", "count"), Column("Share", "share"))
    yield Chart("fig-types", "Types of questions", svg, Table(columns, rows))


def _topics(counts: Mapping[str, Any]) -> Iterator[Part]:
    found = counts["questions_by_topic"]
    total = sum(found.values())
    rows = tuple(
        (
            topic.value,
            found.get(topic.value, 0),
            found.get(topic.value, 0) / total,
            topic.paper_percent / 100,
        )
        for topic in Topic
    )
    yield Text(
        "The 36 named rows of the paper's Tables 4 and 10, and Others. The paper found them by "
        "regular expressions that it did not publish; ours are our own, so rows may differ by "
        "where a question is put as well as by what is asked."
    )
    columns = (
        Column("Topic"),
        Column("Questions", "count"),
        Column("Ours", "bar"),
        Column("The paper", "bar2"),
    )
    yield Table(columns, rows)


def _histogram_chart(name: str, title: str, histogram: Mapping[str, int], what: str) -> Chart:
    found = {int(value): count for value, count in histogram.items()}
    places = range(min(found), max(found) + 1)
    # A gap is a bar of no height, unless one value lies so far out that it would be all gap.
    shown = places if len(places) <= _LONGEST_AXIS else sorted(found)
    values, counts = [str(value) for value in shown], [found.get(value, 0) for value in shown]
    rows = tuple(zip(values, counts, shares(counts), strict=True))
    columns = (
        Column(what.capitalize(), "right"),
        Column("Count", "count"),
        Column("Share", "share"),
    )
    svg = charts.histogram(name, values, counts, what)
    return Chart(name, title, svg, Table(columns, rows))


def _ranked(counts: Mapping[str, int]) -> tuple[tuple[Cell, ...], ...]:
    """Returns names with their counts and shares, the most frequent first."""
    ordered: Sequence[tuple[str, int]] = sorted(
        counts.items(), key=lambda item: (-item[1], item[0])
    )
    parts = shares(count for _, count in ordered)
    return tuple((name, count, part) for (name, count), part in zip(ordered, parts, strict=True))
