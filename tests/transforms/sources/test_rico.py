"""Tests of listing RICO's screens and reading its tables."""

import os

import pytest

from schemas.rejects import Reason, Reject, Tally
from schemas.screens import App, AppRow, ScreenRef
from transforms.files import SourceError
from transforms.sources.rico import (
    list_combined,
    list_traces,
    read_app_details,
    read_split_list,
    read_ui_details,
)


def touch(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def combined(folder):
    return list(list_combined(str(folder), "rico"))


def foreign(count):
    return Tally("repairs", "foreign_files_ignored", count)


def listing_reject(kind, record_id, reason, detail):
    return Reject(kind, record_id, "list_screens", reason, detail, "rico")


def test_screens_are_listed_in_the_order_of_their_ids(tmp_path):
    touch(tmp_path, "10.jpg", "10.json", "9.json", "9.jpg", "0.jpg", "0.json")
    assert combined(tmp_path) == [
        ScreenRef("0", "rico", "0.jpg", "0.json"),
        ScreenRef("9", "rico", "9.jpg", "9.json"),
        ScreenRef("10", "rico", "10.jpg", "10.json"),
        foreign(0),
    ]


def test_a_screen_may_lack_either_file(tmp_path):
    touch(tmp_path, "1.jpg", "2.json")
    assert combined(tmp_path)[:2] == [
        ScreenRef("1", "rico", "1.jpg", None),
        ScreenRef("2", "rico", None, "2.json"),
    ]


def test_pictures_are_known_by_every_usual_suffix(tmp_path):
    touch(tmp_path, "1.jpg", "2.JPG", "3.jpeg", "4.png", "5.webp", "6.JSON")
    assert [(ref.image, ref.hierarchy) for ref in combined(tmp_path)[:-1]] == [
        ("1.jpg", None),
        ("2.JPG", None),
        ("3.jpeg", None),
        ("4.png", None),
        ("5.webp", None),
        (None, "6.JSON"),
    ]


def test_debris_and_foreign_files_are_counted_and_not_read(tmp_path):
    touch(tmp_path, "1.jpg", "._1.jpg", "._1.json", ".DS_Store", "notes.txt", "1.jpg.part")
    assert combined(tmp_path) == [ScreenRef("1", "rico", "1.jpg", None), foreign(5)]


def test_an_empty_folder_has_no_screens(tmp_path):
    assert combined(tmp_path) == [foreign(0)]


def test_a_missing_folder_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        combined(tmp_path / "nowhere")


def test_ids_are_read_without_leading_zeros(tmp_path):
    touch(tmp_path, "00042.jpg", "42.json")
    assert combined(tmp_path)[0] == ScreenRef("42", "rico", "00042.jpg", "42.json")


def test_of_two_files_with_one_id_the_first_by_name_leads(tmp_path):
    touch(tmp_path, "42.jpg", "00042.jpg", "42.png", "42.json", "042.json")
    assert combined(tmp_path) == [
        listing_reject(
            "screen", "42", Reason.ID_DUPLICATE, "42.jpg: 00042.jpg has this id already"
        ),
        listing_reject(
            "hierarchy", "42", Reason.ID_DUPLICATE, "42.json: 042.json has this id already"
        ),
        listing_reject(
            "screen", "42", Reason.ID_DUPLICATE, "42.png: 00042.jpg has this id already"
        ),
        ScreenRef("42", "rico", "00042.jpg", "042.json"),
        foreign(0),
    ]


def test_a_file_whose_name_is_no_id_is_rejected(tmp_path):
    touch(tmp_path, "my screen.jpg", "copy (1).json")
    assert combined(tmp_path) == [
        listing_reject("hierarchy", "copy (1)", Reason.ID_MALFORMED, "'copy (1)' is no id"),
        listing_reject("screen", "my screen", Reason.ID_MALFORMED, "'my screen' is no id"),
        foreign(0),
    ]


def test_a_file_whose_name_is_no_text_is_rejected(tmp_path):
    with open(os.path.join(os.fsencode(tmp_path), b"\xff\xfe.jpg"), "wb"):
        pass
    reject = combined(tmp_path)[0]
    assert (reject.id, reject.reason) == ("\ufffd\ufffd", Reason.ID_MALFORMED)
    reject.detail.encode()


def test_traces_name_screen_and_app_by_their_folders(tmp_path):
    touch(
        tmp_path,
        "com.b/trace_0/screenshots/12.jpg",
        "com.b/trace_0/screenshots/2.jpg",
        "com.b/trace_0/screenshots/._2.jpg",
        "com.b/trace_0/view_hierarchies/12.json",
        "com.b/trace_0/view_hierarchies/._12.json",
        "com.b/trace_0/gestures.json",
        "com.b/trace_1/screenshots/007.jpg",
        "com.a/trace_0/view_hierarchies/3.JSON",
        ".hidden/trace_0/screenshots/1.jpg",
        "com.a/.trash/screenshots/1.jpg",
        "readme.txt",
    )
    place = "com.b/trace_0/{}".format
    assert list(list_traces(str(tmp_path), "traces")) == [
        ScreenRef("com.a:0:3", "traces", None, "com.a/trace_0/view_hierarchies/3.JSON", "com.a"),
        foreign(0),
        ScreenRef(
            "com.b:0:12",
            "traces",
            place("screenshots/12.jpg"),
            place("view_hierarchies/12.json"),
            "com.b",
        ),
        ScreenRef("com.b:0:2", "traces", place("screenshots/2.jpg"), None, "com.b"),
        foreign(2),
        ScreenRef("com.b:1:7", "traces", "com.b/trace_1/screenshots/007.jpg", None, "com.b"),
        foreign(0),
    ]


def test_a_trace_of_a_folder_that_is_no_name_is_rejected(tmp_path):
    touch(tmp_path, "com b/trace_0/screenshots/1.jpg")
    reject = next(list_traces(str(tmp_path), "traces"))
    assert (reject.kind, reject.id, reject.reason) == ("screen", "1", Reason.ID_MALFORMED)


UI_HEADER = "UI Number,App Package Name,Interaction Trace Number,UI Number in Trace\n"
APP_HEADER = "App Package Name,Play Store Name,Category,Average Rating,Number of Ratings\n"


def written(folder, data, name="table.csv"):
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return str(path)


def ui_details(folder, data):
    return list(read_ui_details(written(folder, data), "ui"))


def app_details(folder, data):
    return list(read_app_details(written(folder, data), "apps"))


def row_reject(record_id, reason, detail, position):
    return Reject("app_row", record_id, "read_ui_details", reason, detail, f"ui:{position}")


def test_screens_are_mapped_to_their_apps(tmp_path):
    rows = "0,com.brc.PeriodTrackerDiary,0,15\n2,yong.app.videoeditor,0,221\n"
    assert ui_details(tmp_path, UI_HEADER + rows) == [
        AppRow("0", "com.brc.PeriodTrackerDiary", 0),
        AppRow("2", "yong.app.videoeditor", 1),
    ]


@pytest.mark.parametrize("package", ["NA", "N/A", "None", "null", "nan", "True", "1e5"])
def test_a_package_stays_the_text_it_is(tmp_path, package):
    assert ui_details(tmp_path, f"{UI_HEADER}5,{package},0,1\n") == [AppRow("5", package, 0)]


@pytest.mark.parametrize("spelled", ["42", "00042", "42.0", " 42 ", '"42"'])
def test_the_id_of_a_row_is_one_however_it_is_spelled(tmp_path, spelled):
    assert ui_details(tmp_path, f"{UI_HEADER}{spelled},com.a,0,1\n") == [AppRow("42", "com.a", 0)]


def test_rows_without_an_id_or_an_app_are_rejected_with_their_place(tmp_path):
    rows = "x y,com.a,0,1\n,com.a,0,1\n7,,0,1\n8, ,0,1\n9\n10,com.a,0,1\n"
    assert ui_details(tmp_path, UI_HEADER + rows) == [
        row_reject("x y", Reason.ID_MALFORMED, "'x y' is no id", 0),
        row_reject("", Reason.ID_MALFORMED, "'' is no id", 1),
        row_reject("7", Reason.TEXT_EMPTY, "App Package Name is empty", 2),
        row_reject("8", Reason.TEXT_EMPTY, "App Package Name is empty", 3),
        row_reject("9", Reason.TEXT_EMPTY, "App Package Name is empty", 4),
        AppRow("10", "com.a", 5),
    ]


@pytest.mark.parametrize(
    "data",
    [
        f"\ufeff{UI_HEADER}7,com.a,0,1\n",
        f"{UI_HEADER}7,com.a,0,1",
        f"{UI_HEADER}7,com.a,0,1\n".replace("\n", "\r\n"),
        f"{UI_HEADER}\n\n7,com.a,0,1\n\n",
        f"{UI_HEADER}7,com.a,0,1,more,columns\n",
        f"{UI_HEADER}7,com\0.a,0,1\n",
        " App Package Name , UI Number \ncom.a,7\n",
        f'{UI_HEADER}"7","com.a","0","1"\n',
    ],
)
def test_marks_blanks_and_line_ends_make_no_difference(tmp_path, data):
    assert ui_details(tmp_path, data) == [AppRow("7", "com.a", 0)]


def test_bytes_that_are_no_text_are_replaced(tmp_path):
    data = UI_HEADER.encode() + b"7,com.\xff,0,1\n"
    assert ui_details(tmp_path, data) == [AppRow("7", "com.\ufffd", 0)]


@pytest.mark.parametrize(
    "rows",
    [
        '7,"com.a,0,1\n8,com.b,0,2\n9,com.c,0,3\n',
        '7,com.a,"0,1\n8,com.b,0,2\n9,com.c,0,3\n',
        '7,com.a,0,1\n8,com.b,0,"2\n9,com.c,0,3\n',
        '7,com.a,0,1\n8,com.b",0,2\n9,com.c,0,3\n',
        '7,com.a,"0,1\n8,com.b,"0",2\n9,com.c,0,3\n',
        '7,com.a,0,1\n8,com.b,0,2\n9,"com.c,0,3\n',
    ],
)
def test_a_stray_quote_costs_no_row(tmp_path, rows):
    ids = [item.screen_id for item in ui_details(tmp_path, UI_HEADER + rows)]
    assert ids == ["7", "8", "9"]
    packages = [item.package.strip('"') for item in ui_details(tmp_path, UI_HEADER + rows)]
    assert [package[:5] for package in packages] == ["com.a", "com.b", "com.c"]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ("", "has no column UI Number and no column App Package Name"),
        ("UI Number,Package\n1,com.a\n", "has no column App Package Name"),
        ("<html>Quota exceeded</html>", "has no column UI Number and no column App Package Name"),
        ("x" * 200_000, "has no column UI Number and no column App Package Name"),
    ],
)
def test_what_is_no_such_table_is_named_with_its_file(tmp_path, data, problem):
    with pytest.raises(SourceError) as caught:
        ui_details(tmp_path, data)
    assert str(caught.value).startswith(f"{tmp_path}/table.csv: {problem}")


