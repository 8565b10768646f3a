"""`screenset demo`: a drawn sample in the real formats, built like any other data set."""

import importlib.resources
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


def run_demo(out: str, *, workers: int) -> None:
    """Draws the sample, builds it into `out` and prints what came out.

    A folder of an earlier demo is replaced.

    Raises:
        UserError: If `out` holds anything else.
    """
    if os.path.isdir(out) and os.listdir(out) and not os.path.exists(os.path.join(out, FINISHED)):
        raise UserError(f"--out: {out} holds other files; choose a new or an empty folder")
    manifest = importlib.resources.files("pipelines") / "manifests" / "demo.yaml"
    sample = tempfile.mkdtemp(prefix="screenset-sample-")
    try:
        print("drawing 48 phone screens in the formats of RICO and ScreenQA …", flush=True)
        write_sample(pathlib.Path(sample))
        with importlib.resources.as_file(manifest) as path:
            request = load_request(_DATASET, str(path), sample, [])
        print_build(build(request, out, workers=workers, fresh=True))
    finally:
        shutil.rmtree(sample)
