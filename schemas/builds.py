"""What a build says of itself: its shards, its leaks, its summary."""

import dataclasses

from schemas.records import Record

PREFILTER_TABLE = "prefilter.tsv"
"""What the prefilter found on each screen that it looked at."""

DUPLICATES = "duplicates.json"
"""The groups of screens that are the same or alike."""


@dataclasses.dataclass(frozen=True, slots=True)
class Shard(Record):
    """One finished Parquet file. `path` is relative to the data set's folder."""

    configuration: str
    split: str
    path: str
    rows: int
    screens: int
    size_bytes: int
    sha256: str


FINISHED = "BUILD.json"
"""What a finished build says of itself; written last, so that only finished ones have it."""

STATISTICS = "stats.json"
"""Counts and histograms of each split, and of all."""

ALL = "all"
"""What the statistics of all splits together are under in `stats.json`."""

AGREEMENT = "agreement.json"
"""How far annotators agreed, of a build from raw events."""

VERIFICATION = "verification.json"
"""How many short answers people found wrong, where they looked."""

CARD = "README.md"
CROISSANT = "croissant.json"
CHECK = "check.json"
CHECK_PAGE = "check.html"
REPORT_PAGE = "report.html"
DOCUMENTS = (CARD, CROISSANT, CHECK, CHECK_PAGE, REPORT_PAGE)
"""What commands write into a finished build, today or tomorrow: no part of its content."""


@dataclasses.dataclass(frozen=True, slots=True)
class BuiltFile(Record):
    """One file of a finished build beside its shards. `path` is relative to its folder."""

    path: str
    size_bytes: int
    sha256: str


@dataclasses.dataclass(frozen=True, slots=True)
class ScreenEntry(Record):
    """One line of `splits/<split>.tsv`: a kept screen, its app, and what it looks like.

    `sha256`, `pixels` and `layout_hash` are empty in a build without pictures, `app` where
    unknown, `text_hash` and `tree_hash` where the hierarchy has no words. Screens of the very
    same pixels have the same `pixels`, others do not.
    """

    split: str
    screen_id: str
    app: str
    sha256: str
    layout_hash: str
    pixels: str = ""
    text_hash: str = ""
    tree_hash: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class PrefilterEntry(Record):
    """One line of `prefilter.tsv`: what the prefilter found on a screen, kept or not.

    All is text; a value is empty where a verdict was not asked for, the app is unknown, or
    nobody rated the screen; a score where there was nothing to judge by. `language` is what
    counts for the screen, `app_language` what the pooled texts of its app say (empty for an
    app of one screen), `screen_language` what its own texts alone say. Scores run from 0 to 1.
    No text of the screen is in it.
    """

    screen_id: str
    app: str
    language: str
    language_score: str
    language_code: str
    app_language: str
    screen_language: str
    hierarchy_sync: str
    hierarchy_sync_score: str
    rated_non_english: str
    rated_out_of_sync: str
    emails: str
    phones: str
    language_evidence: str
    hierarchy_sync_evidence: str


@dataclasses.dataclass(frozen=True, slots=True)
class LeakGroup(Record):
    """Screens in different splits that belong together.

    `key` names what they share: an app's package, a picture's digest, a layout's hash.
    `members` are (split, screen ids) pairs, both sorted.
    """

    key: str
    members: tuple[tuple[str, tuple[str, ...]], ...]
