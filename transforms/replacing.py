"""Small files, written whole or not at all."""

import contextlib
import os


def write_text(path: str, text: str) -> None:
    """Writes a small text file whole: under a temporary name first, then renamed.

    Raises:
        OSError: If that cannot be done, naming `path`; nothing of it is left then.
    """
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, path) from error
        raise
