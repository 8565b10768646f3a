"""The calls of an app store's interface: one limit for all, refusals borne with, answers stored."""

import dataclasses
import os
from collections import Counter
from collections.abc import Callable, Sequence

from pipelines.errors import UserError
from pipelines.fetching.downloading import Downloader, DownloadError, Response
from pipelines.fetching.headers import retry_after
from pipelines.fetching.local_files import open_plain
from pipelines.fetching.partial_files import replace_bytes
from pipelines.terminal import duration
from schemas.app_stores import StoreRequest
from transforms.limiting import RateLimiter
from transforms.sources.itunes_api import (
    NoAnswerError,
    StoreAnswer,
    parse_answer,
    response_name,
)

_MAX_ANSWER_BYTES = 32 << 20
_SAID_FROM_S = 2.0

Say = Callable[[str], None]
"""Is told, in sentences, what takes long."""


@dataclasses.dataclass(frozen=True, slots=True)
class Patience:
    """How long a store that does not answer is borne with.

    The store counts calls by address, says nothing of when it will answer again, and lets
    one in again after some half an hour (faults.md 21): asking earlier only prolongs it.
    A server that orders a longer wait than `longest_s` is taken at its word by stopping.
    """

    cool_down_s: float = 1800
    cool_downs: int = 3
    backoff_s: float = 5
    tries: int = 5
    busy_s: float = 60
    longest_s: float = 3600
    lost_pictures: int = 5
    """So many pictures in a row, and more than one app has, mean that the network is gone."""


class _RefusedError(Exception):
    """The store did not answer, and may later. `hold_s` are the seconds it asks to wait."""

    def __init__(self, what: str, *, status: int | None, hold_s: float | None, limit: int) -> None:
        super().__init__(what)
        self.status, self.hold_s, self.limit = status, hold_s, limit


class Asking:
    """The calls of the store's interface, one after the other."""

    def __init__(
        self,
        folder: str,
        downloader: Downloader,
        limiter: RateLimiter,
        patience: Patience,
        say: Say,
    ) -> None:
        self._folder = folder
        self._downloader = downloader
        self._limiter = limiter
        self._patience = patience
        self._say = say
        self.asked = 0

    def ask_all(
        self, requests: Sequence[StoreRequest], *, refresh: bool
    ) -> list[tuple[StoreRequest, StoreAnswer]]:
        """Returns the answer to each request, stored ones as they are stored."""
        answers = []
        for number, request in enumerate(requests, start=1):
            answer = None if refresh else self._stored(request)
            if answer is None:
                answer = self._ask(request, f"{number:,} of {len(requests):,}")
            answers.append((request, answer))
        return answers

    def _stored(self, request: StoreRequest) -> StoreAnswer | None:
        """Returns an answer of an earlier run; None if there is none, or none that is whole."""
        path = os.path.join(self._folder, response_name(request))
        try:
            with open_plain(path) as file:
                return parse_answer(file.read())
        except FileNotFoundError:
            return None
        except NoAnswerError as problem:
            self._say(f"{path} holds {problem}, so its request is made again")
            return None

    def _ask(self, request: StoreRequest, place: str) -> StoreAnswer:
        failures: Counter[int | None] = Counter()
        while True:
            self._wait(place)
            self.asked += 1
            try:
                return self._try(request, sum(failures.values()))
            except _RefusedError as refusal:
                failures[refusal.status] += 1
                self._bear(refusal, failures[refusal.status], place)

    def _try(self, request: StoreRequest, failures: int) -> StoreAnswer:
        """Makes one call and stores what it brings, if that is an answer."""
        patience = self._patience
        backoff = patience.backoff_s * 2**failures
        try:
            response = self._downloader.get(request.url, max_bytes=_MAX_ANSWER_BYTES)
        except DownloadError as error:
            # A connection was tried several times by then.
            raise _RefusedError(str(error), status=error.status, hold_s=backoff, limit=1) from None
        _refuse_status(response, request.url, failures, patience)
        try:
            answer = parse_answer(response.body)
        except NoAnswerError as problem:
            what = f"the App Store sent {problem}"
            raise _RefusedError(
                what, status=response.status, hold_s=backoff, limit=patience.tries
            ) from None
        replace_bytes(os.path.join(self._folder, response_name(request)), response.body)
        return answer

    def _wait(self, place: str) -> None:
        pending = self._limiter.pending()
        if pending >= _SAID_FROM_S:
            self._say(f"request {place} of the App Store may be made in {duration(pending)}")
        self._limiter.wait()

    def _bear(self, refusal: _RefusedError, count: int, place: str) -> None:
        """Holds all calls for a while, or gives up."""
        hold_s = refusal.hold_s or 0.0
        gives_up = count >= refusal.limit
        if gives_up or hold_s > self._patience.longest_s:
            # What was ordered holds for the next run, too.
            self._limiter.hold_for(min(hold_s, self._patience.longest_s))
            after = f" ({count} times)" if gives_up and count > 1 else ""
            raise DownloadError(
                f"{refusal}{after}; this was request {place}, and the answers to the earlier "
                "ones are kept: run the command again later to go on",
                refusal.status,
            )
        self._limiter.hold_for(hold_s)
        self._say(f"{refusal}; waiting for {duration(hold_s)} (try {count} of {refusal.limit})")


def _refuse_status(response: Response, url: str, failures: int, patience: Patience) -> None:
    """Refuses every answer whose status is not 200.

    Raises:
        UserError: If the request itself is wrong, and so would be at every further try.
        _RefusedError: If the store may answer later.
    """
    status = response.status
    if status == 200:
        return
    what = f"the App Store refuses to answer (HTTP status {status})"
    ordered = retry_after(response.headers)
    if status == 403:
        # Without any word, as a rule; a Retry-After was never seen with it.
        hold_s = max(ordered or 0.0, patience.cool_down_s)
        raise _RefusedError(what, status=status, hold_s=hold_s, limit=patience.cool_downs)
    if status == 429:
        hold_s = min(patience.busy_s * 2**failures, patience.cool_down_s)
        hold_s = hold_s if ordered is None else ordered
        raise _RefusedError(what, status=status, hold_s=hold_s, limit=patience.tries)
    if status in (408, 425) or not 400 <= status < 500:
        hold_s = patience.backoff_s * 2**failures if ordered is None else ordered
        raise _RefusedError(what, status=status, hold_s=hold_s, limit=patience.tries)
    try:
        parse_answer(response.body)
        said = "without saying why"
    except NoAnswerError as problem:
        said = f"with {problem}"
    raise UserError(f"the App Store refuses {url} as wrong (HTTP status {status}) {said}")
