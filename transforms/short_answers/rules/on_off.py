"""States of switches and boxes, and plain yes and no."""

import re

from transforms.short_answers.rules import cues

_ON = ("on", "enabled")
_OFF = ("off", "disabled")
_ALIKE = {
    "on": _ON,
    "enabled": _ON,
    "turned on": _ON,
    "switched on": _ON,
    "off": _OFF,
    "disabled": _OFF,
    "not enabled": _OFF,
    "not on": _OFF,
    "turned off": _OFF,
    "switched off": _OFF,
    "activated": ("activated", *_ON),
    "deactivated": ("deactivated", *_OFF),
    "checked": ("checked", *_ON),
    "unchecked": ("unchecked", "not checked", *_OFF),
    "not checked": ("not checked", "unchecked", *_OFF),
    "selected": ("selected", *_ON),
    "not selected": ("not selected", "unselected", *_OFF),
    "unselected": ("unselected", "not selected", *_OFF),
    "deselected": ("deselected", "not selected", "unselected", *_OFF),
}
"""Table 9 gives "off" the form "disabled". A box that is checked is on, but a switch that is on
is not checked: the longer rows say only what leads from them."""

_SWITCH = (
    "settings?|enabled|disabled|turned|switch(?:ed)?|toggled?|modes?|check ?box(?:es)?|on or off"
)
_STATUS = f"status|state|{_SWITCH}"
_PLAIN = {way for way, ways in _ALIKE.items() if ways in (_ON, _OFF)}
"""What switches alone are: an order may be "checked", a payment "activated"."""


def forms(answer: str, question: str) -> list[str]:
    """Returns the forms of an answer that is a state, or yes or no; [] for others."""
    plain = answer.lower()
    if plain in _ALIKE:
        # What is selected in a list is not switched on: "Which tab …?" has other answers.
        asked = not question or _asks_switch(plain, question)
        return [answer, *(_ALIKE[plain] if asked else (plain,))]
    if plain in ("yes", "no"):
        return [answer, plain, *(["none"] if _asks_any(plain, question) else [])]
    if plain.startswith("no ") and _asks_any("no", question):
        known = set(re.findall(r"\w+", question.lower()))
        words = plain.split()[1:]
        # "no downloads" after "Are there any downloads?"
        if all(word in known or word + "s" in known for word in words):
            return [answer, "no", "none"]
    if plain == "none" and _asks_any("no", question):
        return [answer, "none", "no"]
    return []


def _asks_switch(plain: str, question: str) -> bool:
    """Whether the state of a switch or box is asked for; one is named in quotation marks."""
    if cues.mentions(question, "which|who|where|seats?|tabs?"):
        return False
    if plain in _PLAIN:
        return cues.mentions(question, _STATUS)
    named = re.search(r'["“]', question) and cues.mentions(question, "status|state")
    return bool(named) or cues.mentions(question, _SWITCH)


def _asks_any(plain: str, question: str) -> bool:
    return plain == "no" and cues.mentions(question, "(?:is|are) there any|any")
