"""Tests of the books of a build, and of the fates of all records through its steps."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.geometry import Bounds, Size
from schemas.manifest import RejectCeilings, SplitBy, SplitPolicy, Twins, UnknownApp
from schemas.questions import Answer, AskedScreen, Provenance, Question, UiElement
from schemas.rejects import Outcome, Reason, Reject, Tally
from schemas.screens import AppRow, ImageFacts, Screen, ScreenRef
from transforms.accounting import (
    exceeded_ceilings,
    fates_by_kind,
    repairs,
    row_problems,
    unbalanced,
)
from transforms.boxes import fit_boxes
from transforms.fates import asked_rejects, question_tallies
from transforms.joining import Wanted, join_screen
from transforms.merging import merge_asked
from transforms.splits import settle_twins


def test_the_books_list_every_fate_of_each_kind():
    tallies = {
        ("screen", "read"): 9,
        ("screen", "kept"): 5,
        ("screen", "orphaned"): 1,
        ("answer", "read"): 4,
        ("answer", "kept"): 1,
        ("answer", "merged"): 1,
        ("answer", "with_question"): 2,
        ("repairs", "boxes_clipped"): 3,
    }
    rejects = {
        ("screen", "image_blank"): 2,
        ("screen", "image_empty"): 1,
        ("ghost", "box_empty"): 1,
    }
    assert fates_by_kind(tallies, rejects) == {
        "answer": {
            "read": 4,
            "kept": 1,
            "merged": 1,
            "orphaned": 0,
            "with_question": 2,
            "rejected": 0,
        },
        "ghost": {"read": 0, "kept": 0, "merged": 0, "orphaned": 0, "rejected": 1},
        "screen": {"read": 9, "kept": 5, "merged": 0, "orphaned": 1, "rejected": 3},
    }


def test_records_that_are_lost_or_made_up_unbalance_the_books():
    tallies = {
        ("screen", "read"): 1000,
        ("screen", "kept"): 999,
        ("answers", "read"): 1,
        ("answers", "kept"): 1,
        ("app_row", "kept"): 2,
    }
    assert unbalanced(fates_by_kind(tallies, {("hierarchy", "hierarchy_empty"): 1})) == [
        "0 app_row records were read, 2 have a fate",
        "0 hierarchy records were read, 1 have a fate",
        "1,000 screen records were read, 999 have a fate",
    ]


def books_of(read, rejects):
    return fates_by_kind({("screen", "read"): read}, rejects)


def test_rejects_up_to_the_ceiling_are_allowed():
    rejects = {("screen", "image_blank"): 5}
    assert exceeded_ceilings(books_of(100, rejects), rejects, RejectCeilings(overall=0.05)) == []


def test_rejects_above_the_overall_ceiling_are_named():
    rejects = {("screen", "image_blank"): 4, ("screen", "image_empty"): 2}
    assert exceeded_ceilings(books_of(100, rejects), rejects, RejectCeilings(overall=0.05)) == [
        "6 of 100 screen records were rejected (6.0%; the manifest allows 5.0%)"
    ]


def test_a_reason_with_a_ceiling_of_its_own_does_not_count_against_the_overall_one():
    ceilings = RejectCeilings(overall=0.0, by_reason={Reason.SCREEN_MISSING: 0.5})
    rejects = {("screen", "screen_missing"): 50}
    assert exceeded_ceilings(books_of(100, rejects), rejects, ceilings) == []
    rejects = {("screen", "screen_missing"): 51, ("screen", "image_empty"): 1}
    assert exceeded_ceilings(books_of(100, rejects), rejects, ceilings) == [
        "51 of 100 screen records were rejected as screen_missing "
        "(51.0%; the manifest allows 50.0%)",
        "1 of 100 screen records was rejected (1.0%; the manifest allows 0.0%)",
    ]


def test_rejects_of_what_was_never_read_exceed_every_ceiling():
    rejects = {("ghost", "box_empty"): 1}
    books = fates_by_kind({}, rejects)
    assert exceeded_ceilings(books, rejects, RejectCeilings(overall=1.0)) == [
        "1 of 0 ghost records was rejected (100.0%; the manifest allows 100.0%)"
    ]


def test_repairs_are_listed_as_far_as_there_are_any():
    tallies = {
        ("repairs", "vh_indexes_demoted"): 2,
        ("repairs", "boxes_clipped"): 1,
        ("repairs", "foreign_files_ignored"): 0,
        ("screen", "read"): 9,
    }
    assert repairs(tallies) == {"boxes_clipped": 1, "vh_indexes_demoted": 2}


def test_as_many_rows_are_written_as_questions_were_kept():
    assert row_problems([1000, 234], 1234) == []
    assert row_problems([1000, 233], 1234) == ["1,234 questions were kept, 1,233 rows were written"]


# From here on: all steps of a build as pure functions on random sources. What they yield
# must balance, whatever the sources hold.

SIZES = (Size(1080, 1920), Size(540, 960), Size(1920, 1080))
SPLIT_NAMES = ("train", "validation", "test")

elements = st.builds(
    UiElement,
    st.just("5"),
    st.builds(Bounds, *[st.sampled_from([-90, 0, 0, 8, 400, 900, 1100])] * 4),
    st.integers(-1, 9),
)
answers = st.builds(
    Answer, st.sampled_from(["5.", "Five."]), st.lists(elements, max_size=2).map(tuple)
)


@st.composite
def questions(draw):
    kind = draw(st.sampled_from(["answers", "short_answers"]))
    split = draw(st.sampled_from(SPLIT_NAMES))
    return Question(
        screen_id=draw(st.sampled_from(["1", "2", "3", "4", "5"])),
        text=draw(st.sampled_from(["A?", "A ?", "B?"])),
        answers=tuple(draw(st.lists(answers, min_size=1, max_size=3))) * (kind == "answers"),
        short_answers=("5",) * (kind == "short_answers"),
        frame=draw(st.sampled_from([None, *SIZES])),
        official_split=split,
        kinds=(kind,),
        provenance=Provenance("screenqa", f"{kind}_{split}.json", draw(st.integers(0, 99))),
    )


screen_refs = st.builds(
    ScreenRef,
    st.sampled_from(["1", "2", "3", "4", "6"]),
    st.sampled_from(["rico", "traces"]),
    st.just("x.jpg"),
    st.none(),
    st.sampled_from([None, "com.t"]),
)
app_rows = st.builds(
    AppRow,
    st.sampled_from(["1", "2", "3", "7"]),
    st.sampled_from(["com.a", "com.b"]),
    st.integers(0, 99),
)
policies = st.builds(
    SplitPolicy,
    by=st.sampled_from(SplitBy),
    shares=st.just((0.4, 0.3, 0.3)),
    unknown_app=st.sampled_from(UnknownApp),
    twins=st.sampled_from(Twins),
)


def looked_at(asked, look):
    """Yields the screen as a check leaves it: rejected, or with facts of one of two pictures."""
    number, size, node_count = look
    if number == 0:
        yield from asked_rejects(asked, "check_image", Reason.IMAGE_BLANK, "all grey")
        return
    facts = ImageFacts(
        size=size,
        file_size=size,
        orientation=1,
        mime="image/jpeg",
        reencoded=False,
        size_bytes=9,
        sha256=str(number) * 64,
        layout_hash="",
    )
    yield dataclasses.replace(asked, screen=Screen(facts, "", node_count))


class Books:
    """Sums up what the steps yield."""

    def __init__(self):
        self.tallies = {}
        self.rejects = {}

    def enter(self, results):
        """Returns the results among what a step yielded, and books the rest."""
        kept = []
        for result in results:
            if isinstance(result, Tally):
                key = result.kind, str(result.outcome)
                self.tallies[key] = self.tallies.get(key, 0) + result.count
            elif isinstance(result, Reject):
                key = result.kind, str(result.reason)
                self.rejects[key] = self.rejects.get(key, 0) + 1
            else:
                kept.append(result)
        return kept

    def each(self, step, screens, *args):
        return [kept for screen in screens for kept in self.enter(step(screen, *args))]


def run_all_steps(asks, refs, rows, policy, looks, *, pictures):
    books = Books()
    read = [(ask.kinds[0], 1) for ask in asks] + [("answer", len(ask.answers)) for ask in asks]
    read += [("screen", 1)] * len(refs) * pictures + [("app_row", 1)] * len(rows)
    books.enter(Tally(kind, Outcome.READ, count) for kind, count in read)
    parts = {}
    for part in [*asks, *(refs if pictures else []), *rows]:
        parts.setdefault(part.screen_id, []).append(part)
    screens = books.each(join_screen, parts.items(), {}, Wanted(pictures))
    if pictures:
        screens = [
            kept
            for screen in screens
            for kept in books.enter(looked_at(screen, looks[int(screen.screen_id)]))
        ]
    screens = books.each(fit_boxes, screens)
    screens = books.each(merge_asked, screens, policy.by is SplitBy.OFFICIAL)
    twins = {}
    for screen in screens:
        key = screen.screen.image.sha256 if pictures else screen.screen_id
        twins.setdefault(key, []).append(screen)
    screens = books.each(settle_twins, twins.values(), policy)
    for screen in screens:
        books.enter(question_tallies(screen.questions))
    return books, screens


@pytest.mark.parametrize("pictures", [True, False])
@settings(max_examples=300, deadline=None)
@given(
    asks=st.lists(questions(), max_size=9),
    refs=st.lists(screen_refs, max_size=6),
    rows=st.lists(app_rows, max_size=5),
    policy=policies,
    looks=st.lists(
        st.tuples(st.integers(0, 2), st.sampled_from(SIZES), st.sampled_from([0, 5])),
        min_size=8,
        max_size=8,
    ),
)
def test_every_record_of_any_sources_has_exactly_one_fate(
    pictures, asks, refs, rows, policy, looks
):
    books, screens = run_all_steps(asks, refs, rows, policy, looks, pictures=pictures)
    assert unbalanced(fates_by_kind(books.tallies, books.rejects)) == []
    assert all(isinstance(s, AskedScreen) and s.split and s.questions for s in screens)
