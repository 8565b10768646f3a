"""Tests of reading what other data sets say of a hierarchy's sync."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.manifest import SourceKind
from schemas.readings import SyncEvidence
from schemas.rejects import Outcome, Reason, Reject, Tally
from transforms.accounting import fates_by_kind, unbalanced
from transforms.fates import EVIDENCE
from transforms.files import SourceError
from transforms.identifying import id_order
from transforms.sources.reading import Selection, SourceFile, read_source
from transforms.sources.sync_evidence import read_clay_labels, read_screen_list

HEADER = "screen_id,node_id,label\n"


def written(folder, data, name="clay_labels.csv"):
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return str(path)


def clay(folder, rows, header=HEADER):
    return list(read_clay_labels(written(folder, header + rows), "clay"))


def listed(folder, data):
    return list(read_screen_list(written(folder, data, "filter.txt"), "sca"))


def label_reject(record_id, reason, detail, position):
    return Reject(EVIDENCE, record_id, "read_clay_labels", reason, detail, f"clay:{position}")


# CLAY


def test_nodes_of_the_background_show_nothing(tmp_path):
    rows = "7,a1,0\n7,b2,15\n7,a0,0\n7,c3,-1\n"
    assert clay(tmp_path, rows) == [SyncEvidence("7", "clay", False, ("a0", "a1"))]


def test_a_screen_that_was_labelled_is_evidence_even_if_all_of_its_nodes_are_valid(tmp_path):
    assert clay(tmp_path, "7,a1,3\n") == [SyncEvidence("7", "clay", False, ())]


def test_screens_come_in_the_order_of_their_ids_wherever_their_rows_are(tmp_path):
    rows = "10,a,0\n9,b,0\n00010,c,0\n9,b,0\n"
    assert clay(tmp_path, rows) == [
        SyncEvidence("9", "clay", False, ("b",)),
        SyncEvidence("10", "clay", False, ("a", "c")),
    ]


@pytest.mark.parametrize("label", ["00", "10", "-0", "0.0", " 0 ", "zero", ""])
def test_only_the_number_of_the_background_is_the_background(tmp_path, label):
    found = clay(tmp_path, f"7,a,{label}\n")
    invalid = [e for e in found if isinstance(e, SyncEvidence) and e.invalid_nodes]
    assert bool(invalid) is (label.strip() == "0")


def test_a_row_that_is_no_label_is_rejected_with_its_place_and_costs_no_other(tmp_path):
    rows = "7,a,0\n7,b,BACKGROUND\n7,,0\nx y,c,0\n,d,0\n8,e\n9,f,0\n"
    assert clay(tmp_path, rows) == [
        label_reject("7", Reason.RECORD_MALFORMED, "label 'BACKGROUND'", 1),
        label_reject("7", Reason.RECORD_MALFORMED, "label '0'", 2),
        label_reject("x y", Reason.ID_MALFORMED, "'x y' is no id", 3),
        label_reject("", Reason.ID_MALFORMED, "'' is no id", 4),
        label_reject("8", Reason.RECORD_MALFORMED, "label ''", 5),
        SyncEvidence("7", "clay", False, ("a",)),
        SyncEvidence("9", "clay", False, ("f",)),
    ]


def test_a_screen_without_a_good_row_is_no_evidence(tmp_path):
    assert not any(isinstance(found, SyncEvidence) for found in clay(tmp_path, "7,a,x\n"))


def test_columns_may_be_in_any_order_and_more(tmp_path):
    found = clay(tmp_path, "0,7,note,a\n", header="label, screen_id ,note,node_id\n")
    assert found == [SyncEvidence("7", "clay", False, ("a",))]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ("", "has no column screen_id and no column node_id and no column label"),
        ("<html>Not found</html>", "has no column screen_id"),
        ("screen_id,node,label\n7,a,0\n", "has no column node_id"),
    ],
)
def test_what_is_no_such_table_is_named_with_its_file(tmp_path, data, problem):
    with pytest.raises(SourceError) as caught:
        clay(tmp_path, data, header="")
    assert str(caught.value).startswith(f"{tmp_path}/clay_labels.csv: {problem}")


def test_a_table_without_rows_holds_no_evidence(tmp_path):
    assert clay(tmp_path, "") == []


# Lists of screens in sync


def test_a_list_names_screens_in_sync(tmp_path):
    assert listed(tmp_path, "42.json\n\n007.json\n9\n") == [
        SyncEvidence("42", "sca", True, ()),
        SyncEvidence("7", "sca", True, ()),
        SyncEvidence("9", "sca", True, ()),
    ]


def test_a_screen_that_is_listed_again_is_told_once(tmp_path):
    assert listed(tmp_path, "42.json\n42\n0042.json\n") == [
        SyncEvidence("42", "sca", True, ()),
        Tally("repairs", "repeated_lines_ignored", 1),
        Tally("repairs", "repeated_lines_ignored", 1),
    ]


def test_a_line_that_is_no_id_stops_with_its_place(tmp_path):
    with pytest.raises(SourceError, match="line 2: 'not an id' is no id"):
        listed(tmp_path, "42.json\nnot an id\n")


# As sources of a build


def source(path, kind):
    return SourceFile("side", kind, path, path.rpartition("/")[2])


def counted(items):
    tallies, rejects = {}, {}
    for item in items:
        if isinstance(item, Tally):
            key = item.kind, str(item.outcome)
            tallies[key] = tallies.get(key, 0) + item.count
        elif isinstance(item, Reject):
            key = item.kind, str(item.reason)
            rejects[key] = rejects.get(key, 0) + 1
    return tallies, rejects


def test_a_build_reads_the_evidence_on_its_screens_and_counts_it(tmp_path):
    labels = written(tmp_path, HEADER + "7,a,0\n8,a,0\n7,b,x\n")
    items = list(read_source(source(labels, SourceKind.CLAY_LABELS), Selection(frozenset("7"))))
    assert [e for e in items if isinstance(e, SyncEvidence)] == [
        SyncEvidence("7", "side", False, ("a",))
    ]
    assert counted(items) == (
        {(EVIDENCE, "read"): 2},
        {(EVIDENCE, "record_malformed"): 1},
    )
    screens = written(tmp_path, "7.json\n7.json\n8.json\n", "filter.txt")
    items = list(read_source(source(screens, SourceKind.SCREEN_LIST), Selection()))
    assert [e.screen_id for e in items if isinstance(e, SyncEvidence)] == ["7", "8"]
    assert counted(items)[0] == {
        (EVIDENCE, "read"): 2,
        ("repairs", "repeated_lines_ignored"): 1,
    }


cells = st.sampled_from(["7", "8", "9", "07", "x y", ""])
tables = st.lists(
    st.tuples(cells, st.sampled_from("abc"), st.sampled_from(["0", "3", "-1", "x", ""])),
    max_size=12,
)


@given(tables)
def test_every_row_is_a_label_of_a_screen_or_a_reject(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("clay")
    lines = "".join(",".join(row) + "\n" for row in rows)
    path = written(folder, HEADER + lines)
    items = list(read_source(source(path, SourceKind.CLAY_LABELS), Selection()))
    tallies, rejects = counted(items)
    evidence = [item for item in items if isinstance(item, SyncEvidence)]
    good = [(i.lstrip("0"), n, b) for i, n, b in rows if i.isdigit() and b.lstrip("-").isdigit()]
    assert [e.screen_id for e in evidence] == sorted({i for i, _, _ in good}, key=id_order)
    for found in evidence:
        nodes = {node for i, node, label in good if (i, label) == (found.screen_id, "0")}
        assert found.invalid_nodes == tuple(sorted(nodes))
    assert sum(rejects.values()) == len(rows) - len(good)
    tallies[EVIDENCE, str(Outcome.KEPT)] = len(evidence)
    assert unbalanced(fates_by_kind(tallies, rejects)) == []
