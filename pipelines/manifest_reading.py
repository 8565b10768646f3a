"""Parsing of `data_manifest.yaml`: every problem is found in one go, with path and line."""

import dataclasses
import difflib
import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pipelines import yaml_sections as read
from pipelines.model_reading import read_prices, read_short_answers
from pipelines.source_reading import read_source, split_map
from pipelines.yaml_sections import ManifestError, Problem, Section
from schemas.agreements import AgreementMode
from schemas.campaigns import AnnotationPolicy, OverQuota
from schemas.manifest import (
    MANIFEST_VERSION,
    ORIGINS,
    SCREEN_KINDS,
    SCREENS_RECIPE,
    SYNC_EVIDENCE_KINDS,
    Blocked,
    CardPolicy,
    CheckLimits,
    Dataset,
    DatasetSources,
    DuplicatePolicy,
    ImagePolicy,
    Images,
    Manifest,
    PrefilterPolicy,
    RejectCeilings,
    ShardPolicy,
    Source,
    SourceKind,
    SplitBy,
    SplitPolicy,
    Twins,
    UnknownApp,
    Use,
)
from schemas.models import Price
from schemas.rejects import Reason
from transforms.identifying import normalize_id

T = TypeVar("T")

RECIPES = ("screenqa", SCREENS_RECIPE)
RESERVED = ("screens", "rejects", "splits")


def parse_manifest(text: str) -> Manifest:
    """Returns the manifest written in YAML `text`.

    Raises:
        ManifestError: With every problem found: YAML that does not parse, unknown,
            repeated and missing keys, values of a wrong type or range, read.names that
            nothing defines.
    """
    root = read.compose(text)
    problems: list[Problem] = []
    top = Section(root, "", problems)
    top.take("version", read.one_of(MANIFEST_VERSION), required=True)
    sources = top.take_each("sources", read_source)
    blocked = _blocked(top.take_section("blocked"))
    prices = read_prices(top.take_section("prices"))
    datasets = top.take_each("datasets", functools.partial(_dataset, prices=prices))
    top.finish()
    for dataset, section in datasets.values():
        _check_references(dataset, sources, section)
    if problems:
        raise ManifestError(problems)
    return Manifest(
        {name: source for name, (source, _) in sources.items()},
        {
            name: dataclasses.replace(dataset, blocked=blocked)
            for name, (dataset, _) in datasets.items()
        },
    )


def _dataset(name: str, section: Section, prices: Mapping[str, Price]) -> Dataset:
    if name in RESERVED:
        section.report(f"a data set cannot be called {name}: the output has a folder of that name")
    recipe = section.take("recipe", read.text, required=True)
    if recipe and recipe not in RECIPES:
        section.report(f"{recipe!r} is none of {', '.join(RECIPES)}", "recipe")
    return Dataset(
        name=name,
        recipe=recipe,
        version=section.take(
            "version", read.matching(r"\d+\.\d+\.\d+", "version such as 1.2.0"), required=True
        ),
        sources=_dataset_sources(section.take_section("sources")),
        images=section.take("images", read.choice(Images), Images.INLINE),
        splits=_split_policy(section.take_section("splits")),
        image_check=_policy(
            section.take_section("image_check"),
            ImagePolicy,
            {"max_pixels": read.whole(1), "max_bytes": read.size, "blank_range": read.whole(0)},
        ),
        prefilter=_prefilter(section.take_section("prefilter")),
        duplicates=_policy(
            section.take_section("duplicates"),
            DuplicatePolicy,
            {"layout_bits": read.whole(0), "text_bits": read.whole(0)},
        ),
        mixes_origins=section.take("mixes_origins", read.flag, False),
        shards=_policy(
            section.take_section("shards"),
            ShardPolicy,
            {"target_bytes": read.size, "max_rows": read.whole(1)},
        ),
        annotation=_annotation(section.take_section("annotation")),
        short_answers=read_short_answers(section.take_section("short_answers"), prices),
        rejects=_ceilings(section.take_section("rejects")),
        expected_rows=split_map(section.take_section("expected_rows"), read.whole(0)),
        checks=_policy(
            section.take_section("checks"),
            CheckLimits,
            {
                "questions_per_screen": read.whole(1),
                "too_few_answers": read.share,
                "near_duplicate_screens": read.share,
            },
        ),
        card=_policy(
            section.take_section("card"),
            CardPolicy,
            {
                "title": read.text,
                "licence": _licence_id,
                "contact": read.text,
                "citation": read.text,
                "tags": read.each(str),
            },
        ),
    )


