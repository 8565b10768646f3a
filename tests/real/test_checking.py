"""`screenset check` on a build from the real validation file; skipped where it is not at hand."""

import pathlib
import textwrap

import pytest

from pipelines.checking.check import check
from schemas.checks import CheckOutcome

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="needs the folder shared/data beside the checkout"
)

MANIFEST = """\
version: 1
sources:
  v12:
    kind: screenqa_short_answers
    licence: CC-BY-4.0
    files: {validation: screenqa/short_answers/validation.json}
  rico: {kind: rico_combined, path: rico/unique_uis/combined, licence: unknown}
datasets:
  validation_v12:
    recipe: screenqa
    version: 1.2.0
    sources: {short_answers: v12}
    images: none
    splits: {by: official}
    expected_rows: {validation: 8614}
  illustrated:
    recipe: screenqa
    version: 1.2.0
    sources: {short_answers: v12, screens: rico}
    images: by_screen
    splits: {by: official}
    rejects: {by_reason: {screen_missing: 1.0}}
  inline:
    recipe: screenqa
    version: 1.2.0
    sources: {short_answers: v12, screens: rico}
    images: inline
    splits: {by: official}
    rejects: {by_reason: {screen_missing: 1.0}}
"""


@pytest.mark.parametrize("name", ["validation_v12", "illustrated", "inline"])
def test_a_build_of_the_released_validation_file_passes(run, tmp_path, name):
    manifest = tmp_path / "manifest.yaml"
    manifest.write_text(textwrap.dedent(MANIFEST))
    out = tmp_path / name
    done = run("build", name, "--manifest", manifest, "--data", DATA, "--out", out)
    assert done.returncode == 0, done.stderr
    report = check(str(out))
    wrong = [r for r in report.results if r.outcome not in ("passed", "not_applicable")]
    assert report.passed, wrong
    by_rule = {result.rule: result for result in report.results}
    if name == "validation_v12":
        assert by_rule["ids_unique"].looked_at == "8,614 ids"
        assert by_rule["rows_expected"].outcome is CheckOutcome.PASSED
    else:
        assert by_rule["pictures_decode"].outcome is CheckOutcome.PASSED
        # There are no answers with boxes, and questions' own rows have no leaves.
        has_boxes = name == "illustrated"
        assert (by_rule["boxes_inside"].outcome is CheckOutcome.PASSED) is has_boxes
