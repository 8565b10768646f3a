"""The prefilter without raters: each screen read, its app's texts pooled, verdicts settled.

ScreenQA 4.1 drops a screen if its app is not in English or if its hierarchy is out of sync,
on the word of one rater. Here both are measured; what raters said wins; and what cannot be
told is kept.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

import apache_beam as beam
from apache_beam.typehints.decorators import no_annotations

from schemas.annotations import AnnotationPass
from schemas.builds import PrefilterEntry
from schemas.campaigns import AnnotationPolicy
from schemas.manifest import PrefilterPolicy, Use
from schemas.questions import AskedScreen
from schemas.readings import (
    NO_HIERARCHY,
    HumanRating,
    LanguageFinding,
    LanguageVerdict,
    Prefilter,
    SyncFinding,
    SyncVerdict,
)
from schemas.rejects import Reason, Reject, Tally
from transforms.annotation.gates import Gate
from transforms.annotation.quality import AnnotatorQuality, make_gate
from transforms.annotation.revisions import surviving
from transforms.annotation.verdicts import judge_prefilter
from transforms.fates import asked_rejects
from transforms.packing import pack, unpack
from transforms.rejecting import SplitFlatMap
from transforms.screens.language import judge_language, pool_app, settle_language

_POOLED_CHARS = 6000
"""Characters of an app's texts that are judged together: some ten full screens."""


def judge_app(
    screens: Iterable[AskedScreen], policy: PrefilterPolicy, raters: "Raters | None" = None
) -> Iterator[AskedScreen]:
    """Yields the screens of one app with what the prefilter finds on each.

    Args:
        screens: All screens of the app, in any order; iterated twice. Those without a
            picture pass as they are.
        policy: Where verdicts turn.
        raters: Whose ratings count; None in a build without events.
    """
    samples = [
        (asked.screen_id, asked.screen.reading.sample)
        for asked in screens
        if asked.screen is not None and asked.screen.reading is not None
    ]
    app = None
    if policy.language is not Use.OFF and len(samples) > 1:
        app = judge_language(pool_app(samples, _POOLED_CHARS).splitlines(), policy)
    for asked in screens:
        yield _judged(asked, app, policy, raters)


def drop_refused(asked: AskedScreen) -> Iterator[AskedScreen | Reject | Tally]:
    """Yields the screen, or its rejects if the automatic prefilter removes it."""
    refusal = asked.prefilter.refusal if asked.prefilter else None
    if refusal is None:
        yield asked
    else:
        yield from asked_rejects(asked, "drop_refused", *refusal)


class DropRefused(SplitFlatMap[AskedScreen, AskedScreen]):
    """Leaves out the screens that the automatic prefilter removes."""

    def __init__(self) -> None:
        super().__init__(drop_refused)


def prefilter_entry(asked: AskedScreen) -> PrefilterEntry | None:
    """Returns the screen's line of `prefilter.tsv`; None if it was not read."""
    if asked.prefilter is None or asked.screen is None or asked.screen.reading is None:
        return None
    reading, found = asked.screen.reading, asked.prefilter
    language, own, sync, human = found.language, reading.language, reading.sync, found.human
    return PrefilterEntry(
        screen_id=asked.screen_id,
        app=asked.app.package if asked.app else "",
        language=language.verdict.value if language else "",
        language_score=f"{language.score:.3f}" if language and language.letters else "",
        language_code=language.language if language else "",
        app_language=found.app_language.value if found.app_language else "",
        screen_language=own.verdict.value if own else "",
        hierarchy_sync=sync.verdict.value if sync else "",
        hierarchy_sync_score=f"{sync.score:.3f}" if sync and sync != NO_HIERARCHY else "",
        rated_non_english=_yes_or_no(human.non_english) if human else "",
        rated_out_of_sync=_yes_or_no(human.out_of_sync) if human else "",
        emails=str(reading.emails),
        phones=str(reading.phones),
        language_evidence=language.evidence if language else "",
        hierarchy_sync_evidence=sync.evidence if sync else "",
    )


class Raters:
    """Whose prefilter ratings count, by how they did in their training."""

    def __init__(self, policy: AnnotationPolicy, gate: Gate) -> None:
        self._policy = policy
        self._gate = gate

    def rating_of(self, asked: AskedScreen) -> HumanRating | None:
        """Returns what raters say of a screen, None if nobody whose work counts rated it."""
        ratings = [event for event in asked.events if event.pass_ is AnnotationPass.PREFILTER]
        if not ratings:
            return None
        verdict = judge_prefilter(surviving(ratings, self._policy, self._gate))
        if verdict is None:
            return None
        return HumanRating(verdict.non_english, verdict.out_of_sync)


