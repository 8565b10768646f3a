"""One client and one event loop a worker, as long as it lives, for all who ask in it."""

import asyncio
import concurrent.futures
import dataclasses
import hashlib
import os
import threading
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from schemas.models import ModelPolicy, ModelReply, ModelRequest
from schemas.records import Record
from transforms.models.admission import Sleep
from transforms.models.batching import Batcher
from transforms.models.cache import ReplyCache
from transforms.models.calling import Answered, Caller, Question, ask_all
from transforms.models.limits import ModelLimiter
from transforms.models.protocol import BatchProvider, Provider, RefusedRequestError, make_provider
from transforms.models.spending import Ledger

BATCH_SLEEP: Sleep = asyncio.sleep
"""How batches are waited for; tests have no minutes."""

T = TypeVar("T")


@dataclasses.dataclass(frozen=True, slots=True)
class AskPlan(Record):
    """All that a worker needs to know in order to ask; the key is in its environment.

    `cache` is the folder, or `scheme://` address, of stored replies. `state` is a folder of
    this machine that outlives builds: limits, claims, batches under way. `ledger` is the
    file of what this build paid, which outlives its workers and restarts.
    """

    policy: ModelPolicy
    cache: str
    state: str
    ledger: str


class Asker:
    """Asks for all threads of a worker, on an event loop of its own.

    The loop lives in a thread as long as the asker does: connections belong to the loop
    that opened them, and would be of no use to the next bundle on another one.

    Attributes:
        caller: What asks; its `failure` says what ended all asking.
        borrowers: How many have it; the business of `borrow_asker`.
    """

    def __init__(self, plan: AskPlan) -> None:
        os.makedirs(plan.state, exist_ok=True)
        self.borrowers = 0
        self._plan = plan
        self._provider = _LazyProvider(plan.policy)
        self._cache = ReplyCache(plan.cache)
        self._ledger = Ledger(plan.ledger, plan.policy.budget, plan.policy.price)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="asker", daemon=True)
        self._thread.start()
        self._under_way: set[concurrent.futures.Future[Any]] = set()
        self.caller = self._run(self._make_caller())

    def stored(self, question: Question) -> Answered | None:
        """Returns what becomes of a question if stored replies alone tell; without waiting."""
        return self.caller.stored(question) if self._cache.is_local else None

    def submit(self, question: Question) -> "concurrent.futures.Future[Answered]":
        """Begins to ask; the result is what becomes of the question."""
        future = asyncio.run_coroutine_threadsafe(self.caller.ask(question), self._loop)
        self._under_way.add(future)
        future.add_done_callback(self._under_way.discard)
        return future

    def ask_all(self, questions: Sequence[Question]) -> list[Answered]:
        """Returns what becomes of each question, in their order; in batches if so planned.

        Raises:
            AskingStoppedError: If they cannot all be asked; what was paid for is stored.
        """
        self.bring(questions)
        return self._run(ask_all(questions, self.caller))

    def bring(self, questions: Sequence[Question]) -> None:
        """Has the service's batch mode answer what it can, if the policy says so.

        Raises:
            AskingStoppedError: If the service, or the budget, wants no more.
        """
        if self._plan.policy.batch:
            requests = [question.request for question in questions]
            missing = [r for r in requests if self._cache.get(r.key) is None]
            if missing:
                self._run(self._batcher().bring(missing))

    def finish(self) -> None:
        """Waits until all that was submitted has ended, well or not."""
        concurrent.futures.wait(list(self._under_way))

    def close(self) -> None:
        """Lets calls under way end, and ends connections, loop and thread."""
        self.finish()
        self._run(self._provider.close())
        self._run(self._loop.shutdown_default_executor())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _make_caller(self) -> Caller:
        policy, state = self._plan.policy, self._plan.state
        # Limits belong to a model at an address, whoever asks it from this machine.
        named = "\n".join([policy.provider, policy.model, policy.base_url or ""])
        limits = f"{state}/limits-{hashlib.sha256(named.encode()).hexdigest()[:16]}.json"
        return Caller(
            policy,
            self._provider,
            self._cache,
            ModelLimiter(limits, policy.limits),
            self._ledger,
            f"{state}/claims",
        )

    def _batcher(self) -> Batcher:
        provider = self._provider.made()
        if not isinstance(provider, BatchProvider):
            raise RefusedRequestError(
                f"the provider {self._plan.policy.provider} has no batch mode (batch: true)"
            )
        folder, claims = f"{self._plan.state}/batches", f"{self._plan.state}/claims"
        return Batcher(provider, self._cache, self._ledger, folder, claims, sleep=BATCH_SLEEP)

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


class _LazyProvider:
    """Makes the provider with the first call: what is all stored needs neither key nor net."""

    def __init__(self, policy: ModelPolicy) -> None:
        self.name = policy.provider
        self._policy = policy
        self._made: Provider | None = None

    def made(self) -> Provider:
        if self._made is None:
            self._made = make_provider(self._policy)
        return self._made

    async def ask(self, request: ModelRequest, images: Sequence[bytes] = ()) -> ModelReply:
        return await self.made().ask(request, images)

    async def close(self) -> None:
        if self._made is not None:
            await self._made.close()


_askers: dict[tuple[int, AskPlan], Asker] = {}
_askers_lock = threading.Lock()


def borrow_asker(plan: AskPlan) -> Asker:
    """Returns the asker of this process for a plan, made if need be; to be given back."""
    # By process: what a forked worker inherits has lost its thread.
    key = (os.getpid(), plan)
    with _askers_lock:
        asker = _askers.get(key)
        # One that was stopped lets nobody in any more; a build that is run again begins anew.
        if asker is None or asker.caller.failure is not None:
            asker = _askers[key] = Asker(plan)
        asker.borrowers += 1
        return asker


def give_back_asker(asker: Asker) -> None:
    """Closes an asker once nobody has it any more."""
    with _askers_lock:
        asker.borrowers -= 1
        if asker.borrowers:
            return
        for key in [key for key, kept in _askers.items() if kept is asker]:
            del _askers[key]
    asker.close()
