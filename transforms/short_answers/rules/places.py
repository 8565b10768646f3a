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
# Codes that no country, province or region of another country has beside its towns.
_SURE = re.compile("AK|FL|HI|IA|KS|NH|NJ|NM|NV|NY|ND|OH|OK|TX|UT|WI|WV|WY")
_TOWNS = {
    "AL": "Birmingham|Huntsville|Montgomery",
    "AR": "Little Rock|Fayetteville",
    "AZ": "Phoenix|Tucson|Mesa|Scottsdale|Tempe",
    "CA": "San Francisco|Los Angeles|San Diego|San Jose|Mountain View|Sunnyvale|Palo Alto|"
    "Oakland|Sacramento|Berkeley|Santa Clara|Cupertino|Fresno|Long Beach|Anaheim|Santa Monica|"
    "Beverly Hills|Irvine|San Mateo|Menlo Park|Fremont|Pasadena|Santa Barbara|Hollywood",
    "CO": "Denver|Boulder|Colorado Springs|Aurora|Fort Collins",
    "CT": "Hartford|New Haven|Stamford",
    "DE": "Wilmington|Dover",
    "GA": "Atlanta|Savannah|Augusta",
    "ID": "Boise|Idaho Falls",
    "IL": "Chicago|Springfield|Champaign|Urbana|Evanston|Naperville|Peoria",
    "IN": "Indianapolis|Bloomington|Fort Wayne|South Bend|Evansville",
    "KY": "Louisville|Lexington",
    "LA": "New Orleans|Baton Rouge|Shreveport",
    "MA": "Boston|Cambridge|Worcester|Springfield",
    "MD": "Baltimore|Annapolis|Bethesda|Rockville",
    "ME": "Portland|Bangor",
    "MI": "Detroit|Ann Arbor|Grand Rapids|Lansing",
    "MN": "Minneapolis|Saint Paul|St. Paul|Duluth",
    "MO": "St. Louis|Kansas City|Springfield",
    "NC": "Charlotte|Raleigh|Durham|Greensboro",
    "NE": "Omaha|Lincoln",
    "OR": "Portland|Eugene|Salem",
    "PA": "Philadelphia|Pittsburgh|Harrisburg",
    "SC": "Charleston|Columbia|Greenville",
    "TN": "Nashville|Memphis|Knoxville|Chattanooga",
    "VA": "Richmond|Arlington|Norfolk|Virginia Beach|Alexandria",
    "VT": "Burlington|Montpelier",
    "WA": "Seattle|Tacoma|Spokane|Bellevue|Redmond",
}
"""Large towns of the states whose codes are others' too: "Toronto, CA" is not in California."""
_US = re.compile(r"\bUSA\b|\bU\.S\.|\bUS\b|\bUnited States\b")
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
    if not (found["rest"] or _US.search(question) or _is_sure(found["town"], state)):
        return []
    other = _STATES.get(state) or _CODES[state]
    return [answer, f"{found['town']}{other}{found['rest']}"]


def _is_sure(town: str, state: str) -> bool:
    """Whether a state's name or code can be no other place's: "Batumi, Georgia" is abroad."""
    code = _CODES.get(state, state)
    if _SURE.fullmatch(code) or (state in _CODES and state != "Georgia"):
        return True
    last = town.rstrip(", ").rpartition(", ")[2]
    return last in _TOWNS.get(code, "").split("|")
