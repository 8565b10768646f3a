"""How far annotators agree on labels, and how far on whole questions.

The figures are made from tables of how often each combination of labels occurs; such
tables add up (see `estimates`).
"""

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from schemas.agreements import Agreement, AgreementLevel, ClauseCounts
from schemas.annotations import AnnotationEvent, AnswerState
from transforms.annotation.estimates import Estimate, Statistic, add_tables, estimate

Labels = tuple[str | None, ...]
"""What the annotators said of one unit, None where one said nothing; in no given order."""


@dataclasses.dataclass(frozen=True, slots=True)
class LabelShare:
    """How often a label occurs, and its share (0 to 1) of all that do."""

    label: str
    count: int
    share: float


@dataclasses.dataclass(frozen=True, slots=True)
class SpecificAgreement:
    """Chance that another annotator says what one said (0 to 1): of a label, of all others."""

    positive: Statistic
    negative: Statistic


@dataclasses.dataclass(frozen=True, slots=True)
class LabelAgreement:
    """How far annotators agree on a label. Alpha is never shown without the others.

    If nearly all labels are equal, alpha is near 0 at 99 % agreement; the percentage, the
    specific agreement and the shares of the labels beside it tell that case from guessing.
    """

    n_units: int
    n_pairable: int
    """Units with two labels or more."""
    n_missing: int
    percent: Estimate
    alpha: Estimate
    positive: Estimate
    negative: Estimate
    prevalence: tuple[LabelShare, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class AgreementTally:
    """How many questions agree how far (ScreenQA A.5 reports 97.9, 1.9 and 0.2 %).

    The shares of a level are of the questions with two live answers or more.
    """

    n_questions: int
    n_single: int
    n_all_invalid: int
    levels: tuple[LabelShare, ...]
    answer_only_levels: tuple[LabelShare, ...]
    clauses: ClauseCounts
    question_from: tuple[LabelShare, ...]


def pairwise_percent(units: Mapping[Labels, int]) -> Statistic:
    """Returns the percentage (0 to 100) of pairs of labels of one unit that are equal."""
    tables = list(_pairable(units))
    pairs = sum(times * _pairs(counts.total()) for counts, times in tables)
    if not pairs:
        return Statistic(None, "no unit has two labels")
    equal = sum(times * _pairs(n) for counts, times in tables for n in counts.values())
    return Statistic(100 * equal / pairs)


def alpha_nominal(units: Mapping[Labels, int]) -> Statistic:
    """Returns Krippendorff's alpha for nominal labels: 1 is agreement, 0 is chance.

    Missing labels are left out and so are units with one label (Krippendorff 2011,
    "Computing Krippendorff's Alpha-Reliability", section D).
    """
    totals: Counter[str] = Counter()
    unequal: Counter[int] = Counter()
    for counts, times in _pairable(units):
        size = counts.total()
        unequal[size] += times * (size * size - sum(n * n for n in counts.values()))
        for label, n in counts.items():
            totals[label] += times * n
    size = totals.total()
    if not size:
        return Statistic(None, "no unit has two labels")
    expected = size * size - sum(n * n for n in totals.values())
    if not expected:
        return Statistic(None, "only one label occurs, so chance would agree as well")
    # Whole numbers by size, then an exact sum: no order of units shows in the last digit.
    observed = math.fsum(pairs / (of_size - 1) for of_size, pairs in unequal.items())
    return Statistic(1 - (size - 1) * observed / expected)


def specific_agreement(units: Mapping[Labels, int], label: str) -> SpecificAgreement:
    """Returns the agreement on `label` and on all other labels taken as one.

    For two annotators these are 2a/(2a+b+c) and 2d/(2d+b+c) of the fourfold table (Cicchetti
    and Feinstein 1990); for more, the same over all ordered pairs of annotators of a unit.
    """
    agreeing: Counter[bool] = Counter()
    chances: Counter[bool] = Counter()
    for counts, times in _pairable(units):
        size = counts.total()
        for is_label, n in ((True, counts[label]), (False, size - counts[label])):
            agreeing[is_label] += times * n * (n - 1)
            chances[is_label] += times * n * (size - 1)
    positive, negative = (
        Statistic(agreeing[key] / chances[key]) if chances[key] else Statistic(None, reason)
        for key, reason in (
            (True, f"nobody says {label} where another could agree"),
            (False, f"nobody says anything but {label} where another could agree"),
        )
    )
    return SpecificAgreement(positive, negative)


def label_shares(units: Mapping[Labels, int]) -> tuple[LabelShare, ...]:
    """Returns how often each label occurs in all units, missing ones apart, by label."""
    totals: Counter[str] = Counter()
    for labels, times in units.items():
        for label in labels:
            if label is not None:
                totals[label] += times
    return _shares(totals)


def group_labels(
    events: Iterable[AnnotationEvent],
    *,
    unit_of: Callable[[AnnotationEvent], str],
    label_of: Callable[[AnnotationEvent], str | None],
) -> dict[str, Counter[Labels]]:
    """Returns per screen how often each combination of labels of one unit occurs.

    Args:
        events: Submitted events of one pass, one for each unit and annotator.
        unit_of: Id of what was labelled: a question, or the screen itself.
        label_of: The label; None where the annotator has none to give.
    """
    units: dict[tuple[str, str], list[str | None]] = {}
    for event in events:
        units.setdefault((event.screen_id, unit_of(event)), []).append(label_of(event))
    tables: dict[str, Counter[Labels]] = {}
    for (screen_id, _), labels in units.items():
        ordered = tuple(sorted(labels, key=lambda label: (label is None, label or "")))
        tables.setdefault(screen_id, Counter())[ordered] += 1
    return tables


def answerability(event: AnnotationEvent) -> str | None:
    """Returns whether the question was found answerable; None if it was called invalid."""
    state = event.answer.state if event.answer else None
    return None if state == AnswerState.INVALID_QUESTION else state


def invalid_mark(event: AnnotationEvent) -> str | None:
    """Returns whether the question was called `invalid` or taken as `valid`."""
    if event.answer is None:
        return None
    return "invalid" if event.answer.state == AnswerState.INVALID_QUESTION else "valid"


def measure_labels(
    by_screen: Mapping[str, Mapping[Labels, int]],
    *,
    label: str,
    seed: int = 0,
    replicates: int = 1000,
) -> LabelAgreement:
    """Returns all figures on a label. `label` is the one whose specific agreement counts."""
    units = add_tables(by_screen)

    def figure(statistic: Callable[[Mapping[Labels, int]], Statistic]) -> Estimate:
        return estimate(by_screen, statistic, seed=seed, replicates=replicates)

    return LabelAgreement(
        n_units=units.total(),
        n_pairable=sum(times for _, times in _pairable(units)),
        n_missing=sum(times * labels.count(None) for labels, times in units.items()),
        percent=figure(pairwise_percent),
        alpha=figure(alpha_nominal),
        positive=figure(lambda table: specific_agreement(table, label).positive),
        negative=figure(lambda table: specific_agreement(table, label).negative),
        prevalence=label_shares(units),
    )


def tally_agreements(agreements: Iterable[Agreement]) -> AgreementTally:
    """Returns how many questions agree how far, and by which conditions of A.5."""
    levels: Counter[str] = Counter()
    answer_only: Counter[str] = Counter()
    origins: Counter[str] = Counter()
    clauses: Counter[str] = Counter()
    for agreement in agreements:
        levels[agreement.level] += 1
        answer_only[agreement.answer_only_level] += 1
        if agreement.question_from is not None:
            origins[agreement.question_from] += 1
        clauses.update(dataclasses.asdict(agreement.clause_counts))
    return AgreementTally(
        n_questions=levels.total(),
        n_single=levels[AgreementLevel.SINGLE],
        n_all_invalid=levels[AgreementLevel.ALL_INVALID],
        levels=_level_shares(levels),
        answer_only_levels=_level_shares(answer_only),
        clauses=ClauseCounts(**{f.name: clauses[f.name] for f in dataclasses.fields(ClauseCounts)}),
        question_from=_shares(origins),
    )


def _pairs(size: int) -> int:
    return size * (size - 1) // 2


def _pairable(units: Mapping[Labels, int]) -> Iterator[tuple[Counter[str], int]]:
    for labels, times in units.items():
        counts = Counter(label for label in labels if label is not None)
        if counts.total() > 1 and times:
            yield counts, times


def _shares(counts: Mapping[str, int]) -> tuple[LabelShare, ...]:
    size = sum(counts.values())
    return tuple(LabelShare(str(label), n, n / size) for label, n in sorted(counts.items()))


def _level_shares(levels: Mapping[str, int]) -> tuple[LabelShare, ...]:
    compared = (AgreementLevel.FULL, AgreementLevel.PARTIAL, AgreementLevel.NONE)
    size = sum(levels.get(level, 0) for level in compared)
    return tuple(
        LabelShare(level.value, levels.get(level, 0), levels.get(level, 0) / size)
        for level in compared
        if size
    )
