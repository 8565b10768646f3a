"""Tests of uniting the records of one question."""

import dataclasses
import itertools

from hypothesis import given
from hypothesis import strategies as st

from schemas.geometry import Bounds, Size
from schemas.questions import NO_ANSWER, Answer, AskedScreen, Provenance, Question, UiElement
from schemas.rejects import Outcome, Reason, Reject, Tally
from transforms.merging import MergeQuestions, merge_asked, merge_questions

LARGE, SMALL, WIDE = Size(1080, 1920), Size(540, 960), Size(1920, 1080)


def answer(text, *bounds):
    return Answer(text, tuple(UiElement("5", Bounds(*b), -1) for b in bounds))


def full(*answers, position=0, text="How many?", frame=None, split=None, file="train.json"):
    return Question(
        screen_id="7",
        text=text,
        answers=answers,
        short_answers=(),
        frame=frame,
        official_split=split,
        kinds=("answers",),
        provenance=Provenance("screenqa", file, position),
    )


def short(*texts, position=0, text="How many?", split=None, file="short.json"):
    return Question(
        screen_id="7",
        text=text,
        answers=(),
        short_answers=texts,
        frame=None,
        official_split=split,
        kinds=("short_answers",),
        provenance=Provenance("screenqa", file, position),
    )


def merged(*records, **options):
    return [r for r in merge_questions(records, **options) if isinstance(r, Question)]


def test_a_question_alone_stays_as_it_is():
    assert list(merge_questions([full(answer("5."))])) == [full(answer("5."))]


def test_identical_records_are_one_question():
    one, other = short("a", "b", position=3), short("a", "b", position=9)
    assert list(merge_questions([other, one])) == [
        Tally("short_answers", Outcome.MERGED, 1),
        one,
    ]


def test_duplicates_keep_the_union_of_their_short_answers_in_order():
    first = short("b", "a", position=1)
    second = short("c", "a", NO_ANSWER, position=2)
    assert merged(second, first) == [short("b", "a", "c", NO_ANSWER, position=1)]


def test_duplicates_keep_the_union_of_their_answers_and_count_the_folded_ones():
    first = full(answer("5.", (0, 0, 9, 9)), answer("Five."), position=1)
    second = full(answer("Five."), answer("It is 5."), position=2)
    assert list(merge_questions([first, second])) == [
        Tally("answers", Outcome.MERGED, 1),
        Tally("answer", Outcome.MERGED, 1),
        full(answer("5.", (0, 0, 9, 9)), answer("Five."), answer("It is 5."), position=1),
    ]


def test_equal_answers_of_annotators_who_agree_all_stay():
    agreed = full(answer("5."), answer("5."), answer("Five."))
    assert list(merge_questions([agreed])) == [agreed]


def test_answers_lead_and_short_answers_of_the_question_join_them():
    first, second = full(answer("5."), position=8), short("5", position=0)
    united = dataclasses.replace(first, short_answers=("5",), kinds=("answers", "short_answers"))
    assert list(merge_questions([second, first])) == [united]


def test_blanks_do_not_tell_questions_apart_and_the_first_gives_the_wording():
    first = short("5", text="How  many?", position=0)
    second = short("five", text=" How many? ", position=1)
    assert merged(second, first) == [short("5", "five", text="How  many?", position=0)]


def test_case_and_signs_tell_questions_apart():
    questions = [
        short("5", text="How many?", position=0),
        short("5", text="how many?", position=1),
        short("5", text="How many", position=2),
    ]
    assert list(merge_questions(questions)) == questions


def test_answers_of_a_smaller_picture_are_scaled_before_they_are_compared():
    first = full(answer("5.", (20, 40, 60, 80)), frame=LARGE, position=0)
    second = full(
        answer("5.", (10, 20, 30, 40)), answer("6.", (1, 2, 3, 4)), frame=SMALL, position=1
    )
    assert merged(first, second) == [
        full(answer("5.", (20, 40, 60, 80)), answer("6.", (2, 4, 6, 8)), frame=LARGE, position=0)
    ]


def test_a_record_without_a_frame_takes_that_of_the_other():
    first, second = full(answer("5.")), full(answer("6.", (1, 2, 3, 4)), frame=LARGE, position=1)
    expected = full(answer("5."), answer("6.", (1, 2, 3, 4)), frame=LARGE)
    assert merged(first, second) == [expected]


def test_a_record_made_on_a_picture_of_another_shape_is_rejected():
    first = full(answer("5."), frame=LARGE)
    second = full(answer("6."), answer("7."), frame=WIDE, position=1)
    detail = f"made on {WIDE}, an earlier record on {LARGE}"
    origin = "screenqa/train.json:1"
    assert list(merge_questions([first, second])) == [
        Reject(
            "answers",
            "7: How many?",
            "merge_questions",
            Reason.IMAGE_SIZE_MISMATCH,
            detail,
            origin,
        ),
        Tally("answer", "with_question", 2),
        first,
    ]


