"""Lists: items with commas, "and", "or", with and without quotation marks."""

import re
from collections.abc import Sequence

from transforms.short_answers.rules import cues

_QUOTED = re.compile(r'"([^"]{1,300})"(?:, (?:and |or )?| and | or |$)')
# "3.5 inches or more" is one thing.
_BOUNDS = set(
    [
        "more",
        "less",
        "fewer",
        "above",
        "over",
        "below",
        "under",
        "up",
        "down",
        "higher",
        "lower",
        "greater",
        "later",
        "earlier",
        "older",
        "younger",
        "beyond",
        "so",
        "others",
        "other",
        "etc",
    ]
)
_MAX_ITEMS = 60


def read_quoted(text: str) -> list[str]:
    """Returns the items of a list in quotation marks, [] where `text` is not all such a list."""
    items: list[str] = []
    position = 0
    while position < len(text):
        found = _QUOTED.match(text, position)
        if not found or len(items) == _MAX_ITEMS:
            return []
        items.append(found[1])
        position = found.end()
    return items if len(items) > 1 else []


def read_plain(text: str) -> list[str]:
    """Returns the items of a list without quotation marks, [] where `text` is no such list.

    "Barnes and Noble" looks like one: it is for the caller to know that several things are
    asked for. An item with "and" of its own, or of a digit alone, makes the list doubtful.
    """
    if re.match(r"(?:between|from|both|either|neither|not) ", text, re.I):
        return []
    if '"' in text or re.search(r"\d,\d|[.;:!?]\s", text):
        return []
    *head, last = text.split(", ")
    if last.startswith(("and ", "or ")):
        tail = [last.partition(" ")[2]]
    elif head or text.count(" and ") + text.count(" or ") == 1:
        tail = re.split(r" and | or ", last)
    else:
        tail = re.split(r" and ", last) if " or " not in last else re.split(r" or ", last)
    items = [*head, *tail]
    if tail[-1].lower() in _BOUNDS:
        return []
    doubtful = any(not i.strip() or len(i) > 80 or re.search(r"\band\b|\bor\b", i) for i in items)
    if doubtful or not 1 < len(items) <= _MAX_ITEMS or len(tail) > 3:
        return []
    return items


def list_forms(items: Sequence[str], question: str, joiner: str = "and") -> list[str]:
    """Returns the forms of a list, as often as the released lists hold them first.

    Items that hold a comma, "and" or "or" keep their quotation marks, or nobody could tell
    where one ends. "or" joins where the question lets one choose ("What can be used?"): there
    the released lists have it for every other pair, elsewhere for one in eight.
    """
    bare = [item.strip().strip('"') for item in items]
    quoted = [f'"{item}"' for item in bare]
    can_be_bare = not any(re.search(r",|\band\b|\bor\b|&", item) for item in bare)
    choice = cues.asks_choice(question)
    if joiner == "or":
        return _or_forms(bare if can_be_bare else [], quoted, choice)
    ways = []
    for texts in ([bare] if can_be_bare else []) + [quoted]:
        ways += [", ".join(texts), f"{', '.join(texts[:-1])} and {texts[-1]}"]
    if choice and can_be_bare:
        ways.insert(2, f"{', '.join(bare[:-1])} or {bare[-1]}")
    if len(bare) > 2:
        for texts in ([bare] if can_be_bare else []) + [quoted]:
            ways.append(f"{', '.join(texts[:-1])}, and {texts[-1]}")
    if len(bare) == 3 and can_be_bare:
        # Table 9 prints "Facebook and Android Beam and Bluetooth", and with "or".
        ways += [" and ".join(bare), *([" or ".join(bare)] if choice else [])]
    return ways


def _or_forms(bare: Sequence[str], quoted: Sequence[str], choice: bool) -> list[str]:
    """Returns the forms of one of several: "or" never becomes "and".

    A comma stands for either; it takes the place of "or" where the question lets one choose.
    """
    ways = []
    for texts in ([bare] if bare else []) + [quoted]:
        head = ", ".join(texts[:-1])
        ways += [f"{head} or {texts[-1]}", *([", ".join(texts)] if choice else [])]
        ways += [f"{head}, or {texts[-1]}"] if len(texts) > 2 else []
    return ways


def forms(answer: str, question: str) -> list[str]:
    """Returns the forms of an answer that is a list; [] for others.

    "Paris, France", "Smith, John" and "Hello, world" are one thing each, so one comma alone
    makes no list.
    """
    items = read_quoted(answer)
    # "Bacon, Ham and Eggs" may be one dish, and "700 million and above" is one number.
    if not items and cues.asks_several(question) and not cues.asks_count(question):
        items = read_plain(answer)
        joined = re.search(r"\b(?:and|or)\b", answer)
        if not joined and (len(items) == 2 or cues.asks_place_or_person(question)):
            return []
    return [answer, *list_forms(items, question, joiner_of(answer, items))] if items else []


def joiner_of(text: str, items: Sequence[str]) -> str:
    """Returns "or" where a text that lists `items` has it between them, "and" elsewhere."""
    between = text
    for item in items:
        between = between.replace(item, '"', 1)
    return "or" if re.search(r"\bor\b", between) else "and"
