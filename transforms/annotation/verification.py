"""What people who verified short answers found: what goes, and how much is wrong (ScreenQA 4.5).

The paper's authors verified "a subset" and give no figure. Here the subset is drawn at
random in strata, so that the share of wrong ones has an interval.

- A short answer is wrong if more than half of those who judged it say so, each person's
  latest word on it counting. A tie keeps it, as a tied prefilter rating keeps a screen.
- Shares of questions have Wilson's interval in each stratum.
- Short answers of one question are made by one call and tend to be wrong together. So the
  interval of their share is Wilson's on the effective sample size, p(1-p)/v, where v is the
  variance of a ratio over whole questions, and at most their number. Where all or none are
  wrong there is no variance to see: then each question counts once.
- Over all strata, shares are weighted by the strata's sizes; the interval puts together those
  of the strata (Zou and Donner 2008, "MOVER"), so that it is not empty where no error was
  found. Finite strata are not corrected for, which errs on the wide side, and questions of one
  screen count as independent: few screens are drawn twice.
"""

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import apache_beam as beam

from schemas.annotations import (
    AnnotationEvent,
    AnnotationPass,
    AnswerKind,
    EventStatus,
    ShortAnswersReview,
    ShownShortAnswers,
)
from schemas.campaigns import AnnotationPolicy
from schemas.questions import AskedScreen, Question
from schemas.records import Record
from schemas.rejects import Outcome, Reason, Reject, Tally
from schemas.short_answers import ShortAnswerOrigin
from transforms.annotation.answers import FINDING
from transforms.annotation.gates import Gate
from transforms.annotation.quality import AnnotatorQuality, make_gate
from transforms.annotation.revisions import live_events, surviving
from transforms.fates import EVENT, event_reject, question_id_of
from transforms.identifying import normalize_text
from transforms.packing import pack, unpack
from transforms.rejecting import SplitFlatMap

FACT = "verification"
"""Name of the fact that holds the figures of a build."""

_Z = 1.959963984540054
"""Half the width of 95 % of the normal distribution, in standard deviations."""


class Stratum(NamedTuple):
    """What questions are drawn from: those of one maker and one kind of answer."""

    made_by: ShortAnswerOrigin | None
    """None if the build did not say."""
    kind: AnswerKind

    @property
    def title(self) -> str:
        """What a person calls it."""
        made_by = (self.made_by.provider, self.made_by.model) if self.made_by else ("untold maker",)
        return ", ".join((*filter(None, made_by), self.kind.value.replace("_", " ")))


class Share(NamedTuple):
    """A share (0 to 1) with the bounds of its 95 % interval."""

    value: float
    low: float
    high: float


@dataclasses.dataclass(frozen=True, slots=True)
class StratumErrors(Record):
    """What was found in one stratum."""

    kind: AnswerKind
    size: int
    """Questions of the stratum, verified or not."""
    questions: int
    questions_wrong: int
    """Questions with at least one wrong short answer."""
    variants: int
    variants_wrong: int
    question_share: Share
    variant_share: Share


@dataclasses.dataclass(frozen=True, slots=True)
class ErrorRates(Record):
    """How much of what one maker made is wrong, by what people found in a sample of it."""

    made_by: ShortAnswerOrigin | None
    reviews: int
    reviewers: int
    ties: int
    """Short answers that as many found wrong as right; they count as right."""
    strata: tuple[StratumErrors, ...]
    question_share: Share
    variant_share: Share


class _Votes(NamedTuple):
    wrong: int
    right: int

    @property
    def is_wrong(self) -> bool:
        return self.wrong > self.right

    @property
    def is_tied(self) -> bool:
        return self.wrong == self.right


def rejected_variants(events: Iterable[AnnotationEvent]) -> dict[str, frozenset[str]]:
    """Returns the short answers that people found wrong, by the id of their question.

    Texts are as `normalize_text` leaves them. A person's latest review that showed a short
    answer is their word on it: a later look at others takes nothing back.

    Args:
        events: Live events of any passes; others than reviews of short answers say nothing.
    """
    by_question: dict[str, list[AnnotationEvent]] = {}
    for event in _reviews(events):
        by_question.setdefault(event.question_id or "", []).append(event)
    found = {}
    for question_id, reviews in sorted(by_question.items()):
        wrong = frozenset(text for text, votes in _votes(reviews).items() if votes.is_wrong)
        if wrong:
            found[question_id] = wrong
    return found


