"""Tests of the check of a screen's files."""

import hashlib
import io
import json
import os

import pytest
from PIL import Image

from schemas.manifest import ImagePolicy
from schemas.questions import Answer, AskedScreen, Provenance, Question
from schemas.rejects import Outcome, Reason, Reject, Tally
from schemas.screens import ScreenRef
from transforms.progress import Progress, read_progress
from transforms.screens import checking
from transforms.screens.checking import CHECKED, CheckPolicy, CheckScreens, check_screen

TREE = {"bounds": [0, 0, 1440, 2560], "children": [{"bounds": [0, 0, 9, 9]}]}
QUESTION = Question(
    screen_id="7",
    text="How many?",
    answers=(Answer("It is 5.", ()),),
    short_answers=(),
    frame=None,
    official_split=None,
    kinds=("answers",),
    provenance=Provenance("screenqa", "train.json", 3),
)


def picture(size=(90, 160), file_format="PNG"):
    image = Image.new("RGB", size, "white")
    image.paste("navy", (0, 0, size[0] // 2, size[1] // 2))
    buffer = io.BytesIO()
    image.save(buffer, file_format)
    return buffer.getvalue()


def asked(image="7.jpg", hierarchy=None, screen_id="7"):
    ref = ScreenRef(screen_id, "rico", image, hierarchy)
    return AskedScreen(screen_id, ref, None, (QUESTION,))


def check(folder, screen, policy=None, progress=None):
    folders = {"other": "/nowhere", "rico": str(folder)}
    return list(
        check_screen(screen, folders, CheckPolicy(policy or ImagePolicy()), progress or Progress())
    )


def rejected(results):
    """Returns reason and detail of a screen's reject, having looked at what goes with it."""
    first, second, third = results
    origin = "screenqa/train.json:3"
    detail = f"{first.reason}: {first.detail}"
    assert (first.kind, first.id, first.step, first.origin) == (
        "screen",
        "7",
        "check_image",
        "rico",
    )
    assert second == Reject(
        "answers", "7: How many?", "check_image", Reason.SCREEN_REJECTED, detail, origin
    )
    assert third == Tally("answer", "with_question", 1)
    return first.reason, first.detail


def test_a_screen_is_known_by_its_picture_and_hierarchy(tmp_path):
    (tmp_path / "7.jpg").write_bytes(picture())
    tree = json.dumps(TREE).encode()
    (tmp_path / "7.json").write_bytes(tree)
    read, kept, checked = check(tmp_path, asked(hierarchy="7.json"))
    assert (read, kept) == (
        Tally("hierarchy", Outcome.READ, 1),
        Tally("hierarchy", Outcome.KEPT, 1),
    )
    assert checked.screen.image.sha256 == hashlib.sha256(picture()).hexdigest()
    assert checked.screen.image.size == (90, 160)
    assert checked.screen.hierarchy_sha256 == hashlib.sha256(tree).hexdigest()
    assert checked.screen.node_count == 2
    assert checked.questions == (QUESTION,)


def test_a_screen_needs_no_hierarchy(tmp_path):
    (tmp_path / "7.jpg").write_bytes(picture())
    (checked,) = check(tmp_path, asked())
    assert (checked.screen.hierarchy_sha256, checked.screen.node_count) == ("", 0)


def test_in_a_build_without_pictures_nothing_is_opened():
    screen = AskedScreen("7", None, None, (QUESTION,))
    assert check("/nowhere", screen) == [screen]


def test_a_screen_of_a_hierarchy_only_is_rejected(tmp_path):
    (tmp_path / "7.json").write_text(json.dumps(TREE))
    results = check(tmp_path, asked(image=None, hierarchy="7.json"))
    assert rejected(results) == (Reason.IMAGE_MISSING, "there is a hierarchy only")


def write_html(path):
    path.write_bytes(b"<html>Quota exceeded</html>")


def write_nothing(path):
    path.touch()


def write_half(path):
    data = picture((540, 960), "JPEG")
    path.write_bytes(data[: len(data) // 2])


def write_black(path):
    buffer = io.BytesIO()
    Image.new("RGB", (1080, 1920)).save(buffer, "JPEG")
    path.write_bytes(buffer.getvalue())


def leave_out(path):
    pass


def make_folder(path):
    path.mkdir()


def make_pipe(path):
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (write_html, Reason.IMAGE_UNRECOGNIZED),
        (write_nothing, Reason.IMAGE_EMPTY),
        (write_half, Reason.IMAGE_UNREADABLE),
        (write_black, Reason.IMAGE_BLANK),
        (leave_out, Reason.IMAGE_MISSING),
        (make_folder, Reason.IMAGE_MISSING),
        (make_pipe, Reason.IMAGE_MISSING),
    ],
)
def test_a_screen_whose_picture_is_unusable_is_rejected_with_its_questions(tmp_path, make, reason):
    make(tmp_path / "7.jpg")
    (tmp_path / "7.json").write_text(json.dumps(TREE))
    assert rejected(check(tmp_path, asked(hierarchy="7.json")))[0] is reason


def test_a_picture_of_more_bytes_than_allowed_is_not_read(tmp_path):
    (tmp_path / "7.jpg").write_bytes(picture())
    policy = ImagePolicy(max_bytes=len(picture()) - 1)
    detail = f"has {len(picture())} bytes"
    assert rejected(check(tmp_path, asked(), policy)) == (Reason.IMAGE_TOO_LARGE, detail)


def test_a_picture_of_more_pixels_than_allowed_is_rejected(tmp_path):
    (tmp_path / "7.jpg").write_bytes(picture())
    reason = rejected(check(tmp_path, asked(), ImagePolicy(max_pixels=100)))[0]
    assert reason is Reason.IMAGE_TOO_LARGE


def write_null(path):
    path.write_text("null")


def write_deep(path):
    path.write_text('{"children":[' * 600 + "{}" + "]}" * 600)


def write_tree(path):
    path.write_text(json.dumps(TREE))


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (write_null, Reason.HIERARCHY_EMPTY),
        (write_html, Reason.HIERARCHY_UNREADABLE),
        (write_nothing, Reason.HIERARCHY_UNREADABLE),
        (write_deep, Reason.HIERARCHY_TOO_DEEP),
        (leave_out, Reason.HIERARCHY_UNREADABLE),
        (make_folder, Reason.HIERARCHY_UNREADABLE),
        (make_pipe, Reason.HIERARCHY_UNREADABLE),
    ],
)
def test_a_screen_whose_hierarchy_is_unusable_stays_without(tmp_path, make, reason):
    (tmp_path / "7.jpg").write_bytes(picture())
    make(tmp_path / "7.json")
    read, reject, checked = check(tmp_path, asked(hierarchy="7.json"))
    assert read == Tally("hierarchy", Outcome.READ, 1)
    found = (reject.kind, reject.id, reject.step, reject.reason, reject.origin)
    assert found == ("hierarchy", "7", "parse_hierarchy", reason, "rico/7.json")
    assert (checked.screen.hierarchy_sha256, checked.screen.node_count) == ("", 0)
    assert checked.questions == (QUESTION,)


