"""`screenset card`: the dataset card of a finished build, and its Croissant metadata."""

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pipelines.cards.by_hand import (
    FRONT_MATTER,
    HandWritten,
    kept_by_hand,
    sealed,
    slot,
)
from pipelines.cards.content import columns, contents, introduction, loading
from pipelines.cards.deviations import deviations
from pipelines.cards.facts import CardFacts, card_facts
from pipelines.cards.front_matter import front_matter
from pipelines.cards.making import leaks, left_out, making
from pipelines.cards.markdown import plain
from pipelines.cards.responsibility import citation, contact, ethics, licence, limitations, uses
from pipelines.finished_builds import open_build, undamaged
from schemas.builds import CARD, CROISSANT
from transforms.replacing import write_text

SLOTS = ("summary", "uses", "limitations", "ethics", "contact", "more")
"""Slots of every card, beside that of the front matter."""

_WISHES = {
    "title": "a title",
    "contact": "whom to ask for a take-down",
    "citation": "how to cite the data set",
}


def card_text(facts: CardFacts, hand: HandWritten) -> str:
    """Returns a dataset card: Markdown with the front matter of the Hub.

    Args:
        facts: What is known of the build.
        hand: What goes into its slots. Slots that cards no longer have stay, at the end.

    Raises:
        UserError: If what is by hand in the front matter does not fit there.
    """
    title = plain(facts.summary["card"]["title"] or facts.name)
    left = [name for name, _ in hand.slots if name not in (*SLOTS, FRONT_MATTER)]
    sections = [
        front_matter(facts, hand),
        f"# {title} {plain(facts.summary['version'])}\n",
        introduction(facts),
        slot("summary"),
        contents(facts),
        loading(facts),
        uses(facts),
        columns(facts),
        making(facts),
        left_out(facts),
        leaks(facts),
        deviations(facts),
        limitations(facts),
        ethics(facts),
        contact(facts),
        licence(facts),
        citation(facts),
        slot("more"),
        *(slot(name) for name in left),
    ]
    # Parts of sections end as they like; between blocks there is one empty line.
    text = "\n".join(section for section in sections if section)
    return sealed(re.sub(r"\n{3,}", "\n\n", text), hand)


def write_card(folder: str, *, force: bool = False) -> tuple[str, ...]:
    """Writes `README.md` and `croissant.json` into a finished build; returns their paths.

    What was written by hand between the markers of a `README.md` that is there stays.

    Args:
        folder: Folder of the build.
        force: Whether edits outside of the markers may be lost.

    Raises:
        UserError: If it is no finished build, its card was edited outside of the markers
            while not `force`, or a marker has no other half.
        BuildError: If mlcroissant finds fault with the metadata.
    """
    # Takes a second to import, and the build's own use of this module has no need of it.
    from pipelines.cards.croissant import croissant_text

    build = open_build(folder)
    hand = kept_by_hand(folder, force=force)
    with undamaged(build):
        facts = card_facts(build)
        texts = {CARD: card_text(facts, hand), CROISSANT: croissant_text(facts, build.shards)}
        for text in texts.values():
            text.encode()  # Half an emoji would end the second file after the first was written.
    for name, text in texts.items():
        write_text(build.path(name), text)
    return tuple(build.path(name) for name in texts)


def lacking_in(card: Mapping[str, Any]) -> list[str]:
    """Returns what a manifest's section `card` leaves unsaid, as words for people."""
    return [what for key, what in _WISHES.items() if not card[key]]


def written_text(paths: Sequence[str]) -> str:
    """Returns what a written card tells the person who asked for it.

    Args:
        paths: What `write_card` returned.
    """
    lines = [f"{'card' if path.endswith(CARD) else 'Croissant metadata'}: {path}" for path in paths]
    build = open_build(os.path.dirname(paths[0]))
    with undamaged(build):
        lacking = lacking_in(build.summary["card"])
    if lacking:
        lines.append(
            f"the manifest of this build did not say (section `card`): {', '.join(lacking)}; it "
            "takes a build with --fresh to change that"
        )
    lines.append("write by hand between the markers of the card only; that stays")
    return "\n".join(lines)
