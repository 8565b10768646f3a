"""Quotation marks around a name."""

import re

from transforms.short_answers.rules import cues

_QUOTED = re.compile(r'"(?P<name>[^"]{1,300})"')


def forms(answer: str, question: str) -> list[str]:
    """Returns the forms of an answer with its marks off, or put on; [] where neither fits.

    They are put on a title and on words that somebody wrote, where the released lists have both
    for one in three; for other names they do so for one in 25.
    """
    found = _QUOTED.fullmatch(answer)
    if found:
        return [answer, found["name"]]
    own = cues.asks_own_words(question) and '"' not in answer and answer[:1].isalpha()
    return [answer, f'"{answer}"'] if own and len(answer) <= 300 else []
