"""Automatic sync verdicts on real screens, beside our labels; skipped where those are missing.

`benchmarks/sync_calibration.py` prints the whole table. The labels are in `tests/facts`.
"""

import collections
import csv
import pathlib

import pytest

from schemas.manifest import ImagePolicy, PrefilterPolicy
from schemas.readings import SyncEvidence, SyncVerdict
from transforms.screens.hierarchies import parse_hierarchy
from transforms.screens.hierarchy_sync import measure_sync
from transforms.screens.images import decode_image, reduced_grey

ROOT = pathlib.Path(__file__).resolve().parents[2]
LABELS = ROOT / "tests" / "facts" / "rico_screen_labels.csv"
DATA = ROOT.parent / "shared" / "data"
POLICY = PrefilterPolicy()
IN, OUT = SyncVerdict.IN_SYNC, SyncVerdict.OUT_OF_SYNC

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="needs the folder shared/data beside the checkout"
)


def labels():
    with open(LABELS, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def files_of(screen_id):
    if ":" not in screen_id:
        stem = DATA / "rico/unique_uis/combined" / screen_id
        return stem.with_suffix(".jpg"), stem.with_suffix(".json")
    package, trace, number = screen_id.split(":")
    folder = DATA / "rico/filtered_traces" / package / f"trace_{trace}"
    return folder / f"screenshots/{number}.jpg", folder / f"view_hierarchies/{number}.json"


@pytest.fixture(scope="module")
def screens():
    """Returns of each labelled screen its label, its grey picture, its size, its hierarchy."""
    read = {}
    for label in labels():
        picture, tree = files_of(label["screen_id"])
        decoded = decode_image(picture.read_bytes(), ImagePolicy())
        hierarchy = parse_hierarchy(tree.read_bytes())
        read[label["screen_id"]] = label, reduced_grey(decoded), decoded.facts.size, hierarchy
    return read


@pytest.fixture(scope="module")
def verdicts(screens):
    """Returns how many screens of each label and kind got which verdict."""
    return collections.Counter(
        (label["sync"], label["kind"], measure_sync(tree, grey, size, POLICY).verdict)
        for label, grey, size, tree in screens.values()
    )


def count(verdicts, verdict, *, sync, kinds=None):
    return sum(
        number
        for (label, kind, found), number in verdicts.items()
        if label == sync and found is verdict and (kinds is None or kind in kinds)
    )


def test_every_screen_of_the_sample_with_both_files_is_labelled():
    combined = {path.stem for path in (DATA / "rico/unique_uis/combined").glob("[0-9]*.json")}
    traces = {
        f"{path.parts[-4]}:{path.parts[-3].removeprefix('trace_')}:{path.stem}"
        for path in (DATA / "rico/filtered_traces").glob("*/*/view_hierarchies/[0-9]*.json")
    }
    with_both = {name for name in combined | traces if files_of(name)[0].exists()}
    assert {label["screen_id"] for label in labels()} == with_both
    assert len(with_both) == 85


def test_labels_have_the_values_they_may_have():
    for label in labels():
        assert label["language"] in ("english", "not_english", "undetermined"), label
        assert label["sync"] in ("in_sync", "out_of_sync", "unsure"), label
        assert label["kind"] in (
            "clean", "occlusion", "ghosting", "main_content_without_boxes", "boxes_over_nothing",
            "web_or_canvas", "other",
        ), label  # fmt: skip


def test_no_screen_in_sync_is_lost(verdicts):
    assert count(verdicts, OUT, sync="in_sync") == 0
    assert count(verdicts, IN, sync="in_sync") >= 60


def test_ghosting_and_occlusion_are_in_sync(verdicts):
    kinds = {"ghosting", "occlusion"}
    assert count(verdicts, IN, sync="in_sync", kinds=kinds) >= 11


def test_no_screen_out_of_sync_passes_for_one_in_sync(verdicts):
    assert count(verdicts, IN, sync="out_of_sync") == 0
    assert count(verdicts, OUT, sync="out_of_sync") >= 14


def test_hierarchies_of_another_app_are_found_out(screens):
    # Every third picture, to be quick; apps of the two folders have none in common.
    good = {name: screen for name, screen in screens.items() if screen[0]["sync"] == "in_sync"}
    traces = [tree for name, (*_, tree) in good.items() if ":" in name]
    pictures = [screen for name, screen in good.items() if ":" not in name][::3]
    found = collections.Counter(
        measure_sync(tree, grey, size, POLICY).verdict
        for _, grey, size, _ in pictures
        for tree in traces
    )
    assert found[IN] <= 0.03 * found.total()
    assert found[OUT] >= 0.75 * found.total()


def test_a_list_of_screens_in_sync_settles_a_real_doubt(screens):
    listed = (DATA / "seq2act/filter_24598.txt").read_text().split()
    assert "3360.json" in listed
    _, grey, size, tree = screens["3360"]
    assert measure_sync(tree, grey, size, POLICY).verdict is SyncVerdict.UNDETERMINED
    evidence = [SyncEvidence("3360", "ricosca", True, ())]
    assert measure_sync(tree, grey, size, POLICY, evidence).verdict is IN
