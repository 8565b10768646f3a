"""Running a pure function over records, keeping what it rejects and what it counts."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar

import apache_beam as beam
from apache_beam.transforms.window import GlobalWindows
from apache_beam.typehints.decorators import no_annotations

from schemas.rejects import Reject, Tally

In = TypeVar("In")
Out = TypeVar("Out")


class Split(NamedTuple, Generic[Out]):
    """The outputs of every step that can leave records out or count them."""

    kept: beam.PCollection[Out]
    rejects: beam.PCollection[Reject]
    tallies: beam.PCollection[Tally]


class SplitFlatMap(beam.PTransform[beam.PCollection[In], Split[Out]]):
    """Applies `fn` to each record and parts its results from its rejects and tallies.

    `fn` yields results, `Reject` rows for what it leaves out, and `Tally` rows for what
    it counts; each goes to its own output, tallies added up (one by one they would be
    most of what crosses a shuffle). Any exception is a bug and fails the build:
    a record that is wrong in a known way is the business of the pure functions, which
    raise `RejectedRecordError` and have it turned into a `Reject` by their caller.
    """

    def __init__(self, fn: Callable[..., Iterable[Out | Reject | Tally]], *args: Any) -> None:
        super().__init__()
        self._fn = fn
        self._args = args

    @no_annotations  # Beam warns about outputs that are not a single PCollection.
    def expand(self, records: beam.PCollection[In]) -> Split[Out]:
        outputs = records | beam.ParDo(_Route(self._fn), *self._args).with_outputs(
            "rejects", "tallies", main="kept"
        )
        return Split(outputs.kept, outputs.rejects, outputs.tallies)


class _Route(beam.DoFn):
    """Sends each result of a function to its output, tallies added up per bundle.

    Apart from its transform, whose arguments may be side inputs, which do not pickle.
    """

    def __init__(self, fn: Callable[..., Iterable[Any]]) -> None:
        self._fn = fn
        self._counts: Counter[tuple[str, str]] = Counter()

    def start_bundle(self) -> None:
        # A bundle that is tried again counts anew.
        self._counts.clear()

    def process(self, record: Any, *args: Any) -> Iterator[Any]:
        for result in self._fn(record, *args):
            if isinstance(result, Tally):
                self._counts[result.kind, result.outcome] += result.count
            elif isinstance(result, Reject):
                yield beam.TaggedOutput("rejects", result)
            else:
                yield result

    def finish_bundle(self) -> Iterator[beam.TaggedOutput[Any, Any]]:
        for (kind, outcome), count in sorted(self._counts.items()):
            tally = GlobalWindows.windowed_value(Tally(kind, outcome, count))
            yield beam.TaggedOutput("tallies", tally)
