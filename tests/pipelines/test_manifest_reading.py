"""Manifests: every problem in one go, with its path and line."""

import textwrap

import pytest
import yaml

from pipelines.manifest_reading import parse_manifest
from pipelines.yaml_sections import ManifestError
from schemas.manifest import (
    Blocked,
    CardPolicy,
    CheckLimits,
    Download,
    DuplicatePolicy,
    Images,
    ItunesPlan,
    PrefilterPolicy,
    SourceKind,
    SplitBy,
    StoreDevice,
    Twins,
    Use,
)
from schemas.rejects import Reason

GOOD = """\
version: 1
sources:
  rico: {kind: rico_combined, path: rico/combined, licence: unknown}
  apps: {kind: rico_ui_details, path: ui_details.csv, licence: unknown}
  short: {kind: screenqa_short_answers, files: {train: train.json, test: test.json}, licence: CC}
datasets:
  screenqa:
    recipe: screenqa
    version: 1.2.0
    sources: {screens: rico, apps: apps, short_answers: short}
    images: by_screen
    splits: {by: app, seed: s, shares: {train: 0.5, validation: 0.25, test: 0.25}, twins: report}
    image_check: {max_pixels: 1_000_000, blank_range: 3}
    shards: {target_bytes: 10 MB}
    rejects: {overall: 0.1, by_reason: {screen_missing: 1}}
    expected_rows: {train: 10}
    checks: {questions_per_screen: 12, too_few_answers: 0.2}
    card: {title: "My screens", licence: cc-by-4.0, contact: me@example.org, tags: [ui, phone]}
"""


def problems(text: str) -> list[tuple[int, str, str]]:
    with pytest.raises(ManifestError) as caught:
        parse_manifest(text)
    return [tuple(problem) for problem in caught.value.problems]


def test_a_whole_manifest_is_read():
    dataset = parse_manifest(GOOD).datasets["screenqa"]
    assert dataset.sources.screens == ("rico",)
    assert dataset.images is Images.BY_SCREEN
    assert dataset.splits.by is SplitBy.APP
    assert dataset.splits.shares == (0.5, 0.25, 0.25)
    assert dataset.splits.twins is Twins.REPORT
    assert dataset.image_check.max_pixels == 1_000_000
    assert dataset.shards.target_bytes == 10_000_000
    assert dataset.rejects.by_reason == {Reason.SCREEN_MISSING: 1.0}
    assert dataset.expected_rows == {"train": 10}
    assert dataset.checks == CheckLimits(questions_per_screen=12, too_few_answers=0.2)
    assert dataset.card == CardPolicy(
        title="My screens", licence="cc-by-4.0", contact="me@example.org", tags=("ui", "phone")
    )
    assert parse_manifest(GOOD).sources["short"].files == {
        "train": "train.json",
        "test": "test.json",
    }


@pytest.mark.parametrize("name", ["data_manifest.yaml", "pipelines/manifests/demo.yaml"])
def test_the_shipped_manifests_are_good(root, name):
    assert parse_manifest((root / name).read_text()).datasets["screenqa"].recipe == "screenqa"


