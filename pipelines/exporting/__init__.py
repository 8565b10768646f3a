"""`screenset export`: a finished build in the layouts that others read."""

from pipelines.exporting.exported import Exported, ExportedFile, exported_text
from pipelines.exporting.released import answers_record, export, short_answers_record

__all__ = [
    "Exported",
    "ExportedFile",
    "answers_record",
    "export",
    "exported_text",
    "short_answers_record",
]
