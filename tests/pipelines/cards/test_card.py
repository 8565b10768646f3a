"""The card as a whole: what it says, what runs of it, what survives it."""

import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import mistune
import pytest

from pipelines.cards.by_hand import HandWritten, read_card
from pipelines.cards.card import SLOTS, card_text, write_card, written_text
from pipelines.cards.content import PLACE
from pipelines.cards.facts import card_facts
from pipelines.cards.in_step import card_problems
from pipelines.errors import UserError
from pipelines.finished_builds import open_build

NAMES = ("campaign", "inline", "by_screen", "without", "looks")


def card_of(folder: pathlib.Path, hand: HandWritten | None = None) -> str:
    return card_text(card_facts(open_build(str(folder))), hand or HandWritten())


def section(card: str, title: str) -> str:
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", card, re.MULTILINE | re.DOTALL)
    assert found, title
    return found[1]


def fill(folder: pathlib.Path, slot: str, text: str) -> None:
    path = folder / "README.md"
    begin = f"<!-- by hand: {slot} -->\n"
    assert begin in path.read_text()
    path.write_text(path.read_text().replace(begin, begin + text))


@pytest.mark.parametrize("name", NAMES)
def test_the_build_writes_the_very_card_that_the_command_writes(copy, name):
    folder = copy(name)
    by_build = (folder / "README.md").read_bytes()
    paths = write_card(str(folder))
    assert [os.path.basename(path) for path in paths] == ["README.md", "croissant.json"]
    assert (folder / "README.md").read_bytes() == by_build
    croissant = (folder / "croissant.json").read_bytes()
    write_card(str(folder))
    assert (folder / "croissant.json").read_bytes() == croissant
    assert not [name for name in os.listdir(folder) if name.endswith(".tmp")]


def test_the_command(run, copy):
    folder = copy("by_screen")
    (folder / "README.md").unlink()
    done = run("card", folder)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert str(folder / "README.md") in done.stdout
    assert str(folder / "croissant.json") in done.stdout
    assert card_problems(open_build(str(folder))) == []
    fill(folder, "more", "kept\n")
    (folder / "README.md").write_text((folder / "README.md").read_text().replace("## Uses", "## U"))
    refused = run("card", folder)
    assert refused.returncode == 2
    assert "was edited outside of its markers" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert run("card", folder, "--force").returncode == 0
    assert "kept\n<!-- end by hand -->" in (folder / "README.md").read_text()
    assert "## Uses" in (folder / "README.md").read_text()


def test_a_folder_that_is_no_build_is_a_sentence(tmp_path):
    with pytest.raises(UserError, match="is no finished build"):
        write_card(str(tmp_path))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", NAMES)
