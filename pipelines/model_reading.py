"""Parsing of the manifest's models: which is asked, how fast, at which price."""

import re
from collections.abc import Mapping
from typing import Any

from pipelines import yaml_sections as read
from pipelines.yaml_sections import Section
from schemas.models import Budget, Limits, ModelPolicy, Parameter, Price
from schemas.short_answers import ShortAnswerPolicy, ShortAnswerProvider
from transforms.short_answers.checking import LONGEST_VARIANT

DEFAULT_GEMINI = "gemini-2.5-flash"
"""The model that `auto` asks where the manifest names none."""

_WITHOUT_MODEL = (ShortAnswerProvider.NONE, ShortAnswerProvider.RULES)


def read_prices(section: Section) -> Mapping[str, Price]:
    """Returns the price table: by model, per million tokens."""
    prices = {}
    for model in section.names():
        price = section.take_section(model)
        prices[model] = Price(
            price.take("input_per_million", read.amount, 0.0, required=True),
            price.take("output_per_million", read.amount, 0.0, required=True),
            price.take("currency", read.matching(r"[A-Z]{3}", "currency such as USD"), "USD"),
        )
        price.finish()
    section.finish()
    return prices


def read_short_answers(section: Section, prices: Mapping[str, Price]) -> ShortAnswerPolicy:
    """Returns what makes a data set's short answers."""
    default = ShortAnswerPolicy()
    provider = section.take("provider", _provider, default.provider)
    policy = ShortAnswerPolicy(
        provider=provider,
        model=_model(section, provider, prices),
        max_words=section.take("max_words", read.whole(1), default.max_words),
        max_chars=section.take("max_chars", _max_chars, default.max_chars),
        verified_per_stratum=section.take(
            "verified_per_stratum", read.whole(1), default.verified_per_stratum
        ),
    )
    section.finish()
    return policy


def _model(section: Section, provider: str, prices: Mapping[str, Price]) -> ModelPolicy | None:
    """Returns the model that a section describes; None for a provider that asks none."""
    default = ModelPolicy("", "")
    whole = read.whole(1)
    named = section.take("model", read.text)
    policy = ModelPolicy(
        provider=ShortAnswerProvider.GEMINI if provider == ShortAnswerProvider.AUTO else provider,
        model=named or DEFAULT_GEMINI,
        temperature=section.take("temperature", read.amount, default.temperature),
        max_output_tokens=section.take("max_output_tokens", whole, default.max_output_tokens),
        structured_output=section.take("structured_output", read.flag, default.structured_output),
        batch=section.take("batch", read.flag, default.batch),
        base_url=section.take("base_url", read.matching(r"https?://\S+", "http(s) address")),
        key_env=section.take("key_env", read.matching(r"[A-Za-z_]\w*", "name of a variable")),
        vertex_project=section.take("vertex_project", read.text),
        vertex_location=section.take("vertex_location", read.text),
        parameters=_parameters(section.take_section("parameters"), named),
        tries=section.take("tries", whole, default.tries),
        timeout_s=section.take("timeout_s", read.amount, default.timeout_s),
        limits=_limits(section.take_section("limits")),
        budget=_budget(section.take_section("budget")),
        price=prices.get(named or DEFAULT_GEMINI),
    )
    if provider in _WITHOUT_MODEL:
        plain = ModelPolicy(
            provider, DEFAULT_GEMINI, parameters=policy.parameters, price=policy.price
        )
        if not section.has_problems and (named or policy != plain):
            section.report(f"the provider {provider} asks no model")
        return None
    if named is None and provider != ShortAnswerProvider.AUTO:
        section.report("is missing", "model")
    if policy.budget.cost is not None and policy.price is None:
        section.report(f"a budget of money needs a price of {policy.model}: see prices", "budget")
    return policy


def _parameters(section: Section, named: str | None) -> tuple[tuple[str, Parameter], ...]:
    """Returns further parameters by the interface's own names."""
    values = {name: section.take(name, read.plain) for name in section.names()}
    section.finish()
    for name in sorted(values.keys() & {"temperature", "max_output_tokens"}):
        section.report("has a key of its own, beside parameters", name)
    if named is None and not values:
        # Thoughts count against the reply's tokens, and short answers need none.
        values = {"thinking_budget": 0}
    return tuple(sorted(values.items()))


def _limits(section: Section) -> Limits:
    whole = read.whole(1)
    limits = Limits(
        per_minute=section.take("per_minute", whole),
        tokens_per_minute=section.take("tokens_per_minute", whole),
        per_day=section.take("per_day", whole),
        concurrency=section.take("concurrency", whole, Limits().concurrency),
    )
    section.finish()
    return limits


def _budget(section: Section) -> Budget:
    budget = Budget(
        calls=section.take("calls", read.whole(0)),
        tokens=section.take("tokens", read.whole(0)),
        cost=section.take("cost", read.amount),
    )
    section.finish()
    return budget


def _max_chars(node: Any) -> int:
    value = read.whole(1)(node)
    if value > LONGEST_VARIANT:
        raise ValueError(f"must be at most {LONGEST_VARIANT}")
    return value


def _provider(node: Any) -> str:
    value = read.text(node)
    if value in list(ShortAnswerProvider) or re.fullmatch(r"[\w.]+:[\w.]+", value):
        return value
    known = ", ".join(ShortAnswerProvider)
    raise ValueError(f"{value!r} is none of {known}, nor a path such as package.module:name")
