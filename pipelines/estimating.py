"""What a build's short answers would cost, from what lies in the sources."""

from collections.abc import Iterable, Iterator

from pipelines.inventory import Inventory
from schemas.annotations import AnnotationEvent, AnnotationPass, AnswerState, EventStatus
from schemas.campaigns import AnnotationPolicy
from schemas.models import ModelRequest
from schemas.questions import Question
from schemas.short_answers import AnswerInput, ShortAnswerPolicy, ShortAnswerProvider
from transforms.annotation.agreement import settle_question
from transforms.models.cache import ReplyCache
from transforms.models.pricing import Estimate, estimate
from transforms.short_answers.generating import inputs_of, is_list, model_question
from transforms.sources.reading import Selection, SourceFile, read_source

_OUTPUT_TOKENS = 48
"""About what a reply takes: some six short answers with their quotes."""


def short_answer_lines(inventory: Inventory, ids: frozenset[str] | None, cache: str) -> list[str]:
    """Returns sentences on what the short answers would take.

    Args:
        inventory: The sources of a data set whose provider is settled.
        ids: The screens that the build is limited to; None for all.
        cache: Where replies are stored.
    """
    policy = inventory.dataset.short_answers
    if policy.provider == ShortAnswerProvider.NONE:
        return []
    if policy.model is None:
        return ["short answers by rules, offline and free"]
    found = estimate(
        _requests(inventory, ids, policy),
        policy.model,
        ReplyCache(cache),
        output_tokens=_OUTPUT_TOKENS,
        judge=is_list,
    )
    lines = [
        f"short answers by {policy.model.provider} {policy.model.model}: {found.stored:,} replies "
        f"are stored, at most {found.calls:,} calls are to be paid"
    ]
    if found.calls:
        lines.append(_price_line(found))
    return lines


def _price_line(found: Estimate) -> str:
    tokens = (
        f"about {found.prompt_tokens:,} tokens in and {found.output_tokens:,} out, what is asked "
        "again not counted"
    )
    if found.cost is None:
        return f"{tokens}; the manifest's prices do not name the model"
    return f"{tokens}: some {found.cost:.2f} {found.currency} by the manifest's prices"


def _requests(
    inventory: Inventory, ids: frozenset[str] | None, policy: ShortAnswerPolicy
) -> Iterator[ModelRequest]:
    sources, selection = inventory.dataset.sources, Selection(ids)
    released = _records(inventory.files_of(sources.answers), selection)
    inputs = [
        *(answer for item in released if isinstance(item, Question) for answer in inputs_of(item)),
        *_event_inputs(
            _records(inventory.files_of(sources.events), selection), inventory.dataset.annotation
        ),
    ]
    for answer in inputs:
        yield model_question(answer, policy).request


def _records(files: Iterable[SourceFile], selection: Selection) -> Iterator[object]:
    for file in files:
        yield from read_source(file, selection)


def _event_inputs(records: Iterable[object], policy: AnnotationPolicy) -> Iterator[AnswerInput]:
    """Yields what would be shortened if every event counted; which do only a build tells."""
    texts: dict[str, str] = {}
    answers: dict[str, dict[str, AnnotationEvent]] = {}
    for event in records:
        if not isinstance(event, AnnotationEvent) or event.status is not EventStatus.SUBMITTED:
            continue
        if event.question is not None and event.question.text is not None:
            texts[event.question_id or event.event_id] = event.question.text
        late = policy.cutoff is not None and event.submitted_at > policy.cutoff
        is_answer = event.pass_ is AnnotationPass.ANSWER and not late
        if is_answer and event.question_id is not None:
            answers.setdefault(event.question_id, {})[event.event_id] = event
    for question_id, events in answers.items():
        text = texts.get(question_id, "")
        found = settle_question(text, list(events.values()), mode=policy.agreement)
        for event_id in found.kept:
            answer = events[event_id].answer
            if answer is not None and answer.state is AnswerState.ANSWERABLE:
                ranked = sorted(answer.elements, key=lambda element: element.rank)
                elements = tuple(element.text for element in ranked)
                yield AnswerInput(found.question or text, elements, answer.full_answer or "")
