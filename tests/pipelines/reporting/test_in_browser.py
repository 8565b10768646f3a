"""The page in a real browser, as a visitor has it: nothing is asked for, and everything works."""

import io
import pathlib

import pyarrow.parquet as pq
import pytest
from PIL import Image

from pipelines.reporting.report import write_report

RED = (224, 38, 27)
"""The colour of boxes, `--mark` in `report.css`."""

DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def report(questions, tmp_path_factory):
    out = tmp_path_factory.mktemp("report") / "report.html"
    return pathlib.Path(write_report(str(questions), str(out)))


@pytest.fixture
def opened(tab, report):
    """Returns the tab with the report opened, on a desktop."""
    tab.show_as(**DESKTOP)
    tab.open(report)
    tab.settle()
    return tab


def visible(tab) -> int:
    return tab.run("document.querySelectorAll('.entry:not([hidden])').length")


def choose(tab, facet: str, value: str) -> None:
    """Chooses a value of a filter by what it reads."""
    assert tab.run(
        f"""(() => {{
          const select = document.querySelector('select[data-facet="{facet}"]');
          const option = [...select.options].find((one) => one.text === {value!r});
          if (!option) return false;
          select.value = option.value;
          select.dispatchEvent(new Event("input", {{bubbles: true}}));
          return true;
        }})()"""
    ), f"no {value} in {facet}"


def foreign(tab) -> list[str]:
    """Returns what the page asked for beside itself."""
    return [url for url in tab.seen.requests[1:] if not url.startswith("data:")]


