"""What tests of real files share: the released validation questions, built once."""

import pathlib

import pytest

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data"

MANIFEST = """\
version: 1
sources:
  apps: {kind: rico_ui_details, path: rico/metadata/ui_app_map_guigan_derived.csv, licence: unknown}
  v12:
    kind: screenqa_short_answers
    licence: CC-BY-4.0
    files: {validation: screenqa/short_answers/validation.json}
datasets:
  validation_v12:
    recipe: screenqa
    version: 1.2.0
    sources: {short_answers: v12, apps: apps}
    images: none
    splits: {by: official}
"""


@pytest.fixture(scope="session")
def validation_v12(run, tmp_path_factory) -> pathlib.Path:
    """Returns the build of all 8,614 rows. It is shared: copy it to write into it."""
    if not DATA.is_dir():
        pytest.skip("needs the folder shared/data beside the checkout")
    folder = tmp_path_factory.mktemp("validation")
    manifest = folder / "manifest.yaml"
    manifest.write_text(MANIFEST)
    out = folder / "validation_v12"
    done = run("build", "validation_v12", "--manifest", manifest, "--data", DATA, "--out", out)
    assert done.returncode == 0, done.stderr
    return out
