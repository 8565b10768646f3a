"""Topics and types of questions: the paper's printed examples, and questions of our own."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.question_kinds import QuestionType, Topic
from transforms.question_kinds import topic_of, type_of

PRINTED = [
    (Topic.UI_SELECTION, "Which option is selected?"),
    (Topic.UI_SELECTION, "What is the selected ringtone?"),
    (Topic.QUANTITY_NUMBER, "How many unread messages?"),
    (Topic.QUANTITY_NUMBER, "How many pictures are there in Western Europe?"),
    (Topic.APP_NAME, "What is the name of the application?"),
    (Topic.APP_NAME, "What is the app name?"),
    (Topic.DATE_TIME, "When was “Heal the Living” released?"),
    (Topic.DATE_TIME, "When is happy hour?"),
    (Topic.PRICE, "How much is the gift bonus in 3rd place?"),
    (Topic.PRICE, "What is the price?"),
    (Topic.ITEM_NAME, "What is the name of the drug?"),
    (Topic.ITEM_NAME, "What is the name of chef?"),
    (Topic.USER_NAME, "What is the name of the user?"),
    (Topic.USER_NAME, "What is the username on telegram?"),
    (Topic.DURATION, "What is the duration of video?"),
    (Topic.DURATION, "How long is the song?"),
    (Topic.OPTIONS, "Which social media options are given there?"),
    (Topic.OPTIONS, "What are the options available for logging in?"),
    (Topic.ADDRESS, "What is the current location?"),
    (Topic.ADDRESS, "What is the service zip code?"),
    (Topic.EMAIL, "What is an email address?"),
    (Topic.EMAIL, "What is customer service email?"),
    (Topic.PERSON_NAME, "Who sang the song?"),
    (Topic.PERSON_NAME, "What is the last name?"),
    (Topic.LOGIN, "Which application can be used to sign up / login?"),
    (Topic.LOGIN, "What are the alternative choices for signing up?"),
    (Topic.VERSION, "What is the version number?"),
    (Topic.VERSION, "What is the new feature in version v3.1.3?"),
    (Topic.WEATHER, "What is the range of temperature shown on Sunday?"),
    (Topic.WEATHER, "What is the weather forecast for Sunday?"),
    (Topic.SCORE, "What is height/weight of the person?"),
    (Topic.SCORE, "What is the score?"),
    (Topic.YES_NO, "Is there any travel plans?"),
    (Topic.YES_NO, "Is there any favorite?"),
    (Topic.PHONE, "What is the phone number?"),
    (Topic.PHONE, "What is the prefix for the international mobile number?"),
    (Topic.STARS, "What is the star rating?"),
    (Topic.STARS, "How many stars are given to the product?"),
    (Topic.SHARING, "Which application can be used to share?"),
    (Topic.SHARING, "Where can I share this application?"),
    (Topic.AGE, "How old is {}?"),
    (Topic.AGE, "What is the age?"),
    (Topic.PERCENTAGE, "What is the percentage of {} ?"),
    (Topic.PERCENTAGE, "What is the brightness percentage for foreground?"),
    (Topic.SETTINGS, "What is the setting of {} ?"),
    (Topic.SETTINGS, "Which settings are switched on?"),
    (Topic.QUANTITY_AMOUNT, "How much fat is there?"),
    (Topic.QUANTITY_AMOUNT, "What is the amount?"),
    (Topic.PERMISSION, "Which application is asking for permissions?"),
    (Topic.PERMISSION, "What permissions are required for MyCarTracks?"),
    (Topic.LIKES, "How many likes for {} ?"),
    (Topic.LIKES, "How many likes does {} get?"),
    (Topic.COUNTRY, "What is the name of the country?"),
    (Topic.COUNTRY, "Which country has the +54 code?"),
    (Topic.DISTANCE, "What is the visibility distance?"),
    (Topic.DISTANCE, "How far is it from {} ?"),
    (Topic.REVIEWS, "What is the number of comments on {} ?"),
    (Topic.REVIEWS, "How many comments?"),
    (Topic.WEBSITE, "What is the url?"),
    (Topic.WEBSITE, "What’s the website address?"),
    (Topic.GENDER, "What is the gender?"),
    (Topic.GENDER, "Which gender is displayed on the screen?"),
    (Topic.HOW_TO, "How to start on boot?"),
    (Topic.HOW_TO, "How to pronounce his name?"),
    (Topic.CURRENCY, "What is the currency?"),
    (Topic.CURRENCY, "What is the currency for the price?"),
    (Topic.UNIT, "What is the unit of temperature?"),
    (Topic.UNIT, "What is the unit of weight and length?"),
    (Topic.LANGUAGE, "Which language is used in the setting?"),
    (Topic.LANGUAGE, "Which language is being translated into which language?"),
    (Topic.COLOR, "What is the UI color?"),
    (Topic.COLOR, "What is the amount of green color?"),
    (Topic.OTHERS, "What’s the average speed?"),
    (Topic.OTHERS, "What is the spending limit?"),
    (Topic.OTHERS, "What is the user’s middle initial"),
    (Topic.OTHERS, "Which team has 41 points?"),
]
"""All examples of Tables 4 and 10, as printed; {} stands where the paper prints "…"."""

FILLINGS = ("Marta", "“Night Owl FM”", "the old harbour")
"""What may stand where the paper prints "…": a name, a quoted title, a thing."""

HELD_OUT = {
    Topic.UI_SELECTION: [
        "Which font size has been chosen?",
        "What is the status of “Dark mode”?",
        "On which tab are we right now?",
        "Is the vibration turned on or off?",
        "Which checkbox is ticked under “Allergies”?",
    ],
    Topic.QUANTITY_NUMBER: [
        "How many penguins live in the colony?",
        "What is the total number of chapters?",
        "In how many cities does the courier deliver?",
        "What's the count of unread letters?",
        "The bundle holds how many stickers?",
    ],
    Topic.APP_NAME: [
        "What's the application's name?",
        "Which app is being used here?",
        "Whats the name of this app?",
        "What is the title of the application?",
    ],
    Topic.DATE_TIME: [
        "At what time does the bakery open?",
        "On which day was the parcel sent?",
        "What is the expiry date of the voucher?",
        "The ferry leaves at what time?",
        "In which year was the museum founded?",
    ],
    Topic.PRICE: [
        "How much does the umbrella cost?",
        "What is the monthly subscription fee?",
        "What's the cost of the blue kettle?",
        "For how much can I buy “Moon Tiles”?",
    ],
    Topic.ITEM_NAME: [
        "What is the name of the castle?",
        "What's the title of the podcast?",
        "What's the lullaby's name?",
        "What is the restaurant's name?",
    ],
    Topic.USER_NAME: [
        "What's the user name of the account?",
        "What is the user’s name on the badge?",
        "With which username am I signed in?",
        "Which profile name is on the badge?",
    ],
    Topic.DURATION: [
        "How long does the ferry ride take?",
        "How much time is left in the quiz?",
        "What is the length of the trailer?",
        "For how long is the oven on?",
    ],
    Topic.OPTIONS: [
        "What are the available options for delivery?",
        "Which payment options are shown?",
        "What are the different ways to pay?",
        "What options can I choose from under “Sort”?",
    ],
    Topic.ADDRESS: [
        "Where is the clinic located?",
        "What is the street address of the shop?",
        "What's the postal code?",
        "In which city is the stadium?",
        "What is the destination of the tram?",
    ],
    Topic.EMAIL: [
        "Which email ID is registered?",
        "What's the support e-mail address?",
        "To what email was the receipt sent?",
        "What is the mail ID of the tutor?",
    ],
    Topic.PERSON_NAME: [
        "By whom was the bridge painted?",
        "Who's the conductor?",
        "What is the first name of the passenger?",
        "Whose photo is on the card?",
        "What's the full name of the gardener?",
    ],
    Topic.LOGIN: [
        "With which accounts can I log in?",
        "How can I sign in?",
        "Through which app may we register?",
        "Which service can be used for signup?",
    ],
    Topic.VERSION: [
        "Which version is installed?",
        "What's the latest version of the firmware?",
        "What is new in version 2.4?",
        "Which app version is running?",
    ],
    Topic.WEATHER: [
        "How is the weather in Oslo tomorrow?",
        "What's the humidity?",
        "What is the wind speed in the valley?",
        "What was the lowest temperature on Friday?",
    ],
    Topic.SCORE: [
        "What is the final score of the match?",
        "How tall is the goalkeeper?",
        "What's the value of the vitamin index?",
        "What is the weight of the suitcase?",
    ],
    Topic.YES_NO: [
        "Are there any new letters?",
        "Can we delete the photo?",
        "Does the bus stop at the lake?",
        "Do I have a library card?",
    ],
    Topic.PHONE: [
        "What's the contact number of the plumber?",
        "Which phone number should I call?",
        "What's the helpline number for lost pets?",
        "On which mobile number was the code sent?",
    ],
    Topic.STARS: [
        "How many stars does the hostel have?",
        "What is the rating of “Salt & Stone”?",
        "What's the average rating of the tutor?",
        "What star rating did the book get?",
    ],
    Topic.SHARING: [
        "Through which apps can I share the recipe?",
        "With which app is the puzzle shared?",
        "How can the poem be shared?",
        "With which application can we share it?",
    ],
    Topic.AGE: [
        "How old is the oak tree?",
        "What is the gardener's age?",
        "What's the minimum age for the ride?",
        "What age group is selected for no reason other than age?",
    ],
    Topic.PERCENTAGE: [
        "What percentage of the download is done?",
        "What is the battery percentage?",
        "How many percent of the pupils passed?",
        "What's the humidity sensor's percentage of error?",
    ],
    Topic.SETTINGS: [
        "What's the setting for “Auto-lock”?",
        "Which settings are disabled?",
        "Which settings are available in the menu?",
        "What is the sound setting?",
    ],
    Topic.QUANTITY_AMOUNT: [
        "How much flour is needed?",
        "What's the total amount of cement?",
        "How much storage is free?",
        "What's the amount of sugar in the jam?",
    ],
    Topic.PERMISSION: [
        "What permission does the camera app need?",
        "Which app wants permission to use the microphone?",
        "Which permissions are needed?",
        "What is the app asking permission for?",
    ],
    Topic.LIKES: [
        "How many likes did the cat picture get?",
        "What is the number of likes for the puddle photo?",
        "How many people liked the poem?",
        "What's the count of likes on the post?",
    ],
    Topic.COUNTRY: [
        "In which country is the vineyard?",
        "What country does the stamp come from?",
        "Which countries are listed?",
        "What's the country's name?",
    ],
    Topic.DISTANCE: [
        "What's the distance to the lighthouse?",
        "How far away is the petrol station?",
        "How many kilometers is the hut away?",
        "What is the total distance of the hike?",
    ],
    Topic.REVIEWS: [
        "How many reviews has the café?",
        "What is the total number of reviews?",
        "How many comments does the video have?",
        "What's the review count of the lamp?",
    ],
    Topic.WEBSITE: [
        "Which website can I visit?",
        "What's the URL of the shop?",
        "What is the web address of the school?",
        "On which site is the manual found?",
    ],
    Topic.GENDER: [
        "What's the gender of the dog?",
        "Which gender is mentioned?",
        "What is the sex of the patient?",
        "What gender was the winner?",
    ],
    Topic.HOW_TO: [
        "How to fold the map?",
        "How to reset the pedometer?",
        "How to win a medal",
        "how to get “Gold Coins”?",
    ],
    Topic.CURRENCY: [
        "Which currency is used?",
        "What's the currency of the budget?",
        "In which currency is the fare shown?",
        "What is the currency unit?",
    ],
    Topic.UNIT: [
        "What's the unit of distance?",
        "Which unit is the pressure measured in?",
        "In which units is the height given?",
        "What is the measuring unit for the flour?",
    ],
    Topic.LANGUAGE: [
        "What is the language of the subtitle?",
        "In which language is the menu written?",
        "What language does the guide speak?",
        "What's the default language?",
    ],
    Topic.COLOR: [
        "What color is the backpack?",
        "What is the colour of the frame?",
        "Which color does the banner have?",
        "What's the background color?",
    ],
    Topic.OTHERS: [
        "What is the knitting pattern like?",
        "Which animal is on the poster?",
        "What is the password of the den?",
        "What does “RSVP” mean?",
        "What's the breaking news?",
    ],
}
"""Questions of our own, on which the regexes were not tuned.

