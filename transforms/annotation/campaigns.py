"""The steps of a campaign's build: events of a screen settled, then its answers compared.

Splits are assigned in between: how many answers a question should have depends on them.
"""

import dataclasses
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any

import apache_beam as beam

from schemas.agreements import Agreement, AgreementLevel
from schemas.annotations import (
    QUESTION_PASSES,
    AnnotationEvent,
    AnnotationPass,
    AnswerState,
    GivenAnswer,
)
from schemas.campaigns import AnnotationPolicy
from schemas.geometry import Bounds
from schemas.questions import (
    NO_ANSWER,
    Answer,
    AskedScreen,
    Provenance,
    Question,
    QuestionAgreement,
    UiElement,
)
from schemas.rejects import Outcome, Reason, Reject, Tally
from schemas.settlements import ScreenAnnotations, ScreenFacts, SettledQuestion
from transforms.annotation.agreement import settle_question
from transforms.annotation.answers import limit_answers
from transforms.annotation.fitting import leaf_boxes
from transforms.annotation.quality import AnnotatorQuality, make_gate, measure_quality
from transforms.annotation.settling import settle_screen
from transforms.annotation.verification import rejected_variants, unknown_questions
from transforms.fates import WITH_QUESTION
from transforms.funnel import at_stage
from transforms.identifying import normalize_text
from transforms.packing import pack, unpack
from transforms.rejecting import SplitFlatMap
from transforms.screens.checking import load_hierarchy

_STAGES = {
    Reason.SCREEN_NOT_ENGLISH: "non_english",
    Reason.HIERARCHY_OUT_OF_SYNC: "out_of_sync",
}
"""Stages of screens that the automatic prefilter removes; others were reviewed out."""


def settle_asked(
    asked: AskedScreen,
    qualities: Sequence[AnnotatorQuality],
    folders: Mapping[str, str],
    policy: AnnotationPolicy,
    needs_screen: bool,
) -> Iterator[AskedScreen | Reject | Tally]:
    """Yields the screen with what its events come to, and the fates of all of them.

    Questions become records here, with a fate of their own, and so do their answers.

    Args:
        asked: A checked screen with its events.
        qualities: How all annotators did in their training.
        folders: Folder of each source of screens.
        policy: The campaign's decisions.
        needs_screen: Whether the build stores pictures; then events without one go.
    """
    facts = _facts(asked, folders, needs_screen=needs_screen)
    found: ScreenAnnotations | None = None
    for result in settle_screen(asked.events, facts, policy, make_gate(qualities)):
        if isinstance(result, ScreenAnnotations):
            found = result
        else:
            yield result
    if found is not None:
        yield from _funnel(found, policy)
        yield from _question_reads(found)
    if found is not None and found.questions:
        # Ratings, training and reviews have done their part; they need not travel on.
        rejected = tuple(rejected_variants(found.others).items())
        found = dataclasses.replace(found, others=())
        yield dataclasses.replace(asked, events=(), annotations=found, rejected_variants=rejected)
    elif asked.ref is not None:
        yield _screen_fate(asked.screen_id, asked.ref.source, found.refusal if found else None)


class SettleAsked(SplitFlatMap[AskedScreen, AskedScreen]):
    """Settles the events of each screen."""

    def __init__(
        self,
        qualities: beam.PCollection[AnnotatorQuality],
        folders: Mapping[str, str],
        policy: AnnotationPolicy,
        *,
        needs_screen: bool,
    ) -> None:
        side = beam.pvalue.AsList(qualities)
        super().__init__(settle_asked, side, dict(folders), policy, needs_screen)


def rate_asked(
    asked: AskedScreen,
    qualities: Sequence[AnnotatorQuality],
    folders: Mapping[str, str],
    policy: AnnotationPolicy,
) -> Iterator[AskedScreen | Reject | Tally]:
    """Yields a screen that needs no questions, unless its raters or reviewers drop it.

    Events of all passes are settled, and so have their fates; only ratings and reviews of
    screens decide anything.

    Args:
        asked: A checked screen with its events, if it has any.
        qualities: How all annotators did in their training.
        folders: Folder of each source of screens.
        policy: The campaign's decisions.
    """
    refusal = asked.prefilter.refusal if asked.prefilter else None
    facts = _facts(asked, folders, needs_screen=True)
    for result in settle_screen(asked.events, facts, policy, make_gate(qualities)):
        if isinstance(result, ScreenAnnotations):
            refusal = result.refusal
        else:
            yield result
    if asked.ref is None:
        return
    if refusal is None:
        yield dataclasses.replace(asked, events=())
    else:
        yield Reject("screen", asked.screen_id, "rate_asked", *refusal, origin=asked.ref.source)


