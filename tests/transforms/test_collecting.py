"""Tests of what a build says of itself, brought together in files."""

import json

import apache_beam as beam
import pytest
from apache_beam.runners.portability.fn_api_runner import fn_runner

from schemas.builds import ScreenEntry, Shard
from schemas.geometry import Size
from schemas.questions import Answer, AskedScreen, Provenance, Question
from schemas.rejects import Outcome, Reason, Reject, Tally
from schemas.screens import App, ImageFacts, Screen, ScreenRef
from transforms.collecting import CollectResults, Results, read_results
from transforms.rejecting import Split
from transforms.screen_tables import read_entries
from transforms.stats import Statistics

SHARD = Shard("screenqa", "train", "screenqa/train-00000-of-00001.parquet", 3, 2, 99, "ab" * 32)
OTHER = Shard("screens", "train", "screens/train-00000-of-00001.parquet", 2, 2, 99, "cd" * 32)


def question(number=0):
    return Question(
        screen_id="7",
        text=f"Question {number}?",
        answers=(Answer("It is 5.", ()),) * 2,
        short_answers=("5",),
        frame=None,
        official_split=None,
        kinds=("answers", "short_answers"),
        provenance=Provenance("screenqa", "train.json", number),
    )


def asked(screen_id, split, app=None, *, pictures=False):
    image = ImageFacts(
        size=Size(9, 9),
        file_size=Size(9, 9),
        orientation=1,
        mime="image/png",
        reencoded=False,
        size_bytes=9,
        sha256=f"{screen_id:0>64}",
        layout_hash="00ff00ff00ff00ff",
    )
    return AskedScreen(
        screen_id=screen_id,
        ref=ScreenRef(screen_id, "rico", f"{screen_id}.png", None) if pictures else None,
        app=App(app, None) if app else None,
        questions=(question(),),
        screen=Screen(image, "", 0) if pictures else None,
        split=split,
    )


def reject(record_id, reason=Reason.IMAGE_BLANK, kind="screen", detail="grey"):
    return Reject(kind, record_id, "check_image", reason, detail, "rico")


def collect(folder, kept, rejects=(), tallies=(), shards=(), prefiltered=(), **runner_options):
    """Runs the collection with the rejects and tallies dealt to two steps."""
    with beam.Pipeline(runner=fn_runner.FnApiRunner(**runner_options)) as pipeline:

        def created(label, values):
            return pipeline | label >> beam.Create(list(values))

        steps = [
            Split(
                created(f"Kept{n}", []),
                created(f"Rejects{n}", list(rejects)[n::2]),
                created(f"Tallies{n}", list(tallies)[n::2]),
            )
            for n in range(2)
        ]
        written = [created(f"Shards{n}", [shard]) for n, shard in enumerate(shards)]
        _ = created("All", kept) | CollectResults(
            steps=steps,
            shards=written,
            prefiltered=created("Prefiltered", prefiltered),
            data=str(folder),
            results=str(folder / "results.json"),
        )
    return read_results(str(folder / "results.json"))


def times(factor, statistics):
    return {
        name: {value: factor * count for value, count in found.items()}
        if isinstance(found, dict)
        else factor * found
        for name, found in statistics.items()
    }


