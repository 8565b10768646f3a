"""What questions ask for: topics (ScreenQA Tables 4 and 10) and types (Fig. 6)."""

import enum


class Topic(enum.StrEnum):
    """The 36 named rows of Tables 4 and 10 in their printed order, then Others.

    The paper found them "using regular expressions, providing a preliminary overview" (5.2) and
    printed none of these; ours are in `transforms/question_kinds.py`. The printed rows add up to
    100.2, and a row of 0.0 has questions in it: shares were rounded.
    """

    paper_percent: float
    """The printed share of all 86k questions."""
    table: int
    """The table of the paper that has the row: 4 or 10."""

    def __new__(cls, value: str, paper_percent: float = 0.0, table: int = 0) -> "Topic":
        """Makes a member that is its row's name as text and carries what is printed there."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.paper_percent = paper_percent
        member.table = table
        return member

    UI_SELECTION = "UI selection & config", 18.1, 4
    QUANTITY_NUMBER = "Quantity number", 11.7, 4
    APP_NAME = "App name", 10.4, 4
    DATE_TIME = "Date time", 9.4, 4
    PRICE = "Price", 3.4, 4
    ITEM_NAME = "Name of item", 3.3, 4
    USER_NAME = "User name", 2.8, 4
    DURATION = "Duration", 2.5, 4
    OPTIONS = "Enum. of avail. options", 2.5, 4
    ADDRESS = "Address and direction", 2.4, 4
    EMAIL = "Email address", 2.4, 4
    PERSON_NAME = "Person’s name", 2.1, 4
    LOGIN = "Signup/login", 1.6, 10
    VERSION = "Version information", 1.6, 10
    WEATHER = "Weather", 1.5, 10
    SCORE = "Score & value", 1.4, 10
    YES_NO = "Yes/No", 1.1, 10
    PHONE = "Phone number", 1.0, 10
    STARS = "# of Stars", 0.8, 10
    SHARING = "Share/sharing", 0.8, 10
    AGE = "Age", 0.8, 10
    PERCENTAGE = "Percentage", 0.7, 10
    SETTINGS = "Settings", 0.6, 10
    QUANTITY_AMOUNT = "Quantity amount", 0.6, 10
    PERMISSION = "Permission", 0.5, 10
    LIKES = "# of Likes", 0.5, 10
    COUNTRY = "Country", 0.5, 10
    DISTANCE = "Distance", 0.5, 10
    REVIEWS = "# of Reviews", 0.4, 10
    WEBSITE = "Website", 0.3, 10
    GENDER = "Gender", 0.3, 10
    HOW_TO = "How to", 0.3, 10
    CURRENCY = "Currency", 0.3, 10
    UNIT = "Unit of measurement", 0.2, 10
    LANGUAGE = "Language", 0.1, 10
    COLOR = "Color", 0.0, 10
    OTHERS = "Others", 12.8, 4
    """What no row's regex finds; Table 4 prints it, with examples."""


class QuestionType(enum.StrEnum):
    """How a question is put, "regardless of the subject" (Fig. 6, Appendix C).

    The figure is a histogram of "Wh- questions, Yes/No questions, etc."; the paper printed
    neither its numbers nor how types are told apart, so this closed list is ours.
    """

    WHAT = "what"
    WHICH = "which"
    WHO = "who"
    """Also whom and whose."""
    WHEN = "when"
    WHERE = "where"
    WHY = "why"
    HOW_MANY = "how many"
    HOW_MUCH = "how much"
    HOW_EXTENT = "how long, far, old"
    """How with another adjective or adverb of degree: how long, how far, how old, how often."""
    HOW = "how"
    """By what way, or in what state: how to, how can, how is."""
    YES_NO = "yes/no"
    """Begins with its verb: is, are, do, can, have."""
    OTHER = "other"
    """An imperative, a statement, a bare phrase, or nothing that can be read."""
