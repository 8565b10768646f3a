"""The engine: Beam's FnApiRunner, pinned by us, in this process or in worker processes.

Never Beam's `DirectRunner` by name: in 2.77 that one downloads and runs another engine's
binary where the network lets it, so the engine would differ between machines.
"""

import errno
import gc
import logging
import os
import re
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pipelines.errors import BuildError, UserError

if TYPE_CHECKING:
    import apache_beam as beam
    from apache_beam.options.pipeline_options import PipelineOptions
    from apache_beam.runners.portability.fn_api_runner import fn_runner

    from pipelines.forked_workers import ForkedWorkers

REFUSED_RUNNERS = {
    "DirectRunner": (
        "it may download and run another engine (Prism) at run time, so results would depend "
        "on the network; leave --runner out to run on this machine"
    ),
    "SwitchingDirectRunner": "it is DirectRunner under its full name; leave --runner out",
    "PrismRunner": "it holds all data in memory and downloads its binary; leave --runner out",
    "DaskRunner": "it computes only the last step of a pipeline and drops the other outputs",
    "multi_threading": "it loses rows; use --workers N for worker processes",
}
"""Engines and modes that are refused, and why (measured with Beam 2.77)."""

_STOPPED = re.compile(
    r"\b(?:QuotaGone|RefusedRequest|ServiceDown|BudgetSpent|StoreFailed)Error: "
    r"(.+?)(?: \[while running|\n|$)"
)
"""How the sentence of an `AskingStoppedError` comes back from a step, also out of a worker."""

_MOST_PER_CORE = 8
_AUTO_PROCESS_BYTES = 200 * 1000 * 1000
"""Below this much input, worker processes cost more to start than they save."""


def refuse_runner(name: str) -> None:
    """Accepts the pinned local engine by its name, and refuses all others with a reason.

    Raises:
        UserError: For any other engine.
    """
    if name in ("local", "FnApiRunner"):
        return
    reason = REFUSED_RUNNERS.get(name, "this release runs on this machine only (local)")
    raise UserError(f"--runner {name} is not available: {reason}")


def workers_for(asked: int | None, input_bytes: int) -> int:
    """Returns how many workers to use: as asked, else by the size of the input."""
    cores = os.cpu_count() or 1
    if asked is not None:
        if asked > _MOST_PER_CORE * cores:
            raise UserError(
                f"--workers {asked}: this machine has {cores} cores; "
                f"at most {_MOST_PER_CORE * cores} workers are of any use"
            )
        return asked
    return 1 if input_bytes < _AUTO_PROCESS_BYTES else cores


