"""Where an annotation campaign stands: its screens, and what the events so far come to.

A campaign is small beside a build: all events lie packed in memory, and one screen at a
time is unpacked, settled and forgotten. Pictures are opened one by one, and not kept.
"""

import dataclasses
import glob
import os
import urllib.parse
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from pipelines.config import Request
from pipelines.errors import UserError
from pipelines.inventory import missing_sources, take_inventory
from schemas.annotations import AnnotationEvent, AnnotationPass, EventStatus
from schemas.geometry import Bounds
from schemas.manifest import Dataset, DatasetSources, Images
from schemas.questions import AskedScreen
from schemas.readings import SyncEvidence
from schemas.rejects import Reason, Reject, RejectedRecordError
from schemas.screens import App, AppRow, ImageFacts, Screen, ScreenRef, ViewLeaf
from schemas.settlements import ScreenAnnotations, ScreenFacts
from transforms.annotation.event_reading import find_event_files, read_events
from transforms.annotation.fitting import leaf_boxes
from transforms.annotation.gates import OPEN_GATE, Gate
from transforms.annotation.label_studio.tasks import TaskScreen
from transforms.annotation.quality import make_gate, measure_quality
from transforms.annotation.settling import settle_screen
from transforms.annotation.verification import live_reviews
from transforms.files import SourceError
from transforms.identifying import id_order
from transforms.joining import find_blocked
from transforms.packing import pack, unpack
from transforms.prefiltering import judge_app
from transforms.progress import Progress
from transforms.screens.checking import (
    CHECKED,
    CheckPolicy,
    check_screen,
    read_hierarchy,
    read_image,
)
from transforms.screens.hierarchies import parse_hierarchy, visible_leaves
from transforms.screens.images import check_image
from transforms.sources.reading import Selection, SourceFile, read_source
from transforms.splits import same_pictures, settle_twins


@dataclasses.dataclass(frozen=True, slots=True)
class Look:
    """What a look at a screen's files found; both leaves are empty without a hierarchy."""

    image: ImageFacts
    leaves: tuple[ViewLeaf, ...]
    leaf_boxes: Mapping[int, Bounds]


