"""The App Store's search interface: what to ask it, what it answers, which apps to take.

Nothing here touches the network or a file; `pipelines.fetching.store` does, and
`transforms.sources.itunes` reads what it left. What answers look like: formats.md §8.
"""

import dataclasses
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeGuard
from urllib.parse import urlencode, urlsplit

from schemas.app_stores import Shot, StoreApp, StoreRequest
from schemas.geometry import Size
from schemas.manifest import ItunesPlan, StoreDevice
from schemas.rejects import Outcome, Reason, Reject, RejectedRecordError, Tally
from transforms.identifying import clean_text, normalize_id

STORE_APP = "store_app"
"""Kind of the records that answers hold."""

_API = "https://itunes.apple.com"
_IDS_PER_LOOKUP = 50
# Some 200 are allowed; this keeps addresses below two kilobytes.

_PICTURE_SERVERS = re.compile(r"(?:[a-z0-9-]+\.)*mzstatic\.com")
_SIZED = re.compile(r"/([0-9]{1,5})x([0-9]{1,5})([a-z]*)\.([a-z]+)\Z")
_CATEGORY_SPELLINGS = {"Book": "Books"}
"""The one category that records spell in two ways: so in `primaryGenreName`, so in `genres`."""
_BUNDLE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}")


class NoAnswerError(Exception):
    """Raised for a body that is no answer at all; the message says what it is instead.

    Least of all is it an empty result: a store that refuses to answer sends no apps either.
    """


class StoreAnswer(NamedTuple):
    """What a store answered: its results, as they came, and how many it says there are."""

    results: tuple[Any, ...]
    declared: int | None


class _Found(NamedTuple):
    """The apps found so far by track id, where each was, and which has a bundle id."""

    apps: dict[str, StoreApp]
    origins: dict[str, str]
    owners: dict[str, str]


def requests_of(plan: ItunesPlan) -> tuple[StoreRequest, ...]:
    """Returns what to ask the store, in the order in which its answers count.

    Storefront by storefront: first the apps that the plan names, then its searches. So the
    record of the leading storefront leads, and quotas are filled from there first.
    """
    found = []
    for country in plan.countries:
        for key, ids in (("id", plan.ids), ("bundleId", plan.bundle_ids)):
            for start in range(0, len(ids), _IDS_PER_LOOKUP):
                batch = ids[start : start + _IDS_PER_LOOKUP]
                found.append(_request("lookup", country, ((key, ",".join(batch)),)))
        for term in plan.terms:
            for genre in plan.genres or (None,):
                found.append(_request("search", country, _search(plan, term, genre)))
    return tuple(dict.fromkeys(found))


def response_name(request: StoreRequest) -> str:
    """Returns the path, below the folder of a source, of the stored answer to a request."""
    return f"responses/{hashlib.sha256(request.url.encode()).hexdigest()[:16]}.json"


def parse_answer(body: bytes) -> StoreAnswer:
    """Returns the answer that a body holds.

    Bodies begin with some newlines, end with some, and may have a byte order mark. What is
    not found is an answer without results.

    Raises:
        NoAnswerError: If the body is empty, a web page, an error message or no JSON.
    """
    try:
        text = body.decode("utf-8-sig").strip("\ufeff \t\r\n")
    except UnicodeDecodeError:
        raise NoAnswerError("bytes that are no text") from None
    if not text:
        raise NoAnswerError("an empty body")
    if text.startswith("<"):
        raise NoAnswerError("a web page")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise NoAnswerError("a text that is no whole JSON") from None
    if isinstance(found, dict) and "errorMessage" in found:
        raise NoAnswerError(f"the error {clean_text(str(found['errorMessage']))[:200]!r}")
    if not isinstance(found, dict) or not isinstance(found.get("results"), list):
        raise NoAnswerError("JSON without results")
    declared = found.get("resultCount")
    return StoreAnswer(tuple(found["results"]), declared if _is_whole(declared) else None)


def pick_apps(
    answers: Iterable[tuple[StoreRequest, StoreAnswer]], plan: ItunesPlan, source: str
) -> Iterator[StoreApp | Reject | Tally]:
    """Yields the apps to take, what becomes of all other records, and the counts.

    An app is its track id, whatever the storefront: further records of it are folded into
    the first. Another track id under the same bundle id is another listing (an app that
    was handed on, or listed anew); as data sets know apps by their bundle id, only the
    first is taken. Quotas are filled in the order in which apps were found.
    """
    found = _Found({}, {}, {})
    for request, answer in answers:
        yield Tally(STORE_APP, Outcome.READ, len(answer.results))
        if answer.declared != len(answer.results):
            yield Tally("repairs", "store_result_counts_wrong", 1)
        for position, raw in enumerate(answer.results):
            origin = f"{source}/{response_name(request)}:{position}"
            try:
                app = parse_app(raw, request.country)
                yield from _enter(app, plan, found)
            except RejectedRecordError as error:
                yield _reject(_id_of(raw), "parse_app", error.reason, error.detail, origin)
            else:
                found.origins.setdefault(app.track_id, origin)
    yield from _within_quota(found, plan)


