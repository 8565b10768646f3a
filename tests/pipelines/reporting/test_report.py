"""The page as text: what a build has is on it, what it has not is said, and it is one file."""

import hashlib
import html.parser
import itertools
import json
import os
import pathlib
import re
import stat

import pyarrow.parquet as pq
import pytest

from pipelines.errors import UserError
from pipelines.reporting.report import write_report
from schemas.builds import REPORT_PAGE
from schemas.question_kinds import Topic
from schemas.rejects import Reason


class Reader(html.parser.HTMLParser):
    """Reads a page: its tables by section, its entries, its texts and its tags."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: dict[str, list[list[str]]] = {}
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self._section = ""
        self._cell: str | None = None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "section":
            self._section = dict(attrs)["id"]
        elif tag == "tr":
            self.rows.setdefault(self._section, []).append([])
        elif tag in ("td", "th"):
            self._cell = ""

    def handle_endtag(self, tag):
        if tag in ("td", "th") and self._cell is not None:
            self.rows[self._section][-1].append(" ".join(self._cell.split()))
            self._cell = None

    def handle_data(self, data):
        self.text += data
        if self._cell is not None:
            self._cell += data

    def row(self, section: str, first: str) -> list[str]:
        """Returns the cells of the row of a section that begins with this one."""
        (found,) = (row for row in self.rows[section] if row[0] == first)
        return found


def write(folder: pathlib.Path, **flags) -> Reader:
    path = pathlib.Path(write_report(str(folder), **flags))
    return Reader(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def page(questions, tmp_path_factory):
    return write(questions, out=str(tmp_path_factory.mktemp("page") / "page.html"))


def test_the_funnel_stands_beside_the_papers(page):
    assert page.row("funnel", "in the sources") == ["in the sources", "48", "–", "66k", "–"]
    assert page.row("funnel", "question pass 2") == ["question pass 2", "26", "29", "–", "36k"]
    assert page.row("funnel", "total")[3:] == ["35,352", "85,984"]


def test_agreement_is_told_by_both_rules_beside_the_papers(page):
    header, full, partial, none = page.rows["agreement"][:4]
    assert header[1:] == ["The paper", "Ours, by the paper's rule", "Ours, by answers alone"]
    assert full[1:] == ["97.9 %", "98.1 % (52)", "96.2 % (51)"]
    assert partial[1:] == ["1.9 %", "1.9 % (1)", "3.8 % (2)"]
    assert none[1:] == ["0.2 %", "0.0 % (0)", "0.0 % (0)"]
    assert "97.9 % says little about answers" in page.text


def test_every_topic_of_the_paper_has_a_row(page, questions):
    counts = json.loads((questions / "stats.json").read_text())["all"]["questions_by_topic"]
    for topic in Topic:
        _, count, _, printed = page.row("topics", topic.value)
        assert count == str(counts.get(topic.value, 0))
        assert printed == f"{topic.paper_percent:.1f} %"


def test_answerability_and_boxes_are_those_of_the_statistics(page, questions):
    stats = json.loads((questions / "stats.json").read_text())
    for split in ("train", "validation", "test"):
        row = page.row("answerability", split)
        assert row[1] == str(stats[split]["questions"])
        assert row[2] == str(stats[split]["questions_with_no_answer"])
    assert page.row("boxes", "One box")[1] == str(stats["all"]["elements_per_answer"]["1"])


def test_each_reason_has_its_sentence_and_count(page, questions):
    rejects = json.loads((questions / "BUILD.json").read_text())["rejects"]
    rows = [row for row in page.rows["rejects"] if len(row) == 3]
    assert rejects["screen"]
    for reasons in rejects.values():
        for reason, count in reasons.items():
            assert [reason, Reason(reason).sentence, str(count)] in rows


def test_every_screen_of_a_small_build_is_shown(page, questions):
    ids = {
        screen_id
        for path in (questions / "screenqa").glob("*.parquet")
        for screen_id in pq.read_table(path, columns=["screen_id"])["screen_id"].to_pylist()
    }
    shown = {attrs["alt"] for tag, attrs in page.tags if tag == "img" and "alt" in attrs}
    assert {f"Screenshot of {screen_id}" for screen_id in ids} <= shown
    assert f"All {len(ids)} screens of the build." in page.text


def test_the_page_names_nothing_outside_of_itself(page, questions):
    for tag, attrs in page.tags:
        assert tag not in ("link", "iframe", "object", "base"), attrs
        for key in ("src", "href", "xlink:href", "action", "srcset", "data"):
            if key in attrs:
                assert re.match(r"#|data:image/webp;base64,", attrs[key]), (tag, attrs[key][:80])
        assert "style" not in attrs
        assert not [key for key in attrs if key.startswith("on")]
    assert str(questions.parent) not in page.text


def test_ids_of_elements_are_unique_and_labels_name_them(page):
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    for _, attrs in page.tags:
        for key in ("for", "aria-labelledby"):
            assert attrs.get(key, ids[0]) in ids


def test_a_page_has_one_first_heading_and_no_level_is_left_out(page):
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h\d", tag)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_the_same_build_gives_the_same_bytes(questions, tmp_path):
    one, two = tmp_path / "one.html", tmp_path / "two.html"
    write_report(str(questions), str(one))
    write_report(str(questions), str(two))
    assert one.read_bytes() == two.read_bytes()


def test_a_sample_says_how_many_of_how_many_and_how_they_were_chosen(questions, tmp_path):
    page = write(questions, out=str(tmp_path / "page.html"), n_screens=12)
    assert "12 of 36 screens, chosen by hash" in page.text
    splits = {attrs["data-split"] for tag, attrs in page.tags if "data-split" in attrs}
    assert len(splits) == 3
    other = write(questions, out=str(tmp_path / "page.html"), n_screens=12, seed="another")
    assert [tag for tag in page.tags if tag[0] == "h3"] != [] != other.tags
    assert page.text != other.text


def test_a_report_without_screens_says_so(questions, tmp_path):
    page = write(questions, out=str(tmp_path / "page.html"), n_screens=0)
    assert "made without a sample of screens" in page.text
    assert [tag for tag, _ in page.tags if tag in ("article", "img")] == []


def test_a_page_that_would_be_too_large_shows_fewer(questions, tmp_path, monkeypatch):
    monkeypatch.setattr("pipelines.reporting.report._LARGEST_PAGE", 500_000)
    path = pathlib.Path(write_report(str(questions), str(tmp_path / "page.html")))
    assert 250_000 < path.stat().st_size <= 500_000
    page = Reader(path.read_text(encoding="utf-8"))
    shown = len([tag for tag in page.tags if tag[0] == "article" and "data-split" in tag[1]])
    assert 0 < shown < 36
    assert f"{shown} of 36 screens" in page.text
    assert "36 were chosen; more would make the page too large." in page.text


def test_thousands_of_categories_and_endless_names_keep_the_page_small(built, change):
    def many(stats: dict) -> None:
        for counts in stats.values():
            counts["questions_per_category"] = {f"{n} {'x' * 5_000}": 1 for n in range(3_000)}

    change(built, "stats.json", many)
    page = write(built)
    assert (built / REPORT_PAGE).stat().st_size < 3_000_000
    assert "2,960 more categories" in page.text
    assert "2,600 more are not listed." in page.text
    assert "3,005 more characters" in page.text


def test_a_build_of_screens_shows_leaves_and_verdicts(screens, tmp_path):
    page = write(screens, out=str(tmp_path / "page.html"))
    assert "not annotated by passes of its own" in page.text
    assert {"agreement", "answerability", "topics", "short-answers"}.isdisjoint(page.rows)
    leaves = [attrs for tag, attrs in page.tags if attrs.get("class", "").startswith("leaf")]
    assert len(leaves) > 100
    assert "visible leaves of its hierarchy are drawn" in page.text
    assert re.search(r"language: english \(0\.\d\d\)", page.text)
    assert "hierarchy: in sync" in page.text


def test_pictures_that_lie_apart_from_questions_are_found(demo_build, tmp_path):
    out = demo_build("screenqa_official")
    assert "image" not in pq.read_schema(next((out / "screenqa_official").glob("*.parquet"))).names
    page = write(out, out=str(tmp_path / "page.html"))
    articles = [attrs for tag, attrs in page.tags if tag == "article" and "data-split" in attrs]
    pictures = [attrs for tag, attrs in page.tags if tag == "img" and "Screenshot" in attrs["alt"]]
    assert len(articles) == len(pictures) > 20


def test_what_a_build_has_not_is_said(demo_build, tmp_path):
    page = write(demo_build("screenqa_released"), out=str(tmp_path / "page.html"))
    assert "do not tell single annotators apart" in page.text
    assert "Nobody has verified short answers" in page.text


def test_the_default_is_a_document_of_the_build_and_nothing_else_is_left(built):
    before = {path.name for path in built.iterdir()}
    assert write_report(str(built)) == str(built / REPORT_PAGE)
    assert {path.name for path in built.iterdir()} - before == {REPORT_PAGE}


def test_verified_short_answers_have_their_intervals(built, change, tmp_path):
    share = {"value": 0.1, "low": 0.05, "high": 0.2}
    stratum = {
        "kind": "yes_no", "size": 40, "questions": 10, "questions_wrong": 1, "variants": 20,
        "variants_wrong": 2, "variant_share": share, "question_share": share,
    }  # fmt: skip
    rates = {
        "made_by": {"provider": "rules", "model": "rules-1", "prompt_version": ""},
        "reviewers": 3, "ties": 1, "strata": [stratum], "variant_share": share,
        "question_share": share,
    }  # fmt: skip
    found = {"rejected_variants": 2, "questions_with_rejected_variants": 1, "makers": [rates]}
    (built / "verification.json").write_text(json.dumps(found))
    page = write(built)
    row = page.row("short-answers", "yes or no")
    assert row[1:] == ["20", "2", "10.0% (5.0% to 20.0%)", "10.0% (5.0% to 20.0%)"]


def test_a_picture_that_cannot_be_read_is_told_and_the_rest_is_shown(built, make_hostile):
    page = write(make_hostile(built))
    assert "The picture cannot be shown" in page.text


def test_hostile_texts_are_texts(built, make_hostile):
    page = write(make_hostile(built))
    tags = {tag for tag, _ in page.tags}
    assert "script" in tags  # Our own two.
    assert [tag for tag, _ in page.tags].count("script") == 2
    assert all(attrs["src"].startswith("data:") for tag, attrs in page.tags if tag == "img")
    assert "<script>alert(1)</script>" in page.text
    assert "{{ 7 * 7 }}" in page.text
    assert "⟨U+202E⟩" in page.text
    assert "⟨U+001B⟩[31m" in page.text
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069\u200b\u200f]", page.text)
    assert "W" * 9_000 in page.text


@pytest.mark.parametrize(
    ("name", "damage", "sentence"),
    [
        ("stats.json", None, "its stats.json is missing"),
        ("stats.json", b"{", "stats.json: is damaged"),
        ("agreement.json", b"[]", "agreement.json: is damaged"),
        ("rejects/screen.jsonl", None, "screen.jsonl: is missing or damaged"),
        ("screenqa/train-00000-of-00001.parquet", None, "is missing"),
        ("screenqa/train-00000-of-00001.parquet", b"PAR1", "is no whole Parquet file"),
        ("BUILD.json", None, "is no finished build"),
    ],
)
def test_what_is_damaged_is_named_and_no_page_is_written(built, name, damage, sentence):
    if damage is None:
        os.remove(built / name)
    else:
        (built / name).write_bytes(damage)
    with pytest.raises(UserError, match=sentence):
        write_report(str(built))
    assert not (built / REPORT_PAGE).exists()


def test_where_a_page_cannot_be_written_is_said(questions, tmp_path):
    with pytest.raises(UserError, match=r"cannot write .*nowhere"):
        write_report(str(questions), str(tmp_path / "nowhere" / "page.html"))
    with pytest.raises(UserError, match="cannot show -1 screens"):
        write_report(str(questions), n_screens=-1)


def test_the_build_itself_is_not_changed(built):
    def digests() -> dict[str, str]:
        return {
            str(path): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(built.rglob("*"))
            if stat.S_ISREG(path.stat().st_mode) and path.name != REPORT_PAGE
        }

    before = digests()
    write_report(str(built))
    assert digests() == before
