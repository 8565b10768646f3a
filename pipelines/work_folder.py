"""The folder of a build in work: hidden, locked, resumable; renamed whole when finished.

Beside the output folder `NAME` lies `.NAME.building/` while a build is in work. Readers
that walk the parent folder do not look into it; nothing half-written is ever loadable.
"""

import contextlib
import dataclasses
import fcntl
import json
import os
import shutil
from collections.abc import Iterator

from pipelines.errors import UserError
from schemas.builds import DOCUMENTS, FINISHED
from transforms.replacing import write_text


@dataclasses.dataclass(frozen=True, slots=True)
class WorkFolder:
    """Paths inside the folder of a build in work. `data` becomes the output folder."""

    out: str
    root: str

    @property
    def data(self) -> str:
        """What becomes the finished data set."""
        return os.path.join(self.root, "data")

    @property
    def notes(self) -> str:
        """Notes on finished shards, for a build that goes on later."""
        return os.path.join(self.root, "notes")

    @property
    def progress(self) -> str:
        """Counts of the workers."""
        return os.path.join(self.root, "progress")

    @property
    def results(self) -> str:
        """What the pipeline says of itself."""
        return os.path.join(self.root, "results.json")


@contextlib.contextmanager
def open_work_folder(out: str, fingerprint: str, *, fresh: bool) -> Iterator[WorkFolder]:
    """Opens the work folder for an output folder, held by a lock until the block ends.

    A folder left by a killed build of the same fingerprint is used again; so its finished
    shards are kept.

    Args:
        out: The output folder that is to come.
        fingerprint: Digest of everything that the output depends on.
        fresh: Whether to replace a finished build, or begin anew what was left.

    Raises:
        UserError: If `out` holds anything but a finished build of ours, or one while not
            `fresh`; if another process is at work; if what was left has another
            fingerprint, while not `fresh`.
    """
    out = os.path.realpath(out)
    parent, name = os.path.split(out)
    root = os.path.join(parent, f".{name}.building")
    _bring_back(out, os.path.join(root, "retired"))
    refuse_occupied(out, fresh=fresh)
    folder = WorkFolder(out, root)
    try:
        os.makedirs(folder.root, exist_ok=True)
    except OSError as error:
        raise UserError(f"--out: cannot make {folder.root}: {error.strerror}") from error
    with open(os.path.join(folder.root, "lock"), "a+", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(f"another build of {out} is at work; wait for it or end it") from None
        _begin_or_resume(folder, fingerprint, fresh=fresh)
        yield folder


def promote(folder: WorkFolder, *, fresh: bool) -> None:
    """Makes the finished data the output folder, in one rename, and clears up.

    A finished build that is replaced is moved aside first and deleted last; a build that
    is killed in between brings it back when it is run again.

    Raises:
        UserError: If something was put into the output folder while the build ran.
    """
    refuse_occupied(folder.out, fresh=fresh)
    if os.path.exists(folder.out):
        os.rename(folder.out, os.path.join(folder.root, "retired"))
    os.rename(folder.data, folder.out)
    shutil.rmtree(folder.root)


def remove_strangers(folder: WorkFolder, paths: set[str]) -> None:
    """Deletes all files of the data folder but `paths`: shards of an earlier attempt."""
    for parent, _, names in os.walk(folder.data):
        for name in names:
            path = os.path.join(parent, name)
            if os.path.relpath(path, folder.data) not in paths:
                os.unlink(path)


def refuse_strangers(out: str) -> None:
    """Refuses to replace a finished build in whose folder somebody has put other files.

    Raises:
        UserError: It names one of them.
    """
    with open(os.path.join(out, FINISHED), encoding="utf-8") as file:
        summary = json.load(file)
    if "files" not in summary:
        raise UserError(
            f"--out: {out} was built by an earlier version of screenset; move it away first"
        )
    listed = [*summary["shards"], *summary["files"]]
    ours = {FINISHED, *DOCUMENTS, *(file["path"] for file in listed)}
    for parent, _, names in os.walk(out):
        for name in names:
            path = os.path.relpath(os.path.join(parent, name), out)
            if path not in ours:
                raise UserError(f"--out: {path} in {out} is not of the build; move it away first")


def _bring_back(out: str, retired: str) -> None:
    """Puts back a finished build whose replacement was killed between two renames."""
    if not os.path.isdir(retired):
        return
    if os.path.exists(out):
        shutil.rmtree(retired)
    else:
        os.rename(retired, out)


def refuse_occupied(out: str, *, fresh: bool) -> None:
    """Refuses an output folder that holds anything but, if `fresh`, a finished build.

    Raises:
        UserError: It says what is in the way.
    """
    if not os.path.lexists(out):
        return
    if not os.path.isdir(out):
        raise UserError(f"--out: {out} is not a folder")
    if os.path.ismount(out):
        raise UserError(
            f"--out: {out} is a mount point and cannot be made anew; name a folder in it"
        )
    if os.path.exists(os.path.join(out, FINISHED)):
        if not fresh:
            raise UserError(
                f"--out: {out} already holds a finished build; choose another folder, or add "
                "--fresh to replace it"
            )
        refuse_strangers(out)
    elif os.listdir(out):
        raise UserError(f"--out: {out} holds other files; choose a new or an empty folder")


def _begin_or_resume(folder: WorkFolder, fingerprint: str, *, fresh: bool) -> None:
    mark = os.path.join(folder.root, "fingerprint.json")
    if os.path.exists(mark) and not fresh:
        with open(mark, encoding="utf-8") as file:
            left = file.read()
        if left != json.dumps(fingerprint):
            raise UserError(
                f"an unfinished build of {folder.out} with other inputs, flags or code was left "
                f"in {folder.root}; add --fresh to begin anew"
            )
    else:
        for name in ("data", "notes", "fingerprint.json"):
            _delete(os.path.join(folder.root, name))
    for name in ("progress", "results.json", "log.txt"):
        _delete(os.path.join(folder.root, name))
    for path in (folder.data, folder.notes, folder.progress):
        os.makedirs(path, exist_ok=True)
    write_text(mark, json.dumps(fingerprint))


def _delete(path: str) -> None:
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.unlink(path)
