"""What other data sets tell of a hierarchy's sync: CLAY's invalid nodes, lists of good screens.

Layouts (formats.md §9): CLAY's `clay_labels.csv` has `screen_id,node_id,label`, the node by its
`pointer`, the label as a number of `label_map.txt`, where 0 is BACKGROUND: a node that shows
nothing (clay issue #3). RICO-SCA's filter file names a screen in sync a line (`42.json`).
"""

from collections.abc import Iterator

from schemas.readings import SyncEvidence
from schemas.rejects import Reason, Reject, RejectedRecordError, Tally
from transforms.fates import EVIDENCE
from transforms.identifying import clean_text, id_order, normalize_id
from transforms.sources.csv_files import csv_rows
from transforms.sources.rico import read_split_list

_LABELS = ("screen_id", "node_id", "label")
_BACKGROUND = "0"


def read_clay_labels(path: str, source: str) -> Iterator[SyncEvidence | Reject | Tally]:
    """Yields which nodes of each labelled screen show nothing, in the order of the ids.

    Rows are labels and are counted as such; the record is the screen.
    """
    invalid: dict[str, set[str]] = {}
    for position, row in csv_rows(path, _LABELS):
        try:
            screen_id = normalize_id(row["screen_id"])
            label, node = row["label"].strip(), clean_text(row["node_id"]).strip()
            if not label.removeprefix("-").isdigit() or not node:
                raise RejectedRecordError(Reason.RECORD_MALFORMED, f"label {label!r:.40}")
        except RejectedRecordError as error:
            row_id, origin = clean_text(row["screen_id"])[:80], f"{source}:{position}"
            yield Reject(EVIDENCE, row_id, "read_clay_labels", error.reason, error.detail, origin)
        else:
            nodes = invalid.setdefault(screen_id, set())
            if label == _BACKGROUND:
                nodes.add(node)
    for screen_id in sorted(invalid, key=id_order):
        yield SyncEvidence(screen_id, source, False, tuple(sorted(invalid[screen_id])))


def read_screen_list(path: str, source: str) -> Iterator[SyncEvidence | Tally]:
    """Yields the screens that a list holds to be in sync, each once."""
    seen = set()
    for screen_id in read_split_list(path):
        if screen_id in seen:
            yield Tally("repairs", "repeated_lines_ignored", 1)
        else:
            seen.add(screen_id)
            yield SyncEvidence(screen_id, source, True, ())
