"""The agreement rule: which answers to a question stay, and how the question then reads.

The rule is that of ScreenQA 4.3 and A.5. Where its text leaves two ways, the one that was
taken is told where it is taken.
"""

import dataclasses
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from schemas.agreements import (
    Agreement,
    AgreementLevel,
    AgreementMode,
    Clause,
    ClauseCounts,
    Edge,
    QuestionOrigin,
    Removal,
    RemovalReason,
)
from schemas.annotations import AnnotationEvent, AnswerState, GivenAnswer
from transforms.annotation.elements import have_same_elements
from transforms.identifying import normalize_text


@dataclasses.dataclass(frozen=True, slots=True)
class _Vote:
    """A live answer as the rule sees it."""

    event_id: str
    answer: GivenAnswer
    question: str
    is_modified: bool
    full_answer: str


def settle_question(
    question: str,
    events: Iterable[AnnotationEvent],
    *,
    mode: AgreementMode = AgreementMode.PAPER,
    normalize: Callable[[str], str] = normalize_text,
) -> Agreement:
    """Returns which answers to a question agree, which stay, and how the question reads.

    `events` are the submitted answer events of the question, one an annotator; their order
    changes nothing. One answer only, as in train, is kept as corrected. Texts are the same
    if they are after `normalize`; another than the default is for tables of sensitivity
    only, since it also shapes the final question.

    Raises:
        ValueError: No event is given, or one has no answer or occurs twice: a caller's mistake.
    """
    ordered = _by_time(events)
    # 4.3 removes these first, so they neither count nor carry agreement between others.
    votes = [_vote(question, event, normalize) for event in ordered if not _is_invalid(event)]
    edges = _edges(votes, normalize)
    answer_edges = _without_question(edges)
    if mode == AgreementMode.ANSWER_ONLY:
        edges = answer_edges
    level, kept = _kept(votes, edges)
    final, question_from = _final_question(kept)
    return Agreement(
        n_annotations=len(ordered),
        n_invalid=len(ordered) - len(votes),
        level=level,
        answer_only_level=_kept(votes, answer_edges)[0],
        edges=edges,
        clause_counts=_count_clauses(votes, edges),
        kept=tuple(vote.event_id for vote in kept),
        removed=_removals(ordered, kept=kept, level=level),
        question=final,
        question_from=question_from,
    )


def close_agreement(
    event_ids: Sequence[str], pairs: Iterable[tuple[str, str]]
) -> tuple[tuple[str, ...], ...]:
    """Returns the groups of answers that agree, directly or through others.

    A.5's last condition ("both … are in agreement with the same other answer") refers to
    agreement itself. Applied once it would depend on the order for four answers and more;
    applied until nothing changes it yields these groups.

    Args:
        event_ids: All answers; groups and their members keep this order.
        pairs: Answers that agree directly.
    """
    group_of = {event_id: [event_id] for event_id in event_ids}
    for one, other in pairs:
        if group_of[one] is not group_of[other]:
            joined = group_of[one] + group_of[other]
            group_of.update(dict.fromkeys(joined, joined))
    groups = {id(group_of[event_id]): group_of[event_id] for event_id in event_ids}
    place = {event_id: at for at, event_id in enumerate(event_ids)}
    return tuple(tuple(sorted(group, key=place.__getitem__)) for group in groups.values())


def _by_time(events: Iterable[AnnotationEvent]) -> list[AnnotationEvent]:
    # Not `updated_at`: marking an answer as ground truth, or anybody's edit, moves it.
    ordered = sorted(events, key=lambda event: (event.submitted_at, event.event_id))
    if not ordered:  # Another case than a question that everybody called invalid.
        raise ValueError("there is no answer to settle")
    if len({event.event_id for event in ordered}) < len(ordered):
        raise ValueError("an answer event occurs twice")
    return ordered


def _answer(event: AnnotationEvent) -> GivenAnswer:
    if event.answer is None:
        raise ValueError(f"{event.event_id} holds no answer")
    return event.answer


def _is_invalid(event: AnnotationEvent) -> bool:
    return _answer(event).state == AnswerState.INVALID_QUESTION


def _vote(question: str, event: AnnotationEvent, normalize: Callable[[str], str]) -> _Vote:
    answer = _answer(event)
    original = normalize(question)
    # A correction that changes blanks only is none.
    corrected = normalize(answer.question_correction or "") or original
    return _Vote(
        event_id=event.event_id,
        answer=answer,
        question=corrected,
        is_modified=corrected != original,
        full_answer=normalize(answer.full_answer or ""),
    )


