"""What a question asks for, as far as its words tell.

An answer's form alone does not say what it is: "3:33" is a time or a length, "9/24" a date or
a part, "2017" a year or a number of people. Where the question does not tell, rules leave the
answer as it is.
"""

import re

_COUNT = re.compile(
    r"\bhow many\b|\b(?:number|count|quantity) of\b|\btotal (?:number|count)\b|\bhow much\b|"
    r"\bscore\b",
    re.I,
)
_IDENTIFIER = re.compile(
    r"\b(?:phone|contact|mobile|account|flight|train|tracking|order|card|serial|fax|helpline|"
    r"year|version|code|zip|pin|id|password|address|channel)\b",
    re.I,
)
_DATE = re.compile(
    r"\b(?:dates?|days?|when|birthday|dob|born|expir\w+|until|released?|published|updated)\b", re.I
)
_TIME = re.compile(
    r"\b(?:times?|timing|when|hours?|clock|alarm|sunrise|sunset|dawn|dusk|departs?|arrives?|"
    r"departure|arrival|start|end|opens?|closes?)\b",
    re.I,
)
_LENGTH = re.compile(
    r"\b(?:duration|length|long|lasts?|left|remaining|remains|elapsed|timer|finished|played|"
    r"running time)\b",
    re.I,
)
_RECORDING = re.compile(
    r"\b(?:songs?|tracks?|videos?|audios?|recordings?|recorded|records?|sounds?|music|musics|clip|"
    r"chapter|album|episode|podcast|trailer|movie|call|timer|ringtone|playing|played|media|mp3|"
    r"streaming|case|show|tutorial)\b",
    re.I,
)
_OWN_WORDS = re.compile(
    r"\b(?:title|song|playing|text|written|typed|entered|caption|slogan|quote|search)\b", re.I
)
_HOURS = re.compile(
    r"\b(?:travel|trip|flight|journey|route|ride|drive|driving|walk|walking|sleep|slept|work|"
    r"working|location|destination|reach|shift|fast|fasting)\b",
    re.I,
)
_PLURAL = re.compile(
    r"\b(?:are|were|names|apps|applications|options|accounts|items|features|ways|types|kinds|"
    r"mediums|choices|different|list|genres?|ingredients|languages|platforms|methods|can|could)\b",
    re.I,
)
_NOUN = re.compile(
    r"\b(?:how many|(?:number|count|quantity) of)((?: (?!(?:are|is|do|does|did|were|was|have|has|"
    r"had|can|could|will|in|on|of|for|to|from|by|per|the|a|an)\b)[a-z-]{2,20}){1,3})",
    re.I,
)
# What a counted noun does without: "72 available scanners" are 72 scanners.
_LOOSE = {"total", "more", "other", "different", "available", "all", "new", "current"}
_NO_NOUN = re.compile(r"\b(?:thousand|million|billion|and|or)\b", re.I)
_IRREGULAR = {"people": "person", "children": "child", "men": "man", "women": "woman"}
# Their plurals only look like others': "series", "species", "news".
_UNCHANGED = {"series", "species", "news", "means"}


def asks_count(question: str) -> bool:
    """Whether a number of things is asked for, and no number that names a thing."""
    return bool(_COUNT.search(question)) and not (
        _IDENTIFIER.search(question) and not re.search(r"\bhow many\b", question, re.I)
    )


def names_something(question: str) -> bool:
    """Whether a number that answers the question may be a name: a year, a code, a version."""
    return bool(_IDENTIFIER.search(question))


def asks_date(question: str) -> bool:
    """Whether the question can be answered by a date."""
    return bool(_DATE.search(question))


def asks_length(question: str) -> bool:
    """Whether a length of time is asked for."""
    return bool(_LENGTH.search(question))


def asks_time(question: str) -> bool:
    """Whether the question can be answered by a time of day."""
    return bool(_TIME.search(question)) and not asks_length(question)


def asks_playing_time(question: str) -> bool:
    """Whether the length of something recorded is asked for: minutes and seconds.

    A length of travel or sleep is written as hours and minutes with the same colon.
    """
    return bool(_LENGTH.search(question) and _RECORDING.search(question))


def asks_travel_or_rest(question: str) -> bool:
    """Whether the length asked for may be one of hours and minutes."""
    return bool(_HOURS.search(question))


def asks_own_words(question: str) -> bool:
    """Whether a title, or text that somebody wrote, is asked for."""
    return bool(_OWN_WORDS.search(question))


def asks_several(question: str) -> bool:
    """Whether several things may be asked for."""
    return bool(_PLURAL.search(question))


def asks_choice(question: str) -> bool:
    """Whether any one of several things will do, so that "or" joins them."""
    return bool(re.search(r"\b(?:can|could)\b", question, re.I))


def mentions(question: str, words: str) -> bool:
    """Whether one of `words`, a pattern, is a word of the question."""
    return bool(re.search(rf"(?<![a-z])(?:{words})(?![a-z])", question, re.I))


def counted_noun(question: str) -> str:
    """Returns what is counted in the question's words, "" where it is not plain.

    "How many reviews are there?" counts reviews, and "3 reviews" answers it as well as "3"
    (ScreenQA 4.5 names this pair).
    """
    found = _NOUN.search(question)
    words = found[1].split() if found else []
    # "How many million …?" asks for the figure before it, "lessons and quizzes" for two.
    if found is None or _NO_NOUN.search(found[1] + question[found.end() :][:5]):
        return ""
    while words and words[0].lower() in _LOOSE:
        words = words[1:]
    # The last plural: "bonus points".
    while words and not _is_plural(words[-1]):
        words = words[:-1]
    return " ".join(words)


def _is_plural(word: str) -> bool:
    return word.lower() in _IRREGULAR or (word.endswith("s") and not word.endswith("ss"))


def singular(noun: str) -> str:
    """Returns the form of a counted noun that stands after "1"."""
    first, blank, last = noun.rpartition(" ")
    if last.lower() in _IRREGULAR:
        last = _IRREGULAR[last.lower()]
    elif last.lower() in _UNCHANGED:
        pass
    elif (
        last.endswith("ies")
        and len(last) > 4
        and last.lower() not in ("movies", "cookies", "calories", "selfies", "ties")
    ):
        last = last[:-3] + "y"
    elif re.search(r"(?:sses|xes|ches|shes)$", last):
        last = last[:-2]
    elif last.endswith("s"):
        last = last[:-1]
    return first + blank + last
