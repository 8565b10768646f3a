"""The normal form in which SQuAD's scores compare answers (ScreenQA 3)."""

import re
import string

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def squad_form(text: str) -> str:
    """Returns a text in lower case, without ASCII punctuation, articles and extra blanks.

    It merges what may well differ (`"1,1"` and `"11"`, `"-5"` and `"5"`), so it counts and
    compares; it never decides that two answers are one.
    """
    plain = _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION))
    return " ".join(plain.split())
