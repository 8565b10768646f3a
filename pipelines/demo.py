"""`screenset demo`: the whole chain on a drawn sample in the real formats, offline.

It is fetched, built, described, checked and shown like any other data set; of publishing it,
only what would happen is told.
"""

import gzip
import importlib.resources
import io
import os
import pathlib
import shutil
import tarfile
import tempfile

from pipelines.build import build
from pipelines.config import load_request, read_manifest
from pipelines.errors import BuildError, UserError
from pipelines.fetching.sources import FetchOptions, fetch, report_text
from pipelines.sample.ios import write_captured, write_store
from pipelines.sample.serving import serve
from pipelines.sample.writing import write_sample
from pipelines.summary import print_build
from pipelines.terminal import bold
from schemas.builds import FINISHED, REPORT_PAGE

DATASETS = ("screenqa", "ios_screens")
_SOURCES = ("screens", "ui_details", "app_details", "app_store")
REPO = "your-name/screenqa-demo"
"""Where the demo says that it could be published."""

_HOST = "data.screenset.example"


def run_demo(out: str, *, workers: int, fresh: bool = False) -> None:
    """Draws the sample, fetches it from a server on loopback, builds it into folders of `out`.

    What comes out is described, checked and shown, and its publishing rehearsed.

    Folders of an earlier demo are replaced.

    Raises:
        UserError: If `out` holds anything else.
        BuildError: If a download or a check fails.
    """
    is_demo = _refuse_others(out)
    resource = importlib.resources.files("pipelines") / "manifests" / "demo.yaml"
    work = pathlib.Path(tempfile.mkdtemp(prefix="screenset-sample-"))
    try:
        print("drawing 48 Android and 14 iOS screens, and serving them on loopback …", flush=True)
        data, web = work / "data", work / "web"
        write_sample(data)
        write_captured(data / "ios" / "captured")
        write_store(web)
        publish_rico(data, web / _HOST)
        with importlib.resources.as_file(resource) as manifest, serve(web) as address:
            _fetch(str(manifest), str(data), address)
            for name in DATASETS:
                request = load_request(name, str(manifest), str(data), [])
                folder = os.path.join(out, name)
                os.makedirs(out, exist_ok=True)
                print()
                print_build(build(request, folder, workers=workers, fresh=fresh or is_demo))
    finally:
        shutil.rmtree(work)
    for name in DATASETS:
        _show(os.path.join(out, name), name)
    _rehearse(os.path.join(out, DATASETS[0]))


def _show(folder: str, name: str) -> None:
    """Describes a finished build, checks it, and shows it on one page."""
    from pipelines.cards.card import write_card, written_text
    from pipelines.checking.check import check, check_text, closing_text
    from pipelines.reporting.report import write_report

    print(f"\n{bold(f'{name}, described, checked and shown')}", flush=True)
    print(written_text(write_card(folder)))
    report = check(folder)
    print(closing_text(report, folder) if report.passed else check_text(report, folder))
    if not report.passed:
        raise BuildError(f"{name} does not pass its checks")
    print(f"report page: {write_report(folder)}")


def _rehearse(folder: str) -> None:
    """Says what publishing a build would do, without asking the network for anything."""
    from pipelines.publishing.publish import PublishOptions, publish, published_text

    print(f"\n{bold('what publishing it would do')}", flush=True)
    print(published_text(publish(folder, REPO, PublishOptions(dry_run=True, offline=True))))
    page = os.path.join(folder, REPORT_PAGE)
    print(f"\nlook at it: {bold(page)}")


def publish_rico(data: pathlib.Path, site: pathlib.Path) -> None:
    """Moves the sample's RICO from the data folder to where a server finds it, as RICO comes."""
    site.mkdir(parents=True)
    with (
        open(site / "unique_uis.tar.gz", "wb") as file,
        # No name and no time in it: the same sample makes the same archive.
        gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=1, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for path in sorted((data / "rico" / "combined").iterdir()):
            content = path.read_bytes()
            member = tarfile.TarInfo(f"combined/{path.name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    for name in ("ui_details.csv", "app_details.csv"):
        shutil.move(data / "rico" / name, site / name)
    shutil.rmtree(data / "rico")


def _fetch(manifest: str, data: str, address: str) -> None:
    report = fetch(read_manifest(manifest), _SOURCES, data, FetchOptions(mirror=address))
    print(bold("fetched"))
    print(report_text(report))
    if report.failures:
        raise BuildError("\n".join(report.failures))


def _refuse_others(out: str) -> bool:
    """Lets through a folder that is new, empty, or an earlier demo's; says if it is the last."""
    if not os.path.isdir(out) or not os.listdir(out):
        return False
    ours = {*DATASETS, *(f".{name}.building" for name in DATASETS)}
    found = set(os.listdir(out))
    if not found <= ours:
        raise UserError(f"--out: {out} holds something else than a demo; choose another folder")
    return any(os.path.exists(os.path.join(out, name, FINISHED)) for name in DATASETS)
