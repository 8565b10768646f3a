"""The engine: Beam's FnApiRunner, pinned by us, in this process or in worker processes.

Never Beam's `DirectRunner` by name: in 2.77 that one downloads and runs another engine's
binary where the network lets it, so the engine would differ between machines.
"""

import contextlib
import dataclasses
import errno
import logging
import os
import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from pipelines.errors import BuildError, UserError

if TYPE_CHECKING:
    import apache_beam as beam
    from apache_beam.options.pipeline_options import PipelineOptions
    from apache_beam.runners.portability.fn_api_runner import fn_runner

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

_AUTO_PROCESS_BYTES = 200 * 1000 * 1000
"""Below this much input, worker processes cost more to start than they save."""


@dataclasses.dataclass(frozen=True, slots=True)
class Engine:
    """How many worker processes run the steps; with 1 they run in this process.

    `state` is the folder of the build in work, for logs and the workers' process ids.
    """

    workers: int
    state: str


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
    if asked is not None:
        return asked
    return 1 if input_bytes < _AUTO_PROCESS_BYTES else os.cpu_count() or 1


def run_pipeline(construct: Callable[["beam.Pipeline"], None], engine: Engine) -> None:
    """Runs the pipeline that `construct` makes, to its end.

    Raises:
        BuildError: If a worker process dies, the disk is full, or a step fails; the
            traceback of a failing step is in `log.txt` of the engine's state folder.
    """
    _log_to(os.path.join(engine.state, "log.txt"))
    import apache_beam as beam

    options = _options(engine)
    pipeline = beam.Pipeline(runner=_local_runner(options, engine), options=options)
    construct(pipeline)
    _run_watched(pipeline, engine)


def end_workers(state: str) -> None:
    """Kills the worker processes that noted their ids in the state folder."""
    folder = os.path.join(state, "workers")
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        with contextlib.suppress(ProcessLookupError):  # It may have ended by itself.
            os.kill(int(name), signal.SIGKILL)
        os.unlink(os.path.join(folder, name))


def _options(engine: Engine) -> "PipelineOptions":
    from apache_beam.options.pipeline_options import PipelineOptions

    return PipelineOptions([f"--direct_num_workers={engine.workers}"])


def _local_runner(options: "PipelineOptions", engine: Engine) -> "fn_runner.FnApiRunner":
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
    if engine.workers > 1:
        os.makedirs(os.path.join(engine.state, "workers"), exist_ok=True)
        # `exec` replaces the shell that Beam starts: the worker is then our own child.
        command = shlex.join([sys.executable, "-m", "pipelines.worker", engine.state])
        environment = environments.SubprocessSDKEnvironment.from_command_string(f"exec {command}")
    return fn_runner.FnApiRunner(default_environment=environment, provision_info=provision)


class _Watch:
    """Waits for the pipeline's thread to end, well or not, or for a worker to die.

    Beam's runner waits forever for a worker that died. Its own thread for each worker
    process does raise when the process ends; the hook below sees it at once.
    """

    def __init__(self) -> None:
        self.done = threading.Event()
        self.failure: BaseException | None = None
        self.death: str | None = None

    def hook(self, args: threading.ExceptHookArgs) -> None:
        name = args.thread.name if args.thread is not None else ""
        logging.getLogger(__name__).error("in thread %s", name, exc_info=args.exc_value)
        if name == "pipeline":
            self.failure = args.exc_value
            self.done.set()
        elif name.startswith("run_worker"):
            self.death = str(args.exc_value)
            self.done.set()


def _run_watched(pipeline: "beam.Pipeline", engine: Engine) -> None:
    watch = _Watch()

    def run() -> None:
        pipeline.run().wait_until_finish()
        watch.done.set()

    previous, threading.excepthook = threading.excepthook, watch.hook
    try:
        threading.Thread(target=run, name="pipeline", daemon=True).start()
        # In short waits: an unbounded one would not let Ctrl-C through.
        while not watch.done.wait(0.2):
            pass
    finally:
        threading.excepthook = previous
        end_workers(engine.state)
    if watch.failure is not None:
        raise _explained(watch.failure, engine)
    if watch.death is not None:
        raise BuildError(_death_sentence(watch.death, engine))


def _death_sentence(message: str, engine: Engine) -> str:
    code = message.rpartition(" ")[2]
    killed = code in ("-9", "137")
    hint = (
        "it was killed, most often for want of memory: try fewer --workers"
        if killed
        else "its last words are in the log"
    )
    return (
        f"a worker process ended with code {code} ({hint}; log: {engine.state}/log.txt). "
        "Finished shards are kept: the same command goes on from there"
    )


def _explained(error: BaseException, engine: Engine) -> BuildError:
    text = f"{error}"
    full = isinstance(error, OSError) and error.errno == errno.ENOSPC
    if full or f"[Errno {errno.ENOSPC}]" in text:
        return BuildError(
            "no space is left on the device of the output folder. Free some and run the same "
            "command: finished shards are kept"
        )
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    last = next((ln for ln in reversed(lines) if "while running" in ln), lines[-1] if lines else "")
    return BuildError(
        f"a step failed: {type(error).__name__}: {last:.500} (log: {engine.state}/log.txt)"
    )


def _log_to(path: str) -> None:
    """Sends all logging to a file; a root handler also keeps Beam from adding its own."""
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.setLevel(logging.WARNING)
    logging.Formatter.converter = time.gmtime
    root = logging.getLogger()
    for old in list(root.handlers):
        root.removeHandler(old)
        old.close()
    root.addHandler(handler)
