"""Tests of forms kind by kind, each with what must not be changed."""

import pytest

from transforms.short_answers.rules import cues, dates, numbers, ordinals
from transforms.short_answers.rules.rewriting import forms_of

MANY = "How many reviews are there?"
DATE = "What is the date?"
TIME = "What is the time?"
SONG = "What is the duration of the song?"
PRICE = "What is the price?"


@pytest.mark.parametrize(
    ("answer", "question", "wanted"),
    [
        # Numbers and what they count
        ("3", MANY, ["three", "3 reviews", "three reviews"]),
        ("3 reviews", MANY, ["3", "three", "three reviews"]),
        ("three", MANY, ["3", "3 reviews"]),
        ("1", MANY, ["one", "1 review"]),
        ("0", MANY, ["zero", "0 reviews", "no reviews", "none"]),
        ("none", MANY, ["0", "zero", "no reviews"]),
        ("no reviews", MANY, ["0", "none"]),
        ("1234", MANY, ["1,234", "1,234 reviews"]),
        ("1,234 reviews", MANY, ["1234", "1,234"]),
        ("13K", MANY, ["13 thousand", "13,000", "13000", "13K reviews"]),
        ("1.5 million", MANY, ["1,500,000", "1500000", "1.5M"]),
        ("ten thousand reviews", MANY, ["10,000", "10000", "ten thousand"]),
        ("two hundred and thirty-four", MANY, ["234", "two hundred thirty-four", "234 reviews"]),
        ("72 available scanners", "How many available scanners are there?", ["72", "72 scanners"]),
        ("1", "How many calories are burned?", ["1 calorie"]),
        ("1", "How many people are there?", ["1 person"]),
        ("9", "What is the gate number?", ["nine"]),
        ("-2", "What is the score?", ["minus 2", "negative 2"]),
        ("0.00", "What is the distance?", ["0", "zero"]),
        # Dates
        ("9/24", "When was the match held?", ["September 24", "September 24th", "24 September"]),
        ("09/24", "When was the match held?", ["9/24", "September 24", "Sep 24"]),
        ("April 26, 1999", DATE, ["April 26th, 1999", "26 April 1999", "4/26/1999"]),
        ("06 Dec 2016", DATE, ["December 6, 2016", "Dec 6, 2016", "December 6th, 2016"]),
        ("Sun, 26 Feb 17", DATE, ["Sunday, February 26, 2017", "February 26, 2017"]),
        ("2000 Tue, Feb 1", DATE, ["Tuesday, February 1, 2000", "Tue, Feb 1, 2000"]),
        ("24.03.2017", DATE, ["March 24, 2017"]),
        ("2016-12-09", DATE, ["December 9, 2016", "9 December 2016"]),
        ("1/1/1999", DATE, ["January 1, 1999", "1 January, 1999"]),
        ("the 25th of May, 2016", DATE, ["May 25, 2016", "25 May 2016"]),
        ("Tuesday, 3/28", "When does it end?", ["Tuesday, March 28", "March 28th"]),
        ("12/12/91", "What is the date of birth?", ["December 12, 1991"]),
        ("Wed", "Which day is it?", ["Wednesday"]),
        ("on Friday", "Which day is it?", ["Friday"]),
        ("7th", "Which round is it?", ["seventh"]),
        ("the first round", "Which round is it?", ["first", "1st", "1st round"]),
        # Times of day
        ("3:00 PM", TIME, ["3 PM", "3:00 p.m.", "3 p.m.", "3:00 pm", "15:00"]),
        ("3pm", TIME, ["3 PM", "3:00 PM", "15:00"]),
        ("20:05", TIME, ["8:05 PM", "8:05 p.m."]),
        ("00:46", TIME, ["12:46 AM", "12:46 a.m."]),
        ("18:29 PM", TIME, ["6:29 PM"]),
        ("9:31 PM CDT", TIME, ["9:31 PM Central Daylight Time", "9:31 p.m. CDT"]),
        ("8:41 pm Eastern Daylight Time", TIME, ["8:41 PM EDT"]),
        ("April 6, 2017 8:19 PM", TIME, ["April 6, 2017 at 8:19 PM", "8:19 PM on April 6, 2017"]),
        ("2:57 AM, Mar 25, 2017", TIME, ["March 25, 2017 2:57 AM", "March 25, 2017, 2:57 AM"]),
        ("9:00 AM - 6:00 PM", TIME, ["9:00 AM to 6:00 PM", "from 9:00 a.m. to 6:00 p.m."]),
        ("9am-9pm", TIME, ["9 AM to 9 PM", "from 9:00 a.m. to 9:00 p.m."]),
        ("8:30 a.m. to 10:30 a.m. CST", TIME, ["8:30 AM to 10:30 AM Central Standard Time"]),
        # Lengths of time
        ("1y 5m", "What is the age of the baby?", ["1 year and 5 months"]),
        ("3:33", SONG, ["3 minutes and 33 seconds", "03:33", "3 minutes 33 seconds"]),
        ("1:17:46", SONG, ["1 hour, 17 minutes, and 46 seconds", "01:17:46"]),
        ("0:03", SONG, ["3 seconds", "00:03", "0 minutes and 3 seconds"]),
        ("0:33", "What is the duration?", ["33 seconds"]),
        ("42m 25s", SONG, ["42 minutes and 25 seconds", "42:25"]),
        ("13h 0m", "What is the duration of travel?", ["13 hours"]),
        ("25min", "How long is it?", ["25 minutes", "25 min"]),
        ("24 hours", "How many hours are given?", ["24", "twenty-four"]),
        ("19 minutes ago", "How many minutes ago was it?", ["19 minutes", "19"]),
        ("10 HOURS AGO", "When was it?", ["10 hours ago"]),
        ("8 years old", "How old is Duke?", ["8 years", "8"]),
        ("an hour ago", "When was it?", ["1 hour ago"]),
        # Quantities
        ("0 m", "What is the odometer reading?", ["0 meters"]),
        ("0 meters", "What is the odometer reading?", ["0 m"]),
        ("5 GB", "What is the size?", ["5 gigabytes", "5GB"]),
        ("12.00 KB", "What is the size?", ["12 KB", "12.00 kilobytes"]),
        ("141 lbs", "What is the weight in lbs?", ["141 pounds", "141"]),
        ("33.88°", "What is the angle?", ["33.88 degrees", "33.88"]),
        ("53°F", "What is the temperature?", ["53 degrees Fahrenheit"]),
        ("2 mph", "What is the speed?", ["2 miles per hour"]),
        ("50%", "What is the percentage?", ["50 percent", "50", "fifty percent"]),
        ("50", "What is the percentage?", ["50%", "50 percent"]),
        ("50 percent", "What is the precipitation?", ["50%"]),
        # Money
        ("$5", PRICE, ["5 dollars", "five dollars", "5"]),
        ("5 dollars", PRICE, ["$5"]),
        ("$19.99", PRICE, ["19.99 dollars", "nineteen dollars and ninety-nine cents", "19.99"]),
        ("nineteen dollars and ninety-nine cents", PRICE, ["$19.99"]),
        ("$60.00", PRICE, ["60 dollars", "sixty dollars", "$60"]),
        ("$1", PRICE, ["1 dollar", "one dollar"]),
        ("1250 dollars", PRICE, ["$1,250"]),
        ("fifty cents", PRICE, ["$0.50", "50 cents"]),
        ("Rs. 500", PRICE, ["₹500", "500 rupees"]),
        ("35.00 EUR", PRICE, ["€35.00", "35 euros"]),
        ("200 USD", PRICE, ["$200", "200 US dollars"]),
        # Ratings
        ("4.5 stars", "What is the rating?", ["4.5"]),
        ("4.5", "What is the star rating?", ["4.5 stars"]),
        (
            "4.1 out of 5 stars",
            "What is the rating?",
            ["4.1 out of 5", "4.1/5", "4.1 stars", "4.1"],
        ),
        ("5/10", "What is the rating?", ["5 out of 10", "5 out of ten"]),
        ("4.0 stars", "What is the rating?", ["4 stars", "four stars"]),
        # States, yes and no
        ("off", "What is the status of X?", ["disabled"]),
        ("Enabled", "What is the status of X?", ["on", "enabled"]),
        ("unchecked", 'What is the status of "X"?', ["not checked", "off"]),
        ("No", "Are there any records?", ["no", "none"]),
        ("no records", "Are there any records?", ["no", "none"]),
        # Lists
        ("A and B", "What are the options?", ["A, B", '"A", "B"', '"A" and "B"']),
        (
            "Play Store and Browser",
            "What can I use?",
            ["Play Store, Browser", "Play Store or Browser"],
        ),
        ('"A", "B" and "C"', "Which?", ["A, B, C", "A, B and C", "A, B, and C", '"A", "B", "C"']),
        ('"A, b", "C"', "Which?", ['"A, b" and "C"']),
        # Places, telephones, words of the question, marks
        ("San Francisco, CA 94103", "What is the location?", ["San Francisco, California 94103"]),
        ("Austin, TX", "What is the location?", ["Austin, Texas"]),
        ("Ottawa, IL", "In which US city is it?", ["Ottawa, Illinois"]),
        ("Champaign, Illinois", "What is the location?", ["Champaign, IL"]),
        ("(415) 579-1543", "What is the phone number?", ["415-579-1543", "4155791543"]),
        ("+1 415-579-1638", "What is the phone number?", ["1-415-579-1638", "(415) 579-1638"]),
        ('the "Home" tab', "Which tab is selected?", ["Home", '"Home"']),
        ("Home tab", "Which tab is selected?", ["Home"]),
        ("version 2.5", "What is the version?", ["2.5"]),
        ("94101 zip code", "What is the zip code?", ["94101"]),
        ("the year 2016", "In which year was it?", ["2016"]),
        ('"Amazon Jungle"', "What is playing?", ["Amazon Jungle"]),
        ("Jingle Bells", "Which song is playing?", ['"Jingle Bells"']),
    ],
)
def test_forms(answer, question, wanted):
    forms = forms_of(answer, question)
    assert forms[0] == answer
    assert not [form for form in wanted if form not in forms], forms


