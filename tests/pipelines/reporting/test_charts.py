"""Drawings: the same bytes for the same numbers, and nothing that the page would refuse."""

import re
import xml.etree.ElementTree as ET

from pipelines.reporting import charts

SVG = "{http://www.w3.org/2000/svg}"


def drawings() -> list[str]:
    return [
        charts.histogram("a", list("123"), [3, 0, 7], "questions"),
        charts.histogram("b", [str(n) for n in range(40)], list(range(40)), "boxes"),
        charts.ranking("c", ["what", "how long, far, old"], [0.75, 0.25]),
        charts.against_target("d", ["train", "test"], [0.05, 0.12], 0.1, "about 10%"),
    ]


def test_the_same_numbers_give_the_same_bytes():
    assert drawings() == drawings()


def test_a_drawing_has_neither_styles_nor_foreign_colours_nor_dates():
    # A style attribute would be refused by the page's content security policy.
    for svg in drawings():
        assert "style" not in svg
        assert "<metadata" not in svg
        assert not re.search(r"#[0-9a-f]{6}|20\d\d-", svg)
        assert {value for value in re.findall(r"(?:fill|stroke)-(\w+)", svg)} <= {
            "ink", "soft", "line", "bar", "accent", "second", "none", "width", "dasharray",
            "linejoin", "linecap", "opacity",
        }  # fmt: skip


def test_ids_of_two_drawings_on_a_page_differ():
    ids = [re.findall(r' id="([^"]+)"', svg) for svg in drawings()]
    found = [one for of in ids for one in of]
    assert found
    assert len(found) == len(set(found))
    for svg, own in zip(drawings(), ids, strict=True):
        assert set(re.findall(r"#([\w-]+)", svg)) == set(own)


def test_bars_are_as_high_as_their_counts():
    root = ET.fromstring(charts.histogram("a", list("123"), [30, 0, 60], "questions"))
    heights = []
    for path in root.iter(f"{SVG}path"):
        if path.get("class") == "fill-bar":
            numbers = [float(number) for number in re.findall(r"-?[\d.]+", path.get("d"))]
            heights.append(max(numbers[1::2]) - min(numbers[1::2]))
    assert len(heights) == 3
    assert abs(heights[0] / heights[2] - 0.5) < 0.01
    assert heights[1] < 0.01


def test_every_text_has_a_size():
    for svg in drawings():
        texts = list(ET.fromstring(svg).iter(f"{SVG}text"))
        assert texts
        assert {text.get("font-size") for text in texts} <= {"9px", "10px"}


def test_the_texts_are_texts():
    root = ET.fromstring(charts.ranking("c", ["what", "who"], [0.75, 0.25]))
    assert {text.text for text in root.iter(f"{SVG}text")} == {"what", "who", "75.0%", "25.0%"}
