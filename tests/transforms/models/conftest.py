"""What tests of asking share: a fake service, a clock that only sleeping moves, a caller."""

import asyncio
import dataclasses
import pathlib
from collections.abc import Callable, Iterator

import pytest
from fake_models import FakeModels

from schemas.models import ModelPolicy
from transforms.models.cache import ReplyCache
from transforms.models.calling import Caller, Question
from transforms.models.limits import ModelLimiter
from transforms.models.pricing import make_request
from transforms.models.protocol import Provider, make_provider
from transforms.models.spending import Ledger

SENTINEL = "AIzaSySENTINEL-0123456789-abcdefghijkl"


class FakeClock:
    """A clock that only sleeping moves. Sleepers wake in the order of their moments."""

    def __init__(self, now: float = 1_796_000_000.0) -> None:
        self.now = now
        self.naps: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        until = self.now + seconds
        self.naps.append(seconds)
        # Lets all others run first: a nap ends only once nobody has anything to do before.
        for _ in range(20):
            await asyncio.sleep(0)
        self.now = max(self.now, until)


@dataclasses.dataclass
class Desk:
    """All that asking takes, in one folder."""

    folder: pathlib.Path
    policy: ModelPolicy
    clock: FakeClock
    provider: Provider
    cache: ReplyCache
    ledger: Ledger
    caller: Caller

    def question(self, prompt: str, **more: object) -> Question:
        return Question(make_request(self.policy, prompt, "v1"), **more)

    def questions(self, count: int) -> list[Question]:
        return [self.question(f"question {number}") for number in range(count)]


def desk_at(
    folder: pathlib.Path,
    policy: ModelPolicy,
    provider: Provider | None = None,
    root: str | None = None,
) -> Desk:
    folder.mkdir(exist_ok=True)
    clock = FakeClock()
    provider = make_provider(policy) if provider is None else provider
    cache = ReplyCache(root or str(folder / "cache"), clock=clock)
    ledger = Ledger(str(folder / "ledger"), policy.budget, policy.price)
    limiter = ModelLimiter(str(folder / "limits"), policy.limits, clock=clock)
    claims = str(folder / "claims")
    caller = Caller(policy, provider, cache, limiter, ledger, claims, sleep=clock.sleep)
    return Desk(folder, policy, clock, provider, cache, ledger, caller)


@pytest.fixture
def service() -> Iterator[FakeModels]:
    with FakeModels() as running:
        yield running


@pytest.fixture
def gemini(service: FakeModels, monkeypatch: pytest.MonkeyPatch) -> ModelPolicy:
    monkeypatch.setenv("GEMINI_API_KEY", SENTINEL)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    return ModelPolicy("gemini", "gemini-fake", base_url=service.url, max_output_tokens=50)


@pytest.fixture
def chat(service: FakeModels, monkeypatch: pytest.MonkeyPatch) -> ModelPolicy:
    monkeypatch.setenv("LOCAL_KEY", SENTINEL)
    return ModelPolicy(
        "openai_compatible", "local", base_url=f"{service.url}/v1", key_env="LOCAL_KEY"
    )


@pytest.fixture(params=["gemini", "chat"])
def policy(request: pytest.FixtureRequest) -> ModelPolicy:
    found: ModelPolicy = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def desk(tmp_path: pathlib.Path) -> Callable[..., Desk]:
    def make(
        policy: ModelPolicy,
        provider: Provider | None = None,
        name: str = "desk",
        root: str | None = None,
    ) -> Desk:
        return desk_at(tmp_path / name, policy, provider, root)

    return make
