"""Times a rebuild whose replies are all stored: nothing is asked, all is read, parsed, checked.

    python benchmarks/short_answers.py --questions 86000

Half of the questions have one answer and half have two, in the paper's proportion (ScreenQA
Table 3: 86,000 questions, some 130,000 answers). Beside it: the same by rules, without a store.
"""

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Iterator

from pipelines.commands import _import_beam

_import_beam()

import apache_beam as beam  # noqa: E402

from pipelines.runners import Engine  # noqa: E402
from schemas.geometry import Bounds  # noqa: E402
from schemas.models import ModelPolicy, ModelReply, ReplyOutcome  # noqa: E402
from schemas.questions import Answer, AskedScreen, Provenance, Question, UiElement  # noqa: E402
from schemas.short_answers import ShortAnswerPolicy  # noqa: E402
from transforms.models.asker import AskPlan  # noqa: E402
from transforms.models.cache import ReplyCache  # noqa: E402
from transforms.short_answers.generating import (  # noqa: E402
    ShortenAnswers,
    inputs_of,
    model_question,
)

_RULES = ShortAnswerPolicy("rules")
_MODEL = ShortAnswerPolicy("openai_compatible", ModelPolicy("openai_compatible", "bench"))
_FORMS = (
    ("What is the price of item {n}?", "${n}.50", "The price of item {n} is ${n}.50."),
    ("When was match {n} held?", "09/24", "Match {n} was held on September 24."),
    ("How many reviews has shop {n}?", "{n} reviews", "Shop {n} has {n} reviews."),
    ("What is the status of switch {n}?", "off", 'The status of switch {n} is "off".'),
    ("What is the name of user {n}?", "Jon Brown", "The name of user {n} is Jon Brown."),
)


def main() -> None:
    """Runs the benchmark and prints its figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=86_000)
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="screenset-bench-")
    try:
        cache = ReplyCache(os.path.join(folder, "replies"))
        stored = 0
        for screen in screens(arguments.questions):
            for question in screen.questions:
                for answer in inputs_of(question):
                    text = repr([answer.elements[0], f"{answer.elements[0]}."])
                    reply = ModelReply(ReplyOutcome.ANSWERED, text, "stop", 600, 20)
                    cache.put(model_question(answer, _MODEL).request, reply)
                    stored += 1
        print(f"{arguments.questions:,} questions, {stored:,} stored replies")
        assert _MODEL.model is not None
        plan = AskPlan(
            _MODEL.model,
            os.path.join(folder, "replies"),
            os.path.join(folder, "state"),
            os.path.join(folder, "ledger"),
        )
        for name, step in (
            ("stored replies", ShortenAnswers(_MODEL, plan)),
            ("rules", ShortenAnswers(_RULES, None)),
            ("neither", None),
        ):
            print(f"  {name:16}{_cost(step, arguments.questions, folder):8.1f} s CPU", flush=True)
    finally:
        shutil.rmtree(folder)


def screens(questions: int) -> Iterator[AskedScreen]:
    """Yields screens of four questions each, all of them different."""
    for first in range(0, questions, 4):
        found = tuple(_question(n) for n in range(first, min(first + 4, questions)))
        yield AskedScreen(str(first), None, None, found)


def _question(n: int) -> Question:
    text, element, full = (form.format(n=n) for form in _FORMS[n % len(_FORMS)])
    boxes = (UiElement(element, Bounds(0, 0, 9, 9), -1),)
    answers = [Answer(full, boxes), Answer(f"It is {element}.", boxes)][: 1 + n % 2]
    origin = Provenance("bench", "bench.json", n)
    return Question(str(n // 4 * 4), text, tuple(answers), (), None, None, ("answers",), origin)


def _cost(step: ShortenAnswers | None, questions: int, folder: str) -> float:
    def construct(pipeline: beam.Pipeline) -> None:
        made = pipeline | beam.Create([questions]) | beam.FlatMap(screens)
        kept = made if step is None else (made | step).kept
        _ = kept | beam.combiners.Count.Globally() | beam.Map(print)

    started = time.process_time()
    with Engine(1, folder) as engine:
        engine.run(construct)
    return time.process_time() - started


if __name__ == "__main__":
    main()
