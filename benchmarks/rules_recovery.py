"""Feeds the short-answer rules one released variant and counts which others they recover.

    python benchmarks/rules_recovery.py --data ../shared/data [--write] [--misses KIND]

Rules were looked up and tuned on even image ids only; odd ones are the report. `--write` puts
the tables into `rules_recovery.md`. Variants are compared exactly, and under the normalizing
of SQuAD scores. Whether a form that no list holds is right all the same is judged by
`answer_values.py`, which shares nothing with the rules.
"""

import argparse
import collections
import dataclasses
import datetime
import json
import pathlib
import platform
import re
import string
import sys
from collections.abc import Iterable, Iterator, Sequence

from answer_values import MONEY, readings, same_value

from transforms.short_answers.rules.rewriting import forms_of, rule_variants

REPORT = pathlib.Path(__file__).with_suffix(".md")
KINDS = (
    "date",
    "date and time",
    "time",
    "time span",
    "duration",
    "number word",
    "thousands",
    "counted noun",
    "unit",
    "currency",
    "percent",
    "rating",
    "on/off",
    "list",
    "weekday or month",
    "place",
    "phone",
    "quotes",
    "case",
    "words of the question",
)
NO_ANSWER = "<no answer>"

TABLE_9 = (
    (
        "When was the match held at Kent State?",
        (
            (["09/24"], "The match was held at Kent State on September 24."),
            (["09/24"], "The match was held on September 24."),
        ),
        ["09/24", "September 24", "September 24th", "9/24"],
    ),
    (
        "What is the birth date of the user?",
        (
            (["1999", "January", "1"], "The birth date of the user is January 1, 1999."),
            (["January", "1", "1999"], "The user’s birth date is January 1, 1999."),
            (["1", "January", "1999"], "The birth date is January 1, 1999."),
        ),
        ["1/1/1999", "January 1, 1999", "1 January 1999", "1 January, 1999", "January 1st, 1999"],
    ),
    (
        'What is the status of "Open links inside the app"?',
        (
            (["off"], 'The status of "Open links inside the app" is "off".'),
            (["off"], 'The status is "off".'),
        ),
        ["off", "disabled"],
    ),
    (
        "What is the odometer reading?",
        (
            (["0 m"], "The odometer reading is 0m."),
            (["0 m"], "The odometer reading is 0 m."),
        ),
        ["0 m", "0 meters"],
    ),
    (
        "What other applications can be used?",
        (
            (
                ["Android Beam", "Bluetooth"],
                'The other applications that can be used are "Android Beam" and "Bluetooth".',
            ),
            (
                ["Facebook", "Android Beam"],
                'The applications that can be used are "Facebook", "Android Beam", and '
                '"Bluetooth".',
            ),
        ),
        [
            "Android Beam, Bluetooth",
            "Android Beam and Bluetooth",
            '"Android Beam", "Bluetooth"',
            '"Android Beam" and "Bluetooth"',
            "Facebook, Android Beam, Bluetooth",
            "Facebook and Android Beam and Bluetooth",
            "Facebook or Android Beam or Bluetooth",
        ],
    ),
)
"""ScreenQA, Table 9: question, annotations (elements, full answer), printed variants."""


@dataclasses.dataclass(frozen=True)
class Case:
    """Variants of one question that say the same.

    Attributes:
        question: As released.
        variants: Those that say the same, two at least.
        listed: All of the question's.
        kind: What they differ by.
    """

    question: str
    variants: tuple[str, ...]
    listed: tuple[str, ...]
    kind: str


@dataclasses.dataclass
class Score:
    """Sums over the cases of a kind."""

    cases: int = 0
    wanted: int = 0
    recovered: int = 0
    recovered_normalized: int = 0
    same_normalized: int = 0
    produced: int = 0
    listed: int = 0
    listed_normalized: int = 0
    accepted: int = 0

    def add(self, other: "Score") -> None:
        """Adds another's sums."""
        for field in dataclasses.fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))


def main() -> None:
    """Prints the tables, and writes them if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("../shared/data"))
    parser.add_argument("--write", action="store_true", help=f"write {REPORT.name}")
    parser.add_argument("--misses", metavar="KIND", help="print misses of a kind on even ids")
    arguments = parser.parse_args()
    path = arguments.data / "screenqa" / "short_answers" / "validation.json"
    rows = json.loads(path.read_text())
    even = [row for row in rows if row["image_id"] % 2 == 0]
    odd = [row for row in rows if row["image_id"] % 2 == 1]
    if arguments.misses:
        print_misses(even, arguments.misses)
        return
    text = report(len(rows), even, odd)
    print(text)
    if arguments.write:
        REPORT.write_text(text)


def cases_of(rows: Iterable[dict[str, object]], whole: bool) -> Iterator[Case]:
    """Yields the cases: questions all of whose variants say the same, or parts of others.

    Args:
        rows: Released rows.
        whole: Whether to yield whole questions, else groups inside the remaining ones.
    """
    for row in rows:
        question = str(row["question"])
        listed = [v for v in row["ground_truth"] if v != NO_ANSWER]  # type: ignore[attr-defined]
        groups = group(listed, question)
        if len(listed) > 1 and (len(groups) == 1) == whole:
            for variants in groups:
                if len(variants) > 1:
                    kind = kind_of(variants, question)
                    yield Case(question, tuple(variants), tuple(listed), kind)


def group(variants: Sequence[str], question: str) -> list[list[str]]:
    """Returns the variants in groups that each say the same as the group's first."""
    groups: list[list[str]] = []
    for variant in variants:
        for members in groups:
            if same_value(variant, members[0], question):
                members.append(variant)
                break
        else:
            groups.append([variant])
    return groups