def parse_app(raw: Any, country: str) -> StoreApp:
    """Returns the app that one record describes.

    Needed are what it is, its ids, name and category; all else may be missing.

    Raises:
        RejectedRecordError: `APP_KIND_FOREIGN` for anything but an app for iPhone or iPad
            (searches for these return Mac apps too, and the other way round),
            `RECORD_MALFORMED` for what is missing or of a wrong type, `TEXT_EMPTY`.
    """
    if not isinstance(raw, dict):
        raise RejectedRecordError(Reason.RECORD_MALFORMED, f"is {type(raw).__name__}, no object")
    kinds = raw.get("kind"), raw.get("wrapperType", "software")
    if kinds != ("software", "software"):
        detail = f"kind {kinds[0]!r:.40}, wrapper type {kinds[1]!r:.40}"
        raise RejectedRecordError(Reason.APP_KIND_FOREIGN, detail)
    track_id = raw.get("trackId")
    if not _is_whole(track_id) or not 0 < track_id < 10**18:
        raise RejectedRecordError(Reason.RECORD_MALFORMED, f"trackId is {track_id!r:.40}")
    bundle_id = _text(raw, "bundleId")
    if not _BUNDLE_ID.fullmatch(bundle_id):
        raise RejectedRecordError(Reason.RECORD_MALFORMED, f"bundleId is {bundle_id!r:.80}")
    category = _text(raw, "primaryGenreName")
    return StoreApp(
        track_id=normalize_id(track_id),
        bundle_id=bundle_id,
        name=_text(raw, "trackName"),
        category=_CATEGORY_SPELLINGS.get(category, category),
        countries=(country,),
        genres=_texts(raw, "genres"),
        languages=tuple(sorted(_texts(raw, "languageCodesISO2A"))),
        version=clean_text(str(raw.get("version") or ""))[:80],
        iphone_screenshots=_texts(raw, "screenshotUrls"),
        ipad_screenshots=_texts(raw, "ipadScreenshotUrls"),
    )


def unfilled_quota(apps: Iterable[StoreApp], plan: ItunesPlan) -> dict[str, int]:
    """Returns how many apps each category lacks to its quota, without those that are full."""
    taken = Counter(app.category for app in apps)
    lacking = {category: wanted - taken[category] for category, wanted in plan.quota.items()}
    return {category: count for category, count in lacking.items() if count > 0}


def wanted_shots(app: StoreApp, plan: ItunesPlan) -> tuple[Shot, ...]:
    """Returns the screenshots to take of an app: of the first wanted device that has any."""
    device = _device_of(app, plan.devices)
    if device is None:
        return ()
    shots = []
    listed = app.screenshots(device)[: plan.screens_per_app]
    for number, listing_url in enumerate(listed, start=1):
        url = sized_url(listing_url, plan.width)
        thumb = thumb_width(listing_url)
        asked = None if thumb is None else plan.width
        shots.append(
            Shot(app.track_id, app.bundle_id, device, number, listing_url, url, asked, thumb)
        )
    return tuple(shots)


def sized_url(url: str, width: int) -> str:
    """Returns the address of a listed picture at a width, its height left free.

    The size is the last segment of the path and is a bound: a smaller picture comes as it
    is. PNG is asked for, since a second lossy compression would blur small text. Addresses
    of an older shape, which say nothing of a size, stay as they are.
    """
    return _SIZED.sub(f"/{width}x0w.png", url)


def thumb_width(url: str) -> int | None:
    """Returns the width that a picture's address asks for; None if it says nothing of it."""
    match = _SIZED.search(url)
    return int(match[1]) if match else None


def check_address(shot: Shot) -> None:
    """Makes sure that a screenshot is fetched from the store and from nowhere else.

    Raises:
        RejectedRecordError: `SCREENSHOT_URL_FOREIGN`: a record could point into the network
            of whoever fetches it.
    """
    if not is_store_address(shot.url):
        start = shot.url.partition("?")[0]
        raise RejectedRecordError(Reason.SCREENSHOT_URL_FOREIGN, f"address {start!r:.80}")


