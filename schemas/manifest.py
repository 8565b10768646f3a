"""What `data_manifest.yaml` says, as frozen values. Reading it is `pipelines.manifest_reading`."""

import dataclasses
import enum
from collections.abc import Mapping

from schemas.campaigns import AnnotationPolicy
from schemas.rejects import Reason

SPLITS = ("train", "validation", "test")
"""Names and order of the splits everywhere."""


class SourceKind(enum.StrEnum):
    """Layouts that a reader exists for."""

    RICO_COMBINED = "rico_combined"
    RICO_TRACES = "rico_traces"
    RICO_UI_DETAILS = "rico_ui_details"
    RICO_APP_DETAILS = "rico_app_details"
    SCREENQA_ANSWERS = "screenqa_answers"
    SCREENQA_SHORT_ANSWERS = "screenqa_short_answers"
    SPLIT_LISTS = "split_lists"
    ANNOTATION_EVENTS = "annotation_events"


SCREEN_KINDS = (SourceKind.RICO_COMBINED, SourceKind.RICO_TRACES)
SPLIT_FILE_KINDS = (
    SourceKind.SCREENQA_ANSWERS,
    SourceKind.SCREENQA_SHORT_ANSWERS,
    SourceKind.SPLIT_LISTS,
)


@dataclasses.dataclass(frozen=True, slots=True)
class Source:
    """Where one kind of input comes from, and under which licence.

    Folders and single files have a `path`, sources with a file a split have `files`; both
    are relative to `--data`. A source that is `optional` may be missing.
    """

    name: str
    kind: SourceKind
    licence: str
    path: str | None = None
    files: Mapping[str, str] = dataclasses.field(default_factory=dict)
    url: str | None = None
    citation: str | None = None
    sha256: str | None = None
    optional: bool = False


class SplitBy(enum.StrEnum):
    """What goes into one split as a whole."""

    APP = "app"
    SCREEN = "screen"
    OFFICIAL = "official"


class UnknownApp(enum.StrEnum):
    """What an app-wise split does with a screen whose app no source names."""

    REJECT = "reject"
    OWN_GROUP = "own_group"


class Twins(enum.StrEnum):
    """What happens to a train screen whose very picture is in validation or test as well."""

    DROP_FROM_TRAIN = "drop_from_train"
    REPORT = "report"


@dataclasses.dataclass(frozen=True, slots=True)
class SplitPolicy:
    """How screens are split. `shares` sum to 1; they are unused by `official`."""

    by: SplitBy = SplitBy.APP
    seed: str = "screenset"
    shares: tuple[float, float, float] = (0.8, 0.1, 0.1)
    unknown_app: UnknownApp = UnknownApp.REJECT
    twins: Twins = Twins.DROP_FROM_TRAIN


class Images(enum.StrEnum):
    """Where pictures go: into each question's row, into a row a screen, or nowhere."""

    INLINE = "inline"
    BY_SCREEN = "by_screen"
    NONE = "none"


@dataclasses.dataclass(frozen=True, slots=True)
class ImagePolicy:
    """Bounds of the image check.

    `blank_range`: a picture is blank if in every channel the largest value at the checked
    scale exceeds the smallest by no more than this (of 255).
    """

    max_pixels: int = 40_000_000
    max_bytes: int = 64 * 1024 * 1024
    blank_range: int = 8


@dataclasses.dataclass(frozen=True, slots=True)
class ShardPolicy:
    """How large a shard may grow before the next one is begun."""

    target_bytes: int = 128 * 1024 * 1024
    max_rows: int = 100_000


@dataclasses.dataclass(frozen=True, slots=True)
class RejectCeilings:
    """Largest shares of rejected records, 0 to 1, of all records of the rejects' kind.

    `overall` holds for each kind as a whole, `by_reason` for one reason. A build that
    exceeds one fails.
    """

    overall: float = 0.05
    by_reason: Mapping[Reason, float] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, slots=True)
class DatasetSources:
    """Names of the sources of each role; an empty tuple or None where a role has none."""

    screens: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    short_answers: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    apps: str | None = None
    app_details: str | None = None
    leaks_against: tuple[str, ...] = ()

    def names(self) -> tuple[str, ...]:
        """All names, in the order of the roles."""
        singles = tuple(name for name in (self.apps, self.app_details) if name)
        asking = (*self.answers, *self.short_answers, *self.events)
        return (*self.screens, *asking, *singles, *self.leaks_against)


@dataclasses.dataclass(frozen=True, slots=True)
class Dataset:
    """One data set that can be built."""

    name: str
    recipe: str
    version: str
    sources: DatasetSources
    images: Images = Images.INLINE
    splits: SplitPolicy = SplitPolicy()
    image_check: ImagePolicy = ImagePolicy()
    shards: ShardPolicy = ShardPolicy()
    annotation: AnnotationPolicy = dataclasses.field(default_factory=AnnotationPolicy)
    rejects: RejectCeilings = RejectCeilings()
    expected_rows: Mapping[str, int] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, slots=True)
class Manifest:
    """All sources and data sets of one manifest, by name."""

    sources: Mapping[str, Source]
    datasets: Mapping[str, Dataset]