@pytest.mark.parametrize(
    ("answer", "question", "never"),
    [
        ("1,1", MANY, ["11", "1.1"]),  # The paper's Figure 1.
        ("4.5", "What is the rating?", ["45", "4.5 stars", "4.5 out of 5", "4", "5"]),
        ("-5°", "What is the temperature?", ["5°", "5 degrees", "5"]),
        ("12", TIME, ["12 PM", "12 AM", "12:00"]),
        ("8:05", TIME, ["8:05 AM", "8:05 PM", "20:05"]),
        ("8:00 AM", TIME, ["08:00", "8:00", "20:00"]),  # 08:00 may be the evening's.
        ("12:30 PM", TIME, ["12:30"]),
        ("9/24", "What is the score?", ["September 24"]),
        ("1/2", "On which page are we?", ["January 2"]),
        ("1/2 cup", DATE, ["January 2"]),
        ("4/6/2015", DATE, ["April 6, 2015", "June 4, 2015", "6/4/2015"]),
        ("April 6, 2015", DATE, ["4/6/2015", "6/4/2015", "April 6", "2015"]),
        ("Mar 5", DATE, ["5 March 2005", "March 5, 2017"]),
        ("May 6, 45", DATE, ["May 6, 2045", "May 6, 1945"]),
        ("31/31/2017", DATE, ["January 31, 2017"]),
        ("30 February", DATE, ["February 30"]),
        ("December 2016", DATE, ["December 20, 2016"]),
        ("Sunday, March 5", "What day is it?", ["March 5"]),
        ("May", "What is her name?", ["may"]),
        ("1:50", "What is the duration of travel?", ["1 minute and 50 seconds"]),
        ("7:30", "How long did I sleep?", ["7 minutes and 30 seconds"]),
        ("2017", "What is the year?", ["2,017"]),
        ("94103", "What is the zip code?", ["94,103"]),
        ("007", MANY, ["7", "seven"]),
        ("2m", "How many followers are there?", ["2 meters", "2 minutes"]),
        ("5 m", "What is the duration?", ["5 meters", "5 million"]),
        ("5K", "What is the distance?", ["5,000", "5 thousand"]),
        ("45 thousand kilometers", "How many kilometers are shown?", ["45", "45 kilometers"]),
        ("four point three stars", "How many stars are there?", ["four", "4", "four stars"]),
        ("4 1/2 stars", "How many stars are there?", ["4", "4 stars"]),
        ("8 yrs", "How many dogs are there?", ["8"]),
        ("15", "How many million presentations are there?", ["15 presentations"]),
        ("5 Mb/s", "What is the speed?", ["5 megabytes per second", "5 MB/s"]),
        ("5 MB/s", "What is the speed?", ["5 megabits per second", "5 Mb/s"]),
        ("16 KBPS", "What is the speed?", ["16 kilobits per second", "16 kbps"]),
        ("1001 MB", "What is the pressure?", ["1001 megabytes"]),
        ("$5", PRICE, ["5 USD", "5 US dollars"]),  # They may be Canadian.
        ("$1.5", PRICE, ["$15", "$1"]),
        ("-$5", PRICE, ["$5", "5 dollars"]),
        ("2 feet", "Which song is playing?", ['"2 feet"']),
        ("on", "What is the status of X?", ["checked", "selected", "yes", "off"]),
        ("Enabled", "What is the status of X?", ["disabled"]),
        ("no", "Is it open?", ["none", "0"]),
        ("Barnes and Noble", "What is the name of the store?", ["Barnes, Noble"]),
        ("Bacon, Ham and Eggs", "Which item costs 650 Ksh?", ['"Bacon", "Ham" and "Eggs"']),
        ("700 million and above", MANY, ["700 million, above"]),
        ("A, B", "What are the options?", ["A or B"]),  # Both are, so either is not enough.
        ("San Francisco, CA", "What are the places?", ["San Francisco, California"]),
        ("IN", "Which state is it?", ["Indiana"]),
        ("415-579-1543", "What is the phone number?", ["+1 415-579-1543"]),
        ("8835100130", "What is the account number?", ["883-510-0130"]),
        ("Home", "Which tab is selected?", ['"Home" tab', "Home tab", '"Home"']),
        ("Color Blindness Test", "What is the test name?", ["Color Blindness"]),
        ("iPhone 6", "Which iPhone is it?", ["6"]),
        ("my account", "Which account is selected?", ["my"]),
        ("1y 5m", "What is the age of the baby?", ["1 year and 5 minutes"]),
        ("749 thousand three followers", "How many followers are there?", ["749 thousand"]),
        ("200 coins in five seconds", "In how many seconds do we earn it?", ["200 seconds", "200"]),
        ("6:00 PM and 9:30 AM", "What are the times?", ["6:00 PM to 9:30 AM"]),
        ("3.5 inches or more", "What are the requirements?", ["3.5 inches, more"]),
        ("Clicking the save button", "What saves by a button?", ["Clicking the save"]),
        ("Second indicator", "Which setting is it?", ["2nd indicator"]),
        ("<no answer>", MANY, ["no answer", "none"]),
        ("C++", "What is the language?", ["C"]),
    ],
)
def test_what_would_be_another_answer_is_no_form(answer, question, never):
    forms = forms_of(answer, question)
    assert forms[0] == answer
    assert not [form for form in never if form in forms], forms


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        # What is selected or taken is not switched on.
        ("selected", "Which tab is selected?"),
        ("selected", "Is the seat selected?"),
        ("checked", "What is the status of the order?"),
        ("activated", "What is the status of the payment?"),
        ("on", "Which seats are taken?"),
        # A month and a year; a version; a part of something.
        ("05/27", "What is the expiration date?"),
        ("12/24", "What is the expiration date of the card?"),
        ("12/19", "What is the card's expiry date?"),
        ("2.3.14", "What is the release date of the version?"),
        ("4.4.12", "When was it released?"),
        ("2/3", "What is the score of the game at the end of the day?"),
        ("1/2", "What is the fraction on the date?"),
        # Hours and minutes, or nobody knows.
        ("7:30", "How many hours is the sleep duration recorded?"),
        ("8:30", "What is the recorded work duration?"),
        ("1:15", "How long did the trip record last?"),
        ("2:30", "How long is the show case?"),
        ("1:45", "What is the length of the movie?"),
        ("1:30", "How long did he play?"),
        # Money
        ("5 pounds", PRICE),
        # Abroad
        ("Toronto, CA", "What is the location?"),
        ("Bogota, CO", "What is the location?"),
        ("Berlin, DE", "What is the location?"),
        ("Mumbai, IN", "What is the location?"),
        ("Tel Aviv, IL", "What is the location?"),
        ("Jakarta, ID", "What is the location?"),
        ("Batumi, Georgia", "What is the location?"),
        ("Perth, WA", "What is the location?"),
        # Titles and names
        ("8 Mile", "What is the title of the movie?"),
        ("8 Mile", "What is the movie title?"),
        ("10,000 Hours", "What is the title of the song?"),
        ("7 Years", "What is the song playing?"),
        ("13 Hours", "Which movie is shown?"),
        ("Nineteen", "What is the name of the album?"),
        ("First", "What is the username?"),
        ("May 5", "What is the name of the user?"),
        ("3:10", "What is the movie name and start time?"),
        ("Second", "What is the name of the street?"),
        ("5th", "What is the street?"),
        ("1st", "What is the address?"),
        ("1,234", "What is the password?"),
        ("12,345", "What is the access code?"),
        ("10,1", "What is the version?"),
        # No lists
        ("Paris, France", "What are the cities?"),
        ("Paris, France, London, England", "What are the cities?"),
        ("Smith, John", "What are the names of the authors?"),
        ("Hello, world", "What are the options?"),
        ("between 1 and 5", "What are the values?"),
        # Words that the name needs
        ("No unit", "What is the setting of the unit?"),
        ("$1.50 per unit", "What is the price per unit?"),
    ],
)
def test_what_only_looks_like_a_kind_is_left_alone(answer, question):
    quoted = f'"{answer}"'
    assert [form for form in forms_of(answer, question) if form not in (answer, quoted)] in (
        [],
        [answer.lower()],
    )


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        ("Yes or No", "What options are available?"),
        ("Buy or Sell", "What are the terms?"),
        ("Salt, Pepper or Oil", "What ingredients can be used?"),
        ('"A" or "B"', "Which?"),
    ],
)
def test_or_never_becomes_and(answer, question):
    assert not [form for form in forms_of(answer, question) if " and " in form]


