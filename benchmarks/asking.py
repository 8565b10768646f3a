"""How fast a model is asked, and what a rebuild from stored replies costs.

`python benchmarks/asking.py` runs a fake service with a latency of 50 ms in a process of its
own (it shares the machine), asks it under several limits, each over whole windows of the
limiter, and compares with what the limits allow; then it stores N replies and reads them
all as a rebuild does. `--replies 86000` is the size of ScreenQA.
"""

import argparse
import dataclasses
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from schemas.models import Limits, ModelPolicy, ModelReply, ReplyOutcome  # noqa: E402
from transforms.models.asker import Asker, AskPlan  # noqa: E402
from transforms.models.asking import AskModel  # noqa: E402
from transforms.models.cache import ReplyCache  # noqa: E402
from transforms.models.calling import Answered, Question  # noqa: E402
from transforms.models.pricing import make_request  # noqa: E402

LATENCY_S = 0.05
PROMPT_CHARS = 2_000
RATES = ((600, 16), (3_000, 16), (6_000, 16))


def main() -> None:
    """Runs both parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replies", type=int, default=86_000)
    parser.add_argument("--seconds", type=float, default=119.0, help="of asking, for each rate")
    parser.add_argument("--provider", default="gemini", choices=["gemini", "openai_compatible"])
    args = parser.parse_args()
    os.environ["GEMINI_API_KEY"] = "benchmark"
    with tempfile.TemporaryDirectory() as folder:
        if args.seconds:
            ask_under_limits(folder, args.provider, args.seconds)
        if args.replies:
            rebuild(folder, args.replies)


def ask_under_limits(folder: str, provider: str, seconds: float) -> None:
    """Asks under each rate, and as fast as it goes."""
    command = [
        sys.executable,
        ROOT / "tests/support/fake_models.py",
        f"{folder}/log",
        f"{LATENCY_S}",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
        assert service.stdout is not None
        url = service.stdout.readline().strip()
        url += "/v1" if provider == "openai_compatible" else ""
        print(
            "| calls a minute | at once | allowed in s | allowed | made | share | CPU ms a call |"
        )
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for per_minute, concurrency in RATES:
            policy = ModelPolicy(
                provider,
                "m",
                base_url=url,
                limits=Limits(per_minute=per_minute, concurrency=concurrency),
            )
            ask_one_rate(f"{folder}/{per_minute}", policy, seconds)
        policy = ModelPolicy(provider, "m", base_url=url, limits=Limits(concurrency=8))
        ask_one_rate(f"{folder}/unlimited", policy, 20.0)
        service.kill()


def ask_one_rate(folder: str, policy: ModelPolicy, seconds: float) -> None:
    """Asks for so long, and prints what was made of what was allowed."""
    asker = Asker(AskPlan(policy, f"{folder}/cache", f"{folder}/state", f"{folder}/ledger"))
    per_minute, concurrency = policy.limits.per_minute, policy.limits.concurrency
    asker.ask_all([question(policy, -1)])  # Imports and the first connection.
    os.unlink(next(pathlib.Path(f"{folder}/state").glob("limits-*")))
    start, cpu = time.monotonic(), time.process_time()
    futures, done, number = [], 0, 0
    while time.monotonic() < start + seconds:
        while len(futures) < 4 * concurrency:
            futures.append(asker.submit(question(policy, number)))
            number += 1
        waiting = [future for future in futures if not future.done()]
        done += len(futures) - len(waiting)
        futures = waiting
        time.sleep(0.005)
    taken, cpu = time.monotonic() - start, time.process_time() - cpu
    done += sum(future.done() for future in futures)
    # As fast as the calls at once allow, until the window is full; then the next window.
    full = concurrency / LATENCY_S
    windows, rest = divmod(taken, 60)
    allowed = (
        full * taken
        if per_minute is None
        else windows * min(per_minute, full * 60) + min(per_minute, full * rest)
    )
    print(
        f"| {per_minute or 'any'} | {concurrency} | {taken:.1f} | {allowed:,.0f} | {done:,} | "
        f"{done / allowed:.1%} | {cpu / done * 1000:.2f} |",
        flush=True,
    )
    asker.caller.stop(KeyboardInterrupt())
    asker.close()


def question(policy: ModelPolicy, number: int) -> Question:
    """Returns a question with a prompt as long as a few-shot one."""
    prompt = f"{number} " + "List various ways to rephrase the answer. " * (PROMPT_CHARS // 42)
    return Question(make_request(policy, prompt, "v1"))


POLICY = ModelPolicy("gemini", "m")


def questions_of(number: int) -> list[Question]:
    """Returns what to ask about a number."""
    return [question(POLICY, number)]


def use(number: int, answered: Sequence[Answered]) -> list[str]:
    """Returns what was said."""
    return [answered[0].reply.text]


def rebuild(folder: str, count: int) -> None:
    """Stores replies, and times reading them, bare and in a pipeline."""
    plan = AskPlan(POLICY, f"{folder}/cache", f"{folder}/state", f"{folder}/ledger")
    cache = ReplyCache(plan.cache)
    reply = ModelReply(ReplyOutcome.ANSWERED, "['3', 'three', '3 items']", "STOP", 500, 20, "m-1")
    start, real_sync = time.monotonic(), os.fsync
    os.fsync = lambda _: None  # Only here: the benchmark is of reading.
    for number in range(count):
        cache.put(question(POLICY, number).request, reply)
    os.fsync = real_sync
    print(f"\n{count:,} replies stored in {time.monotonic() - start:.1f} s (without syncing)")

    asker = Asker(plan)
    start, cpu = time.monotonic(), time.process_time()
    for number in range(count):
        answered = asker.stored(question(POLICY, number))
        assert answered is not None
        assert answered == dataclasses.replace(answered)
    cpu = time.process_time() - cpu
    print(f"read plainly: {cpu:.1f} s of CPU, {cpu / count * 1e6:.0f} µs a reply")
    asker.close()

    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.monotonic()
    import apache_beam as beam
    from apache_beam.runners.portability.fn_api_runner import fn_runner

    with beam.Pipeline(runner=fn_runner.FnApiRunner()) as pipeline:
        split = pipeline | beam.Create(range(count)) | AskModel(plan, questions_of, use)
        _ = split.kept | beam.combiners.Count.Globally()
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    wall = time.monotonic() - start
    print(f"rebuilt in Beam, one process: {cpu:.1f} s of CPU, {wall:.1f} s, no call made")


if __name__ == "__main__":
    main()