def test_its_loading_snippet_runs(build, name, tmp_path):
    card = (build(name) / "README.md").read_text()
    (snippet,) = re.findall(r"```python\n(.*?)```", card, re.DOTALL)
    assert snippet.count(PLACE) == 1
    code = snippet.replace(PLACE, str(build(name)))
    environment = {**os.environ, "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment, cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    if name == "by_screen":
        assert re.search(r"^\(\d+, \d+\)$", done.stdout, re.MULTILINE)


def test_its_counts_are_those_of_the_statistics_and_of_nothing_else(copy, change):
    folder = copy("inline")
    before = card_of(folder)

    def recount(stats: dict) -> None:
        stats["all"].update(questions=9_876, screens=5_432, apps=765, answers=65_431)
        stats["test"].update(questions=4_321, questions_with_no_answer=1_111)
        stats["all"]["questions_per_screen"] = {"1": 5, "97": 1}
        stats["all"]["screens_per_category"] = {"Kites": 4_567}
        stats["all"]["questions_with_no_answer"] = 4_938

    change(folder / "stats.json", recount)
    after = card_of(folder)
    contents = section(after, "What is in it")
    assert "9,876 questions on 5,432 screens of mobile apps, from 765 apps" in after
    assert "| all | 765 | 5,432 | 9,876 |" in contents
    assert "| 65,431 | 4,938 |" in contents
    assert re.search(r"^\| test \|.*\| 4,321 \|.*\| 1,111 \|$", contents, re.MULTILINE)
    assert "50.00% of questions" in contents
    assert "up to 97" in contents
    assert "| Kites | 4,567 | 0 |" in contents
    assert "9,876" not in before
    # Rows and sizes are those of the shards: the front matter does not change.
    assert after.split("---\n")[1] == before.split("---\n")[1]


def test_it_says_how_the_build_was_made(build):
    card = (build("campaign") / "README.md").read_text()
    made = section(card, "How it was built")
    assert re.search(r"\| fingerprint of the build \| `[0-9a-f]{64}` \|", made)
    assert "| split by | app, seed demo |" in made
    assert re.search(
        r"\| `events` \| `annotation_events` \| 581 \| Apache-2\.0 \| – \| `\w+`", made
    )
    assert "Made by rules (rules-1)" in made
    assert "97.9 % full, 1.9 % partial, 0.2 % none" in made
    left = section(card, "What was left out")
    assert "| `screen_pii` | 8 | A reviewer saw personal data on the screen. |" in left
    assert "| annotation event | 581 | 542 | 2 | 35 | 2 |" in left
    assert "data@owner.example" in section(card, "Contact and take-down")
    assert card.count("# Screens and questions 1.0.0\n") == 1
    cited = section((build("inline") / "README.md").read_text(), "Citation")
    assert "- `categories`: Deka et al., 2017 \\| &lt;b&gt;Rico&lt;/b&gt;\n" in cited


def test_it_names_only_deviations_that_are_true_of_the_build(build):
    title = "Differences from the ScreenQA paper"
    campaign = section((build("campaign") / "README.md").read_text(), title)
    assert "Splits are by app" in campaign
    assert "Short answers are by rules of form (rules-1)" in campaign
    assert "1 screen has more than 8 questions" in campaign
    assert "A.5" in campaign
    assert "The pictures of the screens are not in it" not in campaign
    without = section((build("without") / "README.md").read_text(), title)
    assert "The pictures of the screens are not in it" in without
    for told in ("Splits are by", "Short answers are by", "A.5", "a program judged"):
        assert told not in without
    assert "a program judged" in section((build("inline") / "README.md").read_text(), title)
    assert title not in (build("looks") / "README.md").read_text()


def test_a_trial_says_so(copy, change):
    folder = copy("without")
    assert "This is a trial" not in card_of(folder)
    change(folder / "BUILD.json", lambda summary: summary.update(limit=1_000))
    assert "This is a trial: its build read no more than 1,000 screens" in card_of(folder)


def test_a_models_short_answers_are_told_with_model_and_prompt(copy, change):
    folder = copy("campaign")
    made = {
        "provider": "gemini",
        "model": "gemini-9-<b>",
        "prompt_version": "short_answers-1-abc",
        "variants": {"accepted": 5, "unsupported": 2, "of_another_release": 1},
        "replies": {"ok": 3},
    }
    change(folder / "BUILD.json", lambda summary: summary.update(short_answers=made))
    card = card_of(folder)
    told = "Made by gemini (gemini-9-&lt;b&gt;, prompt short\\_answers-1-abc): 5 accepted."
    assert told in section(card, "How it was built")
    assert "| `unsupported` | 2 | It states what neither" in card
    assert "| `of_another_release` | 1 |  |" in card
    deviations = section(card, "Differences from the ScreenQA paper")
    assert "Short answers are by gemini-9-&lt;b&gt;; the paper's are by PaLM 2" in deviations
    assert "seven of each kind are ours" in deviations


def test_a_whole_without_one_licence_tells_it_by_source(copy, change):
    folder = copy("without")

    def relicense(summary: dict) -> None:
        summary["sources"]["short_answers"]["licence"] = "none stated"

    change(folder / "BUILD.json", relicense)
    card = card_of(folder)
    assert 'license: other\nlicense_name: "by-source"\n' in card
    assert "each part is under that of its source" in section(card, "Licence")
    assert "| none stated |" in section(card, "How it was built")
    change(folder / "BUILD.json", lambda summary: summary["card"].update(licence="cc-by-4.0"))
    assert "license: cc-by-4.0\n" in card_of(folder)
    assert "put the whole under cc-by-4.0" in section(card_of(folder), "Licence")


def test_what_was_written_by_hand_survives(copy):
    folder = copy("without")
    generated = (folder / "README.md").read_text()
    texts = {slot: f"By hand in {slot}.\n\n### Own heading\n\n- <i>kept</i>\n" for slot in SLOTS}
    for slot, text in texts.items():
        fill(folder, slot, text)
    path = folder / "README.md"
    path.write_text(
        path.read_text().replace(
            "# by hand: front matter\n", "# by hand: front matter\narxiv: 2209.08199\n"
        )
    )
    by_hand = path.read_text()
    write_card(str(folder))
    assert path.read_text() == by_hand
    assert by_hand != generated
    assert card_problems(open_build(str(folder))) == []


def test_slots_that_cards_no_longer_have_stay_at_the_end(build):
    hand = HandWritten((("scoring", "How we score.\n"), ("uses", "Ours.\n")))
    card = card_of(build("without"), hand)
    told = "<!-- by hand: scoring -->\nHow we score.\n<!-- end by hand -->\n"
    assert card.index("<!-- by hand: more -->") < card.index(told)
    assert dict(read_card(card, "x").hand.slots) == dict(hand.slots)
    assert read_card(card, "x").is_untouched


def test_a_build_anew_keeps_what_was_written_by_hand(run, sample, tmp_path):
    manifest = tmp_path / "manifest.yaml"
    manifest.write_text(
        "version: 1\n"
        "sources:\n"
        "  asked:\n"
        "    kind: screenqa_short_answers\n"
        "    files: {test: complex_qa/data.json}\n"
        "    licence: Apache-2.0\n"
        "datasets:\n"
        "  complex:\n"
        "    recipe: screenqa\n"
        "    version: 1.0.0\n"
        "    sources: {short_answers: asked}\n"
        "    images: none\n"
        "    splits: {by: official}\n"
    )
    out = tmp_path / "out"
    command = ("build", "complex", "--manifest", manifest, "--data", sample, "--out", out)
    assert run(*command).returncode == 0
    fill(out, "ethics", "We asked everybody.\n")
    manifest.write_text(manifest.read_text().replace("1.0.0", "2.0.0"))
    done = run(*command, "--fresh")
    assert done.returncode == 0, done.stderr
    card = (out / "README.md").read_text()
    assert "<!-- by hand: ethics -->\nWe asked everybody.\n<!-- end by hand -->" in card
    assert "# complex 2.0.0\n" in card
    assert card_problems(open_build(str(out))) == []


def test_markers_that_do_not_pair_leave_the_card_as_it_is(copy):
    folder = copy("without")
    path = folder / "README.md"
    path.write_text(path.read_text().replace("<!-- end by hand -->\n", "", 1))
    broken = path.read_text()
    for force in (False, True):
        with pytest.raises(UserError, match=r"README\.md: line \d+: begins the part"):
            write_card(str(folder), force=force)
    assert path.read_text() == broken
    assert not (folder / "croissant.json").exists()


HOSTILE = (
    "<script>alert(1)</script>",
    "a | b",
    "`x` **bold** [l](javascript:alert(1))",
    "<!-- by hand: summary -->",
    "x\n<!-- end by hand -->\n\n# Heading\n\n---\n",
    "\x1b[2J\u202e",
    "]]> --> &amp;",
)


class Tags(html.parser.HTMLParser):
    """Tags of a page with their attributes, and its comments."""

    def __init__(self, card: str) -> None:
        super().__init__()
        self.found: list[object] = []
        render = mistune.create_markdown(escape=False, plugins=["table", "strikethrough", "math"])
        self.feed(str(render(card.split("\n---\n", 1)[1])))

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, attrs))

    def handle_comment(self, data):
        if "sha256" not in data:
            self.found.append(data)