def test_a_hierarchy_of_more_bytes_than_allowed_is_not_read(tmp_path, monkeypatch):
    (tmp_path / "7.jpg").write_bytes(picture())
    write_tree(tmp_path / "7.json")
    monkeypatch.setattr(checking, "MAX_HIERARCHY_BYTES", 10)
    _, reject, _ = check(tmp_path, asked(hierarchy="7.json"))
    size = (tmp_path / "7.json").stat().st_size
    assert (reject.reason, reject.detail) == (Reason.HIERARCHY_TOO_LARGE, f"has {size} bytes")


def test_an_upright_hierarchy_of_a_picture_that_lies_is_rejected(tmp_path):
    (tmp_path / "7.jpg").write_bytes(picture((160, 90)))
    write_tree(tmp_path / "7.json")
    _, reject, checked = check(tmp_path, asked(hierarchy="7.json"))
    assert reject.reason is Reason.HIERARCHY_FRAME_MISMATCH
    assert checked.screen.node_count == 0


def test_no_detail_tells_where_the_machine_keeps_its_files(tmp_path):
    for screen in (asked(), asked(hierarchy="7.json")):
        for result in check(tmp_path, screen):
            assert str(tmp_path) not in repr(result)
    (tmp_path / "7.jpg").write_bytes(picture())
    for result in check(tmp_path, asked(hierarchy="7.json")):
        assert str(tmp_path) not in repr(result)


def test_every_screen_is_counted_whatever_becomes_of_it(tmp_path):
    (tmp_path / "7.jpg").write_bytes(picture())
    counts = tmp_path / "counts"
    counts.mkdir()
    progress = Progress(str(counts))
    check(tmp_path, asked(), progress=progress)
    check(tmp_path, asked("missing.jpg"), progress=progress)
    progress.close()
    assert read_progress(str(counts)) == {CHECKED: 2}


def test_the_step_parts_usable_screens_from_others(tmp_path):
    (tmp_path / "7.jpg").write_bytes(picture())
    (tmp_path / "7.json").write_text("null")
    write_html(tmp_path / "8.jpg")
    step = CheckScreens({"rico": str(tmp_path)}, CheckPolicy(), Progress())
    screens = [asked(hierarchy="7.json"), asked("8.jpg", screen_id="8")]
    kept, rejects, tallies = screens | step
    assert [screen.screen_id for screen in kept] == ["7"]
    assert [(reject.kind, reject.reason) for reject in rejects] == [
        ("hierarchy", Reason.HIERARCHY_EMPTY),
        ("screen", Reason.IMAGE_UNRECOGNIZED),
        ("answers", Reason.SCREEN_REJECTED),
    ]
    assert {(t.kind, t.outcome): t.count for t in tallies} == {
        ("hierarchy", Outcome.READ): 1,
        ("answer", "with_question"): 1,
    }