def assert_quiet(tab) -> None:
    assert foreign(tab) == []
    assert tab.seen.complaints == []
    assert tab.seen.dialogs == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("window", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_it_opens_quietly_and_nothing_scrolls_sideways(tab, report, shots, scheme, window):
    tab.show_as(**window, scheme=scheme)
    tab.open(report)
    tab.settle()
    name = f"{scheme}-{window['width']}"
    tab.screenshot(shots / f"report-{name}.png")
    assert tab.run("document.documentElement.scrollWidth") == window["width"]
    tab.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    tab.run("document.querySelector('#screens').scrollIntoView({behavior: 'instant'})")
    tab.settle()
    tab.screenshot(shots / f"browser-{name}.png")
    assert tab.run("document.documentElement.scrollWidth") == window["width"]
    assert_quiet(tab)


def test_a_request_would_be_seen(tab, tmp_path):
    # Otherwise the tests above could not fail.
    page = tmp_path / "asking.html"
    page.write_text("<!doctype html><img src='http://127.0.0.1:9/x.png'><p style='color:red'>x")
    tab.open(page)
    tab.settle()
    assert foreign(tab) == ["http://127.0.0.1:9/x.png"]
    assert tab.seen.complaints


def test_the_policy_refuses_what_a_text_could_bring_in(tab, report, tmp_path):
    page = tmp_path / "injected.html"
    injected = "<script>alert(1)</script><img src='http://127.0.0.1:9/x.png' onerror='alert(2)'>"
    page.write_text(report.read_text().replace("<main ", f"{injected}<main ", 1))
    tab.open(page)
    tab.settle()
    assert tab.seen.dialogs == []
    assert len(tab.seen.complaints) >= 2
    assert all("Content Security Policy" in said for said in tab.seen.complaints)


def test_filters_show_what_fits(opened, questions):
    everything = visible(opened)
    assert opened.run("document.getElementById('count').textContent") == (
        f"{everything} of {everything} shown"
    )
    counts = {}
    for split in ("train", "validation", "test"):
        choose(opened, "split", split)
        counts[split] = visible(opened)
    assert counts == {"train": 17, "validation": 9, "test": 10}
    of_weather = 0
    choose(opened, "category", "Weather")
    for split in counts:
        choose(opened, "split", split)
        of_weather += visible(opened)
    choose(opened, "split", "all")
    assert visible(opened) == of_weather == 2
    choose(opened, "category", "all")
    choose(opened, "level", "partial")
    assert visible(opened) == 1
    choose(opened, "level", "all")
    choose(opened, "reason", "disagreeing_answer_removed")
    assert visible(opened) == 1
    choose(opened, "fate", "rejected")
    choose(opened, "reason", "image_blank")
    assert visible(opened) == 1
    choose(opened, "split", "train")
    assert visible(opened) == 0
    assert opened.run("document.getElementById('nothing').hidden") is False
    opened.run("document.querySelector('button[type=reset]').click()")
    opened.run("new Promise((then) => setTimeout(then))")
    assert visible(opened) == everything
    assert_quiet(opened)


def test_a_search_finds_words_in_any_question_and_opens_it(opened):
    everything = visible(opened)
    opened.press("/")
    assert opened.run("document.activeElement.id") == "search"
    opened.type("OLIVE price")
    assert visible(opened) == 1
    chosen = opened.run(
        "document.querySelector('.entry:not([hidden]) .pick:checked + label').textContent"
    )
    assert "Olive oil" in chosen
    opened.press("Escape")
    assert visible(opened) == everything


def test_keys_walk_the_screens(opened):
    ids = []
    for key in ("j", "j", "ArrowDown", "k", "ArrowUp"):
        opened.press(key)
        ids.append(opened.run("document.activeElement.querySelector('h3').textContent"))
    assert len(set(ids[:3])) == 3
    assert ids[3:] == [ids[1], ids[0]]
    top = opened.run("document.activeElement.getBoundingClientRect().top")
    bar = opened.run("document.getElementById('filters').getBoundingClientRect().bottom")
    assert bar - 2 <= top + 30 <= 900  # The entry's padding may lie under the bar, it may not.
    opened.press("/")
    opened.type("j")
    assert opened.run("document.getElementById('search').value") == "j"


def test_keys_walk_only_what_the_filters_left(opened):
    choose(opened, "split", "test")
    opened.run("document.activeElement.blur()")
    for _ in range(20):
        opened.press("j")
    assert opened.run("document.activeElement.dataset.split") == opened.run(
        "document.querySelector('select[data-facet=split]').value"
    )


def test_a_link_to_a_hidden_screen_shows_it(opened):
    everything = visible(opened)
    choose(opened, "fate", "rejected")
    assert visible(opened) < everything
    opened.run("document.querySelector('.strip a').click()")
    opened.run("new Promise((then) => setTimeout(then))")
    assert visible(opened) == everything


def test_charts_keep_their_texts_inside(opened):
    # The browser's fonts are not those that matplotlib measured with.
    outside = opened.run(
        """[...document.querySelectorAll(".chart")].flatMap((chart) => {
          const frame = chart.getBoundingClientRect();
          return [...chart.querySelectorAll("text")].filter((text) => {
            const box = text.getBoundingClientRect();
            return box.left < frame.left - 2 || box.right > frame.right + 2;
          }).map((text) => text.textContent);
        })"""
    )
    assert outside == []


def test_the_first_tab_skips_to_the_content_and_focus_is_seen(opened):
    opened.press("Tab")
    assert opened.run("document.activeElement.className") == "skip"
    assert opened.run("document.activeElement.getBoundingClientRect().left") >= 0
    opened.press("Tab")
    assert opened.run("document.activeElement.id") == "theme"
    assert opened.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_the_button_turns_the_colours_round(opened):
    def paper() -> str:
        return opened.run("getComputedStyle(document.body).backgroundColor")

    light = paper()
    opened.run("document.getElementById('theme').click()")
    assert paper() != light
    assert opened.run("document.getElementById('theme').getAttribute('aria-pressed')") == "true"
    opened.run("document.getElementById('theme').click()")
    assert paper() == light


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast_enough(tab, report, scheme):
    tab.show_as(**DESKTOP, scheme=scheme)
    tab.open(report)
    # Relative luminance and contrast as WCAG 2 defines them; 4.5 is its level AA.
    low = tab.run(
        """(() => {
          const probe = document.createElement("i");
          document.body.append(probe);
          const light = (name) => {
            probe.style.color = `var(--${name})`;
            const parts = getComputedStyle(probe).color.match(/[0-9.]+/g).slice(0, 3);
            const [r, g, b] = parts.map((one) => one / 255).map(
              (one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
            );
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const contrast = (one, other) => {
            const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
            return (high + 0.05) / (low + 0.05);
          };
          const pairs = [];
          for (const ink of ["ink", "soft", "accent", "second", "good", "bad", "warn"])
            for (const paper of ["paper", "raised"])
              if (contrast(ink, paper) < 4.5) pairs.push([ink, paper, contrast(ink, paper)]);
          if (contrast("ink", "accent-soft") < 4.5) pairs.push("chip");
          return pairs;
        })()"""
    )
    assert low == []


def test_without_scripts_every_section_and_screen_is_there(tab, report, shots):
    tab.show_as(**DESKTOP, script=False)
    tab.open(report)
    told = tab.call("DOM.getDocument", depth=1)["root"]["nodeId"]

    def count(selector: str) -> int:
        found = tab.call("DOM.querySelectorAll", nodeId=told, selector=selector)
        return len(found["nodeIds"])

    assert count(".entry") == count(".entry:not([hidden])") > 36
    assert count("section") == count("section h2") > 10
    assert count("#filters[hidden]") == 1  # Filters that could do nothing are not shown.
    shot = tab.screenshot(shots / "without-scripts.png")
    assert Image.open(shot).size == (1280, 900)
    tab.show_as(**DESKTOP)


def test_boxes_are_drawn_where_they_lie_on_the_picture(opened, questions, shots):
    size, boxes = two_questions(questions, "90004")
    opened.run(
        """(() => {
          const entry = [...document.querySelectorAll(".entry")].find(
            (one) => one.querySelector("h3").textContent.includes("90004")
          );
          entry.id = "probed";
          entry.scrollIntoView({behavior: "instant"});
        })()"""
    )
    for chosen, other in ((0, 1), (1, 0)):
        opened.run(f"document.querySelectorAll('#probed .pick')[{chosen}].click()")
        opened.settle()
        left, top, width, height = opened.run(
            "(({x, y, width, height}) => [x, y, width, height])"
            "(document.querySelector('#probed .frame img').getBoundingClientRect())"
        )
        assert abs(height / width - size[1] / size[0]) < 0.02
        shot = Image.open(opened.screenshot(shots / f"boxes-{chosen}.png")).convert("RGB")
        across, down = width / size[0], height / size[1]

        def drawn(bounds, shot=shot, left=left, top=top, across=across, down=down):
            scales, starts = (across, down) * 2, (left, top) * 2
            placed = [n * k + start for n, k, start in zip(bounds, scales, starts, strict=True)]
            return [red_share(shot, edge) for edge in edges(placed)]

        assert min(drawn(boxes[chosen])) > 0.5, drawn(boxes[chosen])
        assert max(drawn(boxes[other])) < 0.1, drawn(boxes[other])
        for by in ((0, -40, 0, -40), (-40, 0, -40, 0)):
            moved = [n + k for n, k in zip(boxes[chosen], by, strict=True)]
            assert min(drawn(moved)) < 0.1, drawn(moved)


def two_questions(questions: pathlib.Path, screen_id: str):
    """Returns a screen's size and the one box of each of its two questions."""
    columns = ["screen_id", "width", "height", "answers"]
    found = [
        row
        for path in sorted((questions / "screenqa").glob("*.parquet"))
        for row in pq.read_table(path, columns=columns).to_pylist()
        if row["screen_id"] == screen_id
    ]
    boxes = [
        {tuple(e["bounds"]) for answer in row["answers"] for e in answer["ui_elements"]}
        for row in found
    ]
    (one,), (other,) = boxes
    return (found[0]["width"], found[0]["height"]), (one, other)


def edges(box):
    """Returns the middle half of each edge of a box, as lists of places."""
    left, top, right, bottom = box
    at = [0.25 + 0.5 * step / 20 for step in range(21)]
    across = [left + (right - left) * share for share in at]
    down = [top + (bottom - top) * share for share in at]
    return (
        [(x, top) for x in across],
        [(x, bottom) for x in across],
        [(left, y) for y in down],
        [(right, y) for y in down],
    )


def red_share(shot: Image.Image, places) -> float:
    """Returns the share of places at which, or a pixel beside which, the colour is a box's."""

    def is_red(x: float, y: float) -> bool:
        around = [(round(x) + dx, round(y) + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
        return any(
            sum((a - b) ** 2 for a, b in zip(shot.getpixel(at), RED, strict=True)) < 60**2
            for at in around
        )

    return sum(is_red(x, y) for x, y in places) / len(places)


@pytest.mark.parametrize("window", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_hostile_texts_stay_texts_and_break_nothing(tab, built, make_hostile, shots, window):
    page = pathlib.Path(write_report(str(make_hostile(built))))
    tab.show_as(**window)
    tab.open(page)
    tab.settle()
    assert_quiet(tab)
    assert tab.run("document.scripts.length") == 2
    assert tab.run("document.querySelectorAll('[onerror], img[src=x]').length") == 0
    assert tab.run("document.documentElement.scrollWidth") == window["width"]
    tab.screenshot(shots / f"hostile-top-{window['width']}.png")
    tab.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    tab.run("document.querySelector('.entry').scrollIntoView({behavior: 'instant'})")
    tab.settle()
    tab.screenshot(shots / f"hostile-{window['width']}.png")
    assert tab.run("document.documentElement.scrollWidth") == window["width"]
    widths = "[...document.querySelectorAll('.scroll')].map((one) => one.scrollWidth)"
    assert max(tab.run(widths)) < 2 * window["width"]  # An endless word widens no table.
    tab.press("/")
    tab.type("<script>alert(1)</script>")
    tab.settle()
    assert 0 < visible(tab) < tab.run("document.querySelectorAll('.entry').length")
    assert_quiet(tab)


def test_leaves_are_drawn_for_a_build_of_screens(tab, screens, tmp_path, shots):
    page = pathlib.Path(write_report(str(screens), str(tmp_path / "page.html")))
    tab.show_as(**DESKTOP)
    tab.open(page)
    tab.run("document.querySelector('.entry').scrollIntoView({behavior: 'instant'})")
    tab.settle()
    tab.screenshot(shots / "leaves.png")
    assert tab.run("document.querySelector('.leaf').getBoundingClientRect().width") > 0
    choose(tab, "sync", "out of sync")
    assert 0 < visible(tab) < 40
    assert_quiet(tab)


def test_in_print_nothing_is_hidden_behind_a_choice(tab, report, shots):
    tab.show_as(**DESKTOP)
    tab.open(report)
    data = tab.call("Page.printToPDF", printBackground=True)["data"]
    assert len(io.BytesIO(data.encode()).getvalue()) > 100_000
    tab.call("Emulation.setEmulatedMedia", media="print")
    assert tab.run("getComputedStyle(document.querySelector('#filters')).display") == "none"
    shown = "[...document.querySelectorAll('.entry')].filter((one) => one.offsetHeight).length"
    assert tab.run(shown) == 12
    assert tab.run(
        "[...document.querySelectorAll('.entry:first-child .detail')].every((o) => o.offsetHeight)"
    )
    tab.call("Emulation.setEmulatedMedia", media="")
