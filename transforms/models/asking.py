"""Asking a model about each record of a pipeline."""

import concurrent.futures
import dataclasses
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import apache_beam as beam
from apache_beam.transforms.window import GlobalWindows
from apache_beam.typehints.decorators import no_annotations

from schemas.rejects import Reject, Tally
from transforms.models.admission import DoorClosedError
from transforms.models.asker import Asker, AskPlan, borrow_asker, give_back_asker
from transforms.models.calling import Answered, Question
from transforms.rejecting import Split

REPLIES = "model_replies"
"""The kind of the tallies that count questions by what became of them."""

_QUESTIONS_A_CALL = 4
In = TypeVar("In")
Out = TypeVar("Out")


class AskModel(beam.PTransform[beam.PCollection[In], Split[Out]], Generic[In, Out]):
    """Asks a model about each record, and makes results of what it says.

    `questions` returns what to ask about a record; `use` is called with the record and what
    became of each question, in their order, and yields results, `Reject`s and `Tally`s like
    the functions of `SplitFlatMap`. Both must be importable. What became of all questions
    is counted, in tallies of the kind `model_replies`.

    Many records are asked about at once. Their results come in the records' order, so that
    speed and luck show nowhere. A replayed bundle finds its replies stored.
    """

    def __init__(
        self,
        plan: AskPlan,
        questions: Callable[[In], Iterable[Question]],
        use: Callable[[In, Sequence[Answered]], Iterable[Out | Reject | Tally]],
    ) -> None:
        super().__init__()
        self._do = _Ask(plan, questions, use)

    @no_annotations  # Beam warns about outputs that are not a single PCollection.
    def expand(self, records: beam.PCollection[In]) -> Split[Out]:
        outputs = records | beam.ParDo(self._do).with_outputs("rejects", "tallies", main="kept")
        return Split(outputs.kept, outputs.rejects, outputs.tallies)


class _Ask(beam.DoFn):
    """Keeps a window of records under way, and hands on the eldest once it is answered."""

    def __init__(
        self,
        plan: AskPlan,
        questions: Callable[[Any], Iterable[Question]],
        use: Callable[[Any, Sequence[Answered]], Iterable[Any]],
    ) -> None:
        self._plan = plan
        self._questions = questions
        self._use = use
        self._asker: Asker | None = None
        self._window: deque[tuple[Any, list[_Promise]]] = deque()
        self._promised = 0
        self._counts: Counter[tuple[str, str]] = Counter()

    def setup(self) -> None:
        self._asker = borrow_asker(self._plan)

    def start_bundle(self) -> None:
        # A bundle that is tried again begins anew.
        self._window.clear()
        self._promised = 0
        self._counts.clear()

    def process(self, record: Any) -> Iterator[Any]:
        assert self._asker is not None
        questions = list(self._questions(record))
        self._window.append((record, [self._promise(question) for question in questions]))
        self._promised += len(questions)
        if not self._plan.policy.batch:
            while self._is_full() or (self._window and self._is_ready()):
                yield from self._use_eldest()

    def finish_bundle(self) -> Iterator[Any]:
        assert self._asker is not None
        if self._plan.policy.batch:
            self._begin_batches(self._asker)
        while self._window:
            for result in self._use_eldest():
                tag = None
                if isinstance(result, beam.TaggedOutput):
                    tag, result = result.tag, result.value
                value = GlobalWindows.windowed_value(result)
                yield value if tag is None else beam.TaggedOutput(tag, value)
        for (kind, outcome), count in sorted(self._counts.items()):
            tally = GlobalWindows.windowed_value(Tally(kind, outcome, count))
            yield beam.TaggedOutput("tallies", tally)

    def teardown(self) -> None:
        if self._asker is not None:
            give_back_asker(self._asker)
            self._asker = None

    def _promise(self, question: Question) -> "_Promise":
        assert self._asker is not None
        answered = self._asker.stored(question)
        if answered is not None or self._plan.policy.batch:
            return _Promise(question, answered, None)
        return _Promise(question, None, self._asker.submit(question))

    def _begin_batches(self, asker: Asker) -> None:
        waiting = [p for _, promises in self._window for p in promises if p.answered is None]
        asker.bring([promise.question for promise in waiting])
        for promise in waiting:
            promise.future = asker.submit(promise.question)

    def _is_full(self) -> bool:
        return self._promised > _QUESTIONS_A_CALL * self._plan.policy.limits.concurrency

    def _is_ready(self) -> bool:
        return all(promise.is_kept() for promise in self._window[0][1])

    def _use_eldest(self) -> Iterator[Any]:
        record, promises = self._window.popleft()
        self._promised -= len(promises)
        answered = self._answered(promises)
        self._counts.update((REPLIES, str(a.reply.outcome)) for a in answered)
        for result in self._use(record, answered):
            if isinstance(result, Tally):
                self._counts[result.kind, result.outcome] += result.count
            elif isinstance(result, Reject):
                yield beam.TaggedOutput("rejects", result)
            else:
                yield result

    def _answered(self, promises: Sequence["_Promise"]) -> list[Answered]:
        assert self._asker is not None
        answered: list[Answered] | None = None
        try:
            answered = [promise.result() for promise in promises]
            return answered
        except DoorClosedError as error:
            raise self._asker.caller.failure or error from None
        finally:
            if answered is None:
                # Nothing that is being paid for may be lost with this worker.
                self._asker.finish()


@dataclasses.dataclass(slots=True)
class _Promise:
    """A question whose answer is stored, being asked for, or neither yet."""

    question: Question
    answered: Answered | None
    future: "concurrent.futures.Future[Answered] | None"

    def is_kept(self) -> bool:
        return self.answered is not None or (self.future is not None and self.future.done())

    def result(self) -> Answered:
        if self.answered is not None:
            return self.answered
        assert self.future is not None
        return self.future.result()
