"""Loads a published data set as a stranger would, and compares it with what was built.

It runs in a process of its own (`python -m pipelines.publishing.reading_back`), since
`datasets` keeps caches in places that it settles when it is imported. The job comes on standard
input, so that the token is in no argument and no environment, and the problems go to standard
output.
"""

import contextlib
import dataclasses
import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.finished_builds import FinishedBuild, open_build
from schemas.columns import arrow_schema, hub_features

_BATCH_ROWS = 256
_MOST_PROBLEMS = 20


@dataclasses.dataclass(frozen=True, slots=True)
class ReadingJob:
    """What is to be loaded and compared: a build's folder, and a commit of a repository."""

    folder: str
    repo: str
    revision: str
    token: str
    cache: str


def problems_of(job: ReadingJob) -> list[str]:
    """Returns a sentence for each way in which what was loaded is not what was built.

    All rows and all columns are compared, pictures by their bytes.
    """
    build = open_build(job.folder)
    found = []
    for name in build.row_types:
        if build.shards_of(name):
            found += _configuration_problems(build, name, job)
    return found[:_MOST_PROBLEMS]


def _configuration_problems(build: FinishedBuild, name: str, job: ReadingJob) -> list[str]:
    import datasets

    loaded = datasets.load_dataset(
        job.repo, name, revision=job.revision, token=job.token, cache_dir=job.cache
    )
    splits = list(dict.fromkeys(shard.split for shard in build.shards_of(name)))
    if sorted(loaded) != sorted(splits):
        return [f"{name}: the splits are {', '.join(loaded)}, not {', '.join(splits)}"]
    found = []
    for split in splits:
        place = f"{name}/{split}"
        declared = _declared_features(build.row_types[name])
        if loaded[split].features != declared:
            found.append(f"{place}: {_feature_difference(loaded[split].features, declared)}")
            continue
        shards = [build.path(s.path) for s in build.shards_of(name) if s.split == split]
        found += _row_problems(place, loaded[split], shards, arrow_schema(build.row_types[name]))
    return found


def _declared_features(row_type: type) -> Any:
    import datasets

    return datasets.Features.from_dict(hub_features(row_type))


def _feature_difference(loaded: Any, declared: Any) -> str:
    for column in [*declared, *loaded]:
        if loaded.get(column) != declared.get(column):
            said = f"{loaded.get(column)} instead of {declared.get(column)}"
            return f"the feature of {column} is {said}"
    return "the columns are in another order"


def _row_problems(place: str, loaded: Any, shards: Sequence[str], schema: pa.Schema) -> list[str]:
    rows = sum(pq.read_metadata(shard).num_rows for shard in shards)
    if loaded.num_rows != rows:
        return [f"{place}: {loaded.num_rows:,} rows instead of {rows:,}"]
    start = 0
    stored = loaded.with_format("arrow")
    for ours in _batches(shards):
        theirs = stored[start : start + ours.num_rows]
        for column in schema.names:
            wanted = ours.column(column).cast(schema.field(column).type)
            got = theirs.column(column).cast(schema.field(column).type)
            if not got.combine_chunks().equals(wanted.combine_chunks()):
                row = _first_difference(got, wanted)
                return [f"{place}: row {start + row + 1:,} has another {column} than was built"]
        start += ours.num_rows
    return []


def _batches(shards: Sequence[str]) -> Iterator[pa.Table]:
    for shard in shards:
        with pq.ParquetFile(shard) as file:
            for batch in file.iter_batches(batch_size=_BATCH_ROWS):
                yield pa.Table.from_batches([batch])


def _first_difference(got: pa.ChunkedArray, wanted: pa.ChunkedArray) -> int:
    return next(row for row in range(len(wanted)) if not got[row].equals(wanted[row]))


def main() -> None:
    """Does the job of standard input; writes the problems, as a JSON list, to standard output."""
    # Who only describes the job has not looked at the environment yet.
    from pipelines.publishing.client import PATIENT, set_up_client

    # What `datasets` asks the Hub for has no limit of time of its own.
    set_up_client(PATIENT)
    job = ReadingJob(**json.load(sys.stdin))
    with open(os.devnull, "w") as silent, contextlib.redirect_stdout(silent):
        found = problems_of(job)
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
