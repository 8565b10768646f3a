"""`screenset demo`: a drawn sample in the real formats, built like any other data set."""

import importlib.resources
import json
import os
import pathlib
import shutil
import tempfile

from pipelines.build import build
from pipelines.config import load_request
from pipelines.errors import UserError
from pipelines.sample.writing import write_sample
from pipelines.summary import print_build
from pipelines.work_folder import FINISHED

_DATASET = "screenqa"
_DEMO_SOURCES = {"screens", "events", "ui_details", "app_details"}


def run_demo(out: str, *, workers: int, fresh: bool = False) -> None:
    """Draws the sample, builds it into `out` and prints what came out.

    A folder of an earlier demo is replaced.

    Raises:
        UserError: If `out` holds anything else.
    """
    is_demo = _refuse_others(out)
    manifest = importlib.resources.files("pipelines") / "manifests" / "demo.yaml"
    sample = tempfile.mkdtemp(prefix="screenset-sample-")
    try:
        print("drawing 48 phone screens in the formats of RICO and ScreenQA …", flush=True)
        write_sample(pathlib.Path(sample))
        with importlib.resources.as_file(manifest) as path:
            request = load_request(_DATASET, str(path), sample, [])
        print_build(build(request, out, workers=workers, fresh=fresh or is_demo))
    finally:
        shutil.rmtree(sample)


def _refuse_others(out: str) -> bool:
    """Lets through a folder that is new, empty, or an earlier demo's; says if it is the last."""
    if not os.path.isdir(out) or not os.listdir(out):
        return False
    finished = os.path.join(out, FINISHED)
    sources = set()
    if os.path.exists(finished):
        with open(finished, encoding="utf-8") as file:
            sources = set(json.load(file)["sources"])
    if sources != _DEMO_SOURCES:
        raise UserError(f"--out: {out} holds something else than a demo; choose another folder")
    return True
