"""What lies in the sources: found or missing, how many files, bytes, records, and digests."""

import dataclasses
import glob
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence

from pipelines.errors import UserError
from pipelines.fetching.unpacking import is_unfinished
from schemas.manifest import (
    SCREEN_KINDS,
    SCREENS_RECIPE,
    SYNC_EVIDENCE_KINDS,
    Dataset,
    Images,
    Manifest,
    Source,
    SourceKind,
    SplitBy,
    UnknownApp,
)
from schemas.rejects import Tally
from schemas.screens import AppRow, ScreenRef
from schemas.splits import SPLITS
from transforms.annotation.event_reading import EventFile, find_event_files, read_screen_ids
from transforms.files import SourceError, file_digest
from transforms.identifying import id_order
from transforms.sources import rico, screenqa
from transforms.sources.reading import Selection, SourceFile, list_screens, read_evidence

_QUESTION_KINDS = (SourceKind.SCREENQA_ANSWERS, SourceKind.SCREENQA_SHORT_ANSWERS)


@dataclasses.dataclass(frozen=True, slots=True)
class Found:
    """One source as it lies on this machine.

    `digest` is the SHA-256 of a file's bytes (of several: of their digests); for a folder
    of screens it is that of all names and sizes, since reading every picture twice would
    double the work (each picture's own digest is in its row's place in `splits/`).
    `records` are screens, questions or rows. `missing` names what is not there.
    `picture_bytes` are those of each screen's picture file, by id; `apps` those that the
    source itself names.
    """

    source: Source
    files: tuple[SourceFile, ...]
    size_bytes: int
    records: int
    digest: str
    screen_ids: frozenset[str]
    missing: tuple[str, ...]
    picture_bytes: Mapping[str, int] = dataclasses.field(default_factory=dict)
    apps: frozenset[str] = frozenset()


@dataclasses.dataclass(frozen=True, slots=True)
class Inventory:
    """All sources of one data set, by name, and what they mean together."""

    dataset: Dataset
    found: Mapping[str, Found]

    def files_of(self, names: Sequence[str]) -> tuple[SourceFile, ...]:
        """Returns the files of the named sources."""
        return tuple(file for name in names for file in self.found[name].files)

    @property
    def input_bytes(self) -> int:
        """Bytes of all files."""
        return sum(found.size_bytes for found in self.found.values())

    @property
    def asked_ids(self) -> frozenset[str]:
        """Ids of the screens that questions are about; of all if it needs no questions."""
        if self.dataset.recipe == SCREENS_RECIPE:
            return self._listed_ids
        sources = self.dataset.sources
        names = sources.answers + sources.short_answers + sources.events
        return frozenset().union(*(self.found[name].screen_ids for name in names))

    @property
    def ready_ids(self) -> frozenset[str]:
        """Ids of the asked screens that can be built: with a picture, if pictures are stored."""
        if self.dataset.images is Images.NONE:
            return self.asked_ids
        return self.asked_ids & self._listed_ids

    @property
    def _listed_ids(self) -> frozenset[str]:
        sources = self.dataset.sources.screens
        return frozenset().union(*(self.found[name].screen_ids for name in sources))

    def first_ids(self, limit: int | None) -> frozenset[str] | None:
        """Returns the ids of the first `limit` buildable screens in id order; None for all."""
        if limit is None or limit >= len(self.ready_ids):
            return None
        return frozenset(sorted(self.ready_ids, key=id_order)[:limit])


def take_inventory(
    dataset: Dataset, manifest: Manifest, data: str, overrides: Mapping[str, str]
) -> Inventory:
    """Returns what lies in the sources of a data set.

    Question files are read whole: their digests are needed, their screens bound the
    build, and a broken file is better found now than by a worker.

    Args:
        dataset: The data set.
        manifest: Its manifest.
        data: Folder that the manifest's paths are relative to.
        overrides: Paths of single sources, by name.

    Raises:
        UserError: If a file that is there cannot be read as what it should be.
    """
    used = dict.fromkeys(dataset.sources.names())
    if dataset.images is Images.NONE:
        for name in dataset.sources.screens:
            del used[name]
    found = {}
    for name in used:
        try:
            found[name] = _look_for(manifest.sources[name], data, overrides.get(name))
        except SourceError as error:
            raise UserError(f"source {name}: {error}") from error
        except OSError as error:
            raise UserError(f"source {name}: {error.filename}: {error.strerror}") from error
    sources = dataclasses.replace(
        dataset.sources,
        screens=tuple(name for name in dataset.sources.screens if name in used),
    )
    return Inventory(dataclasses.replace(dataset, sources=sources), found)