def _dataset_sources(section: Section) -> DatasetSources:
    sources = DatasetSources(
        screens=section.take("screens", read.names, ()),
        answers=section.take("answers", read.names, ()),
        short_answers=section.take("short_answers", read.names, ()),
        events=section.take("events", read.names, ()),
        verification=section.take("verification", read.names, ()),
        apps=section.take("apps", read.text),
        app_details=section.take("app_details", read.text),
        leaks_against=section.take("leaks_against", read.names, ()),
        sync_evidence=section.take("sync_evidence", read.names, ()),
    )
    section.finish()
    return sources


def _split_policy(section: Section) -> SplitPolicy:
    default = SplitPolicy()
    shares_section = section.take_section("shares")
    shares = split_map(shares_section, read.share)
    if shares and abs(sum(shares.values()) - 1) > 1e-9:
        shares_section.report(f"shares sum to {sum(shares.values()):g}, not 1")
    policy = SplitPolicy(
        by=section.take("by", read.choice(SplitBy), default.by),
        seed=section.take("seed", read.text, default.seed),
        shares=(
            (shares.get("train", 0.0), shares.get("validation", 0.0), shares.get("test", 0.0))
            if shares
            else default.shares
        ),
        unknown_app=section.take("unknown_app", read.choice(UnknownApp), default.unknown_app),
        twins=section.take("twins", read.choice(Twins), default.twins),
    )
    section.finish()
    return policy


def _policy(section: Section, policy: type[T], parsers: Mapping[str, Callable[[Any], Any]]) -> T:
    defaults = {f.name: f.default for f in dataclasses.fields(policy)}  # type: ignore[arg-type]
    values = {key: section.take(key, parse, defaults[key]) for key, parse in parsers.items()}
    section.finish()
    return policy(**values)


def _blocked(section: Section) -> Blocked:
    nothing: tuple[str, ...] = ()
    apps = section.take("apps", read.names, nothing)
    screens = section.take("screens", read.each(normalize_id), nothing)
    section.finish()
    return Blocked(frozenset(apps), frozenset(screens))


def _prefilter(section: Section) -> PrefilterPolicy:
    use = read.choice(Use)
    policy = _policy(
        section,
        PrefilterPolicy,
        {
            "language": use,
            "hierarchy_sync": use,
            "min_letters": read.whole(1),
            "english_from": read.share,
            "not_english_below": read.share,
            "in_sync_from": read.share,
            "out_of_sync_below": read.share,
            "ocr": read.flag,
        },
    )
    if policy.not_english_below > policy.english_from:
        section.report("not_english_below must not exceed english_from", "not_english_below")
    if policy.out_of_sync_below > policy.in_sync_from:
        section.report("out_of_sync_below must not exceed in_sync_from", "out_of_sync_below")
    return policy


def _annotation(section: Section) -> AnnotationPolicy:
    whole = read.whole(1)
    return _policy(
        section,
        AnnotationPolicy,
        {
            "cutoff": read.moment,
            "over_quota": read.choice(OverQuota),
            "agreement": read.choice(AgreementMode),
            "answers_in_train": whole,
            "answers_in_evaluation": whole,
            "questions_in_pass_1": whole,
            "questions_in_pass_2": whole,
            "questions_in_pass_3": whole,
            "near_duplicate_similarity": read.percentage,
            "drop_reviewed_screens": read.flag,
            "training_share": read.share,
            "training_tasks": whole,
            "quality_share": read.share,
            "quality_window": whole,
            "unanswerable_share": read.share,
        },
    )


def _licence_id(node: Any) -> str:
    """Returns a licence's id as the Hub spells it: in small letters."""
    form = read.matching(r"[A-Za-z0-9][A-Za-z0-9.-]*", "licence id such as cc-by-4.0")
    return form(node).lower()


