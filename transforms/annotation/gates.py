"""Since when whose work counts, as the training found it (ScreenQA A.4)."""

import dataclasses
import datetime
from collections.abc import Mapping

from schemas.annotations import AnnotationEvent, AnnotationPass
from schemas.records import Record


@dataclasses.dataclass(frozen=True, slots=True)
class Gate(Record):
    """Since when each person's events of each pass count.

    A pass that nobody was trained for is not gated; in one that is, who has no training
    does not count.
    """

    starts: Mapping[tuple[str, AnnotationPass], datetime.datetime | None]
    passes: frozenset[AnnotationPass]

    def lets_in(self, event: AnnotationEvent) -> bool:
        """Whether the event's author had passed the training when it was submitted."""
        if event.pass_ not in self.passes:
            return True
        start = self.starts.get((event.annotator_id, event.pass_))
        return start is not None and event.submitted_at >= start


OPEN_GATE = Gate({}, frozenset())
"""The gate of a campaign without training events: everybody counts."""