def kind_of(variants: Sequence[str], question: str) -> str:
    """Returns what variants that say the same differ by: the reading that joins most of them."""
    found = [same_value(variants[0], other, question) for other in variants[1:]]
    kind = collections.Counter(reading.kind for reading in found if reading).most_common(1)[0][0]
    if kind == "descriptor":
        return "words of the question"
    return quantity_kind(variants, question) if kind == "quantity" else kind


def quantity_kind(variants: Sequence[str], question: str) -> str:
    """Returns the kind of variants that are numbers."""
    stated = [r.stated for v in variants for r in readings(v, question) if r.kind == "quantity"]
    units = {unit for unit, _, _ in stated if unit}
    if units & MONEY:
        return "currency"
    if "percent" in units:
        return "percent"
    if "star" in units or any(scale for _, scale, _ in stated) or "rating" in question.lower():
        return "rating"
    if any(re.fullmatch(r"[\d,]*\d{4}[\d,]*|\d+(,\d{3})+", variant) for variant in variants):
        return "thousands"
    if units:
        return "unit"
    if any(re.match(r"(?!the |no |none)[a-z]", variant) for variant in variants):
        return "number word"
    return "counted noun"


def normalized(text: str) -> str:
    """Returns a text as SQuAD scores compare it (requirements SQA-30)."""
    text = "".join(c for c in text.lower() if c not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def score(case: Case) -> Score:
    """Feeds each variant of a case to the rules."""
    total = Score(cases=1)
    for given in case.variants:
        forms = forms_of(given, case.question)
        produced = forms[1:]
        others = [variant for variant in case.variants if variant != given]
        norms = {normalized(form) for form in forms}
        listed_norms = {normalized(variant) for variant in case.listed}
        total.add(
            Score(
                wanted=len(others),
                recovered=sum(other in forms for other in others),
                recovered_normalized=sum(normalized(other) in norms for other in others),
                same_normalized=sum(normalized(other) == normalized(given) for other in others),
                produced=len(produced),
                listed=sum(form in case.listed for form in produced),
                listed_normalized=sum(normalized(form) in listed_norms for form in produced),
                accepted=sum(bool(same_value(form, given, case.question)) for form in produced),
            )
        )
    return total


def table(rows: Sequence[dict[str, object]], whole: bool) -> str:
    """Returns a table with a line for each kind."""
    scores: dict[str, Score] = collections.defaultdict(Score)
    for case in cases_of(rows, whole):
        result = score(case)
        scores[case.kind].add(result)
        if case.kind != "words of the question":
            scores["**all but the last**"].add(result)
        scores["**all**"].add(result)
    lines = [
        "| kind | questions | recall | recall, SQuAD | (given alone) | precision, listed "
        "| listed, SQuAD | precision, same value |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    unknown = scores.keys() - set(KINDS) - {"**all but the last**", "**all**"}
    for kind in [*KINDS, *sorted(unknown), "**all but the last**", "**all**"]:
        if kind in scores:
            lines.append(f"| {kind} | {line(scores[kind])} |")
    return "\n".join(lines)


def line(sums: Score) -> str:
    """Returns the columns of one line."""
    shares = (
        (sums.recovered, sums.wanted),
        (sums.recovered_normalized, sums.wanted),
        (sums.same_normalized, sums.wanted),
        (sums.listed, sums.produced),
        (sums.listed_normalized, sums.produced),
        (sums.accepted, sums.produced),
    )
    cells = [f"{100 * part / whole:.1f} %" if whole else "–" for part, whole in shares]
    return " | ".join([f"{sums.cases:,}", *cells])


def table_9() -> str:
    """Returns what the rules give for the paper's five printed questions."""
    lines = ["| question | printed, and given | printed, not given | given beside |"]
    lines.append("| --- | --- | --- | --- |")
    for question, annotations, printed in TABLE_9:
        given = dict.fromkeys(
            variant
            for elements, full in annotations
            for variant in rule_variants(question, elements, full)
        )
        there = [variant for variant in printed if variant in given]
        missing = [variant for variant in printed if variant not in given]
        beside = [variant for variant in given if variant not in printed]
        cells = [" · ".join(cell) or "–" for cell in (there, missing, beside)]
        lines.append(f"| {question} | {' | '.join(cells)} |")
    return "\n".join(lines)


def print_misses(rows: Sequence[dict[str, object]], kind: str) -> None:
    """Prints what was not recovered, and what no list holds or is not the same value."""
    for case in cases_of(rows, whole=True):
        if case.kind != kind:
            continue
        for given in case.variants:
            forms = forms_of(given, case.question)
            missed = [variant for variant in case.variants if variant not in forms]
            extra = [form for form in forms if form not in case.listed]
            wrong = [form for form in forms if not same_value(form, given, case.question)]
            if missed or wrong:
                print(f"{case.question} | {given!r}\n  - {missed}\n  + {extra}\n  ! {wrong}")


def report(total: int, even: Sequence[dict[str, object]], odd: Sequence[dict[str, object]]) -> str:
    """Returns the whole page."""
    sections = [
        f"""# What rules recover of the released short answers

Made by `python benchmarks/rules_recovery.py --write` on {datetime.date.today().isoformat()},
Python {platform.python_version()}, from ScreenQA's released short answers v1.2, validation:
{total:,} questions, {len(even):,} of even image ids and {len(odd):,} of odd ones. Nothing in
it depends on the machine.

**What is counted.** A question is in the first tables if it has two variants or more, all of
the same value: a judge written apart from the rules (`answer_values.py`) reads both sides to
a date, seconds, a decimal with a unit, a bag of items or a bare text, and calls the question
after the reading that joins most of its variants. Each variant is fed to `forms_of` in turn,
with its question and nothing else; an annotation's elements and full answer are not released
in this file, so what `rule_variants` gains from them is not in these numbers.

- *recall*: share of the other variants that are among the forms, character by character;
  *recall, SQuAD*: the same under SQuAD's normalizing (case, punctuation, articles);
  *(given alone)*: what the given variant reaches there without any rule.
- *precision, listed*: share of the forms, the given one aside, that the question's list
  holds; *listed, SQuAD*: under normalizing. **A low figure does not mean wrong forms**: the
  lists are what a model happened to write, two or three of the many forms that people accept
  ("12.99" stands beside "$12.99" for image 4238, and "$19.99" without "19.99" for image 2532).
- *precision, same value*: share of the forms that the judge reads to the given value. This
  is the figure that must be near 100 %.

**Tuned on even image ids, reported on odd ones**: the closed classes, which forms to write and
their order were looked up on even ones.""",
        "## Odd image ids: the report",
        table(odd, whole=True),
        "## Even image ids: what the rules were tuned on",
        table(even, whole=True),
        """## Groups inside lists that hold several values, odd image ids

Lists of questions whose annotators answered differently, or to which the model added something:
each group of variants with the same value is taken by itself.""",
        table(odd, whole=False),
        "## The paper's Table 9",
        table_9(),
        DECISIONS,
    ]
    return "\n\n".join(sections) + "\n"


DECISIONS = """## What the rules do not do, and why

- **No words of the question are put in** (`Home` → `"Home" tab`), though the lists do so for
  nearly every question about a tab or an option: the paper's own prompt asks for answers
  "without extra words from the question". They are taken away where they are given. What a
  question counts is the one exception ("3" → "3 reviews"), since the paper names that pair.
- **"4/6/2015" stays in numbers** unless the full answer names the month: of 22 such dates of
  even ids 19 are month first and 3 day first, and one wrong date in seven is too many. Names of
  months become numbers only where nobody can swap them (day above 12, or equal to the month).
- **A time without am or pm gets neither**, and one before 1 pm is not put on the 24-hour clock,
  where it could be the evening's. A date is given no year that it lacks, and loses none; a weekday
  beside a date is left out but never found out.
- **"1:44" is minutes and seconds** only for something recorded or played ("0:44" also elsewhere);
  lengths of travel and sleep have hours and minutes.
- **A bare number gets no unit, currency or scale** ("12.50" → "$12.50", "4.6" → "4.6 stars"), but
  for a percentage that is asked for; with elements and full answer, what those say is used.
- **Quotation marks** are taken off a single name, and put on titles and on text that somebody
  wrote only (there the lists have both for one in three, elsewhere for one in 25); lists get both.
- **"or"** joins where the question says "can" or "could", so that one of the things will do:
  that gives the paper's "Facebook or Android Beam or Bluetooth", and would not without "can".
- **Titles, names, addresses, codes and versions** that are asked for keep their words ("8 Mile",
  "10,000 Hours"): no numbers, dates or units are read in them.
- **"A, B" alone is no list** ("Paris, France", "Smith, John") unless the full answer has "A and B",
  which this file does not show; "or" never becomes "and". The recall of lists is lower for it.
- **Codes of states** that are other places' too ("Toronto, CA") become names beside a large town
  of that state, a ZIP code or a question that says "US" only.
- **Month and year** ("05/27" of an expiry date) are no day; lengths of films in two parts may be
  hours and minutes; "checked" and "selected" become "on" for named switches and settings only.
- **Case** is changed for states, units and names of months alone; `rule_variants` also takes the
  spelling of the full answer ("Male" beside "The gender is male.")."""


if __name__ == "__main__":
    sys.exit(main())
