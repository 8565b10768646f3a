"""Short answers of questions: made by rules or by a model, checked, united (ScreenQA 4.5).

Each annotator's answer is shortened by itself; a question's short answers are all that came of
its answers, and `<no answer>` where an annotator said so. Released short answers stay as they
are.
"""

import dataclasses
import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

import apache_beam as beam
from apache_beam.typehints.decorators import no_annotations

from schemas.models import ReplyOutcome
from schemas.questions import NO_ANSWER, AskedScreen, Question
from schemas.rejects import Outcome, Reason, Reject, Tally
from schemas.short_answers import (
    RELEASED,
    AnswerInput,
    ShortAnswerOrigin,
    ShortAnswerPolicy,
    ShortAnswerProvider,
    VariantReason,
)
from transforms.fates import question_id_of, question_rejects
from transforms.funnel import at_stage
from transforms.identifying import clean_text, normalize_text
from transforms.models import calling
from transforms.models.asker import AskPlan
from transforms.models.asking import AskModel
from transforms.models.pricing import make_request
from transforms.rejecting import Split, SplitFlatMap
from transforms.short_answers.checking import check_variants
from transforms.short_answers.gold import gold_of
from transforms.short_answers.parsing import MalformedReplyError, parse_variants
from transforms.short_answers.prompts import PROMPT_VERSION, prompt_for
from transforms.short_answers.rules.rewriting import RULES_VERSION, rule_variants

VARIANTS = "short_answer_variants"
"""Kind of the tallies that count proposed variants: accepted, or why they were left out."""

ACCEPTED = "accepted"

RULES = ShortAnswerOrigin(ShortAnswerProvider.RULES.value, RULES_VERSION, "")

Propose: TypeAlias = Callable[[AnswerInput], Sequence[str] | None]
"""Returns the variants proposed for an answer, None if there is no usable proposal."""

REPLY_SCHEMA = """\
{"type":"object","properties":{"rephrases":{"type":"array","items":{"type":"string"}}},\
"required":["rephrases"]}"""


def origin_of(policy: ShortAnswerPolicy) -> ShortAnswerOrigin:
    """Returns where the short answers come from that a policy has made."""
    if policy.model is None:
        return RULES
    return ShortAnswerOrigin(policy.model.provider, policy.model.model, PROMPT_VERSION)


def inputs_of(question: Question) -> list[AnswerInput]:
    """Returns what is to be shortened: each answer of the question that is one, once."""
    if question.short_answers:
        return []
    inputs = (
        AnswerInput(question.text, tuple(e.text for e in answer.ui_elements), answer.full_answer)
        for answer in question.answers
        if answer.full_answer != NO_ANSWER
    )
    return list(dict.fromkeys(inputs))


def shorten(
    asked: AskedScreen, policy: ShortAnswerPolicy, origin: ShortAnswerOrigin, propose: Propose
) -> Iterator[AskedScreen | Reject | Tally]:
    """Yields the screen with the short answers of its questions, and the fates of the others.

    A question of which an answer got no usable proposal is rejected with
    `SHORT_ANSWERS_FAILED`, alone: half of its short answers would be taken for all. What people
    found wrong is left out, of released short answers as well.

    Args:
        asked: The screen with its final questions.
        policy: What variants are held to.
        origin: Where the variants come from.
        propose: What proposes variants of an answer; it is not asked about released ones.
    """
    wrong = dict(asked.rejected_variants)
    counts: Counter[str] = Counter()
    kept = []
    for question in asked.questions:
        refused = wrong.get(question_id_of(question), frozenset())
        if question.short_answers:
            texts: tuple[str, ...] | None = _unrefused(question.short_answers, refused, counts)
            source = question.short_answers_from
        elif question.answers and policy.provider != ShortAnswerProvider.NONE:
            texts, source = _shortened(question, policy, propose, refused, counts), origin
        else:
            kept.append(question)
            continue
        if texts:
            kept.append(
                dataclasses.replace(question, short_answers=texts, short_answers_from=source)
            )
        else:
            why = "gave no usable short answer" if texts is None else "gave none that is right"
            detail = f"{(source or RELEASED).provider} {why}"
            yield from question_rejects(question, "shorten", Reason.SHORT_ANSWERS_FAILED, detail)
            yield from at_stage("unshortened", questions=1)
    yield from (Tally(VARIANTS, what, count) for what, count in sorted(counts.items()) if count)
    yield from _screen_with(asked, tuple(kept))


def shorten_by_rules(
    asked: AskedScreen, policy: ShortAnswerPolicy
) -> Iterator[AskedScreen | Reject | Tally]:
    """Yields the screen with the short answers that rules make of its answers."""
    return shorten(asked, policy, RULES, _by_rules)


