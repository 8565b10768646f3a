"""Real files, where a folder `shared/data` lies beside the checkout; skipped elsewhere.

None of these files may enter the repository. The values are those of the released data.
"""

import csv
import hashlib
import io
import json
import pathlib
import textwrap

import pyarrow.parquet as pq
import pytest
from PIL import Image

from schemas.builds import ScreenEntry
from schemas.geometry import Size
from schemas.manifest import DuplicatePolicy
from schemas.questions import AskedScreen
from schemas.screens import ScreenRef, ViewLeaf
from transforms.duplicates import duplicate_report
from transforms.progress import Progress
from transforms.screens.checking import CheckPolicy, check_screen
from transforms.screens.hierarchies import parse_hierarchy, visible_leaves, walk
from transforms.sources.rico import list_combined, list_traces

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="needs the folder shared/data beside the checkout"
)

MANIFEST = """\
version: 1
sources:
  rico: {kind: rico_combined, path: rico/unique_uis/combined, licence: unknown}
  apps: {kind: rico_ui_details, path: rico/metadata/ui_app_map_guigan_derived.csv, licence: unknown}
  v12:
    kind: screenqa_short_answers
    licence: CC-BY-4.0
    files: {validation: screenqa/short_answers/validation.json}
  v11:
    kind: screenqa_short_answers
    licence: CC-BY-4.0
    files: {validation: screenqa/short_answers_v1.1/validation.json}
  complex:
    kind: screenqa_short_answers
    licence: CC-BY-4.0
    files: {test: screenqa/complex_qa/data.json}
  black:
    kind: screenqa_answers
    licence: CC-BY-4.0
    files: {validation: screenqa/answers_and_bboxes/issue2_37374.json}
  screen2words:
    kind: split_lists
    licence: none stated
    files:
      train: screen2words/split/train_screens.txt
      validation: screen2words/split/dev_screens.txt
      test: screen2words/split/test_screens.txt
datasets:
  validation_v12:
    recipe: screenqa
    version: 1.2.0
    sources: {short_answers: v12, apps: apps, leaks_against: screen2words}
    images: none
    splits: {by: official}
  validation_v11:
    recipe: screenqa
    version: 1.1.0
    sources: {short_answers: v11}
    images: none
    splits: {by: official}
  complexqa:
    recipe: screenqa
    version: 1.0.0
    sources: {short_answers: complex}
    images: none
    splits: {by: official}
  illustrated:
    recipe: screenqa
    version: 1.2.0
    sources: {short_answers: v12, screens: rico}
    images: inline
    splits: {by: official}
    rejects: {by_reason: {screen_missing: 1.0}}
  by_app:
    recipe: screenqa
    version: 1.2.0
    sources: {short_answers: v12, apps: apps}
    images: none
    splits: {by: app}
    rejects: {by_reason: {app_unknown: 1.0}}
  boxes:
    recipe: screenqa
    version: 1.0.0
    sources: {answers: black}
    images: none
    splits: {by: official}
"""


@pytest.fixture(scope="module")
def build(run, tmp_path_factory):
    """Returns a function that builds a data set of the manifest above, once."""
    folder = tmp_path_factory.mktemp("real")
    manifest = folder / "manifest.yaml"
    manifest.write_text(textwrap.dedent(MANIFEST))
    done = {}

    def build_dataset(name: str, workers: str = "1") -> pathlib.Path:
        out = folder / f"{name}-{workers}"
        if out not in done:
            done[out] = run(
                "build", name, "--manifest", manifest, "--data", DATA, "--out", out,
                "--workers", workers,
            )  # fmt: skip
            assert done[out].returncode == 0, done[out].stderr
        return out

    return build_dataset


def summary(folder: pathlib.Path) -> dict:
    return json.loads((folder / "BUILD.json").read_text())


def rows(folder: pathlib.Path) -> list[dict]:
    name = summary(folder)["dataset"]
    paths = sorted((folder / name).glob("*.parquet"))
    return [row for path in paths for row in pq.read_table(path).to_pylist()]


def test_short_answers_v12_validation(build):
    folder = build("validation_v12")
    stats = json.loads((folder / "stats.json").read_text())["validation"]
    assert stats["questions"] == len(rows(folder)) == 8614
    assert stats["screens"] == 3485
    assert stats["questions_with_no_answer"] == 893
    assert round(100 * 893 / 8614, 2) == 10.37
    assert stats["questions_with_only_no_answer"] == 705
    assert stats["questions_per_screen"] == dict(
        zip("123456789", [1157, 994, 585, 350, 204, 107, 55, 30, 3], strict=True)
    )
    per_question = {int(n): count for n, count in stats["short_answers_per_question"].items()}
    assert [per_question[n] for n in range(1, 6)] == [1920, 2641, 1661, 1153, 598]
    assert max(per_question) == 17
    assert summary(folder)["records"]["short_answers"] == {
        "read": 8614, "kept": 8614, "merged": 0, "orphaned": 0, "rejected": 0,
    }  # fmt: skip


