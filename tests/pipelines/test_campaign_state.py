"""Where a campaign stands: what counts of its events, and what a look at its screens finds."""

import dataclasses
import datetime
import json

import pytest

from pipelines.campaign_state import open_campaign
from pipelines.config import Request
from pipelines.errors import UserError
from pipelines.manifest_reading import parse_manifest
from schemas.rejects import RejectedRecordError

MANIFEST = """\
version: 1
sources:
  screens: {kind: rico_combined, path: rico/combined, licence: Apache-2.0}
  details: {kind: rico_ui_details, path: rico/ui_details.csv, licence: Apache-2.0}
  events: {kind: annotation_events, path: annotations, licence: Apache-2.0}
datasets:
  trial:
    recipe: screenqa
    version: 1.0.0
    sources: {screens: screens, apps: details, events: events}
    splits: {by: app, seed: demo}
"""


@pytest.fixture
def request_of(sample):
    """Returns a function that asks for the sample's campaign, with sources elsewhere."""

    def ask(**overrides):
        manifest = parse_manifest(MANIFEST)
        return Request(manifest.datasets["trial"], manifest, str(sample), overrides)

    return ask


def test_all_events_are_read_and_those_of_no_screen_counted(request_of, sample):
    campaign = open_campaign(request_of())
    files = (sample / "annotations").glob("*.jsonl")
    events = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    assert campaign.n_events == len(events)
    assert campaign.is_rated
    known = {path.stem for path in (sample / "rico" / "combined").glob("9*.jpg")}
    assert set(campaign.screen_ids) == known
    assert campaign.left_out["screen_missing"] == sum(e["screen_id"] not in known for e in events)


def test_who_did_not_pass_the_training_does_not_count(request_of):
    campaign = open_campaign(request_of())
    for screen_id in campaign.annotated_ids:
        campaign.settle(screen_id)
    assert campaign.left_out["annotator_untrained"] > 0


def test_the_cut_off_holds(request_of):
    request = request_of()
    early = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
    policy = dataclasses.replace(request.dataset.annotation, cutoff=early)
    dataset = dataclasses.replace(request.dataset, annotation=policy)
    campaign = open_campaign(dataclasses.replace(request, dataset=dataset))
    settled = campaign.settle(campaign.annotated_ids[0])
    assert settled is not None
    assert settled[0] is None
    assert campaign.left_out["late_event"] > 0


def test_a_look_finds_leaves_in_pixels_of_the_picture(request_of):
    campaign = open_campaign(request_of())
    look = campaign.look_at("90004")
    assert tuple(look.image.size) == (540, 960)
    title = next(leaf for leaf in look.leaves if leaf.vh_index == 7)
    assert (title.text, tuple(title.bounds)) == ("Breakfast", (87, 54, 201, 87))
    assert look.leaf_boxes[7] == title.bounds


def test_events_of_a_screen_whose_picture_is_broken_do_not_count(request_of):
    campaign = open_campaign(request_of())
    broken = [s for s in campaign.annotated_ids if not _is_usable(campaign, s)]
    assert broken
    for screen_id in broken:
        assert campaign.settle(screen_id) is None
    assert campaign.left_out["screen_rejected"] > 0


def test_a_campaign_may_begin_without_events(request_of, tmp_path):
    for place in (tmp_path / "nothing", tmp_path):
        campaign = open_campaign(request_of(events=str(place)))
        assert (campaign.n_events, campaign.is_rated) == (0, False)
        assert campaign.annotated_ids == []


def test_broken_lines_are_counted_and_broken_files_refused(request_of, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"nope": 1}\nno json\n')
    campaign = open_campaign(request_of(events=str(tmp_path)))
    assert campaign.left_out == {"missing_key": 1, "bad_json": 1}
    (tmp_path / "b.parquet").write_text("no parquet")
    with pytest.raises(UserError, match="is no whole Parquet file"):
        open_campaign(request_of(events=str(tmp_path)))


def test_missing_screens_are_named(request_of, tmp_path):
    with pytest.raises(UserError, match="nowhere is not there"):
        open_campaign(request_of(screens=str(tmp_path / "nowhere")))


def _is_usable(campaign, screen_id):
    try:
        campaign.look_at(screen_id)
    except RejectedRecordError:
        return False
    return True
