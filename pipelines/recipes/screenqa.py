"""ScreenQA and ComplexQA: the drawing of the data flow.

From released files:

    questions, screens, apps ─┐
    app details ──────────────┴─ join ─ check ─ judge ─ drop ─ fit boxes ─ merge ─ split ─ (shorten)

From raw annotation events:

    events, screens, apps ────┐
    app details ──────────────┴─ join ─ check ─ judge ─ settle ─ split ─ agree ─ (shorten)
                                                           │                  └─ agreement
    training events ─ quality ─────────────────────────────┘

Either ends in shards and results; short answers are made where the manifest says of what.
"""

from typing import Any, NamedTuple

import apache_beam as beam

from pipelines.recipes.configurations import row_types
from pipelines.recipes.jobs import Job
from pipelines.recipes.screens import Judged, judge_screens
from schemas.examples import IllustratedQuestionRow, QuestionRow
from schemas.manifest import SplitBy
from schemas.questions import AskedScreen
from schemas.screens import ScreenRow
from schemas.short_answers import ShortAnswerProvider
from transforms.annotation.campaigns import AgreeAsked, SettleAsked
from transforms.annotation.measuring import MeasureCampaign, keep_asked
from transforms.annotation.verification import MeasureVerification, SettleVerifications
from transforms.boxes import FitBoxes
from transforms.collecting import CollectResults
from transforms.merging import MergeQuestions
from transforms.prefiltering import DropRefused
from transforms.rejecting import Split
from transforms.rows import IllustratedQuestionRows, QuestionRows, ScreenRows
from transforms.short_answers.generating import ShortenAnswers
from transforms.splits import AssignSplits
from transforms.writing import RowMaker, WriteShards


class Asked(NamedTuple):
    """What a build comes to before it is written."""

    kept: beam.PCollection[AskedScreen]
    steps: list[Split[Any]]
    facts: list[beam.PCollection[Any]]


def build_screenqa(pipeline: beam.Pipeline, job: Job) -> None:
    """Adds the whole build to `pipeline`."""
    judged = judge_screens(pipeline, job)
    make = from_events if job.from_events else from_released
    asked = with_short_answers(make(judged, job), job)
    verification = judged.screens | MeasureVerification(judged.qualities, job.dataset.annotation)
    shards = [
        asked.kept
        | f"Write_{name}" >> WriteShards(name, maker, job.dataset.shards, job.shards, job.progress)
        for name, maker in row_makers(job).items()
    ]
    _ = asked.kept | CollectResults(
        steps=[*judged.steps, *asked.steps],
        shards=shards,
        facts=[*asked.facts, verification],
        prefiltered=judged.screens,
        data=job.shards.data,
        results=job.results,
    )


def with_short_answers(asked: Asked, job: Job) -> Asked:
    """Gives questions their short answers; released ones lose what people found wrong."""
    policy = job.dataset.short_answers
    if policy.provider == ShortAnswerProvider.NONE and not job.dataset.sources.verification:
        return asked
    shortened = asked.kept | ShortenAnswers(policy, job.asking)
    return Asked(shortened.kept, [*asked.steps, shortened], asked.facts)


def from_released(judged: Judged, job: Job) -> Asked:
    """Brings released questions and answers onto their screens."""
    policy = job.dataset.splits
    left = judged.screens | DropRefused()
    verified = left.kept | SettleVerifications(
        judged.qualities, job.dataset.annotation, needs_screen=job.with_pictures
    )
    fitted = verified.kept | FitBoxes()
    merged = fitted.kept | MergeQuestions(official=policy.by is SplitBy.OFFICIAL)
    split = merged.kept | AssignSplits(policy, job.picture_folders)
    return Asked(split.kept, [left, verified, fitted, merged, split], [])


def from_events(judged: Judged, job: Job) -> Asked:
    """Makes questions and answers of what annotators did."""
    policy = job.dataset.annotation
    settled = judged.screens | SettleAsked(
        judged.qualities, job.folders, policy, needs_screen=job.with_pictures
    )
    split = settled.kept | AssignSplits(job.dataset.splits, job.picture_folders)
    agreed = split.kept | AgreeAsked(policy)
    agreement = (judged.screens, agreed.kept, judged.qualities) | MeasureCampaign(
        policy, job.dataset.splits.seed
    )
    return Asked(agreed.kept | keep_asked(), [settled, split, agreed], [agreement])


def row_makers(job: Job) -> dict[str, RowMaker]:
    """Returns what makes the rows of each configuration, the one of questions first."""
    makers: dict[type, RowMaker] = {
        QuestionRow: QuestionRows(),
        IllustratedQuestionRow: IllustratedQuestionRows(job.folders),
        ScreenRow: ScreenRows(job.folders),
    }
    return {name: makers[row_type] for name, row_type in row_types(job.dataset).items()}