def test_three_mistakes_are_three_problems_with_path_and_line():
    text = GOOD.replace("train: 0.5", "train: 0.6").replace("images: by_screen", "images: inlne")
    text = text.replace("screens: rico,", "screens: ricoo,")
    assert problems(text) == [
        (10, "datasets.screenqa.sources.screens", "no source is called ricoo; did you mean rico?"),
        (
            11,
            "datasets.screenqa.images",
            "'inlne' is none of inline, by_screen, none; did you mean inline?",
        ),
        (12, "datasets.screenqa.splits.shares", "shares sum to 1.1, not 1"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "path", "message"),
    [
        ("version: 1\n", "version: 2\n", "version", "this release reads version 1"),
        ("version: 1\n", "", "version", "is missing"),
        (
            "kind: rico_combined",
            "kind: rico_combine",
            "sources.rico.kind",
            "did you mean rico_combined?",
        ),
        (
            "licence: CC",
            "license: CC",
            "sources.short.license",
            "unknown key; did you mean licence?",
        ),
        ("path: rico/combined", "path: /etc", "sources.rico.path", "below the data folder"),
        ("path: rico/combined", "path: ../x", "sources.rico.path", "below the data folder"),
        ("path: rico/combined, ", "", "sources.rico", "has a path, and no files"),
        ("files: {train: train.json, test: test.json}", "path: x", "sources.short", "has files"),
        ("licence: cc-by", "licence: cc by", "datasets.screenqa.card.licence", "no licence id"),
        ("too_few_answers: 0.2", "too_few: 1", "datasets.screenqa.checks.too_few", "unknown key"),
        ("version: 1.2.0", "version: 1.2", "datasets.screenqa.version", "no version such as 1.2.0"),
        ("recipe: screenqa", "recipe: webquest", "datasets.screenqa.recipe", "none of screenqa"),
        ("apps: apps", "apps: rico", "datasets.screenqa.sources.apps", "not a rico_ui_details"),
        (", short_answers: short", "", "datasets.screenqa.sources", "needs either answers"),
        ("screens: rico, ", "", "datasets.screenqa.sources", "images: by_screen needs screens"),
        (
            "target_bytes: 10 MB",
            "target_bytes: 10 potatoes",
            "datasets.screenqa.shards.target_bytes",
            "256 MB",
        ),
        ("overall: 0.1", "overall: 10", "datasets.screenqa.rejects.overall", "a share from 0 to 1"),
        (
            "screen_missing: 1",
            "screen_mising: 1",
            "datasets.screenqa.rejects.by_reason.screen_mising",
            "screen_missing",
        ),
        (
            "max_pixels: 1_000_000",
            "max_pixels: -1",
            "datasets.screenqa.image_check.max_pixels",
            "whole number",
        ),
        ("by: app", "by: 7", "datasets.screenqa.splits.by", "none of app, screen, official"),
        ("  screenqa:\n    recipe", "  Screen-QA:\n    recipe", "datasets.Screen-QA", "lower case"),
        (
            "images: by_screen",
            "images: by_screen\n    images: none",
            "datasets.screenqa.images",
            "written twice",
        ),
        (
            "sources: {screens: rico, apps: apps, short_answers: short}",
            "sources: [rico]",
            "datasets.screenqa.sources",
            "must be a mapping",
        ),
    ],
)
def test_each_mistake_is_named_with_its_path(old, new, path, message):
    assert old in GOOD
    found = problems(GOOD.replace(old, new))
    assert any(at == path and message in text for _, at, text in found), found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "just words",
        "version: 1\nsources: {",
        "a: &x 1\nb: *x",
        "\t- x",
        "version: [1",
        "null",
    ],
)
def test_what_is_no_manifest_at_all_is_a_problem_not_a_crash(text):
    assert problems(text)


def test_aliases_are_refused_before_they_unfold():
    bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n"
    assert "aliases" in problems(bomb)[0][2]


def test_a_deeply_nested_manifest_is_a_problem_not_a_crash():
    assert "nested too deeply" in problems("a: " + "[" * 5000 + "]" * 5000)[0][2]


def test_the_good_manifest_is_plain_yaml():
    assert yaml.safe_load(textwrap.dedent(GOOD))["version"] == 1


# Screens: where they come from, what is asked of them, which are kept out

