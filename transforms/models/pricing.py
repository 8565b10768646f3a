"""What asking would take, told before anybody pays for it."""

import dataclasses
from collections.abc import Callable, Iterable

from schemas.models import ModelPolicy, ModelRequest, Price, ReplyOutcome
from schemas.records import Record
from transforms.models.cache import ReplyCache

_BYTES_A_TOKEN = 4
_TOKENS_AN_IMAGE = 1_000
_MILLION = 1_000_000

Judge = Callable[[str], bool]
"""Says whether the text of a reply is of the form that was asked for."""


@dataclasses.dataclass(frozen=True, slots=True)
class Estimate(Record):
    """What a number of questions would take. `cost` is None without a price.

    Tokens and cost are those of `calls`, asked once each; what is asked again because a
    reply is of no use comes on top.
    """

    stored: int
    calls: int
    prompt_tokens: int
    output_tokens: int
    cost: float | None
    currency: str = ""


def make_request(
    policy: ModelPolicy,
    prompt: str,
    prompt_version: str,
    *,
    response_schema: str = "",
    images: tuple[str, ...] = (),
) -> ModelRequest:
    """Returns the request for a prompt as a policy wants it asked.

    Args:
        policy: Which model, and with which parameters.
        prompt: The whole text.
        prompt_version: Name of the template it was made from.
        response_schema: JSON Schema text of the reply; left out unless the policy wants
            structured output.
        images: SHA-256, in hex, of the pictures that go with it.
    """
    parameters = {
        "max_output_tokens": policy.max_output_tokens,
        "temperature": policy.temperature,
        **dict(policy.parameters),
    }
    return ModelRequest(
        provider=policy.provider,
        model=policy.model,
        prompt=prompt,
        prompt_version=prompt_version,
        parameters=tuple(sorted(parameters.items())),
        response_schema=response_schema if policy.structured_output else "",
        images=images,
    )


def prompt_tokens(request: ModelRequest) -> int:
    """Returns about how many tokens a prompt has: a quarter of its bytes, and its pictures'."""
    # Lone surrogates come out of some hierarchies.
    length = len(request.prompt.encode("utf-8", "surrogatepass"))
    return -(-length // _BYTES_A_TOKEN) + _TOKENS_AN_IMAGE * len(request.images)


def most_output_tokens(request: ModelRequest) -> int:
    """Returns how many tokens the reply may have at most, as far as the request says."""
    value = dict(request.parameters).get("max_output_tokens")
    return value if isinstance(value, int) else 0


def cost_of(prompt: int, output: int, price: Price | None) -> float:
    """Returns what tokens cost, 0 without a price."""
    if price is None:
        return 0.0
    return (prompt * price.input_per_million + output * price.output_per_million) / _MILLION


def estimate(
    requests: Iterable[ModelRequest],
    policy: ModelPolicy,
    cache: ReplyCache,
    *,
    output_tokens: int | None = None,
    judge: Judge | None = None,
) -> Estimate:
    """Returns what it would take to have the replies of all requests.

    Args:
        requests: What will be asked; equal ones are paid once.
        policy: How it will be asked.
        cache: Where replies are already.
        output_tokens: How long replies are on average; None takes the most they may have.
        judge: Whether a stored text is of use; None takes all of them.
    """
    seen: set[str] = set()
    stored = prompt = output = calls = 0
    for request in requests:
        key = request.key
        if key in seen:
            continue
        seen.add(key)
        if is_settled(request, policy.tries, cache, judge):
            stored += 1
            continue
        calls += 1
        prompt += prompt_tokens(request)
        output += most_output_tokens(request) if output_tokens is None else output_tokens
    price = policy.price
    cost = None if price is None else cost_of(prompt, output, price)
    return Estimate(stored, calls, prompt, output, cost, "" if price is None else price.currency)


def is_settled(request: ModelRequest, tries: int, cache: ReplyCache, judge: Judge | None) -> bool:
    """Returns whether a question's fate is known from stored replies alone."""
    for attempt in range(tries):
        reply = cache.get(dataclasses.replace(request, attempt=attempt).key)
        if reply is None:
            return False
        if judged(reply.outcome, reply.text, judge) in FINAL:
            return True
    return True


FINAL = frozenset({ReplyOutcome.ANSWERED, ReplyOutcome.BLOCKED, ReplyOutcome.UNAVAILABLE})
"""Outcomes after which a question is not asked again."""


def judged(outcome: ReplyOutcome, text: str, judge: Judge | None) -> ReplyOutcome:
    """Returns what a reply comes to once its text was looked at.

    Only now, since what is stored is what the model said: a better parser finds more in it.
    """
    if outcome is ReplyOutcome.ANSWERED and judge is not None and not judge(text):
        return ReplyOutcome.MALFORMED
    return outcome
