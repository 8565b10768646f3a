"""A folder that appears whole or not at all."""

import contextlib
import os
import shutil
from collections.abc import Iterator

from pipelines.errors import UserError


@contextlib.contextmanager
def new_folder(out: str) -> Iterator[str]:
    """Gives a hidden folder beside `out` that becomes `out` when the block ends well.

    Raises:
        UserError: If `out` is there already, or cannot be made or written.
    """
    if os.path.lexists(out):
        raise UserError(f"--out: {out} is there already; choose a new folder")
    parent, name = os.path.split(out)
    hidden = os.path.join(parent, f".{name}.{os.getpid()}.exporting")
    try:
        os.makedirs(hidden)
        yield hidden
        os.rename(hidden, out)
    except OSError as error:
        raise UserError(f"--out: cannot write {out}: {error.strerror}") from error
    finally:
        shutil.rmtree(hidden, ignore_errors=True)
