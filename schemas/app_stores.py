"""What is asked of an app store, the apps it lists, and the screenshots taken from it."""

import dataclasses

from schemas.geometry import Size
from schemas.manifest import StoreDevice
from schemas.records import Record
from schemas.rejects import Reason


@dataclasses.dataclass(frozen=True, slots=True)
class StoreRequest(Record):
    """One call of a store's interface, for one of its storefronts."""

    url: str
    country: str


@dataclasses.dataclass(frozen=True, slots=True)
class StoreApp(Record):
    """An app as a store lists it.

    `track_id` is what tells apps apart; `bundle_id` is the id that the app itself bears, by
    which data sets know it. The record is that of the storefront `countries[0]`; those of
    the others were folded into it. `genres` and `languages` have no repeats. Screenshots
    are the addresses as listed, at the size of the store's page.
    """

    track_id: str
    bundle_id: str
    name: str
    category: str
    countries: tuple[str, ...]
    genres: tuple[str, ...]
    languages: tuple[str, ...]
    version: str
    iphone_screenshots: tuple[str, ...]
    ipad_screenshots: tuple[str, ...]

    def screenshots(self, device: StoreDevice) -> tuple[str, ...]:
        """Returns the addresses of the screenshots made for a device."""
        if device is StoreDevice.IPHONE:
            return self.iphone_screenshots
        return self.ipad_screenshots


@dataclasses.dataclass(frozen=True, slots=True)
class Shot(Record):
    """One screenshot that is wanted: the `number`-th, from 1, of an app's for a device.

    `url` is what is asked for, `listing_url` what the store listed. `asked_width` is the
    width that `url` asks for, None where the address says nothing of a size;
    `thumb_width` is that of the listing's address.
    """

    track_id: str
    bundle_id: str
    device: StoreDevice
    number: int
    listing_url: str
    url: str
    asked_width: int | None
    thumb_width: int | None


@dataclasses.dataclass(frozen=True, slots=True)
class TakenShot(Record):
    """What became of a wanted screenshot.

    `file` is its path below the folder of the source, with `/`; it, the digest (hex) and
    both sizes are None where nothing usable came. `reason` says why it is no screen of
    ours; None if it is one.
    """

    shot: Shot
    file: str | None = None
    sha256: str | None = None
    size_bytes: int | None = None
    size: Size | None = None
    reason: Reason | None = None
    detail: str = ""

    @property
    def is_smaller(self) -> bool:
        """Whether the picture came narrower than it was asked for."""
        asked = self.shot.asked_width
        return asked is not None and self.size is not None and self.size.width < asked
