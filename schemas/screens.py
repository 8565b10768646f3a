"""Screens: as a source lists them, as a check leaves them, as they are published."""

import dataclasses
import enum

import pyarrow as pa

from schemas.columns import IMAGE, Need, column, records
from schemas.geometry import Bounds, Size
from schemas.readings import LanguageVerdict, ScreenReading, SyncVerdict
from schemas.records import Record
from schemas.splits import SPLITS


class Origin(enum.StrEnum):
    """How a picture came about: on a device, or made for an app store's page."""

    CAPTURED = "captured"
    STORE_LISTING = "store_listing"


@dataclasses.dataclass(frozen=True, slots=True)
class ScreenRef(Record):
    """Where a screen's files lie, as a source lists them; nothing has been opened yet.

    Paths are relative to the folder of `source`. The app is known here only where the
    source's layout says it (RICO's traces lie in a folder of their app's name).
    """

    screen_id: str
    source: str
    image: str | None
    hierarchy: str | None
    app: str | None = None
    origin: Origin = Origin.CAPTURED


@dataclasses.dataclass(frozen=True, slots=True)
class ImageFacts(Record):
    """What the check found in a picture's file. Its bytes stay in the file.

    `file_size` is the size as the file stores the picture, `size` that of the picture as
    published: turned upright by its EXIF orientation. `sha256` is the file's, in hex.
    `layout_hash` is a 64-bit difference hash of the picture at 9 × 8 grey cells, in hex,
    empty where the picture has too little contrast to be told from others. `pixels` is a
    digest of the picture as it was decoded for the check, in hex: pictures of the very same
    pixels and format have the same one, but a JPEG's is that of a reduced decode, so that
    the same one does not yet mean the same pixels.
    """

    size: Size
    file_size: Size
    orientation: int
    mime: str
    reencoded: bool
    size_bytes: int
    sha256: str
    layout_hash: str
    pixels: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Screen(Record):
    """What is known of a screen once its files were checked.

    `node_count` is 0, and `hierarchy_sha256` empty, where it has no usable hierarchy;
    `reading` is None where the prefilter is off.
    """

    image: ImageFacts
    hierarchy_sha256: str
    node_count: int
    reading: ScreenReading | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class App(Record):
    """The app that a screen shows, with its Play Store category where known."""

    package: str
    category: str | None


@dataclasses.dataclass(frozen=True, slots=True)
class AppRow(Record):
    """One row that names a screen's app. `position` is its place in its file, from 0."""

    screen_id: str
    package: str
    position: int


@dataclasses.dataclass(frozen=True, slots=True)
class StoredImage(Record):
    """A picture as stored in a row: its bytes, and the file name a reader may give it."""

    bytes: bytes
    path: str


@dataclasses.dataclass(frozen=True, slots=True)
class ViewLeaf(Record):
    """One visible leaf of a view hierarchy, as published in the `screens` configuration."""

    vh_index: int = column(
        pa.int32(), "Index in the hierarchy, depth first, parents before children, root 0.", low=0
    )
    text: str | None = column(
        pa.string(), "Visible text, else the content description; null without.", nullable=True
    )
    view_class: str = column(pa.string(), "Android class of the view.", blank=True)
    resource_id: str | None = column(
        pa.string(), "Android resource id; null where the app gives none.", nullable=True
    )
    clickable: bool = column(pa.bool_(), "Whether a tap on the view does something.")
    bounds: Bounds = column(
        pa.list_(pa.int32()),
        "Left, top, right, bottom in pixels of the image; right and bottom exclusive.",
    )


@dataclasses.dataclass(frozen=True, slots=True)
class ScreenRow(Record):
    """One screen, as published in the `screens` configuration."""

    screen_id: str = column(pa.string(), "Id of the screen in its source.")
    image: StoredImage = column(IMAGE, "The screenshot, upright, in its original bytes.")
    width: int = column(pa.int32(), "Width of the image in pixels.", low=1)
    height: int = column(pa.int32(), "Height of the image in pixels.", low=1)
    image_reencoded: bool = column(
        pa.bool_(), "Whether the image had to be turned or converted, and so was saved as PNG."
    )
    app: str | None = column(
        pa.string(), "Package of the app; null if unknown.", nullable=True, needs=Need.APP
    )
    category: str | None = column(
        pa.string(),
        "Category of the app in its store; null if unknown.",
        nullable=True,
        needs=Need.CATEGORY,
    )
    leaves: tuple[ViewLeaf, ...] = column(
        records(ViewLeaf),
        "Visible leaves of the view hierarchy in depth-first order; empty without a hierarchy.",
        needs=Need.HIERARCHY,
    )
    leaves_dropped: int = column(
        pa.int32(),
        "Visible leaves left out because their box is empty, inverted or off screen.",
        low=0,
    )
    language: str | None = column(
        pa.string(),
        "Automatic verdict on the app's texts: `english`, `not_english` or `undetermined`; null "
        "if not asked for.",
        nullable=True,
        values=LanguageVerdict,
        needs=Need.LANGUAGE,
    )
    language_score: float | None = column(
        pa.float32(),
        "How sure it is that they are English, 0 to 1; null without texts.",
        nullable=True,
        low=0,
        high=1,
    )
    hierarchy_sync: str | None = column(
        pa.string(),
        "Automatic verdict on whether the hierarchy fits the picture: `in_sync`, `out_of_sync`, "
        "`undetermined`, or `not_applicable` without a hierarchy; null if not asked for.",
        nullable=True,
        values=SyncVerdict,
        needs=Need.SYNC,
    )
    hierarchy_sync_score: float | None = column(
        pa.float32(), "How well it fits, 0 to 1; null without one.", nullable=True, low=0, high=1
    )
    origin: str = column(
        pa.string(),
        "`captured` on a device, or `store_listing`: made for an app store's page.",
        values=Origin,
    )
    split: str = column(
        pa.string(), "Split of the screen: `train`, `validation` or `test`.", values=SPLITS
    )
    source: str = column(pa.string(), "Name of the manifest's source the screen comes from.")
