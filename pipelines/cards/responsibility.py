"""The card's sections on use, limits, people behind the screens, licence and citation."""

from pipelines.cards.by_hand import slot
from pipelines.cards.facts import CardFacts
from pipelines.cards.licences import OTHER, licence_of
from pipelines.cards.markdown import code, fenced, plain
from pipelines.terminal import counted
from schemas.rejects import Reason
from schemas.screens import Origin


def uses(facts: CardFacts) -> str:
    """Returns what the data set is for."""
    what = (
        "Finding on a screenshot what a question asks for, as text and as boxes. Where questions "
        "have short answers, compare with all of them, and take the best."
        if facts.asks
        else "Pictures and visible elements of screens, to annotate or to learn layouts from. "
        "Nobody has asked questions about them yet."
    )
    return f"## Uses\n\n{what}\n\n{slot('uses')}"


def limitations(facts: CardFacts) -> str:
    """Returns what the data set does not cover (ScreenQA 8)."""
    what = (
        "Questions are in English, each on one screenshot, and look up what it shows: no "
        "reasoning over several screens, no gestures, no videos or games (ScreenQA 8). "
        if facts.asks
        else "Each row is one moment of one screen: no animations, no scrolling, no gestures. "
    )
    listed = facts.over_all.get("screens_by_origin", {}).get(Origin.STORE_LISTING, 0)
    store = (
        f"{counted(listed, 'picture')} {'was' if listed == 1 else 'were'} made for an app store's "
        "page, often with frames and slogans, and no screen looks like that on a phone; `origin` "
        "tells them apart. "
        if listed
        else ""
    )
    automatic = "Verdicts of programs (language, hierarchy, short answers) can be wrong."
    return f"## Limitations\n\n{what}{store}{automatic}\n\n{slot('limitations')}"


def ethics(facts: CardFacts) -> str:
    """Returns what concerns the people behind the screens (ScreenQA 9)."""
    rejects = facts.summary["rejects"].get("screen", {})
    flagged = rejects.get(Reason.SCREEN_PII, 0)
    marked = (
        f"{counted(flagged, 'screen')} {'was' if flagged == 1 else 'were'} left out because an "
        "annotator marked such data, or unsafe content. "
        if flagged
        else ""
    )
    lines = [
        "- The screens show apps of third parties; names, marks and pictures on them are theirs.",
        "- Screens may show personal data of whoever used the app or is shown by it. "
        f"{marked}{_personal(facts)}",
        "- It is for looking up what a screen says. It holds nothing on decisions about people, "
        "and must not be used to make them or to find out who somebody is.",
    ]
    return "## Ethics\n\n" + "\n".join(lines) + f"\n\n{slot('ethics')}"


def contact(facts: CardFacts) -> str:
    """Returns whom to ask for a take-down, and how one works."""
    whom = facts.summary["card"]["contact"]
    blocked = facts.summary["rejects"].get("screen", {}).get(Reason.BLOCKED, 0)
    ask = (
        f"To have a screen or an app taken out, write to {plain(whom)} with its `screen_id` or "
        "package."
        if whom
        else "The manifest names no contact (`card.contact`): whoever publishes this has to name "
        "one here."
    )
    how = (
        "Whoever maintains the manifest puts the screen or app on its list `blocked`; no build of "
        "any data set of that manifest holds it from then on, and the next version replaces this "
        "one. "
        f"{counted(blocked, 'screen')} {'was' if blocked == 1 else 'were'} blocked in this build."
    )
    return f"## Contact and take-down\n\n{ask} {how}\n\n{slot('contact')}"


def licence(facts: CardFacts) -> str:
    """Returns the licence of the whole, and those of the sources."""
    summary = facts.summary
    sources = [source["licence"] for source in summary["sources"].values()]
    found = licence_of(summary["card"]["licence"], sources)
    name = found.name if found.hub_id == OTHER else found.hub_id
    if found.hub_id == OTHER and found.is_derived:
        whole = (
            "The sources have no one licence that is known to the Hub, so each part is under that "
            "of its source (see Sources). Read them before you use or pass on any of it."
        )
    elif found.is_derived:
        whole = f"All sources are under {plain(name)}, and so is the whole."
    else:
        whole = (
            f"Its makers put the whole under {plain(name or OTHER)}. What the sources are under "
            "stays as it is (see Sources)."
        )
    return f"## Licence\n\n{whole}\n"


def citation(facts: CardFacts) -> str:
    """Returns how to cite the data set and its sources."""
    own = facts.summary["card"]["citation"]
    parts = ["## Citation\n"]
    if own:
        parts.append("Cite the data set as:\n")
        # BibTeX is for copying, so it stays to the letter.
        is_bibtex = own.lstrip().startswith("@")
        parts.append(fenced(own, "bibtex") if is_bibtex else f"> {plain(own)}\n")
    else:
        parts.append("The manifest has no citation of the data set itself (`card.citation`).\n")
    cited = [
        f"- {code(name)}: {plain(source['citation'])}\n"
        for name, source in facts.summary["sources"].items()
        if source["citation"]
    ]
    if cited:
        parts.append("Cite its sources as well:\n")
        parts.append("".join(cited))
    return "\n".join(parts)


def _personal(facts: CardFacts) -> str:
    found = facts.summary["prefilter"]["personal_data"]
    if not facts.summary["prefilter"]["screens"]:
        return "No program has looked for any."
    return (
        "A program counted, in the hierarchies of the screens it judged, "
        f"{counted(found['emails'], 'e-mail address', 'e-mail addresses')} on "
        f"{counted(found['screens_with_emails'], 'screen')} and "
        f"{counted(found['phones'], 'phone number')} on "
        f"{counted(found['screens_with_phones'], 'screen')}; it does not read pictures."
    )