def poison(folder: pathlib.Path, text: str, change) -> None:
    """Puts a text wherever a manifest, a source or another release may have put one."""

    def poison_summary(summary: dict) -> None:
        summary["card"].update(title=text, contact=text, citation=text, tags=[text])
        for source in summary["sources"].values():
            source.update(licence=text, citation=text, url=text, kind=text)
        summary["rejects"]["screen"][text] = 3
        summary["records"][text] = {"read": 1, "kept": 1, "merged": 0, "orphaned": 0, "rejected": 0}
        summary["splits"]["seed"] = text
        summary["leaks"]["other_datasets"][text] = {
            "its_own_apps": {"groups": 1, "crossing": 0},
            "shared_screens": {"test": {text: 1}},
        }
        summary["short_answers"].update(provider="own", model=text, replies={text: 1})
        summary["short_answers"]["variants"][text] = 1
        summary["prefilter"]["language"][text] = 1

    def poison_statistics(stats: dict) -> None:
        for kind in ("screens_per_category", "questions_per_category"):
            stats["all"][kind] = {text: 2}

    change(folder / "BUILD.json", poison_summary)
    change(folder / "stats.json", poison_statistics)


@pytest.mark.parametrize("name", NAMES)
def test_every_table_is_one(build, name):
    card = (build(name) / "README.md").read_text()
    tables = [found for found in Tags(card).found if found[0] == "table"]
    assert len(tables) == len(re.findall(r"^\| -", card, re.MULTILINE)) >= 5
    assert "None" not in card
    assert not re.search(r"\b1 (screens|groups|questions)\b", card)


