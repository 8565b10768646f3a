"""Tests of telling exports from everything else."""

import json

import pytest

from transforms.annotation.label_studio.formats import INSTEAD, read_tasks, survey_export
from transforms.files import SourceError


def refusal(tmp_path, data):
    path = tmp_path / "file"
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    with pytest.raises(SourceError) as caught:
        list(read_tasks(str(path)))
    return str(caught.value)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PK\x03\x04", "zip file"),
        (b"PAR1", "Parquet"),
        (b"<annotations/>", "XML"),
        (b"id,image\n1,x\n", "CSV"),
        (b"", "CSV, TSV or other text"),
        ({"images": [], "annotations": [], "categories": []}, "COCO"),
        ({"id": 1, "result": [], "task": {}}, "target storage"),
        ({"id": 1, "completions": []}, "before 1.0"),
        ({"detail": "Not found."}, "one JSON object"),
        (b"{cut off", "one JSON object"),
        ([{"annotation_id": 1, "annotator": 2}], "JSON_MIN"),
        ([{"id": 1, "completions": []}], "before 1.0"),
        ([{"data": {"image": "x"}}], "to be imported"),
        ([{"image": "x"}], "to be imported"),
        ([{"a": 1}], "no Label Studio export"),
        ([1, 2], "list of other things"),
    ],
)
def test_each_other_format_is_named_in_one_sentence(tmp_path, data, said):
    message = refusal(tmp_path, data)
    assert said in message
    assert "unsupported format" in message
    assert "\n" not in message
    assert said == "Parquet" or INSTEAD in message


def test_events_are_to_be_built_from_directly(tmp_path):
    line = json.dumps({"schema_version": "1.0", "event_id": "e"}).encode()
    for data in (line, line + b"\n" + line + b"\n"):
        assert "build from it directly" in refusal(tmp_path, data)


def test_json_that_breaks_off_says_where(tmp_path):
    assert "after item 1" in refusal(tmp_path, b'[{"annotations": []}')


def test_a_missing_file_is_one_sentence(tmp_path):
    with pytest.raises(SourceError, match="cannot be read"):
        survey_export(str(tmp_path / "none.json"), None)


def test_an_export_without_tasks_has_nothing_in_it(tmp_path):
    path = tmp_path / "export.json"
    path.write_text("[]")
    assert survey_export(str(path), None).n_tasks == 0


def test_tasks_that_say_nothing_of_screen_or_pass_are_refused(tmp_path):
    path = tmp_path / "export.json"
    path.write_text(json.dumps([{"annotations": [], "data": {"image": "x"}}]))
    with pytest.raises(SourceError, match="no screen_id"):
        survey_export(str(path), None)
    path.write_text(json.dumps([{"annotations": [], "data": {"screen_id": "7"}}]))
    with pytest.raises(SourceError, match="--pass"):
        survey_export(str(path), None)