def missing_sources(inventory: Inventory) -> list[str]:
    """Returns a sentence for each path that a source needs and that is not there.

    A source that is `optional` may be missing as a whole; an empty folder is as good as
    a missing one.
    """
    sentences = []
    splits = inventory.dataset.splits
    needs_apps = splits.by is SplitBy.APP and splits.unknown_app is UnknownApp.REJECT
    for name, found in inventory.found.items():
        optional = found.source.optional and not found.files
        if needs_apps and name == inventory.dataset.sources.apps:
            optional = False  # Without it, every screen would be rejected.
        sentences += [] if optional else [f"source {name}: {what}" for what in found.missing]
    return sentences


def _look_for(source: Source, data: str, override: str | None) -> Found:
    if override is not None and os.path.isfile(override) and len(source.files) > 1:
        raise SourceError(f"{override} is one file, but {', '.join(source.files)} each need one")
    files: list[SourceFile] = []
    missing = []
    for split, root, pattern in _places(source, data, override):
        found = list(_matches(source, root, pattern, literal=override is not None))
        if not found:
            verb = "matches nothing" if glob.has_magic(pattern) else "is not there"
            missing.append(f"{os.path.join(root, pattern)} {verb}")
        for path, name in found:
            if is_unfinished(path):
                raise SourceError(f"{path} is not unpacked to its end; run screenset fetch again")
            cleaned = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            files.append(SourceFile(source.name, source.kind, path, cleaned, split))
    if source.kind in SCREEN_KINDS:
        return _found_screens(source, files, missing)
    return _found_files(source, files, missing)


def _places(
    source: Source, data: str, override: str | None
) -> Iterator[tuple[str | None, str, str]]:
    """Yields (split, folder, path or pattern in it) of each file or folder of a source."""
    if source.path is not None:
        yield None, *((data, source.path) if override is None else os.path.split(override))
        return
    for split, path in source.files.items():
        if override is None:
            yield split, data, path
        elif os.path.isdir(override):
            yield split, override, os.path.basename(path)
        else:
            yield split, *os.path.split(override)


def _matches(
    source: Source, root: str, pattern: str, *, literal: bool
) -> Iterator[tuple[str, str]]:
    """Yields (path, name) of what a path or a pattern below `root` stands for."""
    names = [pattern]
    if glob.has_magic(pattern) and not literal:
        names = sorted(glob.glob(pattern, root_dir=root))
    for name in names:
        path = os.path.join(root, name)
        if source.kind is SourceKind.ANNOTATION_EVENTS and os.path.isdir(path):
            for event_file in find_event_files([path]):
                yield event_file.path, os.path.join(name, event_file.name)
        elif os.path.exists(path):
            yield path, name


def _found_screens(source: Source, files: list[SourceFile], missing: list[str]) -> Found:
    ids: set[str] = set()
    apps: set[str] = set()
    pictures = {}
    total = 0
    digest = hashlib.sha256()
    for file in files:
        if not os.path.isdir(file.path):
            raise SourceError(f"{file.path} is no folder")
        before = len(ids)
        for ref in list_screens(file):
            if isinstance(ref, ScreenRef):
                ids.add(ref.screen_id)
                apps.update(filter(None, [ref.app]))
                for name in filter(None, (ref.image, ref.hierarchy)):
                    size = _size_of(os.path.join(file.path, name))
                    total += size
                    if name == ref.image:
                        pictures[ref.screen_id] = size
                    digest.update(f"{name}\t{size}\n".encode("utf-8", "surrogateescape"))
        if len(ids) == before:
            missing.append(f"{file.path} holds no screens ({_expected_layout(file.kind)})")
    return Found(
        source=source,
        files=tuple(files),
        size_bytes=total,
        records=len(ids),
        digest=digest.hexdigest(),
        screen_ids=frozenset(ids),
        missing=tuple(missing),
        picture_bytes=pictures,
        apps=frozenset(apps),
    )