def test_how_long_a_movie_is_does_not_hinder_its_forms():
    assert "45 minutes and 12 seconds" in forms_of("45:12", "How long is the album?")
    assert "5 dollars" in forms_of("$5", "What is the price of the movie?")
    assert "3 songs" in forms_of("3", "How many songs are there?")


@pytest.mark.parametrize(
    ("plural", "single"),
    [
        ("buses", "bus"), ("knives", "knife"), ("wolves", "wolf"), ("heroes", "hero"),
        ("potatoes", "potato"), ("statuses", "status"), ("lenses", "lens"), ("houses", "house"),
        ("shoes", "shoe"), ("uses", "use"), ("causes", "cause"), ("gas stations", "gas station"),
        ("classes", "class"), ("boxes", "box"), ("feet", "foot"), ("movies", "movie"),
    ],
)  # fmt: skip
def test_singulars(plural, single):
    assert cues.singular(plural) == single


def test_hertz_have_no_plural():
    forms = forms_of("5 MHz", "What is the frequency?")
    assert "5 megahertz" in forms
    assert not [form for form in forms if form.endswith("hertzs")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("zero", 0),
        ("twenty-one", 21),
        ("one hundred five", 105),
        ("one hundred and five", 105),
        ("two thousand, three hundred", 2300),
        ("twenty seventeen", None),
        ("two three", None),
        ("and", None),
        ("hundred", None),
        ("", None),
        ("one hundred hundred", None),
    ],
)
def test_only_what_would_be_written_is_a_number_in_words(text, value):
    assert numbers.read_words(text) == value


