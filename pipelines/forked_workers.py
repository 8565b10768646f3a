"""Worker processes of the local engine, forked from the launcher with Beam imported.

Beam starts workers by a shell command, and each then imports Beam anew: nearly three
seconds of CPU a worker, more than a build of a thousand screens takes. A fork has it all
in memory already. It must happen before the launcher has threads of gRPC, so workers are
forked first and wait on a pipe until Beam's runner has an address for them.
"""

import contextlib
import io
import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

from apache_beam.portability import python_urns
from apache_beam.runners.portability.fn_api_runner import worker_handlers
from google.protobuf import json_format, text_format

from pipelines.errors import BuildError
from pipelines.hiding import hide_pandas

_END_WITHIN_S = 10.0


class _Worker:
    """One forked process, and the pipe that holds its life: when it closes, it ends."""

    def __init__(self, pid: int, pipe: int) -> None:
        self.pid = pid
        self.pipe = pipe
        self.code: int | None = None
        self.ended = threading.Event()

    def wait(self) -> None:
        self.code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        self.ended.set()


class ForkedWorkers:
    """A number of worker processes; to be forked while the launcher has one thread.

    Args:
        count: How many.
        log: File that takes whatever the workers print.
        on_death: Called with the exit code (negative for a signal) of a worker that ends
            before `end` is called, from a thread of its own.
    """

    def __init__(self, count: int, log: str, on_death: Callable[[int], None]) -> None:
        self._on_death = on_death
        self._ending = False
        _reach_loopback()
        self._workers: list[_Worker] = []
        for _ in range(count):
            self._workers.append(self._fork(log))
        self._idle = list(self._workers)
        for worker in self._workers:
            threading.Thread(target=self._watch, args=(worker,), daemon=True).start()
        # Beam looks handlers up by the environment's kind; ours takes the place of the one
        # that runs a shell command.
        register = worker_handlers.WorkerHandler.register_environment
        register(python_urns.SUBPROCESS_SDK, bytes)(self._handler)

    def start_one(self, environment: dict[str, str]) -> _Worker:
        """Lets the next waiting process begin its work; returns it."""
        worker = self._idle.pop(0)
        os.write(worker.pipe, json.dumps(environment).encode() + b"\n")
        return worker

    def end(self) -> None:
        """Ends all workers, those that do not end by themselves by force."""
        self._ending = True
        for worker in self._workers:
            os.close(worker.pipe)
        for worker in self._workers:
            if not worker.ended.wait(0):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker.pid, signal.SIGKILL)
            worker.ended.wait(_END_WITHIN_S)

    def _handler(
        self, payload: bytes, state: Any, provision_info: Any, grpc_server: Any
    ) -> "worker_handlers.WorkerHandler":
        return _ForkedHandler(self, state, provision_info, grpc_server)

    def _watch(self, worker: _Worker) -> None:
        worker.wait()
        # A worker leaves with 0 when Beam's runner has closed its connection to it.
        if not self._ending and worker.code:
            self._on_death(worker.code)

    def _fork(self, log: str) -> _Worker:
        reading, writing = os.pipe()
        pid = os.fork()
        if pid:
            os.close(reading)
            return _Worker(pid, writing)
        # Another worker's pipe must not be held open here, or it would outlive the launcher.
        for other in [*(worker.pipe for worker in self._workers), writing]:
            os.close(other)
        _run_worker(reading, log)
        os._exit(0)


def _reach_loopback() -> None:
    """Makes sure that workers can be talked to, and that no proxy is asked for it.

    Raises:
        BuildError: If this machine has no loopback network: workers would wait forever.
    """
    for name in ("no_grpc_proxy", "no_proxy", "NO_PROXY"):
        kept = os.environ.get(name)
        os.environ[name] = ",".join(filter(None, [kept, "localhost", "127.0.0.1", "::1"]))
    try:
        with socket.create_server(("localhost", 0)) as server:
            socket.create_connection(server.getsockname()[:2], timeout=5).close()
    except OSError as error:
        raise BuildError(
            f"worker processes need the loopback network ({error.strerror or error}); "
            "use --workers 1"
        ) from error


class _ForkedHandler(worker_handlers.GrpcWorkerHandler):
    """What Beam's runner starts and stops a worker through."""

    def __init__(self, workers: ForkedWorkers, state: Any, info: Any, server: Any) -> None:
        super().__init__(state, info, server)
        self._workers = workers
        self._worker: _Worker | None = None

    def start_worker(self) -> None:
        control = text_format.MessageToString(self.control_api_service_descriptor())
        options = json_format.MessageToJson(self.provision_info.provision_info.pipeline_options)
        self._worker = self._workers.start_one(
            {
                "CONTROL_API_SERVICE_DESCRIPTOR": control,
                "PIPELINE_OPTIONS": options,
                "WORKER_ID": self.worker_id,
            }
        )

    def stop_worker(self) -> None:
        if self._worker is not None:
            self._worker.ended.wait(_END_WITHIN_S)


def _run_worker(pipe: int, log: str) -> None:
    """Waits for an address, then works until the runner or the launcher is gone."""
    # Ctrl-C reaches the whole group; the launcher decides what becomes of the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    output = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.dup2(output, 1)
    os.dup2(output, 2)
    # Beam prints the traceback of a failing step before it reports it. On a full disk that
    # print would fail in turn, and the launcher would never hear of either.
    sys.stdout = sys.stderr = _LossyStream(output)
    line = b""
    while not line.endswith(b"\n"):
        part = os.read(pipe, 65536)
        if not part:
            os._exit(0)  # The launcher ended before it had work.
        line += part
    os.environ.update(json.loads(line))
    threading.Thread(target=_leave_with_launcher, args=(pipe,), daemon=True).start()

    hide_pandas()
    import pyarrow as pa
    from apache_beam.runners.worker import sdk_worker_main

    # The processes are the parallelism; threads in each would fight over the same cores.
    pa.set_cpu_count(1)
    sdk_worker_main.main([])


class _LossyStream(io.TextIOBase):
    """Writes to a log, and goes on without what the disk does not take."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            os.write(self._descriptor, text.encode("utf-8", "backslashreplace"))
        return len(text)


def _leave_with_launcher(pipe: int) -> None:
    os.read(pipe, 1)
    os._exit(1)