@dataclasses.dataclass(slots=True)
class Campaign:
    """The screens of a campaign and its events so far.

    `left_out` counts events that do not count, by reason. `is_rated` is whether anybody has
    rated a screen in the prefilter pass. `refusals` are the screens that the automatic
    prefilter removes unless they are rated, once `judge` has looked at all. `blocked` are
    those that the manifest keeps out, and that are no screens of the campaign. `evidence` is
    what other data sets say on hierarchies, as far as a verdict on these removes screens.
    """

    dataset: Dataset
    refs: Mapping[str, ScreenRef]
    folders: Mapping[str, str]
    packages: Mapping[str, str]
    n_events: int = 0
    is_rated: bool = False
    gate: Gate = OPEN_GATE
    left_out: Counter[str] = dataclasses.field(default_factory=Counter)
    refusals: Mapping[str, tuple[Reason, str]] = dataclasses.field(default_factory=dict)
    blocked: frozenset[str] = frozenset()
    evidence: Mapping[str, tuple[SyncEvidence, ...]] = dataclasses.field(default_factory=dict)
    _packed: dict[str, list[bytes]] = dataclasses.field(default_factory=dict)

    @property
    def screen_ids(self) -> list[str]:
        """Ids of all screens, in their order."""
        return sorted(self.refs, key=id_order)

    @property
    def annotated_ids(self) -> list[str]:
        """Ids of the screens that have events, in their order."""
        return [screen_id for screen_id in self.screen_ids if screen_id in self._packed]

    def path_of(self, screen_id: str) -> str:
        """Returns where a screen's picture lies; it must have one."""
        ref = self.refs[screen_id]
        return os.path.join(self.folders[ref.source], ref.image or "")

    def look_at(self, screen_id: str) -> Look:
        """Returns what a screen's files hold.

        Raises:
            RejectedRecordError: The picture cannot be used; so nobody is to work on it.
        """
        ref, policy = self.refs[screen_id], self.dataset.image_check
        folder = self.folders[ref.source]
        image = check_image(read_image(ref, folder, policy.max_bytes), policy)
        if ref.hierarchy is None:
            return Look(image, (), {})
        try:
            hierarchy = parse_hierarchy(read_hierarchy(ref, folder))
            boxes = leaf_boxes(hierarchy, image.size)
            leaves = tuple(visible_leaves(hierarchy, image.size))
        except RejectedRecordError:
            return Look(image, (), {})  # As a build does: the screen stays, without one.
        return Look(image, tuple(e for e in leaves if isinstance(e, ViewLeaf)), boxes)

    def add(self, event: AnnotationEvent) -> None:
        """Takes an event in."""
        self.n_events += 1
        self._packed.setdefault(event.screen_id, []).append(pack(event))
        is_rating = event.pass_ is AnnotationPass.PREFILTER
        self.is_rated |= is_rating and event.status is EventStatus.SUBMITTED

    def settle(self, screen_id: str) -> tuple[ScreenAnnotations | None, ImageFacts] | None:
        """Returns what a screen's events come to; None if its picture cannot be used."""
        events = [unpack(packed) for packed in self._packed.get(screen_id, ())]
        try:
            look = self.look_at(screen_id)
        except RejectedRecordError:
            if events:
                self.left_out["screen_rejected"] += len(events)
            return None
        refusal = self.refusals.get(screen_id)
        facts = ScreenFacts(screen_id, look.image, look.leaf_boxes, refusal)
        found = None
        for item in settle_screen(events, facts, self.dataset.annotation, self.gate):
            if isinstance(item, ScreenAnnotations):
                found = item
            elif isinstance(item, Reject):
                self.left_out[item.reason] += 1
        return found, look.image

    @property
    def is_automatic(self) -> bool:
        """Whether unrated screens go on or not by the automatic prefilter's verdict."""
        return self.dataset.prefilter.removes

    def reviews(self, screen_id: str) -> list[AnnotationEvent]:
        """Returns the reviews of short answers on a screen that count."""
        events = map(unpack, self._packed.get(screen_id, ()))
        return live_reviews(events, self.dataset.annotation, self.gate)

    def judge(self, done: Counter[str]) -> None:
        """Finds the screens that the automatic prefilter removes; reads the files of all.

        Args:
            done: Where the screens that were read are counted, under `CHECKED`.
        """
        policy = CheckPolicy(self.dataset.image_check, self.dataset.prefilter)
        by_app: dict[str, list[AskedScreen]] = {}
        for screen_id in self.screen_ids:
            asked = self._asked(screen_id)
            done[CHECKED] += 1
            for item in check_screen(asked, self.folders, policy, Progress()):
                if isinstance(item, AskedScreen):
                    key = f"app:{item.app.package}" if item.app else f"screen:{screen_id}"
                    by_app.setdefault(key, []).append(item)
        self.refusals = {
            asked.screen_id: asked.prefilter.refusal
            for screens in by_app.values()
            for asked in judge_app(screens, self.dataset.prefilter)
            if asked.prefilter is not None and asked.prefilter.refusal is not None
        }

    def _asked(self, screen_id: str) -> AskedScreen:
        package = self.refs[screen_id].app or self.packages.get(screen_id)
        return AskedScreen(
            screen_id=screen_id,
            ref=self.refs[screen_id],
            app=App(package, None) if package else None,
            questions=(),
            evidence=self.evidence.get(screen_id, ()),
        )

    def leave_out_blocked(self) -> None:
        """Leaves out the screens that the manifest's block list names, or the app of."""
        listed = self.dataset.blocked
        self.blocked = frozenset(i for i in self.refs if find_blocked(self._asked(i), listed))
        self.refs = {i: ref for i, ref in self.refs.items() if i not in self.blocked}

    def count_strangers(self) -> None:
        """Counts the events whose screen no source has, or that is blocked, as left out."""
        for screen_id, packed in self._packed.items():
            if screen_id not in self.refs:
                reason = Reason.BLOCKED if screen_id in self.blocked else Reason.SCREEN_MISSING
                self.left_out[reason] += len(packed)

    def splits(self, images: Mapping[str, ImageFacts]) -> dict[str, str]:
        """Returns the split of each asked screen, as a build assigns it.

        A screen without one is left out: its app is unknown, or its picture is in an
        evaluation split already.

        Args:
            images: The pictures of all screens that have questions, by id.
        """
        by_picture: dict[str, list[AskedScreen]] = {}
        for screen_id, image in images.items():
            asked = dataclasses.replace(self._asked(screen_id), screen=Screen(image, "", 0))
            by_picture.setdefault(image.pixels, []).append(asked)
        return {
            item.screen_id: item.split
            for alike in by_picture.values()
            for twins in same_pictures(alike, self.folders)
            for item in settle_twins(twins, self.dataset.splits)
            if isinstance(item, AskedScreen)
        }


