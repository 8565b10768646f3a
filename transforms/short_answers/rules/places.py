"""States of the United States: "San Francisco, CA" and "San Francisco, California"."""

import re

from transforms.short_answers.rules import cues

_NAMES = (
    "AL=Alabama AK=Alaska AZ=Arizona AR=Arkansas CA=California CO=Colorado CT=Connecticut "
    "DE=Delaware FL=Florida GA=Georgia HI=Hawaii ID=Idaho IL=Illinois IN=Indiana IA=Iowa "
    "KS=Kansas KY=Kentucky LA=Louisiana ME=Maine MD=Maryland MA=Massachusetts MI=Michigan "
    "MN=Minnesota MS=Mississippi MO=Missouri MT=Montana NE=Nebraska NV=Nevada NH=New_Hampshire "
    "NJ=New_Jersey NM=New_Mexico NY=New_York NC=North_Carolina ND=North_Dakota OH=Ohio "
    "OK=Oklahoma OR=Oregon PA=Pennsylvania RI=Rhode_Island SC=South_Carolina SD=South_Dakota "
    "TN=Tennessee TX=Texas UT=Utah VT=Vermont VA=Virginia WA=Washington WV=West_Virginia "
    "WI=Wisconsin WY=Wyoming"
)
_STATES = {
    code: name.replace("_", " ") for code, _, name in (p.partition("=") for p in _NAMES.split())
}
_CODES = {name: code for code, name in _STATES.items()}
# After a town and a comma only: "OR" and "IN" alone are words, "Georgia" alone is a country too.
_PLACE = re.compile(
    rf"(?P<town>[^\n]{{2,200}}, )(?P<state>{'|'.join([*_STATES, *_CODES])})"
    r"(?P<rest>(?: \d{5}(?:-\d{4})?)?)"
)


def forms(answer: str, question: str) -> list[str]:
    """Returns the forms of an answer that ends in a state; [] for others."""
    found = _PLACE.fullmatch(answer)
    # "Alaska, Arizona" may be a list of states.
    if not found or cues.asks_several(question):
        return []
    state = found["state"]
    other = _STATES.get(state) or _CODES[state]
    return [answer, f"{found['town']}{other}{found['rest']}"]