def _ceilings(section: Section) -> RejectCeilings:
    overall = section.take("overall", read.share, RejectCeilings().overall)
    reasons = section.take_section("by_reason")
    by_reason = {reason: reasons.take(reason.value, read.share) for reason in Reason}
    reasons.finish()
    section.finish()
    given = {reason: ceiling for reason, ceiling in by_reason.items() if ceiling is not None}
    return RejectCeilings(overall, given)


def _check_references(
    dataset: Dataset, sources: Mapping[str, tuple[Source, Section]], section: Section
) -> None:
    roles: list[tuple[str, tuple[str, ...], tuple[SourceKind, ...]]] = [
        ("screens", dataset.sources.screens, SCREEN_KINDS),
        ("answers", dataset.sources.answers, (SourceKind.SCREENQA_ANSWERS,)),
        ("short_answers", dataset.sources.short_answers, (SourceKind.SCREENQA_SHORT_ANSWERS,)),
        ("events", dataset.sources.events, (SourceKind.ANNOTATION_EVENTS,)),
        ("verification", dataset.sources.verification, (SourceKind.ANNOTATION_EVENTS,)),
        ("apps", tuple(filter(None, [dataset.sources.apps])), (SourceKind.RICO_UI_DETAILS,)),
        (
            "app_details",
            tuple(filter(None, [dataset.sources.app_details])),
            (SourceKind.RICO_APP_DETAILS,),
        ),
        ("leaks_against", dataset.sources.leaks_against, (SourceKind.SPLIT_LISTS,)),
        ("sync_evidence", dataset.sources.sync_evidence, SYNC_EVIDENCE_KINDS),
    ]
    where = section.take_section("sources")
    for role, names, kinds in roles:
        for name in names:
            if name not in sources:
                close = difflib.get_close_matches(name, list(sources), n=1)
                hint = f"; did you mean {close[0]}?" if close else ""
                where.report(f"no source is called {name}{hint}", role)
            elif sources[name][0].kind and sources[name][0].kind not in kinds:
                where.report(
                    f"{name} is a {sources[name][0].kind} source, not a {' or '.join(kinds)}",
                    role,
                )
    if where.parent_has_problems:
        return  # What follows from a value that did not parse would only mislead.
    _check_combination(dataset, where)
    kinds_used = {sources[name][0].kind for name in dataset.sources.screens if name in sources}
    origins = {ORIGINS[kind] for kind in kinds_used if kind in ORIGINS}
    if len(origins) > 1 and not dataset.mixes_origins:
        where.report(
            "mixes captured screens with those of store listings, which are made for the eye; "
            "mixes_origins: true allows it",
            "screens",
        )


def _check_combination(dataset: Dataset, where: Section) -> None:
    released = dataset.sources.answers + dataset.sources.short_answers
    if dataset.recipe == SCREENS_RECIPE:
        _check_screens_only(dataset, released, where)
        return
    if bool(released) == bool(dataset.sources.events):
        where.report("needs either answers, short_answers or both, or else events")
    if dataset.sources.events and dataset.splits.by is SplitBy.OFFICIAL:
        where.report("events have no official split; splits.by must be app or screen")
    if dataset.images is not Images.NONE and not dataset.sources.screens:
        where.report(f"images: {dataset.images} needs screens")
    if dataset.prefilter.removes and dataset.images is Images.NONE:
        where.report("the prefilter looks at screens: with images: none it can remove nothing")
    needs_app = dataset.splits.by is SplitBy.APP and dataset.splits.unknown_app is UnknownApp.REJECT
    if needs_app and not dataset.sources.apps and not dataset.sources.screens:
        where.report("splits by app need a source of apps")


def _check_screens_only(dataset: Dataset, released: tuple[str, ...], where: Section) -> None:
    if released:
        where.report("a data set of screens has no answers; the recipe screenqa has")
    if dataset.sources.verification:
        where.report("a data set of screens has no short answers to verify", "verification")
    if not dataset.sources.screens:
        where.report("a data set of screens needs screens")
    if dataset.images is not Images.INLINE:
        where.report("a data set of screens has its images: inline")
    if dataset.splits.by is SplitBy.OFFICIAL:
        where.report("screens have no official split; splits.by must be app or screen")