@pytest.mark.parametrize("value", [0, 7, 13, 20, 99, 100, 101, 234, 1000, 2019, 10**6 + 1, 999_999])
def test_numbers_in_words_are_read_back(value):
    assert {numbers.read_words(way) for way in numbers.spell(value)} == {value}


def test_places_in_a_row():
    assert [ordinals.nth(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 22, 111, 112)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "111th", "112th",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "noun"),
    [
        ("How many reviews are there?", "reviews"),
        ("How many total views does it have?", "views"),
        ("What is the number of bonus points?", "bonus points"),
        ("How many people liked it?", "people"),
        ("How many are following him?", ""),
        ("How many million presentations are there?", ""),
        ("How many lessons and quizzes are there?", ""),
        ("What is the price?", ""),
        ('How many "Voip" are there?', ""),
    ],
)
def test_what_is_counted(question, noun):
    assert cues.counted_noun(question) == noun


@pytest.mark.parametrize(
    ("parts", "date"),
    [
        (["1999", "January", "1"], dates.Date(1, 1, "1999")),
        (["Oct.", "15", "2024"], dates.Date(10, 15, "2024")),
        (["Sun,", "26", "Feb"], dates.Date(2, 26, "", 6)),
        (["24", "04", "2017"], None),
        (["January", "1999"], None),
        (["May", "5", "6"], None),
        (["May", "5", "apples"], None),
    ],
)
def test_a_date_in_parts(parts, date):
    assert dates.join_parts(parts) == date
