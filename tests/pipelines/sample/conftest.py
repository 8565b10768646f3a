"""The sample, written once and read by all tests of this folder."""

import json
import pathlib
from typing import Any

import pytest

from pipelines.sample.campaign import Asked, run_campaign
from pipelines.sample.roles import SMALLEST, CastScreen, cast_screens
from pipelines.sample.writing import write_sample

SEED = "screenset"


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("sample")
    write_sample(folder, seed=SEED)
    return folder


@pytest.fixture(scope="session")
def cast() -> dict[str, CastScreen]:
    return {screen.key: screen for screen in cast_screens(SMALLEST, SEED)}


@pytest.fixture(scope="session")
def asked(cast: dict[str, CastScreen]) -> list[Asked]:
    return run_campaign(cast.values(), SEED)


@pytest.fixture(scope="session")
def events(folder: pathlib.Path) -> list[dict[str, Any]]:
    files = sorted((folder / "annotations").iterdir())
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


@pytest.fixture(scope="session")
def released(folder: pathlib.Path) -> dict[str, list[dict[str, Any]]]:
    answers = folder / "screenqa" / "answers_and_bboxes"
    return {file.stem: json.loads(file.read_text()) for file in answers.iterdir()}
