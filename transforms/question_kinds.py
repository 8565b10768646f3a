"""What a question asks for and how it is put, by regular expressions (ScreenQA 5.2, Appendix C).

The paper printed rows, shares and two examples a row (Tables 4 and 10), and no regexes. These
were written from the names and the examples, and then from real validation questions of even
row numbers. The meaning of a question decided; the printed share did only where a row's name
leaves two readings open (a rating without stars, a language that is selected). What is in
quotes is a name on the screen and says nothing about the topic.
"""

import dataclasses
import re

from schemas.question_kinds import QuestionType, Topic

MAX_LOOKED_AT = 500
"""Most characters of a question that are looked at; the longest of 17,033 real ones has 191. It
also bounds the work on a hostile one, though no regex here repeats one loop inside another."""

_QUOTES = str.maketrans("“”„«»‘’`´", '"' * 5 + "'" * 4)
_QUOTED = re.compile(r'"[^"]*"|(?<!\w)\'[^\']*\'(?!\w)')
_BETWEEN_WORDS = re.compile(r"[^\w'%$\"]+")


@dataclasses.dataclass(frozen=True, slots=True)
class _Rule:
    """A topic and what a question of it has in it."""

    topic: Topic
    pattern: re.Pattern[str]


def _anywhere(topic: Topic, *patterns: str) -> _Rule:
    """Returns the rule that one of the patterns begins with one of the question's words.

    The blank before a word is part of the regex, so that only these few places are tried: a
    word boundary would be tried at every letter, at twice the cost.
    """
    return _Rule(topic, re.compile(f" (?:{'|'.join(patterns)})"))


def _at_start(topic: Topic, *patterns: str) -> _Rule:
    """Returns the rule that the question begins with one of the patterns."""
    return _Rule(topic, re.compile(f"^ (?:{'|'.join(patterns)})"))


_MANY = r"(?:how ma?ny|(?:number|count|total) (?:of|for)) (?:\w+ ){0,2}"
_ASK = r"(?:\w+ )?(?:what|which)(?:'?s| is| are| was| were)?\b"
_IS = r"(?:is |are )?"

