"""A worker process of the local engine: `python -m pipelines.worker STATE_FOLDER`.

Beam starts it. It notes its process id so that the launcher can end it, sends its own
output to the build's log, and ends when the launcher is gone.
"""

import os
import sys
import threading
import time


def main() -> None:
    """Runs Beam's worker until the launcher ends it."""
    state = sys.argv[1]
    log = os.open(os.path.join(state, "log.txt"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.dup2(log, 1)
    os.dup2(log, 2)
    with open(os.path.join(state, "workers", str(os.getpid())), "w", encoding="ascii"):
        pass
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()

    import pyarrow as pa
    from apache_beam.runners.worker import sdk_worker_main

    # The processes are the parallelism; threads in each would fight over the same cores.
    pa.set_cpu_count(1)
    sdk_worker_main.main([])


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


if __name__ == "__main__":
    main()
