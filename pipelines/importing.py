"""`screenset import`: Label Studio exports turned into a file of annotation events."""

import contextlib
import csv
import dataclasses
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TextIO

from pipelines.errors import UserError
from pipelines.terminal import safe, table
from pipelines.verification_report import verification_lines
from schemas.annotations import AnnotationEvent, EventStatus
from schemas.geometry import Size
from schemas.rejects import Outcome, Reject, RejectedRecordError, Tally
from transforms.annotation.event_reading import event_line
from transforms.annotation.label_studio.controls import pass_named
from transforms.annotation.label_studio.exports import ImportOptions, read_export
from transforms.annotation.label_studio.formats import Survey, survey_export
from transforms.annotation.label_studio.users import Users
from transforms.annotation.verification import plain_rates
from transforms.files import SourceError
from transforms.identifying import normalize_id

_SUFFIX = ".jsonl"
_OUTCOMES = (Outcome.READ, Outcome.KEPT, EventStatus.CANCELLED, EventStatus.DRAFT)


@dataclasses.dataclass(frozen=True, slots=True)
class Imported:
    """What an import did: counts by file and outcome, rejects by reason, events by pass."""

    out: str
    rejects: str
    counts: Mapping[str, Mapping[str, int]]
    reasons: Mapping[str, int]
    passes: Mapping[str, int]
    reviews: tuple[AnnotationEvent, ...] = ()
    """Submitted reviews of short answers."""


def import_options(
    users: Users,
    *,
    has_user_map: bool,
    pass_: str | None = None,
    instance: str = "main",
    sizes: str | None = None,
) -> ImportOptions:
    """Returns how exports are to be read, as the command's flags say.

    Raises:
        UserError: A flag's value is none that it takes.
    """
    try:
        of_pass = None if pass_ is None else pass_named(pass_)
    except ValueError as error:
        raise UserError(f"--pass: {error}") from error
    if not instance.strip() or "@" in instance:
        raise UserError("--instance: name the installation, without an address")
    known = {} if sizes is None else read_sizes(sizes)
    return ImportOptions(users, has_user_map, instance, of_pass, known)


def import_exports(
    exports: Sequence[str], out: str, options: ImportOptions, *, fresh: bool = False
) -> Imported:
    """Writes the events of snapshot exports into one file, and the rejects beside it.

    Both files appear whole or not at all.

    Args:
        exports: The exports; one that is named twice is read once.
        out: The file of events to make, `.jsonl`.
        options: How to read them.
        fresh: Whether to replace files that are there.

    Raises:
        UserError: With one sentence; nothing is written then.
    """
    rejects = rejects_path(out)
    _refuse_out(out, rejects, fresh=fresh)
    try:
        surveys = {path: survey_export(path, options.pass_) for path in dict.fromkeys(exports)}
        # All addresses are known before a text is written: people mention one another.
        for survey in surveys.values():
            options.users.remember(survey.names)
        with _written_whole(out) as events, _written_whole(rejects) as refused:
            return _write(surveys, options, (out, events), (rejects, refused))
    except SourceError as error:
        raise UserError(str(error)) from error


def rejects_path(out: str) -> str:
    """Returns the file that the rejects of an import go to, beside its events."""
    return f"{out.removesuffix(_SUFFIX)}.rejects{_SUFFIX}"


def imported_text(imported: Imported) -> str:
    """Returns what an import did: a line an export, the reasons of rejects, how to go on.

    The figures on verified short answers are of these exports alone, a task that was done
    twice by one person counted once.
    """
    rows = [(safe(os.path.basename(path)), *_row(c)) for path, c in imported.counts.items()]
    if len(rows) > 1:
        total: Counter[str] = Counter()
        for counts in imported.counts.values():
            total.update(counts)
        rows.append(("all", *_row(total)))
    header = ("annotations of", "read", "kept", "rejected", "cancelled", "drafts")
    parts = [table(header, rows, "<>>>>>")]
    if imported.reasons:
        parts.append(table(("rejected because", "count"), sorted(imported.reasons.items()), "<>"))
    if imported.passes:
        parts.append(table(("submitted events", "count"), imported.passes.items(), "<>"))
    if imported.reviews:
        parts.append("\n".join(verification_lines(plain_rates(imported.reviews))))
    parts.append(f"events:  {imported.out}\nrejects: {imported.rejects}")
    return "\n\n".join(parts)


def read_sizes(path: str) -> dict[str, Size]:
    """Returns picture sizes by screen id, from CSV with screen_id, width and height.

    Raises:
        UserError: The file is no such CSV.
    """
    sizes = {}
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            for number, row in enumerate(csv.DictReader(file), start=2):
                try:
                    size = Size(int(row["width"]), int(row["height"]))
                    sizes[normalize_id(row["screen_id"])] = size
                except (KeyError, TypeError, ValueError, RejectedRecordError):
                    size = Size(0, 0)
                if min(size) < 1:
                    raise UserError(
                        f"--sizes: {path}:{number}: needs screen_id, width and height in pixels"
                    )
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"--sizes: cannot read {path}") from error
    return sizes


def _refuse_out(out: str, rejects: str, *, fresh: bool) -> None:
    if not out.endswith(_SUFFIX) or os.path.basename(out) == _SUFFIX:
        raise UserError(f"--out: {out} must end with {_SUFFIX}, as files of events do")
    for path in (out, rejects):
        if os.path.isdir(path):
            raise UserError(f"--out: {path} is a folder")
        if os.path.lexists(path) and not fresh:
            raise UserError(f"--out: {path} is there already; add --fresh to replace it")


@contextlib.contextmanager
def _written_whole(path: str) -> Iterator[TextIO]:
    """Opens a file that is renamed to `path` when the block ends well, and deleted otherwise."""
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        with open(temporary, "w", encoding="utf-8") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise UserError(f"--out: cannot write {path}: {error.strerror}") from error
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


def _write(
    surveys: Mapping[str, Survey],
    options: ImportOptions,
    events: tuple[str, TextIO],
    rejects: tuple[str, TextIO],
) -> Imported:
    counts: dict[str, Counter[str]] = {}
    reasons: Counter[str] = Counter()
    passes: Counter[str] = Counter()
    reviews = []
    for path, survey in surveys.items():
        found = counts.setdefault(path, Counter())
        for item in read_export(path, options, survey):
            if isinstance(item, AnnotationEvent):
                # Texts are clean already; ids and labels are not, and might be anything.
                events[1].write(options.users.clean(event_line(item)) + "\n")
                passes[item.pass_] += item.status is EventStatus.SUBMITTED
                if item.short_answers is not None:
                    reviews.append(item)
            elif isinstance(item, Reject):
                found["rejected"] += 1
                reasons[item.reason] += 1
                line = json.dumps(dataclasses.asdict(item), ensure_ascii=False)
                rejects[1].write(options.users.clean(line) + "\n")
            elif isinstance(item, Tally):
                found[item.outcome] += item.count
    return Imported(events[0], rejects[0], counts, reasons, +passes, tuple(reviews))


def _row(counts: Mapping[str, int]) -> tuple[int, ...]:
    read, kept, cancelled, drafts = (counts.get(outcome, 0) for outcome in _OUTCOMES)
    return read, kept, counts.get("rejected", 0), cancelled, drafts
