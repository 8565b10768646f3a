"""Numbers of things: "3 reviews" and "3", "none" and "0"."""

import re

from transforms.short_answers.rules import cues, numbers

_PREPOSITION = re.compile(r"\b(?:in|of|at|for|from|per|to|with|on|by|and|or)\b", re.I | re.A)
_NONE = {"none", "no", "nothing", "no one", "nobody"}


def forms(answer: str, question: str) -> list[str]:
    """Returns the forms of an answer to "how many"; [] for others.

    What is counted is left out or put in as the question names it (ScreenQA 4.5: "3 reviews"
    and "3"). A noun that the question does not name is left as it is: "8 yrs" is not "8".
    """
    if not cues.asks_count(question):
        return []
    noun = cues.counted_noun(question)
    if answer.lower() in _NONE:
        return _none_forms(answer, noun)
    if answer.lower().startswith("no ") and _names(question, noun, answer[3:]):
        return _none_forms(answer, noun)
    found = numbers.split_number(answer)
    if found is None:
        return []
    number, counted = found
    if (counted and not _names(question, noun, counted)) or not (noun or counted):
        return []
    ways = _count_forms(answer, number, noun, counted)
    if cues.mentions(question, "ago"):
        # "How many hours ago?"
        nouns = (noun, cues.singular(noun))
        ways += [f"{way} ago" for way in ways if noun and way.endswith(nouns)]
    return ways


def _names(question: str, noun: str, counted: str) -> bool:
    """Whether what the answer counts is what the question asks for."""
    words = re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", counted)
    # "200 coins in five seconds" counts no seconds.
    if not words or " ".join(words) != counted or _PREPOSITION.search(counted):
        return False
    if noun and cues.singular(noun.split()[-1]) == cues.singular(words[-1]):
        return True
    known = {cues.singular(word.lower()) for word in re.findall(r"[^\W\d_]+", question)}
    return all(cues.singular(word.lower()) in known for word in words)


def _count_forms(answer: str, number: str, noun: str, counted: str) -> list[str]:
    plain = numbers.number_forms(number)
    one = "1" in plain
    nouns = [cues.singular(way) if one else way for way in _shorter(noun)]
    if counted and not nouns:
        nouns = [counted]
    # The given noun may say more than the question's: "72 available scanners".
    ways = [answer, *plain] if counted else [answer, *plain[:1]]
    ways += [f"{plain[0]} {way}" for way in [*([counted] if counted else []), *nouns]]
    ways += plain[1:]
    ways += [f"{way} {noun}" for way in plain[1:] for noun in [counted or nouns[0]]]
    return [*ways, *([f"no {noun}", "none"] if "0" in plain and noun else [])]


def _shorter(noun: str) -> list[str]:
    """Returns a counted noun, and its last word: "nearby schools" are schools."""
    return list(dict.fromkeys([noun, noun.rpartition(" ")[2]])) if noun else []


def _none_forms(answer: str, noun: str) -> list[str]:
    ways = [answer, "0", "none", "zero"]
    return [*ways, *([f"no {noun}", f"0 {noun}", f"zero {noun}"] if noun else [])]
