"""ScreenQA and ComplexQA from released files: the drawing of the data flow.

questions ──┐
screens   ──┼─ join ─ check ─ fit boxes ─ merge ─ split ─┬─ shards
apps      ──┘                                            └─ results
app details ┘
"""

import apache_beam as beam

from pipelines.recipes.jobs import Job
from schemas.manifest import Images, SplitBy
from transforms.boxes import FitBoxes
from transforms.collecting import CollectResults
from transforms.joining import JoinScreens
from transforms.merging import MergeQuestions
from transforms.rows import IllustratedQuestionRows, QuestionRows, ScreenRows
from transforms.screens.checking import CheckScreens
from transforms.sources.reading import ReadFiles, read_categories, read_source
from transforms.splits import AssignSplits
from transforms.writing import RowMaker, WriteShards


def build_screenqa(pipeline: beam.Pipeline, job: Job) -> None:
    """Adds the whole build to `pipeline`."""
    dataset = job.dataset
    sources = pipeline | "Sources" >> ReadFiles(job.sources, read_source, job.selection)
    details = pipeline | "AppDetails" >> ReadFiles(job.app_details, read_categories)

    joined = sources.kept | JoinScreens(needs_screen=job.with_pictures, categories=details.kept)
    checked = joined.kept | CheckScreens(job.folders, dataset.image_check, job.progress)
    fitted = checked.kept | FitBoxes()
    merged = fitted.kept | MergeQuestions(official=dataset.splits.by is SplitBy.OFFICIAL)
    split = merged.kept | AssignSplits(dataset.splits, by_picture=job.with_pictures)

    shards = [
        split.kept
        | f"Write_{name}" >> WriteShards(name, maker, dataset.shards, job.shards, job.progress)
        for name, maker in row_makers(job).items()
    ]
    steps = [sources, details, joined, checked, fitted, merged, split]
    _ = split.kept | CollectResults(
        steps=steps, shards=shards, data=job.shards.data, results=job.results
    )


def row_makers(job: Job) -> dict[str, RowMaker]:
    """Returns what makes the rows of each configuration, the one of questions first."""
    name = job.dataset.name
    if job.dataset.images is Images.INLINE:
        return {name: IllustratedQuestionRows(job.folders)}
    if job.dataset.images is Images.BY_SCREEN:
        return {name: QuestionRows(), "screens": ScreenRows(job.folders)}
    return {name: QuestionRows()}