SCREENS = """\
version: 1
blocked: {screens: [00042, "com.a:0:1"], apps: com.gone}
sources:
  rico:
    kind: rico_combined
    path: rico/combined
    licence: unknown
    fetch:
      - {url: "https://example.org/unique_uis.tar.gz", unpack: rico, members: combined/}
      - url: http://localhost:8000/more.zip
        unpack: rico
        sha256: DIGEST
        size_bytes: 12_345
  apps:
    kind: rico_ui_details
    path: ui_details.csv
    licence: unknown
    fetch: {url: "https://example.org/ui_details.csv", to: ui_details.csv}
  clay: {kind: clay_labels, path: clay.csv, licence: none stated}
  sca: {kind: screen_list, path: sca.txt, licence: Apache-2.0}
  store:
    kind: itunes
    path: store
    licence: own
    itunes:
      countries: [us, gb]
      terms: [weather, "to do"]
      ids: 284910350
      bundle_ids: [com.yelp.yelpiphone]
      genres: [6001]
      results_per_search: 200
      quota: {Weather: 3, "Food & Drink": 0}
      width: 1290
      min_width: 400
      devices: [ipad, iphone]
      screens_per_app: 4
      calls_per_minute: 10
  phone: {kind: ios_captured, path: phone, licence: own}
  events: {kind: annotation_events, path: events, licence: own}
datasets:
  looks:
    recipe: screens
    version: 1.0.0
    sources: {screens: rico, apps: apps, sync_evidence: [clay, sca], events: events}
    prefilter:
      language: remove
      hierarchy_sync: off
      min_letters: 10
      english_from: 0.7
      not_english_below: 0.1
      in_sync_from: 0.5
      out_of_sync_below: 0.5
      ocr: true
    duplicates: {layout_bits: 0, text_bits: 8}
  ios:
    recipe: screens
    version: 1.0.0
    sources: {screens: [store, phone]}
    mixes_origins: true
""".replace("DIGEST", "ab" * 32)


def test_verifications_go_with_answers_of_any_origin_and_not_with_screens_alone():
    source = "sources:\n  checks: {kind: annotation_events, path: checks, licence: own}"
    text = GOOD.replace("sources:", source, 1)
    text = text.replace("short_answers: short}", "short_answers: short, verification: checks}")
    dataset = parse_manifest(text).datasets["screenqa"]
    assert dataset.sources.verification == ("checks",)
    assert "checks" in dataset.sources.names()
    wrong = text.replace("verification: checks", "verification: short")
    assert (
        "short is a screenqa_short_answers source, not a annotation_events" in problems(wrong)[0][2]
    )
    screens = SCREENS.replace("events: events}", "verification: events}")
    assert problems(screens)[0][1:] == (
        "datasets.looks.sources.verification",
        "a data set of screens has no short answers to verify",
    )


def test_what_is_to_be_fetched_is_read():
    sources = parse_manifest(SCREENS).sources
    assert sources["rico"].downloads == (
        Download("https://example.org/unique_uis.tar.gz", unpack="rico", members="combined/"),
        Download(
            "http://localhost:8000/more.zip", unpack="rico", sha256="ab" * 32, size_bytes=12_345
        ),
    )
    assert sources["apps"].downloads == (
        Download("https://example.org/ui_details.csv", to="ui_details.csv"),
    )
    assert sources["clay"].downloads == ()


def test_what_to_look_for_in_the_app_store_is_read():
    sources = parse_manifest(SCREENS).sources
    assert sources["store"].kind is SourceKind.ITUNES
    assert sources["store"].itunes == ItunesPlan(
        countries=("us", "gb"),
        terms=("weather", "to do"),
        ids=("284910350",),
        bundle_ids=("com.yelp.yelpiphone",),
        genres=("6001",),
        results_per_search=200,
        quota={"Weather": 3, "Food & Drink": 0},
        width=1290,
        min_width=400,
        devices=(StoreDevice.IPAD, StoreDevice.IPHONE),
        screens_per_app=4,
        calls_per_minute=10,
    )
    assert sources["phone"].itunes is None


def test_what_a_plan_does_not_say_is_as_usual():
    found = parse_manifest(
        SCREENS[: SCREENS.index("      countries")]
        + "      terms: [weather, weather]\n"
        + SCREENS[SCREENS.index("  phone:") :]
    )
    assert found.sources["store"].itunes == ItunesPlan(terms=("weather", "weather"))


