"""Compares automatic sync verdicts with our own labels of real RICO screens, and times them.

    python benchmarks/sync_calibration.py --data ../shared/data [--ocr]

The labels are facts of ours (`tests/facts/rico_screen_labels.csv`): 85 screens, looked at
before any was scored, by the paper's rule (ScreenQA 4.1, A.1). The constants were tried on
screens of even numbers and those of odd ones are beside them, but the form of the score was
chosen with both in view. So few screens of the sample are truly out of sync that further ones
are made: pictures beside hierarchies of other apps' screens, and boxes all shifted down.
"""

import argparse
import csv
import dataclasses
import json
import pathlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

import numpy
from numpy.typing import NDArray

from schemas.geometry import Size
from schemas.manifest import ImagePolicy, PrefilterPolicy
from schemas.readings import SyncFinding, SyncVerdict
from schemas.screens import ViewLeaf
from transforms.screens.hierarchies import Hierarchy, parse_hierarchy, visible_leaves, walk
from transforms.screens.hierarchy_sync import is_doubtful, measure_sync, refine_sync
from transforms.screens.images import DecodedImage, decode_image, reduced_grey, upright_pixels
from transforms.screens.ocr import read_texts

LABELS = pathlib.Path(__file__).resolve().parents[1] / "tests/facts/rico_screen_labels.csv"
BOUNDS = [(0.5, 0.3), (0.5, 0.4), (0.6, 0.3), (0.6, 0.4), (0.7, 0.4), (0.7, 0.5)]
"""Pairs of `in_sync_from` and `out_of_sync_below`."""

SHIFTS = (60, 120, 240)
"""Units of the device, 1440 across; a line of text is some 60 to 80 high."""

_FAR = 50
"""An app's screens span at most 47 numbers of RICO (formats.md §1.5)."""

_ROUNDS = 5


@dataclasses.dataclass(frozen=True)
class Labelled:
    """A real screen with its label."""

    screen_id: str
    sync: str
    kind: str
    data: bytes
    decoded: DecodedImage
    grey: NDArray[numpy.uint8]
    hierarchy: Hierarchy

    @property
    def number(self) -> int:
        """Its number in RICO, or in its trace."""
        return int(self.screen_id.rpartition(":")[2])

    @property
    def size(self) -> Size:
        """Size of the picture."""
        return self.decoded.facts.size

    def leaves(self) -> list[ViewLeaf]:
        """Visible leaves in pixels of the picture."""
        found = visible_leaves(self.hierarchy, self.size)
        return [leaf for leaf in found if isinstance(leaf, ViewLeaf)]


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("../shared/data"))
    parser.add_argument("--ocr", action="store_true", help="read the pictures of doubtful screens")
    arguments = parser.parse_args()
    screens = list(read_sample(arguments.data))
    policy = PrefilterPolicy()
    print(f"{len(screens)} screens; {dict(Counter(screen.sync for screen in screens))}\n")
    print_bounds(screens)
    print_kinds(screens, policy)
    print_made(screens, policy)
    if arguments.ocr:
        print_read(screens, policy)
    print_cost(screens, policy)


