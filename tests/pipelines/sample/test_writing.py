"""The drawn sample: its writing."""

import csv
import io
import pathlib
import subprocess
import sys

import pytest
from PIL import Image, ImageChops, ImageOps

from pipelines.sample import roles
from pipelines.sample.pictures import APPLE_DOUBLE
from pipelines.sample.writing import write_sample


def contents(folder: pathlib.Path) -> dict[str, bytes]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def picture(folder, cast, key):
    return folder / "rico" / "combined" / f"{cast[key].drawn.id}.jpg"


def hierarchy(folder, cast, key):
    return picture(folder, cast, key).with_suffix(".json")


def test_two_writes_give_the_same_bytes(folder, tmp_path):
    write_sample(tmp_path)
    assert contents(tmp_path) == contents(folder)


def test_the_folders_are_those_of_the_sources(folder):
    files = [file for file in folder.rglob("*") if file.parent.name != "combined"]
    assert {str(file.relative_to(folder)) for file in files} == {
        "rico", "rico/combined", "rico/ui_details.csv", "rico/app_details.csv", "screenqa",
        "screenqa/answers_and_bboxes", "screenqa/short_answers", "complex_qa",
        "complex_qa/data.json", "annotations",
        *(f"screenqa/{kind}/{split}.json" for kind in ("answers_and_bboxes", "short_answers")
          for split in ("train", "validation", "test")),
        *(f"annotations/events-{number:05d}.jsonl" for number in range(4)),
    }  # fmt: skip


def test_there_is_a_picture_and_a_hierarchy_for_each_screen(folder):
    combined = folder / "rico" / "combined"
    names = {file.name for file in combined.iterdir() if file.name[0] != "."}
    assert len([name for name in names if name.endswith(".jpg")]) == 48
    assert len([name for name in names if name.endswith(".json")]) == 47


def test_exactly_the_broken_pictures_do_not_open(folder):
    broken = []
    for file in sorted((folder / "rico" / "combined").glob("*.jpg")):
        try:
            Image.open(file).load()
        except OSError:
            broken.append(file.name)
    assert len(broken) == 2 + len(roles.APPLE_DOUBLE)


def test_the_truncated_picture_has_a_good_head(folder, cast):
    file = picture(folder, cast, roles.TRUNCATED)
    assert Image.open(file).size == (
        cast[roles.TRUNCATED].drawn.width,
        cast[roles.TRUNCATED].drawn.height,
    )
    with pytest.raises(OSError, match="truncated"):
        Image.open(file).load()


def test_the_page_named_jpg_is_html(folder, cast):
    assert picture(folder, cast, roles.HTML_PAGE).read_bytes().startswith(b"<!DOCTYPE html>")


def test_one_picture_is_black(folder, cast):
    image = Image.open(picture(folder, cast, roles.BLACK))
    assert image.getextrema() == ((0, 0), (0, 0), (0, 0))


def test_the_turned_picture_stands_up_as_drawn(folder, cast):
    image = Image.open(picture(folder, cast, roles.TURNED))
    drawn = cast[roles.TURNED].drawn
    assert image.size == (drawn.height, drawn.width)
    assert image.getexif()[0x0112] == 6
    upright = ImageOps.exif_transpose(image)
    assert upright.size == (drawn.width, drawn.height)
    original = Image.open(io.BytesIO(drawn.jpeg))
    small = [image.convert("L").resize((9, 16)) for image in (upright, original)]
    assert ImageChops.difference(*small).getextrema()[1] <= 4


def test_the_twin_is_the_same_picture_under_another_id(folder, cast):
    original, twin = roles.TWIN_ORIGINAL, roles.TWIN
    assert picture(folder, cast, original).read_bytes() == picture(folder, cast, twin).read_bytes()
    assert cast[original].drawn.id != cast[twin].drawn.id
    assert (cast[original].split, cast[twin].split) == ("test", "train")


def test_one_hierarchy_is_missing_and_one_is_null(folder, cast):
    assert not hierarchy(folder, cast, roles.HIERARCHY_MISSING).exists()
    assert hierarchy(folder, cast, roles.HIERARCHY_NULL).read_bytes() == b"null"


def test_apple_double_files_lie_beside_real_ones(folder):
    junk = sorted((folder / "rico" / "combined").glob("._*"))
    assert len(junk) == 2 * len(roles.APPLE_DOUBLE)
    assert all(file.read_bytes() == APPLE_DOUBLE for file in junk)
    assert APPLE_DOUBLE[:4] == b"\x00\x05\x16\x07"
    assert all((file.parent / file.name[2:]).exists() for file in junk)


def test_one_screen_has_no_row_and_all_others_tell_their_app(folder, cast):
    rows = list(csv.DictReader((folder / "rico" / "ui_details.csv").open(newline="")))
    assert list(rows[0]) == [
        "UI Number", "App Package Name", "Interaction Trace Number", "UI Number in Trace",
    ]  # fmt: skip
    expected = {
        str(screen.drawn.id): (screen.drawn.app.package, str(screen.drawn.request_id))
        for screen in cast.values()
        if screen.key != roles.UI_DETAILS_MISSING
    }
    found = {r["UI Number"]: (r["App Package Name"], r["UI Number in Trace"]) for r in rows}
    assert found == expected


def test_app_details_have_the_quirks_of_the_real_table(folder):
    rows = list(csv.DictReader((folder / "rico" / "app_details.csv").open(newline="")))
    assert list(rows[0]) == [
        "App Package Name", "Play Store Name", "Category", "Average Rating", "Number of Ratings",
        "Number of Downloads", "Date Updated", "Icon URL",
    ]  # fmt: skip
    shifted = [row for row in rows if row["Category"] == "000 - 1"]
    assert [row["Number of Downloads"] for row in shifted] == ["January 10, 2015"]
    ratings = [row["Number of Ratings"] for row in rows]
    assert any('"' in rating for rating in ratings)
    assert any(rating != rating.strip() for rating in ratings)
    assert len({row["Category"] for row in rows} - {"000 - 1"}) >= 8


def test_a_larger_sample_keeps_the_screens_of_the_smaller_one(folder, tmp_path):
    write_sample(tmp_path, screens=60)
    small, large = contents(folder / "rico" / "combined"), contents(tmp_path / "rico" / "combined")
    assert small.items() <= large.items()
    assert len([name for name in large if name.endswith(".jpg") and name[0] != "."]) == 60


def test_too_small_a_sample_is_refused(tmp_path):
    with pytest.raises(ValueError, match="at least 48 screens, not 47"):
        write_sample(tmp_path, screens=47)


def test_another_seed_works_as_well(tmp_path):
    write_sample(tmp_path, seed="another seed")
    assert len(list((tmp_path / "rico" / "combined").glob("[0-9]*.jpg"))) == 48


def test_importing_the_sample_is_light():
    code = (
        "import sys, pipelines.sample.writing; print({'apache_beam', 'pyarrow'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
