"""The licence of a whole from those of its parts."""

import pytest

from pipelines.cards.licences import hub_licence, licence_of, licence_url


@pytest.mark.parametrize(
    ("given", "sources", "hub_id", "name", "is_derived"),
    [
        ("cc-by-4.0", ["unknown"], "cc-by-4.0", "", False),
        ("CC-BY-4.0", [], "cc-by-4.0", "", False),
        ("my-terms-1.0", ["MIT"], "other", "my-terms-1.0", False),
        (None, ["Apache-2.0", "apache-2.0"], "apache-2.0", "", True),
        (None, ["CC-BY-4.0", "MIT"], "other", "by-source", True),
        (None, ["unknown"], "other", "by-source", True),
        (None, ["none stated"], "other", "by-source", True),
        (None, ["none stated", "none stated"], "other", "by-source", True),
        (None, ["ODbL-1.0"], "odbl", "", True),
        (None, [], "other", "by-source", True),
    ],
)
def test_the_whole(given, sources, hub_id, name, is_derived):
    found = licence_of(given, sources)
    assert (found.hub_id, found.name, found.is_derived) == (hub_id, name, is_derived)


def test_names_and_addresses():
    assert hub_licence(" CC-BY-SA-4.0 ") == "cc-by-sa-4.0"
    assert hub_licence("Apache 2") is None
    assert licence_url("cc-by-4.0") == "https://spdx.org/licenses/CC-BY-4.0"
    assert licence_url("apache-2.0") == "https://spdx.org/licenses/Apache-2.0"
    assert licence_url("odc-by") == "https://spdx.org/licenses/ODC-By-1.0"
    assert licence_url("other") is licence_url("unknown") is licence_url("cc") is None
