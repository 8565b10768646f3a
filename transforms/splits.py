"""Train, validation and test: which screen goes where, and what its twins mean for that."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping

import apache_beam as beam
from apache_beam.typehints.decorators import no_annotations

from schemas.manifest import SplitBy, SplitPolicy, Twins, UnknownApp
from schemas.questions import AskedScreen
from schemas.rejects import Outcome, Reason, Reject, RejectedRecordError, Tally
from schemas.screens import ImageFacts
from schemas.splits import SPLITS
from transforms.fates import asked_rejects, question_rejects
from transforms.identifying import id_order, stable_fraction
from transforms.packing import pack, unpack
from transforms.rejecting import Split, SplitFlatMap
from transforms.screens.checking import load_picture
from transforms.screens.images import full_pixel_digest


def split_of(group: str, policy: SplitPolicy) -> str:
    """Returns the split of a group of screens: by its name and the seed alone.

    So adding or removing a group moves no other.
    """
    fraction = stable_fraction(policy.seed, group)
    bound = 0.0
    for split, share in zip(SPLITS, policy.shares, strict=True):
        bound += share
        if fraction < bound:
            return split
    # Shares such as 0.7 + 0.2 + 0.1 may sum to a little below 1: the last one asked for.
    return [s for s, share in zip(SPLITS, policy.shares, strict=True) if share > 0][-1]


def assign_split(asked: AskedScreen, twin_group: str, policy: SplitPolicy) -> Iterator[AskedScreen]:
    """Yields a screen with its split; once a split where official files disagree on it.

    Args:
        asked: The screen with its questions.
        twin_group: Smallest id among the screens that show the very same picture.
        policy: The data set's policy.

    Raises:
        RejectedRecordError: `APP_UNKNOWN` in an app-wise split that refuses such screens.
    """
    if policy.by is SplitBy.OFFICIAL:
        for split in SPLITS:
            questions = tuple(q for q in asked.questions if q.official_split == split)
            if questions:
                yield dataclasses.replace(asked, split=split, questions=questions)
        return
    if policy.by is SplitBy.SCREEN:
        group = f"screen:{twin_group}"
    elif asked.app is not None:
        group = f"app:{asked.app.package}"
    elif policy.unknown_app is UnknownApp.OWN_GROUP:
        group = f"screen:{twin_group}"
    else:
        detail = f"no source names the app of {asked.screen_id}"
        raise RejectedRecordError(Reason.APP_UNKNOWN, detail)
    yield dataclasses.replace(asked, split=split_of(group, policy))


def picture_of(asked: AskedScreen) -> ImageFacts:
    """Returns the facts of a checked screen's picture."""
    assert asked.screen is not None
    return asked.screen.image


def same_pictures(
    alike: Iterable[AskedScreen], folders: Mapping[str, str]
) -> Iterator[list[AskedScreen]]:
    """Yields screens whose pictures have one `pixels` digest, parted by their very pixels.

    At the scale of the check, pictures that differ in a digit may look the same. So files
    that differ are decoded in full, which few are; then `pixels` is a digest of all of it.

    Args:
        alike: Screens that share a digest.
        folders: Folder of each source of screens, by the source's name.
    """
    screens = list(alike)
    if len({picture_of(asked).sha256 for asked in screens}) <= 1:
        yield screens
        return
    by_pixels: dict[str, list[AskedScreen]] = {}
    for asked in screens:
        data, image = load_picture(asked, folders), picture_of(asked)
        image = dataclasses.replace(image, pixels=full_pixel_digest(data, image, asked.screen_id))
        assert asked.screen is not None
        screen = dataclasses.replace(asked.screen, image=image)
        exact = dataclasses.replace(asked, screen=screen)
        by_pixels.setdefault(image.pixels, []).append(exact)
    yield from by_pixels.values()


def settle_twins(
    twins: Iterable[AskedScreen], policy: SplitPolicy
) -> Iterator[AskedScreen | Reject | Tally]:
    """Yields the screens of one picture with their splits, in the order of their ids.

    If the picture is in validation or test as well as in train, train loses it with
    `TWIN_IN_EVAL`, unless the policy only wants a report.
    """
    ordered = sorted(twins, key=lambda asked: id_order(asked.screen_id))
    assigned: list[AskedScreen] = []
    for asked in ordered:
        try:
            assigned += assign_split(asked, ordered[0].screen_id, policy)
        except RejectedRecordError as error:
            yield from asked_rejects(asked, "assign_split", error.reason, error.detail)
    evaluated = [asked for asked in assigned if asked.split != "train"]
    drop = bool(evaluated) and policy.twins is Twins.DROP_FROM_TRAIN and ordered[0].ref is not None
    kept = set()
    for asked in assigned:
        others = [twin for twin in evaluated if twin.screen_id != asked.screen_id]
        if drop and asked.split == "train" and others:
            detail = f"the picture of {others[0].screen_id} in {others[0].split}"
            yield from _train_rejects(asked, detail, leaves=len(others) == len(evaluated))
            continue
        # With annotations it is not settled yet: the answers may leave no question.
        settled = asked.annotations is None and asked.screen_id not in kept
        if asked.ref is not None and settled:
            yield Tally("screen", Outcome.KEPT, 1)
        kept.add(asked.screen_id)
        yield asked


def _train_rejects(asked: AskedScreen, detail: str, *, leaves: bool) -> Iterator[Reject | Tally]:
    """Yields the rejects of what train loses: the screen, unless another split keeps it."""
    step, reason = "settle_twins", Reason.TWIN_IN_EVAL
    if leaves:
        yield from asked_rejects(asked, step, reason, detail)
        return
    for question in asked.questions:
        yield from question_rejects(question, step, reason, detail)


class AssignSplits(beam.PTransform[beam.PCollection[AskedScreen], Split[AskedScreen]]):
    """Gives each screen its split, all screens of one picture looked at together.

    Args:
        policy: The data set's policy.
        folders: Folder of each source of screens; None in a build without pictures.
    """

    def __init__(self, policy: SplitPolicy, folders: Mapping[str, str] | None) -> None:
        super().__init__()
        self._policy = policy
        self._folders = folders

    @no_annotations  # Beam warns about outputs that are not a single PCollection.
    def expand(self, screens: beam.PCollection[AskedScreen]) -> Split[AskedScreen]:
        if self._folders is None:
            return screens | SplitFlatMap(_settle_alone, self._policy)
        return (
            screens
            | "KeyByPicture" >> beam.Map(_with_picture)
            | "GroupTwins" >> beam.GroupByKey()
            | SplitFlatMap(_settle_group, self._policy, dict(self._folders))
        )


def _settle_alone(
    asked: AskedScreen, policy: SplitPolicy
) -> Iterator[AskedScreen | Reject | Tally]:
    return settle_twins([asked], policy)


def _settle_group(
    keyed: tuple[str, Iterable[bytes]], policy: SplitPolicy, folders: Mapping[str, str]
) -> Iterator[AskedScreen | Reject | Tally]:
    for twins in same_pictures(map(unpack, keyed[1]), folders):
        yield from settle_twins(twins, policy)


def _with_picture(asked: AskedScreen) -> tuple[str, bytes]:
    return picture_of(asked).pixels, pack(asked)