def test_apps_are_read_with_their_category(tmp_path):
    rows = 'com.a,"Tool, the best",Tools,4.5,"1,234"\nx.b,Übung,Books & Reference,4.5, 12\n'
    assert app_details(tmp_path, APP_HEADER + rows) == [
        App("com.a", "Tools"),
        App("x.b", "Books & Reference"),
    ]


def test_a_name_may_go_over_several_lines(tmp_path):
    rows = 'com.a,"Two\nlines",Tools,4.5,12\ncom.b,B,Books,4.5,12\n'
    assert app_details(tmp_path, APP_HEADER + rows) == [
        App("com.a", "Tools"),
        App("com.b", "Books"),
    ]


def test_a_stray_quote_of_a_number_costs_no_app(tmp_path):
    rows = 'com.a,A,Tools,4.5,"12\ncom.b,"B, the app",Books,4.5,12\ncom.c,C,Music,4.5,12\n'
    apps = app_details(tmp_path, APP_HEADER + rows)
    assert apps == [App("com.a", "Tools"), App("com.b", "Books"), App("com.c", "Music")]


def test_shifted_empty_and_repeated_rows_are_rejected(tmp_path):
    rows = (
        "com.a,A,Tools,4.5,12\n"
        "com.b,B,000 - 1,January 10,12\n"
        ",C,Tools,4.5,12\n"
        "com.d,D,,4.5,12\n"
        "com.a,A,Books,4.5,12\n"
        "NA,N,Tools,4.5,12\n"
    )

    def reject(record_id, reason, detail, position):
        return Reject(
            "app_details", record_id, "read_app_details", reason, detail, f"apps:{position}"
        )

    assert app_details(tmp_path, APP_HEADER + rows) == [
        App("com.a", "Tools"),
        reject("com.b", Reason.APP_DETAILS_SHIFTED, "category '000 - 1'", 1),
        reject("", Reason.TEXT_EMPTY, "package '', category 'Tools'", 2),
        reject("com.d", Reason.TEXT_EMPTY, "package 'com.d', category ''", 3),
        reject("com.a", Reason.ID_DUPLICATE, "an earlier row has this package", 4),
        App("NA", "Tools"),
    ]


def test_a_split_list_holds_an_id_a_line(tmp_path):
    path = written(tmp_path, "\ufeff42\r\n00007.json\n\n  9  \n", "train_screens.txt")
    assert list(read_split_list(path)) == ["42", "7", "9"]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ("42\nnot an id\n", "line 2: 'not an id' is no id"),
        (b"42\n\xff\xfe\n", "line 2: '\ufffd\ufffd' is no id"),
        ("42\n".encode("utf-16"), "line 1: "),
    ],
)
def test_what_is_no_split_list_is_named_with_its_line(tmp_path, data, problem):
    path = written(tmp_path, data, "train_screens.txt")
    with pytest.raises(SourceError) as caught:
        list(read_split_list(path))
    assert str(caught.value).startswith(f"{path}: {problem}")


def test_a_stray_quote_costs_its_own_row_only_however_long_the_file(tmp_path):
    rows = [f"{n},com.app{n},0,0" for n in range(20_000)]
    rows[9] = '9,"com.app9,0,0'
    found = ui_details(tmp_path, UI_HEADER + "\n".join(rows) + "\n")
    assert [row.screen_id for row in found if isinstance(row, AppRow)][-1] == "19999"
    assert len(found) == 20_000
