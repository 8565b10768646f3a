"""Whether publishing would lose words that somebody wrote into the card there (faults K 110)."""

from pipelines.cards.by_hand import ReadCard, read_card
from pipelines.errors import UserError
from pipelines.publishing.contents import Contents
from pipelines.publishing.findings import Finding, note, wrong
from pipelines.publishing.plan import ChangeKind, Plan
from pipelines.publishing.remote import Remote
from schemas.builds import CARD

_SUBJECT = "card there"


def card_there_findings(
    contents: Contents, remote: Remote, plan: Plan, *, replace_card: bool
) -> list[Finding]:
    """Returns what is to be said of the card that ours would replace.

    Args:
        contents: What goes.
        remote: What lies there.
        plan: What is to change.
        replace_card: Whether words of others may be lost.
    """
    ours = next((file for file in contents.files if file.path == CARD), None)
    changed = {change.path for change in plan.changes if change.kind is ChangeKind.CHANGED}
    if ours is None or CARD not in changed:
        return []
    with open(ours.source, encoding="utf-8", errors="replace") as file:
        problem = _problem_of(remote, file.read())
    if not problem:
        return []
    if replace_card:
        return [note(_SUBJECT, f"{problem}; it is replaced as you asked")]
    return [
        wrong(
            _SUBJECT,
            f"{problem}; take what is worth keeping into the parts of ours that are written by "
            "hand, then say --replace-card",
        )
    ]


def _problem_of(remote: Remote, ours: str) -> str:
    """Returns what would be lost with the card there; empty if nothing.

    A card that a release of ours brought is known by its digest. One that we sent later, or
    that somebody edited, tells by its last line whether anything outside of its markers is
    another's; what is between them has to be in our card, too.
    """
    if remote.published is None:
        return f"the {CARD} there is not by screenset"
    is_released = remote.released_card == remote.files[CARD].oid
    there, own = _read(remote.card), _read(ours)
    if there is None or not (there.is_untouched or is_released):
        return f"the {CARD} there was edited there since the last release"
    lost = [
        name
        for name, text in there.hand.slots
        if text.strip() and _is_lost(text, own, name, is_released=is_released)
    ]
    if not lost:
        return ""
    return f"what is written by hand there ({', '.join(lost)}) is not in the card of this build"


def _is_lost(text: str, own: ReadCard | None, name: str, *, is_released: bool) -> bool:
    written = own.hand.text_of(name) if own is not None else ""
    # What a release of ours said may be said otherwise in the next one, but not fall away.
    return not written.strip() if is_released else text not in written


def _read(text: str) -> ReadCard | None:
    try:
        return read_card(text, CARD)
    except UserError:
        # Its markers do not pair, so nobody can tell what in it is by whom.
        return None
