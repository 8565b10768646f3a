"""Which questions are handed to people for verification: so many of each stratum, by a hash."""

import dataclasses
import heapq
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from schemas.annotations import AnnotationEvent, AnswerKind, ShownShortAnswers
from schemas.questions import NO_ANSWER
from schemas.records import Record
from schemas.short_answers import ShortAnswerOrigin
from transforms.annotation.verification import Stratum
from transforms.identifying import id_order, stable_fraction

_LONGEST_FORM = 80
"""Characters of the longest text that is looked at for its form: what is longer is text."""

_MONTH = (
    r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)"
    r"(?:uary|ruary|ch|il|ust|ember|ober)?"
)
_DATE_TIME = re.compile(
    rf"\b{_MONTH}\b\.?,? ?\d|\d(?:st|nd|rd|th)?,? (?:of )?{_MONTH}\b"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:mon|tue|wed|thu|fri|sat|sun)\b[.,] ?\d"
    r"|\b\d{1,2}:\d{2}\b|\b\d{1,2} ?[ap]\.?m\b"
    r"|\b\d{1,4}([/-])\d{1,2}\1\d{1,4}\b|\b\d{1,2}\.\d{1,2}\.\d{4}\b"
    r"|\b(?:today|tomorrow|yesterday|noon|midnight|ago)\b",
    re.I,
)
_NUMBER = re.compile(r"[^\w\s]?\s?[^\w\s]?\d[\d.,]*\s?[^\w\s]?(?:\s?[^\W\d_]+)?[.)]?")
_PICTURE = re.compile(r"\b(?:icon|image|picture|photo|logo|symbol|arrow|emoji|avatar)s?\b", re.I)


@dataclasses.dataclass(frozen=True, slots=True)
class Candidate(Record):
    """A question of a build whose short answers may be verified.

    The size of its stratum is 0 until the sample is drawn.
    """

    screen_id: str
    question_id: str
    shown: ShownShortAnswers

    @property
    def stratum(self) -> Stratum:
        """What it is drawn from."""
        return Stratum(self.shown.made_by, self.shown.kind)


def parse_candidate(row: Mapping[str, Any]) -> Candidate | None:
    """Returns the question of a published row; None if it has no short answer to verify.

    That there is no answer was said by an annotator and not made of anything. Of equal short
    answers one is shown. `short_answers_from` may be missing: builds of before have it not.
    """
    texts = dict.fromkeys(row["short_answers"])
    short_answers = tuple(text for text in texts if text.strip().casefold() != NO_ANSWER)
    if not short_answers:
        return None
    answers = [a for a in row["answers"] if a["full_answer"] != NO_ANSWER]
    elements = [[element["text"] for element in answer["ui_elements"]] for answer in answers]
    made_by = row.get("short_answers_from")
    shown = ShownShortAnswers(
        question=row["question"],
        full_answers=tuple(dict.fromkeys(answer["full_answer"] for answer in row["answers"])),
        short_answers=short_answers,
        made_by=ShortAnswerOrigin(**made_by) if made_by else None,
        kind=answer_kind(elements, short_answers),
        stratum_size=0,
    )
    return Candidate(row["screen_id"], row["question_id"], shown)


def answer_kind(elements: Sequence[Sequence[str]], short_answers: Iterable[str]) -> AnswerKind:
    """Returns what sort of answer a question has, as far as its form tells.

    Several elements come first: the prompt has examples of its own for them (ScreenQA A.6).

    Args:
        elements: The texts of the elements of each answer; empty where answers are not known.
        short_answers: Its short answers.
    """
    forms = [text.strip() for text in short_answers if len(text) <= _LONGEST_FORM]
    if any(len(texts) > 1 for texts in elements):
        return AnswerKind.LIST
    if any(form.casefold().rstrip(".!") in ("yes", "no") for form in forms):
        return AnswerKind.YES_NO
    if any(_DATE_TIME.search(form) for form in forms):
        return AnswerKind.DATE_TIME
    if any(_NUMBER.fullmatch(form) for form in forms):
        return AnswerKind.NUMBER
    if elements and all(_is_picture(texts) for texts in elements):
        return AnswerKind.PICTURE
    return AnswerKind.TEXT


def draw_sample(
    candidates: Iterable[Candidate], per_stratum: int, seed: str
) -> tuple[Candidate, ...]:
    """Returns so many candidates of each stratum, each with the size of its stratum.

    Drawn by a hash of the question's id and the seed: the order of the candidates changes
    nothing, and a larger sample holds the smaller one. No more than the sample is held.
    """
    sizes: Counter[Stratum] = Counter()
    chosen: dict[Stratum, list[tuple[float, str, int, Candidate]]] = {}
    for number, candidate in enumerate(candidates):
        sizes[candidate.stratum] += 1
        heap = chosen.setdefault(candidate.stratum, [])
        fraction = stable_fraction(seed, "verify short answers", candidate.question_id)
        entry = (-fraction, candidate.question_id, number, candidate)
        if len(heap) < per_stratum:
            heapq.heappush(heap, entry)
        else:
            heapq.heappushpop(heap, entry)
    drawn = [
        dataclasses.replace(c, shown=dataclasses.replace(c.shown, stratum_size=sizes[c.stratum]))
        for heap in chosen.values()
        for *_, c in heap
    ]
    drawn.sort(key=lambda c: (id_order(c.screen_id), c.question_id))
    return tuple(drawn)


def is_verified(candidate: Candidate, reviews: Iterable[AnnotationEvent]) -> bool:
    """Whether somebody has verified a question's short answers of this maker.

    What another model made of the same answers, or another version of a prompt, is another
    thing to verify. A review that does not tell what was shown counts for any.

    Args:
        candidate: The question.
        reviews: Live reviews of short answers on its screen.
    """
    return any(
        review.shown is None or review.shown.made_by == candidate.shown.made_by
        for event in reviews
        if event.question_id == candidate.question_id and (review := event.short_answers)
    )


def _is_picture(texts: Sequence[str]) -> bool:
    return all(not text.strip() or _PICTURE.search(text) for text in texts)
