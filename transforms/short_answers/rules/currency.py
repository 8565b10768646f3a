"""Amounts of money: "$19.99", "19.99 dollars", "nineteen dollars and ninety-nine cents"."""

import re

from transforms.short_answers.rules import cues, numbers

_NAMES = {
    "dollar": r"US\$|\$|USD|U\.?S\.? dollars?|dollars?",
    "euro": r"€|EUR|euros?",
    "pound": r"£|GBP",
    "rupee": r"₹|Rs\.?|INR|rupees?",
    "yen": r"¥|JPY|yen",
}
_SYMBOLS = {"dollar": "$", "euro": "€", "pound": "£", "rupee": "₹", "yen": "¥"}
_WITH_CENTS = {"dollar": "cent", "euro": "cent"}
_ANY = "|".join(_NAMES.values())
_AMOUNT = re.compile(
    rf"(?:(?P<before>{_ANY}) ?)?(?P<number>{numbers.DIGITS}|[a-z]+(?:[ -][a-z]+){{0,8}}?)"
    rf"(?:(?P<gap> ?)(?P<after>{_ANY}))?",
    re.I | re.A,
)
_CENTS = re.compile(
    r"(?:(?P<whole>.{1,60}) dollars? (?:and )?)?(?P<cents>.{1,20}) cents?", re.I | re.A
)
_PRICE = (
    r"price|cost|costs|fee|fare|rent|amount|how much|worth|value|total|balance|charge|rate|bill"
)


def read_amount(text: str) -> tuple[str, str] | None:
    """Returns an amount in digits and the name of its currency, or None.

    A minus sign makes it something else: forms of debts are left alone.
    """
    if len(text) > 90:
        return None
    cents = _CENTS.fullmatch(text)
    if cents:
        return _with_cents(cents["whole"] or "0", cents["cents"])
    found = _AMOUNT.fullmatch(text)
    # One currency, before or after: "$200 USD" says which dollars.
    if not found or bool(found["before"]) == bool(found["after"]):
        return None
    sign = found["before"] or found["after"]
    name = next(name for name, ways in _NAMES.items() if re.fullmatch(ways, sign, re.I | re.A))
    number = _whole(found["number"]) if found["number"][0].isalpha() else found["number"]
    return None if number is None else (number, name)


def _whole(text: str) -> str | None:
    if numbers.read_digits(text) is not None:
        return text
    value = numbers.read_words(text)
    return None if value is None else str(value)


def _with_cents(whole: str, cents: str) -> tuple[str, str] | None:
    dollars, part = _whole(whole), _whole(cents)
    if dollars is None or part is None or "." in dollars or not part.isdigit() or int(part) > 99:
        return None
    return f"{dollars}.{int(part):02d}", "dollar"


def forms(answer: str, question: str) -> list[str]:
    """Returns the forms of an answer that is an amount of money; [] for others.

    "$" becomes "dollars" and never "USD": it does not say whose. The sign is left out where
    the question asks for a price.
    """
    read = read_amount(answer)
    if read is None:
        return []
    number, name = read
    # What says whose dollars they are stays.
    if re.search(r"US", answer):
        return [answer, *_us_forms(number)]
    symbol = _SYMBOLS[name]
    # "1250 dollars" are written "$1,250" by all.
    digits = numbers.separated(number)
    number = next((way for way in digits if "," in way), number)
    ways = [answer, f"{symbol}{number}", f"{number} {_plural(name, number)}"]
    ways += _spelled(number, name)
    priced = cues.mentions(question, _PRICE)
    whole = numbers.without_zeros(number)[1:]
    ways += [f"{way} {_plural(name, way)}" for way in whole]
    ways += [f"{symbol}{way}" for way in whole]
    ways += [number] if priced else []
    if name in _WITH_CENTS and "." not in number:
        ways += [f"{symbol}{number}.00", f"{number}.00 {name}s"]
    ways += [f"{symbol}{digits[-1]}"] if "," not in digits[-1] else []
    if name == "rupee":
        ways.append(f"Rs. {number}")
    if name == "euro":
        ways += [f"{way} EUR" for way in numbers.without_zeros(number)]
    return ways


def _us_forms(number: str) -> list[str]:
    return [
        f"{number} USD",
        f"{number} US dollars",
        f"{number} U.S. dollars",
        f"{number} dollars",
        f"${number}",
    ]


def _plural(name: str, number: str) -> str:
    return name if number in ("1", "one") or name == "yen" else name + "s"


def _spelled(number: str, name: str) -> list[str]:
    """Returns an amount in words, where it has no more than cents."""
    value = numbers.read_digits(number)
    if value is None or value >= 10_000 or not re.fullmatch(r"[\d,]+(?:\.\d\d)?", number):
        return []
    whole, cents = divmod(int(value * 100), 100)
    words = numbers.spell(whole)[0]
    said = f"{words} {_plural(name, words)}"
    if not cents:
        return [said]
    if name not in _WITH_CENTS:
        return []
    part = f"{numbers.spell(cents)[0]} {'cent' if cents == 1 else 'cents'}"
    return [f"{said} and {part}"] if whole else [part, f"{cents} {part.rpartition(' ')[2]}"]
