"""The report of real files, where a folder `shared/data` lies beside the checkout."""

import html
import pathlib
import re

import pytest

from pipelines.reporting.report import write_report

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="needs the folder shared/data beside the checkout"
)

MANIFEST = """\
version: 1
sources:
  rico: {kind: rico_combined, path: rico/unique_uis/combined, licence: unknown}
  apps: {kind: rico_ui_details, path: rico/metadata/ui_app_map_guigan_derived.csv, licence: unknown}
datasets:
  rico_screens:
    recipe: screens
    version: 1.0.0
    sources: {screens: rico, apps: apps}
    images: inline
    splits: {by: app, unknown_app: own_group}
"""


def report_on(built: pathlib.Path, folder: pathlib.Path) -> str:
    out = folder / "report.html"
    return pathlib.Path(write_report(str(built), str(out))).read_text(encoding="utf-8")


def cells(page: str, section: str) -> list[list[str]]:
    """Returns the cells of the rows of a section's tables."""
    (body,) = re.findall(rf'<section id="{section}".*?</section>', page, re.DOTALL)
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", body, re.DOTALL)
    return [
        [
            html.unescape(re.sub(r"<[^>]+>", "", cell)).strip()
            for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL)
        ]
        for row in rows
    ]


def test_the_released_validation_file_has_its_known_figures(validation_v12, tmp_path):
    page = report_on(validation_v12, tmp_path)
    # 893 of 8,614, and 5,873 unique after SQuAD's normalizing: counted from the released file.
    assert "10.37\u202f%" in page
    assert ["validation", "8,614", "893", "10.37\u202f%", "705"] in cells(page, "answerability")
    histogram = {row[0]: row[1] for row in cells(page, "questions") if row[0].isdigit()}
    counts = ["1,157", "994", "585", "350", "204", "107", "55", "30", "3"]
    assert histogram == dict(zip("123456789", counts, strict=True))
    assert "5,873 of the 8,614 questions are unique" in page
    assert "150 of 3,485 screens, chosen by hash" in page
    assert "The build holds no pictures." in page


def test_real_screens_have_their_leaves_drawn(run, tmp_path):
    manifest, out = tmp_path / "manifest.yaml", tmp_path / "rico_screens"
    manifest.write_text(MANIFEST)
    done = run("build", "rico_screens", "--manifest", manifest, "--data", DATA, "--out", out)
    assert done.returncode == 0, done.stderr
    page = report_on(out, tmp_path)
    boxes = re.findall(r'<rect class="leaf[^"]*"[^>]* width="(\d+)" height="(\d+)"', page)
    assert len(boxes) > 500
    assert page.count('<img src="data:image/webp;base64,') > 70
    assert len(page.encode()) < 15_000_000
    assert str(DATA) not in page