def error_rate(
    reviews: Iterable[AnnotationEvent], population: Mapping[Stratum, int] | None = None
) -> tuple[ErrorRates, ...]:
    """Returns how much of what each maker made is wrong, by maker.

    A question that was judged more than once counts once. Makers are not added up: a rate
    over two models, or two versions of a prompt, is a rate of neither.

    Args:
        reviews: Live events; those that do not tell what was shown are passed over.
        population: Questions of each stratum; by default what the tasks told, the latest.
    """
    told = [event for event in _reviews(reviews) if _shows_something(event)]
    sizes = told_sizes(told) | dict(population or {})
    by_maker: dict[ShortAnswerOrigin | None, list[AnnotationEvent]] = {}
    for event in told:
        by_maker.setdefault(_stratum(event).made_by, []).append(event)
    makers = sorted(by_maker, key=lambda made_by: dataclasses.astuple(made_by) if made_by else ())
    return tuple(_rates(made_by, by_maker[made_by], sizes) for made_by in makers)


def told_sizes(reviews: Iterable[AnnotationEvent]) -> dict[Stratum, int]:
    """Returns how many questions each stratum had, as the latest review's task told."""
    sizes = {}
    for event in sorted(reviews, key=_time_order):
        shown = _shown(event)
        if shown is not None:
            sizes[Stratum(shown.made_by, shown.kind)] = shown.stratum_size
    return sizes


def wilson(wrong: float, n: float) -> Share:
    """Returns a share with Wilson's 95 % interval.

    Args:
        wrong: How many are wrong, of `n`.
        n: How many there are, more than 0; need not be whole, as effective sizes are not.
    """
    share, scale = wrong / n, 1 + _Z * _Z / n
    middle = (share + _Z * _Z / (2 * n)) / scale
    half = _Z / scale * math.sqrt(share * (1 - share) / n + _Z * _Z / (4 * n * n))
    # Rounding must not push a bound past the share that it bounds.
    return Share(share, max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half)))


def unknown_questions(
    rejected: Iterable[tuple[str, frozenset[str]]], questions: Iterable[Question]
) -> Iterator[Tally]:
    """Yields a finding for questions with rejected short answers that a screen has no more.

    A question's id hangs on its wording, which a further answer may change (ScreenQA A.5).
    What was said of the old wording then rejects nothing: no reject of the event, which is as
    good as it was, but worth a look.
    """
    known = set(map(question_id_of, questions))
    lost = sum(question_id not in known for question_id, _ in rejected)
    if lost:
        yield Tally(FINDING, "rejected_short_answers_of_unknown_questions", lost)


def settle_verifications(
    asked: AskedScreen,
    qualities: Sequence[AnnotatorQuality],
    policy: AnnotationPolicy,
    needs_screen: bool,
) -> Iterator[AskedScreen | Reject | Tally]:
    """Yields a screen of released questions with what people rejected, and its events' fates.

    The events came from sources of verifications; those of other passes are set aside, since
    released answers leave nothing for them to decide. Training counts for the gate.

    Args:
        asked: A screen with its questions, and events if it has any.
        qualities: How all annotators did in their training.
        policy: The campaign's decisions.
        needs_screen: Whether the build stores pictures; then events without one go.
    """
    if not asked.events:
        yield asked
        return
    live = yield from live_events(asked.events, policy, make_gate(qualities))
    reviews = [event for event in live if event.pass_ is AnnotationPass.VERIFY_SHORT_ANSWERS]
    training = sum(event.pass_ is AnnotationPass.TRAINING for event in live)
    aside = len(live) - len(reviews) - training
    if needs_screen and asked.ref is None:
        for event in reviews:
            detail = f"screen {event.screen_id}: no source has this screen"
            yield event_reject(event, "settle_verifications", Reason.SCREEN_MISSING, detail)
        reviews = []
    for outcome, count in ((Outcome.KEPT, len(reviews) + training), (Outcome.ORPHANED, aside)):
        if count:
            yield Tally(EVENT, outcome, count)
    if asked.questions:
        rejected = tuple(rejected_variants(reviews).items())
        yield dataclasses.replace(asked, events=(), rejected_variants=rejected)
    elif asked.ref is not None:
        yield Tally("screen", Outcome.ORPHANED, 1)