def test_the_largest_categories_are_told(copy, change):
    folder = copy("looks")
    many = {f"Category {n:03}": n for n in range(1, 101)}
    change(folder / "stats.json", lambda stats: stats["all"].update(screens_per_category=many))
    told = section(card_of(folder), "What is in it")
    assert "| Category 100 | 100 |\n| Category 099 | 99 |" in told
    assert "Category 060" not in told
    assert "60 smaller categories are in `stats.json`." in told


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_of_sources_stay_texts(copy, change, text, tmp_path):
    folder = copy("campaign")
    harmless = pathlib.Path(shutil.copytree(folder, tmp_path / "harmless"))
    poison(folder, text, change)
    poison(harmless, "harm less", change)
    card = card_of(folder)
    assert Tags(card).found == Tags(card_of(harmless)).found
    read = read_card(card, "README.md")
    assert read.is_untouched
    assert read.hand == HandWritten()
    assert "\x1b" not in card
    assert "\u202e" not in card
    (folder / "README.md").write_text(card)
    assert card_problems(open_build(str(folder))) == []


def test_bibtex_stays_to_the_letter(copy, change):
    folder = copy("without")
    bibtex = "@misc{ours, title={A_B & 50\\% <of> `x`}, note={```}}"
    change(folder / "BUILD.json", lambda summary: summary["card"].update(citation=bibtex))
    assert f"````bibtex\n{bibtex}\n````\n" in section(card_of(folder), "Citation")


def test_what_the_command_says_names_what_the_manifest_lacks(copy):
    folder = copy("without")
    said = written_text(write_card(str(folder)))
    assert "a title, whom to ask for a take-down, how to cite the data set" in said
    said = written_text(write_card(str(copy("campaign"))))
    assert "how to cite the data set" in said
    assert "whom to ask" not in said


def test_a_build_without_statistics_is_a_sentence(copy):
    folder = copy("without")
    (folder / "stats.json").unlink()
    with pytest.raises(UserError, match=r"stats\.json is missing"):
        write_card(str(folder))
    (folder / "stats.json").write_text("[")
    with pytest.raises(UserError, match=r"stats\.json: is damaged"):
        write_card(str(folder))


UNTOLD = {"checks", "findings", "funnel", "provides", "repairs"}
"""What of `BUILD.json` is not in the card."""


def test_a_summary_that_lacks_anything_is_a_sentence(copy):
    folder = copy("campaign")
    whole = (folder / "BUILD.json").read_text()
    card = (folder / "README.md").read_bytes()
    for key in json.loads(whole).keys() - UNTOLD:
        lacking = json.loads(whole)
        del lacking[key]
        (folder / "BUILD.json").write_text(json.dumps(lacking))
        with pytest.raises(UserError):
            write_card(str(folder))
    assert (folder / "README.md").read_bytes() == card