def _edges(votes: Sequence[_Vote], normalize: Callable[[str], str]) -> tuple[Edge, ...]:
    edges = []
    for one, other in itertools.combinations(votes, 2):
        clauses = []
        # "Any of the following" (A.5): while nobody edits the question, any three answers
        # agree fully, an answer and a "not answerable" among them. The released data show
        # that this was meant: such questions are in it. Hence `answer_only_level`.
        if one.question == other.question:
            clauses.append(Clause.QUESTION)
        if one.full_answer and one.full_answer == other.full_answer:
            clauses.append(Clause.FULL_ANSWER)
        if _agree_on_elements(one.answer, other.answer, normalize):
            clauses.append(Clause.ELEMENTS)
        if clauses:
            edges.append(Edge(one.event_id, other.event_id, tuple(clauses)))
    return tuple(edges)


def _agree_on_elements(
    one: GivenAnswer, other: GivenAnswer, normalize: Callable[[str], str]
) -> bool:
    if one.state != other.state:
        return False
    # Two people who find no answer point at the same elements: none.
    if one.state == AnswerState.NOT_ANSWERABLE:
        return True
    return have_same_elements(one.elements, other.elements, normalize=normalize)


def _without_question(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    stripped = (
        dataclasses.replace(edge, clauses=tuple(c for c in edge.clauses if c != Clause.QUESTION))
        for edge in edges
    )
    return tuple(edge for edge in stripped if edge.clauses)


def _groups(votes: Sequence[_Vote], edges: Iterable[Edge]) -> tuple[tuple[str, ...], ...]:
    return close_agreement([v.event_id for v in votes], ((e.one, e.other) for e in edges))


def _kept(votes: list[_Vote], edges: Iterable[Edge]) -> tuple[AgreementLevel, list[_Vote]]:
    if not votes:
        return AgreementLevel.ALL_INVALID, []
    if len(votes) == 1:  # 4.3 drops a question only when no answer is left.
        return AgreementLevel.SINGLE, votes
    groups = sorted(_groups(votes, edges), key=len, reverse=True)
    if len(groups) == 1:
        return AgreementLevel.FULL, votes
    # Two of two, or a tie of larger groups: a pick between equals would be arbitrary.
    if len(groups[0]) == len(groups[1]):
        return AgreementLevel.NONE, []
    return AgreementLevel.PARTIAL, [vote for vote in votes if vote.event_id in groups[0]]


def _count_clauses(votes: Sequence[_Vote], edges: Sequence[Edge]) -> ClauseCounts:
    counts = Counter(clause for edge in edges for clause in edge.clauses)
    agreeing = sum(len(group) * (len(group) - 1) // 2 for group in _groups(votes, edges))
    return ClauseCounts(
        question=counts[Clause.QUESTION],
        full_answer=counts[Clause.FULL_ANSWER],
        elements=counts[Clause.ELEMENTS],
        third_answer=agreeing - len(edges),
    )


def _removals(
    ordered: Iterable[AnnotationEvent], *, kept: Sequence[_Vote], level: AgreementLevel
) -> tuple[Removal, ...]:
    reason = {
        AgreementLevel.ALL_INVALID: RemovalReason.ALL_INVALID,
        AgreementLevel.NONE: RemovalReason.NO_AGREEMENT,
    }.get(level, RemovalReason.DISAGREEING_ANSWER_REMOVED)
    kept_ids = {vote.event_id for vote in kept}
    removals = []
    for event in ordered:
        if event.event_id in kept_ids:
            continue
        if _is_invalid(event) and level != AgreementLevel.ALL_INVALID:
            removals.append(Removal(event.event_id, RemovalReason.INVALID_QUESTION))
        else:
            removals.append(Removal(event.event_id, reason))
    return tuple(removals)


def _final_question(kept: Sequence[_Vote]) -> tuple[str | None, QuestionOrigin | None]:
    """Returns the question that most of the kept answers read, else the latest correction.

    A.5 counts "2-3 out of 3", three being the answers, so who left the question alone votes
    for the original: one person's edit does not beat two who saw nothing wrong. The vote
    follows the removal, as in the text. Where several readings lead (always so when all
    differ), the latest correction among them wins; an untouched question is no correction.
    """
    if not kept:
        return None, None
    if len(kept) == 1:
        return kept[0].question, QuestionOrigin.SINGLE
    counts = Counter(vote.question for vote in kept)
    most = max(counts.values())
    leading = [question for question, count in counts.items() if count == most]
    if len(leading) == 1:
        return leading[0], QuestionOrigin.CONSENSUS
    latest = [v.question for v in kept if v.is_modified and v.question in leading][-1]
    return latest, QuestionOrigin.LATEST
