"""What a screen's own pixels and texts say of it, and what the prefilter makes of that.

The paper's raters drop a screen if its app is not in English, or if its hierarchy is out
of sync with the picture (ScreenQA 4.1); both flags may be set. The same two verdicts are
given here without raters.
"""

import dataclasses
import enum

from schemas.records import Record
from schemas.rejects import Reason


class LanguageVerdict(enum.StrEnum):
    """Whether texts are in English. What is too little to tell stays undetermined."""

    ENGLISH = "english"
    NOT_ENGLISH = "not_english"
    UNDETERMINED = "undetermined"


class SyncVerdict(enum.StrEnum):
    """Whether the hierarchy's boxes lie where the picture shows the main content.

    Occlusion and ghosting are in sync as long as the main content has the right boxes;
    main content without boxes is not (ScreenQA 4.1, Fig. 4). A screen without a hierarchy
    has nothing to be in sync with.
    """

    IN_SYNC = "in_sync"
    OUT_OF_SYNC = "out_of_sync"
    UNDETERMINED = "undetermined"
    NOT_APPLICABLE = "not_applicable"


@dataclasses.dataclass(frozen=True, slots=True)
class LanguageFinding(Record):
    """In which language some pooled texts are, and on what that rests.

    `score` is how sure it is that they are English, 0 to 1; `language` the ISO 639 code of the
    likeliest language (of two letters where there is one), empty if undetermined; `letters` how
    many letters were left to judge by once neutral tokens were dropped (an ideograph or a
    syllable counts as three); `evidence` a short sentence for a person, without any text of
    the screen.
    """

    verdict: LanguageVerdict
    score: float
    language: str
    letters: int
    evidence: str


@dataclasses.dataclass(frozen=True, slots=True)
class SyncFinding(Record):
    """How well a hierarchy fits its picture.

    `score` runs from 0 (out of sync) to 1 (in sync). It is made of `covered`, the share of the
    picture's text-like detail that lies under visible leaves, and of `founded`, the share
    of visible text leaves whose texts fit their box (strokes inside, none across its upper
    and lower edge; 1 without text leaves); both 0 to 1. `evidence` is a short
    sentence for a person, without any text of the screen.
    """

    verdict: SyncVerdict
    score: float
    covered: float
    founded: float
    evidence: str


NO_HIERARCHY = SyncFinding(SyncVerdict.NOT_APPLICABLE, 0.0, 0.0, 0.0, "there is no hierarchy")


@dataclasses.dataclass(frozen=True, slots=True)
class ScreenReading(Record):
    """What the check read off a screen's files beyond what it needs to store them.

    `text_hash` is a 64-bit similarity hash of the hierarchy's words in hex, empty without
    words; equal words give equal hashes, and like ones differ in few bits. `sample` are the
    distinct texts to be pooled with those of the app's other screens; it is emptied once
    they were. `emails` and `phones` count addresses and numbers in the hierarchy's texts.
    `language` and `sync` are the screen's own; None where the manifest turns them off.
    `tree_hash` is a digest of the hierarchy's classes, boxes and texts in hex, empty without
    words in it: bare trees are alike by nature.
    """

    language: LanguageFinding | None
    sync: SyncFinding | None
    text_hash: str
    sample: str
    emails: int
    phones: int
    tree_hash: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class HumanRating(Record):
    """What the raters of a screen found; a flag on which they were tied is not set."""

    non_english: bool
    out_of_sync: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Prefilter(Record):
    """What counts for a screen in the prefilter, besides what its own files say.

    `language` is the app's where its pooled texts tell, else the screen's own; None where
    that is turned off. `app_language` is the verdict on the pooled texts of an app of several
    screens. `human` is what raters said, None without ratings: they win. `refusal` is why the
    automatic verdicts remove the screen, and what was found; None if they do not.
    """

    language: LanguageFinding | None
    app_language: LanguageVerdict | None = None
    human: HumanRating | None = None
    refusal: tuple[Reason, str] | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class SyncEvidence(Record):
    """What another data set says on one screen's hierarchy.

    `listed` is whether a list of screens in sync names it (RICO-SCA); `invalid_nodes` are the
    `pointer`s of nodes that a person found to show nothing (CLAY's label BACKGROUND).
    """

    screen_id: str
    source: str
    listed: bool
    invalid_nodes: tuple[str, ...]
