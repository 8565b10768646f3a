"""Fetches an App Store source: asks, stores every answer as it came, takes screenshots.

Which apps are taken follows from the stored answers alone (`transforms.sources.itunes_api`),
so that a second run needs no network and writes the same tables, byte for byte. What the
store refuses (403 with an empty body, 429, a web page) is never taken for an answer.
"""

import contextlib
import dataclasses
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pipelines.errors import UserError
from pipelines.fetching.downloading import Downloader
from pipelines.fetching.partial_files import replace_text
from pipelines.fetching.store_asking import Asking, Patience, Say
from pipelines.fetching.store_pictures import JOURNAL, Taking
from schemas.app_stores import StoreApp, StoreRequest, TakenShot
from schemas.manifest import ItunesPlan, Source
from schemas.rejects import Outcome, Reject
from transforms.limiting import RateLimiter
from transforms.sources import itunes
from transforms.sources.itunes_api import (
    StoreAnswer,
    pick_apps,
    requests_of,
    response_name,
    unfilled_quota,
    wanted_shots,
)

_PATIENCE = Patience()

CALLS = ".calls"
"""The limiter's file within the folder of a source, where the caller brings no limiter."""


@dataclasses.dataclass(frozen=True, slots=True)
class StoreReport:
    """What a fetched source holds. As text it is one sentence.

    `asked` of the `requests` went over the network, the others were stored already. The
    counts of `records` are by outcome, `rejects` are the records left out, `unfilled` says
    how many apps a category lacks to its quota. Of the `screenshots`, `missing` could not
    be had or are thumbnails, and `smaller` are narrower than they were asked for.
    """

    requests: int
    asked: int
    apps: int
    records: Mapping[str, int]
    rejects: tuple[Reject, ...]
    unfilled: Mapping[str, int]
    screenshots: int
    missing: int
    smaller: int

    def __str__(self) -> str:
        """Returns the sentence."""
        text = f"{self.apps:,} apps, {self.screenshots - self.missing:,} screenshots"
        if self.missing:
            text += f", {self.missing:,} more are missing"
        if self.unfilled:
            lacking = ", ".join(f"{name} {count}" for name, count in self.unfilled.items())
            text += f"; lacking to the quota: {lacking}"
        return text


def fetch_store(
    source: Source,
    folder: str,
    downloader: Downloader,
    *,
    limiter: RateLimiter | None = None,
    refresh: bool = False,
    patience: Patience = _PATIENCE,
    workers: int = 4,
    say: Say = lambda sentence: None,
) -> StoreReport:
    """Fetches what a source's plan asks of the App Store into a folder.

    What is there already stays: a run that was ended goes on where it was. A screenshot
    that cannot be had is recorded as missing, and tried again by the next run.

    Args:
        source: A source with a plan.
        folder: Where its files go; made if need be.
        downloader: What talks to the network.
        limiter: Bounds the calls of the store's interface; of the plan's limit, kept in the
            folder, by default. The store counts by address, so that one limiter should
            serve all sources.
        refresh: Whether to ask again what was answered before.
        patience: How long to bear with refusals.
        workers: How many pictures are downloaded at a time; there is no limit on these.
        say: Is told, in sentences, what takes long.

    Raises:
        UserError: If the source has no plan, or the store refuses a request as wrong.
        DownloadError: If the store or the network goes on refusing; all that was fetched
            is kept, and the next run goes on.
    """
    plan = source.itunes
    if plan is None:
        raise UserError(f"source {source.name} does not say what to look for in the App Store")
    for name in ("responses", "screenshots"):
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    if limiter is None:
        limiter = RateLimiter(os.path.join(folder, CALLS), plan.calls_per_minute)
    asking = Asking(folder, downloader, limiter, patience, say)
    answers = asking.ask_all(requests_of(plan), refresh=refresh)
    apps, rejects, records = _picked(answers, plan, source.name)
    shots = [shot for app in apps for shot in wanted_shots(app, plan)]
    taken = Taking(folder, downloader, plan, patience, say).take_all(shots, workers)
    _write_tables(folder, answers, rejects, apps, taken)
    return StoreReport(
        requests=len(answers),
        asked=asking.asked,
        apps=len(apps),
        records=records,
        rejects=tuple(rejects),
        unfilled=unfilled_quota(apps, plan),
        screenshots=len(taken),
        missing=sum(shot.reason is not None for shot in taken),
        smaller=sum(shot.is_smaller for shot in taken if shot.reason is None),
    )


def _picked(
    answers: Iterable[tuple[StoreRequest, StoreAnswer]], plan: ItunesPlan, source: str
) -> tuple[list[StoreApp], list[Reject], dict[str, int]]:
    apps, rejects = [], []
    records: Counter[str] = Counter({str(outcome): 0 for outcome in (Outcome.READ, Outcome.KEPT)})
    for item in pick_apps(answers, plan, source):
        if isinstance(item, StoreApp):
            apps.append(item)
        elif isinstance(item, Reject):
            rejects.append(item)
        else:
            records[item.outcome] += item.count
    return apps, rejects, dict(records)


def _write_tables(
    folder: str,
    answers: Sequence[tuple[StoreRequest, StoreAnswer]],
    rejects: Iterable[Reject],
    apps: Iterable[StoreApp],
    taken: Iterable[TakenShot],
) -> None:
    """Writes the tables. That of the screenshots comes last: with it, the folder is whole."""
    asked = [
        itunes.json_line(
            {
                "url": request.url,
                "file": response_name(request),
                "results": len(answer.results),
            }
        )
        for request, answer in answers
    ]
    replace_text(os.path.join(folder, itunes.REQUESTS), "".join(asked))
    replace_text(os.path.join(folder, itunes.REJECTS), itunes.encode_rejects(rejects))
    replace_text(os.path.join(folder, itunes.APPS), itunes.encode_apps(apps))
    replace_text(os.path.join(folder, itunes.SCREENSHOTS), itunes.encode_taken(taken))
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(folder, JOURNAL))
