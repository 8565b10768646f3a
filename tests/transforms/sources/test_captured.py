"""Tests of screens captured by hand: pictures in a folder, and a table written by people."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.rejects import Reason, Reject, RejectedRecordError, Tally
from schemas.screens import App, Origin, ScreenRef
from transforms.files import SourceError
from transforms.identifying import normalize_id
from transforms.sources.captured import _plain_app, list_captured, read_captured_apps


def write(folder, table, *pictures):
    for name in pictures:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    data = table if isinstance(table, bytes) else table.encode()
    (folder / "screens.csv").write_bytes(data)
    return str(folder)


def listed(folder):
    items = list(list_captured(folder, "ours"))
    refs = [item for item in items if isinstance(item, ScreenRef)]
    rejects = [item for item in items if isinstance(item, Reject)]
    return refs, rejects


def reasons(folder):
    return [(reject.id, reject.reason) for reject in listed(folder)[1]]


def test_screens_come_in_the_order_of_the_table(tmp_path):
    folder = write(tmp_path, "file,app,order\nb.png,com.x,2\na.jpg,com.x,1\n", "a.jpg", "b.png")
    assert list(list_captured(folder, "ours")) == [
        ScreenRef("com.x:2", "ours", "b.png", None, "com.x", Origin.CAPTURED),
        ScreenRef("com.x:1", "ours", "a.jpg", None, "com.x", Origin.CAPTURED),
        Tally("repairs", "foreign_files_ignored", 0),
    ]


@pytest.mark.parametrize(
    "table",
    [
        "file,app,order\r\na.png,com.x,1\r\n",
        "file,app,order\ra.png,com.x,1\r",
        "\ufefffile,app,order\na.png,com.x,1",
        " File , APP ,Order\n a.png , com.x , 1 \n",
        '"file","app","order"\n"a.png","com.x","1"\n',
        'file, app, order\n"a.png", "com.x", "1"\n',
        "file;app;order\na.png;com.x;1\n",
        "file\tapp\torder\na.png\tcom.x\t1\n",
        "note,order,app,file,note\nhello,1,com.x,a.png,again\n",
        "file,app,order\n\n,,\na.png,com.x,1,,,\n",
        "file,app,order\n./a.png,com.x,01\n",
        "file,app,order\na.png,com.x,1.0\n",
        b"file,app,order\na.png,com.x\0,1\n",
    ],
)
def test_a_table_is_read_however_people_and_spreadsheets_write_it(tmp_path, table):
    refs, rejects = listed(write(tmp_path, table, "a.png"))
    assert [(ref.screen_id, ref.image, ref.app) for ref in refs] == [("com.x:1", "a.png", "com.x")]
    assert rejects == []


def test_pictures_may_lie_in_folders(tmp_path):
    folder = write(
        tmp_path,
        "file,app,order\nx/1.png,com.x,1\nx\\2.png,com.x,2\n",
        "x/1.png",
        "x/2.png",
        "x/screens.csv",
    )
    refs, rejects = listed(folder)
    assert [ref.image for ref in refs] == ["x/1.png", "x/2.png"]
    assert rejects == []


def test_a_name_is_found_however_its_accents_are_spelled(tmp_path):
    folder = write(tmp_path, "file,app,order\nCafe\u0301.png,com.x,1\n", "Caf\u00e9.png")
    assert listed(folder)[0][0].image == "Caf\u00e9.png"


def test_a_screen_may_have_an_id_of_its_own(tmp_path):
    table = "file,app,order,screen_id\na.png,com.x,1,00042\nb.png,com.x,2,\n"
    refs, _ = listed(write(tmp_path, table, "a.png", "b.png"))
    assert [ref.screen_id for ref in refs] == ["42", "com.x:2"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("no.png,com.x,1", Reason.CAPTURE_FILE_MISSING),
        ("../a.png,com.x,1", Reason.CAPTURE_PATH_OUTSIDE),
        ("x/../../a.png,com.x,1", Reason.CAPTURE_PATH_OUTSIDE),
        ("..\\a.png,com.x,1", Reason.CAPTURE_PATH_OUTSIDE),
        ("/a.png,com.x,1", Reason.CAPTURE_PATH_OUTSIDE),
        ("C:\\a.png,com.x,1", Reason.CAPTURE_PATH_OUTSIDE),
        ("\\\\server\\a.png,com.x,1", Reason.CAPTURE_PATH_OUTSIDE),
        (",com.x,1", Reason.TEXT_EMPTY),
        ("a.png,,1", Reason.TEXT_EMPTY),
        ("a.png", Reason.TEXT_EMPTY),
        ("a.png,com.x,", Reason.ID_MALFORMED),
        ("a.png,com.x,first", Reason.ID_MALFORMED),
        ("a.png,com.x,-1", Reason.ID_MALFORMED),
        ("a.png,com.x,1.5", Reason.ID_MALFORMED),
        ("screens.csv,com.x,1", Reason.CAPTURE_FILE_MISSING),
    ],
)
def test_a_row_that_is_wrong_is_rejected_and_the_others_stay(tmp_path, row, reason):
    folder = write(tmp_path, f"file,app,order\n{row}\nb.png,com.x,7\n", "a.png", "b.png")
    refs, rejects = listed(folder)
    assert [ref.screen_id for ref in refs] == ["com.x:7"]
    assert rejects[0].reason is reason
    assert (rejects[0].kind, rejects[0].origin) == ("screen", "ours/screens.csv:0")


def test_a_picture_in_no_row_is_rejected(tmp_path):
    folder = write(tmp_path, "file,app,order\na.png,com.x,1\n", "a.png", "b.png", "x/c.JPG")
    assert reasons(folder) == [
        ("b.png", Reason.CAPTURE_UNLISTED),
        ("x/c.JPG", Reason.CAPTURE_UNLISTED),
    ]


def test_a_picture_has_one_fate_even_if_its_row_is_wrong(tmp_path):
    folder = write(tmp_path, "file,app,order\na.png,,1\n", "a.png")
    assert reasons(folder) == [(":1", Reason.TEXT_EMPTY)]


@pytest.mark.parametrize(
    "rows",
    [
        "a.png,com.x,1\nb.png,com.x,01\n",
        "a.png,com.x,1\na.png,com.x,2\nb.png,com.y,1\n",
        "a.png,com.x,1,9\nb.png,com.x,2,09\n",
        "a.png,com.x,1,9\nb.png,com.x,1,8\n",
    ],
)
def test_of_two_rows_that_claim_the_same_the_first_leads(tmp_path, rows):
    folder = write(tmp_path, f"file,app,order,screen_id\n{rows}", "a.png", "b.png")
    refs, rejects = listed(folder)
    assert refs[0].image == "a.png"
    assert [reject.reason for reject in rejects] == [Reason.ID_DUPLICATE]


def test_what_is_no_picture_is_passed_over(tmp_path):
    folder = write(
        tmp_path, "file,app,order\na.png,com.x,1\n", "a.png", ".DS_Store", "._a.png", "notes.txt"
    )
    items = list(list_captured(folder, "ours"))
    assert items[-1] == Tally("repairs", "foreign_files_ignored", 3)
    assert len(items) == 2


def test_names_that_are_no_ids_become_some_and_stay_apart(tmp_path):
    apps = ["Bank of A", "Bank-of-A", "Bank_of A", "微信", "支付宝", ".hidden", "a:b"]
    rows = "".join(f"{number}.png,{app},1\n" for number, app in enumerate(apps))
    folder = write(tmp_path, f"file,app,order\n{rows}", *(f"{n}.png" for n in range(len(apps))))
    refs, rejects = listed(folder)
    assert rejects == []
    assert [ref.app for ref in refs] == apps
    ids = [ref.screen_id for ref in refs]
    assert len(set(ids)) == len(apps)
    assert ids[0].startswith("Bank-of-A-")
    assert ids[1] == "Bank-of-A:1"
    assert ids[3].startswith("app-")


@given(st.text(min_size=1, max_size=300))
def test_every_name_makes_an_id(app):
    assert normalize_id(f"{_plain_app(app)}:1")


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("file,app\na.png,com.x\n", "has no column order"),
        ("", "has no column file and no column app and no column order"),
        ("a.png,com.x,1\n", "has no column file"),
        (b"file,app,order\n\xe9.png,com.x,1\n", "is no UTF-8 text; save it as"),
        ("file,app,order\n".encode("utf-16"), "is no UTF-8 text"),
    ],
)
def test_a_table_that_is_none_is_refused_in_a_sentence(tmp_path, table, said):
    with pytest.raises(SourceError, match=said):
        list(list_captured(write(tmp_path, table), "ours"))
    with pytest.raises(SourceError, match=said):
        list(read_captured_apps(str(tmp_path), "ours"))


def test_a_folder_without_a_table_is_refused(tmp_path):
    with pytest.raises(SourceError, match="captured screens need their table"):
        list(list_captured(str(tmp_path), "ours"))


def test_a_row_swallowed_by_a_quote_is_not_lost_in_silence(tmp_path):
    table = 'file,app,order\n"a.png,com.x,1\nb.png,com.x,2\n'
    assert len(reasons(write(tmp_path, table, "a.png", "b.png"))) == 3


def test_a_cell_of_a_megabyte_is_no_crash(tmp_path):
    table = f"file,app,order\na.png,{'x' * 1_000_000},1\nb.png,com.x,1\n"
    refs, _ = listed(write(tmp_path, table, "a.png", "b.png"))
    assert refs[-1].screen_id == "com.x:1"


@given(st.binary(max_size=120))
def test_no_table_ends_in_anything_but_a_reject_or_a_sentence(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("captured")
    try:
        refs, _ = listed(write(folder, b"file,app,order\n" + data))
    except SourceError:
        return
    assert refs == []


def test_categories_are_those_of_the_first_row_that_has_one(tmp_path):
    table = (
        "file,app,order,category\na.png,com.x,1,\nb.png,com.x,2,News\nc.png,com.x,3,Games\n"
        "d.png,com.y,1,\nd.png,,2,News\n"
    )
    items = list(read_captured_apps(write(tmp_path, table), "ours"))
    assert items[1:] == [App("com.x", "News")]
    assert (items[0].kind, items[0].id, items[0].reason) == (
        "app_details",
        "com.x",
        Reason.ID_DUPLICATE,
    )


def test_an_id_that_is_none_is_rejected(tmp_path):
    table = "file,app,order,screen_id\na.png,com.x,1,a/b\n"
    assert reasons(write(tmp_path, table, "a.png")) == [("a/b", Reason.ID_MALFORMED)]
    with pytest.raises(RejectedRecordError):
        normalize_id("a/b")
