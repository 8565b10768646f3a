"""The screenshots of a store listing: downloaded, measured, recorded as they come."""

import contextlib
import dataclasses
import hashlib
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from pipelines.fetching.downloading import Content, Downloader, DownloadError, Expected
from pipelines.fetching.partial_files import replace_text
from pipelines.fetching.store_asking import Patience, Say
from schemas.app_stores import Shot, TakenShot
from schemas.geometry import Size
from schemas.manifest import ImagePolicy, ItunesPlan
from schemas.rejects import Reason, RejectedRecordError
from transforms.files import SourceError, read_file
from transforms.screens.images import check_image
from transforms.sources import itunes
from transforms.sources.itunes_api import (
    check_address,
    check_width,
    is_store_address,
)

JOURNAL = ".screenshots.part"
"""File in a source's folder that says, while pictures are taken, which are there."""


class Taking:
    """The downloads of screenshots."""

    def __init__(
        self, folder: str, downloader: Downloader, plan: ItunesPlan, patience: Patience, say: Say
    ) -> None:
        self._folder = folder
        self._downloader = downloader
        self._plan = plan
        self._patience = patience
        self._say = say
        self._earlier = {_place(taken.shot): taken for taken in _earlier_shots(folder)}
        self._offline = False

    def take_all(self, shots: Sequence[Shot], workers: int) -> list[TakenShot]:
        """Returns what became of each screenshot, having downloaded those not yet there."""
        there = {shot: taken for shot in shots if (taken := self._kept(shot)) is not None}
        lacking = [shot for shot in shots if shot not in there]
        # Those that failed before come last: nothing new must wait for them.
        lacking.sort(key=lambda shot: _place(shot) in self._earlier)
        if lacking:
            self._say(f"{len(lacking):,} of {len(shots):,} screenshots are to be taken")
            self._begin_journal(lacking)
        lost = 0
        with _pool(workers) as pool:
            for shot, (taken, is_lost) in zip(lacking, pool.map(self._take, lacking), strict=True):
                there[shot] = taken
                self._note(taken)
                lost = lost + 1 if is_lost else 0
                self._stop_if_gone(lost, taken.detail)
        return [there[shot] for shot in shots]

    def _kept(self, shot: Shot) -> TakenShot | None:
        """Returns what an earlier run took, if it lies there unchanged."""
        earlier = self._earlier.get(_place(shot))
        if earlier is None or earlier.size is None or earlier.file != itunes.picture_name(shot):
            return None
        try:
            data = read_file(
                self._path(earlier.file),
                max_bytes=ImagePolicy().max_bytes,
                missing=Reason.SCREENSHOT_MISSING,
                too_large=Reason.IMAGE_TOO_LARGE,
            )
        except RejectedRecordError:
            return None
        if hashlib.sha256(data).hexdigest() != earlier.sha256:
            return None
        return self._judged(shot, earlier.sha256, len(data), earlier.size)

    def _take(self, shot: Shot) -> tuple[TakenShot, bool]:
        """Returns what becomes of a screenshot, and whether no server had a word on it."""
        earlier = self._earlier.get(_place(shot))
        known = earlier is not None and earlier.file is None
        if earlier is not None and known and self._offline:
            return dataclasses.replace(earlier, shot=shot), False
        try:
            check_address(shot)
            return self._download(shot), False
        except RejectedRecordError as error:
            return TakenShot(shot, reason=error.reason, detail=error.detail), False
        except DownloadError as error:
            is_lost = error.status is None
            if earlier is not None and known:
                # The record of a run that could ask stays that of one that cannot.
                self._offline = self._offline or is_lost
                return dataclasses.replace(earlier, shot=shot), False
            detail = str(error).replace(os.path.join(self._folder, ""), "")[:300]
            return TakenShot(shot, reason=Reason.SCREENSHOT_MISSING, detail=detail), is_lost

    def _download(self, shot: Shot) -> TakenShot:
        path = self._path(itunes.picture_name(shot))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        expected = Expected(content=Content.IMAGE)
        receipt = self._downloader.fetch(shot.url, path, expected, allowed=is_store_address)
        try:
            policy = ImagePolicy()
            data = read_file(
                path,
                max_bytes=policy.max_bytes,
                missing=Reason.SCREENSHOT_MISSING,
                too_large=Reason.IMAGE_TOO_LARGE,
            )
            facts = check_image(data, policy)
        except RejectedRecordError:
            os.unlink(path)
            raise
        return self._judged(shot, receipt.sha256, receipt.size_bytes, facts.size)

    def _judged(self, shot: Shot, sha256: str, size_bytes: int, size: Size) -> TakenShot:
        taken = TakenShot(shot, itunes.picture_name(shot), sha256, size_bytes, size)
        try:
            check_width(shot, size, self._plan.min_width)
        except RejectedRecordError as error:
            return dataclasses.replace(taken, reason=error.reason, detail=error.detail)
        return taken

    def _begin_journal(self, lacking: Sequence[Shot]) -> None:
        """Begins the journal of this run with what is known from earlier ones.

        If pictures are to be replaced, the old table goes: a run that ends in between must
        not leave one that says other than the pictures.
        """
        lines = "".join(itunes.encode_taken_shot(taken) for taken in self._earlier.values())
        replace_text(self._path(JOURNAL), lines)
        if any(os.path.exists(self._path(itunes.picture_name(shot))) for shot in lacking):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._path(itunes.SCREENSHOTS))

    def _note(self, taken: TakenShot) -> None:
        if taken.file is not None:
            with open(self._path(JOURNAL), "a", encoding="utf-8") as journal:
                journal.write(itunes.encode_taken_shot(taken))

    def _stop_if_gone(self, lost: int, detail: str) -> None:
        # More than one app has, since a single app's pictures may all be gone for good.
        if lost >= max(self._patience.lost_pictures, self._plan.screens_per_app + 1):
            raise DownloadError(
                f"{detail}; it was so for {lost} screenshots in a row, and those taken "
                "earlier are kept: run the command again later to go on"
            )

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, *name.split("/"))


def _earlier_shots(folder: str) -> Iterator[TakenShot]:
    """Yields what earlier runs took, those that ended early too; damaged rows are not missed."""
    for name in (itunes.SCREENSHOTS, JOURNAL):
        with contextlib.suppress(SourceError):
            yield from itunes.read_taken(folder, name)


def _place(shot: Shot) -> tuple[str, str]:
    """Returns what a downloaded picture is known by: where it lies, and where it comes from."""
    return itunes.picture_name(shot), shot.url


@contextlib.contextmanager
def _pool(workers: int) -> Iterator[ThreadPoolExecutor]:
    """Yields threads that, should the block end early, begin nothing more."""
    pool = ThreadPoolExecutor(max(workers, 1), thread_name_prefix="pictures")
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
