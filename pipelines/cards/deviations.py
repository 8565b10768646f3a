"""The card's section on what differs from the ScreenQA paper, of what is true of this build."""

from collections.abc import Callable, Iterator

from pipelines.cards.facts import CardFacts
from pipelines.cards.markdown import plain
from pipelines.terminal import counted
from schemas.manifest import Images, SourceKind, SplitBy
from schemas.short_answers import ShortAnswerProvider

_COMPOSED = 8
"""Most questions that the paper's annotators compose on a screen (ScreenQA 4.2)."""


def deviations(facts: CardFacts) -> str:
    """Returns the section; empty for a data set that the paper says nothing of."""
    if not facts.asks:
        return ""
    found = [sentence for part in _PARTS for sentence in part(facts)]
    if not found:
        return ""
    head = (
        "## Differences from the ScreenQA paper\n\n"
        "Those that are known of this build; numbers are sections of arXiv 2209.08199.\n\n"
    )
    return head + "".join(f"- {sentence}\n" for sentence in found)


def _whole(facts: CardFacts) -> Iterator[str]:
    if facts.summary["limit"] is not None:
        yield f"No more than {facts.summary['limit']:,} screens were read."
    if facts.summary["images"] == Images.NONE:
        yield "The pictures of the screens are not in it: take them from their source by id."


def _split(facts: CardFacts) -> Iterator[str]:
    by = facts.summary["splits"]["by"]
    if by == SplitBy.APP:
        yield (
            "Splits are by app, the paper's are by screenshot (5.1): its screens are in other "
            "splits here, and figures on its test split do not carry over."
        )
    elif by == SplitBy.SCREEN:
        yield (
            "Splits are by screenshot as in the paper (5.1), but not the same ones: which screen "
            "is in which, it does not say."
        )


def _prefilter(facts: CardFacts) -> Iterator[str]:
    judged = facts.summary["prefilter"]["screens"]
    rated = facts.summary["prefilter"]["rated"]
    if judged and rated < judged:
        yield (
            "The paper's raters judged the language of every screen, and whether its hierarchy "
            f"fits (4.1). Here a program judged {judged:,} screens, raters {rated:,} of them; its "
            "verdicts may be wrong either way."
        )


def _questions(facts: CardFacts) -> Iterator[str]:
    per_screen = facts.over_all.get("questions_per_screen", {})
    above = sum(count for n, count in per_screen.items() if int(n) > _COMPOSED)
    if above:
        yield (
            f"{counted(above, 'screen has', 'screens have')} more than {_COMPOSED} questions. The "
            "paper allows five and three composed ones (4.2); its third pass adds one without an "
            "answer (4.4)."
        )


def _agreement(facts: CardFacts) -> Iterator[str]:
    if facts.agreement is not None:
        yield (
            "By the paper's rule (A.5) answers agree already if nobody changed the question, so "
            "its 97.9 % says little on the answers; the figures by answers alone leave that out."
        )


def _short_answers(facts: CardFacts) -> Iterator[str]:
    made = facts.summary["short_answers"]
    if made is None:
        return
    if made["provider"] == ShortAnswerProvider.RULES:
        yield (
            f"Short answers are by rules of form ({plain(made['model'])}); the paper's are by "
            "PaLM 2 (4.5), which wrote more and freer variants."
        )
    else:
        yield (
            f"Short answers are by {plain(made['model'])}; the paper's are by PaLM 2 (4.5). The "
            "prompt is the paper's, with one of its examples for each kind of answer; the other "
            "seven of each kind are ours, since it does not print its own (A.6). A program "
            "checked each reply, and left out what neither element nor full answer supports."
        )


def _pictures(facts: CardFacts) -> Iterator[str]:
    kinds = {source["kind"] for source in facts.summary["sources"].values()}
    if kinds & {SourceKind.IOS_CAPTURED, SourceKind.ITUNES}:
        yield "Screens are of iOS as well; the paper's are of Android phones (8)."


_PARTS: tuple[Callable[[CardFacts], Iterator[str]], ...] = (
    _whole,
    _split,
    _prefilter,
    _questions,
    _agreement,
    _short_answers,
    _pictures,
)
