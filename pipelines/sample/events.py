"""One annotation event, version 1.0, as a line of JSON."""

import dataclasses
import datetime
import hmac
import json
from typing import Any

from pipelines.sample.choosing import hex_name
from pipelines.sample.judging import Judgement
from pipelines.sample.roles import CastScreen

Event = dict[str, Any]

START = datetime.datetime(2024, 3, 4, 9, tzinfo=datetime.UTC)

PAYLOADS = (
    "prefilter",
    "question",
    "answer",
    "element",
    "review",
    "short_answers",
    "screen_review",
    "training",
)


def pseudonym(rater: str, seed: str) -> str:
    """Returns the id under which a person appears: a keyed hash of the tool's user name."""
    return "a_" + hmac.digest(seed.encode(), rater.encode(), "sha256").hex()[:12]


@dataclasses.dataclass(frozen=True, slots=True)
class Writer:
    """Makes events that look as if exported from one Label Studio installation."""

    seed: str

    def event(
        self,
        pass_name: str,
        screen: CastScreen,
        rater: str,
        *,
        unit: str,
        day: int,
        second: int,
        payload: tuple[str, dict[str, Any]] | None,
        question_id: str | None = None,
        status: str = "submitted",
        suffix: str = "",
    ) -> Event:
        """Returns one event.

        Args:
            pass_name: Round of work.
            screen: What was looked at.
            rater: Who did it.
            unit: What tells the unit of work from all others.
            day: Days after the campaign's start.
            second: Seconds after the start of that day.
            payload: Name and content of the only payload; `None` if nothing was submitted.
            question_id: What was answered, if anything.
            status: What became of the unit of work.
            suffix: What tells the questions of one unit apart.
        """
        drawn = screen.drawn
        number = int(hex_name(self.seed, pass_name, unit, rater, length=8), 16)
        unique = hex_name(self.seed, "unique", pass_name, unit, rater, length=32)
        uuid = "-".join((unique[:8], unique[8:12], unique[12:16], unique[16:20], unique[20:]))
        time = START + datetime.timedelta(days=day, seconds=second, microseconds=number % 999_983)
        event: Event = {
            "schema_version": "1.0",
            "event_id": f"ls:demo:{uuid}{suffix}",
            "pass": pass_name,
            "status": status,
            "screen_id": str(drawn.id),
            "question_id": question_id,
            "annotator_id": pseudonym(rater, self.seed),
            "submitted_at": written_time(time),
            "updated_at": written_time(time + datetime.timedelta(seconds=40 + number % 50)),
            "updated_by_other": False,
            "lead_time_s": 8 + number % 9000 / 100,
            "supersedes": None,
            "image_width": drawn.width,
            "image_height": drawn.height,
            "source": {
                "tool": "label_studio",
                "tool_version": "1.23.2",
                "instance": "demo",
                "project_id": hex_name(pass_name, length=4),
                "task_id": str(number % 100_000),
                "annotation_id": str(number % 1_000_000),
                "unique_id": uuid,
                "import_id": None,
                "file": f"{pass_name}.json",
                "file_sha256": hex_name(self.seed, pass_name, "file", length=64),
                "record_index": number % 500,
                "label_config_sha256": hex_name(pass_name, "config", length=64),
            },
            "flags": [],
        }
        event |= dict.fromkeys(PAYLOADS)
        if payload is not None:
            name, content = payload
            event[name] = content
        return event


def written_time(time: datetime.datetime) -> str:
    """Returns a time as ISO 8601 in UTC with microseconds, ending in Z."""
    return time.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def answer_payload(judgement: Judgement) -> tuple[str, dict[str, Any]]:
    """Returns the payload of an answer; its elements are ranked in reading order."""
    elements = [
        {
            "rank": rank,
            "text": element.text,
            "bounds": list(element.bounds),
            "vh_index": element.vh_index,
            "region_id": (
                f"vh_{element.vh_index}"
                if element.vh_index >= 0
                else hex_name("region", element.text, *element.bounds, length=10)
            ),
            "origin": "vh" if element.vh_index >= 0 else "drawn",
        }
        for rank, element in enumerate(judgement.elements, start=1)
    ]
    return "answer", {
        "state": judgement.state,
        "full_answer": judgement.full_answer,
        "question_correction": judgement.correction,
        "elements": elements,
    }


def question_payload(ordinal: int, text: str | None) -> tuple[str, dict[str, Any]]:
    """Returns the payload of a question; without text, the screen lacks content to ask about."""
    return "question", {"ordinal": ordinal, "text": text, "skipped_screen": text is None}


def encoded(event: Event) -> str:
    """Returns the event as one line of JSON."""
    return json.dumps(event, sort_keys=True, ensure_ascii=False)
