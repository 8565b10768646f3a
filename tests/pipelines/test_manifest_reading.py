"""Manifests: every problem in one go, with its path and line."""

import textwrap

import pytest
import yaml

from pipelines.manifest_reading import parse_manifest
from pipelines.yaml_sections import ManifestError
from schemas.manifest import Images, SplitBy, Twins
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