def model_questions(asked: AskedScreen, policy: ShortAnswerPolicy) -> Iterator[calling.Question]:
    """Yields what to ask a model about a screen: one question for each answer to be shortened."""
    for answer in _answers_to_ask(asked):
        yield model_question(answer, policy)


def model_question(answer: AnswerInput, policy: ShortAnswerPolicy) -> calling.Question:
    """Returns what to ask a model about one answer."""
    assert policy.model is not None
    request = make_request(
        policy.model, prompt_for(answer), PROMPT_VERSION, response_schema=REPLY_SCHEMA
    )
    return calling.Question(request, is_list)


def shorten_by_model(
    asked: AskedScreen, answered: Sequence[calling.Answered], policy: ShortAnswerPolicy
) -> Iterator[AskedScreen | Reject | Tally]:
    """Yields the screen with the short answers that a model's replies hold."""
    replies = dict(zip(_answers_to_ask(asked), answered, strict=True))
    return shorten(asked, policy, origin_of(policy), functools.partial(_by_reply, replies))


def is_list(text: str) -> bool:
    """Whether a model's reply holds the list that was asked for."""
    try:
        parse_variants(text)
    except MalformedReplyError:
        return False
    return True


def keep_released(
    asked: AskedScreen, policy: ShortAnswerPolicy
) -> Iterator[AskedScreen | Reject | Tally]:
    """Yields the screen with its released short answers, but for what people found wrong."""
    return shorten(asked, policy, RELEASED, lambda answer: None)


class ShortenAnswers(beam.PTransform[beam.PCollection[AskedScreen], Split[AskedScreen]]):
    """Gives questions their short answers.

    Args:
        policy: What makes them.
        plan: How a model is asked; None unless one is.
    """

    def __init__(self, policy: ShortAnswerPolicy, plan: AskPlan | None) -> None:
        super().__init__()
        self._policy = policy
        self._plan = plan

    @no_annotations  # Beam warns about outputs that are not a single PCollection.
    def expand(self, screens: beam.PCollection[AskedScreen]) -> Split[AskedScreen]:
        if self._policy.provider == ShortAnswerProvider.NONE:
            return screens | SplitFlatMap(keep_released, self._policy)
        if self._plan is None:
            return screens | SplitFlatMap(shorten_by_rules, self._policy)
        return screens | AskModel(
            self._plan,
            functools.partial(model_questions, policy=self._policy),
            functools.partial(shorten_by_model, policy=self._policy),
        )


def _shortened(
    question: Question,
    policy: ShortAnswerPolicy,
    propose: Propose,
    refused: frozenset[str],
    counts: Counter[str],
) -> tuple[str, ...] | None:
    """Returns a question's short answers; None if an answer got no usable proposal."""
    lists: list[tuple[str, ...]] = []
    for answer in inputs_of(question):
        proposed = propose(answer)
        if proposed is None:
            return None
        found, dropped = check_variants(proposed, answer, policy)
        counts.update(variant.reason.value for variant in dropped)
        lists.append(found)
    says_no_answer = any(answer.full_answer == NO_ANSWER for answer in question.answers)
    return _unrefused(gold_of(lists, says_no_answer), refused, counts)


def _unrefused(
    texts: Sequence[str], refused: frozenset[str], counts: Counter[str]
) -> tuple[str, ...]:
    """Returns the texts that nobody found wrong; both are compared as ids of questions are."""
    right = tuple(text for text in texts if normalize_text(clean_text(text)) not in refused)
    counts[VariantReason.REJECTED_BY_PEOPLE.value] += len(texts) - len(right)
    counts[ACCEPTED] += len(right)
    return right


def _screen_with(
    asked: AskedScreen, questions: tuple[Question, ...]
) -> Iterator[AskedScreen | Tally]:
    if questions:
        yield dataclasses.replace(asked, questions=questions, rejected_variants=())
    elif asked.ref is not None:
        # It was counted as kept when its questions were.
        yield Tally("screen", Outcome.KEPT, -1)
        yield Tally("screen", Outcome.ORPHANED, 1)


def _answers_to_ask(asked: AskedScreen) -> list[AnswerInput]:
    inputs = (answer for question in asked.questions for answer in inputs_of(question))
    return list(dict.fromkeys(inputs))


def _by_rules(answer: AnswerInput) -> Sequence[str] | None:
    return rule_variants(answer.question, answer.elements, answer.full_answer) or None


def _by_reply(
    replies: Mapping[AnswerInput, calling.Answered], answer: AnswerInput
) -> Sequence[str] | None:
    answered = replies[answer]
    if answered.reply.outcome is not ReplyOutcome.ANSWERED:
        return None
    return parse_variants(answered.reply.text)
