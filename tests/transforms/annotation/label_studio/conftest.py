"""Makers of Label Studio exports, as 1.23.2 writes them."""

import copy
import json
import pathlib

import pytest

from schemas.annotations import AnnotationEvent
from schemas.rejects import Reject, Tally
from transforms.annotation.label_studio.exports import ImportOptions, read_export
from transforms.annotation.label_studio.users import Users

SALT = "pepper"
EXPORTS = pathlib.Path(__file__).parents[5] / "shared" / "data" / "annotation_exports"


class Read:
    """What came of an export."""

    def __init__(self, items):
        self.items = list(items)
        self.events = [item for item in self.items if isinstance(item, AnnotationEvent)]
        self.submitted = [event for event in self.events if event.status == "submitted"]
        self.rejects = [item for item in self.items if isinstance(item, Reject)]
        self.reasons = [reject.reason for reject in self.rejects]
        self.counts = {}
        for item in self.items:
            if isinstance(item, Tally):
                key = item.outcome
                self.counts[key] = self.counts.get(key, 0) + item.count
        fates = sum(count for outcome, count in self.counts.items() if outcome != "read")
        assert fates + len(self.rejects) == self.counts.get("read", 0)

    @property
    def answer(self):
        (event,) = self.submitted
        return event.answer


class Studio:
    """Makes tasks, annotations and results, and reads them back."""

    exports = EXPORTS

    def __init__(self, folder):
        self.folder = folder

    def users(self, names=None):
        return Users(SALT, names)

    def read(self, tasks, names=None, **options):
        path = self.folder / "export.json"
        path.write_text(json.dumps(tasks))
        return self.read_file(path, names, **options)

    def read_file(self, path, names=None, **options):
        chosen = ImportOptions(self.users(names), names is not None, **options)
        return Read(read_export(str(path), chosen))

    def task(self, *annotations, data=None, drafts=(), number=1, predictions=(1,)):
        shown = {
            "image": "/data/local-files/?d=rico/9000001.png",
            "screen_id": "9000001",
            "question_id": "9000001:question_1:0:cde6c269",
            "question": "What is the total?",
            "composer": "ann1@example.invalid",
        }
        return {
            "id": number,
            "annotations": list(annotations),
            "drafts": list(drafts),
            "predictions": list(predictions),
            "data": shown | (data or {}),
            "meta": {},
            "project": 5,
        }

    def annotation(self, *results, number=1, who=2, **changes):
        found = {
            "id": number,
            "completed_by": {"id": who, "email": f"ann{who}@example.invalid", "first_name": ""},
            "result": list(copy.deepcopy(results)),
            "was_cancelled": False,
            "ground_truth": False,
            "created_at": f"2026-11-29T20:41:{number:02}.474284Z",
            "updated_at": f"2026-11-29T20:41:{number:02}.474328Z",
            "lead_time": 18.4,
            "prediction": {},
            "result_count": 3,
            "unique_id": f"ec329be1-f866-433b-83eb-{number:012}",
            "import_id": None,
            "task": 1,
            "project": 5,
            "updated_by": who,
        } | changes
        return {key: value for key, value in found.items() if value != "absent"}

    def answered(self, *results, full="It is $ 24.90.", **more):
        return self.annotation(
            self.choice("answer_status", "answerable"),
            self.text("full_answer", full),
            *results,
            **more,
        )

    def choice(self, control, *values):
        return {
            "id": f"c-{control}",
            "from_name": control,
            "to_name": "screen",
            "type": "choices",
            "value": {"choices": list(values)},
        }

    def text(self, control, *texts):
        return {
            "id": f"t-{control}",
            "from_name": control,
            "to_name": "screen",
            "type": "textarea",
            "value": {"text": list(texts)},
        }

    def box(self, region="r1", x=10.0, y=10.0, width=20.0, height=5.0, *, label="answer", **more):
        size = more.pop("size", (1080, 1920))
        value = {"x": x, "y": y, "width": width, "height": height, "rotation": 0}
        value |= {key: more.pop(key) for key in ("rotation",) if key in more}
        if label is not None:
            value["rectanglelabels"] = [label] if isinstance(label, str) else label
        return {
            "id": region,
            "from_name": "element",
            "to_name": "screen",
            "type": "rectanglelabels",
            "original_width": size[0],
            "original_height": size[1],
            "image_rotation": 0,
            "value": value,
        } | more

    def on(self, box, control, **value):
        kind = {"text": "textarea", "number": "number", "choices": "choices"}[next(iter(value))]
        boxed = {key: box["value"].get(key) for key in ("x", "y", "width", "height", "rotation")}
        return box | {"from_name": control, "type": kind, "value": boxed | value}


@pytest.fixture
def studio(tmp_path):
    return Studio(tmp_path)
