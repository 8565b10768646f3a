"""Plain values of JSON or Parquet turned into row types, each problem named by its place."""

import dataclasses
import datetime
import enum
import math
import types
from collections.abc import Callable
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from schemas.geometry import Bounds
from schemas.rejects import Reason, RejectedRecordError
from transforms.identifying import MAX_TEXT, clean_text

Row = TypeVar("Row")

Decode = Callable[[Any, str], Any]
"""Takes a plain value and its place, such as `answer.elements[1].rank`."""

_MAX_INT = 1 << 31


def decoder(row_type: type[Row]) -> Callable[[Any, str], Row]:
    """Returns the function that makes a `row_type` of a dict.

    It is put together once, since it runs a million times. A field `pass_` is read from
    the key `pass`; unknown keys are left alone: later versions of the format may add some,
    and what they added has a default, which earlier records get. The function raises
    `RejectedRecordError` with `MISSING_KEY` for a value that may not be null and is, and
    with `RECORD_MALFORMED` for one of another type.
    """
    hints = get_type_hints(row_type)
    fields = []
    for field in dataclasses.fields(row_type):  # type: ignore[arg-type]
        nullable, inner = _without_none(hints[field.name])
        fields.append((field.name.rstrip("_"), nullable, field.default, _decode_of(inner)))

    def decode_row(raw: Any, place: str) -> Row:
        if not isinstance(raw, dict):
            raise malformed(raw, place, "no object")
        prefix = f"{place}." if place else ""
        values = []
        for key, nullable, default, decode in fields:
            value = raw.get(key)
            if value is not None:
                value = decode(value, prefix + key)
            elif default is not dataclasses.MISSING:
                value = default
            elif not nullable:
                raise RejectedRecordError(Reason.MISSING_KEY, f"{prefix}{key} is missing")
            values.append(value)
        return row_type(*values)

    return decode_row


def malformed(raw: Any, place: str, problem: str) -> RejectedRecordError:
    """Returns the rejection of a value of the wrong kind; it shows 60 characters of it."""
    return RejectedRecordError(
        Reason.RECORD_MALFORMED,
        f"{place or 'the record'} is {clean_text(repr(raw)[:60])}, {problem}",
    )


def decode_time(raw: Any, place: str) -> datetime.datetime:
    """Returns a time in UTC, from a datetime or from ISO 8601 with its offset.

    Raises:
        RejectedRecordError: `RECORD_MALFORMED`, also for a time without an offset, which
            might be any.
    """
    time = raw
    if isinstance(raw, str):
        try:
            time = datetime.datetime.fromisoformat(raw)
        except ValueError:
            raise malformed(raw, place, "no time") from None
    if not isinstance(time, datetime.datetime):
        raise malformed(raw, place, "no time")
    if time.tzinfo is None:
        raise malformed(raw, place, "a time without its offset from UTC")
    try:
        return time.astimezone(datetime.UTC)
    except OverflowError:
        raise malformed(raw, place, "no time") from None


def _without_none(hint: Any) -> tuple[bool, Any]:
    if get_origin(hint) is types.UnionType:
        return True, next(arm for arm in get_args(hint) if arm is not type(None))
    return False, hint


def _decode_of(hint: Any) -> Decode:
    if dataclasses.is_dataclass(hint):
        return decoder(hint)  # type: ignore[arg-type]
    if hint is Bounds:
        return _decode_bounds
    if get_origin(hint) is tuple:
        return _decode_list_of(_decode_of(get_args(hint)[0]))
    if issubclass(hint, enum.StrEnum):
        return _decode_choice_of(hint)
    return {
        str: _decode_text,
        bool: _decode_bool,
        int: _decode_int,
        float: _decode_float,
        datetime.datetime: decode_time,
    }[hint]


def _decode_list_of(decode: Decode) -> Decode:
    def decode_list(raw: Any, place: str) -> tuple[Any, ...]:
        if not isinstance(raw, list | tuple):
            raise malformed(raw, place, "no list")
        return tuple(decode(item, f"{place}[{at}]") for at, item in enumerate(raw))

    return decode_list


def _decode_choice_of(choices: type[enum.StrEnum]) -> Decode:
    by_value = {choice.value: choice for choice in choices}

    def decode_choice(raw: Any, place: str) -> enum.StrEnum:
        choice = by_value.get(raw) if isinstance(raw, str) else None
        if choice is None:
            raise malformed(raw, place, f"none of {', '.join(by_value)}")
        return choice

    return decode_choice


def _decode_bounds(raw: Any, place: str) -> Bounds:
    if not isinstance(raw, list | tuple) or len(raw) != 4:
        raise malformed(raw, place, "no box of four numbers")
    return Bounds(*(_decode_int(edge, place) for edge in raw))


def _decode_text(raw: Any, place: str) -> str:
    if not isinstance(raw, str):
        raise malformed(raw, place, "no text")
    if len(raw) > MAX_TEXT:
        raise malformed(f"{len(raw):,} characters", place, "no text that anybody typed")
    return clean_text(raw)


def _decode_bool(raw: Any, place: str) -> bool:
    if not isinstance(raw, bool):
        raise malformed(raw, place, "neither true nor false")
    return raw


def _decode_int(raw: Any, place: str) -> int:
    if isinstance(raw, bool) or not isinstance(raw, int) or not -_MAX_INT <= raw < _MAX_INT:
        raise malformed(raw, place, "no whole number of 32 bits")
    return raw


def _decode_float(raw: Any, place: str) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        raise malformed(raw, place, "no number")
    try:
        number = float(raw)
    except OverflowError:
        raise malformed(raw, place, "no finite number") from None
    if not math.isfinite(number):
        raise malformed(raw, place, "no finite number")
    return number
