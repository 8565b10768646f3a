"""Licences: the Hub's ids, what SPDX calls them, and the one of a build made of many sources."""

import dataclasses
from collections.abc import Iterable

from schemas.records import Record

OTHER = "other"
"""The Hub's id of a licence that it does not know."""

_HUB_IDS = """
    afl-3.0 agpl-3.0 apache-2.0 artistic-2.0 bsd-2-clause bsd-3-clause bsd-3-clause-clear bsl-1.0
    c-uda cc cc-by-2.0 cc-by-2.5 cc-by-3.0 cc-by-4.0 cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0
    cc-by-nc-nd-3.0 cc-by-nc-nd-4.0 cc-by-nc-sa-2.0 cc-by-nc-sa-3.0 cc-by-nc-sa-4.0 cc-by-nd-4.0
    cc-by-sa-3.0 cc-by-sa-4.0 cc0-1.0 cdla-permissive-1.0 cdla-permissive-2.0 cdla-sharing-1.0
    ecl-2.0 epl-1.0 epl-2.0 etalab-2.0 eupl-1.1 eupl-1.2 gfdl gpl-2.0 gpl-3.0 isc lgpl-2.1
    lgpl-3.0 lppl-1.3c mit mpl-2.0 ms-pl ncsa odbl odc-by ofl-1.1 osl-3.0 pddl postgresql
    unknown unlicense wtfpl zlib
"""
_SPDX = {
    "agpl-3.0": "AGPL-3.0-only",
    "artistic-2.0": "Artistic-2.0",
    "bsd-2-clause": "BSD-2-Clause",
    "bsd-3-clause": "BSD-3-Clause",
    "bsd-3-clause-clear": "BSD-3-Clause-Clear",
    "c-uda": "C-UDA-1.0",
    "etalab-2.0": "etalab-2.0",
    "gfdl": "GFDL-1.3-only",
    "gpl-2.0": "GPL-2.0-only",
    "gpl-3.0": "GPL-3.0-only",
    "lgpl-2.1": "LGPL-2.1-only",
    "lgpl-3.0": "LGPL-3.0-only",
    "lppl-1.3c": "LPPL-1.3c",
    "odbl": "ODbL-1.0",
    "odc-by": "ODC-By-1.0",
    "pddl": "PDDL-1.0",
    "postgresql": "PostgreSQL",
    "apache-2.0": "Apache-2.0",
    "mit": "MIT",
    "isc": "ISC",
    "ncsa": "NCSA",
    "unlicense": "Unlicense",
    "wtfpl": "WTFPL",
    "zlib": "Zlib",
}
_NO_SPDX = ("cc", "unknown")
_KNOWN = {hub_id: hub_id for hub_id in _HUB_IDS.split()} | {
    spdx.lower(): hub_id for hub_id, spdx in _SPDX.items()
}


@dataclasses.dataclass(frozen=True, slots=True)
class Licence(Record):
    """The licence of a whole data set.

    `hub_id` is one of the Hub's ids; where that is `other`, `name` says more: the makers' own
    id, or `by-source`. `is_derived` tells that the makers gave none.
    """

    hub_id: str
    name: str
    is_derived: bool


def licence_of(given: str | None, sources: Iterable[str]) -> Licence:
    """Returns the licence of a data set.

    Args:
        given: The one that the manifest gives the whole; None to go by the sources.
        sources: What the manifest says of each source. One licence that all share, and that
            the Hub knows, is that of the whole; anything else is told source by source.
    """
    if given is not None:
        known = _KNOWN.get(given.lower())
        return Licence(known or OTHER, "" if known else given, is_derived=False)
    found = {hub_licence(licence) for licence in sources}
    if len(found) == 1 and (shared := found.pop()) not in (None, "unknown"):
        return Licence(str(shared), "", is_derived=True)
    return Licence(OTHER, "by-source", is_derived=True)


def hub_licence(text: str) -> str | None:
    """Returns the Hub's id of a licence as SPDX or the Hub spells it; None if it has none."""
    return _KNOWN.get(text.strip().lower())


def licence_url(hub_id: str) -> str | None:
    """Returns the address of a licence's text at SPDX; None where the id names no one text."""
    if hub_id in _NO_SPDX or hub_id not in _KNOWN.values():
        return None
    return f"https://spdx.org/licenses/{_SPDX.get(hub_id, hub_id.upper())}"