def test_the_prefilter_is_read_and_off_is_no_truth_value():
    datasets = parse_manifest(SCREENS).datasets
    assert datasets["looks"].prefilter == PrefilterPolicy(
        language=Use.REMOVE,
        hierarchy_sync=Use.OFF,
        min_letters=10,
        english_from=0.7,
        not_english_below=0.1,
        in_sync_from=0.5,
        out_of_sync_below=0.5,
        ocr=True,
    )
    assert datasets["looks"].duplicates == DuplicatePolicy(0, 8)
    assert datasets["looks"].sources.sync_evidence == ("clay", "sca")
    assert datasets["looks"].images is Images.INLINE
    assert datasets["ios"].prefilter == PrefilterPolicy()
    assert datasets["ios"].duplicates == DuplicatePolicy()


def test_the_block_list_is_that_of_all_data_sets():
    blocked = Blocked(frozenset(["com.gone"]), frozenset(["42", "com.a:0:1"]))
    datasets = parse_manifest(SCREENS).datasets
    assert [dataset.blocked for dataset in datasets.values()] == [blocked, blocked]
    assert parse_manifest(GOOD).datasets["screenqa"].blocked == Blocked()


def line_of(text, part):
    """Returns the number of the line that holds `part`, which must be one only."""
    (number,) = [n for n, line in enumerate(text.splitlines(), 1) if part in line]
    return number


LOOKS, IOS, STORE = "datasets.looks", "datasets.ios", "sources.store.itunes"
SHARES = "must be a share from 0 to 1"
MIXES = (
    "mixes captured screens with those of store listings, which are made for the eye; "
    "mixes_origins: true allows it"
)


