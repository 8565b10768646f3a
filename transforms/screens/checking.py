"""The check of a screen's files: its picture decoded, its hierarchy parsed, once."""

import dataclasses
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from schemas.manifest import ImagePolicy, PrefilterPolicy, Use
from schemas.questions import AskedScreen
from schemas.readings import ScreenReading, SyncEvidence, SyncFinding
from schemas.rejects import Outcome, Reason, Reject, RejectedRecordError, Tally
from schemas.screens import ImageFacts, Screen, ScreenRef, ViewLeaf
from transforms.fates import asked_rejects
from transforms.files import read_file
from transforms.identifying import clean_text
from transforms.progress import Progress
from transforms.rejecting import SplitFlatMap
from transforms.screens.hierarchies import (
    MAX_HIERARCHY_BYTES,
    Hierarchy,
    frame_width,
    parse_hierarchy,
    visible_leaves,
)
from transforms.screens.hierarchy_sync import is_doubtful, measure_sync, refine_sync
from transforms.screens.images import DecodedImage, decode_image, reduced_grey, upright_pixels
from transforms.screens.language import judge_language
from transforms.screens.ocr import read_texts
from transforms.screens.texts import count_personal, hierarchy_texts, pool, text_hash, tree_hash

CHECKED = "screens checked"

_ANY_SIZE = 1 << 40  # A digest decides whether this is the file that was checked.


class CheckPolicy(NamedTuple):
    """Bounds of the image check, and which automatic verdicts are given."""

    image: ImagePolicy = ImagePolicy()
    prefilter: PrefilterPolicy = PrefilterPolicy()


def check_screen(
    asked: AskedScreen, folders: Mapping[str, str], policy: CheckPolicy, progress: Progress
) -> Iterator[AskedScreen | Reject | Tally]:
    """Yields the screen with the facts of its files, or its rejects.

    A screen needs its picture. Its hierarchy is a record of its own: an unusable one is
    rejected and the screen stays without.

    Args:
        asked: A screen whose files have not been opened yet.
        folders: Folder of each source of screens, by the source's name.
        policy: Bounds of the checks.
        progress: Where the screen is counted.
    """
    progress.advance(CHECKED)
    ref = asked.ref
    if ref is None:
        yield asked
        return
    folder = folders[ref.source]
    try:
        picture = read_image(ref, folder, policy.image.max_bytes)
        decoded = decode_image(picture, policy.image)
    except RejectedRecordError as error:
        yield from asked_rejects(asked, "check_image", error.reason, error.detail)
        return
    digest, hierarchy = "", None
    if ref.hierarchy is not None:
        yield Tally("hierarchy", Outcome.READ, 1)
        try:
            tree = read_hierarchy(ref, folder)
            hierarchy = _fitting(parse_hierarchy(tree), decoded.facts)
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
            digest = hashlib.sha256(tree).hexdigest()
    node_count = hierarchy.node_count if hierarchy else 0
    reading = read_screen(picture, decoded, hierarchy, policy.prefilter, asked.evidence)
    screen = Screen(decoded.facts, digest, node_count, reading)
    yield dataclasses.replace(asked, screen=screen, evidence=())


class CheckScreens(SplitFlatMap[AskedScreen, AskedScreen]):
    """Checks the files of each screen; leaves out screens whose picture is unusable."""

    def __init__(self, folders: Mapping[str, str], policy: CheckPolicy, progress: Progress) -> None:
        super().__init__(check_screen, dict(folders), policy, progress)


def read_screen(
    data: bytes,
    decoded: DecodedImage,
    hierarchy: Hierarchy | None,
    policy: PrefilterPolicy,
    evidence: Sequence[SyncEvidence] = (),
) -> ScreenReading:
    """Returns what a screen's picture and hierarchy say, as far as the policy asks for it.

    Args:
        data: The picture's file.
        decoded: The picture as the check decoded it.
        hierarchy: None if the screen has no usable one.
        policy: Which verdicts are given, and where they turn.
        evidence: What other data sets say of the hierarchy.
    """
    texts = _texts(data, decoded, hierarchy, policy)
    emails, phones = count_personal(texts)
    judges_language = policy.language is not Use.OFF
    judges_sync = policy.hierarchy_sync is not Use.OFF
    words = text_hash(texts)
    return ScreenReading(
        language=judge_language(texts, policy) if judges_language else None,
        sync=_sync(data, decoded, hierarchy, policy, evidence) if judges_sync else None,
        text_hash=words,
        sample=pool(texts) if judges_language else "",
        emails=emails,
        phones=phones,
        tree_hash=tree_hash(hierarchy.root) if hierarchy is not None and words else "",
    )


def _texts(
    data: bytes, decoded: DecodedImage, hierarchy: Hierarchy | None, policy: PrefilterPolicy
) -> list[str]:
    """Returns a screen's texts: its hierarchy's, or without one those that OCR reads."""
    if hierarchy is not None:
        return hierarchy_texts(hierarchy.root)
    if not policy.ocr:
        return []
    return [clean_text(text) for text, _ in read_texts(upright_pixels(data, decoded.facts))]


def _sync(
    data: bytes,
    decoded: DecodedImage,
    hierarchy: Hierarchy | None,
    policy: PrefilterPolicy,
    evidence: Sequence[SyncEvidence],
) -> SyncFinding:
    size = decoded.facts.size
    finding = measure_sync(hierarchy, reduced_grey(decoded), size, policy, evidence)
    if hierarchy is None or not policy.ocr or not is_doubtful(finding, policy):
        return finding
    leaves = [leaf for leaf in visible_leaves(hierarchy, size) if isinstance(leaf, ViewLeaf)]
    return refine_sync(finding, read_texts(upright_pixels(data, decoded.facts)), leaves, policy)


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


def load_picture(asked: AskedScreen, folders: Mapping[str, str]) -> bytes:
    """Returns the file of a checked screen's picture, read anew; it may have changed."""
    assert asked.ref is not None
    return read_image(asked.ref, folders[asked.ref.source], _ANY_SIZE)


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