_RULES: tuple[_Rule, ...] = (
    # "How to pronounce the app's name" asks for no name.
    _at_start(Topic.HOW_TO, r"how to\b"),
    # Counts. A count of likes is one before it is a number of anything, and a number of minutes
    # that something takes is a duration before it is a number.
    _anywhere(Topic.STARS, _MANY + r"stars?\b", r"star rating"),
    _anywhere(Topic.LIKES, _MANY + r"(?:likes?|liked|loves?|loved)\b", r"likes? count\b"),
    _anywhere(Topic.REVIEWS, _MANY + r"(?:review|comment)s?\b", r"(?:review|comment)s? count\b"),
    _anywhere(Topic.PERCENTAGE, r"how (?:ma?ny|much) (?:%|percent)"),
    _anywhere(
        Topic.DISTANCE,
        r"how far\b",
        r"how ma?ny (?:kms?|miles?|kilomet\w+|met(?:er|re)s?|feet|yards)\b(?! of)",
    ),
    _anywhere(Topic.DATE_TIME, r"ago\b"),
    _anywhere(
        Topic.DURATION,
        r"how long\b",
        r"how much (?:\w+ )?time\b",
        r"how ma?ny (?:\w+ )?(?:second|minute|hour|day|week|month|year)s?"
        r" (?:are left|are remain|left|long|do|does|did|will|is|it|until|remain|to go)",
    ),
    _anywhere(
        Topic.QUANTITY_NUMBER,
        r"how ma?ny\b",
        r"(?:what'?s|a|the|(?:the|what'?s) (?:total|maximum|minimum|current)) numbers? of\b",
        r"counts?\b",
        r"total number\b",
    ),
    # Moments by the form of the question, whatever happened then.
    _at_start(Topic.DATE_TIME, r"when(?:'?s)?\b"),
    _anywhere(
        Topic.DATE_TIME,
        r"when$",
        r"(?:at|on|in|by|from|until|till) (?:what|which) (?:time|date|day|month|year)s?\b",
        r"(?:what|which) (?:time|date|day|month|year)$",
    ),
    # What the interface is set to, before all subjects: the selected language is a selection,
    # as the selected ringtone is one. Only settings have a row of their own.
    _at_start(
        Topic.SETTINGS,
        _ASK + r" (?:\w+ ){0,3}(?:settings?(?: (?:of|for|are|in)\b|$)|settings? (?!is |are )\w)",
    ),
    _anywhere(
        Topic.UI_SELECTION,
        r"(?:un|pre|de|non )?select(?:ed|ion)\b",
        r"chosen\b",
        r"choice (?:is|was)\b",
        r"(?:un|non )?(?:check|tick)(?:ed\b| ?mark| ?box)",
        r"(?:en|dis)abled?\b",
        r"(?:turn|switch|toggl)ed\b",
        r"on or off\b",
        r"status\b",
        r"(?:current|present) (?:state|condition)\b",
        r"state of\b",
        r"tabs?\b",
        r"(?:highlighted|marked|sorted|applied|default|radio button)\b",
        r"filter",
    ),
    _at_start(
        Topic.YES_NO,
        r"(?:is|are|was|were|am|do|does|did|can|could|has|have|had|will|would|should)\b",
    ),
    # What an app may see of its user, before the email address that it may see.
    _anywhere(
        Topic.PERMISSION,
        r"permissions?\b",
        r"will (?:receive|access|view)\b",
        r"allowed to access\b",
    ),
    # Names of people and users, before the login that they are for.
    _at_start(Topic.PERSON_NAME, r"(?:\w+ )?who(?:'?s|se|m)?\b"),
    _anywhere(
        Topic.PERSON_NAME,
        r"whom?$",
        r"(?:first|last|full|sur|family) ?name\b",
        r"name of (?:the )?(?:person|man|woman|boy|girl)\b",
    ),
    _anywhere(
        Topic.USER_NAME,
        r"user ?(?:names?|id)\b",
        r"user'?s?'? (?:\w+ )?name",
        r"names? of (?:the |a )?user",
        r"(?:profile|login|account|display|nick|screen) ?names?\b",
        r"log ?in id\b",
    ),
    _anywhere(Topic.EMAIL, r"(?:e ?|g)?mail (?:address|id|account)"),
    _at_start(Topic.EMAIL, _ASK + r" (?:\w+ ){0,4}(?:e ?|g)mail\b(?! \w+ \w+ed\b)"),
    # Lists of what there is, before what it is for: "options available for logging in".
    _anywhere(Topic.OPTIONS, r"options\b", rf"option {_IS}(?:given|available|to|do|can)\b"),
    _anywhere(Topic.CURRENCY, r"currenc(?:y|ies)\b"),
    _anywhere(
        Topic.PRICE, r"(?:prices?|priced|costs?|fees?|fares?|charges?|rent|rental)\b", r"pay "
    ),
    _anywhere(
        Topic.LOGIN,
        r"(?:sign|log)(?:ing|ging|ged|ed)? ?(?:up|in|on)(?:to)?\b(?! bonus)",
        r"regist(?:er|ration)\b",
        r"create an? (?:new )?account",
    ),
    _anywhere(Topic.SHARING, r"shar(?:e|ed|ing)\b(?! price)"),
    # Rows that are called by their own word, wherever it stands.
    _anywhere(Topic.COLOR, r"colou?rs?\b(?! are available)"),
    _anywhere(Topic.UNIT, r"units?\b"),
    _anywhere(Topic.GENDER, r"genders?\b", r"sex\b"),
    _anywhere(Topic.AGE, r"how old\b", r"ages?\b"),
    _anywhere(
        Topic.WEBSITE, r"urls?\b", r"web ?(?:site|page|address|link)s?\b", r"links?\b", r"site\b"
    ),
    _anywhere(
        Topic.PHONE,
        r"(?:phone|mobile|contact|fax|helpline|hotline|toll ?free|care|service|support|call"
        r"|calling|emergency|telephone|whatsapp) (?:\w+ )?(?:numbers?|no)\b",
        r"(?:phone|mobile|telephone|dialing|calling) (?:code|prefix)\b",
        r"numbers? (?:\w+ ){0,2}(?:call|dial)",
        r"number of the contact\b",
        r"phone$",
    ),
    _anywhere(Topic.VERSION, r"(?<!paid )(?<!pro )versions?\b"),
    _anywhere(Topic.COUNTRY, r"countr(?:y|ies)\b"),
    _anywhere(Topic.LANGUAGE, r"languages?\b"),
    _anywhere(Topic.STARS, r"ratings?\b", r"rated\b"),
    # Kinds of measured things; a share of something is one before the thing is looked at.
    _anywhere(Topic.PERCENTAGE, r"percent", r"%"),
    _anywhere(
        Topic.DURATION,
        r"duration\b",
        r"length\b",
        r"time (?:left|remaining|limit|period|frame|taken)\b",
        r"(?:cooking|preparation|prep|waiting|travel|transit|transition|running) time\b",
    ),
    _anywhere(
        Topic.WEATHER,
        r"(?:weather|temperatures?|humidity|wind|precipitation|dew|uv|feels like)\b",
        r"rain",
        r"forecast",
    ),
    _anywhere(Topic.DISTANCE, r"distance\b"),
    # Names of apps after all that apps are used for, of things after all other names.
    _anywhere(
        Topic.APP_NAME,
        r"app(?:lication)?'?s? (?:name|title)",
        r"(?:name|title)s? of (?:the |this )?app",
        r"(?:which|what) (?:is the |is this )?app",
    ),
    _anywhere(Topic.OPTIONS, r"(?:different|various)\b"),
    _at_start(
        Topic.OPTIONS,
        r"(?:what|which) (?:\w+ )?are (?:\w+ ){0,4}available\b",
        r"(?:what are the (?:\w+ )?|what |which )(?:types|kinds|ways|mediums|methods|choices)\b",
    ),
    _anywhere(
        Topic.DATE_TIME,
        r"(?:dates?|times?|timings?|month|year|birthday|weekday|birth)\b",
        r"(?<!of the )(?<! a )(?<!per )day\b",
        r"(?:what|which) days\b",
        r"hours? of\b",
        r"(?:opening|business|working|happy) hours?\b",
    ),
    _anywhere(
        Topic.ADDRESS,
        r"where\b",
        r"locat(?:ion|ed)",
        r"(?<!ip )(?<!mac )address",
        r"cit(?:y|ies)\b",
        r"(?:zip|postal|pin) ?code\b",
        r"(?:directions?|destination|departure|street)\b",
        r"(?:which|mentioned|what|the) state(?:$| is\b)",
        r"(?:the|departure|arrival|mentioned) place$",
        r"place of\b",
    ),
    _anywhere(
        Topic.SCORE,
        r"(?:scores?|values?|heights?|weights?|bmi|levels?)\b",
        r"how tall\b",
        r"weigh\b",
    ),
    _at_start(Topic.SCORE, r"what (?:\w+ ){0,4}(?:points|result)\b"),
    # "How much fat is there" is an amount, "how much is the bonus" a price; both are printed.
    _anywhere(
        Topic.QUANTITY_AMOUNT,
        r"how much (?!is\b|are\b|was\b|do\b|does\b|will\b|\$)",
        r"amounts?\b",
        r"quantity\b",
    ),
    _anywhere(Topic.PRICE, r"how much\b"),
    _at_start(Topic.HOW_TO, r"how (?:can|do|does|should|could) (?:i|we|you|one|the user|it)\b"),
    _at_start(Topic.ITEM_NAME, _ASK + r".* (?:names?|titles?|head(?:line|ing|er)s?)\b"),
    _anywhere(Topic.ITEM_NAME, r"names? of\b", r"title of\b"),
)
"""Tried in this order; the first that is found has the question. Narrow rows stand before wide
ones, and what is done with a thing before the thing: most questions name several."""


