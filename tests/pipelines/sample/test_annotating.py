"""The drawn sample: its annotating."""

import collections
import dataclasses
import datetime
import json
import re

import pytest

from pipelines.sample import roles
from pipelines.sample.annotating import CUTOFF
from pipelines.sample.campaign import TRAINEE
from pipelines.sample.events import pseudonym
from schemas.annotations import PAYLOAD_COLUMNS, AnnotationEvent, AnnotationPass

QUESTIONS = ("question_1", "question_2", "question_3_na")


@pytest.fixture(scope="module")
def submitted(events):
    return [event for event in events if event["status"] == "submitted"]


@pytest.fixture(scope="module")
def answers(submitted):
    return [event for event in submitted if event["pass"] == "answer"]


@pytest.fixture(scope="module")
def composers(submitted):
    return {e["question_id"]: e for e in submitted if e["pass"] in QUESTIONS and e["question_id"]}


def time_of(event):
    return datetime.datetime.fromisoformat(event["submitted_at"])


def test_events_have_the_fields_of_version_1_0(events):
    fields = {field.name.rstrip("_") for field in dataclasses.fields(AnnotationEvent)}
    for event in events:
        assert set(event) == fields
        assert event["schema_version"] == "1.0"
        assert re.fullmatch(r"a_[0-9a-f]{12}", event["annotator_id"])
        assert re.fullmatch(r"ls:demo:[0-9a-f-]{36}(:q\d)?", event["event_id"])
        assert re.fullmatch(r"[1-9]\d*", event["screen_id"])


def test_only_submitted_events_have_a_payload_and_only_that_of_their_pass(events):
    names = set(PAYLOAD_COLUMNS.values())
    for event in events:
        present = {name for name in names if event[name] is not None}
        expected = {PAYLOAD_COLUMNS[AnnotationPass(event["pass"])]}
        assert present == (expected if event["status"] == "submitted" else set())


def test_all_passes_of_the_campaign_occur(events):
    assert {event["pass"] for event in events} == {
        "prefilter", *QUESTIONS, "answer", "screen_review", "training",
    }  # fmt: skip


def test_prefilter_flags_are_not_exclusive(submitted):
    seen = collections.Counter(
        (event["prefilter"]["language"], event["prefilter"]["vh_sync"] == "out_of_sync")
        for event in submitted
        if event["pass"] == "prefilter"
    )
    assert seen["non_english", True] >= 1
    assert seen["non_english", False] >= 1
    assert seen["english", True] >= 2


def test_quotas_of_questions_hold(submitted):
    counts = collections.Counter(
        (event["screen_id"], event["pass"]) for event in submitted if event["pass"] in QUESTIONS
    )
    most = {"question_1": 5, "question_2": 3, "question_3_na": 1}
    for name, limit in most.items():
        assert max(count for (_, of), count in counts.items() if of == name) == limit


def test_the_second_pass_is_later_and_by_someone_else(composers):
    by_screen = collections.defaultdict(list)
    for event in composers.values():
        by_screen[event["screen_id"]].append(event)
    for together in by_screen.values():
        first = [event for event in together if event["pass"] == "question_1"]
        second = [event for event in together if event["pass"] == "question_2"]
        assert not {e["annotator_id"] for e in first} & {e["annotator_id"] for e in second}
        assert all(time_of(a) < time_of(b) for a in first for b in second)


def test_some_screens_lack_content(submitted, cast):
    skipped = {
        event["screen_id"]
        for event in submitted
        if event["pass"] in QUESTIONS and event["question"]["skipped_screen"]
    }
    assert skipped == {str(cast[key].drawn.id) for key in roles.LACK_OF_CONTENT}


def test_nobody_answers_their_own_question_and_all_answers_come_later(answers, composers):
    for event in answers:
        question = composers[event["question_id"]]
        assert event["annotator_id"] != question["annotator_id"]
        assert time_of(event) > time_of(question)


def test_evaluation_questions_have_three_answers_and_some_of_train_too(answers, cast):
    splits = {str(screen.drawn.id): screen.split for screen in cast.values()}
    people = collections.defaultdict(set)
    for event in answers:
        if event["screen_id"] in splits:
            people[splits[event["screen_id"]], event["question_id"]].add(event["annotator_id"])
    counts = collections.defaultdict(collections.Counter)
    for (split, _), who in people.items():
        counts[split][len(who)] += 1
    assert min(counts["validation"] + counts["test"]) == 3
    assert counts["train"][1] > counts["train"][3] >= 5