class RateAsked(SplitFlatMap[AskedScreen, AskedScreen]):
    """Applies what raters and reviewers said to screens that need no questions."""

    def __init__(
        self,
        qualities: beam.PCollection[AnnotatorQuality],
        folders: Mapping[str, str],
        policy: AnnotationPolicy,
    ) -> None:
        super().__init__(rate_asked, beam.pvalue.AsList(qualities), dict(folders), policy)


def agree_asked(
    asked: AskedScreen, policy: AnnotationPolicy
) -> Iterator[tuple[AskedScreen, tuple[Agreement, ...]] | Reject | Tally]:
    """Yields the screen with its final questions and how their annotators agreed.

    A question nobody answered yet, one that all called invalid and one without agreement go
    (ScreenQA 4.3, A.5). Corrections may make two questions of a screen the same: then the
    one with more answers stays, else the earlier (v1.2 of ScreenQA removed eight such).
    """
    assert asked.annotations is not None
    annotations = asked.annotations
    for result in limit_answers(annotations, asked.split, policy):
        if isinstance(result, ScreenAnnotations):
            annotations = result
        else:
            # It was an event that counts; as an answer it does not.
            yield _as_answer(result)
    questions: list[Question] = []
    agreements = []
    for settled in annotations.questions:
        if settled.answers:
            agreement = settle_question(settled.text, settled.answers, mode=policy.agreement)
            agreements.append(agreement)
            questions += yield from _agreed(settled, agreement, asked)
        else:
            detail = "nobody has answered it"
            yield _question_reject(settled.question_id, Reason.QUESTION_UNANSWERED, detail, asked)
            yield from at_stage("unanswered", questions=1)
    kept = yield from _without_repeats(questions, asked)
    yield from unknown_questions(asked.rejected_variants, kept)
    if asked.ref is not None:
        yield Tally("screen", Outcome.KEPT if kept else Outcome.ORPHANED, 1)
    yield (
        dataclasses.replace(asked, annotations=annotations, questions=tuple(kept)),
        tuple(agreements),
    )


class AgreeAsked(SplitFlatMap[AskedScreen, tuple[AskedScreen, tuple[Agreement, ...]]]):
    """Compares the answers of each screen's questions."""

    def __init__(self, policy: AnnotationPolicy) -> None:
        super().__init__(agree_asked, policy)


class MeasureQuality(beam.PTransform[beam.PCollection[Any], beam.PCollection[AnnotatorQuality]]):
    """Measures how each annotator did in training, from records of which some are events."""

    def __init__(self, policy: AnnotationPolicy) -> None:
        super().__init__()
        self._policy = policy

    def expand(self, records: beam.PCollection[Any]) -> beam.PCollection[AnnotatorQuality]:
        return (
            records
            | "KeyTraining" >> beam.FlatMap(_packed_training)
            | "GroupByAnnotator" >> beam.GroupByKey()
            | "Measure" >> beam.FlatMap(_measure_packed, self._policy)
        )


def _facts(
    asked: AskedScreen, folders: Mapping[str, str], *, needs_screen: bool
) -> ScreenFacts | None:
    """Returns what is known of the screen; None if a picture is needed and none is there."""
    if asked.screen is not None:
        refusal = asked.prefilter.refusal if asked.prefilter else None
        leaves = _leaves(asked, folders)
        return ScreenFacts(asked.screen_id, asked.screen.image, leaves, refusal)
    return None if needs_screen else ScreenFacts(asked.screen_id)


def _leaves(asked: AskedScreen, folders: Mapping[str, str]) -> dict[int, Bounds]:
    assert asked.screen is not None
    hierarchy = load_hierarchy(asked, folders)
    return {} if hierarchy is None else leaf_boxes(hierarchy, asked.screen.image.size)


def _screen_fate(screen_id: str, source: str, refusal: tuple[Reason, str] | None) -> Reject | Tally:
    if refusal is None:
        return Tally("screen", Outcome.ORPHANED, 1)
    return Reject("screen", screen_id, "settle_asked", *refusal, origin=source)


def _funnel(found: ScreenAnnotations, policy: AnnotationPolicy) -> Iterator[Tally]:
    """Yields the stages that the screen and its questions reach before the answers."""
    prefilter = found.prefilter
    if prefilter is not None and not prefilter.keeps:
        yield from at_stage("non_english", screens=int(prefilter.non_english))
        yield from at_stage("out_of_sync", screens=int(prefilter.out_of_sync))
    elif found.refusal is not None:
        yield from at_stage(_STAGES.get(found.refusal[0], "reviewed_out"), screens=1)
    else:
        yield from at_stage("to_questions", screens=1)
        yield from at_stage("lack_of_content", screens=int(found.lacks_content))
        yield from _pass_stages(found)