@pytest.mark.parametrize(
    ("old", "new", "at", "path", "message"),
    [
        # Downloads
        (
            'url: "https://example.org/ui_details.csv"',
            "url: ftp://example.org/x",
            "ftp://",
            "sources.apps.fetch[0].url",
            "it is no http(s) address",
        ),
        (
            'fetch: {url: "https://example.org/ui_details.csv", to: ui_details.csv}',
            "fetch: {to: ui_details.csv}",
            "fetch: {to",
            "sources.apps.fetch[0].url",
            "is missing",
        ),
        (
            ', to: ui_details.csv}',
            "}",
            "fetch: {url",
            "sources.apps.fetch[0]",
            "a download goes either to a file (to) or into a folder (unpack)",
        ),
        (
            "        unpack: rico\n",
            "        unpack: rico\n        to: more.zip\n",
            "- url: http://localhost",
            "sources.rico.fetch[1]",
            "a download goes either to a file (to) or into a folder (unpack)",
        ),
        (
            "to: ui_details.csv}",
            "to: ../ui_details.csv}",
            "to: ../",
            "sources.apps.fetch[0].to",
            "must be a path below the data folder; use --source for others",
        ),
        (
            "unpack: rico, members",
            "unpack: /rico, members",
            "unpack: /rico",
            "sources.rico.fetch[0].unpack",
            "must be a path below the data folder; use --source for others",
        ),
        (
            "members: combined/",
            "members: ../combined",
            "../combined",
            "sources.rico.fetch[0].members",
            "must be a path below the data folder; use --source for others",
        ),
        (
            "sha256: " + "ab" * 32,
            "sha256: abcd",
            "sha256: abcd",
            "sources.rico.fetch[1].sha256",
            "'abcd' is no sha256 in 64 hex digits",
        ),
        (
            "size_bytes: 12_345",
            "size_bytes: 0",
            "size_bytes: 0",
            "sources.rico.fetch[1].size_bytes",
            "must be a whole number of at least 1",
        ),
        (
            "size_bytes: 12_345",
            "bytes: 12_345",
            "bytes: 12_345",
            "sources.rico.fetch[1].bytes",
            "unknown key; did you mean size_bytes?",
        ),
        # The App Store
        ("countries: [us, gb]", "countries: [US]", "[US]", f"{STORE}.countries",
         "'US' is no storefront in two lower case letters, such as us"),
        ("results_per_search: 200", "results_per_search: 201", "itunes:\n",
         f"{STORE}.results_per_search", "the App Store gives at most 200 results"),
        ("quota: {Weather: 3,", "quota: {Weather: many,", "many", f"{STORE}.quota.Weather",
         "must be a whole number of at least 0"),
        ("devices: [ipad, iphone]", "devices: [ipad, ipod]", "ipod", f"{STORE}.devices",
         "'ipod' is none of iphone, ipad; did you mean ipad?"),
        ("width: 1290", "width: 0", " width: 0", f"{STORE}.width",
         "must be a whole number of at least 1"),
        ("calls_per_minute: 10", "calls_per_minute: 0", "minute: 0", f"{STORE}.calls_per_minute",
         "must be a whole number of at least 1"),
        ("calls_per_minute: 10", "calls_a_minute: 10", "calls_a", f"{STORE}.calls_a_minute",
         "unknown key; did you mean calls_per_minute?"),
        ("kind: itunes", "kind: ios_captured", "itunes:\n", STORE,
         "only an itunes source looks in the App Store"),
        # Blocked
        ("[00042,", "[my screen,", "my screen", "blocked.screens", "'my screen' is no id"),
        ("apps: com.gone", "app: com.gone", "app: com.gone", "blocked.app",
         "unknown key; did you mean apps?"),
        ("apps: com.gone}", "apps: {com.gone: yes}}", "com.gone: yes", "blocked.apps",
         "must be a text"),
        # Prefilter
        ("language: remove", "language: yes", "language: yes", f"{LOOKS}.prefilter.language",
         "'yes' is none of off, report, remove"),
        ("hierarchy_sync: off", "sync: off", " sync: off", f"{LOOKS}.prefilter.sync",
         "unknown key"),
        ("english_from: 0.7", "english_from: 70", "from: 70", f"{LOOKS}.prefilter.english_from",
         SHARES),
        ("english_from: 0.7", "english_from: .nan", ".nan", f"{LOOKS}.prefilter.english_from",
         SHARES),
        ("not_english_below: 0.1", "not_english_below: 0.8", "prefilter:\n",
         f"{LOOKS}.prefilter.not_english_below",
         "not_english_below must not exceed english_from"),
        ("out_of_sync_below: 0.5", "out_of_sync_below: 0.51", "prefilter:\n",
         f"{LOOKS}.prefilter.out_of_sync_below",
         "out_of_sync_below must not exceed in_sync_from"),
        ("min_letters: 10", "min_letters: 0", "letters: 0", f"{LOOKS}.prefilter.min_letters",
         "must be a whole number of at least 1"),
        ("ocr: true", "ocr: 1", "ocr: 1", f"{LOOKS}.prefilter.ocr", "must be true or false"),
        ("layout_bits: 0", "layout_bits: -1", "bits: -1", f"{LOOKS}.duplicates.layout_bits",
         "must be a whole number of at least 0"),
        # Origins
        ("    mixes_origins: true\n", "", "{screens: [store, phone]}", f"{IOS}.sources.screens",
         MIXES),
        ("mixes_origins: true", "mixes_origins: false", "{screens: [store, phone]}",
         f"{IOS}.sources.screens", MIXES),
        ("mixes_origins: true", "mixes_origins: maybe", "maybe", f"{IOS}.mixes_origins",
         "must be true or false"),
        # What belongs together
        ("sources: {screens: [store, phone]}", "sources: {}", "sources: {}", f"{IOS}.sources",
         "a data set of screens needs screens"),
        ("mixes_origins: true", "mixes_origins: true\n    images: none",
         "{screens: [store, phone]}", f"{IOS}.sources",
         "a data set of screens has its images: inline"),
        ("mixes_origins: true", "mixes_origins: true\n    splits: {by: official}",
         "{screens: [store, phone]}", f"{IOS}.sources",
         "screens have no official split; splits.by must be app or screen"),
        ("sync_evidence: [clay, sca]", "sync_evidence: apps", "sync_evidence: apps",
         f"{LOOKS}.sources.sync_evidence",
         "apps is a rico_ui_details source, not a clay_labels or screen_list"),
        ("screens: rico,", "screens: clay,", "screens: clay", f"{LOOKS}.sources.screens",
         "clay is a clay_labels source, not a rico_combined or rico_traces or ios_captured or "
         "itunes"),
        ("recipe: screens\n    version: 1.0.0\n    sources: {screens: [", 
         "recipe: screenqa\n    version: 1.0.0\n    sources: {screens: [",
         "{screens: [store, phone]}", f"{IOS}.sources",
         "needs either answers, short_answers or both, or else events"),
    ],
)  # fmt: skip
def test_each_mistake_about_screens_is_one_problem_with_its_line(old, new, at, path, message):
    assert old in SCREENS
    text = SCREENS.replace(old, new)
    # A problem of a section as a whole stands at its first line.
    line = line_of(text, at.removesuffix("\n")) + at.endswith("\n")
    ((found_line, found_path, found),) = problems(text)
    assert (found_line, found_path) == (line, path)
    assert found.partition("; known:")[0] == message


