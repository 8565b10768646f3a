"""Which model a build asks, and where its replies lie."""

import dataclasses
import os
from collections.abc import Mapping

from pipelines.config import Request
from pipelines.errors import UserError
from schemas.manifest import Dataset
from schemas.short_answers import ShortAnswerProvider
from transforms.accounting import counts_of
from transforms.models.asker import AskPlan
from transforms.models.asking import REPLIES
from transforms.models.cache import ReplyCache
from transforms.models.gemini import USUAL_KEYS
from transforms.models.protocol import RefusedRequestError, make_provider
from transforms.models.spending import Ledger, Spent
from transforms.short_answers.generating import VARIANTS, origin_of

CACHE = "replies"
"""Folder of stored replies below the data folder, unless --cache says otherwise."""


def settle_provider(dataset: Dataset) -> Dataset:
    """Returns the data set with `auto` settled: Gemini if its key is there, else the rules."""
    policy = dataset.short_answers
    if policy.provider != ShortAnswerProvider.AUTO:
        return dataset
    named = policy.model.key_env if policy.model else None
    # A key that is none is somebody's mistake, and told when Gemini is made.
    has_key = any(os.environ.get(name, "").strip() for name in ([named] if named else USUAL_KEYS))
    if has_key:
        policy = dataclasses.replace(policy, provider=ShortAnswerProvider.GEMINI.value)
    else:
        policy = dataclasses.replace(policy, provider=ShortAnswerProvider.RULES.value, model=None)
    return dataclasses.replace(dataset, short_answers=policy)


def ask_plan(dataset: Dataset, cache: str, ledger: str) -> AskPlan | None:
    """Returns how a build asks its model; None if it asks none.

    Args:
        dataset: The data set, its provider settled.
        cache: Folder or `gs://` address of stored replies.
        ledger: File of what this build pays.
    """
    policy = dataset.short_answers
    if policy.model is None:
        return None
    return AskPlan(policy.model, cache, state_folder(cache), ledger)


def refuse_unaskable(plan: AskPlan) -> None:
    """Makes sure, before any work begins, that the model can be asked.

    Unless replies are stored already: these may be all, and need neither key nor network.

    Raises:
        UserError: If there is no such provider, no key, or no library for it.
    """
    if next(iter(ReplyCache(plan.cache).folder.entries()), None) is not None:
        return
    try:
        make_provider(plan.policy)
    except RefusedRequestError as error:
        raise UserError(str(error)) from error


def spent_on(plan: AskPlan) -> Spent:
    """Returns what a build has paid its model, by all runs of it."""
    return Ledger(plan.ledger, plan.policy.budget, plan.policy.price).spent()


def state_folder(cache: str) -> str:
    """Returns the folder of this machine that keeps limits and claims of a cache."""
    if "://" not in cache:
        return os.path.join(cache, ".state")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(home, "screenset", "asking")


def cache_of(request: Request) -> str:
    """Returns where replies are stored."""
    return request.cache or os.path.join(request.data, CACHE)


def short_answer_facts(
    dataset: Dataset, tallies: Mapping[tuple[str, str], int]
) -> dict[str, object] | None:
    """Returns what made the short answers and what became of all proposals; None if nothing."""
    policy = dataset.short_answers
    if policy.provider == ShortAnswerProvider.NONE:
        return None
    origin = origin_of(policy)
    return {
        **dataclasses.asdict(origin),
        "variants": counts_of(tallies, VARIANTS),
        "replies": counts_of(tallies, REPLIES),
    }