def test_short_answers_v11_merge_into_v12(build):
    old, new = build("validation_v11"), build("validation_v12")
    book = summary(old)["records"]["short_answers"]
    assert (book["read"], book["merged"], book["kept"]) == (8618, 4, 8614)
    variants = {}
    raw = json.loads((DATA / "screenqa/short_answers_v1.1/validation.json").read_text())
    for record in raw:
        key = str(record["image_id"]), record["question"].strip()
        variants.setdefault(key, []).append(set(record["ground_truth"]))
    united = {(r["screen_id"], r["question"].strip()): set(r["short_answers"]) for r in rows(old)}
    duplicated = {key: sets for key, sets in variants.items() if len(sets) > 1}
    assert len(duplicated) == 4
    for key, sets in duplicated.items():
        assert united[key] == set().union(*sets)
    assert {r["screen_id"] for r in rows(old)} == {r["screen_id"] for r in rows(new)}


def test_complexqa_merges_61_identical_records(build):
    book = summary(build("complexqa"))["records"]["short_answers"]
    assert (book["read"], book["merged"], book["kept"]) == (11781, 61, 11720)


def test_rico_sample_as_screens_gives_eight_rows_with_their_picture(build):
    folder = build("illustrated")
    found = rows(folder)
    assert len(found) == 8
    assert len({row["screen_id"] for row in found}) == 4
    assert summary(folder)["rejects"] == {"short_answers": {"screen_missing": 8606}}
    for row in found:
        image = Image.open(io.BytesIO(row["image"]["bytes"]))
        image.load()
        assert image.size == (row["width"], row["height"])
        original = DATA / "rico/unique_uis/combined" / row["image"]["path"]
        assert row["image"]["bytes"] == original.read_bytes()


def test_workers_change_no_byte(build):
    for name in ("validation_v12", "illustrated"):
        one, two = build(name), build(name, "2")
        for path in sorted(p for p in one.rglob("*") if p.is_file()):
            other = two / path.relative_to(one)
            assert (
                hashlib.sha256(path.read_bytes()).digest()
                == hashlib.sha256(other.read_bytes()).digest()
            ), path


def test_app_wise_no_app_lies_in_two_splits(build):
    folder = build("by_app")
    leaks = summary(folder)["leaks"]
    assert leaks["apps"]["crossing"] == 0
    assert leaks["apps"]["groups"] == 24
    splits = {}
    for row in rows(folder):
        splits.setdefault(row["app"], set()).add(row["split"])
    assert len(splits) == 206
    assert all(len(of) == 1 for of in splits.values())


def test_screen2words_official_split_crosses_nine_of_296_apps(build):
    leaks = summary(build("validation_v12"))["leaks"]["other_datasets"]["screen2words"]
    assert leaks["its_own_apps"]["groups"] == 296
    assert leaks["its_own_apps"]["crossing"] == 9
    examples = {example["key"]: example for example in leaks["its_own_apps"]["examples"]}
    assert "com.advanced.rootchecker" in examples
    assert leaks["shared_screens"] == {
        "validation": {"test": 247, "train": 1020, "validation": 145}
    }


def test_the_black_screens_question_keeps_all_three_answers_with_their_boxes(build):
    (row,) = rows(build("boxes"))
    assert len(row["answers"]) == 3
    assert row["answers"][0]["ui_elements"][0] == {
        "text": "C Max", "bounds": [33, 319, 939, 376], "vh_index": 12,
    }  # fmt: skip
    assert (row["width"], row["height"]) == (1080, 1920)


def index_rows() -> list[dict[str, str]]:
    with open(DATA / "rico/index.csv", encoding="utf-8", newline="") as file:
        present = [
            row
            for row in csv.DictReader(file)
            if (DATA / f"rico/unique_uis/combined/{row['ui']}.json").exists()
        ]
    return present


def test_node_and_leaf_counts_equal_those_of_the_index():
    found = index_rows()
    assert len(found) == 72
    for row in found:
        data = (DATA / f"rico/unique_uis/combined/{row['ui']}.json").read_bytes()
        hierarchy = parse_hierarchy(data)
        assert hierarchy.node_count == int(row["nodes"])
        leaves = [node for _, node, children in walk(hierarchy.root) if not children]
        assert len(leaves) == int(row["leaves"])
        visible = [node for node in leaves if node["visible-to-user"]]
        assert len(visible) == int(row["visible_leaves"])


def test_every_visible_leaf_of_the_sample_has_a_box_on_its_picture():
    for row in index_rows():
        size = Size(int(row["jpg_w"]), int(row["jpg_h"]))
        data = (DATA / f"rico/unique_uis/combined/{row['ui']}.json").read_bytes()
        for leaf in visible_leaves(parse_hierarchy(data), size):
            if isinstance(leaf, ViewLeaf):
                left, top, right, bottom = leaf.bounds
                assert 0 <= left < right <= size.width
                assert 0 <= top < bottom <= size.height


