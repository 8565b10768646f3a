"""Tests of telling English from other languages, on screens of our own writing.

`tests/facts/screen_texts.json` holds texts of made-up screens with their language; they are our
own, so that they may be here.
"""

import collections
import dataclasses
import json
import pathlib
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.manifest import PrefilterPolicy
from schemas.readings import LanguageFinding, LanguageVerdict
from transforms.screens.language import judge_language, pool_app, settle_language
from transforms.screens.texts import pool

ROOT = pathlib.Path(__file__).parents[3]
SCREENS = json.loads((ROOT / "tests" / "facts" / "screen_texts.json").read_text("utf-8"))
ENGLISH, NOT_ENGLISH, UNDETERMINED = LanguageVerdict
POLICY = PrefilterPolicy()

any_text = st.text(alphabet=st.characters(exclude_categories=()))


def judge(*texts, **policy):
    return judge_language(texts, dataclasses.replace(POLICY, **policy))


def without_punctuation(text):
    return "".join(sign if unicodedata.category(sign)[0] in "LMN" else " " for sign in text)


def wide(text):
    return "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in text)


def test_the_facts_are_many_and_of_many_languages():
    languages = collections.Counter(screen["language"] for screen in SCREENS)
    assert languages["en"] >= 25
    assert languages.total() - languages["en"] >= 80
    assert len(languages) >= 50
    assert len({screen["id"] for screen in SCREENS}) == len(SCREENS)


@pytest.mark.parametrize("change", [str, str.upper, str.title, without_punctuation, wide])
@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen["id"])
def test_a_screen_is_english_or_not(screen, change):
    found = judge(*map(change, screen["texts"]))
    assert found.verdict is (ENGLISH if screen["language"] == "en" else NOT_ENGLISH), found
    assert found.letters >= POLICY.min_letters


def test_the_likeliest_language_is_mostly_named_right():
    wrong = {
        screen["id"] for screen in SCREENS if judge(*screen["texts"]).language != screen["language"]
    }
    assert wrong <= {"es-futbol", "sw-pesa"}


@pytest.mark.parametrize(
    "texts",
    [
        [],
        [""],
        ["OK"],
        ["12:30", "$4.99", "40%", "18°"],
        ["SIGN IN"],
        ["CANCEL"],
        ["MY ACCOUNT"],
        ["SIGN IN", "CANCEL", "MY ACCOUNT"],
        ["Settings"],
        ["Login", "Sign in"],
        ["Like", "Share", "Home"],
        ["PROJECT TAGGING CRITERIA"],
        ["I love you"],
        ["blast mango blast it"],
        ["blast, mango blast it"],
        ["Brad Stevens"],
        ["https://www.example.com/ayuda/como-funciona/nuestra-aplicacion"],
        ["info@una-empresa-de-madrid.es", "com.ejemplo.aplicacion.principal", "@usuario #etiqueta"],
        ["Navigate up", "More options", "Interstitial close button"],
        ["设置"],
        ["\x00\x07\ufffe\ud83d", "😀😀😀"],
    ],
)
def test_too_little_text_is_never_judged(texts):
    found = judge(*texts)
    assert (found.verdict, found.score, found.language) == (UNDETERMINED, 0.5, "")
    assert found.evidence == f"{found.letters} letters are too few to tell by"


def test_no_letters_are_too_few_whatever_the_policy():
    assert judge("12:30", min_letters=0).verdict is UNDETERMINED


def test_signs_that_write_a_word_count_for_three_letters():
    assert judge("我的订单").letters == 12
    assert judge("주문 내역").letters == 12
    assert judge("Москва").letters == 6


@pytest.mark.parametrize(
    ("texts", "verdict"),
    [
        (["Inicio", "Buscar", "Configuración", "Facebook", "Instagram", "Netflix"], NOT_ENGLISH),
        (["Navigate up", "More options", "Mi cuenta", "Cerrar la sesión", "Ayuda"], NOT_ENGLISH),
        (["Shop", "Cart", "Velkommen til vores butik", "Fri fragt over 499 kr"], NOT_ENGLISH),
        (["Home", "#1 Fan", "adoro bob marley", "I am happy to hear this song"], ENGLISH),
        (["Find Indian, Chinese & Continental starters", "Invite a friend", "₹ 0.00"], ENGLISH),
        (
            [
                "Home",
                "Search",
                "Library",
                "鬼滅の刃 第1巻",
                "進撃の巨人 第34巻",
                "Continue reading",
            ],
            UNDETERMINED,
        ),
        (["Choose your language", "English", "Español", "Русский", "中文"], UNDETERMINED),
    ],
)
def test_mixed_screens(texts, verdict):
    assert judge(*texts).verdict is verdict


def test_an_app_is_judged_by_its_pooled_texts():
    menu = ["Top stories", "Saved articles", "Settings", "Sign out"]
    article = ["La ciudad celebra esta semana la feria del libro con más de cien autores."]
    screens = [("2", menu), ("10", article), ("3", ["Font size", "Dark theme", "Send feedback"])]
    assert judge(*article).verdict is NOT_ENGLISH
    app = judge(*pool_app([(screen, pool(texts)) for screen, texts in screens], 6000).splitlines())
    assert app.verdict is not NOT_ENGLISH


