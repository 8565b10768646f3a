"""The check of a screen's files: its picture decoded, its hierarchy parsed, once."""

import dataclasses
import hashlib
import os
from collections.abc import Iterator, Mapping

from schemas.manifest import ImagePolicy
from schemas.questions import AskedScreen
from schemas.rejects import Outcome, Reason, Reject, RejectedRecordError, Tally
from schemas.screens import ImageFacts, Screen, ScreenRef
from transforms.fates import asked_rejects
from transforms.files import read_file
from transforms.progress import Progress
from transforms.rejecting import SplitFlatMap
from transforms.screens.hierarchies import (
    MAX_HIERARCHY_BYTES,
    Hierarchy,
    frame_width,
    parse_hierarchy,
)
from transforms.screens.images import check_image

CHECKED = "screens checked"


def check_screen(
    asked: AskedScreen, folders: Mapping[str, str], policy: ImagePolicy, progress: Progress
) -> Iterator[AskedScreen | Reject | Tally]:
    """Yields the screen with the facts of its files, or its rejects.

    A screen needs its picture. Its hierarchy is a record of its own: an unusable one is
    rejected and the screen stays without.

    Args:
        asked: A screen whose files have not been opened yet.
        folders: Folder of each source of screens, by the source's name.
        policy: Bounds of the image check.
        progress: Where the screen is counted.
    """
    progress.advance(CHECKED)
    ref = asked.ref
    if ref is None:
        yield asked
        return
    folder = folders[ref.source]
    try:
        image = check_image(read_image(ref, folder, policy.max_bytes), policy)
    except RejectedRecordError as error:
        yield from asked_rejects(asked, "check_image", error.reason, error.detail)
        return
    digest, node_count = "", 0
    if ref.hierarchy is not None:
        yield Tally("hierarchy", Outcome.READ, 1)
        try:
            data = read_hierarchy(ref, folder)
            hierarchy = _fitting(parse_hierarchy(data), image)
        except RejectedRecordError as error:
            yield Reject(
                "hierarchy",
                asked.screen_id,
                "parse_hierarchy",
                error.reason,
                error.detail,
                f"{ref.source}/{ref.hierarchy}",
            )
        else:
            yield Tally("hierarchy", Outcome.KEPT, 1)
            digest, node_count = hashlib.sha256(data).hexdigest(), hierarchy.node_count
    yield dataclasses.replace(asked, screen=Screen(image, digest, node_count))


class CheckScreens(SplitFlatMap[AskedScreen, AskedScreen]):
    """Checks the files of each screen; leaves out screens whose picture is unusable."""

    def __init__(self, folders: Mapping[str, str], policy: ImagePolicy, progress: Progress) -> None:
        super().__init__(check_screen, dict(folders), policy, progress)


def read_image(ref: ScreenRef, folder: str, max_bytes: int) -> bytes:
    """Returns the bytes of a screen's picture file.

    Raises:
        RejectedRecordError: `IMAGE_MISSING` or `IMAGE_TOO_LARGE`.
    """
    if ref.image is None:
        raise RejectedRecordError(Reason.IMAGE_MISSING, "there is a hierarchy only")
    return read_file(
        os.path.join(folder, ref.image),
        max_bytes=max_bytes,
        missing=Reason.IMAGE_MISSING,
        too_large=Reason.IMAGE_TOO_LARGE,
    )


def read_hierarchy(ref: ScreenRef, folder: str) -> bytes:
    """Returns the bytes of a screen's hierarchy file.

    Raises:
        RejectedRecordError: `HIERARCHY_UNREADABLE` if it vanished, `HIERARCHY_TOO_LARGE`.
    """
    return read_file(
        os.path.join(folder, ref.hierarchy or ""),
        max_bytes=MAX_HIERARCHY_BYTES,
        missing=Reason.HIERARCHY_UNREADABLE,
        too_large=Reason.HIERARCHY_TOO_LARGE,
    )


def load_hierarchy(asked: AskedScreen, folders: Mapping[str, str]) -> Hierarchy | None:
    """Returns the hierarchy of a checked screen, read anew; None if it has no usable one.

    Raises:
        ValueError: If the file is no longer the one that was checked.
    """
    assert asked.ref is not None
    assert asked.screen is not None
    if not asked.screen.hierarchy_sha256:
        return None
    data = read_hierarchy(asked.ref, folders[asked.ref.source])
    if hashlib.sha256(data).hexdigest() != asked.screen.hierarchy_sha256:
        raise ValueError(f"the hierarchy of screen {asked.screen_id} changed while the build ran")
    return parse_hierarchy(data)


def _fitting(hierarchy: Hierarchy, image: ImageFacts) -> Hierarchy:
    frame_width(hierarchy, image.size)
    return hierarchy