def task_screen(campaign: Campaign, screen_id: str, data: str, image_url: str) -> TaskScreen:
    """Returns a screen as tasks show it.

    Args:
        campaign: The campaign.
        screen_id: The screen, which it must have.
        data: Folder that addresses of pictures are relative to.
        image_url: What an address begins with.

    Raises:
        ValueError: The picture lies elsewhere, and so has no address.
        RejectedRecordError: The picture cannot be used.
    """
    look = campaign.look_at(screen_id)
    path = os.path.relpath(campaign.path_of(screen_id), data)
    if path.startswith(os.pardir + os.sep):
        raise ValueError(f"{path} does not lie below --data, so it has no address there")
    return TaskScreen(screen_id, image_url + urllib.parse.quote(path), look.image.size, look.leaves)


def open_campaign(request: Request, *, released: bool = False) -> Campaign:
    """Returns the campaign of a data set that is built from events.

    Args:
        request: The data set, and where its sources lie.
        released: Whether it may be built from released files as well, whose short answers
            are verified.

    Raises:
        UserError: The data set is built from released files and must not, it has no screens,
            or a source cannot be read.
    """
    dataset = _without_other_roles(request.dataset, released=released)
    inventory = take_inventory(dataset, request.manifest, request.data, request.overrides)
    missing = missing_sources(inventory)
    if missing:
        raise UserError("\n".join(missing))
    refs: dict[str, ScreenRef] = {}
    packages: dict[str, str] = {}
    for item in _records(inventory.files_of(dataset.sources.screens)):
        if isinstance(item, ScreenRef) and item.image is not None:
            known = refs.get(item.screen_id)
            if known is None or (item.source, item.image) < (known.source, known.image or ""):
                refs[item.screen_id] = item
    for item in _records(inventory.files_of(tuple(filter(None, [dataset.sources.apps])))):
        if isinstance(item, AppRow):
            packages.setdefault(item.screen_id, item.package)
    folders = {file.source: file.path for file in inventory.files_of(dataset.sources.screens)}
    campaign = Campaign(request.dataset, refs, folders, packages)
    campaign.evidence = _evidence(inventory.files_of(dataset.sources.sync_evidence))
    campaign.leave_out_blocked()
    _read_all_events(campaign, request)
    campaign.count_strangers()
    return campaign


def _without_other_roles(dataset: Dataset, *, released: bool) -> Dataset:
    sources = dataset.sources
    if not sources.events and not released:
        raise UserError(
            f"{dataset.name} has no events among its sources; tasks are for data sets that have"
        )
    if not sources.screens:
        raise UserError(f"{dataset.name} has no screens among its sources to make tasks of")
    only = DatasetSources(
        screens=sources.screens,
        apps=sources.apps,
        # Long to read, and needed only where a verdict decides who gets a task.
        sync_evidence=sources.sync_evidence if dataset.prefilter.removes else (),
    )
    return dataclasses.replace(dataset, sources=only, images=Images.BY_SCREEN)


def _evidence(files: Iterable[SourceFile]) -> dict[str, tuple[SyncEvidence, ...]]:
    found: dict[str, tuple[SyncEvidence, ...]] = {}
    for item in _records(files):
        if isinstance(item, SyncEvidence):
            found[item.screen_id] = (*found.get(item.screen_id, ()), item)
    return found


def _records(files: Iterable[SourceFile]) -> Iterator[object]:
    for file in files:
        yield from read_source(file, Selection())


def _read_all_events(campaign: Campaign, request: Request) -> None:
    """Reads the events there are; a campaign that begins has none, and that is no mistake."""
    training: dict[str, list[AnnotationEvent]] = {}
    for event in _events(campaign, request):
        campaign.add(event)
        if event.training is not None:
            training.setdefault(event.annotator_id, []).append(event)
    if training:
        policy = campaign.dataset.annotation
        found = [q for who, tasks in training.items() for q in measure_quality(who, tasks, policy)]
        campaign.gate = make_gate(found)


def _events(campaign: Campaign, request: Request) -> Iterator[AnnotationEvent]:
    try:
        for file in find_event_files(_event_places(request)):
            for item in read_events(file):
                if isinstance(item, AnnotationEvent):
                    yield item
                elif isinstance(item, Reject):
                    campaign.left_out[item.reason] += 1
    except SourceError as error:
        raise UserError(str(error)) from error


def _event_places(request: Request) -> Iterator[str]:
    sources = request.dataset.sources
    for name in (*sources.events, *sources.verification):
        source = request.manifest.sources[name]
        place = request.overrides.get(name) or os.path.join(request.data, source.path or "")
        is_empty_folder = os.path.isdir(place) and not os.listdir(place)
        if glob.glob(place) and not is_empty_folder:
            yield place
