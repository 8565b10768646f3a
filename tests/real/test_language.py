"""Language and personal data of the real sample; skipped where it is not.

What is expected was read off the texts by us: every app of the sample is in English, one screen
(3363) is a list of languages in many, and some show next to no text.
"""

import collections
import csv
import pathlib

import pytest

from schemas.manifest import PrefilterPolicy
from schemas.readings import LanguageVerdict
from schemas.rejects import RejectedRecordError
from transforms.screens.hierarchies import parse_hierarchy
from transforms.screens.language import judge_language, pool_app, settle_language
from transforms.screens.texts import count_personal, hierarchy_texts, pool

RICO = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data" / "rico"

pytestmark = pytest.mark.skipif(
    not RICO.is_dir(), reason="needs the folder shared/data beside the checkout"
)

ENGLISH, NOT_ENGLISH, UNDETERMINED = LanguageVerdict
POLICY = PrefilterPolicy()

HARDLY_ANY_TEXT = {
    "acogame.lovetest",  # nothing
    "air.com.vikrams.telugucalendar2014",  # the closing button of an advertisement
    "air.fisherprice.com.shapesAndColors",  # a digit
    "com.Feng.LingCrazyLockScreen",  # its name
    "com.android.browser",  # two menu entries and an address
}


def read(path):
    try:
        return hierarchy_texts(parse_hierarchy(path.read_bytes()).root)
    except RejectedRecordError:
        return []


@pytest.fixture(scope="module")
def apps():
    """App → screen id → texts."""
    found = collections.defaultdict(dict)
    with (RICO / "index.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            path = RICO / "unique_uis" / "combined" / f"{row['ui']}.json"
            found[row["activity_package"]][row["ui"]] = read(path)
    for path in RICO.glob("filtered_traces/*/*/view_hierarchies/[0-9]*.json"):
        found[path.parts[-4]][f"{path.parts[-4]}-{path.stem}"] = read(path)
    return found


def judge_app(screens):
    samples = [(screen, pool(texts)) for screen, texts in screens.items()]
    return judge_language(pool_app(samples, 6000).splitlines(), POLICY)


def test_no_english_app_is_lost(apps):
    verdicts = {app: judge_app(screens).verdict for app, screens in apps.items()}
    assert set(verdicts.values()) == {ENGLISH, UNDETERMINED}
    assert {app for app in verdicts if verdicts[app] is UNDETERMINED} == HARDLY_ANY_TEXT


def test_no_screen_is_lost_either(apps):
    screens = {screen: texts for app in apps.values() for screen, texts in app.items()}
    found = {screen: judge_language(texts, POLICY) for screen, texts in screens.items()}
    assert NOT_ENGLISH not in {finding.verdict for finding in found.values()}
    told = {s for s, finding in found.items() if finding.letters >= POLICY.min_letters}
    assert {s for s in told if found[s].verdict is UNDETERMINED} == {"3363"}
    assert len(told) >= 55


def test_an_app_settles_its_wordless_screens(apps):
    screens = apps["com.done.faasos"]
    app = judge_app(screens)
    settled = {settle_language(app, judge_language(t, POLICY)).verdict for t in screens.values()}
    assert settled == {ENGLISH}


def test_the_crawlers_own_address_is_the_only_personal_text(apps):
    counts = {
        screen: count_personal(texts) for app in apps.values() for screen, texts in app.items()
    }
    assert {screen: count for screen, count in counts.items() if any(count)} == {"33610": (1, 0)}


def test_texts_of_hidden_nodes_are_left_out(apps):
    assert apps["com.done.faasos"]["33605"] == [
        "Navigate up",
        "ABOUT US",
        "v5.6.13",
        "About Faasos",
        "Terms And Conditions",
    ]
    browser = " ".join(apps["com.android.browser"]["33623"])
    assert "Wettervorhersage" not in browser