class SettleVerifications(SplitFlatMap[AskedScreen, AskedScreen]):
    """Settles the verifications of screens with released questions."""

    def __init__(
        self,
        qualities: beam.PCollection[AnnotatorQuality],
        policy: AnnotationPolicy,
        *,
        needs_screen: bool,
    ) -> None:
        side = beam.pvalue.AsList(qualities)
        super().__init__(settle_verifications, side, policy, needs_screen)


def live_reviews(
    events: Iterable[AnnotationEvent], policy: AnnotationPolicy, gate: Gate
) -> list[AnnotationEvent]:
    """Returns the reviews of short answers among a screen's events that count."""
    reviews = [e for e in events if e.pass_ is AnnotationPass.VERIFY_SHORT_ANSWERS]
    return surviving(reviews, policy, gate)


class MeasureVerification(
    beam.PTransform[beam.PCollection[AskedScreen], beam.PCollection[tuple[str, Any]]]
):
    """Measures how much people found wrong, as one fact; none if nobody verified anything.

    Applied to screens with their events, before these are settled.
    """

    def __init__(
        self, qualities: beam.PCollection[AnnotatorQuality], policy: AnnotationPolicy
    ) -> None:
        super().__init__()
        self._qualities = qualities
        self._policy = policy

    def expand(self, screens: beam.PCollection[AskedScreen]) -> beam.PCollection[tuple[str, Any]]:
        side = beam.pvalue.AsList(self._qualities)
        return (
            screens
            | "Verifications" >> beam.FlatMap(_packed_reviews, side, self._policy)
            | "ListVerifications" >> beam.combiners.ToList()
            | "MeasureVerifications" >> beam.FlatMap(_measured)
        )


def plain_rates(events: Iterable[AnnotationEvent]) -> dict[str, Any]:
    """Returns what was found as plain values, for `verification.json`."""
    found = list(events)
    rejected = rejected_variants(found)
    return {
        "rejected_variants": sum(map(len, rejected.values())),
        "questions_with_rejected_variants": len(rejected),
        "makers": [_plain(rates) for rates in error_rate(found)],
    }


def _reviews(events: Iterable[AnnotationEvent]) -> Iterator[AnnotationEvent]:
    return (
        event
        for event in events
        if event.short_answers is not None and event.status is EventStatus.SUBMITTED
    )


def _review(event: AnnotationEvent) -> ShortAnswersReview:
    assert event.short_answers is not None
    return event.short_answers


def _shown(event: AnnotationEvent) -> ShownShortAnswers | None:
    return _review(event).shown


def _shows_something(event: AnnotationEvent) -> bool:
    shown = _shown(event)
    return shown is not None and bool(shown.short_answers)


def _stratum(event: AnnotationEvent) -> Stratum:
    shown = _shown(event)
    assert shown is not None
    return Stratum(shown.made_by, shown.kind)


def _judged(review: ShortAnswersReview) -> dict[str, bool]:
    """Returns whether each short answer that a review speaks of is wrong."""
    known = review.short_answers if review.shown is None else review.shown.short_answers
    judged = dict.fromkeys(map(normalize_text, known), False)
    return judged | dict.fromkeys(map(normalize_text, review.rejected), True)


def _votes(reviews: Iterable[AnnotationEvent]) -> dict[str, _Votes]:
    """Returns how many people found each short answer of one question wrong, and right."""
    latest: dict[tuple[str, str], bool] = {}
    for event in sorted(reviews, key=_time_order):
        for text, is_wrong in _judged(_review(event)).items():
            latest[text, event.annotator_id] = is_wrong
    counts = Counter((text, is_wrong) for (text, _), is_wrong in latest.items())
    return {text: _Votes(counts[text, True], counts[text, False]) for text, _ in latest}


