"""What `data_manifest.yaml` says, as frozen values. Reading it is `pipelines.manifest_reading`."""

import dataclasses
import enum
from collections.abc import Mapping

from schemas.campaigns import AnnotationPolicy
from schemas.rejects import Reason
from schemas.screens import Origin
from schemas.short_answers import ShortAnswerPolicy

MANIFEST_VERSION = 1
"""Version of the manifest's format."""


class SourceKind(enum.StrEnum):
    """Layouts that a reader exists for; `FILES` are fetched, and nothing reads them yet."""

    RICO_COMBINED = "rico_combined"
    RICO_TRACES = "rico_traces"
    RICO_UI_DETAILS = "rico_ui_details"
    RICO_APP_DETAILS = "rico_app_details"
    SCREENQA_ANSWERS = "screenqa_answers"
    SCREENQA_SHORT_ANSWERS = "screenqa_short_answers"
    SPLIT_LISTS = "split_lists"
    ANNOTATION_EVENTS = "annotation_events"
    IOS_CAPTURED = "ios_captured"
    ITUNES = "itunes"
    CLAY_LABELS = "clay_labels"
    SCREEN_LIST = "screen_list"
    FILES = "files"


SCREENS_RECIPE = "screens"
"""The recipe of data sets of screens that nobody need ask about."""

SCREEN_KINDS = (
    SourceKind.RICO_COMBINED,
    SourceKind.RICO_TRACES,
    SourceKind.IOS_CAPTURED,
    SourceKind.ITUNES,
)
SYNC_EVIDENCE_KINDS = (SourceKind.CLAY_LABELS, SourceKind.SCREEN_LIST)
ORIGINS = {
    kind: Origin.STORE_LISTING if kind is SourceKind.ITUNES else Origin.CAPTURED
    for kind in SCREEN_KINDS
}
"""How the pictures of each kind of source came about."""

SPLIT_FILE_KINDS = (
    SourceKind.SCREENQA_ANSWERS,
    SourceKind.SCREENQA_SHORT_ANSWERS,
    SourceKind.SPLIT_LISTS,
)


@dataclasses.dataclass(frozen=True, slots=True)
class Download:
    """One file to fetch, and where it goes below the data folder.

    A plain file goes to `to`. An archive (`.zip`, `.tar`, `.tar.gz`) goes into the folder
    `unpack`; only members whose path begins with `members` are taken out of it, all of them
    if it is empty. One of `to` and `unpack` is given. `sha256` (hex) and `size_bytes` are
    those of the file as it comes over the net, where they are known.
    """

    url: str
    to: str | None = None
    unpack: str | None = None
    members: str = ""
    sha256: str | None = None
    size_bytes: int | None = None


class StoreDevice(enum.StrEnum):
    """The device that a store's screenshots are made for."""

    IPHONE = "iphone"
    IPAD = "ipad"


@dataclasses.dataclass(frozen=True, slots=True)
class ItunesPlan:
    """Which apps to look for in the App Store, which of them to take, how large.

    `countries` are storefronts (ISO 3166, lower case), the leading one first; each of
    `terms` is searched in each, each of `ids` (track ids) and `bundle_ids` looked up.
    `genres` limits searches to genre ids. `quota` is how many apps to take of each
    category (`primaryGenreName`), in the order of the searches; empty takes all. `width`
    is the wanted width of a screenshot in pixels, `devices` whose screenshots to take:
    the first device of which an app has any. At most `screens_per_app` of each app; those
    narrower than `min_width` are left out.
    """

    countries: tuple[str, ...] = ("us",)
    terms: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    bundle_ids: tuple[str, ...] = ()
    genres: tuple[str, ...] = ()
    results_per_search: int = 50
    quota: Mapping[str, int] = dataclasses.field(default_factory=dict)
    width: int = 828
    min_width: int = 320
    devices: tuple[StoreDevice, ...] = (StoreDevice.IPHONE, StoreDevice.IPAD)
    screens_per_app: int = 10
    calls_per_minute: int = 20


