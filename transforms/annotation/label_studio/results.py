"""The results of one Label Studio annotation, sorted by control and region."""

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

from schemas.rejects import Reason, RejectedRecordError
from transforms.identifying import clean_text


@dataclasses.dataclass(frozen=True, slots=True)
class Results:
    """Results of known controls, in the order in which they were made: no order of rank."""

    items: tuple[dict[str, Any], ...]
    clean: Callable[[str], str]
    """Applied to all that a person typed."""

    def of(self, control: str) -> Iterator[dict[str, Any]]:
        """Yields the results of one control."""
        return (item for item in self.items if item["from_name"] == control)

    def choice(self, control: str) -> str | None:
        """Returns the one choice of a control, None without one.

        Raises:
            RejectedRecordError: `AMBIGUOUS_STATUS` for several.
        """
        chosen = self.choices(control)
        if len(chosen) > 1:
            raise RejectedRecordError(Reason.AMBIGUOUS_STATUS, f"{control}: {', '.join(chosen)}")
        return chosen[0] if chosen else None

    def choices(self, control: str) -> tuple[str, ...]:
        """Returns all choices of a control."""
        found = []
        for item in self.of(control):
            found += _strings(item["value"].get("choices"), control)
        return tuple(found)

    def required_choice(self, control: str) -> str:
        """Returns the one choice of a control that must be made.

        Raises:
            RejectedRecordError: `MISSING_STATUS` without a choice, `AMBIGUOUS_STATUS` for several.
        """
        chosen = self.choice(control)
        if chosen is None:
            raise RejectedRecordError(Reason.MISSING_STATUS, f"{control} is not chosen")
        return chosen

    def texts(self, control: str) -> list[str]:
        """Returns all texts of a control as typed, blank ones too."""
        found: list[str] = []
        for item in self.of(control):
            found += map(self._typed, _strings(item["value"].get("text"), control))
        return found

    def one_text(self, control: str) -> tuple[str | None, list[str]]:
        """Returns the one text of a control, trimmed, None without one; and the repairs made.

        Raises:
            RejectedRecordError: `MULTIPLE_FULL_ANSWERS` for several.
        """
        texts = [text for text in self.texts(control) if text.strip()]
        if len(texts) > 1:
            raise RejectedRecordError(
                Reason.MULTIPLE_FULL_ANSWERS, f"{control} holds {len(texts)} texts"
            )
        if not texts:
            return None, []
        return texts[0].strip(), ["text_trimmed"] if texts[0] != texts[0].strip() else []

    def region_text(self, control: str, region_id: str) -> str:
        """Returns the text of one region, trimmed, "" without one.

        Raises:
            RejectedRecordError: `MULTIPLE_REGION_TEXTS` for several (label-studio issue 4023).
        """
        texts: list[str] = []
        for item in self.of(control):
            if item.get("id") == region_id:
                texts += map(self._typed, _strings(item["value"].get("text"), control))
        if len(texts) > 1:
            raise RejectedRecordError(
                Reason.MULTIPLE_REGION_TEXTS, f"region {region_id} has {len(texts)} texts"
            )
        return texts[0].strip() if texts else ""

    def _typed(self, raw: str) -> str:
        return self.clean(clean_text(raw))


def read_results(raw: Any, controls: frozenset[str], clean: Callable[[str], str]) -> Results:
    """Returns the results of an annotation; relations are passed over, having no control.

    Raises:
        RejectedRecordError: `MISSING_STATUS` if nothing was submitted, `UNKNOWN_CONTROL`,
            `MISSING_KEY` or `UNSUPPORTED_FORMAT`.
    """
    if not isinstance(raw, list):
        raise RejectedRecordError(Reason.MISSING_KEY, "result is no list")
    if not raw:
        raise RejectedRecordError(Reason.MISSING_STATUS, "the annotation is empty")
    items = [item for item in raw if not (isinstance(item, dict) and _is_relation(item))]
    for item in items:
        _check_result(item, controls)
    return Results(tuple(items), clean)


def _check_result(item: Any, controls: frozenset[str]) -> None:
    if not isinstance(item, dict):
        raise RejectedRecordError(
            Reason.UNSUPPORTED_FORMAT, "result holds lists, as aggregated annotations do"
        )
    control = item.get("from_name")
    if not isinstance(control, str):
        raise RejectedRecordError(Reason.MISSING_KEY, "from_name is missing in a result")
    if control not in controls:
        raise RejectedRecordError(Reason.UNKNOWN_CONTROL, clean_text(control[:60]))
    if not isinstance(item.get("value"), dict):
        raise RejectedRecordError(Reason.MISSING_KEY, f"a result of {control} has no value")


def _is_relation(item: dict[str, Any]) -> bool:
    return item.get("type") == "relation"


def _strings(raw: Any, control: str) -> list[str]:
    """Returns the texts of a value, which Label Studio writes as a list or as a bare text."""
    if raw is None:
        return []
    texts = [raw] if isinstance(raw, str) else raw
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise RejectedRecordError(Reason.RECORD_MALFORMED, f"{control} holds other than texts")
    return texts