def test_official_files_that_disagree_on_a_screen_keep_a_question_each():
    train, test = short("5", split="train"), short("6", split="test", file="test.json")
    assert merged(train, test) == [train, test]


def test_elsewhere_such_a_question_is_one_row():
    train, test = short("5", split="train"), short("6", split="test", file="test.json")
    assert merged(train, test, official=False) == [short("5", "6", split="train")]
    asked = AskedScreen("7", None, None, (train, test))
    split = [asked] | MergeQuestions(official=False)
    assert [len(screen.questions) for screen in split.kept] == [1]


def test_a_screen_keeps_its_distinct_questions_and_yields_the_fates_of_others():
    one, other, copy = (
        short("1", text="A?"),
        short("2", text="B?", position=1),
        short("1", text="A?", position=2),
    )
    asked = AskedScreen("7", None, None, (one, other, copy))
    assert list(merge_asked(asked)) == [
        Tally("short_answers", Outcome.MERGED, 1),
        AskedScreen("7", None, None, (one, other)),
    ]


def test_the_step_parts_kept_from_rejects():
    first = full(answer("5."), frame=LARGE)
    second = full(answer("6."), frame=WIDE, position=1)
    kept, rejects, tallies = [AskedScreen("7", None, None, (second, first))] | MergeQuestions()
    assert kept == [AskedScreen("7", None, None, (first,))]
    assert [reject.reason for reject in rejects] == [Reason.IMAGE_SIZE_MISMATCH]
    assert tallies == [Tally("answer", "with_question", 1)]


texts = st.sampled_from(["A?", "A ?", "A  ?", "B?"])
answers = st.builds(
    answer,
    st.sampled_from(["5.", "Five.", NO_ANSWER]),
    st.tuples(*[st.integers(0, 3).map(lambda v: 4 * v)] * 4),
)
frames = st.sampled_from([None, LARGE, SMALL, WIDE])
splits = st.sampled_from([None, "train", "test"])
full_records = st.builds(
    lambda given, text, frame, split: full(*given, text=text, frame=frame, split=split),
    st.lists(answers, min_size=1, max_size=3),
    texts,
    frames,
    splits,
)
short_records = st.builds(
    lambda given, text, split: short(*dict.fromkeys(given), text=text, split=split),
    st.lists(st.sampled_from(["5", "five", NO_ANSWER]), min_size=1, max_size=3),
    texts,
    splits,
)


@st.composite
def records_of_a_screen(draw):
    records = draw(st.lists(full_records | short_records, min_size=1, max_size=6))
    return [
        dataclasses.replace(record, provenance=dataclasses.replace(record.provenance, position=n))
        for n, record in enumerate(records)
    ]


@given(records_of_a_screen(), st.randoms(use_true_random=False))
def test_the_order_of_records_does_not_matter(records, random):
    shuffled = list(records)
    random.shuffle(shuffled)
    assert list(merge_questions(shuffled)) == list(merge_questions(records))


@given(records_of_a_screen())
def test_merging_again_changes_nothing(records):
    once = merged(*records)
    assert list(merge_questions(once)) == once


@given(records_of_a_screen())
def test_every_record_and_every_answer_has_one_fate(records):
    counts = {}
    for result in merge_questions(records):
        if isinstance(result, Question):
            fate = [(kind, 1) for kind in result.kinds] + [("answer", len(result.answers))]
        elif isinstance(result, Reject):
            fate = [(result.kind, 1)]
        else:
            fate = [(result.kind, result.count)]
        for kind, count in fate:
            counts[kind] = counts.get(kind, 0) + count
    read = {
        "answers": sum("answers" in record.kinds for record in records),
        "short_answers": sum("short_answers" in record.kinds for record in records),
        "answer": sum(len(record.answers) for record in records),
    }
    assert {kind: counts.get(kind, 0) for kind in read} == read


@given(records_of_a_screen())
def test_short_answers_of_a_question_are_the_set_union_of_its_records(records):
    unframed = [dataclasses.replace(record, frame=None) for record in records]
    for question in merged(*unframed):
        same = [
            record
            for record in unframed
            if record.text.split() == question.text.split()
            and record.official_split == question.official_split
        ]
        union = set(itertools.chain.from_iterable(record.short_answers for record in same))
        assert set(question.short_answers) == union
        assert len(question.short_answers) == len(union)
        assert set(question.answers) == set(
            itertools.chain.from_iterable(record.answers for record in same)
        )


@given(records_of_a_screen())
def test_no_two_rows_of_a_screen_ask_the_same(records):
    questions = merged(*records, official=False)
    assert len({" ".join(question.text.split()) for question in questions}) == len(questions)
