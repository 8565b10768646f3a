"""Builds of every recipe and place of pictures, from the drawn sample; copied where changed."""

import json
import pathlib
import shutil
from collections.abc import Callable

import pytest

MANIFEST = """\
version: 1
sources:
  screens: {kind: rico_combined, path: rico/combined, licence: Apache-2.0}
  details: {kind: rico_ui_details, path: rico/ui_details.csv, licence: Apache-2.0}
  categories:
    kind: rico_app_details
    path: rico/app_details.csv
    licence: Apache-2.0
    url: https://interactionmining.org/rico
    citation: "Deka et al., 2017 | <b>Rico</b>"
  answers:
    kind: screenqa_answers
    files:
      train: screenqa/answers_and_bboxes/train.json
      validation: screenqa/answers_and_bboxes/validation.json
      test: screenqa/answers_and_bboxes/test.json
    licence: Apache-2.0
  short_answers:
    kind: screenqa_short_answers
    files:
      train: screenqa/short_answers/train.json
      validation: screenqa/short_answers/validation.json
      test: screenqa/short_answers/test.json
    licence: Apache-2.0
  events: {kind: annotation_events, path: annotations, licence: Apache-2.0}
datasets:
  campaign:
    recipe: screenqa
    version: 1.0.0
    sources: {screens: screens, apps: details, app_details: categories, events: events}
    splits: {by: app, seed: demo, shares: {train: 0.6, validation: 0.2, test: 0.2}}
    annotation: {cutoff: "2024-09-20T09:00:00Z"}
    short_answers: {provider: rules}
    rejects: {overall: 0.4}
    card: {title: Screens and questions, contact: data@owner.example, tags: [demo]}
  inline:
    recipe: screenqa
    version: 1.2.0
    sources:
      screens: screens
      apps: details
      app_details: categories
      answers: answers
      short_answers: short_answers
    splits: {by: app, seed: demo, shares: {train: 0.6, validation: 0.2, test: 0.2}}
    rejects: {overall: 0.3}
  by_screen:
    recipe: screenqa
    version: 1.0.0
    sources:
      screens: screens
      apps: details
      app_details: categories
      answers: answers
      short_answers: short_answers
    images: by_screen
    splits: {by: official, twins: report}
    rejects: {overall: 0.3}
  without:
    recipe: screenqa
    version: 1.0.0
    sources: {short_answers: short_answers}
    images: none
    splits: {by: official}
    rejects: {overall: 0.3}
  looks:
    recipe: screens
    version: 1.0.0
    sources: {screens: screens, apps: details, app_details: categories}
    splits: {by: app, seed: demo, shares: {train: 0.6, validation: 0.2, test: 0.2}}
    rejects: {overall: 0.9}
"""

Build = Callable[[str], pathlib.Path]


@pytest.fixture(scope="session")
def build(run, sample, tmp_path_factory) -> Build:
    """Returns a function that builds a data set, once. The folder is shared: copy it."""
    folder = tmp_path_factory.mktemp("cards")
    manifest = folder / "manifest.yaml"
    manifest.write_text(MANIFEST)

    def build_dataset(name: str) -> pathlib.Path:
        out = folder / name
        if not out.exists():
            done = run("build", name, "--manifest", manifest, "--data", sample, "--out", out)
            assert done.returncode == 0, done.stderr
        return out

    return build_dataset


@pytest.fixture
def copy(build, tmp_path) -> Build:
    """Returns a function that gives a copy of a build, to be changed."""

    def copy_of(name: str) -> pathlib.Path:
        return pathlib.Path(shutil.copytree(build(name), tmp_path / name))

    return copy_of


@pytest.fixture(scope="session")
def change() -> Callable[..., None]:
    """Returns a function that has a JSON file of a build changed by another one."""

    def change_json(path: pathlib.Path, how: Callable[[dict], object]) -> None:
        value = json.loads(path.read_text())
        how(value)
        path.write_text(json.dumps(value))

    return change_json