@dataclasses.dataclass(frozen=True, slots=True)
class Source:
    """Where one kind of input comes from, and under which licence.

    Folders and single files have a `path`, sources with a file a split have `files`; both
    are relative to `--data`. A source that is `optional` may be missing. `downloads` are
    what `screenset fetch` brings; `itunes` is what it looks for in the App Store.
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
    downloads: tuple[Download, ...] = ()
    itunes: ItunesPlan | None = None


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


class Use(enum.StrEnum):
    """What is done with an automatic verdict."""

    OFF = "off"
    """It is not given."""
    REPORT = "report"
    """It is given, counted and listed; no screen goes because of it."""
    REMOVE = "remove"
    """Screens that it finds wanting are rejected, unless raters said otherwise."""


@dataclasses.dataclass(frozen=True, slots=True)
class PrefilterPolicy:
    """What the automatic prefilter does, and where its verdicts turn (ScreenQA 4.1).

    `min_letters`: fewer letters than this, neutral tokens not counted, leave the language
    undetermined. `english_from` and `not_english_below` bound the score, 0 to 1, of the two
    verdicts; what lies between is undetermined. `in_sync_from` and `out_of_sync_below` do
    the same for the hierarchy. `ocr` reads the pictures of screens whose sync is doubtful
    (needs the extra `ocr`).
    """

    language: Use = Use.REPORT
    hierarchy_sync: Use = Use.REPORT
    min_letters: int = 24
    english_from: float = 0.55
    not_english_below: float = 0.2
    in_sync_from: float = 0.6
    out_of_sync_below: float = 0.4
    ocr: bool = False

    @property
    def removes(self) -> bool:
        """Whether either verdict removes screens."""
        return Use.REMOVE in (self.language, self.hierarchy_sync)


@dataclasses.dataclass(frozen=True, slots=True)
class Blocked:
    """Apps and screens that must not be in any data set, such as after a take-down."""

    apps: frozenset[str] = frozenset()
    screens: frozenset[str] = frozenset()


@dataclasses.dataclass(frozen=True, slots=True)
class DuplicatePolicy:
    """From when on two screens are reported as near duplicates of one another.

    Bits of 64 in which the layout hashes, and the hashes of their words, may differ.
    """

    layout_bits: int = 3
    text_bits: int = 6


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
class CheckLimits:
    """What `screenset check` lets pass.

    `questions_per_screen` is the most that one screen may have (ScreenQA 4.2 and 4.4: 5 + 3
    + 1). `too_few_answers` is the share, 0 to 1, of questions that may have fewer answers
    than their split asks for: the paper's "few exceptions" (D.2), and answers that the
    agreement rule took away. `near_duplicate_screens` is the share of the screens of
    validation and test that may have a near duplicate in another split.
    """

    questions_per_screen: int = 9
    too_few_answers: float = 0.05
    near_duplicate_screens: float = 0.05


@dataclasses.dataclass(frozen=True, slots=True)
class CardPolicy:
    """What only its makers know of a data set, for its card.

    `licence` is the Hub's id of the licence of the whole (`cc-by-4.0`, `other`); None to
    derive it from the sources'. `contact` is where to ask for a take-down; `citation` how to
    cite the data set itself.
    """

    title: str | None = None
    licence: str | None = None
    contact: str | None = None
    citation: str | None = None
    tags: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class DatasetSources:
    """Names of the sources of each role; an empty tuple or None where a role has none.

    `verification` are events of the pass that verifies short answers, in a build from
    whatever answers; in one from events they may lie among the others as well.
    """

    screens: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    short_answers: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    verification: tuple[str, ...] = ()
    apps: str | None = None
    app_details: str | None = None
    leaks_against: tuple[str, ...] = ()
    sync_evidence: tuple[str, ...] = ()

    def names(self) -> tuple[str, ...]:
        """All names, in the order of the roles."""
        singles = tuple(name for name in (self.apps, self.app_details) if name)
        asking = (*self.answers, *self.short_answers, *self.events, *self.verification)
        return (*self.screens, *asking, *singles, *self.leaks_against, *self.sync_evidence)


@dataclasses.dataclass(frozen=True, slots=True)
class Dataset:
    """One data set that can be built.

    `blocked` are those of the whole manifest. `mixes_origins` allows captured screens and
    those of store listings in one data set.
    """

    name: str
    recipe: str
    version: str
    sources: DatasetSources
    images: Images = Images.INLINE
    splits: SplitPolicy = SplitPolicy()
    image_check: ImagePolicy = ImagePolicy()
    prefilter: PrefilterPolicy = PrefilterPolicy()
    duplicates: DuplicatePolicy = DuplicatePolicy()
    blocked: Blocked = Blocked()
    mixes_origins: bool = False
    shards: ShardPolicy = ShardPolicy()
    annotation: AnnotationPolicy = dataclasses.field(default_factory=AnnotationPolicy)
    short_answers: ShortAnswerPolicy = dataclasses.field(default_factory=ShortAnswerPolicy)
    rejects: RejectCeilings = RejectCeilings()
    expected_rows: Mapping[str, int] = dataclasses.field(default_factory=dict)
    checks: CheckLimits = CheckLimits()
    card: CardPolicy = CardPolicy()


@dataclasses.dataclass(frozen=True, slots=True)
class Manifest:
    """All sources and data sets of one manifest, by name."""

    sources: Mapping[str, Source]
    datasets: Mapping[str, Dataset]