def test_text_leaves_of_ten_screens_lie_on_text():
    """Pixels inside a text leaf's box differ: checked by eye on drawn boxes once as well."""
    lying = total = 0
    for row in index_rows()[:40]:
        picture = DATA / f"rico/unique_uis/combined/{row['ui']}.jpg"
        image = Image.open(picture).convert("L")
        data = picture.with_suffix(".json").read_bytes()
        for leaf in visible_leaves(parse_hierarchy(data), Size(*image.size)):
            if isinstance(leaf, ViewLeaf) and leaf.text and leaf.view_class.endswith("TextView"):
                low, high = image.crop(tuple(leaf.bounds)).getextrema()
                total += 1
                lying += high - low > 40
    assert total > 150
    # The rest are screens whose hierarchy shows other content than their picture.
    assert lying / total > 0.85


@pytest.mark.parametrize("screen", ["9000001", "9000002"])
def test_fixture_screens_in_their_pictures_own_pixels_have_boxes_on_their_text(screen):
    """Looked at as well, drawn on the pictures: every box holds its text."""
    picture = DATA / f"annotation_exports/fixtures_screens/{screen}.png"
    image = Image.open(picture).convert("L")
    hierarchy = parse_hierarchy(picture.with_suffix(".json").read_bytes())
    boxes = {
        leaf.text: leaf.bounds
        for leaf in visible_leaves(hierarchy, Size(*image.size))
        if isinstance(leaf, ViewLeaf) and leaf.text and "ImageView" not in leaf.view_class
    }
    assert len(boxes) >= 12
    for text, box in boxes.items():
        low, high = image.crop(tuple(box)).getextrema()
        assert high - low > 100, text


def test_the_window_in_dp_units_is_scaled():
    path = next((DATA / "rico/filtered_traces").rglob("view_hierarchies/516.json"))
    hierarchy = parse_hierarchy(path.read_bytes())
    assert hierarchy.root_bounds == (0, 0, 411, 683)
    boxes = [
        leaf.bounds
        for leaf in visible_leaves(hierarchy, Size(1080, 1920))
        if isinstance(leaf, ViewLeaf)
    ]
    assert max(box.right for box in boxes) > 1000


def test_a_dialog_is_not_stretched():
    data = (DATA / "rico/unique_uis/combined/2181.json").read_bytes()
    hierarchy = parse_hierarchy(data)
    assert hierarchy.root_bounds == (80, 597, 1360, 1879)
    boxes = [
        leaf.bounds
        for leaf in visible_leaves(hierarchy, Size(1080, 1920))
        if isinstance(leaf, ViewLeaf)
    ]
    assert min(box.left for box in boxes) >= 60
    assert max(box.right for box in boxes) <= 1020


def test_the_app_of_a_trace_screen_is_its_folder():
    folder = DATA / "rico/filtered_traces"
    differing = total = 0
    for ref in list_traces(str(folder), "traces"):
        if getattr(ref, "hierarchy", None):
            total += 1
            activity = json.loads((folder / ref.hierarchy).read_text())["activity_name"]
            assert ref.hierarchy.startswith(f"{ref.app}/")
            differing += activity.partition("/")[0] != ref.app
    assert (differing, total) == (4, 13)


def test_the_twin_hierarchies_are_equal_trees():
    one, other = (
        parse_hierarchy((DATA / f"rico/unique_uis/combined/{ui}.json").read_bytes())
        for ui in (33626, 33631)
    )
    fields = ("bounds", "class", "text")
    trees = [
        [tuple(str(node.get(f)) for f in fields) for _, node, _ in walk(hierarchy.root)]
        for hierarchy in (one, other)
    ]
    assert trees[0] == trees[1]


def test_the_twin_hierarchies_are_found_under_their_two_pictures():
    folder = DATA / "rico/unique_uis/combined"
    entries = []
    for ref in list_combined(str(folder), "rico"):
        if isinstance(ref, ScreenRef) and ref.image and ref.hierarchy:
            asked = AskedScreen(ref.screen_id, ref, None, ())
            for item in check_screen(asked, {"rico": str(folder)}, CheckPolicy(), Progress()):
                if isinstance(item, AskedScreen):
                    image, reading = item.screen.image, item.screen.reading
                    hashes = (image.layout_hash, image.pixels, reading.text_hash, reading.tree_hash)
                    entries.append(ScreenEntry("train", ref.screen_id, "", image.sha256, *hashes))
    report = duplicate_report(entries, DuplicatePolicy())
    groups = [[m[0] for m in g["screens"]] for g in report["hierarchies"]["members"]]
    assert ["33626", "33631"] in groups
