"""The folder that tasks are written into: whole or not at all, one task after another."""

import contextlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from typing import TextIO

from pipelines.errors import UserError
from pipelines.terminal import size
from transforms.annotation.label_studio.tasks import Task

_MAX_UPLOAD = 250 << 20
"""Bytes of a file that Label Studio takes as it comes (DATA_UPLOAD_MAX_MEMORY_SIZE)."""


def refuse_occupied(out: str) -> None:
    """Raises a `UserError` if something lies where the folder is to be made."""
    if os.path.lexists(out) and (not os.path.isdir(out) or os.listdir(out)):
        raise UserError(f"--out: {out} holds other files; choose a new or an empty folder")


@contextlib.contextmanager
def new_folder(out: str) -> Iterator[str]:
    """Opens a hidden folder that becomes `out` when the block ends well and wrote something."""
    parent, name = os.path.split(os.path.abspath(out))
    work = os.path.join(parent, f".{name}.{os.getpid()}")
    os.makedirs(work)
    try:
        yield work
        if os.listdir(work):
            os.rename(work, out)
    finally:
        shutil.rmtree(work, ignore_errors=True)


class TaskFiles(contextlib.AbstractContextManager["TaskFiles"]):
    """Writes JSON lists item by item: an import file may be larger than memory."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._open: dict[str, TextIO] = {}

    def write(self, name: str, task: Task) -> None:
        """Adds a task to a file. Numbers are written in full."""
        file = self._open.get(name)
        if file is None:
            file = open(os.path.join(self._folder, name), "w", encoding="utf-8")  # noqa: SIM115
            self._open[name] = file
            file.write("[\n")
        else:
            file.write(",\n")
        file.write(json.dumps(task, ensure_ascii=False, allow_nan=False))

    def __exit__(self, *_: object) -> None:
        """Ends the lists."""
        for file in self._open.values():
            file.write("\n]\n")
            file.close()


def size_notes(folder: str, names: Iterable[str]) -> Iterator[str]:
    """Yields a sentence for each file that is too large to be uploaded as it is."""
    for name in sorted(names):
        n_bytes = os.path.getsize(os.path.join(folder, name))
        if n_bytes > _MAX_UPLOAD:
            yield (
                f"note: {name} has {size(n_bytes)}, Label Studio takes {size(_MAX_UPLOAD)}: use "
                "--limit, or raise its DATA_UPLOAD_MAX_MEMORY_SIZE"
            )