class Engine:
    """Beam's FnApiRunner: steps run in this process, or in worker processes if more than one.

    Use it as a context. Worker processes are forked when it is entered: before that, and
    before a thread of any kind is started, the launcher must be done with forking.

    Args:
        workers: Worker processes; with 1, the steps run in this process.
        state: Folder of the build in work, for the log.
    """

    def __init__(self, workers: int, state: str) -> None:
        self.workers = workers
        self.log = os.path.join(state, "log.txt")
        self._done = threading.Event()
        self._failure: BaseException | None = None
        self._death: int | None = None
        self._forked: ForkedWorkers | None = None
        self._interrupted = False
        self._usual_interrupt: Any = None
        self._usual_tempdir: str | None = None

    def __enter__(self) -> "Engine":
        """Sends logging to the log, and forks the workers."""
        _log_to(self.log)
        _calm_collector()
        # Beam leaves a folder of its own behind when it is interrupted: here it goes with ours.
        self._usual_tempdir, tempfile.tempdir = tempfile.tempdir, os.path.dirname(self.log)
        if threading.current_thread() is threading.main_thread():
            self._usual_interrupt = signal.signal(signal.SIGINT, self._note_interrupt)
        if self.workers > 1:
            from pipelines.forked_workers import ForkedWorkers

            self._forked = ForkedWorkers(self.workers, self.log, self._note_death)
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the workers."""
        if self._forked is not None:
            self._forked.end()
        tempfile.tempdir = self._usual_tempdir
        if self._usual_interrupt is not None:
            signal.signal(signal.SIGINT, self._usual_interrupt)

    def run(self, construct: Callable[["beam.Pipeline"], None]) -> None:
        """Runs the pipeline that `construct` makes, to its end.

        Raises:
            BuildError: If a worker process dies, the disk is full, or a step fails; the
                traceback of a failing step is in the log.
        """
        import apache_beam as beam

        options = _options(self.workers)
        pipeline = beam.Pipeline(runner=_local_runner(options, self.workers), options=options)
        construct(pipeline)
        self._run_watched(pipeline)
        if self._interrupted:
            raise KeyboardInterrupt
        if self._failure is not None:
            raise _explained(self._failure, self.log)
        if self._death is not None:
            raise BuildError(_death_sentence(self._death, self.log))

    def _run_watched(self, pipeline: "beam.Pipeline") -> None:
        """Runs the pipeline in a thread: it would wait forever for a worker that died."""

        def run() -> None:
            pipeline.run().wait_until_finish()
            self._done.set()

        def hook(args: threading.ExceptHookArgs) -> None:
            name = args.thread.name if args.thread is not None else ""
            logging.getLogger(__name__).error("in thread %s", name, exc_info=args.exc_value)
            if name == "pipeline":
                self._failure = args.exc_value
                self._done.set()

        # For good: when a worker dies or a step fails, Beam's own threads fall over one by
        # one, and what they say belongs into the log.
        threading.excepthook = hook
        if not self._interrupted:
            threading.Thread(target=run, name="pipeline", daemon=True).start()
        # In short waits: an unbounded one would not let Ctrl-C through.
        while not self._interrupted and not self._done.wait(0.2):
            pass

    def _note_interrupt(self, *_: object) -> None:
        """Takes note of Ctrl-C, which is obeyed where that does no harm; a second one at once.

        Raised wherever this thread happens to be, it may be lost in a finalizer, and leave a
        lock behind that no one frees: a build was seen waiting for logging's for ever.
        """
        if self._interrupted:
            raise KeyboardInterrupt
        self._interrupted = True

    def _note_death(self, code: int) -> None:
        self._death = code
        self._done.set()


def _calm_collector() -> None:
    """Makes Python's cycle collector look rarely at the much that lives long.

    Parsing a hierarchy makes thousands of dicts, which wakes the collector; each time it
    then walks all that Beam and the records in work hold, none of it cyclic: a sixth of a
    build's CPU in one process (CONTRIBUTING, "What the profile taught").
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def _options(workers: int) -> "PipelineOptions":
    from apache_beam.options.pipeline_options import PipelineOptions

    return PipelineOptions([f"--direct_num_workers={workers}"])


def _local_runner(options: "PipelineOptions", workers: int) -> "fn_runner.FnApiRunner":
    from apache_beam.portability.api import beam_provision_api_pb2
    from apache_beam.runners.portability.fn_api_runner import fn_runner
    from apache_beam.runners.portability.portable_runner import JobServiceHandle
    from apache_beam.transforms import environments

    # Handed on by ourselves: without it, worker processes see no options at all.
    encoded = JobServiceHandle.encode_pipeline_options(options.get_all_options())
    provision = fn_runner.ExtendedProvisionInfo(
        beam_provision_api_pb2.ProvisionInfo(pipeline_options=encoded)
    )
    environment = None
    if workers > 1:
        # Its command is never run: pipelines.forked_workers handles this environment.
        environment = environments.SubprocessSDKEnvironment.from_command_string("forked")
    return fn_runner.FnApiRunner(default_environment=environment, provision_info=provision)


def _death_sentence(code: int, log: str) -> str:
    hint = (
        "it was killed, most often for want of memory: try fewer --workers"
        if code == -signal.SIGKILL
        else f"its last words are in {log}"
    )
    return (
        f"a worker process ended with code {code} ({hint}). Finished shards are kept: the same "
        "command, without --fresh, goes on from there"
    )


def _explained(error: BaseException, log: str) -> BuildError:
    text = f"{type(error).__name__}: {error}"
    stopped = _STOPPED.search(text)
    if stopped:
        return BuildError(
            f"{stopped[1]} (what was paid for is stored: the same command goes on from there)"
        )
    full = isinstance(error, OSError) and error.errno == errno.ENOSPC
    if full or f"[Errno {errno.ENOSPC}]" in text:
        return BuildError(
            "no space is left on the device of the output folder. Free some and run the same "
            "command without --fresh: finished shards are kept"
        )
    lines = [line.strip() for line in f"{error}".splitlines() if line.strip(" >\t")]
    last = next((ln for ln in reversed(lines) if "while running" in ln), lines[-1] if lines else "")
    return BuildError(f"a step failed: {type(error).__name__}: {last:.500} (log: {log})")


def _log_to(path: str) -> None:
    """Sends all logging to a file; a root handler also keeps Beam from adding its own."""
    logging.raiseExceptions = False  # A log that cannot be written (full disk) is no news.
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.setLevel(logging.WARNING)
    logging.Formatter.converter = time.gmtime
    root = logging.getLogger()
    for old in list(root.handlers):
        root.removeHandler(old)
        old.close()
    root.addHandler(handler)