def _rates(
    made_by: ShortAnswerOrigin | None,
    reviews: Sequence[AnnotationEvent],
    sizes: Mapping[Stratum, int],
) -> ErrorRates:
    by_question: dict[str, list[AnnotationEvent]] = {}
    for event in sorted(reviews, key=_time_order):
        by_question.setdefault(event.question_id or "", []).append(event)
    found: dict[AnswerKind, list[tuple[int, int]]] = {}
    ties = 0
    for same in by_question.values():
        votes = _votes(same).values()
        ties += sum(vote.is_tied for vote in votes)
        wrong = sum(vote.is_wrong for vote in votes)
        found.setdefault(_stratum(same[-1]).kind, []).append((wrong, len(votes)))
    strata = tuple(
        _errors(kind, sizes[Stratum(made_by, kind)], found[kind])
        for kind in AnswerKind
        if kind in found
    )
    return ErrorRates(
        made_by=made_by,
        reviews=len(reviews),
        reviewers=len({event.annotator_id for event in reviews}),
        ties=ties,
        strata=strata,
        question_share=_weighted([(s.size, s.question_share) for s in strata]),
        # A stratum has as many short answers as its questions, times those of one in the sample.
        variant_share=_weighted(
            [(s.size * s.variants / s.questions, s.variant_share) for s in strata]
        ),
    )


def _errors(kind: AnswerKind, size: int, found: Sequence[tuple[int, int]]) -> StratumErrors:
    questions_wrong = sum(wrong > 0 for wrong, _ in found)
    variants_wrong = sum(wrong for wrong, _ in found)
    return StratumErrors(
        kind=kind,
        # More were judged than the task knew of: the build has grown since.
        size=max(size, len(found)),
        questions=len(found),
        questions_wrong=questions_wrong,
        variants=sum(number for _, number in found),
        variants_wrong=variants_wrong,
        question_share=wilson(questions_wrong, len(found)),
        variant_share=_clustered(found),
    )


def _clustered(found: Sequence[tuple[int, int]]) -> Share:
    """Returns the share of wrong short answers of whole questions: (wrong, all) of each."""
    n = len(found)
    total = sum(number for _, number in found)
    share = sum(wrong for wrong, _ in found) / total
    effective = float(n)
    if n > 1 and 0 < share < 1:
        squares = math.fsum((wrong - share * number) ** 2 for wrong, number in found)
        variance = n / (n - 1) * squares / total**2
        effective = min(total, share * (1 - share) / variance) if variance else total
    return wilson(share * effective, effective)


def _weighted(shares: Sequence[tuple[float, Share]]) -> Share:
    """Returns the mean of independent shares by their weights, its interval by MOVER."""
    total = math.fsum(weight for weight, _ in shares)
    parts = [(weight / total, share) for weight, share in shares]
    value = math.fsum(weight * share.value for weight, share in parts)
    below = math.fsum((weight * (share.value - share.low)) ** 2 for weight, share in parts)
    above = math.fsum((weight * (share.high - share.value)) ** 2 for weight, share in parts)
    return Share(value, max(0.0, value - math.sqrt(below)), min(1.0, value + math.sqrt(above)))


def _time_order(event: AnnotationEvent) -> tuple[Any, ...]:
    return event.submitted_at, event.event_id


def _plain(value: Any) -> Any:
    """Returns records as dicts and enum members as their texts, all the way down."""
    if isinstance(value, Share):
        return value._asdict()
    if dataclasses.is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, str) else value


def _packed_reviews(
    asked: AskedScreen, qualities: Sequence[AnnotatorQuality], policy: AnnotationPolicy
) -> Iterator[bytes]:
    return map(pack, live_reviews(asked.events, policy, make_gate(qualities)))


def _measured(packed: list[bytes]) -> Iterator[tuple[str, Any]]:
    if packed:
        yield FACT, plain_rates(map(unpack, packed))
