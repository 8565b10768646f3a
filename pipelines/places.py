"""Places that people name for output: where writing would not be what they meant."""

import os

from pipelines.errors import UserError
from schemas.builds import FINISHED, REPORT_PAGE


def refuse_place(path: str, flag: str) -> None:
    """Refuses a place that is a device, a pipe, a folder, or lies inside a finished build.

    A file is put in its place by renaming, which would put an ordinary file where a device or
    a link was; and what lies in a build is the build's, but for its report.

    Args:
        path: What was named: a file, or a folder that is to come.
        flag: The flag that named it.

    Raises:
        UserError: It says what is wrong with it.
    """
    if os.path.lexists(path) and (os.path.islink(path) or not os.path.isfile(path)):
        raise UserError(f"{flag}: {path} is there, and is no ordinary file")
    parent = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(parent):
        raise UserError(f"{flag}: there is no folder {parent}")
    folder = parent
    while True:
        if os.path.exists(os.path.join(folder, FINISHED)):
            if folder == parent and os.path.basename(path) == REPORT_PAGE:
                return
            raise UserError(f"{flag}: {path} would lie inside the finished build {folder}")
        if folder == os.path.dirname(folder):
            return
        folder = os.path.dirname(folder)