def _pass_stages(found: ScreenAnnotations) -> Iterator[Tally]:
    counts = Counter(question.pass_ for question in found.questions)
    for pass_ in QUESTION_PASSES:
        yield from at_stage(pass_.value, screens=int(counts[pass_] > 0), questions=counts[pass_])
    composed = counts[AnnotationPass.QUESTION_1] + counts[AnnotationPass.QUESTION_2]
    yield from at_stage("to_answers", screens=int(composed > 0), questions=composed)
    yield from at_stage("asked", screens=int(counts.total() > 0), questions=counts.total())


def _question_reads(found: ScreenAnnotations) -> Iterator[Tally]:
    if found.questions:
        yield Tally("question", Outcome.READ, len(found.questions))
    answers = sum(len(question.answers) for question in found.questions)
    if answers:
        yield Tally("answer", Outcome.READ, answers)


def _agreed(
    settled: SettledQuestion, agreement: Agreement, asked: AskedScreen
) -> Generator[Reject | Tally, None, list[Question]]:
    """Yields the fates of answers that go; returns the question, or none if it goes as well."""
    detail = f"an answer to {settled.question_id}"
    for removal in agreement.removed:
        reason = Reason(removal.reason.value)
        yield Reject("answer", removal.event_id, "agree_asked", reason, detail, _origin(asked))
    if agreement.question is not None:
        return [_final(settled, agreement)]
    stage = "all_invalid" if agreement.level is AgreementLevel.ALL_INVALID else "no_agreement"
    detail = f"{agreement.n_annotations} answers, {agreement.n_invalid} call it invalid"
    yield _question_reject(settled.question_id, Reason(stage), detail, asked)
    yield from at_stage(stage, questions=1)
    return []


def _final(settled: SettledQuestion, agreement: Agreement) -> Question:
    by_id = {event.event_id: event for event in settled.answers}
    answers = [by_id[event_id].answer for event_id in agreement.kept]
    assert agreement.question is not None
    assert agreement.question_from is not None
    source = settled.event.source
    return Question(
        screen_id=settled.screen_id,
        text=agreement.question,
        answers=tuple(_published(answer) for answer in answers if answer is not None),
        short_answers=(),
        frame=None,
        official_split=None,
        kinds=("question",),
        provenance=Provenance(source.tool, source.file or "", source.record_index or 0),
        agreement=QuestionAgreement(
            annotation_pass=settled.pass_.value,
            n_annotations=agreement.n_annotations,
            n_invalid=agreement.n_invalid,
            level=agreement.level.value,
            answer_only_level=agreement.answer_only_level.value,
            question_from=agreement.question_from.value,
        ),
    )


def _published(answer: GivenAnswer) -> Answer:
    if answer.state is AnswerState.NOT_ANSWERABLE:
        return Answer(NO_ANSWER, ())
    ranked = sorted(answer.elements, key=lambda element: element.rank)
    elements = tuple(UiElement(e.text, e.bounds, e.vh_index) for e in ranked)
    return Answer(answer.full_answer or "", elements)


def _without_repeats(
    questions: Iterable[Question], asked: AskedScreen
) -> Generator[Reject | Tally, None, list[Question]]:
    """Yields the fates of questions that read like another one; returns those that stay."""
    by_text: dict[str, list[Question]] = {}
    for question in questions:
        by_text.setdefault(normalize_text(question.text), []).append(question)
    kept = []
    for same in by_text.values():
        # The first of the largest: questions come in the order of passes and composing.
        best = max(same, key=lambda question: len(question.answers))
        kept.append(best)
        for question in same:
            if question is not best:
                detail = f"after corrections it reads like another question: {question.text:.80}"
                yield _question_reject(
                    f"{question.screen_id}: {question.text}",
                    Reason.DUPLICATE_QUESTION,
                    detail,
                    asked,
                )
                yield Tally("answer", WITH_QUESTION, len(question.answers))
                yield from at_stage("duplicate", questions=1)
    return kept


def _question_reject(question_id: str, reason: Reason, detail: str, asked: AskedScreen) -> Reject:
    return Reject("question", question_id, "agree_asked", reason, detail, _origin(asked))


def _as_answer(result: Reject | Tally) -> Reject | Tally:
    return dataclasses.replace(result, kind="answer") if isinstance(result, Reject) else result


def _origin(asked: AskedScreen) -> str:
    return asked.ref.source if asked.ref else "events"


def _packed_training(record: Any) -> Iterator[tuple[str, bytes]]:
    if isinstance(record, AnnotationEvent) and record.training is not None:
        yield record.annotator_id, pack(record)


def _measure_packed(
    keyed: tuple[str, Iterable[bytes]], policy: AnnotationPolicy
) -> Iterator[AnnotatorQuality]:
    return measure_quality(keyed[0], map(unpack, keyed[1]), policy)
