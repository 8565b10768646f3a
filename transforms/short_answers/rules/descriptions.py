"""Words of the question beside a name or number: `"Home" tab`, "version 2.5", "page 1".

They are taken away and never put in: the paper's prompt asks for answers "without extra words
from the question" (ScreenQA A.6), though the released lists are full of `"Home" tab`.
"""

import re

_QUOTED = re.compile(r'(?:[Tt]he )?"(?P<name>[^"]{1,300})" (?P<what>[A-Za-z]+)')
_BEFORE = re.compile(
    r"(?:[Tt]he )?(?P<what>[A-Za-z]+(?: [A-Za-z]+)?) (?P<name>[\w.]*\d[\w.]*|\"[^\"]{1,300}\")"
)
_AFTER = re.compile(r"(?P<name>[\w.]*\d[\w.]*) (?P<what>[A-Za-z]+(?: [A-Za-z]+)?)")
# In capitals the word belongs to the name: "Color Blindness Test".
_SORT = re.compile(
    r"(?:[Tt]he )?(?P<name>[^\n]{1,120}?) (?P<what>tab|option|button|section|page|application|app|"
    r"language|gender|class|category|city|province|platform|account|unit|theme|setting)"
)
_SAID = re.compile(
    r"[a-z ]*|Version|Page|Level|Chapter|Year|Day|Step|Question|Round|Number|Image|Card"
)
_POINTERS = {"my", "your", "this", "that", "a", "an", "the", "his", "her", "their", "our", "other"}
_POINTERS |= {"no", "not", "none", "any", "all", "both", "each", "every", "another", "without"}
# "$1.50 per unit", "in app"
_HELD = {"per", "of", "in", "on", "at", "for", "by", "to", "from", "with", "and", "or", "than"}
_YEAR = re.compile(r"in (?P<name>\d{4})(?P<what>)")


def forms(answer: str, question: str) -> list[str]:
    """Returns an answer with and without what the question says already; [] if it says nothing."""
    asked = {word.lower() for word in re.findall(r"[A-Za-z]+", question)}
    for pattern in (_QUOTED, _BEFORE, _AFTER, _SORT, _YEAR):
        found = pattern.fullmatch(answer)
        if found and set(found["what"].lower().split()) <= asked:
            name = found["name"].strip('"')
            # "iPhone 6" is a name and "Page 6" is a page; "my account" is nobody's.
            if not _SAID.fullmatch(found["what"]) or _POINTERS & set(name.lower().split()):
                continue
            if not name.split() or name.lower().split()[-1] in _HELD:
                continue
            return [answer, name, *([f'"{name}"'] if '"' in answer else [])]
    return []