class JudgeScreens(beam.PTransform[beam.PCollection[AskedScreen], beam.PCollection[AskedScreen]]):
    """Gives each checked screen what the prefilter finds, apps judged as a whole.

    Screens without an app are judged one by one. With the language off, nothing has to be
    brought together.
    """

    def __init__(
        self,
        policy: PrefilterPolicy,
        annotation: AnnotationPolicy,
        qualities: beam.PCollection[AnnotatorQuality] | None = None,
    ) -> None:
        super().__init__()
        self._policy = policy
        self._annotation = annotation
        self._qualities = qualities

    @no_annotations  # Beam cannot tell a side input from the type that it gives.
    def expand(self, screens: beam.PCollection[AskedScreen]) -> beam.PCollection[AskedScreen]:
        side = [] if self._qualities is None else [beam.pvalue.AsList(self._qualities)]
        arguments = (self._policy, self._annotation, *side)
        if self._policy.language is Use.OFF:
            return screens | beam.FlatMap(_judge_alone, *arguments)
        return (
            screens
            | "KeyByApp" >> beam.Map(_with_app)
            | "GroupByApp" >> beam.GroupByKey()
            | "JudgeApp" >> beam.FlatMap(_judge_packed, *arguments)
        )


def _judged(
    asked: AskedScreen,
    app: LanguageFinding | None,
    policy: PrefilterPolicy,
    raters: Raters | None,
) -> AskedScreen:
    screen = asked.screen
    if screen is None or screen.reading is None:
        return asked
    language = screen.reading.language
    if language is not None and app is not None:
        language = settle_language(app, language)
    human = raters.rating_of(asked) if raters is not None else None
    refusal = None if human else _refusal(language, screen.reading.sync, policy)
    return dataclasses.replace(
        asked,
        screen=dataclasses.replace(screen, reading=dataclasses.replace(screen.reading, sample="")),
        prefilter=Prefilter(language, app.verdict if app else None, human, refusal),
    )


def _refusal(
    language: LanguageFinding | None, sync: SyncFinding | None, policy: PrefilterPolicy
) -> tuple[Reason, str] | None:
    if policy.language is Use.REMOVE and language is not None:
        found = f"score {language.score:.2f}: {language.evidence}"
        if language.verdict is LanguageVerdict.NOT_ENGLISH:
            return Reason.SCREEN_NOT_ENGLISH, found
    if policy.hierarchy_sync is Use.REMOVE and sync is not None:
        found = f"score {sync.score:.2f}: {sync.evidence}"
        if sync.verdict is SyncVerdict.OUT_OF_SYNC:
            return Reason.HIERARCHY_OUT_OF_SYNC, found
    return None


def _yes_or_no(flag: bool) -> str:
    return "yes" if flag else "no"


def _raters(
    annotation: AnnotationPolicy, qualities: Sequence[AnnotatorQuality] | None
) -> Raters | None:
    return None if qualities is None else Raters(annotation, make_gate(qualities))


def _judge_alone(
    asked: AskedScreen,
    policy: PrefilterPolicy,
    annotation: AnnotationPolicy,
    qualities: Sequence[AnnotatorQuality] | None = None,
) -> Iterator[AskedScreen]:
    return judge_app([asked], policy, _raters(annotation, qualities))


def _judge_packed(
    keyed: tuple[str, Iterable[bytes]],
    policy: PrefilterPolicy,
    annotation: AnnotationPolicy,
    qualities: Sequence[AnnotatorQuality] | None = None,
) -> Iterator[AskedScreen]:
    return judge_app(_Unpacked(keyed[1]), policy, _raters(annotation, qualities))


class _Unpacked:
    """Records unpacked one at a time, as often as they are asked for.

    So that an app of very many screens does not lie unpacked in memory.
    """

    def __init__(self, packed: Iterable[bytes]) -> None:
        self._packed = packed

    def __iter__(self) -> Iterator[AskedScreen]:
        return map(unpack, self._packed)


def _with_app(asked: AskedScreen) -> tuple[str, bytes]:
    # What has no app is a group of its own: one of all such screens would be a hot key.
    key = f"app:{asked.app.package}" if asked.app else f"screen:{asked.screen_id}"
    return key, pack(asked)
