"""The page of a check in a real browser: nothing is asked for, and hostile findings stay text."""

import pytest

from pipelines.checking.check import page_values
from pipelines.pages.rendering import render
from schemas.checks import CheckOutcome, CheckReport, CheckResult

HOSTILE = "<script>alert(1)</script> \u202e \" ' {{ 7 * 7 }} " + "x" * 10_000


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    results = (
        CheckResult("files_unchanged", "every file is as it was", CheckOutcome.PASSED, "3 files"),
        CheckResult(
            "boxes_inside", "boxes are inside", CheckOutcome.FAILED, HOSTILE, (HOSTILE,), 21
        ),
        CheckResult("no_nulls", "nothing is null", CheckOutcome.ERRORED, "", note=HOSTILE),
    )
    report = CheckReport(HOSTILE, "1.0.0", "f", "b", images_decoded=True, results=results)
    path = tmp_path_factory.mktemp("check") / "check.html"
    path.write_text(render("check.html.j2", page_values(report)))
    return path


def test_a_check_is_read_in_a_browser_as_it_is(tab, page, shots):
    for name, width in (("desktop", 1280), ("phone", 360)):
        tab.show_as(width=width, height=900)
        tab.open(page)
        tab.settle()
        assert tab.seen.requests == [page.as_uri()]
        assert tab.seen.complaints == []
        assert tab.seen.dialogs == []
        assert tab.run("document.querySelectorAll('main script').length") == 0
        assert tab.run("document.querySelector('h1').textContent").startswith("<script>alert(1)")
        assert tab.run("document.body.textContent.includes('49')") is False
        assert tab.run("document.documentElement.scrollWidth") <= width
        tab.screenshot(shots / f"check-{name}.png")
