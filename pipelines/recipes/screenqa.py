"""ScreenQA and ComplexQA: the drawing of the data flow.

From released files:

    questions, screens, apps ─┐
                              ├─ join ─ check ─ fit boxes ─ merge ─ split ─┬─ shards
    app details ──────────────┘                                            └─ results

From raw annotation events:

    events, screens, apps ────┐
    app details ──────────────┼─ join ─ check ─ settle ─ split ─ agree ─┬─ shards
                              │                   │                     ├─ agreement
    training events ─ quality ────────────────────┘                     └─ results
"""

from typing import Any, NamedTuple

import apache_beam as beam

from pipelines.recipes.jobs import Job
from schemas.manifest import Images, SplitBy
from schemas.questions import AskedScreen
from transforms.annotation.campaigns import AgreeAsked, MeasureQuality, SettleAsked
from transforms.annotation.measuring import MeasureCampaign, keep_asked
from transforms.boxes import FitBoxes
from transforms.collecting import CollectResults
from transforms.joining import JoinScreens
from transforms.merging import MergeQuestions
from transforms.rejecting import Split
from transforms.rows import IllustratedQuestionRows, QuestionRows, ScreenRows
from transforms.screens.checking import CheckScreens
from transforms.sources.reading import ReadFiles, read_categories, read_source
from transforms.splits import AssignSplits
from transforms.writing import RowMaker, WriteShards


class Asked(NamedTuple):
    """What a build comes to before it is written."""

    kept: beam.PCollection[AskedScreen]
    steps: list[Split[Any]]
    facts: list[beam.PCollection[Any]]


def build_screenqa(pipeline: beam.Pipeline, job: Job) -> None:
    """Adds the whole build to `pipeline`."""
    sources = pipeline | "Sources" >> ReadFiles(job.sources, read_source, job.selection)
    details = pipeline | "AppDetails" >> ReadFiles(job.app_details, read_categories)
    joined = sources.kept | JoinScreens(needs_screen=job.with_pictures, categories=details.kept)
    checked = joined.kept | CheckScreens(job.folders, job.dataset.image_check, job.progress)

    make = from_events if job.from_events else from_released
    asked = make(sources.kept, checked.kept, job)

    shards = [
        asked.kept
        | f"Write_{name}" >> WriteShards(name, maker, job.dataset.shards, job.shards, job.progress)
        for name, maker in row_makers(job).items()
    ]
    _ = asked.kept | CollectResults(
        steps=[sources, details, joined, checked, *asked.steps],
        shards=shards,
        facts=asked.facts,
        data=job.shards.data,
        results=job.results,
    )


def from_released(
    _: beam.PCollection[Any], screens: beam.PCollection[AskedScreen], job: Job
) -> Asked:
    """Brings released questions and answers onto their screens."""
    policy = job.dataset.splits
    fitted = screens | FitBoxes()
    merged = fitted.kept | MergeQuestions(official=policy.by is SplitBy.OFFICIAL)
    split = merged.kept | AssignSplits(policy, by_picture=job.with_pictures)
    return Asked(split.kept, [fitted, merged, split], [])


def from_events(
    sources: beam.PCollection[Any], screens: beam.PCollection[AskedScreen], job: Job
) -> Asked:
    """Makes questions and answers of what annotators did."""
    policy = job.dataset.annotation
    qualities = sources | MeasureQuality(policy)
    settled = screens | SettleAsked(qualities, job.folders, policy, needs_screen=job.with_pictures)
    split = settled.kept | AssignSplits(job.dataset.splits, by_picture=job.with_pictures)
    agreed = split.kept | AgreeAsked(policy)
    agreement = (screens, agreed.kept, qualities) | MeasureCampaign(policy, job.dataset.splits.seed)
    return Asked(agreed.kept | keep_asked(), [settled, split, agreed], [agreement])


def row_makers(job: Job) -> dict[str, RowMaker]:
    """Returns what makes the rows of each configuration, the one of questions first."""
    name = job.dataset.name
    if job.dataset.images is Images.INLINE:
        return {name: IllustratedQuestionRows(job.folders)}
    if job.dataset.images is Images.BY_SCREEN:
        return {name: QuestionRows(), "screens": ScreenRows(job.folders)}
    return {name: QuestionRows()}