def topic_of(question: str) -> Topic:
    """Returns the row of Tables 4 and 10 that a question belongs to."""
    text = _readable(question)
    for rule in _RULES:
        if rule.pattern.search(text):
            return rule.topic
    return Topic.OTHERS


_TYPES: tuple[tuple[QuestionType, str], ...] = (
    (QuestionType.HOW_MANY, r"how ma?ny"),
    (QuestionType.HOW_MUCH, r"how much"),
    (
        QuestionType.HOW_EXTENT,
        r"how (?:long|far|old|tall|often|big|large|high|deep|fast|heavy|soon|small|wide|close|hot"
        r"|cold|strong)",
    ),
    (QuestionType.HOW, r"how(?:'?s|'?d)?"),
    (QuestionType.WHAT, r"what(?:'?s|'?re|'?d|'?ll)?"),
    (QuestionType.WHICH, r"which"),
    (QuestionType.WHEN, r"when(?:'?s|'?d|'?ll)?"),
    (QuestionType.WHERE, r"where(?:'?s|'?d|'?ll)?"),
    (QuestionType.WHO, r"who(?:'?s|m|se|'?re|'?d|'?ll)?"),
    (QuestionType.WHY, r"why(?:'?s|'?d)?"),
)
"""The word that asks, how with its adjective before how alone."""

_ASKING = re.compile(" (?:" + "|".join(f"({pattern})" for _, pattern in _TYPES) + r")\b")
"""All of them, one group a type in the order of `_TYPES`."""

_BEFORE_ASKING = re.compile(
    r"^(?: (?:about|above|after|at|below|by|for|from|in|into|of|on|over|than|through|till|to|under"
    r"|until|up|upto|using|via|with|within|and|so)){0,2}(?= )"
)
"""What may stand before the word that asks: "up to which"."""

_VERB_FIRST = re.compile(
    r"^ (?:is|are|was|were|am|do|does|did|can|could|has|have|had|will|would|shall|should|may)"
    r"(?:n't)?\b"
)


def type_of(question: str) -> QuestionType:
    """Returns how a question is put, whatever it is about.

    The word that asks stands at the beginning, after a preposition or two, or else late: "The
    ferry leaves at what time?" Of several late ones the last asks, since others may only join
    clauses: "The man who sings is from which town?"
    """
    text = _readable(question)
    before = _BEFORE_ASKING.match(text)
    first = _ASKING.match(text, before.end()) if before else None
    if first is None and _VERB_FIRST.match(text):
        return QuestionType.YES_NO
    asking = [first] if first else list(_ASKING.finditer(text))
    if not asking:
        return QuestionType.OTHER
    return _TYPES[(asking[-1].lastindex or 1) - 1][0]


def _readable(question: str) -> str:
    """Returns its words in lower case, a blank before each; one quote stands for what is quoted."""
    text = question[:MAX_LOOKED_AT].lower().translate(_QUOTES)
    if '"' in text or "'" in text:
        text = _QUOTED.sub('"', text)
    return " " + _BETWEEN_WORDS.sub(" ", text).strip()
