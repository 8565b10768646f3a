"""Tests of reading CSV files as they are found; RICO's own tables are in `test_rico.py`."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.files import SourceError
from transforms.sources.csv_files import csv_rows

HEADER = "id,name,note\n"


def read(folder, data, columns=("id", "name")):
    path = folder / "table.csv"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return list(csv_rows(str(path), columns))


def row(position, *cells):
    return position, dict(zip(("id", "name", "note"), cells, strict=True))


def test_rows_are_numbered_from_nought_and_blank_lines_are_none(tmp_path):
    data = f"{HEADER}1,a,x\n\n2,b,y\n,,\n\n"
    assert read(tmp_path, data) == [
        row(0, "1", "a", "x"),
        row(1, "2", "b", "y"),
        row(2, "", "", ""),
    ]


def test_short_rows_are_filled_and_long_ones_cut(tmp_path):
    assert read(tmp_path, f"{HEADER}1\n2,b,y,z,z\n") == [row(0, "1", "", ""), row(1, "2", "b", "y")]


@pytest.mark.parametrize("text", ["NA", "null", "1e5", "  kept as it is ", "ümlaut", "0012"])
def test_everything_stays_text(tmp_path, text):
    assert read(tmp_path, f"{HEADER}1,{text},\n") == [row(0, "1", text, "")]


def test_a_byte_order_mark_and_nuls_are_dropped(tmp_path):
    assert read(tmp_path, f"\ufeff{HEADER}1,a\0b,\n") == [row(0, "1", "ab", "")]


def test_a_quoted_cell_may_hold_commas_quotes_and_lines(tmp_path):
    data = f'{HEADER}1,"a, ""b""\nand c",x\n2,d,y\n'
    assert read(tmp_path, data) == [row(0, "1", 'a, "b"\nand c', "x"), row(1, "2", "d", "y")]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_may_end_as_on_any_system(tmp_path, newline):
    data = f"{HEADER}1,a,x\n2,b,y\n".replace("\n", newline)
    assert read(tmp_path, data) == [row(0, "1", "a", "x"), row(1, "2", "b", "y")]


@pytest.mark.parametrize("at", range(6))
def test_a_stray_quote_costs_no_row(tmp_path, at):
    lines = [f"{n},name {n},note {n}" for n in range(6)]
    cells = lines[at].split(",")
    lines[at] = f'{cells[0]},"{cells[1]},{cells[2]}'
    found = read(tmp_path, HEADER + "\n".join(lines) + "\n")
    assert [(position, cells["id"]) for position, cells in found] == [(n, str(n)) for n in range(6)]
    others = [cells["note"] for position, cells in found if position != at]
    assert others == [f"note {n}" for n in range(6) if n != at]


def test_a_missing_column_is_named_with_the_file(tmp_path):
    with pytest.raises(SourceError) as caught:
        read(tmp_path, HEADER, columns=("id", "package", "label"))
    said = "has no column package and no column label"
    assert str(caught.value) == f"{tmp_path}/table.csv: {said}"


plain_cells = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff"), max_size=8
)


@given(st.lists(st.tuples(plain_cells, plain_cells, plain_cells), max_size=8))
def test_what_the_csv_module_writes_comes_back(tmp_path_factory, rows):
    buffer = io.StringIO()
    writer = csv.writer(buffer, quoting=csv.QUOTE_ALL)
    writer.writerow(["id", "name", "note"])
    writer.writerows(rows)
    found = read(tmp_path_factory.mktemp("csv"), buffer.getvalue())
    assert found == [row(position, *cells) for position, cells in enumerate(rows)]
