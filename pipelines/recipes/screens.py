"""Screens: the drawing of the data flow, by itself and as the first part of other recipes.

screens, apps, sync evidence, events ─┐
app details ──────────────────────────┴─ join ─ check ─ judge ─ rate ─ split ─┬─ shards
                                                                              └─ results
"""

from typing import Any, NamedTuple

import apache_beam as beam

from pipelines.recipes.jobs import Job
from schemas.manifest import SCREENS_RECIPE
from schemas.questions import AskedScreen
from transforms.annotation.campaigns import MeasureQuality, RateAsked
from transforms.collecting import CollectResults
from transforms.joining import JoinScreens, Wanted
from transforms.prefiltering import JudgeScreens
from transforms.rejecting import Split
from transforms.rows import ScreenRows
from transforms.screens.checking import CheckPolicy, CheckScreens
from transforms.sources.reading import ReadFiles, read_categories, read_source
from transforms.splits import AssignSplits
from transforms.writing import WriteShards


class Judged(NamedTuple):
    """Screens with all that their files say, and how their annotators did in training."""

    screens: beam.PCollection[AskedScreen]
    qualities: beam.PCollection[Any]
    steps: list[Split[Any]]


def build_screens(pipeline: beam.Pipeline, job: Job) -> None:
    """Adds the whole build to `pipeline`."""
    judged = judge_screens(pipeline, job)
    dataset = job.dataset
    policy = dataset.annotation
    rated = judged.screens | RateAsked(judged.qualities, job.folders, policy)
    split = rated.kept | AssignSplits(dataset.splits, job.folders)
    name, maker = dataset.name, ScreenRows(job.folders)
    shards = split.kept | WriteShards(name, maker, dataset.shards, job.shards, job.progress)
    _ = split.kept | CollectResults(
        steps=[*judged.steps, rated, split],
        shards=[shards],
        prefiltered=judged.screens,
        data=job.shards.data,
        results=job.results,
    )


def judge_screens(pipeline: beam.Pipeline, job: Job) -> Judged:
    """Brings together what the sources hold on each screen, checks it and judges it."""
    dataset = job.dataset
    sources = pipeline | "Sources" >> ReadFiles(job.sources, read_source, job.selection)
    details = pipeline | "AppDetails" >> ReadFiles(job.app_details, read_categories)
    wanted = Wanted(job.with_pictures, dataset.recipe == SCREENS_RECIPE, dataset.blocked)
    joined = sources.kept | JoinScreens(wanted, details.kept)
    policy = CheckPolicy(dataset.image_check, dataset.prefilter)
    checked = joined.kept | CheckScreens(job.folders, policy, job.progress)
    qualities = sources.kept | MeasureQuality(dataset.annotation)
    screens = checked.kept | JudgeScreens(dataset.prefilter, dataset.annotation, qualities)
    return Judged(screens, qualities, [sources, details, joined, checked])
