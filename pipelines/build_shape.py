"""What `BUILD.json` looks like: its keys, and what kind of value each of them has.

Nobody signs this file. Whatever is read of it is declared here, so that `screenset check` can
name what is damaged, and so can whoever stumbled over it.
"""

from collections.abc import Callable, Iterator
from typing import Any

from schemas.builds import FINISHED
from schemas.splits import SPLITS

MOST = 2**63 - 1
"""The largest number that means anything in a build; floats and Parquet take no larger ones."""

Shape = Callable[[Any, str], Iterator[str]]
"""Yields what is wrong with a value, given its path."""


def build_problems(summary: Any) -> Iterator[str]:
    """Yields a sentence for each value of a `BUILD.json` that is missing or of another kind."""
    yield from _BUILD(summary, "")


def is_count(value: Any) -> bool:
    """Whether a value is a whole number from 0, as large as means anything."""
    return type(value) is int and 0 <= value <= MOST


def is_text(value: Any) -> bool:
    """Whether a value is a text that can be written as UTF-8, which half an emoji cannot."""
    return isinstance(value, str) and not any("\ud800" <= sign <= "\udfff" for sign in value)


def _text(value: Any, path: str) -> Iterator[str]:
    if not is_text(value):
        yield _told(path, "is no text")


def _count(value: Any, path: str) -> Iterator[str]:
    if not is_count(value):
        yield _told(path, "is no count")


def _number(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MOST:
        yield _told(path, "is no number")


def _maybe(shape: Shape) -> Shape:
    def check(value: Any, path: str) -> Iterator[str]:
        if value is not None:
            yield from shape(value, path)

    return check


def _list(shape: Shape) -> Shape:
    def check(value: Any, path: str) -> Iterator[str]:
        if not isinstance(value, list):
            yield _told(path, "is no list")
            return
        for place, item in enumerate(value):
            yield from shape(item, f"{path}[{place}]")

    return check


def _each(shape: Shape) -> Shape:
    """Whatever its keys, each value of an object has this shape."""

    def check(value: Any, path: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield _told(path, "is no object")
            return
        for key, item in value.items():
            yield from _text(key, f"a key of {path}")
            yield from shape(item, f"{path}.{key}")

    return check


def _fields(**shapes: Shape) -> Shape:
    """An object has these keys, and may have more of which nobody asks."""

    def check(value: Any, path: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield _told(path, "is no object")
            return
        for key, shape in shapes.items():
            below = f"{path}.{key}" if path else key
            if key in value:
                yield from shape(value[key], below)
            else:
                yield _told(below, "is missing")

    return check


def _all(*shapes: Shape) -> Shape:
    def check(value: Any, path: str) -> Iterator[str]:
        for shape in shapes:
            yield from shape(value, path)

    return check


def _told(path: str, what: str) -> str:
    # A key of a damaged file may be anything, of any length.
    shown = path.encode("utf-8", "backslashreplace").decode()
    return f"{FINISHED}: {shown[:200] or 'all of it'} {what}"


_COUNTS = _each(_count)
_GROUPS = _fields(groups=_count, screens=_count, across_apps=_count, across_splits=_count)
_CROSSING = _fields(
    groups=_count,
    crossing=_count,
    examples=_list(_fields(key=_text)),
)
_DISAGREEMENTS = _fields(compared=_count, differing=_count, kinds=_COUNTS, examples=_list(_text))
_SOURCE = _fields(
    kind=_text,
    licence=_maybe(_text),
    url=_maybe(_text),
    citation=_maybe(_text),
    files=_list(_fields(name=_text, split=_maybe(_text))),
    records=_maybe(_count),
    size_bytes=_maybe(_count),
    digest=_text,
)
_BUILD = _fields(
    dataset=_text,
    version=_text,
    recipe=_text,
    code=_fields(version=_text, digest=_text),
    manifest=_fields(version=_count),
    fingerprint=_text,
    limit=_maybe(_count),
    images=_text,
    splits=_fields(by=_text, seed=_text, shares=_list(_number), unknown_app=_text, twins=_text),
    provides=_list(_text),
    checks=_fields(
        questions_per_screen=_count,
        too_few_answers=_number,
        near_duplicate_screens=_number,
        expected_rows=_COUNTS,
        answers=_fields(**dict.fromkeys(SPLITS, _count)),
    ),
    card=_fields(
        title=_maybe(_text),
        licence=_maybe(_text),
        contact=_maybe(_text),
        citation=_maybe(_text),
        tags=_list(_text),
    ),
    sources=_each(_SOURCE),
    records=_each(
        _all(
            _COUNTS,
            _fields(read=_count, kept=_count, merged=_count, orphaned=_count, rejected=_count),
        )
    ),
    rejects=_each(_COUNTS),
    repairs=_COUNTS,
    funnel=_list(_fields(stage=_text, screens=_maybe(_count), questions=_maybe(_count))),
    findings=_COUNTS,
    short_answers=_maybe(
        _fields(
            provider=_text, model=_text, prompt_version=_text, variants=_COUNTS, replies=_COUNTS
        )
    ),
    prefilter=_fields(
        screens=_count,
        language=_COUNTS,
        app_language=_COUNTS,
        hierarchy_sync=_COUNTS,
        rated=_count,
        disagreements=_fields(
            raters_and_language=_DISAGREEMENTS,
            raters_and_hierarchy_sync=_DISAGREEMENTS,
            app_and_screen_language=_DISAGREEMENTS,
        ),
        personal_data=_fields(
            emails=_count, screens_with_emails=_count, phones=_count, screens_with_phones=_count
        ),
    ),
    duplicates=_fields(bytes=_GROUPS, pixels=_GROUPS, hierarchies=_GROUPS, near=_GROUPS),
    leaks=_fields(
        screens=_CROSSING,
        apps=_CROSSING,
        pictures=_CROSSING,
        layouts=_CROSSING,
        other_datasets=_each(
            _fields(
                its_own_apps=_CROSSING,
                shared_screens=_each(_COUNTS),
                screens_of_shared_apps=_each(_COUNTS),
            )
        ),
    ),
)