def _size_of(path: str) -> int:
    """Returns a file's size; 0 for a link to nowhere, which is rejected when it is read."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _found_files(source: Source, files: list[SourceFile], missing: list[str]) -> Found:
    digests = []
    total = records = 0
    ids: set[str] = set()
    for file in files:
        if not os.path.isfile(file.path):
            # Opening a pipe would wait forever.
            kind = "a folder" if os.path.isdir(file.path) else "no ordinary file"
            raise SourceError(f"{file.path} is {kind}, not a file to read")
        total += os.path.getsize(file.path)
        digests.append(file_digest(file.path))
        for screen_id in _records_of(file):
            records += 1
            if screen_id:
                ids.add(screen_id)
    digest = digests[0] if len(digests) == 1 else _combined(digests)
    if source.sha256 is not None and files and digest != source.sha256:
        raise SourceError(f"{files[0].path} has sha256 {digest}, the manifest says {source.sha256}")
    return Found(source, tuple(files), total, records, digest, frozenset(ids), tuple(missing))


def _records_of(file: SourceFile) -> Iterator[str]:
    """Yields the screen id of each record of a file, empty for one without."""
    if file.kind is SourceKind.ANNOTATION_EVENTS:
        yield from read_screen_ids(EventFile(file.path, file.name))
    elif file.kind is SourceKind.SPLIT_LISTS:
        yield from rico.read_split_list(file.path)
    elif file.kind in _QUESTION_KINDS:
        yield from map(screenqa.screen_id_of, screenqa.read_records(file.path))
    else:
        for record in _parsed(file):
            yield getattr(record, "screen_id", "")


def _parsed(file: SourceFile) -> Iterator[object]:
    if file.kind in SYNC_EVIDENCE_KINDS:
        return (item for item in read_evidence(file, Selection()) if not isinstance(item, Tally))
    if file.kind is SourceKind.RICO_UI_DETAILS:
        return rico.read_ui_details(file.path, file.source)
    return rico.read_app_details(file.path, file.source)


def unknown_blocked(inventory: Inventory) -> list[str]:
    """Returns what the block list names and no source has: a typo would undo a take-down."""
    blocked = inventory.dataset.blocked
    found = inventory.found.values()
    screens = blocked.screens.difference(*(source.screen_ids for source in found))
    apps = blocked.apps.difference(*(source.apps for source in found))
    if apps and inventory.dataset.sources.apps:
        for file in inventory.found[inventory.dataset.sources.apps].files:
            rows = rico.read_ui_details(file.path, file.source)
            apps -= {row.package for row in rows if isinstance(row, AppRow)}
    return [f"screen {name}" for name in sorted(screens, key=id_order)] + [
        f"app {name}" for name in sorted(apps)
    ]


def split_lists(inventory: Inventory) -> dict[str, dict[str, str]]:
    """Returns the split of each screen of the other data sets to look for leaks against."""
    lists: dict[str, dict[str, str]] = {}
    for name in inventory.dataset.sources.leaks_against:
        by_id = lists.setdefault(name, {})
        for split in SPLITS:
            for file in inventory.found[name].files:
                if file.split == split:
                    by_id.update(dict.fromkeys(rico.read_split_list(file.path), split))
    return lists


def _combined(digests: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()


def _expected_layout(kind: SourceKind) -> str:
    return {
        SourceKind.RICO_COMBINED: "expected <id>.jpg and <id>.json",
        SourceKind.RICO_TRACES: "expected <package>/trace_<n>/screenshots/<k>.jpg",
        SourceKind.IOS_CAPTURED: "expected pictures and a screens.csv with file, app and order",
        SourceKind.ITUNES: "expected what `screenset fetch` leaves there",
    }[kind]
