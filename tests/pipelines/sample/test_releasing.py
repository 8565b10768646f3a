"""The drawn sample: its releasing."""

import collections
import io
import itertools
import json

from PIL import Image

from pipelines.sample import roles

SPLITS = ("train", "validation", "test")


def rows_of(released):
    return [(split, row) for split in SPLITS for row in released[split]]


def test_rows_have_the_released_layout(released):
    for _, row in rows_of(released):
        assert list(row) == ["image_id", "image_width", "image_height", "question", "ground_truth"]
        assert (row["image_width"], row["image_height"]) in ((1080, 1920), (540, 960))
        for answer in row["ground_truth"]:
            assert list(answer) == ["full_answer", "ui_elements"]
            assert all(list(e) == ["text", "bounds", "vh_index"] for e in answer["ui_elements"])


def test_files_are_one_line_of_ascii_sorted_by_screen(folder):
    for file in [*(folder / "screenqa").rglob("*.json"), folder / "complex_qa" / "data.json"]:
        content = file.read_bytes()
        assert content.isascii()
        assert b"\n" not in content
        ids = [row["image_id"] for row in json.loads(content)]
        assert ids[:-1] == sorted(ids[:-1])


def test_train_has_one_answer_and_the_others_up_to_three(released):
    counts = {
        split: collections.Counter(len(row["ground_truth"]) for row in released[split])
        for split in SPLITS
    }
    assert set(counts["train"]) == {1}
    assert set(counts["validation"] + counts["test"]) == {2, 3}


def test_no_screen_is_in_two_splits_but_an_app_is(released, cast):
    screens = {split: {row["image_id"] for row in released[split]} for split in SPLITS}
    for one, other in itertools.combinations(SPLITS, 2):
        assert not screens[one] & screens[other]
    apps = {screen.drawn.id: screen.drawn.app.package for screen in cast.values()}
    splits_of = collections.defaultdict(set)
    for split, ids in screens.items():
        for number in ids & apps.keys():
            splits_of[apps[number]].add(split)
    assert sum(len(splits) > 1 for splits in splits_of.values()) >= 3


def test_a_tenth_of_the_questions_has_no_answer_and_some_have_both(released):
    kinds = [
        {answer["full_answer"] == "<no answer>" for answer in row["ground_truth"]}
        for _, row in rows_of(released)
    ]
    assert 0.07 < sum(True in kind for kind in kinds) / len(kinds) < 0.14
    assert sum(kind == {True, False} for kind in kinds) >= 1


def test_no_answer_means_no_elements(released):
    for _, row in rows_of(released):
        for answer in row["ground_truth"]:
            assert (answer["full_answer"] == "<no answer>") == (answer["ui_elements"] == [])


def test_there_are_about_two_questions_a_screen_and_at_most_nine(released):
    counts = collections.Counter(row["image_id"] for _, row in rows_of(released))
    assert max(counts.values()) == 9
    assert 1.8 < sum(counts.values()) / len(counts) < 2.8


def test_boxes_lie_on_what_was_drawn(released, cast):
    screens = {screen.drawn.id: screen.drawn for screen in cast.values()}
    for _, row in rows_of(released):
        if row["image_id"] == roles.SCREEN_MISSING_ID:
            continue
        drawn = screens[row["image_id"]]
        assert (row["image_width"], row["image_height"]) == (drawn.width, drawn.height)
        image = Image.open(io.BytesIO(drawn.jpeg)).convert("L")
        for element in (e for answer in row["ground_truth"] for e in answer["ui_elements"]):
            low, high = image.crop(element["bounds"]).getextrema()
            assert high - low > 40


def test_real_and_drawn_boxes_both_occur(released):
    indices = [
        element["vh_index"]
        for _, row in rows_of(released)
        for answer in row["ground_truth"]
        for element in answer["ui_elements"]
    ]
    assert 0.3 < sum(index >= 0 for index in indices) / len(indices) < 0.7
    assert min(indices) == -1


def test_one_question_occurs_twice_with_different_answers(released, cast):
    counts = collections.Counter((row["image_id"], row["question"]) for _, row in rows_of(released))
    twice = [key for key, count in counts.items() if count > 1]
    assert [number for number, _ in twice] == [cast[roles.REPEATED_QUESTION].drawn.id]
    first, second = (
        row["ground_truth"]
        for row in released["test"]
        if (row["image_id"], row["question"]) in twice
    )
    assert first != second


def test_one_question_is_about_a_screen_that_does_not_exist(released, cast):
    known = {screen.drawn.id for screen in cast.values()}
    missing = [row["image_id"] for _, row in rows_of(released) if row["image_id"] not in known]
    assert missing == [roles.SCREEN_MISSING_ID]


def test_unfit_and_empty_screens_have_no_question(released, cast):
    ids = {row["image_id"] for _, row in rows_of(released)}
    keys = (*roles.NON_ENGLISH, *roles.OUT_OF_SYNC, *roles.LACK_OF_CONTENT, roles.NO_QUESTION)
    assert not ids & {cast[key].drawn.id for key in keys}


def test_broken_pictures_have_questions_that_must_be_rejected(released, cast):
    ids = {row["image_id"] for _, row in rows_of(released)}
    broken = (roles.BLACK, roles.TRUNCATED, roles.HTML_PAGE, roles.HIERARCHY_MISSING,
              roles.HIERARCHY_NULL, roles.TURNED, roles.TWIN, roles.TWIN_ORIGINAL)  # fmt: skip
    assert ids >= {cast[key].drawn.id for key in broken}


def test_short_answers_have_the_same_questions(released, folder):
    for split in SPLITS:
        rows = json.loads((folder / "screenqa" / "short_answers" / f"{split}.json").read_text())
        assert [(r["image_id"], r["question"]) for r in rows] == [
            (r["image_id"], r["question"]) for r in released[split]
        ]
        for short, full in zip(rows, released[split], strict=True):
            assert list(short) == ["image_id", "question", "ground_truth"]
            assert len(short["ground_truth"]) == len(set(short["ground_truth"])) > 0
            absent = any(a["full_answer"] == "<no answer>" for a in full["ground_truth"])
            assert ("<no answer>" in short["ground_truth"]) == absent


def test_complex_questions_hold_one_identical_duplicate(folder):
    rows = json.loads((folder / "complex_qa" / "data.json").read_text())
    assert len(rows) == 21
    assert all(list(row) == ["image_id", "question", "ground_truth"] for row in rows)
    counts = collections.Counter(json.dumps(row) for row in rows)
    assert sorted(counts.values())[-2:] == [1, 2]
