"""What several raters of one screen say together: prefilter and review."""

from collections.abc import Iterable, Sequence

from schemas.annotations import AnnotationEvent, Language, VhSync
from schemas.settlements import PrefilterVerdict, ReviewVerdict

NON_ENGLISH = "non_english"
OUT_OF_SYNC = "out_of_sync"


def judge_prefilter(events: Iterable[AnnotationEvent]) -> PrefilterVerdict | None:
    """Returns what the raters of a screen found, None without ratings.

    Only `out_of_sync` is out of sync: occluded elements and the ghosts of menus in motion
    leave the right boxes to be picked (ScreenQA A.1). A flag is set if more than half of the
    ratings set it; the paper has one rating a screen and says nothing of ties: they keep.
    """
    ratings = [event.prefilter for event in events if event.prefilter is not None]
    if not ratings:
        return None
    foreign = [rating.language is Language.NON_ENGLISH for rating in ratings]
    unsynced = [rating.vh_sync is VhSync.OUT_OF_SYNC for rating in ratings]
    flags = {NON_ENGLISH: foreign, OUT_OF_SYNC: unsynced}
    return PrefilterVerdict(
        n_ratings=len(ratings),
        non_english=_most(foreign) is True,
        out_of_sync=_most(unsynced) is True,
        ties=tuple(name for name, votes in flags.items() if _most(votes) is None),
    )


def judge_review(events: Iterable[AnnotationEvent]) -> ReviewVerdict | None:
    """Returns what the reviewers of a screen found, None without reviews.

    Personal data that one of two reviewers saw is there, so no majority is asked for.
    """
    reviews = [event.screen_review for event in events if event.screen_review is not None]
    if not reviews:
        return None
    return ReviewVerdict(
        n_reviews=len(reviews),
        pii=any(review.pii for review in reviews),
        unsafe=any(review.unsafe for review in reviews),
        correct=_most([review.correct for review in reviews if review.correct is not None]),
    )


def _most(votes: Sequence[bool]) -> bool | None:
    """Returns what more than half say, None if there is no such half."""
    yes = sum(votes)
    if 2 * yes == len(votes):
        return None
    return 2 * yes > len(votes)
