"""What tests of commands share: running them as a user does, and the drawn sample."""

import os
import pathlib
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from headless import Page, chromium, find_chromium, must_have_chromium

from pipelines.sample.writing import write_sample

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEMO_MANIFEST = ROOT / "pipelines" / "manifests" / "demo.yaml"

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--refresh-goldens", action="store_true", help="write tests/goldens anew (make golden)"
    )


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> None:
    """Lets started commands be interrupted, whoever started the tests.

    A shell that runs the tests in its background has them, and all that they start, ignore
    Ctrl-C.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def root() -> pathlib.Path:
    return ROOT


@pytest.fixture(scope="session")
def demo_manifest() -> pathlib.Path:
    return DEMO_MANIFEST


@pytest.fixture(scope="session")
def run() -> Run:
    """Returns a function that runs `screenset` in a process of its own, as a user does."""

    def run_screenset(*arguments: object, **environment: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "pipelines", *map(str, arguments)],
            cwd=ROOT,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    return run_screenset


@pytest.fixture(scope="session")
def demo_build(
    run: Run,
    demo_manifest: pathlib.Path,
    sample: pathlib.Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str], pathlib.Path]:
    """Returns a function that builds a data set of the demo's manifest, once for all tests.

    The folder is shared: copy it to change it.
    """
    folder = tmp_path_factory.mktemp("demo")

    def build(name: str) -> pathlib.Path:
        out = folder / name
        if not out.exists():
            done = run(
                "build", name, "--manifest", demo_manifest, "--data", sample, "--out", out,
                "--workers", "1", GEMINI_API_KEY="", GOOGLE_API_KEY="",
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
        return out

    return build


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Returns a folder that holds the drawn sample. It is shared: copy it to change it."""
    folder = tmp_path_factory.mktemp("sample")
    write_sample(folder)
    return folder


@pytest.fixture(scope="module")
def tab() -> Iterator[Page]:
    """Returns a tab of a headless Chromium; skips where there is none and need not be."""
    path = find_chromium()
    if path is None:
        if must_have_chromium():
            pytest.fail("no Chromium was found; install chromium or set SCREENSET_CHROMIUM")
        pytest.skip("no Chromium was found: install chromium, or set SCREENSET_CHROMIUM")
    with chromium(path) as page:
        yield page


@pytest.fixture(scope="session")
def shots(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Returns the folder that pictures of pages are kept in, to be looked at."""
    named = os.environ.get("SCREENSET_ARTEFACTS")
    return pathlib.Path(named) if named else tmp_path_factory.mktemp("screenshots")