def test_ranks_run_from_one_and_leaves_are_marked_once(answers):
    for event in answers:
        elements = event["answer"]["elements"]
        assert [element["rank"] for element in elements] == list(range(1, len(elements) + 1))
        indices = [e["vh_index"] for e in elements if e["vh_index"] >= 0]
        assert len(indices) == len(set(indices))
        for element in elements:
            left, top, right, bottom = element["bounds"]
            assert 0 <= left < right <= event["image_width"]
            assert 0 <= top < bottom <= event["image_height"]
            assert (element["origin"] == "vh") == (element["vh_index"] >= 0)


def test_an_answer_is_full_exactly_if_answerable(answers):
    for event in answers:
        answer = event["answer"]
        assert (answer["state"] == "answerable") == bool(answer["full_answer"])
        assert (answer["state"] == "answerable") == bool(answer["elements"])


def test_corrections_and_invalid_marks_occur(answers):
    assert sum(event["answer"]["question_correction"] is not None for event in answers) >= 10
    assert sum(event["answer"]["state"] == "invalid_question" for event in answers) >= 4


def test_agreement_is_full_partial_and_none(asked):
    triples = [one for one in asked if len(one.verdict.judgements) == 3]
    kept = collections.Counter(sum(j.kept for j in one.verdict.judgements) for one in triples)
    assert kept[3] > 20
    assert kept[2] >= 2
    assert kept[0] >= 2


def test_one_event_was_exported_twice_and_one_has_an_older_revision(events):
    by_id = collections.defaultdict(list)
    for event in events:
        by_id[event["event_id"]].append(json.dumps(event))
    repeated = [texts for texts in by_id.values() if len(texts) > 1]
    assert sorted(len(set(texts)) for texts in repeated) == [1, 2]
    revisions = next(texts for texts in repeated if len(set(texts)) == 2)
    old, new = sorted(map(json.loads, revisions), key=lambda event: event["updated_at"])
    assert old["answer"]["full_answer"] == "I cannot tell yet."
    assert new["submitted_at"] == old["submitted_at"]


def test_one_annotator_answered_a_question_twice(answers):
    ids = collections.defaultdict(set)
    for event in answers:
        ids[event["question_id"], event["annotator_id"]].add(event["event_id"])
    assert sum(len(both) == 2 for both in ids.values()) == 1


def test_one_event_is_late_one_cancelled_and_one_a_draft(events):
    assert sum(time_of(event) > CUTOFF for event in events) == 1
    statuses = collections.Counter(event["status"] for event in events)
    assert (statuses["cancelled"], statuses["draft"]) == (1, 1)


def test_everyone_is_trained_and_only_the_trainee_fails(submitted):
    results = collections.defaultdict(list)
    for event in sorted(submitted, key=time_of):
        if event["pass"] == "training":
            training = event["training"]
            results[event["annotator_id"], training["of_pass"]].append(training["correct"])
    trainee = (pseudonym(TRAINEE, "screenset"), "answer")
    for who, right in results.items():
        assert (sum(right) / len(right) >= 0.9) == (who != trainee)
    workers = {(e["annotator_id"], e["pass"]) for e in submitted if e["pass"] != "training"}
    assert workers <= set(results)
    right = results[trainee]
    assert all(sum(right[:n]) / n < 0.9 for n in range(1, len(right) + 1))


def test_reviews_find_one_screen_with_personal_data(submitted):
    reviews = [e["screen_review"] for e in submitted if e["pass"] == "screen_review"]
    assert sum(review["pii"] for review in reviews) == 1
    assert len(reviews) >= 10


def test_files_are_shuffled_lines(folder, events):
    files = sorted((folder / "annotations").glob("*.jsonl"))
    assert len(files) == 4
    assert all(file.read_bytes().endswith(b"}\n") for file in files)
    times = [event["submitted_at"] for event in events]
    assert times != sorted(times)


def test_released_questions_are_those_of_the_campaign(released, asked):
    final = {
        (one.screen.drawn.id, one.verdict.final_text)
        for one in asked
        if one.verdict.final_text is not None
    }
    rows = {
        (row["image_id"], row["question"])
        for split in released.values()
        for row in split
        if row["image_id"] != roles.SCREEN_MISSING_ID
    }
    assert rows == final
