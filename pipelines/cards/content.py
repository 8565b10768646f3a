"""The card's sections on what is in a data set and how to load it.

Counts come from `stats.json` alone, sizes and rows of shards from `BUILD.json`.
"""

from collections.abc import Mapping
from typing import Any

from pipelines.cards.facts import CardFacts
from pipelines.cards.markdown import plain, table
from pipelines.recipes.configurations import SCREENS
from pipelines.terminal import size
from schemas.builds import ALL
from schemas.columns import column_table
from schemas.manifest import Images

PLACE = "PATH_OF_THIS_FOLDER"
"""What stands in the loading snippet for the folder, or the name on the Hub."""

_COUNTS = (
    ("apps", "apps"),
    ("screens", "screens"),
    ("questions", "questions"),
    ("unique_questions", "different questions"),
    ("answers", "answers"),
    ("questions_with_no_answer", "questions found unanswerable"),
)
_MOST_CATEGORIES = 40


def introduction(facts: CardFacts) -> str:
    """Returns what the data set is, in some sentences."""
    counts = facts.over_all
    screens = f"{counts.get('screens', 0):,} screens"
    if facts.asks:
        what = f"{counts.get('questions', 0):,} questions on {screens} of mobile apps"
    else:
        what = f"{screens} of mobile apps"
    apps = f", from {counts['apps']:,} apps" if "apps" in counts else ""
    lines = [f"{what}{apps}. {_pictures(facts)}"]
    if facts.summary["limit"] is not None:
        lines.append(
            f"\n**This is a trial: its build read no more than {facts.summary['limit']:,} screens "
            "(`--limit`), and it stands for nothing.**"
        )
    return "\n".join(lines) + "\n"


def contents(facts: CardFacts) -> str:
    """Returns the counts of each split and of all, and the size of each configuration."""
    shown = [(key, name) for key, name in _COUNTS if key in facts.over_all]
    rows = [
        (split, *(facts.statistics[split].get(key) for key, _ in shown))
        for split in (*facts.splits, ALL)
    ]
    parts = [
        "## What is in it\n",
        table(("split", *(name for _, name in shown)), rows, "<" + ">" * len(shown)),
        *_remarks(facts),
        table(
            ("configuration", "split", "rows", "files", "size"),
            [
                (f"`{name}`", one.split, one.rows, one.files, size(one.stored_bytes))
                for name, sizes in facts.sizes.items()
                for one in sizes
            ],
            "<<>>>",
        ),
        *_categories(facts.over_all),
        "Beside the shards lie `BUILD.json` (what it was built from, and what became of every "
        "record), `stats.json` (these counts and more), `splits/` (the screens of each split) and "
        "`duplicates.json` (screens that are alike). Each record that was left out, and why, is in "
        "`rejects/`, which stays with the makers unless they publish it, too.\n",
    ]
    return "\n".join(parts)


def loading(facts: CardFacts) -> str:
    """Returns how to load the data set: code that runs as it is but for the place."""
    first = facts.splits[0]
    variable = "questions" if facts.asks else "screens"
    lines = [
        "import datasets",
        "",
        f'place = "{PLACE}"  # or its name on the Hub: "owner/name"',
        f'{variable} = datasets.load_dataset(place, "{facts.name}")',
    ]
    if facts.asks:
        lines.append(f'print(questions["{first}"][0]["question"])')
    else:
        lines.append(f'print(screens["{first}"][0]["image"].size)')
    after = ""
    if SCREENS in facts.row_types and facts.asks:
        lines += ["", *_join(first)]
        after = "The pictures are in `screens`, once each: join on `screen_id`, split by split.\n\n"
    code = "\n".join(lines)
    return (
        f"## Loading\n\n```python\n{code}\n```\n\n{after}"
        "Releases 2.14, 3.6 and 5.2 of `datasets` were tried on data of this form, and load it: "
        "lists are spelled in the way that all of them read, not as the `List` of 4.0. "
        "`streaming=True` shows rows without loading all of them.\n"
    )


def columns(facts: CardFacts) -> str:
    """Returns the columns of each configuration, and how boxes are measured."""
    parts = [
        f"## Columns of `{name}`\n\n{column_table(row_type)}"
        for name, row_type in facts.row_types.items()
    ]
    parts.append(
        "Boxes are left, top, right and bottom in pixels of the picture at its full size, from "
        "its upper left corner; right and bottom lie just outside. Ids are texts, with their "
        "zeros. A picture that had to be turned upright or converted is stored as PNG, and "
        "`image_reencoded` says so; all others have the bytes of their source.\n"
        if _has_pictures(facts)
        else "Boxes are left, top, right and bottom in pixels of the source's picture, which is "
        "not in the data set; right and bottom lie just outside. Ids are texts, with their "
        "zeros.\n"
    )
    return "\n".join(parts)


def _has_pictures(facts: CardFacts) -> bool:
    return not facts.asks or facts.summary["images"] != Images.NONE


def _pictures(facts: CardFacts) -> str:
    if not facts.asks:
        return "Each row is a screen: its picture, and the visible leaves of its view hierarchy."
    return {
        Images.INLINE: "Each row is a question with its answers and the picture of its screen.",
        Images.BY_SCREEN: "Each row is a question with its answers; the pictures of the screens "
        f"are in the configuration `{SCREENS}`.",
        Images.NONE: "Each row is a question with its answers; the pictures are not in it.",
    }[Images(facts.summary["images"])]


def _join(split: str) -> list[str]:
    return [
        'screens = datasets.load_dataset(place, "screens")',
        f'number_of = {{name: i for i, name in enumerate(screens["{split}"]["screen_id"])}}',
        f'question = questions["{split}"][0]',
        f'picture = screens["{split}"][number_of[question["screen_id"]]]["image"]',
        "print(picture.size)",
    ]


def _remarks(facts: CardFacts) -> list[str]:
    """Returns sentences on what the counts mean."""
    counts = facts.over_all
    sentences = []
    if counts.get("questions"):
        share = counts.get("questions_with_no_answer", 0) / counts["questions"]
        sentences.append(
            f"{share:.2%} of questions were found unanswerable by at least one annotator. "
            "Questions differ if they do after SQuAD's normalizing."
        )
    if "questions_per_screen" in counts:
        most = max(map(int, counts["questions_per_screen"]))
        sentences.append(f"A screen has up to {most:,} of them.")
    for key, what in (("apps", "Apps"), ("unique_questions", "Questions")):
        if sum(facts.statistics[split].get(key, 0) for split in facts.splits) > counts.get(key, 0):
            sentences.append(f"{what} of several splits are counted once over all.")
    return [" ".join(sentences) + "\n"] if sentences else []


def _categories(counts: Mapping[str, Any]) -> list[str]:
    """Returns a table of the screens and questions of each category, the largest first."""
    screens = counts.get("screens_per_category", {})
    if not screens:
        return []
    asked = counts.get("questions_per_category", {})
    ordered = sorted(screens.items(), key=lambda pair: (-pair[1], pair[0]))
    header = ("category", "screens", *(("questions",) if asked else ()))
    rows = [
        (plain(name), count, *((asked.get(name, 0),) if asked else ()))
        for name, count in ordered[:_MOST_CATEGORIES]
    ]
    more = len(ordered) - len(rows)
    note = [f"{more:,} smaller categories are in `stats.json`.\n"] if more > 0 else []
    return [table(header, rows, "<>>"), *note]