def test_a_plan_needs_something_to_look_for_and_genres_need_searches():
    plan = '      terms: [weather, "to do"]\n'
    without = SCREENS.replace(plan, "")
    line = line_of(SCREENS, "countries: [us, gb]")
    genres = "genres limit searches, and there are no terms to search"
    assert problems(without) == [(line, f"{STORE}.genres", genres)]
    for more in ("      ids: 284910350\n", "      bundle_ids: [com.yelp.yelpiphone]\n"):
        without = without.replace(more, "")
    needs = "needs something to look for: terms, ids or bundle_ids"
    assert (line, STORE, needs) in problems(without)


def test_screens_have_no_answers():
    asking = "  short: {kind: screenqa_short_answers, files: {test: test.json}, licence: CC}\n"
    text = SCREENS.replace("  phone:", f"{asking}  phone:")
    text = text.replace("{screens: [store, phone]}", "{screens: phone, short_answers: short}")
    line = line_of(text, "short_answers: short}")
    said = "a data set of screens has no answers; the recipe screenqa has"
    assert problems(text) == [(line, "datasets.ios.sources", said)]


@pytest.mark.parametrize("policy", ["language: remove", "hierarchy_sync: remove"])
def test_without_pictures_the_prefilter_can_remove_nothing(policy):
    text = GOOD.replace("images: by_screen", f"images: none\n    prefilter: {{{policy}}}")
    said = "the prefilter looks at screens: with images: none it can remove nothing"
    assert problems(text) == [(10, "datasets.screenqa.sources", said)]
    report = text.replace("remove", "report")
    assert not parse_manifest(report).datasets["screenqa"].prefilter.removes


def test_sources_of_one_origin_need_no_leave_to_mix():
    text = SCREENS.replace("[store, phone]", "[rico, phone]").replace(
        "    mixes_origins: true\n", ""
    )
    assert parse_manifest(text).datasets["ios"].sources.screens == ("rico", "phone")


def test_an_address_alone_is_no_download():
    download = '{url: "https://example.org/ui_details.csv", to: ui_details.csv}'
    text = SCREENS.replace(download, "https://example.org/ui_details.csv")
    line = line_of(text, "fetch: https")
    assert problems(text)[0] == (
        line, "sources.apps.fetch[0]", "must be a mapping of names to values",
    )  # fmt: skip


def test_mistakes_in_several_downloads_are_found_in_one_go():
    text = SCREENS.replace("unpack: rico", "unpack: ~/rico").replace("http://local", "local")
    assert [path for _, path, _ in problems(text)] == [
        "sources.rico.fetch[0].unpack",
        "sources.rico.fetch[1].url",
        "sources.rico.fetch[1].unpack",
    ]
