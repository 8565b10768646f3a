"""Running a pure function over records, keeping what it rejects and what it counts."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar

import apache_beam as beam
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
    it counts; each goes to its own output. Any exception is a bug and fails the build:
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
    """Sends each result of a function to its output.

    Apart from its transform, whose arguments may be side inputs, which do not pickle.
    """

    def __init__(self, fn: Callable[..., Iterable[Any]]) -> None:
        self._fn = fn

    def process(self, record: Any, *args: Any) -> Iterator[Any]:
        for result in self._fn(record, *args):
            if isinstance(result, Reject):
                yield beam.TaggedOutput("rejects", result)
            elif isinstance(result, Tally):
                yield beam.TaggedOutput("tallies", result)
            else:
                yield result
