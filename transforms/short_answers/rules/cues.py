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
# "2/3" is a part of something, whatever else the question says.
_PART = re.compile(
    r"\b(?:scores?|fractions?|ratios?|tax|pages?|ratings?|results?|dos(?:e|age)|portion|progress|"
    r"steps?|level|how many|how much|size)\b",
    re.I,
)
_EXPIRY = re.compile(r"\b(?:expir\w+|valid|good thru|validity)\b", re.I)
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
    r"\b(?:songs?|tracks?|videos?|audios?|recordings?|sounds?|music|musics|clip|chapter|trailer|"
    r"call|timer|ringtone|playing|media|mp3|streaming|tutorial)\b",
    re.I,
)
_LONG_RECORDING = re.compile(r"\b(?:movies?|films?|albums?|episodes?|podcasts?|shows?)\b", re.I)
_RUNNING_TIME = re.compile(r"\brunning time\b", re.I)
_OWN_WORDS = re.compile(
    r"\b(?:title|song|playing|text|written|typed|entered|caption|slogan|quote|search)\b", re.I
)
_HEAD = re.compile(r"\b(?:what|which|whose)\b(?:'s|’s)?([^?]{1,200})", re.I)
_HEAD_END = re.compile(
    r"\b(?:of|in|on|at|for|that|which|when|where|with|by|to|from|does|do|did|has|have|had|can|could|"
    r"will|would|should|playing|being|called|named|shown|given|mentioned|displayed|selected|used|"
    r"entered|currently|recorded|listed|available)\b|(?<=[a-z]) (?:is|are|was|were)\b",
    re.I,
)
_NAME_WORD = re.compile(
    r"\b(?:titles?|names?|usernames?|nicknames?|songs?|tracks?|movies?|films?|books?|streets?|"
    r"address(?:es)?|passwords?|passcodes?|codes?|versions?|version numbers?|ids?|albums?|artists?|"
    r"bands?|authors?|channels?|headings?|headlines?|captions?|teams?|users?|games?|pin|login)$",
    re.I,
)
_NAME_OF_TIME = re.compile(r"\bname of (?:the )?(?:month|day|weekday)\b", re.I)
_PLACE_OR_PERSON = re.compile(
    r"\b(?:city|cities|towns?|places?|locations?|countr(?:y|ies)|address(?:es)?|states?|who|persons?|"
    r"people|authors?|writers?|artists?|names?|users?|contacts?|destinations?|airports?)\b",
    re.I,
)
_HOURS = re.compile(
    r"\b(?:travel|trip|flight|journey|route|ride|drive|driving|walk|walking|sleep|slept|work|"
    r"working|location|destination|reach|shift|fast|fasting|hours?|hrs?|rest|resting|nap|run|runs|"
    r"running|workout|exercise|meeting|parking|stay|bus|train)\b",
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
_IRREGULAR = {
    "people": "person",
    "children": "child",
    "men": "man",
    "women": "woman",
    "feet": "foot",
    "teeth": "tooth",
    "mice": "mouse",
    "knives": "knife",
    "wives": "wife",
    "lives": "life",
    "wolves": "wolf",
    "leaves": "leaf",
    "shelves": "shelf",
    "halves": "half",
    "loaves": "loaf",
    "thieves": "thief",
    "calves": "calf",
    "scarves": "scarf",
    "lenses": "lens",
    "gases": "gas",
    "quizzes": "quiz",
    "atlases": "atlas",
    "canvases": "canvas",
    "caches": "cache",
    "headaches": "headache",
}
# "Uses", "shoes": their singulars end in "e", others' in "-us" and "-o".
_WITH_E = {"uses", "excuses", "fuses", "muses", "abuses", "refuses"} | {
    "shoes",
    "horseshoes",
    "toes",
    "canoes",
    "foes",
    "oboes",
}
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
    return bool(_DATE.search(question)) and not _PART.search(question)


def asks_expiry(question: str) -> bool:
    """Whether "05/27" may be a month and a year, as on a card."""
    return bool(_EXPIRY.search(question))


def asks_name(question: str) -> bool:
    """Whether a title, name, address or code is asked for, which keeps its words.

    "8 Mile" is no distance, "May 5" may be a user. What counts is what the question asks for:
    "What is the length of the movie?" asks for a length.
    """
    for found in _HEAD.finditer(question):
        phrase = _HEAD_END.split(found[1] + " ", maxsplit=1)[0]
        for part in re.split(r"\band\b|\bor\b|[,/&]", phrase):
            if _NAME_WORD.search(part.strip(" ?.!\"'")):
                return not _NAME_OF_TIME.search(question)
    return False


def asks_place_or_person(question: str) -> bool:
    """Whether places or people are asked for: "Paris, France" and "Smith, John" are one."""
    return bool(_PLACE_OR_PERSON.search(question))


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
    if asks_travel_or_rest(question) or _LONG_RECORDING.search(question):
        return False
    return bool(_LENGTH.search(question) and _RECORDING.search(question))


def asks_long_playing_time(question: str) -> bool:
    """Whether the length is of a film or album: "1:45" has hours, "45:12" has not."""
    return bool(_LENGTH.search(question) and _LONG_RECORDING.search(question)) and not (
        asks_travel_or_rest(question)
    )


def asks_travel_or_rest(question: str) -> bool:
    """Whether the length asked for may be one of hours and minutes."""
    return bool(_HOURS.search(_RUNNING_TIME.sub("", question)))


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
    elif last.lower() not in _WITH_E and re.search(
        r"(?:sses|xes|ches|shes|[^aeo]uses|[^aeiou]oes)$", last, re.I
    ):
        last = last[:-2]
    elif last.endswith("s"):
        last = last[:-1]
    return first + blank + last
