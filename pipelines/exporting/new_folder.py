"""A folder that appears whole or not at all."""

import contextlib
import glob
import os
import shutil
from collections.abc import Iterator

from pipelines.errors import UserError


@contextlib.contextmanager
def new_folder(out: str) -> Iterator[str]:
    """Gives a hidden folder beside `out` that becomes `out` when the block ends well.

    What a process that was killed has left of such a folder goes first.

    Raises:
        UserError: If `out` is there already, or cannot be made or written.
    """
    if os.path.lexists(out):
        raise UserError(f"--out: {out} is there already; choose a new folder")
    parent, name = os.path.split(out)
    hidden = os.path.join(parent, f".{name}.{os.getpid()}.exporting")
    try:
        _remove_left(parent, name)
        os.makedirs(hidden)
        yield hidden
        os.rename(hidden, out)
    except OSError as error:
        raise UserError(f"--out: cannot write {out}: {error.strerror}") from error
    finally:
        shutil.rmtree(hidden, ignore_errors=True)


def _remove_left(parent: str, name: str) -> None:
    beginning, end = os.path.join(parent, f".{name}."), ".exporting"
    for left in glob.glob(f"{glob.escape(beginning)}*{end}"):
        number = left.removeprefix(beginning).removesuffix(end)
        if number.isascii() and number.isdigit() and not _runs(int(number)):
            shutil.rmtree(left)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True  # Somebody else's, or none of ours: not for us to touch.
    return True