They were written before any regex, though after a look at real questions. Twelve short ones that
turned out to be real ones too were replaced by others at the end, all of which were found."""

MISSED = {
    "For how much can I buy “Moon Tiles”?": Topic.QUANTITY_AMOUNT,
    "What age group is selected for no reason other than age?": Topic.UI_SELECTION,
    "What's the default language?": Topic.UI_SELECTION,
}
"""Held-out questions that the regexes put elsewhere, and where: 3 of 154, left as they are, since
mending them would be tuning. The first regexes, before real questions were read by topic, missed
7; a contact number of somebody was mended after it was missed, as even rows showed the same."""

TYPES = [
    (QuestionType.WHAT, "Whats the tide today?"),
    (QuestionType.WHAT, "What’s the tide today?"),
    (QuestionType.WHAT, "Up to what depth may we dive?"),
    (QuestionType.WHAT, "The ferry leaves at what time?"),
    (QuestionType.WHICH, "For which setting is there a slider?"),
    (QuestionType.WHICH, "In which country is the vineyard?"),
    (QuestionType.WHICH, "The man who sings is from which town?"),
    (QuestionType.WHO, "By whom was the bridge painted?"),
    (QuestionType.WHO, "Whose hat is green?"),
    (QuestionType.WHO, "Who's there?"),
    (QuestionType.WHEN, "Since when is the shop open?"),
    (QuestionType.WHERE, "To where does the path lead?"),
    (QuestionType.WHY, "Why was the race stopped?"),
    (QuestionType.HOW_MANY, "In how many towns does it rain?"),
    (QuestionType.HOW_MANY, "HOW MANY GULLS ARE THERE"),
    (QuestionType.HOW_MUCH, "For how much is the boat sold?"),
    (QuestionType.HOW_EXTENT, "How long is the pier?"),
    (QuestionType.HOW_EXTENT, "How old is the mayor?"),
    (QuestionType.HOW_EXTENT, "How often does the bus go?"),
    (QuestionType.HOW, "How to tie a bowline?"),
    (QuestionType.HOW, "How can I pay?"),
    (QuestionType.YES_NO, "Is there a gull?"),
    (QuestionType.YES_NO, "Isn't the “What now?” page open?"),
    (QuestionType.YES_NO, "Can we ask who it was?"),
    (QuestionType.OTHER, "Name the harbours."),
    (QuestionType.OTHER, "“How many” and “which”"),
    (QuestionType.OTHER, "somewhat whichever"),
    (QuestionType.OTHER, ""),
]


def test_rows_and_shares_are_the_printed_ones():
    assert len(Topic) == 37
    assert list(Topic)[-1] is Topic.OTHERS
    assert str(Topic.UI_SELECTION) == "UI selection & config"
    assert {topic.table for topic in Topic} == {4, 10}
    table_4 = [topic for topic in Topic if topic.table == 4]
    assert len(table_4) == 13
    shares = {topic: round(10 * topic.paper_percent) for topic in Topic}
    assert sum(shares[topic] for topic in table_4) == 838
    assert sum(shares.values()) == 1002
    for table in (4, 10):
        named = [shares[t] for t in Topic if t.table == table and t is not Topic.OTHERS]
        assert named == sorted(named, reverse=True)


def test_each_row_has_two_printed_examples_or_four():
    for topic in Topic:
        of_topic = [question for printed, question in PRINTED if printed is topic]
        assert len(of_topic) == (4 if topic is Topic.OTHERS else 2)


@pytest.mark.parametrize("filling", FILLINGS)
@pytest.mark.parametrize(("topic", "question"), PRINTED)
def test_printed_examples_fall_into_their_rows(topic, question, filling):
    assert topic_of(question.replace("{}", filling)) is topic


@pytest.mark.parametrize(
    ("topic", "question"),
    [(topic, question) for topic, questions in HELD_OUT.items() for question in questions],
)
def test_questions_of_our_own_fall_into_their_rows(topic, question):
    assert topic_of(question) is MISSED.get(question, topic)


def test_each_row_has_questions_of_our_own_and_few_are_missed():
    assert set(HELD_OUT) == set(Topic)
    assert all(len(questions) >= 4 for questions in HELD_OUT.values())
    held_out = {question for questions in HELD_OUT.values() for question in questions}
    assert set(MISSED) <= held_out
    assert not held_out & {question for _, question in PRINTED}
    assert len(MISSED) / len(held_out) < 0.1


@pytest.mark.parametrize(("kind", "question"), TYPES)
def test_types(kind, question):
    assert type_of(question) is kind


def test_each_type_is_tested():
    assert {kind for kind, _ in TYPES} == set(QuestionType)


@pytest.mark.parametrize(("topic", "question"), PRINTED)
@pytest.mark.parametrize(
    "change",
    [
        str.upper,
        lambda question: f"  {question}\n",
        lambda question: question.replace("“", '"').replace("”", '"').replace("’", "'"),
        lambda question: question.rstrip("?"),
        lambda question: re.sub(r"(?i)\bwhat is\b", "whats", question),
        lambda question: re.sub(r"(?i)\bwhat is\b", "what‘s", question),
    ],
)
def test_case_blanks_and_apostrophes_change_nothing(topic, question, change):
    filled = question.replace("{}", "Marta")
    assert topic_of(change(filled)) is topic
    assert type_of(change(filled)) is type_of(filled)


@pytest.mark.parametrize("quoted", ["Which tab?", "email address", "how many likes", "app name"])
def test_what_is_quoted_says_nothing(quoted):
    assert topic_of(f"Who wrote “{quoted}”?") is Topic.PERSON_NAME
    assert topic_of(f'When was "{quoted}" sung?') is Topic.DATE_TIME
    assert topic_of(f"What is the status of '{quoted}'?") is Topic.UI_SELECTION
    assert type_of(f"“{quoted}” is sung by whom?") is QuestionType.WHO


@given(st.text())
def test_any_text_has_a_topic_and_a_type(text):
    assert topic_of(text) in Topic
    assert type_of(text) in QuestionType


@given(
    st.lists(
        st.sampled_from(
            ["how", "many", "much", "what", "is", "the", "of", "name", '"', "'", "’", "%", "$", " "]
        )
    ).map(" ".join)
)
def test_any_words_of_questions_have_a_topic_and_a_type(text):
    assert topic_of(text) in Topic
    assert type_of(text) in QuestionType


@pytest.mark.parametrize(
    "piece",
    [
        *('"', "'", "“", "' ", " '", " ", "\n", "\0", "?", "% ", "a", "a ", "İ", "ß", "\ud800"),
        *("what ", "which is ", "how many ", "the number of ", "total of a ", "are ", "is the "),
    ],
)
def test_long_hostile_questions_have_a_topic_and_a_type(piece):
    text = piece * (200_000 // len(piece))
    assert topic_of(text) in Topic
    assert type_of(text) in QuestionType
    assert topic_of(f"Who is {text}?") in Topic


def test_the_end_of_a_very_long_question_is_not_looked_at():
    assert topic_of("blue " * 1000 + "how many gulls are there?") is Topic.OTHERS
    assert type_of("blue " * 1000 + "how many gulls are there?") is QuestionType.OTHER
