"""Parsing of the manifest's sources: where each lies, and where it comes from."""

import urllib.parse
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pipelines import yaml_sections as read
from pipelines.yaml_sections import Section
from schemas.manifest import (
    SPLIT_FILE_KINDS,
    Download,
    ItunesPlan,
    Source,
    SourceKind,
    StoreDevice,
)
from schemas.splits import SPLITS

T = TypeVar("T")

_DIGEST = read.matching(r"[0-9a-f]{64}", "sha256 in 64 hex digits")
_ADDRESS = read.matching(r"https?://\S+", "http(s) address")


def read_source(name: str, section: Section) -> Source:
    """Returns the source that a section describes."""
    kind = section.take("kind", read.choice(SourceKind), required=True)
    path = section.take("path", read.relative)
    files = split_map(section.take_section("files"), read.relative)
    if not section.has_problems:  # Else it would only follow from what did not parse.
        if kind in SPLIT_FILE_KINDS and (path or not files):
            section.report(f"a {kind} source has files, a path for each split, and no path")
        if kind not in SPLIT_FILE_KINDS and (files or not path):
            section.report(f"a {kind} source has a path, and no files")
    return Source(
        name=name,
        kind=kind,
        licence=section.take("licence", read.text, required=True),
        path=path,
        files=files,
        url=section.take("url", _public_address),
        citation=section.take("citation", read.text),
        sha256=section.take("sha256", _DIGEST),
        optional=section.take("optional", read.flag, False),
        downloads=tuple(_download(part) for part in section.take_sections("fetch")),
        itunes=_itunes_plan(section.take_section("itunes"), kind),
    )


def _public_address(node: Any) -> str:
    """Returns an address that every build publishes, so that it must hold no secret."""
    value = _ADDRESS(node)
    parts = urllib.parse.urlsplit(value)
    if parts.username is not None or parts.password is not None or parts.query:
        raise ValueError(
            "is published with every build: it must hold no user name, password or query"
        )
    return value


def split_map(section: Section, parse: Callable[[Any], T]) -> Mapping[str, T]:
    """Returns what `parse` makes of the value of each split that a section names."""
    values = {split: section.take(split, parse) for split in SPLITS}
    section.finish()
    return {split: value for split, value in values.items() if value is not None}


def _download(section: Section) -> Download:
    download = Download(
        url=section.take("url", _ADDRESS, required=True),
        to=section.take("to", read.relative),
        unpack=section.take("unpack", read.relative),
        members=section.take("members", read.relative, ""),
        sha256=section.take("sha256", _DIGEST),
        size_bytes=section.take("size_bytes", read.whole(1)),
    )
    if not section.has_problems and (download.to is None) == (download.unpack is None):
        section.report("a download goes either to a file (to) or into a folder (unpack)")
    section.finish()
    return download


def _itunes_plan(section: Section, kind: SourceKind) -> ItunesPlan | None:
    given = section.is_given
    defaults = ItunesPlan()
    whole = read.whole(1)
    country = read.matching(r"[a-z]{2}", "storefront in two lower case letters, such as us")
    plan = ItunesPlan(
        countries=section.take("countries", read.list_of(country), defaults.countries),
        terms=section.take("terms", read.names, ()),
        ids=section.take("ids", read.names, ()),
        bundle_ids=section.take("bundle_ids", read.names, ()),
        genres=section.take("genres", read.names, ()),
        results_per_search=section.take("results_per_search", whole, defaults.results_per_search),
        quota=section.take_counts("quota"),
        width=section.take("width", whole, defaults.width),
        min_width=section.take("min_width", whole, defaults.min_width),
        devices=section.take("devices", read.list_of(read.choice(StoreDevice)), defaults.devices),
        screens_per_app=section.take("screens_per_app", whole, defaults.screens_per_app),
        calls_per_minute=section.take("calls_per_minute", whole, defaults.calls_per_minute),
    )
    section.finish()
    if not given:
        return None
    if kind and kind is not SourceKind.ITUNES:
        section.report(f"only an {SourceKind.ITUNES} source looks in the App Store")
    if not section.has_problems and not (plan.terms or plan.ids or plan.bundle_ids):
        section.report("needs something to look for: terms, ids or bundle_ids")
    if plan.genres and not plan.terms:
        section.report("genres limit searches, and there are no terms to search", "genres")
    if plan.results_per_search > 200:
        section.report("the App Store gives at most 200 results", "results_per_search")
    return plan
