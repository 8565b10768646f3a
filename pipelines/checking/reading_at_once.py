"""All shards of a build, read in this process or by several, with progress shown."""

import concurrent.futures
import concurrent.futures.process
import multiprocessing
import os
import signal
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from pipelines.checking.facts import ShardFacts
from pipelines.checking.shard_reading import ShardTask, read_shard
from pipelines.errors import BuildError
from pipelines.terminal import ProgressDisplay

_STEP = "rows checked"
_WORTH_A_PROCESS = 64 * 1024 * 1024
"""Bytes of shards below which another process takes longer to start than it saves."""

_counter: Any = None
"""In a worker: the rows that all workers have read."""


def read_shards(tasks: Sequence[ShardTask], workers: int | None) -> tuple[ShardFacts, ...]:
    """Returns the facts of shards, in their order, whatever the number of workers.

    Args:
        tasks: The shards to read.
        workers: Processes; None to choose by cores and amount.

    Raises:
        BuildError: If a worker died.
    """
    number = min(workers or chosen_workers(tasks), max(len(tasks), 1))
    totals = {_STEP: sum(task.shard.rows for task in tasks)}
    if number == 1:
        done = {_STEP: 0}

        def advance(rows: int) -> None:
            done[_STEP] += rows

        with ProgressDisplay(lambda: done, totals):
            return tuple(read_shard(task, advance) for task in tasks)
    context = multiprocessing.get_context("fork")
    counter = context.Value("q", 0)
    with concurrent.futures.ProcessPoolExecutor(number, context, _begin, (counter,)) as pool:
        # Largest first, so that no process is left alone with one at the end. All processes are
        # forked by the first call: before the display's thread, which forks do not survive.
        order = sorted(range(len(tasks)), key=lambda i: -tasks[i].shard.size_bytes)
        futures = {i: pool.submit(_read, tasks[i]) for i in order}
        try:
            with ProgressDisplay(lambda: {_STEP: counter.value}, totals):
                return tuple(futures[i].result() for i in range(len(tasks)))
        except concurrent.futures.process.BrokenProcessPool as error:
            raise BuildError(
                "a process that read shards died, perhaps for want of memory; use fewer --workers"
            ) from error
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def chosen_workers(tasks: Sequence[ShardTask]) -> int:
    """Returns how many processes are worth their start: by cores, shards and bytes."""
    amount = sum(task.shard.size_bytes for task in tasks)
    cores = len(os.sched_getaffinity(0))
    return max(min(cores, len(tasks), amount // _WORTH_A_PROCESS), 1)


def _begin(counter: Any) -> None:
    global _counter
    _counter = counter
    # Ctrl-C ends a worker without a traceback; the first process tells of it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    pa.set_cpu_count(1)


def _read(task: ShardTask) -> ShardFacts:
    return read_shard(task, _advance)


def _advance(rows: int) -> None:
    with _counter.get_lock():
        _counter.value += rows
