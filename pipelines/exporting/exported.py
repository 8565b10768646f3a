"""What an export wrote."""

import dataclasses

from pipelines.terminal import table


@dataclasses.dataclass(frozen=True, slots=True)
class ExportedFile:
    """One file that was written. `path` is relative to the export's folder.

    `answers` are those of its questions in the released layout, and the examples, one an
    answer, in one for a chat. `left_out` are questions of the split that the build does not
    know the answer to, as the file wants it.
    """

    path: str
    questions: int
    answers: int
    left_out: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Exported:
    """A finished export: its folder and its files, what its layout is called, its pictures."""

    out: str
    files: tuple[ExportedFile, ...]
    layout: str = "released layout"
    pictures: int | None = None


def exported_text(exported: Exported) -> str:
    """Returns what an export tells the person who ran it."""
    where = f"{exported.layout}: {exported.out}"
    if exported.pictures is None:
        rows = [(file.path, file.questions, file.answers) for file in exported.files]
        return f"{table(('file', 'questions', 'answers'), rows, '<>>')}\n\n{where}"
    counts = [(f.path, f.questions, f.answers, f.left_out or None) for f in exported.files]
    written = table(("file", "questions", "examples", "questions left out"), counts, "<>>>")
    return f"{written}\n\npictures: {exported.pictures:,}\n{where}"
