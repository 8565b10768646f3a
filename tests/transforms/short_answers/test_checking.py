"""Short answers held against what they were made of."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from schemas.questions import NO_ANSWER
from schemas.short_answers import AnswerInput, ShortAnswerPolicy, VariantReason
from transforms.short_answers.checking import LONGEST_VARIANT, check_variants

POLICY = ShortAnswerPolicy()

KENT = AnswerInput(
    "When was the match held at Kent State?",
    ("09/24",),
    "The match was held at Kent State on September 24.",
)
BIRTH = AnswerInput(
    "What is the birth date of the user?",
    ("1999", "January", "1"),
    "The birth date of the user is January 1, 1999.",
)
LINKS = AnswerInput(
    'What is the status of "Open links inside the app"?',
    ("off",),
    'The status of "Open links inside the app" is "off".',
)
METER = AnswerInput("What is the odometer reading?", ("0 m",), "The odometer reading is 0m.")
BEAM = AnswerInput(
    "What other applications can be used?",
    ("Android Beam", "Bluetooth"),
    'The other applications that can be used are "Android Beam" and "Bluetooth".',
)
THREE = AnswerInput(
    "What other applications can be used?",
    ("Facebook", "Android Beam"),
    'The applications that can be used are "Facebook", "Android Beam", and "Bluetooth".',
)
REVIEWS = AnswerInput("How many reviews are there?", ("3 reviews",), "There are 3 reviews.")
PRICE = AnswerInput(
    'What is the price of the "BMW 4 Series"?',
    ("$41,000",),
    'The price of the "BMW 4 Series" is $41,000.',
)
POSTED = AnswerInput(
    "What is the publication date and time?",
    ("Sun, Mar 19, 2017 - 4:48 AM",),
    "The publication date and time is Sunday, March 19, 2017 at 4:48 AM.",
)
NAME = AnswerInput("What is the name?", ("Jon", "Brown"), "The name is Jon Brown.")
COLD = AnswerInput("What is the temperature?", ("-5°",), "The temperature is -5°.")
DATE = AnswerInput("What is the date?", ("12/05/2016",), "The date is 12/05/2016.")
ISO = AnswerInput("What is the date?", ("2016-12-05",), "It is 2016-12-05.")
DEBT = AnswerInput("What is the balance?", ("-$20.00",), "The balance is -$20.00.")
LOSS = AnswerInput("What is the change?", ("-1.5%",), "The change is -1.5%.")
GAIN = AnswerInput("What is the balance?", ("+$92.49",), "The balance is +$92.49.")
SIZE = AnswerInput("What is the size?", ("500 KB",), "It is 500 KB.")
LARGE = AnswerInput("What is the size?", ("12.5 MB",), "12.5 MB")
SPEED = AnswerInput("What is the speed?", ("5 Mbps",), "It is 5 Mbps.")
SCORE = AnswerInput("What is the score?", ("3-2",), "The score is 3-2.")
SPAN = AnswerInput("What is the range?", ("10-20",), "It is 10-20.")
HOURS = AnswerInput("When is it open?", ("9 AM - 5 PM",), "It is open from 9 AM to 5 PM.")
PHONE = AnswerInput("What is the number?", ("(555) 123-4567",), "It is (555) 123-4567.")
CLOCK = AnswerInput("What is the time?", ("7:45",), "The time is 7:45.")
ADULT = AnswerInput("What is the minimum age?", ("18+",), "18+")
GENDER = AnswerInput("What is the gender?", ("Male",), "The gender is male.")
RATING = AnswerInput("What is the rating?", ("4.5",), "The rating is 4.5.")
PAIR = AnswerInput("Which pair is selected?", ("1,1",), "The pair 1,1 is selected.")
SHOP = AnswerInput("Is the store open?", ("Open",), "Yes, the store is open.")

(
    BLANK,
    DUPLICATE,
    TOO_LONG,
    ABSTENTION,
    NORMALIZES,
    MISSING,
    QUESTION,
    UNSUPPORTED,
    CONTRADICTORY,
) = (
    VariantReason.BLANK,
    VariantReason.DUPLICATE,
    VariantReason.TOO_LONG,
    VariantReason.ABSTENTION,
    VariantReason.NORMALIZES_TO_NOTHING,
    VariantReason.ELEMENT_MISSING,
    VariantReason.QUESTION_WORDS,
    VariantReason.UNSUPPORTED,
    VariantReason.CONTRADICTORY,
)


def check(variants, answer, policy=POLICY):
    kept, dropped = check_variants(variants, answer, policy)
    return list(kept), [(drop.text, drop.reason) for drop in dropped]


def answer(*elements, full="", question="What is it?"):
    return AnswerInput(question, elements, full)


@pytest.mark.parametrize(
    ("given_answer", "variants"),
    [
        # Table 9, all that it prints. Of the last question its annotators chose two sets of
        # elements; each variant belongs to one.
        (KENT, ["09/24", "September 24", "September 24th", "9/24"]),
        (
            BIRTH,
            ["1/1/1999", "January 1, 1999", "1 January 1999", "1 January, 1999",
             "January 1st, 1999"],
        ),
        (LINKS, ["off", "disabled"]),
        (METER, ["0 m", "0 meters"]),
        (
            BEAM,
            ["Android Beam, Bluetooth", "Android Beam and Bluetooth",
             '"Android Beam", "Bluetooth"', '"Android Beam" and "Bluetooth"'],
        ),
        (
            THREE,
            ["Facebook, Android Beam, Bluetooth", "Facebook and Android Beam and Bluetooth",
             "Facebook or Android Beam or Bluetooth"],
        ),
    ],
)  # fmt: skip
def test_printed_variants_are_kept(given_answer, variants):
    assert check(variants, given_answer) == (variants, [])
    # And where an annotator wrote nothing more than the elements.
    if given_answer is not THREE:
        bare = AnswerInput(given_answer.question, given_answer.elements, "")
        assert check(variants, bare) == (variants, [])


@pytest.mark.parametrize(
    ("elements", "question", "variants"),
    [
        ("3 reviews", "How many reviews are there?", ["3", "three", "three reviews"]),
        ("204", "How many?", ["two hundred and four", "two hundred four"]),
        ("198,410 views", "How many?", ["198410", "198 thousand and 410 views"]),
        ("1K", "How many?", ["1,000", "one thousand", "1 thousand"]),
        ("$41,000", "How much?", ["41 thousand dollars", "fourty one thousand dollars"]),
        ("$38.00", "How much?", ["38 dollars and 00 cents", "thirty-eight dollars", "$38"]),
        ("$0.99", "How much?", ["99 cents", "ninety-nine cents"]),
        ("1,818.70 USD", "How much?", ["1818.7 US dollars", "$1,818.70"]),
        ("4.5", "What is the rating?", ["4 1/2 stars", "4½", "four and a half", "4.5 stars"]),
        ("2012", "Which year?", ["twenty twelve", "the year 2012"]),
        ("24min", "How long?", ["24 minutes", "24 min", "24 minute"]),
        ("00:59:26", "How long?", ["59m 26s", "59 minutes and 26 seconds"]),
        ("00:30", "How long?", ["30 seconds", "half a minute"]),
        ("13h 0m", "How long?", ["13 hours", "13 hours and 0 minutes"]),
        ("1y 5m", "How old is the baby?", ["1 year and 5 months"]),
        ("in / of, to / for", "Which?", ['"in / of" and "to / for"']),
        ("an hour ago", "How many hours ago?", ["1 hour ago", "one"]),
        ("16:48", "When?", ["4:48 PM", "4:48 p.m."]),
        ("8 PM", "When?", ["8:00 PM", "20:00", "8 p.m.", "8 o'clock in the evening"]),
        ("9:31 PM CDT", "When?", ["9:31 PM Central Daylight Time"]),
        ("Sun, Mar 19, 2017", "When?", ["March 19, 2017", "Sunday, March 19th", "3/19/17"]),
        ("15.12.2016", "When?", ["15 December 2016", "December 15th, 2016", "15/12/16"]),
        ("20 gm", "How much?", ["20 grams", "twenty grams", "20"]),
        ("2 Mb/s", "How fast?", ["2 megabits per second"]),
        ("150 lbs", "What is the weight?", ["150 pounds"]),
        ("77°", "What is the temperature?", ["77 degrees"]),
        ("-5°", "What is the temperature?", ["minus five degrees", "negative 5"]),
        ("10.0% Off", "What is the discount?", ["10 percent off", "10%"]),
        ("883510013034344", "What is the number?", ["(883) 510-013034344"]),
        ("1-415-340-2255", "What is the number?", ["+1 (415) 340-2255"]),
        ("12/05/2016", "When?", ["12/5/16", "December 5, 2016", "5 December", "2016-12-05"]),
        ("2016-12-05", "When?", ["12/5/16", "December 5, 2016", "5 December", "05.12.2016"]),
        ("Jan 25, 2017 - Jan 26, 2017", "When?", ["January 25th to January 26th"]),
        ("-$20.00", "How much?", ["minus $20", "negative 20 dollars", "-20", "-$20", "$-20"]),
        ("-1.5%", "How much?", ["minus 1.5 percent", "-1.5"]),
        ("-50%", "What is the discount?", ["50%", "50 percent", "-50%"]),
        ("50% off", "What is the discount?", ["-50%"]),
        ("-$20.00", "How much is taken off?", ["$20", "20 dollars"]),
        ("+$92.49", "How much?", ["$92.49", "92.49 dollars", "+92.49"]),
        ("10-$20", "How much?", ["$10-$20", "10 to 20 dollars"]),
        ("500 KB", "How large?", ["500 kilobytes", "500 kb", "500KB"]),
        ("12.5MB", "How large?", ["12.5 megabytes", "12.5 mb", "12.5"]),
        ("5 Mbps", "How fast?", ["5 megabits per second", "5 Mb/s", "5 mbps"]),
        ("5 MB/s", "How fast?", ["5 megabytes per second", "5 MBps"]),
        ("16 KBPS", "How fast?", ["16 kilobytes per second", "16 kilobits per second"]),
        ("5 bps", "How fast?", ["5 bits per second"]),
        ("3-2", "What is the score?", ["3 to 2", "3:2", "three to two"]),
        ("5-12", "What is the date?", ["12/5", "12-5", "December 5"]),
        ("9 AM - 5 PM", "When?", ["9 AM to 5 PM", "from 9 a.m. to 5 p.m.", "09:00-17:00", "9-5"]),
        ("(555) 123-4567", "What is the number?", ["555-123-4567", "5551234567"]),
        ("7:45 PM", "When?", ["19:45", "7:45 p.m."]),
        ("7:45 in the evening", "When?", ["19:45"]),
        ("18+", "What is the minimum age?", ["18 and older", "18 or older", "18 or over"]),
        ("20ºC", "What is the temperature?", ["20°C", "20 degrees Celsius", "20 degrees"]),
        ("100:20", "How long?", ["100 minutes and 20 seconds"]),
        ("100 out of 100", "What is the rating?", ["100"]),
        ("0 minutes and 0 seconds", "How long?", ["0 seconds", "0"]),
        ("1-1", "What is the level?", ["1", "level 1"]),
        ("5.662746344927714", "How large?", ["5.662746"]),
        ("4/5", "What is the rating?", ["4", "4 out of 5", "4 stars"]),
        ("Champaign, IL", "Where?", ["Champaign, Illinois"]),
        ("No comments", "How many comments are there?", ["0", "zero", "none", "no comments"]),
        ("unselected", 'Is "X" selected?', ["not selected", "off", "disabled", "no"]),
        ("on", 'Is "X" enabled?', ["yes", "enabled", "turned on", "true"]),
        ("Wi-Fi", "What is on?", ["wifi"]),
        ("TeachMeAnatomy", "What is its name?", ["Teach Me Anatomy"]),
        ("NEWS", "Which tab is selected?", ['"NEWS" tab', "the NEWS tab"]),
        ("SCRIPTS (30)", "Which tab am I on?", ['"SCRIPTS (30)" tab', "SCRIPTS"]),
        ("¿Qué?", "What?", ["qué"]),
        ("日本語", "Which language?", ["日本語"]),
        ("→", "Which icon?", ["→"]),
    ],
)
def test_other_forms_are_kept(elements, question, variants):
    assert check(variants, answer(elements, question=question)) == (variants, [])


@pytest.mark.parametrize(
    ("elements", "variant"),
    [
        (("Oct.", "15", "2024"), "10/15/2024"),
        (("01", "15", "2024"), "January 15, 2024"),
        (("07", "45", "AM"), "7:45 a.m."),
        (("Jon", "Brown"), "Brown, Jon"),
        (("first name", "last name"), "first and last names"),
        (("1 hr", "20 min"), "one hour and twenty minutes"),
        (("5", "5"), "5"),
        (("", "Male"), "male"),
    ],
)
def test_elements_are_used_in_other_forms(elements, variant):
    assert check([variant], answer(*elements)) == ([variant], [])


@pytest.mark.parametrize(
    ("given_answer", "variant", "reason"),
    [
        (KENT, "September 25", UNSUPPORTED),
        (KENT, "April 24", UNSUPPORTED),
        (KENT, "9/25", UNSUPPORTED),
        (KENT, "24/10", UNSUPPORTED),
        (KENT, "September 24, 2016", UNSUPPORTED),
        (KENT, "Saturday, September 24", UNSUPPORTED),
        (KENT, "September", MISSING),
        (KENT, "24", MISSING),
        (KENT, "the match was held on September 24", QUESTION),
        (BIRTH, "January 1", MISSING),
        (BIRTH, "January 1999", MISSING),
        (BIRTH, "1999", MISSING),
        (BIRTH, "2 January 1999", UNSUPPORTED),
        (BIRTH, "February 1, 1999", UNSUPPORTED),
        (BIRTH, "1/1/1998", UNSUPPORTED),
        (BIRTH, "1/2/1999", UNSUPPORTED),
        (BIRTH, "Friday, January 1, 1999", UNSUPPORTED),
        (BIRTH, "The birth date is January 1, 1999", QUESTION),
        (LINKS, "on", UNSUPPORTED),
        (LINKS, "enabled", UNSUPPORTED),
        (LINKS, "not off", UNSUPPORTED),
        (LINKS, "not disabled", UNSUPPORTED),
        (LINKS, "inside the app", MISSING),
        (LINKS, "the status is off", QUESTION),
        (METER, "1 m", UNSUPPORTED),
        (METER, "0 kg", UNSUPPORTED),
        (METER, "0 km", UNSUPPORTED),
        (METER, "zero feet", UNSUPPORTED),
        (METER, "meters", MISSING),
        (BEAM, "Android Beam", MISSING),
        (BEAM, "Bluetooth", MISSING),
        (BEAM, "Android Beam, Bluetooth, Gmail", UNSUPPORTED),
        (BEAM, "Android Auto, Bluetooth", UNSUPPORTED),
        (BEAM, "two applications", UNSUPPORTED),
        (BEAM, "The other applications are Android Beam and Bluetooth", QUESTION),
        (THREE, "Facebook and Bluetooth", MISSING),
        (REVIEWS, "4 reviews", UNSUPPORTED),
        (REVIEWS, "thirty", UNSUPPORTED),
        (REVIEWS, "three thousand", UNSUPPORTED),
        (REVIEWS, "reviews", MISSING),
        (REVIEWS, "3 stars", UNSUPPORTED),
        (REVIEWS, "about 3", UNSUPPORTED),
        (REVIEWS, "more than 3", UNSUPPORTED),
        (REVIEWS, "3+", UNSUPPORTED),
        (REVIEWS, "no reviews", UNSUPPORTED),
        (REVIEWS, "there are 3 reviews", QUESTION),
        (PRICE, "$41", UNSUPPORTED),
        (PRICE, "€41,000", UNSUPPORTED),
        (PRICE, "41 million dollars", UNSUPPORTED),
        (PRICE, "forty thousand dollars", UNSUPPORTED),
        (PRICE, "BMW 4 Series", MISSING),
        (PRICE, "less than $41,000", UNSUPPORTED),
        (PRICE, "$41,000 per month", UNSUPPORTED),
        (POSTED, "4:48 PM on March 19, 2017", UNSUPPORTED),
        (POSTED, "16:48 on March 19, 2017", UNSUPPORTED),
        (POSTED, "4:49 AM on March 19, 2017", UNSUPPORTED),
        (POSTED, "Monday, March 19, 2017 - 4:48 AM", UNSUPPORTED),
        (POSTED, "May 19, 2017 4:48 AM", UNSUPPORTED),
        (POSTED, "4:48 AM", MISSING),
        (POSTED, "Sunday", MISSING),
        (NAME, "Jon", MISSING),
        (NAME, "on", UNSUPPORTED),
        (NAME, "John Brown", UNSUPPORTED),
        (NAME, "Mr. Jon Brown", UNSUPPORTED),
        (COLD, "5°", MISSING),
        (COLD, "five degrees", MISSING),
        (COLD, "-5 dollars", UNSUPPORTED),
        (DATE, "12", MISSING),
        (DATE, "5", MISSING),
        (DATE, "2016", MISSING),
        (DATE, "December", MISSING),
        (DATE, "2012", UNSUPPORTED),
        (DATE, "12/05/2015", UNSUPPORTED),
        (ISO, "12", MISSING),
        (ISO, "2016", MISSING),
        (ISO, "December 2016", MISSING),
        (DEBT, "$20", MISSING),
        (DEBT, "20 dollars", MISSING),
        (DEBT, "20", MISSING),
        (DEBT, "minus $21", UNSUPPORTED),
        (LOSS, "1.5%", MISSING),
        (LOSS, "up 1.5%", MISSING),
        (LOSS, "+1.5%", UNSUPPORTED),
        (GAIN, "-$92.49", UNSUPPORTED),
        (SIZE, "500 GB", UNSUPPORTED),
        (SIZE, "500 MB", UNSUPPORTED),
        (SIZE, "500 bits", UNSUPPORTED),
        (SIZE, "500 bytes", UNSUPPORTED),
        (LARGE, "12.5 GB", UNSUPPORTED),
        (LARGE, "12.5 Mb", UNSUPPORTED),
        (LARGE, "12.5 megabits", UNSUPPORTED),
        (SPEED, "5 Kbps", UNSUPPORTED),
        (SPEED, "5 MB/s", UNSUPPORTED),
        (SPEED, "5 MBps", UNSUPPORTED),
        (SPEED, "5 MB", UNSUPPORTED),
        (SPEED, "5 bytes", UNSUPPORTED),
        (SCORE, "2-3", UNSUPPORTED),
        (SCORE, "2 to 3", UNSUPPORTED),
        (SCORE, "2\u20133", UNSUPPORTED),
        (answer("3\u20132"), "2-3", UNSUPPORTED),
        (SCORE, "3", MISSING),
        (SPAN, "20-10", UNSUPPORTED),
        (HOURS, "5 PM - 9 AM", UNSUPPORTED),
        (HOURS, "9 PM - 5 AM", UNSUPPORTED),
        (HOURS, "9 AM", MISSING),
        (PHONE, "123-4567", MISSING),
        (PAIR, "1", MISSING),
        (CLOCK, "19:45", UNSUPPORTED),
        (ADULT, "18-", UNSUPPORTED),
        (GENDER, "female", UNSUPPORTED),
        (GENDER, "not male", UNSUPPORTED),
        (GENDER, "the gender is male", QUESTION),
        (GENDER, "I am a language model", UNSUPPORTED),
        (RATING, "45", UNSUPPORTED),
        (RATING, "4", UNSUPPORTED),
        (RATING, "4.5 out of 10", UNSUPPORTED),
        (PAIR, "11", UNSUPPORTED),
        (PAIR, "1.1", UNSUPPORTED),
        (SHOP, "closed", UNSUPPORTED),
        (SHOP, "not open", UNSUPPORTED),
        (SHOP, "no", UNSUPPORTED),
        (SHOP, "open 24 hours", UNSUPPORTED),
        (GENDER, "", BLANK),
        (GENDER, " \u00a0 ", BLANK),
        (GENDER, NO_ANSWER, ABSTENTION),
        (GENDER, "<NO  ANSWER>", ABSTENTION),
        (GENDER, "No answer.", ABSTENTION),
        (GENDER, "unanswerable", ABSTENTION),
        (GENDER, "male " * 71, TOO_LONG),
        (GENDER, "male" * 101, TOO_LONG),
        (GENDER, "the", NORMALIZES),
        (GENDER, "?!", NORMALIZES),
    ],
)
def test_wrong_variants_are_dropped(given_answer, variant, reason):
    kept, dropped = check([variant], given_answer)
    assert kept == []
    assert dropped == [(" ".join(variant.split()), reason)]


def test_duplicates_by_case_and_blanks_only():
    assert check(["1,1", "1, 1", "1,1 ", "11"], PAIR) == (
        ["1,1", "1, 1"],
        [("1,1", DUPLICATE), ("11", UNSUPPORTED)],
    )
    assert check(["Male", "MALE", "male"], GENDER)[1] == [("MALE", DUPLICATE), ("male", DUPLICATE)]
    # The released answers have both.
    assert check(["25 min", "25min"], answer("25 min")) == (["25 min", "25min"], [])


@pytest.mark.parametrize("text", ["+", "A", "$", "the"])
def test_what_normalizes_to_nothing_goes_even_if_an_element_says_it(text):
    assert check([text], answer(text, full=text)) == ([], [(text, NORMALIZES)])


def test_what_a_screen_calls_no_answer_may_be_the_answer():
    assert check(["No answer"], answer("No answer")) == (["No answer"], [])
    assert check([NO_ANSWER], answer(NO_ANSWER))[1] == [(NO_ANSWER, ABSTENTION)]


@pytest.mark.parametrize(
    ("variants", "given_answer", "kept"),
    [
        (["on", "off"], LINKS, ["off"]),
        (["enabled", "off", "disabled", "on"], LINKS, ["off", "disabled"]),
        (["yes", "no"], SHOP, ["yes"]),
        (["open", "closed"], SHOP, ["open"]),
        # An element says more than the full answer, the full answer more than nothing.
        (["on", "off"], answer("on", full="It is off."), ["on"]),
        (["on", "off"], answer("switch", full="It is on."), ["on"]),
        # None is nearer.
        (["4:48 AM", "4:48 PM"], answer("4:48", full="At 4:48."), []),
        (["on", "off"], answer(full="It is on or off."), []),
        # Elements say both.
        (["9 AM to 5 PM", "9 a.m. - 5 p.m."], answer("9 AM", "5 PM"), None),
        (["10% off", "10% discount on"], answer("10% off discount on"), None),
    ],
)
def test_opposites(variants, given_answer, kept):
    found, dropped = check(variants, given_answer)
    assert found == (variants if kept is None else kept)
    assert {reason for _, reason in dropped} <= {CONTRADICTORY}


def test_a_named_month_excludes_the_other_reading_of_a_date():
    both = answer("04/05/2017")
    assert check(["April 5, 2017", "May 4, 2017"], both)[0] == ["April 5, 2017", "May 4, 2017"]
    named = answer("04/05/2017", full="It was on April 5, 2017.")
    assert check(["April 5, 2017", "May 4, 2017"], named)[0] == ["April 5, 2017"]


def test_an_element_that_the_full_answer_does_not_use_is_not_asked_for():
    described = answer("facebook icon", "right arrow", full='Tap "Facebook".')
    assert check(["Facebook"], described) == (["Facebook"], [])


def test_order_is_kept():
    variants = ["", "three", "4", "3", "THREE", "3 reviews"]
    kept, dropped = check(variants, REVIEWS)
    assert kept == ["three", "3", "3 reviews"]
    assert [text for text, _ in dropped] == ["", "4", "THREE"]


def test_policy_bounds():
    assert check(["one two three"], answer("one two three"), ShortAnswerPolicy(max_words=2))[1]
    assert check(["abcd"], answer("abcd"), ShortAnswerPolicy(max_chars=3))[1]
    long = "a" * (LONGEST_VARIANT + 1)
    ((text, reason),) = check([long], answer(long), ShortAnswerPolicy(max_chars=10**6))[1]
    assert reason is TOO_LONG
    assert len(text) == LONGEST_VARIANT + 1


def test_hostile_inputs_come_to_an_end():
    words = tuple(f"word{number} thing" for number in range(1_000))
    variants = [f"zzz{number}" for number in range(200)] + ["\u0301\u0323" * 300_000]
    kept, dropped = check(variants, AnswerInput("q " * 9_000, words, "x " * 9_000))
    assert (kept, len(dropped)) == ([], 201)


WORDS = (
    "3 three 1,1 0 00:00 12:30 p.m. 9/24 1/0 -5 − ½ 4 1/2 minus not on off no half a an May k m "
    "point and hundred thousand $ 99 cents dollars January 17 "
    "9999999999999999 ² ① १२ é 日本"
)
words = st.sampled_from(WORDS.split())
phrases = st.lists(words, max_size=6).map(" ".join) | st.text(max_size=12)


@given(st.lists(phrases, max_size=5), phrases, st.lists(phrases, max_size=3), phrases)
def test_each_variant_has_one_fate_and_order_is_kept(variants, question, elements, full):
    given_answer = AnswerInput(question, tuple(elements), full)
    kept, dropped = check_variants(variants, given_answer, POLICY)
    assert len(kept) + len(dropped) == len(variants)
    places = [
        next(i for i, text in enumerate(variants) if " ".join(text.split()) and
             check_variants([text], given_answer, POLICY)[0] == (variant,))
        for variant in kept
    ]  # fmt: skip
    assert places == sorted(places)
    # What is kept is kept again, alone or together.
    assert check_variants(kept, given_answer, POLICY) == (kept, ())


@given(phrases, phrases)
@example("1.\r\x08", "")
def test_an_element_itself_is_dropped_for_its_form_only(element, question):
    _, dropped = check_variants([element], AnswerInput(question, (element,), ""), POLICY)
    assert {drop.reason for drop in dropped} <= {BLANK, ABSTENTION, TOO_LONG, NORMALIZES}