@pytest.mark.parametrize("use_state_iterables", [False, True])
def test_everything_counted_is_read_back(tmp_path, use_state_iterables):
    results = collect(
        tmp_path,
        [asked("7", "train"), asked("8", "test"), asked("9", "train")],
        [reject("1"), reject("2"), reject("3", Reason.IMAGE_EMPTY), reject("4", kind="answers")],
        [
            Tally("screen", Outcome.READ, 5),
            Tally("screen", Outcome.READ, 2),
            Tally("repairs", "boxes_clipped", 3),
            Tally("answers", Outcome.MERGED, 1),
        ],
        [OTHER, SHARD],
        use_state_iterables=use_state_iterables,
    )
    plain = {
        "answers": 2,
        "answers_per_question": {"2": 1},
        "elements_per_answer": {"0": 2},
        "questions": 1,
        "questions_by_short_answer_provider": {"released": 1},
        "questions_by_topic": {"Others": 1},
        "questions_by_type": {"other": 1},
        "questions_per_screen": {"1": 1},
        "screens": 1,
        "short_answers_per_question": {"1": 1},
        "unique_questions": 1,
    }
    splits = {"test": plain, "train": {**times(2, plain), "unique_questions": 1}}
    of_all = {**times(3, plain), "unique_questions": 1}
    assert results == Results(
        tallies={
            ("screen", "read"): 7,
            ("repairs", "boxes_clipped"): 3,
            ("answers", "merged"): 1,
            ("answers", "kept"): 3,
            ("short_answers", "kept"): 3,
            ("answer", "kept"): 6,
        },
        rejects={
            ("screen", "image_blank"): 2,
            ("screen", "image_empty"): 1,
            ("answers", "image_blank"): 1,
        },
        shards=(SHARD, OTHER),
        statistics=Statistics(splits, of_all),
        splits=("test", "train"),
        agreement=None,
    )


def test_a_build_that_keeps_nothing_has_results_too(tmp_path):
    results = collect(tmp_path, [], [reject("1")])
    assert results == Results(
        tallies={},
        rejects={("screen", "image_blank"): 1},
        shards=(),
        statistics=Statistics({}, {}),
        splits=(),
        agreement=None,
    )
    assert not (tmp_path / "splits").exists()


def test_rejects_are_listed_by_kind_reason_and_id(tmp_path):
    rejects = [
        reject("10", detail='says "ü"\n'),
        reject("9"),
        reject("1", Reason.IMAGE_EMPTY),
        reject("1", kind="answers"),
    ]
    collect(tmp_path, [], rejects)
    lines = (tmp_path / "rejects" / "screen.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [
        {
            "kind": "screen",
            "id": record_id,
            "step": "check_image",
            "reason": reason,
            "detail": detail,
            "origin": "rico",
        }
        for record_id, reason, detail in [
            ("9", "image_blank", "grey"),
            ("10", "image_blank", 'says "ü"\n'),
            ("1", "image_empty", "grey"),
        ]
    ]
    files = sorted(path.name for path in (tmp_path / "rejects").iterdir())
    assert files == ["answers.jsonl", "screen.jsonl"]


def test_rejects_do_not_depend_on_their_order(tmp_path):
    rejects = [reject(str(number % 7), detail=f"detail {number}") for number in range(20)]
    written = []
    for order in (rejects, rejects[::-1]):
        folder = tmp_path / str(len(written))
        folder.mkdir()
        collect(folder, [], order)
        written.append((folder / "rejects" / "screen.jsonl").read_bytes())
    assert written[0] == written[1]


def test_each_split_lists_its_screens_in_the_order_of_their_ids(tmp_path):
    kept = [asked(screen_id, "train") for screen_id in ("10", "9", "b:1")] + [asked("8", "test")]
    collect(tmp_path, kept)
    assert (tmp_path / "splits" / "train.txt").read_text() == "9\n10\nb:1\n"
    assert (tmp_path / "splits" / "test.txt").read_text() == "8\n"


def test_what_a_kept_screen_looks_like_is_read_back(tmp_path):
    kept = [
        asked("10", "train", "com.a", pictures=True),
        asked("9", "train", "com.a\tb\nc"),
        asked("8", "test"),
    ]
    results = collect(tmp_path, kept)
    assert read_entries(str(tmp_path), results.splits) == [
        ScreenEntry("test", "8", "", "", ""),
        ScreenEntry("train", "9", "com.a b c", "", ""),
        ScreenEntry("train", "10", "com.a", f"{10:0>64}", "00ff00ff00ff00ff"),
    ]