def read_sample(data: pathlib.Path) -> Iterator[Labelled]:
    """Yields the labelled screens in the order of the labels."""
    with open(LABELS, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            picture, tree = files_of(row["screen_id"], data / "rico")
            content = picture.read_bytes()
            decoded = decode_image(content, ImagePolicy())
            yield Labelled(
                screen_id=row["screen_id"],
                sync=row["sync"],
                kind=row["kind"],
                data=content,
                decoded=decoded,
                grey=reduced_grey(decoded),
                hierarchy=parse_hierarchy(tree.read_bytes()),
            )


def files_of(screen_id: str, rico: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    """Returns the paths of a screen's picture and of its hierarchy."""
    package, _, rest = screen_id.partition(":")
    if not rest:
        stem = rico / "unique_uis/combined" / screen_id
        return stem.with_suffix(".jpg"), stem.with_suffix(".json")
    trace, number = rest.split(":")
    folder = rico / "filtered_traces" / package / f"trace_{trace}"
    return folder / f"screenshots/{number}.jpg", folder / f"view_hierarchies/{number}.json"


def print_bounds(screens: list[Labelled]) -> None:
    """Prints what each pair of bounds makes of the labels."""
    print(
        "| in from | out below | numbers | in sync: kept, doubtful, lost | out: caught, doubtful,"
    )
    print("| --- | --- | --- | --- | --- | (missed)")
    for in_from, out_below in BOUNDS:
        policy = PrefilterPolicy(in_sync_from=in_from, out_of_sync_below=out_below)
        for name, half in (("even", 0), ("odd", 1)):
            judged = Counter(
                (screen.sync, judge(screen, policy).verdict)
                for screen in screens
                if screen.number % 2 == half
            )
            good = _three(judged, "in_sync", (SyncVerdict.IN_SYNC, SyncVerdict.OUT_OF_SYNC))
            bad = _three(judged, "out_of_sync", (SyncVerdict.OUT_OF_SYNC, SyncVerdict.IN_SYNC))
            print(f"| {in_from} | {out_below} | {name} | {good} | {bad} |")
    print()


def print_kinds(screens: list[Labelled], policy: PrefilterPolicy) -> None:
    """Prints verdicts by label and kind, and each one that is not as labelled."""
    kinds = sorted({(screen.sync, screen.kind) for screen in screens})
    print(
        "| label | kind | in sync | undetermined | out of sync |\n| --- | --- | --- | --- | --- |"
    )
    for sync, kind in kinds:
        ours = [screen for screen in screens if (screen.sync, screen.kind) == (sync, kind)]
        print(f"| {sync} | {kind} | {_verdicts(judge(screen, policy) for screen in ours)} |")
    print()
    for screen in screens:
        finding = judge(screen, policy)
        if finding.verdict.value != screen.sync:
            print(f"{screen.screen_id} ({screen.sync}, {screen.kind}): {_line(finding)}")
    print()


def print_made(screens: list[Labelled], policy: PrefilterPolicy) -> None:
    """Prints the verdicts on screens that were put out of sync."""
    good = [screen for screen in screens if screen.sync == "in_sync"]
    print(
        "| made | numbers | in sync | undetermined | out of sync |\n| --- | --- | --- | --- | --- |"
    )
    for name, half in (("even", 0), ("odd", 1)):
        ours = [screen for screen in good if screen.number % 2 == half]
        others = (
            measure_sync(other.hierarchy, screen.grey, screen.size, policy)
            for screen in ours
            for other in good
            if _are_far(screen, other)
        )
        print(f"| another screen's hierarchy | {name} | {_verdicts(others)} |")
        for shift in SHIFTS:
            moved = (
                measure_sync(shifted(screen.hierarchy, shift), screen.grey, screen.size, policy)
                for screen in ours
            )
            print(f"| leaves {shift} lower | {name} | {_verdicts(moved)} |")
    print()


def print_read(screens: list[Labelled], policy: PrefilterPolicy) -> None:
    """Prints what OCR makes of the doubtful screens."""
    for screen in screens:
        finding = judge(screen, policy)
        if is_doubtful(finding, policy):
            read = read_texts(upright_pixels(screen.data, screen.decoded.facts))
            refined = refine_sync(finding, read, screen.leaves(), policy)
            print(f"{screen.screen_id} ({screen.sync}, {screen.kind}): {_line(refined)}")
    print()


def print_cost(screens: list[Labelled], policy: PrefilterPolicy) -> None:
    """Prints the mean CPU time of a screen, of the fastest of some rounds."""
    for name, work in (
        ("grey picture", lambda screen: reduced_grey(screen.decoded)),
        ("measure_sync, its walk of the tree included", lambda screen: judge(screen, policy)),
        ("one bare walk of the tree", lambda screen: list(walk(screen.hierarchy.root))),
        ("visible_leaves, for comparison", lambda screen: screen.leaves()),
    ):
        print(f"{name}: {_cpu_ms(work, screens):.2f} ms CPU a screen")


def judge(screen: Labelled, policy: PrefilterPolicy) -> SyncFinding:
    """Returns the automatic verdict on a screen."""
    return measure_sync(screen.hierarchy, screen.grey, screen.size, policy)


def shifted(hierarchy: Hierarchy, units: int) -> Hierarchy:
    """Returns a hierarchy whose leaves all lie some units of its frame lower."""
    root = json.loads(json.dumps(hierarchy.root))
    for _, node, children in walk(root):
        if not children and "bounds" in node:
            left, top, right, bottom = node["bounds"]
            node["bounds"] = [left, top + units, right, bottom + units]
    return dataclasses.replace(hierarchy, root=root)


def _are_far(one: Labelled, other: Labelled) -> bool:
    """Whether two screens are of different apps; in RICO, neighbours are of one app."""
    apps = {screen.screen_id.rpartition(":")[0] for screen in (one, other)}
    return len(apps) == 2 or (apps == {""} and abs(one.number - other.number) >= _FAR)


def _three(
    judged: Counter[tuple[str, SyncVerdict]], label: str, verdicts: tuple[SyncVerdict, SyncVerdict]
) -> str:
    right, wrong = (judged[label, verdict] for verdict in verdicts)
    return f"{right}, {judged[label, SyncVerdict.UNDETERMINED]}, {wrong}"


def _verdicts(findings: Iterable[SyncFinding]) -> str:
    counted = Counter(finding.verdict for finding in findings)
    order = (SyncVerdict.IN_SYNC, SyncVerdict.UNDETERMINED, SyncVerdict.OUT_OF_SYNC)
    return " | ".join(f"{counted[verdict]:,}" for verdict in order)


def _line(finding: SyncFinding) -> str:
    return f"{finding.verdict}, score {finding.score:.2f}; {finding.evidence}"


def _cpu_ms(work: Callable[[Labelled], object], screens: list[Labelled]) -> float:
    rounds = []
    for _ in range(_ROUNDS):
        started = time.process_time()
        for screen in screens:
            work(screen)
        rounds.append(time.process_time() - started)
    return 1000 * min(rounds) / len(screens)


if __name__ == "__main__":
    main()
