"""Tests of the variants of whole annotations, and of hostile input."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.answer_values import same_value
from schemas.questions import NO_ANSWER
from transforms.short_answers.rules.rewriting import (
    MAX_ANSWER,
    MAX_FORMS,
    forms_of,
    rule_variants,
)

any_text = st.text(st.characters(), max_size=80)  # Lone surrogates included.
WORDS = """1 3 0 11 1,234 4.5 9/24 3:33 PM a.m. $ % and or , " ' ( ) the 5 GB m km stars out of
January Sun May 2017 two hundred thousand point K - – € on off no none tab Home version \u200f
\u0301 🙂 ½ ² ٣ ſecond \u212a İ"""
phrases = st.lists(st.sampled_from(WORDS.split()), max_size=12).map(" ".join)
answers = any_text | phrases
questions = any_text | st.sampled_from(
    [
        "How many reviews are there?",
        "What is the date and time?",
        "What is the duration of the song?",
        "What is the price?",
        "What is the star rating?",
        "What are the options that can be used?",
        "Which tab is selected?",
        "What is the phone number?",
        "What is the percentage?",
        "",
    ]
)

TABLE_9 = [
    (
        "When was the match held at Kent State?",
        [
            (["09/24"], "The match was held at Kent State on September 24."),
            (["09/24"], "The match was held on September 24."),
        ],
        {"09/24", "September 24", "September 24th", "9/24"},
    ),
    (
        "What is the birth date of the user?",
        [
            (["1999", "January", "1"], "The birth date of the user is January 1, 1999."),
            (["January", "1", "1999"], "The user’s birth date is January 1, 1999."),
            (["1", "January", "1999"], "The birth date is January 1, 1999."),
        ],
        {"1/1/1999", "January 1, 1999", "1 January 1999", "1 January, 1999", "January 1st, 1999"},
    ),
    (
        'What is the status of "Open links inside the app"?',
        [
            (["off"], 'The status of "Open links inside the app" is "off".'),
            (["off"], 'The status is "off".'),
        ],
        {"off", "disabled"},
    ),
    (
        "What is the odometer reading?",
        [
            (["0 m"], "The odometer reading is 0m."),
            (["0 m"], "The odometer reading is 0 m."),
        ],
        {"0 m", "0 meters"},
    ),
    (
        "What other applications can be used?",
        [
            (
                ["Android Beam", "Bluetooth"],
                'The other applications that can be used are "Android Beam" and "Bluetooth".',
            ),
            (
                ["Facebook", "Android Beam"],
                'The applications that can be used are "Facebook", "Android Beam", and '
                '"Bluetooth".',
            ),
        ],
        {
            "Android Beam, Bluetooth",
            "Android Beam and Bluetooth",
            '"Android Beam", "Bluetooth"',
            '"Android Beam" and "Bluetooth"',
            "Facebook, Android Beam, Bluetooth",
            "Facebook and Android Beam and Bluetooth",
            "Facebook or Android Beam or Bluetooth",
        },
    ),
]


@pytest.mark.parametrize(("question", "annotations", "printed"), TABLE_9)
def test_every_printed_variant_of_the_papers_table_9_is_given(question, annotations, printed):
    given = {
        variant
        for elements, full in annotations
        for variant in rule_variants(question, elements, full)
    }
    assert printed <= given


def test_or_needs_a_question_that_lets_choose():
    elements, full = ["A1", "B2", "C3"], 'They are "A1", "B2" and "C3".'
    assert "A1 or B2 or C3" in rule_variants("What can be used?", elements, full)
    assert not [v for v in rule_variants("What is there?", elements, full) if " or " in v]


@pytest.mark.parametrize(
    ("question", "elements", "full", "wanted"),
    [
        # The two examples of A.6.
        ("What is the gender?", ["Male"], "The gender is male.", ["Male", "male"]),
        ("What is the name?", ["Jon", "Brown"], "The name is Jon Brown.", ["Jon Brown"]),
        ("What is the name?", ["Brown", "Jon"], "The name is Jon Brown.", ["Jon Brown"]),
        ("What is the place?", ["Paris", "France"], "It is Paris, France.", ["Paris, France"]),
        (
            "What is the location?",
            ["Chicago", "IL"],
            "The location is Chicago, IL.",
            ["Chicago, IL", "Chicago, Illinois"],
        ),
        ("What is the time?", ["3:00", "PM"], "It is 3:00 PM.", ["3:00 PM", "3 PM"]),
        # The full answer says what the element alone does not.
        ("What is the date?", ["4/6/2015"], "It is June 4, 2015.", ["4/6/2015", "June 4, 2015"]),
        ("What is the rating?", ["4.5"], "It is 4.5 out of 5.", ["4.5", "4.5 out of 5"]),
        ("What is the price?", ["550"], "The price is 550 rupees.", ["550", "550 rupees"]),
        ("How long is the walk?", ["1:44"], "It takes 1 minute and 44 seconds.", ["1:44"]),
    ],
)
def test_variants_begin_with(question, elements, full, wanted):
    variants = rule_variants(question, elements, full)
    assert not [variant for variant in wanted if variant not in variants], variants


@pytest.mark.parametrize(
    ("question", "elements", "full", "variants"),
    [
        # Two ones are never eleven, and a list is never a number.
        ("Which values?", ["1", "1"], "", ["1, 1", "1 and 1", '"1", "1"', '"1" and "1"']),
        ("Which?", ["A", "B"], "Nothing of it.", ["A, B", "A and B", '"A", "B"', '"A" and "B"']),
        ("Who?", [], "It is Jon.", ["It is Jon."]),
        ("Who?", ["", " \n"], "", []),
        ("Who?", [], NO_ANSWER, [NO_ANSWER]),
        ("Who?", ["Jon\nBrown"], "", ["Jon Brown"]),
        # The full answer decides.
        ("What is the date?", ["12/19"], "It is December 2019.", ["12/19"]),
        ("What is the date?", ["5/6"], "It is not May 6 but June 5.", ["5/6"]),
        ("When was it released?", ["24.4.12"], "It came in version 24.4.12.", ["24.4.12"]),
        ("How many items are there?", ["2"], "There are 2 dozen items.", ["2"]),
        ("What is the price?", ["5"], "It is -5 dollars.", ["5"]),
        ("What is the song?", ["22"], "It is 22 minutes of fame.", ["22"]),
        # Parts of one value are that value.
        ("What is the range?", ["10", "20"], "It is 10-20.", ["10-20"]),
        (
            "What is the start and end date?",
            ["May", "5", "June", "6"],
            "It is from May 5 to June 6.",
            ["May 5 to June 6"],
        ),
        ("Which?", ["A", "B"], "It is A or B.", ["A or B", '"A" or "B"']),
        # Another day in the full answer tells nothing about this one.
        ("When?", ["4/6/2015"], "Not June 5, 2015.", ["4/6/2015", "04/06/2015", "4/6/15"]),
        ("What is it?", ["5"], "It is 15 dollars.", ["5", "five"]),
        ("What is it?", ["5"], "It is 5.5 dollars.", ["5", "five"]),
    ],
)
def test_variants_are(question, elements, full, variants):
    assert rule_variants(question, elements, full) == variants


def test_a_film_of_hours_is_none_of_minutes():
    question, full = "What is the length of the song?", "It is 1 hour and 45 minutes."
    variants = rule_variants(question, ["1:45"], full)
    assert variants[:2] == ["1:45", "1 hour and 45 minutes"]
    assert not [variant for variant in variants if "second" in variant]


@pytest.mark.parametrize(
    ("elements", "full", "first"),
    [
        (["$", "5"], "It is $5.", "$5"),
        (["5", "30", "PM"], "It is 5:30 PM.", "5:30 PM"),
        (["5", "Oct", "15"], "It is Oct 5, 2015.", "October 5, 2015"),
        (["1", "h", "30", "m"], "It is 1 h 30 m.", "1 h 30 m"),
    ],
)
def test_parts_of_a_value_are_no_list(elements, full, first):
    variants = rule_variants("What is it?", elements, full)
    assert variants[0] == first
    assert not [variant for variant in variants if "5 and 30" in variant or '", "' in variant]


def test_one_comma_lists_only_what_the_full_answer_does():
    question = "What are the options?"
    assert "A and B" in rule_variants(question, ["A, B"], "They are A and B.")
    assert rule_variants(question, ["A, B"], "They are A, B.") == ["A, B"]


def test_fifty_elements_have_their_plain_join():
    elements = [f"word{n} other" for n in range(50)]
    assert rule_variants("Which?", elements, "")[0] == ", ".join(elements)


def test_all_elements_are_in_each_variant_of_a_list():
    elements = ["Facebook", "Email", "Fake GPS - Search location", "Bluetooth"]
    for full in (
        "",
        'One can share by "Facebook", "Email", "Fake GPS - Search location" and "Bluetooth".',
        "By Bluetooth or Email or Facebook or Fake GPS - Search location.",
    ):
        for variant in rule_variants("How can one share?", elements, full):
            assert all(element in variant for element in elements), variant


@given(answers, questions)
def test_forms_are_bounded_distinct_and_begin_with_the_given_one(answer, question):
    forms = forms_of(answer, question)
    assert forms[0] == answer
    assert len(forms) == len(set(forms)) <= MAX_FORMS
    assert forms == forms_of(answer, question)
    assert all(form.strip() for form in forms[1:])


@given(questions, st.lists(answers, max_size=5), answers)
def test_variants_are_bounded_distinct_and_never_blank(question, elements, full):
    variants = rule_variants(question, elements, full)
    assert len(variants) == len(set(variants)) <= MAX_FORMS
    assert all(variant.strip() for variant in variants)
    assert bool(variants) == bool("".join([full, *elements]).strip())


valued = st.one_of(
    st.dates().map(lambda d: (f"{d:%B} {d.day}, {d.year:04d}", "What is the date?")),
    st.dates().map(lambda d: (f"{d.month}/{d.day}/{d.year:04d}", "What is the date?")),
    st.dates().map(lambda d: (f"{d:%a}, {d.day} {d:%b}", "What is the date?")),
    st.times().map(lambda t: (f"{t:%I:%M %p}", "What is the time?")),
    st.times().map(lambda t: (f"{t:%H:%M}", "What is the time?")),
    st.times().map(lambda t: (f"{t.hour}:{t.minute:02d}:{t.second:02d}", "How long is the song?")),
    st.integers(0, 10**7).map(lambda n: (f"{n:,}", "How many reviews are there?")),
    st.integers(0, 10**5).map(lambda n: (f"{n} reviews", "How many reviews are there?")),
    st.integers(0, 10**6).map(lambda n: (f"${n / 100:,.2f}", "What is the price?")),
    st.integers(0, 1000).map(lambda n: (f"{n / 10}%", "What is the percentage?")),
    st.integers(-99, 1000).map(lambda n: (f"{n / 10} km", "What is the distance?")),
    st.integers(0, 50).map(lambda n: (f"{n / 10} out of 5", "What is the rating?")),
    st.integers(0, 5000).map(lambda n: (f"{n // 60} min {n % 60} s", "How long is the song?")),
)


@given(valued)
def test_no_form_changes_the_value_and_forms_of_forms_do_not_either(asked):
    answer, question = asked
    forms = forms_of(answer, question)
    assert [form for form in forms if not same_value(form, answer, question)] == []
    again = {further for form in forms for further in forms_of(form, question)}
    assert [form for form in again if not same_value(form, answer, question)] == []


@given(valued)
@settings(max_examples=25)
def test_taking_forms_again_and_again_comes_to_an_end(asked):
    answer, question = asked
    found, new = {answer}, {answer}
    for _ in range(6):
        new = {further for form in new for further in forms_of(form, question)} - found
        found |= new
    assert not new
    assert len(found) <= 60


HOSTILE = [
    "1," * 5000,
    "1 " * 5000,
    "a and " * 2000,
    '"a" and ' * 1500,
    '"' * 10_000,
    "(" * 10_000,
    ", " * 5000,
    "one hundred " * 900,
    "9/24 " * 2000,
    "1:1" * 3000,
    "from 1 to " * 1000,
    "the " * 2500,
    "$" * 10_000,
    "no " * 3000,
    "a" * 10_000,
    "How many " * 1200,
    "e\u0301" * 5000,
    "\u200f\u202e" * 5000,
    "🙂" * 10_000,
    "\ud800" * 10_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:8]))
@pytest.mark.parametrize("size", [79, MAX_ANSWER, 10_000])
def test_hostile_texts_come_to_an_end(text, size):
    for question in ("How many reviews can be used?", text[:size]):
        assert forms_of(text[:size], question)[0] == text[:size]
        assert rule_variants(question, [text[:size]], text[:size])
        assert rule_variants(question, [text[: size // 40]] * 40, text[:size])


def test_a_megabyte_is_given_back():
    text = "1, " * 350_000
    assert forms_of(text, text) == [text]
    assert len(rule_variants(text, [text, "b"], text)) == 1


@pytest.mark.parametrize(
    "answer", ["\u200e9/24", "\u202e5 GB", "Cafe\u0301", "🙂 on", "٣:٣٣", "½", "ſecond", "5 K"]
)
def test_strange_letters_are_left_alone(answer):
    assert forms_of(answer, "When was the match held?") == [answer]
