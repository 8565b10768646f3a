"""The rule that a build's card is in step with its shards."""

import os

from pipelines.checking.subjects import Subject
from pipelines.checking.verdicts import Rule, Verdict, verdict
from schemas.builds import CARD


def card_in_step(subject: Subject) -> Verdict:
    """The card's features, files and counts are those of the shards.

    `load_dataset` believes the card: stale features of an earlier version hide or break
    columns (huggingface/datasets issue 8608).
    """
    from pipelines.cards.card import card_problems

    if not os.path.exists(subject.build.path(CARD)):
        return verdict(1, "card", [f"{CARD}: is missing"])
    found = card_problems(subject.build)
    return verdict(1, "card", found)


CARD_RULES = (Rule("card_in_step", "the card is in step with the shards", card_in_step),)
