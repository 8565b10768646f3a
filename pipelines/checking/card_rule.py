"""The rule that a build's card is in step with its shards."""

import os

from pipelines.cards.in_step import card_problems
from pipelines.checking.subjects import Subject
from pipelines.checking.verdicts import Rule, Verdict, not_applicable, verdict
from schemas.builds import CARD, CROISSANT


def card_in_step(subject: Subject) -> Verdict:
    """The card's features, files and counts are those of the shards.

    `load_dataset` believes the card: stale features of an earlier version hide or break
    columns (huggingface/datasets issue 8608).
    """
    build = subject.build
    if not os.path.exists(build.path(CARD)):
        return verdict(1, "card", [f"{CARD}: is missing"])
    there = [name for name in (CARD, CROISSANT) if os.path.lexists(build.path(name))]
    odd = [name for name in there if not os.path.isfile(build.path(name))]
    if odd:
        return verdict(1, "card", [f"{name}: is no file" for name in odd])
    if any(facts.footer is None for facts in subject.shards):
        return not_applicable("a shard is missing or cannot be read")
    return verdict(1, "card", card_problems(build))


CARD_RULES = (Rule("card_in_step", "the card is in step with the shards", card_in_step),)
