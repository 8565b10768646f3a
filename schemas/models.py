"""What is asked of a model, what comes back, and what may be spent on it."""

import dataclasses
import enum
import hashlib
import json

from schemas.records import Record

Parameter = str | int | float | bool | None
"""A value that a model's interface takes."""


class ReplyOutcome(enum.StrEnum):
    """What a model's reply comes to, before anybody reads its text (faults.md M10, F)."""

    ANSWERED = "answered"
    BLOCKED = "blocked"
    """A filter refused the prompt or the reply: asking again brings the same."""
    TRUNCATED = "truncated"
    """The reply ends at the limit of tokens."""
    EMPTY = "empty"
    """The model stopped without a word."""
    MALFORMED = "malformed"
    """There is a text, but not of the form that was asked for, or nobody knows if it is whole."""
    UNAVAILABLE = "unavailable"
    """No reply came, however often it was asked for. Never stored: the next build asks again."""


@dataclasses.dataclass(frozen=True, slots=True)
class ModelRequest(Record):
    """One question to a model, whole: two that are equal may share a reply.

    `parameters` are sorted by name. `response_schema` is JSON text, empty for free text.
    `attempt` counts from 0: asking again because the last reply was of no use is another
    request, so that each reply is kept. `images` are the SHA-256, in hex, of the pictures
    that go with the prompt, in their order. Where the interface is served is no part of it.
    """

    provider: str
    model: str
    prompt: str
    prompt_version: str
    parameters: tuple[tuple[str, Parameter], ...] = ()
    response_schema: str = ""
    attempt: int = 0
    images: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """SHA-256, in hex, of all that the reply depends on.

        A field that has its default is left out, so that a field that is added one day
        does not hide all that was paid for before.
        """
        told = {name: getattr(self, name) for name in _REQUIRED}
        for name, default in _DEFAULTS:
            value = getattr(self, name)
            if value != default:
                told[name] = value
        text = json.dumps(told, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()


_REQUIRED = [f.name for f in dataclasses.fields(ModelRequest) if f.default is dataclasses.MISSING]
_DEFAULTS = [
    (f.name, f.default)
    for f in dataclasses.fields(ModelRequest)
    if f.default is not dataclasses.MISSING
]


@dataclasses.dataclass(frozen=True, slots=True)
class ModelReply(Record):
    """What a model said, as it was stored before anybody used it.

    `text` is the raw text, empty where there is none; `finish_reason` the interface's own
    word for why it ends, or for why it was blocked. Token counts are the interface's, 0 where
    it tells none. `model_version` is what the interface says it ran, empty if nothing.
    """

    outcome: ReplyOutcome
    text: str
    finish_reason: str
    prompt_tokens: int
    output_tokens: int
    model_version: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Price(Record):
    """What a model costs, in `currency` per million tokens."""

    input_per_million: float
    output_per_million: float
    currency: str = "USD"


@dataclasses.dataclass(frozen=True, slots=True)
class Limits(Record):
    """How fast a model may be asked; None for no limit.

    The first three count for all workers together, tokens those of prompts and replies; days
    are those of UTC. `concurrency` is how many calls each worker process has under way.
    """

    per_minute: int | None = None
    tokens_per_minute: int | None = None
    per_day: int | None = None
    concurrency: int = 16


@dataclasses.dataclass(frozen=True, slots=True)
class Budget(Record):
    """The most that one build may spend; None for no bound. What is stored costs nothing."""

    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class ModelPolicy(Record):
    """Which model is asked, how, and within which bounds.

    `base_url` is where its interface is served, None for the provider's own. A key never is
    part of it: `key_env` names the environment variable that holds it. `vertex_project` and
    `vertex_location` ask Gemini through Vertex. `tries` bounds how often one question is
    asked if its replies are of no use. `provider` is a known name, or `package.module:name`
    of a function or class that makes one. `parameters` are further ones by the interface's
    own names, such as `seed` or `thinking_budget`; they are part of every request.
    """

    provider: str
    model: str
    temperature: float = 0.0
    max_output_tokens: int = 1024
    structured_output: bool = False
    batch: bool = False
    base_url: str | None = None
    key_env: str | None = None
    vertex_project: str | None = None
    vertex_location: str | None = None
    parameters: tuple[tuple[str, Parameter], ...] = ()
    tries: int = 3
    timeout_s: float = 60.0
    limits: Limits = dataclasses.field(default_factory=Limits)
    budget: Budget = dataclasses.field(default_factory=Budget)
    price: Price | None = None