@pytest.mark.parametrize("screen", SCREENS[::6], ids=lambda screen: screen["id"])
def test_order_and_repetition_do_not_matter(screen):
    texts = screen["texts"]
    found = judge(*texts)
    assert judge(*texts[::-1]) == judge(*texts, *texts) == judge(*sorted(texts)) == found


def test_a_hundred_calls_find_the_same():
    for screen in SCREENS[::20]:
        assert len({judge(*screen["texts"]) for _ in range(100)}) == 1


def test_a_fresh_process_finds_the_same_and_is_silent():
    script = """
import json, sys, pathlib
from schemas.manifest import PrefilterPolicy
from transforms.screens.language import judge_language
assert "fasttext" not in sys.modules
assert "pycld2" not in sys.modules
screens = json.load(open("tests/facts/screen_texts.json", encoding="utf-8"))
found = [repr(judge_language(screen["texts"], PrefilterPolicy())) for screen in screens]
pathlib.Path(sys.argv[1]).write_text(json.dumps(found))
"""
    here = [repr(judge(*screen["texts"])) for screen in SCREENS]
    done = subprocess.run(
        [sys.executable, "-c", script, "/dev/stdout"], cwd=ROOT, capture_output=True, check=True
    )
    assert json.loads(done.stdout) == here
    assert done.stderr == b""


def test_the_bounds_are_the_policys():
    texts = ["Brightness", "Contrast", "Saturation", "Vignette", "Undo", "Save a copy"]
    score = judge(*texts).score
    assert judge(*texts, english_from=score).verdict is ENGLISH
    assert judge(*texts, english_from=score + 0.001).verdict is UNDETERMINED
    bounds = {"english_from": 1.0, "not_english_below": score + 0.001}
    assert judge(*texts, **bounds).verdict is NOT_ENGLISH
    assert judge(*texts, min_letters=1000).verdict is UNDETERMINED


def test_evidence_says_what_each_vote_was():
    found = judge("Einstellungen", "Abmelden", "Hilfe und Rückmeldung")
    assert found.evidence.startswith("fastText 0% English, ")
    assert "% de, CLD2 0% English, " in found.evidence
    russian = judge("Заказать такси", "Куда поедем?", "Отменить")
    assert russian.evidence.endswith("; 100% in other scripts than Latin")
    menu = judge("Now playing", "Luis Fonsi", "Add to playlist", "La Vie en Rose", "Édith Piaf")
    assert menu.evidence.endswith("; the two disagree")


@given(st.lists(any_text, max_size=20))
def test_any_texts_get_a_finding(texts):
    found = judge(*texts, min_letters=1)
    assert 0 <= found.score <= 1
    assert found.letters >= 0
    assert (found.language == "") is (found.verdict is UNDETERMINED)
    assert judge(*reversed(texts), min_letters=1) == found
    found.evidence.encode("ascii")


@pytest.mark.parametrize(
    "piece", ["a", "word ", "слово ", "字", "\u0301", "ﷺ", "\x00", "a@", "a.b/"]
)
def test_a_megabyte_is_no_trouble(piece):
    judge(piece * (1_000_000 // len(piece)))
    judge(*[f"{piece}{number}" for number in range(100_000)])


def test_only_so_many_texts_are_read():
    texts = iter(["Einstellungen"] * 5000)
    judge_language(texts, POLICY)
    assert len(list(texts)) == 3000


def test_screens_of_an_app_take_turns_in_the_order_of_their_ids():
    samples = [("10", "ten\nmenu\nlast"), ("9", "nine\nmenu"), ("b", ""), ("a", "name")]
    assert pool_app(samples, 100) == "nine\nten\nname\nmenu\nlast"
    assert pool_app(reversed(samples), 100) == pool_app(samples, 100)
    assert pool_app(samples, 8) == "nine\nten"
    assert pool_app([], 8) == pool_app([("1", "")], 8) == ""


@given(st.lists(st.tuples(st.from_regex(r"\A[a-z0-9]{1,3}\Z"), any_text)), st.integers(0, 50))
def test_a_pool_is_bounded_and_independent_of_the_order(samples, most):
    pooled = pool_app(samples, most)
    assert pooled == pool_app(samples[::-1], most)
    assert len(pooled) <= most
    lines = pooled.splitlines()
    assert len(lines) == len(set(lines))


def finding(verdict, evidence="why"):
    return LanguageFinding(verdict, 0.5, "xx", 99, evidence)


@pytest.mark.parametrize("verdict", [ENGLISH, NOT_ENGLISH])
@pytest.mark.parametrize("other", LanguageVerdict)
def test_a_determined_app_counts_for_its_screens(verdict, other):
    settled = settle_language(finding(verdict), finding(other, "else"))
    assert settled == finding(verdict, "by the app: why")


@pytest.mark.parametrize("verdict", LanguageVerdict)
def test_an_undetermined_app_leaves_it_to_the_screen(verdict):
    settled = settle_language(finding(UNDETERMINED, "else"), finding(verdict))
    assert settled == finding(verdict, "by the screen alone: why")
