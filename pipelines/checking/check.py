"""`screenset check`: a finished build held against all rules; the report in its folder."""

import contextlib
import dataclasses
import json
import os
from collections.abc import Mapping
from typing import Any

from pipelines.checking.reading_at_once import read_shards
from pipelines.checking.rules import RULES, result_of
from pipelines.checking.shard_reading import ShardTask
from pipelines.checking.subjects import Subject
from pipelines.errors import UserError
from pipelines.finished_builds import FinishedBuild, open_build
from pipelines.pages.rendering import render
from pipelines.terminal import bold, counted, safe, table
from schemas.builds import CHECK, CHECK_PAGE
from schemas.checks import LONGEST_LIST, CheckOutcome, CheckReport, CheckResult
from transforms.replacing import write_text

_WORDS = {
    CheckOutcome.PASSED: "passed",
    CheckOutcome.FAILED: "FAILED",
    CheckOutcome.ERRORED: "UNKNOWN",
    CheckOutcome.NOT_APPLICABLE: "–",
}
_WRONG = (CheckOutcome.FAILED, CheckOutcome.ERRORED)


def check(folder: str, *, decode_images: bool = True, workers: int | None = None) -> CheckReport:
    """Checks a finished build and writes `check.json` and `check.html` into its folder.

    An earlier report is removed first, so that a check that is stopped leaves none.

    Args:
        folder: Folder of the build.
        decode_images: Whether to decode every picture.
        workers: Processes to read shards with; None to choose by cores and amount.

    Raises:
        UserError: If there is no finished build, or its folder cannot be written to.
        BuildError: If a process that read shards died.
    """
    build = open_build(folder)
    _remove_reports(build)
    report = checked(build, decode_images=decode_images, workers=workers)
    page = render("check.html.j2", page_values(report))
    try:
        write_text(build.path(CHECK_PAGE), _writable(page))
        # Last, since this is what `publish` goes by.
        write_text(build.path(CHECK), report_text(report))
    except OSError as error:
        raise UserError(f"{folder}: cannot write {CHECK}: {error.strerror}") from error
    return report


def checked(
    build: FinishedBuild, *, decode_images: bool = True, workers: int | None = None
) -> CheckReport:
    """Returns what all rules say of a build; nothing is written."""
    digest = build.digest
    tasks = [
        ShardTask(
            build.path(shard.path), shard, build.row_types[shard.configuration], decode_images
        )
        for shard in build.shards
        if shard.configuration in build.row_types
    ]
    subject = Subject(build, read_shards(tasks, workers), decode_images)
    return CheckReport(
        dataset=build.name,
        version=build.version,
        fingerprint=str(build.summary.get("fingerprint", "")),
        build_sha256=digest,
        images_decoded=decode_images and subject.build.has_pictures,
        results=tuple(result_of(rule, subject) for rule in RULES),
    )


def read_check(build: FinishedBuild) -> CheckReport | None:
    """Returns the report in a build's folder; None if there is none, or it is of another build.

    Raises:
        UserError: If it is damaged.
    """
    plain = build.report(CHECK)
    if plain is None:
        return None
    try:
        report = report_of(plain)
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{build.path(CHECK)}: is damaged; check the build anew") from error
    return report if report.build_sha256 == build.digest else None


def report_text(report: CheckReport) -> str:
    """Returns a report as the JSON of `check.json`."""
    plain = {"passed": report.passed, **dataclasses.asdict(report)}
    return _writable(json.dumps(plain, indent=1, ensure_ascii=False)) + "\n"


def report_of(plain: Mapping[str, Any]) -> CheckReport:
    """Returns the report that `report_text` wrote.

    Raises:
        KeyError: If something is missing, as `TypeError` and `ValueError` if it is no report.
    """
    fields = {field.name: plain[field.name] for field in dataclasses.fields(CheckReport)}
    results = tuple(_result_of(result) for result in fields.pop("results"))
    report = CheckReport(results=results, **fields)
    if plain["passed"] is not report.passed:
        raise ValueError("it says something else than its results do")
    return report


def check_text(report: CheckReport, folder: str) -> str:
    """Returns what a check tells the person who ran it."""
    rows = [(r.rule, _WORDS[r.outcome], safe(_subject_of(r))) for r in report.results]
    lines = [table(("rule", "outcome", "looked at"), rows)]
    for result in report.results:
        if result.outcome in _WRONG:
            lines += ["", *_details(result)]
    lines += ["", closing_text(report, folder)]
    return "\n".join(lines)


def closing_text(report: CheckReport, folder: str) -> str:
    """Returns whether a build passed, and where to read more."""
    return f"{_closing(report)}\ncheck page: {os.path.join(folder, CHECK_PAGE)}"


def _subject_of(result: CheckResult) -> str:
    return result.note if result.outcome is CheckOutcome.NOT_APPLICABLE else result.looked_at


def page_values(report: CheckReport) -> dict[str, Any]:
    """Returns what the page of a report shows."""
    counts = {
        outcome.value: sum(result.outcome is outcome for result in report.results)
        for outcome in CheckOutcome
    }
    return {
        "report": report,
        "passed": report.passed,
        "closing": _closing(report),
        "counts": counts,
        "wrong": _wrong(report),
        "results": report.results,
        "longest": LONGEST_LIST,
    }


def _details(result: CheckResult) -> list[str]:
    head = bold(f"{result.rule}: {result.title}")
    lines = [head, *(f"  {_one_line(finding)}" for finding in result.findings)]
    if result.n_findings > len(result.findings):
        lines.append(f"  … and {result.n_findings - len(result.findings):,} more")
    if result.outcome is CheckOutcome.ERRORED:
        lines.append(f"  this could not be looked at: {_one_line(result.note)}")
    return lines


def _closing(report: CheckReport) -> str:
    name = safe(f"{report.dataset} {report.version}")
    looked = sum(result.outcome is CheckOutcome.PASSED for result in report.results)
    if report.passed:
        undecoded = "" if report.images_decoded else "; no picture was decoded"
        return f"{name} passed: {counted(looked, 'rule')} hold{undecoded}"
    wrong = _wrong(report)
    broke = sum(result.outcome is CheckOutcome.ERRORED for result in wrong)
    failed = [f"{counted(len(wrong) - broke, 'rule')} failed"] if len(wrong) > broke else []
    broken = [f"{counted(broke, 'rule')} could not be looked at"] if broke else []
    return f"{name} did not pass: {', '.join(failed + broken) or 'nothing was checked'}"


def _wrong(report: CheckReport) -> list[CheckResult]:
    return [result for result in report.results if result.outcome in _WRONG]


def _writable(text: str) -> str:
    """Returns text that UTF-8 can carry: half an emoji, as JSON may hold one, spelled out."""
    return text.encode("utf-8", "backslashreplace").decode()


def _one_line(text: str) -> str:
    return safe(" ".join(text.split()))


def _result_of(plain: Mapping[str, Any]) -> CheckResult:
    fields = {field.name: plain[field.name] for field in dataclasses.fields(CheckResult)}
    fields["outcome"] = CheckOutcome(fields["outcome"])
    fields["findings"] = tuple(fields["findings"])
    return CheckResult(**fields)


def _remove_reports(build: FinishedBuild) -> None:
    for name in (CHECK, CHECK_PAGE):
        try:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(build.path(name))
        except OSError as error:
            raise UserError(f"{build.path(name)}: cannot be replaced: {error.strerror}") from error
