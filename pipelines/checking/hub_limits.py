"""Rules of what the Hub and its viewer carry."""

import collections
import os
from collections.abc import Iterator

from pipelines.checking.facts import ShardFacts
from pipelines.checking.subjects import Subject
from pipelines.checking.verdicts import Rule, Verdict, not_applicable, verdict
from pipelines.finished_builds import files_in
from pipelines.terminal import counted, size

VIEWER_BYTES = 300_000_000
"""What the viewer scans for one page, 286.10 MiB (huggingface/dataset-viewer issues 1519, 1771)."""
GROUP_BYTES = 100_000_000
"""Our own bound of a row group in memory, for readers that cannot chunk nested columns
(huggingface/datasets issue 7793)."""
GROUP_ROWS = 100
"""Rows of a group with pictures: a page of the viewer has 100 (its documentation)."""
CELL_BYTES = VIEWER_BYTES // 10
"""Our own bound of a picture: ten such rows alone would fill the viewer's page
(huggingface/dataset-viewer issue 1957)."""
FOLDER_FILES = 10_000
"""Entries of one folder (Hub documentation, repository limitations and recommendations)."""
REPOSITORY_FILES = 100_000
"""Files of one repository (the same)."""
FILE_BYTES = 50_000_000_000
"""Size that no file of a repository may have (the same)."""
WANTED_FILE_BYTES = 5_000_000_000
"""Size that the same page recommended longest; others read larger shards badly, too."""


def row_groups_fit_viewer(subject: Subject) -> Verdict:
    """Every row group is small enough for the viewer, and pages can be found by an index."""
    found = [text for facts in subject.shards for text in _group_problems(subject, facts)]
    groups = sum(len(facts.footer.groups) for facts in subject.shards if facts.footer)
    return verdict(groups, "row group", found)


def cells_fit_viewer(subject: Subject) -> Verdict:
    """No picture is too large for a page of the viewer."""
    if not subject.build.has_pictures:
        return not_applicable("the build has no pictures")
    if not subject.decoded:
        return not_applicable("pictures were not read, as asked")
    read = [(facts.path, facts.rows) for facts in subject.shards if facts.rows]
    found = [
        f"{path}: its largest picture has {size(rows.biggest_cell)}, "
        f"{size(CELL_BYTES)} are the most"
        for path, rows in read
        if rows.biggest_cell > CELL_BYTES
    ]
    return verdict(sum(rows.pictures for _, rows in read), "picture", found)


def files_fit_hub(subject: Subject) -> Verdict:
    """Files and folders stay within what the Hub takes."""
    folder = subject.build.folder
    sizes = {
        path: os.lstat(os.path.join(folder, path)).st_size for path in sorted(files_in(folder))
    }
    found = [
        f"{path}: has {size(bytes_)}, {size(FILE_BYTES)} are the most"
        for path, bytes_ in sizes.items()
        if bytes_ > FILE_BYTES
    ]
    folders = collections.Counter(os.path.dirname(path) or "." for path in sizes)
    found += [
        f"{folder}: has {counted(count, 'file')}, the Hub wants fewer than {FOLDER_FILES:,}"
        for folder, count in folders.items()
        if count >= FOLDER_FILES
    ]
    if len(sizes) >= REPOSITORY_FILES:
        found.append(
            f"the folder has {len(sizes):,} files, the Hub wants fewer than {REPOSITORY_FILES:,}"
        )
    large = [path for path, bytes_ in sizes.items() if WANTED_FILE_BYTES < bytes_ <= FILE_BYTES]
    note = f"larger than {size(WANTED_FILE_BYTES)}: {', '.join(large[:5])}" if large else ""
    return verdict(len(sizes), "file", found, note=note)


def _group_problems(subject: Subject, facts: ShardFacts) -> Iterator[str]:
    footer = facts.footer
    if footer is None:
        return
    pictured = subject.build.holds_pictures(facts.shard.configuration)
    for number, group in enumerate(footer.groups):
        name = f"{facts.path}: row group {number}"
        largest = max(group.raw_bytes, group.stored_bytes)
        if largest > VIEWER_BYTES:
            yield f"{name} has {size(largest)}, the Hub's viewer stops at {size(VIEWER_BYTES)}"
        elif largest > GROUP_BYTES:
            yield f"{name} has {size(largest)}, {size(GROUP_BYTES)} are the most"
        if pictured and group.rows > GROUP_ROWS:
            yield f"{name} has {group.rows:,} rows with pictures, {GROUP_ROWS} are the most"
    if not footer.has_page_index:
        yield f"{facts.path}: has no page index, which the Hub's viewer reads by"


HUB_RULES = (
    Rule("row_groups_fit_viewer", "row groups fit the Hub's viewer", row_groups_fit_viewer),
    Rule("cells_fit_viewer", "pictures fit the Hub's viewer", cells_fit_viewer),
    Rule("files_fit_hub", "files and folders fit the Hub", files_fit_hub),
)