def is_store_address(url: str) -> bool:
    """Returns whether an address is one of the store's picture servers, asked over https."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        is_ours = parts.scheme == "https" and parts.port is None and parts.username is None
    except ValueError:
        return False
    return is_ours and bool(_PICTURE_SERVERS.fullmatch(host))


def check_width(shot: Shot, size: Size, min_width: int) -> None:
    """Makes sure that a picture is more than a thumbnail.

    One that is narrower than it was asked for is kept: that is as large as it was handed
    in. But one no wider than on the store's page, when more was asked, is that page's.

    Raises:
        RejectedRecordError: `SCREENSHOT_TOO_SMALL`.
    """
    if size.width < min_width:
        detail = f"{size.width} × {size.height} pixels, narrower than {min_width}"
        raise RejectedRecordError(Reason.SCREENSHOT_TOO_SMALL, detail)
    asked, thumb = shot.asked_width, shot.thumb_width
    if asked is not None and thumb is not None and size.width <= thumb < asked:
        detail = f"{size.width} × {size.height} pixels, the size on the store's page"
        raise RejectedRecordError(Reason.SCREENSHOT_TOO_SMALL, detail)


def _request(call: str, country: str, values: Iterable[tuple[str, str]]) -> StoreRequest:
    # Commas stay: the store takes %2C too, but its cache would hold both.
    query = urlencode((*values, ("country", country)), safe=",")
    return StoreRequest(f"{_API}/{call}?{query}", country)


def _search(plan: ItunesPlan, term: str, genre: str | None) -> list[tuple[str, str]]:
    values = [("term", term), ("media", "software"), ("entity", "software")]
    if genre is not None:
        values.append(("genreId", genre))
    return [*values, ("limit", str(plan.results_per_search))]


def _enter(app: StoreApp, plan: ItunesPlan, found: _Found) -> Iterator[Tally]:
    """Adds an app to those found, or folds it into the one that it is already."""
    lead = found.apps.get(app.track_id)
    if lead is not None:
        countries = tuple(dict.fromkeys(lead.countries + app.countries))
        found.apps[app.track_id] = dataclasses.replace(lead, countries=countries)
        yield Tally(STORE_APP, Outcome.MERGED, 1)
        return
    # Before it leads: the record of another storefront may have some.
    if _device_of(app, plan.devices) is None:
        detail = f"{app.name[:80]} in {app.countries[0]}"
        raise RejectedRecordError(Reason.APP_WITHOUT_SCREENSHOTS, detail)
    owner = found.owners.setdefault(app.bundle_id, app.track_id)
    if owner != app.track_id:
        detail = f"app {owner} has the bundle id {app.bundle_id} already"
        raise RejectedRecordError(Reason.ID_DUPLICATE, detail)
    found.apps[app.track_id] = app


def _within_quota(found: _Found, plan: ItunesPlan) -> Iterator[StoreApp | Reject | Tally]:
    taken: Counter[str] = Counter()
    for app in found.apps.values():
        reason = None
        if plan.quota and app.category not in plan.quota:
            reason = Reason.CATEGORY_UNWANTED
        elif plan.quota and taken[app.category] >= plan.quota[app.category]:
            reason = Reason.OVER_CATEGORY_QUOTA
        if reason is not None:
            origin = found.origins[app.track_id]
            yield _reject(app.track_id, "pick_apps", reason, app.category, origin)
            continue
        taken[app.category] += 1
        yield app
        yield Tally(STORE_APP, Outcome.KEPT, 1)


def _reject(track_id: str, step: str, reason: Reason, detail: str, origin: str) -> Reject:
    return Reject(STORE_APP, track_id, step, reason, detail, origin)


def _device_of(app: StoreApp, devices: Sequence[StoreDevice]) -> StoreDevice | None:
    return next((device for device in devices if app.screenshots(device)), None)


def _id_of(raw: Any) -> str:
    track_id = raw.get("trackId") if isinstance(raw, dict) else None
    return clean_text(str(track_id))[:40] if isinstance(track_id, int | str) else ""


def _is_whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _text(raw: dict[str, Any], key: str) -> str:
    value = raw.get(key)
    if not isinstance(value, str):
        raise RejectedRecordError(Reason.RECORD_MALFORMED, f"{key} is {value!r:.40}")
    text = clean_text(value).strip()
    if not text:
        raise RejectedRecordError(Reason.TEXT_EMPTY, f"{key} is blank")
    return text


def _texts(raw: dict[str, Any], key: str) -> tuple[str, ...]:
    """Returns a list of texts without repeats (languages have some); missing ones are empty."""
    values = raw.get(key)
    if values is None:
        return ()
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise RejectedRecordError(Reason.RECORD_MALFORMED, f"{key} is no list of texts")
    return tuple(dict.fromkeys(filter(None, (clean_text(value).strip() for value in values))))
